//! The front door: from tokens to what the user asked for.

pub mod by_ref;
pub mod checkpoint;
pub mod options;
pub mod question;

pub mod signature;
pub mod spelling;
