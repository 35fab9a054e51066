//! not-a-function

use cotangent::differentiable;

#[differentiable]
const RATE: f64 = 0.5;

fn main() {}
