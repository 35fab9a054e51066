//! What the attribute stands on, and the attributes that companions share with it.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, ItemFn, Meta, Token};

use crate::diag::{Diagnostics, Place, catalog};

/// The annotated function. Anything else is reported.
pub fn function(tokens: TokenStream, diags: &mut Diagnostics) -> Option<ItemFn> {
    let item = match syn::parse2::<Item>(tokens) {
        Ok(item) => item,
        Err(error) => {
            diags.error(error.span(), &catalog::SYNTAX, &[("problem", &error)]);
            return None;
        }
    };
    let mut on_type = |at: Place, item: &str| diags.error(at, &catalog::ATTRIBUTE_ON_TYPE, &[("item", &item)]);
    match &item {
        Item::Struct(item) => on_type(Place::of(&item.ident), "a struct"),
        Item::Enum(item) => on_type(Place::of(&item.ident), "an enum"),
        Item::Union(item) => on_type(Place::of(&item.ident), "a union"),
        Item::Fn(_) => {}
        item => elsewhere(item, diags),
    }
    match item {
        Item::Fn(function) => Some(function),
        _ => None,
    }
}

fn elsewhere(item: &Item, diags: &mut Diagnostics) {
    let mut on_block = |at: Place, item: &str| diags.error(at, &catalog::ATTRIBUTE_ON_BLOCK, &[("item", &item)]);
    let (at, what) = match item {
        Item::Impl(item) => return on_block(Place::of(&item.impl_token), "an `impl`"),
        Item::Trait(item) => return on_block(Place::of(&item.ident), "a trait"),
        Item::Mod(item) => return on_block(Place::of(&item.ident), "a module"),
        Item::Const(item) => (Place::of(&item.const_token), "a constant"),
        Item::Static(item) => (Place::of(&item.static_token), "a static"),
        Item::Type(item) => (Place::of(&item.type_token), "a type alias"),
        Item::Use(item) => (Place::of(&item.use_token), "an import"),
        Item::Macro(item) => (Place::of(&item.mac.path), "a macro"),
        Item::ForeignMod(item) => (Place::of(&item.abi), "a block of foreign functions"),
        Item::Verbatim(tokens) => {
            let keyword = tokens.clone().into_iter().find(|token| token.to_string() == "fn");
            if let Some(keyword) = keyword {
                diags.error(keyword.span(), &catalog::NO_BODY, &[]);
                return;
            }
            (first_token(tokens), "something else")
        }
        item => (first_token(item), "something else"),
    };
    diags.error(at, &catalog::NOT_A_FUNCTION, &[("item", &what)]);
}

fn first_token(item: &impl ToTokens) -> Place {
    item.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span()).into()
}

/// The attributes that companions share: when they exist, how they are inlined, what is allowed in them.
pub(super) fn shared_attributes(attrs: &[Attribute]) -> Vec<Attribute> {
    const SHARED: [&str; 4] = ["cfg", "inline", "must_use", "allow"];
    let shared = |meta: &Meta| SHARED.iter().any(|name| meta.path().is_ident(name));
    let conditional = |meta: &Meta| match meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|metas| metas.len() > 1 && metas.iter().skip(1).all(shared)),
        _ => false,
    };
    attrs.iter().filter(|attr| shared(&attr.meta) || conditional(&attr.meta)).cloned().collect()
}
