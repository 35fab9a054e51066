//! Arrays whose types are not visible: what is done with a value tells that it is one.
//!
//! A field, an element or what a call gives may be an array, a fixed-size array, an option or something of the user's. The methods
//! that only arrays have tell it, and so does what follows `map`, which all of them have: `g(x).map(f).sum()`,
//! `s.w.map(f) * k`, `let y: Array1<f64> = s.b.map(f)`.

use super::items;
use crate::ir::{Type, Value};
use crate::lower::control::strip;
use crate::lower::env::Binding;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand, types};
use crate::prims;

/// Methods that hardly anything but an array has.
const TELLING: [&str; 33] = [
    "sum_axis",
    "product_axis",
    "mean_axis",
    "var_axis",
    "std_axis",
    "fold_axis",
    "map_axis",
    "pow2",
    "mapv",
    "mapv_into",
    "raw_dim",
    "len_of",
    "nrows",
    "ncols",
    "insert_axis",
    "remove_axis",
    "index_axis",
    "slice_axis",
    "reversed_axes",
    "permuted_axes",
    "into_shape_with_order",
    "to_shape",
    "into_dyn",
    "outer_iter",
    "axis_iter",
    "diag",
    "broadcast",
    "select",
    "row",
    "column",
    "view",
    "diff",
    "cumprod",
];

/// Methods that change an array, or show it to be changed, and that hardly anything else has.
const CHANGING: [&str; 15] = [
    "assign",
    "row_mut",
    "column_mut",
    "diag_mut",
    "slice_axis_mut",
    "index_axis_mut",
    "view_mut",
    "mapv_inplace",
    "map_inplace",
    "scaled_add",
    "swap_axes",
    "invert_axis",
    "zip_mut_with",
    "accumulate_axis_inplace",
    "multi_slice_mut",
];

/// Methods that arrays share with iterators and numbers: where these are ruled out, they tell.
const SHARED: [&str; 9] = ["sum", "product", "mean", "var", "std", "dot", "t", "fold", "scaled_add"];

/// Whether a method says that its receiver is an array.
fn tells(m: &syn::ExprMethodCall) -> bool {
    let folds =
        m.method == "fold" && matches!(m.args.last().map(strip), Some(syn::Expr::Closure(_) | syn::Expr::Path(_)));
    slices(m, "slice") || folds && m.args.len() == 2 || TELLING.iter().any(|name| m.method == name)
}

/// Whether a method says that its receiver is an array, which it changes.
fn tells_change(m: &syn::ExprMethodCall) -> bool {
    slices(m, "slice_mut") || CHANGING.iter().any(|name| m.method == name)
}

/// Whether a method is `method(s![…])`.
fn slices(m: &syn::ExprMethodCall, method: &str) -> bool {
    let of_slices = |mac: &syn::Macro| mac.path.segments.last().is_some_and(|s| s.ident == "s");
    m.method == method && matches!(m.args.first().map(strip), Some(syn::Expr::Macro(e)) if of_slices(&e.mac))
}

/// Whether a method of this name, with so many arguments, says that a variable is an array if it is no iterator.
pub(crate) fn is_of_arrays(name: &str, args: usize) -> bool {
    [&TELLING[..], &CHANGING, &SHARED].concat().contains(&name) || items::of_lanes(name, args)
}

impl Lowering<'_> {
    /// A method of a value whose type is not visible, if the method tells that it is an array, or if that is `known`.
    pub(crate) fn unseen_array(&mut self, place: &Place, m: &syn::ExprMethodCall, known: bool) -> Option<Operand> {
        if tells_change(m) {
            return self.array_method(place, m);
        }
        if !known && !tells(m) {
            return None;
        }
        let v = self.read_array(place);
        if place.path.0.is_empty() { self.array_method(place, m) } else { self.array_method(&Self::value_place(v), m) }
    }

    /// What a method tells of its receiver, if that is a `map`.
    pub(crate) fn expect_by_method(&mut self, m: &syn::ExprMethodCall, array: bool) {
        let shared = SHARED.iter().any(|name| m.method == name) || prims::method(&m.method.to_string()).is_some();
        if array || shared || tells(m) || tells_change(m) || items::makes_array_iterator(m) {
            self.expect_array(&m.receiver);
        }
    }

    /// Remembers that the value of an expression has to be an array, which tells what a `map` is one of.
    pub(crate) fn expect_array(&mut self, e: &syn::Expr) {
        match strip(e) {
            syn::Expr::Reference(r) => self.expect_array(&r.expr),
            e @ syn::Expr::MethodCall(m) if m.method == "map" => {
                self.expect(e, &syn::parse_quote!(ndarray::ArrayD<f64>));
            }
            _ => {}
        }
    }

    /// An operand of an operator of arithmetic, and whether it is given away: options and fixed-size arrays have none.
    pub(crate) fn given_number(&mut self, e: &syn::Expr) -> (Value, bool) {
        self.expect_array(e);
        self.given(e)
    }

    /// The same of what a variable is declared with, if its methods and operators tell that it is an array.
    pub(crate) fn expect_by_usage(&mut self, pat: &syn::Pat, e: &syn::Expr) {
        match pat {
            syn::Pat::Ident(p) if self.seen_array(&types::plain_name(&p.ident)) => self.expect_array(e),
            syn::Pat::Ident(p) if self.seen_sequence(&types::plain_name(&p.ident)) => self.expect_sequence(e),
            syn::Pat::Slice(_) => self.expect_sequence(e),
            _ => {}
        }
    }

    /// Remembers that the value of an expression has to be a sequence, which tells what a `map` is one of.
    pub(crate) fn expect_sequence(&mut self, e: &syn::Expr) {
        match strip(e) {
            syn::Expr::Reference(r) => self.expect_sequence(&r.expr),
            e @ syn::Expr::MethodCall(m) if m.method == "map" && m.args.len() == 1 => {
                self.expect(e, &syn::parse_quote!([_; _]));
            }
            _ => {}
        }
    }

    /// Whether a call is `map` of an array: so what is done with its value tells, or what is done with the variable.
    pub(crate) fn is_map_of_array(&self, m: &syn::ExprMethodCall) -> bool {
        if m.method != "map" || m.args.len() != 1 {
            return false;
        }
        let expected = self.expected_of(m).is_some_and(|ty| matches!(types::of_rust(&ty), Type::NdArray(..)));
        let variable = match strip(&m.receiver) {
            syn::Expr::Path(p) => p.path.get_ident().map(types::plain_name),
            _ => None,
        };
        expected
            || variable.is_some_and(|name| {
                matches!(self.lookup(&name), Some(Binding::Cell(..) | Binding::Alias(..))) && self.seen_array(&name)
            })
    }
}
