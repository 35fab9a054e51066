//! Mutable references that a branch chooses, and several bound side by side.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Sides {
    l: Option<f64>,
    r: Option<f64>,
}

#[derive(Clone, Differentiable)]
struct Node {
    k: f64,
    l: Option<Box<Node>>,
    r: Option<Box<Node>>,
}

#[differentiable]
impl Node {
    fn new(k: f64) -> Self {
        Node { k, l: None, r: None }
    }
    fn insert(&mut self, k: f64) {
        let side = if k < self.k { &mut self.l } else { &mut self.r };
        match side {
            Some(n) => n.insert(k),
            None => *side = Some(Box::new(Node::new(k))),
        }
    }
    fn insert_at_once(&mut self, k: f64) {
        match if k < self.k { &mut self.l } else { &mut self.r } {
            Some(n) => n.insert_at_once(k),
            side => *side = Some(Box::new(Node::new(k))),
        }
    }
    fn insert_if(&mut self, k: f64) {
        let side = if k < self.k { &mut self.l } else { &mut self.r };
        if let Some(n) = side {
            n.insert_if(k);
        } else {
            *side = Some(Box::new(Node::new(k)));
        }
    }
    fn walk(&self, d: f64) -> f64 {
        let l = self.l.as_ref().map_or(0.0, |n| n.walk(d * 2.0));
        self.k * d + l + self.r.as_ref().map_or(0.0, |n| n.walk(d * 3.0))
    }
}

#[differentiable]
fn either(a: &mut f64, b: &mut f64, first: bool) -> f64 {
    let r = if first { a } else { b };
    *r *= 2.0;
    let old = *r;
    *r += old * old;
    old
}

#[differentiable]
fn sorted_into(a: &mut Vec<f64>, b: &mut Vec<f64>, v: f64) {
    let to = if v > 0.0 { a } else { b };
    to.push(v * v);
}

bodies! {
    variables(x): {
    let (mut a, mut b) = (x[0], x[1]);
    let r = if x[2] > 0.0 { &mut a } else { &mut b };
    *r *= x[3];
    *r += 1.0;
    a * b
    }
    elements(x): {
    let mut v = x.to_vec();
    let mut w = [x[0], x[1]];
    for i in 0..4 {
        let r = match i { 0 => &mut v[1], 1 => &mut w[0], _ => &mut v[3] };
        *r = *r * x[i] + 0.1;
    }
    v.iter().sum::<f64>() * w[0]
    }
    options(x): {
    let mut s = Sides { l: None, r: Some(x[0]) };
    for k in 0..4 {
        let side = if k % 2 == 0 { &mut s.l } else { &mut s.r };
        match side { Some(n) => *n *= x[k], None => *side = Some(x[1]) }
    }
    s.l.unwrap() * s.r.unwrap()
    }
    trees(x): {
    let mut all = 0.0;
    let mut t = Node::new(x[0]);
    for &v in &x[1..] { t.insert(v); }
    all += t.walk(x[0]);
    let mut t = Node::new(x[1]);
    for &v in x { t.insert_at_once(v * v); }
    all += t.walk(x[2]);
    let mut t = Node::new(x[3]);
    for &v in x { t.insert_if(v * 0.5); }
    all + t.walk(x[2])
    }
    halves(x): {
    let mut v = x.to_vec();
    {
        let (a, b) = v.split_at_mut(2);
        let (hi, lo) = if a[0] > b[0] { (a, b) } else { (b, a) };
        hi[0] += lo[1] * 2.0;
        lo[0] *= hi[1];
    }
    v.iter().map(|a| a * a).sum()
    }
    vectors(x): {
    let mut lo = vec![];
    let mut hi = vec![];
    for &v in x {
        let to = if v > 0.5 { &mut hi } else { &mut lo };
        to.push(v * x[0]);
    }
    lo.iter().sum::<f64>() * hi.iter().product::<f64>()
    }
    without_a_name(x): {
    let (mut a, mut b) = (vec![x[0]], vec![x[1]]);
    (if x[2] > 0.0 { &mut a } else { &mut b }).push(x[2]);
    *if x[3] > 0.0 { &mut a[0] } else { &mut b[0] } *= x[3];
    a.iter().sum::<f64>() * b.iter().sum::<f64>()
    }
    parameters(x): {
    let (mut a, mut b) = (x[0], x[1]);
    let r = either(&mut a, &mut b, x[2] > 0.0);
    let (mut p, mut q) = (vec![a], vec![b]);
    for &v in x { sorted_into(&mut p, &mut q, v); }
    r * p.iter().sum::<f64>() * q.iter().sum::<f64>()
    }
    with_arms_that_leave(x): {
    let mut v = x.to_vec();
    let mut best = 0.0;
    for i in 0..3 {
        let r = if v[i] > v[i + 1] { &mut v[i] } else if v[i] < -5.0 { continue } else { &mut v[i + 1] };
        *r = r.powi(2) + 0.1;
        if *r > 5.0 { break; }
        best += *r;
    }
    let last = match best > 0.0 { true => { let k = 2; &mut v[k] } false => return x[1] };
    *last += best;
    best * v[2] * v[3]
    }
    one_after_the_other(x): {
    let (mut a, mut b, mut c) = (x[0], x[1], x[2]);
    let p = if x[3] > 0.0 { &mut a } else { &mut b };
    *p *= 1.5;
    let q = if x[3] > 1.0 { &mut *p } else { &mut c };
    *q += x[0];
    a * b + b * c + a * c
    }
    side_by_side(x): {
    let (mut a, mut b) = ([x[0], x[1]], [x[2], x[3]]);
    let (p, q) = (&mut a, &mut b);
    p[0] *= q[1];
    q[0] += p[1];
    let (u, w) = if x[0] > 0.0 { (p, q) } else { (q, p) };
    u[1] *= w[0];
    std::mem::swap(u, w);
    a[0] * a[1] - b[0] / b[1]
    }
    in_closures(x): {
    let f = |k: usize, v: &mut [f64]| {
        let (l, r) = v.split_at_mut(2);
        let t = if k == 0 { l } else { r };
        t[0] *= t[1];
    };
    let mut v = x.to_vec();
    f(0, &mut v);
    f(1, &mut v);
    v[0] * v[2]
    }
    names_of_shared_references_are_swapped(x): {
    let (mut a, mut b) = (x[0], x[2]);
    a *= 2.0;
    b += 1.0;
    let mut p = &a;
    let mut q = &b;
    for _ in 0..3 { std::mem::swap(&mut p, &mut q); }
    *p * 2.0 + q.sin()
    }
}
