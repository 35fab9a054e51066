//! The optimiser: passes over functions that keep the values of the primal bit for bit.

pub mod clone;
pub mod inline;
pub mod substitute;
