//! opaque-result

use cotangent::differentiable;

#[differentiable]
fn f(x: f64) -> impl Iterator<Item = f64> {
    std::iter::repeat(x)
}

fn main() {}
