//! unknown-option

use cotangent::differentiable;

#[differentiable(reverze)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
