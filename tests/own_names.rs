//! Methods of types of the user with the names of those of options, iterators and vectors.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// On what a literal built.
mod own_names {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    struct Pair {
        a: f64,
        b: f64,
    }
    #[derive(Clone, Copy, Differentiable)]
    struct Tup(f64, f64);
    #[differentiable]
    impl Tup {
        fn last(&self) -> f64 {
            self.1
        }
        fn replace(&self, k: f64) -> f64 {
            self.0 * k
        }
    }
    #[differentiable]
    impl Pair {
        fn take(self) -> f64 {
            self.a * self.b
        }
        fn map(self, k: f64) -> Pair {
            Pair { a: self.a * k, b: self.b }
        }
        fn sum(&self) -> f64 {
            self.a + self.b
        }
        fn get(&self, i: usize) -> f64 {
            if i == 0 { self.a } else { self.b }
        }
        fn first(&self) -> f64 {
            self.a
        }
        fn zip(self, o: Pair) -> Pair {
            Pair { a: self.a * o.b, b: self.b * o.a }
        }
        fn max(&self, k: f64) -> f64 {
            self.a.max(k)
        }
        fn fold(&self, a: f64, b: f64) -> f64 {
            self.a * a + b
        }
        fn unwrap(&self) -> f64 {
            self.b
        }
        fn unwrap_or(&self, k: f64) -> f64 {
            self.b * k
        }
        fn insert(&mut self, k: f64) {
            self.b += k;
        }
        fn push(&mut self, k: f64) -> f64 {
            self.a += k;
            self.a
        }
        fn len(&self) -> usize {
            2
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let mut p = Pair { a: x[0], b: x[1] };
        let q = Pair { a: x[2], b: x[3] };
        let t = Tup(x[0], x[3]);
        let r = p.map(2.0);
        let s = p.take()
            + r.sum()
            + p.get(1) * q.first()
            + p.max(x[1]) * p.fold(x[0], x[2])
            + q.unwrap() * q.unwrap_or(x[0])
            + t.last() * t.replace(x[1])
            + q.len() as f64;
        p.insert(x[2]);
        let u = p.push(x[1]);
        s + p.zip(q).a * u
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    own_names
}
