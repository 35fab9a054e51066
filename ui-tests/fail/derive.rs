//! derive-on-union, inactive-misplaced

use cotangent::Differentiable;

#[derive(Differentiable)]
union Bits {
    x: f64,
    n: u64,
}

#[derive(Differentiable)]
#[inactive]
struct Model {
    weight: f64,
}

fn main() {}
