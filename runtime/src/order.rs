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
