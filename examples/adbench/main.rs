//! ADBench: four problems that differentiation systems are compared by, as annotated plain Rust.
//!
//! ```text
//! cargo run --release --example adbench [-- OPTIONS] [WORDS]
//! ```
//!
//! Each instance is read from its file, compared with the expected values, and timed: its objective, which is the
//! annotated function, and its derivative, which is assembled from the companions. It prints a table, draws it to
//! `examples/out/adbench.svg`, and exits with 1 if a file cannot be read or a value is wrong.
//!
//! The problems are those of Šrajer, Kukelova and Fitzgibbon, *A benchmark of selected algorithmic differentiation tools
//! on some problems in computer vision and machine learning*, 2018. `examples/data/README.md` says where the files are
//! from.

#![allow(
    clippy::needless_range_loop,
    reason = "the annotated objectives are plain loops over indices, as users write them"
)]

mod ba;
mod expected;
mod gmm;
mod hand;
mod lstm;
mod plot;
mod problem;
mod read;
mod timing;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use problem::{Files, Instance};
use timing::Times;

const USAGE: &str = "\
Time derivatives against their objectives on the problems of ADBench.

Usage: adbench [--data DIR] [--check | --quick] [WORD ...]

  WORD        only the instances whose names contain one of the words, such as `gmm` or `d20`
  --data DIR  where the files are (default: examples/data/adbench, which leaves out two large ones)
  --check     only compare the values with the expected ones
  --quick     measure for a shorter time
  -h, --help  print this text";

/// CPU seconds that go into the timing of one instance, and of one with `--quick`.
const SECONDS: f64 = 3.0;
const QUICK_SECONDS: f64 = 0.3;

/// What is asked for.
struct Options {
    data: Option<PathBuf>,
    /// CPU seconds for each instance; `None` only checks.
    seconds: Option<f64>,
    words: Vec<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let result = parse(arguments).map_err(Into::into).and_then(|options| run(&options));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: Vec<String>) -> Result<Options, String> {
    let mut options = Options { data: None, seconds: Some(SECONDS), words: Vec::new() };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--data" => {
                let folder = arguments.next().ok_or_else(|| format!("--data needs a folder\n\n{USAGE}"))?;
                options.data = Some(PathBuf::from(folder));
            }
            "--check" => options.seconds = None,
            "--quick" => options.seconds = Some(QUICK_SECONDS),
            option if option.starts_with('-') => return Err(format!("unknown option {option}\n\n{USAGE}")),
            _ => options.words.push(argument),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let folder = options.data.clone().unwrap_or_else(|| examples.join("data/adbench"));
    let chosen = |instance: &&Instance| {
        options.words.is_empty() || options.words.iter().any(|word| instance.name.contains(word.as_str()))
    };
    let instances: Vec<&Instance> = [gmm::INSTANCES, ba::INSTANCES, hand::INSTANCES, lstm::INSTANCES]
        .into_iter()
        .flatten()
        .filter(chosen)
        .collect();
    if instances.is_empty() {
        return Err(format!("no instance has a name with {}", options.words.join(" or ")).into());
    }

    println!("CPU time of one evaluation, and the largest deviation from the expected values");
    println!(
        "{:<24} {:>13} {:>13} {:>8} {:>8} {:>10}",
        "instance", "objective ms", "derivative ms", "ratio", "goal", "deviation"
    );
    let mut measured = Vec::new();
    for instance in instances {
        let files = Files::new(&folder, instance);
        if options.data.is_none() && !files.data().exists() {
            println!("{:<24} left out: {} is not shipped, give --data DIR", instance.name, instance.file);
            continue;
        }
        let problem = (instance.open)(&files)?;
        let expected = read::expected(&files.shared(&format!("expected/{}.json", instance.expected)))?;
        let deviation = problem.compare(&expected).map_err(|wrong| format!("{}: {wrong}", instance.name))?.0;
        let Some(seconds) = options.seconds else {
            println!("{:<24} {:>57.0e}", instance.name, deviation);
            continue;
        };
        let times = timing::measure(problem.as_ref(), seconds);
        let Times { objective, derivative } = times;
        println!(
            "{:<24} {:>13.4} {:>13.4} {:>8.2} {:>8.2} {deviation:>10.0e}",
            instance.name,
            objective * 1e3,
            derivative * 1e3,
            derivative / objective,
            instance.goal
        );
        measured.push((instance.name, times));
    }
    if !measured.is_empty() {
        let picture = examples.join("out/adbench.svg");
        plot::draw(&picture, &measured)?;
        println!("drawn to {}", picture.display());
    }
    Ok(())
}
