//! Cotangents that are taken out of their places.

use super::Emitter;
use crate::emit::places::Hold;
use crate::ir::{Const, Op, Type, Value};
use proc_macro2::{Span, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// Takes what is in a place out, which leaves zero there.
    pub(super) fn take_part(&mut self, out: Value, at: &Type, target: &TokenStream, target_is_view: bool) {
        let used = self.live.uses(out).count > 0;
        if at.is_float() {
            if used {
                let place = self.declare(out, Hold::Owned);
                self.let_(vec![Some(place)], None, target.clone());
            }
            let zero = self.constant_of(&Const::Float(0.0, "0.0".to_owned()), at, Span::mixed_site()).tokens;
            self.push(quote!(#target = #zero;));
            return;
        }
        if matches!(at, Type::Slice(_)) && self.accumulated_next(out) {
            self.moving = Some((out, target.clone()));
            return;
        }
        if matches!(at, Type::NdArray(..)) && target_is_view {
            let f = self.private("take_view");
            let place = used.then(|| self.declare(out, Hold::Owned));
            self.let_(vec![place], None, quote!(#f(#target)));
            return;
        }
        let f = self.private(if matches!(at, Type::Slice(_)) { "take_slice" } else { "take_tangent" });
        let place = used.then(|| self.declare(out, Hold::Owned));
        self.let_(vec![place], None, quote!(#f(&mut #target)));
    }

    /// Whether the next node, and nothing else, adds a value to a sequence.
    fn accumulated_next(&self, v: Value) -> bool {
        let next = self.func[self.graph].nodes.get(self.index).map(|&n| &self.func[n]);
        let sequence = |v: Value| matches!(self.func.ty(v), Type::Vec(_) | Type::Array(_) | Type::Slice(_));
        self.live.uses(v).count == 1
            && next.is_some_and(|n| matches!(n.op, Op::Accumulate) && n.args[1] == v && sequence(n.args[0]))
    }
}
