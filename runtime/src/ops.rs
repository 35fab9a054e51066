//! Operations on arrays that models need and `ndarray` lacks, each with its derivatives.
//!
//! They are ordinary functions. Beside each `f` stand its companions `f_vjp` and `f_jvp`, so that a call of `f` in a
//! `#[differentiable]` function is differentiated, and so that other programs may call them by hand.
//!
//! An argument that is an array may be owned, a view, or a reference to either, of `f32` or `f64`, and of any rank where
//! the operation has no rank of its own: `softmax(x, axis)`, `softmax(&x, axis)`, `softmax(x.view(), axis)` and
//! `softmax(x.row(0), axis)` are all fine. A pullback keeps the argument as it was given, so by reference nothing is copied.
//! Results are owned arrays in the standard layout.
//!
//! | | |
//! |---|---|
//! | numbers and arrays, element by element | [`relu`], [`sigmoid`], [`softplus`], [`gelu`] |
//! | arrays, several elements at once | [`exp`], [`ln`], [`tanh`], [`sin`], [`cos`] |
//! | lanes | [`logsumexp`], [`logsumexp_axis`], [`softmax`], [`log_softmax`], [`cumsum`], [`cumprod`] |
//! | classes | [`cross_entropy`] |
//! | sizes | [`norm`], [`norm_axis`], [`layer_norm`] |
//! | signals and images | [`conv1d`], [`conv2d`], [`max_pool1d`], [`max_pool2d`], [`avg_pool1d`], [`avg_pool2d`] |
//!
//! With the feature `linalg`, the linear algebra of the crate `faer`: `solve`, `solve_lower`, `solve_upper`, `inv`,
//! `logdet`, `cholesky`.
//!
//! A cotangent or a tangent that is exactly zero stays zero through a derivative that is infinite or not a number. Where
//! shapes do not fit, a function panics and names itself and both shapes.

#![expect(clippy::type_complexity, clippy::too_many_arguments, reason = "the protocol's signatures")]

mod conv;
mod fast;
#[cfg(feature = "linalg")]
mod linalg;
mod lse;
mod norm;
mod normal;
mod pointwise;
mod pool;
mod scan;
mod second;

use ndarray::{Array, ArrayBase, ArrayRef, ArrayView, Axis, Data, Dimension, LinalgScalar};
use num_traits::{Float, FromPrimitive};

pub use conv::{conv1d, conv1d_jvp, conv1d_vjp, conv2d, conv2d_jvp, conv2d_vjp};
pub use fast::{
    Fast, cos, cos_jvp, cos_jvp_jvp, cos_jvp_vjp, cos_vjp, exp, exp_jvp, exp_jvp_jvp, exp_jvp_vjp, exp_vjp, ln, ln_jvp,
    ln_jvp_jvp, ln_jvp_vjp, ln_vjp, sin, sin_jvp, sin_jvp_jvp, sin_jvp_vjp, sin_vjp, tanh, tanh_jvp, tanh_jvp_jvp,
    tanh_jvp_vjp, tanh_vjp,
};
#[cfg(feature = "linalg")]
pub use linalg::{
    Columns, LinalgElement, cholesky, cholesky_jvp, cholesky_jvp_jvp, cholesky_jvp_vjp, cholesky_vjp, inv, inv_jvp,
    inv_jvp_jvp, inv_jvp_vjp, inv_vjp, logdet, logdet_jvp, logdet_vjp, solve, solve_jvp, solve_jvp_jvp, solve_jvp_vjp,
    solve_lower, solve_lower_jvp, solve_lower_jvp_jvp, solve_lower_jvp_vjp, solve_lower_vjp, solve_upper,
    solve_upper_jvp, solve_upper_jvp_jvp, solve_upper_jvp_vjp, solve_upper_vjp, solve_vjp,
};
pub use lse::{
    Labels, cross_entropy, cross_entropy_jvp, cross_entropy_vjp, log_softmax, log_softmax_jvp, log_softmax_vjp,
    logsumexp, logsumexp_axis, logsumexp_axis_jvp, logsumexp_axis_vjp, logsumexp_jvp, logsumexp_vjp, softmax,
    softmax_jvp, softmax_vjp,
};
pub use norm::{
    layer_norm, layer_norm_jvp, layer_norm_vjp, norm, norm_axis, norm_axis_jvp, norm_axis_vjp, norm_jvp, norm_vjp,
};
pub use pointwise::{
    Pointwise, gelu, gelu_jvp, gelu_jvp_jvp, gelu_jvp_vjp, gelu_vjp, relu, relu_jvp, relu_jvp_jvp, relu_jvp_vjp,
    relu_vjp, sigmoid, sigmoid_jvp, sigmoid_jvp_jvp, sigmoid_jvp_vjp, sigmoid_vjp, softplus, softplus_jvp,
    softplus_jvp_jvp, softplus_jvp_vjp, softplus_vjp,
};
pub use pool::{
    avg_pool1d, avg_pool1d_jvp, avg_pool1d_vjp, avg_pool2d, avg_pool2d_jvp, avg_pool2d_vjp, max_pool1d, max_pool1d_jvp,
    max_pool1d_vjp, max_pool2d, max_pool2d_jvp, max_pool2d_vjp,
};
pub use scan::{cumprod, cumprod_jvp, cumprod_vjp, cumsum, cumsum_jvp, cumsum_vjp};
pub use second::{
    avg_pool1d_jvp_jvp, avg_pool1d_jvp_vjp, avg_pool2d_jvp_jvp, avg_pool2d_jvp_vjp, conv1d_jvp_jvp, conv1d_jvp_vjp,
    conv2d_jvp_jvp, conv2d_jvp_vjp, cross_entropy_jvp_jvp, cross_entropy_jvp_vjp, cumprod_jvp_jvp, cumprod_jvp_vjp,
    cumsum_jvp_jvp, cumsum_jvp_vjp, layer_norm_jvp_jvp, layer_norm_jvp_vjp, log_softmax_jvp_jvp, log_softmax_jvp_vjp,
    logsumexp_axis_jvp_jvp, logsumexp_axis_jvp_vjp, logsumexp_jvp_jvp, logsumexp_jvp_vjp, max_pool1d_jvp_jvp,
    max_pool1d_jvp_vjp, max_pool2d_jvp_jvp, max_pool2d_jvp_vjp, norm_axis_jvp_jvp, norm_axis_jvp_vjp, norm_jvp_jvp,
    norm_jvp_vjp, softmax_jvp_jvp, softmax_jvp_vjp,
};
#[cfg(feature = "linalg")]
pub use second::{logdet_jvp_jvp, logdet_jvp_vjp};

