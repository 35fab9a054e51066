//! Methods without a derivative that change a differentiable value, or give one.

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Track {
    s: f64,
    n: usize,
}

impl Track {
    fn next(&mut self) -> usize {
        self.s *= 0.5;
        self.n
    }

    fn twice(&self) -> f64 {
        2.0 * self.s
    }

    fn shrink(&mut self) {
        self.s *= 0.5;
    }
}

#[differentiable]
fn that_changes(x: f64) -> f64 {
    let mut t = Track { s: x, n: 0 };
    if t.next() > 1 {
        t.s *= x;
    }
    t.s
}

#[differentiable]
fn that_gives(x: f64) -> f64 {
    let mut t = Track { s: x, n: 0 };
    t.s *= 2.0;
    t.twice() * t.s
}

#[differentiable]
fn alone(x: f64) -> f64 {
    let mut t = Track { s: x, n: 0 };
    t.shrink();
    t.s
}

fn main() {}
