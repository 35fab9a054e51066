//! unsupported-syntax

use cotangent::differentiable;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.select_nth_unstable_by(1, |a, b| a.total_cmp(b));
    v[1]
}

fn main() {}
