//! Quotients by the same number, whose adjoints share its reciprocal: the gradient is the one that is written down beside
//! them, and a cotangent of zero stays zero beside a division by zero.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::differentiable;

#[differentiable]
fn shares(x: f64, y: f64, d: f64) -> f64 {
    let a = x / d;
    let b = y / d;
    a * a + 3.0 * b
}

#[test]
fn quotients_by_one_number() {
    for d in [0.3, -7.0, 1e-150, 1e150] {
        let (x, y) = (0.8 * d, 1.7);
        let (value, (x_bar, y_bar, d_bar)) = shares_value_and_grad(x, y, d);
        assert_eq!(value.to_bits(), shares(x, y, d).to_bits());
        let (a, b) = (x / d, y / d);
        for (got, want) in [(x_bar, 2.0 * a / d), (y_bar, 3.0 / d), (d_bar, -(2.0 * a * a + 3.0 * b) / d)] {
            assert!((got - want).abs() <= 1e-15 * want.abs(), "{got} instead of {want}");
        }
    }
}

#[test]
fn quotients_by_zero_that_nothing_depends_on() {
    let (x_bar, y_bar, d_bar) = shares_vjp(1.0, 2.0, 0.0).1(0.0);
    assert_eq!([x_bar, y_bar, d_bar], [0.0; 3]);
    let (x_bar, y_bar, _) = shares_vjp(1.0, 2.0, 0.0).1(1.0);
    assert_eq!([x_bar, y_bar], [f64::INFINITY; 2]);
    let (x_bar, y_bar, d_bar) = shares_vjp(1.0, 2.0, f64::INFINITY).1(1.0);
    assert_eq!([x_bar, y_bar, d_bar], [0.0; 3]);
}

/// A number so small that its reciprocal is not finite: the quotients by it are.
#[test]
fn quotients_by_tiny_numbers() {
    let (x, y, d) = (3e-310, 1e-310, 1e-310);
    let (x_bar, y_bar, _) = shares_vjp(x, y, d).1(1e-320);
    let (a, small) = (x / d, 1e-320);
    for (got, want) in [(x_bar, 2.0 * a * small / d), (y_bar, 3.0 * small / d)] {
        assert!((got - want).abs() <= 1e-3 * want, "{got} instead of {want}");
    }
}

#[differentiable]
fn weights(x: f32, y: f32) -> f32 {
    let (a, b) = (x.exp(), y.exp());
    let sum = a + b;
    let (p, q) = (a / sum, b / sum);
    2.0 * p + 3.0 * q + p * q
}

/// All of what is divided and what divides is tiny.
#[test]
fn shares_of_a_tiny_sum() {
    let (value, pullback) = weights_vjp(-89.0, -90.0);
    let (x_bar, y_bar) = pullback(0.01);
    assert_eq!(value.to_bits(), weights(-89.0, -90.0).to_bits());
    let p = 1.0 / (1.0 + (-1.0_f32).exp());
    // with q = 1 - p: the slope is -2 p, and that of p is p q
    let exact = -0.02 * p * p * (1.0 - p);
    for got in [x_bar, -y_bar] {
        assert!((got - exact).abs() <= 1e-6, "{got} instead of {exact}");
    }
}

/// A filter in one variable: what it divides by changes in each step, and what it divides comes from the step after.
#[differentiable(wrt(q, r))]
fn filter(q: f32, r: f32, seen: &[f32]) -> f32 {
    let (mut m, mut p, mut sum) = (0.0, 1.0, 0.0);
    for z in seen {
        p += q;
        let s = p + r;
        let v = z - m;
        sum += v * v / s;
        m += p / s * v;
        p -= p * p / s;
    }
    sum
}

#[test]
fn quotients_by_a_number_of_each_step() {
    let seen: Vec<f32> = (0..40).map(|k| (0.3 * k as f32).sin()).collect();
    let (value, (q_bar, r_bar)) = filter_value_and_grad(0.2, 0.5, &seen);
    assert_eq!(value.to_bits(), filter(0.2, 0.5, &seen).to_bits());
    let along = |q_dot: f32, r_dot: f32| filter_jvp(0.2, 0.5, &seen, q_dot, r_dot, ()).1;
    for (got, want) in [(q_bar, along(1.0, 0.0)), (r_bar, along(0.0, 1.0))] {
        assert!((got - want).abs() <= 1e-5 * want.abs().max(1.0), "{got} instead of {want}");
    }
}
