//! Tangents of boxed arguments of functions that take a reference to what is in the box.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// A tangent that may be in a box.
///
/// ```
/// use cotangent_runtime::private::{MaybeBoxed, Unboxed as _};
/// assert_eq!(MaybeBoxed(Box::new(2.0)).unboxed(), 2.0);
/// assert_eq!(MaybeBoxed(2.0).unboxed(), 2.0);
/// ```
pub struct MaybeBoxed<T>(pub T);

impl<T> MaybeBoxed<Box<T>> {
    /// What is in the box.
    #[inline]
    pub fn unboxed(self) -> T {
        *self.0
    }
}

/// Tangents that are in no box.
pub trait Unboxed: Sized {
    /// The tangent.
    type Tangent;

    /// The tangent itself.
    fn unboxed(self) -> Self::Tangent;
}

impl<T> Unboxed for MaybeBoxed<T> {
    type Tangent = T;

    #[inline]
    fn unboxed(self) -> T {
        self.0
    }
}

/// The tangent of a `&mut` argument as the function wants it: out of its box, if it takes what is in there; a vector, if it
/// takes an array as a slice.
pub trait Handed<T> {
    /// Converts it.
    fn handed(self) -> T;
}

impl<T> Handed<T> for T {
    #[inline]
    fn handed(self) -> T {
        self
    }
}

impl<T> Handed<T> for Box<T> {
    #[inline]
    fn handed(self) -> T {
        *self
    }
}

impl<T, const N: usize> Handed<Vec<T>> for [T; N] {
    #[inline]
    fn handed(self) -> Vec<T> {
        self.into()
    }
}

/// [`Handed::handed`] as a function.
///
/// ```
/// let tangent: Vec<f64> = cotangent_runtime::private::handed(Box::new(vec![1.0]));
/// let boxed: Box<Vec<f64>> = cotangent_runtime::private::handed(Box::new(vec![1.0]));
/// assert_eq!((tangent, boxed), (vec![1.0], Box::new(vec![1.0])));
/// ```
#[inline]
pub fn handed<S: Handed<T>, T>(tangent: S) -> T {
    tangent.handed()
}

/// The tangent that a function gave for a `&mut` argument, as that of the caller's variable.
pub trait Regained<T> {
    /// Converts it.
    fn regained(self) -> T;
}

impl<T> Regained<T> for T {
    #[inline]
    fn regained(self) -> T {
        self
    }
}

impl<T> Regained<Box<T>> for T {
    #[inline]
    fn regained(self) -> Box<T> {
        Box::new(self)
    }
}

impl<T, const N: usize> Regained<[T; N]> for Vec<T> {
    #[track_caller]
    fn regained(self) -> [T; N] {
        let len = self.len();
        let array = self.try_into();
        array.unwrap_or_else(|_| panic!("a tangent of length {len} stands where an array of length {N} is expected"))
    }
}

/// [`Regained::regained`] as a function; `like` has the type of the result and is not called.
///
/// ```
/// use cotangent_runtime::private::regained;
/// assert_eq!(regained(2.0, || Box::new(0.0)), Box::new(2.0));
/// assert_eq!(regained(2.0, || 0.0), 2.0);
/// assert_eq!(regained(vec![2.0], || [0.0]), [2.0]);
/// ```
#[inline]
pub fn regained<D: Regained<T>, T>(tangent: D, _: impl FnOnce() -> T) -> T {
    tangent.regained()
}
