//! Methods of options in which nothing differentiable occurs, with arguments in which something does: `t.get(&k).map(|w| w * x)`.
//!
//! They are the `match` that one would write instead. A default is evaluated whether it is needed or not, as by the method.

use super::control::strip;
use super::option::is_option_method;
use super::{Lowering, Operand};
use crate::ir::Type;
use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};
use syn::parse_quote;

/// Methods that options share with other types.
const SHARED: [&str; 5] = ["map", "filter", "or", "or_else", "zip"];

/// Methods whose results are options, as far as the standard library goes.
const GIVE_OPTIONS: [&str; 22] = [
    "get",
    "first",
    "last",
    "pop",
    "next",
    "nth",
    "copied",
    "cloned",
    "as_ref",
    "and_then",
    "filter",
    "max",
    "min",
    "max_by",
    "min_by",
    "max_by_key",
    "min_by_key",
    "position",
    "find",
    "find_map",
    "ok",
    "checked_sub",
];

impl Lowering<'_> {
    /// Such a method. `known`: what is done with its value tells that it is of an option.
    pub(crate) fn combinator(&mut self, m: &syn::ExprMethodCall, known: bool) -> Option<Operand> {
        let name = m.method.to_string();
        let shared = SHARED.contains(&name.as_str());
        if !shared && !is_option_method(&name)
            || m.args.is_empty()
            || !self.mentions_active(m.args.to_token_stream())
            || self.mentions_active(m.receiver.to_token_stream())
            || shared && !known && !self.shows_option(&m.receiver)
        {
            return None;
        }
        let mut receiver = (*m.receiver).clone();
        let mut before = quote!();
        // closures that are arguments may have such methods in them, too
        self.combinators += 1;
        let fresh = |name: &str| Ident::new(&format!("__{name}_{}", self.combinators), Span::mixed_site());
        let [subject, default_, some, both] = ["option", "default", "some", "other"].map(fresh);
        let mut args: Vec<syn::Expr> = m.args.iter().cloned().collect();
        // what is no function is evaluated in any case
        let values = match name.as_str() {
            "unwrap_or" | "map_or" | "or" | "zip" => 1,
            _ => 0,
        };
        if let Some(default) = args.first_mut().filter(|_| values == 1)
            && !is_plain(default)
        {
            // after the option
            before = quote!(let #subject = #receiver; let #default_ = #default;);
            receiver = parse_quote!(#subject);
            *default = parse_quote!(#default_);
        }
        let arms = match (name.as_str(), &args[..]) {
            ("map", [f]) => quote!(Some(#some) => Some((#f)(#some)), None => None),
            ("map_or", [default, f]) => quote!(Some(#some) => (#f)(#some), None => #default),
            ("map_or_else", [default, f]) => quote!(Some(#some) => (#f)(#some), None => (#default)()),
            ("and_then", [f]) => quote!(Some(#some) => (#f)(#some), None => None),
            ("filter", [f]) => quote!(Some(#some) => if (#f)(&#some) { Some(#some) } else { None }, None => None),
            ("unwrap_or", [default]) => quote!(Some(#some) => #some, None => #default),
            ("unwrap_or_else", [default]) => quote!(Some(#some) => #some, None => (#default)()),
            ("or", [other]) => quote!(Some(#some) => Some(#some), None => #other),
            ("or_else", [other]) => quote!(Some(#some) => Some(#some), None => (#other)()),
            ("zip", [other]) => {
                quote!(Some(#some) => match #other { Some(#both) => Some((#some, #both)), None => None }, None => None)
            }
            ("is_some_and", [f]) => quote!(Some(#some) => (#f)(#some), None => false),
            ("is_none_or", [f]) => quote!(Some(#some) => (#f)(#some), None => true),
            _ => return None,
        };
        let option = matches!(name.as_str(), "map" | "and_then" | "filter" | "or" | "or_else" | "zip");
        let found: syn::Expr = match before.is_empty() {
            true => parse_quote!(match #receiver { #arms }),
            false => parse_quote!({ #before match #receiver { #arms } }),
        };
        Some(if option { self.option_expr(&found) } else { self.nested_expr(&found) })
    }

    /// Whether an expression in which nothing differentiable occurs is an option, as far as it shows.
    fn shows_option(&mut self, e: &syn::Expr) -> bool {
        match strip(e) {
            syn::Expr::MethodCall(m) => GIVE_OPTIONS.iter().any(|name| m.method == name),
            e @ (syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_)) => {
                let o = self.nested_expr(e);
                let place = self.place(o);
                self.place_type(&place) == Type::Inactive
            }
            _ => false,
        }
    }
}

/// Whether it makes no difference when an expression is evaluated.
fn is_plain(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Field(f) => is_plain(&f.base),
        syn::Expr::Unary(u) => is_plain(&u.expr),
        syn::Expr::Reference(r) => is_plain(&r.expr),
        _ => false,
    }
}
