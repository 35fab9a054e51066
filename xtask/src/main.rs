//! Developer commands: `cargo xtask COMMAND`. Each command is a file; this one only reads the arguments.

mod bless;
mod ci;
mod explain;
mod pages;
mod tidy;
mod walk;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci       everything that continuous integration checks
  tidy     the rules of the source tree: lengths, openings, imports between floors, leftovers
  bless [pages]
           accept what snapshots, compile-fail tests and generated pages (or only those) say now; then read the diff
  explain FILE FUNCTION [lowered|primal|forward|reverse|stored|gradient|rust]
           what becomes of an annotated function, stage by stage";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["explain", rest @ ..] => explain::run(&rest.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>()),
        ["ci"] => ci::run(),
        ["tidy"] => tidy::run(),
        ["bless"] => bless::pages().and_then(|()| bless::tests()),
        ["bless", "pages"] => bless::pages(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_owned()
}

/// Runs a command in the root of the repository; its failure is an error.
fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.current_dir(root()).status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}
