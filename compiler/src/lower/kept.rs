//! Iterators in which nothing differentiable occurs: they stay as they are written.
//!
//! Their items are *plain*: a reference is replaced by a clone of what it refers to, since here references are transparent
//! and a pullback must not borrow from the locals of the function.

use super::iter::Iter;
use super::{Lowering, Operand, types};
use crate::ir::{Op, Type, Value, Verbatim};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

/// Methods that give an iterator whatever they are called on; whether over references.
const MAKERS: [(&str, bool); 30] = [
    ("iter", true),
    ("iter_mut", true),
    ("into_iter", false),
    ("values", true),
    ("keys", true),
    ("into_values", false),
    ("into_keys", false),
    ("chars", false),
    ("char_indices", false),
    ("bytes", false),
    ("lines", false),
    ("split", false),
    ("splitn", false),
    ("rsplit", false),
    ("split_inclusive", false),
    ("chunk_by", true),
    ("splice", false),
    ("split_whitespace", false),
    ("split_ascii_whitespace", false),
    ("split_terminator", false),
    ("matches", false),
    ("match_indices", false),
    ("windows", true),
    ("chunks", true),
    ("chunks_exact", true),
    ("drain", false),
    ("range", false),
    ("ancestors", false),
    ("sample_iter", false),
    ("random_iter", false),
];

/// An iterator as it is written, and the locals that it uses.
#[derive(Clone)]
pub(crate) struct Kept {
    code: TokenStream,
    uses: Vec<Ident>,
    operands: Vec<Value>,
    refs: Vec<bool>,
    /// Whether the items are references in the source.
    by_ref: bool,
}

impl Kept {
    /// The same with more code, and an operand in it.
    pub(crate) fn then(
        mut self,
        operand: Option<Value>,
        make: impl FnOnce(&TokenStream, &Ident) -> TokenStream,
    ) -> Kept {
        let name = Ident::new(&format!("__{}", self.uses.len()), Span::call_site());
        self.code = make(&self.code, &name);
        if let Some(v) = operand {
            self.uses.push(name);
            self.operands.push(v);
            self.refs.push(false);
        }
        self
    }

    fn verbatim(self) -> (Verbatim, Vec<Value>) {
        let Kept { code, uses, operands, refs, .. } = self;
        (Verbatim { code, uses, refs, defs: vec![], pure_: false, diverges: false }, operands)
    }
}

impl<'a> Lowering<'a> {
    /// An expression as an iterator that is kept, if nothing differentiable is in it.
    pub(crate) fn kept_iterator(&mut self, e: &syn::Expr) -> Option<Iter> {
        let tokens = e.to_token_stream();
        if self.mentions_active(tokens.clone()) || self.mentions_function(tokens.clone()) {
            return None;
        }
        let (uses, operands, refs) = self.captures(tokens.clone());
        if !self.possible_defs(&uses, &operands).is_empty() && Self::mentions_mut(e) {
            return None;
        }
        Some(Iter::Kept(Box::new(Kept { code: tokens, uses, operands, refs, by_ref: gives_references(e) })))
    }

    /// What a method of a value gives: `w.iter()`.
    pub(crate) fn kept_items(&mut self, v: Value, m: &Ident) -> Iter {
        let name = Ident::new("__0", m.span());
        let code = quote!(#name.#m());
        let by_ref = m != "into_iter";
        Iter::Kept(Box::new(Kept { code, uses: vec![name], operands: vec![v], refs: vec![false], by_ref }))
    }

    /// Whether some tokens name a closure or an iterator, which is no variable where code is kept.
    pub(crate) fn mentions_function(&self, tokens: TokenStream) -> bool {
        use super::env::Binding as B;
        super::scan::mentioned(tokens).iter().any(|ident| {
            let binding = self.lookup(&types::plain_name(ident));
            matches!(binding, Some(B::Closure(_) | B::Function(_) | B::Known(_) | B::Iter(_)))
        })
    }

    /// Whether an expression is an iterator by the name of the method that makes it.
    pub(crate) fn surely_iterator(&self, e: &syn::Expr) -> bool {
        match super::control::strip(e) {
            syn::Expr::Range(_) => true,
            syn::Expr::MethodCall(m) => {
                MAKERS.iter().any(|(name, _)| m.method == name)
                    || super::array::items::makes_array_iterator(m)
                    || super::consume::ADAPTERS.iter().any(|name| m.method == name) && self.surely_iterator(&m.receiver)
            }
            syn::Expr::Call(c) => match super::control::strip(&c.func) {
                syn::Expr::Path(p) => p.path.segments.iter().any(|s| s.ident == "iter"),
                _ => false,
            },
            syn::Expr::Path(p) => p
                .path
                .get_ident()
                .is_some_and(|i| matches!(self.lookup(&types::plain_name(i)), Some(super::env::Binding::Iter(_)))),
            _ => false,
        }
    }

    /// Drives one: a loop over it.
    pub(crate) fn drive_kept(
        &mut self,
        kept: &Kept,
        label: Option<String>,
        cells: &[usize],
        each: super::drive::Each<'_, 'a>,
    ) -> Operand {
        let by_ref = kept.by_ref;
        let plain = self.plain_items(kept.clone());
        let (iter, operands) = plain.verbatim();
        let item = Ident::new("item", Span::call_site());
        let kind = crate::ir::LoopKind::Iter { iter, pattern: quote!(#item), bindings: vec![item] };
        let bound = std::cell::Cell::new(None);
        self.build_loop(
            kind,
            operands,
            vec![Type::Dyn],
            label,
            cells,
            false,
            &mut |l, params| {
                l.plain.insert(params[0], ());
                bound.set(Some(params[0]));
            },
            &mut |l, tail| {
                let item = Self::value_place(bound.get().expect("bound")).by_ref(by_ref);
                each(l, Operand::Place(item), tail)
            },
        )
    }

    fn plain_items(&mut self, kept: Kept) -> Kept {
        let private = self.private();
        let traits = quote!(
            use #private::plain::{AnyItems as _, PairItems as _, RefItems as _, ValueItems as _};
        );
        if !self.items.iter().any(|item| item.to_string() == traits.to_string()) {
            self.items.push(traits);
        }
        kept.then(None, |code, _| {
            // one expression: what it borrows from lives as long
            quote!((&&&&#private::plain::Items::new(#code)).plain())
        })
    }

    /// The items as a vector, at most so many.
    pub(crate) fn collected(&mut self, kept: Kept, most: Option<Value>) -> Iter {
        let by_ref = kept.by_ref;
        let mut plain = self.plain_items(kept);
        if let Some(n) = most {
            plain = plain.then(Some(n), |code, n| quote!(#code.take(#n)));
        }
        let private = self.private();
        let plain = plain.then(None, |code, _| quote!(#code.collect::<#private::Vec<_>>()));
        let (code, operands) = plain.verbatim();
        let v = self.b().push(Op::Verbatim(Box::new(code)), operands, Type::Vec(Box::new(Type::Dyn)));
        self.maybe_active.insert(v, false);
        self.plain.insert(v, ());
        Iter::Seq(Self::value_place(v), by_ref)
    }
}

/// Whether the items of an iterator are references, as far as its form tells.
fn gives_references(e: &syn::Expr) -> bool {
    match super::control::strip(e) {
        syn::Expr::Reference(_) => true,
        syn::Expr::MethodCall(m) => MAKERS.iter().any(|(name, refs)| m.method == name && *refs),
        _ => false,
    }
}
