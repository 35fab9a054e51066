//! Tangents in sequences: taken out of their places, and summed; and the places of what a loop keeps.
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

/// Adds the tangents in a slice to those in another, and leaves zeros.
///
/// ```
/// use cotangent_runtime::private::move_slice;
///
/// let (mut x_bar, mut y_bar) = (vec![1.0, 2.0], [10.0, 20.0]);
/// move_slice(&mut x_bar, &mut y_bar);
/// assert_eq!((x_bar, y_bar), (vec![0.0, 0.0], [11.0, 22.0]));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
#[track_caller]
pub fn move_slice<T: Tangent + Differentiable<Tangent = T>>(from: &mut [T], to: &mut [T]) {
    let (given, kept) = (from.len(), to.len());
    assert!(given == kept, "{given} tangents cannot be added to {kept}");
    from.iter_mut().zip(to).for_each(|(from, to)| to.accumulate(&take_tangent(from)));
}

/// Lengthens the slots of a loop, unless there are as many already. It grows as a vector that is pushed on does, but the
/// first time it has room for no more slots than it needs: the product of `counts`, if there are any.
///
/// ```
/// use cotangent_runtime::private::lengthen;
///
/// let mut slots = Vec::new();
/// lengthen(&mut slots, 0.0, 3, &[2, 3]);
/// assert_eq!((slots.len(), slots.capacity()), (3, 6));
/// lengthen(&mut slots, 0.0, 6, &[2, 3]);
/// assert_eq!(slots, [0.0; 6]);
/// lengthen(&mut slots, 0.0, 5, &[]);
/// assert_eq!(slots.len(), 6);
/// ```
#[inline]
pub fn lengthen<T: Clone>(slots: &mut Vec<T>, value: T, length: usize, counts: &[usize]) {
    if slots.len() < length {
        grow(slots, value, length, counts);
    }
}

/// How many bytes of slots are made at once where it is known how many there will be.
const AHEAD: usize = 1 << 14;

#[inline(never)]
fn grow<T: Clone>(slots: &mut Vec<T>, value: T, length: usize, counts: &[usize]) {
    if slots.capacity() > 0 {
        let more = if counts.is_empty() { 0 } else { AHEAD / size_of::<T>().max(1) };
        slots.resize(length.max(slots.capacity().min(slots.len() + more)), value);
    } else if counts.is_empty() {
        // zeroed pages are not touched before they are used
        *slots = alloc::vec![value; length];
    } else {
        // each slot is made shortly before it is filled, when it is still close at hand
        slots.reserve_exact(counts.iter().fold(1, |product: usize, &count| product.saturating_mul(count)));
        slots.resize(length, value);
    }
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
pub fn total<S: Total + ?Sized>(tangents: &S) -> S::Element {
    tangents.total()
}

/// A sequence or an array of tangents.
pub trait Total {
    /// A tangent.
    type Element;

    #[doc(hidden)]
    fn total(&self) -> Self::Element;
}

fn sum<'a, T: Tangent + 'a>(mut tangents: impl Iterator<Item = &'a T>) -> T {
    let Some(first) = tangents.next() else { return T::empty() };
    let mut sum = first.clone();
    tangents.for_each(|tangent| sum.accumulate(tangent));
    sum
}

macro_rules! totals {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Total for $ty {
            type Element = T;

            #[inline]
            fn total(&self) -> T {
                sum(self.iter())
            }
        }
    )*};
}

totals! {
    [T: Tangent] [T];
    [T: Tangent] Vec<T>;
    [T: Tangent, const N: usize] [T; N];
}

#[cfg(feature = "ndarray")]
impl<T: Tangent, S: ndarray::Data<Elem = T>, D: ndarray::Dimension> Total for ndarray::ArrayBase<S, D> {
    type Element = T;

    #[inline]
    fn total(&self) -> T {
        sum(self.iter())
    }
}

impl<S: Total + ?Sized> Total for &S {
    type Element = S::Element;

    #[inline]
    fn total(&self) -> S::Element {
        (**self).total()
    }
}

impl<S: Total + ?Sized> Total for &mut S {
    type Element = S::Element;

    #[inline]
    fn total(&self) -> S::Element {
        (**self).total()
    }
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
