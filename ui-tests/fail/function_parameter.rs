//! function-parameter

use cotangent::differentiable;

#[differentiable]
fn f(g: &[fn(f64) -> f64], x: f64) -> f64 {
    g[0](x) * x
}

fn main() {}
