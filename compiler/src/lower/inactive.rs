//! Methods that only integers and strings have, on fields whose type is not visible; and what calls give, where a cast
//! shows that it is an integer.
//!
//! That it is of such a type is checked by the compiler of Rust, so that no derivative is lost.

use super::control::strip;
use super::env::Binding;
use super::place::Place;
use super::{Lowering, Operand, types};
use crate::ir::{Arg, Float, Op, Outcome, Path, Step, Type, Value};
use crate::prims;
use crate::syntax::question;
use crate::syntax::signature::{ResultKind, Signature};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};

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

    /// Code with a method that gives a view where it is one of an array: the function does not keep the view, but a copy.
    pub(crate) fn lasting(&mut self, method: &str, code: TokenStream) -> TokenStream {
        if method != "t" && method != "view" && prims::views::view(method).is_none() {
            return code;
        }
        let private = self.private();
        let imported = quote!(
            use #private::LastingValue as _;
        );
        if !self.items.iter().any(|item| item.to_string() == imported.to_string()) {
            self.items.push(imported);
        }
        quote!(#private::Lasting(#code).lasting())
    }

    /// The operands of an operator, those that are beside a float and may be a reference to one by their values.
    pub(crate) fn numbers(&mut self, args: &[Value]) -> Vec<Value> {
        let known = args.iter().map(|&a| self.ty(a)).find(|ty| matches!(ty, Type::Float(Float::F32 | Float::F64)));
        let Some(known) = known else { return args.to_vec() };
        let number = |l: &mut Self, a: Value| {
            let private = l.private();
            l.template(&[a], known.clone(), true, |p| {
                let p = &p[0];
                quote!(#private::number(#p))
            })
        };
        args.iter().map(|&a| if self.may_be_reference(a) { number(self, a) } else { a }).collect()
    }

    /// Whether something in which nothing differentiable occurs may be of a type of the user's with operators: a parameter, a
    /// literal, or what `V::new(…)` gives.
    pub(crate) fn may_be_struct(&self, v: Value) -> bool {
        if *self.func.ty(v) != Type::Dyn || self.is_active(v) {
            return false;
        }
        let made = || self.func.maker(v).map(|n| &self.func[n]);
        self.structs.contains_idx(v)
            || made().is_some_and(|n| match &n.op {
                Op::Verbatim(code) => match syn::parse2(code.code.clone()) {
                    Ok(syn::Expr::Struct(_)) => true,
                    Ok(syn::Expr::Call(call)) => is_of_a_type(&call.func),
                    Ok(syn::Expr::Unary(_)) => n.args.iter().any(|&a| self.may_be_struct(a)),
                    _ => false,
                },
                Op::Prim(_) | Op::Map { .. } => n.args.iter().any(|&a| self.may_be_struct(a)),
                Op::Load(path) => self.entry_of(n.args[0], path).is_some_and(|entry| self.may_be_struct(entry)),
                _ => false,
            })
    }

    /// Whether a receiver is a local of a type that is not AD's business, or no local at all.
    pub(crate) fn is_foreign(&mut self, e: &syn::Expr) -> bool {
        match strip(e) {
            syn::Expr::MethodCall(m) => self.is_foreign(&m.receiver),
            syn::Expr::Field(f) => self.is_foreign(&f.base),
            syn::Expr::Index(i) => self.is_foreign(&i.expr),
            syn::Expr::Reference(r) => self.is_foreign(&r.expr),
            syn::Expr::Try(t) => self.is_foreign(&t.expr),
            syn::Expr::Macro(m) => self.inactive_array_macro(&m.mac).is_none(),
            syn::Expr::Lit(l) => !matches!(l.lit, syn::Lit::Float(_) | syn::Lit::Int(_)),
            syn::Expr::Call(c) if self.inactive_array(c).is_some() => false,
            syn::Expr::Call(c) => match strip(&c.func) {
                syn::Expr::Path(p) => {
                    let Some(last) = p.path.segments.last() else { return true };
                    p.path.get_ident().is_none_or(|i| self.lookup(&types::plain_name(i)).is_none())
                        && !["Vec", "f64", "f32"].iter().any(|t| p.path.segments.first().is_some_and(|s| s.ident == *t))
                        && last.ident != "from"
                }
                _ => false,
            },
            syn::Expr::Path(p) => match p.path.get_ident().map(types::plain_name) {
                Some(name) => match self.lookup(&name).cloned() {
                    Some(Binding::Cell(c, _)) => self.env.cells[c]
                        .value
                        .is_some_and(|v| matches!(self.func.ty(v), Type::Inactive | Type::Dyn) && !self.is_active(v)),
                    Some(Binding::Alias(p, _)) => {
                        matches!(self.place_type(&p), Type::Inactive | Type::Dyn) && !self.place_active(&p)
                    }
                    Some(Binding::Item) | None => false,
                    _ => false,
                },
                None => false,
            },
            _ => false,
        }
    }

    /// What a tuple was made of at a place.
    fn entry_of(&self, tuple: Value, path: &Path) -> Option<Value> {
        let [Step::Field(name)] = &path.0[..] else { return None };
        let made = &self.func[self.func.maker(tuple)?];
        if let Op::Tuple = made.op { made.args.get(name.parse::<usize>().ok()?).copied() } else { None }
    }

    /// Whether something in which nothing differentiable occurs may be a reference: what a call gave, or a part of that by
    /// a pattern.
    fn may_be_reference(&self, v: Value) -> bool {
        self.is_foreign_reference(v)
            && self.func.maker(v).map(|n| &self.func[n]).is_none_or(|n| match &n.op {
                Op::Verbatim(code) => matches!(
                    code.code.clone().into_iter().last(),
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis
                ),
                Op::Load(path) => matches!(path.0.last(), Some(Step::Field(name)) if name.parse::<usize>().is_ok()),
                _ => false,
            })
    }

    /// `g(s) as f64` and `(s.g() - 1) as f64`, where the function has no floats of another kind: what `g` gives is an
    /// integer then, as nobody casts a float to its own type.
    pub(crate) fn cast_count(&mut self, v: Value, to: &syn::Type) -> Option<Value> {
        let (ty, other) = match types::of_rust(to) {
            Type::Float(Float::F64) => (Type::F64, "f32"),
            Type::Float(Float::F32) => (Type::Float(Float::F32), "f64"),
            _ => return None,
        };
        if !self.is_active(v) || self.source.contains(other) || !self.is_count(v) {
            return None;
        }
        let (private, span) = (self.private(), self.span);
        Some(self.template(&[v], ty, false, |p| {
            let x = &p[0];
            let whole = question::told_at(quote!(#private::counted(&#x)), span);
            quote!((#whole as #to))
        }))
    }

    /// Whether a value is what a call gave, or a part of that, or computed from such and from integers alone.
    fn is_count(&self, v: Value) -> bool {
        if *self.func.ty(v) != Type::Dyn {
            return matches!(self.func.ty(v), Type::Int(_));
        }
        let made = || self.func.maker(v).map(|n| &self.func[n]);
        self.returned.contains_idx(v)
            || made().is_some_and(|n| match &n.op {
                Op::Map { operator: Some(_), .. } => n.args.iter().all(|&a| self.is_count(a)),
                Op::Load(path) => is_entry(path) && self.is_given(n.args[0]),
                Op::If { then_, else_ } => {
                    let k = n.outs.iter().position(|&out| out == v).expect("one of them");
                    [then_, else_].into_iter().all(|&arm| self.is_count(self.func[arm].results[k]))
                }
                _ => false,
            })
    }

    /// Whether a value is what a call gave, as it is or as an option.
    fn is_given(&self, v: Value) -> bool {
        let made = || self.func.maker(v).map(|n| &self.func[n]);
        self.returned.contains_idx(v)
            || made().is_some_and(|n| matches!(n.op, Op::Outcome(Outcome::Present)) && self.is_given(n.args[0]))
    }
}

/// Whether a path leads to entries of tuples and payloads.
fn is_entry(path: &Path) -> bool {
    path.0.iter().all(|step| match step {
        Step::Field(name) => name.parse::<usize>().is_ok(),
        step => matches!(step, Step::Variant(_)),
    })
}

/// `V::new`, `path::V::new`, `V`.
fn is_of_a_type(f: &syn::Expr) -> bool {
    let syn::Expr::Path(p) = f else { return false };
    let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
    let (name, owner) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let is_type = |name: &str| name.starts_with(|c: char| c.is_uppercase());
    is_type(&name) || is_type(&owner)
}

/// The body of a function and the types of what goes in and out.
pub(super) fn source(sig: &Signature, body: &syn::Block) -> String {
    let mut all = body.to_token_stream();
    all.extend(sig.params.iter().map(|param| param.ty.to_token_stream()));
    if let ResultKind::Value { ty, .. } = &sig.result {
        all.extend(ty.to_token_stream());
    }
    all.to_string()
}

/// Whether a method of an integer gives an integer of the same type.
pub(super) fn int_method(name: &str) -> bool {
    [
        "min",
        "max",
        "abs",
        "pow",
        "clamp",
        "rem_euclid",
        "div_euclid",
        "wrapping_add",
        "wrapping_sub",
        "wrapping_mul",
        "saturating_add",
        "saturating_sub",
        "saturating_mul",
        "signum",
        "isqrt",
    ]
    .contains(&name)
}

/// What a method of a foreign type gives, as far as its name tells.
pub(super) fn foreign_result(name: &str) -> Type {
    match name {
        "len" | "count" | "capacity" => Type::USIZE,
        "is_empty" | "contains" | "contains_key" | "starts_with" | "ends_with" | "is_some" | "is_none" | "any"
        | "all" => Type::Bool,
        _ => Type::Dyn,
    }
}
