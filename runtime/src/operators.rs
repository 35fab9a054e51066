//! Operators on values whose type the macro does not see: numbers, arrays, and what the user has written an operator for.
//!
//! Of numbers and arrays an operator and its derivatives are what the closure says, element by element. An operator of
//! the user's has its own companions and does not look at the closure: the attribute on its `impl` implements these traits.

#[cfg(feature = "ndarray")]
use ndarray::{ArrayBase, ArrayRef, Data, Dimension};
use num_traits::Num;

use crate::elementwise::{Elementwise, MapWith, Unbroadcast, Zip2, Zip3};

macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Arithmetic for $name {}
    )*};
}

/// The operators of two operands that numbers and arrays have.
pub trait Arithmetic {}

markers! {
    /// `x + y`
    Add
    /// `x - y`
    Sub
    /// `x * y`
    Mul
    /// `x / y`
    Div
    /// `x % y`
    Rem
    /// `x += y`
    AddAssign
    /// `x -= y`
    SubAssign
    /// `x *= y`
    MulAssign
    /// `x /= y`
    DivAssign
    /// `x %= y`
    RemAssign
}

/// `-x`; the second operand is `()`.
#[derive(Clone, Copy, Debug)]
pub struct Neg;

/// The operator `O` with the second operand `Y`.
#[diagnostic::on_unimplemented(
    message = "the operator `{O}` of `{Self}` and `{Y}` is not differentiable",
    label = "an operator without companions",
    note = "put `#[differentiable]` on the `impl` of the operator; second derivatives of your own operators are not supported"
)]
pub trait Operator<O, Y: ?Sized> {
    /// What the closure works on.
    type Elem: Num + Copy;
    /// The result.
    type Output;

    #[doc(hidden)]
    fn operate<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &Y, f: F) -> Self::Output;
}

/// The tangent of the result of an operator along the tangent `D` of its operand `K`.
#[diagnostic::on_unimplemented(
    message = "the operator `{O}` of `{Self}` and `{Y}` is not differentiable in forward mode",
    label = "an operator without `_jvp`",
    note = "put `#[differentiable]` on the `impl` of the operator; second derivatives of your own operators are not supported"
)]
pub trait OperatorDot<O, Y: ?Sized, D: ?Sized, const K: usize> {
    /// What the closure works on.
    type Elem: Num + Copy;
    /// The tangent of the result.
    type Dot;

    #[doc(hidden)]
    fn dot<F>(&self, y: &Y, d: &D, f: F) -> Self::Dot
    where
        F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem;
}

/// The cotangent of the operand `K` of an operator from the cotangent `G` of its result.
#[diagnostic::on_unimplemented(
    message = "the operator `{O}` of `{Self}` and `{Y}` is not differentiable in reverse mode",
    label = "an operator without `_vjp`",
    note = "put `#[differentiable]` on the `impl` of the operator; second derivatives of your own operators are not supported"
)]
pub trait OperatorBar<O, Y: ?Sized, G: ?Sized, const K: usize> {
    /// What the closure works on.
    type Elem: Num + Copy;
    /// The cotangent of the operand.
    type Bar;

    #[doc(hidden)]
    fn bar<F>(&self, y: &Y, g: &G, f: F) -> Self::Bar
    where
        F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem;
}

/// What an operator of two operands gives.
///
/// ```
/// use cotangent_runtime::private::operators::{Mul, operate};
///
/// assert_eq!(operate(Mul, &4.0, &2.0, |x, y| x * y), 8.0);
/// # #[cfg(feature = "ndarray")]
/// assert_eq!(operate(Mul, &ndarray::array![4.0, 9.0], &2.0, |x, y| x * y), ndarray::array![8.0, 18.0]);
/// ```
#[inline(always)]
#[track_caller]
pub fn operate<O, X, Y, F>(_: O, x: &X, y: &Y, f: F) -> X::Output
where
    X: Operator<O, Y> + ?Sized,
    Y: ?Sized,
    F: FnMut(X::Elem, X::Elem) -> X::Elem,
{
    x.operate(y, f)
}

