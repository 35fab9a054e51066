//! mutable-result

use cotangent::differentiable;

#[differentiable]
fn first(x: &mut [f64]) -> &mut f64 {
    &mut x[0]
}

fn main() {}
