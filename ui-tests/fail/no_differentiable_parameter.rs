//! no-differentiable-parameter

use cotangent::differentiable;

#[differentiable]
fn f(n: usize, name: &str) -> f64 {
    (n + name.len()) as f64
}

fn main() {}
