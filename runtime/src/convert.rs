//! Cotangents and tangents of `&mut` arguments, between the types of the caller and those of the function called.
//!
//! An array of the caller may be a slice to the function, whose tangents are vectors; and the function may have left
//! the parameter out by `wrt`, so that its place holds `()`. The macro sees neither; the compiler does.

use alloc::vec::Vec;

/// The caller's cotangent `S` as the seed that a pullback takes.
pub trait FromSeed<S> {
    /// Converts it.
    fn from_seed(seed: S) -> Self;
}

impl<S> FromSeed<S> for () {
    fn from_seed(_: S) {}
}

/// The tangent that a companion returned as that of the caller's variable.
pub trait Restore<T> {
    /// Converts it; `zero` where the function gives none.
    fn restore(self, zero: impl FnOnce() -> T) -> T;
}

impl<T> Restore<T> for () {
    fn restore(self, zero: impl FnOnce() -> T) -> T {
        zero()
    }
}

macro_rules! same {
    ($(($($generics:tt)*) $ty:ty),* $(,)?) => {$(
        impl<$($generics)*> FromSeed<$ty> for $ty {
            fn from_seed(seed: $ty) -> Self {
                seed
            }
        }

        impl<$($generics)*> Restore<$ty> for $ty {
            fn restore(self, _: impl FnOnce() -> $ty) -> $ty {
                self
            }
        }
    )*};
}

same!(() f32, () f64, (T) Vec<T>, (T, const N: usize) [T; N], (T) Option<T>);

impl<T, const N: usize> FromSeed<[T; N]> for Vec<T> {
    fn from_seed(seed: [T; N]) -> Self {
        seed.into()
    }
}

impl<T, const N: usize> FromSeed<Vec<T>> for [T; N] {
    fn from_seed(seed: Vec<T>) -> Self {
        array(seed)
    }
}

impl<T, const N: usize> Restore<[T; N]> for Vec<T> {
    fn restore(self, _: impl FnOnce() -> [T; N]) -> [T; N] {
        array(self)
    }
}

impl<T, const N: usize> Restore<Vec<T>> for [T; N] {
    fn restore(self, _: impl FnOnce() -> Vec<T>) -> Vec<T> {
        self.into()
    }
}

fn array<T, const N: usize>(v: Vec<T>) -> [T; N] {
    let len = v.len();
    v.try_into().unwrap_or_else(|_| panic!("a tangent of length {len} stands where an array of length {N} is expected"))
}

/// [`FromSeed::from_seed`] as a function.
///
/// ```
/// let seed: Vec<f64> = cotangent_runtime::private::from_seed([1.0, 2.0]);
/// assert_eq!(seed, [1.0, 2.0]);
/// ```
pub fn from_seed<S, T: FromSeed<S>>(seed: S) -> T {
    T::from_seed(seed)
}

/// [`Restore::restore`] as a function.
///
/// ```
/// let tangent: [f64; 2] = cotangent_runtime::private::restore(vec![1.0, 2.0], || [0.0; 2]);
/// let none: [f64; 2] = cotangent_runtime::private::restore((), || [0.0; 2]);
/// assert_eq!((tangent, none), ([1.0, 2.0], [0.0; 2]));
/// ```
pub fn restore<D: Restore<T>, T>(tangent: D, zero: impl FnOnce() -> T) -> T {
    tangent.restore(zero)
}
