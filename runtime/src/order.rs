//! The order that sorting brings the items of a sequence into.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The positions of the items in the order of a comparison; equal items stay as they are.
///
/// ```
/// use cotangent_runtime::private::order;
///
/// assert_eq!(order(&[3.0_f64, 1.0, 2.0], |a, b| a.total_cmp(b)), [1, 2, 0]);
/// ```
#[inline]
pub fn order<T>(items: &[T], mut compare: impl FnMut(&T, &T) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&i, &j| compare(&items[i], &items[j]));
    order
}

/// The positions of the items in the order of their keys.
///
/// ```
/// use cotangent_runtime::private::order_by_key;
///
/// assert_eq!(order_by_key(&[3.0_f64, 1.0, 2.0], |x| (10.0 * x) as i32), [1, 2, 0]);
/// ```
#[inline]
pub fn order_by_key<T, K: Ord>(items: &[T], mut key: impl FnMut(&T) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| key(&items[i]));
    order
}

/// The positions of the items in the order that `select_nth_unstable_by` leaves them in.
///
/// ```
/// use cotangent_runtime::private::select;
///
/// let order = select(&[3.0_f64, 1.0, 4.0, 2.0], 1, |a, b| a.total_cmp(b));
/// assert_eq!((order[0], order[1]), (1, 3));
/// ```
#[inline]
pub fn select<T>(items: &[T], n: usize, mut compare: impl FnMut(&T, &T) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.select_nth_unstable_by(n, |&i, &j| compare(&items[i], &items[j]));
    order
}

/// The positions of the items in the order that `select_nth_unstable_by_key` leaves them in.
///
/// ```
/// use cotangent_runtime::private::select_by_key;
///
/// let order = select_by_key(&[3.0_f64, 1.0, 4.0, 2.0], 3, |x| (10.0 * x) as i32);
/// assert_eq!(order[3], 2);
/// ```
#[inline]
pub fn select_by_key<T, K: Ord>(items: &[T], n: usize, mut key: impl FnMut(&T) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.select_nth_unstable_by_key(n, |&i| key(&items[i]));
    order
}

/// Where the parts of a slice begin and end, one after the other, if there are `gap` items between two of them.
///
/// ```
/// use cotangent_runtime::private::bounds;
///
/// let x = [1, 2, 0, 3];
/// assert_eq!(bounds(x.split(|t| *t == 0), 1), [0, 2, 3, 4]);
/// assert_eq!(bounds(x.chunk_by(|a, b| a < b), 0), [0, 2, 2, 4]);
/// ```
#[inline]
pub fn bounds<'a, T: 'a>(parts: impl Iterator<Item = &'a [T]>, gap: usize) -> Vec<usize> {
    let (mut bounds, mut at) = (Vec::new(), 0);
    for part in parts {
        bounds.extend([at, at + part.len()]);
        at += part.len() + gap;
    }
    bounds
}
