//! The order in which `ndarray` goes through arrays by itself, which depends on the method and on how they lie in memory: it
//! decides on the last digits of sums, and on what closures give that change what they capture.

use alloc::vec::Vec;

use ndarray::{ArrayBase, Axis, Data, Dimension, Slice};

use crate::axes::AxesInPlace;
use crate::layout::{Layout, first_fastest, layout};

/// The axes of an array in another order, some of them inverted.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    axes: Vec<usize>,
    inverted: Vec<usize>,
}

impl Order {
    /// That of the indices.
    fn logical(rank: usize) -> Order {
        Order { axes: (0..rank).collect(), inverted: Vec::new() }
    }
}

/// A view whose logical order is another one.
///
/// ```
/// use cotangent_runtime::private::{memory_order, turned};
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// let order = memory_order(&x.t());
/// assert_eq!(turned(x.t(), &order), x);
/// ```
#[track_caller]
pub fn turned<V: AxesInPlace>(view: V, order: &Order) -> V {
    view.turned(&order.axes, &order.inverted)
}

/// Which element of an array of some shape, in its own logical order, is the k-th in another order.
///
/// ```
/// use cotangent_runtime::private::{memory_order, turned_place};
///
/// let x = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].reversed_axes();
/// let order = memory_order(&x);
/// assert_eq!([0, 1, 2, 3, 4, 5].map(|k| turned_place(&order, x.shape(), k)), [0, 2, 4, 1, 3, 5]);
/// ```
pub fn turned_place(order: &Order, shape: &[usize], mut k: usize) -> usize {
    let mut index: Vec<usize> = shape.iter().map(|_| 0).collect();
    for &axis in order.axes.iter().rev() {
        let at = k % shape[axis];
        index[axis] = if order.inverted.contains(&axis) { shape[axis] - 1 - at } else { at };
        k /= shape[axis];
    }
    index.iter().zip(shape).fold(0, |place, (at, length)| place * length + at)
}

/// The order in which `fold` and its like go through an array.
#[track_caller]
pub fn memory_order<S: Data, D: Dimension>(x: &ArrayBase<S, D>) -> Order {
    let rank = x.ndim();
    let mut axes: Vec<usize> = (0..rank).collect();
    let distance = |k: &usize| x.stride_of(Axis(*k)).unsigned_abs();
    if x.as_slice_memory_order().is_some() {
        // axes without extent say nothing
        let mut long: Vec<usize> = axes.iter().copied().filter(|&k| x.len_of(Axis(k)) > 1).collect();
        let places = long.clone();
        long.sort_by_key(|k| core::cmp::Reverse(distance(k)));
        places.iter().zip(&long).for_each(|(&place, &axis)| axes[place] = axis);
        let inverted = long.into_iter().filter(|&k| x.stride_of(Axis(k)) < 0).collect();
        return Order { axes, inverted };
    }
    let shortest = match rank {
        0 | 1 => None,
        2 if x.len_of(Axis(1)) <= 1 || x.len_of(Axis(0)) > 1 && distance(&0) < distance(&1) => Some(0),
        2 => None,
        _ => axes.iter().copied().filter(|&k| x.len_of(Axis(k)) > 1).min_by_key(distance),
    };
    if let Some(k) = shortest {
        axes.swap(k, rank - 1);
    }
    Order { axes, inverted: Vec::new() }
}

/// The order in which `map` and `mapv` go through an array.
///
/// ```
/// use cotangent_runtime::private::{map_order, turned};
/// use ndarray::s;
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]].reversed_axes();
/// assert_eq!(turned(x.view(), &map_order(&x)), x.t());
/// // one that is not contiguous in logical order
/// let x = ndarray::Array2::<f64>::zeros((4, 4)).reversed_axes();
/// let part = x.slice(s![..2, ..3]);
/// assert_eq!(turned(part, &map_order(&part)).shape(), [2, 3]);
/// ```
pub fn map_order<S: Data, D: Dimension>(x: &ArrayBase<S, D>) -> Order {
    if x.as_slice_memory_order().is_some() { memory_order(x) } else { Order::logical(x.ndim()) }
}

