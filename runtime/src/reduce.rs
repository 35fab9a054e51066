//! What the derivatives of reductions of arrays need: counts as floats, axes put back, products of all others.
//!
//! Products are taken from both ends, so that zeros among the factors do no harm.

use alloc::vec::Vec;
use core::ops::Mul;

use ndarray::{Array, ArrayView, Axis, Dimension, RemoveAxis};
use num_traits::{FromPrimitive, Num, One};

use crate::elementwise::array::Operand;
use crate::scalar::scale;

/// The number of elements, as a float of their type.
///
/// ```
/// use cotangent_runtime::private::count;
///
/// assert_eq!(count(&ndarray::array![1.0_f32, 2.0]), 2.0);
/// ```
#[inline]
pub fn count<A: FromPrimitive, X: Operand<A> + ?Sized>(x: &X) -> A {
    float(x.view().len())
}

/// The length of an axis, as a float of the type of the elements.
#[inline]
#[track_caller]
pub fn count_axis<A: FromPrimitive, X: Operand<A> + ?Sized>(x: &X, axis: usize) -> A {
    float(x.view().len_of(Axis(axis)))
}

#[inline]
fn float<A: FromPrimitive>(n: usize) -> A {
    A::from_usize(n).expect("every length has a float near it")
}

/// What a reduction along an axis gave, with an axis of length one in its place: it broadcasts to what was reduced.
///
/// ```
/// use cotangent_runtime::private::along;
/// use ndarray::array;
///
/// assert_eq!(along(&array![1.0, 2.0], 1), array![[1.0], [2.0]]);
/// ```
#[inline]
#[track_caller]
pub fn along<A, G: Operand<A> + ?Sized>(g: &G, axis: usize) -> ArrayView<'_, A, <G::Dim as Dimension>::Larger> {
    g.view().insert_axis(Axis(axis))
}

/// For each element the product of all others.
///
/// ```
/// use cotangent_runtime::private::others;
/// use ndarray::array;
///
/// assert_eq!(others(&array![2.0, 0.0, 5.0]), array![0.0, 10.0, 0.0]);
/// ```
pub fn others<A: Num + Copy, X: Operand<A> + ?Sized>(x: &X) -> Array<A, X::Dim> {
    let x = x.view();
    let mut out = Array::ones(x.raw_dim());
    exclusive(x.iter().copied(), out.iter_mut(), |out, product| *out = product);
    out
}

/// For each element the product of all others of its lane.
///
/// ```
/// use cotangent_runtime::private::others_axis;
/// use ndarray::array;
///
/// assert_eq!(others_axis(&array![[2.0, 3.0], [0.0, 5.0]], 1), array![[3.0, 2.0], [5.0, 0.0]]);
/// ```
#[track_caller]
pub fn others_axis<A, X>(x: &X, axis: usize) -> Array<A, X::Dim>
where
    A: Num + Copy,
    X: Operand<A, Dim: RemoveAxis> + ?Sized,
{
    let x = x.view();
    let mut out = Array::ones(x.raw_dim());
    for (x, mut out) in x.lanes(Axis(axis)).into_iter().zip(out.lanes_mut(Axis(axis))) {
        exclusive(x.iter().copied(), out.iter_mut(), |out, product| *out = product);
    }
    out
}

/// The derivative of [`others`] at `x` in the direction `h`. It is symmetric, and so its own transpose.
///
/// ```
/// use cotangent_runtime::private::others_dot;
/// use ndarray::array;
///
/// let (x, h) = (array![2.0, 3.0, 5.0], array![1.0, 0.0, 0.0]);
/// assert_eq!(others_dot(&h, &x), array![0.0, 5.0, 3.0]);
/// ```
#[track_caller]
pub fn others_dot<A, H, X>(h: &H, x: &X) -> Array<A, X::Dim>
where
    A: Num + Copy,
    H: Operand<A, Dim = X::Dim> + ?Sized,
    X: Operand<A> + ?Sized,
{
    let (h, x) = (h.view(), x.view());
    same_shape(h.shape(), x.shape());
    let mut out = Array::zeros(x.raw_dim());
    exclusive(duals(&x, &h), out.iter_mut(), |out, Dual { slope, .. }| *out = slope);
    out
}

