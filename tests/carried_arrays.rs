//! Arrays with their length in their type, in loops that carry and replace them, and constant items in loops: neither is
//! kept for the pullback.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::{check_grad, differentiable};

const W: [[f64; 3]; 2] = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]];
static S: [f64; 3] = [0.25, 1.0, -2.0];
static LAZY: std::sync::LazyLock<Vec<f64>> = std::sync::LazyLock::new(|| vec![1.0, 2.0, 3.0]);
mod deep {
    pub(super) const T: &[f64] = &[3.0, 4.0, 5.0];
    pub(super) struct P(pub(super) f64, pub(super) [f64; 3]);
    pub(super) const Q: P = P(2.0, [1.0, 0.5, 0.25]);
}
struct Tab;
impl Tab {
    const K: [f64; 3] = [1.0, 3.0, -2.0];
}

#[differentiable]
fn items(x: &[f64], n: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..n {
        const LOCAL: [f64; 2] = [0.7, 1.3];
        s = s * W[i % 2][i % 3]
            + x[i]
                * S[i % 3]
                * s.sin()
                * LAZY[i % 3]
                * deep::T[i % 3]
                * Tab::K[i % 3]
                * LOCAL[i % 2]
                * deep::Q.1[i % 3]
                * deep::Q.0;
    }
    s
}
#[differentiable]
fn slices_of(a: [f64; 2], b: [f64; 3], n: usize) -> f64 {
    let mut r: &[f64] = &a;
    let mut s = 0.0;
    for i in 0..n {
        s += r[0] * r[r.len() - 1] * (i as f64 + 1.0).sqrt() + s * 0.1;
        if i % 2 == 0 {
            r = &b;
        } else {
            r = &a;
        }
    }
    s
}
#[differentiable]
fn chosen_slice(a: [f64; 2], b: [f64; 3], c: bool) -> f64 {
    let r: &[f64] = if c { &a[..] } else { &b[..] };
    let mut s = 0.0;
    for i in 0..r.len() {
        s += r[i] * r[i];
    }
    s
}
#[differentiable]
fn generic_len<const N: usize>(a: [f64; N], b: f64, n: usize) -> f64 {
    let mut y = a;
    let mut total = 0.0;
    for s in 0..n {
        let mut k = [[0.0; N]; 4];
        let mut z = y;
        for j in 0..4 {
            for i in 0..N {
                k[j][i] = z[i] * b + (j as f64) * y[i].sin();
            }
            z = y;
            for i in 0..N {
                z[i] += 0.1 * k[j][i];
            }
        }
        if s % 2 == 0 {
            y = z;
        } else {
            total += z[0] * z[N - 1];
        }
    }
    total + y[0] * y[0]
}
#[differentiable]
fn in_place(u: &mut [f64; 3], v: &mut [[f64; 2]; 2], b: f64, n: usize) -> f64 {
    let mut w = *u;
    for s in 0..n {
        let old = w;
        for i in 0..3 {
            w[i] = old[(i + 1) % 3] * b + u[i] * v[s % 2][i % 2];
        }
        if s % 2 == 1 {
            *u = w;
            v[0] = [w[0], w[1]];
        }
        u[s % 3] += w[0] * 0.5;
    }
    w[0] * w[1] + u[2]
}
#[differentiable]
fn while_arrays(start: [[f64; 2]; 2], rate: f64) -> f64 {
    let mut y = start;
    let mut best = [0.0; 2];
    let mut k = 0;
    while k < 5 {
        let mut z = [[y[1][0], y[0][1]], [y[0][0] * rate, rate]];
        if y[0][0] > 0.3 {
            z = y;
            best = z[1];
            z[0][1] *= rate;
        }
        let t = match k {
            0 => y[0],
            1 => best,
            _ => [z[0][0], z[1][1].sin()],
        };
        y = [t, z[0]];
        y[1][0] += 0.1 * rate * t[1];
        k += 1;
    }
    y[0][0] + y[1][1] * best[0] + best[1]
}
#[differentiable]
fn pairs(p: (f64, [f64; 2]), n: usize) -> f64 {
    let mut q = [p; 2];
    for i in 0..n {
        let t = q[i % 2];
        q[(i + 1) % 2] = (t.0 * 0.5 + t.1[0], [t.1[1], t.0.sin()]);
        if i == 2 {
            q = [t, (t.0, [t.1[0] * 2.0, 1.0])];
        }
    }
    q[0].0 + q[1].1[1]
}
#[test]
fn items_in_loops() {
    let x: Vec<f64> = (0..7).map(|i| 0.1 + 0.03 * i as f64).collect();
    check_grad(|x: &Vec<f64>| items(x, 7), &x, &items_grad(&x, 7)).assert_within(1e-7);
}

#[test]
fn slices_of_arrays() {
    let given = ([0.3, 0.4], [0.5, 0.6, 0.7]);
    for c in [true, false] {
        check_grad(|(a, b)| chosen_slice(*a, *b, c), &given, &chosen_slice_grad(given.0, given.1, c))
            .assert_within(1e-8);
    }
    for n in 0..5 {
        check_grad(|(a, b)| slices_of(*a, *b, n), &given, &slices_of_grad(given.0, given.1, n)).assert_within(1e-8);
    }
}

#[test]
fn carried_arrays() {
    for n in 0..5 {
        let (a, b) = ([0.3, 0.4, 0.5], 0.7);
        check_grad(|(a, b)| generic_len(*a, *b, n), &(a, b), &generic_len_grad(a, b, n)).assert_within(1e-8);
        let p = (0.3, [0.4, 0.5]);
        check_grad(|p| pairs(*p, n), &p, &pairs_grad(p, n)).assert_within(1e-8);
        let (u, v, b) = ([0.3, 0.4, 0.6], [[0.2, 0.3], [0.5, 0.7]], 0.9);
        let f = |(u, v, b): &([f64; 3], [[f64; 2]; 2], f64)| in_place(&mut u.clone(), &mut v.clone(), *b, n);
        check_grad(f, &(u, v, b), &in_place_grad(&mut u.clone(), &mut v.clone(), b, n)).assert_within(1e-8);
    }
    for rate in [0.2, 0.9, 1.5] {
        let start = [[0.35, 0.8], [0.5, 0.9]];
        let gradient = while_arrays_grad(start, rate);
        check_grad(|(s, r)| while_arrays(*s, *r), &(start, rate), &gradient).assert_within(1e-8);
    }
}
