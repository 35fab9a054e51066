//! The regression of noisy data by a Gaussian process: the scales of its kernel are learned by their likelihood.
//!
//! ```text
//! cargo run --release --features linalg --example gaussian_process [-- --resume] [--help]
//! ```
//!
//! The data are generated with fixed seeds. After each round the parameters go to
//! `examples/out/gaussian_process.safetensors`, from which `--resume` goes on, and in the end the curve to
//! `examples/out/gaussian_process.svg`. It exits with 1 if a file is wrong, or if the generated derivatives in forward and
//! reverse mode disagree.

mod model;
#[path = "../shared/mod.rs"]
mod shared;

use std::error::Error;
use std::process::ExitCode;

use ndarray::Array1;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use model::{Kernel, loss_jvp, loss_value_and_grad, predict};
use shared::modes;
use shared::options::{self, Options};
use shared::train::{Task, train};

/// The standard deviation of the noise in the data.
const NOISE: f64 = 0.1;
const ROUNDS: usize = 4;
const ITERATIONS: usize = 10;

fn main() -> ExitCode {
    let about = "Learn the scales of a Gaussian process.\n\nUsage: gaussian_process [OPTIONS]";
    options::run(about, Options::new("gaussian_process", ROUNDS, None), run)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let (x, y) = data(80, NOISE, &mut StdRng::seed_from_u64(1));
    // held out without noise: what is measured is how well the function is found
    let (held_out_x, held_out_y) = data(200, 0.0, &mut StdRng::seed_from_u64(2));
    let task = Task {
        name: "gaussian_process",
        start: Kernel::start(),
        value_and_grad: &|kernel| loss_value_and_grad(kernel, &x, &y),
        measure: &|kernel| {
            let error = predict(kernel, &x, &y, &held_out_x) - &held_out_y;
            (error.dot(&error) / error.len() as f64).sqrt()
        },
        measure_title: "Error on held-out points",
        iterations: ITERATIONS,
    };
    let (kernel, curve) = train(&task, options)?;
    println!("error on points held out            {:.4}", curve[curve.len() - 1].measure);
    println!("noise found                         {:.4}, in the data {NOISE}", kernel.noise());
    let (_, gradient) = loss_value_and_grad(&task.start, &x, &y);
    modes::compare(&gradient, |along| loss_jvp(&task.start, &x, &y, along, (), ()).1)?;
    Ok(())
}

/// Points of a function, with noise that is nearly normal.
fn data(count: usize, noise: f64, random: &mut StdRng) -> (Array1<f64>, Array1<f64>) {
    let x = Array1::from_shape_simple_fn(count, || random.random_range(-3.0..3.0));
    let y = x.mapv(|x: f64| {
        (2.0 * x).sin() + 0.5 * x + noise * (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>()
    });
    (x, y)
}
