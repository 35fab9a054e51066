//! Calls of the pullbacks that companions return.

use super::expr::Expr;
use super::tangent::perhaps_boxed;
use super::{Emitter, Repr, Result};
use crate::ir::{Arg, Call, Node, Type, Value};
use crate::syntax::signature::one_or_tuple;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// The call of a pullback that a companion returned.
    pub(super) fn call_pullback(&mut self, n: Node, call: &Call) -> Result<()> {
        let node = &self.func[n];
        let changed = call.args.iter().filter(|a| a.changes()).count();
        let outs = call.own(&node.outs);
        let mut seeds = &call.own(&node.args)[1..];
        if call.unit && seeds.len() > changed {
            seeds = &seeds[1..];
        }
        let (pullback, e) = self.root(node.args[0])?;
        let simple = matches!(self.reprs.get(node.args[0]), Some(Repr::Place(_)));
        let pullback = if simple { pullback } else { quote!((#pullback)) };
        if call.perhaps {
            self.needs.perhaps = true;
            let (y, own) = (self.take(seeds[0])?, self.take(seeds[1])?);
            let (wrapped, y_tokens, own_tokens) = (self.private("Perhaps"), &y.tokens, &own.tokens);
            let pull = quote::format_ident!("{}", if node.outs.len() == 1 { "pull_self" } else { "pull" });
            let k = call.args.iter().position(|a| *a == Arg::RefMut).unwrap_or(0);
            let k = proc_macro2::Literal::usize_unsuffixed(k);
            let pullback = match call.without.may_be() {
                true => quote!(#pullback.pullback()),
                false => quote!(&#pullback),
            };
            let tokens = quote!((&&&#wrapped::<_, _, _, #k>(#pullback, #y_tokens, #own_tokens)).#pull());
            if let [out] = node.outs[..] {
                self.define(out, Expr::atom(tokens).of([&y, &own, &e]));
            } else {
                let places: Vec<_> = node.outs.iter().map(|&o| self.declare_used(o, false)).collect();
                self.let_(places, None, tokens);
            }
            return Ok(());
        }
        if !call.doubts.is_empty() {
            return self.call_several(n, call, seeds, (pullback, &e));
        }
        let own = seeds.len() - changed;
        let seeds = seeds.iter().enumerate().map(|(i, &s)| match i < own {
            // what there is in a result may turn out to have no derivative
            true if *self.func.ty(s) == Type::Option(Box::new(Type::Dyn)) => {
                let (e, from_seed) = (self.take(s)?, self.private("from_seed"));
                let tokens = &e.tokens;
                Ok(Expr::atom(quote!(#from_seed(#tokens))).of([&e]))
            }
            true => self.take(s),
            false => {
                let e = self.take(s)?;
                let ty = self.func.ty(s);
                if !ty.may_differ() && !perhaps_boxed(ty) {
                    return Ok(e);
                }
                let from_seed = self.private(if perhaps_boxed(ty) { "handed" } else { "from_seed" });
                let tokens = &e.tokens;
                Ok(Expr::atom(quote!(#from_seed(#tokens))).of([&e]))
            }
        });
        let seeds = seeds.collect::<Result<Vec<_>>>()?;
        let seed = one_or_tuple(seeds.iter().map(|e| &e.tokens));
        let seed = self.seed_with_variables(seed, call, &node.args)?;
        let tokens = match &self.frames {
            Some(frames) if call.itself => {
                let again = &frames.again;
                let held = (*self.func.ty(node.args[0]) == Type::Pullback).then(|| quote!(.pullback()));
                let index = if held.is_some() { quote!(*#pullback #held) } else { pullback.clone() };
                quote!(#again.call(#index, #seed))
            }
            _ => quote!(#pullback(#seed)),
        };
        let tokens = self.entries_without_variables(tokens, call, &node.outs);
        if let [out] = outs[..] {
            let mut e = Expr::atom(tokens).of(&seeds).of([&e]);
            e.effect = call.ordered;
            self.define(out, e);
            return Ok(());
        }
        let places: Vec<_> = outs.iter().map(|&o| self.declare_used(o, false)).collect();
        self.let_(places, None, tokens);
        Ok(())
    }

    /// The same, of a call of which only the compiler knows which of its arguments it changes.
    fn call_several(
        &mut self,
        n: Node,
        call: &Call,
        seeds: &[Value],
        (pullback, e): (TokenStream, &Expr),
    ) -> Result<()> {
        let changed: Vec<usize> = (0..call.args.len()).filter(|&k| call.args[k].changes()).collect();
        let own = seeds.len() - changed.len();
        let [sure, doubt, unused, same] = ["Sure", "Doubt", "Unused", "Same"].map(|name| self.private(name));
        let mut parts = Vec::new();
        for (i, &seed) in seeds.iter().enumerate() {
            let e = self.take(seed)?;
            let tokens = &e.tokens;
            // what there is in a result may turn out to have no derivative
            let found = i < own && *self.func.ty(seed) == Type::Option(Box::new(Type::Dyn));
            let kind = match i < own {
                true if found => self.private("Converted"),
                true => same.clone(),
                false => self.kind_of_dot(seed),
            };
            let k = i.checked_sub(own).map(|i| changed[i]);
            let part = match k.filter(|k| call.doubts.contains(k)) {
                Some(k) => {
                    let k = Literal::usize_unsuffixed(k);
                    quote!(#doubt::<_, #k>(#kind(#tokens)))
                }
                None => quote!(#sure(#kind(#tokens))),
            };
            parts.push(Expr::atom(part).of([&e]));
        }
        let (kept, list) = (self.names.unique("kept"), parts.iter().map(|e| &e.tokens));
        let list = list.rfold(quote!(()), |rest, part| quote!((#part, #rest)));
        let list = if call.unit { quote!((#unused(#same(#kept.zero())), #list)) } else { list };
        let tokens = quote!({
            let #kept = #pullback.pullback();
            #kept.pull(#list)
        });
        let outs = &self.func[n].outs;
        if let [out] = outs[..] {
            self.define(out, Expr::atom(tokens).of(&parts).of([e]));
        } else {
            let places: Vec<_> = outs.iter().map(|&o| self.declare_used(o, false)).collect();
            self.let_(places, None, tokens);
        }
        Ok(())
    }
}
