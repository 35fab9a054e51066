//! Calls that change several arguments, of which one may only be read.
//!
//! The macro sees `s.f(x, &mut y);` or `f(s, &mut y);`, not whether `f` changes `s`. What the companion takes and gives shows it,
//! as in [`crate::perhaps`]; here the cotangents and tangents of the other arguments stand beside that of the one in doubt.

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
/// assert_eq!((&&&Several::new(changes, &(), ()).with::<_, _, 0, 0>(own, others)).pull(), (10.0, 3.0, 7.0));
/// let (own, others) = seeds();
/// assert_eq!((&&&Several::new(reads, &(), ()).with::<_, _, 0, 0>(own, others)).pull(), (7.0, 3.0, 7.0));
/// ```
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

    /// The cotangents after the call of the argument in doubt, and of the others that are changed. It is the `J`-th of these,
    /// and the `K`-th of all arguments.
    #[inline]
    pub fn with<S, O, const J: usize, const K: usize>(
        &self,
        own: S,
        others: O,
    ) -> SeveralSeeds<'_, P, Y, Z, S, O, J, K> {
        SeveralSeeds(self, own, others)
    }
}

/// The cotangents of what a call may have changed.
pub struct SeveralSeeds<'p, P, Y, Z, S, O, const J: usize, const K: usize>(&'p Several<P, Y, Z>, S, O);

/// What a call returned, what its `_jvp` gives beside that, the tangent of the argument in doubt before the call, and the type of
/// that of the only other argument that is changed, or `()`. `N` others are changed, after `J` of which that one stands.
///
/// ```
/// use cotangent_runtime::private::{DotsAlone as _, DotsBeside as _, DotsOfAll as _, SeveralDots, dot_type};
/// let (own, other) = (1.0_f32, 2.0);
/// let split = (&&&&&SeveralDots::<_, _, _, _, 1, 0>(&(), (3.0_f32, 4.0), own, dot_type(&other))).split();
/// assert_eq!(split, (3.0, 4.0));
/// let split = (&&&&&SeveralDots::<_, _, _, _, 1, 1>(&(), 4.0, own, dot_type(&other))).split();
/// assert_eq!(split, (4.0, 1.0));
/// let split = (&&&&&SeveralDots::<_, _, _, _, 1, 0>(&5_usize, ((), 4.0), own, dot_type(&other))).split();
/// assert_eq!(split, (1.0, 4.0));
/// ```
pub struct SeveralDots<'y, Y, D, S, M, const N: usize, const J: usize>(pub &'y Y, pub D, pub S, pub PhantomData<M>);

/// The type of a tangent.
///
/// ```
/// let _: std::marker::PhantomData<f64> = cotangent_runtime::private::dot_type(&2.0_f64);
/// ```
#[inline]
pub fn dot_type<T>(_: &T) -> PhantomData<T> {
    PhantomData
}

