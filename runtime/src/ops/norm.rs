//! The Euclidean norm, and the normalisation of rows.
//!
//! Sums of squares that overflow or underflow are computed again with the elements divided by the largest of them.

use alloc::vec::Vec;

use ndarray::{Array, Array1, ArrayView1, Axis, Ix1, RemoveAxis, Zip};
use num_traits::{Float, One, Zero};

use super::{AsArray, Element, Owned, Smaller, check_axis, check_shape, float, sum};
use crate::scalar::scale;

/// √(Σ xᵢ² + extra)
fn length<'a, A: Element>(x: impl Iterator<Item = &'a A> + Clone, extra: A) -> A {
    let square = x.clone().fold(extra, |sum, x| sum + *x * *x);
    if square.is_normal() || square.is_nan() {
        return square.sqrt();
    }
    let top = x.clone().fold(extra.sqrt(), |top, x| top.max(x.abs()));
    if top == A::zero() || top.is_infinite() {
        return top;
    }
    let square = x.fold(extra / top / top, |sum, x| sum + (*x / top) * (*x / top));
    top * square.sqrt()
}

/// x/r, 0 where r is.
pub(super) fn slope<A: Element>(x: A, r: A) -> A {
    if r == A::zero() { r } else { x / r }
}

/// The Euclidean norm r = √(Σ xᵢ²) of all elements, without overflow or underflow.
///
/// The derivative is x/r, and 0 where the norm is 0.
///
/// ```
/// use cotangent_runtime::ops::{norm, norm_vjp};
/// use ndarray::{Array2, array};
///
/// assert_eq!(norm(&array![[3.0, 0.0], [0.0, 4.0]]), 5.0);
/// assert_eq!(norm(array![3e300, 4e300]), 5e300);
/// assert_eq!(norm_vjp(array![3.0, 4.0]).1(10.0), array![6.0, 8.0]);
/// assert_eq!(norm_vjp(Array2::<f64>::zeros((1, 2))).1(1.0), array![[0.0, 0.0]]);
/// ```
pub fn norm<X: AsArray>(x: X) -> X::Elem {
    length(x.as_array().iter(), X::Elem::zero())
}

#[doc(hidden)]
pub fn norm_vjp<X: AsArray>(x: X) -> (X::Elem, impl Fn(X::Elem) -> Owned<X>) {
    let r = norm(&x);
    (r, move |g| x.as_array().mapv(|x| scale(g, slope(x, r))))
}

#[doc(hidden)]
pub fn norm_jvp<X: AsArray>(x: X, x_dot: Owned<X>) -> (X::Elem, X::Elem) {
    let (r, x) = (norm(&x), x.as_array());
    check_shape("norm", "tangent", x_dot.shape(), x.shape());
    let terms = x_dot.iter().zip(&x).map(|(x_dot, x)| scale(*x_dot, slope(*x, r)));
    (r, sum(terms))
}

/// The Euclidean norm of each lane along an axis, as [`norm`].
///
/// ```
/// use cotangent_runtime::ops::norm_axis;
/// use ndarray::{Axis, array};
///
/// assert_eq!(norm_axis(&array![[3.0, 4.0], [0.0, 2.0]], Axis(1)), array![5.0, 2.0]);
/// ```
pub fn norm_axis<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> Smaller<X> {
    let x = x.as_array();
    check_axis("norm_axis", axis, x.ndim());
    x.map_axis(axis, |lane| length(lane.iter(), X::Elem::zero()))
}

