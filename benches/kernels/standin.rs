//! Stands in for companions that are not generated yet: each calls the adjoint written by hand and leaves a mark in the
//! table. A generated companion hides its stand-in, which comes in by a glob.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{heat, lennard_jones, logistic, lorenz, perceptron, rosenbrock, transcendental};

static USED: AtomicBool = AtomicBool::new(false);

fn mark() {
    USED.store(true, Ordering::Relaxed);
}

/// Says so, if a stand-in was called since the last time.
pub(crate) fn report() {
    if USED.swap(false, Ordering::Relaxed) {
        println!("  (ours is a stand-in: the adjoint written by hand)");
    }
}

pub(crate) fn rosenbrock_value_and_grad(x: &[f64]) -> (f64, Vec<f64>) {
    mark();
    rosenbrock::by_hand::value_and_grad(x)
}

pub(crate) fn transcendental_value_and_grad(x: &[f64]) -> (f64, Vec<f64>) {
    mark();
    transcendental::by_hand::value_and_grad(x)
}

pub(crate) fn lennard_jones_value_and_grad(p: &[f64]) -> (f64, Vec<f64>) {
    mark();
    lennard_jones::by_hand::value_and_grad(p)
}

pub(crate) fn lorenz_value_and_grad(
    start: [f64; 3],
    sigma: f64,
    rho: f64,
    beta: f64,
    steps: usize,
) -> (f64, lorenz::Gradient) {
    mark();
    lorenz::by_hand::value_and_grad(start, sigma, rho, beta, steps)
}

pub(crate) fn logistic_value_and_grad(w: &[f64], bias: f64, x: &[f64], y: &[f64]) -> (f64, logistic::Gradient) {
    mark();
    logistic::by_hand::value_and_grad(w, bias, x, y)
}

pub(crate) fn heat_copied_back_value_and_grad(u0: &[f64], alpha: f64, n: usize, steps: usize) -> (f64, heat::Gradient) {
    mark();
    heat::by_hand::value_and_grad(u0, alpha, n, steps)
}

pub(crate) fn heat_swapped_value_and_grad(u0: &[f64], alpha: f64, n: usize, steps: usize) -> (f64, heat::Gradient) {
    mark();
    heat::by_hand::value_and_grad(u0, alpha, n, steps)
}

pub(crate) fn perceptron_value_and_grad(
    w1: &[f64],
    b1: &[f64],
    w2: &[f64],
    b2: &[f64],
    x: &[f64],
    batch: usize,
) -> (f64, perceptron::Gradient) {
    mark();
    perceptron::by_hand::value_and_grad(w1, b1, w2, b2, x, batch)
}
