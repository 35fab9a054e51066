//! Regularised logistic regression on 1000 rows of 50 features: inner products, and one exponential per row.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const ROWS: usize = 1000;
const FEATURES: usize = 50;

#[cotangent::differentiable(wrt(w, bias))]
pub(crate) fn logistic(w: &[f64], bias: f64, x: &[f64], y: &[f64]) -> f64 {
    let rows = y.len();
    let features = w.len();
    let mut loss = 0.0;
    for i in 0..rows {
        let mut z = bias;
        for j in 0..features {
            z += x[i * features + j] * w[j];
        }
        loss += (1.0 + z.exp()).ln() - y[i] * z;
    }
    let mut squares = 0.0;
    for j in 0..features {
        squares += w[j] * w[j];
    }
    loss / rows as f64 + 0.005 * squares
}

pub(crate) type Gradient = (Vec<f64>, f64);

struct Inputs {
    w: Vec<f64>,
    bias: f64,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn inputs() -> Inputs {
    let feature = |index: usize| {
        let (i, j) = ((index / FEATURES) as f64, (index % FEATURES) as f64);
        (0.01 * i * (j + 1.0) + 0.3 * j).sin()
    };
    Inputs {
        w: (0..FEATURES).map(|j| 0.1 * (0.7 * j as f64).cos()).collect(),
        bias: 0.05,
        x: (0..ROWS * FEATURES).map(feature).collect(),
        y: (0..ROWS).map(|i| if i % 3 == 0 { 1.0 } else { 0.0 }).collect(),
    }
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = inputs();
    Kernel {
        iterations: ROWS,
        oracle: Oracle::Numbers(Expected {
            value: 7.198731594511474e-1,
            sum: 2.261149844502087e-1,
            norm: 1.958179255186797e-1,
            last: None,
            agreement: 1e-12,
        }),
        primal: || {
            let Inputs { w, bias, x, y } = black_box(&given);
            logistic(w, *bias, x, y)
        },
        ours: || {
            let Inputs { w, bias, x, y } = black_box(&given);
            logistic_value_and_grad(w, *bias, x, y)
        },
        by_hand: || {
            let Inputs { w, bias, x, y } = black_box(&given);
            by_hand::value_and_grad(w, *bias, x, y)
        },
        flatten: |(w, bias): &Gradient| [w.as_slice(), &[*bias]].concat(),
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! One sweep over the rows: a row's cotangent follows from its exponential. Four rows at a time then enter the
    //! gradient, while they are still in the cache.

    use super::Gradient;

    pub(crate) fn value_and_grad(w: &[f64], bias: f64, x: &[f64], y: &[f64]) -> (f64, Gradient) {
        let features = w.len();
        let scale = 1.0 / y.len() as f64;
        let mut loss = 0.0;
        let mut w_bar: Vec<f64> = w.iter().map(|w| 0.01 * w).collect();
        let mut bias_bar = 0.0;
        let mut cotangent = |row: &[f64], y: f64| {
            let z = row.iter().zip(w).fold(bias, |z, (x, w)| z + x * w);
            let exp = z.exp();
            loss += (1.0 + exp).ln() - y * z;
            let z_bar = (exp / (1.0 + exp) - y) * scale;
            bias_bar += z_bar;
            z_bar
        };
        let (fours, rest) = y.as_chunks::<4>();
        let (x_of_fours, x_of_rest) = x.split_at(4 * fours.len() * features);
        for (rows, y) in x_of_fours.chunks_exact(4 * features).zip(fours) {
            let (row0, rows) = rows.split_at(features);
            let (row1, rows) = rows.split_at(features);
            let (row2, row3) = rows.split_at(features);
            let z_bar = [cotangent(row0, y[0]), cotangent(row1, y[1]), cotangent(row2, y[2]), cotangent(row3, y[3])];
            for ((((w_bar, x0), x1), x2), x3) in w_bar.iter_mut().zip(row0).zip(row1).zip(row2).zip(row3) {
                *w_bar += (z_bar[0] * x0 + z_bar[1] * x1) + (z_bar[2] * x2 + z_bar[3] * x3);
            }
        }
        for (row, &y) in x_of_rest.chunks_exact(features).zip(rest) {
            let z_bar = cotangent(row, y);
            for (w_bar, x) in w_bar.iter_mut().zip(row) {
                *w_bar += z_bar * x;
            }
        }
        let squares = w.iter().fold(0.0, |sum, w| sum + w * w);
        (loss / y.len() as f64 + 0.005 * squares, (w_bar, bias_bar))
    }
}
