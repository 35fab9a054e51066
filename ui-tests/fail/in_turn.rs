//! unsupported-syntax

use cotangent::differentiable;
use std::cell::Cell;

#[differentiable]
fn advanced_by_hand(x: &[f64]) -> f64 {
    let mut n = 0.0;
    let mut products = x.iter().map(|v| {
        n += 1.0;
        v * n
    });
    products.next().unwrap_or(0.0) * n
}

#[differentiable]
fn side_by_side(x: &[f64]) -> f64 {
    let s = Cell::new(0.0);
    let sums = x.iter().map(|v| {
        s.set(s.get() + v);
        s.get()
    });
    x.iter().map(|v| v * s.get()).zip(sums).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn found_in_a_chain(x: &[f64]) -> f64 {
    let mut s = 1.0;
    let found = x
        .iter()
        .map(|v| {
            s *= 0.5;
            v * s
        })
        .chain([x[0]])
        .find(|v| *v > 0.3);
    found.unwrap_or(0.0) * s
}

fn main() {}
