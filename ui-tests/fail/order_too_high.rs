//! order-too-high

use cotangent::differentiable;

#[differentiable(order = 20)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
