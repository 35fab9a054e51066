//! The price of a gradient: each kernel's primal, its generated value and gradient, and an adjoint written by hand.
//!
//! `cargo bench` prints a table of ratios; `cargo bench -- lorenz heat` takes only the kernels whose names contain one
//! of the words, `--quick` measures for a shorter time, and `--growth` shows instead how time and memory of one kernel grow
//! with the number of its steps. The values are checked first, and a wrong one ends the run with
//! exit code 1. Without the `--bench` that cargo adds (as in `cargo test --benches`), only the values are checked.
//!
//! The rule for the adjoints by hand: safe Rust on the standard library, with the primal's forward sweep, so that the
//! value is summed in the same order, and everything else as fast and as small as it gets.

#![allow(
    clippy::needless_range_loop,
    reason = "the annotated kernels are plain loops over indices, as users write them"
)]

mod brusselator;
mod dormand_prince;
mod fft;
mod gaussian_process;
mod harness;
mod heat;
mod kalman;
mod lennard_jones;
mod logistic;
mod lorenz;
mod perceptron;
mod rosenbrock;
mod spline;
mod transcendental;
mod tree;

use std::process::ExitCode;

use harness::{Measured, Settings};

/// CPU seconds that go into the timing of one kernel, and of one with `--quick`.
const SECONDS: f64 = 3.0;
const QUICK_SECONDS: f64 = 0.3;

type Measure = fn(Settings) -> Result<Measured, String>;

const KERNELS: [(&str, Measure); 15] = [
    ("rosenbrock", rosenbrock::measure),
    ("transcendental", transcendental::measure),
    ("lennard-jones", lennard_jones::measure),
    ("lorenz", lorenz::measure),
    ("logistic", logistic::measure),
    ("heat, copied back", heat::measure_copied_back),
    ("heat, swapped", heat::measure_swapped),
    ("perceptron", perceptron::measure),
    ("tree", tree::measure),
    ("brusselator", brusselator::measure),
    ("fft", fft::measure),
    ("dormand-prince", dormand_prince::measure),
    ("spline", spline::measure),
    ("kalman", kalman::measure),
    ("gaussian process", gaussian_process::measure),
];

fn main() -> ExitCode {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !["--bench", "--quick", "--growth"].contains(&option.as_str()))
    {
        eprintln!("unknown option {unknown}: there are --quick, --growth and the names of kernels");
        return ExitCode::FAILURE;
    }
    let has = |option: &str| options.iter().any(|given| given == option);
    if has("--growth") {
        lorenz::print_growth();
        return ExitCode::SUCCESS;
    }
    let seconds = if has("--quick") { QUICK_SECONDS } else { SECONDS };
    let settings = Settings { seconds: has("--bench").then_some(seconds) };
    let selected = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));

    let kernels: Vec<&(&str, Measure)> = KERNELS.iter().filter(|(name, _)| selected(name)).collect();
    if kernels.is_empty() {
        eprintln!("no kernel is called {}", words.join(" or "));
        return ExitCode::FAILURE;
    }

    println!(
        "CPU time of value and gradient; bytes are the growth of the heap, the gradient included, per iteration and in all"
    );
    println!(
        "{:<18} {:>10} {:>10} {:>10} {:>12} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "kernel",
        "primal µs",
        "ours µs",
        "hand µs",
        "ours/primal",
        "hand/primal",
        "ours/hand",
        "ours B/it",
        "hand B/it",
        "ours kB",
        "hand kB"
    );
    let mut ratios = Vec::new();
    for (name, measure) in kernels {
        match measure(settings) {
            Ok(measured) => ratios.extend(print_row(name, &measured)),
            Err(mismatch) => {
                eprintln!("{name}: {mismatch}");
                return ExitCode::FAILURE;
            }
        }
    }
    print_summary(ratios);
    ExitCode::SUCCESS
}

/// Prints a line of the table and returns ours/hand.
fn print_row(name: &str, measured: &Measured) -> Option<f64> {
    let [ours_bytes, hand_bytes] = measured.bytes.map(|bytes| bytes as f64 / measured.iterations as f64);
    let [ours_peak, hand_peak] = measured.bytes.map(|bytes| bytes as f64 / 1000.0);
    let Some([primal, ours, hand]) = measured.seconds else {
        println!("{name:<18} values agree; {ours_bytes:.0} bytes per iteration, by hand {hand_bytes:.0}");
        return None;
    };
    println!(
        "{name:<18} {:>10.2} {:>10.2} {:>10.2} {:>12.2} {:>12.2} {:>10.2} {ours_bytes:>10.0} {hand_bytes:>10.0} \
         {ours_peak:>10.1} {hand_peak:>10.1}",
        primal * 1e6,
        ours * 1e6,
        hand * 1e6,
        ours / primal,
        hand / primal,
        ours / hand,
    );
    Some(ours / hand)
}

fn print_summary(mut ratios: Vec<f64>) {
    if ratios.is_empty() {
        return;
    }
    ratios.sort_by(f64::total_cmp);
    let count = ratios.len();
    let geometric_mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count as f64).exp();
    let median = 0.5 * (ratios[(count - 1) / 2] + ratios[count / 2]);
    let worst = ratios[count - 1];
    println!("ours/hand: geometric mean {geometric_mean:.2}, median {median:.2}, worst {worst:.2}");
}
