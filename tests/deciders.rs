//! Calls without a derivative that are given differentiable values, to decide something by them: what else they are given
//! must not keep these.

#![allow(clippy::borrowed_box)]

mod bodies;

use cotangent::{Differentiable, differentiable, stop_gradient};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Limits {
    lo: f64,
    hi: f64,
    names: Vec<String>,
}

impl Limits {
    fn new() -> Limits {
        Limits { lo: 0.2, hi: 1.0, names: vec!["low".into(), "high".into()] }
    }

    fn hold(&self, v: f64) -> bool {
        v > self.lo && v < self.hi
    }

    fn zone(&self, v: f64) -> usize {
        usize::from(v > self.lo) + usize::from(v > self.hi)
    }
}

trait Gate {
    fn open(&self, v: f64) -> bool;
}

impl Gate for Limits {
    fn open(&self, v: f64) -> bool {
        self.hold(v)
    }
}

/// Whether its function keeps anything is not visible, but it says that it has no derivative.
#[derive(Clone, Differentiable)]
struct Judged {
    #[inactive]
    judge: Arc<dyn Fn(f64) -> bool + Send + Sync>,
    scale: f64,
}

impl Judged {
    fn large(&self, v: f64) -> bool {
        (self.judge)(v)
    }
}

fn bucket(edges: &[f64], v: f64) -> usize {
    edges.iter().filter(|edge| **edge < v).count()
}

fn within(limits: &Limits, v: f64) -> bool {
    limits.hold(v)
}

fn within_own(limits: Limits, v: f64) -> bool {
    limits.hold(v)
}

fn below(levels: &BTreeMap<String, f64>, v: f64) -> bool {
    levels.get("a").is_some_and(|level| v < *level)
}

#[differentiable(wrt(x))]
fn through_object(gate: &dyn Gate, x: f64) -> f64 {
    if gate.open(x) { x * x } else { x }
}

#[differentiable(wrt(x))]
fn through_parameter<G: Gate>(gate: &G, x: f64) -> f64 {
    if gate.open(x) { x * x } else { x }
}

#[differentiable(wrt(x))]
fn through_opaque(gate: &impl Gate, x: f64) -> f64 {
    if gate.open(x) { x * x } else { x }
}

#[differentiable(wrt(x))]
fn through_boxes(gates: &[Box<dyn Gate>], x: f64) -> f64 {
    if gates.iter().any(|gate| gate.open(x)) { x * x } else { x }
}

#[differentiable(wrt(x))]
fn through_box(gate: &Box<dyn Gate>, x: f64) -> f64 {
    if gate.open(x) { x * x } else { x }
}

struct Guarded<G> {
    gate: G,
}

impl<G: Gate> Guarded<G> {
    #[differentiable(wrt(x))]
    fn through(&self, x: f64) -> f64 {
        if self.gate.open(x) { x * x } else { x }
    }
}

/// What a function parameter gives only decides.
#[differentiable]
fn counted(a: f64, h: impl Fn(f64) -> f64, q: f64) -> f64 {
    let mut n = 0;
    for k in 0..5 {
        if h(k as f64) > 0.3 {
            n += 1;
        }
    }
    let (mut t, mut m) = (a, 0);
    while h(t) > 0.1 && m < 20 {
        t *= 0.7;
        m += 1;
    }
    let (mut w, mut c) = (3.0, 0);
    while h(w) > 0.05 {
        w *= 0.5;
        c += 1;
        if c > 10 {
            break;
        }
    }
    loop {
        if h(w) < 1.0 {
            break;
        }
        w -= 0.1;
    }
    let z = (0..4).filter(|&k| h(k as f64) > 0.2).count();
    let first = (0..9).find(|&k| h(k as f64 * 0.3) > 0.4).unwrap_or(2);
    a.tanh() * n as f64 + q * m as f64 * t + z as f64 * a + first as f64 * q + c as f64
}

/// Nothing depends on what it decides.
#[differentiable]
fn in_vain(a: f64, h: impl Fn(f64) -> f64, q: f64) -> f64 {
    if 1.0 > q {
        let _larger = if h(1.0) < a { Some(a) } else { None };
    }
    a.tanh() + q
}

