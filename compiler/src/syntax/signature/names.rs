//! Names that occur nowhere in the user's function.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// Hands out names that are not taken. They are also hygienic, but a reader of the expansion must not be misled either.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// All names in some tokens are taken (those of lifetimes as well).
    pub fn in_tokens(tokens: TokenStream) -> Self {
        let mut names = Self::default();
        names.collect(tokens);
        names
    }

    /// All names in some tokens are taken as well.
    pub(crate) fn collect(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => drop(self.taken.insert(bare(&ident))),
                TokenTree::Group(group) => self.collect(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// Whether a name occurs.
    pub fn has(&self, name: &Ident) -> bool {
        self.taken.contains(&bare(name))
    }

    /// Takes `base`, or `base_2`, `base_3` … if that is taken.
    pub fn fresh(&mut self, base: &str) -> Ident {
        let mut name = base.to_string();
        let mut count = 1;
        // a keyword with a number is none
        let mut keyword = syn::parse_str::<Ident>(&name).is_err();
        while keyword || !self.taken.insert(name.clone()) {
            keyword = false;
            count += 1;
            name = format!("{base}_{count}");
        }
        Ident::new(&name, Span::mixed_site())
    }
}

/// The name of what tells that a method takes its receiver by value.
pub(crate) fn takes(method: &Ident) -> Ident {
    quote::format_ident!("__{}_takes", bare(method), span = Span::mixed_site())
}

/// A name without `r#`.
pub(crate) fn bare(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_string)
}
