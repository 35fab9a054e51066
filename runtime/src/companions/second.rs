//! Companions of the companions of methods: `x.sum_jvp_vjp(…)` and `x.sum_jvp_jvp(…)`.
//!
//! What is linear is its own tangent program, so its second derivatives are those of the first order once more. For the
//! rest, with ẏ = f′(x)·ẋ and a cotangent w of ẏ, there are the two forms of f″: f″(x)·u·v for the tangent of ẏ, and
//! w·f″(x)·ẋ for the cotangent of x.

#![expect(clippy::type_complexity, clippy::too_many_arguments, reason = "the protocol's signatures")]

use alloc::boxed::Box;
use core::ops::Add;

use ndarray::linalg::Dot;
use ndarray::{Array, ArrayRef, Dimension};

use super::{ArrayCompanions, DotCompanions, Element, Product, WithPullback, float, inner, root, slopes};
use crate::elementwise::array::Operand;
use crate::linalg::{DotAdjoint, dot_lhs_bar, dot_rhs_bar};
use crate::reduce::{others, others_dot};
use crate::scalar::{scale, unscale};

/// The companions of tangent programs, of an array of rank `D` with elements `A`.
pub trait SecondCompanions<A, D> {
    #[doc(hidden)]
    fn sum_jvp_vjp(&self, dx: Array<A, D>) -> Twice<A, (Array<A, D>, Array<A, D>)>;
    #[doc(hidden)]
    fn sum_jvp_jvp(&self, dx: Array<A, D>, tx: Array<A, D>, tdx: Array<A, D>) -> Four<A>;
    #[doc(hidden)]
    fn mean_jvp_vjp(&self, dx: Array<A, D>) -> Twice<Option<A>, (Array<A, D>, Array<A, D>)>;
    #[doc(hidden)]
    fn mean_jvp_jvp(&self, dx: Array<A, D>, tx: Array<A, D>, tdx: Array<A, D>) -> Four<Option<A>>;
    #[doc(hidden)]
    fn t_jvp_vjp(&self, dx: Array<A, D>) -> Twice<Array<A, D>, (Array<A, D>, Array<A, D>)>;
    #[doc(hidden)]
    fn t_jvp_jvp(&self, dx: Array<A, D>, tx: Array<A, D>, tdx: Array<A, D>) -> Four<Array<A, D>>;
    #[doc(hidden)]
    fn product_jvp_vjp(&self, dx: Array<A, D>) -> Twice<A, (Array<A, D>, Array<A, D>)>;
    #[doc(hidden)]
    fn product_jvp_jvp(&self, dx: Array<A, D>, tx: Array<A, D>, tdx: Array<A, D>) -> Four<A>;
    #[doc(hidden)]
    fn var_jvp_vjp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> Twice<A, (Array<A, D>, A, Array<A, D>, A)>;
    #[doc(hidden)]
    fn var_jvp_jvp(
        &self,
        ddof: A,
        dx: Array<A, D>,
        dddof: A,
        tx: Array<A, D>,
        td: A,
        tdx: Array<A, D>,
        tdd: A,
    ) -> Four<A>;
    #[doc(hidden)]
    fn std_jvp_vjp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> Twice<A, (Array<A, D>, A, Array<A, D>, A)>;
    #[doc(hidden)]
    fn std_jvp_jvp(
        &self,
        ddof: A,
        dx: Array<A, D>,
        dddof: A,
        tx: Array<A, D>,
        td: A,
        tdx: Array<A, D>,
        tdd: A,
    ) -> Four<A>;
}

/// A value and its tangent, with the function from their cotangents.
pub type Twice<Y, E> = WithPullback<(Y, Y), E>;

/// A value and its tangent, and the tangents of both.
pub type Four<Y> = ((Y, Y), (Y, Y));

/// Both companions of the tangent program of a linear method.
macro_rules! linear {
    ($second:ident $forward:ident $vjp:ident $jvp:ident $result:ty) => {
        fn $second(&self, dx: Array<A, D>) -> Twice<$result, (Array<A, D>, Array<A, D>)> {
            let (y, pullback) = self.$vjp();
            ((y, self.$jvp(dx).1), Box::new(move |(y_bar, dy_bar)| (pullback(y_bar), pullback(dy_bar))))
        }

        fn $forward(&self, dx: Array<A, D>, tx: Array<A, D>, tdx: Array<A, D>) -> Four<$result> {
            let (y, ty) = self.$jvp(tx);
            let (dy, tdy) = dx.$jvp(tdx);
            ((y, dy), (ty, tdy))
        }
    };
}

