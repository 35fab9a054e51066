//! The attribute on an `impl`, a trait or a module: it stands for one on each function in it.
//!
//! Functions that have nothing to differentiate are left alone, and so are those with companions written by hand. A
//! function with an attribute of its own keeps its own options. Unlike an attribute on a method, one on its `impl` sees
//! the generics around it.

mod constants;
mod foreign;
mod inline;
mod operators;

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, ItemMod, ItemTrait, Meta, TraitItem};

use crate::diag::{Diagnostics, Place, catalog};
use crate::syntax::options::{self, Options};
use crate::syntax::signature::{Owner, Siblings, bare, of_trait};
use crate::{Annotated, beside};

/// The block with the companions of its functions in it.
pub(crate) fn expand(item: Item, options: &Options, mut diags: Diagnostics) -> TokenStream {
    let what = match &item {
        Item::Impl(_) => "an `impl`",
        Item::Trait(_) => "a trait",
        _ => "a module",
    };
    for option in options.about_one_function() {
        let arguments: [(&str, &dyn std::fmt::Display); 2] = [("option", option), ("item", &what)];
        diags.error(Place::of(option), &catalog::ATTRIBUTE_ON_BLOCK, &arguments);
    }
    if let Item::Impl(of) = &item
        && let Some(name) = foreign::of(of)
    {
        diags.error(Place::of(name), &catalog::FOREIGN_TRAIT, &[("trait", name)]);
    }
    let item = if diags.has_errors() { item } else { within(item, options, &Siblings::default()) };
    let errors = diags.finish().err();
    quote!(#item #errors)
}

/// `around`: the functions of the module around the block that may stand in for their calls.
fn within(item: Item, options: &Options, around: &Siblings) -> Item {
    match item {
        // it has no companions
        Item::Impl(item) if foreign::of(&item).is_some() => Item::Impl(item),
        Item::Impl(item) => match operators::of(&item) {
            Some(operator) => {
                let mut item = item;
                let own = item.items.iter_mut().find_map(|item| match item {
                    ImplItem::Fn(method) => take_attribute(&mut method.attrs),
                    _ => None,
                });
                let companions = operators::beside(&item, operator, own, options);
                Item::Verbatim(quote!(#item #companions))
            }
            None => match foreign::conversion(&item) {
                Some(own) => {
                    let mut beside = methods(own, options, around);
                    beside.items.retain(|of| matches!(of, ImplItem::Verbatim(_)));
                    Item::Verbatim(quote!(#item #beside))
                }
                None => Item::Impl(methods(item, options, around)),
            },
        },
        Item::Trait(item) => Item::Trait(trait_methods(item, options, around)),
        Item::Mod(item) => Item::Mod(module(item, options)),
        item => item,
    }
}

fn methods(item: ItemImpl, options: &Options, around: &Siblings) -> ItemImpl {
    let functions = || {
        item.items.iter().filter_map(|item| match item {
            ImplItem::Fn(method) => Some(&method.sig),
            _ => None,
        })
    };
    let by_hand = ByHand::among(functions().map(|of| &of.ident));
    let of_trait = item.trait_.as_ref().map(|(path, _)| path.clone());
    let owner = Owner::Impl(item.generics.clone(), of_trait, functions().map(|of| bare(&of.ident)).collect());
    let inherent = item.trait_.is_none();
    let (original, of) = (item.generics.clone(), item.self_ty.clone());
    let mut candidates = inline::Candidates::default();
    for item in &item.items {
        // what a trait asks for may be hidden by a function of the type itself
        if let ImplItem::Fn(method) = item
            && inherent
            && !has_attribute(&method.attrs)
            && !by_hand.concerns(&method.sig.ident)
        {
            candidates.consider(of_impl(method), &owner);
        }
    }
    let own = functions().map(|of| (Siblings::of_self(&of.ident), of));
    let siblings = seen(around, &item.generics).taking(of_types([&item])).taking(own);
    let siblings = siblings.with(candidates.chosen(item.to_token_stream(), options));
    let mut items = Vec::new();
    let mut constants = Vec::new();
    // a method with companions tells that the type is differentiable
    let mut told = false;
    for mut item in item.items {
        let mut companions = TokenStream::new();
        if let ImplItem::Fn(method) = &mut item {
            let own = take_attribute(&mut method.attrs);
            if own.is_some() || !by_hand.concerns(&method.sig.ident) {
                let lenient = own.is_none();
                let (function, owner, siblings) = (of_impl(method), owner.clone(), siblings.clone());
                companions = annotated(Annotated { owner, function, has_body: true, siblings }, own, options);
                told |= lenient && method.sig.receiver().is_some() && !companions.is_empty();
                if lenient && companions.is_empty() {
                    constants.push(method.clone());
                }
            }
        }
        items.extend([item, ImplItem::Verbatim(companions)]);
    }
    if inherent && told && original.type_params().next().is_none() {
        let companions = constants.iter().filter_map(|method| constants::companions(method, &of, options));
        items.extend(companions.map(ImplItem::Verbatim));
    }
    ItemImpl { items, ..item }
}

/// The functions of types that are none of a trait, by the names of the types.
fn of_types<'i>(blocks: impl IntoIterator<Item = &'i ItemImpl>) -> Vec<(String, &'i syn::Signature)> {
    let mut all: Vec<(String, &syn::Signature)> = Vec::new();
    for block in blocks {
        let functions = block.items.iter().filter_map(|item| match item {
            ImplItem::Fn(method) if block.trait_.is_none() => Some(&method.sig),
            _ => None,
        });
        all.extend(functions.filter_map(|sig| Some((Siblings::of_type_named(&block.self_ty, &sig.ident)?, sig))));
    }
    all
}

/// The functions around a block that see the same names as those in it.
fn seen(around: &Siblings, generics: &syn::Generics) -> Siblings {
    if inline::is_open(generics) { around.clone() } else { Siblings::default() }
}

fn of_impl(method: &ImplItemFn) -> ItemFn {
    let ImplItemFn { attrs, vis, modifiers, sig, block, .. } = method.clone();
    ItemFn { attrs, vis, modifiers, sig, block: Box::new(block) }
}

fn trait_methods(item: ItemTrait, options: &Options, around: &Siblings) -> ItemTrait {
    let by_hand = ByHand::among(item.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(&method.sig.ident),
        _ => None,
    }));
    let provided = item.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => {
            let names = names(method.default.as_ref()?.to_token_stream());
            Some((bare(&method.sig.ident), names))
        }
        _ => None,
    });
    let owner = Owner::Trait(item.generics.clone(), provided.collect());
    let own = item.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some((Siblings::of_self(&method.sig.ident), &method.sig)),
        _ => None,
    });
    let around = seen(around, &item.generics).taking(own);
    let mut items = Vec::new();
    for mut item in item.items {
        let mut companions = TokenStream::new();
        if let TraitItem::Fn(method) = &mut item {
            let own = take_attribute(&mut method.attrs);
            if own.is_some() || !by_hand.concerns(&method.sig.ident) {
                let (function, has_body) = (of_trait(method.clone()), method.default.is_some());
                let (owner, siblings) = (owner.clone(), around.clone());
                companions = annotated(Annotated { owner, function, has_body, siblings }, own, options);
            }
        }
        items.extend([item, TraitItem::Verbatim(companions)]);
    }
    ItemTrait { items, ..item }
}

