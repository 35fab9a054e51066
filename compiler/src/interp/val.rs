//! The values of the machine.

use super::tape::Tape;
use super::{Result, malformed};
use crate::ir::{Float, Graph, Type};
use std::fmt;
use std::rc::Rc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    /// A float of any kind.
    Float(f64),
    /// An integer of any kind.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// `()`
    Unit,
    /// A slice, a vector or an array.
    Seq(Vec<Val>),
    /// A tuple.
    Tuple(Vec<Val>),
    /// An `ndarray` array in logical order.
    Array {
        /// The length of each axis.
        shape: Vec<usize>,
        /// The elements, the last axis fastest.
        data: Vec<f64>,
    },
    /// A pullback of the function.
    Closure(Rc<Closure>),
    /// A pullback from outside.
    Native(Native),
}

/// A graph of the function with the execution in which it was made.
pub struct Closure {
    pub(super) graph: Graph,
    /// The execution that made it.
    pub(super) record: usize,
    /// The records of the finished run; `None` while it runs, as its records hold the closure.
    pub(super) tape: Option<Rc<Tape>>,
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "closure of graph {}", self.graph.into_raw())
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        let same_tape = match (&self.tape, &other.tape) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.graph == other.graph && self.record == other.record && same_tape
    }
}

/// What a [`Native`] pullback does.
type Function = dyn Fn(&[Val]) -> Result<Vec<Val>>;

/// A Rust function as a pullback.
#[derive(Clone)]
pub struct Native(pub(super) Rc<Function>);

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("native")
    }
}

impl PartialEq for Native {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Val {
    /// A sequence of floats.
    pub fn floats(xs: &[f64]) -> Val {
        Val::Seq(xs.iter().copied().map(Val::Float).collect())
    }

    /// A sequence of integers.
    pub fn ints(xs: &[i128]) -> Val {
        Val::Seq(xs.iter().copied().map(Val::Int).collect())
    }

    /// A pullback from outside.
    pub fn native(f: impl Fn(&[Val]) -> Result<Vec<Val>> + 'static) -> Val {
        Val::Native(Native(Rc::new(f)))
    }

    /// The float.
    ///
    /// # Errors
    /// If this is anything else.
    pub fn float(&self) -> Result<f64> {
        match self {
            Val::Float(x) => Ok(*x),
            other => malformed(format!("{other:?} is not a float")),
        }
    }

    /// The integer.
    ///
    /// # Errors
    /// If this is anything else.
    pub fn int(&self) -> Result<i128> {
        match self {
            Val::Int(x) => Ok(*x),
            other => malformed(format!("{other:?} is not an integer")),
        }
    }

    /// The boolean.
    ///
    /// # Errors
    /// If this is anything else.
    pub fn bool(&self) -> Result<bool> {
        match self {
            Val::Bool(x) => Ok(*x),
            other => malformed(format!("{other:?} is not a bool")),
        }
    }

    /// The elements of the sequence.
    ///
    /// # Errors
    /// If this is anything else.
    pub fn seq(&self) -> Result<&[Val]> {
        match self {
            Val::Seq(xs) => Ok(xs),
            other => malformed(format!("{other:?} is not a sequence")),
        }
    }

    /// All floats in it, in order.
    pub fn flat(&self) -> Vec<f64> {
        let mut flat = Vec::new();
        self.push_flat(&mut flat);
        flat
    }

    fn push_flat(&self, flat: &mut Vec<f64>) {
        match self {
            Val::Float(x) => flat.push(*x),
            Val::Seq(xs) | Val::Tuple(xs) => xs.iter().for_each(|x| x.push_flat(flat)),
            Val::Array { data, .. } => flat.extend(data),
            Val::Int(_) | Val::Bool(_) | Val::Unit | Val::Closure(_) | Val::Native(_) => {}
        }
    }

    /// Replaces every float in it.
    pub(super) fn map_floats(&mut self, f: &mut impl FnMut(f64) -> f64) {
        match self {
            Val::Float(x) => *x = f(*x),
            Val::Seq(xs) | Val::Tuple(xs) => xs.iter_mut().for_each(|x| x.map_floats(f)),
            Val::Array { data, .. } => data.iter_mut().for_each(|x| *x = f(*x)),
            Val::Int(_) | Val::Bool(_) | Val::Unit | Val::Closure(_) | Val::Native(_) => {}
        }
    }

    /// The same with its floats exchanged for those of `flat`, in order.
    ///
    /// # Panics
    /// If their number differs.
    #[must_use]
    pub fn with_flat(&self, flat: &[f64]) -> Val {
        let mut next = flat.iter();
        let mut val = self.clone();
        val.map_floats(&mut |_| *next.next().expect("as many floats as in the value"));
        assert!(next.next().is_none(), "as many floats as in the value");
        val
    }

    /// Rounds the floats that a visible type declares to be `f32`.
    pub(super) fn round(&mut self, ty: &Type) {
        match (&mut *self, ty) {
            (_, Type::Float(Float::F32) | Type::NdArray(Float::F32, _)) => {
                self.map_floats(&mut |x| f64::from(x as f32));
            }
            (Val::Seq(xs), Type::Slice(t) | Type::Vec(t) | Type::Array(t)) if has_f32(t) => {
                xs.iter_mut().for_each(|x| x.round(t));
            }
            (Val::Tuple(xs), Type::Tuple(ts)) => xs.iter_mut().zip(ts).for_each(|(x, t)| x.round(t)),
            _ => {}
        }
    }
}

/// Whether `f32` occurs in a type.
fn has_f32(ty: &Type) -> bool {
    match ty {
        Type::Float(k) | Type::NdArray(k, _) => *k == Float::F32,
        Type::Slice(t) | Type::Vec(t) | Type::Array(t) => has_f32(t),
        Type::Tuple(ts) => ts.iter().any(has_f32),
        _ => false,
    }
}

impl From<f64> for Val {
    fn from(x: f64) -> Self {
        Val::Float(x)
    }
}

impl From<usize> for Val {
    fn from(n: usize) -> Self {
        Val::Int(n as i128)
    }
}

impl From<bool> for Val {
    fn from(b: bool) -> Self {
        Val::Bool(b)
    }
}
