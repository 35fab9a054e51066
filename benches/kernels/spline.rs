//! A natural cubic spline through 1000 points: a tridiagonal solve, and the squares of its distances from 5000 numbers.

use std::hint::black_box;

use crate::harness::{Kernel, Measured, Oracle, Settings, direction};

const KNOTS: usize = 1000;
const PLACES: usize = 5000;

#[cotangent::differentiable(wrt(y), reverse)]
pub(crate) fn misfit(x: &[f64], y: &[f64], places: &[(usize, f64)], targets: &[f64]) -> f64 {
    let n = x.len();
    // the second derivatives, from neighbour to neighbour
    let mut pivots = vec![1.0; n];
    let mut curvature = vec![0.0; n];
    for i in 1..n - 1 {
        let (before, after) = (x[i] - x[i - 1], x[i + 1] - x[i]);
        let right = 6.0 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
        if i == 1 {
            pivots[i] = 2.0 * (before + after);
            curvature[i] = right;
        } else {
            let factor = before / pivots[i - 1];
            pivots[i] = 2.0 * (before + after) - factor * before;
            curvature[i] = right - factor * curvature[i - 1];
        }
    }
    for i in (1..n - 1).rev() {
        curvature[i] = (curvature[i] - (x[i + 1] - x[i]) * curvature[i + 1]) / pivots[i];
    }
    let mut sum = 0.0;
    for k in 0..places.len() {
        let (i, at) = places[k];
        let width = x[i + 1] - x[i];
        let (a, b) = ((x[i + 1] - at) / width, (at - x[i]) / width);
        let cubic = ((a * a * a - a) * curvature[i] + (b * b * b - b) * curvature[i + 1]) * width * width / 6.0;
        let distance = a * y[i] + b * y[i + 1] + cubic - targets[k];
        sum += distance * distance;
    }
    sum
}

struct Inputs {
    x: Vec<f64>,
    y: Vec<f64>,
    /// The interval of each place, and the place.
    places: Vec<(usize, f64)>,
    targets: Vec<f64>,
}

fn inputs() -> Inputs {
    let x: Vec<f64> = (0..KNOTS).map(|i| i as f64 + 0.3 * (i as f64).sin()).collect();
    let place = |k: usize| {
        let i = k * 7 % (KNOTS - 1);
        (i, x[i] + (x[i + 1] - x[i]) * (0.37 * k as f64).fract())
    };
    Inputs {
        y: (0..KNOTS).map(|i| (0.1 * i as f64).cos()).collect(),
        places: (0..PLACES).map(place).collect(),
        targets: (0..PLACES).map(|k| (0.05 * k as f64).sin()).collect(),
        x,
    }
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = inputs();
    let moved = |step: f64| {
        let y: Vec<f64> = given.y.iter().enumerate().map(|(k, y)| y + step * direction(k)).collect();
        misfit(&given.x, &y, &given.places, &given.targets)
    };
    Kernel {
        iterations: KNOTS + PLACES,
        oracle: Oracle::Differences { moved: &moved, step: 1e-3, tolerance: 1e-9, agreement: 1e-12 },
        primal: || {
            let Inputs { x, y, places, targets } = black_box(&given);
            misfit(x, y, places, targets)
        },
        ours: || {
            let Inputs { x, y, places, targets } = black_box(&given);
            misfit_value_and_grad(x, y, places, targets)
        },
        by_hand: || {
            let Inputs { x, y, places, targets } = black_box(&given);
            by_hand::value_and_grad(x, y, places, targets)
        },
        flatten: Vec::clone,
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! The distances are known as soon as they are computed, so their cotangents are collected in the same loop. The matrix
    //! is symmetric, so the adjoint of the solve is the solve.

    pub(crate) fn value_and_grad(x: &[f64], y: &[f64], places: &[(usize, f64)], targets: &[f64]) -> (f64, Vec<f64>) {
        let n = x.len();
        let mut pivots = vec![1.0; n];
        for i in 1..n - 1 {
            let (before, after) = (x[i] - x[i - 1], x[i + 1] - x[i]);
            let factor = if i == 1 { 0.0 } else { before / pivots[i - 1] };
            pivots[i] = 2.0 * (before + after) - factor * before;
        }
        let mut curvature = vec![0.0; n];
        for i in 1..n - 1 {
            let (before, after) = (x[i] - x[i - 1], x[i + 1] - x[i]);
            curvature[i] = 6.0 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
        }
        solve(x, &pivots, &mut curvature);

        let mut sum = 0.0;
        let (mut y_bar, mut curvature_bar) = (vec![0.0; n], vec![0.0; n]);
        for (&(i, at), target) in places.iter().zip(targets) {
            let width = x[i + 1] - x[i];
            let (a, b) = ((x[i + 1] - at) / width, (at - x[i]) / width);
            let (a3, b3) = (a * a * a - a, b * b * b - b);
            let cubic = (a3 * curvature[i] + b3 * curvature[i + 1]) * width * width / 6.0;
            let distance = a * y[i] + b * y[i + 1] + cubic - target;
            sum += distance * distance;
            let bar = 2.0 * distance;
            let cubic_bar = bar * width * width / 6.0;
            y_bar[i] += a * bar;
            y_bar[i + 1] += b * bar;
            curvature_bar[i] += a3 * cubic_bar;
            curvature_bar[i + 1] += b3 * cubic_bar;
        }
        (curvature_bar[0], curvature_bar[n - 1]) = (0.0, 0.0);
        solve(x, &pivots, &mut curvature_bar);
        for i in 1..n - 1 {
            let before = 6.0 * curvature_bar[i] / (x[i] - x[i - 1]);
            let after = 6.0 * curvature_bar[i] / (x[i + 1] - x[i]);
            y_bar[i - 1] += before;
            y_bar[i] -= before + after;
            y_bar[i + 1] += after;
        }
        (sum, y_bar)
    }

    /// Solves for the inner unknowns; those at the ends are zero.
    fn solve(x: &[f64], pivots: &[f64], right: &mut [f64]) {
        let n = x.len();
        for i in 2..n - 1 {
            right[i] -= (x[i] - x[i - 1]) / pivots[i - 1] * right[i - 1];
        }
        for i in (1..n - 1).rev() {
            right[i] = (right[i] - (x[i + 1] - x[i]) * right[i + 1]) / pivots[i];
        }
    }
}
