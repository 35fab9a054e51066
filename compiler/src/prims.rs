//! The primitive functions: one declaration for each, which every stage reads.
//!
//! A family of functions is a file. Adding a function means adding one `static` to it and naming that in the file's
//! `FAMILY`; both modes, the emitted code, the interpreter, the docs table and the generated tests follow from it.
//! The derivative of a function at a point where it has none is a convention, stated in the declaration.
//!
//! Not here: `sin_cos`, which the front end reads as the pair of `sin` and `cos`, and conversions between types, which
//! are an operation of the IR.

pub mod arith;
pub mod compare;
pub mod exp;
pub mod formula;
pub mod product;
pub mod reduce;
pub mod round;
pub mod table;
pub mod trig;
pub mod views;
pub mod whole;

use crate::ir::{Kind, Primitive, Spelling};
use std::sync::LazyLock;

/// Methods that give a reference into what they are called on.
pub const LENDING_METHODS: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "borrow",
    "deref",
    "strip_prefix",
    "strip_suffix",
    "to_str",
    "trim",
    "trim_end",
    "trim_matches",
    "trim_start",
];

/// The float methods of `std` whose results are not floats: they may be called on active values, and their results
/// carry no derivative. The comparisons and `to_string` come from traits.
pub const INACTIVE_METHODS: &[&str] = &[
    "is_nan",
    "is_infinite",
    "is_finite",
    "is_subnormal",
    "is_normal",
    "is_sign_positive",
    "is_sign_negative",
    "classify",
    "to_bits",
    "to_be_bytes",
    "to_le_bytes",
    "to_ne_bytes",
    "to_int_unchecked",
    "total_cmp",
    "partial_cmp",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "to_string",
];

static ALL: LazyLock<Vec<&'static Primitive>> = LazyLock::new(|| {
    [
        arith::FAMILY,
        trig::FAMILY,
        exp::FAMILY,
        round::FAMILY,
        compare::FAMILY,
        whole::FAMILY,
        product::FAMILY,
        reduce::FAMILY,
    ]
    .concat()
});

/// All primitives, in the order of the docs table.
pub fn all() -> &'static [&'static Primitive] {
    &ALL
}

/// The primitive that a float method of `std` is.
pub fn method(name: &str) -> Option<&'static Primitive> {
    all().iter().copied().find(|p| {
        p.rust == Spelling::Method(p.name) && p.name == name && !arith::is_integer(p) && p.kind != Kind::Whole
    })
}
