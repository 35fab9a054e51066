//! shapes-unknown, shapes-rank

use cotangent::differentiable;

#[differentiable(shapes(w: [h], y: [h, 2]))]
fn f(w: &[[f64; 2]], x: f64) -> f64 {
    w[0][0] * x
}

fn main() {}
