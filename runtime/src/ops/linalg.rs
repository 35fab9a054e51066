//! Dense linear algebra, by the crate `faer`.
//!
//! The derivatives are those of M. Giles, *An extended collection of matrix derivative results for forward and reverse
//! mode algorithmic differentiation* (2008), that of the Cholesky factor is of I. Murray, *Differentiation of the Cholesky
//! decomposition*, arXiv:1602.07527.
//!
//! What does not exist is `None`: a solution or an inverse of a singular matrix, a factor of one that is not positive
//! definite. The cotangent and the tangent are options as well, and `None` counts as zero.

mod second;
mod triangular;

use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::traits::RealField;
use faer::{Mat, MatRef};
use ndarray::{Array, Array2, ArrayView, ArrayView2, Axis, Dimension, Ix1, Ix2};
use num_traits::Float;

pub use second::{
    cholesky_jvp_jvp, cholesky_jvp_vjp, inv_jvp_jvp, inv_jvp_vjp, solve_jvp_jvp, solve_jvp_vjp, solve_lower_jvp_jvp,
    solve_lower_jvp_vjp, solve_upper_jvp_jvp, solve_upper_jvp_vjp,
};
pub use triangular::{
    cholesky, cholesky_jvp, cholesky_vjp, solve_lower, solve_lower_jvp, solve_lower_vjp, solve_upper, solve_upper_jvp,
    solve_upper_vjp,
};

use super::{AsArray, Element, Owned, check_shape, sum};
use crate::scalar::scale;

/// The floats that matrices hold: `f32` and `f64`.
pub trait LinalgElement: Element + RealField {}

impl<A: Element + RealField> LinalgElement for A {}

