//! The model: a hidden layer of hyperbolic tangents, and a score for each class.

use cotangent::{Differentiable, differentiable, ops};
use ndarray::{Array1, Array2, ArrayViewMutD};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::shared::checkpoint::Parameters;

#[derive(Clone, Differentiable)]
pub(crate) struct Mlp {
    w1: Array2<f64>,
    b1: Array1<f64>,
    w2: Array2<f64>,
    b2: Array1<f64>,
}

impl Mlp {
    /// Weights of a size that keeps the variance from layer to layer (X. Glorot and Y. Bengio, *Understanding the difficulty
    /// of training deep feedforward neural networks*, 2010).
    pub(crate) fn random(inputs: usize, hidden: usize, classes: usize, random: &mut StdRng) -> Self {
        let mut weights = |rows: usize, columns: usize| {
            let bound = (6.0 / (rows + columns) as f64).sqrt();
            Array2::from_shape_simple_fn((rows, columns), || random.random_range(-bound..bound))
        };
        Self {
            w1: weights(inputs, hidden),
            b1: Array1::zeros(hidden),
            w2: weights(hidden, classes),
            b2: Array1::zeros(classes),
        }
    }
}

impl Parameters for Mlp {
    fn parameters(&mut self) -> Vec<(&'static str, ArrayViewMutD<'_, f64>)> {
        vec![
            ("w1", self.w1.view_mut().into_dyn()),
            ("b1", self.b1.view_mut().into_dyn()),
            ("w2", self.w2.view_mut().into_dyn()),
            ("b2", self.b2.view_mut().into_dyn()),
        ]
    }
}

/// The scores of the classes for each row of `x`.
#[differentiable]
fn scores(model: &Mlp, x: &Array2<f64>) -> Array2<f64> {
    let hidden = (x.dot(&model.w1) + &model.b1).mapv(f64::tanh);
    hidden.dot(&model.w2) + &model.b2
}

/// The cross entropy of the rows of `x` with their labels, plus a penalty on the weights.
#[differentiable(wrt(model))]
pub(crate) fn loss(model: &Mlp, x: &Array2<f64>, labels: &[usize], l2: f64) -> f64 {
    let penalty = (&model.w1 * &model.w1).sum() + (&model.w2 * &model.w2).sum();
    ops::cross_entropy(scores(model, x), labels) + 0.5 * l2 * penalty
}

/// The share of rows in which the label has the highest score.
pub(crate) fn accuracy(model: &Mlp, x: &Array2<f64>, labels: &[usize]) -> f64 {
    let scores = scores(model, x);
    let right = scores.rows().into_iter().zip(labels).filter(|(row, label)| {
        let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.is_some_and(|(class, _)| class == **label)
    });
    right.count() as f64 / labels.len() as f64
}
