//! unsupported-syntax

use cotangent::differentiable;

#[differentiable]
fn both(mut f: impl FnMut(f64), mut g: impl FnMut(f64)) {
    f(2.0);
    g(3.0);
}

#[differentiable]
fn lent(x: &mut f64, mut f: impl FnMut()) {
    f();
    *x *= 2.0;
}

#[differentiable]
fn by_two_closures(x: &[f64]) -> f64 {
    let mut v = (x[0], x[1]);
    both(|a| v.0 += a, |b| v.1 += b);
    v.0 + 10.0 * v.1
}

#[differentiable]
fn by_a_reference(x: &[f64]) -> f64 {
    let mut v = (x[0], x[1]);
    lent(&mut v.1, || v.0 += 5.0);
    v.0 + 10.0 * v.1
}

#[differentiable]
fn in_halves(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let (a, b) = v.split_at_mut(1);
    lent(&mut a[0], || b[0] += 5.0);
    v[0] + 10.0 * v[1]
}

struct Pair {
    a: f64,
    b: f64,
}

impl Pair {
    #[differentiable(wrt(t))]
    fn by_a_method(&mut self, t: f64) -> f64 {
        both(|u| self.a += u * t, |u| self.b += u);
        self.a
    }
}

fn main() {}
