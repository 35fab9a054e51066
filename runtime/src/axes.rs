//! Views of arrays with their axes turned, and one of many parts: lanes, windows and chunks by their number.

use alloc::vec::Vec;
use ndarray::{ArrayBase, ArrayView, ArrayViewMut, Axis, Dimension, IntoDimension, Ix1, RawData, Slice};

/// A view with two axes exchanged.
///
/// ```
/// use cotangent_runtime::private::swapped_axes;
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(swapped_axes(x.view(), 0, 1), x.t());
/// ```
///
/// # Panics
/// If an axis is out of bounds.
#[track_caller]
pub fn swapped_axes<V: AxesInPlace>(view: V, a: usize, b: usize) -> V {
    view.exchanged(a, b)
}

/// A view whose elements along an axis come in the opposite order.
///
/// ```
/// use cotangent_runtime::private::inverted_axis;
/// use ndarray::{Axis, array};
///
/// assert_eq!(inverted_axis(array![1.0, 2.0].view(), Axis(0)), array![2.0, 1.0]);
/// ```
///
/// # Panics
/// If the axis is out of bounds.
#[track_caller]
pub fn inverted_axis<V: AxesInPlace>(view: V, axis: Axis) -> V {
    view.inverted(axis)
}

/// The number of the last axis.
///
/// ```
/// assert_eq!(cotangent_runtime::private::last_axis(&ndarray::array![[1.0]]), 1);
/// ```
///
/// # Panics
/// If there are no axes.
#[track_caller]
pub fn last_axis<S: RawData, D: Dimension>(x: &ArrayBase<S, D>) -> usize {
    x.ndim().checked_sub(1).expect("an array without axes has no rows")
}

/// How many lanes there are along an axis.
///
/// ```
/// use cotangent_runtime::private::lane_count;
///
/// assert_eq!(lane_count(&ndarray::array![[1.0, 2.0, 3.0]], ndarray::Axis(0)), 3);
/// ```
pub fn lane_count<S: RawData, D: Dimension>(x: &ArrayBase<S, D>, axis: Axis) -> usize {
    let others = x.shape().iter().enumerate().filter(|&(k, _)| k != axis.0);
    others.map(|(_, n)| n).product()
}

/// The k-th of the lanes along an axis, the last of the other axes first.
///
/// ```
/// use cotangent_runtime::private::nth_lane;
/// use ndarray::{Axis, array};
///
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(nth_lane(x.view(), Axis(0), 1), array![2.0, 4.0]);
/// ```
///
/// # Panics
/// If there are fewer lanes.
#[track_caller]
pub fn nth_lane<V: AxesInPlace>(view: V, axis: Axis, k: usize) -> V::Lane {
    view.lane(axis, k)
}

/// How many parts of a shape an array has, those that overlap or those that do not.
///
/// ```
/// use cotangent_runtime::private::window_count;
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// assert_eq!((window_count(&x, (2, 1), false), window_count(&x, (2, 1), true)), (4, 2));
/// ```
pub fn window_count<S: RawData, D: Dimension>(
    x: &ArrayBase<S, D>,
    shape: impl IntoDimension<Dim = D>,
    apart: bool,
) -> usize {
    positions(x.shape(), shape.into_dimension().slice(), apart).product()
}

/// How many positions such a part has along each axis.
pub(crate) fn positions<'a>(
    all: &'a [usize],
    part: &'a [usize],
    apart: bool,
) -> impl DoubleEndedIterator<Item = usize> + 'a {
    all.iter().zip(part).map(move |(&n, &of)| if apart { n / of } else { (n + 1).saturating_sub(of) })
}

/// The k-th of the parts of a shape, which overlap.
///
/// ```
/// use cotangent_runtime::private::nth_window;
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// assert_eq!(nth_window(x.view(), (2, 1), 3), ndarray::array![[4.0], [6.0]]);
/// ```
///
/// # Panics
/// If there are fewer.
#[track_caller]
pub fn nth_window<V: AxesInPlace>(view: V, shape: impl IntoDimension<Dim = V::Dim>, k: usize) -> V {
    view.block(shape.into_dimension().slice(), k, false)
}

/// The k-th of the parts of a shape that do not overlap.
///
/// ```
/// use cotangent_runtime::private::nth_chunk;
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// assert_eq!(nth_chunk(x.view(), (1, 2), 1), ndarray::array![[3.0, 4.0]]);
/// ```
///
/// # Panics
/// If there are fewer.
#[track_caller]
pub fn nth_chunk<V: AxesInPlace>(view: V, shape: impl IntoDimension<Dim = V::Dim>, k: usize) -> V {
    view.block(shape.into_dimension().slice(), k, true)
}

/// A view that can be turned in place.
pub trait AxesInPlace {
    /// The type of its shape.
    type Dim: Dimension;
    /// A view of the same kind with one axis.
    type Lane;

    #[doc(hidden)]
    fn lane(self, axis: Axis, k: usize) -> Self::Lane;

    #[doc(hidden)]
    fn turned(self, axes: &[usize], inverted: &[usize]) -> Self;

    #[doc(hidden)]
    fn block(self, shape: &[usize], k: usize, apart: bool) -> Self;

    #[doc(hidden)]
    fn exchanged(self, a: usize, b: usize) -> Self;

    #[doc(hidden)]
    fn inverted(self, axis: Axis) -> Self;
}

macro_rules! axes_in_place {
    ($($view:ident)*) => {
        $(impl<'a, A, D: Dimension> AxesInPlace for $view<'a, A, D> {
            type Dim = D;
            type Lane = $view<'a, A, Ix1>;

            #[track_caller]
            fn lane(self, axis: Axis, mut k: usize) -> Self::Lane {
                let mut lane = self.into_dyn();
                for other in (0..lane.ndim()).rev().filter(|&other| other != axis.0) {
                    let n = lane.len_of(Axis(other));
                    lane.slice_axis_inplace(Axis(other), Slice::from(k % n..k % n + 1));
                    k /= n;
                }
                while lane.ndim() > 1 {
                    let gone = if lane.ndim() - 1 > axis.0 { lane.ndim() - 1 } else { 0 };
                    lane = lane.index_axis_move(Axis(gone), 0);
                }
                lane.into_dimensionality().expect("one axis is left")
            }

            #[track_caller]
            fn turned(mut self, axes: &[usize], inverted: &[usize]) -> Self {
                inverted.iter().for_each(|&axis| self.invert_axis(Axis(axis)));
                // where the axes stand now
                let mut now: Vec<usize> = (0..axes.len()).collect();
                for (place, axis) in axes.iter().enumerate() {
                    let at = now.iter().position(|now| now == axis).expect("each axis once");
                    self.swap_axes(place, at);
                    now.swap(place, at);
                }
                self
            }

            #[track_caller]
            fn block(mut self, shape: &[usize], mut k: usize, apart: bool) -> Self {
                let counts: Vec<usize> = positions(self.shape(), shape, apart).collect();
                for (axis, (&n, &count)) in shape.iter().zip(&counts).enumerate().rev() {
                    let at = (k % count) * if apart { n } else { 1 };
                    self.slice_axis_inplace(Axis(axis), Slice::from(at..at + n));
                    k /= count;
                }
                self
            }

            #[track_caller]
            fn exchanged(mut self, a: usize, b: usize) -> Self {
                self.swap_axes(a, b);
                self
            }

            #[track_caller]
            fn inverted(mut self, axis: Axis) -> Self {
                self.invert_axis(axis);
                self
            }
        })*
    };
}

axes_in_place!(ArrayView ArrayViewMut);
