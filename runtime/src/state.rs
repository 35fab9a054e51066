//! What closures change that are handed to functions.
//!
//! A function that is handed a closure calls it as often as it likes, and its pullback undoes these calls, the last one
//! first. What the closure changes of the function around it is in a [`State`] meanwhile: every call takes it and leaves it
//! changed. In the reverse sweep its cotangent is in a [`Back`]: every pullback of the closure takes the cotangent of what its
//! call has left, and leaves that of what the call has found.

use alloc::sync::Arc;
use core::ops::DerefMut;

/// Something that one thread has at a time.
#[cfg(feature = "std")]
struct Lock<T>(std::sync::Mutex<T>);

#[cfg(feature = "std")]
impl<T> Lock<T> {
    fn new(value: T) -> Self {
        Lock(std::sync::Mutex::new(value))
    }

    fn get(&self) -> impl DerefMut<Target = T> + use<'_, T> {
        // what a panic has left is set again before it is used
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Without threads it is not `Sync`.
#[cfg(not(feature = "std"))]
struct Lock<T>(core::cell::RefCell<T>);

#[cfg(not(feature = "std"))]
impl<T> Lock<T> {
    fn new(value: T) -> Self {
        Lock(core::cell::RefCell::new(value))
    }

    fn get(&self) -> impl DerefMut<Target = T> + use<'_, T> {
        self.0.borrow_mut()
    }
}

/// A variable that a closure changes, as long as the function runs that the closure is handed to.
pub struct State<S>(Arc<Lock<Option<S>>>);

impl<S> Clone for State<S> {
    #[inline]
    fn clone(&self) -> Self {
        State(Arc::clone(&self.0))
    }
}

impl<S> State<S> {
    /// With the value before the first call.
    #[inline]
    pub fn new(value: S) -> Self {
        State(Arc::new(Lock::new(Some(value))))
    }

    /// What a call finds.
    ///
    /// # Panics
    /// If a call before it has panicked.
    #[inline]
    #[must_use]
    pub fn take(&self) -> S {
        self.0.get().take().expect("what a closure changes is there unless a call of it has panicked")
    }

    /// What a call leaves.
    #[inline]
    pub fn put(&self, value: S) {
        *self.0.get() = Some(value);
    }
}

/// The cotangent of such a variable.
pub struct Back<D>(Arc<Undoing<D>>);

struct Undoing<D> {
    /// Whoever undoes the calls has it.
    turn: Lock<()>,
    cotangent: Lock<Option<D>>,
}

impl<D> Clone for Back<D> {
    #[inline]
    fn clone(&self) -> Self {
        Back(Arc::clone(&self.0))
    }
}

impl<D> Back<D> {
    /// Of a variable, for its type.
    #[inline]
    pub fn of<S: crate::Differentiable<Tangent = D>>(_: &State<S>) -> Self {
        Self::empty()
    }

    /// The same, of one that may have no tangents, from its zero tangent.
    #[inline]
    pub fn like(_: &D) -> Self {
        Self::empty()
    }

    fn empty() -> Self {
        Back(Arc::new(Undoing { turn: Lock::new(()), cotangent: Lock::new(None) }))
    }

    /// The cotangent of what a call has left.
    ///
    /// # Panics
    /// If a pullback before it has panicked, or is called outside of the function that the closure was handed to.
    #[inline]
    #[must_use]
    pub fn take(&self) -> D {
        self.0
            .cotangent
            .get()
            .take()
            .expect("the pullback of a closure is called by that of the function it is handed to")
    }

    /// The cotangent of what a call has found.
    #[inline]
    pub fn put(&self, cotangent: D) {
        *self.0.cotangent.get() = Some(cotangent);
    }

    /// The pullback of the function that a closure was handed to, from the cotangent of the variable after all calls to
    /// that before them.
    ///
    /// ```
    /// use cotangent_runtime::private::{Back, State};
    ///
    /// // s *= x, three times
    /// let (state, x) = (State::new(5.0), 2.0);
    /// let back = Back::of(&state);
    /// let mut found = Vec::new();
    /// for _ in 0..3 {
    ///     let s = state.take();
    ///     state.put(s * x);
    ///     found.push(s);
    /// }
    /// let undo = back.clone();
    /// let pullback = back.around(move |()| {
    ///     let mut x_bar = 0.0;
    ///     for s in found.iter().rev() {
    ///         let s_bar: f64 = undo.take();
    ///         x_bar += s_bar * s;
    ///         undo.put(s_bar * x);
    ///     }
    ///     x_bar
    /// });
    /// assert_eq!((state.take(), pullback(((), 1.0))), (40.0, (60.0, 8.0)));
    /// ```
    #[inline]
    pub fn around<X, R>(self, pullback: impl Fn(X) -> R) -> impl Fn((X, D)) -> (R, D) {
        move |(seed, cotangent)| {
            let turn = self.0.turn.get();
            self.put(cotangent);
            let entries = pullback(seed);
            let before = self.take();
            drop(turn);
            (entries, before)
        }
    }
}

/// A variable that a closure changes in a sweep that is not undone.
pub struct Local<S>(Option<S>);

impl<S> Local<S> {
    /// With the value before the first call.
    #[inline]
    pub fn new(value: S) -> Self {
        Local(Some(value))
    }

    /// What a call finds.
    ///
    /// # Panics
    /// If a call before it has panicked.
    #[inline]
    pub fn take(&mut self) -> S {
        self.0.take().expect("what a closure changes is there unless a call of it has panicked")
    }

    /// What a call leaves.
    #[inline]
    pub fn put(&mut self, value: S) {
        self.0 = Some(value);
    }
}

/// A function with state that is handed on: everything it is handed to calls the same one.
pub struct Shared<F>(Arc<Lock<F>>);

impl<F> Clone for Shared<F> {
    #[inline]
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<F> Shared<F> {
    /// Takes the function.
    #[inline]
    pub fn new(function: F) -> Self {
        Shared(Arc::new(Lock::new(function)))
    }

    /// The function, for one call.
    #[inline]
    pub fn get(&self) -> impl DerefMut<Target = F> + use<'_, F> {
        self.0.get()
    }
}
