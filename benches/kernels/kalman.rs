//! A Kalman filter of place and speed over 1000 observations: minus the logarithm of their likelihood, by both noises.

use std::hint::black_box;

use crate::harness::{Kernel, Measured, Oracle, Settings, direction};

const STEPS: usize = 1000;

#[cotangent::differentiable(wrt(q, r), reverse)]
pub(crate) fn unlikelihood(q: f64, r: f64, seen: &[f64]) -> f64 {
    let mut m = [0.0, 0.0];
    let mut p = [[10.0, 0.0], [0.0, 10.0]];
    let mut sum = 0.0;
    for z in seen {
        // the prediction
        m[0] += m[1];
        p = [
            [p[0][0] + p[0][1] + p[1][0] + p[1][1] + 0.25 * q, p[0][1] + p[1][1] + 0.5 * q],
            [p[1][0] + p[1][1] + 0.5 * q, p[1][1] + q],
        ];
        // the correction
        let v = z - m[0];
        let s = p[0][0] + r;
        let gain = [p[0][0] / s, p[1][0] / s];
        sum += 0.5 * (s.ln() + v * v / s);
        m = [m[0] + gain[0] * v, m[1] + gain[1] * v];
        p = [
            [p[0][0] - gain[0] * p[0][0], p[0][1] - gain[0] * p[0][1]],
            [p[1][0] - gain[1] * p[0][0], p[1][1] - gain[1] * p[0][1]],
        ];
    }
    sum
}

pub(crate) type Gradient = (f64, f64);

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let seen: Vec<f64> =
        (0..STEPS).map(|k| 0.1 * k as f64 + (0.7 * k as f64).sin() + (0.01 * k as f64).cos()).collect();
    let given = (0.05, 0.8, seen);
    let moved = |step: f64| unlikelihood(given.0 + step * direction(0), given.1 + step * direction(1), &given.2);
    Kernel {
        iterations: STEPS,
        oracle: Oracle::Differences { moved: &moved, step: 1e-4, tolerance: 1e-8, agreement: 1e-11 },
        primal: || {
            let (q, r, seen) = black_box(&given);
            unlikelihood(*q, *r, seen)
        },
        ours: || {
            let (q, r, seen) = black_box(&given);
            unlikelihood_value_and_grad(*q, *r, seen)
        },
        by_hand: || {
            let (q, r, seen) = black_box(&given);
            by_hand::value_and_grad(*q, *r, seen)
        },
        flatten: |&(q, r): &Gradient| vec![q, r],
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! The covariance is symmetric, so three numbers of it are carried, and three are kept for a step, beside the
    //! innovation and its variance.

    use super::Gradient;

    pub(crate) fn value_and_grad(q: f64, r: f64, seen: &[f64]) -> (f64, Gradient) {
        let mut kept = Vec::with_capacity(seen.len());
        let [mut m0, mut m1] = [0.0, 0.0];
        let [mut p00, mut p01, mut p11] = [10.0, 0.0, 10.0];
        let mut sum = 0.0;
        for z in seen {
            m0 += m1;
            p00 = p00 + p01 + p01 + p11 + 0.25 * q;
            p01 = p01 + p11 + 0.5 * q;
            p11 += q;
            let (v, s) = (z - m0, p00 + r);
            kept.push([p00, p01, v, s]);
            let (g0, g1) = (p00 / s, p01 / s);
            sum += 0.5 * (s.ln() + v * v / s);
            (m0, m1) = (m0 + g0 * v, m1 + g1 * v);
            (p00, p01, p11) = (p00 - g0 * p00, p01 - g0 * p01, p11 - g1 * p01);
        }
        let [mut m0_bar, mut m1_bar] = [0.0, 0.0];
        let [mut p00_bar, mut p01_bar, mut p11_bar] = [0.0; 3];
        let [mut q_bar, mut r_bar] = [0.0; 2];
        for &[p00, p01, v, s] in kept.iter().rev() {
            let inverse = 1.0 / s;
            let (g0, g1) = (p00 * inverse, p01 * inverse);
            let w = v * inverse;
            let g0_bar = m0_bar * v - p00_bar * p00 - p01_bar * p01;
            let g1_bar = m1_bar * v - p11_bar * p01;
            let s_bar = 0.5 * (inverse - w * w) - (g0_bar * g0 + g1_bar * g1) * inverse;
            let v_bar = w + m0_bar * g0 + m1_bar * g1;
            r_bar += s_bar;
            m0_bar -= v_bar;
            // back through the correction, then through the prediction
            p00_bar = p00_bar * (1.0 - g0) + g0_bar * inverse + s_bar;
            p01_bar = p01_bar * (1.0 - g0) + g1_bar * inverse - p11_bar * g1;
            q_bar += 0.25 * p00_bar + 0.5 * p01_bar + p11_bar;
            p11_bar += p00_bar + p01_bar;
            p01_bar += 2.0 * p00_bar;
            m1_bar += m0_bar;
        }
        (sum, (q_bar, r_bar))
    }
}
