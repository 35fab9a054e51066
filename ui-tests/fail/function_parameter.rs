//! function-parameter

use cotangent::differentiable;

#[differentiable]
fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 {
    g(x) * x
}

fn main() {}
