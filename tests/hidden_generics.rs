//! Functions with type parameters and constants that no argument shows: `net::<Tanh>(x)`, `power::<3>(x)`.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::differentiable;
use std::marker::PhantomData;

#[differentiable]
trait Act {
    const SCALE: f64;
    fn f(x: f64) -> f64;
}
struct Tanh;
struct Relu;
#[differentiable]
impl Act for Tanh {
    const SCALE: f64 = 0.5;
    fn f(x: f64) -> f64 {
        x.tanh() * Self::SCALE
    }
}
#[differentiable]
impl Act for Relu {
    const SCALE: f64 = 2.0;
    fn f(x: f64) -> f64 {
        x.max(0.0) * Self::SCALE
    }
}

#[differentiable(into)]
fn net<A: Act>(x: &[f64]) -> f64 {
    x.iter().map(|v| A::f(*v)).sum::<f64>() * A::SCALE
}

#[differentiable(order = 2, hessian, hvp)]
fn power<const N: usize>(v: f64) -> f64 {
    let mut p = 1.0;
    for _ in 0..N {
        p *= v;
    }
    p
}

#[differentiable(jacobian)]
fn two<const N: usize>(v: f64) -> [f64; 2] {
    [v * N as f64, v.sin()]
}

struct Layer<A>(PhantomData<A>);
#[differentiable]
impl<A: Act> Layer<A> {
    fn first<const N: usize>(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..N {
            s += A::f(x[i]) * x[i];
        }
        s
    }
}

bodies! {
    hidden_parameters(x): {
    let layers = net::<Tanh>(x) * net::<Relu>(x) + Layer::<Tanh>::first::<3>(x);
    layers + power::<3>(x[0]) * two::<4>(x[1])[0]
    }
}

/// Of `v³`: `3 v²`, `6 v`.
#[test]
fn every_companion() {
    assert_eq!(power_value_and_grad::<3>(2.0), (8.0, 12.0));
    assert_eq!(power_grad::<3>(2.0), 12.0);
    assert_eq!(power_jvp::<3>(2.0, 1.0), (8.0, 12.0));
    assert_eq!(power_hvp::<3>(2.0, 1.0), 12.0);
    assert_eq!(power_hessian::<3>(2.0)[[0, 0]], 12.0);
    assert_eq!(power_grad_grad::<3>(2.0), 12.0);
    assert_eq!(two_jacobian::<4>(0.0).as_slice(), Some(&[4.0, 1.0][..]));
    let mut bar = vec![0.0; 2];
    assert_eq!(net_value_and_grad_into::<Relu>(&[1.5, -1.0], &mut bar), 6.0);
    assert_eq!(bar, [4.0, 0.0]);
}
