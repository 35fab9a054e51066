//! The bodies of `_grad` and `_value_and_grad`: one forward sweep, and the pullback at 1.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::arguments::last;
use crate::syntax::signature::{Component, Float, ResultKind, Signature, TypeClass, bare, one_or_tuple};

/// `let (value, pullback) = f_vjp(x, n); let (x_bar, _) = pullback(1.0); (value, x_bar)`.
pub(in crate::emit) fn body(signature: &Signature, with_value: bool) -> TokenStream {
    let mut names = signature.names.clone();
    let pullback = names.fresh("pullback");
    let value = if with_value {
        let value = names.fresh("value");
        quote!(#value)
    } else {
        quote!(_)
    };
    let vjp = signature.companion_path("vjp");
    let arguments = last(signature);
    let seed = one_or_tuple(signature.components().into_iter().map(|component| seed(signature, component)));

    if let [_] = signature.params.as_slice() {
        let output = if with_value { quote!((#value, #pullback(#seed))) } else { quote!(#pullback(#seed)) };
        return quote!(let (#value, #pullback) = #vjp(#(#arguments),*); #output);
    }
    let bars: Vec<_> = signature
        .params
        .iter()
        .map(|param| param.differentiable.then(|| names.fresh(&format!("{}_bar", bare(&param.arg)))))
        .collect();
    let pattern = one_or_tuple(bars.iter().map(|bar| bar.as_ref().map_or_else(|| quote!(_), |bar| quote!(#bar))));
    let grads = one_or_tuple(bars.iter().flatten());
    let output = if with_value { quote!((#value, #grads)) } else { grads };
    quote! {
        let (#value, #pullback) = #vjp(#(#arguments),*);
        let #pattern = #pullback(#seed);
        #output
    }
}

/// `f_value_and_grad(x, n).1`
pub(super) fn without_value(signature: &Signature) -> TokenStream {
    let (gradient, arguments) = (signature.companion_path("value_and_grad"), last(signature));
    quote!(#gradient(#(#arguments),*).1)
}

/// The name of the parameter for the caller's buffers.
pub(super) fn buffers(signature: &Signature) -> Ident {
    signature.names.clone().fresh("grads")
}

/// `let (value, (x_bar, ..)) = f_value_and_grad(x, ..); grads.0.clone_from(&x_bar); value`. A vector that is cloned into
/// another of its length allocates nothing.
pub(super) fn into_body(signature: &Signature) -> TokenStream {
    let mut names = signature.names.clone();
    let grads = names.fresh("grads");
    let value = names.fresh("value");
    let gradient = signature.companion_path("value_and_grad");
    let arguments = signature.params.iter().map(|param| &param.arg);
    let differentiable: Vec<_> = signature.differentiable().collect();
    let bars: Vec<_> = differentiable.iter().map(|param| names.fresh(&format!("{}_bar", bare(&param.arg)))).collect();
    let pattern = one_or_tuple(&bars);
    let writes = differentiable.iter().zip(&bars).enumerate().map(|(index, (param, bar))| {
        let index = syn::Index::from(index);
        let buffer = if bars.len() == 1 { quote!(#grads) } else { quote!(#grads.#index) };
        match param.class {
            TypeClass::Float(_) | TypeClass::Unknown(_) | TypeClass::Tuple(_) => {
                let place = if bars.len() == 1 { quote!(*#grads) } else { buffer };
                quote!(#place = #bar;)
            }
            _ => quote!(#buffer.clone_from(&#bar);),
        }
    });
    quote! {
        let (#value, #pattern) = #gradient(#(#arguments),*);
        #(#writes)*
        #value
    }
}

/// One for the result, nothing for the final values.
pub(super) fn seed(signature: &Signature, component: Component) -> TokenStream {
    let krate = &signature.krate;
    match component {
        Component::Final(index) => {
            let param = &signature.params[index];
            let arg = &param.arg;
            if param.differentiable { quote!(#krate::Differentiable::zero_tangent(&*#arg)) } else { quote!(()) }
        }
        Component::Return => match &signature.result {
            ResultKind::Value { class: TypeClass::Float(Float::F32), .. } => quote!(1.0_f32),
            ResultKind::Value { class: TypeClass::Float(Float::F64), .. } => quote!(1.0_f64),
            ResultKind::Value { class: TypeClass::Float(Float::Generic(name)), .. } => {
                quote!(#krate::__private::constant::<#name>(1.0))
            }
            ResultKind::Value { .. } => {
                let ty = signature.owned_type(false);
                quote!(<#ty as #krate::__private::ScalarResult>::unit_seed())
            }
            ResultKind::Unit => quote!(()),
        },
    }
}
