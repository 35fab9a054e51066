//! One head of attention over 128 places of width 64.

use std::hint::black_box;

use cotangent::{differentiable, ops};
use ndarray::{Array2, Axis, Zip};

use crate::harness::{Kernel, Measured, Settings};
use crate::{anchors, flat, generated};

const PLACES: usize = 128;
const WIDTH: usize = 64;

#[differentiable(wrt(wq, wk, wv))]
fn attention(wq: &Array2<f32>, wk: &Array2<f32>, wv: &Array2<f32>, x: &Array2<f32>) -> f32 {
    let (q, k, v) = (x.dot(wq), x.dot(wk), x.dot(wv));
    let scores = q.dot(&k.t()) / (x.ncols() as f32).sqrt();
    let weights: Array2<f32> = ops::softmax(scores, Axis(1));
    let out = weights.dot(&v);
    (&out * &out).sum()
}

type Gradient = (Array2<f32>, Array2<f32>, Array2<f32>);

fn by_hand(wq: &Array2<f32>, wk: &Array2<f32>, wv: &Array2<f32>, x: &Array2<f32>) -> (f32, Gradient) {
    let (q, k, v) = (x.dot(wq), x.dot(wk), x.dot(wv));
    let scale = 1.0 / (x.ncols() as f32).sqrt();
    let mut weights = q.dot(&k.t());
    for mut row in weights.rows_mut() {
        let top = row.fold(f32::NEG_INFINITY, |top, &z| top.max(z));
        let mut sum = 0.0;
        row.mapv_inplace(|z| {
            let e = (scale * (z - top)).exp();
            sum += e;
            e
        });
        row /= sum;
    }
    let mut out = weights.dot(&v);
    let value = out.iter().map(|x| x * x).sum();
    out *= 2.0;
    let v_bar = weights.t().dot(&out);
    let mut scores_bar = out.dot(&v.t());
    for (mut g, weights) in scores_bar.rows_mut().into_iter().zip(weights.rows()) {
        let along = g.dot(&weights);
        Zip::from(&mut g).and(&weights).for_each(|g, w| *g = scale * w * (*g - along));
    }
    let q_bar = scores_bar.dot(&k);
    let k_bar = scores_bar.t().dot(&q);
    (value, (x.t().dot(&q_bar), x.t().dot(&k_bar), x.t().dot(&v_bar)))
}

pub(crate) fn measure(expected: [f64; 2], settings: Settings) -> Result<Measured, String> {
    let x: Array2<f32> = generated((PLACES, WIDTH), 1, 1.0);
    let [wq, wk, wv] = [2, 3, 4].map(|k| generated::<f32, _, _>((WIDTH, WIDTH), k, 0.1));
    let given = (wq, wk, wv, x);
    Kernel {
        iterations: PLACES,
        oracle: anchors(expected, true),
        primal: || {
            let (wq, wk, wv, x) = black_box(&given);
            attention(wq, wk, wv, x).into()
        },
        ours: || {
            let (wq, wk, wv, x) = black_box(&given);
            let (value, gradient) = attention_value_and_grad(wq, wk, wv, x);
            (value.into(), gradient)
        },
        by_hand: || {
            let (wq, wk, wv, x) = black_box(&given);
            let (value, gradient) = by_hand(wq, wk, wv, x);
            (value.into(), gradient)
        },
        flatten: |(wq, wk, wv): &Gradient| flat!(wq, wk, wv),
    }
    .measure(settings)
}
