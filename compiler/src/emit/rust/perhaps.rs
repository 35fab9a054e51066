//! Tangents of methods of which only the compiler knows whether they change `self`.

use super::expr::Expr;
use super::{Emitter, Result};
use crate::emit::places::Hold;
use crate::ir::{Call, Node, Op, Value};
use proc_macro2::{Literal, TokenStream};
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

    /// Puts the tangent that is handed to a call into a variable, which stays, and gives its name.
    pub(super) fn lent_dot(&mut self, part: &mut Expr) -> TokenStream {
        let dot = self.temporary(part.tokens.clone()).tokens;
        *part = Expr::atom(quote!(#dot.clone()));
        dot
    }

    /// The tangent of the one argument beside the `k`-th that a call changes.
    pub(super) fn other_dot(
        &mut self,
        call: &Call,
        k: usize,
        with_tangent: &[usize],
        parts: &mut [Expr],
    ) -> Option<TokenStream> {
        let other = (0..call.args.len()).find(|&i| i != k && call.args[i].changes())?;
        let beside = with_tangent.iter().position(|&t| t == other)?;
        Some(self.lent_dot(&mut parts[call.args.len() + beside]))
    }

    /// The tangents of what a call changes, of which the `k`-th argument may only be read.
    pub(super) fn several_dots(
        &mut self,
        call: &Call,
        k: usize,
        companion: &TokenStream,
        own: &TokenStream,
        other: Option<&TokenStream>,
    ) -> TokenStream {
        self.needs.several = true;
        let [wrapped, dot_type] = ["SeveralDots", "dot_type"].map(|name| self.private(name));
        let other = other.map_or_else(|| quote!(()), |dot| quote!(#dot));
        let others = call.changed_before(call.args.len()) - 1;
        let [others, j] = [others, call.changed_before(k)].map(Literal::usize_unsuffixed);
        quote!({
            let (returned, tangents) = #companion;
            let dots = #wrapped::<_, _, _, _, #others, #j>(&returned, tangents, #own, #dot_type(&#other));
            ((), (&&&&&dots).split())
        })
    }

    /// A reference to a value.
    fn variable_of(&mut self, v: Value) -> Result<TokenStream> {
        let e = self.by_ref(v)?;
        Ok(self.temporary(e.tokens).tokens)
    }
}
