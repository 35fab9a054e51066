//! Code that goes through the fields of a tangent: straight for a struct, by a `match` for an enum.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Member;

use super::model::{Field, Kept, Model, Variant};

/// What `self` is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum This {
    Value,
    Tangent,
}

/// How the code for the fields becomes that for the whole.
pub(super) enum Together {
    /// `{ a; b; }`
    Statements,
    /// `0.0 + a + b`
    Sum(TokenStream),
    /// `a && b`
    All,
}

impl Together {
    fn join(&self, parts: &[TokenStream]) -> TokenStream {
        match self {
            Together::Statements => quote!({ #(#parts;)* }),
            Together::Sum(zero) => quote!(#zero #(+ #parts)*),
            Together::All if parts.is_empty() => quote!(true),
            Together::All => quote!(#(#parts)&&*),
        }
    }
}

impl Model {
    /// Goes through the fields of `self` that have tangents, or of the tangent that it is.
    pub(super) fn each(
        &self,
        this: This,
        mutable: bool,
        together: &Together,
        part: impl Fn(&Kept, &TokenStream) -> TokenStream,
    ) -> TokenStream {
        if !self.is_enum {
            let parts = self.variants[0].kept().map(|(field, kept)| {
                let place = place(own_member(this, field, kept), kept.at);
                part(kept, &reference(mutable, kept.at, &quote!(self.#place)))
            });
            let parts: Vec<_> = parts.collect();
            return match together {
                Together::Statements => quote!(#(#parts;)*),
                together => together.join(&parts),
            };
        }
        self.matched(|variant| {
            let (pattern, names) = pattern(this, variant, "x");
            let parts: Vec<_> = variant.kept().zip(&names).map(|((_, kept), x)| part(kept, &quote!(#x))).collect();
            let body = together.join(&parts);
            let name = &variant.name;
            quote!(Self::#name #pattern => #body,)
        })
    }

    /// Goes through the fields of `self` and of the tangent `other` together. If they are of different variants the
    /// value is `otherwise`.
    pub(super) fn pairs(
        &self,
        this: This,
        mutable: bool,
        other: &Ident,
        together: &Together,
        part: impl Fn(&Kept, &TokenStream, &TokenStream) -> TokenStream,
        otherwise: &TokenStream,
    ) -> TokenStream {
        if !self.is_enum {
            let parts = self.variants[0].kept().map(|(field, kept)| {
                let at = kept.at;
                let (own, member) = (place(own_member(this, field, kept), at), place(&kept.member, at));
                let right = reference(false, at, &quote!(#other.#member));
                part(kept, &reference(mutable, at, &quote!(self.#own)), &right)
            });
            let parts: Vec<_> = parts.collect();
            return match together {
                Together::Statements => quote!(#(#parts;)*),
                together => together.join(&parts),
            };
        }
        if self.variants.is_empty() {
            return quote!(match *self {});
        }
        let tangent = &self.tangent;
        let arms = self.variants.iter().map(|variant| {
            let (left, xs) = pattern(this, variant, "x");
            let (right, ys) = pattern(This::Tangent, variant, "y");
            let parts: Vec<_> = variant
                .kept()
                .zip(xs.iter().zip(&ys))
                .map(|((_, kept), (x, y))| part(kept, &quote!(#x), &quote!(#y)))
                .collect();
            let body = together.join(&parts);
            let name = &variant.name;
            quote!((Self::#name #left, #tangent::#name #right) => #body,)
        });
        let otherwise = (self.variants.len() > 1).then(|| quote!(_ => #otherwise,));
        let this = if mutable { quote!(&mut *self) } else { quote!(self) };
        quote!(match (#this, #other) { #(#arms)* #otherwise })
    }

    /// A `match` of `self` with an arm for each variant.
    pub(super) fn matched(&self, arm: impl FnMut(&Variant) -> TokenStream) -> TokenStream {
        if self.variants.is_empty() {
            return quote!(match *self {});
        }
        let arms = self.variants.iter().map(arm);
        quote!(match self { #(#arms)* })
    }
}

/// A borrow, with all of it at the type of the field: that is where errors of the trait solver are told.
pub(super) fn reference(mutable: bool, at: Span, place: &TokenStream) -> TokenStream {
    if mutable { quote_spanned!(at=> &mut #place) } else { quote_spanned!(at=> &#place) }
}

/// A field's name, at its type.
pub(super) fn place(member: &Member, at: Span) -> Member {
    let mut member = member.clone();
    match &mut member {
        Member::Named(name) => name.set_span(at),
        Member::Unnamed(index) => index.span = at,
    }
    member
}

/// The name of a field in `self`.
pub(super) fn own_member<'a>(this: This, field: &'a Field, kept: &'a Kept) -> &'a Member {
    match this {
        This::Value => &field.member,
        This::Tangent => &kept.member,
    }
}

/// A pattern of the fields that are kept, behind the name of the variant, and the names that it binds.
pub(super) fn pattern(this: This, variant: &Variant, base: &str) -> (TokenStream, Vec<Ident>) {
    let members: Vec<_> = variant.kept().map(|(field, kept)| own_member(this, field, kept)).collect();
    let names: Vec<_> = (0..members.len()).map(|k| format_ident!("{base}{k}")).collect();
    let rest = (this == This::Value && members.len() < variant.fields.len()).then(|| quote!(..));
    (quote!({ #(#members: #names,)* #rest }), names)
}
