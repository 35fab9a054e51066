//! `From` for the user's own types.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Meters(f64);

#[differentiable]
impl From<f64> for Meters {
    fn from(v: f64) -> Self {
        Meters(v * v)
    }
}

#[differentiable]
mod plane {
    use cotangent::Differentiable;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(crate) struct V {
        pub(crate) a: f64,
        pub(crate) b: f64,
    }
    impl From<[f64; 2]> for V {
        fn from([a, b]: [f64; 2]) -> Self {
            Self { a, b: b * a }
        }
    }
    // the first one has the companions; this is called where nothing is differentiable
    impl From<(f64, f64)> for V {
        fn from(p: (f64, f64)) -> Self {
            Self { a: p.0, b: p.1 }
        }
    }
    impl V {
        pub(crate) fn dot(&self, o: &V) -> f64 {
            self.a * o.a + self.b * o.b
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Pair<T: cotangent::Scalar> {
    a: T,
    b: T,
}
#[differentiable]
impl<T: cotangent::Scalar> From<[T; 2]> for Pair<T> {
    fn from(v: [T; 2]) -> Self {
        Pair { a: v[0], b: v[1] * v[0] }
    }
}
#[differentiable]
impl<T: cotangent::Scalar> Pair<T> {
    fn sum(&self) -> T {
        self.a + self.b * self.b
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Poly {
    c: Vec<f64>,
}
#[differentiable]
impl From<&[f64]> for Poly {
    fn from(c: &[f64]) -> Self {
        Poly { c: c.iter().map(|v| v * v).collect() }
    }
}
#[differentiable]
impl Poly {
    fn at(&self, t: f64) -> f64 {
        self.c.iter().rev().fold(0.0, |a, c| a * t + c)
    }
}

#[differentiable]
fn turned(v: plane::V, x: f64) -> plane::V {
    [v.b * x, -v.a].into()
}

bodies! {
    of_numbers(x): {
    let b = Meters::from(x[2]);
    let c: Meters = Meters::from(x[0] * b.0);
    c.0 * x[1]
    }
    of_arrays(x): {
    let v = plane::V::from([x[0], x[1]]);
    v.dot(&plane::V::from([x[2], x[3]])) + v.dot(&plane::V::from((2.0, 0.5)))
    }
    by_into(x): {
    let v: plane::V = [x[2] * x[1], x[3]].into();
    v.dot(&v) + turned(v, x[0]).dot(&v)
    }
    of_generic_types(x): {
    Pair::from([x[0], x[1]]).sum() * x[2]
    }
    of_slices(x): {
    Poly::from(x).at(0.3)
    }
}
