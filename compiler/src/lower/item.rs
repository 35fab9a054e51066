//! Items inside a function's body. They are repeated in the companions, at the beginning.

use super::env::Binding;
use super::{Lowering, scan, types};
use crate::diag::catalog;
use crate::syntax::signature::bare;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Item, Path, Stmt, UseTree};

impl Lowering<'_> {
    /// An item in a block: its name hides locals of the same name.
    pub(super) fn item(&mut self, item: &Item) {
        match item {
            Item::Static(s) if matches!(s.mutability, syn::StaticMutability::Mut(_)) => {
                self.refuse(s.span(), &catalog::STATIC_MUT, &[]);
            }
            Item::Static(s) if scan::has_state(&s.ty) => {
                self.refuse(s.span(), &catalog::STATIC_STATE, &[]);
            }
            Item::Const(c) => self.env.bind(&types::plain_name(&c.ident), Binding::Item),
            Item::Fn(f) => self.env.bind(&types::plain_name(&f.sig.ident), Binding::Item),
            Item::Use(of) => imported(&of.tree, of.leading_colon.to_token_stream(), &mut |name, path| {
                if let Ok(path) = syn::parse2(path) {
                    self.imports.insert(bare(name), path);
                }
            }),
            _ => {}
        }
        self.items.push(item.to_token_stream());
    }

    /// The path of a function that the body imports under a name: its companions are beside it, and not beside what the name
    /// stands for elsewhere. Unless the body speaks of a companion under that name itself.
    pub(super) fn origin(&self, path: Path) -> Path {
        let Some(name) = path.get_ident() else { return path };
        let own = ["vjp", "jvp"].iter().any(|suffix| self.sig.names.has(&format_ident!("{}_{suffix}", bare(name))));
        let found = if own { None } else { self.imports.get(&bare(name)) };
        found.cloned().unwrap_or(path)
    }

    /// Refuses items of inner blocks whose name stands for something outside of the block too: in the companions it would
    /// stand for the item everywhere.
    pub(crate) fn check_items(&mut self, body: &Block) {
        let mut inner = Inner(Vec::new());
        body.stmts.iter().for_each(|stmt| inner.visit_stmt(stmt));
        let everywhere = scan::counted(body.to_token_stream());
        for block in inner.0 {
            let within = scan::counted(block.to_token_stream());
            let items =
                block.stmts.iter().filter_map(|stmt| if let Stmt::Item(item) = stmt { Some(item) } else { None });
            for item in items {
                for name in declared(item) {
                    if everywhere.get(&bare(&name)) > within.get(&bare(&name)) {
                        self.refuse(name.span(), &catalog::HIDING_ITEM, &[("name", &name)]);
                    }
                }
            }
        }
    }
}

/// The blocks in a body.
struct Inner<'b>(Vec<&'b Block>);

impl<'b> Visit<'b> for Inner<'b> {
    fn visit_block(&mut self, block: &'b Block) {
        self.0.push(block);
        visit::visit_block(self, block);
    }

    fn visit_item(&mut self, _: &'b Item) {}
}

/// The names that an item declares.
fn declared(item: &Item) -> Vec<Ident> {
    match item {
        Item::Const(of) => vec![of.ident.clone()],
        Item::Static(of) => vec![of.ident.clone()],
        Item::Fn(of) => vec![of.sig.ident.clone()],
        Item::Struct(of) => vec![of.ident.clone()],
        Item::Enum(of) => vec![of.ident.clone()],
        Item::Type(of) => vec![of.ident.clone()],
        Item::Trait(of) => vec![of.ident.clone()],
        Item::Mod(of) => vec![of.ident.clone()],
        Item::Use(of) => {
            let mut names = Vec::new();
            imported(&of.tree, TokenStream::new(), &mut |name, _| names.push(name.clone()));
            names
        }
        _ => Vec::new(),
    }
}

/// Calls `f` with each name that a `use` brings and the path that it stands for.
fn imported(tree: &UseTree, before: TokenStream, f: &mut impl FnMut(&Ident, TokenStream)) {
    let at = |last: &Ident| quote::quote!(#before #last);
    match tree {
        UseTree::Path(of) => {
            let path = at(&of.ident);
            imported(&of.tree, quote::quote!(#path::), f);
        }
        UseTree::Name(of) => f(&of.ident, at(&of.ident)),
        UseTree::Rename(of) => f(&of.rename, at(&of.ident)),
        UseTree::Group(of) => of.items.iter().for_each(|tree| imported(tree, before.clone(), f)),
        UseTree::Glob(_) => {}
    }
}
