//! Code that is kept as it is written: its operands get the names that it knows them by.

use super::expr::{Expr, number_name, prec};
use super::{Emitter, Repr, Result};
use crate::emit::names::is_placeholder;
use crate::emit::places::{Hold, PlaceId};
use crate::ir::{Float, Op, Type, Value, Verbatim};
use crate::prims::LENDING_METHODS;
use crate::syntax::signature::{bare, one_or_tuple};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;

impl Emitter<'_> {
    pub(super) fn verbatim(&mut self, v: &Verbatim, args: &[Value], outs: &[Value]) -> Result<()> {
        if v.defs.is_empty() {
            let e = self.code(v, args)?;
            let unit = matches!(self.func.ty(outs[0]), Type::Unit);
            if v.pure_ && args.is_empty() {
                self.reprs.insert(outs[0], Repr::Expr(e));
            } else if unit || self.live.uses(outs[0]).count == 0 {
                self.flush(|e| e.effect);
                let tokens = statement(&e.tokens, unit);
                self.push(tokens);
                if unit {
                    self.reprs.insert(outs[0], Repr::Expr(Expr::atom(quote!(()))));
                }
            } else {
                self.define(outs[0], e);
            }
            return Ok(());
        }
        // what the code changes
        let mut changed = Vec::new();
        for (&i, &out) in v.defs.iter().zip(&outs[1..]) {
            changed.push((i, self.mutable(args[i], out)?));
        }
        let mut before = Vec::new();
        let mut after = Vec::new();
        for &(i, place) in &changed {
            let (ident, target) = (&v.uses[i], self.target(place));
            if !self.exact(place, ident, v.refs[i]) {
                if v.refs[i] {
                    before.push((ident.clone(), self.by_mut(place)));
                } else {
                    before.push((ident.clone(), target.clone()));
                    after.push(quote!(#target = #ident;));
                }
            }
        }
        let moved = !after.is_empty();
        let e = self.named(v, args, &changed, before)?;
        self.flush(|e| e.effect);
        let unit = matches!(self.func.ty(outs[0]), Type::Unit);
        let (prelude, code) = e;
        let tokens = match (prelude.is_empty(), moved) {
            (true, _) => code,
            (false, false) => quote!({ #prelude #code }),
            (false, true) if unit => {
                let code = statement(&code, true);
                quote!({ #prelude #code #(#after)* })
            }
            (false, true) => {
                let value = self.names.unique("value");
                quote!({ #prelude let #value = { #code }; #(#after)* #value })
            }
        };
        if unit || self.live.uses(outs[0]).count == 0 {
            let tokens = statement(&tokens, unit);
            self.push(tokens);
            self.reprs.insert(outs[0], Repr::Expr(Expr::atom(quote!(()))));
        } else {
            let place = self.declare(outs[0], Hold::Owned);
            self.let_(vec![Some(place)], None, tokens);
        }
        for (&(_, place), &out) in changed.iter().zip(&outs[1..]) {
            self.put(out, place);
        }
        Ok(())
    }

    /// Code without changes to locals, as an expression.
    pub(super) fn code(&mut self, v: &Verbatim, args: &[Value]) -> Result<Expr> {
        let mut reads: Vec<PlaceId> = Vec::new();
        for &a in args {
            match self.reprs.get(a) {
                Some(&Repr::Place(p)) => reads.push(p),
                Some(Repr::Expr(e)) => reads.extend(&e.reads),
                None => {}
            }
        }
        let (prelude, code) = self.named(v, args, &[], vec![])?;
        let mut e = if prelude.is_empty() {
            let level = precedence(&code);
            Expr::new(code, level)
        } else {
            Expr::new(quote!({ #prelude #code }), prec::BLOCK)
        };
        e.effect = !v.pure_;
        for p in reads {
            e = e.reading(p);
        }
        Ok(e)
    }

    /// The code with its placeholders filled in, and the bindings that it needs before it.
    fn named(
        &mut self,
        v: &Verbatim,
        args: &[Value],
        changed: &[(usize, PlaceId)],
        mut lets: Vec<(Ident, TokenStream)>,
    ) -> Result<(TokenStream, TokenStream)> {
        let mut filled = Vec::new();
        for (i, (ident, &a)) in v.uses.iter().zip(args).enumerate() {
            if changed.iter().any(|&(k, _)| k == i) {
                continue;
            }
            if is_placeholder(ident) {
                if lends(ident, &v.code) {
                    self.name_made(a);
                }
                let e = self.scalar(a)?;
                let e = if matches!(self.func.ty(a), Type::Int(_)) { self.with_suffix(e, self.func.ty(a)) } else { e };
                let e = if is_receiver(ident, &v.code) { self.told(a, e) } else { e };
                // a place stays a place: the code says what it does with it
                let tokens = match e.receiver {
                    Some(ident) if !self.func.ty(a).is_scalar() => ident,
                    _ => e.at(prec::ATOM),
                };
                filled.push((ident.clone(), tokens));
                continue;
            }
            if let Some(&Repr::Place(p)) = self.reprs.get(a)
                && self.exact(p, ident, v.refs[i])
            {
                continue;
            }
            let e = if v.refs[i] {
                self.by_ref(a)?
            } else if matches!(self.func.ty(a), Type::Inactive | Type::Dyn) {
                self.scalar_or_copy(a)?
            } else {
                self.take(a)?
            };
            let e = if is_number(self.func.ty(a)) { self.with_suffix(e, self.func.ty(a)) } else { e };
            lets.push((ident.clone(), e.tokens));
        }
        // no other variable may have this name
        let own = lets.iter().any(|(ident, _)| ident == "self").then(|| self.names.unique("own"));
        filled.extend(own.iter().map(|own| (Ident::new("self", own.span()), quote!(#own))));
        let code = if filled.is_empty() { v.code.clone() } else { fill(v.code.clone(), &filled) };
        if lets.is_empty() {
            return Ok((TokenStream::new(), code));
        }
        let (names, values): (Vec<_>, Vec<_>) = lets.into_iter().unzip();
        let names = names.iter().map(|ident| {
            let i = v.uses.iter().position(|u| u == ident).unwrap_or(0);
            let mutable = (changed.iter().any(|&(k, _)| k == i) && !v.refs[i]).then(|| quote!(mut));
            let ident = own.as_ref().filter(|_| ident == "self").unwrap_or(ident);
            quote!(#mutable #ident)
        });
        let (names, values) = (one_or_tuple(names), one_or_tuple(values));
        Ok((quote!(let #names = #values;), code))
    }

    /// Whether a value is made as a cell or a lock, of which a copy would be another one.
    pub(super) fn is_cell(&self, v: Value) -> bool {
        const NAMES: [&str; 5] = ["Cell", "RefCell", "OnceCell", "Mutex", "RwLock"];
        let Some(Op::Verbatim(code)) = self.func.maker(v).map(|n| &self.func[n].op) else { return false };
        let Ok(syn::Expr::Call(call)) = syn::parse2::<syn::Expr>(code.code.clone()) else { return false };
        let syn::Expr::Path(path) = &*call.func else { return false };
        let made = |name: &str| NAMES.contains(&name) || name.starts_with("Atomic");
        path.path.segments.iter().any(|segment| made(&segment.ident.to_string()))
    }

    /// A value of unknown type that gets another name: what may be differentiable and is used again is not moved.
    fn scalar_or_copy(&mut self, v: Value) -> Result<Expr> {
        if self.is_cell(v) && matches!(self.reprs.get(v), Some(Repr::Place(_))) {
            return self.by_ref(v);
        }
        let stays = matches!(self.reprs.get(v), Some(&Repr::Place(p)) if self.places[p].hold == Hold::Owned);
        let again = *self.func.ty(v) == Type::Dyn && self.live.uses(v).count > 1;
        let e = self.scalar(v)?;
        let tokens = &e.tokens;
        Ok(match stays && again {
            true => Expr { tokens: quote!(::core::clone::Clone::clone(&#tokens)), ..e },
            false => e,
        })
    }

    /// An integer as the receiver of a method, for which its type must be known there.
    fn told(&self, v: Value, e: Expr) -> Expr {
        let known = match self.func.maker(v).map(|n| &self.func[n].op) {
            Some(op) => matches!(op, Op::Cast(_) | Op::Const(_) | Op::Len | Op::Steps { .. } | Op::Offset),
            None => self.func[self.func.root].params.contains(&v),
        };
        let Some(name) = number_name(self.func.ty(v)).filter(|_| !known && matches!(self.func.ty(v), Type::Int(_)))
        else {
            return e;
        };
        let tokens = &e.tokens;
        Expr::atom(quote!(::core::convert::identity::<#name>(#tokens))).of([&e])
    }

    /// Whether code that uses `ident` sees the variable, in the form that it expects.
    fn exact(&self, p: PlaceId, ident: &Ident, reference: bool) -> bool {
        let place = &self.places[p];
        let holds = if reference { place.hold != Hold::Owned } else { place.hold == Hold::Owned };
        bare(&place.ident) == bare(ident) && holds && self.names.visible(ident) == Some(p)
    }
}

/// Whether a type is that of numbers: a method may be called on them where nothing else tells which one it is.
fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Float(Float::F32 | Float::F64))
}

/// Replaces placeholders.
pub(super) fn fill(code: TokenStream, filled: &[(Ident, TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    for token in code {
        match token {
            TokenTree::Ident(ident) => match filled.iter().find(|(name, _)| *name == ident) {
                Some((_, tokens)) => out.extend(tokens.clone()),
                None => out.extend([TokenTree::Ident(ident)]),
            },
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), fill(group.stream(), filled));
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// How tightly some code holds together.
fn precedence(code: &TokenStream) -> u8 {
    use syn::Expr as E;
    match syn::parse2::<syn::Expr>(code.clone()) {
        Ok(
            E::Path(_)
            | E::Lit(_)
            | E::Call(_)
            | E::MethodCall(_)
            | E::Field(_)
            | E::Index(_)
            | E::Paren(_)
            | E::Array(_)
            | E::Tuple(_)
            | E::Macro(_)
            | E::Try(_)
            | E::Repeat(_),
        ) => prec::ATOM,
        Ok(E::Unary(_) | E::Reference(_)) => prec::UNARY,
        _ => prec::BLOCK,
    }
}

/// Code as a statement.
fn statement(code: &TokenStream, unit: bool) -> TokenStream {
    let ends = match code.clone().into_iter().last() {
        Some(TokenTree::Punct(p)) => p.as_char() == ';',
        Some(TokenTree::Group(g)) => unit && g.delimiter() == proc_macro2::Delimiter::Brace && is_block(code),
        _ => false,
    };
    match (ends, unit) {
        (true, _) => code.clone(),
        (false, true) => quote!(#code;),
        (false, false) => quote!(let _ = #code;),
    }
}

/// Whether code is a block, or a statement that ends in one.
fn is_block(code: &TokenStream) -> bool {
    match code.clone().into_iter().next() {
        Some(TokenTree::Group(_)) => true,
        Some(TokenTree::Ident(ident)) => ["if", "for", "while", "loop", "match"].iter().any(|k| ident == k),
        _ => false,
    }
}

/// Whether code is a method that gives a reference into the placeholder that it is called on.
fn lends(name: &Ident, code: &TokenStream) -> bool {
    let method = code.clone().into_iter().nth(2);
    is_receiver(name, code)
        && matches!(method, Some(TokenTree::Ident(m)) if LENDING_METHODS.iter().any(|known| m == known))
}

/// Whether code begins with a method of what a name stands for.
fn is_receiver(name: &Ident, code: &TokenStream) -> bool {
    let mut tokens = code.clone().into_iter();
    matches!(tokens.next(), Some(TokenTree::Ident(first)) if first == *name)
        && matches!(tokens.next(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
}
