//! 100 explicit steps of the heat equation on a 128 × 128 grid: a stencil, with the new field copied back into the old
//! one after each step, or with the two buffers swapped.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const SIZE: usize = 128;
const STEPS: usize = 100;

#[cotangent::differentiable]
pub(crate) fn heat_copied_back(u0: &[f64], alpha: f64, n: usize, steps: usize) -> f64 {
    let mut now = u0.to_vec();
    let mut next = u0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let around = now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1];
                next[i * n + j] = now[i * n + j] + alpha * (around - 4.0 * now[i * n + j]);
            }
        }
        now.copy_from_slice(&next);
    }
    let mut squares = 0.0;
    for i in 0..n * n {
        squares += now[i] * now[i];
    }
    0.5 / (n * n) as f64 * squares
}

#[cotangent::differentiable]
pub(crate) fn heat_swapped(u0: &[f64], alpha: f64, n: usize, steps: usize) -> f64 {
    let mut now = u0.to_vec();
    let mut next = u0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let around = now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1];
                next[i * n + j] = now[i * n + j] + alpha * (around - 4.0 * now[i * n + j]);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    let mut squares = 0.0;
    for i in 0..n * n {
        squares += now[i] * now[i];
    }
    0.5 / (n * n) as f64 * squares
}

struct Inputs {
    u0: Vec<f64>,
    alpha: f64,
    n: usize,
    steps: usize,
}

fn inputs() -> Inputs {
    let cell = |index: usize| {
        let (i, j) = ((index / SIZE) as f64, (index % SIZE) as f64);
        (0.1 * i).sin() * (0.07 * j).cos() + 1.1
    };
    Inputs { u0: (0..SIZE * SIZE).map(cell).collect(), alpha: 0.1, n: SIZE, steps: STEPS }
}

pub(crate) type Gradient = (Vec<f64>, f64);

pub(crate) fn measure_copied_back(settings: Settings) -> Result<Measured, String> {
    measure(settings, heat_copied_back, heat_copied_back_value_and_grad)
}

pub(crate) fn measure_swapped(settings: Settings) -> Result<Measured, String> {
    measure(settings, heat_swapped, heat_swapped_value_and_grad)
}

fn measure(
    settings: Settings,
    primal: impl Fn(&[f64], f64, usize, usize) -> f64,
    ours: impl Fn(&[f64], f64, usize, usize) -> (f64, Gradient),
) -> Result<Measured, String> {
    let given = inputs();
    Kernel {
        iterations: STEPS,
        oracle: Oracle::Numbers(Expected {
            value: 6.946069750723304e-1,
            sum: 8.677482130958869e-1,
            norm: 2.325729082382797e-1,
            last: Some(-2.323352370932796e-1),
            agreement: 1e-12,
        }),
        primal: || {
            let Inputs { u0, alpha, n, steps } = black_box(&given);
            primal(u0, *alpha, *n, *steps)
        },
        ours: || {
            let Inputs { u0, alpha, n, steps } = black_box(&given);
            ours(u0, *alpha, *n, *steps)
        },
        by_hand: || {
            let Inputs { u0, alpha, n, steps } = black_box(&given);
            by_hand::value_and_grad(u0, *alpha, *n, *steps)
        },
        flatten: |(u0, alpha): &Gradient| [u0.as_slice(), &[*alpha]].concat(),
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! Every field but the last is kept, each where the forward sweep first wrote it, so that nothing is copied or
    //! swapped. On the inner cells a step is a symmetric matrix: the cotangents take the same step backwards, and their
    //! own Laplacian, taken with the field, is what alpha receives. The edge only gathers.

    use super::Gradient;

    pub(crate) fn value_and_grad(u0: &[f64], alpha: f64, n: usize, steps: usize) -> (f64, Gradient) {
        let mut kept = Vec::with_capacity(steps);
        let mut last = u0.to_vec();
        for _ in 0..steps {
            let next = advance(&last, alpha, n);
            kept.push(std::mem::replace(&mut last, next));
        }
        let weight = 0.5 / (n * n) as f64;
        let value = weight * last.iter().fold(0.0, |sum, u| sum + u * u);

        // The cotangent of the field: `inner` is zero at the edge, `edge` is zero inside.
        let mut edge: Vec<f64> = last.iter().map(|u| 2.0 * weight * u).collect();
        let mut inner = vec![0.0; n * n];
        for row in 1..n - 1 {
            let cells = row * n + 1..(row + 1) * n - 1;
            inner[cells.clone()].copy_from_slice(&edge[cells.clone()]);
            edge[cells].fill(0.0);
        }
        let mut earlier = vec![0.0; n * n];
        let mut alpha_bar_of_columns = vec![0.0; n];
        let mut alpha_bar_of_edge = 0.0;
        for field in kept.iter().rev() {
            for row in 1..n - 1 {
                let [above, middle, below] = rows(&inner, row, n);
                let u = &field[row * n..][..n];
                let out = &mut earlier[row * n..][..n];
                let alpha_bar = &mut alpha_bar_of_columns[..n];
                for j in 1..n - 1 {
                    let flow = above[j] + below[j] + middle[j - 1] + middle[j + 1] - 4.0 * middle[j];
                    out[j] = middle[j] + alpha * flow;
                    alpha_bar[j] += flow * u[j];
                }
            }
            for i in 1..n - 1 {
                let top = (i, n + i);
                let bottom = ((n - 1) * n + i, (n - 2) * n + i);
                let left = (i * n, i * n + 1);
                let right = (i * n + n - 1, i * n + n - 2);
                for (outside, inside) in [top, bottom, left, right] {
                    edge[outside] += alpha * inner[inside];
                    alpha_bar_of_edge += inner[inside] * field[outside];
                }
            }
            std::mem::swap(&mut inner, &mut earlier);
        }
        let u0_bar = edge.iter().zip(&inner).map(|(edge, inner)| edge + inner).collect();
        (value, (u0_bar, alpha_bar_of_edge + alpha_bar_of_columns.iter().sum::<f64>()))
    }

    /// The field after one step.
    fn advance(now: &[f64], alpha: f64, n: usize) -> Vec<f64> {
        let mut next = Vec::with_capacity(n * n);
        next.extend_from_slice(&now[..n]);
        for row in 1..n - 1 {
            let [above, middle, below] = rows(now, row, n);
            next.push(middle[0]);
            next.extend((1..n - 1).map(|j| {
                let around = above[j] + below[j] + middle[j - 1] + middle[j + 1];
                middle[j] + alpha * (around - 4.0 * middle[j])
            }));
            next.push(middle[n - 1]);
        }
        next.extend_from_slice(&now[(n - 1) * n..]);
        next
    }

    /// A row and its neighbours, sliced so that the compiler sees their length.
    fn rows(field: &[f64], row: usize, n: usize) -> [&[f64]; 3] {
        [row - 1, row, row + 1].map(|i| &field[i * n..][..n])
    }
}
