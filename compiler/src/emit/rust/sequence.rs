//! Vectors that grow and shrink, and ranges that are counted.

use super::expr::{Expr, Form, operator, prec};
use super::{Emitter, Repr, Result};
use crate::emit::places::Hold;
use crate::ir::{Node, Op, Type, Value};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// A vector, or what takes its place in a tangent, grows by an element. `unsure`: where nothing may be.
    pub(super) fn push_on(&mut self, target: &TokenStream, receiver: &TokenStream, value: &TokenStream, unsure: bool) {
        if unsure {
            let f = self.private("push");
            self.push(quote!(#f(#target, #value);));
        } else {
            self.push(quote!(#receiver.push(#value);));
        }
    }

    /// Its last element is taken.
    pub(super) fn pop_from(&mut self, last: Value, target: &TokenStream, receiver: &TokenStream, unsure: bool) {
        let taken = if unsure {
            let f = self.private("pop");
            quote!(#f(#target))
        } else {
            quote!(#receiver.pop().expect("as many as were pushed"))
        };
        let last = (self.live.uses(last).count > 0).then(|| self.declare(last, Hold::Owned));
        self.let_(vec![last], None, taken);
    }

    pub(super) fn sequence(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (args, outs) = (&node.args, &node.outs);
        match &node.op {
            Op::Lengthen => {
                let v = self.take_for_long(args[1])?;
                let ty = self.func.ty(args[1]).clone();
                let v = self.with_suffix(v, &ty).tokens;
                let length = self.scalar(args[2])?.tokens;
                let counts = args[3..].iter().map(|&a| self.scalar(a)).collect::<Result<Vec<_>>>()?;
                let place = self.mutable(args[0], outs[0])?;
                let counts = counts.iter().map(|e| &e.tokens);
                let (f, vec) = (self.private("lengthen"), self.by_mut(place));
                self.push(quote!(#f(#vec, #v, #length, &[#(#counts),*]);));
                self.put(outs[0], place);
            }
            Op::Len => {
                let (root, e) = self.root(args[0])?;
                let tokens = match self.func.ty(args[0]) {
                    // a method of the user's with this name might give a float
                    Type::Dyn => {
                        let length = self.private("length");
                        quote!(#length(#root.len()))
                    }
                    _ => quote!(#root.len()),
                };
                self.define(outs[0], Expr::atom(tokens).of([&e]));
            }
            Op::Copy(to_vec) => self.copy(args[0], outs[0], *to_vec)?,
            Op::Total if matches!(self.func.ty(args[0]), Type::NdArray(..)) => {
                let (root, e) = self.root(args[0])?;
                self.define(outs[0], Expr::atom(quote!(#root.sum())).of([&e]));
            }
            Op::Total => {
                let x = self.by_ref(args[0])?;
                let (f, tokens) = (self.private("total"), &x.tokens);
                self.define(outs[0], Expr::atom(quote!(#f(#tokens))).of([&x]));
            }
            _ => unreachable!("an operation on sequences"),
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, v: Value, out: Value, to_vec: bool) -> Result<()> {
        let ty = self.func.ty(v).clone();
        let moved = match self.reprs.get(v) {
            Some(&Repr::Place(p)) => {
                let owned = self.places[p].hold == Hold::Owned && !matches!(ty, Type::Slice(_));
                owned && self.takeable(v, p)
            }
            Some(Repr::Expr(e)) => e.form == Form::New && !matches!(ty, Type::Slice(_)),
            None => false,
        };
        if moved && (!to_vec || matches!(ty, Type::Vec(_))) {
            // nobody else has it
            let e = self.take(v)?;
            self.define(out, e);
            return Ok(());
        }
        let (root, e) = self.root(v)?;
        let tokens = match ty {
            _ if to_vec => quote!(#root.to_vec()),
            Type::Slice(_) => quote!(#root.to_vec()),
            Type::NdArray(..) => quote!(#root.to_owned()),
            _ => self.copied(&e, &ty),
        };
        self.define(out, Expr::atom(tokens).of([&e]));
        Ok(())
    }

    /// The arithmetic of loops over ranges.
    pub(super) fn range(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let out = node.outs[0];
        let usize_ = node.args.iter().all(|&a| self.counts(a)) && *self.func.ty(out) == Type::USIZE;
        let counts_from_zero = match &node.op {
            Op::Nth { reversed: false, .. } | Op::Offset => usize_ && self.is_zero(node.args[0]),
            _ => false,
        };
        if counts_from_zero && matches!(self.reprs.get(node.args[1]), Some(Repr::Place(_))) {
            self.share(out, node.args[1]);
            return Ok(());
        }
        let parts = node.args.iter().map(|&a| self.scalar(a)).collect::<Result<Vec<_>>>()?;
        let zero = self.is_zero(node.args[0]);
        let infix = |a: &Expr, op: &str, b: &Expr| {
            let level = prec::infix(op);
            let (left, right, symbol) = (a.at(level), b.at(level + 1), operator(op, node.span));
            Expr::new(quote!(#left #symbol #right), level).of([a, b])
        };
        let one = Expr::atom(quote!(1));
        let index = parts[1].at(prec::CAST);
        let e = match &node.op {
            Op::Nth { reversed: false, .. } if usize_ && zero => parts[1].clone(),
            Op::Nth { reversed: false, .. } if usize_ => infix(&parts[0], "+", &parts[1]),
            Op::Nth { inclusive: true, .. } if usize_ => infix(&parts[0], "-", &parts[1]),
            Op::Nth { .. } if usize_ => infix(&infix(&parts[0], "-", &one), "-", &parts[1]),
            Op::Offset if usize_ && zero => parts[1].clone(),
            Op::Offset if usize_ => infix(&parts[1], "-", &parts[0]),
            Op::Offset if zero && *self.func.ty(node.args[1]) == Type::INT => {
                Expr::new(quote!(#index as usize), prec::CAST).of([&parts[1]])
            }
            Op::Steps { inclusive: false } if usize_ && zero && self.is_constant(node.args[2], "1") => parts[1].clone(),
            Op::NthStep if usize_ => {
                let offset = infix(&parts[2], "*", &parts[1]);
                if zero { offset } else { infix(&parts[0], "+", &offset) }
            }
            op => {
                let f = self.private(match op {
                    Op::Nth { reversed: false, .. } => "nth_up",
                    Op::Nth { inclusive: true, .. } => "nth_down_inclusive",
                    Op::Nth { .. } => "nth_down",
                    Op::Offset => "offset",
                    Op::Steps { inclusive: false } => "steps",
                    Op::Steps { inclusive: true } => "steps_inclusive",
                    _ => "nth_step",
                });
                // bounds of literals alone are of the type that the function shows
                let bounds = if matches!(op, Op::Steps { .. } | Op::Offset) { 2 } else { 1 };
                let literals = parts[..bounds].iter().all(|e| e.literal);
                let typed = parts.iter().zip(&node.args).enumerate().map(|(k, (e, &a))| match literals && k < bounds {
                    true => self.with_suffix(e.clone(), self.func.ty(a)).tokens,
                    false => e.tokens.clone(),
                });
                Expr::atom(quote!(#f(#(#typed),*))).of(&parts)
            }
        };
        self.define(out, e);
        Ok(())
    }

    /// Whether an integer is a `usize`, or may be taken for one.
    fn counts(&self, v: Value) -> bool {
        match self.func.ty(v) {
            Type::Int(None) => {
                let literal = matches!(self.reprs.get(v), Some(Repr::Expr(e)) if e.literal);
                literal || !self.own_integers.contains_idx(v)
            }
            ty => *ty == Type::USIZE,
        }
    }

    fn is_zero(&self, v: Value) -> bool {
        self.is_constant(v, "0")
    }

    fn is_constant(&self, v: Value, digits: &str) -> bool {
        matches!(self.reprs.get(v), Some(Repr::Expr(e)) if e.weight == 0 && e.tokens.to_string() == digits)
    }
}
