//! Companions of companions of companions, and which there are in which mode.

use cotangent::{Differentiable, differentiable};
use ndarray::array;

use super::close;

/// Derivatives of `x^5 + sin x`, from the zeroth on.
fn derivatives(x: f64) -> [f64; 6] {
    let p = |k: i32, c: f64| c * x.powi(k);
    [
        p(5, 1.0) + x.sin(),
        p(4, 5.0) + x.cos(),
        p(3, 20.0) - x.sin(),
        p(2, 60.0) - x.cos(),
        p(1, 120.0) + x.sin(),
        120.0 + x.cos(),
    ]
}

#[differentiable(order = 4)]
fn f(x: f64) -> f64 {
    let mut power = 1.0;
    for _ in 0..5 {
        power *= x;
    }
    power + x.sin()
}

#[test]
fn gradients_of_gradients() {
    let x = 0.7;
    let d = derivatives(x);
    close(&[f_grad(x), f_grad_grad(x), f_grad_grad_grad(x), f_grad_grad_grad_grad(x)], &d[1..5], 1e-12);
    let (third, fourth) = f_grad_grad_grad_value_and_grad(x);
    close(&[third, fourth], &d[3..5], 1e-12);
    let ((second, third), fourth) = f_grad_grad_value_and_grad_jvp(x, 2.0);
    close(&[second, third, fourth.0, fourth.1], &[d[2], d[3], 2.0 * d[3], 2.0 * d[4]], 1e-12);
    let ((second, third), pullback) = f_grad_grad_value_and_grad_vjp(x);
    close(&[second, third, pullback((2.0, -3.0))], &[d[2], d[3], 2.0 * d[3] - 3.0 * d[4]], 1e-12);
    let ((value, first), pullback) = f_value_and_grad_jvp_vjp(x, 1.0).0;
    close(&[value, first], &d[..2], 1e-12);
    close(&[pullback.0, pullback.1], &d[1..3], 1e-12);
}

#[test]
fn chains() {
    let x = 0.7;
    let d = derivatives(x);
    let ((g, dg), (tg, tdg)) = f_grad_jvp_jvp(x, 2.0, 3.0, 5.0);
    close(&[g, dg, tg, tdg], &[d[1], 2.0 * d[2], 3.0 * d[2], 6.0 * d[3] + 5.0 * d[2]], 1e-12);
    let ((_, dg), pullback) = f_grad_jvp_vjp(x, 2.0);
    let (x_bar, d_bar) = pullback((7.0, 1.0));
    close(&[dg, x_bar, d_bar], &[2.0 * d[2], 7.0 * d[2] + 2.0 * d[3], d[2]], 1e-12);
    let ((gg, dgg), pullback) = f_grad_grad_jvp_vjp(x, 2.0);
    let (x_bar, d_bar) = pullback((7.0, 1.0));
    close(&[gg, dgg, x_bar, d_bar], &[d[2], 2.0 * d[3], 7.0 * d[3] + 2.0 * d[4], d[3]], 1e-12);
    let (_, ((_, _), (_, fourth))) = f_jvp_jvp_jvp_jvp(x, 1., 1., 0., 1., 0., 0., 0., 1., 0., 0., 0., 0., 0., 0., 0.);
    close(&[fourth.1], &[d[4]], 1e-12);
    let (_, pullback) = f_jvp_jvp_jvp_vjp(x, 1., 1., 0., 1., 0., 0., 0.);
    let all = pullback((((0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 1.0))));
    close(&[all.0, all.1, all.7], &[d[4], d[3], d[1]], 1e-12);
}

/// The value at every level is that of the function below, bit for bit.
#[differentiable(order = 3)]
fn several(a: &[f64], n: usize, b: [f64; 2]) -> f64 {
    let mut s = b[0];
    for _ in 0..n {
        s = a.iter().fold(s, |s, t| (s * t + b[1]).sin());
    }
    s
}

