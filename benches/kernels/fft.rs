//! A recursive Fourier transform of 1024 complex numbers, and a smooth function of its power spectrum.

use std::hint::black_box;

use crate::harness::{Kernel, Measured, Oracle, Settings, direction};

const SIZE: usize = 1024;

#[cotangent::differentiable(reverse)]
fn transform(x: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let n = x.len();
    if n == 1 {
        return vec![x[0]];
    }
    let mut even = Vec::with_capacity(n / 2);
    let mut odd = Vec::with_capacity(n / 2);
    for k in 0..n / 2 {
        even.push(x[2 * k]);
        odd.push(x[2 * k + 1]);
    }
    let even: Vec<[f64; 2]> = transform(&even);
    let odd: Vec<[f64; 2]> = transform(&odd);
    let mut out = vec![[0.0; 2]; n];
    for k in 0..n / 2 {
        let (sin, cos) = (-2.0 * std::f64::consts::PI * k as f64 / n as f64).sin_cos();
        let turned = [cos * odd[k][0] - sin * odd[k][1], sin * odd[k][0] + cos * odd[k][1]];
        out[k] = [even[k][0] + turned[0], even[k][1] + turned[1]];
        out[k + n / 2] = [even[k][0] - turned[0], even[k][1] - turned[1]];
    }
    out
}

#[cotangent::differentiable(reverse)]
pub(crate) fn flatness(x: &[[f64; 2]]) -> f64 {
    let spectrum: Vec<[f64; 2]> = transform(x);
    let mut sum = 0.0;
    for k in 0..spectrum.len() {
        let power = spectrum[k][0] * spectrum[k][0] + spectrum[k][1] * spectrum[k][1];
        sum += (1.0 + power).ln();
    }
    sum
}

fn inputs() -> Vec<[f64; 2]> {
    (0..SIZE).map(|k| [(0.3 * k as f64).sin() + 0.1, (0.05 * (k * k % 97) as f64).cos()]).collect()
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = inputs();
    let moved = |step: f64| {
        let entry = |k: usize, x: f64| x + step * direction(k);
        let x: Vec<[f64; 2]> =
            given.iter().enumerate().map(|(k, x)| [entry(2 * k, x[0]), entry(2 * k + 1, x[1])]).collect();
        flatness(&x)
    };
    Kernel {
        iterations: SIZE,
        oracle: Oracle::Differences { moved: &moved, step: 1e-4, tolerance: 1e-8, agreement: 1e-12 },
        primal: || flatness(black_box(&given)),
        ours: || flatness_value_and_grad(black_box(&given)),
        by_hand: || by_hand::value_and_grad(black_box(&given)),
        flatten: |x: &Vec<[f64; 2]>| x.as_flattened().to_vec(),
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! The transform is linear, and its transpose is the transform that turns the other way.

    use std::f64::consts::PI;

    pub(crate) fn value_and_grad(x: &[[f64; 2]]) -> (f64, Vec<[f64; 2]>) {
        let mut spectrum = transform(x, -2.0 * PI);
        let mut value = 0.0;
        for [re, im] in &mut spectrum {
            let power = 1.0 + (*re * *re + *im * *im);
            value += power.ln();
            (*re, *im) = (2.0 * *re / power, 2.0 * *im / power);
        }
        (value, transform(&spectrum, 2.0 * PI))
    }

    fn transform(x: &[[f64; 2]], turn: f64) -> Vec<[f64; 2]> {
        let n = x.len();
        if n == 1 {
            return x.to_vec();
        }
        let even: Vec<[f64; 2]> = x.iter().step_by(2).copied().collect();
        let odd: Vec<[f64; 2]> = x.iter().skip(1).step_by(2).copied().collect();
        let (even, odd) = (transform(&even, turn), transform(&odd, turn));
        let mut out = vec![[0.0; 2]; n];
        let (first, second) = out.split_at_mut(n / 2);
        for (k, ((a, b), (e, o))) in first.iter_mut().zip(second).zip(even.iter().zip(&odd)).enumerate() {
            let (sin, cos) = (turn * k as f64 / n as f64).sin_cos();
            let turned = [cos * o[0] - sin * o[1], sin * o[0] + cos * o[1]];
            *a = [e[0] + turned[0], e[1] + turned[1]];
            *b = [e[0] - turned[0], e[1] - turned[1]];
        }
        out
    }
}
