//! What the Rust compiler finds out.

use cotangent::differentiable;

#[differentiable]
fn f(x: f64) -> Vec<f64> {
    vec![x, x * x]
}

type Pair = (f64, f64);

#[differentiable]
fn g(x: f64) -> Pair {
    (x, x * x)
}

fn user() {
    let _ = f_grad(1.0);
    let _ = g_grad(1.0);
}

fn main() {
    user();
}
