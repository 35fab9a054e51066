//! Calls that change several arguments, of which some may only be read.
//!
//! The macro sees `s.f(x, &mut y);` or `f(s, &mut y);`, not whether `f` changes `s`. What the companion takes and gives shows it,
//! as in [`crate::perhaps`]: the seed that the pullback takes, and the tangent that `_jvp` gives, has a part for each argument
//! that is changed. What is known of the call is a list of pairs, `(first, (second, …))`, of the value that it gives and of all
//! arguments that it may change, and the compiler finds the one way in which such a part stands for each of those that are
//! changed: for all that are [`Sure`], and some in [`Doubt`].

use crate::convert::{FromSeed, Restore};
use crate::perhaps::Nth;
use crate::unbox::{Handed, Regained};
use core::marker::PhantomData;

/// A cotangent or tangent that is of the type that the companion has.
pub struct Same<T>(pub T);

/// One of an array here, of a slice there, or of nothing.
pub struct Converted<T>(pub T);

/// One that may be in a box on one of the sides.
pub struct Unpacked<T>(pub T);

/// A part that there is: the value, or an argument that is changed.
pub struct Sure<S>(pub S);

/// A part that there is if the `K`-th argument is changed.
pub struct Doubt<S, const K: usize>(pub S);

/// A part that there is unless the call gives `()`: what it gives is not used.
pub struct Unused<S>(pub S);

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

/// A tangent before a call.
pub trait Before {
    /// Its type.
    type Tangent;

    /// The tangent itself.
    fn tangent(self) -> Self::Tangent;
}

/// A tangent before a call, where `D` may be that after it.
pub trait Changes<D> {}

macro_rules! before {
    ($($kind:ident),*) => {$(
        impl<S> Before for $kind<S> {
            type Tangent = S;

            #[inline]
            fn tangent(self) -> S {
                self.0
            }
        }
    )*};
}

before!(Same, Converted, Unpacked);

impl<S> Changes<S> for Same<S> {}
impl<S, D: Restore<S>> Changes<D> for Converted<S> {}
impl<S, D: Regained<S>> Changes<D> for Unpacked<S> {}
impl<Q: Changes<D>, D> Changes<D> for PhantomData<Q> {}

/// The type of a tangent before a call, where nothing else is needed of it.
///
/// ```
/// use cotangent_runtime::private::{Same, Sure, type_of};
/// let _: Sure<std::marker::PhantomData<Same<f64>>> = Sure(type_of(|| Same(2.0)));
/// ```
#[inline]
pub fn type_of<T>(_: impl FnOnce() -> T) -> PhantomData<T> {
    PhantomData
}

/// What may be a part.
pub trait Part {
    /// The cotangent, or what is known of the tangent.
    type Inner;

    /// That.
    fn inner(self) -> Self::Inner;
}

impl<S> Part for Sure<S> {
    type Inner = S;

    #[inline]
    fn inner(self) -> S {
        self.0
    }
}

impl<S, const K: usize> Part for Doubt<S, K> {
    type Inner = S;

    #[inline]
    fn inner(self) -> S {
        self.0
    }
}

impl<S> Part for Unused<S> {
    type Inner = S;

    #[inline]
    fn inner(self) -> S {
        self.0
    }
}

/// There is a part.
pub struct Taken<M>(PhantomData<M>);

/// There is none; `T` is the type of the cotangent.
pub struct Left<T, M>(PhantomData<(T, M)>);

/// A list as the parts `L` of a seed, for a pullback that gives `E`.
pub trait Seeds<L, E, M> {
    /// The cotangents of what is only read.
    type Read;

    /// The seed, and those.
    fn seeds(self) -> (L, Self::Read);

    /// Adds those to what the pullback gave.
    fn add(read: Self::Read, entries: &mut E);
}

impl<E> Seeds<(), E, ()> for () {
    type Read = ();

    #[inline]
    fn seeds(self) -> ((), ()) {
        ((), ())
    }

    #[inline]
    fn add((): (), _: &mut E) {}
}

impl<P: Part, R, T, L, E, M> Seeds<(T, L), E, Taken<M>> for (P, R)
where
    P::Inner: Seed<T>,
    R: Seeds<L, E, M>,
{
    type Read = R::Read;

    #[inline]
    fn seeds(self) -> ((T, L), R::Read) {
        let (rest, read) = self.1.seeds();
        ((self.0.inner().seed(), rest), read)
    }

    #[inline]
    fn add(read: R::Read, entries: &mut E) {
        R::add(read, entries);
    }
}

