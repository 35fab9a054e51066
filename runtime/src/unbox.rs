//! The tangent of a boxed argument of a function that takes a reference to what is in the box.

use alloc::boxed::Box;

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
