//! wrt-unknown, wrt-inactive, wrt-repeated

use cotangent::differentiable;

#[differentiable(wrt(weights, n, bias, bias))]
fn f(weight: f64, bias: f64, n: usize) -> f64 {
    weight * bias * n as f64
}

fn main() {}
