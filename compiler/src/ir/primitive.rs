//! The record by which a primitive function is declared. The entries are in [`crate::prims`].

use super::builder::Builder;
use super::graph::Value;
use std::fmt;

/// What a primitive is, for types and activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floats to a float of the same kind (`+`, `sin`); on integers, integers of the same kind.
    Arithmetic,
    /// Two values of the same kind to a boolean (`<`).
    Compare,
    /// Booleans (or integers) to the same (`!`, `&`).
    Logic,
    /// `(bool, a, b)`: `a` or `b`; only one is evaluated.
    Select,
    /// A reduction or a product of whole arrays; its type rule is its own.
    Whole,
}

/// A partial derivative ∂out/∂xᵢ as a formula of the inputs and the output: builds nodes, returns their value.
pub type Partial = fn(&mut Builder<'_>, &[Value], Value) -> Value;

/// A linear map of one tangent or cotangent, as a formula of the inputs, the output and that.
pub type Linear = fn(&mut Builder<'_>, &[Value], Value, Value) -> Value;

/// The derivative in one input, as a linear map and its transpose.
#[derive(Clone, Copy)]
pub struct Derivative {
    /// From the tangent of the input to that of the output.
    pub forward: Linear,
    /// From the cotangent of the output to that of the input.
    pub reverse: Linear,
}

/// How a primitive is differentiated.
#[derive(Clone, Copy)]
pub enum Rule {
    /// One partial per input (`None`: an input without derivative, such as the exponent of `powi`).
    Partials(&'static [Option<Partial>]),
    /// The derivative is zero everywhere; the reason.
    Zero(&'static str),
    /// Linear in each input on its own: for input i, from the inputs and the cotangent to the cotangent of the input
    /// (its transpose; `None`: an input without derivative, such as an axis). The tangent of the result is the sum of
    /// the primitive on each tangent in turn.
    Transposes(&'static [Option<Partial>]),
    /// For each input its derivative in both directions, for what is not elementwise and not linear: reductions of whole
    /// arrays (`None`: an input without derivative).
    Derivatives(&'static [Option<Derivative>]),
    /// There is a derivative, but not here; what is missing.
    Missing(&'static str),
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Partials(_) => "Partials",
            Rule::Zero(_) => "Zero",
            Rule::Transposes(_) => "Transposes",
            Rule::Derivatives(_) => "Derivatives",
            Rule::Missing(_) => "Missing",
        })
    }
}

/// How expensive a primitive is, and so whether its result is kept for the reverse sweep or computed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// An addition, a product, a comparison.
    Cheap,
    /// A division or a square root.
    Division,
    /// A transcendental function.
    Transcendental,
    /// A pass over an array.
    Array,
}

/// How a primitive is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `a + b`
    Infix(&'static str),
    /// `-a`
    Prefix(&'static str),
    /// `a.sin()`, and `f64::sin(a)`
    Method(&'static str),
    /// A function of the runtime: `__private::scale(a, b)`
    Runtime(&'static str),
    /// `if c { a } else { b }`
    Conditional,
}

/// The declaration of a primitive function: everything that any stage needs to know of it.
#[derive(Debug)]
pub struct Primitive {
    /// Its name in the IR; for methods that of the method.
    pub name: &'static str,
    /// The number of inputs.
    pub arity: usize,
    /// One sentence with the formula.
    pub doc: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Its derivative.
    pub rule: Rule,
    /// Its value in the interpreter; booleans are 0 and 1.
    pub eval: fn(&[f64]) -> f64,
    /// How it is written in Rust.
    pub rust: Spelling,
    /// How it is written in CUDA C for `double`; the `float` form is derived from it.
    pub cuda: &'static str,
    /// Its cost.
    pub cost: Cost,
    /// For each input, where the generated tests sample it; away from kinks and poles.
    pub domain: &'static [(f64, f64)],
    /// The convention at points where the derivative does not exist, for the docs table; empty if it exists everywhere.
    pub convention: &'static str,
}

impl Primitive {
    /// Whether it gives one of its inputs, so that its partial derivatives are weights from 0 to 1: what is not chosen
    /// contributes nothing, not even where its own derivative is infinite.
    pub fn chooses(&self) -> bool {
        matches!(self.name, "max" | "min" | "clamp" | "abs_sub")
    }

    /// The operands that are of one type. The second operand of a shift or of an integer power, and the first of `of_int`,
    /// is an integer of its own.
    pub fn alike<'a, T>(&self, operands: &'a [T]) -> &'a [T] {
        match self.name {
            "powi" | "pow" | "shl" | "shr" => &operands[..1],
            "of_int" => &operands[1..],
            _ => operands,
        }
    }

    /// A derivative and a partial derivative as the factors of a scaled derivative, of which the first one silences
    /// the other where it is zero.
    pub fn factors(&self, derivative: Value, partial: Value) -> [Value; 2] {
        if self.chooses() { [partial, derivative] } else { [derivative, partial] }
    }
}

impl PartialEq for Primitive {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
