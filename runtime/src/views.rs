//! Views of arrays, and sums of cotangents through them.

use alloc::vec::Vec;
use ndarray::{Array, ArrayBase, ArrayViewMut, Axis, Data, DataMut, Dimension, IntoDimension, RemoveAxis};
use num_traits::{Num, Zero};

use crate::numbered::element_mut;

/// Adds a cotangent to a view of another one.
///
/// ```
/// use cotangent_runtime::private::add_to_view;
///
/// let mut x_bar = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// add_to_view(x_bar.row_mut(0), &ndarray::array![10.0, 20.0]);
/// assert_eq!(x_bar, ndarray::array![[11.0, 22.0], [3.0, 4.0]]);
/// ```
///
/// # Panics
/// If their shapes differ.
#[track_caller]
pub fn add_to_view<A: Num + Copy, S: Data<Elem = A>, D: Dimension>(
    mut to: ArrayViewMut<'_, A, D>,
    from: &ArrayBase<S, D>,
) {
    to.zip_mut_with(from, |to, from| *to = *to + *from);
}

/// Takes a cotangent out of a view of another one, which is left with zeros.
///
/// ```
/// use cotangent_runtime::private::take_view;
///
/// let mut x_bar = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(take_view(x_bar.row_mut(0)), ndarray::array![1.0, 2.0]);
/// assert_eq!(x_bar, ndarray::array![[0.0, 0.0], [3.0, 4.0]]);
/// ```
pub fn take_view<A: Zero + Clone, D: Dimension>(mut from: ArrayViewMut<'_, A, D>) -> Array<A, D> {
    let taken = from.to_owned();
    from.fill(A::zero());
    taken
}

/// Adds the cotangent of an array in another shape, element by element in logical order.
///
/// ```
/// use cotangent_runtime::private::add_reshaped;
///
/// let mut x_bar = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// add_reshaped(&mut x_bar, &ndarray::array![10.0, 20.0, 30.0, 40.0]);
/// assert_eq!(x_bar, ndarray::array![[11.0, 22.0], [33.0, 44.0]]);
/// ```
pub fn add_reshaped<A, S, R, D, E>(to: &mut ArrayBase<S, D>, from: &ArrayBase<R, E>)
where
    A: Num + Copy,
    S: DataMut<Elem = A>,
    R: Data<Elem = A>,
    D: Dimension,
    E: Dimension,
{
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *to + *from);
}

/// Adds the cotangent of an array that was broadcast: every element receives the sum of its copies.
///
/// ```
/// use cotangent_runtime::private::add_broadcast;
///
/// let mut x_bar = ndarray::array![1.0, 2.0];
/// add_broadcast(&mut x_bar, &ndarray::array![[10.0, 20.0], [30.0, 40.0]]);
/// assert_eq!(x_bar, ndarray::array![41.0, 62.0]);
/// ```
///
/// # Panics
/// If the shape of `to` does not broadcast to that of `from`.
#[track_caller]
pub fn add_broadcast<A, S, R, D, E>(to: &mut ArrayBase<S, D>, from: &ArrayBase<R, E>)
where
    A: Num + Copy,
    S: DataMut<Elem = A>,
    R: Data<Elem = A>,
    D: Dimension,
    E: Dimension,
{
    let (small, large) = (to.shape().to_vec(), from.shape());
    let offset = large.len().checked_sub(small.len()).expect("a broadcast has no smaller rank");
    let mut to = to.view_mut().into_dyn();
    for (index, from) in from.view().into_dyn().indexed_iter() {
        let at: Vec<usize> =
            small.iter().enumerate().map(|(k, &n)| if n == 1 { 0 } else { index[offset + k] }).collect();
        let to = &mut to[at.as_slice()];
        *to = *to + *from;
    }
}

/// Adds the cotangent of the lanes that were selected along an axis; one that was selected twice receives both.
///
/// ```
/// use cotangent_runtime::private::add_selected;
/// use ndarray::{Axis, array};
///
/// let mut x_bar = array![1.0, 2.0];
/// add_selected(&mut x_bar, Axis(0), &[1, 1], &array![10.0, 20.0]);
/// assert_eq!(x_bar, array![1.0, 32.0]);
/// ```
///
/// # Panics
/// If an index is out of bounds, or the shapes do not fit.
#[track_caller]
pub fn add_selected<A, S, R, D>(to: &mut ArrayBase<S, D>, axis: Axis, indices: &[usize], from: &ArrayBase<R, D>)
where
    A: Num + Copy,
    S: DataMut<Elem = A>,
    R: Data<Elem = A>,
    D: RemoveAxis,
{
    for (k, &index) in indices.iter().enumerate() {
        add_to_view(to.index_axis_mut(axis, index), &from.index_axis(axis, k));
    }
}

/// An array of zeros of the shape and memory layout of another one.
///
/// ```
/// use cotangent_runtime::private::zeros_of;
///
/// assert_eq!(zeros_of(&ndarray::array![1.0, 2.0]), ndarray::array![0.0, 0.0]);
/// ```
pub fn zeros_of<A: Zero + Clone, S: Data<Elem = A>, D: Dimension>(x: &ArrayBase<S, D>) -> Array<A, D> {
    x.map(|_| A::zero())
}

/// An array of zeros of another type, of the shape and memory layout of another one.
///
/// ```
/// use cotangent_runtime::private::zeros_as;
///
/// assert_eq!(zeros_as::<f32, _, _>(&ndarray::array![1.0, 2.0]), ndarray::array![0.0_f32, 0.0]);
/// ```
pub fn zeros_as<B: Zero + Clone, S: Data, D: Dimension>(x: &ArrayBase<S, D>) -> Array<B, D> {
    x.map(|_| B::zero())
}

