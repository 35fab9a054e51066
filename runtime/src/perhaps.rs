//! Calls of functions of which only the compiler knows whether they change an argument.
//!
//! The macro sees `s.f(x)` or `f(s, x)`, not the signature. Where `s` may be changed, it takes the call for one that does,
//! and what the companion gives shows whether that is so: the pullback of a function that changes `s` takes the
//! cotangent of the new `s` beside that of the result, and gives that of the old one; that of a function that only reads it
//! takes none, and what it gives is added to the cotangent of `s`. A result in which nothing has a derivative has the
//! cotangent `()`, whatever its type. All have the same method on [`Perhaps`], which is looked for with more and with fewer
//! references, in the order in which the cases are told apart.

use crate::tangent::{Differentiable, Tangent};

/// A pullback, the cotangent of the result, and that of the `K`-th argument after the call.
///
/// ```
/// use cotangent_runtime::private::{ChangedAlone as _, ChangedSelf as _, ChangedSelfOnly as _, Perhaps, ReadSelf as _};
/// let changes = |(y, s): (f64, f64)| (10.0 * s + y, 2.0);
/// let reads = |y: f64| (10.0 * y, 2.0);
/// assert_eq!((&&&Perhaps::<_, _, _, 0>(&changes, 1.0, 3.0)).pull(), (31.0, 2.0));
/// assert_eq!((&&&Perhaps::<_, _, _, 0>(&reads, 1.0, 3.0)).pull(), (13.0, 2.0));
/// assert_eq!((&&&Perhaps::<_, _, _, 1>(&reads, 1.0, 3.0)).pull(), (10.0, 5.0));
/// let found = |((), s): ((), f64)| (10.0 * s, 2.0);
/// assert_eq!((&&&Perhaps::<_, _, _, 0>(&found, Some(()), 3.0)).pull(), (30.0, 2.0));
/// let alone = |s: f64| (10.0 * s, 2.0);
/// assert_eq!((&&&Perhaps::<_, _, _, 0>(&alone, (), 3.0)).pull(), (30.0, 2.0));
/// ```
pub struct Perhaps<'p, P, Y, S, const K: usize>(pub &'p P, pub Y, pub S);

/// Pullbacks of methods that change `self`.
pub trait ChangedSelf {
    /// The cotangents of the arguments.
    type Entries;

    /// The cotangent of `self`, if there are no other arguments.
    fn pull_self(&self) -> Self::Entries;

    /// The cotangents of `self` and of the other arguments.
    fn pull(&self) -> Self::Entries;
}

impl<P, Y, S, E, const K: usize> ChangedSelf for &&Perhaps<'_, P, Y, S, K>
where
    P: Fn((Y, S)) -> E,
    Y: Clone,
    S: Clone,
{
    type Entries = E;

    #[inline]
    fn pull_self(&self) -> E {
        (self.0)((self.1.clone(), self.2.clone()))
    }

    #[inline]
    fn pull(&self) -> E {
        self.pull_self()
    }
}

/// Pullbacks of methods that read `self` and have no other arguments.
pub trait ReadSelfOnly {
    /// The cotangent of `self`.
    type Entry;

    /// The cotangent of `self`.
    fn pull_self(&self) -> Self::Entry;
}

impl<P: Fn(Y) -> S, Y: Clone, S: Tangent> ReadSelfOnly for &&&Perhaps<'_, P, Y, S, 0> {
    type Entry = S;

    #[inline]
    fn pull_self(&self) -> S {
        let mut entry = (self.0)(self.1.clone());
        entry.accumulate(&self.2);
        entry
    }
}

/// Pullbacks of methods that read `self` and have other arguments.
pub trait ReadSelf {
    /// The cotangents of the arguments.
    type Entries;

    /// The cotangents of `self` and of the other arguments.
    fn pull(&self) -> Self::Entries;
}

impl<P: Fn(Y) -> E, Y: Clone, S, E: Nth<K, S>, const K: usize> ReadSelf for &&&Perhaps<'_, P, Y, S, K> {
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0)(self.1.clone());
        entries.add_to(&self.2);
        entries
    }
}

/// Pullbacks of methods that change `self` and whose result has no derivative.
pub trait ChangedSelfOnly {
    /// The cotangents of the arguments.
    type Entries;

    /// The cotangent of `self`, if there are no other arguments.
    fn pull_self(&self) -> Self::Entries;

    /// The cotangents of `self` and of the other arguments.
    fn pull(&self) -> Self::Entries;
}

impl<P: Fn(((), S)) -> E, Y, S: Clone, E, const K: usize> ChangedSelfOnly for &Perhaps<'_, P, Y, S, K> {
    type Entries = E;

    #[inline]
    fn pull_self(&self) -> E {
        (self.0)(((), self.2.clone()))
    }

    #[inline]
    fn pull(&self) -> E {
        self.pull_self()
    }
}

/// Pullbacks of methods that change `self` and give `()`.
pub trait ChangedAlone {
    /// The cotangents of the arguments.
    type Entries;

