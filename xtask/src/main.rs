//! Developer commands: `cargo xtask COMMAND`.

mod explain;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((c, rest)) if c == "explain" => explain::run(rest),
        _ => Err("usage: cargo xtask explain FILE FUNCTION [lowered|primal|forward|reverse|stored|rust]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
