//! The logarithm of a sum of exponentials, and what follows from it: softmax, its logarithm, cross entropy.
//!
//! With the largest element m of a lane, Σ exp xᵢ is exp m · (1 + r), where r is the sum of exp(xᵢ - m) over all elements
//! but (one) m itself: nothing overflows, and ln(1 + r) is exact where r is small. The share of an element,
//! exp(xᵢ - m)/(1 + r), is its softmax and the derivative of the logarithm.
//!
//! Infinite elements: +∞ takes everything, several of them in equal shares. Where all elements are -∞, as where all are
//! masked, every share is 0 and nothing depends on them. A NaN makes its lane NaN.

use alloc::vec::Vec;

use ndarray::{Array, ArrayBase, ArrayView, ArrayView1, ArrayView2, Axis, Data, Dimension, Ix1, Ix2, RemoveAxis, Zip};

use super::fast::exp_each;
use super::{AsArray, Element, Owned, Smaller, check_axis, check_shape, float, sum};
use crate::scalar::scale;
use num_traits::{Float, One, Zero};

/// What the elements of a lane have in common.
#[derive(Clone, Copy)]
struct Exponentials<A> {
    max: A,
    /// r
    others: A,
}

impl<A: Element> Exponentials<A> {
    fn of<'a>(lane: impl Iterator<Item = &'a A> + Clone) -> Self {
        let larger = |max: A, x: &A| if *x > max || x.is_nan() { *x } else { max };
        let max = lane.clone().fold(A::neg_infinity(), larger);
        let (mut others, mut seen) = (A::zero(), false);
        for x in lane {
            if *x == max && !seen {
                seen = true;
            } else {
                others = others + relative(*x, max);
            }
        }
        Self { max, others }
    }

    /// ln Σ exp xᵢ
    fn log_sum(&self) -> A {
        self.max + self.others.ln_1p()
    }

    fn share(&self, x: A) -> A {
        if self.max == A::neg_infinity() { A::zero() } else { relative(x, self.max) / (A::one() + self.others) }
    }

    fn log_share(&self, x: A) -> A {
        let below = if x == self.max && x != A::neg_infinity() { A::zero() } else { x - self.max };
        let below = if self.max == A::neg_infinity() { self.max } else { below };
        below - self.others.ln_1p()
    }
}

/// exp(x - max), also where both are infinite.
fn relative<A: Element>(x: A, max: A) -> A {
    if x == max { A::one() } else { (x - max).exp() }
}

/// Elements that lie side by side, several of them at once.
fn in_lanes<A: Copy>(elements: &[A], start: A, f: impl Fn(A, A) -> A) -> A {
    let mut lanes = [start; 8];
    let parts = elements.chunks_exact(lanes.len());
    let rest = parts.remainder().iter().fold(start, |all, x| f(all, *x));
    for part in parts {
        lanes.iter_mut().zip(part).for_each(|(lane, x)| *lane = f(*lane, *x));
    }
    lanes.into_iter().fold(rest, f)
}

/// The largest element, or a NaN if there is one.
fn largest<A: Element>(lane: ArrayView1<'_, A>) -> A {
    let larger = |max: A, x: A| if x > max || x.is_nan() { x } else { max };
    match lane.to_slice() {
        Some(lane) => in_lanes(lane, A::neg_infinity(), larger),
        None => lane.iter().copied().fold(A::neg_infinity(), larger),
    }
}

/// Of each lane along an axis the exponentials of its elements, all by the factor exp m too small, in the standard layout.
#[allow(clippy::type_complexity)]
fn exponentials<A: Element, D: RemoveAxis>(
    x: ArrayView<'_, A, D>,
    axis: Axis,
) -> (Array<A, D>, Array<Exponentials<A>, D::Smaller>) {
    let shape = x.raw_dim();
    let mut below = Array::from_shape_vec(shape.clone(), x.iter().copied().collect()).expect("one for each");
    let mut lanes = below.map_axis_mut(axis, |mut lane| {
        let max = largest(lane.view());
        // of two infinite ones the difference is no number
        lane.mapv_inplace(|x| if x == max { A::zero() } else { x - max });
        Exponentials { max, others: A::zero() }
    });
    let elements = exp_each(below.into_raw_vec_and_offset().0);
    let mut exponentials = Array::from_shape_vec(shape, elements).expect("one for each");
    Zip::from(&mut lanes).and(x.lanes(axis)).and(exponentials.lanes_mut(axis)).for_each(|lane, x, mut e| {
        let largest = x.iter().position(|x| *x == lane.max);
        let one = largest.map(|k| std::mem::replace(&mut e[k], A::zero()));
        lane.others = match e.as_slice() {
            Some(e) => in_lanes(e, A::zero(), |sum, e| sum + e),
            None => sum(e.iter().copied()),
        };
        largest.into_iter().zip(one).for_each(|(k, one)| e[k] = one);
    });
    (exponentials, lanes)
}

