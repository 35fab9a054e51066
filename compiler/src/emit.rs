//! From derivative programs to Rust.

pub mod companions;
