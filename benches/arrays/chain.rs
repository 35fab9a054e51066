//! A chain of elementwise functions and its sum.

use std::hint::black_box;

use cotangent::differentiable;
use ndarray::Array1;

use crate::harness::{Kernel, Measured, Settings};
use crate::{anchors, flat, generated};

macro_rules! chain {
    ($module:ident $float:ident $single:literal) => {
        pub(crate) mod $module {
            use super::*;

            #[differentiable]
            fn chain(x: &Array1<$float>) -> $float {
                let wave = (-(x * x)).exp() * x.sin();
                (wave + x / 2.0).tanh().sum()
            }

            fn by_hand(x: &Array1<$float>) -> ($float, Array1<$float>) {
                let mut total = 0.0;
                let x_bar = x.mapv(|x| {
                    let (bell, (sine, cosine)) = ((-x * x).exp(), x.sin_cos());
                    let y = (bell * sine + 0.5 * x).tanh();
                    total += y;
                    (1.0 - y * y) * (bell * (cosine - 2.0 * x * sine) + 0.5)
                });
                (total, x_bar)
            }

            pub(crate) fn measure(len: usize, expected: [f64; 2], settings: Settings) -> Result<Measured, String> {
                let x: Array1<$float> = generated(len, 0, 1.0);
                Kernel {
                    iterations: len,
                    oracle: anchors(expected, $single),
                    primal: || chain(black_box(&x)).into(),
                    ours: || {
                        let (value, x_bar) = chain_value_and_grad(black_box(&x));
                        (value.into(), x_bar)
                    },
                    by_hand: || {
                        let (value, x_bar) = by_hand(black_box(&x));
                        (value.into(), x_bar)
                    },
                    flatten: |x: &Array1<$float>| flat!(x),
                }
                .measure(settings)
            }
        }
    };
}

chain!(double f64 false);
chain!(single f32 true);
