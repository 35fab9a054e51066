//! A recursion with two calls of itself, 21 891 calls in all, with respect to two numbers that each call hands on.

use std::hint::black_box;

use crate::harness::{Expected, Kernel, Measured, Oracle, Settings};

const DEPTH: usize = 20;
const CALLS: usize = 21_891;
const START: (f64, f64) = (1.1, 0.7);

#[cotangent::differentiable]
pub(crate) fn tree(x: f64, y: f64, n: usize) -> f64 {
    match n {
        0 => x,
        1 => y,
        _ => 0.6 * tree(x, y, n - 1) * x + 0.4 * tree(x, y, n - 2).sin() + 0.1 * y,
    }
}

pub(crate) fn measure(settings: Settings) -> Result<Measured, String> {
    let (x, y) = START;
    Kernel {
        iterations: CALLS,
        oracle: Oracle::Numbers(Expected {
            value: 1.344317050858271,
            sum: 3.748780382218957,
            norm: 3.324488035517916,
            last: None,
            agreement: 1e-12,
        }),
        primal: || tree(black_box(x), black_box(y), DEPTH),
        ours: || tree_value_and_grad(black_box(x), black_box(y), DEPTH),
        by_hand: || by_hand::value_and_grad(black_box(x), black_box(y), DEPTH),
        flatten: |&(dx, dy): &(f64, f64)| vec![dx, dy],
    }
    .measure(settings)
}

pub(crate) mod by_hand {
    //! What a call needs lies on one stack, after what its own calls need.

    /// The values of both calls, and where what the first one needs begins to lie before that of the second.
    struct Frame {
        first: f64,
        second: f64,
        at: [usize; 2],
    }

    pub(crate) fn value_and_grad(x: f64, y: f64, n: usize) -> (f64, (f64, f64)) {
        let mut frames = Vec::new();
        let value = forward(x, y, n, &mut frames);
        let mut grad = (0.0, 0.0);
        let root = frames.len().wrapping_sub(1);
        undo(&frames, root, (x, y, n), 1.0, &mut grad);
        (value, grad)
    }

    fn forward(x: f64, y: f64, n: usize, frames: &mut Vec<Frame>) -> f64 {
        if n < 2 {
            return if n == 0 { x } else { y };
        }
        let first = forward(x, y, n - 1, frames);
        let before = frames.len().wrapping_sub(1);
        let second = forward(x, y, n - 2, frames);
        let at = [before, frames.len().wrapping_sub(1)];
        frames.push(Frame { first, second, at });
        0.6 * first * x + 0.4 * second.sin() + 0.1 * y
    }

    fn undo(frames: &[Frame], at: usize, (x, y, n): (f64, f64, usize), bar: f64, grad: &mut (f64, f64)) {
        match n {
            0 => grad.0 += bar,
            1 => grad.1 += bar,
            _ => {
                let frame = &frames[at];
                grad.0 += bar * 0.6 * frame.first;
                grad.1 += bar * 0.1;
                undo(frames, frame.at[1], (x, y, n - 2), bar * 0.4 * frame.second.cos(), grad);
                undo(frames, frame.at[0], (x, y, n - 1), bar * x * 0.6, grad);
            }
        }
    }
}
