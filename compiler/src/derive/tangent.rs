//! The tangent type itself.
//!
//! Its `Clone`, `Debug` and `PartialEq` are derived, unless it has type parameters: of these not the parameter but its
//! tangent must be `Debug`, which `#[derive]` does not know.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::model::{Kept, Model, Variant};
use super::walk::{This, Together, own_member, pattern, place, reference};
use crate::syntax::signature::bare;

pub(super) fn definition(model: &Model) -> TokenStream {
    let Model { name, vis, tangent, bounds, non_exhaustive, .. } = model;
    let doc = if model.is_enum {
        format!(" The tangent of [`{name}`]: the same variants with their differentiable fields.")
    } else {
        format!(" The tangent of [`{name}`]: its differentiable fields.")
    };
    let (params, clause) = (&bounds.tangent.params, &bounds.tangent.where_clause);
    let generics = if params.is_empty() { quote!() } else { quote!(<#params>) };
    let item = if model.is_enum {
        let variants = model.variants.iter().map(|variant| {
            let Variant { name, allows, .. } = variant;
            let doc = format!(" The tangent of `{name}`.");
            let body = body(variant, false);
            quote!(#[doc = #doc] #(#allows)* #name #body)
        });
        quote!(#vis enum #tangent #generics #clause { #(#variants,)* })
    } else {
        let body = body(&model.variants[0], true);
        match &model.variants[0] {
            variant if variant.kept().next().is_none() => quote!(#vis struct #tangent #generics #clause;),
            Variant { named: true, .. } => quote!(#vis struct #tangent #generics #clause #body),
            _ => quote!(#vis struct #tangent #generics #body #clause;),
        }
    };
    let (derives, impls) = if bounds.derivable() {
        (quote!(#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]), quote!())
    } else {
        (quote!(), [clone(model), debug(model), partial_eq(model)].into_iter().collect())
    };
    quote!(#[doc = #doc] #derives #non_exhaustive #item #impls)
}

/// The fields in braces or parentheses; nothing if there are none.
fn body(variant: &Variant, with_vis: bool) -> TokenStream {
    let fields = variant.kept().map(|(field, kept)| {
        let (ty, member, allows) = (&kept.ty, &kept.member, &field.allows);
        let vis = with_vis.then_some(&field.vis);
        if variant.named {
            let doc = format!(" The tangent of `{}`.", text(member));
            quote!(#[doc = #doc] #(#allows)* #vis #member: #ty)
        } else {
            quote!(#(#allows)* #vis #ty)
        }
    });
    let fields: Vec<_> = fields.collect();
    match variant.named {
        _ if fields.is_empty() => quote!(),
        true => quote!({ #(#fields),* }),
        false => quote!((#(#fields),*)),
    }
}

pub(super) fn text(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => bare(name),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

/// An implementation of a trait that follows the fields.
fn implement(model: &Model, path: &TokenStream, items: &TokenStream) -> TokenStream {
    let tangent = &model.tangent;
    let generics = model.bounds.tangent_with(path);
    let (impl_generics, _, clause) = generics.split_for_impl();
    let (_, ty_generics, _) = model.bounds.tangent.split_for_impl();
    quote!(#[automatically_derived] impl #impl_generics #path for #tangent #ty_generics #clause { #items })
}

fn clone(model: &Model) -> TokenStream {
    let body = constructed(model, This::Tangent, |_, x| quote!(::core::clone::Clone::clone(#x)));
    implement(model, &quote!(::core::clone::Clone), &quote!(fn clone(&self) -> Self { #body }))
}

/// A tangent with the variant of `self`, made field by field.
pub(super) fn constructed(model: &Model, this: This, part: impl Fn(&Kept, &TokenStream) -> TokenStream) -> TokenStream {
    let tangent = &model.tangent;
    if model.is_enum {
        return model.matched(|variant| {
            let (pattern, names) = pattern(this, variant, "x");
            let fields = variant.kept().zip(&names).map(|((_, kept), x)| {
                let (member, part) = (&kept.member, part(kept, &quote!(#x)));
                quote!(#member: #part)
            });
            let name = &variant.name;
            quote!(Self::#name #pattern => #tangent::#name { #(#fields),* },)
        });
    }
    let fields = model.variants[0].kept().map(|(field, kept)| {
        let own = place(own_member(this, field, kept), kept.at);
        let (member, part) = (&kept.member, part(kept, &reference(false, kept.at, &quote!(self.#own))));
        quote!(#member: #part)
    });
    quote!(#tangent { #(#fields),* })
}

fn debug(model: &Model) -> TokenStream {
    let shown = |variant: &Variant, shown: &str, parts: &[TokenStream]| {
        if variant.named && !parts.is_empty() {
            let labels = variant.kept().map(|(_, kept)| text(&kept.member));
            quote!(f.debug_struct(#shown)#(.field(#labels, #parts))*.finish())
        } else {
            quote!(f.debug_tuple(#shown)#(.field(#parts))*.finish())
        }
    };
    let body = if model.is_enum {
        model.matched(|variant| {
            let (pattern, names) = pattern(This::Tangent, variant, "x");
            let parts: Vec<_> = names.iter().map(|x| quote!(#x)).collect();
            let (name, body) = (&variant.name, shown(variant, &bare(&variant.name), &parts));
            quote!(Self::#name #pattern => #body,)
        })
    } else {
        let members = model.variants[0].kept().map(|(_, kept)| &kept.member);
        let parts: Vec<_> = members.map(|member| quote!(&self.#member)).collect();
        shown(&model.variants[0], &model.tangent.to_string(), &parts)
    };
    let items = quote!(fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { #body });
    implement(model, &quote!(::core::fmt::Debug), &items)
}

fn partial_eq(model: &Model) -> TokenStream {
    let other = format_ident!("other");
    let equal = |_: &Kept, x: &TokenStream, y: &TokenStream| quote!(::core::cmp::PartialEq::eq(#x, #y));
    let body = model.pairs(This::Tangent, false, &other, &Together::All, equal, &quote!(false));
    let items = quote!(fn eq(&self, other: &Self) -> bool { #body });
    implement(model, &quote!(::core::cmp::PartialEq), &items)
}
