//! Elementwise operations on values that may be a scalar or an `ndarray` array, resolved by the Rust compiler.
//!
//! `map*` computes values: operands broadcast against each other, and the elements and the memory layout of the result
//! are those of ndarray's operators on references and of `mapv`. `zip*` computes cotangents: the result has the shape of
//! the first operand, to which the others are broadcast. Closures take elements by value, and may see them in any order.
//! Shapes that do not fit panic, naming both.
//!
//! Operands are `f32`, `f64`, arrays and views of these, and references to operands. Scalars work without `ndarray`.

#[cfg(feature = "ndarray")]
pub(crate) mod array;
#[cfg(feature = "ndarray")]
pub(crate) mod inplace;
pub(crate) mod many;
#[cfg(feature = "ndarray")]
pub(crate) mod shape;

use num_traits::Num;

/// A scalar or an array of floats.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number and no array",
    note = "a method of your own type that has the name of one of a float can be called by its path: `Type::exp(x)`",
    note = "second derivatives of operators of your own types are not supported: write a method, and call that"
)]
pub trait Elementwise {
    /// The type of the elements.
    type Elem: Num + Copy;
    /// The type of results of the same shape.
    type Owned;

    #[doc(hidden)]
    fn map_each<F: FnMut(Self::Elem) -> Self::Elem>(&self, f: F) -> Self::Owned;
}

/// A scalar or an array that broadcasts with `Y`.
#[diagnostic::on_unimplemented(message = "`{Self}` and `{Y}` do not broadcast to one shape")]
pub trait MapWith<Y: ?Sized> {
    /// The type of the elements.
    type Elem: Num + Copy;
    /// The scalar, or the array of the larger rank.
    type Owned;

    #[doc(hidden)]
    fn map_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &Y, f: F) -> Self::Owned;

    #[doc(hidden)]
    #[inline]
    #[track_caller]
    fn map_over<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &Y, f: F) -> Self::Owned {
        self.map_with(y, f)
    }
}

/// A cotangent that is read along with one operand.
pub trait Zip2<X: ?Sized>: Elementwise {
    #[doc(hidden)]
    fn zip2_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, x: &X, f: F) -> Self::Owned;
}

/// A cotangent that is read along with two operands.
pub trait Zip3<X: ?Sized, Y: ?Sized>: Elementwise {
    #[doc(hidden)]
    fn zip3_with<F: FnMut(Self::Elem, Self::Elem, Self::Elem) -> Self::Elem>(&self, x: &X, y: &Y, f: F) -> Self::Owned;
}

/// A cotangent that is read along with three operands.
pub trait Zip4<X: ?Sized, Y: ?Sized, Z: ?Sized>: Elementwise {
    #[doc(hidden)]
    fn zip4_with<F>(&self, x: &X, y: &Y, z: &Z, f: F) -> Self::Owned
    where
        F: FnMut(Self::Elem, Self::Elem, Self::Elem, Self::Elem) -> Self::Elem;
}

/// A cotangent that can be summed down to the shape of the operand `X`.
#[diagnostic::on_unimplemented(message = "a cotangent of type `{Self}` cannot be summed to the shape of `{X}`")]
pub trait Unbroadcast<X: ?Sized> {
    /// The scalar or owned array of the rank of `X`.
    type Owned;

    #[doc(hidden)]
    fn unbroadcast_to(self, x: &X) -> Self::Owned;
}

/// `f` of each element.
///
/// ```
/// use cotangent_runtime::private::map1;
///
/// assert_eq!(map1(&4.0, |x| x + 1.0), 5.0);
/// # #[cfg(feature = "ndarray")]
/// assert_eq!(map1(&ndarray::array![4.0, 9.0], f64::sqrt), ndarray::array![2.0, 3.0]);
/// ```
#[inline]
pub fn map1<X, F>(x: &X, f: F) -> X::Owned
where
    X: Elementwise + ?Sized,
    F: FnMut(X::Elem) -> X::Elem,
{
    x.map_each(f)
}

