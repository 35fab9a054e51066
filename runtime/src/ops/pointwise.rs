//! Functions of each element, for numbers and for arrays.
//!
//! Each is declared once: the function of a number and its derivative. The companions follow.

use ndarray::{Array, ArrayBase, ArrayRef, Data, Dimension, Zip};

use super::{Element, check_shape, normal};
use crate::scalar::scale;

/// A number or an array as an argument: owned, a view, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a float nor an array of floats",
    label = "neither a float nor an array of floats"
)]
pub trait Pointwise {
    /// The floats.
    type Elem: Element;
    /// The number, or the owned array: also the tangent and the cotangent.
    type Owned: Pointwise<Elem = Self::Elem, Owned = Self::Owned> + Clone;

    #[doc(hidden)]
    fn each(&self, f: impl Fn(Self::Elem) -> Self::Elem) -> Self::Owned;

    /// `f` of each element of `g`, with the element of `self` at its place.
    #[doc(hidden)]
    fn each_with(&self, name: &str, g: Self::Owned, f: impl Fn(Self::Elem, Self::Elem) -> Self::Elem) -> Self::Owned;
}

macro_rules! numbers {
    ($($float:ty)*) => {$(
        impl Pointwise for $float {
            type Elem = $float;
            type Owned = $float;

            #[inline]
            fn each(&self, f: impl Fn($float) -> $float) -> $float {
                f(*self)
            }

            #[inline]
            fn each_with(&self, _: &str, g: $float, f: impl Fn($float, $float) -> $float) -> $float {
                f(g, *self)
            }
        }
    )*};
}

numbers!(f32 f64);

impl<X: Pointwise + ?Sized> Pointwise for &X {
    type Elem = X::Elem;
    type Owned = X::Owned;

    #[inline]
    fn each(&self, f: impl Fn(X::Elem) -> X::Elem) -> X::Owned {
        (**self).each(f)
    }

    #[inline]
    fn each_with(&self, name: &str, g: X::Owned, f: impl Fn(X::Elem, X::Elem) -> X::Elem) -> X::Owned {
        (**self).each_with(name, g, f)
    }
}

impl<A: Element, D: Dimension> Pointwise for ArrayRef<A, D> {
    type Elem = A;
    type Owned = Array<A, D>;

    fn each(&self, f: impl Fn(A) -> A) -> Array<A, D> {
        self.mapv(f)
    }

    fn each_with(&self, name: &str, mut g: Array<A, D>, f: impl Fn(A, A) -> A) -> Array<A, D> {
        check_shape(name, "cotangent or tangent", g.shape(), self.shape());
        Zip::from(&mut g).and(self).for_each(|g, x| *g = f(*g, *x));
        g
    }
}

impl<S: Data<Elem: Element>, D: Dimension> Pointwise for ArrayBase<S, D> {
    type Elem = S::Elem;
    type Owned = Array<S::Elem, D>;

    #[inline]
    fn each(&self, f: impl Fn(S::Elem) -> S::Elem) -> Self::Owned {
        (**self).each(f)
    }

    #[inline]
    fn each_with(&self, name: &str, g: Self::Owned, f: impl Fn(S::Elem, S::Elem) -> S::Elem) -> Self::Owned {
        (**self).each_with(name, g, f)
    }
}

