//! A recurrent network over 50 steps: a state that is carried, and parameters whose cotangents are summed over the steps.

use std::hint::black_box;

use cotangent::differentiable;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Array3, Axis, Zip};

use crate::harness::{Kernel, Measured, Settings};
use crate::{anchors, flat, generated};

const STEPS: usize = 50;
const BATCH: usize = 32;
const UNITS: usize = 64;

#[differentiable(wrt(w, u, c))]
fn recurrent(w: &Array2<f32>, u: &Array2<f32>, c: &Array1<f32>, xs: &Array3<f32>) -> f32 {
    let mut s = Array2::<f32>::zeros((xs.shape()[1], xs.shape()[2]));
    for x in xs.outer_iter() {
        s = (s.dot(w) + x.dot(u) + c).tanh();
    }
    (&s * &s).sum()
}

type Gradient = (Array2<f32>, Array2<f32>, Array1<f32>);

fn by_hand(w: &Array2<f32>, u: &Array2<f32>, c: &Array1<f32>, xs: &Array3<f32>) -> (f32, Gradient) {
    let (steps, batch, units) = xs.dim();
    let mut states = Array3::<f32>::zeros((steps + 1, batch, units));
    for (t, x) in xs.outer_iter().enumerate() {
        let (before, mut after) = states.view_mut().split_at(Axis(0), t + 1);
        let (before, mut after) = (before.index_axis(Axis(0), t), after.index_axis_mut(Axis(0), 0));
        general_mat_mul(1.0, &before, w, 0.0, &mut after);
        general_mat_mul(1.0, &x, u, 1.0, &mut after);
        for mut row in after.rows_mut() {
            Zip::from(&mut row).and(c).for_each(|s, c| *s = (*s + c).tanh());
        }
    }
    let last = states.index_axis(Axis(0), steps);
    let value = last.iter().map(|s| s * s).sum();
    let mut s_bar = last.mapv(|s| 2.0 * s);
    let mut inner_bar = Array2::<f32>::zeros((batch, units));
    let (mut w_bar, mut u_bar) = (Array2::zeros(w.raw_dim()), Array2::zeros(u.raw_dim()));
    let mut c_bar = Array1::zeros(units);
    for t in (0..steps).rev() {
        let (before, after) = (states.index_axis(Axis(0), t), states.index_axis(Axis(0), t + 1));
        Zip::from(&mut inner_bar).and(&s_bar).and(&after).for_each(|z, g, s| *z = g * (1.0 - s * s));
        general_mat_mul(1.0, &before.t(), &inner_bar, 1.0, &mut w_bar);
        general_mat_mul(1.0, &xs.index_axis(Axis(0), t).t(), &inner_bar, 1.0, &mut u_bar);
        for row in inner_bar.rows() {
            c_bar += &row;
        }
        general_mat_mul(1.0, &inner_bar, &w.t(), 0.0, &mut s_bar);
    }
    (value, (w_bar, u_bar, c_bar))
}

pub(crate) fn measure(expected: [f64; 2], settings: Settings) -> Result<Measured, String> {
    let xs: Array3<f32> = generated((STEPS, BATCH, UNITS), 1, 1.0);
    let [w, u] = [2, 3].map(|k| generated::<f32, _, _>((UNITS, UNITS), k, 0.05));
    let c: Array1<f32> = generated(UNITS, 4, 0.05);
    let given = (w, u, c, xs);
    Kernel {
        iterations: STEPS,
        oracle: anchors(expected, true),
        primal: || {
            let (w, u, c, xs) = black_box(&given);
            recurrent(w, u, c, xs).into()
        },
        ours: || {
            let (w, u, c, xs) = black_box(&given);
            let (value, gradient) = recurrent_value_and_grad(w, u, c, xs);
            (value.into(), gradient)
        },
        by_hand: || {
            let (w, u, c, xs) = black_box(&given);
            let (value, gradient) = by_hand(w, u, c, xs);
            (value.into(), gradient)
        },
        flatten: |(w, u, c): &Gradient| flat!(w, u, c),
    }
    .measure(settings)
}
