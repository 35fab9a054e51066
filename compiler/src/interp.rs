//! The reference machine: runs a function of the intermediate representation on plain values.
//!
//! It is the measure for every pass, so it is simple before it is fast. It works before and after storage is decided:
//! every execution of a graph leaves a record of its values and of the executions nested in it, in order, and a
//! reverse sweep that replays a graph reads them there. Execution `j` of a reverse loop stands against the record
//! `count - 1 - j` of the body that it replays; a branch and an applied graph stand against their single record.
//!
//! Floats are `f64`; where a visible type says `f32`, the result of each operation is rounded to it. Integers are
//! checked against the range of a visible type. What Rust panics at is [`InterpError::Panic`]. Code that is kept as
//! tokens is not run ([`InterpError::Unsupported`]), but for simple arithmetic; calls run where [`Interp::with_call`]
//! says how.

mod array;
mod code;
mod exec;
mod ops;
mod path;
mod reduce;
mod scalar;
mod tangent;
mod tape;
mod val;
mod whole;

#[cfg(test)]
mod tests;

pub use val::{Closure, Native, Val};

use crate::ir::{Func, Graph, Node};
use la_arena::ArenaMap;
use std::collections::BTreeMap;
use std::fmt;

/// Why a function could not be run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterpError {
    /// The program panics: the message.
    Panic(String),
    /// The machine cannot run this: Rust tokens, unknown calls.
    Unsupported(String),
    /// The function or its arguments are malformed; a fault of the compiler or of the test.
    Malformed(String),
    /// The run takes more steps than [`Interp::with_fuel`] says.
    OutOfFuel,
}

impl fmt::Display for InterpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpError::Panic(message) => write!(f, "the program panics: {message}"),
            InterpError::Unsupported(what) => write!(f, "the interpreter cannot run {what}"),
            InterpError::Malformed(message) => write!(f, "malformed: {message}"),
            InterpError::OutOfFuel => f.write_str("the program takes too many steps"),
        }
    }
}

impl std::error::Error for InterpError {}

/// What everything here returns.
type Result<T, E = InterpError> = std::result::Result<T, E>;

fn panic<T>(message: impl Into<String>) -> Result<T> {
    Err(InterpError::Panic(message.into()))
}

fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(InterpError::Unsupported(what.into()))
}

fn malformed<T>(message: impl Into<String>) -> Result<T> {
    Err(InterpError::Malformed(message.into()))
}

/// How a call is run: from the arguments to the results of the node.
pub type Hook<'a> = Box<dyn Fn(&[Val]) -> Result<Vec<Val>> + 'a>;

/// A function, ready to be run.
pub struct Interp<'a> {
    func: &'a Func,
    calls: BTreeMap<String, Hook<'a>>,
    fuel: u64,
    /// For every nested graph: the graph and the node that it is nested in.
    parents: ArenaMap<Graph, (Graph, Node)>,
}

impl<'a> Interp<'a> {
    /// A machine for `func`.
    pub fn new(func: &'a Func) -> Self {
        let mut parents = ArenaMap::default();
        func.walk(func.root, &mut |g, n| {
            for nested in func[n].op.graphs() {
                parents.insert(nested, (g, n));
            }
        });
        Interp { func, calls: BTreeMap::new(), fuel: 10_000_000, parents }
    }

    /// Says how the calls of a callee run. `callee` is its path as it is written, `.name` for a method, with `_vjp` or
    /// `_jvp` at its end for the companions. The companion `_vjp` returns a pullback as its last result: a
    /// [`Val::Native`] from seeds to an entry for each argument.
    #[must_use]
    pub fn with_call(mut self, callee: &str, hook: impl Fn(&[Val]) -> Result<Vec<Val>> + 'a) -> Self {
        self.calls.insert(callee.to_owned(), Box::new(hook));
        self
    }

    /// Stops each run after this many nodes and iterations instead of ten million.
    #[must_use]
    pub fn with_fuel(mut self, nodes: u64) -> Self {
        self.fuel = nodes;
        self
    }

    /// Runs the function.
    ///
    /// # Errors
    /// See [`InterpError`].
    pub fn run(&self, args: &[Val]) -> Result<Vec<Val>> {
        exec::Machine::new(self, None).run(args)
    }

    /// Applies a pullback that [`Interp::run`] or this function returned. It may be applied any number of times.
    ///
    /// # Errors
    /// See [`InterpError`].
    pub fn call(&self, closure: &Val, args: &[Val]) -> Result<Vec<Val>> {
        match closure {
            Val::Closure(closure) => exec::Machine::new(self, closure.tape.clone()).call(closure, args),
            Val::Native(native) => (native.0)(args),
            other => malformed(format!("{other:?} is not a pullback")),
        }
    }
}

/// Runs a function.
///
/// # Errors
/// See [`InterpError`].
pub fn run(func: &Func, args: &[Val]) -> Result<Vec<Val>> {
    Interp::new(func).run(args)
}

/// Applies a pullback that [`run`] returned.
///
/// # Errors
/// See [`InterpError`].
pub fn call(func: &Func, closure: &Val, args: &[Val]) -> Result<Vec<Val>> {
    Interp::new(func).call(closure, args)
}
