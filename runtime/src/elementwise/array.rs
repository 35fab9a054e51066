//! The array part of elementwise operations.
//!
//! Everything is implemented for `ArrayRef`; owned arrays and views forward to it. Results of `zip*` over operands that
//! are all contiguous in logical order come from one loop over slices, into which scalars go as constants (an array
//! broadcast from a scalar would cost that loop its vectorisation); all others come from `ndarray::Zip`.

use alloc::vec::Vec;

use ndarray::{Array, ArrayBase, ArrayRef, ArrayView, Data, DimMax, Dimension, Ix0, Zip, aview0};
use num_traits::Num;

use super::{Elementwise, MapWith, Summed, Unbroadcast, Zip2, Zip3, Zip4};

/// A scalar or an array with elements `A`, seen as an array.
///
/// `A` is a parameter so that a literal operand takes the float type of the others.
pub trait Operand<A> {
    /// The rank; 0 for scalars.
    type Dim: Dimension;

    #[doc(hidden)]
    fn view(&self) -> ArrayView<'_, A, Self::Dim>;
}

impl<A, X: Operand<A> + ?Sized> Operand<A> for &X {
    type Dim = X::Dim;

    #[inline]
    fn view(&self) -> ArrayView<'_, A, X::Dim> {
        (**self).view()
    }
}

impl<A, D: Dimension> Operand<A> for ArrayRef<A, D> {
    type Dim = D;

    #[inline]
    fn view(&self) -> ArrayView<'_, A, D> {
        ArrayRef::view(self)
    }
}

impl<A, S: Data<Elem = A>, D: Dimension> Operand<A> for ArrayBase<S, D> {
    type Dim = D;

    #[inline]
    fn view(&self) -> ArrayView<'_, A, D> {
        ArrayRef::view(self)
    }
}

/// The elements of an operand in the order of those of the result, where memory has them so.
struct Lane<'a, A> {
    elements: &'a [A],
    is_scalar: bool,
}

impl<'a, A: Copy> Lane<'a, A> {
    /// `None` if the operand must be broadcast or is laid out differently. `is_scalar` is known when compiled.
    #[inline]
    fn new<E: Dimension>(x: ArrayView<'a, A, E>, shape: &[usize], reversed: bool) -> Option<Self> {
        let is_scalar = E::NDIM == Some(0);
        if !is_scalar && x.shape() != shape {
            return None;
        }
        let elements = in_order(x, reversed).to_slice()?;
        Some(Self { elements, is_scalar })
    }

    /// Always true; said in these words, it frees the loop of bounds checks.
    #[inline(always)]
    fn covers(&self, len: usize) -> bool {
        self.elements.len() == if self.is_scalar { 1 } else { len }
    }

    #[inline(always)]
    fn at(&self, i: usize) -> A {
        self.elements[if self.is_scalar { 0 } else { i }]
    }
}

/// `x` with the order of its axes reversed if asked for.
#[inline]
fn in_order<A, D: Dimension>(x: ArrayView<'_, A, D>, reversed: bool) -> ArrayView<'_, A, D> {
    if reversed { x.reversed_axes() } else { x }
}

/// The shape to which both broadcast.
#[track_caller]
fn common_shape<A, B, D, E>(x: &ArrayRef<A, D>, y: &ArrayRef<B, E>) -> <D as DimMax<E>>::Output
where
    D: Dimension + DimMax<E>,
    E: Dimension,
{
    let rank = x.ndim().max(y.ndim());
    let mut shape = <D as DimMax<E>>::Output::zeros(rank);
    let axis = |shape: &[usize], i: usize| (i + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
    for (i, len) in shape.slice_mut().iter_mut().enumerate() {
        *len = match (axis(x.shape(), i), axis(y.shape(), i)) {
            (a, b) if a == b || b == 1 => a,
            (1, b) => b,
            _ => panic!("shapes {:?} and {:?} do not broadcast", x.shape(), y.shape()),
        };
    }
    shape
}

/// A view in the given shape; strides are kept where nothing is repeated, which keeps the layout of results.
#[track_caller]
pub(super) fn view_in<'a, A, D: Dimension, E: Dimension>(x: &'a ArrayRef<A, D>, shape: &E) -> ArrayView<'a, A, E> {
    let view =
        if x.shape() == shape.slice() { x.view().into_dimensionality().ok() } else { x.broadcast(shape.clone()) };
    view.unwrap_or_else(|| {
        panic!("an operand of shape {:?} does not broadcast to the shape {:?}", x.shape(), shape.slice())
    })
}

impl<A: Num + Copy, D: Dimension> Elementwise for ArrayRef<A, D> {
    type Elem = A;
    type Owned = Array<A, D>;

    #[inline]
    fn map_each<F: FnMut(A) -> A>(&self, f: F) -> Array<A, D> {
        self.mapv(f)
    }
}

impl<S: Data<Elem: Num + Copy>, D: Dimension> Elementwise for ArrayBase<S, D> {
    type Elem = S::Elem;
    type Owned = Array<S::Elem, D>;

    #[inline]
    fn map_each<F: FnMut(S::Elem) -> S::Elem>(&self, f: F) -> Self::Owned {
        (**self).map_each(f)
    }
}

