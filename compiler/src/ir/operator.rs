//! Operators on values of unknown type, which may be of a type of the user's.

use super::graph::{Func, Value};
use super::types::Type;
use proc_macro2::{Ident, Span};

/// That a map is an operator of the source, or a derivative of one: where only Rust knows the type of an operand, it may
/// be one of the user's, and then the body of the map says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name of its trait in `core::ops`, which is also that of its marker in the runtime.
    pub name: &'static str,
    /// Whether there is only one operand.
    pub unary: bool,
    /// What the map is of it.
    pub role: Role,
}

/// What a map is of an operator with the operands `x, y`, or only `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `(x, y)` → the result.
    Result,
    /// `(x, y, tangent)` → the tangent of the result along that of the operand with this number.
    Dot(usize),
    /// `(cotangent, x, y)` → the cotangent of the operand with this number.
    Bar(usize),
}

impl Operator {
    /// The operator of a trait of `core::ops`.
    pub fn of_trait(name: &str) -> Option<Self> {
        const BINARY: [&str; 10] =
            ["Add", "Sub", "Mul", "Div", "Rem", "AddAssign", "SubAssign", "MulAssign", "DivAssign", "RemAssign"];
        let all = BINARY.iter().map(|name| (*name, false)).chain([("Neg", true)]);
        let (name, unary) = all.into_iter().find(|(known, _)| *known == name)?;
        Some(Operator { name, unary, role: Role::Result })
    }

    /// Whether it changes its first operand.
    pub fn assigns(self) -> bool {
        self.name.ends_with("Assign")
    }

    /// The same operator in another role.
    pub fn with(self, role: Role) -> Self {
        Operator { role, ..self }
    }

    /// Whether an operand may be of a type of the user's: then this is the operator that the user wrote for it.
    pub fn may_be_foreign(self, func: &Func, operands: &[Value]) -> bool {
        let ty = |&v: &Value| func.ty(v);
        self.role == Role::Result
            && operands.iter().map(ty).any(|ty| *ty == Type::Dyn)
            && !operands.iter().map(ty).any(|ty| matches!(ty, Type::NdArray(..)))
    }

    /// Its marker in the runtime.
    pub fn marker(self) -> Ident {
        Ident::new(self.name, Span::mixed_site())
    }

    /// The function of the runtime.
    pub fn function(self) -> &'static str {
        match self.role {
            Role::Result => "operate",
            Role::Dot(0) => "first_dot",
            Role::Dot(_) => "second_dot",
            Role::Bar(0) => "first_bar",
            Role::Bar(_) => "second_bar",
        }
    }
}
