//! A perceptron with one hidden layer learns to read handwritten digits.
//!
//! ```text
//! cargo run --release --example mlp [-- --resume] [--help]
//! ```
//!
//! A fifth of the rows, chosen at random with a fixed seed, is held out. The rest trains the model of `model.rs` by L-BFGS
//! with the generated gradient. After each round the parameters go to `examples/out/mlp.safetensors`, from which `--resume`
//! goes on, and in the end the curve to `examples/out/mlp.svg`. It exits with 1 if a file is wrong, or if the generated
//! derivatives in forward and reverse mode disagree.

mod digits;
mod model;
#[path = "../shared/mod.rs"]
mod shared;

use std::error::Error;
use std::process::ExitCode;

use ndarray::Axis;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use digits::Digits;
use model::{Mlp, accuracy, loss_jvp, loss_value_and_grad};
use shared::modes;
use shared::options::{self, Options};
use shared::train::{Task, train};

const SEED: u64 = 1797;
const HIDDEN: usize = 64;
/// The weight of the penalty on the square of the weights.
const L2: f64 = 1e-3;
const ROUNDS: usize = 10;
const ITERATIONS: usize = 20;

fn main() -> ExitCode {
    let about = "Train a perceptron on handwritten digits.\n\nUsage: mlp [OPTIONS]";
    options::run(about, Options::new("mlp", ROUNDS, Some("digits.csv.gz")), run)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut random = StdRng::seed_from_u64(SEED);
    let data = options.data.as_deref().expect("there is a default");
    let (learn, held_out) = split(digits::read(data)?, &mut random);
    println!("{}: {} rows to learn, {} held out", data.display(), learn.labels.len(), held_out.labels.len());

    let task = Task {
        name: "mlp",
        start: Mlp::random(learn.pixels.ncols(), HIDDEN, 10, &mut random),
        value_and_grad: &|model| loss_value_and_grad(model, &learn.pixels, &learn.labels, L2),
        measure: &|model| 100.0 * accuracy(model, &held_out.pixels, &held_out.labels),
        measure_title: "Held-out rows that are right, in %",
        iterations: ITERATIONS,
    };
    let (model, curve) = train(&task, options)?;
    let right = accuracy(&model, &learn.pixels, &learn.labels);
    println!("right among the rows to learn       {:.2} %", 100.0 * right);
    println!("right among the rows held out       {:.2} %", curve[curve.len() - 1].measure);

    let (_, gradient) = loss_value_and_grad(&task.start, &learn.pixels, &learn.labels, L2);
    modes::compare(&gradient, |along| {
        let (pixels, labels) = (&learn.pixels, &learn.labels);
        loss_jvp(&task.start, pixels, labels, L2, along, (), (), ()).1
    })?;
    Ok(())
}

/// The rows that are learned and those that are held out, a fifth.
fn split(digits: Digits, random: &mut StdRng) -> (Digits, Digits) {
    let mut order: Vec<usize> = (0..digits.labels.len()).collect();
    order.shuffle(random);
    let (held_out, learn) = order.split_at(order.len() / 5);
    let part = |rows: &[usize]| Digits {
        pixels: digits.pixels.select(Axis(0), rows),
        labels: rows.iter().map(|row| digits.labels[*row]).collect(),
    };
    (part(learn), part(held_out))
}
