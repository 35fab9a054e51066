//! Values that are there or not.

use super::expr::{Expr, Form, prec};
use super::{Emitter, Result};
use crate::emit::places::is_copy;
use crate::ir::{Node, Op, Type};
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
}
