//! What the attribute stands on, and the attributes that companions share with it.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, ItemFn, Meta, Token, TraitItemFn, Visibility, parse_quote};

use super::Owner;

use crate::diag::{Diagnostics, Place, catalog};

/// What the attribute can stand on.
pub enum Target {
    /// A function, free or associated.
    Function(ItemFn),
    /// A method that a trait requires; its block is empty.
    Required(ItemFn),
    /// An `impl`, a trait or a module.
    Block(Item),
}

/// The annotated function. Anything else is reported.
pub fn function(tokens: TokenStream, diags: &mut Diagnostics) -> Option<ItemFn> {
    match target(tokens, diags)? {
        Target::Function(function) | Target::Required(function) => Some(function),
        Target::Block(_) => None,
    }
}

/// What the attribute stands on. Anything that has no derivatives is reported.
pub fn target(tokens: TokenStream, diags: &mut Diagnostics) -> Option<Target> {
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
        Item::Fn(_) | Item::Impl(_) | Item::Trait(_) | Item::Mod(_) => {}
        Item::Verbatim(tokens) => {
            if let Some(function) = required(tokens.clone()) {
                return Some(Target::Required(function));
            }
            elsewhere(&item, diags);
        }
        item => elsewhere(item, diags),
    }
    match item {
        Item::Fn(function) => Some(Target::Function(function)),
        Item::Impl(_) | Item::Trait(_) | Item::Mod(_) => Some(Target::Block(item)),
        _ => None,
    }
}

/// A function without a body that can only be a method which a trait requires.
fn required(tokens: TokenStream) -> Option<ItemFn> {
    let item = of_trait(syn::parse2(tokens).ok()?);
    Owner::of(&item).is_type().then_some(item)
}

/// A method of a trait as a function; its block is empty if it has none.
pub fn of_trait(item: TraitItemFn) -> ItemFn {
    let block = Box::new(item.default.unwrap_or_else(|| parse_quote!({})));
    ItemFn { attrs: item.attrs, vis: Visibility::Inherited, modifiers: item.modifiers, sig: item.sig, block }
}

fn elsewhere(item: &Item, diags: &mut Diagnostics) {
    let (at, what) = match item {
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
    // one that stands in the block stands before a companion
    let outer = |attr: &Attribute| Attribute { style: syn::AttrStyle::Outer, ..attr.clone() };
    attrs.iter().filter(|attr| shared(&attr.meta) || conditional(&attr.meta)).map(outer).collect()
}
