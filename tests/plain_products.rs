//! Gradients of loops, whose products are taken as they are: an exact zero wins over what is infinite or NaN nevertheless.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::{check_grad, differentiable};
use std::sync::atomic::{AtomicUsize, Ordering};

#[differentiable]
fn roots(x: &[f64], w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += w[i] * x[i].sqrt();
    }
    sum
}

#[test]
fn zero_wins_over_an_infinite_slope() {
    let (value, (x_bar, w_bar)) = roots_value_and_grad(&[0.0, 4.0, 9.0], &[0.0, 2.0, 3.0]);
    assert_eq!((value, x_bar, w_bar), (13.0, vec![0.0, 0.5, 0.5], vec![0.0, 2.0, 3.0]));
    assert_eq!(roots_grad(&[0.0, 4.0], &[1.0, 2.0]).0, [f64::INFINITY, 0.5]);
}

#[differentiable]
fn carried(x: f64, y: f64, w: [f64; 3], n: usize) -> f64 {
    let (mut s, mut t) = (x, y);
    for k in 0..n {
        let z = s * w[k % 3] + k as f64;
        t += z / y;
        s = z.sin() + s;
    }
    s + 0.0 * t
}

#[test]
fn what_is_carried_through_a_pole() {
    // the cotangent of all that is divided by y is zero, and y is zero
    let (_, (x, y, w)) = carried_value_and_grad(0.4, 0.0, [0.3, -0.2, 0.9], 5);
    let f = |(x, w): &(f64, [f64; 3])| {
        let (mut s, n) = (*x, 5);
        for k in 0..n {
            s += (s * w[k % 3] + k as f64).sin();
        }
        s
    };
    check_grad(f, &(0.4, [0.3, -0.2, 0.9]), &(x, w)).assert_within(1e-8);
    assert_eq!(y, 0.0);
    let g = |(x, y, w): &(f64, f64, [f64; 3])| carried(*x, *y, *w, 4);
    let at = (0.4, 0.7, [0.3, -0.2, 0.9]);
    check_grad(g, &at, &carried_grad(at.0, at.1, at.2, 4)).assert_within(1e-8);
}

#[differentiable]
fn pairwise(p: &[[f32; 2]]) -> f32 {
    let mut energy = 0.0;
    for i in 0..p.len() {
        for j in 0..p.len() {
            let (dx, dy) = (p[i][0] - p[j][0], p[i][1] - p[j][1]);
            energy += (dx * dx + dy * dy).sqrt();
        }
    }
    energy
}

#[test]
fn a_norm_of_nothing() {
    // d/dx of the square is zero where the slope of the root is infinite: no number, as it was
    let grad = pairwise_grad(&[[0.5, 1.0], [3.5, 5.0]]);
    let (_, pullback) = pairwise_vjp(&[[0.5, 1.0], [3.5, 5.0]]);
    let bits = |grad: &[[f32; 2]]| grad.iter().flatten().map(|x| x.is_nan()).collect::<Vec<_>>();
    assert_eq!(bits(&grad), bits(&pullback(1.0)));
}

#[differentiable]
fn chosen(x: &[f64], a: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            sum += a * x[i].ln();
        } else {
            sum -= x[i].max(a) / (a * a);
        }
    }
    sum
}

#[test]
fn an_entry_that_is_none_stays_beside_those_that_are() {
    for a in [0.7, f64::NAN, f64::INFINITY] {
        let x = [0.3, -1.2, 2.0, -0.1];
        let (value, (x_bar, a_bar)) = chosen_value_and_grad(&x, a);
        let (again, pullback) = chosen_vjp(&x, a);
        let (want_x, want_a) = pullback(1.0);
        assert_eq!(value.to_bits(), again.to_bits());
        let bits = |v: f64| if v.is_nan() { None } else { Some(v) };
        for (got, want) in x_bar.iter().chain([&a_bar]).zip(want_x.iter().chain([&want_a])) {
            match (bits(*got), bits(*want)) {
                (Some(got), Some(want)) if got.is_finite() => assert!((got - want).abs() <= 1e-14 * want.abs()),
                (got, want) => assert_eq!(got, want),
            }
        }
    }
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

#[differentiable]
fn counted(x: &[f64]) -> f64 {
    CALLS.fetch_add(1, Ordering::SeqCst);
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += 0.0 * x[i].sqrt();
    }
    sum
}

#[test]
fn effects_are_had_once() {
    assert_eq!(counted_value_and_grad(&[0.0, 1.0]), (0.0, vec![0.0, 0.0]));
    assert_eq!(CALLS.load(Ordering::SeqCst), 1);
}