impl<A, D, E> MapWith<ArrayRef<A, E>> for ArrayRef<A, D>
where
    A: Num + Copy,
    D: Dimension + DimMax<E>,
    E: Dimension,
{
    type Elem = A;
    type Owned = Array<A, <D as DimMax<E>>::Output>;

    #[track_caller]
    fn map_with<F: FnMut(A, A) -> A>(&self, y: &ArrayRef<A, E>, mut f: F) -> Self::Owned {
        let shape = common_shape(self, y);
        Zip::from(view_in(self, &shape)).and(view_in(y, &shape)).map_collect(|x, y| f(*x, *y))
    }

    #[track_caller]
    fn map_over<F: FnMut(A, A) -> A>(&self, y: &ArrayRef<A, E>, mut f: F) -> Self::Owned {
        let shape = common_shape(self, y);
        // two arrays in the standard layout make one
        if self.shape() != shape.slice() || self.is_standard_layout() && y.is_standard_layout() {
            return self.map_with(y, f);
        }
        let mut out = self.to_owned().into_dimensionality::<<D as DimMax<E>>::Output>().expect("the same shape");
        Zip::from(&mut out).and(view_in(y, &shape)).for_each(|x, y| *x = f(*x, *y));
        out
    }
}

impl<A, S, D, E> MapWith<ArrayBase<S, E>> for ArrayRef<A, D>
where
    S: Data<Elem = A>,
    E: Dimension,
    ArrayRef<A, D>: MapWith<ArrayRef<A, E>>,
{
    type Elem = <Self as MapWith<ArrayRef<A, E>>>::Elem;
    type Owned = <Self as MapWith<ArrayRef<A, E>>>::Owned;

    #[inline]
    #[track_caller]
    fn map_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &ArrayBase<S, E>, f: F) -> Self::Owned {
        <Self as MapWith<ArrayRef<A, E>>>::map_with(self, y, f)
    }

    #[inline]
    #[track_caller]
    fn map_over<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &ArrayBase<S, E>, f: F) -> Self::Owned {
        <Self as MapWith<ArrayRef<A, E>>>::map_over(self, y, f)
    }
}

impl<A, D, Y: ?Sized> MapWith<&Y> for ArrayRef<A, D>
where
    ArrayRef<A, D>: MapWith<Y>,
{
    type Elem = <Self as MapWith<Y>>::Elem;
    type Owned = <Self as MapWith<Y>>::Owned;

    #[inline]
    #[track_caller]
    fn map_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &&Y, f: F) -> Self::Owned {
        <Self as MapWith<Y>>::map_with(self, *y, f)
    }

    #[inline]
    #[track_caller]
    fn map_over<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &&Y, f: F) -> Self::Owned {
        <Self as MapWith<Y>>::map_over(self, *y, f)
    }
}

impl<S, D, Y: ?Sized> MapWith<Y> for ArrayBase<S, D>
where
    S: Data,
    D: Dimension,
    ArrayRef<S::Elem, D>: MapWith<Y>,
{
    type Elem = <ArrayRef<S::Elem, D> as MapWith<Y>>::Elem;
    type Owned = <ArrayRef<S::Elem, D> as MapWith<Y>>::Owned;

    #[inline]
    #[track_caller]
    fn map_with<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &Y, f: F) -> Self::Owned {
        <ArrayRef<S::Elem, D> as MapWith<Y>>::map_with(self, y, f)
    }

    #[inline]
    #[track_caller]
    fn map_over<F: FnMut(Self::Elem, Self::Elem) -> Self::Elem>(&self, y: &Y, f: F) -> Self::Owned {
        <ArrayRef<S::Elem, D> as MapWith<Y>>::map_over(self, y, f)
    }
}

/// The result of `zip*` from one loop over slices, if all operands are contiguous in the same order of axes; otherwise
/// from `ndarray::Zip`.
macro_rules! zip {
    ($g:ident, $f:ident, $($x:ident)+) => {{
        $(let $x = $x.view();)+
        let reversed = !$g.is_standard_layout();
        let g = in_order($g.view(), reversed);
        if let Some(elements) = g.as_slice()
            && let ($(Some($x),)+) = ($(Lane::new($x.view(), $g.shape(), reversed),)+)
            && $($x.covers(elements.len()))&&+
        {
            let results: Vec<A> = (0..elements.len()).map(|i| $f(elements[i], $($x.at(i)),+)).collect();
            let results = Array::from_shape_vec(g.raw_dim(), results).expect("one result per element");
            return if reversed { results.reversed_axes() } else { results };
        }
        let shape = $g.raw_dim();
        let mut out = $g.to_owned();
        Zip::from(&mut out)$(.and(view_in(&$x, &shape)))+.for_each(|g, $($x),+| *g = $f(*g, $(*$x),+));
        out
    }};
}

impl<A: Num + Copy, D: Dimension, X: Operand<A> + ?Sized> Zip2<X> for ArrayRef<A, D> {
    #[track_caller]
    fn zip2_with<F: FnMut(A, A) -> A>(&self, x: &X, mut f: F) -> Array<A, D> {
        zip!(self, f, x)
    }
}

