//! Strong-zero products of floats: an exactly zero cotangent (or tangent) stays zero through an infinite or NaN partial.
//!
//! Both functions are a product and a select, without a branch, so that loops over slices vectorise.

use alloc::vec::Vec;
use core::ops::Neg;

use num_traits::{Num, NumAssign};

use crate::accumulate::Entry;
use crate::elementwise::{Elementwise, MapWith, Scalar, Summed, Unbroadcast, Zip2, Zip3, Zip4};
use crate::operators::Operands;
use crate::tangent::{Differentiable, Tangent};

/// What a type parameter of a differentiable function must be: a float that is its own tangent.
///
/// Generated code that is generic over the float adds this bound to the user's own, which says what functions there are;
/// `f32` and `f64` have it.
///
/// ```
/// use cotangent_runtime::private::{Real, add_entry, scale};
///
/// fn square_vjp<T: Real>(x: T) -> (T, impl Fn(T) -> T) {
///     (x * x, move |y_bar| {
///         let mut x_bar = x.zero_tangent();
///         add_entry(&mut x_bar, scale(y_bar, x + x));
///         x_bar
///     })
/// }
/// assert_eq!(square_vjp(3.0).1(1.0), 6.0);
/// ```
pub trait Real:
    NumAssign
    + Send
    + Sync
    + 'static
    + Neg<Output = Self>
    + Copy
    + PartialOrd
    + Differentiable<Tangent = Self>
    + Tangent
    + Entry<Self>
    + Entry<()>
    + Scalar<Self>
    + Elementwise<Elem = Self, Owned = Self>
    + MapWith<Self, Elem = Self, Owned = Self>
    + Zip2<Self>
    + Zip3<Self, Self>
    + Zip4<Self, Self, Self>
    + Unbroadcast<Self, Owned = Self>
    + Summed<Elem = Self>
    + Operands
{
    /// The nearest to a constant.
    #[doc(hidden)]
    fn __constant(x: f64) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn __constant(x: f64) -> f32 {
        x as f32
    }
}

impl Real for f64 {
    #[inline(always)]
    fn __constant(x: f64) -> f64 {
        x
    }
}

/// A constant of a derivative's formula, as a float of a generic type.
///
/// ```
/// use cotangent_runtime::private::constant;
///
/// assert_eq!(constant::<f32>(0.1), 0.1_f32);
/// ```
#[inline(always)]
pub fn constant<T: Real>(x: f64) -> T {
    T::__constant(x)
}

/// `g * partial`, and 0 where `g` is 0.
///
/// ```
/// use cotangent_runtime::private::scale;
///
/// assert_eq!(scale(2.0, 3.0), 6.0);
/// assert_eq!(scale(0.0, f64::INFINITY), 0.0);
/// ```
#[inline(always)]
pub fn scale<T: Num + Copy>(g: T, partial: T) -> T {
    // computed in any case, so that it does not wait for the comparison
    let product = g * partial;
    if g == T::zero() { T::zero() } else { product }
}

/// `g / d`, and 0 where `g` is 0.
///
/// ```
/// use cotangent_runtime::private::unscale;
///
/// assert_eq!(unscale(6.0, 3.0), 2.0);
/// assert_eq!(unscale(0.0, 0.0_f64), 0.0);
/// ```
#[inline(always)]
pub fn unscale<T: Num + Copy>(g: T, d: T) -> T {
    let quotient = g / d;
    if g == T::zero() { T::zero() } else { quotient }
}

/// Entries of a gradient.
///
/// ```
/// use cotangent_runtime::private::Numbers;
///
/// assert!(!vec![[0.5, f64::INFINITY], [-0.0, 2.0]].has_nan());
/// assert!(vec![1.0, f64::NAN, 3.0].has_nan());
/// ```
pub trait Numbers {
    /// Whether one of them is NaN.
    fn has_nan(&self) -> bool;
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Numbers for $float {
            #[inline(always)]
            fn has_nan(&self) -> bool {
                self.is_nan()
            }
        }
    )*};
}

floats!(f32 f64);

impl<T: Numbers> Numbers for [T] {
    #[inline]
    fn has_nan(&self) -> bool {
        // all of them, so that it is done in vectors
        self.iter().fold(false, |found, x| found | x.has_nan())
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    #[inline]
    fn has_nan(&self) -> bool {
        self.as_slice().has_nan()
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    #[inline]
    fn has_nan(&self) -> bool {
        self.as_slice().has_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::{scale, unscale};

    #[test]
    fn zero_wins_over_everything() {
        for x in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, 1.0] {
            for g in [0.0, -0.0] {
                assert_eq!(scale(g, x), 0.0);
                assert_eq!(unscale(g, x), 0.0);
            }
        }
    }

    #[test]
    fn nothing_else_is_changed() {
        assert_eq!(scale(2.0_f32, 0.25), 0.5);
        assert_eq!(unscale(2.0_f32, 0.0), f32::INFINITY);
        assert!(scale(f64::NAN, 0.0).is_nan());
        assert!(scale(f64::INFINITY, 0.0).is_nan());
    }
}
