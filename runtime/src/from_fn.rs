//! The companions of `std::array::from_fn`, and of `map` of an array, where only the compiler of Rust knows the length or
//! what the elements are.
//!
//! As those of any function that takes another, they call the pullbacks that they are given in turn, the last one first.

use crate::tangent::{Differentiable, Tangent};

/// The length of an array.
#[derive(Clone, Copy, Debug)]
pub struct Length<const N: usize>;

/// The length of an array that there is.
///
/// ```
/// use cotangent_runtime::private::{Length, length_of};
///
/// let Length::<2> = length_of(&["a", "b"]);
/// ```
#[inline]
pub fn length_of<T, const N: usize>(_: &[T; N]) -> Length<N> {
    Length
}

/// `std::array::from_fn` and its pullback.
///
/// ```
/// use cotangent_runtime::private::{Length, from_fn_vjp};
///
/// let x = 3.0;
/// let (powers, pullback) = from_fn_vjp(Length, |k| (x * k as f64, move |g: f64| (g * k as f64, ())));
/// assert_eq!((powers, pullback([1.0, 10.0, 100.0])), ([0.0, 3.0, 6.0], ((), 210.0)));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn from_fn_vjp<T, P, E, const N: usize>(
    _: Length<N>,
    mut f: impl FnMut(usize) -> (T, P),
) -> ([T; N], impl Fn([T::Tangent; N]) -> ((), E))
where
    T: Differentiable,
    P: Fn(T::Tangent) -> (E, ()),
    E: Tangent,
{
    let mut pullbacks = [const { None }; N];
    let values = core::array::from_fn(|k| {
        let (value, pullback) = f(k);
        pullbacks[k] = Some(pullback);
        value
    });
    let pullback = move |seeds: [T::Tangent; N]| {
        let mut sum = E::empty();
        for (pullback, seed) in pullbacks.iter().zip(seeds).rev() {
            if let Some(pullback) = pullback {
                sum.accumulate(&pullback(seed).0);
            }
        }
        ((), sum)
    };
    (values, pullback)
}

/// `std::array::from_fn` and its tangent.
///
/// ```
/// use cotangent_runtime::private::{Length, from_fn_jvp};
///
/// let made = from_fn_jvp(Length, |k, ()| (3.0 * k as f64, k as f64), ());
/// assert_eq!(made, ([0.0, 3.0, 6.0], [0.0, 1.0, 2.0]));
/// ```
#[inline]
#[track_caller]
pub fn from_fn_jvp<T, D, const N: usize>(
    _: Length<N>,
    mut f: impl FnMut(usize, ()) -> (T, D),
    _: impl Sized,
) -> ([T; N], [D; N]) {
    let mut tangents = [const { None }; N];
    let values = core::array::from_fn(|k| {
        let (value, tangent) = f(k, ());
        tangents[k] = Some(tangent);
        value
    });
    (values, tangents.map(|tangent| tangent.expect("one for each element")))
}

/// [`from_fn_jvp`] and its pullback.
///
/// ```
/// use cotangent_runtime::private::{Length, from_fn_jvp_vjp};
///
/// let (both, pullback) =
///     from_fn_jvp_vjp(Length, |k, ()| ((k as f64, 1.0), move |(g, h): (f64, f64)| (g + 10.0 * h, (), ())), ());
/// assert_eq!((both, pullback(([1.0, 2.0], [0.0, 1.0])).1), (([0.0, 1.0], [1.0, 1.0]), 13.0));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn from_fn_jvp_vjp<T, D, P, E, const N: usize>(
    len: Length<N>,
    mut f: impl FnMut(usize, ()) -> ((T, D), P),
    _: impl Sized,
) -> (([T; N], [D; N]), impl Fn(([T::Tangent; N], [D::Tangent; N])) -> ((), E, ()))
where
    T: Differentiable,
    D: Differentiable,
    P: Fn((T::Tangent, D::Tangent)) -> (E, (), ()),
    E: Tangent,
{
    let mut pullbacks = [const { None }; N];
    let both = from_fn_jvp(
        len,
        |k, ()| {
            let (both, pullback) = f(k, ());
            pullbacks[k] = Some(pullback);
            both
        },
        (),
    );
    let pullback = move |(seeds, more): ([T::Tangent; N], [D::Tangent; N])| {
        let mut sum = E::empty();
        for ((pullback, seed), more) in pullbacks.iter().zip(seeds).zip(more).rev() {
            if let Some(pullback) = pullback {
                sum.accumulate(&pullback((seed, more)).0);
            }
        }
        ((), sum, ())
    };
    (both, pullback)
}

/// [`from_fn_jvp`] and its tangent.
///
/// ```
/// use cotangent_runtime::private::{Length, from_fn_jvp_jvp};
///
/// let made = from_fn_jvp_jvp(Length, |k, (), (), ()| ((k as f64, 1.0), (2.0, 3.0)), (), (), ());
/// assert_eq!(made, (([0.0, 1.0], [1.0, 1.0]), ([2.0, 2.0], [3.0, 3.0])));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn from_fn_jvp_jvp<T, D, const N: usize>(
    len: Length<N>,
    mut f: impl FnMut(usize, (), (), ()) -> ((T, D), (T, D)),
    _: impl Sized,
    _: impl Sized,
    _: impl Sized,
) -> (([T; N], [D; N]), ([T; N], [D; N])) {
    let mut tangents = [const { None }; N];
    let both = from_fn_jvp(
        len,
        |k, ()| {
            let (both, tangent) = f(k, (), (), ());
            tangents[k] = Some(tangent);
            both
        },
        (),
    );
    let mut rest = [const { None }; N];
    let first = core::array::from_fn(|k| {
        let (first, second) = tangents[k].take().expect("one for each element");
        rest[k] = Some(second);
        first
    });
    (both, (first, rest.map(|tangent| tangent.expect("one for each element"))))
}
