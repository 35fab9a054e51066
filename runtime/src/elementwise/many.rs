//! Elementwise operations with more operands than there are special forms for.
//!
//! Each operand is read as a list of its elements in logical order, which is a copy only where it must be broadcast or is
//! laid out differently.

use alloc::borrow::Cow;
use alloc::vec::Vec;

#[cfg(feature = "ndarray")]
use ndarray::{Array, ArrayBase, ArrayRef, Data, Dimension};
use num_traits::Num;

use super::Elementwise;
#[cfg(feature = "ndarray")]
use super::array::Operand;

/// A scalar or an array with elements `A` that can be read in a shape.
pub trait Elements<A: Clone> {
    #[doc(hidden)]
    fn elements(&self, shape: &[usize]) -> Cow<'_, [A]>;

    /// In the order of the reversed axes if asked for.
    #[doc(hidden)]
    fn elements_of(&self, shape: &[usize], reversed: bool) -> Cow<'_, [A]>;
}

/// A scalar or an array that gives the shape of the result.
pub trait ZipMany: Elementwise {
    #[doc(hidden)]
    fn zip_many_with<const N: usize, F>(&self, others: [&dyn Elements<Self::Elem>; N], f: F) -> Self::Owned
    where
        F: FnMut(Self::Elem, [Self::Elem; N]) -> Self::Elem;
}

/// `f` of each element of `g` and the elements of the others that belong to it.
///
/// ```
/// use cotangent_runtime::private::zip_many;
///
/// assert_eq!(zip_many(&1.0, [&2.0, &3.0], |g, [x, y]| g + x * y), 7.0);
/// # #[cfg(feature = "ndarray")] {
/// use ndarray::array;
/// let (g, row) = (array![[1.0, 2.0], [3.0, 4.0]], array![10.0, 20.0]);
/// assert_eq!(zip_many(&g, [&row, &g], |g, [x, y]| g + x + y), array![[12.0, 24.0], [16.0, 28.0]]);
/// # }
/// ```
#[inline]
#[track_caller]
pub fn zip_many<const N: usize, G, F>(g: &G, others: [&dyn Elements<G::Elem>; N], f: F) -> G::Owned
where
    G: ZipMany + ?Sized,
    F: FnMut(G::Elem, [G::Elem; N]) -> G::Elem,
{
    g.zip_many_with(others, f)
}

impl<G: ZipMany + ?Sized> ZipMany for &G {
    #[track_caller]
    fn zip_many_with<const N: usize, F>(&self, others: [&dyn Elements<G::Elem>; N], f: F) -> G::Owned
    where
        F: FnMut(G::Elem, [G::Elem; N]) -> G::Elem,
    {
        (**self).zip_many_with(others, f)
    }
}

/// The results in logical order.
#[track_caller]
fn results<A: Num + Copy, const N: usize>(
    g: &[A],
    shape: &[usize],
    others: [&dyn Elements<A>; N],
    mut f: impl FnMut(A, [A; N]) -> A,
) -> Vec<A> {
    let others = others.map(|x| x.elements(shape));
    g.iter().enumerate().map(|(i, &g)| f(g, core::array::from_fn(|k| others[k][i]))).collect()
}

macro_rules! scalars {
    ($($float:ident)*) => {$(
        impl ZipMany for $float {
            #[track_caller]
            fn zip_many_with<const N: usize, F>(&self, others: [&dyn Elements<$float>; N], f: F) -> $float
            where
                F: FnMut($float, [$float; N]) -> $float,
            {
                results(&[*self], &[], others, f)[0]
            }
        }

        #[cfg(not(feature = "ndarray"))]
        impl Elements<$float> for $float {
            fn elements(&self, _: &[usize]) -> Cow<'_, [$float]> {
                Cow::Borrowed(core::slice::from_ref(self))
            }

            fn elements_of(&self, shape: &[usize], _: bool) -> Cow<'_, [$float]> {
                self.elements(shape)
            }
        }
    )*};
}

scalars!(f32 f64);

#[cfg(not(feature = "ndarray"))]
impl<A: Clone, X: Elements<A> + ?Sized> Elements<A> for &X {
    fn elements(&self, shape: &[usize]) -> Cow<'_, [A]> {
        (**self).elements(shape)
    }

    fn elements_of(&self, shape: &[usize], reversed: bool) -> Cow<'_, [A]> {
        (**self).elements_of(shape, reversed)
    }
}

#[cfg(feature = "ndarray")]
impl<A: Clone, X: Operand<A>> Elements<A> for X {
    #[track_caller]
    fn elements(&self, shape: &[usize]) -> Cow<'_, [A]> {
        self.elements_of(shape, false)
    }

    #[track_caller]
    fn elements_of(&self, shape: &[usize], reversed: bool) -> Cow<'_, [A]> {
        let x = self.view();
        if x.shape() == shape
            && let Some(elements) = (if reversed { x.clone().reversed_axes() } else { x.clone() }).to_slice()
        {
            return Cow::Borrowed(elements);
        }
        let Some(all) = x.broadcast(shape) else {
            panic!("an operand of shape {:?} does not broadcast to the shape {shape:?}", x.shape())
        };
        let all = if reversed { all.reversed_axes() } else { all };
        Cow::Owned(all.iter().cloned().collect())
    }
}

#[cfg(feature = "ndarray")]
impl<A: Num + Copy, D: Dimension> ZipMany for ArrayRef<A, D> {
    #[track_caller]
    fn zip_many_with<const N: usize, F>(&self, others: [&dyn Elements<A>; N], f: F) -> Array<A, D>
    where
        F: FnMut(A, [A; N]) -> A,
    {
        let elements = self.view().elements(self.shape()).into_owned();
        let results = results(&elements, self.shape(), others, f);
        Array::from_shape_vec(self.raw_dim(), results).expect("one result per element")
    }
}

#[cfg(feature = "ndarray")]
impl<S: Data<Elem: Num + Copy>, D: Dimension> ZipMany for ArrayBase<S, D> {
    #[track_caller]
    fn zip_many_with<const N: usize, F>(&self, others: [&dyn Elements<S::Elem>; N], f: F) -> Self::Owned
    where
        F: FnMut(S::Elem, [S::Elem; N]) -> S::Elem,
    {
        (**self).zip_many_with(others, f)
    }
}
