//! unsupported-syntax

use cotangent::differentiable;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.dedup_by(|a, b| a == b);
    v[1]
}

fn main() {}
