//! What the Rust compiler finds out.

use cotangent::differentiable;

struct Model {
    weight: f64,
}

#[differentiable]
fn f(model: &Model, x: f64) -> f64 {
    model.weight * x
}

fn main() {}