fn module(mut item: ItemMod, options: &Options) -> ItemMod {
    let code = item.to_token_stream();
    let Some((_, items)) = &mut item.content else { return item };
    let by_hand = ByHand::among(items.iter().filter_map(|item| match item {
        Item::Fn(function) => Some(&function.sig.ident),
        _ => None,
    }));
    let ours = |function: &ItemFn| !has_attribute(&function.attrs) && !by_hand.concerns(&function.sig.ident);
    let mut candidates = inline::Candidates::default();
    for item in items.iter() {
        if let Item::Fn(function) = item
            && ours(function)
        {
            candidates.consider(function.clone(), &Owner::Free);
        }
    }
    let own = items.iter().filter_map(|item| match item {
        Item::Fn(function) => Some((bare(&function.sig.ident), &function.sig)),
        _ => None,
    });
    let blocks = items.iter().filter_map(|item| if let Item::Impl(block) = item { Some(block) } else { None });
    let taken = Siblings::default().taking(of_types(blocks)).taking(own);
    let siblings = taken.with(candidates.chosen(code, options));
    let mut all = Vec::new();
    let mut pairs = BTreeSet::new();
    for item in std::mem::take(items) {
        if let Item::Impl(of) = &item
            && let Some(pair) = operators::pair(of).or_else(|| foreign::converted(of))
            && !pairs.insert(pair)
        {
            // by reference what is there by value, or another conversion
            all.push(item);
            continue;
        }
        let companions = match &item {
            Item::Fn(function) if ours(function) => {
                let (function, siblings) = (function.clone(), siblings.clone());
                annotated(Annotated { owner: Owner::Free, function, has_body: true, siblings }, None, options)
            }
            _ => TokenStream::new(),
        };
        let expands_itself = match &item {
            Item::Impl(item) => has_attribute(&item.attrs),
            Item::Trait(item) => has_attribute(&item.attrs),
            Item::Mod(item) => has_attribute(&item.attrs),
            _ => true,
        };
        all.extend([if expands_itself { item } else { within(item, options, &siblings) }, Item::Verbatim(companions)]);
    }
    *items = all;
    item
}

