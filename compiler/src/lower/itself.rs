//! Calls of the function that is lowered, by itself.

use super::{Lowering, scan, types};
use crate::ir::{Arg, Callee, Float, Type, Value};
use crate::syntax::signature::{By, Owner, Param, bare};
use quote::ToTokens;

/// How many `&mut` parameters a function may have whose calls of itself share what they keep.
const MOST_CHANGED: usize = 3;

impl Lowering<'_> {
    /// Whether a callee is certainly the function that is lowered.
    pub(crate) fn is_itself(&self, callee: &Callee) -> bool {
        self.is_of_its_name(callee) && self.sig.generics.type_params().next().is_none()
    }

    /// The same, perhaps with other type arguments.
    fn is_of_its_name(&self, callee: &Callee) -> bool {
        let Callee::Path(syn::ExprPath { qself: None, path, .. }) = callee else { return false };
        let name = path.segments.last().is_some_and(|last| last.ident == self.sig.name && last.arguments.is_none());
        let beside = match self.sig.owner {
            Owner::Free => path.get_ident().is_some(),
            _ => self.is_inherent() && path.segments.len() == 2 && path.segments[0].ident == "Self",
        };
        let hidden = path.get_ident().is_some_and(|ident| self.lookup(&types::plain_name(ident)).is_some());
        name && beside && !hidden
    }

    /// Whether the function is an associated one of a type, and not of a trait: those have no visibility of their own.
    pub(crate) fn is_inherent(&self) -> bool {
        match self.sig.owner {
            Owner::Impl(_, None, _) => true,
            Owner::Unseen => !matches!(self.sig.vis, syn::Visibility::Inherited),
            _ => false,
        }
    }

    /// Whether a call is one of the function by itself that can leave what it keeps where the others do: it is certain, and
    /// all data but what is changed is passed in a form that can stand in a tuple.
    pub(crate) fn shares_frames(&self, callee: &Callee, operands: &[Value], modes: &[Arg]) -> bool {
        let params = &self.sig.params;
        let method = matches!(callee, Callee::Method(name) if bare(name) == bare(&self.sig.name) && self.is_inherent());
        if !(method || self.is_of_its_name(callee)) || params.len() != operands.len() {
            return false;
        }
        let own = &self.func[self.func.root].params;
        let fits = params.iter().zip(modes).enumerate().all(|(k, (param, &mode))| {
            let changes = param.by == By::RefMut;
            let same = operands[k] == own[k];
            // what it is called on cannot be named otherwise
            let named = !param.receiver || !changes && param.by == By::Ref && same;
            let fits = same || self.has_type_of(param, operands[k], own[k]);
            named && fits && changes == mode.changes() && !param.is_mutable_view() && param.function.is_none()
        });
        fits && params.iter().filter(|param| param.by == By::RefMut).count() <= MOST_CHANGED
    }

    /// Whether an argument makes the type arguments of a call those of the function itself.
    fn has_type_of(&self, param: &Param, operand: Value, own: Value) -> bool {
        let tokens = param.ty.to_token_stream();
        let generics = &self.sig.generics;
        let mentions = |ident: &syn::Ident| scan::mentioned(tokens.clone()).contains(ident);
        let of_types = generics.type_params().any(|of| mentions(&of.ident));
        let of_lengths = generics.const_params().any(|of| mentions(&of.ident));
        !of_lengths && (!of_types || self.func.ty(operand) == self.func.ty(own) && is_known(self.func.ty(own)))
    }
}

/// Whether nothing about a type is unknown.
fn is_known(ty: &Type) -> bool {
    match ty {
        Type::Float(kind) => !matches!(kind, Float::Any),
        Type::Slice(t) | Type::Vec(t) | Type::Array(t) | Type::Option(t) => is_known(t),
        Type::Tuple(of) => of.iter().all(is_known),
        ty => ty.is_scalar(),
    }
}
