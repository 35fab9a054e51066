//! unsafe-block

use cotangent::differentiable;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    unsafe { *x.get_unchecked(0) }
}

fn main() {}
