//! Elementwise operations whose result takes the place of their first operand, an array that nobody needs any more.
//!
//! The elements and the layout in memory are those of the operations that make a new array.

use ndarray::{Array, ArrayBase, Data, DimMax, Dimension, Zip};
use num_traits::Num;

use super::MapWith;
use super::array::{Operand, view_in};
use super::many::Elements;

/// As [`map1`](super::map1).
///
/// ```
/// use cotangent_runtime::private::map1_in;
/// use ndarray::array;
///
/// assert_eq!(map1_in(array![4.0, 9.0], f64::sqrt), array![2.0, 3.0]);
/// ```
#[inline]
pub fn map1_in<A, S, D, F>(x: ArrayBase<S, D>, mut f: F) -> Array<A, D>
where
    A: Num + Copy,
    S: Data<Elem = A>,
    D: Dimension,
    F: FnMut(A) -> A,
{
    let mut x = x.into_owned();
    match x.as_slice_memory_order_mut() {
        Some(elements) => elements.iter_mut().for_each(|x| *x = f(*x)),
        None => return x.mapv(f),
    }
    x
}

/// As [`map2_over`](super::map2_over).
///
/// ```
/// use cotangent_runtime::private::map2_in;
/// use ndarray::array;
///
/// assert_eq!(map2_in(array![[4.0, 9.0]], &array![1.0, 2.0], |x, y| x + y), array![[5.0, 11.0]]);
/// assert_eq!(map2_in(array![4.0], &array![[1.0], [2.0]], |x, y| x + y), array![[5.0], [6.0]]);
/// ```
#[inline]
#[track_caller]
pub fn map2_in<A, S, D, Y, F>(x: ArrayBase<S, D>, y: &Y, mut f: F) -> Array<A, <D as DimMax<Y::Dim>>::Output>
where
    A: Num + Copy,
    S: Data<Elem = A>,
    D: Dimension + DimMax<Y::Dim>,
    Y: Operand<A> + ?Sized,
    Array<A, D>: MapWith<Y, Elem = A, Owned = Array<A, <D as DimMax<Y::Dim>>::Output>>,
    F: FnMut(A, A) -> A,
{
    let mut x = x.into_owned();
    let other = y.view();
    let more = x.ndim().saturating_sub(other.ndim());
    if x.is_standard_layout()
        && let Some(others) = other.to_slice()
        && x.ndim() >= other.ndim()
        && x.shape()[more..] == *other.shape()
    {
        // part by part, and each of them without a look at strides
        let elements = x.as_slice_mut().expect("the standard layout");
        for part in elements.chunks_exact_mut(others.len().max(1)) {
            part.iter_mut().zip(others).for_each(|(x, y)| *x = f(*x, *y));
        }
        return x.into_dimensionality().expect("the larger rank");
    }
    let fits = x.ndim() >= other.ndim() && x.as_slice_memory_order().is_some() && {
        x.shape()[more..].iter().zip(other.shape()).all(|(x, y)| x == y || *y == 1)
    };
    if !fits {
        return x.map_over(y, f);
    }
    let shape = x.raw_dim();
    Zip::from(&mut x).and(view_in(&other, &shape)).for_each(|x, y| *x = f(*x, *y));
    x.into_dimensionality().expect("the larger rank")
}

/// As [`zip_many`](super::many::zip_many), with any number of others.
///
/// ```
/// use cotangent_runtime::private::zip_in;
/// use ndarray::array;
///
/// assert_eq!(zip_in(array![4.0, 9.0], [&array![1.0, 2.0], &2.0], |g, [x, y]| g * x + y), array![6.0, 20.0]);
/// ```
#[inline]
#[track_caller]
pub fn zip_in<const N: usize, A, S, D, F>(g: ArrayBase<S, D>, others: [&dyn Elements<A>; N], mut f: F) -> Array<A, D>
where
    A: Num + Copy,
    S: Data<Elem = A>,
    D: Dimension,
    F: FnMut(A, [A; N]) -> A,
{
    let mut g = g.into_owned();
    let reversed = !g.is_standard_layout() && g.t().is_standard_layout();
    let shape = g.raw_dim();
    let others = others.map(|x| x.elements_of(shape.slice(), reversed));
    let len = g.len();
    let others: [&[A]; N] = core::array::from_fn(|k| &others[k][..len]);
    let at = |i: usize| -> [A; N] { core::array::from_fn(|k| others[k][i]) };
    if reversed || g.is_standard_layout() {
        let elements = g.as_slice_memory_order_mut().expect("one of the two layouts");
        elements[..len].iter_mut().enumerate().for_each(|(i, g)| *g = f(*g, at(i)));
    } else {
        g.iter_mut().enumerate().for_each(|(i, g)| *g = f(*g, at(i)));
    }
    g
}
