//! Enums whose payloads are changed through patterns, and methods that change what they are called on. Derivatives against
//! central differences.

#![allow(clippy::all, dead_code, reason = "programs as people write them")]

use cotangent::{Differentiable, Tangent, differentiable};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs())), "{a} is not {b}");
}

fn diff(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-5;
    (f(x + h) - f(x - h)) / (2.0 * h)
}

#[derive(Clone, Differentiable)]
enum Shape {
    A(f64),
    B { w: f64, n: usize, h: f64 },
    C(Vec<f64>),
    D,
}
#[differentiable]
fn change(s: &mut Shape, k: f64) {
    match s {
        Shape::A(r) => *r *= k,
        Shape::B { w, h, .. } => {
            *w += *h * k;
            *h = k;
        }
        Shape::C(v) => {
            for x in v.iter_mut() {
                *x *= k;
            }
            v[0] += k;
        }
        Shape::D => {}
    }
}
#[differentiable]
fn area(s: &Shape) -> f64 {
    match s {
        Shape::A(r) => r * r,
        Shape::B { w, h, n } => w * h * *n as f64,
        Shape::C(v) => v.iter().sum(),
        Shape::D => 0.0,
    }
}
#[differentiable]
fn made_and_changed(a: f64, k: f64, n: usize) -> f64 {
    let mut s = match n {
        0 => Shape::A(a),
        1 => Shape::B { w: a, n: 3, h: a * a },
        2 => Shape::C(vec![a, k, a * k]),
        _ => Shape::D,
    };
    for _ in 0..2 {
        change(&mut s, k);
    }
    area(&s) + a
}
#[differentiable]
fn changed_in_a_loop(a: f64, k: f64, n: usize) -> f64 {
    let mut s = if n == 0 { Shape::A(a) } else { Shape::B { w: a, n: 2, h: k } };
    for i in 0..3 {
        match &mut s {
            Shape::A(r) if *r > 3.0 => *r -= k,
            Shape::A(r) => *r *= k * (i as f64 + 1.0),
            Shape::B { w, h, .. } => {
                *w *= k;
                *h += *w;
            }
            _ => {}
        }
        if i == 1 {
            if let Shape::B { w, .. } = &mut s {
                *w = *w * a;
            }
        }
    }
    area(&s)
}
#[derive(Clone, Differentiable)]
struct Obj {
    shape: Shape,
    m: f64,
    extra: Option<f64>,
}
#[differentiable]
fn change_inside(o: &mut Obj, k: f64) -> f64 {
    if let Shape::A(r) = &mut o.shape {
        *r += k * o.m;
    }
    if let Some(x) = &mut o.extra {
        *x *= k;
    }
    if let Some(x) = o.extra.as_mut() {
        *x += o.m;
    }
    o.m * k
}
#[differentiable]
fn changed_inside(a: f64, k: f64) -> f64 {
    let mut o = Obj { shape: Shape::A(a), m: a * k, extra: Some(k) };
    let t = change_inside(&mut o, k);
    t * area(&o.shape) + o.extra.unwrap()
}
#[test]
fn payloads_changed_through_patterns() {
    for n in 0..4 {
        for (a, k) in [(1.2, 0.7), (2.1, 1.5)] {
            close(made_and_changed_grad(a, k, n).0, diff(|a| made_and_changed(a, k, n), a));
            close(made_and_changed_grad(a, k, n).1, diff(|k| made_and_changed(a, k, n), k));
            close(made_and_changed_jvp(a, k, n, 1.0, 0.0, ()).1, diff(|a| made_and_changed(a, k, n), a));
            close(changed_in_a_loop_grad(a, k, n).0, diff(|a| changed_in_a_loop(a, k, n), a));
            close(changed_in_a_loop_grad(a, k, n).1, diff(|k| changed_in_a_loop(a, k, n), k));
            close(changed_in_a_loop_jvp(a, k, n, 0.0, 1.0, ()).1, diff(|k| changed_in_a_loop(a, k, n), k));
            close(changed_inside_grad(a, k).0, diff(|a| changed_inside(a, k), a));
            close(changed_inside_grad(a, k).1, diff(|k| changed_inside(a, k), k));
            close(changed_inside_jvp(a, k, 0.0, 1.0).1, diff(|k| changed_inside(a, k), k));
        }
    }
    let mut s = Shape::B { w: 2.0, n: 3, h: 5.0 };
    let (_, p) = change_vjp(&mut s, 0.5);
    let (d, dk) = p(Shape::B { w: 1.0, n: 3, h: 1.0 }.zero_tangent());
    assert_eq!(d.to_flat(), [0.0, 0.0]);
    assert_eq!(dk, 0.0);
}
#[derive(Clone, Differentiable, Default)]
struct B {
    t: Vec<f64>,
    s: f64,
}
#[differentiable]
impl B {
    fn add(&mut self, v: f64) -> f64 {
        self.t.push(v);
        self.s += v * v;
        self.s
    }
    fn total(&self) -> f64 {
        let mut a = 0.0;
        for x in &self.t {
            a += x * self.s;
        }
        a
    }
    fn pop(&mut self) -> Option<f64> {
        self.t.pop()
    }
    fn last(&self) -> f64 {
        self.t[self.t.len() - 1]
    }
    fn new(x: f64) -> Self {
        Self { t: vec![x], s: x * 2.0 }
    }
    fn made(x: f64) -> f64 {
        let b = Self::new(x);
        b.total() * Self::K
    }
    const K: f64 = 3.0;
}
#[differentiable]
fn twice_added(x: f64, y: f64) -> f64 {
    let mut b = B { t: vec![], s: y };
    let u = b.add(x);
    let v = b.add(x * y);
    u * v + b.total()
}
#[differentiable]
fn made_and_popped(x: f64, y: f64) -> f64 {
    let mut b = B::new(x);
    b.add(y);
    let l = b.pop().unwrap_or(0.0);
    let m = b.pop();
    l * m.unwrap() + b.s + B::made(y)
}
#[differentiable]
fn vector_in_a_field(x: f64, y: f64) -> f64 {
    let mut b = B { t: vec![x, y, x * y], s: y };
    b.t[1] *= x;
    b.t.swap(0, 2);
    b.t.truncate(2);
    b.t.insert(0, y);
    b.t.extend_from_slice(&[x, x]);
    if let Some(l) = b.t.last() {
        b.s += *l;
    }
    while let Some(t) = b.t.pop() {
        b.s = b.s * 0.5 + t * t;
    }
    b.s + if b.t.is_empty() { x } else { y }
}
#[differentiable]
fn changed_or_read(x: f64, y: f64) -> f64 {
    let mut b = B::new(x);
    let mut s = 0.0;
    for i in 0..4 {
        if i % 2 == 0 {
            s += b.add(y * i as f64);
        } else {
            b.s *= b.total() * 0.1;
            s += b.total() * x;
        }
        let k = b.last();
        s -= k;
    }
    s
}
#[differentiable]
fn via_a_parameter(b: &mut B, x: f64) -> f64 {
    let t = b.add(x);
    b.total() * t
}
#[differentiable]
fn changed_through_a_parameter(x: f64, y: f64) -> f64 {
    let mut b = B::new(x);
    let t = via_a_parameter(&mut b, y);
    t + b.s
}
#[test]
fn methods_that_change_and_give() {
    for (x, y) in [(0.7, 1.3), (-0.4, 2.0)] {
        for (f, g, j) in [
            (twice_added as fn(f64, f64) -> f64, twice_added_grad(x, y), twice_added_jvp(x, y, 1.0, 0.0).1),
            (made_and_popped, made_and_popped_grad(x, y), made_and_popped_jvp(x, y, 1.0, 0.0).1),
            (vector_in_a_field, vector_in_a_field_grad(x, y), vector_in_a_field_jvp(x, y, 1.0, 0.0).1),
            (changed_or_read, changed_or_read_grad(x, y), changed_or_read_jvp(x, y, 1.0, 0.0).1),
            (
                changed_through_a_parameter,
                changed_through_a_parameter_grad(x, y),
                changed_through_a_parameter_jvp(x, y, 1.0, 0.0).1,
            ),
        ] {
            close(g.0, diff(|x| f(x, y), x));
            close(g.1, diff(|y| f(x, y), y));
            close(j, diff(|x| f(x, y), x));
        }
    }
}
#[derive(Differentiable)]
struct N {
    a: f64,
    b: Vec<f64>,
}
#[differentiable]
impl N {
    fn d(self) -> f64 {
        self.a * self.b[0]
    }
    fn r(&self, x: f64) -> f64 {
        self.a * x + self.b[1] * self.b[0]
    }
}
#[differentiable]
fn read(p: &N, x: f64) -> f64 {
    p.a * x * x + p.b[0]
}
#[differentiable]
fn summed(p: &N, x: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..p.b.len() {
        s += p.b[i] * x.powi(i as i32) * p.a;
    }
    s
}
#[test]
fn without_clone() {
    let n = || N { a: 2.0, b: vec![3.0, 5.0] };
    let (d, _) = read_grad(&n(), 2.0);
    assert_eq!((d.a, d.b), (4.0, vec![1.0, 0.0]));
    let (d, _) = summed_grad(&n(), 2.0);
    assert_eq!((d.a, d.b), (13.0, vec![2.0, 4.0]));
    let d = n().d_grad();
    assert_eq!((d.a, d.b), (3.0, vec![2.0, 0.0]));
}

#[differentiable]
fn with_an_attribute_inside(x: f64) -> f64 {
    #![allow(unused_variables)]
    let unused = 2.0;
    x * x
}

#[test]
fn attributes_in_the_block() {
    assert_eq!(with_an_attribute_inside_grad(3.0), 6.0);
}
