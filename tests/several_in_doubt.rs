//! Calls that change some of several arguments that are given by their names, and which of them only the compiler knows; and
//! calls of functions whose signatures are in sight.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct A {
    k: f64,
}
#[derive(Clone, Differentiable)]
struct B {
    k: f64,
}

#[differentiable]
impl A {
    fn show(&self, o: &mut B) -> f64 {
        o.k *= self.k;
        o.k + 1.0
    }
}

mod two_in_doubt {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Sys {
        k: f64,
    }
    impl Sys {
        #[differentiable]
        fn fill(&mut self, y: &[f64], out: &mut [f64]) {
            for i in 0..y.len() {
                out[i] = self.k * y[i] * y[i];
            }
            self.k *= 0.9;
        }
        #[differentiable]
        fn peek(&self, y: &[f64], out: &mut [f64]) -> f64 {
            for i in 0..y.len() {
                out[i] += self.k * y[i];
            }
            out[0]
        }
        #[differentiable]
        fn all(&mut self, y: &mut [f64], out: &mut [f64]) -> usize {
            y[0] += self.k * out[1];
            out[2] *= y[1];
            self.k += 0.1 * out[2];
            out.len()
        }
        #[differentiable]
        fn step(&mut self, y: &mut [f64], h: f64) -> f64 {
            let mut out = vec![0.0; y.len()];
            self.fill(y, &mut out);
            let seen = self.peek(y, &mut out);
            let n = self.all(y, &mut out);
            for i in 0..n {
                y[i] += h * out[i] * seen;
            }
            self.peek(y, &mut out);
            out[1]
        }
    }
    #[differentiable]
    fn drive(y: &mut [f64], k: f64) {
        let mut s = Sys { k };
        let mut out = vec![0.0; y.len()];
        for _ in 0..3 {
            s.fill(y, &mut out);
            let e = s.peek(y, &mut out);
            for i in 0..y.len() {
                y[i] -= 0.1 * out[i] * e;
            }
            s.k *= 1.1;
        }
    }

    bodies! {
        two_in_doubt(x): {
    let mut s = Sys { k: x[1] };
    let mut y = x.to_vec();
    let mut e = 0.0;
    for _ in 0..2 { e += s.step(&mut y, 0.1); }
    let first = y.iter().sum::<f64>() * s.k + e;
    let mut y = x.to_vec();
    drive(&mut y, x[0]);
    first + y.iter().sum::<f64>()
        }
    }
}

mod values_given {
    use super::*;

    #[differentiable]
    impl A {
        fn take(&mut self, o: &mut B, m: f64) -> f64 {
            self.k += o.k * m;
            o.k *= 2.0;
            self.k * o.k
        }
        fn pair(&self, o: &mut B) -> (f64, usize) {
            o.k += self.k;
            (o.k * self.k, 2)
        }
        fn found(&mut self, o: &mut B) -> Option<f64> {
            self.k *= o.k;
            if o.k > 0.1 { Some(self.k) } else { None }
        }
        fn count(&self, o: &mut B) -> usize {
            o.k *= self.k;
            3
        }
    }

    bodies! {
        values_given(x): {
    let mut a = A { k: x[0] };
    let mut b = B { k: x[1] };
    let mut sum = 0.0;
    for i in 0..2 {
        sum += a.take(&mut b, x[2 + i]);
        let (p, n) = a.pair(&mut b);
        sum += p * n as f64;
        if let Some(v) = a.found(&mut b) { sum += v; }
        for _ in 0..a.count(&mut b) { sum *= 1.1; }
        sum += a.show(&mut b);
    }
    sum * a.k + b.k
        }
    }

    #[derive(Clone, Differentiable)]
    struct Twice {
        k: f64,
    }
    #[differentiable(order = 2)]
    impl Twice {
        fn show(&self, o: &mut B) -> f64 {
            o.k *= self.k;
            o.k + 1.0
        }
    }

    #[differentiable(hessian)]
    fn shown(x: f64, y: f64) -> f64 {
        let mut a = Twice { k: x };
        let mut b = B { k: y };
        let r = a.show(&mut b);
        a.k *= y;
        r * a.show(&mut b) + b.k
    }

    #[test]
    fn second_order_of_those_that_only_read() {
        // r = x y + 1, then a = x y and b = x² y², so that the value is (x y + 1) (x² y² + 1) + x² y² = (x y)³ + 2 (x y)² + x y + 1
        let (x, y) = (0.7, 1.3);
        let p: f64 = x * y;
        assert!((shown(x, y) - (p.powi(3) + 2.0 * p * p + p + 1.0)).abs() < 1e-12);
        let (first, second) = (3.0 * p * p + 4.0 * p + 1.0, 6.0 * p + 4.0);
        let h = shown_hessian(x, y);
        let expected = [second * y * y, first + second * p, first + second * p, second * x * x];
        for (got, want) in h.iter().zip(expected) {
            assert!((got - want).abs() < 1e-11, "{got} {want}");
        }
    }
}

