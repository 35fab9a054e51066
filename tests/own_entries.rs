//! Functions that call themselves: what the call's pullback gives for an argument is its cotangent, in every mixture of
//! arguments that have one already, are no parameters, or have another type.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::{check_grad, differentiable};

/// An argument in two calls, one with a cotangent already, and a part of one.
#[differentiable]
fn halves(x: &[f64], w: &[f64], n: usize) -> f64 {
    if n == 0 {
        return x.iter().sum::<f64>() * w[0] + w[1] * w[1];
    }
    let mut y = x.to_vec();
    for i in 0..y.len() {
        y[i] *= w[i % w.len()].sin();
    }
    let mut z = Vec::new();
    for i in 0..y.len() {
        z.push(y[i] * x[i]);
    }
    let both = halves(&y, w, n - 1) * halves(&y, &z, n - 1);
    both + halves(&z[1..], w, n - 1) + z[0] * y[1]
}

/// Arrays, pairs and a parameter that is not differentiated.
#[differentiable(wrt(m, p))]
fn mixed(m: [[f64; 2]; 2], p: (f64, f64), scale: f64, n: usize) -> f64 {
    if n == 0 {
        return m[0][0] * p.0 + m[1][1] * p.1 * scale;
    }
    let turned = [[m[1][0], m[0][1] * p.0], [m[0][0].sin(), scale]];
    let s = p.0 * p.1;
    mixed(turned, (s, p.0), -scale, n - 1) + mixed(m, p, 0.5 * scale, n - 1) * mixed(turned, (p.1, s), scale, n - 1)
}

/// Calls in loops and in arms.
#[differentiable]
fn in_loops(v: Vec<f64>, a: f64, n: usize) -> f64 {
    let mut sum = a * v[0];
    for k in 0..n {
        let mut u = v.clone();
        u[k % 3] *= a;
        sum += if k % 2 == 0 { in_loops(u, sum.sin(), k) } else { in_loops(v.clone(), a, k) * u[1] };
    }
    sum
}

/// Pairs in vectors.
#[differentiable]
fn pairs(x: &[[f64; 2]], n: usize) -> Vec<[f64; 2]> {
    if x.len() < 2 {
        return x.to_vec();
    }
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for k in 0..x.len() / 2 {
        even.push(x[2 * k]);
        odd.push(x[2 * k + 1]);
    }
    let a: Vec<[f64; 2]> = pairs(&even, n + 1);
    let b: Vec<[f64; 2]> = pairs(&odd, n + 2);
    let mut out = vec![[0.0; 2]; x.len()];
    for k in 0..a.len() {
        let (s, c) = ((k + n) as f64 + odd[k][0]).sin_cos();
        out[2 * k] = [a[k][0] * c + b[k][1], a[k][1] * s];
        out[2 * k + 1] = [b[k][0] * a[k][0], even[k][1] - b[k][0]];
    }
    out
}

#[differentiable]
fn energy(x: &[[f64; 2]]) -> f64 {
    let y: Vec<[f64; 2]> = pairs(x, 1);
    let mut sum = 0.0;
    for k in 0..y.len() {
        sum += y[k][0] * y[k][0] + (k as f64 + 1.0) * y[k][1];
    }
    sum
}

#[test]
fn entries() {
    let (x, w) = (vec![0.3, -0.8, 1.2, 0.5, 0.9], vec![0.7, -0.4, 1.1]);
    for n in 0..4 {
        let f = |(x, w): &(Vec<f64>, Vec<f64>)| halves(x, w, n);
        check_grad(f, &(x.clone(), w.clone()), &halves_grad(&x, &w, n)).assert_within(1e-7);
        let (m, p) = ([[0.3, 0.4], [-0.6, 0.9]], (0.7, -0.2));
        check_grad(|(m, p)| mixed(*m, *p, 0.8, n), &(m, p), &mixed_grad(m, p, 0.8, n)).assert_within(1e-7);
        let (v, a) = (vec![0.3, 0.8, 1.2], 0.6);
        let f = |(v, a): &(Vec<f64>, f64)| in_loops(v.clone(), *a, n);
        check_grad(f, &(v.clone(), a), &in_loops_grad(v.clone(), a, n)).assert_within(1e-7);
    }
}

#[test]
fn vectors_of_pairs() {
    for n in [1, 2, 4, 8] {
        let x: Vec<[f64; 2]> = (0..n).map(|k| [0.3 + 0.2 * k as f64, (k as f64).cos()]).collect();
        check_grad(|x: &Vec<[f64; 2]>| energy(x), &x, &energy_grad(&x)).assert_within(1e-7);
    }
}

/// Arrays in arrays, in a vector of which only the length counts in the pullback.
#[differentiable]
fn spread(x: &[[f64; 2]], a: f64) -> Vec<[[f64; 2]; 3]> {
    x.iter().map(|p| [[p[0] * a, p[1]], [p[1] * p[1], a], [p[0] + a, p[0] * p[1]]]).collect()
}

#[differentiable]
fn gathered(x: &[[f64; 2]], a: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for k in 0..n {
        let parts: Vec<[[f64; 2]; 3]> = spread(&x[k..], a * (k + 1) as f64);
        for part in &parts {
            sum += part[0][0] + 2.0 * part[0][1] - part[1][0] + 0.5 * part[1][1] + part[2][0] - 3.0 * part[2][1];
        }
    }
    sum
}

#[test]
fn vectors_of_arrays_of_arrays() {
    for n in [0, 1, 3, 4] {
        let x = vec![[0.3, -0.8], [1.2, 0.5], [0.9, 0.1]];
        let f = |(x, a): &(Vec<[f64; 2]>, f64)| gathered(x, *a, n);
        check_grad(f, &(x.clone(), 0.7), &gathered_grad(&x, 0.7, n)).assert_within(1e-8);
    }
}