impl<A: Element, D: Dimension + 'static> SecondCompanions<A, D> for ArrayRef<A, D> {
    linear!(sum_jvp_vjp sum_jvp_jvp sum_vjp sum_jvp A);
    linear!(mean_jvp_vjp mean_jvp_jvp mean_vjp mean_jvp Option<A>);
    linear!(t_jvp_vjp t_jvp_jvp t_vjp t_jvp Array<A, D>);

    #[track_caller]
    fn product_jvp_vjp(&self, dx: Array<A, D>) -> Twice<A, (Array<A, D>, Array<A, D>)> {
        let (slope, bend) = (others(self), others_dot(&dx, self));
        let values = (self.product(), inner(&dx, &slope));
        let pullback = move |(y_bar, dy_bar): (A, A)| {
            let mut x_bar = slope.mapv(|slope| scale(y_bar, slope));
            x_bar.zip_mut_with(&bend, |x_bar, bend| *x_bar = *x_bar + scale(dy_bar, *bend));
            (x_bar, slope.mapv(|slope| scale(dy_bar, slope)))
        };
        (values, Box::new(pullback))
    }

    #[track_caller]
    fn product_jvp_jvp(&self, dx: Array<A, D>, tx: Array<A, D>, tdx: Array<A, D>) -> Four<A> {
        let (slope, bend) = (others(self), others_dot(&dx, self));
        ((self.product(), inner(&dx, &slope)), (inner(&tx, &slope), inner(&tdx, &slope) + inner(&tx, &bend)))
    }

    #[track_caller]
    fn var_jvp_vjp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> Twice<A, (Array<A, D>, A, Array<A, D>, A)> {
        let at = Variance::of(self, ddof, &dx, dddof);
        ((at.var, at.dot), Box::new(move |bars| at.pull(bars)))
    }

    #[track_caller]
    fn var_jvp_jvp(
        &self,
        ddof: A,
        dx: Array<A, D>,
        dddof: A,
        tx: Array<A, D>,
        td: A,
        tdx: Array<A, D>,
        tdd: A,
    ) -> Four<A> {
        let at = Variance::of(self, ddof, &dx, dddof);
        ((at.var, at.dot), at.push(&tx, td, &tdx, tdd))
    }

    #[track_caller]
    fn std_jvp_vjp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> Twice<A, (Array<A, D>, A, Array<A, D>, A)> {
        let at = Variance::of(self, ddof, &dx, dddof);
        let (std, dot) = at.root();
        let pullback = move |(y_bar, dy_bar)| {
            // ṡ = v̇/2s, of which the slope in v is -ṡ/2v
            let slower = root(scale(dy_bar, dot), at.var);
            at.pull((root(y_bar, std) - slower, root(dy_bar, std)))
        };
        ((std, dot), Box::new(pullback))
    }

    #[track_caller]
    fn std_jvp_jvp(
        &self,
        ddof: A,
        dx: Array<A, D>,
        dddof: A,
        tx: Array<A, D>,
        td: A,
        tdx: Array<A, D>,
        tdd: A,
    ) -> Four<A> {
        let at = Variance::of(self, ddof, &dx, dddof);
        let (std, dot) = at.root();
        let (tv, tdv) = at.push(&tx, td, &tdx, tdd);
        ((std, dot), (root(tv, std), root(tdv, std) - root(scale(tv, dot), at.var)))
    }
}

/// The variance v = Σ c²/r, with c the distances from the mean and r = n - ddof, and its tangent.
struct Variance<A, D> {
    var: A,
    dot: A,
    /// 2c/r
    slope: Array<A, D>,
    /// 2(ẋ - mean ẋ)/r
    bend: Array<A, D>,
    /// Σ 2c·ẋ/r
    along: A,
    dddof: A,
    left: A,
}

impl<A: Element, D: Dimension> Variance<A, D> {
    #[track_caller]
    fn of(x: &ArrayRef<A, D>, ddof: A, dx: &ArrayRef<A, D>, dddof: A) -> Self {
        let (var, left) = (x.var(ddof), float::<A>(x.len()) - ddof);
        let (slope, bend) = (slopes(x, ddof), slopes(dx, ddof));
        let along = inner(dx, &slope);
        Self { var, dot: along + scale(dddof, var / left), slope, bend, along, dddof, left }
    }

    /// The standard deviation and its tangent.
    fn root(&self) -> (A, A) {
        let std = self.var.sqrt();
        (std, root(self.dot, std))
    }