impl<S: Seed<T>, const K: usize, R, T, L, E, M> Seeds<L, E, Left<T, M>> for (Doubt<S, K>, R)
where
    R: Seeds<L, E, M>,
    E: Nth<K, T>,
{
    type Read = (T, R::Read);

    #[inline]
    fn seeds(self) -> (L, Self::Read) {
        let (rest, read) = self.1.seeds();
        (rest, (self.0.0.seed(), read))
    }

    #[inline]
    fn add((own, read): Self::Read, entries: &mut E) {
        entries.add_to(&own);
        R::add(read, entries);
    }
}

impl<R: Seeds<L, E, M>, L, E, M> Seeds<L, E, Left<(), M>> for (Unused<Same<()>>, R) {
    type Read = R::Read;

    #[inline]
    fn seeds(self) -> (L, R::Read) {
        self.1.seeds()
    }

    #[inline]
    fn add(read: R::Read, entries: &mut E) {
        R::add(read, entries);
    }
}

/// A list as the parts `L` of what `_jvp` gives as tangents.
pub trait Dots<L, M> {
    /// The tangents of all that is in the list.
    type All;

    /// Those.
    fn dots(self, given: L) -> Self::All;
}

impl Dots<(), ()> for () {
    type All = ();

    #[inline]
    fn dots(self, (): ()) {}
}

impl<P: Part, R, D, L, M> Dots<(D, L), Taken<M>> for (P, R)
where
    P::Inner: Changes<D>,
    R: Dots<L, M>,
{
    type All = (D, R::All);

    #[inline]
    fn dots(self, (dot, rest): (D, L)) -> Self::All {
        (dot, self.1.dots(rest))
    }
}

impl<S: Before, const K: usize, R: Dots<L, M>, L, M> Dots<L, Left<S, M>> for (Doubt<S, K>, R) {
    type All = (S::Tangent, R::All);

    #[inline]
    fn dots(self, given: L) -> Self::All {
        (self.0.0.tangent(), self.1.dots(given))
    }
}

impl<R: Dots<L, M>, L, M> Dots<L, Left<(), M>> for (Unused<PhantomData<Same<()>>>, R) {
    type All = ((), R::All);

    #[inline]
    fn dots(self, given: L) -> Self::All {
        ((), self.1.dots(given))
    }
}

/// One part, which stands for itself.
pub struct Alone<M>(PhantomData<M>);

/// Several parts, in a tuple.
pub struct Together<M>(PhantomData<M>);

/// A list as a seed: a part, or a tuple of parts.
pub trait Seeding<T, E, M> {
    /// The cotangents of what is only read.
    type Read;

    /// The seed, and those.
    fn seeding(self) -> (T, Self::Read);

    /// Adds those to what the pullback gave.
    fn add_to(read: Self::Read, entries: &mut E);
}

/// A list as what `_jvp` gives as tangents: a part, or a tuple of parts.
pub trait Splitting<D, M> {
    /// The tangents of all that is in the list.
    type All;

    /// Those.
    fn splitting(self, given: D) -> Self::All;
}

/// A list in pairs as a tuple.
pub trait Flat {
    /// The tuple.
    type Tuple;

    /// That.
    fn flat(self) -> Self::Tuple;
}

impl<I: Seeds<(T, ()), E, M>, T, E, M> Seeding<T, E, Alone<M>> for I {
    type Read = I::Read;

    #[inline]
    fn seeding(self) -> (T, I::Read) {
        let ((seed, ()), read) = self.seeds();
        (seed, read)
    }

    #[inline]
    fn add_to(read: I::Read, entries: &mut E) {
        I::add(read, entries);
    }
}

impl<I: Dots<(D, ()), M>, D, M> Splitting<D, Alone<M>> for I {
    type All = I::All;

    #[inline]
    fn splitting(self, given: D) -> Self::All {
        self.dots((given, ()))
    }
}

