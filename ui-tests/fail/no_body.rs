//! no-body

use cotangent::differentiable;

trait Model {
    #[differentiable]
    fn f(x: f64) -> f64;
}

fn main() {}
