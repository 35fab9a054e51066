//! What code without a derivative gives, where a pullback may keep it: a view of an array of the function's own is replaced
//! by a copy, as the array does not outlive the function.

/// A value that code gives.
///
/// ```
/// use cotangent_runtime::private::{Lasting, LastingValue as _};
/// use ndarray::{Array1, array, s};
///
/// let x = array![[true, false], [true, true]];
/// let row: Array1<bool> = Lasting(x.row(0)).lasting();
/// assert_eq!((row, Lasting(x.ncols()).lasting()), (array![true, false], 2));
/// ```
pub struct Lasting<T>(pub T);

#[cfg(feature = "ndarray")]
impl<A: Clone, D: ndarray::Dimension> Lasting<ndarray::ArrayView<'_, A, D>> {
    /// A copy of what the view shows.
    #[inline]
    pub fn lasting(self) -> ndarray::Array<A, D> {
        crate::layout::copy_of(&self.0)
    }
}

/// Everything that is no view of an array.
pub trait LastingValue {
    /// Its type.
    type Value;

    /// The value itself.
    fn lasting(self) -> Self::Value;
}

impl<T> LastingValue for Lasting<T> {
    type Value = T;

    #[inline]
    fn lasting(self) -> T {
        self.0
    }
}