macro_rules! functions {
    ($($(#[$doc:meta])* $dot:ident $bar:ident $k:literal)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[track_caller]
        pub fn $dot<O, X, Y, D, F>(_: O, x: &X, y: &Y, d: &D, f: F) -> X::Dot
        where
            X: OperatorDot<O, Y, D, $k> + ?Sized,
            Y: ?Sized,
            D: ?Sized,
            F: FnMut(X::Elem, X::Elem, X::Elem) -> X::Elem,
        {
            x.dot(y, d, f)
        }

        $(#[$doc])*
        #[inline(always)]
        #[track_caller]
        pub fn $bar<O, X, Y, G, F>(_: O, g: &G, x: &X, y: &Y, f: F) -> X::Bar
        where
            X: OperatorBar<O, Y, G, $k> + ?Sized,
            Y: ?Sized,
            G: ?Sized,
            F: FnMut(X::Elem, X::Elem, X::Elem) -> X::Elem,
        {
            x.bar(y, g, f)
        }
    )*};
}

functions! {
    /// The part of the first operand.
    first_dot first_bar 0
    /// The part of the second operand.
    second_dot second_bar 1
}

macro_rules! elementwise {
    ($(($($generics:tt)*) $x:ty;)*) => {$(
        impl<O: Arithmetic, Y: ?Sized, $($generics)*> Operator<O, Y> for $x
        where
            $x: MapWith<Y>,
        {
            type Elem = <$x as MapWith<Y>>::Elem;
            type Output = <$x as MapWith<Y>>::Owned;

            #[inline(always)]
            #[track_caller]
            fn operate<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &Y, f: F) -> Self::Output {
                self.map_with(y, f)
            }
        }

        impl<O: Arithmetic, Y: ?Sized, D: ?Sized, const K: usize, $($generics)*> OperatorDot<O, Y, D, K> for $x
        where
            $x: MapWith<Y, Owned: Zip3<Y, D, Elem = <$x as MapWith<Y>>::Elem>>,
        {
            type Elem = <$x as MapWith<Y>>::Elem;
            type Dot = <<$x as MapWith<Y>>::Owned as Elementwise>::Owned;

            #[inline(always)]
            #[track_caller]
            fn dot<F>(&self, y: &Y, d: &D, f: F) -> Self::Dot
            where
                F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem,
            {
                // the shape of the result first, then the rest along with it
                self.map_with(y, |x, _| x).zip3_with(y, d, f)
            }
        }

        impl<O: Arithmetic, Y: ?Sized, G: ?Sized, $($generics)*> OperatorBar<O, Y, G, 0> for $x
        where
            G: Zip3<$x, Y, Owned: Unbroadcast<$x>>,
        {
            type Elem = G::Elem;
            type Bar = <G::Owned as Unbroadcast<$x>>::Owned;

            #[inline(always)]
            #[track_caller]
            fn bar<F>(&self, y: &Y, g: &G, f: F) -> Self::Bar
            where
                F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem,
            {
                g.zip3_with(self, y, f).unbroadcast_to(self)
            }
        }

        impl<O: Arithmetic, Y: ?Sized, G: ?Sized, $($generics)*> OperatorBar<O, Y, G, 1> for $x
        where
            G: Zip3<$x, Y, Owned: Unbroadcast<Y>>,
        {
            type Elem = G::Elem;
            type Bar = <G::Owned as Unbroadcast<Y>>::Owned;

            #[inline(always)]
            #[track_caller]
            fn bar<F>(&self, y: &Y, g: &G, f: F) -> Self::Bar
            where
                F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem,
            {
                g.zip3_with(self, y, f).unbroadcast_to(y)
            }
        }

        impl<$($generics)*> Operator<Neg, ()> for $x
        where
            $x: Elementwise,
        {
            type Elem = <$x as Elementwise>::Elem;
            type Output = <$x as Elementwise>::Owned;

            #[inline(always)]
            fn operate<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, (): &(), mut f: F) -> Self::Output {
                self.map_each(|x| f(x, x))
            }
        }

        impl<D: ?Sized, $($generics)*> OperatorDot<Neg, (), D, 0> for $x
        where
            $x: Elementwise + Zip2<D>,
        {
            type Elem = <$x as Elementwise>::Elem;
            type Dot = <$x as Elementwise>::Owned;

            #[inline(always)]
            #[track_caller]
            fn dot<F>(&self, (): &(), d: &D, mut f: F) -> Self::Dot
            where
                F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem,
            {
                self.zip2_with(d, |x, d| f(x, x, d))
            }
        }

        impl<G: ?Sized, $($generics)*> OperatorBar<Neg, (), G, 0> for $x
        where
            G: Zip2<$x, Owned: Unbroadcast<$x>>,
        {
            type Elem = G::Elem;
            type Bar = <G::Owned as Unbroadcast<$x>>::Owned;

            #[inline(always)]
            #[track_caller]
            fn bar<F>(&self, (): &(), g: &G, mut f: F) -> Self::Bar
            where
                F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem,
            {
                g.zip2_with(self, |g, x| f(g, x, x)).unbroadcast_to(self)
            }
        }
    )*};
}

