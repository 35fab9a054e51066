//! What is ordinary in programs: references that walk, text in branches and beside numbers, tables by names, generic lengths.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[derive(Clone, Debug, Differentiable)]
struct Candidate {
    score: f64,
    weights: Vec<f64>,
}

#[derive(Clone, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[differentiable]
fn layer(kind: &str, x: f64, p: &[f64]) -> Result<f64, String> {
    match kind.trim().to_lowercase().as_str() {
        "affine" => Ok(p[0] * x + p[1]),
        "tanh" => Ok(x.tanh()),
        "gauss" if p.len() > 2 => Ok((-p[2] * x * x).exp()),
        other => Err(format!("unknown layer {other}")),
    }
}

#[differentiable]
fn weighted<const N: usize>(weights: [f64; N], value: impl Fn(usize) -> f64) -> f64 {
    let mut s = 0.0;
    for (i, weight) in weights.into_iter().enumerate() {
        s += weight * value(i);
    }
    s
}

#[differentiable]
fn turned(p: &(f64, f64), by: f64) -> (f64, f64) {
    let (s, c) = by.sin_cos();
    (c * p.0 - s * p.1, s * p.0 + c * p.1)
}

type Point = (f64, f64);

bodies! {
    best(x): {
        let all: Vec<Candidate> =
            x.iter().enumerate().map(|(i, t)| Candidate { score: t * (i + 1) as f64, weights: vec![*t, t * t] }).collect();
        let mut best = &all[0];
        for c in &all {
            if c.score > best.score {
                best = c;
            }
        }
        best.score * best.weights[1] + all[1].score
    }
    chosen_by_option(x): {
        let all = vec![
            Candidate { score: x[0], weights: vec![x[2]] },
            Candidate { score: x[1], weights: vec![x[3], 1.0] },
            Candidate { score: x[3], weights: vec![] },
        ];
        let mut best: Option<&Candidate> = None;
        for c in all.iter() {
            match best {
                Some(b) if b.score >= c.score => {}
                _ => best = Some(c),
            }
        }
        let mut last: Option<&Candidate> = None;
        for c in &all {
            if last.is_none_or(|l| c.score < l.score) {
                last = Some(c);
            }
        }
        let (mut low, mut high) = (&all[0], &all[1]);
        if low.score < high.score {
            (low, high) = (high, low);
        }
        best.unwrap().score * best.unwrap().weights[0] + last.unwrap().score.sin() + low.score * high.weights[0]
    }
    walked(x): {
        let mut head: Option<Box<Node>> = None;
        for t in x.iter().rev() {
            head = Some(Box::new(Node { value: *t, next: head }));
        }
        let mut s = 1.0;
        let mut at = &head;
        while let Some(node) = at {
            s = s * node.value + 1.0;
            at = &node.next;
        }
        s
    }
    turned_around(x): {
        let mut head: Option<Box<Node>> = None;
        for t in x.iter().rev() {
            head = Some(Box::new(Node { value: *t, next: head }));
        }
        let mut back: Option<Box<Node>> = None;
        while let Some(mut node) = head {
            head = node.next.take();
            node.next = back;
            back = Some(node);
        }
        let (mut s, mut weight) = (0.0, 1.0);
        let mut at = back.as_ref();
        while let Some(node) = at {
            s += weight * node.value * node.value;
            weight += 1.0;
            at = node.next.as_ref();
        }
        s
    }
    layers(x): {
        let mut y = x[0];
        for (i, kind) in "Affine | tanh|gauss".split('|').enumerate() {
            match layer(kind, y, &x[i.min(1)..]) {
                Ok(z) => y = z,
                Err(e) => println!("{e}"),
            }
        }
        y * x[3]
    }
    logged(x): {
        let mut log = String::new();
        let mut y = x[0];
        for (i, t) in x.iter().enumerate().skip(1) {
            y = y * t + 1.0;
            write!(log, "{i}:{y:.3};").unwrap();
            if log.len() > 1000 {
                log.clear();
            }
        }
        y * log.matches(';').count() as f64
    }
    by_key(x): {
        let places: BTreeMap<String, usize> =
            ["alpha", "beta", "gamma"].iter().enumerate().map(|(i, name)| (name.to_string(), i)).collect();
        let get = |name: &str| x[places[name]];
        let mut total = 0.0;
        for term in "alpha * beta + gamma".split('+') {
            let mut product = 1.0;
            for name in term.split('*') {
                product *= get(name.trim());
            }
            total += product;
        }
        total + places.get("delta").map_or(x[3], |i| x[*i])
    }
    lengths(x): { weighted([x[0], x[1], 2.0], |i| x[i] * x[3]) + weighted([1.0; 4], |i| (x[i] * i as f64).cos()) }
    nearest(x): {
        let from: Vec<Point> = vec![(0.0, 0.1), (1.0, 0.2), (0.5, 1.0)];
        let to: [Point; 3] = [(0.1, 0.1), (1.1, 0.5), (0.3, 1.2)];
        from.iter()
            .map(|p| {
                let q = turned(p, x[0]);
                let squares = to.iter().map(|t| (q.0 - t.0 * x[2]).powi(2) + (q.1 - t.1).powi(2));
                squares.min_by(|a, b| a.total_cmp(b)).unwrap()
            })
            .sum::<f64>()
            * x[3]
    }
}
