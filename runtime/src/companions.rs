//! Companions of methods of arrays, for receivers whose type the macro does not see: fields of structs, results of calls.
//!
//! A method call `x.sum()` on such a value is one of `x.sum_vjp()` or `x.sum_jvp(…)` in the derivative, as it is for every
//! other type, and comes here if `x` is an array. A method of the user's own of that name is found first. Pullbacks own
//! what they need.

mod second;

use alloc::boxed::Box;

use ndarray::linalg::Dot;
use ndarray::{Array, ArrayRef, Dimension, LinalgScalar};
use num_traits::{Float, FromPrimitive, Num};

use crate::elementwise::array::Operand;
use crate::linalg::{DotAdjoint, dot_lhs_bar, dot_rhs_bar};
use crate::reduce::others;
use crate::scalar::{scale, unscale};

pub use second::{Four, SecondCompanions, SecondDotCompanions, Twice};

/// A value with the function from its cotangent to those of the arguments.
pub type WithPullback<Y, E> = (Y, Box<dyn Fn(Y) -> E + Send + Sync>);

/// The elements of arrays that have companions.
pub trait Element: LinalgScalar + Float + FromPrimitive + Send + Sync {}

impl<A: LinalgScalar + Float + FromPrimitive + Send + Sync> Element for A {}

/// The companions, of an array of rank `D` with elements `A`.
pub trait ArrayCompanions<A, D> {
    #[doc(hidden)]
    fn sum_vjp(&self) -> WithPullback<A, Array<A, D>>;
    #[doc(hidden)]
    fn sum_jvp(&self, dx: Array<A, D>) -> (A, A);
    #[doc(hidden)]
    fn mean_vjp(&self) -> WithPullback<Option<A>, Array<A, D>>;
    #[doc(hidden)]
    fn mean_jvp(&self, dx: Array<A, D>) -> (Option<A>, Option<A>);
    #[doc(hidden)]
    fn product_vjp(&self) -> WithPullback<A, Array<A, D>>;
    #[doc(hidden)]
    fn product_jvp(&self, dx: Array<A, D>) -> (A, A);
    #[doc(hidden)]
    fn var_vjp(&self, ddof: A) -> WithPullback<A, (Array<A, D>, A)>;
    #[doc(hidden)]
    fn var_jvp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> (A, A);
    #[doc(hidden)]
    fn std_vjp(&self, ddof: A) -> WithPullback<A, (Array<A, D>, A)>;
    #[doc(hidden)]
    fn std_jvp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> (A, A);
    #[doc(hidden)]
    fn t_vjp(&self) -> WithPullback<Array<A, D>, Array<A, D>>;
    #[doc(hidden)]
    fn t_jvp(&self, dx: Array<A, D>) -> (Array<A, D>, Array<A, D>);
}

/// The companions of the product with `Y`.
pub trait DotCompanions<Y: ?Sized> {
    /// What the product gives.
    type Output;
    /// The cotangents of both factors.
    type Entries;
    /// The tangent of the first factor.
    type Lhs;
    /// The tangent of the second factor.
    type Rhs;

    #[doc(hidden)]
    fn dot_vjp(&self, y: &Y) -> WithPullback<Self::Output, Self::Entries>;
    #[doc(hidden)]
    fn dot_jvp(&self, y: &Y, dx: Self::Lhs, dy: Self::Rhs) -> (Self::Output, Self::Output);
}

