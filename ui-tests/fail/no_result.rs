//! no-result

use cotangent::differentiable;

#[differentiable]
fn f(x: f64) {
    println!("{x}");
}

fn main() {}
