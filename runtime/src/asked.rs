//! Methods without a derivative on values that may be changed.
//!
//! The macro sees `s.f(x)`, not whether `f` has companions, nor whether it changes `s`. Without a companion the function
//! itself will do in two cases: where `s` has no tangents and no differentiable value is handed to it, and where `f` only
//! reads `s` and nothing differentiable comes of its value. Generated code gives [`Asked`] all that may be called, and
//! `settle` calls one of them. What may not exist it calls with a trait in scope that every reference has, so that the method
//! of the type itself comes first: what is given is [`Changes`] if there is none that takes `&self`, and [`Missing`] if there
//! is none at all.

use crate::perhaps::{Perhaps, PerhapsDots};
use crate::tangent::Differentiable;
use alloc::boxed::Box;
use core::marker::PhantomData;

/// The receiver has tangents.
#[derive(Clone, Copy, Debug)]
pub struct Varies;

/// The receiver has none.
#[derive(Clone, Copy, Debug)]
pub struct Constant;

/// There is no such method that takes `&self`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes;

/// There is no companion.
#[derive(Clone, Copy, Debug)]
pub struct Missing;

/// The pullback, or the tangents, of a method without a derivative, which has `N` arguments beside its receiver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unchanged<const N: usize>;

/// What a method of what is in a box is called on.
///
/// ```
/// use cotangent_runtime::private::{Boxless as _, Innermost};
/// let (mut boxed, mut v) = (Box::new(vec![1.0]), vec![2.0]);
/// let (inner, own): (&mut Vec<f64>, &mut Vec<f64>) = (Innermost(&mut boxed).innermost(), Innermost(&mut v).innermost());
/// assert_eq!((inner[0], own[0]), (1.0, 2.0));
/// ```
pub struct Innermost<'a, T: ?Sized>(pub &'a mut T);

impl<'a, T: ?Sized> Innermost<'a, Box<T>> {
    /// What is in the box.
    #[inline]
    pub fn innermost(self) -> &'a mut T {
        self.0
    }
}

/// What is in no box.
pub trait Boxless {
    /// The reference.
    type Reference;

    /// The value itself.
    fn innermost(self) -> Self::Reference;
}

impl<'a, T: ?Sized> Boxless for Innermost<'a, T> {
    type Reference = &'a mut T;

    #[inline]
    fn innermost(self) -> &'a mut T {
        self.0
    }
}

/// What a companion gives.
#[diagnostic::on_unimplemented(
    message = "this method has no derivative, and changes its receiver or gives a differentiable value",
    label = "has no companions",
    note = "annotate the method, or the `impl` block, with `#[differentiable]`"
)]
pub trait Companion {
    /// The value, and the pullback or the tangents.
    type Given;

    /// That, as it is.
    fn given(self) -> Self::Given;
}

impl<Y, P> Companion for (Y, P) {
    type Given = (Y, P);

    #[inline]
    fn given(self) -> (Y, P) {
        self
    }
}

/// What [`Asked`] settled on.
///
/// ```
/// assert_eq!(cotangent_runtime::private::given((5.0, 2.0)), (5.0, 2.0));
/// ```
#[inline]
pub fn given<B: Companion>(settled: B) -> B::Given {
    settled.given()
}

/// A call of which the compiler will know what to make: of a method on a receiver of type `T`, with arguments `A`.
///
/// ```
/// use cotangent_runtime::private::{Asked, Missing, Reads as _, Unchanged, Varies};
/// let mut v = vec![1.0, 2.0];
/// let reads = |v: &Vec<f64>, (i,): (usize,)| (v[i] > 0.5, Unchanged::<1>);
/// let (positive, Unchanged) = Asked::new(Varies, &mut v, (0,), reads, |_, _| Missing, |_, _| Missing).settle();
/// assert!(positive);
/// ```
pub struct Asked<'a, K, T: ?Sized, A, Calls, Answers> {
    own: &'a mut T,
    args: A,
    calls: Calls,
    kind: PhantomData<fn() -> (K, Answers)>,
}

