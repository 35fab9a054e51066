//! contradictory-options

use cotangent::differentiable;

#[differentiable(reverse, forward)]
fn f(x: f64) -> f64 {
    x * x
}

#[differentiable(forward, into)]
fn g(x: f64) -> f64 {
    x * x
}

fn main() {}
