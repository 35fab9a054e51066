//! The tangent program of `layer_norm`, differentiated.
//!
//! With s² = variance + eps, h = gain·w and z = (x - mean)/s: ṡ = mean(z·ẋ) + ε̇/(2s), ż = (ẋ - mean ẋ - z·ṡ)/s, and the
//! cotangents are the derivatives of those of the first order along a direction. Where s is 0, all of them are.

use ndarray::{Array1, ArrayView1, Ix1, RemoveAxis, Zip};

use crate::ops::norm::{layer_norm_jvp, layer_norm_vjp, normalised, slope};
use crate::ops::{AsArray, Element, Owned, float, sum};
use crate::scalar::scale;

/// A row along a direction.
struct Row<'a, A> {
    z: ArrayView1<'a, A>,
    size: A,
    dot: ArrayView1<'a, A>,
    eps_dot: A,
}

impl<A: Element> Row<'_, A> {
    fn mean(&self, terms: impl Iterator<Item = A>) -> A {
        sum(terms) / float(self.z.len())
    }

    /// ṡ
    fn size_dot(&self) -> A {
        let moved = self.mean(self.z.iter().zip(self.dot).map(|(z, dot)| scale(*dot, *z)));
        moved + slope(self.eps_dot / float(2), self.size)
    }

    /// ż
    fn z_dot(&self) -> Array1<A> {
        let (mean, size_dot) = (self.mean(self.dot.iter().copied()), self.size_dot());
        Zip::from(self.z).and(self.dot).map_collect(|z, dot| slope(*dot - mean - scale(size_dot, *z), self.size))
    }
}

