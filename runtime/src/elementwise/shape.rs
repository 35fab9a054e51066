//! What only needs the shape of an array, and arrays of which nothing else is left.

use core::marker::PhantomData;

use ndarray::{Array, ArrayBase, ArrayRef, Axis, Data, Dimension};
use num_traits::Num;

use super::Unbroadcast;
use crate::accumulate::Entry;
use crate::tangent::{Differentiable, Tangent};

/// The shape of an array with elements `A`, where the elements themselves are not needed any more.
pub struct Shape<A, D> {
    dim: D,
    elements: PhantomData<fn() -> A>,
}

impl<A, D: Clone> Clone for Shape<A, D> {
    fn clone(&self) -> Self {
        Self { dim: self.dim.clone(), elements: PhantomData }
    }
}

/// The shape of an array.
///
/// ```
/// use cotangent_runtime::Differentiable;
/// use cotangent_runtime::private::{shape_of, unbroadcast};
/// use ndarray::array;
///
/// let shape = shape_of(&array![1.0, 2.0]);
/// assert_eq!(shape.zero_tangent(), array![0.0, 0.0]);
/// assert_eq!(unbroadcast(array![[1.0, 2.0], [3.0, 4.0]], &shape), array![4.0, 6.0]);
/// ```
#[inline]
pub fn shape_of<A, D: Dimension>(x: &ArrayRef<A, D>) -> Shape<A, D> {
    Shape { dim: x.raw_dim(), elements: PhantomData }
}

impl<A, D> Differentiable for Shape<A, D>
where
    A: Num + Clone + Differentiable<Tangent = A> + Tangent + Entry<A>,
    D: Dimension,
{
    type Tangent = Array<A, D>;

    #[inline]
    fn zero_tangent(&self) -> Array<A, D> {
        Array::zeros(self.dim.clone())
    }

    fn move_by(&mut self, by: &Array<A, D>) {
        assert!(by.shape() == self.dim.slice(), "a shape does not move");
    }
}

/// An array, or the shape of one.
pub trait Shaped {
    /// The rank.
    type Dim: Dimension;

    #[doc(hidden)]
    fn shape_of(&self) -> Self::Dim;
}

impl<A, D: Dimension> Shaped for Shape<A, D> {
    type Dim = D;

    #[inline]
    fn shape_of(&self) -> D {
        self.dim.clone()
    }
}

impl<A, D: Dimension> Shaped for ArrayRef<A, D> {
    type Dim = D;

    #[inline]
    fn shape_of(&self) -> D {
        self.raw_dim()
    }
}

impl<S: Data, D: Dimension> Shaped for ArrayBase<S, D> {
    type Dim = D;

    #[inline]
    fn shape_of(&self) -> D {
        self.raw_dim()
    }
}

impl<X: Shaped + ?Sized> Shaped for &X {
    type Dim = X::Dim;

    #[inline]
    fn shape_of(&self) -> X::Dim {
        (**self).shape_of()
    }
}

/// `g` summed over the axes that it has more of, or that are of length one in `to`.
#[track_caller]
fn sum_to<A: Num + Copy, D: Dimension, E: Dimension>(g: &ArrayRef<A, D>, to: E) -> Array<A, E> {
    let more = g.ndim().saturating_sub(to.ndim());
    if let Some(elements) = g.as_slice()
        && g.shape()[more..] == *to.slice()
        && to.size() > 0
    {
        let mut sum = Array::zeros(to.clone());
        let sums = sum.as_slice_mut().expect("a new array");
        for part in elements.chunks_exact(to.size()) {
            sums.iter_mut().zip(part).for_each(|(sum, x)| *sum = *sum + *x);
        }
        return sum;
    }
    let mut sum = g.to_owned().into_dyn();
    while sum.ndim() > to.ndim() {
        sum = sum.sum_axis(Axis(0));
    }
    for (axis, len) in to.slice().iter().enumerate().take(sum.ndim()) {
        if *len == 1 && sum.len_of(Axis(axis)) != 1 {
            sum = sum.sum_axis(Axis(axis)).insert_axis(Axis(axis));
        }
    }
    if sum.shape() != to.slice() {
        panic!("a cotangent of shape {:?} cannot be summed to the shape {:?}", g.shape(), to.slice());
    }
    sum.into_dimensionality().expect("the rank of a shape of this rank")
}

impl<A: Num + Copy, D: Dimension, X: Shaped + ?Sized> Unbroadcast<X> for Array<A, D> {
    type Owned = Array<A, X::Dim>;

    #[track_caller]
    fn unbroadcast_to(self, x: &X) -> Array<A, X::Dim> {
        let to = x.shape_of();
        if self.shape() == to.slice() {
            return self.into_dimensionality().expect("the rank of a shape of this rank");
        }
        sum_to(&self, to)
    }
}

/// The same of a cotangent that is still needed.
impl<A: Num + Copy, D: Dimension, X: Shaped + ?Sized> Unbroadcast<X> for &Array<A, D> {
    type Owned = Array<A, X::Dim>;

    #[track_caller]
    fn unbroadcast_to(self, x: &X) -> Array<A, X::Dim> {
        let to = x.shape_of();
        if self.shape() == to.slice() {
            return self.to_owned().into_dimensionality().expect("the rank of a shape of this rank");
        }
        sum_to(self, to)
    }
}

/// What the entry of a pullback for an array may be.
pub trait ArrayEntry<A, D> {
    #[doc(hidden)]
    fn or_zero(self, zero: Array<A, D>) -> Array<A, D>;
}

impl<A, D> ArrayEntry<A, D> for () {
    #[inline]
    fn or_zero(self, zero: Array<A, D>) -> Array<A, D> {
        zero
    }
}

impl<A, D: Dimension> ArrayEntry<A, D> for Array<A, D> {
    #[inline]
    #[track_caller]
    fn or_zero(self, zero: Array<A, D>) -> Array<A, D> {
        let (kept, given) = (zero.shape(), self.shape());
        assert!(kept == given, "the entry of a pullback has the shape {given:?}, its argument {kept:?}");
        self
    }
}

/// The entry of a pullback for an array as its cotangent: zero if it is `()`.
///
/// ```
/// use cotangent_runtime::private::first_entry;
/// use ndarray::{Array1, array};
///
/// assert_eq!(first_entry(Array1::<f64>::zeros(2), array![1.0, 2.0]), array![1.0, 2.0]);
/// assert_eq!(first_entry(Array1::<f64>::zeros(2), ()), array![0.0, 0.0]);
/// ```
#[inline]
#[track_caller]
pub fn first_entry<A, D, E: ArrayEntry<A, D>>(zero: Array<A, D>, entry: E) -> Array<A, D> {
    entry.or_zero(zero)
}