macro_rules! together {
    (@list) => { () };
    (@list $first:ident $($rest:ident)*) => { ($first, together!(@list $($rest)*)) };
    ($($($name:ident)*;)*) => {$(
        #[allow(non_snake_case)]
        impl<I: Seeds<together!(@list $($name)*), X, M>, $($name,)* X, M> Seeding<($($name,)*), X, Together<M>> for I {
            type Read = I::Read;

            #[inline]
            fn seeding(self) -> (($($name,)*), I::Read) {
                let (together!(@list $($name)*), read) = self.seeds();
                (($($name,)*), read)
            }

            #[inline]
            fn add_to(read: I::Read, entries: &mut X) {
                I::add(read, entries);
            }
        }

        #[allow(non_snake_case)]
        impl<I: Dots<together!(@list $($name)*), M>, $($name,)* M> Splitting<($($name,)*), Together<M>> for I {
            type All = I::All;

            #[inline]
            fn splitting(self, ($($name,)*): ($($name,)*)) -> Self::All {
                self.dots(together!(@list $($name)*))
            }
        }

        #[allow(non_snake_case)]
        impl<$($name),*> Flat for together!(@list $($name)*) {
            type Tuple = ($($name,)*);

            #[inline]
            fn flat(self) -> Self::Tuple {
                let together!(@list $($name)*) = self;
                ($($name,)*)
            }
        }
    )*};
}

together! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

/// A pullback, and the zero cotangent of what the call returned where that is not used.
///
/// ```
/// use cotangent_runtime::private::{Doubt, Same, Several, Sure, Unused};
/// let list = || (Doubt::<_, 0>(Same(5.0_f32)), (Sure(Same(7.0)), ()));
/// let changes = Several::new(|(s, y): (f32, f64)| (2.0 * s, 3.0, y), ());
/// assert_eq!(changes.pull((Unused(Same(changes.zero())), list())), (10.0, 3.0, 7.0));
/// let reads = Several::new(|y: f64| (2.0_f32, 3.0, y), ());
/// assert_eq!(reads.pull((Unused(Same(reads.zero())), list())), (7.0, 3.0, 7.0));
/// let gives = Several::new(|(z, y): (u8, f64)| (f32::from(z), 3.0, y), 0_u8);
/// assert_eq!(gives.pull((Unused(Same(gives.zero())), list())), (5.0, 3.0, 7.0));
/// ```
pub struct Several<P, Z> {
    pullback: P,
    zero: Z,
}

impl<P, Z> Several<P, Z> {
    /// Puts them together.
    #[inline]
    pub fn new(pullback: P, zero: Z) -> Self {
        Several { pullback, zero }
    }

    /// The zero cotangent.
    #[inline]
    pub fn zero(&self) -> Z
    where
        Z: Clone,
    {
        self.zero.clone()
    }

    /// The cotangents of the arguments, from those of all in the list.
    #[inline]
    pub fn pull<I, T, E, M>(&self, list: I) -> E
    where
        P: Fn(T) -> E,
        I: Seeding<T, E, M>,
    {
        let (seed, read) = list.seeding();
        let mut entries = (self.pullback)(seed);
        I::add_to(read, &mut entries);
        entries
    }
}

/// The tangents after a call of the value that it gives and of all arguments that it may change, from what `_jvp` gives.
///
/// ```
/// use cotangent_runtime::private::{Doubt, Same, Sure, dots_of_all, type_of};
/// let value = || Sure(type_of(|| Same(0.0)));
/// let list = |own| (value(), (Doubt::<_, 0>(Same(own)), (Sure(type_of(|| Same(2.0_f64))), ())));
/// assert_eq!(dots_of_all((5.0, 3.0_f32, 4.0), list(1.0_f32)), (5.0, 3.0, 4.0));
/// assert_eq!(dots_of_all((5.0, 4.0), list(1.0_f32)), (5.0, 1.0, 4.0));
/// ```
#[inline]
pub fn dots_of_all<D, I: Splitting<D, M>, M>(given: D, list: I) -> <I::All as Flat>::Tuple
where
    I::All: Flat,
{
    list.splitting(given).flat()
}

/// The same without that of the value, which is not used.
///
/// ```
/// use cotangent_runtime::private::{Doubt, Same, Sure, Unused, dots_of_changed, type_of};
/// let list = |own| (Doubt::<_, 0>(Same(own)), (Sure(type_of(|| Same(2.0_f64))), ()));
/// let of_unit = || Unused(type_of(|| Same(())));
/// assert_eq!(dots_of_changed((3.0_f32, 4.0), (of_unit(), list(1.0))), (3.0, 4.0));
/// assert_eq!(dots_of_changed(4.0, (of_unit(), list(1.0_f32))), (1.0, 4.0));
/// assert_eq!(dots_of_changed((5.0, 4.0), (Unused(type_of(|| Same(0.0))), list(1.0_f32))), (1.0, 4.0));
/// ```
#[inline]
pub fn dots_of_changed<D, I: Splitting<D, M, All = (V, R)>, M, V, R: Flat>(given: D, list: I) -> R::Tuple {
    list.splitting(given).1.flat()
}