    /// The cotangent of `self`, if there are no other arguments.
    fn pull_self(&self) -> Self::Entries;

    /// The cotangents of `self` and of the other arguments.
    fn pull(&self) -> Self::Entries;
}

impl<P: Fn(S) -> E, S: Clone, E, const K: usize> ChangedAlone for Perhaps<'_, P, (), S, K> {
    type Entries = E;

    #[inline]
    fn pull_self(&self) -> E {
        (self.0)(self.2.clone())
    }

    #[inline]
    fn pull(&self) -> E {
        self.pull_self()
    }
}

/// Entries of several arguments, of which the `K`-th is of type `S`.
pub trait Nth<const K: usize, S> {
    /// Adds to that.
    fn add_to(&mut self, other: &S);
}

macro_rules! nth {
    ($($k:tt: $($before:ident)* => $($after:ident)*;)*) => {$(
        impl<S: Tangent, $($before,)* $($after),*> Nth<$k, S> for ($($before,)* S, $($after),*) {
            #[inline]
            fn add_to(&mut self, other: &S) {
                self.$k.accumulate(other);
            }
        }
    )*};
}

nth! {
    0: => A;
    0: => A B;
    0: => A B C;
    0: => A B C D;
    0: => A B C D E;
    0: => A B C D E F;
    0: => A B C D E F G;
    0: => A B C D E F G H;
    0: => A B C D E F G H I;
    0: => A B C D E F G H I J;
    0: => A B C D E F G H I J K;
    0: => A B C D E F G H I J K L;
    0: => A B C D E F G H I J K L M;
    0: => A B C D E F G H I J K L M N;
    0: => A B C D E F G H I J K L M N O;
    1: A => ;
    1: A => B;
    1: A => B C;
    1: A => B C D;
    1: A => B C D E;
    1: A => B C D E F;
    1: A => B C D E F G;
    1: A => B C D E F G H;
    1: A => B C D E F G H I;
    1: A => B C D E F G H I J;
    1: A => B C D E F G H I J K;
    1: A => B C D E F G H I J K L;
    1: A => B C D E F G H I J K L M;
    1: A => B C D E F G H I J K L M N;
    1: A => B C D E F G H I J K L M N O;
    2: A B => ;
    2: A B => C;
    2: A B => C D;
    2: A B => C D E;
    2: A B => C D E F;
    2: A B => C D E F G;
    2: A B => C D E F G H;
    2: A B => C D E F G H I;
    2: A B => C D E F G H I J;
    2: A B => C D E F G H I J K;
    2: A B => C D E F G H I J K L;
    2: A B => C D E F G H I J K L M;
    2: A B => C D E F G H I J K L M N;
    2: A B => C D E F G H I J K L M N O;
    3: A B C => ;
    3: A B C => D;
    3: A B C => D E;
    3: A B C => D E F;
    3: A B C => D E F G;
    3: A B C => D E F G H;
    3: A B C => D E F G H I;
    3: A B C => D E F G H I J;
    3: A B C => D E F G H I J K;
    3: A B C => D E F G H I J K L;
    3: A B C => D E F G H I J K L M;
    3: A B C => D E F G H I J K L M N;
    3: A B C => D E F G H I J K L M N O;
    4: A B C D => ;
    4: A B C D => E;
    4: A B C D => E F;
    4: A B C D => E F G;
    5: A B C D E => ;
    5: A B C D E => F;
    5: A B C D E => F G;
    6: A B C D E F => ;
    6: A B C D E F => G;
    7: A B C D E F G => ;
}

/// What a method returned, what its `_jvp` gives beside it, and the tangent of `self` before the call.
///
/// ```
/// use cotangent_runtime::private::{AloneDot as _, BothDots as _, OneDot as _, PerhapsDots, SelfDot as _};
/// assert_eq!((&&&PerhapsDots(&1.0, (2.0, 3.0_f32), 4.0_f32)).split(), (2.0, 3.0));
/// assert_eq!((&&&PerhapsDots(&1.0, 2.0, 4.0_f32)).split(), (2.0, 4.0));
/// assert_eq!((&&&PerhapsDots(&Some(1_usize), ((), 3.0), 4.0)).split(), ((), 3.0));
/// assert_eq!((&&&PerhapsDots(&(1_usize, 2.0), ((), 3.0), 4.0)).split(), (((), 3.0), 4.0));
/// assert_eq!((&&&PerhapsDots(&(), 3.0, 4.0)).split(), ((), 3.0));
/// ```
pub struct PerhapsDots<'y, Y, D, S>(pub &'y Y, pub D, pub S);

/// The tangents of a method that changes `self`.
pub trait BothDots {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<Y: Differentiable, S: Clone> BothDots for &&&PerhapsDots<'_, Y, (Y::Tangent, S), S> {
    type Dots = (Y::Tangent, S);

    #[inline]
    fn split(self) -> (Y::Tangent, S) {
        self.1.clone()
    }
}

