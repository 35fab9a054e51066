//! Methods with the names of those of floats: of the user's own types, and of floats by an alias.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};
use std::ops::{Add, Mul, Neg};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct C {
    re: f64,
    im: f64,
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Pair {
    z: C,
    v: Vec<C>,
}

#[differentiable]
impl C {
    const I: C = C { re: 0.0, im: 1.0 };
    fn new(re: f64, im: f64) -> C {
        C { re, im }
    }
    fn abs2(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
    fn exp(self) -> C {
        let r = self.re.exp();
        C { re: r * self.im.cos(), im: r * self.im.sin() }
    }
    fn sqrt(&self) -> C {
        let r = self.re.hypot(self.im);
        C { re: ((r + self.re) / 2.0).sqrt(), im: self.im.signum() * ((r - self.re) / 2.0).sqrt() }
    }
    fn abs(&self) -> f64 {
        self.re.hypot(self.im)
    }
    fn powi(self, n: i32) -> C {
        let mut r = C::new(1.0, 0.0);
        for _ in 0..n {
            r = r * self;
        }
        r
    }
    fn max(self, o: C) -> C {
        if self.abs() > o.abs() { self } else { o }
    }
    fn length_of_exp(self) -> f64 {
        self.exp().abs().ln() + self.exp().sqrt().abs()
    }
}

#[differentiable]
mod operators {
    use super::*;

    impl Add for C {
        type Output = C;
        fn add(self, o: C) -> C {
            C { re: self.re + o.re, im: self.im + o.im }
        }
    }
    impl Mul for C {
        type Output = C;
        fn mul(self, o: C) -> C {
            C { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
        }
    }
    impl Mul<f64> for C {
        type Output = C;
        fn mul(self, k: f64) -> C {
            C { re: self.re * k, im: self.im * k }
        }
    }
    impl Neg for C {
        type Output = C;
        fn neg(self) -> C {
            C { re: -self.re, im: -self.im }
        }
    }
}

#[differentiable]
fn of_parameters(z: C, w: &C) -> f64 {
    z.exp().abs2() + (z * *w).exp().abs() + w.sqrt().abs()
}
#[differentiable]
fn of_elements(v: &[C], pair: &(C, f64)) -> f64 {
    let mut s = pair.0.abs() * pair.1;
    for z in v {
        s += z.abs() * z.sqrt().re;
    }
    s + v.iter().map(|z| z.exp().abs2()).sum::<f64>() + v[0].powi(2).im
}
#[differentiable]
fn of_fields(p: &Pair) -> f64 {
    C::exp(p.z).abs2() + C::abs(&p.v[0])
}

type Real = f64;

#[differentiable]
fn aliased(a: Real, b: Real) -> Real {
    let c = a.sin() * b.exp();
    c.abs().sqrt() + a.max(b).powi(2) + a.powf(2.5) + b.clamp(0.5, 2.0).mul_add(a, 1.0) + a.tanh().recip()
}
#[differentiable]
fn aliased_elements(v: &[Real]) -> Real {
    v.iter().map(|t| t.sin().exp()).sum()
}

bodies! {
    of_a_type(x): {
    let z = C { re: x[0], im: x[1] };
    let w = C { re: x[2], im: x[3] };
    of_parameters(z, &w) + of_elements(&[z, w], &(w, x[0])) + of_fields(&Pair { z, v: vec![w] })
    }
    of_results(x): {
    let z = C { re: x[0], im: x[1] };
    let w = C::new(x[2], x[3]);
    let e = C::exp(z).abs() + C::powi(z, 2).abs().ln();
    let first = (-z).exp().abs2() + (z * w).sqrt().abs() + (z + w).abs() + (C::I * z).exp().re;
    let second = (z * w).max(w).abs2() + z.max(w).re + (z * 2.0).powi(3).abs() + C::new(x[0], x[3]).abs();
    first + second + e + z.length_of_exp()
    }
    carried(x): {
    let mut s = 0.0;
    let mut q = C { re: x[0], im: x[1] };
    let w = C { re: x[2], im: x[3] };
    for _ in 0..3 {
        q = q * w;
        s += q.abs();
        if q.abs() > 0.7 { q = q.exp(); }
    }
    let f = |q: C| q.exp().abs();
    s + q.im + f(q) + f(w)
    }
    by_an_alias(x): {
    aliased(x[0], x[1]) + aliased(x[1], x[3]) + aliased_elements(x)
    }
}

#[differentiable(hessian)]
fn aliased_twice(x: Real, y: Real) -> Real {
    x.sin() * y.exp() + x.powi(3)
}

#[test]
fn second_order_by_an_alias() {
    let (x, y) = (0.7_f64, 0.3_f64);
    let h = aliased_twice_hessian(x, y);
    let expected = [-x.sin() * y.exp() + 6.0 * x, x.cos() * y.exp(), x.cos() * y.exp(), x.sin() * y.exp()];
    for (got, want) in h.iter().zip(expected) {
        assert!((got - want).abs() < 1e-14, "{got} {want}");
    }
}
