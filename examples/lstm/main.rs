//! A recurrent network learns to remember: of a sequence of numbers it is to give the one that was marked.
//!
//! ```text
//! cargo run --release --example lstm [-- --resume] [--help]
//! ```
//!
//! The sequences are generated with fixed seeds. After each round the parameters go to `examples/out/lstm.safetensors`,
//! from which `--resume` goes on, and in the end the curve to `examples/out/lstm.svg`. It exits with 1 if a file is wrong,
//! or if the generated derivatives in forward and reverse mode disagree.

mod model;
#[path = "../shared/mod.rs"]
mod shared;

use std::error::Error;
use std::process::ExitCode;

use ndarray::{Array1, Array3};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use model::{Lstm, loss, loss_jvp, loss_value_and_grad};
use shared::modes;
use shared::options::{self, Options};
use shared::train::{Task, train};

const STEPS: usize = 12;
const HIDDEN: usize = 12;
const ROUNDS: usize = 10;
const ITERATIONS: usize = 20;

fn main() -> ExitCode {
    let about = "Train a long short-term memory to remember a number.\n\nUsage: lstm [OPTIONS]";
    options::run(about, Options::new("lstm", ROUNDS, None), run)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let (xs, ys) = sequences(300, &mut StdRng::seed_from_u64(1));
    let (held_out_xs, held_out_ys) = sequences(300, &mut StdRng::seed_from_u64(2));
    let task = Task {
        name: "lstm",
        start: Lstm::random(2, HIDDEN, &mut StdRng::seed_from_u64(3)),
        value_and_grad: &|model| loss_value_and_grad(model, &xs, &ys),
        measure: &|model| loss(model, &held_out_xs, &held_out_ys).sqrt(),
        measure_title: "Error on held-out sequences",
        iterations: ITERATIONS,
    };
    let (_, curve) = train(&task, options)?;
    println!("error on sequences held out         {:.4}", curve[curve.len() - 1].measure);
    println!("error of always saying 0            {:.4}", (&held_out_ys * &held_out_ys).mean().unwrap_or(0.0).sqrt());
    let (_, gradient) = loss_value_and_grad(&task.start, &xs, &ys);
    modes::compare(&gradient, |along| loss_jvp(&task.start, &xs, &ys, along, (), ()).1)?;
    Ok(())
}

/// Sequences (step, sequence, number and mark), and the numbers that are marked.
fn sequences(count: usize, random: &mut StdRng) -> (Array3<f64>, Array1<f64>) {
    let mut xs = Array3::zeros((STEPS, count, 2));
    let mut ys = Array1::zeros(count);
    for i in 0..count {
        for t in 0..STEPS {
            xs[[t, i, 0]] = random.random_range(-1.0..1.0);
        }
        let marked = random.random_range(0..STEPS);
        xs[[marked, i, 1]] = 1.0;
        ys[i] = xs[[marked, i, 0]];
    }
    (xs, ys)
}
