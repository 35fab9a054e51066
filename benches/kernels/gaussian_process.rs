//! A Gaussian process on 100 points: minus the logarithm of the likelihood, by a Cholesky decomposition in plain loops.

use std::hint::black_box;

use crate::harness::{Kernel, Measured, Oracle, Settings, direction};

const POINTS: usize = 100;

#[cotangent::differentiable(wrt(size, length, noise), reverse)]
pub(crate) fn unlikelihood(size: f64, length: f64, noise: f64, x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i + 1 {
            let distance = (x[i] - x[j]) / length;
            l[i * n + j] = size * size * (-0.5 * distance * distance).exp();
        }
        l[i * n + i] += noise * noise;
    }
    for i in 0..n {
        for j in 0..i {
            let mut sum = l[i * n + j];
            for k in 0..j {
                sum -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = sum / l[j * n + j];
        }
        let mut sum = l[i * n + i];
        for k in 0..i {
            sum -= l[i * n + k] * l[i * n + k];
        }
        l[i * n + i] = sum.sqrt();
    }
    let mut value = 0.0;
    let mut white = vec![0.0; n];
    for i in 0..n {
        let mut sum = y[i];
        for k in 0..i {
            sum -= l[i * n + k] * white[k];
        }
        white[i] = sum / l[i * n + i];
        value += 0.5 * white[i] * white[i] + l[i * n + i].ln();
    }
    value
}

pub(crate) type Gradient = (f64, f64, f64);

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let x: Vec<f64> = (0..POINTS).map(|k| 0.1 * k as f64 + 0.03 * (k as f64).sin()).collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin() + 0.1 * (17.0 * x).cos()).collect();
    let given = ([1.2, 0.7, 0.3], x, y);
    let moved = |step: f64| {
        let [size, length, noise] = std::array::from_fn(|k| given.0[k] + step * direction(k));
        unlikelihood(size, length, noise, &given.1, &given.2)
    };
    Kernel {
        iterations: POINTS,
        oracle: Oracle::Differences { moved: &moved, step: 1e-4, tolerance: 1e-8, agreement: 1e-10 },
        primal: || {
            let ([size, length, noise], x, y) = black_box(&given);
            unlikelihood(*size, *length, *noise, x, y)
        },
        ours: || {
            let ([size, length, noise], x, y) = black_box(&given);
            unlikelihood_value_and_grad(*size, *length, *noise, x, y)
        },
        by_hand: || {
            let ([size, length, noise], x, y) = black_box(&given);
            by_hand::value_and_grad(*size, *length, *noise, x, y)
        },
        flatten: |&(size, length, noise): &Gradient| vec![size, length, noise],
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! The derivative by the matrix K is half of K⁻¹ - K⁻¹ y yᵀ K⁻¹, so the decomposition is not undone: its inverse is
    //! made, and K⁻¹ from that.

    use super::Gradient;

    pub(crate) fn value_and_grad(size: f64, length: f64, noise: f64, x: &[f64], y: &[f64]) -> (f64, Gradient) {
        let n = x.len();
        let mut kernel = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i + 1 {
                let distance = (x[i] - x[j]) / length;
                kernel[i * n + j] = size * size * (-0.5 * distance * distance).exp();
            }
        }
        let mut l = kernel.clone();
        for i in 0..n {
            l[i * n + i] += noise * noise;
        }
        for i in 0..n {
            let (above, row) = l.split_at_mut(i * n);
            for j in 0..i {
                let other = &above[j * n..][..j + 1];
                let sum = row[..j].iter().zip(other).fold(row[j], |sum, (a, b)| sum - a * b);
                row[j] = sum / other[j];
            }
            row[i] = row[..i].iter().fold(row[i], |sum, a| sum - a * a).sqrt();
        }
        let mut value = 0.0;
        let mut white = vec![0.0; n];
        for i in 0..n {
            let row = &l[i * n..][..i + 1];
            let sum = row.iter().zip(&white[..i]).fold(y[i], |sum, (a, b)| sum - a * b);
            white[i] = sum / row[i];
            value += 0.5 * white[i] * white[i] + row[i].ln();
        }

        // row i of `inverse` is row i of the inverse of the decomposition
        let mut inverse = vec![0.0; n * n];
        for i in 0..n {
            let (above, row) = inverse.split_at_mut(i * n);
            for (k, factor) in l[i * n..][..i].iter().enumerate() {
                for (a, b) in row[..k + 1].iter_mut().zip(&above[k * n..][..k + 1]) {
                    *a -= factor * b;
                }
            }
            let pivot = 1.0 / l[i * n + i];
            row[..i].iter_mut().for_each(|a| *a *= pivot);
            row[i] = pivot;
        }
        let mut weights = vec![0.0; n];
        let mut kernel_bar = vec![0.0; n * n];
        for k in 0..n {
            let row = &inverse[k * n..][..k + 1];
            for i in 0..k + 1 {
                weights[i] += row[i] * white[k];
                for (bar, b) in kernel_bar[i * n..][..i + 1].iter_mut().zip(row) {
                    *bar += row[i] * b;
                }
            }
        }
        let (mut size_bar, mut length_bar, mut noise_bar) = (0.0, 0.0, 0.0);
        for i in 0..n {
            for j in 0..i + 1 {
                let bar = kernel_bar[i * n + j] - weights[i] * weights[j];
                let bar = if i == j { 0.5 * bar } else { bar };
                let distance = (x[i] - x[j]) / length;
                size_bar += bar * kernel[i * n + j];
                length_bar += bar * kernel[i * n + j] * distance * distance;
                noise_bar += if i == j { bar } else { 0.0 };
            }
        }
        (value, (2.0 * size_bar / size, length_bar / length, 2.0 * noise * noise_bar))
    }
}