/// `f` of each pair of elements, broadcasting `x` and `y`.
///
/// ```
/// use cotangent_runtime::private::map2;
///
/// assert_eq!(map2(&4.0, &2.0, |x, y| x * y), 8.0);
/// # #[cfg(feature = "ndarray")] {
/// use ndarray::array;
/// let (matrix, row) = (array![[1.0, 2.0], [3.0, 4.0]], array![10.0, 20.0]);
/// assert_eq!(map2(&matrix, &row, |x, y| x + y), &matrix + &row);
/// assert_eq!(map2(&1.0, &row, |x, y| x - y), 1.0 - &row);
/// # }
/// ```
#[inline]
#[track_caller]
pub fn map2<X, Y, F>(x: &X, y: &Y, f: F) -> X::Owned
where
    X: MapWith<Y> + ?Sized,
    Y: ?Sized,
    F: FnMut(X::Elem, X::Elem) -> X::Elem,
{
    x.map_with(y, f)
}

/// As [`map2`], but the result lies in memory as `x` does if it has its shape: what an operator does with an owned `x`.
/// The order in memory is that in which the elements are summed, so it decides on the last digits of sums.
#[inline]
#[track_caller]
pub fn map2_over<X, Y, F>(x: &X, y: &Y, f: F) -> X::Owned
where
    X: MapWith<Y> + ?Sized,
    Y: ?Sized,
    F: FnMut(X::Elem, X::Elem) -> X::Elem,
{
    x.map_over(y, f)
}

/// `f` of each element of a cotangent.
#[inline]
pub fn zip1<G, F>(g: &G, f: F) -> G::Owned
where
    G: Elementwise + ?Sized,
    F: FnMut(G::Elem) -> G::Elem,
{
    g.map_each(f)
}

/// `f` of each element of `g` and the element of `x` that belongs to it.
///
/// ```
/// use cotangent_runtime::private::{scale, zip2};
///
/// assert_eq!(zip2(&3.0, &2.0, |g, x| scale(g, 2.0 * x)), 12.0);
/// # #[cfg(feature = "ndarray")] {
/// use ndarray::array;
/// let (g, x) = (array![[1.0, 2.0], [3.0, 0.0]], array![1.0, 2.0]);
/// assert_eq!(zip2(&g, &x, scale), array![[1.0, 4.0], [3.0, 0.0]]);
/// # }
/// ```
#[inline]
#[track_caller]
pub fn zip2<G, X, F>(g: &G, x: &X, f: F) -> G::Owned
where
    G: Zip2<X> + ?Sized,
    X: ?Sized,
    F: FnMut(G::Elem, G::Elem) -> G::Elem,
{
    g.zip2_with(x, f)
}

/// `f` of each element of `g` and the elements of `x` and `y` that belong to it.
///
/// ```
/// use cotangent_runtime::private::zip3;
///
/// assert_eq!(zip3(&3.0, &2.0, &1.0, |g, x, y| g * (x + y)), 9.0);
/// ```
#[inline]
#[track_caller]
pub fn zip3<G, X, Y, F>(g: &G, x: &X, y: &Y, f: F) -> G::Owned
where
    G: Zip3<X, Y> + ?Sized,
    X: ?Sized,
    Y: ?Sized,
    F: FnMut(G::Elem, G::Elem, G::Elem) -> G::Elem,
{
    g.zip3_with(x, y, f)
}

/// `f` of each element of `g` and the elements of `x`, `y` and `z` that belong to it.
///
/// ```
/// use cotangent_runtime::private::zip4;
///
/// assert_eq!(zip4(&3.0, &2.0, &1.0, &4.0, |g, x, y, z| g * (x + y) / z), 2.25);
/// ```
#[inline]
#[track_caller]
pub fn zip4<G, X, Y, Z, F>(g: &G, x: &X, y: &Y, z: &Z, f: F) -> G::Owned
where
    G: Zip4<X, Y, Z> + ?Sized,
    X: ?Sized,
    Y: ?Sized,
    Z: ?Sized,
    F: FnMut(G::Elem, G::Elem, G::Elem, G::Elem) -> G::Elem,
{
    g.zip4_with(x, y, z, f)
}

