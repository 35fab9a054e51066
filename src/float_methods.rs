//! Companions of the methods of floats, for receivers whose type the macro does not see: an alias of a float, or a type of
//! the user's that has a method of the same name, which is found first.

#[cfg(feature = "std")]
use crate::differentiable;

/// Without `std` floats have none.
#[cfg(not(feature = "std"))]
pub trait FloatMethods {}

#[cfg(feature = "std")]
macro_rules! methods {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        /// The methods of floats that have derivatives.
        #[differentiable(order = 2, crate = crate)]
        pub trait FloatMethods: Copy {
            $(
                #[doc(hidden)]
                #[must_use]
                fn $name(self, $($arg: $ty),*) -> Self;
            )*
        }

        methods!(@of f64: $($name($($arg: $ty),*);)*);
        methods!(@of f32: $($name($($arg: $ty),*);)*);
    };
    (@of $float:ident: $($name:ident($($arg:ident: $ty:ty),*);)*) => {
        #[differentiable(order = 2, crate = crate)]
        impl FloatMethods for $float {
            $(
                fn $name(self, $($arg: $ty),*) -> $float {
                    $float::$name(self, $($arg),*)
                }
            )*
        }
    };
}

#[cfg(feature = "std")]
methods! {
    abs();
    signum();
    floor();
    ceil();
    round();
    round_ties_even();
    trunc();
    fract();
    sin();
    cos();
    tan();
    asin();
    acos();
    atan();
    sinh();
    cosh();
    tanh();
    asinh();
    acosh();
    atanh();
    to_degrees();
    to_radians();
    recip();
    exp();
    exp2();
    exp_m1();
    ln();
    ln_1p();
    log2();
    log10();
    sqrt();
    cbrt();
    powi(n: i32);
    max(y: Self);
    min(y: Self);
    copysign(y: Self);
    rem_euclid(y: Self);
    atan2(y: Self);
    log(y: Self);
    powf(y: Self);
    hypot(y: Self);
    midpoint(y: Self);
    clamp(min: Self, max: Self);
    mul_add(a: Self, b: Self);
}