#[doc(hidden)]
pub fn norm_axis_vjp<X: AsArray<Dim: RemoveAxis>>(
    x: X,
    axis: Axis,
) -> (Smaller<X>, impl Fn(Smaller<X>) -> (Owned<X>, ())) {
    let y = norm_axis(&x, axis);
    let norms = y.clone();
    let pullback = move |g: Smaller<X>| {
        check_shape("norm_axis", "cotangent", g.shape(), norms.shape());
        let mut x_bar = x.as_array().to_owned();
        Zip::from(x_bar.lanes_mut(axis)).and(&norms).and(&g).for_each(|mut x, r, g| {
            x.mapv_inplace(|x| scale(*g, slope(x, *r)));
        });
        (x_bar, ())
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn norm_axis_jvp<X: AsArray<Dim: RemoveAxis>, T>(
    x: X,
    axis: Axis,
    x_dot: Owned<X>,
    _: T,
) -> (Smaller<X>, Smaller<X>) {
    let y = norm_axis(&x, axis);
    let x = x.as_array();
    check_shape("norm_axis", "tangent", x_dot.shape(), x.shape());
    let mut dot = y.clone();
    Zip::from(&mut dot).and(x.lanes(axis)).and(x_dot.lanes(axis)).for_each(|r, x, x_dot| {
        let terms = x_dot.iter().zip(x).map(|(x_dot, x)| scale(*x_dot, slope(*x, *r)));
        *r = sum(terms);
    });
    (y, dot)
}

/// Rows of mean 0 and variance 1, scaled and moved: z·gain + bias with z = (x - mean)/√(variance + eps), where mean and
/// variance are those of each lane along the last axis (J. L. Ba, J. R. Kiros and G. E. Hinton, *Layer normalization*,
/// arXiv:1607.06450).
///
/// With h = gain·ȳ and s = √(variance + eps), the cotangent of x is (h - mean(h) - z·mean(h·z))/s, that of eps
/// -Σ h·z/(2s²). Where s is 0, which takes an eps of 0, z and its derivatives are 0.
///
/// ```
/// use cotangent_runtime::ops::{layer_norm, layer_norm_vjp};
/// use ndarray::array;
///
/// let x = array![[1.0, 3.0], [5.0, 5.0]];
/// let (gain, bias) = (array![2.0, 1.0], array![0.0, 10.0]);
/// assert_eq!(layer_norm(&x, &gain, &bias, 0.0), array![[-2.0, 11.0], [0.0, 10.0]]);
/// let (_, pullback) = layer_norm_vjp(&x, &gain, &bias, 0.0);
/// let (_, gain_bar, bias_bar, _) = pullback(array![[1.0, 1.0], [1.0, 1.0]]);
/// assert_eq!((gain_bar, bias_bar), (array![-1.0, 1.0], array![2.0, 2.0]));
/// ```
pub fn layer_norm<X, G, B>(x: X, gain: G, bias: B, eps: X::Elem) -> Owned<X>
where
    X: AsArray<Dim: RemoveAxis>,
    G: AsArray<Elem = X::Elem, Dim = Ix1>,
    B: AsArray<Elem = X::Elem, Dim = Ix1>,
{
    let (gain, bias) = (gain.as_array(), bias.as_array());
    let (mut y, _) = normalised(&x, &gain, &bias, eps);
    affine(&mut y, gain, bias);
    y
}

pub(super) fn affine<A: Element, D: RemoveAxis>(z: &mut Array<A, D>, gain: ArrayView1<'_, A>, bias: ArrayView1<'_, A>) {
    for mut z in z.rows_mut() {
        Zip::from(&mut z).and(gain).and(bias).for_each(|z, gain, bias| *z = *z * *gain + *bias);
    }
}

/// z, and s for each row.
pub(super) fn normalised<X: AsArray<Dim: RemoveAxis>>(
    x: &X,
    gain: &ArrayView1<'_, X::Elem>,
    bias: &ArrayView1<'_, X::Elem>,
    eps: X::Elem,
) -> (Owned<X>, Vec<X::Elem>) {
    let x = x.as_array();
    assert!(x.ndim() > 0, "layer_norm: an array of rank 0 has no rows");
    let columns = [x.len_of(Axis(x.ndim() - 1))];
    check_shape("layer_norm", "gain", gain.shape(), &columns);
    check_shape("layer_norm", "bias", bias.shape(), &columns);
    let n: X::Elem = float(columns[0]);
    let mut z = Array::from_shape_vec(x.raw_dim(), x.iter().copied().collect()).expect("one element for each");
    let mut sizes = Vec::new();
    for mut row in z.rows_mut() {
        let mean = mean(row.view());
        row.mapv_inplace(|x| x - mean);
        let size = length(row.iter(), n * eps) / n.sqrt();
        row.mapv_inplace(|x| slope(x, size));
        sizes.push(size);
    }
    (z, sizes)
}

/// The mean, also where the sum overflows.
fn mean<A: Element>(row: ArrayView1<'_, A>) -> A {
    let (total, n) = (row.sum(), float(row.len()));
    if total.is_finite() { total / n } else { sum(row.iter().map(|x| *x / n)) }
}

/// Of eps: -Σ h·z/(2s²), 0 where s is.
pub(super) fn eps_slope<A: Element>(h_z: A, size: A) -> A {
    let half = A::one() / (A::one() + A::one());
    if size == A::zero() { size } else { scale(h_z, -half / size / size) }
}

#[doc(hidden)]
pub fn layer_norm_vjp<X, G, B>(
    x: X,
    gain: G,
    bias: B,
    eps: X::Elem,
) -> (Owned<X>, impl Fn(Owned<X>) -> (Owned<X>, Array1<X::Elem>, Array1<X::Elem>, X::Elem))
where
    X: AsArray<Dim: RemoveAxis>,
    G: AsArray<Elem = X::Elem, Dim = Ix1>,
    B: AsArray<Elem = X::Elem, Dim = Ix1>,
{
    let (z, sizes) = normalised(&x, &gain.as_array(), &bias.as_array(), eps);
    let mut y = z.clone();
    affine(&mut y, gain.as_array(), bias.as_array());
    let pullback = move |mut g: Owned<X>| {
        check_shape("layer_norm", "cotangent", g.shape(), z.shape());
        let gain = gain.as_array();
        let n: X::Elem = float(gain.len());
        let mut gain_bar = Array1::zeros(gain.len());
        let mut bias_bar = gain_bar.clone();
        let mut eps_bar = X::Elem::zero();
        for ((mut g, z), size) in g.rows_mut().into_iter().zip(z.rows()).zip(&sizes) {
            Zip::from(&mut gain_bar).and(&g).and(z).for_each(|sum, g, z| *sum = *sum + scale(*g, *z));
            bias_bar.scaled_add(X::Elem::one(), &g);
            g.zip_mut_with(&gain, |g, gain| *g = scale(*g, *gain));
            let h_z = sum(g.iter().zip(z).map(|(h, z)| scale(*h, *z)));
            let (mean, mean_z) = (g.sum() / n, h_z / n);
            eps_bar = eps_bar + eps_slope(h_z, *size);
            g.zip_mut_with(&z, |h, z| *h = slope(*h - mean - scale(mean_z, *z), *size));
        }
        (g, gain_bar, bias_bar, eps_bar)
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn layer_norm_jvp<X, G, B>(
    x: X,
    gain: G,
    bias: B,
    eps: X::Elem,
    mut x_dot: Owned<X>,
    gain_dot: Array1<X::Elem>,
    bias_dot: Array1<X::Elem>,
    eps_dot: X::Elem,
) -> (Owned<X>, Owned<X>)
where
    X: AsArray<Dim: RemoveAxis>,
    G: AsArray<Elem = X::Elem, Dim = Ix1>,
    B: AsArray<Elem = X::Elem, Dim = Ix1>,
{
    let (gain, bias) = (gain.as_array(), bias.as_array());
    let (mut z, sizes) = normalised(&x, &gain, &bias, eps);
    check_shape("layer_norm", "tangent", x_dot.shape(), z.shape());
    check_shape("layer_norm", "tangent of the gain", gain_dot.shape(), gain.shape());
    check_shape("layer_norm", "tangent of the bias", bias_dot.shape(), bias.shape());
    let n: X::Elem = float(gain.len());
    for ((mut dot, z), size) in x_dot.rows_mut().into_iter().zip(z.rows()).zip(&sizes) {
        let mean = dot.sum() / n;
        let mean_z = sum(dot.iter().zip(z).map(|(dot, z)| scale(*dot, *z))) / n;
        let of_eps = eps_slope(eps_dot, *size);
        Zip::from(&mut dot).and(z).and(gain).and(&gain_dot).and(&bias_dot).for_each(
            |dot, z, gain, gain_dot, bias_dot| {
                let z_dot = slope(*dot - mean - scale(mean_z, *z), *size) + scale(of_eps, *z);
                *dot = scale(z_dot, *gain) + scale(*gain_dot, *z) + *bias_dot;
            },
        );
    }
    affine(&mut z, gain, bias);
    (z, x_dot)
}
