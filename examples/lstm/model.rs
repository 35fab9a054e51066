//! The model: a long short-term memory (S. Hochreiter and J. Schmidhuber, 1997; with the forget gate of F. A. Gers et al.,
//! 2000), and a linear function of its last state.

use cotangent::{Differentiable, differentiable, ops};
use ndarray::{Array1, Array2, Array3, ArrayViewMut1, ArrayViewMutD, Axis, s};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::shared::checkpoint::Parameters;

#[derive(Clone, Differentiable)]
pub(crate) struct Lstm {
    /// From the input to the gates: that of the input, to forget, of the output, and the candidates.
    input: Array2<f64>,
    /// From the state to the same.
    state: Array2<f64>,
    bias: Array1<f64>,
    readout: Array1<f64>,
    offset: f64,
}

impl Lstm {
    pub(crate) fn random(inputs: usize, hidden: usize, random: &mut StdRng) -> Self {
        let mut weights = |rows: usize, columns: usize| {
            let bound = (3.0 / rows as f64).sqrt();
            Array2::from_shape_simple_fn((rows, columns), || random.random_range(-bound..bound))
        };
        let (input, state) = (weights(inputs, 4 * hidden), weights(hidden, 4 * hidden));
        let readout = weights(hidden, 1).remove_axis(Axis(1));
        let mut bias = Array1::zeros(4 * hidden);
        // to remember at first
        bias.slice_mut(s![hidden..2 * hidden]).fill(1.0);
        Self { input, state, bias, readout, offset: 0.0 }
    }
}

impl Parameters for Lstm {
    fn parameters(&mut self) -> Vec<(&'static str, ArrayViewMutD<'_, f64>)> {
        vec![
            ("input", self.input.view_mut().into_dyn()),
            ("state", self.state.view_mut().into_dyn()),
            ("bias", self.bias.view_mut().into_dyn()),
            ("readout", self.readout.view_mut().into_dyn()),
            ("offset", ArrayViewMut1::from(std::slice::from_mut(&mut self.offset)).into_dyn()),
        ]
    }
}

/// What the model says after the last step of each sequence of `xs`, of shape (step, sequence, input).
#[differentiable]
fn answers(model: &Lstm, xs: &Array3<f64>) -> Array1<f64> {
    let n = model.readout.len();
    let mut state: Array2<f64> = Array2::zeros((xs.dim().1, n));
    let mut cell: Array2<f64> = Array2::zeros((xs.dim().1, n));
    for x in xs.outer_iter() {
        let z: Array2<f64> = x.dot(&model.input) + state.dot(&model.state) + &model.bias;
        let gates: Array2<f64> = ops::sigmoid(z.slice(s![.., ..3 * n]));
        let candidates = z.slice(s![.., 3 * n..]).mapv(f64::tanh);
        cell = &cell * &gates.slice(s![.., n..2 * n]) + candidates * gates.slice(s![.., ..n]);
        state = cell.mapv(f64::tanh) * gates.slice(s![.., 2 * n..]);
    }
    state.dot(&model.readout) + model.offset
}

/// The mean of the squared errors.
#[differentiable(wrt(model))]
pub(crate) fn loss(model: &Lstm, xs: &Array3<f64>, ys: &Array1<f64>) -> f64 {
    let errors: Array1<f64> = answers(model, xs) - ys;
    errors.dot(&errors) / ys.len() as f64
}
