//! Types as far as the compiler sees them.
//!
//! A macro sees tokens, so a type may be unknown ([`Type::Dyn`]); nothing but optimisation may depend on knowing it.
//! Shared references are transparent: a value of type `f64` may be a `&f64` in the source.

use std::fmt;

/// The kind of a floating-point scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// A type parameter of the function with a float bound.
    Generic(String),
    /// A literal whose type Rust infers.
    Any,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A floating-point scalar.
    Float(Float),
    /// An integer; its Rust name where it is known.
    Int(Option<&'static str>),
    /// A boolean.
    Bool,
    /// The unit type, also the tangent of everything without a derivative.
    Unit,
    /// A borrowed slice.
    Slice(Box<Type>),
    /// A growable vector.
    Vec(Box<Type>),
    /// An array of a fixed length.
    Array(Box<Type>),
    /// A tuple.
    Tuple(Vec<Type>),
    /// An option.
    Option(Box<Type>),
    /// What is in a box.
    Boxed(Box<Type>),
    /// An `ndarray` array in any form of ownership; the rank where it is known.
    NdArray(Float, Option<usize>),
    /// Known to carry no derivative: a string, a map, a range …
    Inactive,
    /// An error that is there or not, beside the option of what there is instead: both together are a `Result`.
    Fault,
    /// A function that is handed over: what it captured has a derivative.
    Function,
    /// A pullback, as the companion of a call returns it.
    Pullback,
    /// Not visible to the macro.
    Dyn,
}

impl Type {
    /// `f64`.
    pub const F64: Type = Type::Float(Float::F64);
    /// `usize`.
    pub const USIZE: Type = Type::Int(Some("usize"));
    /// An integer of inferred type.
    pub const INT: Type = Type::Int(None);

    /// Whether values of this type can carry a derivative.
    pub fn can_be_active(&self) -> bool {
        match self {
            Type::Float(_) | Type::NdArray(..) | Type::Dyn | Type::Function => true,
            Type::Slice(t) | Type::Vec(t) | Type::Array(t) | Type::Option(t) | Type::Boxed(t) => t.can_be_active(),
            Type::Tuple(ts) => ts.iter().any(Type::can_be_active),
            Type::Int(_) | Type::Bool | Type::Unit | Type::Inactive | Type::Fault | Type::Pullback => false,
        }
    }

    /// The type of tangents and cotangents of values of this type.
    pub fn tangent(&self) -> Type {
        if !self.can_be_active() {
            return Type::Unit;
        }
        match self {
            Type::Slice(t) | Type::Vec(t) => Type::Vec(Box::new(t.tangent())),
            Type::Array(t) => Type::Array(Box::new(t.tangent())),
            Type::Tuple(ts) => Type::Tuple(ts.iter().map(Type::tangent).collect()),
            Type::Option(t) => Type::Option(Box::new(t.tangent())),
            Type::Boxed(t) => Type::Boxed(Box::new(t.tangent())),
            Type::Function => Type::Dyn,
            other => other.clone(),
        }
    }

    /// Whether tangents of this type may be of another type on the other side of a call.
    pub fn may_differ(&self) -> bool {
        match self {
            Type::Float(f) => !matches!(f, Float::Generic(_)),
            Type::Vec(_) | Type::Slice(_) | Type::Array(_) => true,
            _ => false,
        }
    }

    /// Whether a value of this type may be, or have in it, a reference or a view.
    pub fn may_refer(&self) -> bool {
        match self {
            Type::Dyn | Type::NdArray(..) | Type::Slice(_) => true,
            Type::Vec(t) | Type::Array(t) | Type::Option(t) | Type::Boxed(t) => t.may_refer(),
            Type::Tuple(ts) => ts.iter().any(Type::may_refer),
            _ => false,
        }
    }

    /// The type of the elements of a sequence.
    pub fn element(&self) -> Type {
        match self {
            Type::Slice(t) | Type::Vec(t) | Type::Array(t) => (**t).clone(),
            _ => Type::Dyn,
        }
    }

