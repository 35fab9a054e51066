//! Integers where a number or an array might be: a field of a struct is computed with, and the macro does not see its type.
//!
//! Values are those of the closure. An integer has no derivative: its tangent and its cotangent are `()`, whatever is
//! computed of them is `()` again, and closures of derivatives are not called.

use crate::elementwise::{Elementwise, MapWith, Scalar, Unbroadcast, Zip2, Zip3, Zip4};
use crate::operators::{Arithmetic, Neg, Operator, OperatorBar, OperatorDot};

impl Elementwise for () {
    type Elem = f64;
    type Owned = ();

    #[inline(always)]
    fn map_each<F: FnMut(f64) -> f64>(&self, _: F) {}
}

impl<X: ?Sized> Zip2<X> for () {
    #[inline(always)]
    fn zip2_with<F: FnMut(f64, f64) -> f64>(&self, _: &X, _: F) {}
}

impl<X: ?Sized, Y: ?Sized> Zip3<X, Y> for () {
    #[inline(always)]
    fn zip3_with<F: FnMut(f64, f64, f64) -> f64>(&self, _: &X, _: &Y, _: F) {}
}

impl<X: ?Sized, Y: ?Sized, Z: ?Sized> Zip4<X, Y, Z> for () {
    #[inline(always)]
    fn zip4_with<F: FnMut(f64, f64, f64, f64) -> f64>(&self, _: &X, _: &Y, _: &Z, _: F) {}
}

impl<X: ?Sized> Unbroadcast<X> for () {
    type Owned = ();

    #[inline(always)]
    fn unbroadcast_to(self, _: &X) {}
}

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl Elementwise for $int {
            type Elem = $int;
            type Owned = $int;

            #[inline(always)]
            fn map_each<F: FnMut($int) -> $int>(&self, mut f: F) -> $int {
                f(*self)
            }
        }

        impl MapWith<$int> for $int {
            type Elem = $int;
            type Owned = $int;

            #[inline(always)]
            fn map_with<F: FnMut($int, $int) -> $int>(&self, y: &$int, mut f: F) -> $int {
                f(*self, *y)
            }
        }

        impl MapWith<()> for $int {
            type Elem = f64;
            type Owned = ();

            #[inline(always)]
            fn map_with<F: FnMut(f64, f64) -> f64>(&self, (): &(), _: F) {}
        }

        impl<Y: ?Sized> MapWith<&Y> for $int
        where
            $int: MapWith<Y>,
        {
            type Elem = <$int as MapWith<Y>>::Elem;
            type Owned = <$int as MapWith<Y>>::Owned;

            #[inline(always)]
            fn map_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &&Y, f: F) -> Self::Owned {
                <$int as MapWith<Y>>::map_with(self, *y, f)
            }
        }

        impl Scalar<$int> for $int {
            #[inline(always)]
            fn get(&self) -> $int {
                *self
            }
        }

        // a value of three operands: `n.clamp(lo, hi)`
        impl<X: Scalar<$int> + ?Sized, Y: Scalar<$int> + ?Sized> Zip3<X, Y> for $int {
            #[inline(always)]
            fn zip3_with<F: FnMut($int, $int, $int) -> $int>(&self, x: &X, y: &Y, mut f: F) -> $int {
                f(*self, x.get(), y.get())
            }
        }

        impl<O: Arithmetic, Y: ?Sized> Operator<O, Y> for $int
        where
            $int: MapWith<Y, Elem = $int, Owned = $int>,
        {
            type Elem = $int;
            type Output = $int;

            #[inline(always)]
            fn operate<F: FnMut($int, $int) -> $int>(&self, y: &Y, f: F) -> $int {
                self.map_with(y, f)
            }
        }

        impl<O: Arithmetic, Y: ?Sized, D: ?Sized, const K: usize> OperatorDot<O, Y, D, K> for $int
        where
            $int: MapWith<Y, Elem = $int, Owned = $int>,
        {
            type Elem = f64;
            type Dot = ();

            #[inline(always)]
            fn dot<F: FnMut(f64, f64, f64) -> f64>(&self, _: &Y, _: &D, _: F) {}
        }

        impl<O: Arithmetic, Y: ?Sized, G: ?Sized, const K: usize> OperatorBar<O, Y, G, K> for $int
        where
            $int: MapWith<Y, Elem = $int, Owned = $int>,
        {
            type Elem = f64;
            type Bar = ();

            #[inline(always)]
            fn bar<F: FnMut(f64, f64, f64) -> f64>(&self, _: &Y, _: &G, _: F) {}
        }

        impl Operator<Neg, ()> for $int {
            type Elem = $int;
            type Output = $int;

            #[inline(always)]
            fn operate<F: FnMut($int, $int) -> $int>(&self, (): &(), mut f: F) -> $int {
                f(*self, *self)
            }
        }

        impl<D: ?Sized> OperatorDot<Neg, (), D, 0> for $int {
            type Elem = f64;
            type Dot = ();

            #[inline(always)]
            fn dot<F: FnMut(f64, f64, f64) -> f64>(&self, (): &(), _: &D, _: F) {}
        }

        impl<G: ?Sized> OperatorBar<Neg, (), G, 0> for $int {
            type Elem = f64;
            type Bar = ();

            #[inline(always)]
            fn bar<F: FnMut(f64, f64, f64) -> f64>(&self, (): &(), _: &G, _: F) {}
        }
    )*};
}

integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

#[cfg(test)]
mod tests {
    use crate::elementwise::{map1, map2, unbroadcast, zip2, zip3};
    use crate::operators::{Add, Neg, Rem, first_bar, operate, second_dot};

    #[test]
    fn values_without_derivatives() {
        let n = 7_usize;
        assert_eq!(operate(Add, &n, &1, |x, y| x + y), 8);
        assert_eq!(operate(Rem, &9, &&n, |x, y| x % y), 2);
        assert_eq!(operate(Neg, &3_i32, &(), |x, _| -x), -3);
        assert_eq!(map2(&n, &9, |x, y| x.max(y)), 9);
        assert_eq!(map1(&-3_i32, |x| x.abs()), 3);
        assert_eq!(zip3(&n, &2, &5, |x, lo, hi| x.clamp(lo, hi)), 5);
        first_bar(Add, &(), &n, &1, |g, _, _| g);
        second_dot(Add, &n, &n, &(), |_, _, d| d);
        zip2(&(), &n, |g, x| g * x);
        unbroadcast((), &n);
    }
}
