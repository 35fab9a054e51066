//! Compile-fail tests.

fn main() {}
