//! The derivative of `x as f64` and `x as f32` where the macro does not know the type of `x`.
//!
//! From a float it passes; from an integer or a `bool` there is none: the tangent is `()` and so is the cotangent.

use crate::tangent::Differentiable;

/// A type that `as` turns into the float `To`.
#[diagnostic::on_unimplemented(
    message = "the derivative of a cast from `{Self}` to `{To}` is not known",
    note = "casts from floats, integers and `bool` are supported"
)]
pub trait CastFloat<To>: Differentiable + Copy {
    /// The value, as `as` gives it.
    fn cast_float(self) -> To;

    /// The tangent of the result; `self` only gives the type.
    fn cast_float_tangent(self, tangent: Self::Tangent) -> To;

    /// The cotangent of `self`.
    fn cast_float_cotangent(self, cotangent: To) -> Self::Tangent;
}

/// `x as To`.
///
/// ```
/// use cotangent_runtime::private::{cast, cast_cotangent, cast_tangent};
///
/// let y: f64 = cast(&3_i32);
/// assert_eq!((y, cast(&true)), (3.0, 1.0_f32));
/// assert_eq!(cast_tangent::<_, f64>(&0.5_f32, 2.0_f32), 2.0);
/// assert_eq!(cast_tangent::<_, f64>(&3_i32, ()), 0.0);
/// let x_bar: f32 = cast_cotangent(&0.5_f32, 2.0_f64);
/// assert_eq!(x_bar, 2.0);
/// let n_bar: () = cast_cotangent(&3_i32, 2.0_f64);
/// ```
#[inline]
pub fn cast<X: CastFloat<To>, To>(x: &X) -> To {
    x.cast_float()
}

/// The tangent of `x as To`, from that of `x`.
#[inline]
pub fn cast_tangent<X: CastFloat<To>, To>(x: &X, tangent: X::Tangent) -> To {
    x.cast_float_tangent(tangent)
}

/// The cotangent of `x`, from that of `x as To`.
#[inline]
pub fn cast_cotangent<X: CastFloat<To>, To>(x: &X, cotangent: To) -> X::Tangent {
    x.cast_float_cotangent(cotangent)
}

impl<X: CastFloat<To>, To> CastFloat<To> for &X {
    #[inline]
    fn cast_float(self) -> To {
        (*self).cast_float()
    }

    #[inline]
    fn cast_float_tangent(self, tangent: Self::Tangent) -> To {
        (*self).cast_float_tangent(tangent)
    }

    #[inline]
    fn cast_float_cotangent(self, cotangent: To) -> Self::Tangent {
        (*self).cast_float_cotangent(cotangent)
    }
}

macro_rules! from_floats {
    ($($from:ident $to:ident;)*) => {$(
        impl CastFloat<$to> for $from {
            #[inline]
            fn cast_float(self) -> $to {
                self as $to
            }

            #[inline]
            fn cast_float_tangent(self, tangent: $from) -> $to {
                tangent as $to
            }

            #[inline]
            fn cast_float_cotangent(self, cotangent: $to) -> $from {
                cotangent as $from
            }
        }
    )*};
}

from_floats! { f32 f32; f32 f64; f64 f32; f64 f64; }

macro_rules! without_derivative {
    (@ $from:ident $value:expr; $($to:ident)*) => {$(
        impl CastFloat<$to> for $from {
            #[inline]
            fn cast_float(self) -> $to {
                let value: fn($from) -> _ = $value;
                value(self) as $to
            }

            #[inline]
            fn cast_float_tangent(self, (): ()) -> $to {
                0.0
            }

            #[inline]
            fn cast_float_cotangent(self, _: $to) {}
        }
    )*};
    ($($integer:ident)*) => {
        $(without_derivative!(@ $integer |n| n; f32 f64);)*
        // There is no `bool as f64`; it goes through an integer.
        without_derivative!(@ bool u8::from; f32 f64);
    };
}

without_derivative!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

#[cfg(test)]
mod tests {
    use super::{cast, cast_cotangent, cast_tangent};

    #[test]
    fn values_are_those_of_as() {
        assert_eq!(cast::<_, f32>(&0.1_f64), 0.1_f64 as f32);
        assert_eq!(cast::<_, f64>(&0.1_f32), f64::from(0.1_f32));
        assert_eq!(cast::<_, f64>(&u64::MAX), u64::MAX as f64);
        assert_eq!(cast::<_, f32>(&&-3_i8), -3.0);
    }

    #[test]
    fn derivatives_pass_between_floats_and_stop_at_integers() {
        assert_eq!(cast_tangent::<_, f32>(&1.0_f64, 0.1), 0.1_f64 as f32);
        assert_eq!(cast_cotangent(&1.0_f64, 0.5_f32), 0.5_f64);
        assert_eq!(cast_tangent::<_, f32>(&7_usize, ()), 0.0);
        let none: () = cast_cotangent(&true, 1.0_f64);
        assert_eq!(none, ());
    }
}
