//! The attribute `#[checkpoint]` of loops, which the functions around them understand and rustc never sees.

use super::options::{self, Checkpoint};
use crate::diag::Diagnostics;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;

const NAME: &str = "checkpoint";

/// What the attributes of a loop ask for.
pub fn of(attributes: &[syn::Attribute], diags: &mut Diagnostics) -> Option<Checkpoint> {
    let attribute = attributes.iter().find(|a| is_checkpoint(a))?;
    let name = &attribute.path().segments.last()?.ident;
    let rest: Vec<TokenTree> = attribute.meta.to_token_stream().into_iter().collect();
    let path = attribute.path().to_token_stream().into_iter().count();
    options::checkpoint(name, &rest[path..], diags)
}

/// Where the attribute is, if this is one.
pub fn place(attribute: &syn::Attribute) -> Option<Span> {
    is_checkpoint(attribute).then(|| attribute.path().span())
}

fn is_checkpoint(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == NAME)
}

/// Tokens without these attributes.
pub fn strip(tokens: TokenStream) -> TokenStream {
    stripped(tokens.clone()).unwrap_or(tokens)
}

/// The same, if there are any.
fn stripped(tokens: TokenStream) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = Vec::with_capacity(trees.len());
    let mut found = false;
    let mut k = 0;
    while k < trees.len() {
        if let Some(group) = attribute(&trees[k..])
            && names(group)
            && before_loop(&trees[k..])
        {
            found = true;
            k += 2;
            continue;
        }
        out.push(match &trees[k] {
            TokenTree::Group(group) => match stripped(group.stream()) {
                Some(inner) => {
                    found = true;
                    let mut changed = Group::new(group.delimiter(), inner);
                    changed.set_span(group.span());
                    TokenTree::Group(changed)
                }
                None => TokenTree::Group(group.clone()),
            },
            tree => tree.clone(),
        });
        k += 1;
    }
    found.then(|| out.into_iter().collect())
}

/// The inside of the attribute that tokens begin with.
fn attribute(trees: &[TokenTree]) -> Option<&Group> {
    match trees {
        [TokenTree::Punct(hash), TokenTree::Group(group), ..]
            if hash.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
        {
            Some(group)
        }
        _ => None,
    }
}

/// Whether this is the inside of `#[checkpoint…]`, with any path before the name.
fn names(attribute: &Group) -> bool {
    let path = attribute.stream().into_iter().take_while(|tree| match tree {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(p) => p.as_char() == ':',
        _ => false,
    });
    matches!(path.last(), Some(TokenTree::Ident(name)) if name == NAME)
}

/// Whether a loop follows the attributes that tokens begin with.
fn before_loop(mut trees: &[TokenTree]) -> bool {
    while attribute(trees).is_some() {
        trees = &trees[2..];
    }
    match trees.first() {
        Some(TokenTree::Ident(word)) => word == "for" || word == "while" || word == "loop",
        Some(TokenTree::Punct(tick)) => tick.as_char() == '\'',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::strip;
    use quote::quote;

    #[test]
    fn only_loops_lose_it() {
        let before = quote! {
            #[checkpoint(steps = 3)] for i in 0..n { #[cotangent::checkpoint] #[allow(unused)] 'a: loop { x[i] } }
            #[checkpoint] struct S;
            #[other] while c {}
        };
        let after = quote! {
            for i in 0..n { #[allow(unused)] 'a: loop { x[i] } }
            #[checkpoint] struct S;
            #[other] while c {}
        };
        assert_eq!(strip(before).to_string(), after.to_string());
    }
}
