//! reference-lost

use cotangent::differentiable;
use ndarray::Array2;

#[differentiable]
fn in_a_tuple(x: f64, m: &Array2<f64>) -> f64 {
    let mut b = m.clone();
    let mut pair = (b.row_mut(0), x);
    pair.0 *= pair.1;
    b.sum()
}

fn main() {}