/// The cotangent of `x`, which was broadcast to the shape of `g`: sums `g` over the axes along which `x` was repeated.
///
/// Where the shapes are the same, `g` passes through without a copy.
///
/// ```
/// use cotangent_runtime::private::unbroadcast;
///
/// assert_eq!(unbroadcast(3.0, &1.0), 3.0);
/// # #[cfg(feature = "ndarray")] {
/// use ndarray::array;
/// let g = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(unbroadcast(g.clone(), &array![0.0, 0.0]), array![4.0, 6.0]);
/// assert_eq!(unbroadcast(g.clone(), &array![[0.0], [0.0]]), array![[3.0], [7.0]]);
/// assert_eq!(unbroadcast(g, &0.0), 10.0);
/// # }
/// ```
#[inline]
#[track_caller]
pub fn unbroadcast<G, X>(g: G, x: &X) -> G::Owned
where
    G: Unbroadcast<X>,
    X: ?Sized,
{
    g.unbroadcast_to(x)
}

/// The cotangent of a number that was combined with each element of what has the cotangent `g`.
pub trait Summed {
    /// The type of the number.
    type Elem;

    #[doc(hidden)]
    fn summed(self) -> Self::Elem;
}

/// The sum of all elements of a cotangent; of a number the number.
///
/// ```
/// use cotangent_runtime::private::summed;
///
/// assert_eq!(summed(3.0), 3.0);
/// # #[cfg(feature = "ndarray")]
/// assert_eq!(summed(ndarray::array![[1.0, 2.0], [3.0, 4.0]]), 10.0);
/// ```
#[inline]
pub fn summed<G: Summed>(g: G) -> G::Elem {
    g.summed()
}

/// A scalar, also behind references.
pub trait Scalar<A> {
    #[doc(hidden)]
    fn get(&self) -> A;
}

impl<A, X: Scalar<A> + ?Sized> Scalar<A> for &X {
    #[inline(always)]
    fn get(&self) -> A {
        (**self).get()
    }
}

macro_rules! scalars {
    ($($float:ident)*) => {$(
        impl Scalar<$float> for $float {
            #[inline(always)]
            fn get(&self) -> $float {
                *self
            }
        }

        impl Elementwise for $float {
            type Elem = $float;
            type Owned = $float;

            #[inline(always)]
            fn map_each<F: FnMut($float) -> $float>(&self, mut f: F) -> $float {
                f(*self)
            }
        }

        impl MapWith<$float> for $float {
            type Elem = $float;
            type Owned = $float;

            #[inline(always)]
            fn map_with<F: FnMut($float, $float) -> $float>(&self, y: &$float, mut f: F) -> $float {
                f(*self, *y)
            }
        }

        impl<Y: ?Sized> MapWith<&Y> for $float
        where
            $float: MapWith<Y>,
        {
            type Elem = <$float as MapWith<Y>>::Elem;
            type Owned = <$float as MapWith<Y>>::Owned;

            #[inline]
            #[track_caller]
            fn map_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &&Y, f: F) -> Self::Owned {
                <$float as MapWith<Y>>::map_with(self, *y, f)
            }
        }

        impl<X: Scalar<$float> + ?Sized> Zip2<X> for $float {
            #[inline(always)]
            fn zip2_with<F: FnMut($float, $float) -> $float>(&self, x: &X, mut f: F) -> $float {
                f(*self, x.get())
            }
        }

        impl<X: Scalar<$float> + ?Sized, Y: Scalar<$float> + ?Sized> Zip3<X, Y> for $float {
            #[inline(always)]
            fn zip3_with<F: FnMut($float, $float, $float) -> $float>(&self, x: &X, y: &Y, mut f: F) -> $float {
                f(*self, x.get(), y.get())
            }
        }

        impl<X, Y, Z> Zip4<X, Y, Z> for $float
        where
            X: Scalar<$float> + ?Sized,
            Y: Scalar<$float> + ?Sized,
            Z: Scalar<$float> + ?Sized,
        {
            #[inline(always)]
            fn zip4_with<F: FnMut($float, $float, $float, $float) -> $float>(
                &self,
                x: &X,
                y: &Y,
                z: &Z,
                mut f: F,
            ) -> $float {
                f(*self, x.get(), y.get(), z.get())
            }
        }

        impl Summed for $float {
            type Elem = $float;

            #[inline(always)]
            fn summed(self) -> $float {
                self
            }
        }

        impl<X: Scalar<$float> + ?Sized> Unbroadcast<X> for $float {
            type Owned = $float;

            #[inline(always)]
            fn unbroadcast_to(self, _: &X) -> $float {
                self
            }
        }
    )*};
}

