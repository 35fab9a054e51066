//! Methods that reach the tangent of a field by the field's name.
//!
//! `s.a` in a function becomes `s_bar.__cotangent_a()` in its adjoint, a place, and `__cotangent_ref_a()` where it is
//! only read; a field of a variant of an enum has the variant in its name, `__cotangent_Circle_0()`. As `Circle(r)` alone
//! does not say whether it is a variant, a struct has both: `__cotangent_0` and `__cotangent_Point_0`; and as `Rect { w, h }`
//! does not, a field of variants with names has one without the variant too. The method is as visible as the field. For a
//! field that was left out the place is a `()`.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Visibility;

use super::model::{Field, Model, Variant};
use super::tangent::text;
use crate::syntax::signature::bare;

pub(super) fn accessors(model: &Model) -> TokenStream {
    let Model { tangent, bounds, .. } = model;
    let (impl_generics, ty_generics, clause) = bounds.implemented.split_for_impl();
    let methods = model.variants.iter().flat_map(|variant| {
        variant.fields.iter().map(move |field| {
            let vis = if model.is_enum { &model.vis } else { &field.vis };
            let methods = names(model, variant, field).into_iter().map(|names| match &field.kept {
                Some(_) => reach(model, variant, field, vis, &names),
                None => nothing(model, vis, &names),
            });
            methods.collect::<TokenStream>()
        })
    });
    let methods: TokenStream = methods.chain(shared(model)).collect();
    let name = (model.variants.len() > 1).then(|| {
        let names = model.matched(|variant| {
            let (name, text) = (&variant.name, bare(&variant.name));
            quote!(Self::#name { .. } => #text,)
        });
        quote!(fn __cotangent__variant(&self) -> &'static str { #names })
    });
    if methods.is_empty() && name.is_none() {
        return TokenStream::new();
    }
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        impl #impl_generics #tangent #ty_generics #clause { #name #methods }
    }
}

/// The names of the methods that change and that read the place, under each of the names that the field has.
fn names(model: &Model, variant: &Variant, field: &Field) -> Vec<[Ident; 2]> {
    let member = text(&field.member);
    let of = |owner: &Ident| format!("{}_{member}", bare(owner));
    let paths = if model.is_enum { vec![of(&variant.name)] } else { vec![of(&model.name), member.clone()] };
    let name = |prefix: &str, path: &str| Ident::new(&format!("{prefix}{path}"), Span::call_site());
    paths.iter().map(|path| [name("__cotangent_", path), name("__cotangent_ref_", path)]).collect()
}

/// Of an enum the methods without the name of a variant, where a field of this name is of one type in all variants that have
/// it.
fn shared(model: &Model) -> Vec<TokenStream> {
    let named = model.variants.iter().filter(|variant| model.is_enum && variant.named);
    let mut of: BTreeMap<String, Vec<(&Variant, &Field)>> = BTreeMap::new();
    for (variant, field) in named.flat_map(|variant| variant.fields.iter().map(move |field| (variant, field))) {
        of.entry(text(&field.member)).or_default().push((variant, field));
    }
    let methods = of.into_iter().filter_map(|(member, fields)| {
        let names = ["__cotangent_", "__cotangent_ref_"].map(|prefix| format_ident!("{prefix}{member}"));
        if fields.iter().all(|(_, field)| field.kept.is_none()) {
            return Some(nothing(model, &model.vis, &names));
        }
        let kept: Option<Vec<_>> =
            fields.iter().map(|(variant, field)| Some((*variant, field.kept.as_ref()?))).collect();
        let kept = kept?;
        let ty = kept[0].1.ty.to_token_stream();
        if kept.iter().any(|(_, kept)| kept.ty.to_token_stream().to_string() != ty.to_string()) {
            return None;
        }
        let (x, vis, private) = (format_ident!("x"), &model.vis, &model.private);
        let arms = kept.iter().map(|(Variant { name, .. }, kept)| {
            let member = &kept.member;
            quote!(Self::#name { #member: #x, .. } => #x,)
        });
        let otherwise = (model.variants.len() > kept.len())
            .then(|| quote!(_ => #private::fields::another_variant(#member, self.__cotangent__variant()),));
        let body = quote!(match self { #(#arms)* #otherwise });
        let [write, read] = names;
        Some(quote! {
            #[inline]
            #vis fn #write(&mut self) -> &mut #ty { #body }
            #[inline]
            #vis fn #read(&self) -> &#ty { #body }
        })
    });
    methods.collect()
}

fn nothing(model: &Model, vis: &Visibility, [write, read]: &[Ident; 2]) -> TokenStream {
    let private = &model.private;
    quote! {
        #vis fn #write(&mut self) -> &mut () { #private::fields::nothing() }
        #vis fn #read(&self) -> &() { &() }
    }
}

fn reach(model: &Model, variant: &Variant, field: &Field, vis: &Visibility, [write, read]: &[Ident; 2]) -> TokenStream {
    let Some(kept) = &field.kept else { return TokenStream::new() };
    let (ty, member, private) = (&kept.ty, &kept.member, &model.private);
    let (place, value) = if model.is_enum {
        let (name, text) = (&variant.name, bare(&variant.name));
        let x = format_ident!("x");
        let otherwise = (model.variants.len() > 1)
            .then(|| quote!(_ => #private::fields::another_variant(#text, self.__cotangent__variant()),));
        let body = quote!(match self { Self::#name { #member: #x, .. } => #x, #otherwise });
        (body.clone(), body)
    } else {
        (quote!(&mut self.#member), quote!(&self.#member))
    };
    quote! {
        #[inline]
        #vis fn #write(&mut self) -> &mut #ty { #place }
        #[inline]
        #vis fn #read(&self) -> &#ty { #value }
    }
}
