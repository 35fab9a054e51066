//! How arrays lie in memory, which decides on the layout of what is collected of them.

use alloc::vec::Vec;

use ndarray::{
    Array, ArrayBase, ArrayView, Axis, Data, Dimension, IntoDimension, RawData, RemoveAxis, ShapeBuilder, Slice,
};
use num_traits::Zero;

use crate::axes::positions;

/// How an array lies in memory, as far as `Zip` asks.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    c: bool,
    f: bool,
    tendency: i32,
}

/// How an array lies in memory.
pub fn layout<S: RawData, D: Dimension>(x: &ArrayBase<S, D>) -> Layout {
    let rank = x.ndim();
    let (shape, strides) = (x.shape(), x.strides());
    let standard = |axes: &[usize]| {
        let mut expected = 1;
        x.is_empty()
            || axes.iter().all(|&k| {
                let fits = shape[k] == 1 || strides[k] == expected;
                expected *= shape[k] as isize;
                fits
            })
    };
    let mut axes: Vec<usize> = (0..rank).collect();
    let f = rank > 1 && standard(&axes);
    axes.reverse();
    let c = standard(&axes);
    let one_dimensional = rank <= 1 || shape.iter().filter(|&&n| n > 1).count() <= 1;
    let (c, f, tendency) = match (c, f) {
        (true, _) if one_dimensional => (true, true, 0),
        (true, _) => (true, false, 2),
        (_, true) => (false, true, -2),
        _ if rank > 1 && shape[0] > 1 && strides[0] == 1 => (false, false, -1),
        _ if rank > 1 && shape[rank - 1] > 1 && strides[rank - 1] == 1 => (false, false, 1),
        _ => (false, false, 0),
    };
    Layout { c, f, tendency }
}

/// Whether `Zip` goes through arrays with the first index running fastest.
pub(crate) fn first_fastest(layouts: &[Layout]) -> bool {
    let (c, f) = (layouts.iter().all(|x| x.c), layouts.iter().all(|x| x.f));
    let tendency: i32 = layouts.iter().map(|x| x.tendency).sum();
    !c && (f || tendency < 0)
}

/// Zeros in the shape and the layout of what `Zip` collects of arrays of the shape of `x`.
///
/// ```
/// use cotangent_runtime::private::{layout, zip_zeros};
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]].reversed_axes();
/// assert_eq!(zip_zeros(&x, &[layout(&x)]).strides(), [1, 2]);
/// ```
pub fn zip_zeros<A: Zero + Clone, S: Data<Elem = A>, D: Dimension>(
    x: &ArrayBase<S, D>,
    layouts: &[Layout],
) -> Array<A, D> {
    Array::zeros(x.raw_dim().set_f(first_fastest(layouts)))
}

/// Zeros in the shape and the layout of what `Zip` collects of the parts of a shape that an array has, those that overlap or
/// those that do not, beside arrays of these layouts.
///
/// ```
/// use cotangent_runtime::private::window_zeros;
///
/// let x = ndarray::Array2::<f64>::zeros((3, 5));
/// assert_eq!(window_zeros(&x, (2, 2), false, &[]).shape(), [2, 4]);
/// assert_eq!(window_zeros(&x, (2, 2), true, &[]).shape(), [1, 2]);
/// ```
pub fn window_zeros<A: Zero + Clone, S: Data<Elem = A>, D: Dimension>(
    x: &ArrayBase<S, D>,
    shape: impl IntoDimension<Dim = D>,
    apart: bool,
    others: &[Layout],
) -> Array<A, D> {
    let (counts, own) = windows_of(x, shape, apart);
    collected(counts, own, others)
}

/// How many parts of a shape an array has along each axis, and how they lie in memory.
fn windows_of<S: Data, D: Dimension>(
    x: &ArrayBase<S, D>,
    shape: impl IntoDimension<Dim = D>,
    apart: bool,
) -> (D, Layout) {
    let shape = shape.into_dimension();
    let counts: Vec<usize> = positions(x.shape(), shape.slice(), apart).collect();
    // where they begin
    let first = x.slice_each_axis(|axis| {
        let k = axis.axis.index();
        let step = if apart { shape[k] } else { 1 };
        Slice::new(0, Some((counts[k] * step) as isize), step as isize)
    });
    (first.raw_dim(), layout(&first))
}

