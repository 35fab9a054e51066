//! matrix-of-function

use cotangent::differentiable;

#[differentiable(jacobian)]
fn at(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

#[differentiable(hvp, hessian)]
fn twice(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

fn main() {}
