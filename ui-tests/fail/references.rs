//! reference-lost, reference-set-anew, reference-stored, cfg-inside, static-state

use cotangent::differentiable;
use std::sync::atomic::{AtomicUsize, Ordering};

#[differentiable]
fn optional(x: f64, c: bool) -> f64 {
    let mut u = [x, 1.0];
    let t = if c { Some(&mut u[0]) } else { None };
    if let Some(t) = t {
        *t *= 3.0;
    }
    u[0] * u[1]
}

#[differentiable]
fn stored(x: f64) -> f64 {
    let (mut m, mut w) = ([x], [x]);
    let both = (&mut m, &mut w);
    both.0[0] *= x;
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
fn exchanged(x: f64) -> f64 {
    let (mut v, mut w) = ([x, 2.0], [3.0]);
    let (mut p, mut q) = (&mut v[0], &mut w[0]);
    std::mem::swap(&mut p, &mut q);
    *p *= x;
    v[0] * w[0]
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