mod all_in_doubt {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Count {
        k: f64,
        n: usize,
    }
    #[differentiable]
    impl A {
        fn found_in(&mut self, o: &mut Count, c: &mut [f64], t: f64) -> Option<f64> {
            self.k += t * o.k;
            o.n += 1;
            c[0] *= self.k;
            if o.n > 1 { Some(c[0]) } else { None }
        }
        fn seen_in(&self, o: &mut Count, c: &[f64]) -> f64 {
            o.k *= c[0];
            self.k * o.k
        }
    }
    #[differentiable]
    fn step(a: &mut A, o: &mut Count, c: &mut [f64], t: f64) -> f64 {
        let first = a.found_in(o, c, t);
        let q = a.seen_in(o, c);
        a.found_in(o, c, q);
        first.unwrap_or(q)
    }
    #[differentiable]
    fn gather(a: &[f64], b: &mut f64) -> f64 {
        *b += a[0] * a[1];
        *b * a[2]
    }
    #[differentiable]
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(p, q)| p * q).sum()
    }
    #[differentiable]
    fn update(a: &mut [f64], b: &mut f64, c: &mut [f64]) -> f64 {
        let d = gather(a, b);
        a[0] += d;
        c[1] *= dot(a, c);
        let e = gather(a, b);
        d * e
    }

    bodies! {
        all_in_doubt(x): {
    let mut a = A { k: x[0] };
    let mut o = Count { k: x[1], n: 0 };
    let mut c = [x[2], x[3]];
    let mut s = 0.0;
    for i in 0..3 { s += step(&mut a, &mut o, &mut c, 0.3 * x[i]); }
    let mut v = x.to_vec();
    let mut b = x[3];
    let mut w = vec![0.5, x[0], 0.1, 1.0];
    let r = update(&mut v, &mut b, &mut w);
    s * a.k + o.k * c[0] + r + v[0] * b + w[1]
        }
    }
}

mod two_of_one_type {
    use super::*;

    #[derive(Clone, Copy, Differentiable)]
    struct Body {
        x: f64,
        v: f64,
    }
    #[differentiable]
    impl Body {
        fn pull(&mut self, o: &Body) {
            self.v += 0.1 * (o.x - self.x);
        }
        fn collide(&mut self, o: &mut Body) {
            let m = 0.5 * (self.v + o.v);
            self.v = m - 0.1 * self.x;
            o.v = m + 0.2 * o.x;
        }
    }
    #[differentiable]
    fn interact(a: &mut Body, b: &mut Body) {
        a.pull(b);
        b.pull(a);
        a.collide(b);
        a.x += 0.1 * a.v;
        b.x += 0.1 * b.v;
    }

    bodies! {
        two_of_one_type(x): {
    let mut a = Body { x: x[0], v: x[1] };
    let mut b = Body { x: x[2], v: x[3] };
    for _ in 0..3 { interact(&mut a, &mut b); }
    a.x * b.v + b.x * a.v
        }
    }
}

#[differentiable]
mod in_sight {
    /// Not put in place of its calls: it returns early.
    pub(crate) fn rhs(y: &[f64], k: &mut [f64]) {
        for i in 0..y.len() {
            if i > 2 {
                return;
            }
            k[i] = y[(i + 1) % 4] * y[i] - y[i];
        }
    }
    pub(crate) fn step(y: &mut [f64], k: &mut [f64], h: f64) {
        rhs(y, k);
        for i in 0..4 {
            y[i] += h * k[i];
        }
    }
}

bodies! {
    both_by_name(x): {
    let mut y = x.to_vec();
    let mut k = vec![0.0; 4];
    for _ in 0..3 { in_sight::step(&mut y, &mut k, 0.1 * x[0]); }
    y.iter().map(|v| v * v).sum()
    }
}

#[differentiable]
mod receivers {
    use super::*;

    #[derive(Clone, Copy, Differentiable)]
    pub(crate) struct Cup {
        pub(crate) a: f64,
    }
    impl Cup {
        pub(crate) fn pull(&mut self, o: &mut Cup) -> f64 {
            self.a += o.a * o.a;
            o.a *= 0.5;
            self.a
        }
        pub(crate) fn seen(&mut self, o: &Cup) -> f64 {
            self.a += o.a * o.a;
            self.a
        }
        pub(crate) fn look(&self, o: &mut Cup) -> f64 {
            o.a += self.a * o.a;
            self.a
        }
        pub(crate) fn swap(&mut self, o: &mut Self) -> f64 {
            let r = o.seen(self);
            r * self.a + o.pull(self)
        }
    }
    pub(crate) fn both(p: &mut Cup, q: &mut Cup) -> f64 {
        let r = p.pull(q);
        let s = q.seen(p);
        let t = p.look(q);
        r * s + t
    }
    pub(crate) fn local(a: f64, b: f64) -> f64 {
        let mut p: Cup = Cup { a };
        let q: &mut Cup = &mut Cup { a: b };
        let r = p.pull(q);
        r * q.seen(&p)
    }
}

bodies! {
    receivers_of_written_types(x): {
    let (mut p, mut q) = (receivers::Cup { a: x[0] }, receivers::Cup { a: x[1] });
    let r = receivers::both(&mut p, &mut q);
    r * p.a + q.a * x[3] + receivers::local(x[2], x[3]) + p.swap(&mut q)
    }
}
