//! reference-lost, reference-set-anew, reference-stored, cfg-inside, static-state

use cotangent::differentiable;
use std::sync::atomic::{AtomicUsize, Ordering};

#[differentiable]
fn chosen(x: f64, c: bool) -> f64 {
    let mut u = [x, 1.0];
    let t = if c { &mut u[0] } else { &mut u[1] };
    *t *= 3.0;
    u[0] * u[1]
}

#[differentiable]
fn stored(x: f64) -> f64 {
    let (mut m, mut w) = ([x], [x]);
    let (p, q) = (&mut m, &mut w);
    p[0] *= x;
    q[0] *= x;
    m[0] * w[0]
}

#[differentiable]
fn items(x: f64) -> f64 {
    let (mut m, mut w) = (x, x);
    for p in [&mut m, &mut w] {
        *p *= x;
    }
    m * w
}

#[differentiable]
fn collected(x: f64) -> f64 {
    let mut m = [x, x];
    let ps: Vec<&mut f64> = m.iter_mut().collect();
    for p in ps {
        *p *= x;
    }
    m[0]
}

#[differentiable]
fn anew(x: f64) -> f64 {
    let (mut m, mut w) = ([x], [x]);
    let mut p = &mut m;
    p[0] *= x;
    p = &mut w;
    p[0] += x;
    m[0] * w[0]
}

#[differentiable]
fn guarded(x: f64) -> f64 {
    let m = [std::cell::RefCell::new(vec![1.0])];
    {
        let mut g = m[0].borrow_mut();
        g[0] = x;
    }
    let s: f64 = m[0].borrow().iter().sum();
    s
}

#[differentiable]
fn configured(x: f64) -> f64 {
    #[cfg(windows)]
    let x = x * 2.0;
    x
}

#[differentiable]
fn state(x: f64) -> f64 {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    x * CALLS.fetch_add(1, Ordering::Relaxed) as f64
}

fn main() {}
