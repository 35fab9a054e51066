//! Calls without a derivative that may keep what they are given.

use cotangent::{differentiable, stop_gradient};
use std::cell::{Cell, RefCell};
use std::sync::Mutex;

fn record(to: &Cell<f64>, v: f64) -> bool {
    to.set(v);
    true
}

fn store(to: &Mutex<f64>, v: f64) -> bool {
    to.lock().is_ok_and(|mut to| {
        *to = v;
        true
    })
}

#[derive(Default)]
struct Log {
    values: RefCell<Vec<f64>>,
}

impl Log {
    fn note(&self, v: f64) -> usize {
        self.values.borrow_mut().push(v);
        self.values.borrow().len()
    }

    fn last(&self) -> f64 {
        self.values.borrow().last().copied().unwrap_or_default()
    }
}

#[differentiable]
fn in_a_cell(x: f64) -> f64 {
    let cell = Cell::new(0.0);
    if record(&cell, x * x) { cell.get() * x } else { x }
}

#[differentiable]
fn behind_a_lock(x: f64) -> f64 {
    let lock = Mutex::new(0.0);
    let stored = store(&lock, x * x);
    if stored { lock.into_inner().unwrap_or(0.0) * x } else { x }
}

#[differentiable]
fn by_a_method(x: f64) -> f64 {
    let log = Log::default();
    let n = log.note(x * x);
    log.last() * x * n as f64
}

#[differentiable]
fn in_a_macro(x: f64) -> f64 {
    let log = Log::default();
    assert!(log.note(x * x) == 1);
    log.last() * x
}

#[differentiable]
fn in_a_comparison(x: &[f64]) -> f64 {
    let cell = Cell::new(0.0);
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| {
        record(&cell, *a);
        a.total_cmp(b)
    });
    sorted[0] * cell.get()
}

#[differentiable]
fn on_purpose(x: f64) -> f64 {
    let log = Log::default();
    if log.note(stop_gradient(x)) == 1 { x * x } else { x }
}

fn main() {}
