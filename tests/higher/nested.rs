//! Gradients and tangents taken inside of differentiable functions.

use cotangent::differentiable;
use ndarray::{Array1, Array2};

use super::close;

// perturbation confusion: d/dx (x · d/dy (x + y)) = 1, in all four combinations of modes

#[differentiable(order = 2)]
fn add(x: f64, y: f64) -> f64 {
    x + y
}

#[differentiable]
fn by_grad(x: f64) -> f64 {
    x * add_grad(x, 1.0).1
}

#[differentiable]
fn by_jvp(x: f64) -> f64 {
    x * add_jvp(x, 1.0, 0.0, 1.0).1
}

#[test]
fn perturbations_are_not_confused() {
    for x in [1.0, -2.5] {
        close(&[by_grad_grad(x), by_grad_jvp(x, 1.0).1, by_jvp_grad(x), by_jvp_jvp(x, 1.0).1], &[1.0; 4], 1e-15);
    }
}

/// The same with closures: the inner derivative is of a closure that captures the outer variable.
#[differentiable(order = 2)]
fn at(f: impl Fn(f64) -> f64, y: f64) -> f64 {
    f(y)
}

#[differentiable]
fn slope(x: f64) -> f64 {
    // d/dy (x · y²) at y = x is 2 x²
    at_of_square_jvp(x, x, 0.0, 1.0).1
}

#[differentiable(order = 2)]
fn at_of_square(x: f64, y: f64) -> f64 {
    at(|t| x * t * t, y)
}

#[test]
fn a_closure_of_the_outer_variable() {
    close(&[slope(3.0), slope_grad(3.0), slope_jvp(3.0, 1.0).1], &[18.0, 12.0, 12.0], 1e-14);
}

// three levels, each differentiated by the next one

#[differentiable(order = 3)]
fn innermost(x: f64, y: f64, z: f64) -> f64 {
    x * y * z * z
}

#[differentiable(order = 2)]
fn middle(x: f64, y: f64) -> f64 {
    // 2 x y² x
    y * innermost_grad(x, y, x).2
}

#[differentiable]
fn outermost(x: f64) -> f64 {
    // x · d/dy 2 x² y² at 2 is 8 x³
    x * middle_grad(x, 2.0).1
}

#[test]
fn three_levels() {
    let x = 0.7_f64;
    close(&[outermost(x)], &[8.0 * x.powi(3)], 1e-14);
    close(&[outermost_grad(x), outermost_jvp(x, 1.0).1], &[24.0 * x * x; 2], 1e-14);
}

// hypergradients: gradient descent on a quadratic, whose iterates have a closed form

#[differentiable(order = 2)]
fn quadratic(w: &[f64], a: f64) -> f64 {
    w.iter().enumerate().map(|(i, t)| 0.5 * a * (i + 1) as f64 * t * t).sum()
}

#[differentiable]
fn trained(rate: f64, a: f64, start: &[f64], steps: usize) -> f64 {
    let mut w = start.to_vec();
    for _ in 0..steps {
        let (g, _) = quadratic_grad(&w, a);
        for i in 0..w.len() {
            w[i] -= rate * g[i];
        }
    }
    quadratic(&w, 1.0)
}

#[test]
fn gradients_of_unrolled_training() {
    let (rate, a, start, steps) = (0.1_f64, 1.5_f64, [2.0, -1.0], 4);
    let (value, (by_rate, by_a, by_start)) = trained_value_and_grad(rate, a, &start, steps);
    assert_eq!(value.to_bits(), trained(rate, a, &start, steps).to_bits());
    let (mut want, mut want_start) = ([0.0; 3], [0.0; 2]);
    for (i, w) in start.iter().enumerate() {
        let k = (i + 1) as f64;
        let factor = 1.0 - rate * a * k;
        want[0] += 0.5 * k * w * w * factor.powi(8);
        want[1] += 0.5 * k * w * w * 8.0 * factor.powi(7) * (-a * k);
        want[2] += 0.5 * k * w * w * 8.0 * factor.powi(7) * (-rate * k);
        want_start[i] = k * w * factor.powi(8);
    }
    close(&[value, by_rate, by_a], &want, 1e-12);
    close(&by_start, &want_start, 1e-12);
    let (_, along) = trained_jvp(rate, a, &start, steps, 1.0, 0.0, vec![0.0; 2], ());
    close(&[along], &[by_rate], 1e-12);
}

// the value and the gradient in one, in a loop that ends when the value is small

#[differentiable(order = 2)]
fn bowl(x: f64, y: f64) -> f64 {
    (y - x * x) * (y - x * x)
}

#[differentiable]
fn descended(x: f64) -> f64 {
    let mut y = 2.0;
    loop {
        let (value, (_, slope)) = bowl_value_and_grad(x, y);
        if value < 0.1 {
            return y;
        }
        y -= 0.25 * slope;
    }
}

#[test]
fn a_value_with_its_gradient() {
    // each step halves the distance to x²
    let x = 0.8_f64;
    let mut y = 2.0_f64;
    let mut count = 0;
    while (y - x * x).powi(2) >= 0.1 {
        y -= 0.5 * (y - x * x);
        count += 1;
    }
    let (value, by_x) = descended_value_and_grad(x);
    close(&[value, by_x], &[y, 2.0 * x * (1.0 - 0.5_f64.powi(count))], 1e-13);
}

// implicit differentiation by hand: the derivative of a minimum from second derivatives at it

#[differentiable(order = 3)]
fn cost(x: f64, a: f64) -> f64 {
    x * x * x * x / 4.0 + a * x
}

#[differentiable]
fn newton(a: f64) -> f64 {
    let mut x = -1.0;
    for _ in 0..40 {
        let ((slope, _), (curvature, _)) = cost_grad_jvp(x, a, 1.0, 0.0);
        x -= slope / curvature;
    }
    x
}

#[test]
fn newtons_method_by_second_derivatives() {
    // x³ = -a
    let a = 2.0_f64;
    let x = -a.cbrt();
    close(&[newton(a), newton_grad(a), newton_jvp(a, 1.0).1], &[x, -1.0 / (3.0 * x * x), -1.0 / (3.0 * x * x)], 1e-12);
}

// a penalty on the gradient of a network, with arrays

#[differentiable(order = 2)]
fn critic(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    w.dot(x).mapv(f64::tanh).sum()
}

#[differentiable]
fn penalty(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let (_, gx) = critic_grad(w, x);
    gx.dot(&gx)
}

#[test]
fn a_penalty_on_a_gradient() {
    let w = Array2::from_shape_fn((3, 2), |(i, j)| 0.3 * i as f64 - 0.4 * j as f64 + 0.1);
    let x = Array1::from(vec![0.7, -0.2]);
    let (dw, dx) = penalty_grad(&w, &x);
    let h = 1e-5;
    for (k, g) in dw.indexed_iter() {
        let at = |h: f64| {
            let mut w = w.clone();
            w[k] += h;
            penalty(&w, &x)
        };
        close(&[*g], &[(at(h) - at(-h)) / (2.0 * h)], 1e-9);
    }
    let (_, along) = penalty_jvp(&w, &x, dw.clone(), dx.clone());
    close(&[along], &[(&dw * &dw).sum() + dx.dot(&dx)], 1e-12);
}
