//! Calls at the ends of arms, of which other arms show that they give nothing.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Node {
    v: f64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

#[differentiable]
impl Node {
    fn new(v: f64) -> Self {
        Node { v, left: None, right: None }
    }
    fn insert(&mut self, v: f64) {
        if v < self.v {
            match &mut self.left {
                Some(n) => n.insert(v),
                None => self.left = Some(Box::new(Node::new(v))),
            }
        } else {
            match self.right {
                Some(ref mut n) => n.insert(v),
                None => self.right = Some(Box::new(Node::new(v))),
            };
        }
    }
    fn scale(&mut self, by: f64) {
        if let Some(n) = &mut self.left {
            n.scale(by)
        }
        if let Some(n) = self.right.as_mut() {
            n.scale(by * 1.1)
        } else {
            self.v += 1.0
        }
        self.v *= by;
    }
    fn sum(&self, depth: i32) -> f64 {
        let mut s = self.v.powi(depth);
        if let Some(l) = &self.left {
            s += l.sum(depth + 1);
        }
        if let Some(r) = &self.right {
            s += 2.0 * r.sum(depth + 1);
        }
        s
    }
}

fn touch(v: &mut Vec<f64>, k: f64) -> f64 {
    v[0] *= k;
    v[1]
}
mod touching {
    use super::*;
    // the name protocol by hand: what the call gives is not used where another arm gives nothing
    #[differentiable]
    pub(super) fn touched(v: &mut Vec<f64>, k: f64) -> f64 {
        v[0] *= k;
        v[1]
    }
    #[test]
    fn the_same() {
        let (mut v, mut w) = (vec![2.0, 3.0], vec![2.0, 3.0]);
        assert_eq!((super::touch(&mut v, 4.0), v), (touched(&mut w, 4.0), w));
    }
}

bodies! {
    a_tree(x): {
    let mut t = Node::new(x[0]);
    for &v in &x[1..] { t.insert(v); }
    t.scale(x[1]);
    t.sum(1)
    }
    arms_of_statements(x): {
    let mut v = x.to_vec();
    for k in 0..4 {
        match k {
            0 => v.push(x[0] * x[1]),
            1 => v.swap(0, 2),
            2 => { touching::touched(&mut v, x[3]); }
            _ => {}
        }
        if k % 2 == 0 { v.insert(1, 0.5 * x[2]) } else if k == 3 { v.truncate(4) } else { v[0] += 1.0 }
    }
    v.iter().zip(x).map(|(a, b)| a * b).sum()
    }
}
