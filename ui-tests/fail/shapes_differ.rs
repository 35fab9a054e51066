//! shapes-differ

use cotangent::differentiable;
use ndarray::{Array1, Array2, Axis};

#[differentiable(shapes(w: [h, d], x: [h]))]
fn product(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    w.dot(x).sum()
}

#[differentiable(shapes(w: [n, 3], x: [4]))]
fn broadcast(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let scaled = w * 2.0;
    (&scaled - x).sum()
}

#[differentiable(shapes(w: [h, d], x: [d]))]
fn rows(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for row in w.axis_iter(Axis(1)) {
        total += row.dot(x);
    }
    total
}

#[differentiable(shapes(w: [h, d], x: [d]))]
fn written(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let mut out = w.clone();
    out.column_mut(0).assign(x);
    out.sum()
}

#[differentiable(shapes(w: [h, d], x: [d]))]
fn carried(w: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let mut state = x.clone();
    for _ in 0..3 {
        state = w.dot(&state);
    }
    state.sum()
}

fn main() {}
