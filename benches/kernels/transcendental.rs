//! A sum of 100 000 elementary functions: what is computed for the value must serve the gradient too.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const SIZE: usize = 100_000;

#[cotangent::differentiable]
pub(crate) fn transcendental(x: &[f64]) -> f64 {
    let mut f = 0.0;
    for i in 0..x.len() {
        f += x[i].sin().exp() * x[i].tanh();
    }
    f
}

fn inputs() -> Vec<f64> {
    (0..SIZE).map(|i| (0.1 * i as f64).sin() + 1.1).collect()
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let x = inputs();
    Kernel {
        iterations: SIZE,
        oracle: Oracle::Numbers(Expected {
            value: 1.552854376919999e5,
            sum: 8.251663950594953e4,
            norm: 4.342610008184571e2,
            last: None,
            agreement: 1e-12,
        }),
        primal: || transcendental(black_box(&x)),
        ours: || transcendental_value_and_grad(black_box(&x)),
        by_hand: || by_hand::value_and_grad(black_box(&x)),
        flatten: Vec::clone,
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! One sweep: the partials reuse the exponential and the hyperbolic tangent; only the cosine is new.

    pub(crate) fn value_and_grad(x: &[f64]) -> (f64, Vec<f64>) {
        let mut f = 0.0;
        let x_bar = x
            .iter()
            .map(|x| {
                let (sin, cos) = x.sin_cos();
                let (exp, tanh) = (sin.exp(), x.tanh());
                f += exp * tanh;
                exp * (cos * tanh + (1.0 - tanh * tanh))
            })
            .collect();
        (f, x_bar)
    }
}
