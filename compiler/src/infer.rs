//! What is known of values without a type checker: their types, and which of them need derivatives.

pub mod activity;
pub mod shapes;
#[cfg(test)]
mod tests;
pub mod types;
mod unify;
