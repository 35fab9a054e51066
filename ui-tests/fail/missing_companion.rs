//! What the Rust compiler finds out.

use cotangent::differentiable;

fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn f(x: f64) -> f64 {
    square(x)
}

fn main() {}
