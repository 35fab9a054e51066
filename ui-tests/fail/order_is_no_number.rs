//! order-is-no-number

use cotangent::differentiable;

#[differentiable(order = "second")]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
