//! `#[derive(Differentiable)]`: the tangent type of a struct or an enum.
//!
//! Derived are: the tangent type, which has the differentiable fields under their names (of tuples in their order) or
//! the same variants; `Differentiable` for the type; `Tangent`, `Entry` and `Differentiable` for the tangent type; and
//! hidden methods that reach the tangent of every field by its name, `()` for a field that was left out, as adjoints
//! of functions are written without knowledge of types.
//!
//! Everything stands in a `const _` block, so that no name meets one of the user's. The tangent type is reached as
//! `<S as Differentiable>::Tangent`.

mod accessors;
mod generics;
mod impls;
mod model;
mod tangent;
mod walk;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::diag::{Diagnostics, catalog};
use model::Model;

/// Expands `#[derive(Differentiable)]` on `input`. If there are errors they come with an implementation that is as
/// good as can be, so that they are not followed by others.
pub fn expand(input: TokenStream) -> TokenStream {
    let mut diags = Diagnostics::new();
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => {
            diags.error(error.span(), &catalog::SYNTAX, &[("problem", &error)]);
            return diags.finish().err().unwrap_or_default();
        }
    };
    let model = Model::read(&input, &mut diags);
    let errors = diags.finish().err();
    let code = match model {
        Some(model) => derived(&model),
        None => impls::placeholder(&input),
    };
    quote!(#errors #code)
}

fn derived(model: &Model) -> TokenStream {
    let (allows, krate, private) = (&model.allows, &model.krate, &model.private);
    let parts = [
        tangent::definition(model),
        impls::differentiable(model),
        impls::tangent(model),
        impls::tangent_of_tangent(model),
        impls::entries(model),
        accessors::accessors(model),
    ];
    quote! {
        #(#allows)*
        const _: () = {
            use #krate::__private as #private;
            #(#parts)*
        };
    }
}

#[cfg(test)]
mod tests;
