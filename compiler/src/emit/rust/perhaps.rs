//! Tangents of methods of which only the compiler knows whether they change `self`.

use super::expr::Expr;
use super::{Emitter, Result};
use crate::emit::places::Hold;
use crate::ir::{Call, Node, Op, Value};
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

    /// Puts the tangent that is handed to a call into a variable, which stays, and gives its name.
    pub(super) fn lent_dot(&mut self, part: &mut Expr) -> TokenStream {
        let dot = self.temporary(part.tokens.clone()).tokens;
        *part = Expr::atom(quote!(#dot.clone()));
        dot
    }

    /// The tangent of the one argument beside the receiver that a call changes, unless its type may differ there.
    pub(super) fn other_dot(&mut self, call: &Call, with_tangent: &[usize], parts: &mut [Expr]) -> Option<TokenStream> {
        let k = (1..call.args.len()).find(|&k| call.args[k].changes())?;
        let beside = with_tangent.iter().position(|&t| t == k)?;
        Some(self.lent_dot(&mut parts[call.args.len() + beside]))
    }

    /// The tangents of what a call changes, of which the receiver is the first, if it is changed at all.
    pub(super) fn several_dots(
        &mut self,
        call: &TokenStream,
        own: &TokenStream,
        other: Option<&TokenStream>,
        changed: usize,
    ) -> TokenStream {
        self.needs.several = true;
        let [wrapped, dot_type] = ["SeveralDots", "dot_type"].map(|name| self.private(name));
        let other = other.map_or_else(|| quote!(()), |dot| quote!(#dot));
        let others = proc_macro2::Literal::usize_unsuffixed(changed - 1);
        quote!({
            let (returned, tangents) = #call;
            let dots = #wrapped::<_, _, _, _, #others>(&returned, tangents, #own, #dot_type(&#other));
            ((), (&&&&&dots).split())
        })
    }

    /// A reference to a value.
    fn variable_of(&mut self, v: Value) -> Result<TokenStream> {
        let e = self.by_ref(v)?;
        Ok(self.temporary(e.tokens).tokens)
    }
}
