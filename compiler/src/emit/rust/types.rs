//! Types of the IR as they are written in Rust.

use super::Emitter;
use super::expr::float_name;
use crate::ir::{Float, Type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

impl Emitter<'_> {
    /// The type of values of which a part is visible, with `_` for what is not; `None` if nothing is.
    pub(super) fn visible(&self, ty: &Type) -> Option<TokenStream> {
        let inner = |ty: &Type| self.visible(ty).unwrap_or_else(|| quote!(_));
        match ty {
            Type::Float(Float::Generic(name)) => Some(Ident::new(name, Span::call_site()).into_token_stream()),
            Type::Float(kind) => float_name(kind).map(ToTokens::into_token_stream),
            Type::Int(kind) => kind.map(|kind| Ident::new(kind, Span::mixed_site()).into_token_stream()),
            Type::Bool => Some(quote!(bool)),
            Type::Vec(t) => {
                let (vec, t) = (self.private("Vec"), inner(t));
                Some(quote!(#vec<#t>))
            }
            Type::Option(t) => {
                let t = inner(t);
                Some(quote!(::core::option::Option<#t>))
            }
            Type::Tuple(ts) => {
                let ts = ts.iter().map(inner);
                Some(quote!((#(#ts,)*)))
            }
            _ => None,
        }
    }
}
