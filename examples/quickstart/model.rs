//! Logistic regression, written twice: with loops over slices, and with whole arrays.
//!
//! Both functions are plain Rust and can be called as they stand. The attribute adds `loss_grad`,
//! `loss_value_and_grad` and the like beside them. `wrt(w, b)` asks for the derivatives in the weights and the offset
//! only, not in the data.

use ndarray::{Array1, Array2};

/// The mean logistic loss of the weights `w` and the offset `b` on the rows of `x` with labels `y` (0 or 1), plus the
/// penalty `l2 / 2 · |w|²`.
///
/// A row with the score `z` costs `ln(1 + exp z) - y z`. The branch keeps `exp` from overflowing.
#[allow(clippy::needless_range_loop, reason = "the indices are what the example is about")]
#[cotangent::differentiable(wrt(w, b))]
pub(crate) fn loss(w: &[f64], b: f64, x: &[f64], y: &[f64], l2: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..y.len() {
        let mut z = b;
        for j in 0..w.len() {
            z += w[j] * x[i * w.len() + j];
        }
        let softplus = if z > 0.0 { z + (-z).exp().ln_1p() } else { z.exp().ln_1p() };
        total += softplus - y[i] * z;
    }
    let mut penalty = 0.0;
    for j in 0..w.len() {
        penalty += w[j] * w[j];
    }
    total / y.len() as f64 + 0.5 * l2 * penalty
}

/// The same loss in whole-array code: `ln(1 + exp z)` is `max(z, 0) + ln(1 + exp(-|z|))`.
#[cotangent::differentiable(wrt(w, b))]
pub(crate) fn loss_arrays(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>, l2: f64) -> f64 {
    let z = x.dot(w) + b;
    let hinge = z.mapv(|t| t.max(0.0));
    let tail = (z.mapv(|t| -t.abs()).exp() + 1.0).ln();
    let rows = y.len() as f64;
    (hinge + tail - y * &z).sum() / rows + 0.5 * l2 * (w * w).sum()
}

/// The share of rows on the right side of the decision boundary.
pub(crate) fn accuracy(w: &[f64], b: f64, x: &[f64], y: &[f64]) -> f64 {
    let right = x.chunks_exact(w.len()).zip(y).filter(|(row, label)| {
        let z = b + row.iter().zip(w).map(|(value, weight)| value * weight).sum::<f64>();
        (z > 0.0) == (**label > 0.5)
    });
    right.count() as f64 / y.len() as f64
}
