//! The items of iterators that the macro keeps as they are written: a reference is replaced by a clone of
//! what it refers to, if that can be cloned.
//!
//! `(&&&&Items::new(it)).plain()` with all traits in scope finds the method of the first trait that fits, the others being
//! one reference further away each.

use core::cell::Cell;
use core::iter::Cloned;

/// An iterator that is asked for its items.
///
/// ```
/// use cotangent_runtime::private::plain::{AnyItems as _, Items, PairItems as _, RefItems as _, ValueItems as _};
/// use std::collections::BTreeMap;
///
/// let weights = vec![1.0, 2.0];
/// assert_eq!((&&&&Items::new(weights.iter())).plain().collect::<Vec<f64>>(), [1.0, 2.0]);
/// let names = vec!["a".to_string()];
/// assert_eq!((&&&&Items::new(names.iter())).plain().collect::<Vec<String>>(), names);
/// let map = BTreeMap::from([(1, 2.0)]);
/// assert_eq!((&&&&Items::new(map.iter())).plain().collect::<Vec<(i32, f64)>>(), [(1, 2.0)]);
/// assert_eq!((&&&&Items::new("ab".chars())).plain().rev().collect::<Vec<char>>(), ['b', 'a']);
/// ```
pub struct Items<I>(Cell<Option<I>>);

impl<I: Iterator> Items<I> {
    /// Asks.
    #[inline]
    pub fn new(it: impl IntoIterator<IntoIter = I>) -> Self {
        Self(Cell::new(Some(it.into_iter())))
    }

    fn get(&self) -> I {
        self.0.take().expect("it is asked for once")
    }
}

/// References to what can be cloned.
pub trait RefItems {
    /// The clones.
    type Plain;

    /// The clones.
    fn plain(&self) -> Self::Plain;
}

impl<'a, T: Clone + 'a, I: Iterator<Item = &'a T>> RefItems for &&&Items<I> {
    type Plain = Cloned<I>;

    #[inline]
    fn plain(&self) -> Cloned<I> {
        self.get().cloned()
    }
}

/// Pairs of references to what can be cloned.
pub trait PairItems {
    /// The pairs of clones.
    type Plain;

    /// The pairs of clones.
    fn plain(&self) -> Self::Plain;
}

impl<'a, K: Clone + 'a, V: Clone + 'a, I: Iterator<Item = (&'a K, &'a V)>> PairItems for &&Items<I> {
    type Plain = core::iter::Map<I, fn((&'a K, &'a V)) -> (K, V)>;

    #[inline]
    fn plain(&self) -> Self::Plain {
        self.get().map(|(k, v)| (k.clone(), v.clone()))
    }
}

/// Pairs of anything and a reference to what can be cloned.
pub trait ValueItems {
    /// The pairs with clones.
    type Plain;

    /// The pairs with clones.
    fn plain(&self) -> Self::Plain;
}

impl<'a, K, V: Clone + 'a, I: Iterator<Item = (K, &'a V)>> ValueItems for &Items<I> {
    type Plain = core::iter::Map<I, fn((K, &'a V)) -> (K, V)>;

    #[inline]
    fn plain(&self) -> Self::Plain {
        self.get().map(|(k, v)| (k, v.clone()))
    }
}

/// Anything else.
pub trait AnyItems {
    /// The items.
    type Plain;

    /// The items.
    fn plain(&self) -> Self::Plain;
}

impl<I: Iterator> AnyItems for Items<I> {
    type Plain = I;

    #[inline]
    fn plain(&self) -> I {
        self.get()
    }
}
