//! Elements of a part of a tangent: a part that has no derivative is `()`, and so are its elements.

use alloc::vec::Vec;
use core::slice::SliceIndex;

/// What has elements, or is nothing.
pub trait At<I> {
    /// The element or the slice.
    type Output: ?Sized;

    /// To be read.
    fn at(&self, index: I) -> &Self::Output;

    /// To be changed.
    fn at_mut(&mut self, index: I) -> &mut Self::Output;
}

/// An element, to be read.
///
/// ```
/// use cotangent_runtime::private::at;
///
/// assert_eq!(*at(&vec![1.0, 2.0], 1), 2.0);
/// assert_eq!(at(&[1.0, 2.0], 1..), [2.0]);
/// assert_eq!(*at(&(), 1), ());
/// ```
#[inline]
#[track_caller]
pub fn at<I, A: At<I> + ?Sized>(of: &A, index: I) -> &A::Output {
    of.at(index)
}

/// An element, to be changed.
///
/// ```
/// use cotangent_runtime::private::at_mut;
///
/// let mut x_bar = [1.0, 2.0];
/// *at_mut(&mut x_bar, 1) += 1.0;
/// assert_eq!(x_bar, [1.0, 3.0]);
/// ```
#[inline]
#[track_caller]
pub fn at_mut<I, A: At<I> + ?Sized>(of: &mut A, index: I) -> &mut A::Output {
    of.at_mut(index)
}

macro_rules! slices {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*, I: SliceIndex<[T]>> At<I> for $ty {
            type Output = I::Output;

            #[inline]
            #[track_caller]
            fn at(&self, index: I) -> &I::Output {
                &self[index]
            }

            #[inline]
            #[track_caller]
            fn at_mut(&mut self, index: I) -> &mut I::Output {
                &mut self[index]
            }
        }
    )*};
}

slices! {
    [T] [T];
    [T] Vec<T>;
    [T, const N: usize] [T; N];
}

impl<I> At<I> for () {
    type Output = ();

    #[inline]
    fn at(&self, _: I) -> &() {
        self
    }

    #[inline]
    fn at_mut(&mut self, _: I) -> &mut () {
        self
    }
}

#[cfg(feature = "ndarray")]
impl<T, S, D, I> At<I> for ndarray::ArrayBase<S, D>
where
    S: ndarray::DataMut<Elem = T>,
    D: ndarray::Dimension,
    I: ndarray::NdIndex<D>,
{
    type Output = T;

    #[inline]
    #[track_caller]
    fn at(&self, index: I) -> &T {
        &self[index]
    }

    #[inline]
    #[track_caller]
    fn at_mut(&mut self, index: I) -> &mut T {
        &mut self[index]
    }
}