/// The order in which `zip_mut_with` goes through an array and another one, which is broadcast to it.
///
/// ```
/// use cotangent_runtime::private::{rows_order, turned};
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]].reversed_axes();
/// assert_eq!(turned(x.view(), &rows_order(&x, &x)), x.t());
/// assert_eq!(turned(x.view(), &rows_order(&x, &ndarray::array![1.0, 2.0])), x);
/// ```
///
/// # Panics
/// If the shape of `y` does not broadcast to that of `x`.
#[track_caller]
pub fn rows_order<S: Data, T: Data, D: Dimension, E: Dimension>(x: &ArrayBase<S, D>, y: &ArrayBase<T, E>) -> Order {
    let rank = x.ndim();
    let alike = || {
        x.shape() == y.shape()
            && (0..rank).all(|k| x.len_of(Axis(k)) <= 1 || x.stride_of(Axis(k)) == y.stride_of(Axis(k)))
            && x.as_slice_memory_order().is_some()
            && y.as_slice_memory_order().is_some()
    };
    if y.ndim() == 0 || alike() {
        return memory_order(x);
    }
    let (x, y) = (x.view().into_dyn(), y.view().into_dyn());
    let y = y.broadcast(x.raw_dim()).expect("the shape of the one broadcasts to that of the other");
    if x.is_empty() {
        return Order::logical(rank);
    }
    // over the lanes along the last axis, and along each of them
    let last = Axis(rank - 1);
    let layouts = [layout(&x.index_axis(last, 0)), layout(&y.index_axis(last, 0))];
    let mut order = zip_order(rank - 1, &layouts);
    order.axes.push(rank - 1);
    order
}

/// The order in which `accumulate_axis_inplace` goes through the elements that have one before them.
///
/// ```
/// use cotangent_runtime::private::{accumulation_order, turned};
/// use ndarray::{Axis, s};
///
/// let x = ndarray::Array2::<f64>::zeros((4, 2)).reversed_axes();
/// assert_eq!(turned(x.slice(s![.., 1..]), &accumulation_order(&x, Axis(1))).shape(), [3, 2]);
/// ```
///
/// # Panics
/// If the axis is out of bounds.
#[track_caller]
pub fn accumulation_order<S: Data, D: Dimension>(x: &ArrayBase<S, D>, axis: Axis) -> Order {
    let n = x.len_of(axis);
    if n <= 1 {
        return Order::logical(x.ndim());
    }
    let parts = [Slice::from(..n - 1), Slice::from(1..)].map(|part| layout(&x.slice_axis(axis, part)));
    zip_order(x.ndim(), &parts)
}

/// The order in which `Zip` goes through arrays with so many axes.
///
/// ```
/// use cotangent_runtime::private::{layout, turned, zip_order};
///
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]].reversed_axes();
/// let order = zip_order(2, &[layout(&x), layout(&x)]);
/// assert_eq!(turned(x.view(), &order), x.t());
/// ```
pub fn zip_order(rank: usize, layouts: &[Layout]) -> Order {
    let axes = 0..rank;
    let axes = if first_fastest(layouts) { axes.rev().collect() } else { axes.collect() };
    Order { axes, inverted: Vec::new() }
}

#[cfg(test)]
pub(crate) mod tests {
    use ndarray::{Array3, ArrayView3, Axis, Zip, s};

    use super::{accumulation_order, map_order, memory_order, rows_order, turned, zip_order};
    use crate::layout::{lane_layout, layout, zip_zeros};

