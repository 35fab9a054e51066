//! error-with-floats

use cotangent::differentiable;

#[differentiable]
fn f(r: Result<f64, f64>) -> f64 {
    r.unwrap_or_else(|e| 2.0 * e)
}

fn main() {}
