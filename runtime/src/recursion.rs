//! Functions that call themselves.
//!
//! All calls share one vector of *frames*: each leaves in it what its pullback needs, after those that it makes, and a
//! caller keeps the position of that frame. Closures cannot call themselves by a name; so each is handed itself. The
//! compiler infers what a frame is.

use alloc::vec::Vec;
use core::hint::black_box;

macro_rules! forward {
    ($($name:ident: $($changed:ident $arg:ident)*;)*) => {$(
        /// The forward sweep of a function that calls itself: its arguments, those that it changes, and the frames.
        pub struct $name<'f, A, $($changed: ?Sized,)* F, Y>(
            #[allow(clippy::type_complexity)]
            pub &'f dyn Fn(&$name<'_, A, $($changed,)* F, Y>, A, $(&mut $changed,)* &mut Vec<F>) -> Y,
        );

        impl<A, $($changed: ?Sized,)* F, Y> $name<'_, A, $($changed,)* F, Y> {
            /// Begins. What is called must not be seen through: a recursion that is put into itself has no end.
            #[inline]
            pub fn begin(&self, arguments: A, $($arg: &mut $changed,)* frames: &mut Vec<F>) -> (Y, usize) {
                black_box(self).call(arguments, $($arg,)* frames)
            }

            /// Calls the function. Gives its value, and the position of its frame. Inlined so that each level of a deep
            /// recursion takes less of the stack.
            #[inline(always)]
            pub fn call(&self, arguments: A, $($arg: &mut $changed,)* frames: &mut Vec<F>) -> (Y, usize) {
                let value = (self.0)(self, arguments, $($arg,)* frames);
                (value, frames.len() - 1)
            }
        }
    )*};
}

forward! {
    Forward:;
    Forward1: M1 m1;
    Forward2: M1 m1 M2 m2;
    Forward3: M1 m1 M2 m2 M3 m3;
}

/// The reverse sweep of a function that calls itself: the position of a frame, and the cotangent of the results of the
/// call that left it.
///
/// ```
/// use cotangent_runtime::private::{Forward, Undo};
/// // x^n
/// let mut frames = Vec::new();
/// let power = |again: &Forward<'_, (f64, u32), _, f64>, (x, n): (f64, u32), frames: &mut Vec<_>| {
///     let (below, at) = if n == 0 { (1.0, 0) } else { again.call((x, n - 1), frames) };
///     frames.push((x, n, below, at));
///     if n == 0 { 1.0 } else { x * below }
/// };
/// let (value, at) = Forward(&power).begin((3.0, 4), &mut frames);
/// let undo = |again: &Undo<'_, f64, f64>, at: usize, y_bar: f64| {
///     let &(x, n, below, at) = &frames[at];
///     if n == 0 { 0.0 } else { y_bar * below + again.call(at, y_bar * x) }
/// };
/// assert_eq!((value, Undo(&undo).begin(at, 1.0)), (81.0, 108.0));
/// ```
pub struct Undo<'f, S, E>(#[allow(clippy::type_complexity)] pub &'f dyn Fn(&Undo<'_, S, E>, usize, S) -> E);

impl<S, E> Undo<'_, S, E> {
    /// Begins. See [`Forward::begin`].
    #[inline]
    pub fn begin(&self, frame: usize, seed: S) -> E {
        black_box(self).call(frame, seed)
    }

    /// Undoes the call that left the frame at this position. Gives the cotangents of its arguments.
    #[inline(always)]
    pub fn call(&self, frame: usize, seed: S) -> E {
        (self.0)(self, frame, seed)
    }
}
