//! Functions and types that are generic over the float by the crate's own bound.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, Scalar, differentiable};

#[differentiable]
fn norm<T: Scalar>(v: &[T]) -> T {
    let mut s = T::zero();
    for &a in v {
        s = s + a * a;
    }
    s.sqrt()
}
#[differentiable]
fn summed<T: Scalar>(v: &[T]) -> T {
    let half = T::from(0.5).unwrap();
    v.iter().map(|&a| a * half).sum::<T>() + v.iter().copied().product::<T>()
}
#[differentiable]
fn lerp<T: cotangent::Scalar>(a: T, b: T, t: T) -> T {
    let mut r = a;
    r += (b - a) * t;
    r *= T::PI() / (T::one() + T::one());
    r.max(T::zero()) + r.exp().ln_1p()
}
#[derive(Clone, Debug, Differentiable)]
struct Line<T: Scalar> {
    slope: T,
    shift: T,
}
#[differentiable]
impl<T: Scalar> Line<T> {
    fn at(&self, x: T) -> T {
        self.slope * x + self.shift
    }
    fn steepen(&mut self, k: T) {
        self.slope *= k;
    }
}
#[differentiable]
fn descend<T>(w: &mut [T], rate: T, f: impl Fn(&[T]) -> T) -> T
where
    T: Scalar,
{
    for v in w.iter_mut() {
        *v -= rate * *v;
    }
    f(w)
}

bodies! {
    generic_functions(x): {
    norm(x) * lerp(x[0], x[1], x[2]) + norm::<f64>(&[x[3], 1.0]) + summed(x)
    }
    generic_types(x): {
    let mut l = Line { slope: x[0], shift: x[1] };
    l.steepen(x[2]);
    let mut w = x.to_vec();
    l.at(x[3]) * l.at(2.0) + descend(&mut w, 0.1, |v| v[0] * v[1] + v[3])
    }
}

#[test]
fn both_floats() {
    // d|x|/dx = x / |x|
    let (single, double) = (norm_grad(&[3.0_f32, 4.0]), norm_grad(&[3.0_f64, 4.0]));
    for (k, want) in [0.6, 0.8].into_iter().enumerate() {
        assert!((f64::from(single[k]) - want).abs() < 1e-7 && (double[k] - want).abs() < 1e-15);
    }
}
