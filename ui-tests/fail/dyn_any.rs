//! dyn-any

use cotangent::differentiable;

use std::any::Any;

#[differentiable]
fn f(x: f64) -> f64 {
    let any: Box<dyn Any> = Box::new(x);
    *any.downcast::<f64>().unwrap()
}

fn main() {}
