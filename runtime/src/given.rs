//! What a closure is given, where the type of a parameter is not written: a value, or a reference to one.

use alloc::borrow::ToOwned;

/// An argument.
///
/// ```
/// use cotangent_runtime::private::{Given, GivenValue as _};
/// let floats: Vec<f64> = Given(&[1.0, 2.0][..]).own();
/// let (lent, own): (f64, f64) = (Given(&1.0).own(), Given(1.0).own());
/// assert_eq!((floats, lent, own), (vec![1.0, 2.0], 1.0, 1.0));
/// let (floats, lent, own): (&[f64], f64, f64) = (Given(&[1.0, 2.0][..]).plain(), Given(&1.0).plain(), Given(1.0).plain());
/// assert_eq!((floats, lent, own), (&[1.0, 2.0][..], 1.0, 1.0));
/// ```
pub struct Given<T>(pub T);

impl<T: ToOwned + ?Sized> Given<&T> {
    /// A copy of what the reference is to: the pullback of the closure outlives it.
    #[inline]
    pub fn own(self) -> T::Owned {
        self.0.to_owned()
    }
}

impl<T: Copy> Given<&T> {
    /// What the reference is to, if it is copied by use.
    #[inline]
    pub fn plain(self) -> T {
        *self.0
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
}
