//! Tangents in sequences: taken out of their places, and summed.
//!
//! What is taken leaves a zero of the same shape, so that the sequence stays a tangent.

use alloc::vec::Vec;

use crate::tangent::{Differentiable, Tangent};

/// The tangent in a place, which is zero afterwards.
///
/// ```
/// use cotangent_runtime::private::take_tangent;
///
/// let mut rows = vec![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(take_tangent(&mut rows[1]), [3.0, 4.0]);
/// assert_eq!(rows, [[1.0, 2.0], [0.0, 0.0]]);
/// ```
#[inline]
pub fn take_tangent<T: Tangent + Differentiable<Tangent = T>>(place: &mut T) -> T {
    let zero = place.zero_tangent();
    core::mem::replace(place, zero)
}

/// The tangents in a slice, which are zero afterwards.
///
/// ```
/// use cotangent_runtime::private::take_slice;
///
/// let mut x_bar = vec![1.0, 2.0, 3.0];
/// assert_eq!(take_slice(&mut x_bar[1..]), [2.0, 3.0]);
/// assert_eq!(x_bar, [1.0, 0.0, 0.0]);
/// ```
#[inline]
pub fn take_slice<T: Tangent + Differentiable<Tangent = T>>(places: &mut [T]) -> Vec<T> {
    places.iter_mut().map(take_tangent).collect()
}

/// The sum of tangents; of none, one that any other may be added to.
///
/// ```
/// use cotangent_runtime::private::total;
///
/// assert_eq!(total(&[1.0, 2.0, 3.0]), 6.0);
/// assert_eq!(total(&vec![[1.0, 2.0], [3.0, 4.0]]), [4.0, 6.0]);
/// ```
#[inline]
pub fn total<T: Tangent>(tangents: &(impl AsRef<[T]> + ?Sized)) -> T {
    let Some((first, rest)) = tangents.as_ref().split_first() else { return T::empty() };
    let mut sum = first.clone();
    rest.iter().for_each(|tangent| sum.accumulate(tangent));
    sum
}

/// The length of something whose type the macro does not see: a whole number.
///
/// ```
/// assert_eq!(cotangent_runtime::private::length([1.0, 2.0].len()), 2);
/// ```
#[inline]
pub fn length(n: usize) -> usize {
    n
}
