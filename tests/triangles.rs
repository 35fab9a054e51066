//! Short loops around loops that run as often as the iteration says, which the adjoint has written out: the value is that of
//! the function bit for bit, and each entry of the gradient is the tangent along it, which comes from the loops as they are.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::differentiable;

const WEIGHTS: [[f64; 4]; 4] =
    [[0.5, 0.0, 0.0, 0.0], [0.2, -0.3, 0.0, 0.0], [0.7, 0.1, 0.4, 0.0], [0.3, 0.9, -0.2, 0.6]];

/// Compares value and gradient of a function of `x: [f64; 3]`, `c: f64` and a number of steps with its tangents.
macro_rules! agree {
    ($f:ident, $value_and_grad:ident, $vjp:ident, $jvp:ident) => {
        for steps in 0..4 {
            let (x, c) = ([0.3, -0.8, 0.5], 0.7);
            let (value, (x_bar, c_bar)) = $value_and_grad(x, c, steps);
            assert_eq!(value.to_bits(), $f(x, c, steps).to_bits());
            let mut want: Vec<f64> = (0..3)
                .map(|k| $jvp(x, c, steps, std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }), 0.0, ()).1)
                .collect();
            want.push($jvp(x, c, steps, [0.0; 3], 1.0, ()).1);
            let (value, pullback) = $vjp(x, c, steps);
            assert_eq!(value.to_bits(), $f(x, c, steps).to_bits());
            let (once, again) = (pullback(1.0), pullback(1.0));
            let all = [(x_bar, c_bar), (once.0, once.1), (again.0, again.1)];
            for (x_bar, c_bar) in all {
                for (got, want) in x_bar.iter().chain([&c_bar]).zip(&want) {
                    assert!((got - want).abs() <= 1e-13 * want.abs().max(1.0), "{steps}: {got} instead of {want}");
                }
            }
            for (k, want) in want.iter().enumerate() {
                let moved = |h: f64| match k {
                    3 => $f(x, c + h, steps),
                    k => $f(std::array::from_fn(|i| if i == k { x[i] + h } else { x[i] }), c, steps),
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((difference - want).abs() <= 1e-7 * want.abs().max(1.0), "{steps}: {want} but {difference}");
            }
        }
    };
}

#[differentiable]
fn stages(x: [f64; 3], c: f64, steps: usize) -> f64 {
    let mut y = x;
    for _ in 0..steps {
        let mut k = [[0.0; 3]; 5];
        k[0] = [y[1] * y[2], c * y[0], y[1].sin()];
        let mut z = y;
        for s in 0..4 {
            z = y;
            for j in 0..s + 1 {
                for i in 0..3 {
                    z[i] += 0.3 * WEIGHTS[s][j] * k[j][i];
                }
            }
            k[s + 1] = [z[1] * z[2], c * z[0], z[1].sin()];
        }
        y = z;
        y[0] += 0.1 * k[4][2];
    }
    y[0] * y[1] + y[2]
}

#[test]
fn stages_of_an_integrator() {
    agree!(stages, stages_value_and_grad, stages_vjp, stages_jvp);
}

/// Loops that run no time at first, and downwards, and from the iteration on.
#[differentiable]
fn substitution(x: [f64; 3], c: f64, steps: usize) -> f64 {
    let l = [[2.0, x[0], x[1]], [c, 3.0, x[2]], [x[1] * c, x[0], 2.5]];
    let mut y = x;
    for _ in 0..steps {
        let before = y;
        for i in 0..3 {
            for j in 0..i {
                y[i] -= l[i][j] * y[j];
            }
            y[i] /= l[i][i];
        }
        for i in (0..3).rev() {
            for j in (i + 1..3).rev() {
                y[i] = y[i] * 0.9 - l[j][i] * y[j];
            }
            for j in i..3 {
                y[i] += 0.1 * before[j] * c;
            }
        }
    }
    y[0] + y[1] * y[2]
}

#[test]
fn loops_that_begin_with_nothing() {
    agree!(substitution, substitution_value_and_grad, substitution_vjp, substitution_jvp);
}

/// What goes in is used afterwards, and nothing but the index goes into the lengths.
#[differentiable]
fn shared(x: [f64; 3], c: f64, steps: usize) -> f64 {
    let (mut total, mut kept) = (c, x);
    for n in 0..steps {
        let start = [c * kept[0], kept[1], kept[2] * kept[2]];
        let (mut a, mut b) = (start, start);
        for s in 1..4 {
            let mut sum = 0.0;
            for j in 0..s {
                sum += a[j] * b[2 - j] + start[j];
                b[j] = a[j] * 0.5 + c;
            }
            if sum > 0.2 {
                a[s - 1] = sum.cos();
            }
            for j in 0..n {
                total += b[s - 1] * 0.01 * j as f64;
            }
        }
        total += a[0] * b[1] + a[2] * start[0];
        kept = [a[1], start[2], b[0]];
    }
    total + kept[0]
}

#[test]
fn what_goes_in_is_used_afterwards() {
    agree!(shared, shared_value_and_grad, shared_vjp, shared_jvp);
}

/// Longer than what is written out.
#[differentiable]
fn long(x: [f64; 3], c: f64, steps: usize) -> f64 {
    let mut y = [c; 12];
    for _ in 0..steps {
        for i in 0..12 {
            for j in 0..i {
                y[i] += 0.02 * y[j] * x[j % 3];
            }
        }
    }
    y[11] * y[3] + x[0]
}

#[test]
fn long_loops() {
    agree!(long, long_value_and_grad, long_vjp, long_jvp);
}
