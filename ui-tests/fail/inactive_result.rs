//! inactive-result

use cotangent::differentiable;

#[differentiable]
fn f(x: f64) -> (usize, bool) {
    (x as usize, x > 0.0)
}

fn main() {}
