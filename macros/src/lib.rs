//! The procedural macros of `cotangent`. Everything happens in `cotangent-compiler`; this crate only passes tokens.

use proc_macro::TokenStream;

/// Derives the companions of a function: `f_grad`, `f_value_and_grad`, `f_vjp` and `f_jvp`; by options `f_jacobian`, `f_hvp`,
/// `f_hessian`, and with `order = 2` the companions of the companions.
#[proc_macro_attribute]
pub fn differentiable(options: TokenStream, item: TokenStream) -> TokenStream {
    cotangent_compiler::expand(options.into(), item.into()).into()
}

/// Derives `Differentiable` for a struct or an enum, with a tangent type that has the differentiable fields.
///
/// A field marked `#[inactive]` is left out, and so are the fields of types without floats.
#[proc_macro_derive(Differentiable, attributes(inactive, cotangent))]
pub fn derive_differentiable(item: TokenStream) -> TokenStream {
    cotangent_compiler::derive::expand(item.into()).into()
}
