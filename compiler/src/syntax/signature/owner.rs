//! Where a function stands, which decides how its companions name each other and what their pullbacks may borrow.
//!
//! An attribute on a method sees neither the `impl` nor its generics. So `use<…>`, which would have to list them, is for
//! free functions only; the pullbacks of associated ones are bounded by a lifetime that everything outlives.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{FnArg, Generics, Item, ItemFn, Path};

/// What is around a function.
#[derive(Clone, Default)]
pub enum Owner {
    /// A module or a function body.
    #[default]
    Free,
    /// An `impl` or a trait that cannot be seen: the attribute stands on the method itself.
    Unseen,
    /// An `impl`, of a trait if there is a path, and the functions in it.
    Impl(Generics, Option<Path>, BTreeSet<String>),
    /// A trait. If the attribute stands on it, its generics are seen, and of each function that it provides the names
    /// of others in its body.
    Trait(Generics, BTreeMap<String, BTreeSet<String>>),
}

impl Owner {
    /// What the function itself says about its owner: it has a receiver, or speaks of `Self`.
    pub fn of(item: &ItemFn) -> Self {
        let receiver = item.sig.inputs.iter().any(|input| matches!(input, FnArg::Receiver(_)));
        if receiver || speaks_of_self(item) { Owner::Unseen } else { Owner::Free }
    }

    /// Whether the function is called through `Self`.
    pub fn is_type(&self) -> bool {
        !matches!(self, Owner::Free)
    }

    /// The generics around the function, as far as they are seen.
    pub fn generics(&self) -> Option<&Generics> {
        match self {
            Owner::Free | Owner::Unseen => None,
            Owner::Impl(generics, ..) | Owner::Trait(generics, _) => Some(generics),
        }
    }

    /// Whether the method `called` may come to the function `name` beside it again, as far as this is seen: in a trait by
    /// the functions that it provides.
    pub(crate) fn leads_back(&self, called: &str, name: &str) -> bool {
        let provided = match self {
            Owner::Free | Owner::Unseen => return false,
            Owner::Impl(.., own) => return own.contains(called),
            Owner::Trait(_, provided) => provided,
        };
        let (mut seen, mut next) = (BTreeSet::new(), vec![called]);
        while let Some(called) = next.pop() {
            if called == name {
                return true;
            }
            if seen.insert(called) {
                next.extend(provided.get(called).into_iter().flatten().map(String::as_str));
            }
        }
        false
    }

    /// How a function beside this one is called.
    pub fn path(&self, name: &proc_macro2::Ident) -> TokenStream {
        match self {
            Owner::Free => name.to_token_stream(),
            Owner::Impl(_, Some(path), _) => quote!(<Self as #path>::#name),
            Owner::Unseen | Owner::Impl(_, None, _) | Owner::Trait(..) => quote!(Self::#name),
        }
    }
}

/// Whether `Self` occurs, items inside the body apart.
pub(super) fn speaks_of_self(item: &ItemFn) -> bool {
    #[derive(Default)]
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
            self.0 |= ident == "Self";
        }
        fn visit_item(&mut self, _: &'ast Item) {}
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.0 |= in_tokens(mac.tokens.clone());
        }
    }
    let mut search = Search::default();
    visit::visit_signature(&mut search, &item.sig);
    visit::visit_block(&mut search, &item.block);
    search.0
}

/// Whether `Self` is among some tokens.
pub(crate) fn in_tokens(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "Self",
        TokenTree::Group(group) => in_tokens(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
