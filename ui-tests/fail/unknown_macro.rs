//! unknown-macro

use cotangent::differentiable;

macro_rules! twice {
    ($x:expr) => {
        2.0 * $x
    };
}

#[differentiable]
fn f(x: f64) -> f64 {
    twice!(x)
}

fn main() {}