    /// From cotangents of v and v̇ to those of x, ddof and their tangents.
    fn pull(&self, (var_bar, dot_bar): (A, A)) -> (Array<A, D>, A, Array<A, D>, A) {
        let Self { var, slope, bend, along, dddof, left, .. } = self;
        let turn = scale(dot_bar, *dddof / *left);
        let mut x_bar = slope.mapv(|slope| scale(var_bar + turn, slope));
        x_bar.zip_mut_with(bend, |x_bar, bend| *x_bar = *x_bar + scale(dot_bar, *bend));
        let own = scale(dot_bar, (*along + float::<A>(2) * scale(*dddof, *var / *left)) / *left);
        let ddof_bar = scale(var_bar, *var / *left) + own;
        (x_bar, ddof_bar, slope.mapv(|slope| scale(dot_bar, slope)), scale(dot_bar, *var / *left))
    }

    /// From tangents of x, ddof and their tangents to those of v and v̇.
    fn push(&self, tx: &ArrayRef<A, D>, td: A, tdx: &ArrayRef<A, D>, tdd: A) -> (A, A) {
        let Self { var, slope, bend, along, dddof, left, .. } = self;
        let across = inner(tx, slope);
        let turned = unscale(scale(td, *along) + scale(*dddof, across), *left);
        let both = unscale(float::<A>(2) * scale(td, scale(*dddof, *var / *left)), *left);
        let dot = inner(tdx, slope) + scale(tdd, *var / *left) + inner(tx, bend) + turned + both;
        (across + scale(td, *var / *left), dot)
    }
}

/// The companions of the tangent program of the product with `Y`.
pub trait SecondDotCompanions<Y: ?Sized>: DotCompanions<Y> {
    #[doc(hidden)]
    fn dot_jvp_vjp(&self, y: &Y, dx: Self::Lhs, dy: Self::Rhs) -> Twice<Self::Output, DotEntries<Self, Y>>;
    #[doc(hidden)]
    fn dot_jvp_jvp(
        &self,
        y: &Y,
        dx: Self::Lhs,
        dy: Self::Rhs,
        tx: Self::Lhs,
        ty: Self::Rhs,
        tdx: Self::Lhs,
        tdy: Self::Rhs,
    ) -> Four<Self::Output>;
}

/// The cotangents of both factors and of their tangents.
type DotEntries<X, Y> = (
    <X as DotCompanions<Y>>::Lhs,
    <X as DotCompanions<Y>>::Rhs,
    <X as DotCompanions<Y>>::Lhs,
    <X as DotCompanions<Y>>::Rhs,
);

impl<A, D, Y> SecondDotCompanions<Y> for ArrayRef<A, D>
where
    A: Element,
    D: Dimension + 'static,
    Y: Operand<A, Dim: 'static> + ?Sized,
    ArrayRef<A, D>: Dot<ArrayRef<A, Y::Dim>>,
    (D, Y::Dim): DotAdjoint<A, Lhs = D, Rhs = Y::Dim>,
    Product<A, D, Y>: Operand<A, Dim = <(D, Y::Dim) as DotAdjoint<A>>::Product> + Add<Output = Product<A, D, Y>>,
{
    #[track_caller]
    fn dot_jvp_vjp(&self, y: &Y, dx: Self::Lhs, dy: Self::Rhs) -> Twice<Self::Output, DotEntries<Self, Y>> {
        let (x, y) = (self.to_owned(), y.view().to_owned());
        let values = (x.dot(&*y), (*dx).dot(&*y) + x.dot(&*dy));
        let pullback = move |(g, w): (Self::Output, Self::Output)| {
            let x_bar = dot_lhs_bar(&g, &x, &y) + dot_lhs_bar(&w, &x, &dy);
            let y_bar = dot_rhs_bar(&g, &x, &y) + dot_rhs_bar(&w, &dx, &y);
            (x_bar, y_bar, dot_lhs_bar(&w, &x, &y), dot_rhs_bar(&w, &x, &y))
        };
        (values, Box::new(pullback))
    }

    #[track_caller]
    fn dot_jvp_jvp(
        &self,
        y: &Y,
        dx: Self::Lhs,
        dy: Self::Rhs,
        tx: Self::Lhs,
        ty: Self::Rhs,
        tdx: Self::Lhs,
        tdy: Self::Rhs,
    ) -> Four<Self::Output> {
        let (x, y) = (self, y.view());
        let tangent = (*tx).dot(&*y) + x.dot(&*ty);
        let bend = (*dx).dot(&*ty) + (*tx).dot(&*dy);
        ((x.dot(&*y), (*dx).dot(&*y) + x.dot(&*dy)), (tangent, (*tdx).dot(&*y) + x.dot(&*tdy) + bend))
    }
}