impl<'a, K, T: ?Sized, A, F, G, H, R, Y, B> Asked<'a, K, T, A, (F, G, H), (R, Y, B)>
where
    F: FnOnce(&'a T, A) -> R,
    G: FnOnce(&'a mut T, A) -> Y,
    H: FnOnce(&'a mut T, A) -> B,
{
    /// Whether the receiver has tangents, and what may be called: the method or its companion by a shared reference, the
    /// method, and its companion.
    #[inline]
    pub fn new(_kind: K, own: &'a mut T, args: A, reads: F, itself: G, companion: H) -> Self {
        Asked { own, args, calls: (reads, itself, companion), kind: PhantomData }
    }
}

impl<'a, T: ?Sized, A, F, G, H, R, Y, B> Asked<'a, Constant, T, A, (F, G, H), (R, Y, B)>
where
    G: FnOnce(&'a mut T, A) -> Y,
{
    /// The method itself.
    #[inline]
    pub fn settle(self) -> Y {
        (self.calls.1)(self.own, self.args)
    }
}

impl<'a, T: ?Sized, A, F, G, H, Y, B, P> Asked<'a, Varies, T, A, (F, G, H), ((Changes, P), Y, B)>
where
    H: FnOnce(&'a mut T, A) -> B,
{
    /// The companion.
    #[inline]
    pub fn settle(self) -> B {
        (self.calls.2)(self.own, self.args)
    }
}

/// Methods that only read their receivers.
pub trait Reads {
    /// What the method gives, and the pullback or the tangents of that.
    type Settled;

    /// The method itself, or its companion.
    fn settle(self) -> Self::Settled;
}

impl<'a, T: ?Sized, A, F, G, H, R, Y, B> Reads for Asked<'a, Varies, T, A, (F, G, H), (R, Y, B)>
where
    F: FnOnce(&'a T, A) -> R,
{
    type Settled = R;

    #[inline]
    fn settle(self) -> R {
        (self.calls.0)(self.own, self.args)
    }
}

/// The cotangents that [`Unchanged`] gives, if that of the receiver is `S`.
pub trait Entries<S> {
    /// That of the receiver, and nothing for each of the other arguments.
    type Entries;

    /// All of them.
    fn entries(own: S) -> Self::Entries;
}

macro_rules! entries {
    ($($n:literal => [$($none:ty),*];)*) => {$(
        impl<S> Entries<S> for Unchanged<$n> {
            type Entries = (S, $($none),*);

            #[inline]
            fn entries(own: S) -> Self::Entries {
                (own, $(<$none>::default()),*)
            }
        }
    )*};
}

entries! {
    1 => [()];
    2 => [(), ()];
    3 => [(), (), ()];
    4 => [(), (), (), ()];
    5 => [(), (), (), (), ()];
    6 => [(), (), (), (), (), ()];
    7 => [(), (), (), (), (), (), ()];
    8 => [(), (), (), (), (), (), (), ()];
}

impl<S> Entries<S> for Unchanged<0> {
    type Entries = S;

    #[inline]
    fn entries(own: S) -> S {
        own
    }
}

/// The pullback of what [`Asked`] settled on, where that is [`Unchanged`].
pub trait Passes {
    /// The cotangents of the receiver and the other arguments.
    type Entries;

    /// That of the receiver, which is alone.
    fn pull_self(&self) -> Self::Entries;

    /// All of them.
    fn pull(&self) -> Self::Entries;
}

impl<const N: usize, Y, S: Clone> Passes for &&&Perhaps<'_, Unchanged<N>, Y, S, 0>
where
    Unchanged<N>: Entries<S>,
{
    type Entries = <Unchanged<N> as Entries<S>>::Entries;

    #[inline]
    fn pull_self(&self) -> Self::Entries {
        Unchanged::<N>::entries(self.2.clone())
    }

    #[inline]
    fn pull(&self) -> Self::Entries {
        self.pull_self()
    }
}

/// What [`Asked`] settled on, where the value of the method is not used.
///
/// ```
/// use cotangent_runtime::private::{Answered as _, Settled, Unchanged};
/// let ((), pullback) = Settled((5.0, Unchanged::<1>)).pullback();
/// assert_eq!(pullback(2.0), (2.0, ()));
/// assert_eq!(Settled((5.0, Unchanged::<1>)).tangents(3.0), ((), 3.0));
/// assert_eq!(Settled((5.0, 2.0)).tangents(3.0), (5.0, 2.0));
/// ```
pub struct Settled<R>(pub R);

impl<Y, const N: usize> Settled<(Y, Unchanged<N>)> {
    /// Nothing, and what hands on the cotangent of the receiver.
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn pullback<S>(self) -> ((), fn(S) -> <Unchanged<N> as Entries<S>>::Entries)
    where
        Unchanged<N>: Entries<S>,
    {
        ((), Unchanged::<N>::entries)
    }

    /// Nothing, and the tangent that the receiver had.
    #[inline]
    pub fn tangents<S>(self, own: S) -> ((), S) {
        ((), own)
    }
}

/// What a companion gave.
pub trait Answered {
    /// That.
    type Answer;

    /// That, as it is.
    fn pullback(self) -> Self::Answer;

    /// That, as it is.
    fn tangents<S>(self, own: S) -> Self::Answer;
}

impl<R> Answered for Settled<R> {
    type Answer = R;

    #[inline]
    fn pullback(self) -> R {
        self.0
    }

    #[inline]
    fn tangents<S>(self, _: S) -> R {
        self.0
    }
}

/// The tangents that [`Unchanged`] gives: none of the value, and that of the receiver.
pub trait KeepsDot {
    /// The tangents of the result and of `self`.
    type Dots;

    /// The tangents of the result and of `self`.
    fn split(self) -> Self::Dots;
}

impl<const N: usize, Y, S: Clone> KeepsDot for &&&PerhapsDots<'_, Y, Unchanged<N>, S> {
    type Dots = ((), S);

    #[inline]
    fn split(self) -> ((), S) {
        ((), self.2.clone())
    }
}

/// A value, and the tangent that came with it: `()` of a method without a derivative.
///
/// ```
/// use cotangent_runtime::private::{GivenDot, WithDot as _};
/// assert_eq!(GivenDot(&5.0, ()).dot(), 0.0);
/// assert_eq!(GivenDot(&5.0, 2.0).dot(), 2.0);
/// assert_eq!(GivenDot(&true, ()).dot(), ());
/// ```
pub struct GivenDot<'a, Y: ?Sized, D>(pub &'a Y, pub D);

impl<Y: Differentiable + ?Sized> GivenDot<'_, Y, ()> {
    /// Zero: the value does not vary.
    #[inline]
    pub fn dot(self) -> Y::Tangent {
        self.0.zero_tangent()
    }
}

/// A value whose tangent is what came with it.
pub trait WithDot {
    /// The tangent.
    type Dot;

    /// That, as it is.
    fn dot(self) -> Self::Dot;
}

impl<Y: ?Sized, D> WithDot for GivenDot<'_, Y, D> {
    type Dot = D;

    #[inline]
    fn dot(self) -> D {
        self.1
    }
}