/// Σ g·share
fn mean<'a, A: Element>(of: &Exponentials<A>, g: impl IntoIterator<Item = &'a A>, x: ArrayView1<'_, A>) -> A {
    sum(g.into_iter().zip(x).map(|(g, x)| scale(*g, of.share(*x))))
}

/// ln Σ exp xᵢ over all elements, without overflow; -∞ for an empty array.
///
/// The derivative is the softmax of `x`, and 0 where all elements are -∞.
///
/// ```
/// use cotangent_runtime::ops::{logsumexp, logsumexp_vjp};
/// use ndarray::array;
///
/// assert_eq!(logsumexp(&array![1000.0, 1000.0]), 1000.0 + 2.0_f64.ln());
/// let (_, pullback) = logsumexp_vjp(array![[1000.0, f64::NEG_INFINITY], [-1000.0, 1000.0]]);
/// assert_eq!(pullback(2.0), array![[1.0, 0.0], [0.0, 1.0]]);
/// ```
pub fn logsumexp<X: AsArray>(x: X) -> X::Elem {
    Exponentials::of(x.as_array().iter()).log_sum()
}

#[doc(hidden)]
pub fn logsumexp_vjp<X: AsArray>(x: X) -> (X::Elem, impl Fn(X::Elem) -> Owned<X>) {
    let all = Exponentials::of(x.as_array().iter());
    (all.log_sum(), move |g| x.as_array().mapv(|x| scale(g, all.share(x))))
}

#[doc(hidden)]
pub fn logsumexp_jvp<X: AsArray>(x: X, x_dot: Owned<X>) -> (X::Elem, X::Elem) {
    let x = x.as_array();
    check_shape("logsumexp", "tangent", x_dot.shape(), x.shape());
    let all = Exponentials::of(x.iter());
    let terms = x_dot.iter().zip(&x).map(|(x_dot, x)| scale(*x_dot, all.share(*x)));
    (all.log_sum(), sum(terms))
}

/// ln Σ exp xᵢ in each lane along an axis, as [`logsumexp`].
///
/// ```
/// use cotangent_runtime::ops::logsumexp_axis;
/// use ndarray::{Axis, array};
///
/// let x = array![[0.0, 0.0], [0.0, 1000.0]];
/// assert_eq!(logsumexp_axis(&x, Axis(1)), array![2.0_f64.ln(), 1000.0]);
/// ```
pub fn logsumexp_axis<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> Smaller<X> {
    lanes("logsumexp_axis", &x, axis).mapv(|lane| lane.log_sum())
}

fn lanes<X: AsArray<Dim: RemoveAxis>>(
    name: &str,
    x: &X,
    axis: Axis,
) -> Array<Exponentials<X::Elem>, <X::Dim as Dimension>::Smaller> {
    let x = x.as_array();
    check_axis(name, axis, x.ndim());
    x.map_axis(axis, |lane| Exponentials::of(lane.iter()))
}

