//! The elements of arrays and sequences by their numbers, where the macro does not see which of them it is.

use alloc::boxed::Box;
use alloc::vec::Vec;

#[cfg(feature = "ndarray")]
use ndarray::{ArrayBase, Data, DataMut, Dimension, RawData};

/// An array or a sequence whose elements are numbered in logical order, the last index first.
pub trait Numbered {
    /// The type of an element.
    type Element;

    #[doc(hidden)]
    fn element(&self, k: usize) -> &Self::Element;
}

/// One whose elements can be changed.
pub trait NumberedMut: Numbered {
    #[doc(hidden)]
    fn element_mut(&mut self, k: usize) -> &mut Self::Element;
}

#[cfg(feature = "ndarray")]
impl<S: Data, D: Dimension> Numbered for ArrayBase<S, D> {
    type Element = S::Elem;

    #[inline]
    #[track_caller]
    fn element(&self, k: usize) -> &S::Elem {
        match self.as_slice() {
            Some(slice) => &slice[k],
            None => &self[position(self, k)],
        }
    }
}

#[cfg(feature = "ndarray")]
impl<S: DataMut, D: Dimension> NumberedMut for ArrayBase<S, D> {
    #[inline]
    #[track_caller]
    fn element_mut(&mut self, k: usize) -> &mut S::Elem {
        if self.is_standard_layout() {
            return &mut self.as_slice_mut().expect("a standard layout is a slice")[k];
        }
        let at = position(self, k);
        &mut self[at]
    }
}

/// Sequences are counted in the same way.
macro_rules! sequences {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Numbered for $ty {
            type Element = T;

            #[inline]
            #[track_caller]
            fn element(&self, k: usize) -> &T {
                &self[k]
            }
        }

        impl<$($generics)*> NumberedMut for $ty {
            #[inline]
            #[track_caller]
            fn element_mut(&mut self, k: usize) -> &mut T {
                &mut self[k]
            }
        }
    )*};
}

sequences! {
    [T] [T];
    [T] Vec<T>;
    [T, const N: usize] [T; N];
}

/// A part that has no derivative is `()`, and so are its elements.
impl Numbered for () {
    type Element = ();

    #[inline]
    fn element(&self, _: usize) -> &() {
        self
    }
}

impl NumberedMut for () {
    #[inline]
    fn element_mut(&mut self, _: usize) -> &mut () {
        self
    }
}

impl<X: Numbered + ?Sized> Numbered for Box<X> {
    type Element = X::Element;

    #[inline]
    #[track_caller]
    fn element(&self, k: usize) -> &X::Element {
        (**self).element(k)
    }
}

impl<X: NumberedMut + ?Sized> NumberedMut for Box<X> {
    #[inline]
    #[track_caller]
    fn element_mut(&mut self, k: usize) -> &mut X::Element {
        (**self).element_mut(k)
    }
}

impl<X: Numbered + ?Sized> Numbered for &X {
    type Element = X::Element;

    #[inline]
    #[track_caller]
    fn element(&self, k: usize) -> &X::Element {
        (**self).element(k)
    }
}

impl<X: Numbered + ?Sized> Numbered for &mut X {
    type Element = X::Element;

    #[inline]
    #[track_caller]
    fn element(&self, k: usize) -> &X::Element {
        (**self).element(k)
    }
}

impl<X: NumberedMut + ?Sized> NumberedMut for &mut X {
    #[inline]
    #[track_caller]
    fn element_mut(&mut self, k: usize) -> &mut X::Element {
        (**self).element_mut(k)
    }
}

/// The index of the k-th element of an array, as closures take it.
///
/// ```
/// use cotangent_runtime::private::nth_index;
///
/// assert_eq!(nth_index(&ndarray::array![[1.0, 2.0], [3.0, 4.0]], 2), (1, 0));
/// ```
///
/// # Panics
/// If there are fewer elements.
#[cfg(feature = "ndarray")]
#[track_caller]
pub fn nth_index<S: RawData, D: Dimension>(x: &ArrayBase<S, D>, k: usize) -> D::Pattern {
    position(x, k).into_pattern()
}

/// The index of the k-th element.
#[cfg(feature = "ndarray")]
#[track_caller]
fn position<S: RawData, D: Dimension>(x: &ArrayBase<S, D>, mut k: usize) -> D {
    assert!(k < x.len(), "index out of bounds: the array has {} elements, but the index is {k}", x.len());
    let mut at = D::zeros(x.ndim());
    for (index, &length) in at.slice_mut().iter_mut().zip(x.shape()).rev() {
        *index = k % length;
        k /= length;
    }
    at
}

/// The k-th element in logical order.
///
/// ```
/// use cotangent_runtime::private::element;
///
/// assert_eq!(*element(&[1.0, 2.0], 1), 2.0);
/// # #[cfg(feature = "ndarray")] {
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(*element(&x, 1), 2.0);
/// assert_eq!(*element(&x.t(), 1), 3.0);
/// # }
/// ```
///
/// # Panics
/// If there are fewer elements.
#[inline]
#[track_caller]
pub fn element<X: Numbered + ?Sized>(x: &X, k: usize) -> &X::Element {
    x.element(k)
}

/// The same, to be changed.
///
/// ```
/// use cotangent_runtime::private::element_mut;
///
/// let mut x = vec![1.0, 2.0, 3.0];
/// *element_mut(&mut x, 2) = 0.0;
/// assert_eq!(x, [1.0, 2.0, 0.0]);
/// ```
///
/// # Panics
/// If there are fewer elements.
#[inline]
#[track_caller]
pub fn element_mut<X: NumberedMut + ?Sized>(x: &mut X, k: usize) -> &mut X::Element {
    x.element_mut(k)
}
