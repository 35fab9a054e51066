//! Jacobians: tall and wide, of every type of parameter and result, in one mode and in both.

use cotangent::{Differentiable, differentiable};
use ndarray::{Array1, Array2, array};

use super::close;

#[track_caller]
fn is(matrix: &Array2<f64>, want: &[&[f64]]) {
    assert_eq!(matrix.nrows(), want.len());
    for (row, want) in matrix.outer_iter().zip(want) {
        close(&row.to_vec(), want, 1e-13);
    }
}

#[differentiable(jacobian)]
fn polar(r: f64, t: f64) -> (f64, f64) {
    (r * t.cos(), r * t.sin())
}

#[differentiable(jacobian, reverse)]
fn by_rows(x: &[f64; 3], n: usize) -> [f64; 2] {
    [x[0] * x[1] * n as f64, x[2] * x[2]]
}

#[differentiable(jacobian, forward)]
fn by_columns(x: &[f64], k: f64) -> Vec<f64> {
    x.iter().map(|t| t * k).collect()
}

/// In a method, through a struct, with final values of a `&mut` parameter after the result.
#[derive(Differentiable, Clone)]
struct Oscillator {
    k: f64,
    #[inactive]
    mass: f64,
}

impl Oscillator {
    #[differentiable(jacobian)]
    fn step(&self, state: &mut [f64], dt: f64) -> f64 {
        state[1] -= dt * self.k / self.mass * state[0];
        state[0] += dt * state[1];
        self.k * state[0] * state[0]
    }

    #[differentiable(jacobian, wrt(self))]
    fn scaled(self, by: Vec<f64>) -> Vec<f64> {
        by.iter().map(|t| t * self.k).collect()
    }
}

#[differentiable(jacobian)]
fn generic<T: num_traits::Float>(x: Vec<T>, k: T) -> Vec<T> {
    x.iter().map(|&t| t * t * k).collect()
}

#[differentiable(jacobian)]
fn maybe(x: Option<f64>, s: (f64, usize)) -> (f64, usize) {
    (x.unwrap_or(1.0) * s.0, s.1)
}

#[test]
fn several_parameters_and_results() {
    let (r, t) = (2.0_f64, 0.6_f64);
    is(&polar_jacobian(r, t), &[&[t.cos(), -r * t.sin()], &[t.sin(), r * t.cos()]]);
    is(&maybe_jacobian(Some(3.0), (2.0, 7)), &[&[2.0, 3.0]]);
    is(&maybe_jacobian(None, (2.0, 7)), &[&[1.0]]);
}

#[test]
fn in_one_mode() {
    is(&by_rows_jacobian(&[2.0, 3.0, 5.0], 4), &[&[12.0, 8.0, 0.0], &[0.0, 0.0, 10.0]]);
    is(&by_columns_jacobian(&[2.0, 3.0], 5.0), &[&[5.0, 0.0, 2.0], &[0.0, 5.0, 3.0]]);
    assert_eq!(by_columns_jacobian(&[], 5.0).dim(), (0, 1));
}

#[test]
fn of_methods_and_in_place() {
    let (spring, dt) = (Oscillator { k: 2.0, mass: 4.0 }, 0.5);
    let mut state = [1.0, -1.0];
    // v' = v - dt k/m x, x' = x + dt v', and the energy k x'²
    let (dv, v) = (-dt / 4.0, -1.0 - dt * 0.5);
    let x = 1.0 + dt * v;
    let by = |k: f64, x0: f64, v0: f64, t: f64| {
        let (dv, dx) = (v0 - t * 0.5 + k * dv - dt * 0.5 * x0, x0);
        let dx = dx + t * v + dt * dv;
        [2.0 * 2.0 * x * dx + k * x * x, dx, dv]
    };
    let columns = [by(1.0, 0.0, 0.0, 0.0), by(0.0, 1.0, 0.0, 0.0), by(0.0, 0.0, 1.0, 0.0), by(0.0, 0.0, 0.0, 1.0)];
    let rows: Vec<Vec<f64>> = (0..3).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
    let matrix = spring.step_jacobian(&mut state, dt);
    is(&matrix, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
    close(&state, &[x, v], 1e-15);
    is(&spring.scaled_jacobian(vec![3.0, 4.0]), &[&[3.0], &[4.0]]);
}

#[test]
fn of_other_floats() {
    is(&generic_jacobian(vec![2.0, 3.0], 5.0), &[&[20.0, 0.0, 4.0], &[0.0, 30.0, 9.0]]);
    assert_eq!(generic_jacobian(vec![2.0_f32], 5.0), array![[20.0_f32, 4.0]]);
}

/// More parameters than a tuple may have that is a tangent.
#[differentiable(jacobian)]
#[allow(clippy::too_many_arguments)]
fn many(a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64, i: f64, j: f64, k: f64, l: f64, m: f64) -> f64 {
    a * b + c * d + e * f + g * h + i * j + k * l + m
}

#[test]
fn of_many_parameters() {
    let matrix = many_jacobian(1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13.);
    is(&matrix, &[&[2., 1., 4., 3., 6., 5., 8., 7., 10., 9., 12., 11., 1.]]);
}

#[differentiable(jacobian)]
fn affine(w: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    w.dot(x)
}

#[test]
fn of_arrays() {
    let matrix = affine_jacobian(&array![[1.0, 2.0], [3.0, 4.0]], &array![5.0, 6.0]);
    is(&matrix, &[&[5.0, 6.0, 0.0, 0.0, 1.0, 2.0], &[0.0, 0.0, 5.0, 6.0, 3.0, 4.0]]);
}
