//! async-block

use cotangent::differentiable;

#[differentiable]
fn f(x: f64) -> f64 {
    let later = async { x * x };
    drop(later);
    x
}

fn main() {}