bodies! {
    a_method(x): {
        let limits = Limits::new();
        if limits.hold(x[0]) { x[0] * x[1] } else { x[0] }
    }
    a_number(x): {
        let limits = Limits::new();
        match limits.zone(x[0]) { 0 => x[0], 1 => x[1] * x[0], _ => x[2] * x[0] }
    }
    an_index(x): {
        let edges = vec![0.1, 0.5, 0.9];
        edges[bucket(&edges, x[0])] * x[1] * x[1]
    }
    a_function(x): {
        let limits = Limits::new();
        if within(&limits, x[0] * x[1]) { x[0] * limits.hi } else { x[0] }
    }
    a_function_of_its_own(x): {
        let limits = Limits::new();
        if within_own(limits, x[0] * x[1]) { x[0] * x[0] } else { x[0] }
    }
    a_map(x): {
        let mut levels = BTreeMap::new();
        levels.insert(String::from("a"), 0.3);
        if below(&levels, x[0] * x[1]) { x[0] } else { x[0] * x[0] }
    }
    an_object(x): {
        let limits = Limits::new();
        through_object(&limits, x[0] * x[1])
    }
    a_box(x): {
        let gate: Box<dyn Gate> = Box::new(Limits::new());
        through_box(&gate, x[0] * x[1])
    }
    a_vector_of_boxes(x): {
        let gates: Vec<Box<dyn Gate>> = vec![Box::new(Limits { lo: 2.0, ..Limits::new() }), Box::new(Limits::new())];
        through_boxes(&gates, x[0] * x[1])
    }
    an_array_of_boxes(x): {
        let gates: [Box<dyn Gate>; 2] = [Box::new(Limits::new()), Box::new(Limits { hi: 0.5, ..Limits::new() })];
        let mut open = 0.0;
        for gate in &gates {
            if gate.open(stop_gradient(x[0] * x[1])) {
                open += 1.5;
            }
        }
        if gates[1].open(stop_gradient(x[0])) { x[0] * x[1] * open } else { x[2] }
    }
    a_type_parameter(x): {
        let limits = Limits::new();
        through_parameter(&limits, x[0] * x[1])
    }
    an_opaque_type(x): {
        let limits = Limits::new();
        through_opaque(&limits, x[0] * x[1])
    }
    a_generic_type(x): {
        let guarded = Guarded { gate: Limits::new() };
        guarded.through(x[0] * x[1])
    }
    a_filter(x): {
        let limits = Limits::new();
        let held: Vec<f64> = x.iter().copied().filter(|v| limits.hold(*v)).collect();
        held.iter().map(|v| v * v).sum::<f64>() + x[1]
    }
    a_loop(x): {
        let limits = Limits::new();
        let (mut v, mut steps) = (x[0], 0);
        while limits.hold(v) && steps < 20 {
            v *= 1.1;
            steps += 1;
        }
        v
    }
    an_assertion(x): {
        let limits = Limits::new();
        assert!(limits.hold(x[0] * 0.1 + 0.5), "not between {} and {}", limits.names[0], limits.names[1]);
        x[0] * x[1]
    }
    a_comparison(x): {
        let limits = Limits::new();
        let mut sorted = x.to_vec();
        sorted.sort_by(|a, b| limits.zone(*a).cmp(&limits.zone(*b)).then(a.total_cmp(b)));
        sorted[0] * sorted[3] + sorted[1]
    }
    a_function_parameter(x): {
        counted(x[0], |t| t * x[1] * 0.8, x[2])
    }
    a_function_parameter_in_vain(x): {
        in_vain(x[0], |t| t * x[1], x[2])
    }
    a_claim(x): {
        let judged = Judged { judge: Arc::new(|v| v > 0.5), scale: 2.0 };
        if judged.large(x[1]) { x[0] * judged.scale } else { x[0] }
    }
}

#[test]
fn boxes() {
    let gates: Vec<Box<dyn Gate>> = vec![Box::new(Limits::new())];
    // x² and x
    assert_eq!(through_boxes_grad(&gates, 0.5), 1.0);
    assert_eq!(through_boxes_grad(&gates, 2.0), 1.0);
    assert_eq!(through_boxes_jvp(&gates, 0.75, (), 2.0), (0.5625, 3.0));
}
