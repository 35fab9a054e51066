//! The chained Rosenbrock function of 1000 variables: cheap arithmetic, each variable in two terms.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const SIZE: usize = 1000;

#[cotangent::differentiable]
pub(crate) fn rosenbrock(x: &[f64]) -> f64 {
    let mut f = 0.0;
    for i in 0..x.len() - 1 {
        let slope = x[i + 1] - x[i] * x[i];
        let offset = 1.0 - x[i];
        f += 100.0 * slope * slope + offset * offset;
    }
    f
}

fn inputs() -> Vec<f64> {
    (0..SIZE).map(|i| (0.1 * i as f64).sin() + 1.1).collect()
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let x = inputs();
    Kernel {
        iterations: SIZE - 1,
        oracle: Oracle::Numbers(Expected {
            value: 1.239281838905067e5,
            sum: 3.897863139038934e5,
            norm: 2.066755828180885e4,
            last: None,
            agreement: 1e-12,
        }),
        primal: || rosenbrock(black_box(&x)),
        ours: || rosenbrock_value_and_grad(black_box(&x)),
        by_hand: || by_hand::value_and_grad(black_box(&x)),
        flatten: Vec::clone,
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! One sweep, bound by the sum of the value: what a term gives to its second variable waits in a register.

    pub(crate) fn value_and_grad(x: &[f64]) -> (f64, Vec<f64>) {
        let mut f = 0.0;
        let mut x_bar = vec![0.0; x.len()];
        let mut from_previous = 0.0;
        for (pair, out) in x.windows(2).zip(&mut x_bar) {
            let slope = pair[1] - pair[0] * pair[0];
            let offset = 1.0 - pair[0];
            f += 100.0 * slope * slope + offset * offset;
            let slope_bar = 200.0 * slope;
            *out = from_previous - 2.0 * (slope_bar * pair[0] + offset);
            from_previous = slope_bar;
        }
        if let Some(last) = x_bar.last_mut() {
            *last = from_previous;
        }
        (f, x_bar)
    }
}
