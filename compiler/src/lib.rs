//! The compiler of Cotangent as an ordinary library: Rust functions to derivative programs.
//!
//! A one-way street: [`syntax`] (options, signatures) and [`lower`] (`syn` → IR) → [`ir`] → [`infer`] (types,
//! activity) → [`ad`] (forward, reverse) → [`opt`] → [`storage`] → [`emit`] (Rust). [`pipeline`] has the order of the
//! passes, [`prims`] the declarations of the primitive functions, [`interp`] runs the IR for tests.

pub mod ad;
pub mod diag;
pub mod emit;
pub mod infer;
pub mod interp;
pub mod ir;
pub mod lower;
pub mod opt;
pub mod pipeline;
pub mod prims;
pub mod storage;
pub mod syntax;

use proc_macro2::TokenStream;

/// Expands `#[differentiable(options)] item`.
pub fn expand(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}
