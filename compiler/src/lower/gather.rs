//! Iterators of options and results that are consumed at once: `collect`, `sum`, `product`, `try_fold` and `try_for_each`
//! stop at the first item without a value.
//!
//! ```text
//! it.collect::<Result<Vec<_>, E>>()
//! (|| -> Result<Vec<_>, E> {
//!     let mut all = Vec::new();
//!     for item in it {
//!         match item {
//!             Ok(value) => all.push(value),
//!             Err(fault) => return Err(fault),
//!         }
//!     }
//!     Ok(all)
//! })()
//! ```

use super::control::strip;
use super::{Lowering, Operand, outcome, scan, types};
use crate::ir::Type;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse_quote;

/// What stops, and how.
#[derive(Clone, Copy, PartialEq)]
enum Stops {
    Option,
    Result,
}

impl Stops {
    /// What a type is, and what is in it.
    fn of(ty: &syn::Type) -> Option<(Stops, syn::Type)> {
        if let Some((value, _)) = outcome::of_type(ty) {
            return Some((Stops::Result, value.clone()));
        }
        let syn::Type::Path(p) = types::strip(ty) else { return None };
        let last = p.path.segments.last().filter(|last| last.ident == "Option")?;
        let syn::PathArguments::AngleBracketed(of) = &last.arguments else { return None };
        match of.args.first()? {
            syn::GenericArgument::Type(value) => Some((Stops::Option, value.clone())),
            _ => None,
        }
    }

    /// `value` with what is done with it, or the end.
    fn arms(self, [value, fault]: [&Ident; 2], then: TokenStream) -> TokenStream {
        match self {
            Stops::Option => quote!(Some(#value) => #then, None => return None),
            Stops::Result => quote!(
                ::core::result::Result::Ok(#value) => #then,
                ::core::result::Result::Err(#fault) => return ::core::result::Result::Err(#fault)
            ),
        }
    }

    fn good(self, value: TokenStream) -> TokenStream {
        match self {
            Stops::Option => quote!(Some(#value)),
            Stops::Result => quote!(::core::result::Result::Ok(#value)),
        }
    }
}

impl Lowering<'_> {
    /// Such a method. `outcome`: what is done with its value tells that it is a result.
    pub(crate) fn gathered(&mut self, m: &syn::ExprMethodCall, outcome: bool) -> Option<Operand> {
        let name = m.method.to_string();
        if !(may_stop(m) || matches!(name.as_str(), "collect" | "sum" | "product"))
            || !self.mentions_active(m.to_token_stream())
            || self.is_no_iterator(&m.receiver)
        {
            return None;
        }
        let written = match m.turbofish.as_ref().and_then(|t| t.args.first()) {
            Some(syn::GenericArgument::Type(ty)) if m.args.is_empty() => Some(ty.clone()),
            _ => self.expected_of(m),
        };
        self.combinators += 1;
        let fresh = |name: &str| Ident::new(&format!("__{name}_{}", self.combinators), Span::mixed_site());
        let [all, item, value, fault] = ["all", "item", "value", "fault"].map(fresh);
        let receiver = &m.receiver;
        let told = outcome.then_some(Stops::Result);
        let of_written = written.as_ref().and_then(Stops::of);
        let (stops, init, step, ty) = match (name.as_str(), m.args.len()) {
            ("collect", 0) => {
                let (stops, into) = of_written?;
                if !matches!(into, syn::Type::Infer(_)) && !matches!(types::of_rust(&into), Type::Vec(_)) {
                    return None;
                }
                let into = match types::strip(&into) {
                    syn::Type::Path(_) => quote!(: #into),
                    _ => quote!(),
                };
                let step = stops.arms([&value, &fault], quote!(#all.push(#value)));
                (stops, quote!(let mut #all #into = Vec::new();), quote!(match #item { #step }), written)
            }
            ("sum" | "product", 0) => {
                let (stops, of) = of_written?;
                let integer = matches!(types::of_rust(&of), Type::Int(_));
                let (init, then) = match (name.as_str(), integer) {
                    ("sum", false) => (quote!(-0.0), quote!(#all += #value)),
                    ("sum", true) => (quote!(0), quote!(#all += #value)),
                    (_, false) => (quote!(1.0), quote!(#all *= #value)),
                    (_, true) => (quote!(1), quote!(#all *= #value)),
                };
                let step = stops.arms([&value, &fault], then);
                (stops, quote!(let mut #all: #of = #init;), quote!(match #item { #step }), written)
            }
            ("try_fold", 2) => {
                let (init, f) = (&m.args[0], &gives(&m.args[1], written.as_ref()));
                let stops =
                    made_by(f).or(of_written.map(|(stops, _)| stops)).or(told).filter(|s| *s == Stops::Result)?;
                let step = stops.arms([&value, &fault], quote!(#all = #value));
                (stops, quote!(let mut #all = #init;), quote!(match (#f)(#all, #item) { #step }), written)
            }
            ("try_for_each", 1) => {
                let f = &gives(&m.args[0], written.as_ref());
                let stops = made_by(f).or(of_written.map(|(stops, _)| stops)).or(told)?;
                let step = stops.arms([&value, &fault], quote!({}));
                (stops, quote!(let #all = ();), quote!(match (#f)(#item) { #step }), written)
            }
            _ => return None,
        };
        let ty = ty.unwrap_or_else(|| match stops {
            Stops::Option => parse_quote!(Option<_>),
            Stops::Result => parse_quote!(::core::result::Result<_, _>),
        });
        let good = stops.good(all.to_token_stream());
        let gathered: syn::Expr = parse_quote!((|| -> #ty { #init for #item in #receiver { #step } #good })());
        Some(match stops {
            Stops::Option => self.option_expr(&gathered),
            Stops::Result => self.outcome_expr(&gathered),
        })
    }
}

/// Whether a method gives an option or a result by the closure that it takes.
pub(crate) fn may_stop(m: &syn::ExprMethodCall) -> bool {
    m.method == "try_fold" || m.method == "try_for_each"
}

/// A closure with what it gives written down.
fn gives(f: &syn::Expr, written: Option<&syn::Type>) -> syn::Expr {
    let mut f = strip(f).clone();
    if let (syn::Expr::Closure(c), Some(ty)) = (&mut f, written)
        && matches!(c.output, syn::ReturnType::Default)
    {
        c.output = parse_quote!(-> #ty);
        let body = &c.body;
        *c.body = parse_quote!({ #body });
    }
    f
}

/// What a closure shows that it gives.
fn made_by(f: &syn::Expr) -> Option<Stops> {
    let syn::Expr::Closure(c) = strip(f) else { return None };
    if let syn::ReturnType::Type(_, ty) = &c.output {
        return Stops::of(ty).map(|(stops, _)| stops);
    }
    let names = scan::mentioned(c.body.to_token_stream());
    let has = |of: &[&str]| names.iter().any(|name| of.iter().any(|of| name == of));
    match (has(&["Ok", "Err"]), has(&["Some", "None"])) {
        (true, false) => Some(Stops::Result),
        (false, true) => Some(Stops::Option),
        _ => None,
    }
}
