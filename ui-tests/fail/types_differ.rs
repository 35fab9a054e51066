//! types-differ

use cotangent::differentiable;

#[differentiable]
fn scaled_slice(x: &[f64]) -> f64 {
    let y = x[..2] * 2.0;
    y[0]
}

#[differentiable]
fn number_of_a_condition(x: f64) -> f64 {
    let positive = x > 0.0;
    positive * x
}

#[differentiable]
fn number_as_condition(x: f64) -> f64 {
    if x { x * x } else { 0.0 }
}

#[differentiable]
fn length(x: f64) -> f64 {
    let v = vec![0.0; x];
    v[0] + x
}

fn main() {}
