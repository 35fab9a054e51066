//! Calls that change several arguments, of which the receiver of the method may only be read.
//!
//! The macro sees `s.f(x, &mut y);`, not whether `f` changes `s`. What the companion takes and gives shows it, as in
//! [`crate::perhaps`]; here the cotangents and tangents of the other arguments stand beside that of the receiver.

use crate::convert::FromSeed;
use crate::perhaps::Nth;
use crate::unbox::Handed;
use core::marker::PhantomData;

/// A cotangent that is of the type that the pullback takes.
#[derive(Clone)]
pub struct Same<T>(pub T);

/// A cotangent of an array here, of a slice there, or of nothing.
#[derive(Clone)]
pub struct Converted<T>(pub T);

/// A cotangent that may be in a box on one of the sides.
#[derive(Clone)]
pub struct Unpacked<T>(pub T);

/// What gives the cotangent that a pullback takes.
pub trait Seed<T> {
    /// That.
    fn seed(self) -> T;
}

impl<T> Seed<T> for Same<T> {
    #[inline]
    fn seed(self) -> T {
        self.0
    }
}

impl<S, T: FromSeed<S>> Seed<T> for Converted<S> {
    #[inline]
    fn seed(self) -> T {
        T::from_seed(self.0)
    }
}

impl<S: Handed<T>, T> Seed<T> for Unpacked<S> {
    #[inline]
    fn seed(self) -> T {
        self.0.handed()
    }
}

/// A pullback, and the zero cotangent of what the call returned, which is not used.
///
/// ```
/// use cotangent_runtime::private::{ChangesAmong as _, ReadsAmong as _, Same, Several};
/// let changes = |(s, y): (f32, f64)| (2.0 * s, 3.0, y);
/// let reads = |y: f64| (2.0_f32, 3.0, y);
/// let seeds = || (Same(5.0_f32), (Same(7.0),));
/// let (own, others) = seeds();
/// assert_eq!((&&&Several::new(changes, &(), ()).with(own, others)).pull(), (10.0, 3.0, 7.0));
/// let (own, others) = seeds();
/// assert_eq!((&&&Several::new(reads, &(), ()).with(own, others)).pull(), (7.0, 3.0, 7.0));
/// ```
#[derive(Clone)]
pub struct Several<P, Y, Z> {
    pullback: P,
    zero: Z,
    returned: PhantomData<fn() -> Y>,
}

impl<P, Y, Z> Several<P, Y, Z> {
    /// Puts them together.
    #[inline]
    pub fn new(pullback: P, _returned: &Y, zero: Z) -> Self {
        Several { pullback, zero, returned: PhantomData }
    }

    /// The cotangents of the receiver and of the other arguments after the call.
    #[inline]
    pub fn with<S, O>(&self, own: S, others: O) -> SeveralSeeds<'_, P, Y, Z, S, O> {
        SeveralSeeds(self, own, others)
    }
}

/// The cotangents of what a call may have changed.
pub struct SeveralSeeds<'p, P, Y, Z, S, O>(&'p Several<P, Y, Z>, S, O);

macro_rules! pulls {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        pub trait $name<S, O> {
            /// The cotangents of the arguments.
            type Entries;

            /// These.
            fn pull(&self) -> Self::Entries;
        }
    )*};
}

pulls! {
    /// Pullbacks of methods that change `self` and give `()`.
    ChangesAmong,
    /// Pullbacks of methods that read `self` and give `()`.
    ReadsAmong,
    /// Pullbacks of methods that change `self` and give something.
    GivesAndChanges,
    /// Pullbacks of methods that read `self` and give something.
    GivesAndReads
}

impl<P, Z, S, S2, O0, T0, E> ChangesAmong<S2, (T0,)> for &&SeveralSeeds<'_, P, (), Z, S, (O0,)>
where
    P: Fn((S2, T0)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        (self.0.pullback)((self.1.clone().seed(), self.2.0.clone().seed()))
    }
}

