//! Closures that compare items and change what they capture.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// Each comparison happens once, in the order of the iterator.
mod comparators {
    use cotangent::differentiable;
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let mut calls = 0;
        let mut seen = 0.0;
        let m = x
            .iter()
            .copied()
            .max_by(|a, b| {
                calls += 1;
                seen += a * b;
                a.total_cmp(b)
            })
            .unwrap();
        let n = x
            .iter()
            .min_by(|a, b| {
                calls += 1;
                a.partial_cmp(b).unwrap()
            })
            .unwrap();
        m * calls as f64 + n * seen
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    comparators
}
