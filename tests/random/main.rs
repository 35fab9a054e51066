//! Random functions of the accepted language, in the interpreter and as a user compiles them.
//!
//! Every program must compile without a diagnostic. In the interpreter all stages give its value bit for bit, and both
//! modes the derivative that central differences give. Compiled by `rustc`, all companions give its value bit for bit and
//! the derivative that dual numbers of another crate give, and differences.
//!
//! More programs, from a seed on: `COTANGENT_RANDOM=20000 cargo test --release --test random more -- --nocapture`, with
//!
//! | variable | |
//! |---|---|
//! | `COTANGENT_RANDOM_SEED` | the first seed |
//! | `COTANGENT_RANDOM_COMPILED=1` | the programs are compiled and run too; `=2` without the interpreter |
//! | `COTANGENT_RANDOM_ONE` | only the program of this seed |
//! | `COTANGENT_RANDOM_MOST` | of each kind of failure, so many are made smaller and printed |
//! | `COTANGENT_RANDOM_PATIENCE` | for each of these, so many seconds are spent |
//! | `COTANGENT_RANDOM_ONLY` | only kinds of failure that contain this |
//! | `COTANGENT_RANDOM_VERBOSE=1` | each program is printed before it is checked |

mod calls;
mod chain;
mod check;
mod compile;
mod dualize;
mod expr;
mod generate;
#[allow(dead_code, unreachable_pub)]
mod harness;
mod items;
mod options;
mod print;
mod regressions;
mod repeat;
mod rng;
mod scope;
mod shrink;
mod statement;

use compile::Ran;
use generate::Program;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs from this seed on have other items too, if they are compiled.
const WIDE: u64 = 1000;

/// Programs that are refused: a method changes a value that nothing uses afterwards, or moves one that is lent.
const REFUSED: [u64; 2] = [2050, 2094];

/// Programs in one crate.
const BATCH: usize = 50;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// What was found about many programs.
#[derive(Default)]
struct Summary {
    /// Programs that said something.
    checked: usize,
    /// Those that differences confirmed.
    differenced: usize,
    /// The seeds of each kind of failure.
    kinds: BTreeMap<String, Vec<u64>>,
    /// Some of the failures, made smaller.
    failures: Vec<String>,
}

impl Summary {
    fn fails(&mut self, seed: u64, program: &Program, failure: &check::Failure) {
        let most = number("COTANGENT_RANDOM_MOST").unwrap_or(1) as usize;
        let only = std::env::var("COTANGENT_RANDOM_ONLY").unwrap_or_default();
        let seen = self.kinds.entry(failure.class()).or_default();
        seen.push(seed);
        if seen.len() <= most && failure.class().contains(&only) {
            let small = format!("seed {seed}: {}", shrink::shrink(program, failure));
            eprintln!("{small}\n");
            self.failures.push(small);
        }
    }

    fn says(&mut self, differences: bool) {
        self.checked += 1;
        self.differenced += usize::from(differences);
    }

    #[track_caller]
    fn assert_fine(&self) {
        let line = |(kind, seeds): (&String, &Vec<u64>)| format!("{} × {kind}: {:?}", seeds.len(), seeds);
        let kinds: Vec<String> = self.kinds.iter().map(line).collect();
        assert!(kinds.is_empty(), "{}\n\n{}", self.failures.join("\n\n"), kinds.join("\n"));
    }
}

/// The programs of some seeds; most may have other items too.
fn programs(seeds: impl Iterator<Item = u64>, compiled: bool) -> impl Iterator<Item = (u64, Program)> {
    let verbose = number("COTANGENT_RANDOM_VERBOSE").is_some();
    let one = number("COTANGENT_RANDOM_ONE");
    let seeds: Vec<u64> = one.map_or_else(|| seeds.collect(), |seed| vec![seed]);
    seeds.into_iter().map(move |seed| {
        let wide = compiled && seed >= WIDE && seed % 4 != 0;
        let program = if wide { generate::wide_program(seed) } else { generate::program(seed) };
        if verbose {
            eprintln!("{seed}: {}", program.source);
        }
        (seed, program)
    })
}

/// Runs the programs of some seeds in the interpreter.
fn interpret(seeds: Range<u64>) -> Summary {
    let mut summary = Summary::default();
    for (seed, program) in programs(seeds, false) {
        match check::check(&program) {
            Ok(None) => {}
            Ok(Some(outcome)) => summary.says(outcome.differences),
            Err(failure) => summary.fails(seed, &program, &failure),
        }
    }
    summary
}

/// Compiles the programs of some seeds and runs them.
fn compile(seeds: impl Iterator<Item = u64>) -> Summary {
    let programs: Vec<(u64, Program)> = programs(seeds, true).collect();
    let batches: Vec<&[(u64, Program)]> = programs.chunks(BATCH).collect();
    let (next, workers) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let mut ran: Vec<(usize, Vec<Ran>)> = std::thread::scope(|scope| {
        let work = || {
            let mut ran = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let programs: Vec<&Program> = batch.iter().map(|(_, p)| p).collect();
                let first = batch.as_ptr().addr();
                ran.push((first, compile::run(&programs)));
            }
            ran
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a worker")).collect()
    });
    ran.sort_by_key(|(first, _)| *first);
    let mut summary = Summary::default();
    for ((seed, program), ran) in programs.iter().zip(ran.into_iter().flat_map(|(_, ran)| ran)) {
        match ran {
            Ran::Silent => {}
            Ran::Holds(value, differences) => match check::disagreement(program, &value) {
                None => summary.says(differences),
                Some(failure) => summary.fails(*seed, program, &failure),
            },
            Ran::Fails(failure) => summary.fails(*seed, program, &failure),
        }
    }
    summary
}

/// Without the messages of panics that are expected.
fn quietly<R>(run: impl FnOnce() -> R) -> R {
    std::panic::set_hook(Box::new(|_| {}));
    let result = run();
    let _ = std::panic::take_hook();
    result
}

#[test]
fn programs_in_the_interpreter() {
    let found = quietly(|| interpret(0..400));
    found.assert_fine();
    assert!(found.checked > 360 && found.differenced > 280, "{} checked, {}", found.checked, found.differenced);
}

#[test]
fn programs_compiled() {
    let found = quietly(|| compile((0..200).chain(2000..2102).filter(|seed| !REFUSED.contains(seed))));
    found.assert_fine();
    println!(
        "{} of 300 programs compiled and checked, {} of them by differences too",
        found.checked, found.differenced
    );
    assert!(found.checked > 250 && found.differenced > 180, "{} checked, {}", found.checked, found.differenced);
}

#[test]
fn more_programs() {
    let Some(count) = number("COTANGENT_RANDOM") else { return };
    let from = number("COTANGENT_RANDOM_SEED").unwrap_or(1_000_000);
    let compiled = number("COTANGENT_RANDOM_COMPILED").unwrap_or(0);
    let run = |how: &str, all: fn(Range<u64>) -> Summary| {
        let found = quietly(|| all(from..from + count));
        println!("{how}: {} of {count} checked, {} of them by differences", found.checked, found.differenced);
        found.assert_fine();
    };
    if compiled < 2 {
        run("interpreted", interpret);
    }
    if compiled > 0 {
        run("compiled", compile);
    }
}