elementwise! {
    () f32;
    () f64;
}

#[cfg(feature = "ndarray")]
elementwise! {
    (A, R: Dimension) ArrayRef<A, R>;
    (S: Data, R: Dimension) ArrayBase<S, R>;
}

impl<O, X: Operator<O, Y> + ?Sized, Y: ?Sized> Operator<O, Y> for &X {
    type Elem = X::Elem;
    type Output = X::Output;

    #[inline(always)]
    #[track_caller]
    fn operate<F: FnMut(X::Elem, X::Elem) -> X::Elem>(&self, y: &Y, f: F) -> X::Output {
        (**self).operate(y, f)
    }
}

impl<O, X, Y: ?Sized, D: ?Sized, const K: usize> OperatorDot<O, Y, D, K> for &X
where
    X: OperatorDot<O, Y, D, K> + ?Sized,
{
    type Elem = X::Elem;
    type Dot = X::Dot;

    #[inline(always)]
    #[track_caller]
    fn dot<F: FnMut(X::Elem, X::Elem, X::Elem) -> X::Elem>(&self, y: &Y, d: &D, f: F) -> X::Dot {
        (**self).dot(y, d, f)
    }
}

impl<O, X, Y: ?Sized, G: ?Sized, const K: usize> OperatorBar<O, Y, G, K> for &X
where
    X: OperatorBar<O, Y, G, K> + ?Sized,
{
    type Elem = X::Elem;
    type Bar = X::Bar;

    #[inline(always)]
    #[track_caller]
    fn bar<F: FnMut(X::Elem, X::Elem, X::Elem) -> X::Elem>(&self, y: &Y, g: &G, f: F) -> X::Bar {
        (**self).bar(y, g, f)
    }
}

/// A float that has the operator `O` with one of its own type.
pub trait Operand<O>:
    Operator<O, Self, Elem = Self, Output = Self>
    + OperatorDot<O, Self, Self, 0, Elem = Self, Dot = Self>
    + OperatorDot<O, Self, Self, 1, Elem = Self, Dot = Self>
    + OperatorBar<O, Self, Self, 0, Elem = Self, Bar = Self>
    + OperatorBar<O, Self, Self, 1, Elem = Self, Bar = Self>
    + Sized
    + Num
    + Copy
{
}

impl<O: Arithmetic> Operand<O> for f32 {}
impl<O: Arithmetic> Operand<O> for f64 {}

/// A float that has all operators.
pub trait Operands:
    Operand<Add>
    + Operand<Sub>
    + Operand<Mul>
    + Operand<Div>
    + Operand<Rem>
    + Operand<AddAssign>
    + Operand<SubAssign>
    + Operand<MulAssign>
    + Operand<DivAssign>
    + Operand<RemAssign>
    + Operator<Neg, (), Elem = Self, Output = Self>
    + OperatorDot<Neg, (), Self, 0, Elem = Self, Dot = Self>
    + OperatorBar<Neg, (), Self, 0, Elem = Self, Bar = Self>
{
}

impl Operands for f32 {}
impl Operands for f64 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_also_behind_references() {
        let (x, y) = (&3.0_f64, &&2.0);
        assert_eq!(operate(Sub, &x, *y, |x, y| x - y), 1.0);
        assert_eq!(operate(Sub, x, y, |x, y| x - y), 1.0);
        assert_eq!(operate(Neg, x, &(), |x, _| -x), -3.0);
        assert_eq!(first_dot(Mul, x, y, &5.0, |_, y, d| d * y), 10.0);
        assert_eq!(second_bar(Mul, &5.0, x, y, |g, x, _| g * x), 15.0);
        assert_eq!(first_bar(Neg, &5.0, x, &(), |g, _, _| -g), -5.0);
    }

    #[test]
    #[cfg(feature = "ndarray")]
    fn arrays_broadcast() {
        use ndarray::array;
        let (x, y) = (array![[1.0, 2.0], [3.0, 4.0]], array![10.0, 20.0]);
        assert_eq!(operate(Mul, &x, &y.view(), |x, y| x * y), array![[10.0, 40.0], [30.0, 80.0]]);
        assert_eq!(second_dot(Mul, &y, &x, &x, |y, _, d| d * y), array![[10.0, 40.0], [30.0, 80.0]]);
        assert_eq!(first_bar(Mul, &x, &y, &2.0, |g, _, y| g * y), array![8.0, 12.0]);
        assert_eq!(second_bar(Mul, &x, &y, &2.0, |g, x, _| g * x), 160.0);
        assert_eq!(first_dot(Neg, &x, &(), &x, |_, _, d| -d), -x);
    }
}
