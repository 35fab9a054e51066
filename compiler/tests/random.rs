//! Random functions of the accepted language through all stages.
//!
//! Every program must compile without a diagnostic, and in the interpreter all stages must give its value bit for bit
//! and both modes the derivative that central differences give. `COTANGENT_RANDOM=n` runs n programs more, from seed
//! `COTANGENT_RANDOM_SEED` on; a failure is made smaller before it is printed, of each kind
//! the first `COTANGENT_RANDOM_MOST`, of kinds that contain `COTANGENT_RANDOM_ONLY`. With `COTANGENT_RANDOM_RUSTC=1` the
//! programs are also compiled by `rustc` and run, and their values compared with those of the interpreter;
//! `COTANGENT_RANDOM_LIB=target/debug` takes the library that was built there, and the generated companions run too.

#[path = "random/chain.rs"]
mod chain;
#[path = "random/check.rs"]
mod check;
#[path = "random/expr.rs"]
mod expr;
#[path = "random/generate.rs"]
mod generate;
#[path = "random/regressions.rs"]
mod regressions;
#[path = "random/repeat.rs"]
mod repeat;
#[path = "random/rng.rs"]
mod rng;
#[path = "random/rust.rs"]
mod rust;
#[path = "random/scope.rs"]
mod scope;
#[path = "random/shrink.rs"]
mod shrink;
#[path = "random/statement.rs"]
mod statement;

use std::collections::BTreeMap;
use std::ops::Range;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Checks the programs of some seeds; gives the failures, smallest sources, and how many programs said something.
fn run(seeds: Range<u64>) -> (Vec<String>, usize, usize) {
    let most = number("COTANGENT_RANDOM_MOST").unwrap_or(1) as usize;
    let only = std::env::var("COTANGENT_RANDOM_ONLY").unwrap_or_default();
    let with_rustc = number("COTANGENT_RANDOM_RUSTC").is_some();
    let verbose = number("COTANGENT_RANDOM_VERBOSE").is_some();
    let started = std::time::Instant::now();
    let (mut failures, mut checked, mut differenced) = (Vec::new(), 0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut batch = Vec::new();
    for seed in number("COTANGENT_RANDOM_ONE").map_or(seeds, |s| s..s + 1) {
        let program = generate::program(seed);
        if verbose {
            eprintln!("{seed} ({:.1?}): {}", started.elapsed(), program.source);
        }
        match check::check(&program.source, &program.args) {
            Ok(None) => {}
            Ok(Some(outcome)) => {
                checked += 1;
                differenced += usize::from(outcome.differences);
                if with_rustc {
                    batch.push((seed, program, outcome));
                }
            }
            Err(failure) => {
                let seen = kinds.entry(failure.class()).or_insert(0);
                *seen += 1;
                if *seen <= most && failure.class().contains(&only) {
                    let small = format!("seed {seed}: {}", shrink::shrink(&program, &failure));
                    eprintln!("{small}\n");
                    failures.push(small);
                }
            }
        }
        if batch.len() == 250 {
            failures.extend(rust::compare(&std::mem::take(&mut batch)));
        }
    }
    failures.extend(rust::compare(&batch));
    if !kinds.is_empty() {
        let list: Vec<String> = kinds.iter().map(|(k, n)| format!("{n} × {k}")).collect();
        failures.push(list.join("\n"));
    }
    (failures, checked, differenced)
}

#[test]
fn random_programs() {
    std::panic::set_hook(Box::new(|_| {}));
    let (failures, checked, differenced) = run(0..400);
    let _ = std::panic::take_hook();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(checked > 360 && differenced > 280, "too few programs say something: {checked}, {differenced}");
}

#[test]
fn more_random_programs() {
    let Some(count) = number("COTANGENT_RANDOM") else { return };
    let from = number("COTANGENT_RANDOM_SEED").unwrap_or(1_000_000);
    std::panic::set_hook(Box::new(|_| {}));
    let (failures, checked, differenced) = run(from..from + count);
    let _ = std::panic::take_hook();
    println!("{checked} of {count} programs checked, {differenced} of them by differences");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
