//! Tangents of methods of which only the compiler knows whether they change `self`.

use super::{Emitter, Result};
use crate::emit::places::Hold;
use crate::ir::{Node, Op, Value};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    pub(super) fn perhaps_dots(&mut self, n: Node) -> Result<()> {
        self.needs.perhaps = true;
        let node = &self.func[n];
        let (pair, own) = (self.variable_of(node.args[0])?, self.variable_of(node.args[1])?);
        let tokens = if matches!(node.op, Op::SplitDots) {
            let wrapped = self.private("PerhapsDots");
            quote!((&&&#wrapped(&#pair.0, #pair.1.clone(), #own.clone())).split())
        } else {
            let wrapped = self.private("PerhapsBars");
            let (y, after) = (self.variable_of(node.args[2])?, self.variable_of(node.args[3])?);
            quote!((&&&#wrapped(&#pair.0, &#pair.1, #own, #y.clone(), #after.clone())).join())
        };
        let places = node
            .outs
            .iter()
            .map(|&out| (self.live.uses(out).count > 0).then(|| self.declare(out, Hold::Owned)))
            .collect();
        self.let_(places, None, tokens);
        Ok(())
    }

    /// A reference to a value.
    fn variable_of(&mut self, v: Value) -> Result<TokenStream> {
        let e = self.by_ref(v)?;
        Ok(self.temporary(e.tokens).tokens)
    }
}
