//! A perceptron with one hidden layer and cross entropy: products of matrices, rows that are added to each row.

use std::hint::black_box;

use cotangent::{differentiable, ops};
use ndarray::{Array1, Array2, Axis, Zip};

use crate::harness::{Kernel, Measured, Settings};
use crate::{anchors, flat, generated};

macro_rules! perceptron {
    ($module:ident $float:ident $single:literal) => {
        pub(crate) mod $module {
            use super::*;

            #[differentiable(wrt(w1, b1, w2, b2))]
            fn loss(
                w1: &Array2<$float>,
                b1: &Array1<$float>,
                w2: &Array2<$float>,
                b2: &Array1<$float>,
                x: &Array2<$float>,
                labels: &[usize],
            ) -> $float {
                let hidden: Array2<$float> = ops::relu(x.dot(w1) + b1);
                ops::cross_entropy(hidden.dot(w2) + b2, labels)
            }

            type Gradient = (Array2<$float>, Array1<$float>, Array2<$float>, Array1<$float>);

            fn by_hand(
                w1: &Array2<$float>,
                b1: &Array1<$float>,
                w2: &Array2<$float>,
                b2: &Array1<$float>,
                x: &Array2<$float>,
                labels: &[usize],
            ) -> ($float, Gradient) {
                let mut hidden = x.dot(w1);
                for mut row in hidden.rows_mut() {
                    Zip::from(&mut row).and(b1).for_each(|h, b| *h = (*h + b).max(0.0));
                }
                let mut logits = hidden.dot(w2);
                logits += b2;
                let scale = 1.0 / labels.len() as $float;
                let mut total = 0.0;
                // the logits become their cotangents
                for (mut row, &label) in logits.rows_mut().into_iter().zip(labels) {
                    let top = row.fold($float::NEG_INFINITY, |top, &z| top.max(z));
                    let truth = row[label];
                    let mut sum = 0.0;
                    row.mapv_inplace(|z| {
                        let e = (z - top).exp();
                        sum += e;
                        e
                    });
                    total += top + sum.ln() - truth;
                    row *= scale / sum;
                    row[label] -= scale;
                }
                let w2_bar = hidden.t().dot(&logits);
                let b2_bar = logits.sum_axis(Axis(0));
                let mut hidden_bar = logits.dot(&w2.t());
                Zip::from(&mut hidden_bar).and(&hidden).for_each(|g, &h| {
                    if h <= 0.0 {
                        *g = 0.0;
                    }
                });
                let w1_bar = x.t().dot(&hidden_bar);
                let b1_bar = hidden_bar.sum_axis(Axis(0));
                (total * scale, (w1_bar, b1_bar, w2_bar, b2_bar))
            }

            pub(crate) fn measure(
                [batch, inputs, hidden, outputs]: [usize; 4],
                expected: [f64; 2],
                settings: Settings,
            ) -> Result<Measured, String> {
                let x: Array2<$float> = generated((batch, inputs), 1, 1.0);
                let w1: Array2<$float> = generated((inputs, hidden), 2, 0.05);
                let b1: Array1<$float> = generated(hidden, 3, 0.1);
                let w2: Array2<$float> = generated((hidden, outputs), 4, 0.05);
                let b2: Array1<$float> = generated(outputs, 5, 0.1);
                let labels: Vec<usize> = (0..batch).map(|i| i % outputs).collect();
                let given = (w1, b1, w2, b2, x, labels);
                Kernel {
                    iterations: batch,
                    oracle: anchors(expected, $single),
                    primal: || {
                        let (w1, b1, w2, b2, x, labels) = black_box(&given);
                        loss(w1, b1, w2, b2, x, labels).into()
                    },
                    ours: || {
                        let (w1, b1, w2, b2, x, labels) = black_box(&given);
                        let (value, gradient) = loss_value_and_grad(w1, b1, w2, b2, x, labels);
                        (value.into(), gradient)
                    },
                    by_hand: || {
                        let (w1, b1, w2, b2, x, labels) = black_box(&given);
                        let (value, gradient) = by_hand(w1, b1, w2, b2, x, labels);
                        (value.into(), gradient)
                    },
                    flatten: |(w1, b1, w2, b2): &Gradient| flat!(w1, b1, w2, b2),
                }
                .measure(settings)
            }
        }
    };
}

perceptron!(double f64 false);
perceptron!(single f32 true);
