//! scalar-result-needed

use cotangent::differentiable;

#[differentiable(into)]
fn f(x: f64) -> [f64; 2] {
    [x, x * x]
}

fn main() {}
