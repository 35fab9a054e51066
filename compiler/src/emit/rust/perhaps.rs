//! Tangents of methods of which only the compiler knows whether they change `self`.

use super::expr::Expr;
use super::tangent::perhaps_boxed;
use super::{Emitter, Result};
use crate::emit::places::Hold;
use crate::ir::{Call, Node, Op, Value};
use proc_macro2::{Ident, Literal, TokenStream};
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

    /// What is known before a call of the tangents of the arguments that it may change.
    pub(super) fn dots_before(
        &mut self,
        call: &Call,
        args: &[Value],
        parts: &mut [Expr],
        lent_arrays: &[(Ident, TokenStream)],
    ) -> Vec<TokenStream> {
        let mut known = Vec::new();
        for (beside, &k) in call.with_tangent().iter().enumerate().filter(|&(_, &k)| call.args[k].changes()) {
            let i = call.args.len() + beside;
            let handed = parts[i].tokens.to_string();
            let dot = match lent_arrays.iter().find(|(name, _)| *name == handed) {
                Some((_, tangent)) => tangent.clone(),
                None => self.lent_dot(&mut parts[i]),
            };
            let kind = self.kind_of_dot(args[i]);
            known.push(if call.doubts.contains(&k) {
                let (doubt, k) = (self.private("Doubt"), Literal::usize_unsuffixed(k));
                quote!(#doubt::<_, #k>(#kind(#dot.clone())))
            } else {
                let [sure, type_of] = ["Sure", "type_of"].map(|name| self.private(name));
                quote!(#sure(#type_of(|| #kind(#dot.clone()))))
            });
        }
        known
    }

    /// The tangents of what a call changes, of which some may only be read.
    pub(super) fn several_dots(&mut self, call: &Call, companion: &TokenStream, known: &[TokenStream]) -> TokenStream {
        let dots = self.private(if call.unit { "dots_of_changed" } else { "dots_of_all" });
        let list = |first: &TokenStream| {
            let rest = known.iter().rfold(quote!(()), |rest, part| quote!((#part, #rest)));
            quote!((#first, #rest))
        };
        self.needs.probe = true;
        let [type_of, same, probe] = ["type_of", "Same", "Probe"].map(|name| self.private(name));
        // the tangent of the value is known by its type
        let part = self.private(if call.unit { "Unused" } else { "Sure" });
        let list = list(&quote!(#part(#type_of(|| #same((&#probe(&returned)).zero_or_unit())))));
        let returned = if call.unit { quote!(()) } else { quote!(returned) };
        quote!({
            let (returned, tangents) = #companion;
            let dots = #dots(tangents, #list);
            (#returned, dots)
        })
    }

    /// How a tangent of this function may differ from that of a function called.
    pub(super) fn kind_of_dot(&self, dot: Value) -> TokenStream {
        let ty = self.func.ty(dot);
        self.private(match perhaps_boxed(ty) {
            true => "Unpacked",
            false if ty.may_differ() => "Converted",
            false => "Same",
        })
    }

    /// A reference to a value.
    fn variable_of(&mut self, v: Value) -> Result<TokenStream> {
        let e = self.by_ref(v)?;
        Ok(self.temporary(e.tokens).tokens)
    }
}
