//! variadic-function, unsafe-function

use cotangent::differentiable;

#[differentiable]
unsafe extern "C" fn f(x: f64, ...) -> f64 {
    x * x
}

fn main() {}