#[doc(hidden)]
pub fn logsumexp_axis_vjp<X: AsArray<Dim: RemoveAxis>>(
    x: X,
    axis: Axis,
) -> (Smaller<X>, impl Fn(Smaller<X>) -> (Owned<X>, ())) {
    let lanes = lanes("logsumexp_axis", &x, axis);
    let y = lanes.mapv(|lane| lane.log_sum());
    let pullback = move |g: Smaller<X>| {
        check_shape("logsumexp_axis", "cotangent", g.shape(), lanes.shape());
        let mut x_bar = x.as_array().to_owned();
        Zip::from(x_bar.lanes_mut(axis)).and(&lanes).and(&g).for_each(|mut x, lane, g| {
            x.mapv_inplace(|x| scale(*g, lane.share(x)));
        });
        (x_bar, ())
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn logsumexp_axis_jvp<X: AsArray<Dim: RemoveAxis>, T>(
    x: X,
    axis: Axis,
    x_dot: Owned<X>,
    _: T,
) -> (Smaller<X>, Smaller<X>) {
    let lanes = lanes("logsumexp_axis", &x, axis);
    let x = x.as_array();
    check_shape("logsumexp_axis", "tangent", x_dot.shape(), x.shape());
    let mut dot = lanes.mapv(|lane| lane.others);
    Zip::from(&mut dot).and(&lanes).and(x.lanes(axis)).and(x_dot.lanes(axis)).for_each(|dot, lane, x, x_dot| {
        *dot = mean(lane, x_dot, x);
    });
    (lanes.mapv(|lane| lane.log_sum()), dot)
}

/// The softmax pᵢ = exp xᵢ / Σ exp xⱼ of each lane along an axis, without overflow.
///
/// The derivative is ∂pᵢ/∂xⱼ = pᵢ·(δᵢⱼ - pⱼ). A lane in which all elements are -∞ has the softmax 0: so a row of attention
/// in which everything is masked adds nothing.
///
/// ```
/// use cotangent_runtime::ops::{softmax, softmax_vjp};
/// use ndarray::{Axis, array};
///
/// let x = array![[1000.0, 1000.0], [0.0, f64::NEG_INFINITY]];
/// assert_eq!(softmax(&x, Axis(1)), array![[0.5, 0.5], [1.0, 0.0]]);
/// let (_, pullback) = softmax_vjp(x.row(0), Axis(0));
/// assert_eq!(pullback(array![1.0, 0.0]), (array![0.25, -0.25], ()));
/// ```
pub fn softmax<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> Owned<X> {
    let x = x.as_array();
    check_axis("softmax", axis, x.ndim());
    let (mut p, lanes) = exponentials(x, axis);
    Zip::from(p.lanes_mut(axis)).and(&lanes).for_each(|mut p, lane| {
        let total = X::Elem::one() + lane.others;
        let masked = lane.max == X::Elem::neg_infinity();
        p.mapv_inplace(|e| if masked { X::Elem::zero() } else { e / total });
    });
    p
}

/// `f` of each element and its lane.
fn of_lanes<X: AsArray<Dim: RemoveAxis>>(
    name: &str,
    x: X,
    axis: Axis,
    f: impl Fn(&Exponentials<X::Elem>, X::Elem) -> X::Elem,
) -> Owned<X> {
    let x = x.as_array();
    check_axis(name, axis, x.ndim());
    let mut out = Array::zeros(x.raw_dim());
    Zip::from(out.lanes_mut(axis)).and(x.lanes(axis)).for_each(|mut out, x| {
        let lane = Exponentials::of(x.iter());
        out.zip_mut_with(&x, |out, x| *out = f(&lane, *x));
    });
    out
}

/// Σ g·p, in several sums at once where the elements lie side by side.
pub(super) fn weighted<A: Element>(g: ArrayView1<'_, A>, p: ArrayView1<'_, A>) -> A {
    let (Some(g), Some(p)) = (g.to_slice(), p.to_slice()) else {
        return sum(g.iter().zip(&p).map(|(g, p)| scale(*g, *p)));
    };
    let mut sums = [A::zero(); 8];
    let (parts, others) = (g.chunks_exact(sums.len()), p.chunks_exact(sums.len()));
    let rest = parts.remainder().iter().zip(others.remainder()).map(|(g, p)| scale(*g, *p));
    let rest = sum(rest);
    for (g, p) in parts.zip(others) {
        sums.iter_mut().zip(g.iter().zip(p)).for_each(|(sum, (g, p))| *sum = *sum + scale(*g, *p));
    }
    sum(sums) + rest
}

/// p·(g - Σ p·g) in each lane: the derivative of softmax is its own transpose.
pub(super) fn softmax_linear<A: Element, D: RemoveAxis>(
    p: &Array<A, D>,
    mut g: Array<A, D>,
    axis: Axis,
) -> Array<A, D> {
    check_shape("softmax", "cotangent or tangent", g.shape(), p.shape());
    Zip::from(g.lanes_mut(axis)).and(p.lanes(axis)).for_each(|mut g, p| {
        let mean = weighted(g.view(), p);
        g.zip_mut_with(&p, |g, p| *g = scale(*g - mean, *p));
    });
    g
}

#[doc(hidden)]
pub fn softmax_vjp<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> (Owned<X>, impl Fn(Owned<X>) -> (Owned<X>, ())) {
    let p = softmax(x, axis);
    (p.clone(), move |g| (softmax_linear(&p, g, axis), ()))
}

#[doc(hidden)]
pub fn softmax_jvp<X: AsArray<Dim: RemoveAxis>, T>(x: X, axis: Axis, x_dot: Owned<X>, _: T) -> (Owned<X>, Owned<X>) {
    let p = softmax(x, axis);
    let dot = softmax_linear(&p, x_dot, axis);
    (p, dot)
}

/// The logarithm of the softmax, xᵢ - ln Σ exp xⱼ, of each lane along an axis, exact also where the softmax underflows.
///
/// The derivative is ∂yᵢ/∂xⱼ = δᵢⱼ - pⱼ with the softmax p.
///
/// ```
/// use cotangent_runtime::ops::{log_softmax, log_softmax_vjp};
/// use ndarray::{Axis, array};
///
/// let x = array![0.0, -2000.0];
/// assert_eq!(log_softmax(&x, Axis(0)), array![0.0, -2000.0]);
/// let (_, pullback) = log_softmax_vjp(&x, Axis(0));
/// assert_eq!(pullback(array![0.0, 1.0]), (array![-1.0, 1.0], ()));
/// ```
pub fn log_softmax<X: AsArray<Dim: RemoveAxis>>(x: X, axis: Axis) -> Owned<X> {
    of_lanes("log_softmax", x, axis, Exponentials::log_share)
}

#[doc(hidden)]
pub fn log_softmax_vjp<X: AsArray<Dim: RemoveAxis>>(
    x: X,
    axis: Axis,
) -> (Owned<X>, impl Fn(Owned<X>) -> (Owned<X>, ())) {
    let y = log_softmax(&x, axis);
    let pullback = move |mut g: Owned<X>| {
        let x = x.as_array();
        check_shape("log_softmax", "cotangent", g.shape(), x.shape());
        Zip::from(g.lanes_mut(axis)).and(x.lanes(axis)).for_each(|mut g, x| {
            let (lane, total) = (Exponentials::of(x.iter()), g.sum());
            g.zip_mut_with(&x, |g, x| *g = *g - scale(total, lane.share(*x)));
        });
        (g, ())
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn log_softmax_jvp<X: AsArray<Dim: RemoveAxis>, T>(
    x: X,
    axis: Axis,
    mut x_dot: Owned<X>,
    _: T,
) -> (Owned<X>, Owned<X>) {
    let y = log_softmax(&x, axis);
    let x = x.as_array();
    check_shape("log_softmax", "tangent", x_dot.shape(), x.shape());
    Zip::from(x_dot.lanes_mut(axis)).and(x.lanes(axis)).for_each(|mut x_dot, x| {
        let mean = mean(&Exponentials::of(x.iter()), &x_dot, x);
        x_dot.mapv_inplace(|x_dot| x_dot - mean);
    });
    (y, x_dot)
}

/// The classes of rows: a slice, a vector, an array, or a one-dimensional `ndarray` array of `usize`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a list of classes", label = "give a slice of `usize`")]
pub trait Labels {
    #[doc(hidden)]
    fn labels(&self) -> ArrayView1<'_, usize>;
}

impl<L: Labels + ?Sized> Labels for &L {
    fn labels(&self) -> ArrayView1<'_, usize> {
        (**self).labels()
    }
}

macro_rules! labels {
    ($([$($generic:tt)*] $list:ty;)*) => {$(
        impl<$($generic)*> Labels for $list {
            fn labels(&self) -> ArrayView1<'_, usize> {
                ArrayView1::from(&self[..])
            }
        }
    )*};
}

labels! {
    [] [usize];
    [const N: usize] [usize; N];
    [] Vec<usize>;
}

impl<S: Data<Elem = usize>> Labels for ArrayBase<S, Ix1> {
    fn labels(&self) -> ArrayView1<'_, usize> {
        self.view()
    }
}

/// The mean over the rows of `logits` of -ln p, where p is the softmax of the row at the class that `labels` has for it.
/// NaN if there is no row.
///
/// The derivative in a row is (p - e)/n with the unit vector e of the class. The labels have none.
///
/// ```
/// use cotangent_runtime::ops::{cross_entropy, cross_entropy_vjp};
/// use ndarray::array;
///
/// let logits = array![[0.0, 0.0], [1000.0, -1000.0]];
/// assert_eq!(cross_entropy(&logits, &[1, 0]), 0.5 * 2.0_f64.ln());
/// assert_eq!(cross_entropy(&logits, &[1, 1]), 0.5 * (2.0_f64.ln() + 2000.0));
/// let (_, pullback) = cross_entropy_vjp(&logits, &[1, 1]);
/// assert_eq!(pullback(2.0), (array![[0.5, -0.5], [1.0, -1.0]], ()));
/// ```
pub fn cross_entropy<X: AsArray<Dim = Ix2>, L: Labels>(logits: X, labels: L) -> X::Elem {
    let x = logits.as_array();
    check_labels(x, labels.labels());
    costs(x, labels.labels(), &exponentials(x, Axis(1)).1)
}

/// The mean of -ln p.
fn costs<A: Element>(x: ArrayView2<'_, A>, labels: ArrayView1<'_, usize>, rows: &Array<Exponentials<A>, Ix1>) -> A {
    let costs = rows.iter().zip(x.rows()).zip(labels).map(|((row, x), k)| -row.log_share(x[*k]));
    sum(costs) / float(x.nrows())
}

fn check_labels<A>(x: ArrayView2<'_, A>, labels: ArrayView1<'_, usize>) {
    let (rows, classes) = x.dim();
    assert!(rows == labels.len(), "cross_entropy: there are {rows} rows of logits, but {} labels", labels.len());
    if let Some(label) = labels.iter().find(|label| **label >= classes) {
        panic!("cross_entropy: there is a label {label}, but only {classes} classes");
    }
}

#[doc(hidden)]
pub fn cross_entropy_vjp<X: AsArray<Dim = Ix2>, L: Labels>(
    logits: X,
    labels: L,
) -> (X::Elem, impl Fn(X::Elem) -> (Owned<X>, ())) {
    let x = logits.as_array();
    check_labels(x, labels.labels());
    let (exponentials, rows) = exponentials(x, Axis(1));
    let y = costs(x, labels.labels(), &rows);
    let pullback = move |g: X::Elem| {
        let mut x_bar = exponentials.clone();
        let g = g / float(x_bar.nrows().max(1));
        for ((mut x_bar, row), k) in x_bar.rows_mut().into_iter().zip(&rows).zip(labels.labels()) {
            let masked = row.max == X::Elem::neg_infinity();
            let each = if masked { X::Elem::zero() } else { scale(g, X::Elem::one() / (X::Elem::one() + row.others)) };
            x_bar.mapv_inplace(|e| scale(each, e));
            x_bar[*k] = x_bar[*k] - g;
        }
        (x_bar, ())
    };
    (y, pullback)
}

#[doc(hidden)]
pub fn cross_entropy_jvp<X: AsArray<Dim = Ix2>, L: Labels, T>(
    logits: X,
    labels: L,
    logits_dot: Owned<X>,
    _: T,
) -> (X::Elem, X::Elem) {
    let y = cross_entropy(&logits, &labels);
    let x = logits.as_array();
    check_shape("cross_entropy", "tangent", logits_dot.shape(), x.shape());
    let rows = x.rows().into_iter().zip(logits_dot.rows()).zip(labels.labels());
    let terms = rows.map(|((row, dot), k)| mean(&Exponentials::of(row.iter()), dot, row) - dot[*k]);
    (y, sum(terms) / float(x.nrows().max(1)))
}