/// The rank of a right-hand side: a vector, or a matrix of several as its columns.
pub trait Columns: Dimension {
    #[doc(hidden)]
    fn columns<A>(b: ArrayView<'_, A, Self>) -> ArrayView2<'_, A>;
    #[doc(hidden)]
    fn of_columns<A>(columns: Array2<A>) -> Array<A, Self>;
}

impl Columns for Ix1 {
    fn columns<A>(b: ArrayView<'_, A, Ix1>) -> ArrayView2<'_, A> {
        b.insert_axis(Axis(1))
    }

    fn of_columns<A>(columns: Array2<A>) -> Array<A, Ix1> {
        columns.index_axis_move(Axis(1), 0)
    }
}

impl Columns for Ix2 {
    fn columns<A>(b: ArrayView<'_, A, Ix2>) -> ArrayView2<'_, A> {
        b
    }

    fn of_columns<A>(columns: Array2<A>) -> Array2<A> {
        columns
    }
}

fn matrix<A: LinalgElement>(x: ArrayView2<'_, A>) -> Mat<A> {
    Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[[i, j]])
}

fn array<A: LinalgElement>(x: MatRef<'_, A>) -> Array2<A> {
    Array2::from_shape_fn((x.nrows(), x.ncols()), |(i, j)| x[(i, j)])
}

#[track_caller]
fn check_square<A>(name: &str, a: &ArrayView2<'_, A>) {
    assert!(a.is_square(), "{name}: the matrix has the shape {:?}, and should be square", a.shape());
}

#[track_caller]
fn check_rows<A>(name: &str, a: &ArrayView2<'_, A>, b: &ArrayView2<'_, A>) {
    assert!(a.nrows() == b.nrows(), "{name}: the matrix has {} rows, the right-hand side {}", a.nrows(), b.nrows());
}

/// The factors, `None` where the matrix is singular.
fn regular<A: LinalgElement>(a: ArrayView2<'_, A>) -> Option<PartialPivLu<A>> {
    let lu = PartialPivLu::new(matrix(a).as_ref());
    (0..a.nrows()).all(|i| lu.U()[(i, i)] != A::zero() && lu.U()[(i, i)].is_finite()).then_some(lu)
}

fn solved<A: LinalgElement, D: Columns>(lu: &PartialPivLu<A>, b: ArrayView<'_, A, D>) -> Array<A, D> {
    D::of_columns(array(lu.solve(matrix(D::columns(b))).as_ref()))
}

/// With the transpose of the matrix.
fn solved_transposed<A: LinalgElement, D: Columns>(lu: &PartialPivLu<A>, b: ArrayView<'_, A, D>) -> Array<A, D> {
    D::of_columns(array(lu.solve_transpose(matrix(D::columns(b))).as_ref()))
}

/// -b·xᵀ
fn minus_outer<A: LinalgElement, D: Columns>(b: ArrayView<'_, A, D>, x: ArrayView<'_, A, D>) -> Array2<A> {
    -D::columns(b).dot(&D::columns(x).t())
}

/// The solution x of a·x = b, for a vector `b` or the columns of a matrix; `None` if `a` is singular.
///
/// The cotangents are b̄ = a⁻ᵀ·x̄ and ā = -b̄·xᵀ.
///
/// ```
/// use cotangent_runtime::ops::{solve, solve_vjp};
/// use ndarray::array;
///
/// let (a, b) = (array![[2.0, 0.0], [0.0, 4.0]], array![2.0, 8.0]);
/// assert_eq!(solve(&a, &b), Some(array![1.0, 2.0]));
/// let (_, pullback) = solve_vjp(&a, &b);
/// assert_eq!(pullback(Some(array![1.0, 0.0])), (array![[-0.5, -1.0], [0.0, 0.0]], array![0.5, 0.0]));
/// assert_eq!(solve(array![[1.0, 1.0], [1.0, 1.0]], &b), None);
/// ```
#[track_caller]
pub fn solve<M, B>(a: M, b: B) -> Option<Owned<B>>
where
    M: AsArray<Elem: LinalgElement, Dim = Ix2>,
    B: AsArray<Elem = M::Elem, Dim: Columns>,
{
    let (a, b) = (a.as_array(), b.as_array());
    check_system("solve", &a, &b);
    regular(a).map(|lu| solved(&lu, b))
}

#[track_caller]
fn check_system<A: LinalgElement, D: Columns>(name: &str, a: &ArrayView2<'_, A>, b: &ArrayView<'_, A, D>) {
    check_square(name, a);
    check_rows(name, a, &D::columns(b.view()));
}

#[doc(hidden)]
#[track_caller]
pub fn solve_vjp<M, B>(a: M, b: B) -> (Option<Owned<B>>, impl Fn(Option<Owned<B>>) -> (Owned<M>, Owned<B>))
where
    M: AsArray<Elem: LinalgElement, Dim = Ix2>,
    B: AsArray<Elem = M::Elem, Dim: Columns>,
{
    check_system("solve", &a.as_array(), &b.as_array());
    let lu = regular(a.as_array());
    let x = lu.as_ref().map(|lu| solved(lu, b.as_array()));
    let kept = x.clone();
    let pullback = move |g: Option<Owned<B>>| match (&lu, &kept, g) {
        (Some(lu), Some(x), Some(g)) => {
            check_shape("solve", "cotangent", g.shape(), x.shape());
            let b_bar = solved_transposed(lu, g.view());
            (minus_outer(b_bar.view(), x.view()), b_bar)
        }
        _ => (Array::zeros(a.as_array().raw_dim()), Array::zeros(b.as_array().raw_dim())),
    };
    (x, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn solve_jvp<M, B>(a: M, b: B, a_dot: Owned<M>, b_dot: Owned<B>) -> (Option<Owned<B>>, Option<Owned<B>>)
where
    M: AsArray<Elem: LinalgElement, Dim = Ix2>,
    B: AsArray<Elem = M::Elem, Dim: Columns>,
{
    let (a, b) = (a.as_array(), b.as_array());
    check_system("solve", &a, &b);
    check_shape("solve", "tangent of the matrix", a_dot.shape(), a.shape());
    check_shape("solve", "tangent of the right-hand side", b_dot.shape(), b.shape());
    let Some(lu) = regular(a) else { return (None, None) };
    let x = solved(&lu, b);
    let right = B::Dim::of_columns(&B::Dim::columns(b_dot.view()) - &a_dot.dot(&B::Dim::columns(x.view())));
    let x_dot = solved(&lu, right.view());
    (Some(x), Some(x_dot))
}

/// The inverse y of a matrix; `None` if it is singular. Where a product with the inverse is wanted, [`solve`] is faster and
/// more accurate.
///
/// The cotangent is ā = -yᵀ·ȳ·yᵀ.
///
/// ```
/// use cotangent_runtime::ops::inv;
/// use ndarray::array;
///
/// assert_eq!(inv(array![[2.0, 0.0], [2.0, 4.0]]), Some(array![[0.5, 0.0], [-0.25, 0.25]]));
/// assert_eq!(inv(array![[0.0]]), None);
/// ```
#[track_caller]
pub fn inv<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(a: M) -> Option<Owned<M>> {
    let a = a.as_array();
    check_square("inv", &a);
    regular(a).map(|lu| solved(&lu, Array2::eye(a.nrows()).view()))
}

#[doc(hidden)]
#[track_caller]
pub fn inv_vjp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(
    a: M,
) -> (Option<Owned<M>>, impl Fn(Option<Owned<M>>) -> Owned<M>) {
    let y = inv(&a);
    let kept = y.clone();
    let pullback = move |g: Option<Owned<M>>| match (&kept, g) {
        (Some(y), Some(g)) => {
            check_shape("inv", "cotangent", g.shape(), y.shape());
            -y.t().dot(&g).dot(&y.t())
        }
        _ => Array::zeros(a.as_array().raw_dim()),
    };
    (y, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn inv_jvp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(
    a: M,
    a_dot: Owned<M>,
) -> (Option<Owned<M>>, Option<Owned<M>>) {
    let y = inv(&a);
    check_shape("inv", "tangent", a_dot.shape(), a.as_array().shape());
    let y_dot = y.as_ref().map(|y| -y.dot(&a_dot).dot(y));
    (y, y_dot)
}

/// ln |det a|, also where the determinant itself would overflow or underflow; -∞ if `a` is singular.
///
/// The cotangent is ā = a⁻ᵀ, times that of the result.
///
/// ```
/// use cotangent_runtime::ops::{logdet, logdet_vjp};
/// use ndarray::{Array2, array};
///
/// assert_eq!(logdet(&array![[0.0, 2.0], [-0.5, 0.0]]), 0.0);
/// assert!((logdet(Array2::<f64>::eye(1000) * 0.1) + 1000.0 * 10.0_f64.ln()).abs() < 1e-9);
/// let (_, pullback) = logdet_vjp(array![[2.0, 0.0], [0.0, 4.0]]);
/// assert_eq!(pullback(1.0), array![[0.5, 0.0], [0.0, 0.25]]);
/// ```
#[track_caller]
pub fn logdet<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(a: M) -> M::Elem {
    let a = a.as_array();
    check_square("logdet", &a);
    log_of(&PartialPivLu::new(matrix(a).as_ref()))
}

fn log_of<A: LinalgElement>(lu: &PartialPivLu<A>) -> A {
    let u = lu.U();
    sum((0..u.nrows()).map(|i| Float::ln(Float::abs(u[(i, i)]))))
}

#[doc(hidden)]
#[track_caller]
pub fn logdet_vjp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(a: M) -> (M::Elem, impl Fn(M::Elem) -> Owned<M>) {
    check_square("logdet", &a.as_array());
    let lu = PartialPivLu::new(matrix(a.as_array()).as_ref());
    let y = log_of(&lu);
    let pullback = move |g: M::Elem| {
        let slope = solved_transposed(&lu, Array2::eye(a.as_array().nrows()).view());
        slope.mapv_into(|slope| scale(g, slope))
    };
    (y, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn logdet_jvp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(a: M, a_dot: Owned<M>) -> (M::Elem, M::Elem) {
    let a = a.as_array();
    check_square("logdet", &a);
    check_shape("logdet", "tangent", a_dot.shape(), a.shape());
    let lu = PartialPivLu::new(matrix(a).as_ref());
    let slope = solved_transposed(&lu, Array2::eye(a.nrows()).view());
    let terms = a_dot.iter().zip(&slope).map(|(a_dot, slope)| scale(*a_dot, *slope));
    (log_of(&lu), sum(terms))
}

/// The derivative of the slope a⁻ᵀ along a direction: -a⁻ᵀ·ȧᵀ·a⁻ᵀ.
pub(super) fn logdet_bend<A: LinalgElement>(a: &Array2<A>, a_dot: &Array2<A>) -> Array2<A> {
    let lu = PartialPivLu::new(matrix(a.view()).as_ref());
    let slope = solved_transposed(&lu, Array2::eye(a.nrows()).view());
    -slope.dot(&a_dot.t()).dot(&slope)
}
