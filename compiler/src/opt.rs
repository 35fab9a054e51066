//! The optimiser: passes over functions that keep the values of the primal bit for bit.
//!
//! A pass is a file: `run` rewrites a function and says whether it changed anything. Values of derivatives may be
//! rounded differently by a pass; those of the primal may not. A panic or an endless loop in code whose result nothing
//! uses need not be kept; effects of inactive code must.

mod affine;
pub mod block;
pub mod buffers;
pub mod clone;
mod copies;
pub mod cse;
pub mod dce;
pub mod discard;
pub mod distribute;
mod element;
pub mod fold;
pub mod fuse;
pub mod inline;
pub mod jam;
mod lanes;
pub mod merge;
pub mod order;
pub mod plain;
pub mod promote;
pub mod reciprocal;
pub mod scalarise;
pub mod shape;
pub mod simplify;
#[cfg(test)]
mod tests;
pub mod unbroadcast;
pub mod unroll;

use crate::ir::Func;

/// A pass: its name in dumps, and what it does.
pub type Pass = (&'static str, fn(&mut Func) -> bool);

/// The passes, in order.
pub const PASSES: &[Pass] = &[
    ("scalarise", scalarise::run),
    ("inline", inline::run),
    ("fold", fold::run),
    ("simplify", simplify::run),
    ("unbroadcast", unbroadcast::run),
    ("cse", cse::run),
    ("order", order::run),
    ("promote", promote::run),
    ("dce", dce::run),
    ("discard", discard::run),
    ("buffers", buffers::run),
];

/// How often the passes are run over a function at most.
const ROUNDS: usize = 4;

/// Runs the passes until none changes anything, or often enough.
pub fn optimise(func: &mut Func) {
    func.lambdas_mut(&mut |l| optimise(&mut l.func));
    for _ in 0..ROUNDS {
        let mut changed = false;
        for &(name, run) in PASSES {
            changed |= run(func);
            check(func, name);
        }
        if !changed {
            break;
        }
    }
}

/// Stops at the pass that broke an invariant. What users build does so after every stage only.
fn check(func: &Func, pass: &str) {
    if cfg!(feature = "verify")
        && let Err(faults) = crate::ir::verify::verify(func)
    {
        panic!("`{}` is broken after {pass}: {faults:#?}", func.name);
    }
}
