//! hiding-item

use cotangent::differentiable;

fn other(x: f64) -> f64 {
    x
}

#[differentiable]
fn f(x: f64) -> f64 {
    let y = {
        fn other(x: f64) -> f64 {
            x + 1.0
        }
        other(1.0) * x
    };
    y * other(2.0)
}

fn main() {}
