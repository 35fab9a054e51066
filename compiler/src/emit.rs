//! From derivative programs to Rust.

pub mod bodies;
pub mod companions;
mod counting;
mod frames;
mod liveness;
mod names;
mod places;
pub mod recursion;
mod rust;

pub use rust::Unsupported;
