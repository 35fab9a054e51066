//! The companions of an index of the user's, `m[i]` with `impl Index<I> for M`, and of an assignment through it.
//!
//! What an index leads to is told by where it is: a number in `m` has an address, and so has what `&m[i]` refers to. What
//! is not in `m` (a constant that stands for all that is out of range) and what has no coordinate in its tangent (a field
//! that is inactive) has no derivative.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use crate::tangent::{Differentiable, Tangent};

/// The coordinates of `m` that belong to a part of it.
#[track_caller]
fn coordinates<M: Differentiable + ?Sized, T: Differentiable + ?Sized>(m: &M, part: &T) -> Vec<Option<usize>> {
    let (mut all, mut own) = (Vec::new(), Vec::new());
    m.push_addresses(&mut all);
    part.push_addresses(&mut own);
    let mut next = 0;
    let mut find = |address: usize| {
        // one after the other
        let found = if all.get(next) == Some(&address) { Some(next) } else { all.iter().position(|&of| of == address) };
        next = found.map_or(0, |k| k + 1);
        let known = address != 0 && (found.is_some() || !all.contains(&0));
        assert!(known, "what `{}` has at an index is not found in its tangent", core::any::type_name::<M>());
        found
    };
    own.into_iter().map(&mut find).collect()
}

/// The coordinates of `from` at some places, as a tangent like `zero`; in `from` they are zero then, if `taken`.
fn part<D: Tangent, T: Tangent>(from: &mut D, at: &[Option<usize>], mut zero: T, taken: bool) -> T {
    let mut flat = from.to_flat();
    zero.set_flat(&at.iter().map(|k| k.map_or(0.0, |k| flat[k])).collect::<Vec<_>>());
    if taken {
        at.iter().flatten().for_each(|&k| flat[k] = 0.0);
        from.set_flat(&flat);
    }
    zero
}

/// Adds a tangent of a part to the coordinates at some places.
fn add<D: Tangent, T: Tangent>(to: &mut D, at: &[Option<usize>], part: &T) {
    let mut flat = to.to_flat();
    for (k, x) in at.iter().zip(part.to_flat()) {
        if let Some(k) = *k {
            flat[k] += x;
        }
    }
    to.set_flat(&flat);
}

/// `m[i]`
///
/// ```
/// use cotangent_runtime::private::indexed;
///
/// assert_eq!(indexed(&vec![1.0, 2.0], 1), 2.0);
/// ```
#[inline]
#[track_caller]
pub fn indexed<I, M: Index<I, Output: Clone> + ?Sized>(m: &M, i: I) -> M::Output {
    m[i].clone()
}

/// `m[i] = x`
///
/// ```
/// use cotangent_runtime::private::assign_indexed;
///
/// let mut m = vec![1.0, 2.0];
/// assign_indexed(&mut m, 1, 5.0);
/// assert_eq!(m, [1.0, 5.0]);
/// ```
#[inline]
#[track_caller]
pub fn assign_indexed<I, M: IndexMut<I, Output: Sized> + ?Sized>(m: &mut M, i: I, x: M::Output) {
    m[i] = x;
}

/// `m[i]` and its pullback.
///
/// ```
/// use cotangent_runtime::private::indexed_vjp;
///
/// let m = vec![1.0, 2.0, 3.0];
/// let (value, pullback) = indexed_vjp(&m, 1);
/// assert_eq!((value, pullback(10.0)), (2.0, (vec![0.0, 10.0, 0.0], ())));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn indexed_vjp<I, M>(
    m: &M,
    i: I,
) -> (M::Output, impl Fn(<M::Output as Differentiable>::Tangent) -> (M::Tangent, ()) + use<I, M>)
where
    M: Index<I, Output: Clone + Differentiable> + Differentiable + ?Sized,
{
    let found = &m[i];
    let (at, zero) = (coordinates(m, found), m.zero_tangent());
    let pullback = move |g| {
        let mut m_bar = zero.clone();
        add(&mut m_bar, &at, &g);
        (m_bar, ())
    };
    (found.clone(), pullback)
}

/// `m[i]` and its tangent.
///
/// ```
/// use cotangent_runtime::private::indexed_jvp;
///
/// assert_eq!(indexed_jvp(&vec![1.0, 2.0], 1, vec![10.0, 20.0], ()), (2.0, 20.0));
/// ```
#[inline]
#[track_caller]
pub fn indexed_jvp<I, M>(
    m: &M,
    i: I,
    mut dm: M::Tangent,
    _: impl Sized,
) -> (M::Output, <M::Output as Differentiable>::Tangent)
where
    M: Index<I, Output: Clone + Differentiable> + Differentiable + ?Sized,
{
    let found = &m[i];
    let tangent = part(&mut dm, &coordinates(m, found), found.zero_tangent(), false);
    (found.clone(), tangent)
}

