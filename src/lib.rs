//! Compile-time differentiation of ordinary Rust functions.

pub use cotangent_macros::differentiable;
