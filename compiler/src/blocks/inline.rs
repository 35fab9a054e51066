//! Which functions of a block stand in for calls of them by the others: their bodies are in sight, so a call needs no
//! pullback of its own, no copy of a whole cotangent, and is optimised with what is around it.
//!
//! Small functions of plain data only, without generics and without options of their own, that neither call themselves in
//! any way nor say anything about inlining or configuration. All else is called as it would be from anywhere.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, ExprClosure, FnArg, GenericParam, Generics, Item, ItemFn, ReturnType, StmtMacro, Type};

use crate::diag::Diagnostics;
use crate::lower::{self, scan};
use crate::syntax::options::Options;
use crate::syntax::signature::{self, Owner, ResultKind, Siblings, TypeClass, bare};

/// How many operations a function may come to with all that stands in it.
const LARGEST: usize = 120;

/// A function that may be inlined as far as its signature goes.
struct Candidate {
    path: String,
    function: ItemFn,
    owner: Owner,
}

/// The functions of a block that may stand in for their calls.
#[derive(Default)]
pub(super) struct Candidates(Vec<Candidate>);

impl Candidates {
    /// Considers a function of a module, or of an `impl`.
    pub(super) fn consider(&mut self, function: ItemFn, owner: &Owner) {
        let path = if owner.is_type() { Siblings::of_self(&function.sig.ident) } else { bare(&function.sig.ident) };
        if is_plain(&function) {
            self.0.push(Candidate { path, function, owner: owner.clone() });
        }
    }

    /// Those that are small. `block`: the code of the whole block, in which they may be called.
    pub(super) fn chosen(mut self, block: TokenStream, options: &Options) -> Vec<(String, ExprClosure)> {
        let called = scan::counted(block);
        self.0.retain(|of| called.get(&bare(&of.function.sig.ident)).is_some_and(|count| *count > 1));
        let names: Vec<String> = self.0.iter().map(|of| bare(&of.function.sig.ident)).collect();
        let calls: Vec<BTreeMap<String, usize>> =
            self.0.iter().map(|of| scan::counted(of.function.block.to_token_stream())).collect();
        let mut sizes = Sizes { names, calls, own: vec![None; self.0.len()], options, of: &self.0 };
        let chosen: Vec<bool> = (0..self.0.len()).map(|k| sizes.whole(k, &mut Vec::new()).is_some()).collect();
        let chosen = self.0.into_iter().zip(chosen).filter(|(_, small)| *small);
        chosen.map(|(of, _)| (of.path, closure(of.function))).collect()
    }
}

/// How large the candidates are.
struct Sizes<'a> {
    names: Vec<String>,
    /// How often each name occurs in each of them.
    calls: Vec<BTreeMap<String, usize>>,
    /// What has been found before: the size, or that it is none.
    own: Vec<Option<Option<usize>>>,
    options: &'a Options,
    of: &'a [Candidate],
}

