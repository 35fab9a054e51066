//! What is implemented: `Differentiable` for the user's type; `Tangent`, `Differentiable` and `Entry` for its tangent.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::DeriveInput;

use super::model::Model;
use super::tangent::constructed;
use super::walk::{This, Together};

pub(super) fn differentiable(model: &Model) -> TokenStream {
    let Model { name, tangent, private, bounds, .. } = model;
    let (impl_generics, _, clause) = bounds.value.split_for_impl();
    let (_, ty_generics, _) = bounds.value.split_for_impl();
    let (_, tangent_generics, _) = bounds.tangent.split_for_impl();
    let zero =
        constructed(model, This::Value, |kept, x| quote_spanned!(kept.at=> #private::Differentiable::zero_tangent(#x)));
    let variants =
        quote!([#private::Differentiable::zero_tangent(self).__cotangent__variant(), by.__cotangent__variant()]);
    let moved = model.pairs(
        This::Value,
        true,
        &format_ident!("by"),
        &Together::Statements,
        |kept, x, y| {
            let private = at(private, kept.at);
            quote_spanned!(kept.at=> #private::Differentiable::move_by(#x, #y))
        },
        &quote!(#private::fields::move_variants(by, #variants)),
    );
    let addresses = model.each(This::Value, false, &Together::Statements, |kept, x| {
        let private = at(private, kept.at);
        quote_spanned!(kept.at=> #private::Differentiable::push_addresses(#x, addresses))
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::Differentiable for #name #ty_generics #clause {
            type Tangent = #tangent #tangent_generics;

            fn zero_tangent(&self) -> Self::Tangent { #zero }

            #[track_caller]
            fn move_by(&mut self, by: &Self::Tangent) { #moved }

            fn push_addresses(&self, addresses: &mut #private::Vec<usize>) { #addresses }
        }

        #[automatically_derived]
        impl #impl_generics #private::Derived for #name #ty_generics #clause {}
    }
}

fn at(name: &Ident, span: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(span);
    name
}

pub(super) fn tangent(model: &Model) -> TokenStream {
    let Model { tangent, private, bounds, .. } = model;
    let (impl_generics, ty_generics, clause) = bounds.implemented.split_for_impl();
    let other = format_ident!("other");
    let variants = quote!([self.__cotangent__variant(), other.__cotangent__variant()]);
    let accumulate = model.pairs(
        This::Tangent,
        true,
        &other,
        &Together::Statements,
        |_, x, y| quote!(#private::Tangent::accumulate(#x, #y)),
        &quote!({
            let variants = #variants;
            #private::fields::accumulate_variants(self, other, variants)
        }),
    );
    let dot = model.pairs(
        This::Tangent,
        false,
        &other,
        &Together::Sum(quote!(0.0)),
        |_, x, y| quote!(#private::Tangent::dot(#x, #y)),
        &quote!(#private::fields::dot_variants(self, other, #variants)),
    );
    let each = |mutable, method: TokenStream| {
        model.each(This::Tangent, mutable, &Together::Statements, |_, x| quote!(#private::Tangent::#method(#x, by)))
    };
    let (scale, push, take) =
        (each(true, quote!(scale)), each(false, quote!(push_flat)), each(true, quote!(take_flat)));
    let len =
        model.each(This::Tangent, false, &Together::Sum(quote!(0)), |_, x| quote!(#private::Tangent::flat_len(#x)));
    let empty = empty(model);
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::Tangent for #tangent #ty_generics #clause {
            #[track_caller]
            fn accumulate(&mut self, other: &Self) { #accumulate }

            fn scale(&mut self, by: f64) { #scale }

            #[track_caller]
            fn dot(&self, other: &Self) -> f64 { #dot }

            fn to_flat(&self) -> #private::Vec<f64> { #private::to_flat(self) }

            #[track_caller]
            fn set_flat(&mut self, by: &[f64]) { #private::set_flat(self, by); }

            fn flat_len(&self) -> usize { #len }

            fn push_flat(&self, by: &mut #private::Vec<f64>) { #push }

            fn take_flat(&mut self, by: &mut &[f64]) { #take }

            #empty
        }

        #[automatically_derived]
        impl #impl_generics #private::DerivedTangent for #tangent #ty_generics #clause {}

        #[automatically_derived]
        impl #impl_generics #private::Derived for #tangent #ty_generics #clause {}
    }
}

/// For an enum the variant with the fewest fields whose tangents may be of this very type, as that has no end.
fn empty(model: &Model) -> Option<TokenStream> {
    let Model { tangent, private, .. } = model;
    let variant = model.variants.iter().min_by_key(|variant| {
        let unknown = variant.kept().filter(|(_, kept)| !kept.class.is_known()).count();
        (unknown, variant.kept().count())
    })?;
    let path = if model.is_enum {
        let name = &variant.name;
        quote!(#tangent::#name)
    } else {
        quote!(#tangent)
    };
    let members = variant.kept().map(|(_, kept)| &kept.member);
    Some(quote!(fn empty() -> Self { #path { #(#members: #private::Tangent::empty()),* } }))
}

/// A tangent is its own tangent: second derivatives need it.
pub(super) fn tangent_of_tangent(model: &Model) -> TokenStream {
    let Model { tangent, private, bounds, .. } = model;
    let (impl_generics, ty_generics, clause) = bounds.implemented.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::Differentiable for #tangent #ty_generics #clause {
            type Tangent = Self;

            fn zero_tangent(&self) -> Self { #private::fields::zero_like(self) }

            #[track_caller]
            fn move_by(&mut self, by: &Self) { #private::Tangent::accumulate(self, by); }
        }
    }
}

pub(super) fn entries(model: &Model) -> TokenStream {
    let Model { tangent, private, bounds, .. } = model;
    let (impl_generics, ty_generics, clause) = bounds.implemented.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::Entry<Self> for #tangent #ty_generics #clause {
            #[track_caller]
            fn add_entry_to(self, acc: &mut Self) { #private::Tangent::accumulate(acc, &self); }
        }

        #[automatically_derived]
        impl #impl_generics #private::Entry<#private::Box<Self>> for #tangent #ty_generics #clause {
            #[track_caller]
            fn add_entry_to(self, acc: &mut #private::Box<Self>) { #private::Tangent::accumulate(&mut **acc, &self); }
        }

        #[automatically_derived]
        impl #impl_generics #private::Entry<()> for #tangent #ty_generics #clause {
            fn add_entry_to(self, (): &mut ()) {}
        }
    }
}

/// Stands in for a type that was refused.
pub(super) fn placeholder(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, ty_generics, clause) = input.generics.split_for_impl();
    quote! {
        impl #impl_generics ::cotangent::Differentiable for #name #ty_generics #clause {
            type Tangent = ();
            fn zero_tangent(&self) {}
            fn move_by(&mut self, _: &()) {}
        }
    }
}
