//! The body of `_hessian`: a row for each unit vector, by the product with it.

use proc_macro2::TokenStream;
use quote::quote;

use super::arguments::{Kept, last, nested, zero};
use super::jacobian::element;
use crate::syntax::signature::{By, Signature, one_or_tuple};

/// Whether `_hvp` must be there for `_hessian`: a receiver cannot be bound again.
pub(super) fn needs_product(signature: &Signature) -> bool {
    signature.hessian && signature.params.iter().any(|param| param.receiver && param.by != By::Ref)
}

/// `hessian(0 of x, |x_dot| f_hvp(x, n, x_dot))`, with the contents of `_hvp` if it is not there.
pub(super) fn body(signature: &Signature, product: &TokenStream) -> TokenStream {
    let mut names = signature.names.clone();
    let kept = Kept::new(signature, &mut names);
    let (krate, element, prologue) = (&signature.krate, element(signature), kept.prologue(signature));
    let direction = nested(signature.differentiable().map(|param| zero(signature, param)));
    let dots = || signature.differentiable().map(|param| &param.tangent_name);
    let pattern = nested(dots().map(|dot| quote!(#dot)));
    let arguments = kept.again(signature);
    let product = if signature.hvp || needs_product(signature) {
        let (hvp, dots) = (signature.companion_path("hvp"), dots());
        quote!(#hvp(#(#arguments,)* #(#dots),*))
    } else {
        let again =
            signature.params.iter().zip(&arguments).filter(|(param, _)| !param.receiver).map(|(param, value)| {
                let arg = &param.arg;
                quote!(let #arg = #value;)
            });
        quote!({ #(#again)* #product })
    };
    let bars: Vec<_> = signature.differentiable().map(|_| names.fresh("bar")).collect();
    let (entries, own) = (one_or_tuple(&bars), nested(bars.iter().map(|bar| quote!(#bar))));
    let hessian = quote! {
        #krate::__private::hessian::<#element, _>(#direction, |#pattern| { let #entries = #product; #own })
    };
    if signature.params.iter().all(|param| param.by != By::RefMut) {
        return hessian;
    }
    // what is behind `&mut` is left as the function leaves it
    let (function, arguments, matrix) =
        (signature.called_path(&signature.name), last(signature), names.fresh("matrix"));
    quote!(#prologue let #matrix = #hessian; let _ = #function(#(#arguments),*); #matrix)
}
