//! What a closure is given, where the type of a parameter is not written: a value, or a reference to one.

use alloc::borrow::ToOwned;

use crate::taken::{ByReference, ByValue};

/// An argument.
///
/// ```
/// use cotangent_runtime::private::{Given, GivenValue as _};
/// let floats: Vec<f64> = Given(&[1.0, 2.0][..]).own();
/// let (lent, own): (f64, f64) = (Given(&1.0).own(), Given(1.0).own());
/// assert_eq!((floats, lent, own), (vec![1.0, 2.0], 1.0, 1.0));
/// let (floats, lent, own): (&[f64], f64, f64) = (Given(&[1.0, 2.0][..]).plain(), Given(&1.0).plain(), Given(1.0).plain());
/// assert_eq!((floats, lent, own), (&[1.0, 2.0][..], 1.0, 1.0));
/// let (of_value, of_reference): (&f64, &f64) = (Given(&1.0).referent(), Given(&&1.0).referent());
/// assert_eq!(of_value, of_reference);
/// // a copy as it was given
/// let (lent, own) = (Given(&&1.0).given(), Given(&1.0).given());
/// let (lent, own): (&f64, f64) = (lent.of(&1.0), own.of(&1.0));
/// assert_eq!(*lent, own);
/// ```
pub struct Given<T>(pub T);

impl<T: ToOwned + ?Sized> Given<&T> {
    /// A copy of what the reference is to: the pullback of the closure outlives it.
    #[inline]
    pub fn own(self) -> T::Owned {
        self.0.to_owned()
    }
}

#[cfg(feature = "ndarray")]
impl<A: Clone, D: ndarray::Dimension> Given<ndarray::ArrayView<'_, A, D>> {
    /// A copy of what the view shows.
    #[inline]
    pub fn own(self) -> ndarray::Array<A, D> {
        crate::layout::copy_of(&self.0)
    }
}

impl<T: Copy> Given<&T> {
    /// What the reference is to, if it is copied by use.
    #[inline]
    pub fn plain(self) -> T {
        *self.0
    }
}

impl<'a, T: ?Sized> Given<&'a &T> {
    /// What is meant by a reference to an argument that is one itself.
    #[inline]
    pub fn referent(self) -> &'a T {
        self.0
    }

    /// That the argument is a reference.
    #[inline]
    pub fn given(&self) -> ByReference {
        ByReference
    }
}

/// Arguments by value, and for `plain` all that are not copied by use.
pub trait GivenValue {
    /// The type of the argument.
    type Value;

    /// The argument itself.
    fn plain(self) -> Self::Value;

    /// The value itself.
    fn own(self) -> Self::Value;

    /// A reference to a value.
    fn referent(self) -> Self::Value;

    /// That the argument that this is a reference to is none itself.
    fn given(&self) -> ByValue {
        ByValue
    }
}

impl<T> GivenValue for Given<T> {
    type Value = T;

    #[inline]
    fn plain(self) -> T {
        self.0
    }

    #[inline]
    fn own(self) -> T {
        self.0
    }

    #[inline]
    fn referent(self) -> T {
        self.0
    }
}