/// How the parts of a shape that an array has lie in memory, those that overlap or those that do not.
///
/// ```
/// use cotangent_runtime::private::{turned, window_layout, zip_order};
///
/// let x = ndarray::Array2::<f64>::zeros((3, 5)).reversed_axes();
/// let order = zip_order(2, &[window_layout(&x, (2, 2), false)]);
/// assert_eq!(turned(x.view(), &order).shape(), [3, 5]);
/// ```
pub fn window_layout<S: Data, D: Dimension>(
    x: &ArrayBase<S, D>,
    shape: impl IntoDimension<Dim = D>,
    apart: bool,
) -> Layout {
    windows_of(x, shape, apart).1
}

/// The same of the lanes along an axis.
///
/// ```
/// use cotangent_runtime::private::lane_zeros;
///
/// let x = ndarray::Array3::<f64>::zeros((3, 0, 2));
/// assert_eq!(lane_zeros(&x, ndarray::Axis(1), &[]).shape(), [3, 2]);
/// ```
pub fn lane_zeros<A: Zero + Clone, S: Data<Elem = A>, D: RemoveAxis>(
    x: &ArrayBase<S, D>,
    axis: Axis,
    others: &[Layout],
) -> Array<A, D::Smaller> {
    collected(x.raw_dim().remove_axis(axis), lane_layout(x, axis), others)
}

/// How the lanes along an axis lie in memory.
///
/// ```
/// use cotangent_runtime::private::{lane_layout, turned, zip_order};
/// use ndarray::{Array3, Axis, ShapeBuilder};
///
/// let x = Array3::<f64>::zeros((2, 3, 4).f());
/// let order = zip_order(2, &[lane_layout(&x, Axis(2))]);
/// assert_eq!(turned(x.index_axis(Axis(2), 0), &order).shape(), [3, 2]);
/// ```
///
/// # Panics
/// If the axis is out of bounds.
#[track_caller]
pub fn lane_layout<S: Data, D: RemoveAxis>(x: &ArrayBase<S, D>, axis: Axis) -> Layout {
    match x.len_of(axis) {
        // of the lanes of an empty array, all are alike
        0 => Layout { c: true, f: false, tendency: 0 },
        _ => layout(&x.index_axis(axis, 0)),
    }
}

fn collected<A: Zero + Clone, D: Dimension>(shape: D, first: Layout, others: &[Layout]) -> Array<A, D> {
    let layouts: Vec<Layout> = core::iter::once(first).chain(others.iter().copied()).collect();
    Array::zeros(shape.set_f(first_fastest(&layouts)))
}

/// A copy that `ndarray` goes through as it does through the array: one of a part of a larger array is part of a larger
/// array too, as a sum over it is taken in another order.
///
/// ```
/// use cotangent_runtime::private::copy_of;
/// use ndarray::{array, s};
///
/// let x = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let part = x.slice(s![.., 1..]);
/// assert_eq!(copy_of(&part), part);
/// assert!(!copy_of(&part).is_standard_layout());
/// ```
pub fn copy_of<A: Clone, S: Data<Elem = A>, D: Dimension>(x: &ArrayBase<S, D>) -> Array<A, D> {
    let (None, Some(filler)) = (x.as_slice_memory_order(), x.first()) else { return x.to_owned() };
    let distance = |k: &usize| x.stride_of(Axis(*k)).unsigned_abs();
    let mut axes: Vec<usize> = (0..x.ndim()).collect();
    axes.sort_by_key(|k| core::cmp::Reverse(distance(k)));
    let mut shape = x.raw_dim();
    axes.iter().enumerate().for_each(|(place, &axis)| shape[place] = x.len_of(Axis(axis)));
    // twice as much along the axis that runs fastest
    let (last, fastest) = (axes.len() - 1, axes[axes.len() - 1]);
    let n = shape[last];
    shape[last] = 2 * n;
    let mut copy = Array::from_elem(shape, filler.clone());
    copy.slice_axis_inplace(Axis(last), if distance(&fastest) == 1 { (..n).into() } else { (0..).into() });
    if distance(&fastest) != 1 {
        copy.slice_axis_inplace(Axis(last), Slice::new(0, None, 2));
    }
    let mut places = axes.clone();
    axes.iter().enumerate().for_each(|(place, &axis)| places[axis] = place);
    for axis in 0..places.len() {
        let at = places[axis];
        copy.swap_axes(axis, at);
        places.iter_mut().skip(axis + 1).filter(|place| **place == axis).for_each(|place| *place = at);
    }
    (0..x.ndim()).filter(|&k| x.stride_of(Axis(k)) < 0).for_each(|k| copy.invert_axis(Axis(k)));
    copy.assign(x);
    copy
}