macro_rules! cases {
    (pulls: $($(#[$pull:meta])* $pulls:ident)*; splits: $($(#[$split:meta])* $splits:ident)*;) => {
        $(
            $(#[$pull])*
            pub trait $pulls<S, O> {
                /// The cotangents of the arguments.
                type Entries;

                /// These.
                fn pull(&self) -> Self::Entries;
            }
        )*
        $(
            $(#[$split])*
            pub trait $splits {
                /// The tangents of all that may be changed.
                type Dots;

                /// These.
                fn split(self) -> Self::Dots;
            }
        )*
    };
}

cases! {
    pulls:
    /// Pullbacks of functions that change the argument and give `()`.
    ChangesAmong
    /// Pullbacks of functions that read the argument and give `()`.
    ReadsAmong
    /// Pullbacks of functions that change the argument and give something.
    GivesAndChanges
    /// Pullbacks of functions that read the argument and give something.
    GivesAndReads;
    splits:
    /// The tangent of the only other argument, where the one in doubt is read, in the type that it had.
    DotsAlone
    /// The tangents where the argument is changed.
    DotsOfAll
    /// The tangents where the argument is read.
    DotsOfOthers
    /// The tangents where the argument is changed and the function gives something.
    DotsAfterValue
    /// The tangents where the argument is read and the function gives something.
    DotsBeside;
}

/// What depends on how many others there are only in where they stand: before the argument in doubt, and after it.
macro_rules! places {
    ($($n:literal $j:literal [$($b:ident $tb:ident $ib:tt)*] [$($a:ident $ta:ident $ia:tt)*])*) => {$(
        impl<P, Z, S, S2, $($b, $tb,)* $($a, $ta,)* E, const K: usize> ChangesAmong<S2, ($($tb,)* $($ta,)*)>
            for &&SeveralSeeds<'_, P, (), Z, S, ($($b,)* $($a,)*), $j, K>
        where
            P: Fn(($($tb,)* S2, $($ta,)*)) -> E,
            S: Seed<S2> + Clone,
            $($b: Seed<$tb> + Clone,)*
            $($a: Seed<$ta> + Clone,)*
        {
            type Entries = E;

            #[inline]
            fn pull(&self) -> E {
                let (own, others) = (&self.1, &self.2);
                (self.0.pullback)(($(others.$ib.clone().seed(),)* own.clone().seed(), $(others.$ia.clone().seed(),)*))
            }
        }

        impl<P, Y, Z: Clone, S, S2, $($b, $tb,)* $($a, $ta,)* E, const K: usize> GivesAndChanges<S2, ($($tb,)* $($ta,)*)>
            for &SeveralSeeds<'_, P, Y, Z, S, ($($b,)* $($a,)*), $j, K>
        where
            P: Fn((Z, $($tb,)* S2, $($ta,)*)) -> E,
            S: Seed<S2> + Clone,
            $($b: Seed<$tb> + Clone,)*
            $($a: Seed<$ta> + Clone,)*
        {
            type Entries = E;

            #[inline]
            fn pull(&self) -> E {
                let (zero, own, others) = (self.0.zero.clone(), &self.1, &self.2);
                (self.0.pullback)((zero, $(others.$ib.clone().seed(),)* own.clone().seed(), $(others.$ia.clone().seed(),)*))
            }
        }

        impl<S: Clone, $($b: Clone,)* $($a: Clone,)* M> DotsOfAll
            for &&&&SeveralDots<'_, (), ($($b,)* S, $($a,)*), S, M, $n, $j>
        {
            type Dots = ($($b,)* S, $($a,)*);

            #[inline]
            fn split(self) -> Self::Dots {
                self.1.clone()
            }
        }

        #[allow(non_snake_case)]
        impl<Y, Z, S: Clone, $($b: Clone,)* $($a: Clone,)* M> DotsAfterValue
            for &&SeveralDots<'_, Y, (Z, $($b,)* S, $($a,)*), S, M, $n, $j>
        {
            type Dots = ($($b,)* S, $($a,)*);

            #[inline]
            fn split(self) -> Self::Dots {
                let (_, $($b,)* own, $($a,)*) = &self.1;
                ($($b.clone(),)* own.clone(), $($a.clone(),)*)
            }
        }

        #[allow(non_snake_case)]
        impl<Y, Z, S: Clone, $($b: Clone,)* $($a: Clone,)* M> DotsBeside
            for &SeveralDots<'_, Y, (Z, $($b,)* $($a,)*), S, M, $n, $j>
        {
            type Dots = ($($b,)* S, $($a,)*);

            #[inline]
            fn split(self) -> Self::Dots {
                let (_, $($b,)* $($a,)*) = &self.1;
                ($($b.clone(),)* self.2.clone(), $($a.clone(),)*)
            }
        }
    )*};
}

places! {
    1 0 [] [A TA 0]
    1 1 [A TA 0] []
    2 0 [] [A TA 0 B TB 1]
    2 1 [A TA 0] [B TB 1]
    2 2 [A TA 0 B TB 1] []
}

impl<P, Z, S, S2, A, TA, E, const J: usize, const K: usize> ReadsAmong<S2, (TA,)>
    for &&&SeveralSeeds<'_, P, (), Z, S, (A,), J, K>
where
    P: Fn(TA) -> E,
    S: Seed<S2> + Clone,
    A: Seed<TA> + Clone,
    E: Nth<K, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)(self.2.0.clone().seed());
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

impl<P, Z, S, S2, A, TA, B, TB, E, const J: usize, const K: usize> ReadsAmong<S2, (TA, TB)>
    for &&&SeveralSeeds<'_, P, (), Z, S, (A, B), J, K>
where
    P: Fn((TA, TB)) -> E,
    S: Seed<S2> + Clone,
    A: Seed<TA> + Clone,
    B: Seed<TB> + Clone,
    E: Nth<K, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)((self.2.0.clone().seed(), self.2.1.clone().seed()));
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

impl<P, Y, Z: Clone, S, S2, A, TA, E, const J: usize, const K: usize> GivesAndReads<S2, (TA,)>
    for SeveralSeeds<'_, P, Y, Z, S, (A,), J, K>
where
    P: Fn((Z, TA)) -> E,
    S: Seed<S2> + Clone,
    A: Seed<TA> + Clone,
    E: Nth<K, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let mut entries = (self.0.pullback)((self.0.zero.clone(), self.2.0.clone().seed()));
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

impl<P, Y, Z: Clone, S, S2, A, TA, B, TB, E, const J: usize, const K: usize> GivesAndReads<S2, (TA, TB)>
    for SeveralSeeds<'_, P, Y, Z, S, (A, B), J, K>
where
    P: Fn((Z, TA, TB)) -> E,
    S: Seed<S2> + Clone,
    A: Seed<TA> + Clone,
    B: Seed<TB> + Clone,
    E: Nth<K, S2>,
{
    type Entries = E;

    #[inline]
    fn pull(&self) -> E {
        let (first, second) = (self.2.0.clone().seed(), self.2.1.clone().seed());
        let mut entries = (self.0.pullback)((self.0.zero.clone(), first, second));
        entries.add_to(&self.1.clone().seed());
        entries
    }
}

/// Where others stand beside the argument in doubt, which is read.
macro_rules! read {
    ($($name:ident<$($g:ident),*> for $depth:ident $d:ty, $m:ty, $n:literal $j:literal => $dots:ty, |$own:ident, $x:pat_param| $value:expr;)*) => {$(
        impl<S: Clone, $($g: Clone),*> $name for read!(@$depth SeveralDots<'_, (), $d, S, $m, $n, $j>) {
            type Dots = $dots;

            #[inline]
            fn split(self) -> $dots {
                let $own = self.2.clone();
                let $x = self.1.clone();
                $value
            }
        }
    )*};
    (@five $ty:ty) => { &&&&&$ty };
    (@three $ty:ty) => { &&&$ty };
}

read! {
    DotsAlone<O> for five O, O, 1 0 => (S, O), |own, x| (own, x);
    DotsAlone<O> for five O, O, 1 1 => (O, S), |own, x| (x, own);
    DotsOfOthers<O, M> for three O, M, 1 0 => (S, O), |own, x| (own, x);
    DotsOfOthers<O, M> for three O, M, 1 1 => (O, S), |own, x| (x, own);
    DotsOfOthers<O, R, M> for three (O, R), M, 2 0 => (S, O, R), |own, (x, y)| (own, x, y);
    DotsOfOthers<O, R, M> for three (O, R), M, 2 1 => (O, S, R), |own, (x, y)| (x, own, y);
    DotsOfOthers<O, R, M> for three (O, R), M, 2 2 => (O, R, S), |own, (x, y)| (x, y, own);
}
