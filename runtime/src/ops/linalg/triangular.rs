//! The Cholesky factor, and systems with triangular matrices.
//!
//! Only one triangle of a matrix is read; the other has the cotangent 0, whatever is in it.

use faer::linalg::solvers::Llt;
use faer::{MatRef, Side};
use ndarray::{Array, Array2, ArrayView, Ix2};
use num_traits::{Float, Zero};

use super::{
    AsArray, Columns, LinalgElement, Owned, array, check_shape, check_square, check_system, matrix, minus_outer,
};

/// Which triangle of a matrix is read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Triangle {
    Lower,
    Upper,
}

impl Triangle {
    fn holds(self, (i, j): (usize, usize)) -> bool {
        match self {
            Triangle::Lower => j <= i,
            Triangle::Upper => i <= j,
        }
    }

    /// `a` with zeros outside.
    pub(super) fn of<A: LinalgElement>(self, mut a: Array2<A>) -> Array2<A> {
        a.indexed_iter_mut().filter(|(at, _)| !self.holds(*at)).for_each(|(_, a)| *a = A::zero());
        a
    }

    /// x of a·x = b.
    pub(super) fn solved<A: LinalgElement, D: Columns>(self, a: MatRef<'_, A>, b: ArrayView<'_, A, D>) -> Array<A, D> {
        let mut x = matrix(D::columns(b));
        match self {
            Triangle::Lower => a.solve_lower_triangular_in_place(x.as_mut()),
            Triangle::Upper => a.solve_upper_triangular_in_place(x.as_mut()),
        }
        D::of_columns(array(x.as_ref()))
    }

    /// x of aᵀ·x = b.
    pub(super) fn solved_transposed<A: LinalgElement, D: Columns>(
        self,
        a: MatRef<'_, A>,
        b: ArrayView<'_, A, D>,
    ) -> Array<A, D> {
        let other = if self == Triangle::Lower { Triangle::Upper } else { Triangle::Lower };
        other.solved(a.transpose(), b)
    }
}