impl<P, Z, S, S2, O0, T0, E> ReadsAmong<S2, (T0,)> for &&&SeveralSeeds<'_, P, (), Z, S, (O0,)>
where
    P: Fn(T0) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    E: Nth<0, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)(self.2.0.clone().seed());
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

impl<P, Y, Z, S, S2, O0, T0, E> GivesAndChanges<S2, (T0,)> for &SeveralSeeds<'_, P, Y, Z, S, (O0,)>
where
    P: Fn((Z, S2, T0)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    Z: Clone,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        (self.0.pullback)((self.0.zero.clone(), self.1.clone().seed(), self.2.0.clone().seed()))
    }
}

impl<P, Y, Z, S, S2, O0, T0, E> GivesAndReads<S2, (T0,)> for SeveralSeeds<'_, P, Y, Z, S, (O0,)>
where
    P: Fn((Z, T0)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    Z: Clone,
    E: Nth<0, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)((self.0.zero.clone(), self.2.0.clone().seed()));
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

impl<P, Z, S, S2, O0, T0, O1, T1, E> ChangesAmong<S2, (T0, T1)> for &&SeveralSeeds<'_, P, (), Z, S, (O0, O1)>
where
    P: Fn((S2, T0, T1)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    O1: Seed<T1> + Clone,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        (self.0.pullback)((self.1.clone().seed(), self.2.0.clone().seed(), self.2.1.clone().seed()))
    }
}

impl<P, Z, S, S2, O0, T0, O1, T1, E> ReadsAmong<S2, (T0, T1)> for &&&SeveralSeeds<'_, P, (), Z, S, (O0, O1)>
where
    P: Fn((T0, T1)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    O1: Seed<T1> + Clone,
    E: Nth<0, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)((self.2.0.clone().seed(), self.2.1.clone().seed()));
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

impl<P, Y, Z, S, S2, O0, T0, O1, T1, E> GivesAndChanges<S2, (T0, T1)> for &SeveralSeeds<'_, P, Y, Z, S, (O0, O1)>
where
    P: Fn((Z, S2, T0, T1)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    O1: Seed<T1> + Clone,
    Z: Clone,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        (self.0.pullback)((
            self.0.zero.clone(),
            self.1.clone().seed(),
            self.2.0.clone().seed(),
            self.2.1.clone().seed(),
        ))
    }
}

impl<P, Y, Z, S, S2, O0, T0, O1, T1, E> GivesAndReads<S2, (T0, T1)> for SeveralSeeds<'_, P, Y, Z, S, (O0, O1)>
where
    P: Fn((Z, T0, T1)) -> E,
    S: Seed<S2> + Clone,
    O0: Seed<T0> + Clone,
    O1: Seed<T1> + Clone,
    Z: Clone,
    E: Nth<0, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)((self.0.zero.clone(), self.2.0.clone().seed(), self.2.1.clone().seed()));
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

/// What a method returned, what its `_jvp` gives beside that, the tangent that `self` had, and the type of that of the only other
/// argument that is changed, or `()`.
///
/// ```
/// use cotangent_runtime::private::{DotsAlone as _, DotsBeside as _, DotsOfAll as _, SeveralDots, dot_type};
/// let (own, other) = (1.0_f32, 2.0);
/// assert_eq!((&&&&&SeveralDots::<_, _, _, _, 1>(&(), (3.0_f32, 4.0), own, dot_type(&other))).split(), (3.0, 4.0));
/// assert_eq!((&&&&&SeveralDots::<_, _, _, _, 1>(&(), 4.0, own, dot_type(&other))).split(), (1.0, 4.0));
/// assert_eq!((&&&&&SeveralDots::<_, _, _, _, 1>(&5_usize, ((), 4.0), own, dot_type(&other))).split(), (1.0, 4.0));
/// ```
pub struct SeveralDots<'y, Y, D, S, M, const N: usize>(pub &'y Y, pub D, pub S, pub PhantomData<M>);

/// The type of a tangent.
///
/// ```
/// let _: std::marker::PhantomData<f64> = cotangent_runtime::private::dot_type(&2.0_f64);
/// ```
#[inline]
pub fn dot_type<T>(_: &T) -> PhantomData<T> {
    PhantomData
}