/// An array that is made into a vector; of a view, a copy of what it shows is.
pub trait IntoRaw {
    #[doc(hidden)]
    fn raw_offset(&self) -> Option<usize>;
}

impl<A: Clone, D: Dimension> IntoRaw for Array<A, D> {
    #[track_caller]
    fn raw_offset(&self) -> Option<usize> {
        let (vector, offset) = self.clone().into_raw_vec_and_offset();
        assert!(
            vector.len() == self.len(),
            "the derivative of the vector in an array that is part of a larger one is not known: copy the array first"
        );
        offset
    }
}

impl<A: Clone, D: Dimension> IntoRaw for ArrayView<'_, A, D> {
    #[track_caller]
    fn raw_offset(&self) -> Option<usize> {
        self.to_owned().raw_offset()
    }
}

/// Where the first element stands in the vector of an array that holds its elements and nothing else.
///
/// ```
/// use cotangent_runtime::private::raw_offset;
///
/// assert_eq!(raw_offset(&ndarray::array![1.0, 2.0]), Some(0));
/// ```
///
/// # Panics
/// If the vector holds more.
#[track_caller]
pub fn raw_offset<X: IntoRaw>(x: &X) -> Option<usize> {
    x.raw_offset()
}

/// Panics unless two arrays that are gone through together have one shape.
#[track_caller]
pub fn same_shape(a: &[usize], b: &[usize]) {
    assert!(a == b, "arrays of the shapes {a:?} and {b:?} cannot be gone through together");
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};

    use crate::visits::tests::{arrays, in_order};

    #[test]
    fn copies_are_gone_through_alike() {
        let wide = [0.1, 0.7, 1e10, -1e10];
        let all = arrays().into_iter().map(|x| x.mapv(|k| wide[k as usize % 4] * k.sin()));
        for x in all.chain(arrays()) {
            let wider = x.broadcast((2, x.shape()[0], x.shape()[1], x.shape()[2])).unwrap();
            for part in [
                wider.slice(s![0, .., .., ..]),
                wider.slice(s![.., .., 0, ..]),
                wider.slice(s![.., .., .., ..;-1]).slice_move(s![1, .., .., ..]),
            ] {
                let copy = super::copy_of(&part);
                assert_eq!(copy, part);
                assert_eq!(in_order(&copy.view()), in_order(&part), "{part:?}");
                assert_eq!(copy.sum().to_bits(), part.sum().to_bits(), "{part:?}");
                assert_eq!(copy.mapv(|t| t).strides(), part.mapv(|t| t).strides());
            }
        }
    }

    #[test]
    fn the_offset_of_the_first_element() {
        for x in arrays().into_iter().take(7) {
            assert_eq!(super::raw_offset(&x.view()), super::raw_offset(&x));
            assert_eq!(super::raw_offset(&x), x.into_raw_vec_and_offset().1);
        }
    }

    #[test]
    #[should_panic(expected = "part of a larger one")]
    fn a_part_of_a_larger_array_has_no_vector_of_its_own() {
        super::raw_offset(&Array2::<f64>::zeros((3, 3)).slice_move(s![.., 1..]));
    }
}
