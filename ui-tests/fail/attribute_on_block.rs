//! attribute-on-block

use cotangent::differentiable;

#[differentiable(wrt(x))]
mod models {
    pub fn f(x: f64, y: f64) -> f64 {
        x * y
    }
}

fn main() {}
