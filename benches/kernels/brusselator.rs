//! The Brusselator, two substances that react and diffuse, on a periodic 32 × 32 grid for 50 explicit steps.

use std::hint::black_box;

use crate::harness::{Kernel, Measured, Oracle, Settings, direction};

const SIZE: usize = 32;
const STEPS: usize = 50;
const DT: f64 = 0.005;
const A: f64 = 3.4;
const B: f64 = 1.0;

#[cotangent::differentiable]
pub(crate) fn brusselator(u0: &[f64], v0: &[f64], alpha: f64, n: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut v = v0.to_vec();
    for _ in 0..steps {
        let mut next_u = vec![0.0; n * n];
        let mut next_v = vec![0.0; n * n];
        for i in 0..n {
            let above = (i + n - 1) % n * n;
            let below = (i + 1) % n * n;
            for j in 0..n {
                let (left, right) = ((j + n - 1) % n, (j + 1) % n);
                let at = i * n + j;
                let flow_u = u[above + j] + u[below + j] + u[i * n + left] + u[i * n + right] - 4.0 * u[at];
                let flow_v = v[above + j] + v[below + j] + v[i * n + left] + v[i * n + right] - 4.0 * v[at];
                let reaction = u[at] * u[at] * v[at];
                next_u[at] = u[at] + DT * (B + reaction - (A + 1.0) * u[at] + alpha * flow_u);
                next_v[at] = v[at] + DT * (A * u[at] - reaction + alpha * flow_v);
            }
        }
        u = next_u;
        v = next_v;
    }
    let mut squares = 0.0;
    for at in 0..n * n {
        squares += u[at] * u[at] + v[at] * v[at];
    }
    squares / (n * n) as f64
}

struct Inputs {
    u0: Vec<f64>,
    v0: Vec<f64>,
    alpha: f64,
    n: usize,
    steps: usize,
}

fn inputs() -> Inputs {
    let cell = |index: usize| ((index / SIZE) as f64 / SIZE as f64, (index % SIZE) as f64 / SIZE as f64);
    let bump = |x: f64| (x * (1.0 - x)).powf(1.5);
    Inputs {
        u0: (0..SIZE * SIZE).map(|index| 22.0 * bump(cell(index).0)).collect(),
        v0: (0..SIZE * SIZE).map(|index| 27.0 * bump(cell(index).1)).collect(),
        alpha: 10.0,
        n: SIZE,
        steps: STEPS,
    }
}

pub(crate) type Gradient = (Vec<f64>, Vec<f64>, f64);

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let given = inputs();
    let moved = |step: f64| {
        let Inputs { u0, v0, alpha, n, steps } = &given;
        let cells = n * n;
        let u0: Vec<f64> = (0..cells).map(|k| u0[k] + step * direction(k)).collect();
        let v0: Vec<f64> = (0..cells).map(|k| v0[k] + step * direction(cells + k)).collect();
        brusselator(&u0, &v0, alpha + step * direction(2 * cells), *n, *steps)
    };
    Kernel {
        iterations: STEPS,
        oracle: Oracle::Differences { moved: &moved, step: 1e-4, tolerance: 1e-9, agreement: 1e-12 },
        primal: || {
            let Inputs { u0, v0, alpha, n, steps } = black_box(&given);
            brusselator(u0, v0, *alpha, *n, *steps)
        },
        ours: || {
            let Inputs { u0, v0, alpha, n, steps } = black_box(&given);
            brusselator_value_and_grad(u0, v0, *alpha, *n, *steps)
        },
        by_hand: || {
            let Inputs { u0, v0, alpha, n, steps } = black_box(&given);
            by_hand::value_and_grad(u0, v0, *alpha, *n, *steps)
        },
        flatten: |(u, v, alpha): &Gradient| [u.as_slice(), v.as_slice(), &[*alpha]].concat(),
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! Both fields of each step are kept. Diffusion is a symmetric matrix, so the cotangents diffuse as the fields do, and
    //! their flow, taken with the fields, is what alpha receives.

    use super::{A, B, DT, Gradient};

    pub(crate) fn value_and_grad(u0: &[f64], v0: &[f64], alpha: f64, n: usize, steps: usize) -> (f64, Gradient) {
        let mut kept = Vec::with_capacity(steps);
        let (mut u, mut v) = (u0.to_vec(), v0.to_vec());
        for _ in 0..steps {
            let (mut next_u, mut next_v) = (vec![0.0; n * n], vec![0.0; n * n]);
            sweep(&u, &v, n, |at, u, v, flow_u, flow_v| {
                let reaction = u * u * v;
                next_u[at] = u + DT * (B + reaction - (A + 1.0) * u + alpha * flow_u);
                next_v[at] = v + DT * (A * u - reaction + alpha * flow_v);
            });
            kept.push((std::mem::replace(&mut u, next_u), std::mem::replace(&mut v, next_v)));
        }
        let weight = 1.0 / (n * n) as f64;
        let squares = u.iter().zip(&v).fold(0.0, |sum, (u, v)| sum + (u * u + v * v));

        let mut u_bar: Vec<f64> = u.iter().map(|u| 2.0 * weight * u).collect();
        let mut v_bar: Vec<f64> = v.iter().map(|v| 2.0 * weight * v).collect();
        let (mut earlier_u, mut earlier_v) = (vec![0.0; n * n], vec![0.0; n * n]);
        let mut alpha_bar = 0.0;
        for (u, v) in kept.iter().rev() {
            let (u, v) = (&u[..n * n], &v[..n * n]);
            sweep(&u_bar, &v_bar, n, |at, g, h, flow_g, flow_h| {
                let (u, v) = (u[at], v[at]);
                let through = g - h;
                earlier_u[at] = g + DT * (2.0 * u * v * through - (A + 1.0) * g + A * h + alpha * flow_g);
                earlier_v[at] = h + DT * (u * u * through + alpha * flow_h);
                alpha_bar += DT * (u * flow_g + v * flow_h);
            });
            std::mem::swap(&mut u_bar, &mut earlier_u);
            std::mem::swap(&mut v_bar, &mut earlier_v);
        }
        (squares / (n * n) as f64, (u_bar, v_bar, alpha_bar))
    }

    /// Visits all cells, with both values and with what flows into them.
    fn sweep(u: &[f64], v: &[f64], n: usize, mut cell: impl FnMut(usize, f64, f64, f64, f64)) {
        for i in 0..n {
            let [above_u, u, below_u] = rows(u, i, n);
            let [above_v, v, below_v] = rows(v, i, n);
            let mut visit = |j: usize, left: usize, right: usize| {
                let flow_u = above_u[j] + below_u[j] + u[left] + u[right] - 4.0 * u[j];
                let flow_v = above_v[j] + below_v[j] + v[left] + v[right] - 4.0 * v[j];
                cell(i * n + j, u[j], v[j], flow_u, flow_v);
            };
            visit(0, n - 1, 1);
            for j in 1..n - 1 {
                visit(j, j - 1, j + 1);
            }
            visit(n - 1, n - 2, 0);
        }
    }

    /// A row and its neighbours, sliced so that the compiler sees their length.
    fn rows(field: &[f64], row: usize, n: usize) -> [&[f64]; 3] {
        [(row + n - 1) % n, row, (row + 1) % n].map(|i| &field[i * n..][..n])
    }
}
