//! Values that are there or not.

use super::expr::{Expr, Form, prec};
use super::{Emitter, Result};
use crate::emit::places::{Hold, is_copy};
use crate::ir::{Node, Op, Outcome, Type};
use quote::quote;

impl Emitter<'_> {
    /// Values that are there or not.
    pub(super) fn option(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let out = node.outs[0];
        let e = match &node.op {
            Op::Some => {
                let v = self.take(node.args[0])?;
                let tokens = &v.tokens;
                Expr::atom(quote!(::core::option::Option::Some(#tokens))).of([&v])
            }
            Op::Outcome(outcome) => return self.outcome(*outcome, n),
            Op::Absent => match (&self.func[out].written, self.func.ty(out)) {
                (_, Type::Option(t)) if let Some(of) = self.visible(t) => {
                    Expr::atom(quote!(::core::option::Option::None::<#of>))
                }
                (Some(ty), _) => Expr::atom(quote!(<#ty>::None)),
                _ => Expr::atom(quote!(::core::option::Option::None)),
            },
            Op::IsSome => {
                let (root, e) = self.root(node.args[0])?;
                Expr::atom(quote!(#root.is_some())).of([&e])
            }
            _ => {
                let (root, e) = self.root(node.args[0])?;
                if is_copy(self.func.ty(out)) {
                    Expr::atom(quote!(#root.unwrap())).of([&e])
                } else if matches!(self.func.ty(out), Type::Pullback) {
                    // only called, and so never copied
                    Expr::new(quote!(*#root.as_ref().unwrap()), prec::UNARY).form(Form::Place).of([&e])
                } else {
                    Expr::atom(quote!(#root.clone().unwrap())).of([&e])
                }
            }
        };
        self.define(out, e);
        Ok(())
    }

    /// What may fail, in another form.
    fn outcome(&mut self, outcome: Outcome, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (args, outs) = (&node.args, &node.outs);
        let parts = args.iter().map(|&a| self.take(a)).collect::<Result<Vec<_>>>()?;
        let tokens = parts.iter().map(|e| &e.tokens);
        let f = self.private(match outcome {
            Outcome::Split => "split",
            Outcome::Join => "join",
            Outcome::Present => "present",
        });
        let tokens = quote!(#f(#(#tokens),*));
        let [value, error] = outs[..] else {
            self.define(outs[0], Expr::atom(tokens).of(&parts));
            return Ok(());
        };
        self.flush(|e| e.effect);
        let places = [value, error].map(|v| (self.live.uses(v).count > 0).then(|| self.declare(v, Hold::Owned)));
        self.let_(places.into(), None, tokens);
        Ok(())
    }
}
