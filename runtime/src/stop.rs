//! `stop_gradient` and its companions, by the naming protocol.

use crate::tangent::Differentiable;

/// `x` without a derivative.
///
/// In a differentiable function the result counts as a constant.
///
/// ```
/// use cotangent_runtime::stop_gradient;
///
/// assert_eq!(stop_gradient(3.0), 3.0);
/// ```
#[inline]
pub fn stop_gradient<X>(x: X) -> X {
    x
}

/// The companion of [`stop_gradient`] in reverse mode: nothing flows back.
///
/// ```
/// use cotangent_runtime::private::stop_gradient_vjp;
///
/// let xs = [1.0, 2.0];
/// let (y, pullback) = stop_gradient_vjp(&xs[..]);
/// assert_eq!(y, xs);
/// let x_bar: () = pullback(vec![1.0, 1.0]);
/// ```
#[inline]
pub fn stop_gradient_vjp<X: Differentiable>(x: X) -> (X, impl Fn(X::Tangent) + Copy + Send + Sync + use<X>) {
    (x, |_| ())
}

/// The companion of [`stop_gradient`] in forward mode: the tangent is zero.
///
/// ```
/// use cotangent_runtime::private::stop_gradient_jvp;
///
/// assert_eq!(stop_gradient_jvp(vec![3.0], vec![1.0]), (vec![3.0], vec![0.0]));
/// ```
#[inline]
pub fn stop_gradient_jvp<X: Differentiable, T>(x: X, _: T) -> (X, X::Tangent) {
    let tangent = x.zero_tangent();
    (x, tangent)
}

/// The companion of [`stop_gradient_jvp`] in reverse mode.
///
/// ```
/// use cotangent_runtime::private::stop_gradient_jvp_vjp;
///
/// let ((y, dy), pullback) = stop_gradient_jvp_vjp(3.0, 1.0);
/// assert_eq!((y, dy, pullback((1.0, 1.0))), (3.0, 0.0, ((), ())));
/// ```
#[inline]
#[expect(clippy::type_complexity, reason = "the protocol's signature")]
pub fn stop_gradient_jvp_vjp<X, T>(
    x: X,
    tangent: T,
) -> (
    (X, X::Tangent),
    impl Fn((X::Tangent, <X::Tangent as Differentiable>::Tangent)) -> ((), ()) + Copy + Send + Sync + use<X, T>,
)
where
    X: Differentiable<Tangent: Differentiable>,
{
    (stop_gradient_jvp(x, tangent), |_| ((), ()))
}

/// The companion of [`stop_gradient_jvp`] in forward mode.
///
/// ```
/// use cotangent_runtime::private::stop_gradient_jvp_jvp;
///
/// assert_eq!(stop_gradient_jvp_jvp(3.0, 1.0, 1.0, 1.0), ((3.0, 0.0), (0.0, 0.0)));
/// ```
#[inline]
#[expect(clippy::type_complexity, reason = "the protocol's signature")]
pub fn stop_gradient_jvp_jvp<X, T, U, V>(
    x: X,
    tangent: T,
    _: U,
    _: V,
) -> ((X, X::Tangent), (X::Tangent, <X::Tangent as Differentiable>::Tangent))
where
    X: Differentiable<Tangent: Differentiable>,
{
    let (x, zero) = stop_gradient_jvp(x, tangent);
    let tangents = (zero.clone(), zero.zero_tangent());
    ((x, zero), tangents)
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_pullback_of_a_reference_is_kept_and_called_often() {
        fn is_send_and_sync(_: &(impl Send + Sync)) {}
        let xs = vec![1.0_f64, 2.0];
        let (y, pullback) = stop_gradient_vjp(&xs);
        is_send_and_sync(&pullback);
        pullback(vec![1.0, 2.0]);
        pullback(vec![3.0, 4.0]);
        assert_eq!(y, &xs);
    }

    #[test]
    fn the_tangent_has_the_shape_of_the_value() {
        let (_, tangent): (_, Vec<f64>) = stop_gradient_jvp(&[1.0, 2.0][..], ());
        assert_eq!(tangent, [0.0; 2]);
        let (s, ()) = stop_gradient_jvp(String::from("s"), ());
        assert_eq!(s, "s");
        let ((_, zero), _) = stop_gradient_jvp_jvp(vec![1.0], vec![1.0], vec![1.0], vec![1.0]);
        assert_eq!(zero, [0.0]);
    }
}