/// The companions of a function in a block; `own` are the options of its own attribute.
fn annotated(mut annotated: Annotated, own: Option<TokenStream>, options: &Options) -> TokenStream {
    if !inline::sees_the_block(&annotated.function) {
        annotated.siblings = annotated.siblings.of_type();
    }
    let mut diags = Diagnostics::new();
    match own {
        Some(own) => {
            let own = options::parse(own, &mut diags);
            beside(&annotated, &own, diags, false)
        }
        None => beside(&annotated, options, diags, true),
    }
}

/// All names in some code.
fn names(tokens: TokenStream) -> BTreeSet<String> {
    let of = |token: TokenTree| match token {
        TokenTree::Ident(ident) => BTreeSet::from([bare(&ident)]),
        TokenTree::Group(group) => names(group.stream()),
        _ => BTreeSet::new(),
    };
    tokens.into_iter().flat_map(of).collect()
}

fn is_ours(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "differentiable")
}

fn has_attribute(attrs: &[Attribute]) -> bool {
    attrs.iter().any(is_ours)
}

/// Removes the attribute from a method and returns its arguments.
fn take_attribute(attrs: &mut Vec<Attribute>) -> Option<TokenStream> {
    let attr = attrs.remove(attrs.iter().position(is_ours)?);
    Some(match attr.meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    })
}

/// The functions of a block that belong to derivatives written by hand: `f` with `f_vjp` or `f_jvp`, and these.
struct ByHand(BTreeSet<String>);

impl ByHand {
    fn among<'a>(names: impl Iterator<Item = &'a Ident>) -> Self {
        let names: BTreeSet<String> = names.map(bare).collect();
        let mut concerned = BTreeSet::new();
        for name in &names {
            for suffix in ["_vjp", "_jvp"] {
                if let Some(base) = name.strip_suffix(suffix)
                    && names.contains(base)
                {
                    concerned.extend([name.clone(), base.to_string()]);
                }
            }
        }
        ByHand(concerned)
    }

    fn concerns(&self, name: &Ident) -> bool {
        self.0.contains(&bare(name))
    }
}

#[cfg(test)]
mod tests;
