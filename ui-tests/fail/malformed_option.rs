//! malformed-option

use cotangent::differentiable;

#[differentiable(wrt = x, reverse(now))]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
