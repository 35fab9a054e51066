//! static-mut

use cotangent::differentiable;

static mut LAST: f64 = 0.0;

#[differentiable]
fn f(x: f64) -> f64 {
    unsafe {
        LAST = x;
    }
    x * x
}

fn main() {}
