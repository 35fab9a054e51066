//! Methods that take `self` by value, of types that are not `Copy`.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct W {
    v: Vec<f64>,
    k: f64,
}

#[differentiable]
impl W {
    fn total(self) -> f64 {
        self.v.iter().sum::<f64>() * self.k
    }

    fn scaled(self, a: f64) -> W {
        W { v: self.v.iter().map(|t| t * a).collect(), k: self.k * a }
    }

    fn bump(mut self, a: f64) -> Self {
        self.k += a;
        self.v.push(a);
        self
    }

    fn with(self, o: W) -> f64 {
        self.k * o.k + self.v[0]
    }

    // by reference, and what it gives may borrow
    fn first(&self) -> f64 {
        self.v[0] * self.k
    }

    fn shift(&mut self, a: f64) -> f64 {
        self.k *= a;
        self.k
    }
}

// the attribute on the methods
impl W {
    #[differentiable]
    fn twice(self) -> W {
        W { k: self.k * 2.0, ..self }
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Small(f64);

#[differentiable]
impl Small {
    fn square(self) -> f64 {
        self.0 * self.0
    }
}

#[differentiable]
trait Shape: Clone {
    fn area(self, k: f64) -> f64;

    fn doubled(self, k: f64) -> f64 {
        self.area(k * 2.0) * k
    }
}

#[differentiable]
impl Shape for W {
    fn area(self, k: f64) -> f64 {
        self.v[0] * self.v[1] * k * k
    }
}

#[differentiable]
fn consume(w: W, a: f64) -> f64 {
    w.k * a + w.v[0]
}

#[differentiable]
fn parameter(w: W, a: f64) -> f64 {
    w.scaled(a).total()
}

#[differentiable]
fn generic<S: Shape + Differentiable>(s: S, a: f64) -> f64 {
    s.area(a)
}

#[differentiable]
fn one_call(x: &[f64], a: f64) -> f64 {
    let w = W { v: x.to_vec(), k: a };
    w.total()
}

#[differentiable]
fn chain(x: &[f64], a: f64) -> f64 {
    W { v: x.to_vec(), k: a }.scaled(x[0]).bump(a).twice().total()
}

#[differentiable]
fn copies(x: &[f64], a: f64) -> f64 {
    let w = W { v: x.to_vec(), k: a };
    let u = w.clone().scaled(a);
    let first = w.first();
    u.with(w) * first
}

#[differentiable]
fn in_a_loop(x: &[f64], a: f64) -> f64 {
    let mut w = W { v: x.to_vec(), k: a };
    for i in 0..3 {
        w = w.bump(x[i]).scaled(a);
        let k = w.shift(a);
        w.k += k * x[i];
    }
    let r = w.clone();
    consume(w, a) + W::total(r)
}

#[differentiable]
fn elements(x: &[f64], a: f64) -> f64 {
    let ws = vec![W { v: x.to_vec(), k: a }, W { v: vec![a], k: x[1] }];
    let mut t = 0.0;
    for w in ws {
        t += w.bump(a).total();
    }
    t + parameter(W { v: vec![x[2]], k: a }, x[3])
}

#[differentiable]
fn option(x: &[f64], a: f64) -> f64 {
    let w = if a > 0.0 { Some(W { v: x.to_vec(), k: a }) } else { None };
    match w {
        Some(w) => w.total(),
        None => 0.0,
    }
}

#[differentiable]
fn of_a_trait(x: &[f64], a: f64) -> f64 {
    let w = W { v: x.to_vec(), k: a };
    generic(w.clone(), x[0]) * w.clone().doubled(a) + w.area(x[4])
}

#[differentiable]
fn small(x: &[f64], a: f64) -> f64 {
    let s = Small(x[0] * a);
    let all = [s, Small(x[1])];
    s.square() + s.square() * all[1].square() + all.iter().map(|s| s.square()).sum::<f64>()
}

#[differentiable]
fn fields(x: &[f64], a: f64) -> f64 {
    struct_of(W { v: x.to_vec(), k: a }, a).w.total()
}

#[derive(Clone, Differentiable)]
struct Holder {
    w: W,
    s: Small,
}

#[differentiable]
fn struct_of(w: W, a: f64) -> Holder {
    Holder { w: w.bump(a), s: Small(a) }
}

#[differentiable]
fn parts(x: &[f64], a: f64) -> f64 {
    let h = struct_of(W { v: x.to_vec(), k: a }, a);
    let s = h.s.square();
    let Holder { w, .. } = h;
    w.scaled(s).total()
}

checked! {
    one_call one_call_value_and_grad one_call_jvp;
    chain chain_value_and_grad chain_jvp;
    copies copies_value_and_grad copies_jvp;
    in_a_loop in_a_loop_value_and_grad in_a_loop_jvp;
    elements elements_value_and_grad elements_jvp;
    option option_value_and_grad option_jvp;
    of_a_trait of_a_trait_value_and_grad of_a_trait_jvp;
    small small_value_and_grad small_jvp;
    fields fields_value_and_grad fields_jvp;
    parts parts_value_and_grad parts_jvp;
}
