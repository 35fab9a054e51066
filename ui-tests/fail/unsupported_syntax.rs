//! unsupported-syntax

use cotangent::differentiable;

#[differentiable]
fn f(x: &[[f64; 2]]) -> f64 {
    x.concat()[0]
}

fn main() {}
