//! Functions that return a reference to something of the caller's: a part of a parameter, one that is chosen, and references in
//! tuples and options.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, check_grad, differentiable};

#[derive(Clone, Debug, Differentiable)]
struct Item {
    w: f64,
    #[allow(unused)]
    i: usize,
}

#[derive(Clone, Differentiable)]
struct All {
    v: Vec<Item>,
    z: [f64; 2],
}

impl All {
    fn of(x: &[f64]) -> All {
        All { v: x.iter().enumerate().map(|(i, &w)| Item { w, i }).collect(), z: [x[0], x[1]] }
    }
}

#[differentiable]
impl All {
    fn at(&self, i: usize) -> &Item {
        &self.v[i]
    }
    fn best(&self) -> &Item {
        let mut best = &self.v[0];
        for item in &self.v {
            if item.w > best.w {
                best = item;
            }
        }
        best
    }
    fn half(&self, k: usize) -> &[Item] {
        if k == 0 { &self.v[..2] } else { &self.v[2..] }
    }
    fn number(&self, k: usize) -> &f64 {
        match k {
            0 => &self.z[1],
            _ => &self.z[0],
        }
    }
    fn numbers(&self) -> &[f64; 2] {
        &self.z
    }
    fn heaviest(&self) -> Option<&Item> {
        self.v.iter().max_by(|a, b| a.w.total_cmp(&b.w))
    }
}

#[differentiable]
fn pick<'a>(a: &'a Item, b: &'a Item, first: bool) -> &'a Item {
    if first { a } else { b }
}

#[differentiable]
fn two(a: &All) -> (&Item, &Item) {
    (&a.v[1], &a.v[2])
}

#[differentiable]
fn largest(v: &[f64]) -> &f64 {
    let mut largest = &v[0];
    for t in v {
        if t > largest {
            largest = t;
        }
    }
    largest
}

#[differentiable]
fn longer<'a>(a: &'a [f64], b: &'a [f64]) -> &'a [f64] {
    if a.len() >= b.len() { a } else { b }
}

/// A reference that refers to what it was before.
#[differentiable]
fn turned<'a>(v: &'a [f64], w: &'a [f64], n: usize) -> &'a [f64] {
    let mut s = v;
    for i in 0..n {
        s = if i % 2 == 0 { w } else { v };
    }
    s
}

#[differentiable]
fn nth<'a, const N: usize>(v: &'a [f64], w: &'a [f64]) -> &'a f64 {
    if v[0] > w[0] { &v[N] } else { &w[N] }
}

bodies! {
    parts(x): {
    let a = All { v: x.iter().enumerate().map(|(i, &w)| Item { w, i }).collect(), z: [x[0], x[1]] };
    a.at(1).w * a.at(2).w + a.numbers()[0]
    }
    chosen(x): {
    let a = All { v: x.iter().enumerate().map(|(i, &w)| Item { w, i }).collect(), z: [x[0], x[1]] };
    let p = pick(&a.v[0], &a.v[1], x[2] > 0.0);
    let b = a.best();
    p.w * b.w * b.w + a.half(1)[0].w * a.half(0)[1].w * a.number(0)
    }
    in_a_tuple(x): {
    let a = All { v: x.iter().enumerate().map(|(i, &w)| Item { w, i }).collect(), z: [x[0], x[1]] };
    let (p, q) = two(&a);
    p.w * q.w * x[0]
    }
    in_an_option(x): {
    let a = All { v: x.iter().enumerate().map(|(i, &w)| Item { w, i }).collect(), z: [x[0], x[1]] };
    a.heaviest().map_or(0.0, |item| item.w * item.w)
    }
    carried(x): {
    let w = [x[1], x[0], x[3], x[2]];
    turned(x, &w, 3)[0] * turned(x, &w, 2)[1] * nth::<2>(x, &w)
    }
    numbers(x): { largest(x) * longer(&x[..1], &x[1..])[1] }
}

/// The reference leads to what was handed over, and a reference to a number has a gradient.
#[test]
fn the_same_place() {
    let x = [0.4, 1.3, -0.7, 0.9];
    let (y, g) = largest_value_and_grad(&x);
    assert!(std::ptr::eq(y, &x[1]));
    check_grad(|x: &Vec<f64>| *largest(x), &x.to_vec(), &g).assert_within(1e-9);
    let a = All::of(&x);
    let (best, pullback) = a.best_vjp();
    assert!(std::ptr::eq(best, &a.v[1]));
    let mut seed = best.zero_tangent();
    seed.w = 2.0;
    assert_eq!(pullback(seed).v[1].w, 2.0);
    let (best, _) = a.best_jvp(a.zero_tangent());
    assert!(std::ptr::eq(best, &a.v[1]));
}
