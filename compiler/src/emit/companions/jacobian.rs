//! The body of `_jacobian`: rows by the pullback or columns by the tangent program, whichever are fewer.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::arguments::{Kept, nested, zero};
use crate::syntax::options::Mode;
use crate::syntax::signature::{Component, Float, Names, ResultKind, Signature, TypeClass, bare, one_or_tuple};

/// `let (value, pullback) = f_vjp(x, n); jacobian(0 of value, 0 of x, pullback, |x_dot| f_jvp(x, n, x_dot, ()).1)`
pub(super) fn body(signature: &Signature) -> TokenStream {
    let mut names = signature.names.clone();
    let kept = Kept::new(signature, &mut names);
    let (krate, element) = (&signature.krate, element(signature));
    let prologue = kept.prologue(signature);
    let direction = nested(signature.differentiable().map(|param| zero(signature, param)));
    let start = names.fresh("direction");
    let push = push(signature, &kept, &mut names);
    let first = quote! { #prologue let #start = #direction; };
    if signature.mode == Mode::Forward {
        return quote!(#first #krate::__private::jacobian_by_columns::<#element, _, _>(#start, #push));
    }
    let (value, pullback) = (names.fresh("value"), names.fresh("pullback"));
    let vjp = signature.companion_path("vjp");
    let arguments = Kept::once(signature);
    let components = signature.components();
    let seed = nested(components.iter().map(|component| match component {
        component if !signature.component_differentiable(*component) => quote!(()),
        Component::Return => quote!(#krate::Differentiable::zero_tangent(&#value)),
        Component::Final(index) => zero(signature, &signature.params[*index]),
    }));
    let seeds: Vec<Ident> = components.iter().map(|_| names.fresh("seed")).collect();
    let pattern = nested(seeds.iter().map(|seed| quote!(#seed)));
    let bars: Vec<_> = signature.params.iter().map(|param| names.fresh(&format!("{}_bar", bare(&param.arg)))).collect();
    let entries = one_or_tuple(&bars);
    let own = signature.params.iter().zip(&bars).filter(|(param, _)| param.differentiable);
    let own = nested(own.map(|(_, bar)| quote!(#bar)));
    let handed = one_or_tuple(&seeds);
    let pull = quote!(|#pattern| { let #entries = #pullback(#handed); #own });
    let vjp = quote!(#first let (#value, #pullback) = #vjp(#(#arguments),*););
    match signature.mode {
        Mode::Reverse => quote!(#vjp #krate::__private::jacobian_by_rows::<#element, _, _>(#seed, #start, #pull)),
        _ => quote!(#vjp #krate::__private::jacobian::<#element, _, _>(#seed, #start, #pull, #push)),
    }
}

/// From the tangents of the differentiable parameters to those of the results.
fn push(signature: &Signature, kept: &Kept, names: &mut Names) -> TokenStream {
    let jvp = signature.companion_path("jvp");
    let arguments = kept.again(signature);
    let dots: Vec<_> =
        signature.params.iter().map(|param| param.differentiable.then(|| names.fresh("direction"))).collect();
    let pattern = nested(dots.iter().flatten().map(|dot| quote!(#dot)));
    let tangents = dots.iter().map(|dot| dot.as_ref().map_or_else(|| quote!(()), |dot| quote!(#dot)));
    let results: Vec<_> = signature.components().iter().map(|_| names.fresh("tangent")).collect();
    let (given, made) = (one_or_tuple(&results), nested(results.iter().map(|result| quote!(#result))));
    quote!(|#pattern| { let (_, #given) = #jvp(#(#arguments,)* #(#tangents),*); #made })
}

/// The type of the elements: the first float in the result or, if none is seen there, in the parameters.
pub(super) fn element(signature: &Signature) -> TokenStream {
    let result = match &signature.result {
        ResultKind::Value { class, .. } => float(class),
        ResultKind::Unit => None,
    };
    match result.or_else(|| signature.differentiable().find_map(|param| float(&param.class))) {
        Some(Float::F32) => quote!(f32),
        Some(Float::Generic(name)) => quote!(#name),
        Some(Float::F64) | None => quote!(f64),
    }
}

fn float(class: &TypeClass) -> Option<Float> {
    match class {
        TypeClass::Float(float) => Some(float.clone()),
        TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => float(of),
        TypeClass::Option(of)
        | TypeClass::Result(of)
        | TypeClass::BoxOf(of)
        | TypeClass::NdArray { element: of, .. } => float(of),
        TypeClass::Tuple(of) => of.iter().find_map(float),
        TypeClass::Inactive | TypeClass::Function | TypeClass::Unknown(_) => None,
    }
}