/// The tangent of a method that reads `self`.
pub trait OneDot {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<Y: Differentiable, S: Clone> OneDot for &&&&PerhapsDots<'_, Y, Y::Tangent, S> {
    type Dots = (Y::Tangent, S);

    #[inline]
    fn split(self) -> (Y::Tangent, S) {
        (self.1.clone(), self.2.clone())
    }
}

impl<Y, D: Clone, S: Clone> OneDot for &PerhapsDots<'_, Y, D, S> {
    type Dots = (D, S);

    #[inline]
    fn split(self) -> (D, S) {
        (self.1.clone(), self.2.clone())
    }
}

/// The tangent of a method that changes `self` and whose result has no derivative.
pub trait SelfDot {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<Y, S: Clone> SelfDot for &&PerhapsDots<'_, Y, ((), S), S> {
    type Dots = ((), S);

    #[inline]
    fn split(self) -> ((), S) {
        self.1.clone()
    }
}

/// The tangent of a method that changes `self` and gives `()`.
pub trait AloneDot {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<S: Clone> AloneDot for &&&PerhapsDots<'_, (), S, S> {
    type Dots = ((), S);

    #[inline]
    fn split(self) -> ((), S) {
        ((), self.1.clone())
    }
}

/// What a method returned, what its `_jvp` gives beside it, the tangent of `self` before the call, and the cotangents of the
/// tangents of the result and of `self` after it: the adjoint of [`PerhapsDots`].
///
/// ```
/// use cotangent_runtime::private::{AloneBar as _, BothBars as _, OneBar as _, PerhapsBars, SelfBar as _};
/// assert_eq!((&&&PerhapsBars(&1.0, &(2.0, 3.0_f32), &4.0_f32, 5.0, 6.0_f32)).join(), ((5.0, 6.0), 0.0));
/// assert_eq!((&&&PerhapsBars(&1.0, &2.0, &4.0_f32, 5.0, 6.0_f32)).join(), (5.0, 6.0));
/// assert_eq!((&&&PerhapsBars(&Some(1_usize), &((), 3.0), &4.0, Some(()), 6.0)).join(), (((), 6.0), 0.0));
/// assert_eq!((&&&PerhapsBars(&(), &3.0, &4.0, (), 6.0)).join(), (6.0, 0.0));
/// ```
pub struct PerhapsBars<'y, Y, D, S, B>(pub &'y Y, pub &'y D, pub &'y S, pub B, pub S);

/// The cotangents of a method that changes `self`.
pub trait BothBars {
    /// The cotangents of what `_jvp` gives beside the value, and of the tangent of `self` before the call.
    type Bars;

    /// These.
    fn join(self) -> Self::Bars;
}

impl<Y, S> BothBars for &&&PerhapsBars<'_, Y, (Y::Tangent, S), S, Y::Tangent>
where
    Y: Differentiable,
    S: Differentiable<Tangent = S> + Clone,
{
    type Bars = ((Y::Tangent, S), S);

    #[inline]
    fn join(self) -> ((Y::Tangent, S), S) {
        ((self.3.clone(), self.4.clone()), self.2.zero_tangent())
    }
}

/// The cotangents of a method that reads `self`.
pub trait OneBar {
    /// The cotangents of what `_jvp` gives beside the value, and of the tangent of `self` before the call.
    type Bars;

    /// These.
    fn join(self) -> Self::Bars;
}

impl<Y: Differentiable, S: Clone, B: Clone> OneBar for &&&&PerhapsBars<'_, Y, Y::Tangent, S, B> {
    type Bars = (B, S);

    #[inline]
    fn join(self) -> (B, S) {
        (self.3.clone(), self.4.clone())
    }
}

impl<Y, D, S: Clone, B: Clone> OneBar for &PerhapsBars<'_, Y, D, S, B> {
    type Bars = (B, S);

    #[inline]
    fn join(self) -> (B, S) {
        (self.3.clone(), self.4.clone())
    }
}

/// The cotangents of a method that changes `self` and whose result has no derivative.
pub trait SelfBar {
    /// The cotangents of what `_jvp` gives beside the value, and of the tangent of `self` before the call.
    type Bars;

    /// These.
    fn join(self) -> Self::Bars;
}

impl<Y, S: Differentiable<Tangent = S> + Clone, B> SelfBar for &&PerhapsBars<'_, Y, ((), S), S, B> {
    type Bars = (((), S), S);

    #[inline]
    fn join(self) -> (((), S), S) {
        (((), self.4.clone()), self.2.zero_tangent())
    }
}

/// The cotangents of a method that changes `self` and gives `()`.
pub trait AloneBar {
    /// The cotangents of what `_jvp` gives beside the value, and of the tangent of `self` before the call.
    type Bars;

    /// These.
    fn join(self) -> Self::Bars;
}

impl<S: Differentiable<Tangent = S> + Clone, B> AloneBar for &&&PerhapsBars<'_, (), S, S, B> {
    type Bars = (S, S);

    #[inline]
    fn join(self) -> (S, S) {
        (self.4.clone(), self.2.zero_tangent())
    }
}
