//! Paths into aggregates: steps to an element, a slice, a field, what is in an option or a box.

use super::types::{Float, Type};
use super::view::View;
use proc_macro2::TokenStream;

/// One step of a path into an aggregate. Index values are operands of the node, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `[i]`: one operand.
    Index,
    /// `[lo..hi]`: an operand for each bound that is given.
    Range {
        /// Whether there is a lower bound.
        from: bool,
        /// The upper bound.
        end: RangeEnd,
    },
    /// `.k` of a tuple or `.name` of a struct: no operand.
    Field(String),
    /// The part of a tangent of unknown type that belongs to a field, through its accessor; of an enum's tangent
    /// `Variant_field`. No operand.
    Part(String),
    /// The k-th element of an array of `ndarray`, in its logical order: one operand.
    Flat,
    /// A view of an array of `ndarray`: an operand for each placeholder.
    View(Box<View>),
    /// A field of a variant of an enum, where the value is known to be of that variant. No operand.
    Variant(Box<Variant>),
    /// To what is in a box. No operand.
    Unbox,
}

/// A field of a variant.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The variant's path as it is written: `Shape::Circle`.
    pub path: TokenStream,
    /// The field: its name, or its number.
    pub field: String,
    /// The name of the part of the tangent that belongs to it: `Circle_0`.
    pub part: String,
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.part == other.part && self.path.to_string() == other.path.to_string()
    }
}

/// The upper bound of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// `lo..`
    Open,
    /// `lo..hi`
    Exclusive,
    /// `lo..=hi`
    Inclusive,
}

impl Step {
    /// How many operands the step takes.
    pub fn operands(&self) -> usize {
        match self {
            Step::Index | Step::Flat => 1,
            Step::View(view) => view.uses.len(),
            Step::Range { from, end } => usize::from(*from) + usize::from(*end != RangeEnd::Open),
            Step::Field(_) | Step::Part(_) | Step::Variant(_) | Step::Unbox => 0,
        }
    }

    /// Whether what the step leads to is written as a reference to it.
    pub fn gives_reference(&self) -> bool {
        matches!(self, Step::Part(_) | Step::Variant(_) | Step::Flat)
    }

    /// To what is in an option.
    pub fn some() -> Step {
        let path = quote::quote!(::core::option::Option::Some);
        Step::Variant(Box::new(Variant { path, field: "0".to_owned(), part: "Some_0".to_owned() }))
    }

    /// Whether the step leads to what is in an option, or in its tangent.
    pub fn is_some(&self) -> bool {
        match self {
            Step::Part(name) => name == "Some_0",
            Step::Variant(v) => v.part == "Some_0",
            _ => false,
        }
    }

    /// Whether the step leads to what is in a box, or in its tangent.
    pub fn is_unbox(&self) -> bool {
        match self {
            Step::Part(name) => name == "box",
            step => matches!(step, Step::Unbox),
        }
    }

    /// Whether a tangent may lack what the step leads to, as it has no derivative.
    pub fn may_be_left_out(&self) -> bool {
        matches!(self, Step::Part(_)) && !self.is_some() && !self.is_unbox()
    }

    /// The type of what the step leads to.
    pub fn apply(&self, ty: &Type) -> Type {
        match (self, ty) {
            (Step::Index, Type::Slice(t) | Type::Vec(t) | Type::Array(t)) => (**t).clone(),
            (Step::Index | Step::Flat, Type::NdArray(k, _)) => Type::Float(k.clone()),
            (Step::View(view), Type::NdArray(k, _)) => Type::NdArray(k.clone(), view.rank),
            // what has views is an array
            (Step::View(view), Type::Dyn) => Type::NdArray(Float::Any, view.rank),
            (Step::Range { .. }, Type::Slice(t) | Type::Vec(t) | Type::Array(t)) => Type::Slice(t.clone()),
            (Step::Range { .. }, Type::Dyn) => Type::Slice(Box::new(Type::Dyn)),
            (step, Type::Option(t)) if step.is_some() => (**t).clone(),
            (step, Type::Boxed(t)) if step.is_unbox() => (**t).clone(),
            (Step::Field(k), Type::Tuple(ts)) => {
                k.parse::<usize>().ok().and_then(|k| ts.get(k)).cloned().unwrap_or(Type::Dyn)
            }
            _ => Type::Dyn,
        }
    }
}

/// A path into an aggregate; the empty path is the aggregate itself.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// How many operands the path takes.
    pub fn operands(&self) -> usize {
        self.0.iter().map(Step::operands).sum()
    }

    /// The type at the end of the path.
    pub fn apply(&self, ty: &Type) -> Type {
        self.0.iter().fold(ty.clone(), |t, s| s.apply(&t))
    }

    /// The same place in the tangent of a value of type `ty`: where the type is not visible, fields are reached through
    /// accessors, since a tangent leaves out the fields without a derivative.
    pub fn of_tangent(&self, ty: &Type) -> Path {
        let mut at = ty.clone();
        let steps = self.0.iter().map(|s| {
            let step = match s {
                Step::Field(name) if !matches!(at, Type::Tuple(_)) => Step::Part(name.clone()),
                Step::Variant(v) => Step::Part(v.part.clone()),
                Step::Unbox => Step::Part("box".to_owned()),
                s => s.clone(),
            };
            at = s.apply(&at);
            step
        });
        Path(steps.collect())
    }

    /// Whether a step goes through an accessor.
    pub fn has_part(&self) -> bool {
        self.0.iter().any(|s| matches!(s, Step::Part(_)))
    }

    /// Whether a tangent may lack what the path leads to, as that has no derivative.
    pub fn may_be_left_out(&self) -> bool {
        self.0.iter().any(Step::may_be_left_out)
    }

    /// Whether what the path leads to is behind an accessor, and not in a view of what that leads to.
    pub fn ends_in_part(&self) -> bool {
        self.0.iter().rev().take_while(|s| !matches!(s, Step::View(_))).any(|s| matches!(s, Step::Part(_)))
    }

    /// Whether the path ends in a range, so that it names a slice and not an element.
    pub fn is_slice(&self) -> bool {
        matches!(self.0.last(), Some(Step::Range { .. }))
    }
}
