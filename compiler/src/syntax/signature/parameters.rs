//! The parameters and the result of a function as they are written.

use syn::visit_mut::VisitMut;
use syn::{FnArg, Generics, Ident, ItemFn, Pat, PatIdent, Receiver, ReceiverKind, ReturnType, Type, parse_quote};

use super::names::{Names, bare};
use super::types::{TypeClass, plain};
use super::{By, Param, ResultKind, generics};

pub(super) fn parameters(item: &ItemFn, generics: &mut Generics, names: &mut Names) -> Vec<Param> {
    let mut params = Vec::new();
    for (index, input) in item.sig.inputs.iter().enumerate() {
        let (pattern, mut ty, receiver) = match input {
            FnArg::Receiver(receiver) => (self_pattern(receiver), self_type(receiver), true),
            FnArg::Typed(typed) => ((*typed.pat).clone(), (*typed.ty).clone(), false),
        };
        generics::Named { generics, names }.visit_type_mut(&mut ty);
        let arg = match &pattern {
            Pat::Ident(PatIdent { by_ref: None, ident, subpat: None, .. })
                if !hides_companion(ident, &item.sig.ident) =>
            {
                ident.clone()
            }
            _ => names.fresh(&format!("arg_{index}")),
        };
        let by = match plain(&ty) {
            Type::Reference(reference) if reference.mutability.is_some() => By::RefMut,
            Type::Reference(_) => By::Ref,
            _ => By::Value,
        };
        let tangent_name = names.fresh(&format!("{}_dot", bare(&arg)));
        let (bound_ty, class) = (ty.clone(), TypeClass::Inactive);
        params.push(Param {
            pattern,
            arg,
            tangent_name,
            ty,
            bound_ty,
            class,
            by,
            differentiable: false,
            receiver,
            function: None,
            ignored: false,
            sizes: None,
        });
    }
    params
}

/// Whether a parameter has the name of a companion of the function.
fn hides_companion(param: &Ident, function: &Ident) -> bool {
    const WORDS: [&str; 9] = ["vjp", "jvp", "grad", "value", "and", "into", "jacobian", "hvp", "hessian"];
    let (param, function) = (bare(param), bare(function));
    let suffix = param.strip_prefix(&function).and_then(|rest| rest.strip_prefix('_'));
    suffix.is_some_and(|suffix| suffix.split('_').all(|word| WORDS.contains(&word)))
}

fn self_pattern(receiver: &Receiver) -> Pat {
    Pat::Ident(PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        mutability: receiver.mutability,
        ident: receiver.self_token.into(),
        subpat: None,
    })
}

fn self_type(receiver: &Receiver) -> Type {
    match &receiver.kind {
        ReceiverKind::Reference(and, lifetime, mutability) => parse_quote!(#and #lifetime #mutability Self),
        ReceiverKind::Typed(_, ty) => (**ty).clone(),
        _ => parse_quote!(Self),
    }
}

pub(super) fn result(output: &ReturnType) -> ResultKind {
    match output {
        ReturnType::Default => ResultKind::Unit,
        ReturnType::Type(_, ty) => match plain(ty) {
            Type::Tuple(tuple) if tuple.elems.is_empty() => ResultKind::Unit,
            _ => ResultKind::Value { ty: ty.clone(), bound_ty: ty.clone(), class: TypeClass::Inactive },
        },
    }
}
