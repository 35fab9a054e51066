//! shapes-unknown, shapes-rank, shapes-repeated, shapes-no-array

use cotangent::differentiable;

#[differentiable(shapes(w: [h], y: [h, 2]))]
fn f(w: &[[f64; 2]], x: f64) -> f64 {
    w[0][0] * x
}

#[differentiable(shapes(w: [h], w: [2]))]
fn g(w: &[f64]) -> f64 {
    w[0]
}

#[differentiable(shapes(x: [h], p: [h]))]
fn h(w: &[f64], x: f64, p: (f64, f64)) -> f64 {
    w[0] * x * p.0
}

fn main() {}
