//! Calls of the function that is lowered, by itself.

use super::{Lowering, types};
use crate::ir::{Arg, Callee, Value};
use crate::syntax::signature::{By, Owner, bare};

/// How many `&mut` parameters a function may have whose calls of itself share what they keep.
const MOST_CHANGED: usize = 3;

impl Lowering<'_> {
    /// Whether a callee is certainly the function that is lowered.
    pub(crate) fn is_itself(&self, callee: &Callee) -> bool {
        let Callee::Path(path) = callee else { return false };
        let name = path.segments.last().is_some_and(|last| last.ident == self.sig.name && last.arguments.is_none());
        let beside = match self.sig.owner {
            Owner::Free => path.get_ident().is_some(),
            Owner::Impl(_, None, _) => path.segments.len() == 2 && path.segments[0].ident == "Self",
            _ => false,
        };
        let hidden = path.get_ident().is_some_and(|ident| self.lookup(&types::plain_name(ident)).is_some());
        name && beside && !hidden && self.sig.generics.type_params().next().is_none()
    }

    /// Whether a call is one of the function by itself that can leave what it keeps where the others do: it is certain, and
    /// all data but what is changed is passed in a form that can stand in a tuple.
    pub(crate) fn shares_frames(&self, callee: &Callee, operands: &[Value], modes: &[Arg]) -> bool {
        let method = match (callee, &self.sig.owner) {
            (Callee::Method(name), Owner::Impl(_, None, _)) => bare(name) == bare(&self.sig.name),
            _ => false,
        };
        let params = &self.sig.params;
        let generic =
            self.sig.generics.type_params().next().is_some() || self.sig.generics.const_params().next().is_some();
        if !(method || self.is_itself(callee)) || generic || params.len() != operands.len() {
            return false;
        }
        let own = &self.func[self.func.root].params;
        let fits = params.iter().zip(modes).enumerate().all(|(k, (param, &mode))| {
            let changes = param.by == By::RefMut;
            // what it is called on cannot be named otherwise
            let same = !param.receiver || !changes && param.by == By::Ref && operands[k] == own[k];
            same && changes == (mode == Arg::RefMut) && param.function.is_none()
        });
        fits && params.iter().filter(|param| param.by == By::RefMut).count() <= MOST_CHANGED
    }
}
