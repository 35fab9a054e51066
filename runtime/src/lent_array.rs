//! Tangents of arrays that are lent to functions.
//!
//! A function that takes a slice takes its tangent as a vector, one that takes an array as an array, and one that has no
//! derivative with respect to it takes anything. Which it is shows where the function is called, and only there.

use alloc::vec::Vec;
use core::cell::Cell;

/// A call that waits for the tangent of an array, and that tangent.
///
/// ```
/// use cotangent_runtime::private::{AsItIs as _, AsVector as _, LentArray};
/// fn of_slice(dx: Vec<f64>) -> f64 {
///     dx[1]
/// }
/// fn of_array(dx: [f64; 2]) -> f64 {
///     dx[1]
/// }
/// fn of_none<T>(_: T) -> f64 {
///     0.5
/// }
/// let call = |dx| of_slice(dx);
/// assert_eq!((&LentArray::new(call, [1.0, 2.0])).call(), 2.0);
/// let call = |dx| of_array(dx);
/// assert_eq!((&LentArray::new(call, [1.0, 2.0])).call(), 2.0);
/// let call = |dx| of_none(dx);
/// assert_eq!((&LentArray::new(call, [1.0, 2.0])).call(), 0.5);
/// ```
pub struct LentArray<F, T>(Cell<Option<(F, T)>>);

impl<F, T> LentArray<F, T> {
    /// The call as a function of the tangent, and the tangent.
    pub fn new(call: F, tangent: T) -> Self {
        LentArray(Cell::new(Some((call, tangent))))
    }

    fn take(&self) -> (F, T) {
        self.0.take().expect("it is called once")
    }
}

/// The call takes the tangent as it is.
pub trait AsItIs<R> {
    /// What it returns.
    fn call(&self) -> R;
}

impl<F: FnOnce(T) -> R, T, R> AsItIs<R> for &LentArray<F, T> {
    fn call(&self) -> R {
        let (call, tangent) = self.take();
        call(tangent)
    }
}

/// The call takes a vector.
pub trait AsVector<R> {
    /// What it returns.
    fn call(&self) -> R;
}

impl<F: FnOnce(Vec<T>) -> R, T, R, const N: usize> AsVector<R> for LentArray<F, [T; N]> {
    fn call(&self) -> R {
        let (call, tangent) = self.take();
        call(Vec::from(tangent))
    }
}
