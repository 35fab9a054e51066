//! The model: a Gaussian process with a squared exponential kernel (C. E. Rasmussen and C. K. I. Williams, *Gaussian
//! processes for machine learning*, 2006, algorithm 2.1).

use cotangent::{Differentiable, differentiable, ops};
use ndarray::{Array1, Array2, ArrayViewMut1, ArrayViewMutD};

use crate::shared::checkpoint::Parameters;

/// The logarithms of the scales, so that all values are allowed.
#[derive(Clone, Differentiable)]
pub(crate) struct Kernel {
    length: f64,
    size: f64,
    noise: f64,
}

impl Kernel {
    pub(crate) fn start() -> Self {
        Self { length: 0.5, size: 0.0, noise: -1.0 }
    }

    /// The standard deviation of the noise.
    pub(crate) fn noise(&self) -> f64 {
        self.noise.exp()
    }
}

impl Parameters for Kernel {
    fn parameters(&mut self) -> Vec<(&'static str, ArrayViewMutD<'_, f64>)> {
        let one = |x| ArrayViewMut1::from(std::slice::from_mut(x)).into_dyn();
        vec![("length", one(&mut self.length)), ("size", one(&mut self.size)), ("noise", one(&mut self.noise))]
    }
}

/// The covariances of the values at `x` and at `z`.
#[differentiable]
fn covariances(kernel: &Kernel, x: &Array1<f64>, z: &Array1<f64>) -> Array2<f64> {
    let (length, size) = (kernel.length.exp(), (2.0 * kernel.size).exp());
    Array2::from_shape_fn((x.len(), z.len()), |(i, j)| {
        let far = (x[i] - z[j]) / length;
        size * (-0.5 * far * far).exp()
    })
}

/// The Cholesky factor of the covariances of the data.
#[differentiable]
fn factor(kernel: &Kernel, x: &Array1<f64>) -> Array2<f64> {
    let mut k: Array2<f64> = covariances(kernel, x, x);
    let variance = (2.0 * kernel.noise).exp() + 1e-10;
    for i in 0..x.len() {
        k[[i, i]] += variance;
    }
    ops::cholesky(&k).expect("the noise makes it positive definite")
}

/// -ln of the likelihood of the data, per point.
#[differentiable(wrt(kernel))]
pub(crate) fn loss(kernel: &Kernel, x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let l: Array2<f64> = factor(kernel, x);
    let z: Array1<f64> = ops::solve_lower(&l, y);
    let logarithm: f64 = l.diag().ln().sum();
    (0.5 * z.dot(&z) + logarithm) / y.len() as f64 + 0.5 * std::f64::consts::TAU.ln()
}

/// The mean of the process at the points `at`, given the data.
pub(crate) fn predict(kernel: &Kernel, x: &Array1<f64>, y: &Array1<f64>, at: &Array1<f64>) -> Array1<f64> {
    let l = factor(kernel, x);
    let weights = ops::solve_upper(l.t(), ops::solve_lower(&l, y));
    covariances(kernel, at, x).dot(&weights)
}
