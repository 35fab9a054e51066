//! Logistic regression with a penalty: one product of a matrix and a vector, and back.

use std::hint::black_box;

use cotangent::differentiable;
use ndarray::{Array1, Array2, Zip};

use crate::harness::{Kernel, Measured, Settings};
use crate::{anchors, flat, generated};

#[differentiable(wrt(w, b))]
fn loss(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let z = x.dot(w) + b;
    let losses = z.exp().ln_1p() - y * &z;
    losses.mean().unwrap() + 0.01 * (w * w).sum()
}

type Gradient = (Array1<f64>, f64);

fn by_hand(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> (f64, Gradient) {
    let n = x.nrows() as f64;
    let mut z_bar = x.dot(w);
    let (mut total, mut b_bar) = (0.0, 0.0);
    Zip::from(&mut z_bar).and(y).for_each(|z, &y| {
        let t = *z + b;
        let e = t.exp();
        total += e.ln_1p() - y * t;
        *z = (e / (1.0 + e) - y) / n;
        b_bar += *z;
    });
    let mut w_bar = x.t().dot(&z_bar);
    w_bar.scaled_add(0.02, w);
    (total / n + 0.01 * w.dot(w), (w_bar, b_bar))
}

pub(crate) fn measure(shape: (usize, usize), expected: [f64; 2], settings: Settings) -> Result<Measured, String> {
    let x: Array2<f64> = generated(shape, 1, 1.0);
    let y = Array1::from_iter((0..shape.0).map(|i| (i % 2) as f64));
    let w: Array1<f64> = generated(shape.1, 2, 0.1);
    let b = 0.3;
    Kernel {
        iterations: shape.0,
        oracle: anchors(expected, false),
        primal: || loss(black_box(&w), black_box(b), black_box(&x), black_box(&y)),
        ours: || loss_value_and_grad(black_box(&w), black_box(b), black_box(&x), black_box(&y)),
        by_hand: || by_hand(black_box(&w), black_box(b), black_box(&x), black_box(&y)),
        flatten: |(w, b): &Gradient| flat!(w, [*b]),
    }
    .measure(settings)
}
