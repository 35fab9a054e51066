//! What programs differentiated by Cotangent call at run time.
//!
//! Users meet [`Differentiable`] and [`Tangent`] (derivatives as values), [`stop_gradient`] and [`check_grad`]. The rest
//! is [`private`]: what generated code calls where it cannot see a type, and small kernels.
//!
//! Without the feature `std` the crate is `no_std` with `alloc`; the feature `ndarray` adds arrays.

#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod accumulate;
mod asked;
mod at;
#[cfg(feature = "ndarray")]
mod axes;
mod captures;
mod cast;
mod check;
mod checkpoint;
#[cfg(feature = "ndarray")]
mod companions;
mod convert;
mod declared;
#[cfg(feature = "ndarray")]
mod dense;
mod elementwise;
mod fields;
#[cfg(feature = "std")]
mod float;
mod from_fn;
mod given;
mod held;
mod inactive;
mod indexed;
mod integers;
mod lasting;
#[cfg(feature = "ndarray")]
mod layout;
mod lent_array;
#[cfg(feature = "ndarray")]
mod linalg;
mod numbered;
mod operators;
#[cfg(feature = "ndarray")]
pub mod ops;
mod order;
mod outcome;
mod perhaps;
mod plain;
pub mod private;
mod probe;
mod range;
mod recursion;
#[cfg(feature = "ndarray")]
mod reduce;
mod result;
mod returned;
mod scalar;
mod sequence;
mod several;
mod state;
mod stop;
mod taken;
mod tangent;
mod tangent_companions;
mod unbox;
#[cfg(feature = "ndarray")]
mod views;
#[cfg(feature = "ndarray")]
mod visits;

pub use check::{EntryCheck, GradientCheck, check_forward, check_grad};
pub use checkpoint::checkpoint;
#[cfg(feature = "std")]
pub use float::Scalar;
pub use stop::stop_gradient;
pub use tangent::{Differentiable, Tangent};