/// [`indexed_jvp`] and its pullback.
///
/// ```
/// use cotangent_runtime::private::indexed_jvp_vjp;
///
/// let (both, pullback) = indexed_jvp_vjp(&vec![1.0, 2.0], 1, vec![10.0, 20.0], ());
/// assert_eq!((both, pullback((3.0, 4.0))), ((2.0, 20.0), (vec![0.0, 3.0], (), vec![0.0, 4.0], ())));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn indexed_jvp_vjp<I, M, Y, D, U: Sized>(
    m: &M,
    i: I,
    mut dm: D,
    _: U,
) -> ((Y, Y::Tangent), impl Fn((Y::Tangent, Y::Tangent)) -> (D, (), D, ()) + use<I, M, Y, D, U>)
where
    M: Index<I, Output = Y> + Differentiable<Tangent = D> + ?Sized,
    Y: Clone + Differentiable,
    D: Tangent,
{
    let found = &m[i];
    let (at, zero) = (coordinates(m, found), m.zero_tangent());
    let tangent = part(&mut dm, &at, found.zero_tangent(), false);
    let pullback = move |(y_bar, dy_bar)| {
        let (mut m_bar, mut dm_bar) = (zero.clone(), zero.clone());
        add(&mut m_bar, &at, &y_bar);
        add(&mut dm_bar, &at, &dy_bar);
        (m_bar, (), dm_bar, ())
    };
    ((found.clone(), tangent), pullback)
}

/// [`indexed_jvp`] and its tangent.
///
/// ```
/// use cotangent_runtime::private::indexed_jvp_jvp;
///
/// let made = indexed_jvp_jvp(&vec![1.0, 2.0], 1, vec![0.0, 20.0], (), vec![3.0, 4.0], (), vec![5.0, 6.0], ());
/// assert_eq!(made, ((2.0, 20.0), (4.0, 6.0)));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity, clippy::too_many_arguments)]
pub fn indexed_jvp_jvp<I, M, Y>(
    m: &M,
    i: I,
    mut dm: M::Tangent,
    _: impl Sized,
    mut tm: M::Tangent,
    _: impl Sized,
    mut tdm: M::Tangent,
    _: impl Sized,
) -> ((Y, Y::Tangent), (Y::Tangent, Y::Tangent))
where
    M: Index<I, Output = Y> + Differentiable + ?Sized,
    Y: Clone + Differentiable,
{
    let found = &m[i];
    let at = coordinates(m, found);
    let of = |tangent: &mut M::Tangent| part(tangent, &at, found.zero_tangent(), false);
    ((found.clone(), of(&mut dm)), (of(&mut tm), of(&mut tdm)))
}

/// `m[i] = x` and its pullback.
///
/// ```
/// use cotangent_runtime::private::assign_indexed_vjp;
///
/// let mut m = vec![1.0, 2.0];
/// let ((), pullback) = assign_indexed_vjp(&mut m, 1, 5.0);
/// assert_eq!((m, pullback(vec![10.0, 20.0])), (vec![1.0, 5.0], (vec![10.0, 0.0], (), 20.0)));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn assign_indexed_vjp<I: Clone, M>(
    m: &mut M,
    i: I,
    x: M::Output,
) -> ((), impl Fn(M::Tangent) -> (M::Tangent, (), <M::Output as Differentiable>::Tangent) + use<I, M>)
where
    M: IndexMut<I, Output: Sized + Differentiable> + Differentiable + ?Sized,
{
    let at = coordinates(m, &m[i.clone()]);
    let zero = x.zero_tangent();
    m[i] = x;
    let pullback = move |mut m_bar: M::Tangent| {
        let x_bar = part(&mut m_bar, &at, zero.clone(), true);
        (m_bar, (), x_bar)
    };
    ((), pullback)
}

/// `m[i] = x` and the tangent of `m` after it.
///
/// ```
/// use cotangent_runtime::private::assign_indexed_jvp;
///
/// let mut m = vec![1.0, 2.0];
/// let ((), dm) = assign_indexed_jvp(&mut m, 1, 5.0, vec![10.0, 20.0], (), 7.0);
/// assert_eq!((m, dm), (vec![1.0, 5.0], vec![10.0, 7.0]));
/// ```
#[inline]
#[track_caller]
pub fn assign_indexed_jvp<I: Clone, M>(
    m: &mut M,
    i: I,
    x: M::Output,
    mut dm: M::Tangent,
    _: impl Sized,
    dx: <M::Output as Differentiable>::Tangent,
) -> ((), M::Tangent)
where
    M: IndexMut<I, Output: Sized + Differentiable> + Differentiable + ?Sized,
{
    let found = &m[i.clone()];
    let at = coordinates(m, found);
    part(&mut dm, &at, found.zero_tangent(), true);
    add(&mut dm, &at, &dx);
    m[i] = x;
    ((), dm)
}