    /// Whether this is a plain scalar: a value that is copied freely and printed inline.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Float(_) | Type::Int(_) | Type::Bool | Type::Unit)
    }

    /// The representation of a `Result`.
    pub fn outcome(value: Type) -> Type {
        Type::Tuple(vec![Type::Option(Box::new(value)), Type::Fault])
    }

    /// Whether this is the representation of a `Result`.
    pub fn is_outcome(&self) -> bool {
        matches!(self, Type::Tuple(of) if matches!(of[..], [_, Type::Fault]))
    }

    /// Whether this is a float scalar.
    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float(_))
    }

    /// Whether values of this type are updated in place by the emitted code.
    pub fn is_aggregate(&self) -> bool {
        !self.is_scalar()
    }

    /// The type of a value of this type that is told to be of another one: what is unknown in either gives way.
    pub fn told(&self, other: &Type) -> Type {
        match (self, other) {
            (Type::Dyn, ty) | (ty, Type::Dyn) => ty.clone(),
            (Type::Slice(a), Type::Slice(b)) => Type::Slice(Box::new(a.told(b))),
            (Type::Vec(a), Type::Vec(b)) => Type::Vec(Box::new(a.told(b))),
            (Type::Array(a), Type::Array(b)) => Type::Array(Box::new(a.told(b))),
            (Type::Option(a), Type::Option(b)) => Type::Option(Box::new(a.told(b))),
            (Type::Boxed(a), Type::Boxed(b)) => Type::Boxed(Box::new(a.told(b))),
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                Type::Tuple(a.iter().zip(b).map(|(a, b)| a.told(b)).collect())
            }
            (a, b) => a.join(b),
        }
    }

    /// The type of a value that may be of either type: an unknown literal gives way, anything else must agree.
    pub fn join(&self, other: &Type) -> Type {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (Type::Float(Float::Any), Type::Float(f)) | (Type::Float(f), Type::Float(Float::Any)) => {
                Type::Float(f.clone())
            }
            (Type::Int(None), Type::Int(k)) | (Type::Int(k), Type::Int(None)) => Type::Int(*k),
            (Type::Slice(a), Type::Slice(b)) => Type::Slice(Box::new(a.join(b))),
            (Type::Vec(a), Type::Vec(b)) => Type::Vec(Box::new(a.join(b))),
            (Type::Array(a), Type::Array(b)) => Type::Array(Box::new(a.join(b))),
            (Type::NdArray(a, r), Type::NdArray(b, s)) => match Type::Float(a.clone()).join(&Type::Float(b.clone())) {
                Type::Float(kind) => Type::NdArray(kind, r.filter(|_| r == s)),
                _ => Type::Dyn,
            },
            (Type::Option(a), Type::Option(b)) => Type::Option(Box::new(a.join(b))),
            (Type::Boxed(a), Type::Boxed(b)) => Type::Boxed(Box::new(a.join(b))),
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                Type::Tuple(a.iter().zip(b).map(|(a, b)| a.join(b)).collect())
            }
            _ => Type::Dyn,
        }
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Float::F32 => "f32",
            Float::F64 => "f64",
            Float::Generic(name) => name,
            Float::Any => "float",
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Float(k) => write!(f, "{k}"),
            Type::Int(Some(k)) => f.write_str(k),
            Type::Int(None) => f.write_str("int"),
            Type::Bool => f.write_str("bool"),
            Type::Unit => f.write_str("()"),
            Type::Slice(t) => write!(f, "&[{t}]"),
            Type::Vec(t) => write!(f, "Vec<{t}>"),
            Type::Array(t) => write!(f, "[{t}; _]"),
            Type::Tuple(ts) => {
                f.write_str("(")?;
                for (i, t) in ts.iter().enumerate() {
                    write!(f, "{}{t}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Type::Option(t) => write!(f, "Option<{t}>"),
            Type::Boxed(t) => write!(f, "Box<{t}>"),
            Type::NdArray(k, Some(rank)) => write!(f, "Array{rank}<{k}>"),
            Type::NdArray(k, None) => write!(f, "ArrayD<{k}>"),
            Type::Inactive => f.write_str("inactive"),
            Type::Fault => f.write_str("fault"),
            Type::Pullback => f.write_str("pullback"),
            Type::Function => f.write_str("function"),
            Type::Dyn => f.write_str("dyn"),
        }
    }
}
