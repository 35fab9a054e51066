//! An adaptive integrator, Dormand and Prince's pair of orders 5 and 4, on the equations of predator and prey.
//!
//! The sizes of the steps follow from an estimate of the error. They have no derivative here, as is customary.

use std::hint::black_box;

use cotangent::stop_gradient;

use crate::harness::{Kernel, Measured, Oracle, Settings, direction};

const END: f64 = 20.0;
const TOLERANCE: f64 = 1e-9;
/// What the stages take of the earlier ones; the last row is the solution of order 5.
const STAGES: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// The difference of the two solutions.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

#[cotangent::differentiable(wrt(start, rates), reverse)]
pub(crate) fn predators(start: [f64; 2], rates: [f64; 4], end: f64) -> f64 {
    let slope = |y: [f64; 2]| [rates[0] * y[0] - rates[1] * y[0] * y[1], rates[2] * y[0] * y[1] - rates[3] * y[1]];
    let mut y = start;
    let mut t = 0.0;
    let mut h = 0.01;
    while t < end {
        if t + h > end {
            h = end - t;
        }
        let mut k = [[0.0; 2]; 7];
        k[0] = slope(y);
        let mut z = y;
        for s in 0..6 {
            z = y;
            for j in 0..s + 1 {
                for i in 0..2 {
                    z[i] += h * STAGES[s][j] * k[j][i];
                }
            }
            k[s + 1] = slope(z);
        }
        let mut error = 0.0;
        for i in 0..2 {
            let mut e = 0.0;
            for j in 0..7 {
                e += h * ERROR[j] * k[j][i];
            }
            let e = stop_gradient(e);
            error += e * e;
        }
        let error = (0.5 * error).sqrt() / TOLERANCE;
        if error <= 1.0 {
            t += h;
            y = z;
        }
        h *= (0.9 * error.powf(-0.2)).clamp(0.2, 5.0);
    }
    y[0] * y[0] + y[1]
}

pub(crate) type Gradient = ([f64; 2], [f64; 4]);

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = ([1.0, 1.0], [1.5, 1.0, 1.0, 3.0], END);
    let moved = |step: f64| {
        let (start, rates, end) = given;
        let start = std::array::from_fn(|k| start[k] + step * direction(k));
        predators(start, std::array::from_fn(|k| rates[k] + step * direction(2 + k)), end)
    };
    Kernel {
        iterations: by_hand::steps(given.0, given.1, given.2),
        // the differences have the derivatives of the steps' sizes in them
        oracle: Oracle::Differences { moved: &moved, step: 1e-3, tolerance: 1e-6, agreement: 1e-11 },
        primal: || {
            let (start, rates, end) = *black_box(&given);
            predators(start, rates, end)
        },
        ours: || {
            let (start, rates, end) = *black_box(&given);
            predators_value_and_grad(start, rates, end)
        },
        by_hand: || {
            let (start, rates, end) = *black_box(&given);
            by_hand::value_and_grad(start, rates, end)
        },
        flatten: |(start, rates): &Gradient| [start.as_slice(), rates.as_slice()].concat(),
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! The state and the size of each step that was accepted are kept; the stages are computed again.

    use super::{ERROR, Gradient, STAGES, TOLERANCE};

    type State = [f64; 2];

    fn slope(rates: &[f64; 4], y: State) -> State {
        [rates[0] * y[0] - rates[1] * y[0] * y[1], rates[2] * y[0] * y[1] - rates[3] * y[1]]
    }

    /// The states of the stages, the last of which is the solution, and the slopes at them.
    fn stages(rates: &[f64; 4], y: State, h: f64) -> ([State; 7], [State; 7]) {
        let (mut z, mut k) = ([y; 7], [[0.0; 2]; 7]);
        k[0] = slope(rates, y);
        for s in 0..6 {
            for j in 0..s + 1 {
                for i in 0..2 {
                    z[s + 1][i] += h * STAGES[s][j] * k[j][i];
                }
            }
            k[s + 1] = slope(rates, z[s + 1]);
        }
        (z, k)
    }

    fn integrate(start: State, rates: &[f64; 4], end: f64, mut step: impl FnMut(State, f64)) -> State {
        let (mut y, mut t, mut h) = (start, 0.0, 0.01);
        while t < end {
            if t + h > end {
                h = end - t;
            }
            let (z, k) = stages(rates, y, h);
            let mut error = 0.0;
            for i in 0..2 {
                let mut e = 0.0;
                for j in 0..7 {
                    e += h * ERROR[j] * k[j][i];
                }
                error += e * e;
            }
            let error = (0.5 * error).sqrt() / TOLERANCE;
            if error <= 1.0 {
                step(y, h);
                t += h;
                y = z[6];
            }
            h *= (0.9 * error.powf(-0.2)).clamp(0.2, 5.0);
        }
        y
    }

    /// How many steps are accepted.
    pub(crate) fn steps(start: State, rates: [f64; 4], end: f64) -> usize {
        let mut count = 0;
        integrate(start, &rates, end, |_, _| count += 1);
        count
    }

    pub(crate) fn value_and_grad(start: State, rates: [f64; 4], end: f64) -> (f64, Gradient) {
        let mut kept = Vec::new();
        let y = integrate(start, &rates, end, |y, h| kept.push((y, h)));
        let mut y_bar = [2.0 * y[0], 1.0];
        let mut rates_bar = [0.0; 4];
        for &(y, h) in kept.iter().rev() {
            let (z, _) = stages(&rates, y, h);
            let mut k_bar = [[0.0; 2]; 6];
            // the slope at the solution is not used
            let mut z_bar = y_bar;
            for s in (0..6).rev() {
                for j in 0..s + 1 {
                    for i in 0..2 {
                        k_bar[j][i] += h * STAGES[s][j] * z_bar[i];
                    }
                }
                let ([a, b], [g, e]) = (z[s], k_bar[s]);
                let ab = a * b;
                rates_bar[0] += g * a;
                rates_bar[1] -= g * ab;
                rates_bar[2] += e * ab;
                rates_bar[3] -= e * b;
                z_bar = [
                    g * (rates[0] - rates[1] * b) + e * rates[2] * b,
                    e * (rates[2] * a - rates[3]) - g * rates[1] * a,
                ];
                y_bar[0] += z_bar[0];
                y_bar[1] += z_bar[1];
            }
        }
        (y[0] * y[0] + y[1], (y_bar, rates_bar))
    }
}
