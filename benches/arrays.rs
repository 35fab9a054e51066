//! The price of a gradient of whole-array code: each program's primal, its generated value and gradient, and a backward
//! pass written by hand on `ndarray`.
//!
//! `cargo bench --bench arrays` prints a table of ratios; `-- chain rnn` takes only the programs whose names contain one of
//! the words, `--quick` measures for a shorter time. The value and the norm of the gradient are checked first against
//! numbers from elsewhere, in `f64` to 1e-9 and in `f32` to 1e-4, and a wrong one ends the run with exit code 1. Without the
//! `--bench` that cargo adds, only these are checked. `python3 benches/jax.py` times the same programs in JAX.
//!
//! The rule for the code by hand: safe Rust on `ndarray`, products by `ndarray` too, elementwise chains in one loop, buffers
//! used again where that is natural; the functions of `std`, as the primal has them.

#[path = "arrays/attention.rs"]
mod attention;
#[path = "arrays/chain.rs"]
mod chain;
#[path = "arrays/logistic.rs"]
mod logistic;
#[path = "arrays/perceptron.rs"]
mod perceptron;
#[path = "arrays/recurrent.rs"]
mod recurrent;

#[path = "kernels/harness.rs"]
#[allow(dead_code, reason = "what only scalar kernels need")]
mod harness;

use std::process::ExitCode;

use harness::{Measured, Oracle, Settings};
use ndarray::{Array, Dimension, ShapeBuilder};

/// CPU seconds that go into the timing of one program, and of one with `--quick`.
const SECONDS: f64 = 3.0;
const QUICK_SECONDS: f64 = 0.3;

type Measure = fn(Settings) -> Result<Measured, String>;

const PROGRAMS: [(&str, Measure); 10] = [
    ("logreg 569 x 30 f64", |s| logistic::measure((569, 30), [0.82672810066, 0.613144583104], s)),
    ("logreg 100000 x 50 f64", |s| logistic::measure((100_000, 50), [1.04165167738, 1.17120540181], s)),
    ("mlp 32 x 784-128-10 f32", |s| perceptron::single::measure([32, 784, 128, 10], [2.32059, 0.204982], s)),
    ("mlp 256 x 784-256-10 f32", |s| perceptron::single::measure([256, 784, 256, 10], [2.31572, 0.239190], s)),
    ("mlp 1797 x 64-64-10 f64", |s| {
        perceptron::double::measure([1797, 64, 64, 10], [2.31502452701, 0.0777000824704], s)
    }),
    ("chain 10^6 f64", |s| chain::double::measure(1_000_000, [2.07337336248, 679.3958315], s)),
    ("chain 10^6 f32", |s| chain::single::measure(1_000_000, [2.07339, 679.396], s)),
    ("chain 10^3 f64", |s| chain::double::measure(1_000, [1.93123043611, 21.493974392], s)),
    ("attention 128 x 64 f32", |s| attention::measure([211.4287, 958.3605], s)),
    ("rnn 50 x 32 x 64 f32", |s| recurrent::measure([59.4897, 599.574], s)),
];

/// What an array of some shape holds: its i-th element is sin(0.7 i + k), times a factor.
fn generated<A: FromF64, D: Dimension, S: ShapeBuilder<Dim = D>>(shape: S, k: usize, factor: f64) -> Array<A, D> {
    let mut i = 0.0;
    Array::from_shape_simple_fn(shape, || {
        let x = factor * (0.7 * i + k as f64).sin();
        i += 1.0;
        A::from_f64(x)
    })
}

/// A float that a number is rounded to.
trait FromF64: Clone {
    fn from_f64(x: f64) -> Self;
}

impl FromF64 for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }
}

impl FromF64 for f32 {
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
}

/// A value and the norm of a gradient, in `f64` to 1e-9 and in `f32` to 1e-4.
fn anchors([value, norm]: [f64; 2], single: bool) -> Oracle<'static> {
    let tolerance = if single { 1e-4 } else { 1e-9 };
    Oracle::Anchors { value, norm, tolerance, agreement: if single { 1e-4 } else { 1e-10 } }
}

/// All elements of arrays, in order.
macro_rules! flat {
    ($($array:expr),+) => {
        [$($array.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>()),+].concat()
    };
}
use flat;

fn main() -> ExitCode {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !["--bench", "--quick"].contains(&option.as_str())) {
        eprintln!("unknown option {unknown}: there are --quick and the names of programs");
        return ExitCode::FAILURE;
    }
    let has = |option: &str| options.iter().any(|given| given == option);
    let seconds = if has("--quick") { QUICK_SECONDS } else { SECONDS };
    let settings = Settings { seconds: has("--bench").then_some(seconds) };
    let selected = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    println!("CPU time of value and gradient; kB are the growth of the heap, the gradient included");
    println!(
        "{:<26} {:>10} {:>10} {:>10} {:>12} {:>12} {:>10} {:>10} {:>10}",
        "program", "primal µs", "ours µs", "hand µs", "ours/primal", "hand/primal", "ours/hand", "ours kB", "hand kB"
    );
    for (name, measure) in PROGRAMS.iter().filter(|(name, _)| selected(name)) {
        match measure(settings) {
            Ok(measured) => print_row(name, &measured),
            Err(mismatch) => {
                eprintln!("{name}: {mismatch}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn print_row(name: &str, measured: &Measured) {
    let [ours_bytes, hand_bytes] = measured.bytes.map(|bytes| bytes as f64 / 1000.0);
    let Some([primal, ours, hand]) = measured.seconds else {
        println!("{name:<26} values agree; {ours_bytes:.1} kB, by hand {hand_bytes:.1}");
        return;
    };
    println!(
        "{name:<26} {:>10.1} {:>10.1} {:>10.1} {:>12.2} {:>12.2} {:>10.2} {ours_bytes:>10.1} {hand_bytes:>10.1}",
        primal * 1e6,
        ours * 1e6,
        hand * 1e6,
        ours / primal,
        hand / primal,
        ours / hand,
    );
}
