//! Declared sizes of the axes of parameters.

use std::fmt;

/// The size of an axis, as `shapes(…)` declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// A number.
    Number(usize),
    /// A name: equal names are equal sizes, different names different ones.
    Name(String),
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Number(n) => write!(f, "{n}"),
            Size::Name(name) => f.write_str(name),
        }
    }
}