impl Sizes<'_> {
    /// How many operations a candidate comes to with those in it; `None` if it is too large, or calls itself.
    fn whole(&mut self, k: usize, around: &mut Vec<usize>) -> Option<usize> {
        if around.contains(&k) {
            return None;
        }
        if let Some(known) = self.own[k] {
            return known;
        }
        around.push(k);
        let mut size = if self.reaches_itself(k) { None } else { self.alone(k) };
        for (other, count) in self.calls[k].clone() {
            let Some(inner) = self.names.iter().position(|name| *name == other) else { continue };
            // one that is not inlined is a call here
            let inner = self.whole(inner, around).unwrap_or(1);
            size = size.map(|size| size + count * inner);
        }
        around.pop();
        let size = size.filter(|size| *size <= LARGEST);
        self.own[k] = Some(size);
        size
    }

    /// Whether a candidate may come to call itself.
    fn reaches_itself(&self, k: usize) -> bool {
        let mut seen = vec![false; self.names.len()];
        let mut open = vec![k];
        while let Some(at) = open.pop() {
            for (next, name) in self.names.iter().enumerate() {
                if self.calls[at].contains_key(name) && !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        seen[k]
    }

    /// How many operations a candidate itself has; `None` if there is something about it that is not understood.
    fn alone(&self, k: usize) -> Option<usize> {
        let Candidate { function, owner, .. } = &self.of[k];
        let mut diags = Diagnostics::new();
        let sig = signature::analyse_in(owner.clone(), function, self.options, &mut diags);
        let plain = |class: &TypeClass| class.is_known() && !matches!(class, TypeClass::NdArray { .. });
        let result = match &sig.result {
            ResultKind::Unit => true,
            ResultKind::Value { class, .. } => plain(class),
        };
        if !sig.has_derivative() || !result || !sig.params.iter().all(|param| plain(&param.class)) {
            let _ = diags.finish();
            return None;
        }
        let lowered = std::panic::AssertUnwindSafe(|| {
            let mut problems = Diagnostics::new();
            let lowered = lower::lower(&sig, &function.block, &mut problems);
            problems.finish().is_ok().then(|| lowered.func.nodes.len())
        });
        let sound = diags.finish().is_ok();
        std::panic::catch_unwind(lowered).ok().flatten().filter(|_| sound)
    }
}

/// Whether nothing about a function but its size speaks against inlining.
fn is_plain(function: &ItemFn) -> bool {
    let ItemFn { attrs, sig, .. } = function;
    let speaks = |attr: &Attribute| attr.path().is_ident("cfg") || attr.path().is_ident("inline");
    let special = sig.asyncness.is_some()
        || !matches!(sig.safety, syn::Safety::Default)
        || sig.constness.is_some()
        || sig.abi.is_some();
    let own = |input: &FnArg| match input {
        FnArg::Typed(input) => input.attrs.is_empty(),
        FnArg::Receiver(_) => false,
    };
    let reference = matches!(&sig.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Reference(_)));
    !attrs.iter().any(speaks) && !special && sig.inputs.iter().all(own) && !reference && sees_the_block(function)
}

/// Whether a name that is no local stands for the same in a function as anywhere in its block: the function has no items
/// of its own, nor generics, nor parameters to call. Only then may bodies stand in it that were written elsewhere.
pub(super) fn sees_the_block(function: &ItemFn) -> bool {
    let mut own = OwnNames(false);
    own.visit_block(&function.block);
    let inputs = super::names(function.sig.inputs.to_token_stream());
    let callable = ["Fn", "FnMut", "FnOnce", "fn"].iter().any(|name| inputs.contains(*name));
    !own.0 && !callable && is_open(&function.sig.generics)
}

/// Whether generics have no names but those of lifetimes.
pub(super) fn is_open(generics: &Generics) -> bool {
    generics.params.iter().all(|param| matches!(param, GenericParam::Lifetime(_)))
}

/// Whether there are items in some code, or macros that may stand for some.
struct OwnNames(bool);

impl<'ast> Visit<'ast> for OwnNames {
    fn visit_item(&mut self, _: &'ast Item) {
        self.0 = true;
    }

    fn visit_stmt_macro(&mut self, stmt: &'ast StmtMacro) {
        const WITHOUT_ITEMS: [&str; 10] = [
            "assert",
            "assert_eq",
            "assert_ne",
            "debug_assert",
            "debug_assert_eq",
            "debug_assert_ne",
            "println",
            "eprintln",
            "panic",
            "unreachable",
        ];
        self.0 |= !WITHOUT_ITEMS.iter().any(|name| stmt.mac.path.is_ident(name));
    }
}

/// A function as a closure without captures.
fn closure(function: ItemFn) -> ExprClosure {
    let ItemFn { sig, block, .. } = function;
    let (inputs, output) = (sig.inputs, sig.output);
    syn::parse_quote!(|#inputs| #output #block)
}