scalars!(f32 f64);

impl<X: Elementwise + ?Sized> Elementwise for &X {
    type Elem = X::Elem;
    type Owned = X::Owned;

    #[inline]
    fn map_each<F: FnMut(X::Elem) -> X::Elem>(&self, f: F) -> X::Owned {
        (**self).map_each(f)
    }
}

impl<X: MapWith<Y> + ?Sized, Y: ?Sized> MapWith<Y> for &X {
    type Elem = X::Elem;
    type Owned = X::Owned;

    #[inline]
    #[track_caller]
    fn map_with<F: FnMut(X::Elem, X::Elem) -> X::Elem>(&self, y: &Y, f: F) -> X::Owned {
        (**self).map_with(y, f)
    }

    #[inline]
    #[track_caller]
    fn map_over<F: FnMut(X::Elem, X::Elem) -> X::Elem>(&self, y: &Y, f: F) -> X::Owned {
        (**self).map_over(y, f)
    }
}

impl<G: Zip2<X> + ?Sized, X: ?Sized> Zip2<X> for &G {
    #[inline]
    #[track_caller]
    fn zip2_with<F: FnMut(G::Elem, G::Elem) -> G::Elem>(&self, x: &X, f: F) -> G::Owned {
        (**self).zip2_with(x, f)
    }
}

impl<G: Zip3<X, Y> + ?Sized, X: ?Sized, Y: ?Sized> Zip3<X, Y> for &G {
    #[inline]
    #[track_caller]
    fn zip3_with<F: FnMut(G::Elem, G::Elem, G::Elem) -> G::Elem>(&self, x: &X, y: &Y, f: F) -> G::Owned {
        (**self).zip3_with(x, y, f)
    }
}

impl<G: Zip4<X, Y, Z> + ?Sized, X: ?Sized, Y: ?Sized, Z: ?Sized> Zip4<X, Y, Z> for &G {
    #[inline]
    #[track_caller]
    fn zip4_with<F>(&self, x: &X, y: &Y, z: &Z, f: F) -> G::Owned
    where
        F: FnMut(G::Elem, G::Elem, G::Elem, G::Elem) -> G::Elem,
    {
        (**self).zip4_with(x, y, z, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_of_both_widths_and_behind_references() {
        let (x, y) = (&2.0_f32, &&3.0_f32);
        assert_eq!(map1(&x, |x| x * x), 4.0);
        assert_eq!(map2(&x, &y, |x, y| x - y), -1.0);
        assert_eq!(map2(x, *y, |x, y| x - y), -1.0);
        assert_eq!(zip1(&x, |g| -g), -2.0);
        assert_eq!(zip2(&x, &y, |g, x| g * x), 6.0);
        assert_eq!(zip3(&x, &y, &1.0, |g, x, y| g * x + y), 7.0);
        assert_eq!(zip4(&x, &y, &1.0, &y, |g, x, y, z| g * x + y + z), 10.0);
        assert_eq!(unbroadcast(2.0_f32, &y), 2.0);
    }
}
