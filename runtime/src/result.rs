//! Results that have a gradient.

use crate::Differentiable;

/// A scalar result: a function that returns one has `_grad` and `_value_and_grad`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float, so there is no gradient",
    note = "use the pullback of `_vjp`, or return one `f64` or `f32`"
)]
pub trait ScalarResult: Differentiable {
    /// The cotangent 1, with which the sweep for a gradient begins.
    fn unit_seed() -> Self::Tangent;
}

impl ScalarResult for f32 {
    fn unit_seed() -> f32 {
        1.0
    }
}

impl ScalarResult for f64 {
    fn unit_seed() -> f64 {
        1.0
    }
}

/// `n` as a float of the type of `like`: `as` does not reach type parameters.
#[inline]
pub fn of_int<T: num_traits::NumCast>(n: i32, _like: T) -> T {
    T::from(n).expect("every `i32` has a float near it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_integers() {
        assert_eq!((f32::unit_seed(), f64::unit_seed()), (1.0, 1.0));
        assert_eq!(of_int(-3, 0.5_f32), -3.0);
    }
}
