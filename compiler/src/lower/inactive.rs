//! Methods that only integers and strings have, on fields whose type is not visible.
//!
//! That the field is of such a type is checked by the compiler of Rust, so that no derivative is lost.

use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Arg, Type, Value};
use quote::quote;

/// Such methods, and the beginnings of the names of others.
const METHODS: [&str; 40] = [
    "pow",
    "isqrt",
    "ilog",
    "ilog2",
    "ilog10",
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "trailing_zeros",
    "is_power_of_two",
    "next_power_of_two",
    "is_multiple_of",
    "next_multiple_of",
    "div_ceil",
    "abs_diff",
    "unsigned_abs",
    "to_string",
    "to_uppercase",
    "to_lowercase",
    "as_str",
    "as_bytes",
    "trim",
    "trim_start",
    "trim_end",
    "strip_prefix",
    "strip_suffix",
    "eq_ignore_ascii_case",
    "is_alphabetic",
    "is_alphanumeric",
    "is_numeric",
    "is_whitespace",
    "is_uppercase",
    "is_lowercase",
    "is_char_boundary",
    "to_digit",
    "chars",
    "bytes",
    "char_indices",
    "lines",
    "split_whitespace",
];
const PREFIXES: [&str; 6] = ["checked_", "wrapping_", "saturating_", "overflowing_", "is_ascii", "to_ascii"];

impl Lowering<'_> {
    /// Such a method of a field or an element of one.
    pub(crate) fn unseen_inactive(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let known = METHODS.contains(&name.as_str()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if !known || !self.was_part(place) || m.args.iter().any(|a| matches!(a, syn::Expr::Closure(_))) {
            return None;
        }
        let mut operands: Vec<Value> = vec![self.read(place)];
        let mut modes = Vec::new();
        for a in &m.args {
            let (v, mode, _) = self.argument(a, None);
            operands.push(v);
            modes.push(mode);
        }
        let (private, method, turbofish) = (self.private(), &m.method, &m.turbofish);
        let ty = if name.starts_with("is_") || name.starts_with("eq_") { Type::Bool } else { Type::Dyn };
        Some(Operand::Value(self.template(&operands, ty, false, |p| {
            let (receiver, args) = p.split_first().expect("there is a receiver");
            let args =
                args.iter().zip(&modes).map(|(a, mode)| if *mode == Arg::Value { quote!(#a) } else { quote!(&#a) });
            quote!(#private::inactive(&#receiver).#method #turbofish(#(#args),*))
        })))
    }
}
