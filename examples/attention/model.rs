//! The model: a head of self-attention (A. Vaswani et al., *Attention is all you need*, arXiv:1706.03762), and a linear
//! function of what it gives for the last row.

use cotangent::{Differentiable, differentiable, ops};
use ndarray::{Array1, Array2, Array3, ArrayView2, ArrayViewMutD, Axis};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::shared::checkpoint::Parameters;

#[derive(Clone, Differentiable)]
pub(crate) struct Attention {
    queries: Array2<f64>,
    keys: Array2<f64>,
    values: Array2<f64>,
    readout: Array1<f64>,
}

impl Attention {
    pub(crate) fn random(inputs: usize, width: usize, random: &mut StdRng) -> Self {
        let mut weights = |rows: usize, columns: usize| {
            let bound = (3.0 / rows as f64).sqrt();
            Array2::from_shape_simple_fn((rows, columns), || random.random_range(-bound..bound))
        };
        let (queries, keys, values) = (weights(inputs, width), weights(inputs, width), weights(inputs, width));
        Self { queries, keys, values, readout: weights(width, 1).remove_axis(Axis(1)) }
    }
}

impl Parameters for Attention {
    fn parameters(&mut self) -> Vec<(&'static str, ArrayViewMutD<'_, f64>)> {
        vec![
            ("queries", self.queries.view_mut().into_dyn()),
            ("keys", self.keys.view_mut().into_dyn()),
            ("values", self.values.view_mut().into_dyn()),
            ("readout", self.readout.view_mut().into_dyn()),
        ]
    }
}

/// The layer: each row becomes a mean of the values of all rows but itself.
#[differentiable]
fn attend(model: &Attention, x: ArrayView2<f64>) -> Array2<f64> {
    let (q, k): (Array2<f64>, Array2<f64>) = (x.dot(&model.queries), x.dot(&model.keys));
    let itself =
        Array2::from_diag(&Array1::from_elem(x.nrows(), f64::INFINITY)).mapv(|t| if t > 0.0 { -t } else { 0.0 });
    let scores: Array2<f64> = q.dot(&k.t()) / (q.ncols() as f64).sqrt() + itself;
    let weights: Array2<f64> = ops::softmax(scores, Axis(1));
    weights.dot(&x.dot(&model.values))
}

/// The mean of the squared errors of what the model says in the last row of each list.
#[differentiable(wrt(model))]
pub(crate) fn loss(model: &Attention, xs: &Array3<f64>, ys: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..ys.len() {
        let y: Array2<f64> = attend(model, xs.index_axis(Axis(0), i));
        let error = y.row(y.nrows() - 1).dot(&model.readout) - ys[i];
        total += error * error;
    }
    total / ys.len() as f64
}
