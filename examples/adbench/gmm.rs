//! GMM: the log-likelihood of a Gaussian mixture with a Wishart prior, and its gradient.
//!
//! The inverse covariance of component j is QᵀQ. Of its `d (d + 1) / 2` numbers in `icf` the first d are the logarithms of
//! the diagonal of Q, the others its strict lower triangle, column by column.

use std::hint::black_box;

use cotangent::differentiable;
use serde_json::Value;

use crate::expected::{self, Deviation};
use crate::problem::{Files, Instance, Problem};
use crate::read::{self, DataError, Words};

pub(crate) const INSTANCES: &[Instance] = &[
    Instance { name: "GMM 1k d2 K5", file: "gmm/1k/gmm_d2_K5.txt", expected: "gmm_1k_d2_K5", goal: 2.0, open },
    Instance { name: "GMM 1k d10 K25", file: "gmm/1k/gmm_d10_K25.txt", expected: "gmm_1k_d10_K25", goal: 2.0, open },
    Instance { name: "GMM 1k d20 K50", file: "gmm/1k/gmm_d20_K50.txt", expected: "gmm_1k_d20_K50", goal: 1.8, open },
    Instance { name: "GMM 1k d64 K25", file: "gmm/1k/gmm_d64_K25.txt", expected: "gmm_1k_d64_K25", goal: 2.2, open },
    Instance { name: "GMM 10k d10 K25", file: "gmm/10k/gmm_d10_K25.txt", expected: "gmm_10k_d10_K25", goal: 2.0, open },
];

/// The benchmark's value of π.
#[allow(clippy::approx_constant, reason = "the expected values were made with this one")]
const PI: f64 = 3.14159265359;

#[differentiable(wrt(alphas, means, icf), reverse)]
fn log_likelihood(alphas: &[f64], means: &[f64], icf: &[f64], x: &[f64], gamma: f64, m: u32) -> f64 {
    let k = alphas.len();
    let d = means.len() / k;
    let size = d * (d + 1) / 2;
    let n = x.len() / d;

    let mut diagonal = vec![0.0; k * d];
    let mut log_det = vec![0.0; k];
    for j in 0..k {
        for r in 0..d {
            let q = icf[j * size + r];
            diagonal[j * d + r] = q.exp();
            log_det[j] += q;
        }
    }

    let mut total = 0.0;
    for i in 0..n {
        let mut centred = vec![0.0; d];
        let mut y = vec![0.0; d];
        let mut terms = vec![0.0; k];
        for j in 0..k {
            for r in 0..d {
                centred[r] = x[i * d + r] - means[j * d + r];
                y[r] = diagonal[j * d + r] * centred[r];
            }
            let mut at = j * size + d;
            for c in 0..d {
                for r in c + 1..d {
                    y[r] += icf[at] * centred[c];
                    at += 1;
                }
            }
            let mut squares = 0.0;
            for r in 0..d {
                squares += y[r] * y[r];
            }
            terms[j] = alphas[j] + log_det[j] - 0.5 * squares;
        }
        let term: f64 = log_sum_exp(&terms);
        total += term;
    }

    let mut prior = 0.0;
    for j in 0..k {
        let mut squares = 0.0;
        for r in 0..d {
            squares += diagonal[j * d + r] * diagonal[j * d + r];
        }
        for l in d..size {
            squares += icf[j * size + l] * icf[j * size + l];
        }
        prior += 0.5 * gamma * gamma * squares - m as f64 * log_det[j];
    }
    let constant = -((n * d) as f64) * 0.5 * (2.0 * PI).ln() - k as f64 * wishart_constant(d, gamma, m);
    let weights: f64 = log_sum_exp(alphas);
    constant + total - n as f64 * weights + prior
}

#[differentiable(reverse)]
fn log_sum_exp(v: &[f64]) -> f64 {
    let mut top = v[0];
    for t in v {
        top = top.max(*t);
    }
    let mut sum = 0.0;
    for t in v {
        sum += (t - top).exp();
    }
    top + sum.ln()
}

/// The logarithm of what normalises the prior of a component.
fn wishart_constant(d: usize, gamma: f64, m: u32) -> f64 {
    let n = d + 1 + m as usize;
    let log_gamma: f64 = (0..d).map(|j| log_gamma_of_half(n - j)).sum();
    let multivariate = 0.25 * (d * (d - 1)) as f64 * PI.ln() + log_gamma;
    (n * d) as f64 * (gamma.ln() - 0.5 * 2.0_f64.ln()) - multivariate
}

/// ln Γ(n / 2), from Γ(x + 1) = x Γ(x).
fn log_gamma_of_half(n: usize) -> f64 {
    let (first, start) = if n.is_multiple_of(2) { (2, 0.0) } else { (1, 0.5 * std::f64::consts::PI.ln()) };
    (first..n).step_by(2).fold(start, |sum, k| sum + (0.5 * k as f64).ln())
}

struct Mixture {
    alphas: Vec<f64>,
    means: Vec<f64>,
    icf: Vec<f64>,
    x: Vec<f64>,
    gamma: f64,
    m: u32,
}

fn open(files: &Files) -> Result<Box<dyn Problem>, DataError> {
    let path = files.data();
    let text = read::text(&path)?;
    let mut words = Words::new(&path, &text);
    let (d, k, n): (usize, usize, usize) = (words.number()?, words.number()?, words.number()?);
    if d * k * n == 0 {
        return Err(DataError::new(&path, "the sizes must be positive"));
    }
    let alphas = words.numbers(k)?;
    let means = words.numbers(k * d)?;
    let icf = words.numbers(k * d * (d + 1) / 2)?;
    let x = words.numbers(n * d)?;
    Ok(Box::new(Mixture { alphas, means, icf, x, gamma: words.number()?, m: words.number()? }))
}

impl Problem for Mixture {
    fn objective(&self) {
        let Mixture { alphas, means, icf, x, gamma, m } = black_box(self);
        black_box(log_likelihood(alphas, means, icf, x, *gamma, *m));
    }

    fn derivative(&self) {
        let Mixture { alphas, means, icf, x, gamma, m } = black_box(self);
        black_box(log_likelihood_value_and_grad(alphas, means, icf, x, *gamma, *m));
    }

    fn compare(&self, expected: &Value) -> Result<Deviation, String> {
        let Mixture { alphas, means, icf, x, gamma, m } = self;
        let (value, (alphas_bar, means_bar, icf_bar)) =
            log_likelihood_value_and_grad(alphas, means, icf, x, *gamma, *m);
        let mut deviation = Deviation::none();
        deviation.number("the value", value, expected::number(expected, "F", "the instance")?, 0.0)?;
        let gradient = [alphas_bar, means_bar, icf_bar].concat();
        deviation.vector("the gradient", &gradient, expected::part(expected, "J")?)?;
        Ok(deviation)
    }
}