/// The tangent of the only other argument of a method that reads `self`, in the type that it had.
pub trait DotsAlone {
    /// The tangents of `self` and of the others.
    type Dots;

    /// These.
    fn split(self) -> Self::Dots;
}

/// The tangents of a method that changes `self`.
pub trait DotsOfAll {
    /// The tangents of `self` and of the others.
    type Dots;

    /// These.
    fn split(self) -> Self::Dots;
}

/// The tangents of a method that reads `self`.
pub trait DotsOfOthers {
    /// The tangents of `self` and of the others.
    type Dots;

    /// These.
    fn split(self) -> Self::Dots;
}

/// The tangents of a method that changes `self` and gives something.
pub trait DotsAfterValue {
    /// The tangents of `self` and of the others.
    type Dots;

    /// These.
    fn split(self) -> Self::Dots;
}

/// The tangents of a method that reads `self` and gives something.
pub trait DotsBeside {
    /// The tangents of `self` and of the others.
    type Dots;

    /// These.
    fn split(self) -> Self::Dots;
}

impl<S: Clone, O: Clone> DotsAlone for &&&&&SeveralDots<'_, (), O, S, O, 1> {
    type Dots = (S, O);

    #[inline]
    fn split(self) -> (S, O) {
        (self.2.clone(), self.1.clone())
    }
}

impl<S: Clone, O: Clone, M> DotsOfAll for &&&&SeveralDots<'_, (), (S, O), S, M, 1> {
    type Dots = (S, O);

    #[inline]
    fn split(self) -> (S, O) {
        self.1.clone()
    }
}

impl<S: Clone, O: Clone, M> DotsOfOthers for &&&SeveralDots<'_, (), O, S, M, 1> {
    type Dots = (S, O);

    #[inline]
    fn split(self) -> (S, O) {
        (self.2.clone(), self.1.clone())
    }
}

impl<Y, Z, S: Clone, O: Clone, M> DotsAfterValue for &&SeveralDots<'_, Y, (Z, S, O), S, M, 1> {
    type Dots = (S, O);

    #[inline]
    fn split(self) -> (S, O) {
        let (_, own, other) = &self.1;
        (own.clone(), other.clone())
    }
}

impl<Y, Z, S: Clone, O: Clone, M> DotsBeside for &SeveralDots<'_, Y, (Z, O), S, M, 1> {
    type Dots = (S, O);

    #[inline]
    fn split(self) -> (S, O) {
        (self.2.clone(), self.1.1.clone())
    }
}

impl<S: Clone, O: Clone, R: Clone, M> DotsOfAll for &&&&SeveralDots<'_, (), (S, O, R), S, M, 2> {
    type Dots = (S, O, R);

    #[inline]
    fn split(self) -> (S, O, R) {
        self.1.clone()
    }
}

impl<S: Clone, O: Clone, R: Clone, M> DotsOfOthers for &&&SeveralDots<'_, (), (O, R), S, M, 2> {
    type Dots = (S, O, R);

    #[inline]
    fn split(self) -> (S, O, R) {
        let (first, second) = &self.1;
        (self.2.clone(), first.clone(), second.clone())
    }
}

impl<Y, Z, S: Clone, O: Clone, R: Clone, M> DotsAfterValue for &&SeveralDots<'_, Y, (Z, S, O, R), S, M, 2> {
    type Dots = (S, O, R);

    #[inline]
    fn split(self) -> (S, O, R) {
        let (_, own, first, second) = &self.1;
        (own.clone(), first.clone(), second.clone())
    }
}

impl<Y, Z, S: Clone, O: Clone, R: Clone, M> DotsBeside for &SeveralDots<'_, Y, (Z, O, R), S, M, 2> {
    type Dots = (S, O, R);

    #[inline]
    fn split(self) -> (S, O, R) {
        (self.2.clone(), self.1.1.clone(), self.1.2.clone())
    }
}
