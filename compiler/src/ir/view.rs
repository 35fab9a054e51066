//! Views of arrays of `ndarray`: steps of paths, like indices and ranges.
//!
//! A method that shows the elements of an array in another shape is declared once, by how it is written to read from the
//! array and to write to it. Its adjoint adds to the cotangent of the array through the same view. The entries are in
//! [`crate::prims::views`].

use super::graph::{Func, Value};
use super::op::Op;
use super::path::{Path, Step};
use proc_macro2::{Ident, TokenStream};

/// How a view is made to read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// `x.row(i)`
    Lent,
    /// `x.view().insert_axis(a)`
    OfView,
    /// `x.broadcast(shape).unwrap()`
    LentOrPanic,
    /// `x.view().into_shape_with_order(shape).unwrap()`
    OfViewOrPanic,
    /// A function of the runtime of the view and the arguments.
    Runtime,
    /// `x.select(axis, &indices)`, which is a new array.
    Made,
}

/// How a view is made to change what is in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// `x.row_mut(i)`
    Lent(&'static str),
    /// `x.view_mut().insert_axis(a)`
    OfView(&'static str),
    /// `x.view_mut().into_dimensionality().unwrap()`
    OfViewOrPanic(&'static str),
    /// A function of the runtime of the view and the arguments.
    Runtime(&'static str),
    /// It cannot be written to. This function of the runtime adds a cotangent to that of the array: of `&mut x_bar`,
    /// the arguments, and the cotangent.
    Adding(&'static str),
}

/// The rank of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewRank {
    /// That of the array.
    Same,
    /// One less.
    Less,
    /// One more.
    More,
    /// A fixed one.
    Fixed(usize),
    /// As the arguments say.
    Arguments,
}

/// The declaration of a method that makes a view.
#[derive(Debug)]
pub struct ViewMethod {
    /// Its name, for reading.
    pub name: &'static str,
    /// The number of its arguments.
    pub arity: usize,
    /// How it reads.
    pub read: Reading,
    /// How it writes.
    pub write: Writing,
    /// Its rank.
    pub rank: ViewRank,
}

/// A view: a method with its arguments.
#[derive(Clone, Debug)]
pub struct View {
    /// The method.
    pub method: &'static ViewMethod,
    /// The arguments as they are written, with placeholders for the operands.
    pub args: TokenStream,
    /// The placeholders, in order.
    pub uses: Vec<Ident>,
    /// The generic arguments as they are written.
    pub generics: Option<TokenStream>,
    /// The rank, where it is known.
    pub rank: Option<usize>,
}

impl ViewMethod {
    /// Whether it gives a view whatever it is called on; others give what they are called on in another shape.
    pub fn lends(&self) -> bool {
        matches!(self.write, Writing::Lent(_)) || self.name == "broadcast"
    }

    /// Whether it copies the elements where they do not lie as they must, so that what it gives may own them.
    pub fn may_copy(&self) -> bool {
        matches!(self.name, "to_shape" | "flatten" | "as_standard_layout" | "select")
    }
}

impl Func {
    /// Whether a value is a view, or a part of one, of what may be a copy of its own.
    pub fn shows_copy(&self, mut v: Value) -> bool {
        while let Some(n) = self.maker(v)
            && let Op::Load(path) = &self[n].op
        {
            if path.0.iter().any(|step| matches!(step, Step::View(view) if view.method.may_copy())) {
                return true;
            }
            v = self[n].args[0];
        }
        false
    }
}

impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.method.name == other.method.name
            && self.args.to_string() == other.args.to_string()
            && self.generics.as_ref().map(TokenStream::to_string) == other.generics.as_ref().map(TokenStream::to_string)
    }
}

impl View {
    /// The view in a listing, with the names of its operands.
    pub(super) fn text(&self, operands: &[&str]) -> String {
        let list = if operands.is_empty() { String::new() } else { format!(" [{}]", operands.join(", ")) };
        format!(".{}({}){list}", self.method.name, super::print::rust(&self.args))
    }
}

impl Path {
    /// The view that the path ends in.
    pub fn view(&self) -> Option<&View> {
        match self.0.last() {
            Some(Step::View(view)) => Some(view),
            _ => None,
        }
    }
}