macro_rules! triangular_systems {
    ($($(#[$doc:meta])* $name:ident $vjp:ident $jvp:ident: $triangle:expr;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<M, B>(a: M, b: B) -> Owned<B>
        where
            M: AsArray<Elem: LinalgElement, Dim = Ix2>,
            B: AsArray<Elem = M::Elem, Dim: Columns>,
        {
            let (a, b) = (a.as_array(), b.as_array());
            check_system(stringify!($name), &a, &b);
            $triangle.solved(matrix(a).as_ref(), b)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $vjp<M, B>(a: M, b: B) -> (Owned<B>, impl Fn(Owned<B>) -> (Owned<M>, Owned<B>))
        where
            M: AsArray<Elem: LinalgElement, Dim = Ix2>,
            B: AsArray<Elem = M::Elem, Dim: Columns>,
        {
            let x = $name(&a, b);
            let kept = x.clone();
            let pullback = move |g: Owned<B>| {
                check_shape(stringify!($name), "cotangent", g.shape(), kept.shape());
                let b_bar = $triangle.solved_transposed(matrix(a.as_array()).as_ref(), g.view());
                ($triangle.of(minus_outer(b_bar.view(), kept.view())), b_bar)
            };
            (x, pullback)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp<M, B>(a: M, b: B, a_dot: Owned<M>, b_dot: Owned<B>) -> (Owned<B>, Owned<B>)
        where
            M: AsArray<Elem: LinalgElement, Dim = Ix2>,
            B: AsArray<Elem = M::Elem, Dim: Columns>,
        {
            let x = $name(&a, &b);
            let (a, b) = (a.as_array(), b.as_array());
            check_shape(stringify!($name), "tangent of the matrix", a_dot.shape(), a.shape());
            check_shape(stringify!($name), "tangent of the right-hand side", b_dot.shape(), b.shape());
            let a_dot = $triangle.of(a_dot);
            let right = &B::Dim::columns(b_dot.view()) - &a_dot.dot(&B::Dim::columns(x.view()));
            let x_dot = $triangle.solved(matrix(a).as_ref(), B::Dim::of_columns(right).view());
            (x, x_dot)
        }
    )*};
}

triangular_systems! {
    /// The solution x of l·x = b with the lower triangle l of `a`, for a vector `b` or the columns of a matrix. A zero on the
    /// diagonal makes it infinite or NaN.
    ///
    /// The cotangents are b̄ = l⁻ᵀ·x̄, and the lower triangle of -b̄·xᵀ.
    ///
    /// ```
    /// use cotangent_runtime::ops::solve_lower;
    /// use ndarray::array;
    ///
    /// assert_eq!(solve_lower(array![[2.0, f64::NAN], [1.0, 4.0]], array![2.0, 9.0]), array![1.0, 2.0]);
    /// ```
    solve_lower solve_lower_vjp solve_lower_jvp: Triangle::Lower;

    /// The solution x of u·x = b with the upper triangle u of `a`, as [`solve_lower`].
    ///
    /// ```
    /// use cotangent_runtime::ops::{cholesky, solve_lower, solve_upper};
    /// use ndarray::array;
    ///
    /// // with the Cholesky factor l of a, the solution of a·x = b is that of lᵀ·x = y, where l·y = b
    /// let l = cholesky(array![[4.0, 2.0], [2.0, 2.0]]).unwrap();
    /// assert_eq!(solve_upper(l.t(), solve_lower(&l, array![2.0, 0.0])), array![1.0, -1.0]);
    /// ```
    solve_upper solve_upper_vjp solve_upper_jvp: Triangle::Upper;
}

/// The lower triangular matrix l with a = l·lᵀ and a positive diagonal; `None` if there is none, as `a` is not positive
/// definite. Only the lower triangle of `a` is read.
///
/// With Φ, which takes the lower triangle and half of the diagonal, and p = l⁻ᵀ·Φ(lᵀ·l̄)·l⁻¹, the cotangent is Φ(p + pᵀ).
///
/// ```
/// use cotangent_runtime::ops::{cholesky, cholesky_vjp};
/// use ndarray::array;
///
/// let a = array![[4.0, 2.0], [2.0, 2.0]];
/// assert_eq!(cholesky(&a), Some(array![[2.0, 0.0], [1.0, 1.0]]));
/// assert_eq!(cholesky(-&a), None);
/// // the last entry of the factor is √(a₁₁ - a₁₀²/a₀₀)
/// let (_, pullback) = cholesky_vjp(&a);
/// assert_eq!(pullback(Some(array![[0.0, 0.0], [0.0, 1.0]])), array![[0.125, 0.0], [-0.5, 0.5]]);
/// ```
#[track_caller]
pub fn cholesky<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(a: M) -> Option<Owned<M>> {
    let a = a.as_array();
    check_square("cholesky", &a);
    let l = array(Llt::new(matrix(a).as_ref(), Side::Lower).ok()?.L());
    l.diag().iter().all(|d| Float::is_finite(*d) && *d > M::Elem::zero()).then_some(l)
}

/// Φ
pub(super) fn half<A: LinalgElement>(a: Array2<A>) -> Array2<A> {
    let two = A::one() + A::one();
    let mut a = Triangle::Lower.of(a);
    a.diag_mut().mapv_inplace(|d| d / two);
    a
}

#[doc(hidden)]
#[track_caller]
pub fn cholesky_vjp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(
    a: M,
) -> (Option<Owned<M>>, impl Fn(Option<Owned<M>>) -> Owned<M>) {
    let l = cholesky(&a);
    let kept = l.clone();
    let pullback = move |g: Option<Owned<M>>| match (&kept, g) {
        (Some(l), Some(g)) => {
            check_shape("cholesky", "cotangent", g.shape(), l.shape());
            factor_bar(l, g)
        }
        _ => Array::zeros(a.as_array().raw_dim()),
    };
    (l, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn cholesky_jvp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(
    a: M,
    a_dot: Owned<M>,
) -> (Option<Owned<M>>, Option<Owned<M>>) {
    check_shape("cholesky", "tangent", a_dot.shape(), a.as_array().shape());
    let Some(l) = cholesky(a) else { return (None, None) };
    let l_dot = factor_dot(&l, &a_dot);
    (Some(l), Some(l_dot))
}

/// The cotangent of a matrix from that of its factor.
pub(super) fn factor_bar<A: LinalgElement>(l: &Array2<A>, bar: Array2<A>) -> Array2<A> {
    // above the diagonal the factor is 0, whatever the matrix
    let inner = half(l.t().dot(&Triangle::Lower.of(bar)));
    factor_slope(matrix(l.view()).as_ref(), &inner)
}

/// Φ(q + qᵀ) with q = l⁻ᵀ·p·l⁻¹.
pub(super) fn factor_slope<A: LinalgElement>(l: MatRef<'_, A>, p: &Array2<A>) -> Array2<A> {
    let left = Triangle::Lower.solved_transposed(l, p.view());
    let q = Triangle::Lower.solved_transposed(l, left.t()).reversed_axes();
    half(&q + &q.t())
}

/// The tangent of a factor, l̇ = l·Φ(l⁻¹·ȧ·l⁻ᵀ).
pub(super) fn factor_dot<A: LinalgElement>(l: &Array2<A>, a_dot: &Array2<A>) -> Array2<A> {
    let factor = matrix(l.view());
    let below = half(a_dot.clone());
    let symmetric = &below + &below.t();
    let left = Triangle::Lower.solved(factor.as_ref(), symmetric.view());
    let middle = Triangle::Lower.solved(factor.as_ref(), left.t());
    l.dot(&half(middle.reversed_axes()))
}
