//! A perceptron 784-128-10 on a batch of 32 in plain loops: large inner products and the cross entropy of their outputs.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const BATCH: usize = 32;
const INPUTS: usize = 784;
const HIDDEN: usize = 128;
const OUTPUTS: usize = 10;

#[cotangent::differentiable(wrt(w1, b1, w2, b2))]
pub(crate) fn perceptron(w1: &[f64], b1: &[f64], w2: &[f64], b2: &[f64], x: &[f64], batch: usize) -> f64 {
    let mut loss = 0.0;
    for k in 0..batch {
        let mut hidden = vec![0.0; HIDDEN];
        for h in 0..HIDDEN {
            let mut sum = b1[h];
            for i in 0..INPUTS {
                sum += w1[h * INPUTS + i] * x[k * INPUTS + i];
            }
            hidden[h] = sum.tanh();
        }
        let mut out = [0.0; OUTPUTS];
        for o in 0..OUTPUTS {
            let mut sum = b2[o];
            for h in 0..HIDDEN {
                sum += w2[o * HIDDEN + h] * hidden[h];
            }
            out[o] = sum;
        }
        let mut top = out[0];
        for o in 1..OUTPUTS {
            top = top.max(out[o]);
        }
        let mut total = 0.0;
        for o in 0..OUTPUTS {
            total += (out[o] - top).exp();
        }
        loss += top + total.ln() - out[k % OUTPUTS];
    }
    loss / batch as f64
}

struct Inputs {
    w1: Vec<f64>,
    b1: Vec<f64>,
    w2: Vec<f64>,
    b2: Vec<f64>,
    x: Vec<f64>,
    batch: usize,
}

fn inputs() -> Inputs {
    let matrix = |rows: usize, columns: usize, entry: fn(f64, f64) -> f64| {
        (0..rows * columns).map(|index| entry((index / columns) as f64, (index % columns) as f64)).collect()
    };
    Inputs {
        w1: matrix(HIDDEN, INPUTS, |h, i| 0.05 * (0.3 * h + 0.017 * i * (h + 1.0)).sin()),
        b1: matrix(HIDDEN, 1, |h, _| 0.01 * (0.5 * h).cos()),
        w2: matrix(OUTPUTS, HIDDEN, |o, h| 0.2 * (0.9 * o + 0.11 * h * (o + 1.0)).cos()),
        b2: matrix(OUTPUTS, 1, |o, _| 0.02 * o.sin()),
        x: matrix(BATCH, INPUTS, |k, i| 0.5 + 0.5 * (0.05 * i * (k + 1.0) + k).sin()),
        batch: BATCH,
    }
}

pub(crate) type Gradient = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>);

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = inputs();
    Kernel {
        iterations: BATCH,
        oracle: Oracle::Numbers(Expected {
            value: 2.388277418126981,
            sum: -2.590041533648004e1,
            norm: 3.163420720507778,
            last: None,
            agreement: 1e-12,
        }),
        primal: || {
            let Inputs { w1, b1, w2, b2, x, batch } = black_box(&given);
            perceptron(w1, b1, w2, b2, x, *batch)
        },
        ours: || {
            let Inputs { w1, b1, w2, b2, x, batch } = black_box(&given);
            perceptron_value_and_grad(w1, b1, w2, b2, x, *batch)
        },
        by_hand: || {
            let Inputs { w1, b1, w2, b2, x, batch } = black_box(&given);
            by_hand::value_and_grad(w1, b1, w2, b2, x, *batch)
        },
        flatten: |(w1, b1, w2, b2): &Gradient| [w1.as_slice(), b1, w2, b2].concat(),
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! Each sample runs forwards and back to its hidden layer. Only the cotangents of that layer wait until all samples
    //! are through, as the gradient of a large matrix is cheapest row by row, with several samples at a time.

    use super::{Gradient, HIDDEN, INPUTS, OUTPUTS};

    pub(crate) fn value_and_grad(
        w1: &[f64],
        b1: &[f64],
        w2: &[f64],
        b2: &[f64],
        x: &[f64],
        batch: usize,
    ) -> (f64, Gradient) {
        let scale = 1.0 / batch as f64;
        let mut loss = 0.0;
        let (mut w2_bar, mut b2_bar) = (vec![0.0; w2.len()], vec![0.0; OUTPUTS]);
        let mut sums_bar = vec![[0.0; HIDDEN]; batch];
        for (k, (x, sums_bar)) in x.chunks_exact(INPUTS).zip(&mut sums_bar).enumerate() {
            let mut hidden = [0.0; HIDDEN];
            for ((hidden, row), b1) in hidden.iter_mut().zip(w1.chunks_exact(INPUTS)).zip(b1) {
                *hidden = product(*b1, row, x).tanh();
            }
            let mut out = [0.0; OUTPUTS];
            for ((out, row), b2) in out.iter_mut().zip(w2.chunks_exact(HIDDEN)).zip(b2) {
                *out = product(*b2, row, &hidden);
            }
            let top = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let exps = out.map(|out| (out - top).exp());
            let total = exps.iter().fold(0.0, |sum, exp| sum + exp);
            loss += top + total.ln() - out[k % OUTPUTS];

            for (o, exp) in exps.iter().enumerate() {
                let truth = if o == k % OUTPUTS { 1.0 } else { 0.0 };
                let out_bar = scale * (exp / total - truth);
                let cells = o * HIDDEN..(o + 1) * HIDDEN;
                b2_bar[o] += out_bar;
                add_scaled(&mut w2_bar[cells.clone()], out_bar, &hidden);
                add_scaled(sums_bar, out_bar, &w2[cells]);
            }
            for (sum_bar, hidden) in sums_bar.iter_mut().zip(&hidden) {
                *sum_bar *= 1.0 - hidden * hidden;
            }
        }

        let (mut w1_bar, mut b1_bar) = (vec![0.0; w1.len()], vec![0.0; HIDDEN]);
        for (h, (row_bar, b1_bar)) in w1_bar.chunks_exact_mut(INPUTS).zip(&mut b1_bar).enumerate() {
            *b1_bar = sums_bar.iter().map(|sums_bar| sums_bar[h]).sum();
            let (fours, rest) = sums_bar.as_chunks::<4>();
            let (x_of_fours, x_of_rest) = x.split_at(fours.len() * 4 * INPUTS);
            for ([a, b, c, d], x) in fours.iter().zip(x_of_fours.chunks_exact(4 * INPUTS)) {
                let (x0, others) = x.split_at(INPUTS);
                let (x1, others) = others.split_at(INPUTS);
                let (x2, x3) = others.split_at(INPUTS);
                for ((((out, x0), x1), x2), x3) in row_bar.iter_mut().zip(x0).zip(x1).zip(x2).zip(x3) {
                    *out += (a[h] * x0 + b[h] * x1) + (c[h] * x2 + d[h] * x3);
                }
            }
            for (sums_bar, x) in rest.iter().zip(x_of_rest.chunks_exact(INPUTS)) {
                add_scaled(row_bar, sums_bar[h], x);
            }
        }
        (loss / batch as f64, (w1_bar, b1_bar, w2_bar, b2_bar))
    }

    fn product(start: f64, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).fold(start, |sum, (a, b)| sum + a * b)
    }

    fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to += factor * from;
        }
    }
}
