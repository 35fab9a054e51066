//! Calls of methods of which only the compiler knows whether they change `self`.
//!
//! The macro sees `s.f(x)`, not the signature. Where `s` may be changed, it takes the call for one that does, and
//! what the companion gives shows whether that is so: the pullback of a method that changes `self` takes the
//! cotangent of the new `self` beside that of the result, and gives that of the old one; that of a method that only reads it
//! takes none, and what it gives is added to the cotangent of `self`. Both have the same method on [`Perhaps`]; that of the
//! second is one reference further away.

use crate::tangent::{Differentiable, Tangent};

/// A pullback, the cotangent of the result, and that of `self` after the call.
///
/// ```
/// use cotangent_runtime::private::{ChangedSelf as _, Perhaps, ReadSelf as _};
/// let changes = |(y, s): (f64, f64)| (10.0 * s + y, 2.0);
/// let reads = |y: f64| (10.0 * y, 2.0);
/// assert_eq!((&Perhaps(&changes, 1.0, 3.0)).pull(), (31.0, 2.0));
/// assert_eq!((&Perhaps(&reads, 1.0, 3.0)).pull(), (13.0, 2.0));
/// ```
pub struct Perhaps<'p, P, Y, S>(pub &'p P, pub Y, pub S);

/// Pullbacks of methods that change `self`.
pub trait ChangedSelf {
    /// The cotangents of the arguments.
    type Entries;

    /// The cotangent of `self`, if there are no other arguments.
    fn pull_self(&self) -> Self::Entries;

    /// The cotangents of `self` and of the other arguments.
    fn pull(&self) -> Self::Entries;
}

impl<P, Y, S, E> ChangedSelf for Perhaps<'_, P, Y, S>
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

impl<P: Fn(Y) -> S, Y: Clone, S: Tangent> ReadSelfOnly for &Perhaps<'_, P, Y, S> {
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

impl<P: Fn(Y) -> E, Y: Clone, S, E: First<S>> ReadSelf for &Perhaps<'_, P, Y, S> {
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0)(self.1.clone());
        entries.add_to_first(&self.2);
        entries
    }
}

/// Entries of several arguments.
pub trait First<S> {
    /// Adds to the first one.
    fn add_to_first(&mut self, other: &S);
}

macro_rules! first {
    ($($($rest:ident)+;)*) => {$(
        impl<S: Tangent, $($rest),+> First<S> for (S, $($rest),+) {
            #[inline]
            fn add_to_first(&mut self, other: &S) {
                self.0.accumulate(other);
            }
        }
    )*};
}

first! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
}

/// What a method returned, what its `_jvp` gives beside it, and the tangent of `self` before the call.
///
/// ```
/// use cotangent_runtime::private::{BothDots as _, OneDot as _, PerhapsDots};
/// assert_eq!(PerhapsDots(&1.0, (2.0, 3.0_f32), 4.0_f32).split(), (2.0, 3.0));
/// assert_eq!(PerhapsDots(&1.0, 2.0, 4.0_f32).split(), (2.0, 4.0));
/// ```
pub struct PerhapsDots<'y, Y, D, S>(pub &'y Y, pub D, pub S);

/// The tangents of a method that changes `self`.
pub trait BothDots {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<Y: Differentiable, S> BothDots for PerhapsDots<'_, Y, (Y::Tangent, S), S> {
    type Dots = (Y::Tangent, S);

    #[inline]
    fn split(self) -> (Y::Tangent, S) {
        self.1
    }
}

/// The tangent of a method that reads `self`.
pub trait OneDot {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<Y, D: Clone, S: Clone> OneDot for &PerhapsDots<'_, Y, D, S> {
    type Dots = (D, S);

    #[inline]
    fn split(self) -> (D, S) {
        (self.1.clone(), self.2.clone())
    }
}
