//! The table of derivatives for the docs, written from the declarations.

use super::all;
use crate::ir::{Primitive, Rule, Spelling};
use std::fmt::Write;

/// A Markdown table of all differentiable primitives that a user can write: the expression, the derivative and the
/// convention where there is none.
pub fn markdown() -> String {
    let mut table =
        String::from("| expression | value and derivative | where it is not differentiable |\n|---|---|---|\n");
    for prim in all() {
        if let Some(expression) = expression(prim).filter(|_| is_float(prim)) {
            let convention = prim.convention;
            writeln!(table, "| `{expression}` | {} | {convention} |", escaped(prim.doc)).expect("a string takes all");
        }
    }
    table
}

/// Whether the function gives floats.
fn is_float(prim: &Primitive) -> bool {
    !matches!(prim.rule, Rule::Zero(_)) || !prim.convention.is_empty()
}

/// How a user writes the function; `None` if only derivatives use it.
fn expression(prim: &Primitive) -> Option<String> {
    if let Spelling::Runtime(_) = prim.rust {
        return None;
    }
    let names = match prim.name {
        "atan2" => ["y", "x", ""],
        "powi" => ["x", "n", ""],
        "var" | "std" => ["x", "ddof", ""],
        name if name.ends_with("_axis") => ["x", "axis", "ddof"],
        _ => ["x", "y", "z"],
    };
    let [first, rest @ ..] = &names[..prim.arity] else { return None };
    match prim.rust {
        Spelling::Infix(op) => Some(format!("{first} {op} {}", rest.first()?)),
        Spelling::Prefix(op) => Some(format!("{op}{first}")),
        Spelling::Method(name) => Some(format!("{first}.{name}({})", rest.join(", "))),
        Spelling::Conditional => Some("if c { x } else { y }".to_owned()),
        Spelling::Runtime(_) => None,
    }
}

/// Text in a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
