//! What is known of arrays in which nothing differentiable is: their ranks, and that their elements are floats.
//!
//! An array whose elements may be anything else stays what it is: a value of a type that is not visible.

use super::make::{TYPES, declared_rank, flatten};
use super::view::shape_rank;
use crate::ir::{Float, Type};
use crate::lower::control::strip;
use crate::lower::{Lowering, types};
use crate::prims;
use quote::quote;

impl Lowering<'_> {
    /// The type of `Array2::zeros(shape)`, `Array::linspace(a, b, n)`, `arr1(&[1.0, 2.0])` and the like.
    pub(crate) fn inactive_array(&self, c: &syn::ExprCall) -> Option<Type> {
        let syn::Expr::Path(p) = strip(&c.func) else { return None };
        let mut segments = p.path.segments.iter().rev();
        let last = segments.next()?.ident.to_string();
        let owner = segments.next().filter(|owner| TYPES.iter().any(|name| owner.ident == name));
        let Some(owner) = owner else {
            let rank = ["arr0", "arr1", "arr2", "arr3"].iter().position(|name| last == *name)?;
            return Some(Type::NdArray(element(c.args.first()?)?, Some(rank)));
        };
        let first = c.args.first();
        // the rank, and what shows what the elements are
        let (given, shown) = match (last.as_str(), c.args.len()) {
            ("zeros" | "ones" | "default", 1) => (first.and_then(shape_rank), Some(Float::Any)),
            ("eye", 1) => (Some(2), Some(Float::Any)),
            ("linspace" | "range", 3) | ("logspace", 4) => {
                (Some(1), c.args.iter().find_map(element).or(Some(Float::Any)))
            }
            ("from_elem", 2) if whole_number(&c.args[1]) => return None,
            ("from_elem", 2) => (first.and_then(shape_rank), element(&c.args[1]).or(Some(Float::Any))),
            ("from_shape_fn", 2) => {
                let shown = match strip(&c.args[1]) {
                    syn::Expr::Closure(f) => element(&f.body),
                    _ => None,
                };
                (first.and_then(shape_rank), shown)
            }
            ("from_vec" | "from", 1) => (Some(1), first.and_then(element)),
            ("from_iter", 1) => (Some(1), None),
            ("from_diag", 1) => (Some(2), first.and_then(element)),
            _ => return None,
        };
        let kind = match &owner.arguments {
            syn::PathArguments::AngleBracketed(of) => match of.args.first() {
                Some(syn::GenericArgument::Type(ty)) => match types::of_rust(ty) {
                    Type::Float(kind) => kind,
                    Type::Dyn => shown?,
                    _ => return None,
                },
                _ => shown?,
            },
            _ => shown?,
        };
        Some(Type::NdArray(kind, declared_rank(&owner.ident.to_string(), given)))
    }

    /// The type of `array![…]` with numbers that are floats as they are written.
    pub(crate) fn inactive_array_macro(&self, mac: &syn::Macro) -> Option<Type> {
        if mac.path.segments.last().is_none_or(|s| s.ident != "array") {
            return None;
        }
        let tokens = &mac.tokens;
        let list: syn::Expr = syn::parse2(quote!([#tokens])).ok()?;
        let (mut shape, mut elements) = (Vec::new(), Vec::new());
        flatten(&list, 0, &mut shape, &mut elements)?;
        Some(Type::NdArray(elements.into_iter().find_map(element)?, Some(shape.len())))
    }
}

fn whole_number(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Lit(l) => {
            !matches!(&l.lit, syn::Lit::Float(_)) && !matches!(&l.lit, syn::Lit::Int(i) if i.suffix().starts_with('f'))
        }
        syn::Expr::Unary(u) => whole_number(&u.expr),
        _ => false,
    }
}

/// The float that an expression is, or that the elements of a list are, if its form shows that.
fn element(e: &syn::Expr) -> Option<Float> {
    match strip(e) {
        syn::Expr::Lit(l) => match &l.lit {
            syn::Lit::Float(f) => Some(float(f.suffix())),
            syn::Lit::Int(i) if i.suffix().starts_with('f') => Some(float(i.suffix())),
            _ => None,
        },
        syn::Expr::Cast(c) => match types::of_rust(&c.ty) {
            Type::Float(kind) => Some(kind),
            _ => None,
        },
        syn::Expr::Reference(r) => element(&r.expr),
        syn::Expr::Unary(u) => element(&u.expr),
        syn::Expr::Binary(b) if arithmetic(&b.op) => element(&b.left).or_else(|| element(&b.right)),
        // a method that only floats have, or one that gives what it is called on
        syn::Expr::MethodCall(m) if prims::method(&m.method.to_string()).is_some() => element(&m.receiver),
        syn::Expr::MethodCall(m) if m.method == "to_vec" || m.method == "clone" => element(&m.receiver),
        syn::Expr::Array(t) => t.elems.iter().find_map(element),
        syn::Expr::Repeat(r) => element(&r.expr),
        syn::Expr::Macro(m) if m.mac.path.is_ident("vec") => {
            let tokens = &m.mac.tokens;
            element(&syn::parse2(quote!([#tokens])).ok()?)
        }
        syn::Expr::Block(b) => tail(&b.block),
        syn::Expr::If(i) => tail(&i.then_branch).or_else(|| element(&i.else_branch.as_ref()?.1)),
        _ => None,
    }
}

fn tail(block: &syn::Block) -> Option<Float> {
    match block.stmts.last()? {
        syn::Stmt::Expr(e, None) => element(e),
        _ => None,
    }
}

fn float(suffix: &str) -> Float {
    match suffix {
        "f32" => Float::F32,
        "f64" => Float::F64,
        _ => Float::Any,
    }
}

fn arithmetic(op: &syn::BinOp) -> bool {
    matches!(op, syn::BinOp::Add(_) | syn::BinOp::Sub(_) | syn::BinOp::Mul(_) | syn::BinOp::Div(_) | syn::BinOp::Rem(_))
}