/// The floats that arrays hold: `f32` and `f64`.
pub trait Element: LinalgScalar + Float + FromPrimitive + Send + Sync {}

impl<A: LinalgScalar + Float + FromPrimitive + Send + Sync> Element for A {}

/// An array as an argument: owned, a view, or a reference to one.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an array of floats", label = "not an array of floats")]
pub trait AsArray {
    /// The floats.
    type Elem: Element;
    /// The rank.
    type Dim: Dimension;

    #[doc(hidden)]
    fn as_array(&self) -> ArrayView<'_, Self::Elem, Self::Dim>;
}

impl<X: AsArray + ?Sized> AsArray for &X {
    type Elem = X::Elem;
    type Dim = X::Dim;

    #[inline]
    fn as_array(&self) -> ArrayView<'_, X::Elem, X::Dim> {
        (**self).as_array()
    }
}

impl<A: Element, D: Dimension> AsArray for ArrayRef<A, D> {
    type Elem = A;
    type Dim = D;

    #[inline]
    fn as_array(&self) -> ArrayView<'_, A, D> {
        self.view()
    }
}

impl<S: Data<Elem: Element>, D: Dimension> AsArray for ArrayBase<S, D> {
    type Elem = S::Elem;
    type Dim = D;

    #[inline]
    fn as_array(&self) -> ArrayView<'_, S::Elem, D> {
        self.view()
    }
}

/// The owned array of the rank of `X`, which is also its tangent and its cotangent.
pub type Owned<X> = Array<<X as AsArray>::Elem, <X as AsArray>::Dim>;

/// The owned array of one rank less.
pub type Smaller<X> = Array<<X as AsArray>::Elem, <<X as AsArray>::Dim as Dimension>::Smaller>;

fn sum<A: Element>(terms: impl IntoIterator<Item = A>) -> A {
    terms.into_iter().fold(A::zero(), |sum, term| sum + term)
}

/// `n` as a float.
fn float<A: FromPrimitive>(n: usize) -> A {
    A::from_usize(n).expect("every length has a float near it")
}

#[track_caller]
fn check_axis(name: &str, axis: Axis, rank: usize) {
    assert!(axis.index() < rank, "{name}: there is no axis {} in an array of rank {rank}", axis.index());
}

/// A cotangent or tangent has the shape of what it belongs to.
#[track_caller]
fn check_shape(name: &str, what: &str, got: &[usize], expected: &[usize]) {
    assert!(got == expected, "{name}: the {what} has the shape {got:?}, and should have {expected:?}");
}
