//! The bound of functions that are generic over the float.

use core::fmt::{Debug, Display, LowerExp};
use core::iter::{Product, Sum};

use num_traits::{Float, FloatConst, FromPrimitive, NumAssign};

/// A float, as the one bound of a function that is generic over it: `f32` and `f64` have it.
///
/// It is `num_traits::Float`, with compound assignment, sums and products of iterators, conversions from other numbers,
/// constants, and what is needed to print it. Any function may have it, differentiable or not.
///
/// ```
/// use cotangent_runtime::Scalar;
///
/// fn norm<T: Scalar>(x: &[T]) -> T {
///     x.iter().map(|&v| v * v).sum::<T>().sqrt()
/// }
/// assert_eq!(norm(&[3.0_f32, 4.0]), 5.0);
/// assert_eq!(norm(&[3.0_f64, 4.0]), 5.0);
/// ```
pub trait Scalar:
    Float
    + FloatConst
    + FromPrimitive
    + NumAssign
    + Sum<Self>
    + for<'a> Sum<&'a Self>
    + Product<Self>
    + for<'a> Product<&'a Self>
    + Debug
    + Display
    + LowerExp
    + Default
    + Send
    + Sync
    + 'static
{
}

impl Scalar for f32 {}
impl Scalar for f64 {}
