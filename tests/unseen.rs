//! Values in which nothing differentiable occurs and whose types only Rust knows: integers that methods give, references
//! to floats, structs with operators.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};
use std::collections::HashMap;
use std::ops::{Add, Mul, Neg, Sub};

#[derive(Clone, Differentiable)]
struct Table {
    cells: Vec<f64>,
    width: usize,
}

#[differentiable]
impl Table {
    fn new(x: &[f64], a: f64) -> Table {
        Table { cells: x.iter().map(|x| x * a).collect(), width: 2 }
    }

    fn len(&self) -> usize {
        self.cells.len()
    }

    fn row_count(&self) -> u32 {
        (self.cells.len() / self.width) as u32
    }

    fn mean(&self) -> f64 {
        self.cells.iter().sum::<f64>() / self.len() as f64
    }
}

fn positive(x: &[f64]) -> usize {
    x.iter().filter(|x| **x > 0.0).count()
}

/// Integers that calls give, where casts show that they are.
#[differentiable]
fn counts(x: &[f64], a: f64) -> f64 {
    let t = Table::new(x, a);
    let n = t.row_count();
    let harmonic: f64 = (1..=n).map(|k| x[0] / k as f64).sum();
    t.mean() * a + x[1] / (t.row_count() - 1) as f64 + harmonic * (n * (n + 1) / 2) as f64 + a / positive(x) as f64
}

/// What a call gives is a float here, as its type says.
fn single(x: f32) -> f32 {
    x * x
}

fn single_vjp(x: f32) -> (f32, impl Fn(f32) -> f32) {
    (x * x, move |y| 2.0 * x * y)
}

fn single_jvp(x: f32, dx: f32) -> (f32, f32) {
    (x * x, 2.0 * x * dx)
}

#[differentiable]
fn rounded(x: f64) -> f64 {
    single(x as f32) as f64
}

#[test]
fn a_float_of_another_kind() {
    assert_eq!((rounded_grad(3.0), rounded_jvp(3.0, 1.0).1), (6.0, 6.0));
}

/// References to floats, kept out of branches and loops.
#[differentiable]
fn references(x: &[f64], a: f64) -> f64 {
    let t = HashMap::from([(0, 2.5), (2, 0.3)]);
    let mut s = 0.0;
    for i in 0..4 {
        let Some(w) = t.get(&i) else { continue };
        s += w * x[i] * x[i];
        if i > 0 {
            let (k, v) = t.iter().find(|(k, _)| **k == i).unwrap();
            let first = t.values().fold(&0.0, |m, v| if v > m { v } else { m });
            s += v * x[*k] * a - first * x[1];
        }
    }
    s
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V {
    x: f64,
    y: f64,
}

#[differentiable]
impl V {
    fn new(x: f64, y: f64) -> V {
        V { x, y }
    }

    fn square(self) -> f64 {
        self.x * self.x + self.y * self.y
    }
}

#[differentiable]
impl Add for V {
    type Output = V;

    fn add(self, v: V) -> V {
        V { x: self.x + v.x, y: self.y + v.y }
    }
}

#[differentiable]
impl Sub for V {
    type Output = V;

    fn sub(self, v: V) -> V {
        V { x: self.x - v.x, y: self.y - v.y }
    }
}

#[differentiable]
impl Neg for V {
    type Output = V;

    fn neg(self) -> V {
        V { x: -self.x, y: -self.y }
    }
}

#[differentiable]
impl Mul<f64> for V {
    type Output = V;

    fn mul(self, k: f64) -> V {
        V { x: self.x * k, y: self.y * k }
    }
}

#[differentiable]
impl Mul<V> for f64 {
    type Output = V;

    fn mul(self, v: V) -> V {
        V { x: self * v.x, y: self * v.y }
    }
}

#[differentiable(wrt(t))]
fn on_a_line(from: V, along: V, t: f64) -> f64 {
    (from + along * t - t * along * 0.3).square()
}

#[differentiable(wrt(t))]
fn by_reference(from: &V, along: &V, t: f64) -> f64 {
    let back = -*from;
    (*from + *along * t + back * (0.5 * t)).square()
}

/// Structs that do not depend on anything, beside numbers that do.
#[differentiable]
fn constants(x: &[f64], a: f64) -> f64 {
    let (up, right) = (V::new(0.0, 1.0), V { x: 1.0, y: 0.0 });
    let p = x[0] * V::new(1.0, 2.0) + up * (x[1] * a) - a * right;
    p.square() + on_a_line(V::new(1.0, 0.3), right + up, x[2]) + by_reference(&V::new(0.5, 2.0), &up, a * x[3])
}

/// Names by the type in brackets, and several names that get their values later.
#[differentiable]
fn named(x: &[f64], a: f64) -> f64 {
    let (mut lo, hi): (f64, f64);
    let (p, q);
    if a > 1.0 {
        lo = x[0];
        hi = x[1] * a;
        (p, q) = (hi, <V>::new(lo, a));
    } else {
        hi = a;
        lo = hi;
        p = 1.0;
        q = V::new(1.0, a);
    }
    lo += <f64>::sin(hi) * <f64>::powi(a, 2);
    lo * p + <V>::square(q)
}

checked! {
    counts counts_value_and_grad counts_jvp;
    references references_value_and_grad references_jvp;
    constants constants_value_and_grad constants_jvp;
    named named_value_and_grad named_jvp;
}