/// The elements of an array in logical order.
///
/// ```
/// use cotangent_runtime::private::flat;
///
/// assert_eq!(flat(&ndarray::array![[1.0, 2.0], [3.0, 4.0]].t()), [1.0, 3.0, 2.0, 4.0]);
/// ```
pub fn flat<A: Clone, S: Data<Elem = A>, D: Dimension>(x: &ArrayBase<S, D>) -> Vec<A> {
    x.iter().cloned().collect()
}

/// An array with the elements of a vector in logical order.
///
/// ```
/// use cotangent_runtime::private::shaped;
///
/// assert_eq!(shaped(&[1.0, 2.0], &(1, 2)), ndarray::array![[1.0, 2.0]]);
/// ```
///
/// # Panics
/// If their number does not fit the shape.
#[track_caller]
pub fn shaped<A: Clone, D: IntoDimension + Clone>(elements: &[A], shape: &D) -> Array<A, D::Dim> {
    match Array::from_shape_vec(shape.clone(), elements.to_vec()) {
        Ok(array) => array,
        Err(error) => panic!("{} elements do not make this shape: {error}", elements.len()),
    }
}

/// A shape with its axes reversed.
///
/// ```
/// use ndarray::IntoDimension;
///
/// assert_eq!(cotangent_runtime::private::reversed((2, 3)), (3, 2).into_dimension());
/// ```
pub fn reversed<D: IntoDimension>(shape: D) -> D::Dim {
    let mut shape = shape.into_dimension();
    shape.slice_mut().reverse();
    shape
}

/// An array of the shape of another one.
///
/// ```
/// use cotangent_runtime::private::shaped_like;
///
/// assert_eq!(shaped_like(&[1.0, 2.0], &ndarray::array![[0.0], [0.0]]), ndarray::array![[1.0], [2.0]]);
/// ```
///
/// # Panics
/// If the number of elements differs.
#[track_caller]
pub fn shaped_like<A: Clone, B, S: Data<Elem = B>, D: Dimension>(
    elements: &[A],
    like: &ArrayBase<S, D>,
) -> Array<A, D> {
    shaped(elements, &like.raw_dim())
}

/// An array with another one behind it along an axis.
///
/// ```
/// use cotangent_runtime::private::appended;
/// use ndarray::{Axis, array};
///
/// assert_eq!(appended(&array![1.0], Axis(0), &array![2.0, 3.0]), array![1.0, 2.0, 3.0]);
/// ```
///
/// # Panics
/// If the other axes differ.
#[track_caller]
pub fn appended<A, S, R, D>(x: &ArrayBase<S, D>, axis: Axis, part: &ArrayBase<R, D>) -> Array<A, D>
where
    A: Clone,
    S: Data<Elem = A>,
    R: Data<Elem = A>,
    D: RemoveAxis,
{
    match ndarray::concatenate(axis, &[x.view(), part.view()]) {
        Ok(whole) => whole,
        Err(error) => panic!("{:?} cannot follow {:?} along axis {}: {error}", part.shape(), x.shape(), axis.0),
    }
}

/// Zeros in the shape of an array without one of its axes.
///
/// ```
/// use cotangent_runtime::private::zeros_without;
/// use ndarray::{Axis, array};
///
/// assert_eq!(zeros_without(&array![[1.0], [2.0]], Axis(0)), array![0.0]);
/// ```
///
/// # Panics
/// If the axis is out of bounds.
#[track_caller]
pub fn zeros_without<A, S, D>(x: &ArrayBase<S, D>, axis: Axis) -> Array<A, D::Smaller>
where
    A: Zero + Clone,
    S: Data<Elem = A>,
    D: RemoveAxis,
{
    Array::zeros(x.raw_dim().remove_axis(axis))
}

/// Adds the cotangent of an array in another shape, whose elements may come in another order: `reshape` does with the
/// positions of the elements what was done with these.
///
/// ```
/// use cotangent_runtime::private::add_reordered;
/// use ndarray::{Order, array};
///
/// let mut x_bar = array![[0.0, 0.0], [0.0, 0.0]];
/// let columns = |at: &ndarray::Array2<usize>| at.to_shape((4, Order::ColumnMajor)).unwrap().to_owned();
/// add_reordered(&mut x_bar, &array![1.0, 2.0, 3.0, 4.0], columns);
/// assert_eq!(x_bar, array![[1.0, 3.0], [2.0, 4.0]]);
/// ```
///
/// # Panics
/// If the shape is not that of the cotangent.
#[track_caller]
pub fn add_reordered<A, S, R, D, E>(
    to: &mut ArrayBase<S, D>,
    from: &ArrayBase<R, E>,
    reshape: impl FnOnce(&Array<usize, D>) -> Array<usize, E>,
) where
    A: Num + Copy,
    S: DataMut<Elem = A>,
    R: Data<Elem = A>,
    D: Dimension,
    E: Dimension,
{
    let positions: Vec<usize> = (0..to.len()).collect();
    let positions = reshape(&shaped(&positions, &to.raw_dim()));
    assert!(
        positions.shape() == from.shape(),
        "a cotangent of the shape {:?} for {:?}",
        from.shape(),
        positions.shape()
    );
    for (&k, from) in positions.iter().zip(from) {
        let to = element_mut(to, k);
        *to = *to + *from;
    }
}
