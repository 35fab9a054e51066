//! Statements and the scopes that they stand in.

use super::Emitter;
use crate::emit::places::{Hold, PlaceId};
use crate::ir::Type;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A statement.
pub(in crate::emit) enum Stmt {
    /// `let a = init;`, or `let (a, b) = init;`, with `_` for those that nobody uses.
    Let(Vec<Option<PlaceId>>, Option<Ident>, TokenStream),
    /// `let (a, (b, c)) = init;`
    Nested(Option<PlaceId>, Vec<Option<PlaceId>>, TokenStream),
    Code(TokenStream),
    /// A branch: it can follow an `else`.
    If(TokenStream),
}

/// The statements of a block.
#[derive(Default)]
pub(in crate::emit) struct Scope {
    pub(in crate::emit) stmts: Vec<Stmt>,
    pub(in crate::emit) declared: Vec<(Ident, PlaceId)>,
}

impl Emitter<'_> {
    pub(in crate::emit) fn push(&mut self, code: TokenStream) {
        self.scopes.last_mut().expect("a scope is open").stmts.push(Stmt::Code(code));
    }

    pub(in crate::emit) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Ends a scope. It may be resumed.
    pub(in crate::emit) fn close(&mut self) -> Scope {
        let scope = self.scopes.pop().expect("a scope is open");
        scope.declared.iter().for_each(|(ident, _)| self.names.leave(ident));
        scope
    }

    /// The statements of a scope as tokens.
    pub(in crate::emit) fn render(&self, scope: &Scope) -> TokenStream {
        scope.stmts.iter().map(|stmt| self.render_stmt(stmt)).collect()
    }

    fn render_stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Code(code) | Stmt::If(code) => code.clone(),
            Stmt::Nested(first, rest, init) => {
                let (first, rest) = (self.pattern(&[*first]), self.pattern(rest));
                quote!(let (#first, #rest) = #init;)
            }
            Stmt::Let(places, ty, init) => {
                let pattern = self.pattern(places);
                let ty = ty.as_ref().map(|ty| quote!(: #ty));
                quote!(let #pattern #ty = #init;)
            }
        }
    }

    /// The pattern that binds places: `a`, `mut a`, `(a, _)`.
    pub(in crate::emit) fn pattern(&self, places: &[Option<PlaceId>]) -> TokenStream {
        let names = places.iter().map(|place| match place {
            None => quote!(_),
            Some(p) => {
                let place = &self.places[*p];
                let mutable = (place.mutated && place.hold != Hold::Mut).then(|| quote!(mut));
                let ident = &place.ident;
                quote!(#mutable #ident)
            }
        });
        crate::syntax::signature::one_or_tuple(names)
    }
}

/// A name for a value without one.
pub(super) fn suggestion(ty: &Type) -> &'static str {
    match ty {
        Type::Pullback => "pullback",
        Type::Int(_) => "n",
        Type::Bool => "c",
        _ => "t",
    }
}
