//! Running sums and products along an axis.

use ndarray::{Array, Axis, Dimension, RemoveAxis, Zip};
use num_traits::Zero;

use super::{AsArray, Owned, check_axis, check_shape};
use crate::scalar::scale;

/// The running sums yᵢ = x₀ + … + xᵢ of each lane along an axis.
///
/// The cotangent of xᵢ is the sum of those of yᵢ and all that follow.
///
/// ```
/// use cotangent_runtime::ops::{cumsum, cumsum_vjp};
/// use ndarray::{Axis, array};
///
/// assert_eq!(cumsum(&array![[1.0, 2.0], [3.0, 4.0]], Axis(0)), array![[1.0, 2.0], [4.0, 6.0]]);
/// let (_, pullback) = cumsum_vjp(array![1.0, 2.0, 3.0], Axis(0));
/// assert_eq!(pullback(array![1.0, 10.0, 100.0]), (array![111.0, 110.0, 100.0], ()));
/// ```
pub fn cumsum<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> Owned<X> {
    running("cumsum", &x, axis, |sum, x| sum + x)
}

#[doc(hidden)]
pub fn cumsum_vjp<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> (Owned<X>, impl Fn(Owned<X>) -> (Owned<X>, ())) {
    let y = cumsum(&x, axis);
    let shape = y.raw_dim();
    let pullback = move |mut g: Owned<X>| {
        check_shape("cumsum", "cotangent", g.shape(), shape.slice());
        g.invert_axis(axis);
        g.accumulate_axis_inplace(axis, |later, g| *g = *g + *later);
        g.invert_axis(axis);
        (g, ())
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn cumsum_jvp<X: AsArray<Dim: RemoveAxis>, T>(x: X, axis: Axis, x_dot: Owned<X>, _: T) -> (Owned<X>, Owned<X>) {
    let y = cumsum(&x, axis);
    check_shape("cumsum", "tangent", x_dot.shape(), y.shape());
    (y, cumsum(x_dot, axis))
}

/// The running products yᵢ = x₀·…·xᵢ of each lane along an axis.
///
/// The derivative of yᵢ by xₖ is the product of the others, without a division: zeros do no harm.
///
/// ```
/// use cotangent_runtime::ops::{cumprod, cumprod_vjp};
/// use ndarray::{Axis, array};
///
/// assert_eq!(cumprod(&array![2.0, 0.0, 3.0], Axis(0)), array![2.0, 0.0, 0.0]);
/// let (_, pullback) = cumprod_vjp(array![2.0, 0.0, 3.0], Axis(0));
/// assert_eq!(pullback(array![0.0, 0.0, 1.0]), (array![0.0, 6.0, 0.0], ()));
/// ```
pub fn cumprod<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> Owned<X> {
    running("cumprod", &x, axis, |product, x| product * x)
}

#[doc(hidden)]
pub fn cumprod_vjp<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> (Owned<X>, impl Fn(Owned<X>) -> (Owned<X>, ())) {
    let y = cumprod(&x, axis);
    let products = y.clone();
    let pullback = move |mut g: Owned<X>| {
        check_shape("cumprod", "cotangent", g.shape(), products.shape());
        // all that follows from yᵢ: sᵢ = gᵢ + xᵢ₊₁·sᵢ₊₁, and the cotangent of xᵢ is sᵢ·yᵢ₋₁
        Zip::from(g.lanes_mut(axis)).and(x.as_array().lanes(axis)).and(products.lanes(axis)).for_each(|mut g, x, y| {
            let mut later = X::Elem::zero();
            for i in (0..x.len()).rev() {
                later = g[i] + later;
                g[i] = if i == 0 { later } else { scale(later, y[i - 1]) };
                later = scale(later, x[i]);
            }
        });
        (g, ())
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn cumprod_jvp<X: AsArray<Dim: RemoveAxis>, T>(
    x: X,
    axis: Axis,
    mut x_dot: Owned<X>,
    _: T,
) -> (Owned<X>, Owned<X>) {
    let y = cumprod(&x, axis);
    let x = x.as_array();
    check_shape("cumprod", "tangent", x_dot.shape(), x.shape());
    Zip::from(x_dot.lanes_mut(axis)).and(x.lanes(axis)).and(y.lanes(axis)).for_each(|mut x_dot, x, y| {
        for i in 1..x.len() {
            x_dot[i] = scale(x_dot[i], y[i - 1]) + scale(x_dot[i - 1], x[i]);
        }
    });
    (y, x_dot)
}

fn running<X: AsArray<Dim: RemoveAxis>>(
    name: &str,
    x: &X,
    axis: Axis,
    f: impl Fn(X::Elem, X::Elem) -> X::Elem,
) -> Owned<X> {
    let x = x.as_array();
    check_axis(name, axis, x.ndim());
    let mut y = Array::from_shape_vec(x.raw_dim(), x.iter().copied().collect()).expect("one element for each");
    y.accumulate_axis_inplace(axis, |before, y| *y = f(*before, *y));
    y
}
