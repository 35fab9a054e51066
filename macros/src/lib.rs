//! The procedural macros of `cotangent`. Everything happens in `cotangent-compiler`; this crate only passes tokens.

use proc_macro::TokenStream;

/// Derives the companions of a function: `f_grad`, `f_value_and_grad`, `f_vjp` and `f_jvp`.
#[proc_macro_attribute]
pub fn differentiable(options: TokenStream, item: TokenStream) -> TokenStream {
    cotangent_compiler::expand(options.into(), item.into()).into()
}
