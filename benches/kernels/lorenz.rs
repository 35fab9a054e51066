//! 10 000 Runge-Kutta steps of the Lorenz system: a long loop whose every iteration needs the one before.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings, cost};

const STEPS: usize = 10_000;
/// The length of a step in time.
const H: f64 = 1e-3;

#[cotangent::differentiable]
pub(crate) fn lorenz(start: [f64; 3], sigma: f64, rho: f64, beta: f64, steps: usize) -> f64 {
    let mut s = start;
    for _ in 0..steps {
        let k1 = [sigma * (s[1] - s[0]), s[0] * (rho - s[2]) - s[1], s[0] * s[1] - beta * s[2]];
        let a = [s[0] + 0.5 * H * k1[0], s[1] + 0.5 * H * k1[1], s[2] + 0.5 * H * k1[2]];
        let k2 = [sigma * (a[1] - a[0]), a[0] * (rho - a[2]) - a[1], a[0] * a[1] - beta * a[2]];
        let b = [s[0] + 0.5 * H * k2[0], s[1] + 0.5 * H * k2[1], s[2] + 0.5 * H * k2[2]];
        let k3 = [sigma * (b[1] - b[0]), b[0] * (rho - b[2]) - b[1], b[0] * b[1] - beta * b[2]];
        let c = [s[0] + H * k3[0], s[1] + H * k3[1], s[2] + H * k3[2]];
        let k4 = [sigma * (c[1] - c[0]), c[0] * (rho - c[2]) - c[1], c[0] * c[1] - beta * c[2]];
        for i in 0..3 {
            s[i] += H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    s[0] + s[1] + s[2]
}

pub(crate) type Gradient = ([f64; 3], f64, f64, f64);

struct Inputs {
    start: [f64; 3],
    sigma: f64,
    rho: f64,
    beta: f64,
    steps: usize,
}

fn inputs() -> Inputs {
    Inputs { start: [1.0; 3], sigma: 10.0, rho: 28.0, beta: 8.0 / 3.0, steps: STEPS }
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = inputs();
    Kernel {
        iterations: STEPS,
        oracle: Oracle::Numbers(Expected {
            value: 1.604429762429203e1,
            sum: -5.239476173207281e1,
            norm: 4.22097782607677e1,
            last: None,
            agreement: 1e-9, // the system is chaotic: it magnifies rounding
        }),
        primal: || {
            let Inputs { start, sigma, rho, beta, steps } = *black_box(&given);
            lorenz(start, sigma, rho, beta, steps)
        },
        ours: || {
            let Inputs { start, sigma, rho, beta, steps } = *black_box(&given);
            lorenz_value_and_grad(start, sigma, rho, beta, steps)
        },
        by_hand: || {
            let Inputs { start, sigma, rho, beta, steps } = *black_box(&given);
            by_hand::value_and_grad(start, sigma, rho, beta, steps)
        },
        flatten: |&([x, y, z], sigma, rho, beta): &Gradient| vec![x, y, z, sigma, rho, beta],
    }
    .measure(settings)
}

/// Prints how time and memory grow with the number of steps.
pub(crate) fn print_growth() {
    println!("lorenz: CPU time of value and gradient and growth of the heap, per step");
    println!("{:>12} {:>12} {:>12} {:>12} {:>12}", "steps", "primal ns", "ours ns", "hand ns", "ours B");
    let Inputs { start, sigma, rho, beta, .. } = inputs();
    for steps in [10_000, 100_000, 1_000_000, 10_000_000] {
        let steps = black_box(steps);
        let (primal, _) = cost(|| lorenz(start, sigma, rho, beta, steps));
        let (ours, bytes) = cost(|| lorenz_value_and_grad(start, sigma, rho, beta, steps));
        let (hand, _) = cost(|| by_hand::value_and_grad(start, sigma, rho, beta, steps));
        let [primal, ours, hand] = [primal, ours, hand].map(|seconds| seconds * 1e9 / steps as f64);
        println!("{steps:>12} {primal:>12.2} {ours:>12.2} {hand:>12.2} {:>12.1}", bytes as f64 / steps as f64);
    }
}

pub(crate) mod by_hand {
    //! The state is kept once per step; the reverse sweep computes the stages from it again, which the processor does
    //! beside the chain of cotangents, as no step waits for another there.

    use super::{Gradient, H};

    type Vector = [f64; 3];

    #[derive(Clone, Copy)]
    struct System {
        sigma: f64,
        rho: f64,
        beta: f64,
    }

    impl System {
        fn slope(self, [x, y, z]: Vector) -> Vector {
            [self.sigma * (y - x), x * (self.rho - z) - y, x * y - self.beta * z]
        }

        /// The transposed Jacobian of `slope` at a point, applied to the cotangent `v`; adds to those of the parameters.
        fn slope_transposed(self, [x, y, z]: Vector, v: Vector, bar: &mut System) -> Vector {
            bar.sigma += v[0] * (y - x);
            bar.rho += v[1] * x;
            bar.beta -= v[2] * z;
            let sigma_v = self.sigma * v[0];
            [(self.rho - z) * v[1] + y * v[2] - sigma_v, sigma_v - v[1] + x * v[2], -x * v[1] - self.beta * v[2]]
        }
    }

    /// `a + factor * b`
    fn plus(a: Vector, factor: f64, b: Vector) -> Vector {
        [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
    }

    pub(crate) fn value_and_grad(start: Vector, sigma: f64, rho: f64, beta: f64, steps: usize) -> (f64, Gradient) {
        let system = System { sigma, rho, beta };
        let mut kept = vec![[0.0; 3]; steps];
        let mut s = start;
        for slot in &mut kept {
            *slot = s;
            let k1 = system.slope(s);
            let k2 = system.slope(plus(s, 0.5 * H, k1));
            let k3 = system.slope(plus(s, 0.5 * H, k2));
            let k4 = system.slope(plus(s, H, k3));
            for i in 0..3 {
                s[i] += H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
        }

        let mut bar = System { sigma: 0.0, rho: 0.0, beta: 0.0 };
        let mut s_bar = [1.0; 3];
        for &s in kept.iter().rev() {
            let a = plus(s, 0.5 * H, system.slope(s));
            let b = plus(s, 0.5 * H, system.slope(a));
            let c = plus(s, H, system.slope(b));

            let sixth = s_bar.map(|v| H / 6.0 * v);
            let third = s_bar.map(|v| H / 3.0 * v);
            let c_bar = system.slope_transposed(c, sixth, &mut bar);
            let b_bar = system.slope_transposed(b, plus(third, H, c_bar), &mut bar);
            let a_bar = system.slope_transposed(a, plus(third, 0.5 * H, b_bar), &mut bar);
            let first_bar = system.slope_transposed(s, plus(sixth, 0.5 * H, a_bar), &mut bar);
            for i in 0..3 {
                s_bar[i] += (c_bar[i] + b_bar[i]) + (a_bar[i] + first_bar[i]);
            }
        }
        (s[0] + s[1] + s[2], (s_bar, bar.sigma, bar.rho, bar.beta))
    }
}
