//! Methods without a derivative on values that are changed: those that only read them, and decide or count.

#![allow(clippy::needless_range_loop, clippy::useless_vec)]

mod bodies;

use cotangent::{Differentiable, differentiable};
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Cold,
    Hot,
}

#[derive(Clone, Differentiable)]
struct Track {
    v: Vec<f64>,
    n: usize,
    s: f64,
}

impl Track {
    fn new() -> Self {
        Track { v: vec![], n: 0, s: 0.0 }
    }

    fn count(&self) -> usize {
        self.n
    }

    fn is_big(&self) -> bool {
        self.s > 1.0
    }

    fn half(&self) -> usize {
        self.v.len() / 2
    }

    fn phase(&self) -> Phase {
        if self.s > 1.0 { Phase::Hot } else { Phase::Cold }
    }

    fn first_above(&self, bound: f64) -> Option<usize> {
        self.v.iter().position(|&v| v > bound)
    }

    fn ends(&self) -> (usize, usize) {
        (0, self.n - 1)
    }

    fn near(&self, y: f64, tolerance: f64) -> bool {
        (self.s - y).abs() < tolerance
    }

    fn compare(&self, other: &Track) -> Ordering {
        self.s.total_cmp(&other.s)
    }

    fn name(&self) -> &'static str {
        if self.n > 2 { "long" } else { "short" }
    }

    fn check(&self) {
        assert!(self.s >= 0.0);
    }
}

#[differentiable]
impl Track {
    fn add(&mut self, x: f64) {
        self.v.push(x);
        self.n += 1;
        self.s += x * x;
    }

    fn total(&self) -> f64 {
        self.s * self.s
    }

    fn visit(&mut self, x: f64) -> f64 {
        self.add(x);
        if self.is_big() {
            self.s *= x;
        }
        let n = self.count();
        self.total() * n as f64
    }

    /// Has a companion, though its value has no derivative: it changes the track.
    fn grow(&mut self, x: f64) -> bool {
        self.s += x * x;
        self.n += 1;
        self.n >= 3
    }
}

#[differentiable]
fn track(x: &[f64]) -> Track {
    let mut t = Track::new();
    for &v in x {
        t.v.push(v);
    }
    t
}

trait Shape {
    fn is_wide(&self) -> bool;
    fn sides(&self) -> usize;
}

#[derive(Clone, Differentiable)]
struct Rectangle {
    a: f64,
    b: f64,
}

impl Shape for Rectangle {
    fn is_wide(&self) -> bool {
        self.a > self.b
    }

    fn sides(&self) -> usize {
        4
    }
}

#[differentiable]
fn scaled<S: Shape + Clone + Differentiable>(shape: &mut S, y: f64) -> f64 {
    if shape.is_wide() { y } else { y * y * shape.sides() as f64 }
}

#[differentiable]
trait System {
    fn rate(&self, y: f64) -> f64;
    fn step(&mut self, y: f64) -> bool;
    fn is_stiff(&self) -> bool {
        false
    }
}

#[derive(Clone, Differentiable)]
struct Decay {
    k: f64,
    n: usize,
}

#[differentiable]
impl System for Decay {
    fn rate(&self, y: f64) -> f64 {
        self.k * y
    }

    fn step(&mut self, y: f64) -> bool {
        self.k += 0.1 * y;
        self.n += 1;
        self.n > 2
    }
}

#[differentiable]
fn run<S: System + Clone + Differentiable>(system: &mut S, y: f64) -> f64 {
    let mut y = y;
    loop {
        y += 0.1 * system.rate(y);
        if system.step(y) {
            break;
        }
        if system.is_stiff() {
            y *= 0.5;
        }
    }
    y
}

/// Has no derivative, and is called with what has one.
fn bracket(v: &[f64], x: f64) -> Option<(usize, usize)> {
    let k = v.iter().position(|&v| v > x)?;
    Some((k.checked_sub(1)?, k))
}

fn widest(v: &[f64]) -> (usize, usize) {
    (v.len() - 1, v.len() / 2)
}

