//! Companions of the functions of an `impl` that give `Self` and take nothing that has a derivative: `zeros(rows, cols)`.
//!
//! What they are given may be a field, of which the macro does not see that it is an integer: such a call is one of the
//! companion. Nothing goes back through its pullback, and its tangent is zero.
//!
//! ```text
//! fn zeros_vjp(rows: usize, cols: usize) -> (Self, fn(<Self as Differentiable>::Tangent) -> ((), ()));
//! fn zeros_jvp(rows: usize, cols: usize, _: impl Sized, _: impl Sized) -> (Self, <Self as Differentiable>::Tangent);
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, ImplItemFn, Pat, ReturnType, Type};

use crate::syntax::options::{Mode, Options};
use crate::syntax::signature::bare;

/// The companions of a function; `of` is the type of the `impl`.
pub(super) fn companions(method: &ImplItemFn, of: &Type, options: &Options) -> Option<TokenStream> {
    let sig = &method.sig;
    let ReturnType::Type(_, result) = &sig.output else { return None };
    let text = |ty: &Type| ty.to_token_stream().to_string();
    let gives_self = text(result) == "Self" || text(result) == text(of);
    if !gives_self || sig.asyncness.is_some() || sig.inputs.is_empty() {
        return None;
    }
    let mut names = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Typed(of) => match &*of.pat {
                Pat::Ident(name) => names.push(&name.ident),
                _ => return None,
            },
            FnArg::Receiver(_) => return None,
        }
    }
    let (name, vis) = (&sig.ident, &method.vis);
    let cfgs = method.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect::<Vec<_>>();
    let (generics, _, clause) = sig.generics.split_for_impl();
    let inputs: Vec<_> = sig
        .inputs
        .iter()
        .zip(&names)
        .map(|(input, name)| match input {
            FnArg::Typed(of) => {
                let ty = &of.ty;
                quote!(#name: #ty)
            }
            FnArg::Receiver(_) => quote!(#input),
        })
        .collect();
    let krate = &options.krate;
    let tangent = quote!(<Self as #krate::Differentiable>::Tangent);
    let mut all = TokenStream::new();
    if options.mode != Mode::Forward {
        let vjp = format_ident!("{}_vjp", bare(name), span = name.span());
        let doc = format!(
            "The value of [`{0}`](Self::{0}()) and its pullback: nothing goes back to its arguments.",
            bare(name)
        );
        let nothing = names.iter().map(|_| quote!(()));
        let entries = if names.len() == 1 { quote!(()) } else { quote!((#(#nothing),*)) };
        all.extend(quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[allow(unused, clippy::all, clippy::pedantic, clippy::nursery)]
            #vis fn #vjp #generics (#(#inputs),*) -> (Self, fn(#tangent) -> #entries) #clause {
                (Self::#name(#(#names),*), |_| #entries)
            }
        });
    }
    if options.mode != Mode::Reverse {
        let jvp = format_ident!("{}_jvp", bare(name), span = name.span());
        let doc = format!("The value of [`{0}`](Self::{0}()) and its tangent, which is zero.", bare(name));
        let ignored = names.iter().map(|_| quote!(_: impl ::core::marker::Sized));
        all.extend(quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[allow(unused, clippy::all, clippy::pedantic, clippy::nursery)]
            #vis fn #jvp #generics (#(#inputs,)* #(#ignored),*) -> (Self, #tangent) #clause {
                let value = Self::#name(#(#names),*);
                let tangent = #krate::Differentiable::zero_tangent(&value);
                (value, tangent)
            }
        });
    }
    if options.order >= 2 && options.mode == Mode::Both {
        all.extend(second(&Constant {
            method,
            names: &names,
            inputs: &inputs,
            tangent: &tangent,
            krate: &options.krate,
        }));
    }
    Some(all)
}

/// A function without derivatives.
struct Constant<'a> {
    method: &'a ImplItemFn,
    names: &'a [&'a proc_macro2::Ident],
    inputs: &'a [TokenStream],
    tangent: &'a TokenStream,
    krate: &'a syn::Path,
}

/// The companions of `_jvp`.
fn second(of: &Constant<'_>) -> TokenStream {
    let Constant { method, names, inputs, tangent, krate } = of;
    let (name, vis) = (&method.sig.ident, &method.vis);
    let cfgs = method.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect::<Vec<_>>();
    let (generics, _, clause) = method.sig.generics.split_for_impl();
    let next = quote!(<#tangent as #krate::Differentiable>::Tangent);
    let (vjp, jvp) = (format_ident!("{}_jvp_vjp", bare(name)), format_ident!("{}_jvp_jvp", bare(name)));
    let ignored = |n: usize| (0..n).map(|_| quote!(_: impl ::core::marker::Sized));
    let (once, thrice) = (ignored(names.len()), ignored(3 * names.len()));
    let nothing: Vec<_> = (0..2 * names.len()).map(|_| quote!(())).collect();
    let docs = ["its pullback", "its tangent"]
        .map(|what| format!("The value and the tangent of [`{0}`](Self::{0}()), and {what}.", bare(name)));
    let [of_vjp, of_jvp] = &docs;
    let lints = quote!(#[allow(unused, clippy::all, clippy::pedantic, clippy::nursery)]);
    quote! {
        #(#cfgs)*
        #[doc = #of_vjp]
        #lints
        #vis fn #vjp #generics (#(#inputs,)* #(#once),*)
            -> ((Self, #tangent), fn((#tangent, #next)) -> (#(#nothing),*)) #clause {
            let value = Self::#name(#(#names),*);
            let tangent = #krate::Differentiable::zero_tangent(&value);
            ((value, tangent), |_| (#(#nothing),*))
        }
        #(#cfgs)*
        #[doc = #of_jvp]
        #lints
        #vis fn #jvp #generics (#(#inputs,)* #(#thrice),*) -> ((Self, #tangent), (#tangent, #next)) #clause {
            let value = Self::#name(#(#names),*);
            let tangent = #krate::Differentiable::zero_tangent(&value);
            let next = #krate::Differentiable::zero_tangent(&tangent);
            ((value, tangent.clone()), (tangent, next))
        }
    }
}