impl<A, D, X, Y> Zip3<X, Y> for ArrayRef<A, D>
where
    A: Num + Copy,
    D: Dimension,
    X: Operand<A> + ?Sized,
    Y: Operand<A> + ?Sized,
{
    #[track_caller]
    fn zip3_with<F: FnMut(A, A, A) -> A>(&self, x: &X, y: &Y, mut f: F) -> Array<A, D> {
        zip!(self, f, x y)
    }
}

impl<A, D, X, Y, Z> Zip4<X, Y, Z> for ArrayRef<A, D>
where
    A: Num + Copy,
    D: Dimension,
    X: Operand<A> + ?Sized,
    Y: Operand<A> + ?Sized,
    Z: Operand<A> + ?Sized,
{
    #[track_caller]
    fn zip4_with<F: FnMut(A, A, A, A) -> A>(&self, x: &X, y: &Y, z: &Z, mut f: F) -> Array<A, D> {
        zip!(self, f, x y z)
    }
}

impl<S, D, X> Zip2<X> for ArrayBase<S, D>
where
    S: Data<Elem: Num + Copy>,
    D: Dimension,
    X: Operand<S::Elem> + ?Sized,
{
    #[inline]
    #[track_caller]
    fn zip2_with<F: FnMut(S::Elem, S::Elem) -> S::Elem>(&self, x: &X, f: F) -> Self::Owned {
        (**self).zip2_with(x, f)
    }
}

impl<S, D, X, Y> Zip3<X, Y> for ArrayBase<S, D>
where
    S: Data<Elem: Num + Copy>,
    D: Dimension,
    X: Operand<S::Elem> + ?Sized,
    Y: Operand<S::Elem> + ?Sized,
{
    #[inline]
    #[track_caller]
    fn zip3_with<F: FnMut(S::Elem, S::Elem, S::Elem) -> S::Elem>(&self, x: &X, y: &Y, f: F) -> Self::Owned {
        (**self).zip3_with(x, y, f)
    }
}

impl<S, D, X, Y, Z> Zip4<X, Y, Z> for ArrayBase<S, D>
where
    S: Data<Elem: Num + Copy>,
    D: Dimension,
    X: Operand<S::Elem> + ?Sized,
    Y: Operand<S::Elem> + ?Sized,
    Z: Operand<S::Elem> + ?Sized,
{
    #[inline]
    #[track_caller]
    fn zip4_with<F>(&self, x: &X, y: &Y, z: &Z, f: F) -> Self::Owned
    where
        F: FnMut(S::Elem, S::Elem, S::Elem, S::Elem) -> S::Elem,
    {
        (**self).zip4_with(x, y, z, f)
    }
}

impl<A: Num + Copy, D: Dimension> Summed for Array<A, D> {
    type Elem = A;

    #[inline]
    fn summed(self) -> A {
        self.sum()
    }
}

impl<A: Num + Copy, D: Dimension> Summed for &Array<A, D> {
    type Elem = A;

    #[inline]
    fn summed(self) -> A {
        self.sum()
    }
}

macro_rules! scalars {
    ($($float:ident)*) => {$(
        impl Operand<$float> for $float {
            type Dim = Ix0;

            #[inline]
            fn view(&self) -> ArrayView<'_, $float, Ix0> {
                aview0(self)
            }
        }

        impl<D: Dimension> MapWith<ArrayRef<$float, D>> for $float {
            type Elem = $float;
            type Owned = Array<$float, D>;

            #[inline]
            fn map_with<F: FnMut($float, $float) -> $float>(&self, y: &ArrayRef<$float, D>, mut f: F) -> Self::Owned {
                let x = *self;
                y.mapv(|y| f(x, y))
            }
        }

        impl<S: Data<Elem = $float>, D: Dimension> MapWith<ArrayBase<S, D>> for $float {
            type Elem = $float;
            type Owned = Array<$float, D>;

            #[inline]
            fn map_with<F: FnMut($float, $float) -> $float>(&self, y: &ArrayBase<S, D>, f: F) -> Self::Owned {
                <$float as MapWith<ArrayRef<$float, D>>>::map_with(self, y, f)
            }
        }

        impl<D: Dimension> MapWith<$float> for ArrayRef<$float, D> {
            type Elem = $float;
            type Owned = Array<$float, D>;

            #[inline]
            fn map_with<F: FnMut($float, $float) -> $float>(&self, y: &$float, mut f: F) -> Self::Owned {
                let y = *y;
                self.mapv(|x| f(x, y))
            }
        }

        impl<D: Dimension> Unbroadcast<&$float> for Array<$float, D> {
            type Owned = $float;

            #[inline]
            fn unbroadcast_to(self, _: &&$float) -> $float {
                self.sum()
            }
        }

        impl<D: Dimension> Unbroadcast<$float> for Array<$float, D> {
            type Owned = $float;

            #[inline]
            fn unbroadcast_to(self, _: &$float) -> $float {
                self.sum()
            }
        }
    )*};
}

scalars!(f32 f64);

#[cfg(test)]
mod tests;