#[test]
fn values_are_those_of_the_functions_below() {
    let (a, n, b) = ([0.3, 1.7], 3, [0.5, -0.2]);
    let (da, db) = (vec![1.0, 0.5], [0.25, 2.0]);
    let grads = several_grad(&a, n, b);
    let (value, _) = several_grad_jvp(&a, n, b, da.clone(), (), db);
    assert_eq!(value, grads);
    assert_eq!(several_grad_vjp(&a, n, b).0, grads);
    assert_eq!(several_value_and_grad_vjp(&a, n, b).0, several_value_and_grad(&a, n, b));
    let (first, _) =
        several_grad_jvp_jvp(&a, n, b, da.clone(), (), db, da.clone(), "ignored", db, vec![0.0; 2], 'x', [0.0; 2]);
    assert_eq!(first, several_grad_jvp(&a, n, b, da.clone(), (), db));
    let (first, pullback) = several_value_and_grad_jvp_vjp(&a, n, b, da.clone(), 1_u8, db);
    assert_eq!(first, several_value_and_grad_jvp(&a, n, b, da, (), db));
    let zero = (0.0, (vec![0.0; 2], [0.0; 2]));
    let (a_bar, (), b_bar, ..) = pullback(((1.0, (vec![0.0; 2], [0.0; 2])), zero));
    close(&[&a_bar[..], &b_bar].concat(), &[&grads.0[..], &grads.1].concat(), 1e-14);
}

/// With one mode there are the companions of that mode; those of gradients need no `_jvp` by name.
mod one_mode {
    use super::*;

    #[differentiable(order = 3, reverse)]
    fn by_reverse(x: f64) -> f64 {
        x * x * x * x
    }

    /// The name is free.
    #[allow(dead_code)]
    fn by_reverse_jvp() {}

    #[differentiable(order = 2, forward)]
    fn by_forward(x: f64, y: f64) -> (f64, f64) {
        (x * x * y, y * y)
    }

    #[test]
    fn each_has_its_companions() {
        close(&[by_reverse_grad_vjp(2.0).1(1.0), by_reverse_grad_grad(2.0)], &[48.0, 48.0], 1e-14);
        close(&[by_reverse_grad_grad_grad(2.0), by_reverse_grad_grad_vjp(2.0).1(0.5)], &[48.0, 24.0], 1e-14);
        let d = by_forward_jvp_jvp(2.0, 3.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0).1.1;
        close(&[d.0, d.1], &[4.0, 0.0], 1e-14);
    }
}

type Real = f64;

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Pair {
    a: f64,
    b: f64,
}

type DPair = <Pair as Differentiable>::Tangent;

/// A result by an alias, a parameter by value that is no copy, a method.
impl Pair {
    #[differentiable(order = 2, hvp, hessian)]
    fn product(self, k: Real) -> Real {
        self.a * self.b * k * k
    }

    #[differentiable(order = 2)]
    fn scale(&mut self, k: f64) -> f64 {
        self.a *= k * k;
        self.a * self.b
    }
}

#[test]
fn methods_by_value_and_in_place() {
    let p = Pair { a: 2.0, b: 3.0 };
    let direction = DPair { a: 1.0, b: 0.0 };
    let (dp, dk) = Pair::product_hvp(p.clone(), 5.0, direction.clone(), 0.0);
    close(&[dp.a, dp.b, dk], &[0.0, 25.0, 30.0], 1e-14);
    let hessian = Pair::product_hessian(p.clone(), 5.0);
    let want = array![[0.0, 25.0, 30.0], [25.0, 0.0, 20.0], [30.0, 20.0, 12.0]];
    close(hessian.as_slice().unwrap(), want.as_slice().unwrap(), 1e-14);
    let (_, pullback) = Pair::product_grad_vjp(p.clone(), 5.0);
    assert_eq!(pullback((direction.clone(), 0.0)), pullback((direction.clone(), 0.0)));

    let mut q = p.clone();
    let ((y, (dy, dq)), pullback) = q.scale_jvp_vjp(5.0, direction, 0.0);
    assert_eq!((q.a, y), (50.0, 150.0));
    close(&[dy, dq.a, dq.b], &[75.0, 25.0, 0.0], 1e-14);
    let zero = p.zero_tangent();
    let (p_bar, k_bar, d_bar, dk_bar) = pullback(((0.0, (1.0, zero.clone())), zero));
    close(&[p_bar.a, p_bar.b, k_bar], &[0.0, 25.0, 30.0], 1e-14);
    close(&[d_bar.a, d_bar.b, dk_bar], &[75.0, 50.0, 60.0], 1e-14);
}
