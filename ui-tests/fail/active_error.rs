//! active-error

use cotangent::differentiable;

#[differentiable]
fn f(x: f64) -> Result<f64, String> {
    if x < 0.0 {
        return Err(format!("negative: {x}"));
    }
    Ok(x.sqrt())
}

#[differentiable]
fn g(x: f64) -> Result<f64, f64> {
    if x < 0.0 {
        return Err(x);
    }
    f(x).map_err(|_| 2.0 * x)
}

#[differentiable]
fn h(x: f64) -> f64 {
    let pair = (x, f(x).map_err(|e| e.len()));
    let r = f(x).map(|y| y * x);
    match r {
        Ok(y) => y * pair.0,
        Err(_) => x,
    }
}

fn main() {}
