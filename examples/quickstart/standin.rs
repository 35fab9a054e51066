//! The derivatives of the two losses by hand, until the attribute generates them.

use ndarray::{Array1, Array2};

use crate::model::{loss, loss_arrays};

fn sigmoid(z: f64) -> f64 {
    if z > 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

pub(crate) fn loss_grad(w: &[f64], b: f64, x: &[f64], y: &[f64], l2: f64) -> (Vec<f64>, f64) {
    loss_value_and_grad(w, b, x, y, l2).1
}

#[allow(clippy::needless_range_loop)]
pub(crate) fn loss_value_and_grad(w: &[f64], b: f64, x: &[f64], y: &[f64], l2: f64) -> (f64, (Vec<f64>, f64)) {
    let (n, d) = (y.len(), w.len());
    let mut total = 0.0;
    let (mut w_bar, mut b_bar) = (vec![0.0; d], 0.0);
    for i in 0..n {
        let mut z = b;
        for j in 0..d {
            z += w[j] * x[i * d + j];
        }
        let e = if z > 0.0 { (-z).exp() } else { z.exp() };
        total += e.ln_1p() + if z > 0.0 { z } else { 0.0 } - y[i] * z;
        let p = if z > 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
        let z_bar = (p - y[i]) / n as f64;
        for j in 0..d {
            w_bar[j] += z_bar * x[i * d + j];
        }
        b_bar += z_bar;
    }
    for j in 0..d {
        w_bar[j] += l2 * w[j];
    }
    let penalty: f64 = w.iter().map(|v| v * v).sum();
    debug_assert!((total / n as f64 + 0.5 * l2 * penalty - loss(w, b, x, y, l2)).abs() < 1e-12);
    (total / n as f64 + 0.5 * l2 * penalty, (w_bar, b_bar))
}

pub(crate) fn loss_arrays_grad(
    w: &Array1<f64>,
    b: f64,
    x: &Array2<f64>,
    y: &Array1<f64>,
    l2: f64,
) -> (Array1<f64>, f64) {
    let z_bar = ((x.dot(w) + b).mapv(sigmoid) - y) / y.len() as f64;
    debug_assert!(loss_arrays(w, b, x, y, l2).is_finite());
    (x.t().dot(&z_bar) + w * l2, z_bar.sum())
}