bodies! {
    a_count(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
        }
        let n = t.count();
        t.add(x[0]);
        t.total() * n as f64
    }
    a_condition(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            if t.is_big() {
                t.s *= 0.5;
            }
        }
        t.total()
    }
    a_comparison(x): {
        let mut t = Track::new();
        for v in x {
            if t.count() < 2 {
                t.add(*v);
            } else {
                t.s += v * x[0];
            }
        }
        t.total()
    }
    a_loop(x): {
        let mut t = Track::new();
        let mut i = 0;
        while !t.is_big() {
            t.add(x[i]);
            i += 1;
        }
        t.total()
    }
    arms(x): {
        let mut t = Track::new();
        for v in x {
            match t.count() {
                0 => t.add(*v),
                1 => t.add(v * v),
                _ => t.s += v.sin(),
            }
        }
        t.total()
    }
    arms_of_an_enum(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            match t.phase() {
                Phase::Cold => t.s *= 2.0,
                Phase::Hot => t.s *= x[1],
            }
        }
        t.total()
    }
    an_enum_compared(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            if t.phase() == Phase::Hot {
                t.s *= x[1];
            }
        }
        t.total()
    }
    a_range(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
        }
        for i in 0..t.count() {
            t.s += x[i] * i as f64;
        }
        t.total()
    }
    an_index(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
        }
        let y = t.v[t.half()];
        t.s += y;
        t.total()
    }
    an_assertion(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            assert!(t.count() > 0);
        }
        t.total()
    }
    a_divisor(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            t.s /= t.count() as f64;
        }
        t.total()
    }
    an_option(x): {
        let mut t = track(x);
        if let Some(k) = t.first_above(0.5) {
            t.s += x[k] * x[0] * k as f64;
        }
        t.add(x[2]);
        t.total()
    }
    a_pair(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
        }
        let (first, last) = t.ends();
        t.s += x[first] * x[last] * last as f64;
        t.total()
    }
    differentiable_arguments(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
        }
        if t.near(x[0] * x[1], 5.0) {
            t.s *= x[0];
        }
        t.total()
    }
    of_two(x): {
        let mut t = Track::new();
        let mut u = Track::new();
        t.add(x[0]);
        u.add(x[1]);
        if t.compare(&u) == Ordering::Less {
            t.s *= u.s;
        }
        t.total() * u.total()
    }
    a_name(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            if t.name() == "long" {
                t.s *= 3.0;
            }
        }
        t.total()
    }
    nothing(x): {
        let mut t = Track::new();
        for v in x {
            t.add(*v);
            t.check();
            t.s *= 1.5;
        }
        t.total()
    }
    within_a_method(x): {
        let mut t = Track::new();
        let a = t.visit(x[0]);
        let b = t.visit(x[1]);
        a * b + t.total()
    }
    a_companion_all_the_same(x): {
        let mut t = Track::new();
        while !t.grow(x[1]) {
            t.s *= x[0];
        }
        t.total()
    }
    in_a_closure(x): {
        let mut t = Track::new();
        let mut add = |a: f64| {
            t.add(a);
            if t.is_big() { a } else { a * a }
        };
        let y = add(x[0]) + add(x[1]);
        y * t.total()
    }
    of_an_element(x): {
        let mut tracks = vec![Track::new(), Track::new()];
        for (i, v) in x.iter().enumerate() {
            tracks[i % 2].add(*v);
        }
        if tracks[0].is_big() {
            tracks[1].s *= 3.0;
        }
        tracks[0].total() * tracks[1].total() * tracks[1].count() as f64
    }
    by_a_reference(x): {
        let mut t = Track::new();
        t.add(x[1]);
        let r = &mut t;
        if r.is_big() {
            r.s *= x[0];
        }
        r.total() + t.total()
    }
    of_a_trait(x): {
        let mut q = Rectangle { a: x[0], b: x[1] };
        if q.is_wide() {
            q.a *= 2.0;
        } else {
            q.b *= q.sides() as f64;
        }
        q.a * q.b
    }
    of_a_bound(x): {
        let mut q = Rectangle { a: x[0], b: x[1] };
        let y = scaled(&mut q, x[0]);
        y * q.a * q.b
    }
    of_an_annotated_trait(x): {
        let mut decay = Decay { k: x[0], n: 0 };
        let mut y = x[1];
        while !decay.step(y) {
            y += decay.rate(y);
        }
        y * decay.k
    }
    of_an_annotated_bound(x): {
        let mut decay = Decay { k: x[0], n: 0 };
        let y = run(&mut decay, x[1]);
        y * decay.k
    }
    an_option_of_a_function(x): {
        let v = [0.0, 0.2, 0.6, 2.0];
        match bracket(&v, x[0]) {
            Some((i, j)) => x[i] * j as f64 + x[j],
            None => 0.0,
        }
    }
    a_default_of_a_function(x): {
        let (i, _) = bracket(x, 0.5).unwrap_or((3, 0));
        let (last, half) = widest(x);
        x[i] * x[last] * half as f64
    }
}
