//! conditional-parameter

use cotangent::differentiable;

#[differentiable]
fn f(x: f64, #[cfg(unix)] y: f64) -> f64 {
    x * x
}

fn main() {}
