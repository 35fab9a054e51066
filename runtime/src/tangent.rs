//! What a derivative is made of: [`Tangent`], the vector space of tangents and cotangents of a type, and
//! [`Differentiable`], which gives a type its tangents.
//!
//! Invariants:
//! - Tangents of tangents are tangents: every tangent type here is its own tangent type.
//! - The flat form lists the floats in field order (arrays in logical order), and nothing else.
//! - An *empty* tangent (an empty `Vec`, an array whose axes all have length 0, `None`) counts as a zero of any size, so
//!   a sum may start from it. Any other difference of sizes panics and names both.
//! - A value behind a shared borrow has a tangent but cannot move; only a zero step is accepted.

#[cfg(feature = "ndarray")]
mod array;
mod containers;
mod plain;

use alloc::vec::Vec;

use crate::accumulate::Entry;

/// The tangents or cotangents of a type: a vector space with coordinates.
///
/// Tangents come from a derivative or from [`Differentiable::zero_tangent`].
///
/// ```
/// use cotangent_runtime::{Differentiable, Tangent};
///
/// let mut t = (2.0_f64, vec![1.0, 2.0]).zero_tangent();
/// t.accumulate(&(1.0, vec![3.0, 4.0]));
/// t.scale(2.0);
/// assert_eq!(t, (2.0, vec![6.0, 8.0]));
/// assert_eq!(t.dot(&t), 104.0);
/// assert_eq!(t.to_flat(), [2.0, 6.0, 8.0]);
/// t.set_flat(&[1.0, 0.0, 0.5]);
/// assert_eq!(t, (1.0, vec![0.0, 0.5]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tangent",
    label = "not the tangent type of anything",
    note = "the tangent type of `T` is `<T as Differentiable>::Tangent`"
)]
pub trait Tangent: Clone {
    /// Adds `other` to `self`. Panics if their sizes differ, unless one of them is empty.
    fn accumulate(&mut self, other: &Self);

    /// Multiplies every coordinate by `by`.
    fn scale(&mut self, by: f64);

    /// The inner product: the sum of the products of the coordinates. Panics if the sizes differ.
    ///
    /// With this trait in scope, `x.dot(&y)` of `ndarray` arrays means this method, and not the product of matrices: import
    /// the trait where tangents are used, and not beside code on whole arrays, or call it by its path, `Tangent::dot(&s, &t)`.
    fn dot(&self, other: &Self) -> f64;

    /// The coordinates, in field order.
    fn to_flat(&self) -> Vec<f64>;

    /// Sets the coordinates from the flat form. Panics if `flat` has another length than [`Tangent::to_flat`].
    fn set_flat(&mut self, flat: &[f64]);

    /// The length of the flat form.
    #[doc(hidden)]
    fn flat_len(&self) -> usize {
        self.to_flat().len()
    }

    /// Appends the coordinates to `flat`; how the tangents of compound types are put together.
    #[doc(hidden)]
    fn push_flat(&self, flat: &mut Vec<f64>) {
        flat.extend(self.to_flat());
    }

    /// Takes as many coordinates as there are off the front of `flat`.
    #[doc(hidden)]
    fn take_flat(&mut self, flat: &mut &[f64]) {
        let (own, rest) = flat.split_at(self.flat_len());
        self.set_flat(own);
        *flat = rest;
    }

    /// The tangent that every other may be added to, made without knowing a size: what a closure that was never called
    /// contributes to its captures.
    #[doc(hidden)]
    fn empty() -> Self {
        panic!("`{}` has no tangent without a value", core::any::type_name::<Self>())
    }
}

/// A type whose values have tangents.
///
/// Implemented for floats, for types without floats (integers, `bool`, `char`, strings: their tangent is `()`), and for
/// slices, arrays, vectors, tuples, `Option`, `Box`, references and `ndarray` arrays of such types.
/// `#[derive(Differentiable)]` does the same for structs and enums.
///
/// ```
/// use cotangent_runtime::Differentiable;
///
/// let mut x = (1.0_f64, [2.0_f64, 3.0], "label", 4_usize);
/// let mut step = x.zero_tangent();
/// step.1[0] = 0.5;
/// x.move_by(&step);
/// assert_eq!(x, (1.0, [2.5, 3.0], "label", 4));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivative: it does not implement `Differentiable`",
    label = "not differentiable",
    note = "derive it with `#[derive(Differentiable)]`, leave the parameter out with `wrt(..)`, or mark the field `#[inactive]`"
)]
pub trait Differentiable {
    /// The type of the tangents and cotangents, which is its own tangent type.
    type Tangent: Tangent + Entry<Self::Tangent> + Differentiable<Tangent = Self::Tangent>;

    /// The zero tangent at this value, with its lengths and shapes.
    fn zero_tangent(&self) -> Self::Tangent;

    /// Moves the value along a tangent: adds each coordinate to the float that it belongs to.
    ///
    /// Panics if the sizes differ, and for a value behind a shared borrow (`&T`, an array view) unless `by` is zero.
    fn move_by(&mut self, by: &Self::Tangent);

    /// Appends where each of the floats is that the coordinates of a tangent belong to, in their order: by this it is found
    /// what an index of the user's leads to. 0 stands for one of which that is not known.
    #[doc(hidden)]
    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        addresses.resize(addresses.len() + self.zero_tangent().flat_len(), 0);
    }
}

/// [`Tangent::to_flat`] in terms of `push_flat`.
#[doc(hidden)]
pub fn to_flat<T: Tangent>(tangent: &T) -> Vec<f64> {
    let mut flat = Vec::with_capacity(tangent.flat_len());
    tangent.push_flat(&mut flat);
    flat
}

/// [`Tangent::set_flat`] in terms of `take_flat`, with the check of the length.
#[doc(hidden)]
#[track_caller]
pub fn set_flat<T: Tangent>(tangent: &mut T, mut flat: &[f64]) {
    let (expected, given) = (tangent.flat_len(), flat.len());
    assert!(expected == given, "set_flat: the tangent has {expected} coordinates, but {given} were given");
    tangent.take_flat(&mut flat);
}

/// Panics unless `by` is zero, as what it would move is borrowed.
#[track_caller]
fn cannot_move<T: Tangent>(by: &T, what: &str) {
    let zero = to_flat(by).iter().all(|x| *x == 0.0);
    assert!(zero, "move_by: {what} cannot move, as it does not own its elements; move an owned copy instead");
}

#[track_caller]
fn same_length(what: &str, left: usize, right: usize) {
    assert!(left == right, "{what}: lengths differ, {left} and {right}");
}
