//! Companions of the tangent programs of linear algebra, as in `ops/second`.
//!
//! For x = a⁻¹·b with ẋ = a⁻¹·(ḃ - ȧ·x) and λ = a⁻ᵀ·w for a cotangent w of ẋ, the cotangents are those of the first order,
//! b̄ = λ and ā = -λ·xᵀ, along the direction ȧ: λ̇ = -a⁻ᵀ·ȧᵀ·λ and -λ̇·xᵀ - λ·ẋᵀ. The same goes for a triangle of a matrix, as
//! its complement is left out of every matrix here.

use faer::Mat;
use faer::linalg::solvers::PartialPivLu;
use ndarray::{Array, Array2, ArrayView, Ix2};

use super::triangular::{Triangle, factor_bar, factor_dot, factor_slope, half};
use super::{
    AsArray, Columns, LinalgElement, Owned, check_shape, check_system, cholesky, inv, matrix, minus_outer, regular,
    solved, solved_transposed,
};

/// A system of equations that can be solved.
trait System<A: LinalgElement>: Sized {
    fn solved<D: Columns>(&self, b: ArrayView<'_, A, D>) -> Array<A, D>;
    fn solved_transposed<D: Columns>(&self, b: ArrayView<'_, A, D>) -> Array<A, D>;
    /// What the system reads of a matrix.
    fn read(&self, a: Array2<A>) -> Array2<A>;
}

impl<A: LinalgElement> System<A> for PartialPivLu<A> {
    fn solved<D: Columns>(&self, b: ArrayView<'_, A, D>) -> Array<A, D> {
        solved(self, b)
    }

    fn solved_transposed<D: Columns>(&self, b: ArrayView<'_, A, D>) -> Array<A, D> {
        solved_transposed(self, b)
    }

    fn read(&self, a: Array2<A>) -> Array2<A> {
        a
    }
}

impl<A: LinalgElement> System<A> for (Triangle, Mat<A>) {
    fn solved<D: Columns>(&self, b: ArrayView<'_, A, D>) -> Array<A, D> {
        self.0.solved(self.1.as_ref(), b)
    }

    fn solved_transposed<D: Columns>(&self, b: ArrayView<'_, A, D>) -> Array<A, D> {
        self.0.solved_transposed(self.1.as_ref(), b)
    }

    fn read(&self, a: Array2<A>) -> Array2<A> {
        self.0.of(a)
    }
}

/// A system, its solution, and the tangents of the matrix and the solution.
struct Solution<S, A, D> {
    system: S,
    x: Array<A, D>,
    a_dot: Array2<A>,
    x_dot: Array<A, D>,
}

/// a⁻¹·(right - Σ a·x)
fn across<A: LinalgElement, D: Columns, const N: usize>(
    system: &impl System<A>,
    right: &Array<A, D>,
    less: [(&Array2<A>, &Array<A, D>); N],
) -> Array<A, D> {
    let mut right = D::columns(right.view()).to_owned();
    less.into_iter().for_each(|(a, x)| right = &right - &a.dot(&D::columns(x.view())));
    system.solved(D::of_columns(right).view())
}

impl<S: System<A>, A: LinalgElement, D: Columns> Solution<S, A, D> {
    fn of(system: S, b: ArrayView<'_, A, D>, a_dot: Array2<A>, b_dot: &Array<A, D>) -> Self {
        let (x, a_dot) = (system.solved(b), system.read(a_dot));
        let x_dot = across(&system, b_dot, [(&a_dot, &x)]);
        Solution { system, x, a_dot, x_dot }
    }

    /// From cotangents of x and ẋ to those of a, b, ȧ and ḃ.
    fn pull(&self, name: &str, bars: [Option<Array<A, D>>; 2]) -> (Array2<A>, Array<A, D>, Array2<A>, Array<A, D>) {
        let Self { system, x, a_dot, x_dot } = self;
        let [own, tangent] = bars.map(|bar| match bar {
            None => Array::zeros(x.raw_dim()),
            Some(bar) => {
                check_shape(name, "cotangent", bar.shape(), x.shape());
                system.solved_transposed(bar.view())
            }
        });
        let turned = D::of_columns(-a_dot.t().dot(&D::columns(tangent.view())));
        let b_bar = own + system.solved_transposed(turned.view());
        let bent = minus_outer(tangent.view(), x_dot.view());
        let a_bar = minus_outer(b_bar.view(), x.view()) + bent;
        (system.read(a_bar), b_bar, system.read(minus_outer(tangent.view(), x.view())), tangent)
    }

    /// From tangents of a, b, ȧ and ḃ to those of x and ẋ.
    fn push(&self, ta: Array2<A>, tb: &Array<A, D>, ta_dot: Array2<A>, tb_dot: &Array<A, D>) -> [Array<A, D>; 2] {
        let Self { system, x, a_dot, x_dot } = self;
        let (ta, ta_dot) = (system.read(ta), system.read(ta_dot));
        let tx = across(system, tb, [(&ta, x)]);
        let tx_dot = across(system, tb_dot, [(&ta_dot, x), (a_dot, &tx), (&ta, x_dot)]);
        [tx, tx_dot]
    }
}

#[track_caller]
fn check_dots<A, D: Columns>(
    name: &str,
    a: &ArrayView<'_, A, Ix2>,
    b: &ArrayView<'_, A, D>,
    dots: &[(&Array2<A>, &Array<A, D>)],
) {
    for (a_dot, b_dot) in dots {
        check_shape(name, "tangent of the matrix", a_dot.shape(), a.shape());
        check_shape(name, "tangent of the right-hand side", b_dot.shape(), b.shape());
    }
}

/// The companions of the tangent program of a system. `$Y` is what its solution is given as, `$system` the one that there is
/// of a matrix, `$given` that of a solution, and `$bar` what there is of a cotangent.
macro_rules! systems {
    ($($name:ident $jvp_vjp:ident $jvp_jvp:ident $Y:ty, $system:expr, $given:expr, $bar:expr;)*) => {$(
        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_vjp<M, B>(
            a: M,
            b: B,
            a_dot: Owned<M>,
            b_dot: Owned<B>,
        ) -> (($Y, $Y), impl Fn(($Y, $Y)) -> (Owned<M>, Owned<B>, Owned<M>, Owned<B>))
        where
            M: AsArray<Elem: LinalgElement, Dim = Ix2>,
            B: AsArray<Elem = M::Elem, Dim: Columns>,
        {
            let (a, b) = (a.as_array(), b.as_array());
            check_system(stringify!($name), &a, &b);
            check_dots(stringify!($name), &a, &b, &[(&a_dot, &b_dot)]);
            let (rows, right) = (a.raw_dim(), b.raw_dim());
            let at = $system(a).map(|system| Solution::of(system, b, a_dot, &b_dot));
            let values = ($given(at.as_ref().map(|at| at.x.clone())), $given(at.as_ref().map(|at| at.x_dot.clone())));
            let pullback = move |(own, tangent): ($Y, $Y)| match &at {
                Some(at) => at.pull(stringify!($name), [$bar(own), $bar(tangent)]),
                None => {
                    let zeros = || (Array::zeros(rows), Array::zeros(right.clone()));
                    let ((a_bar, b_bar), (a_dot_bar, b_dot_bar)) = (zeros(), zeros());
                    (a_bar, b_bar, a_dot_bar, b_dot_bar)
                }
            };
            (values, pullback)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_jvp<M, B>(
            a: M,
            b: B,
            a_dot: Owned<M>,
            b_dot: Owned<B>,
            ta: Owned<M>,
            tb: Owned<B>,
            ta_dot: Owned<M>,
            tb_dot: Owned<B>,
        ) -> (($Y, $Y), ($Y, $Y))
        where
            M: AsArray<Elem: LinalgElement, Dim = Ix2>,
            B: AsArray<Elem = M::Elem, Dim: Columns>,
        {
            let (a, b) = (a.as_array(), b.as_array());
            check_system(stringify!($name), &a, &b);
            check_dots(stringify!($name), &a, &b, &[(&a_dot, &b_dot), (&ta, &tb), (&ta_dot, &tb_dot)]);
            let at = $system(a).map(|system| Solution::of(system, b, a_dot, &b_dot));
            let Some(at) = at else { return (($given(None), $given(None)), ($given(None), $given(None))) };
            let [tx, tx_dot] = at.push(ta, &tb, ta_dot, &tb_dot);
            (($given(Some(at.x)), $given(Some(at.x_dot))), ($given(Some(tx)), $given(Some(tx_dot))))
        }
    )*};
}

fn as_it_is<T>(x: Option<T>) -> Option<T> {
    x
}

fn always<T>(x: Option<T>) -> T {
    x.expect("a triangular system has a solution")
}

systems! {
    solve solve_jvp_vjp solve_jvp_jvp Option<Owned<B>>, regular, as_it_is, as_it_is;
    solve_lower solve_lower_jvp_vjp solve_lower_jvp_jvp Owned<B>, |a| Some((Triangle::Lower, matrix(a))), always, Some;
    solve_upper solve_upper_jvp_vjp solve_upper_jvp_jvp Owned<B>, |a| Some((Triangle::Upper, matrix(a))), always, Some;
}

/// The companions of the tangent program of a function of one matrix that may not exist. With its value y: `$dot` is ẏ,
/// `$slope` what else both directions need of a tangent of y, `$bar` the cotangent, `$bend` its derivative along ẏ, and
/// `$curve` that of ẏ in another direction.
macro_rules! of_matrices {
    ($($name:ident $jvp_vjp:ident $jvp_jvp:ident: $dot:expr, $bar:expr, $bend:expr, $curve:expr;)*) => {$(
        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_vjp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(
            a: M,
            a_dot: Owned<M>,
        ) -> (
            (Option<Owned<M>>, Option<Owned<M>>),
            impl Fn((Option<Owned<M>>, Option<Owned<M>>)) -> (Owned<M>, Owned<M>),
        ) {
            let a = a.as_array();
            check_shape(stringify!($name), "tangent", a_dot.shape(), a.shape());
            let shape = a.raw_dim();
            let values = $name(a).map(|y| {
                let y_dot = $dot(&y, &a_dot);
                (y, y_dot)
            });
            let kept = values.clone();
            let pullback = move |(own, tangent): (Option<Owned<M>>, Option<Owned<M>>)| {
                let mut bars = (Array::zeros(shape), Array::zeros(shape));
                let Some((y, y_dot)) = &kept else { return bars };
                let check = |bar: &Owned<M>| check_shape(stringify!($name), "cotangent", bar.shape(), y.shape());
                if let Some(own) = own {
                    check(&own);
                    bars.0 = $bar(y, own);
                }
                if let Some(tangent) = tangent {
                    check(&tangent);
                    bars.0 += &$bend(y, y_dot, &tangent);
                    bars.1 = $bar(y, tangent);
                }
                bars
            };
            (values.unzip(), pullback)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_jvp<M: AsArray<Elem: LinalgElement, Dim = Ix2>>(
            a: M,
            a_dot: Owned<M>,
            ta: Owned<M>,
            ta_dot: Owned<M>,
        ) -> ((Option<Owned<M>>, Option<Owned<M>>), (Option<Owned<M>>, Option<Owned<M>>)) {
            let a = a.as_array();
            for dot in [&a_dot, &ta, &ta_dot] {
                check_shape(stringify!($name), "tangent", dot.shape(), a.shape());
            }
            let Some(y) = $name(a) else { return ((None, None), (None, None)) };
            let (y_dot, ty) = ($dot(&y, &a_dot), $dot(&y, &ta));
            let ty_dot = $dot(&y, &ta_dot) + $curve(&y, (&y_dot, &a_dot), (&ty, &ta));
            ((Some(y), Some(y_dot)), (Some(ty), Some(ty_dot)))
        }
    )*};
}

of_matrices! {
    inv inv_jvp_vjp inv_jvp_jvp:
        |y: &Array2<_>, dot: &Array2<_>| -y.dot(dot).dot(y),
        |y: &Array2<_>, bar: Array2<_>| -y.t().dot(&bar).dot(&y.t()),
        |y: &Array2<_>, y_dot: &Array2<_>, w: &Array2<_>| -(y_dot.t().dot(w).dot(&y.t()) + y.t().dot(w).dot(&y_dot.t())),
        |y: &Array2<_>, (_, dot): (&_, &Array2<_>), (ty, _): (&Array2<_>, &_)| -(ty.dot(dot).dot(y) + y.dot(dot).dot(ty));
    cholesky cholesky_jvp_vjp cholesky_jvp_jvp: factor_dot, factor_bar, factor_bend, factor_curve;
}

/// With e = l⁻¹·l̇ and p = Φ(lᵀ·w), the derivative of l⁻ᵀ·p·l⁻¹ is l⁻ᵀ·(ṗ - eᵀ·p - p·e)·l⁻¹.
fn factor_bend<A: LinalgElement>(l: &Array2<A>, l_dot: &Array2<A>, w: &Array2<A>) -> Array2<A> {
    let factor = matrix(l.view());
    let w = Triangle::Lower.of(w.clone());
    let e = Triangle::Lower.solved(factor.as_ref(), l_dot.view());
    let (p, p_dot) = (half(l.t().dot(&w)), half(l_dot.t().dot(&w)));
    factor_slope(factor.as_ref(), &(p_dot - e.t().dot(&p) - p.dot(&e)))
}

/// With e = l⁻¹·l̇ = Φ(l⁻¹·ȧ·l⁻ᵀ), and f for the other direction, the tangent of l̇ = l·e is l·(f·e + ė), where ė is Φ of the
/// derivative of what is in it: -f·m - m·fᵀ with m = e + eᵀ.
fn factor_curve<A: LinalgElement>(
    l: &Array2<A>,
    (l_dot, _): (&Array2<A>, &Array2<A>),
    (tl, _): (&Array2<A>, &Array2<A>),
) -> Array2<A> {
    let factor = matrix(l.view());
    let [e, f] = [l_dot, tl].map(|dot| Triangle::Lower.solved(factor.as_ref(), dot.view()));
    let m = &e + &e.t();
    let moved = half(-(f.dot(&m) + m.dot(&f.t())));
    l.dot(&(f.dot(&e) + moved))
}
