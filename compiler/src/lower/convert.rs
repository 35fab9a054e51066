//! Conversions: casts; and from slices and vectors to arrays, whose length is written somewhere: `try_into`,
//! `<[f64; 3]>::try_from`, `first_chunk`.
//!
//! What the latter give is an option here, of the array that is made element by element.

use super::control::strip;
use super::iter::Iter;
use super::place::Place;
use super::{Lowering, Operand, types};
use crate::ir::{Op, Primitive, RangeEnd, Step, Type, Value};
use crate::prims::compare;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// How many elements are written one by one.
const FEW: usize = 16;

impl Lowering<'_> {
    /// `unwrap` of a conversion gives what is written for it.
    pub(crate) fn expect_converted(&mut self, m: &syn::ExprMethodCall) {
        let Some(ty) = self.expected_of(m) else { return };
        let named =
            |name: &syn::Ident| ["try_into", "try_from", "first_chunk", "last_chunk"].iter().any(|of| name == of);
        match strip(&m.receiver) {
            syn::Expr::MethodCall(inner) if named(&inner.method) => self.expect(&m.receiver, &ty),
            syn::Expr::Call(c) => {
                if let syn::Expr::Path(p) = strip(&c.func)
                    && p.path.segments.last().is_some_and(|last| named(&last.ident))
                {
                    self.expect(&m.receiver, &ty);
                }
            }
            _ => {}
        }
    }

    /// `P::from`, which `x.into()` is where it is written that it makes a type `P` of the user's.
    pub(crate) fn conversion_to_users(&self, m: &syn::ExprMethodCall) -> Option<syn::Expr> {
        let ty = self.expected_of(m)?;
        let syn::Type::Path(path) = &ty else { return None };
        let plain = path.qself.is_none() && path.path.segments.iter().all(|segment| segment.arguments.is_none());
        (plain && types::of_rust(&ty) == Type::Dyn).then(|| syn::parse_quote!(#path::from))
    }

    /// A method of a sequence that makes an array of it, or a vector of an array.
    pub(crate) fn converted(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let written = self.expected_of(m);
        match (name.as_str(), m.args.len()) {
            ("into", 0) => {
                let Some(Type::Vec(_)) = written.as_ref().map(types::of_rust) else { return None };
                let v = self.read(place);
                let ty = Type::Vec(Box::new(self.ty(v).element()));
                Some(Operand::Value(self.push(Op::Copy(true), vec![v], ty)))
            }
            ("try_into", 0) => Some(match array(written.as_ref()) {
                Some(a) => self.array_if(place, &a.len, &compare::EQ),
                None => self.length_not_visible(m.method.span()),
            }),
            ("first_chunk" | "last_chunk", 0) => {
                let len = match m.turbofish.as_ref().and_then(|t| t.args.first()) {
                    Some(syn::GenericArgument::Const(n)) => Some(n.clone()),
                    Some(syn::GenericArgument::Type(syn::Type::Path(n))) => {
                        Some(syn::Expr::Path(syn::ExprPath { attrs: vec![], qself: None, path: n.path.clone() }))
                    }
                    _ => array(written.as_ref()).map(|a| a.len),
                };
                let Some(len) = len else { return Some(self.length_not_visible(m.method.span())) };
                let mut part = place.clone();
                if name == "last_chunk" {
                    let v = self.read(place);
                    let (all, n) =
                        (self.push(Op::Len, vec![v], Type::USIZE), self.verbatim_value(quote!(#len), Type::USIZE));
                    let from = self.minus(all, n);
                    part = part.step(Step::Range { from: true, end: RangeEnd::Open }, [from]).by_ref(true);
                }
                Some(self.array_if(&part, &len, &compare::GE))
            }
            _ => None,
        }
    }

    /// `<[f64; 3]>::try_from(x)` and `TryInto::<[f64; 3]>::try_into(x)`.
    pub(crate) fn converted_by_path(&mut self, c: &syn::ExprCall) -> Option<Operand> {
        let syn::Expr::Path(p) = strip(&c.func) else { return None };
        let mut segments = p.path.segments.iter().rev();
        let last = segments.next()?;
        let into = last.ident == "try_into";
        if c.args.len() != 1 || !into && last.ident != "try_from" {
            return None;
        }
        let written = match (&p.qself, into) {
            (Some(qself), false) => Some((*qself.ty).clone()),
            (_, true) => match segments.next().map(|of| &of.arguments) {
                Some(syn::PathArguments::AngleBracketed(of)) => of.args.iter().find_map(|of| match of {
                    syn::GenericArgument::Type(ty) => Some(ty.clone()),
                    _ => None,
                }),
                _ => self.expected_of(c),
            },
            _ => None,
        };
        let a = array(written.as_ref())?;
        let o = self.nested_expr(&c.args[0]);
        let place = self.place(o);
        let sequence = matches!(self.place_type(&place), Type::Slice(_) | Type::Vec(_) | Type::Array(_));
        sequence.then(|| self.array_if(&place, &a.len, &compare::EQ))
    }

    /// `x as f64`
    pub(crate) fn cast(&mut self, c: &syn::ExprCast) -> Operand {
        if super::objects::of_objects(&c.ty) {
            return self.object_of(&c.expr);
        }
        let o = self.nested_expr(&c.expr);
        if self.is_function(&o) {
            return o;
        }
        let v = self.value(o);
        self.span = c.span();
        if let Some(number) = self.cast_count(v, &c.ty) {
            return Operand::Value(number);
        }
        let mut ty = types::of_rust(&c.ty);
        if let syn::Type::Infer(_) = types::strip(&c.ty) {
            ty = Type::INT;
        }
        if ty == Type::Inactive {
            ty = Type::INT;
        }
        Operand::Value(self.push(Op::Cast(c.ty.to_token_stream()), vec![v], ty))
    }

    fn length_not_visible(&mut self, span: proc_macro2::Span) -> Operand {
        self.unsupported(
            span,
            "the length of the array that this makes is not visible here",
            "annotate the variable: `let v: [f64; 3] = x[2..5].try_into().unwrap()`, or write `<[f64; 3]>::try_from(&x[2..5])`",
        )
    }

    /// An array of the first elements of a sequence, if their number is right: as many as there are, or no more.
    fn array_if(&mut self, place: &Place, len: &syn::Expr, right: &'static Primitive) -> Operand {
        let v = self.read(place);
        let all = self.push(Op::Len, vec![v], Type::USIZE);
        let n = self.verbatim_value(quote!(#len), Type::USIZE);
        let flag = self.primitive(right, &[all, n]);
        if !self.unwraps && std::ptr::eq(right, &compare::EQ) {
            let span = self.span;
            return self.unsupported(
                span,
                "what a conversion to an array gives is supported only with `unwrap()` or `expect(…)` at once",
                "compare the length first: `if x.len() == 3 { let v: [f64; 3] = x.try_into().unwrap(); … }`",
            );
        }
        if self.unwraps {
            let made = self.array_of(place, len);
            return Operand::Opt(flag, Box::new(made));
        }
        self.optional(flag, &mut |l: &mut Self| l.array_of(place, len))
    }

    fn array_of(&mut self, place: &Place, len: &syn::Expr) -> Operand {
        let element = self.place_type(place).element();
        let few = match len {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse().ok().filter(|n| *n <= FEW),
            _ => None,
        };
        if let Some(n) = few {
            let parts: Vec<Value> = (0..n)
                .map(|k| {
                    let k = self.b().int(k);
                    self.read(&place.clone().step(Step::Index, [k]))
                })
                .collect();
            return Operand::Value(self.push(Op::Array, parts, Type::Array(Box::new(element))));
        }
        let Some(zero) = self.dummy(&element).filter(|_| element != Type::Dyn) else {
            let span = self.span;
            return self.unsupported(
                span,
                "a long array of elements whose type is not visible is not supported",
                "write a loop that copies the elements",
            );
        };
        let start = self.push(Op::Repeat(quote!(#len)), vec![zero], Type::Array(Box::new(element)));
        let n = self.verbatim_value(quote!(#len), Type::USIZE);
        let it = Iter::Take(Box::new(Iter::Seq(place.clone(), false)), n);
        Operand::Value(self.filled(start, &it, &mut |_, item| item))
    }
}

/// The array that a type is, or a reference to one.
fn array(ty: Option<&syn::Type>) -> Option<syn::TypeArray> {
    match types::strip(ty?) {
        syn::Type::Array(a) => Some(a.clone()),
        _ => None,
    }
}
