//! unsupported-option

use cotangent::differentiable;

#[differentiable(cuda)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
