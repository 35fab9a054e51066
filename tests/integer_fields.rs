//! Integers in the fields of structs, which the macro takes for what might be numbers.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Grid {
    n: usize,
    k: i32,
    cells: Vec<f64>,
}

#[differentiable]
impl Grid {
    fn new(x: &[f64], a: f64) -> Grid {
        Grid { n: 2, k: -3, cells: vec![x[0], x[1] * a, x[2], x[3], x[4]] }
    }
}

#[differentiable]
fn arithmetic(x: &[f64], a: f64) -> f64 {
    let g = Grid::new(x, a);
    (g.n * 2) as f64 * a + (-g.k) as f64 * x[0] + (7 / g.n % 2 + g.n) as f64 * x[1] * a
}

#[differentiable]
fn indices(x: &[f64], a: f64) -> f64 {
    let g = Grid::new(x, a);
    let mut s = g.cells[g.n + 1] * a + g.cells[g.n - 2 * g.n / 4];
    for i in g.n - 1..g.n * g.n {
        s += a * g.cells[i % g.n] * x[(i + g.n) % x.len()];
    }
    s
}

#[differentiable]
fn branches(x: &[f64], a: f64) -> f64 {
    let g = Grid::new(x, a);
    let half = g.n / 2;
    if g.n % 2 == 0 && half * 2 > g.n - 1 { x[half] * a } else { a }
}

#[differentiable]
fn changed(x: &[f64], a: f64) -> f64 {
    let mut g = Grid::new(x, a);
    g.n += 1;
    g.k -= 2;
    g.k *= g.k;
    g.n = g.n * 2 - g.n;
    while g.k > 3 {
        g.k /= 2;
        g.cells[g.n] *= a;
    }
    g.n as f64 * a * g.k as f64 * g.cells[g.n % 4]
}

#[differentiable]
fn methods(x: &[f64], a: f64) -> f64 {
    let g = Grid::new(x, a);
    let k = g.k.abs().max(2).min(g.k + 7).clamp(0, 9);
    let t = g.k.signum() * k - -g.k;
    let r = g.k.rem_euclid(5) + 2;
    let q = g.n.min(g.cells.len() - 1);
    a.powi(k) * t as f64 + g.cells[q] * g.cells[g.n.max(1)] * r as f64 + g.k.pow(2) as f64 * x[1] + x[0].powi(-g.k)
}

#[derive(Clone, Differentiable)]
struct Named {
    name: String,
    words: Vec<String>,
    x: f64,
}

#[differentiable]
fn text(x: &[f64], a: f64) -> f64 {
    let s = Named { name: "ab ac\nb".to_owned(), words: vec!["abc".to_owned()], x: x[0] * a };
    described(&s, x[1])
}

#[differentiable]
fn described(s: &Named, a: f64) -> f64 {
    let mut y = s.x * a;
    for c in s.name.chars() {
        if c == 'a' {
            y *= s.x;
        }
    }
    for (i, word) in s.name.split_whitespace().enumerate() {
        y += s.x * word.len() as f64 * i as f64;
    }
    for line in s.name.lines() {
        y += line.len() as f64 * s.x * a;
    }
    let letters = s.name.chars().filter(|c| c.is_alphabetic()).count();
    let bytes: f64 = s.name.bytes().map(f64::from).sum();
    if s.name.chars().any(|c| c == 'b') && s.name.chars().next_back() == Some('b') {
        y *= 3.0 * a;
    }
    y + s.words[0].chars().count() as f64 * s.x * letters as f64 + bytes * a * a
}

checked! {
    text text_value_and_grad text_jvp;
    arithmetic arithmetic_value_and_grad arithmetic_jvp;
    indices indices_value_and_grad indices_jvp;
    branches branches_value_and_grad branches_jvp;
    changed changed_value_and_grad changed_jvp;
    methods methods_value_and_grad methods_jvp;
}
