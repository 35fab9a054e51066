//! Strong-zero products of floats: an exactly zero cotangent (or tangent) stays zero through an infinite or NaN partial.
//!
//! Both functions are a product and a select, without a branch, so that loops over slices vectorise.

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
