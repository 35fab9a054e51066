//! A layer of attention learns to look something up: of a list of keys with values it is to give the value of one key.
//!
//! ```text
//! cargo run --release --example attention [-- --resume] [--help]
//! ```
//!
//! The lists are generated with fixed seeds. After each round the parameters go to `examples/out/attention.safetensors`,
//! from which `--resume` goes on, and in the end the curve to `examples/out/attention.svg`. It exits with 1 if a file is
//! wrong, or if the generated derivatives in forward and reverse mode disagree.

mod model;
#[path = "../shared/mod.rs"]
mod shared;

use std::error::Error;
use std::process::ExitCode;

use ndarray::{Array1, Array3};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use model::{Attention, loss, loss_jvp, loss_value_and_grad};
use shared::modes;
use shared::options::{self, Options};
use shared::train::{Task, train};

/// How many keys there are. Each list has all of them, in any order.
const KEYS: usize = 6;
const WIDTH: usize = 6;
const ROUNDS: usize = 10;
const ITERATIONS: usize = 20;

fn main() -> ExitCode {
    let about = "Train a layer of attention to look up a value.\n\nUsage: attention [OPTIONS]";
    options::run(about, Options::new("attention", ROUNDS, None), run)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let (xs, ys) = lists(200, &mut StdRng::seed_from_u64(1));
    let (held_out_xs, held_out_ys) = lists(200, &mut StdRng::seed_from_u64(2));
    let task = Task {
        name: "attention",
        start: Attention::random(KEYS + 1, WIDTH, &mut StdRng::seed_from_u64(3)),
        value_and_grad: &|model| loss_value_and_grad(model, &xs, &ys),
        measure: &|model| loss(model, &held_out_xs, &held_out_ys).sqrt(),
        measure_title: "Error on held-out lists",
        iterations: ITERATIONS,
    };
    let (_, curve) = train(&task, options)?;
    println!("error on lists held out             {:.4}", curve[curve.len() - 1].measure);
    println!("error of always saying 0            {:.4}", (&held_out_ys * &held_out_ys).mean().unwrap_or(0.0).sqrt());
    let (_, gradient) = loss_value_and_grad(&task.start, &xs, &ys);
    modes::compare(&gradient, |along| loss_jvp(&task.start, &xs, &ys, along, (), ()).1)?;
    Ok(())
}

/// Lists (list, row, one column for each key and one for the value), whose last row is a key without a value, and the values
/// of these keys.
fn lists(count: usize, random: &mut StdRng) -> (Array3<f64>, Array1<f64>) {
    let mut xs = Array3::zeros((count, KEYS + 1, KEYS + 1));
    let mut ys = Array1::zeros(count);
    let mut keys: Vec<usize> = (0..KEYS).collect();
    for i in 0..count {
        keys.shuffle(random);
        for (row, key) in keys.iter().enumerate() {
            xs[[i, row, *key]] = 1.0;
            xs[[i, row, KEYS]] = random.random_range(-1.0..1.0);
        }
        let asked = random.random_range(0..KEYS);
        xs[[i, KEYS, keys[asked]]] = 1.0;
        ys[i] = xs[[i, asked, KEYS]];
    }
    (xs, ys)
}