impl<A: Element, D: Dimension + 'static> ArrayCompanions<A, D> for ArrayRef<A, D> {
    fn sum_vjp(&self) -> WithPullback<A, Array<A, D>> {
        let shape = self.raw_dim();
        (self.sum(), Box::new(move |g| Array::from_elem(shape.clone(), g)))
    }

    fn sum_jvp(&self, dx: Array<A, D>) -> (A, A) {
        (self.sum(), dx.sum())
    }

    fn mean_vjp(&self) -> WithPullback<Option<A>, Array<A, D>> {
        let (shape, n) = (self.raw_dim(), float::<A>(self.len()));
        let pullback = move |g: Option<A>| Array::from_elem(shape.clone(), g.map_or(A::zero(), |g| g / n));
        (self.mean(), Box::new(pullback))
    }

    fn mean_jvp(&self, dx: Array<A, D>) -> (Option<A>, Option<A>) {
        (self.mean(), dx.mean())
    }

    fn product_vjp(&self) -> WithPullback<A, Array<A, D>> {
        let x = self.to_owned();
        (self.product(), Box::new(move |g| others(&x).mapv_into(|others| scale(g, others))))
    }

    fn product_jvp(&self, dx: Array<A, D>) -> (A, A) {
        (self.product(), inner(&dx, &others(self)))
    }

    #[track_caller]
    fn var_vjp(&self, ddof: A) -> WithPullback<A, (Array<A, D>, A)> {
        let (var, x) = (self.var(ddof), self.to_owned());
        (var, Box::new(move |g| (slopes(&x, ddof).mapv_into(|slope| scale(g, slope)), freed(g, var, &x, ddof))))
    }

    #[track_caller]
    fn var_jvp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> (A, A) {
        let var = self.var(ddof);
        (var, inner(&dx, &slopes(self, ddof)) + freed(dddof, var, self, ddof))
    }

    #[track_caller]
    fn std_vjp(&self, ddof: A) -> WithPullback<A, (Array<A, D>, A)> {
        let (var, pullback) = self.var_vjp(ddof);
        let std = var.sqrt();
        (std, Box::new(move |g| pullback(root(g, std))))
    }

    #[track_caller]
    fn std_jvp(&self, ddof: A, dx: Array<A, D>, dddof: A) -> (A, A) {
        let (var, var_dot) = self.var_jvp(ddof, dx, dddof);
        let std = var.sqrt();
        (std, root(var_dot, std))
    }

    fn t_vjp(&self) -> WithPullback<Array<A, D>, Array<A, D>> {
        (self.t().to_owned(), Box::new(|g| g.reversed_axes()))
    }

    fn t_jvp(&self, dx: Array<A, D>) -> (Array<A, D>, Array<A, D>) {
        (self.t().to_owned(), dx.reversed_axes())
    }
}

impl<A, D, Y> DotCompanions<Y> for ArrayRef<A, D>
where
    A: Element,
    D: Dimension + 'static,
    Y: Operand<A, Dim: 'static> + ?Sized,
    ArrayRef<A, D>: Dot<ArrayRef<A, Y::Dim>>,
    (D, Y::Dim): DotAdjoint<A, Lhs = D, Rhs = Y::Dim>,
    <ArrayRef<A, D> as Dot<ArrayRef<A, Y::Dim>>>::Output:
        Operand<A, Dim = <(D, Y::Dim) as DotAdjoint<A>>::Product> + core::ops::Add<Output = Product<A, D, Y>>,
{
    type Output = Product<A, D, Y>;
    type Entries = (Array<A, D>, Array<A, Y::Dim>);
    type Lhs = Array<A, D>;
    type Rhs = Array<A, Y::Dim>;

    #[track_caller]
    fn dot_vjp(&self, y: &Y) -> WithPullback<Self::Output, Self::Entries> {
        let product = self.dot(&*y.view());
        let (x, y) = (self.to_owned(), y.view().to_owned());
        (product, Box::new(move |g| (dot_lhs_bar(&g, &x, &y), dot_rhs_bar(&g, &x, &y))))
    }

    #[track_caller]
    fn dot_jvp(&self, y: &Y, dx: Self::Lhs, dy: Self::Rhs) -> (Self::Output, Self::Output) {
        let y = y.view();
        (self.dot(&*y), (*dx).dot(&*y) + self.dot(&*dy))
    }
}

type Product<A, D, Y> = <ArrayRef<A, D> as Dot<ArrayRef<A, <Y as Operand<A>>::Dim>>>::Output;

fn float<A: FromPrimitive>(n: usize) -> A {
    A::from_usize(n).expect("every length has a float near it")
}

/// Σ dx·slope
fn inner<A: Num + Copy, D: Dimension>(dx: &ArrayRef<A, D>, slopes: &ArrayRef<A, D>) -> A {
    let terms = ndarray::Zip::from(dx).and(slopes).map_collect(|dx, slope| scale(*dx, *slope));
    terms.sum()
}

/// The derivative of the variance, 2(x - mean)/(n - ddof).
fn slopes<A: Element, D: Dimension>(x: &ArrayRef<A, D>, ddof: A) -> Array<A, D> {
    let n = float::<A>(x.len());
    let (mean, c) = (x.sum() / n, float::<A>(2) / (n - ddof));
    x.mapv(|x| c * (x - mean))
}

/// The derivative of the variance in the degrees of freedom that it leaves out, times `g`.
fn freed<A: Element, D: Dimension>(g: A, var: A, x: &ArrayRef<A, D>, ddof: A) -> A {
    scale(g, var / (float::<A>(x.len()) - ddof))
}

/// From a tangent or cotangent beside a variance to that beside its root, 0 where that is 0.
fn root<A: Element>(g: A, std: A) -> A {
    if std == A::zero() { A::zero() } else { unscale(g, std + std) }
}
