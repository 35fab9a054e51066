//! Values that stay where they are, so that the pullback of a call can go on borrowing what the call was given.
//!
//! A companion returns its pullback, and that holds the pullbacks of the calls inside. Such a pullback borrows what its
//! function borrows. Where that is a local value of the caller, the value is put into a [`Held`] first, and both
//! leave the function together. Rust has no safe way to return a value and something that borrows from it; this is one of
//! the few places with `unsafe` code.

#![allow(unsafe_code)]

use alloc::boxed::Box;
use core::ptr::NonNull;

/// A value on the heap that does not move until it is dropped.
///
/// # Contract
/// Generated code keeps it in the same closure as everything that came from [`Held::get`], and nothing else has it: the
/// references never outlive it. It must not be used otherwise.
pub struct Held<T> {
    value: NonNull<T>,
}

impl<T> Held<T> {
    /// Takes a value.
    #[inline]
    pub fn new(value: T) -> Self {
        // a raw pointer and no `Box`: moving a `Box` asserts that nothing else points into it
        let value = NonNull::from(Box::leak(Box::new(value)));
        Held { value }
    }

    /// A reference to the value for as long as the closure that holds it lives.
    #[inline]
    pub fn get<'a>(&self) -> &'a T {
        // SAFETY: the pointer comes from a box that is freed only when `self` is dropped; nobody has it mutably any more.
        // That the reference is not used after that is the contract of this type.
        unsafe { self.value.as_ref() }
    }

    /// A mutable reference to the value, for a call that may change it. What the call gives may borrow from it.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn get_mut<'a>(&self) -> &'a mut T {
        // SAFETY: as for `get`. It is the first reference that generated code takes, and used for one call only; those
        // that come after are shared, as what the call gives has the reference shared if at all.
        unsafe { &mut *self.value.as_ptr() }
    }
}

/// A pullback and what it borrows from: a closure that calls it captures both.
#[derive(Debug)]
pub struct WithHeld<P, H> {
    pullback: P,
    _held: H,
}

impl<P, H> WithHeld<P, H> {
    /// Keeps both together.
    #[inline]
    pub fn new(pullback: P, held: H) -> Self {
        WithHeld { pullback, _held: held }
    }

    /// The pullback.
    #[inline]
    pub fn pullback(&self) -> &P {
        &self.pullback
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer was leaked from a box in `new`, and is freed once.
        drop(unsafe { Box::from_raw(self.value.as_ptr()) });
    }
}

// SAFETY: it owns its value like a box, and hands out shared references only.
unsafe impl<T: Send> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Held<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn sum_vjp(x: &[f64]) -> (f64, impl Fn(f64) -> Vec<f64>) {
        (x.iter().map(|x| x * x).sum(), move |g| x.iter().map(|x| 2.0 * g * x).collect())
    }

    fn local(x: f64) -> impl Fn(f64) -> f64 {
        let held = Held::new(vec![x, 2.0 * x]);
        let pullback = sum_vjp(held.get()).1;
        move |g| {
            let _ = &held;
            let d = pullback(g);
            d[0] + 2.0 * d[1]
        }
    }

    #[test]
    fn a_pullback_outlives_the_function_whose_local_it_borrows() {
        let pullback = local(3.0);
        let moved = Box::new(pullback);
        assert_eq!((moved(1.0), moved(0.5)), (30.0, 15.0));
    }
}
