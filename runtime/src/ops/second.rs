//! Companions of the tangent programs of operations: `softmax_jvp_vjp` and so on.
//!
//! With J = f′(x), a tangent program gives f(x) and J·ẋ. For a cotangent w of the latter, the cotangent of x is the
//! derivative of Jᵀ·w in the direction ẋ, called `bend` here, and the tangent of J·ẋ is J·ẍ and the derivative of J·ẋ in the
//! direction of the other tangent, called `curve`. Where J does not depend on x there is neither.

mod layer;

use ndarray::{Array, Axis, Dimension, Ix2, Ix3, Ix4, RemoveAxis, Zip};

use super::lse::{softmax_linear, weighted};
use super::{
    AsArray, Element, Labels, Owned, Smaller, avg_pool1d_jvp, avg_pool1d_vjp, avg_pool2d_jvp, avg_pool2d_vjp,
    conv1d_jvp, conv1d_vjp, conv2d_jvp, conv2d_vjp, cross_entropy_jvp, cross_entropy_vjp, cumprod_jvp, cumprod_vjp,
    cumsum_jvp, cumsum_vjp, float, log_softmax_jvp, log_softmax_vjp, logsumexp_axis_jvp, logsumexp_axis_vjp,
    logsumexp_jvp, logsumexp_vjp, max_pool1d_jvp, max_pool1d_vjp, max_pool2d_jvp, max_pool2d_vjp, norm, norm_axis,
    norm_axis_jvp, norm_axis_vjp, norm_jvp, norm_vjp, softmax, softmax_jvp, softmax_vjp, sum,
};
#[cfg(feature = "linalg")]
use super::{LinalgElement, linalg::logdet_bend, logdet_jvp, logdet_vjp};
use crate::scalar::scale;

pub use layer::{layer_norm_jvp_jvp, layer_norm_jvp_vjp};

/// What has no derivative.
macro_rules! nothing {
    ($parameter:ident) => {
        ()
    };
}

