//! Steps along gradients inside of functions: what is done with tangents has derivatives, too.

#![allow(dead_code, clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, Tangent as _, differentiable};

#[derive(Clone, Debug, Differentiable)]
struct P {
    a: f64,
    b: Vec<f64>,
    n: usize,
}
#[differentiable(order = 2)]
fn pot(p: &P) -> f64 {
    p.a * p.a + (p.b[0] * p.a).sin() + p.b[1].exp()
}
#[derive(Clone, Debug, Differentiable)]
struct Pair<T> {
    a: T,
    b: Option<f64>,
}
#[differentiable(order = 2)]
fn pot_of_pair(p: &Pair<[f64; 2]>) -> f64 {
    p.a[0] * p.a[1] * p.a[1] + p.b.map_or(0.0, |b| b * b * p.a[0])
}
#[derive(Clone, Debug, Differentiable)]
struct V {
    a: f64,
    b: f64,
}
#[differentiable]
impl V {
    fn scale(&mut self, k: f64) {
        self.a *= k * k;
        self.b += k;
    }
    fn dot(&self, o: &V) -> f64 {
        self.a * o.b
    }
}
bodies! {
    momentum(x): {
    let mut p = P { a: x[0], b: vec![x[1], x[2]], n: 1 };
    let mut m = p.zero_tangent();
    for _ in 0..4 {
        let g = pot_grad(&p);
        m.scale(x[3]);
        m.accumulate(&g);
        let mut step = m.clone();
        step.scale(-0.1);
        p.move_by(&step);
    }
    pot(&p) * x[3]
    }
    clipped(x): {
    let p = P { a: x[0], b: vec![x[1], x[2]], n: 1 };
    let mut g = pot_grad(&p);
    let n = g.dot(&g).sqrt();
    if n > 0.5 { g.scale(0.5 / n); }
    let flat = g.to_flat();
    flat.iter().zip(x).map(|(a, b)| a * b).sum()
    }
    flat(x): {
    let mut p = P { a: x[0], b: vec![x[1], x[2]], n: 1 };
    let g = pot_grad(&p);
    let mut h = g.clone();
    let v: Vec<f64> = g.to_flat().iter().map(|t| t * x[3]).collect();
    h.set_flat(&v);
    p.move_by(&h);
    pot(&p) + h.dot(&g)
    }
    a_line_search(x): {
    let p = P { a: x[0], b: vec![x[1], x[2]], n: 1 };
    let mut d = pot_grad(&p);
    d.scale(-1.0);
    let mut best = f64::INFINITY;
    for t in [0.05, 0.1, 0.2 * x[3]] {
        let mut q = p.clone();
        let mut s = d.clone();
        s.scale(t);
        q.move_by(&s);
        best = best.min(pot(&q));
    }
    best
    }
    generic(x): {
    let mut p = Pair { a: [x[0], x[1]], b: Some(x[2]) };
    let mut g = pot_of_pair_grad(&p);
    g.scale(x[3]);
    p.move_by(&g);
    pot_of_pair(&p)
    }
    methods_of_the_users_own(x): {
    let mut v = V { a: x[0], b: x[1] };
    v.scale(x[2]);
    let w = v.clone();
    v.scale(x[3]);
    v.dot(&w) + w.dot(&v)
    }
}