#[doc(hidden)]
#[track_caller]
pub fn layer_norm_jvp_vjp<X, G, B>(
    x: X,
    gain: G,
    bias: B,
    eps: X::Elem,
    x_dot: Owned<X>,
    gain_dot: Array1<X::Elem>,
    bias_dot: Array1<X::Elem>,
    eps_dot: X::Elem,
) -> (
    (Owned<X>, Owned<X>),
    impl Fn(
        (Owned<X>, Owned<X>),
    )
        -> (Owned<X>, Array1<X::Elem>, Array1<X::Elem>, X::Elem, Owned<X>, Array1<X::Elem>, Array1<X::Elem>, X::Elem),
)
where
    X: AsArray<Dim: RemoveAxis>,
    G: AsArray<Elem = X::Elem, Dim = Ix1>,
    B: AsArray<Elem = X::Elem, Dim = Ix1>,
{
    let (x, gain, bias) = (x.as_array().to_owned(), gain.as_array().to_owned(), bias.as_array().to_owned());
    let values = layer_norm_jvp(&x, &gain, &bias, eps, x_dot.clone(), gain_dot.clone(), bias_dot, eps_dot);
    let (z, sizes) = normalised(&x, &gain.view(), &bias.view(), eps);
    let pullback = layer_norm_vjp(x, gain.clone(), bias, eps).1;
    let pullback = move |(g, w): (Owned<X>, Owned<X>)| {
        let (mut x_bar, mut gain_bar, bias_bar, mut eps_bar) = pullback(g);
        let rows = x_bar.rows_mut().into_iter().zip(z.rows()).zip(&sizes).zip(x_dot.rows()).zip(w.rows());
        for ((((mut x_bar, z), size), dot), w) in rows {
            let row = Row { z, size: *size, dot, eps_dot };
            let (z_dot, size_dot) = (row.z_dot(), row.size_dot());
            Zip::from(&mut gain_bar).and(w).and(&z_dot).for_each(|sum, w, z_dot| *sum = *sum + scale(*w, *z_dot));
            let h = Zip::from(w).and(&gain).map_collect(|w, gain| scale(*w, *gain));
            let h_dot = Zip::from(w).and(&gain_dot).map_collect(|w, gain_dot| scale(*w, *gain_dot));
            let of =
                |u: &Array1<X::Elem>, v: ArrayView1<'_, X::Elem>| row.mean(u.iter().zip(v).map(|(u, v)| scale(*u, *v)));
            let (mean, along) = (row.mean(h.iter().copied()), of(&h, z));
            let (mean_dot, along_dot) = (row.mean(h_dot.iter().copied()), of(&h_dot, z) + of(&h, z_dot.view()));
            let each = Zip::from(&mut x_bar).and(&h).and(&h_dot).and(z).and(&z_dot);
            each.for_each(|x_bar, h, h_dot, z, z_dot| {
                let first = slope(*h - mean - scale(along, *z), *size);
                let next = *h_dot - mean_dot - scale(along, *z_dot) - scale(along_dot, *z) - scale(size_dot, first);
                *x_bar = *x_bar + slope(next, *size);
            });
            // of -Σ h·z/(2s²)
            let half = float::<X::Elem>(z.len()) / float(2);
            let turned = slope(along_dot - slope(float::<X::Elem>(2) * scale(size_dot, along), *size), *size);
            eps_bar = eps_bar - half * slope(turned, *size);
        }
        let (x_dot_bar, gain_dot_bar, bias_dot_bar, eps_dot_bar) = pullback(w);
        (x_bar, gain_bar, bias_bar, eps_bar, x_dot_bar, gain_dot_bar, bias_dot_bar, eps_dot_bar)
    };
    (values, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn layer_norm_jvp_jvp<X, G, B>(
    x: X,
    gain: G,
    bias: B,
    eps: X::Elem,
    x_dot: Owned<X>,
    gain_dot: Array1<X::Elem>,
    bias_dot: Array1<X::Elem>,
    eps_dot: X::Elem,
    tx: Owned<X>,
    tgain: Array1<X::Elem>,
    tbias: Array1<X::Elem>,
    teps: X::Elem,
    tx_dot: Owned<X>,
    tgain_dot: Array1<X::Elem>,
    tbias_dot: Array1<X::Elem>,
    teps_dot: X::Elem,
) -> ((Owned<X>, Owned<X>), (Owned<X>, Owned<X>))
where
    X: AsArray<Dim: RemoveAxis>,
    G: AsArray<Elem = X::Elem, Dim = Ix1>,
    B: AsArray<Elem = X::Elem, Dim = Ix1>,
{
    let (x, gain, bias) = (x.as_array(), gain.as_array(), bias.as_array());
    let (z, sizes) = normalised(&x, &gain, &bias, eps);
    let mut ty_dot = layer_norm_jvp(&x, gain, bias, eps, tx_dot, tgain_dot, tbias_dot, teps_dot).1;
    let rows = ty_dot.rows_mut().into_iter().zip(z.rows()).zip(&sizes).zip(x_dot.rows()).zip(tx.rows());
    for ((((mut out, z), size), dot), tangent) in rows {
        let u = Row { z, size: *size, dot, eps_dot };
        let v = Row { z, size: *size, dot: tangent, eps_dot: teps };
        let (u_z, v_z, u_size, v_size) = (u.z_dot(), v.z_dot(), u.size_dot(), v.size_dot());
        let of_eps = slope(scale(v_size, slope(eps_dot / float(2), *size)), *size);
        let turned = u.mean(v_z.iter().zip(dot).map(|(v_z, dot)| scale(*dot, *v_z))) - of_eps;
        for i in 0..z.len() {
            let both = scale(u_size, v_z[i]) + scale(turned, z[i]) + scale(v_size, u_z[i]);
            let bent = -slope(both, *size);
            out[i] = out[i] + scale(bent, gain[i]) + scale(tgain[i], u_z[i]) + scale(gain_dot[i], v_z[i]);
        }
    }
    let values = layer_norm_jvp(&x, gain, bias, eps, x_dot, gain_dot, bias_dot, eps_dot);
    let ty = layer_norm_jvp(&x, gain, bias, eps, tx, tgain, tbias, teps).1;
    (values, (ty, ty_dot))
}