/// The derivative of [`others_axis`] at `x` in the direction `h`.
#[track_caller]
pub fn others_axis_dot<A, H, X>(h: &H, x: &X, axis: usize) -> Array<A, X::Dim>
where
    A: Num + Copy,
    H: Operand<A, Dim = X::Dim> + ?Sized,
    X: Operand<A, Dim: RemoveAxis> + ?Sized,
{
    let (h, x) = (h.view(), x.view());
    same_shape(h.shape(), x.shape());
    let mut out = Array::zeros(x.raw_dim());
    let lanes = x.lanes(Axis(axis)).into_iter().zip(h.lanes(Axis(axis)));
    for ((x, h), mut out) in lanes.zip(out.lanes_mut(Axis(axis))) {
        exclusive(duals(&x, &h), out.iter_mut(), |out, Dual { slope, .. }| *out = slope);
    }
    out
}

#[track_caller]
fn same_shape(h: &[usize], x: &[usize]) {
    assert!(h == x, "a tangent has the shape {h:?}, the array {x:?}");
}

/// The elements of `x` with those of `h` as their tangents.
fn duals<'a, A: Num + Copy, D: Dimension>(
    x: &'a ArrayView<'_, A, D>,
    h: &'a ArrayView<'_, A, D>,
) -> impl Iterator<Item = Dual<A>> + 'a {
    x.iter().zip(h).map(|(&value, &slope)| Dual { value, slope })
}

/// A number with its tangent.
#[derive(Clone, Copy)]
struct Dual<A> {
    value: A,
    slope: A,
}

impl<A: Num + Copy> Mul for Dual<A> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let slope = scale(self.slope, other.value) + scale(other.slope, self.value);
        Dual { value: self.value * other.value, slope }
    }
}

impl<A: Num + Copy> One for Dual<A> {
    fn one() -> Self {
        Dual { value: A::one(), slope: A::zero() }
    }
}

/// Calls `store` with each place of `out` and the product of all factors but the one that belongs to it.
fn exclusive<T: Copy + One, O>(
    factors: impl Iterator<Item = T>,
    out: impl Iterator<Item = O>,
    mut store: impl FnMut(O, T),
) {
    let factors: Vec<T> = factors.collect();
    let mut after: Vec<T> = Vec::with_capacity(factors.len());
    let mut product = T::one();
    for &factor in factors.iter().rev() {
        after.push(product);
        product = product * factor;
    }
    let mut before = T::one();
    for ((out, &factor), &after) in out.zip(&factors).zip(after.iter().rev()) {
        store(out, before * after);
        before = before * factor;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::{along, count, count_axis, others, others_axis, others_axis_dot, others_dot};

    #[test]
    fn counts() {
        let x = Array2::<f64>::zeros((2, 3));
        assert_eq!((count(&x.view()), count_axis(&x, 1), count_axis(&&x, 0)), (6.0, 3.0, 2.0));
        assert_eq!(count(&Array1::<f32>::zeros(0)), 0.0);
    }

    #[test]
    fn axes_are_put_back() {
        let g = array![1.0, 2.0];
        assert_eq!(along(&g, 0).shape(), [1, 2]);
        assert_eq!(along(&&g.view(), 1).shape(), [2, 1]);
        assert_eq!(along(&g.into_dyn(), 1).shape(), [2, 1]);
    }

    #[test]
    fn products_of_all_others() {
        assert_eq!(others(&array![2.0, 3.0, 5.0]), array![15.0, 10.0, 6.0]);
        assert_eq!(others(&array![[2.0, 3.0], [5.0, 7.0]].t()), array![[105.0, 42.0], [70.0, 30.0]]);
        assert_eq!(others(&array![0.0, 3.0, 0.0]), array![0.0, 0.0, 0.0]);
        assert_eq!(others(&Array1::<f64>::zeros(0)).len(), 0);
        assert_eq!(others(&ndarray::arr0(3.0_f32))[()], 1.0);
        assert_eq!(others_axis(&array![[2.0, 3.0], [5.0, 7.0]], 0), array![[5.0, 7.0], [2.0, 3.0]]);
        assert_eq!(others_axis(&Array2::<f64>::zeros((0, 3)).into_dyn(), 0).shape(), [0, 3]);
    }

    #[test]
    fn second_derivatives_of_products() {
        // Σ h_k Π x_j over k ≠ i and j ≠ i, k
        let (x, h) = (array![2.0, 0.0, 5.0], array![1.0, 10.0, 100.0]);
        assert_eq!(others_dot(&h, &x), array![50.0, 205.0, 20.0]);
        let (x, h) = (array![[2.0, 3.0, 0.0]], array![[0.0, 1.0, f64::INFINITY]]);
        assert_eq!(others_axis_dot(&h, &x, 1), array![[f64::INFINITY, f64::INFINITY, 2.0]]);
    }

    #[test]
    #[should_panic(expected = "a tangent has the shape [2], the array [3]")]
    fn a_tangent_of_another_shape_is_refused() {
        others_dot(&array![1.0, 2.0], &array![1.0, 2.0, 3.0]);
    }
}