    pub(crate) fn arrays() -> Vec<Array3<f64>> {
        let mut k = 0.0;
        let x = Array3::from_shape_simple_fn((2, 3, 4), || {
            k += 1.0;
            k
        });
        let mut all = vec![x.clone()];
        for axes in [[0, 2, 1], [1, 0, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            all.push(x.clone().permuted_axes(axes));
        }
        let mut inverted = x.clone().permuted_axes([1, 2, 0]);
        inverted.invert_axis(Axis(0));
        inverted.invert_axis(Axis(2));
        all.push(inverted);
        let parts: Vec<_> = all.iter().map(|x| x.clone().slice_move(s![..;2, 1.., ..])).collect();
        all.extend(parts);
        all.push(x.slice_move(s![..0, .., ..]));
        all
    }

    pub(crate) fn in_order(x: &ArrayView3<'_, f64>) -> Vec<f64> {
        x.fold(Vec::new(), |mut seen, &v| {
            seen.push(v);
            seen
        })
    }

    #[test]
    fn the_order_of_fold() {
        for x in arrays() {
            let order = memory_order(&x);
            assert_eq!(turned(x.view(), &order).iter().copied().collect::<Vec<_>>(), in_order(&x.view()), "{x:?}");
            // turned and changed through the view, the elements are the same ones
            let mut y = x.clone();
            turned(y.view_mut(), &order).iter_mut().zip(in_order(&x.view())).for_each(|(y, x)| *y -= x);
            assert!(y.iter().all(|y| *y == 0.0));
        }
    }

    #[test]
    fn the_order_of_zip() {
        for x in arrays() {
            for y in arrays().into_iter().filter(|y| y.shape() == x.shape()) {
                let order = zip_order(3, &[layout(&x), layout(&y)]);
                let mut seen = Vec::new();
                Zip::from(&x).and(&y).for_each(|x, _| seen.push(*x));
                assert_eq!(turned(x.view(), &order).iter().copied().collect::<Vec<_>>(), seen, "{x:?} {y:?}");
                let sum = Zip::from(&x).and(&y).map_collect(|x, y| x + y);
                assert_eq!(zip_zeros(&x, &[layout(&x), layout(&y)]).strides(), sum.strides());
            }
        }
    }

    #[test]
    fn the_order_of_map() {
        for x in arrays() {
            let mut seen = Vec::new();
            x.map(|x| seen.push(*x));
            assert_eq!(turned(x.view(), &map_order(&x)).iter().copied().collect::<Vec<_>>(), seen, "{x:?}");
        }
    }

    #[test]
    fn the_order_of_zip_mut_with() {
        let all = arrays();
        for x in &all {
            for y in all.iter().filter(|y| y.shape() == x.shape()) {
                let (mut seen, mut target) = (Vec::new(), x.clone());
                target.zip_mut_with(y, |x, _| seen.push(*x));
                let order = rows_order(x, y);
                assert_eq!(turned(x.view(), &order).iter().copied().collect::<Vec<_>>(), seen, "{x:?} {y:?}");
            }
        }
    }

    #[test]
    fn the_order_of_accumulation() {
        for x in arrays() {
            for axis in 0..3 {
                let (mut seen, mut target) = (Vec::new(), x.clone());
                target.accumulate_axis_inplace(Axis(axis), |_, x| seen.push(*x));
                let now = x.slice_axis(Axis(axis), (1.min(x.shape()[axis])..).into());
                let order = accumulation_order(&x, Axis(axis));
                assert_eq!(turned(now, &order).iter().copied().collect::<Vec<_>>(), seen, "{x:?} {axis}");
            }
        }
    }

    #[test]
    fn the_order_of_lanes() {
        for x in arrays().into_iter().filter(|x| !x.is_empty()) {
            for axis in 0..3 {
                let mut seen = Vec::new();
                x.map_axis(Axis(axis), |lane| seen.push(lane[0]));
                let order = zip_order(2, &[lane_layout(&x, Axis(axis))]);
                let first = x.index_axis(Axis(axis), 0);
                assert_eq!(turned(first, &order).iter().copied().collect::<Vec<_>>(), seen, "{x:?} {axis}");
            }
        }
    }
}
