//! attribute-on-type

use cotangent::differentiable;

#[differentiable]
struct Model {
    weight: f64,
}

fn main() {}
