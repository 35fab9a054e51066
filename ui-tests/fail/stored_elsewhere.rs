//! What the Rust compiler finds out.

use cotangent::{Differentiable, differentiable};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

#[derive(Default)]
struct Pool {
    values: RefCell<Vec<f64>>,
}

impl Pool {
    fn handle(&self) -> RefMut<'_, Vec<f64>> {
        self.values.borrow_mut()
    }
}

#[differentiable]
fn through_a_guard(x: &[f64]) -> f64 {
    let pool = Pool::default();
    for v in x {
        let mut values = pool.handle();
        values.push(v * v);
    }
    let total: f64 = pool.values.borrow().iter().sum();
    total
}

#[differentiable]
fn through_a_guard_without_a_derivative(x: f64) -> f64 {
    let pool = Pool { values: RefCell::new(vec![1.0]) };
    {
        let mut values = pool.handle();
        values[0] += 2.0;
    }
    let first = pool.values.borrow()[0];
    first * x
}

#[derive(Differentiable)]
struct Writer<'a> {
    to: &'a mut Vec<f64>,
}

impl Writer<'_> {
    fn add(&mut self, v: f64) {
        self.to.push(v);
    }
}

fn writer(to: &mut Vec<f64>) -> Writer<'_> {
    Writer { to }
}

#[differentiable]
fn through_a_borrow(x: &[f64]) -> f64 {
    let mut values = vec![];
    let mut w = writer(&mut values);
    for v in x {
        w.add(v * v);
    }
    values.iter().sum()
}

#[derive(Clone, Default)]
struct Shared {
    total: Rc<RefCell<f64>>,
}

impl Shared {
    fn add(&mut self, v: f64) {
        *self.total.borrow_mut() += v;
    }

    fn total(&self) -> f64 {
        *self.total.borrow()
    }
}

#[differentiable]
fn through_a_copy(x: &[f64]) -> f64 {
    let shared = Shared::default();
    let mut other = shared.clone();
    for v in x {
        other.add(v * v);
    }
    shared.total()
}

fn main() {}