/// The companions of the tangent program of a function of one array and of parameters without a derivative. `$first` takes
/// the cotangent of the array out of what its pullback gives.
macro_rules! second {
    ($(
        $vjp:ident $jvp:ident $jvp_vjp:ident $jvp_jvp:ident[$($generics:tt)*]
        ($($p:ident: $P:ty, $a:ident $b:ident $c:ident),*) -> $Y:ty, $first:expr $(=> $bend:expr, $curve:expr)?;
    )*) => {$(
        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_vjp<$($generics)*>(
            x: X,
            $($p: $P,)*
            x_dot: Owned<X>,
            $($a: impl Sized,)*
        ) -> (($Y, $Y), impl Fn(($Y, $Y)) -> (Owned<X>, $(nothing!($p),)* Owned<X>, $(nothing!($p),)*)) {
            let x = x.as_array().to_owned();
            $(let _ = $a;)*
            let values = $jvp(&x, $($p.clone(),)* x_dot.clone(), $(nothing!($p),)*);
            let (_, pullback) = $vjp(x.clone(), $($p.clone(),)*);
            let pullback = move |(g, w): ($Y, $Y)| {
                $(let bent = $bend(&x, &x_dot, &w);)?
                let (x_bar, dot_bar) = ($first(pullback(g)), $first(pullback(w)));
                $(let _ = &$p;)*
                $(let _ = stringify!($bend); let x_bar = x_bar + bent;)?
                (x_bar, $(nothing!($p),)* dot_bar, $(nothing!($p),)*)
            };
            (values, pullback)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_jvp<$($generics)*>(
            x: X,
            $($p: $P,)*
            x_dot: Owned<X>,
            $($a: impl Sized,)*
            tx: Owned<X>,
            $($b: impl Sized,)*
            tx_dot: Owned<X>,
            $($c: impl Sized,)*
        ) -> (($Y, $Y), ($Y, $Y)) {
            let x = x.as_array();
            $(let _ = ($a, $b, $c);)*
            $(let curved = $curve(&x.to_owned(), &x_dot, &tx);)?
            let values = $jvp(&x, $($p.clone(),)* x_dot, $(nothing!($p),)*);
            let along = |dot| $jvp(&x, $($p.clone(),)* dot, $(nothing!($p),)*).1;
            let (ty, ty_dot) = (along(tx), along(tx_dot));
            $(let _ = stringify!($curve); let ty_dot = ty_dot + curved;)?
            (values, (ty, ty_dot))
        }
    )*};
}

/// The same of a function of two arrays that is linear in each: the mixed part is its derivative at the tangents.
macro_rules! bilinear {
    ($($vjp:ident $jvp:ident $jvp_vjp:ident $jvp_jvp:ident: $D:ty, $size:ty;)*) => {$(
        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_vjp<X: AsArray<Dim = $D>, W: AsArray<Elem = X::Elem, Dim = $D>>(
            x: X,
            w: W,
            stride: $size,
            padding: $size,
            x_dot: Owned<X>,
            w_dot: Owned<W>,
            _: impl Sized,
            _: impl Sized,
        ) -> (
            (Owned<X>, Owned<X>),
            impl Fn((Owned<X>, Owned<X>)) -> (Owned<X>, Owned<W>, (), (), Owned<X>, Owned<W>, (), ()),
        ) {
            let (x, w) = (x.as_array().to_owned(), w.as_array().to_owned());
            let values = $jvp(&x, &w, stride, padding, x_dot.clone(), w_dot.clone(), (), ());
            let own = $vjp(x, w, stride, padding).1;
            let mixed = $vjp(x_dot, w_dot, stride, padding).1;
            let pullback = move |(g, t): (Owned<X>, Owned<X>)| {
                let ((x_bar, w_bar, ..), (x_bent, w_bent, ..)) = (own(g), mixed(t.clone()));
                let (x_dot_bar, w_dot_bar, ..) = own(t);
                (x_bar + x_bent, w_bar + w_bent, (), (), x_dot_bar, w_dot_bar, (), ())
            };
            (values, pullback)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp_jvp<X: AsArray<Dim = $D>, W: AsArray<Elem = X::Elem, Dim = $D>>(
            x: X,
            w: W,
            stride: $size,
            padding: $size,
            x_dot: Owned<X>,
            w_dot: Owned<W>,
            _: impl Sized,
            _: impl Sized,
            tx: Owned<X>,
            tw: Owned<W>,
            _: impl Sized,
            _: impl Sized,
            tx_dot: Owned<X>,
            tw_dot: Owned<W>,
            _: impl Sized,
            _: impl Sized,
        ) -> ((Owned<X>, Owned<X>), (Owned<X>, Owned<X>)) {
            let mixed = $jvp(&x_dot, &w_dot, stride, padding, tx.clone(), tw.clone(), (), ()).1;
            let (y, y_dot) = $jvp(&x, &w, stride, padding, x_dot, w_dot, (), ());
            let ty = $jvp(&x, &w, stride, padding, tx, tw, (), ()).1;
            let ty_dot = $jvp(&x, &w, stride, padding, tx_dot, tw_dot, (), ()).1;
            ((y, y_dot), (ty, ty_dot + mixed))
        }
    )*};
}

bilinear! {
    conv1d_vjp conv1d_jvp conv1d_jvp_vjp conv1d_jvp_jvp: Ix3, usize;
    conv2d_vjp conv2d_jvp conv2d_jvp_vjp conv2d_jvp_jvp: Ix4, [usize; 2];
}

fn of_one<T>(entry: T) -> T {
    entry
}

fn of_two<T>(entries: (T, ())) -> T {
    entries.0
}

fn of_three<T>(entries: (T, (), ())) -> T {
    entries.0
}

second! {
    logsumexp_vjp logsumexp_jvp logsumexp_jvp_vjp logsumexp_jvp_jvp[X: AsArray] () -> X::Elem, of_one =>
        |x, dot, w: &X::Elem| scaled(shared(x, dot), *w), |x, dot, tx| inner(dot, &shared(x, tx));
    logsumexp_axis_vjp logsumexp_axis_jvp logsumexp_axis_jvp_vjp logsumexp_axis_jvp_jvp[X: AsArray<Dim: RemoveAxis>]
        (axis: Axis, _a _b _c) -> Smaller<X>, of_two =>
        |x, dot, w| by_lanes(shares(x, axis, dot), axis, w), |x, dot, tx| over_lanes(dot, axis, &shares(x, axis, tx));
    softmax_vjp softmax_jvp softmax_jvp_vjp softmax_jvp_jvp[X: AsArray<Dim: RemoveAxis>]
        (axis: Axis, _a _b _c) -> Owned<X>, of_two =>
        |x, dot, w| softmax_bend(x, axis, dot, w), |x, dot, tx| softmax_bend(x, axis, tx, dot);
    log_softmax_vjp log_softmax_jvp log_softmax_jvp_vjp log_softmax_jvp_jvp[X: AsArray<Dim: RemoveAxis>]
        (axis: Axis, _a _b _c) -> Owned<X>, of_two =>
        |x, dot, w: &Owned<X>| by_lanes(shares(x, axis, dot), axis, &w.sum_axis(axis).mapv(|w| -w)),
        |x, dot, tx| spread(x, axis, &over_lanes(dot, axis, &shares(x, axis, tx)).mapv(|t: X::Elem| -t));
    cumsum_vjp cumsum_jvp cumsum_jvp_vjp cumsum_jvp_jvp[X: AsArray<Dim: RemoveAxis>]
        (axis: Axis, _a _b _c) -> Owned<X>, of_two;
    cumprod_vjp cumprod_jvp cumprod_jvp_vjp cumprod_jvp_jvp[X: AsArray<Dim: RemoveAxis>]
        (axis: Axis, _a _b _c) -> Owned<X>, of_two =>
        |x, dot, w| cumprod_bend(x, axis, dot, w), |x, dot, tx| cumprod_curve(x, axis, dot, tx);
    norm_vjp norm_jvp norm_jvp_vjp norm_jvp_jvp[X: AsArray] () -> X::Elem, of_one =>
        |x, dot, w: &X::Elem| scaled(turned(x, dot), *w), |x, dot, tx| inner(dot, &turned(x, tx));
    norm_axis_vjp norm_axis_jvp norm_axis_jvp_vjp norm_axis_jvp_jvp[X: AsArray<Dim: RemoveAxis>]
        (axis: Axis, _a _b _c) -> Smaller<X>, of_two =>
        |x, dot, w| by_lanes(turned_lanes(x, axis, dot), axis, w),
        |x, dot, tx| over_lanes(dot, axis, &turned_lanes(x, axis, tx));
    max_pool1d_vjp max_pool1d_jvp max_pool1d_jvp_vjp max_pool1d_jvp_jvp[X: AsArray<Dim = Ix3>]
        (size: usize, _a _b _c, stride: usize, _d _e _f) -> Array<X::Elem, Ix3>, of_three;
    max_pool2d_vjp max_pool2d_jvp max_pool2d_jvp_vjp max_pool2d_jvp_jvp[X: AsArray<Dim = Ix4>]
        (size: [usize; 2], _a _b _c, stride: [usize; 2], _d _e _f) -> Array<X::Elem, Ix4>, of_three;
    avg_pool1d_vjp avg_pool1d_jvp avg_pool1d_jvp_vjp avg_pool1d_jvp_jvp[X: AsArray<Dim = Ix3>]
        (size: usize, _a _b _c, stride: usize, _d _e _f) -> Array<X::Elem, Ix3>, of_three;
    avg_pool2d_vjp avg_pool2d_jvp avg_pool2d_jvp_vjp avg_pool2d_jvp_jvp[X: AsArray<Dim = Ix4>]
        (size: [usize; 2], _a _b _c, stride: [usize; 2], _d _e _f) -> Array<X::Elem, Ix4>, of_three;
}

#[cfg(feature = "linalg")]
second! {
    logdet_vjp logdet_jvp logdet_jvp_vjp logdet_jvp_jvp[X: AsArray<Elem: LinalgElement, Dim = Ix2>] () -> X::Elem, of_one =>
        |x, dot, w: &X::Elem| scaled(logdet_bend(x, dot), *w), |x, dot, tx| inner(dot, &logdet_bend(x, tx));
}

#[doc(hidden)]
#[track_caller]
pub fn cross_entropy_jvp_vjp<X: AsArray<Dim = Ix2>, L: Labels>(
    logits: X,
    labels: L,
    logits_dot: Owned<X>,
    _: impl Sized,
) -> ((X::Elem, X::Elem), impl Fn((X::Elem, X::Elem)) -> (Owned<X>, (), Owned<X>, ())) {
    let x = logits.as_array().to_owned();
    let values = cross_entropy_jvp(&x, &labels, logits_dot.clone(), ());
    let pullback = cross_entropy_vjp(x.clone(), labels).1;
    let bend = shares(&x, Axis(1), &logits_dot);
    let n = float(x.nrows().max(1));
    let pullback = move |(g, w): (X::Elem, X::Elem)| {
        let bent = scaled(bend.clone(), w / n);
        (pullback(g).0 + bent, (), pullback(w).0, ())
    };
    (values, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn cross_entropy_jvp_jvp<X: AsArray<Dim = Ix2>, L: Labels>(
    logits: X,
    labels: L,
    logits_dot: Owned<X>,
    _: impl Sized,
    tx: Owned<X>,
    _: impl Sized,
    tx_dot: Owned<X>,
    _: impl Sized,
) -> ((X::Elem, X::Elem), (X::Elem, X::Elem)) {
    let x = logits.as_array();
    let curved = inner(&logits_dot, &shares(&x.to_owned(), Axis(1), &tx)) / float(x.nrows().max(1));
    let values = cross_entropy_jvp(x, &labels, logits_dot, ());
    let (ty, ty_dot) = (cross_entropy_jvp(x, &labels, tx, ()).1, cross_entropy_jvp(x, &labels, tx_dot, ()).1);
    (values, (ty, ty_dot + curved))
}

/// Σ u·v
fn inner<A: Element, D: Dimension>(u: &Array<A, D>, v: &Array<A, D>) -> A {
    sum(u.iter().zip(v).map(|(u, v)| scale(*u, *v)))
}

fn scaled<A: Element, D: Dimension>(mut x: Array<A, D>, w: A) -> Array<A, D> {
    x.mapv_inplace(|x| scale(w, x));
    x
}

/// Each lane times the number of it.
fn by_lanes<A: Element, D: RemoveAxis>(mut x: Array<A, D>, axis: Axis, w: &Array<A, D::Smaller>) -> Array<A, D> {
    Zip::from(x.lanes_mut(axis)).and(w).for_each(|mut lane, w| lane.mapv_inplace(|x| scale(*w, x)));
    x
}

/// Σ u·v in each lane.
fn over_lanes<A: Element, D: RemoveAxis>(u: &Array<A, D>, axis: Axis, v: &Array<A, D>) -> Array<A, D::Smaller> {
    let mut out = Array::zeros(u.raw_dim().remove_axis(axis));
    Zip::from(&mut out).and(u.lanes(axis)).and(v.lanes(axis)).for_each(|out, u, v| *out = weighted(u, v));
    out
}

/// The number of a lane in all of its places.
fn spread<A: Element, D: RemoveAxis>(x: &Array<A, D>, axis: Axis, of: &Array<A, D::Smaller>) -> Array<A, D> {
    let mut out = Array::zeros(x.raw_dim());
    Zip::from(out.lanes_mut(axis)).and(of).for_each(|mut lane, of| lane.fill(*of));
    out
}

/// The tangent of the softmax of all elements.
fn shared<A: Element, D: Dimension>(x: &Array<A, D>, along: &Array<A, D>) -> Array<A, D> {
    let mut p = logsumexp_vjp(x).1(A::one());
    let mean = inner(along, &p);
    p.zip_mut_with(along, |p, along| *p = scale(*along - mean, *p));
    p
}

/// The tangent of the softmax of each lane.
fn shares<A: Element, D: RemoveAxis>(x: &Array<A, D>, axis: Axis, along: &Array<A, D>) -> Array<A, D> {
    softmax_linear(&softmax(x, axis), along.clone(), axis)
}

/// The derivative of p·(g - Σ p·g) in each lane, with the tangent ṗ along a direction: ṗ·(g - Σ p·g) - p·Σ ṗ·g.
fn softmax_bend<A: Element, D: RemoveAxis>(
    x: &Array<A, D>,
    axis: Axis,
    along: &Array<A, D>,
    g: &Array<A, D>,
) -> Array<A, D> {
    let p = softmax(x, axis);
    let mut out = softmax_linear(&p, along.clone(), axis);
    Zip::from(out.lanes_mut(axis)).and(p.lanes(axis)).and(g.lanes(axis)).for_each(|mut out, p, g| {
        let (mean, moved) = (weighted(g, p), weighted(g, out.view()));
        Zip::from(&mut out).and(p).and(g).for_each(|out, p, g| *out = scale(*g - mean, *out) - scale(moved, *p));
    });
    out
}

/// The derivative of the slope x/r of the norm r along a direction: what is across x, over r; 0 where r is.
fn turn<'a, A: Element>(r: A, x: impl Iterator<Item = &'a A> + Clone, along: impl Iterator<Item = &'a mut A>, part: A) {
    for (along, x) in along.zip(x) {
        *along = if r == A::zero() { r } else { (*along - scale(part, *x / r)) / r };
    }
}

fn turned<A: Element, D: Dimension>(x: &Array<A, D>, along: &Array<A, D>) -> Array<A, D> {
    let (r, mut out) = (norm(x), along.clone());
    let part = if r == A::zero() { r } else { inner(along, x) / r };
    turn(r, x.iter(), out.iter_mut(), part);
    out
}

fn turned_lanes<A: Element, D: RemoveAxis>(x: &Array<A, D>, axis: Axis, along: &Array<A, D>) -> Array<A, D> {
    let mut out = along.clone();
    let norms = norm_axis(x, axis);
    Zip::from(out.lanes_mut(axis)).and(x.lanes(axis)).and(&norms).for_each(|mut out, x, r| {
        let part = if *r == A::zero() { *r } else { weighted(out.view(), x) / *r };
        turn(*r, x.iter(), out.iter_mut(), part);
    });
    out
}

/// The derivative of the cotangent of a running product along a direction: that of sᵢ·yᵢ₋₁ with sᵢ = gᵢ + xᵢ₊₁·sᵢ₊₁.
fn cumprod_bend<A: Element, D: RemoveAxis>(
    x: &Array<A, D>,
    axis: Axis,
    along: &Array<A, D>,
    g: &Array<A, D>,
) -> Array<A, D> {
    let (y, y_dot) = cumprod_jvp(x, axis, along.clone(), ());
    let mut out = g.clone();
    let all = Zip::from(out.lanes_mut(axis)).and(x.lanes(axis)).and(along.lanes(axis)).and(y.lanes(axis));
    all.and(y_dot.lanes(axis)).for_each(|mut g, x, along, y, y_dot| {
        let (mut later, mut later_dot) = (A::zero(), A::zero());
        for i in (0..x.len()).rev() {
            later = g[i] + later;
            g[i] = if i == 0 { later_dot } else { scale(later_dot, y[i - 1]) + scale(later, y_dot[i - 1]) };
            (later, later_dot) = (scale(later, x[i]), scale(later_dot, x[i]) + scale(later, along[i]));
        }
    });
    out
}

/// The derivative of the tangent of a running product along another direction.
fn cumprod_curve<A: Element, D: RemoveAxis>(
    x: &Array<A, D>,
    axis: Axis,
    u: &Array<A, D>,
    v: &Array<A, D>,
) -> Array<A, D> {
    let (u_dot, v_dot) = (cumprod_jvp(x, axis, u.clone(), ()).1, cumprod_jvp(x, axis, v.clone(), ()).1);
    let mut out: Array<A, D> = Array::zeros(x.raw_dim());
    let all = Zip::from(out.lanes_mut(axis)).and(x.lanes(axis)).and(u.lanes(axis)).and(v.lanes(axis));
    all.and(u_dot.lanes(axis)).and(v_dot.lanes(axis)).for_each(|mut out, x, u, v, u_dot, v_dot| {
        for i in 1..x.len() {
            out[i] = scale(out[i - 1], x[i]) + scale(v[i], u_dot[i - 1]) + scale(u[i], v_dot[i - 1]);
        }
    });
    out
}
