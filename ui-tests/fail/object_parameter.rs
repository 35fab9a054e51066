//! object-parameter

use cotangent::differentiable;

#[differentiable]
trait Part {
    fn count(&self) -> usize;
    fn value(&self, x: f64) -> f64;
}

#[differentiable]
fn twice(part: &dyn Part, x: f64) -> f64 {
    part.count() as f64 * x
}

fn main() {}
