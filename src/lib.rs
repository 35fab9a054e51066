//! Compile-time differentiation of ordinary Rust functions.
#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub use cotangent_macros::{Differentiable, differentiable};
pub use cotangent_runtime::{
    Differentiable, EntryCheck, GradientCheck, Tangent, check_forward, check_grad, checkpoint, stop_gradient,
};

#[cfg(feature = "std")]
pub use cotangent_runtime::Scalar;

#[cfg(feature = "ndarray")]
pub use cotangent_runtime::ops;

// The companions of `stop_gradient`, found by the naming protocol.
#[doc(hidden)]
pub use cotangent_runtime::private::{
    stop_gradient_jvp, stop_gradient_jvp_jvp, stop_gradient_jvp_vjp, stop_gradient_vjp,
};

mod float_methods;

/// What generated code calls. Not for users: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::float_methods::FloatMethods;
    pub use cotangent_runtime::private::*;
}

/// The pages in `docs/`, so that their examples are run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/language.md")]
    mod language {}
    #[doc = include_str!("../docs/higher-order.md")]
    mod higher_order {}
    #[doc = include_str!("../docs/ops.md")]
    mod ops {}
    #[doc = include_str!("../docs/structs.md")]
    mod structs {}
    #[doc = include_str!("../docs/testing.md")]
    mod testing {}
}
