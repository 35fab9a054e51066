//! The main example: a logistic regression on real data, trained with a generated gradient.
//!
//! ```text
//! cargo run --release --example quickstart [-- TABLE]
//! ```
//!
//! It reads a table, standardises it, and minimises by L-BFGS a loss that is one annotated function (`model.rs`).
//! Then it checks the gradient against central differences and against that of the same loss written with whole
//! arrays, times it, and draws the training to `examples/out/loss.svg`. It exits with 1 if the table cannot be read or
//! the two gradients disagree.

mod model;
#[path = "../shared/plot.rs"]
mod plot;
mod table;
mod train;

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ndarray::{Array1, ArrayView2};

use model::{accuracy, loss, loss_arrays_grad, loss_grad, loss_value_and_grad};
use plot::{Panel, Scale};
use table::Table;

const USAGE: &str = "\
Train a logistic regression with a generated gradient.

Usage: quickstart [TABLE]

  TABLE       a CSV file: `rows,columns,class 0,class 1`, then rows of numbers with a label 0 or 1 at the end
              (default: the breast-cancer table in examples/data)
  -h, --help  print this text";

/// The weight of the penalty on the square of the weights.
const L2: f64 = 1e-3;
/// How far the gradients of the two forms of the loss may be apart.
const AGREEMENT: f64 = 1e-12;
const TIMED_RUNS: usize = 2000;

fn main() -> ExitCode {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut arguments = std::env::args_os().skip(1);
    let path = match (arguments.next(), arguments.next()) {
        (None, _) => examples.join("data/breast_cancer.csv"),
        (Some(argument), None) if argument == "--help" || argument == "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        (Some(argument), None) if !argument.as_encoded_bytes().starts_with(b"-") => PathBuf::from(argument),
        (Some(argument), None) => {
            eprintln!("unknown option {}\n\n{USAGE}", argument.display());
            return ExitCode::FAILURE;
        }
        (Some(_), Some(_)) => {
            eprintln!("one table at a time\n\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match run(&path, &examples.join("out/loss.svg")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(input: &Path, picture: &Path) -> Result<(), Box<dyn Error>> {
    let Table { columns, class_names, mut features, labels } = table::read(input)?;
    println!("{}: {} rows of {columns} columns, {}", input.display(), labels.len(), class_names.join(" or "));
    table::standardise(&mut features, columns);
    let (x, y) = (features.as_slice(), labels.as_slice());

    let trained = train::train(x, y, columns, L2)?;
    let (w, b) = (trained.weights.as_slice(), trained.offset);
    println!("L-BFGS: {}, {} iterations", trained.stopped.to_lowercase(), trained.curve.len() - 1);
    println!("loss                                {:.6}", trained.loss);
    println!("accuracy                            {:.2} %", 100.0 * accuracy(w, b, x, y));

    // A gradient that is only too small passes at the minimum, where it is zero, so look at the way there as well.
    let points = [0.0, 0.5, 1.0].map(|share| (w.iter().map(|weight| share * weight).collect::<Vec<_>>(), share * b));
    let deviation = largest(points.iter().map(|(w, b)| deviation_from_differences(w, *b, x, y)));
    println!("gradient from central differences   {deviation:.1e} at most");
    let apart = largest(points.iter().map(|(w, b)| difference_of_forms(w, *b, x, y)));
    println!("gradient of the array form          {apart:.1e} away at most");

    let function = fastest(|| loss(black_box(w), b, x, y, L2));
    let gradient = fastest(|| loss_value_and_grad(black_box(w), b, x, y, L2));
    let multiple = gradient.as_secs_f64() / function.as_secs_f64();
    println!("value and gradient                  {multiple:.2} times the loss alone ({gradient:.1?}, {function:.1?})");

    let (losses, norms): (Vec<_>, Vec<_>) = trained.curve.iter().map(|point| (point.loss, point.gradient_norm)).unzip();
    let panels = [
        Panel { title: "Loss", values: &losses, scale: Scale::Linear },
        Panel { title: "Norm of the gradient", values: &norms, scale: Scale::Logarithmic },
    ];
    plot::draw(picture, "iteration of L-BFGS", &panels)?;
    println!("curve drawn to                      {}", picture.display());
    // A NaN must fail as well, so the test is not `apart > AGREEMENT`.
    if apart <= AGREEMENT {
        Ok(())
    } else {
        Err(format!("the gradients of the two forms of the loss differ by {apart:e}, more than {AGREEMENT:e}").into())
    }
}

/// The largest deviation of the gradient from central differences of the loss.
fn deviation_from_differences(w: &[f64], b: f64, x: &[f64], y: &[f64]) -> f64 {
    const STEP: f64 = 1e-5;
    let slope = |f: &dyn Fn(f64) -> f64| (f(STEP) - f(-STEP)) / (2.0 * STEP);
    let (in_w, in_b) = loss_grad(w, b, x, y, L2);
    let deviations_in_w = in_w.iter().enumerate().map(|(j, entry)| {
        let difference = slope(&|step| {
            let mut moved = w.to_vec();
            moved[j] += step;
            loss(&moved, b, x, y, L2)
        });
        entry - difference
    });
    let deviation_in_b = in_b - slope(&|step| loss(w, b + step, x, y, L2));
    largest(deviations_in_w.chain([deviation_in_b]))
}

/// The largest difference between the gradients of `loss` and of `loss_arrays`.
fn difference_of_forms(w: &[f64], b: f64, x: &[f64], y: &[f64]) -> f64 {
    let (in_w, in_b) = loss_grad(w, b, x, y, L2);
    let matrix = ArrayView2::from_shape((y.len(), w.len()), x).expect("each row has one number per weight").to_owned();
    let (w, y) = (Array1::from(w.to_vec()), Array1::from(y.to_vec()));
    let (arrays_in_w, arrays_in_b) = loss_arrays_grad(&w, b, &matrix, &y, L2);
    largest(in_w.iter().zip(&arrays_in_w).map(|(one, other)| one - other).chain([in_b - arrays_in_b]))
}

/// The largest magnitude; NaN if there is one, unlike `f64::max`.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).fold(0.0, |top, value| if top.is_nan() || value <= top { top } else { value })
}

/// The shortest of many runs, which is the one that other work on the machine disturbed least.
fn fastest<T>(mut run: impl FnMut() -> T) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..TIMED_RUNS).map(timed).min().expect("there is at least one run")
}