/// The functions with their companions, and those of their tangent programs, from `value`, `slope` and the second
/// derivative `bend`, functions of a number.
macro_rules! pointwise {
    ($($(#[$doc:meta])* $name:ident $vjp:ident $jvp:ident $jvp_vjp:ident $jvp_jvp:ident:
        $value:path, $slope:path, $bend:path;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name<X: Pointwise>(x: X) -> X::Owned {
            x.each($value)
        }

        #[doc(hidden)]
        #[inline]
        pub fn $vjp<X: Pointwise>(x: X) -> (X::Owned, impl Fn(X::Owned) -> X::Owned) {
            (x.each($value), move |g| x.each_with(stringify!($name), g, |g, x| scale(g, $slope(x))))
        }

        #[doc(hidden)]
        #[inline]
        pub fn $jvp<X: Pointwise>(x: X, x_dot: X::Owned) -> (X::Owned, X::Owned) {
            (x.each($value), x.each_with(stringify!($name), x_dot, |g, x| scale(g, $slope(x))))
        }

        #[doc(hidden)]
        #[inline]
        pub fn $jvp_vjp<X: Pointwise>(
            x: X,
            x_dot: X::Owned,
        ) -> ((X::Owned, X::Owned), impl Fn((X::Owned, X::Owned)) -> (X::Owned, X::Owned)) {
            let name = stringify!($name);
            let values = $jvp(&x, x_dot.clone());
            let pullback = move |(g, w): (X::Owned, X::Owned)| {
                let bent = x.each_with(name, w.clone(), |w, x| scale(w, $bend(x)));
                let bent = x_dot.each_with(name, bent, |bent, dot| scale(bent, dot));
                let x_bar = x.each_with(name, g, |g, x| scale(g, $slope(x)));
                (bent.each_with(name, x_bar, |bar, bent| bar + bent), x.each_with(name, w, |w, x| scale(w, $slope(x))))
            };
            (values, pullback)
        }

        #[doc(hidden)]
        #[inline]
        pub fn $jvp_jvp<X: Pointwise>(
            x: X,
            x_dot: X::Owned,
            tx: X::Owned,
            tx_dot: X::Owned,
        ) -> ((X::Owned, X::Owned), (X::Owned, X::Owned)) {
            let name = stringify!($name);
            let bent = x.each_with(name, tx.clone(), |tx, x| scale(tx, $bend(x)));
            let bent = x_dot.each_with(name, bent, |bent, dot| scale(bent, dot));
            let along = |dot| x.each_with(name, dot, |dot, x| scale(dot, $slope(x)));
            let ty_dot = bent.each_with(name, along(tx_dot), |dot, bent| dot + bent);
            ((x.each($value), along(x_dot)), (along(tx), ty_dot))
        }
    )*};
}

pointwise! {
    /// The rectifier max(x, 0). A NaN stays one.
    ///
    /// The derivative is 1 above 0, 0 below, and 1/2 at 0, as that of `x.max(0.0)`.
    ///
    /// ```
    /// use cotangent_runtime::ops::{relu, relu_vjp};
    /// use ndarray::array;
    ///
    /// assert_eq!(relu(array![-1.0, 0.0, 2.0]), array![0.0, 0.0, 2.0]);
    /// let (_, pullback) = relu_vjp(array![-1.0, 0.0, 2.0]);
    /// assert_eq!(pullback(array![1.0, 1.0, 1.0]), array![0.0, 0.5, 1.0]);
    /// assert_eq!(relu(-3.0), 0.0);
    /// ```
    relu relu_vjp relu_jvp relu_jvp_vjp relu_jvp_jvp: relu_value, relu_slope, no_bend;

    /// The logistic function s = 1/(1 + exp(-x)), without overflow, and exact to the last bits in both tails.
    ///
    /// The derivative is s·(1 - s).
    ///
    /// ```
    /// use cotangent_runtime::ops::{sigmoid, sigmoid_jvp};
    /// use ndarray::array;
    ///
    /// assert_eq!(sigmoid(&array![0.0, -800.0, 800.0]), array![0.5, 0.0, 1.0]);
    /// assert_eq!(sigmoid_jvp(0.0, 1.0), (0.5, 0.25));
    /// ```
    sigmoid sigmoid_vjp sigmoid_jvp sigmoid_jvp_vjp sigmoid_jvp_jvp: sigmoid_value, sigmoid_slope, sigmoid_bend;

    /// The smooth rectifier ln(1 + exp x), computed as max(x, 0) + ln(1 + exp(-|x|)).
    ///
    /// The derivative is [`sigmoid`].
    ///
    /// ```
    /// use cotangent_runtime::ops::softplus;
    /// use ndarray::array;
    ///
    /// assert_eq!(softplus(array![0.0, 800.0]), array![2.0_f64.ln(), 800.0]);
    /// assert!((softplus(-40.0_f64) / (-40.0_f64).exp() - 1.0).abs() < 1e-15);
    /// ```
    softplus softplus_vjp softplus_jvp softplus_jvp_vjp softplus_jvp_jvp: softplus_value, sigmoid_value, sigmoid_slope;

    /// The Gaussian error linear unit x·Φ(x), with the distribution function Φ of the normal distribution itself and not
    /// one of its approximations (D. Hendrycks and K. Gimpel, *Gaussian error linear units*, arXiv:1606.08415).
    ///
    /// The derivative is Φ(x) + x·φ(x), where φ is the density.
    ///
    /// ```
    /// use cotangent_runtime::ops::{gelu, gelu_jvp};
    /// use ndarray::array;
    ///
    /// assert_eq!(gelu(array![0.0_f32, 40.0, -40.0]), array![0.0, 40.0, 0.0]);
    /// let (y, dy) = gelu_jvp(1.0_f64, 1.0);
    /// assert!((y - 0.8413447460685429).abs() < 1e-15);
    /// assert!((dy - 1.083315470587686).abs() < 1e-15);
    /// ```
    gelu gelu_vjp gelu_jvp gelu_jvp_vjp gelu_jvp_jvp: gelu_value, gelu_slope, gelu_bend;
}

fn relu_value<A: Element>(x: A) -> A {
    if x < A::zero() { A::zero() } else { x }
}

/// Choices and no branch, which the compiler makes for several elements at once.
fn relu_slope<A: Element>(x: A) -> A {
    let (one, zero) = (A::one(), A::zero());
    let slope = if x == zero { one / (one + one) } else { A::nan() };
    let slope = if x < zero { zero } else { slope };
    if x > zero { one } else { slope }
}

fn sigmoid_value<A: Element>(x: A) -> A {
    let t = (-x.abs()).exp();
    let near = A::one() + t;
    if x < A::zero() { t / near } else { A::one() / near }
}

/// s·(1 - s) is t/(1 + t)² on both sides, with t = exp(-|x|): so nothing cancels.
fn sigmoid_slope<A: Element>(x: A) -> A {
    let t = (-x.abs()).exp();
    let near = A::one() + t;
    t / near / near
}

/// A slope that stays the same on each side.
fn no_bend<A: Element>(x: A) -> A {
    if x.is_nan() { x } else { A::zero() }
}

/// s·(1 - s)·(1 - 2s), where 1 - 2s is -tanh(x/2).
fn sigmoid_bend<A: Element>(x: A) -> A {
    -sigmoid_slope(x) * (x / (A::one() + A::one())).tanh()
}

fn softplus_value<A: Element>(x: A) -> A {
    let above = if x < A::zero() { A::zero() } else { x };
    above + (-x.abs()).exp().ln_1p()
}

fn gelu_value<A: Element>(x: A) -> A {
    through_f64(x, |x| if x == f64::NEG_INFINITY { 0.0 } else { x * normal::cdf(x) })
}

fn gelu_slope<A: Element>(x: A) -> A {
    through_f64(x, |x| if x.is_infinite() { normal::cdf(x) } else { normal::cdf(x) + x * normal::density(x) })
}

fn gelu_bend<A: Element>(x: A) -> A {
    through_f64(x, |x| if x.is_infinite() { 0.0 } else { (2.0 - x * x) * normal::density(x) })
}

fn through_f64<A: Element>(x: A, f: impl Fn(f64) -> f64) -> A {
    x.to_f64().and_then(|x| A::from(f(x))).unwrap_or(A::nan())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn the_ends_of_the_line() {
        let x = array![-INF, -1e300, 1e300, INF];
        let ones = Array::ones(4);
        assert_eq!(relu(&x), array![0.0, 0.0, 1e300, INF]);
        assert_eq!(relu_vjp(&x).1(ones.clone()), array![0.0, 0.0, 1.0, 1.0]);
        assert_eq!(sigmoid(&x), array![0.0, 0.0, 1.0, 1.0]);
        assert_eq!(sigmoid_vjp(&x).1(ones.clone()), array![0.0, 0.0, 0.0, 0.0]);
        assert_eq!(softplus(&x), array![0.0, 0.0, 1e300, INF]);
        assert_eq!(softplus_vjp(&x).1(ones.clone()), array![0.0, 0.0, 1.0, 1.0]);
        assert_eq!(gelu(&x), array![0.0, 0.0, 1e300, INF]);
        assert_eq!(gelu_vjp(&x).1(ones), array![0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn nan_stays_nan_and_zero_stays_zero() {
        for (value, slope) in [
            (relu(f64::NAN), relu_jvp(f64::NAN, 0.0).1),
            (sigmoid(f64::NAN), sigmoid_jvp(f64::NAN, 0.0).1),
            (softplus(f64::NAN), softplus_jvp(f64::NAN, 0.0).1),
            (gelu(f64::NAN), gelu_jvp(f64::NAN, 0.0).1),
        ] {
            assert!(value.is_nan());
            assert_eq!(slope, 0.0);
        }
        assert!(relu_jvp(f64::NAN, 1.0).1.is_nan());
    }

    #[test]
    fn tails_keep_their_digits() {
        // s(1 - s) = exp(-|x|) to the last bit where exp(-|x|) is far below it
        for x in [40.0, -40.0, 600.0, -600.0_f64] {
            let expected = (-x.abs()).exp();
            assert!((sigmoid_jvp(x, 1.0).1 / expected - 1.0).abs() < 1e-15);
        }
        assert!((sigmoid(-50.0_f64) / (-50.0_f64).exp() - 1.0).abs() < 1e-15);
        // by an arithmetic of 40 digits
        assert!((gelu(-10.0_f64) / -7.619_853_024_160_526e-23 - 1.0).abs() < 1e-15);
        assert!((gelu_jvp(-10.0_f64, 1.0).1 / -7.618_400_096_464_814e-22 - 1.0).abs() < 1e-14);
    }

    #[test]
    fn any_layout_and_single_precision() {
        let x = Array2::from_shape_fn((3, 4), |(i, j)| i as f32 - j as f32 / 2.0);
        let y = sigmoid(x.t());
        assert_eq!(y, sigmoid(&x).reversed_axes());
        let (same, pullback) = sigmoid_vjp(x.t());
        assert_eq!(same, y);
        let slope = pullback(Array2::ones((4, 3)));
        slope.indexed_iter().for_each(|((j, i), s)| assert_eq!(*s, sigmoid_jvp(x[[i, j]], 1.0).1));
    }

    #[test]
    #[should_panic(expected = "relu: the cotangent or tangent has the shape [3], and should have [2]")]
    fn a_cotangent_of_another_shape() {
        relu_vjp(array![1.0, 2.0]).1(array![1.0, 2.0, 3.0]);
    }
}
