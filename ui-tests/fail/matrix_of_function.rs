//! matrix-of-function

use cotangent::differentiable;

#[differentiable(jacobian)]
fn at(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

fn main() {}
