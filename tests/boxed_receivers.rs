//! Methods of what is in a box, by value and by reference, and variants by their bare names.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Debug, Differentiable)]
enum Expr {
    Num(f64),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Neg(Box<Expr>),
}
use Expr::*;

#[differentiable]
impl Expr {
    fn eval(&self) -> f64 {
        match self {
            Num(c) => *c,
            Add(a, b) => a.eval() + b.eval(),
            Mul(a, b) => a.eval() * b.eval(),
            Neg(a) => -a.eval(),
        }
    }
    fn fold(self) -> Expr {
        match self {
            Add(a, b) => match (a.fold(), b.fold()) {
                (Num(p), Num(q)) => Num(p + q),
                (p, q) => Add(Box::new(p), Box::new(q)),
            },
            Neg(a) => match *a {
                Num(v) => Num(-v),
                e => Neg(Box::new(e.fold())),
            },
            e => e,
        }
    }
    fn into_value(self) -> f64 {
        match self {
            Num(v) => v,
            Add(a, b) => a.into_value() + (*b).into_value(),
            Mul(a, b) => a.into_value() * b.into_value(),
            Neg(a) => -a.into_value(),
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Leaf {
    v: f64,
    w: Vec<f64>,
}
#[derive(Clone, Debug, Differentiable)]
struct Holder {
    l: Box<Leaf>,
    k: f64,
}
#[differentiable]
impl Leaf {
    fn used_up(self) -> f64 {
        self.v * self.w[0]
    }
    fn value(&self) -> f64 {
        self.v
    }
}
#[differentiable]
impl Holder {
    fn all(&self) -> f64 {
        self.l.value() * self.k
    }
    fn done(self) -> f64 {
        let Holder { l, k } = self;
        l.used_up() * k
    }
    fn set(&mut self, v: f64) {
        self.l.v = v * self.k;
        self.l.w.push(v);
    }
}

mod bare {
    use super::*;

    #[derive(Clone, Copy, Debug, Differentiable)]
    struct P(f64, f64);
    #[derive(Clone, Copy, Debug, Differentiable)]
    enum Shape {
        Circle(f64),
        Box { a: f64, p: P },
        At(P),
    }
    use Shape::*;

    bodies! {
        variants_in_tuples(x): {
    let a = if x[0] > 0.0 { Circle(x[0]) } else { At(P(x[1], x[2])) };
    let b = Shape::Box { a: x[1], p: P(x[3], x[2]) };
    let mut s = match (a, b) {
        (Circle(r), Box { a, .. }) if a > 100.0 => r,
        (Circle(r), Box { a, p: P(u, _) }) => r * a * u,
        _ => 1.0,
    };
    for h in [a, b, At(P(x[2], x[0]))] {
        s += match h { At(P(u, v)) => u * v, Box { p: P(u, v), a } => u * v * a, Circle(r) => r * r };
    }
    let mut c = (Circle(x[0]), 1);
    match &mut c {
        (Circle(r), k) => { *r *= x[1]; *k += 1; }
        (Box { a, .. }, _) => *a += 1.0,
        (At(_), _) => {}
    }
    s + match c { (Circle(r), n) => r * n as f64, _ => 0.0 } + match (P(x[0], x[1]), 2) { (P(u, v), 2) => u * v, (P(u, _), _) => u }
        }
    }
}

bodies! {
    an_expression(x): {
    let e = Expr::Add(
        Box::new(Expr::Add(Box::new(Expr::Num(x[0] * x[1])), Box::new(Expr::Num(x[2])))),
        Box::new(Expr::Mul(Box::new(Expr::Neg(Box::new(Expr::Num(x[2])))), Box::new(Expr::Num(x[3])))),
    );
    e.clone().eval() * e.clone().fold().eval() + e.into_value()
    }
    a_box_in_a_field(x): {
    let mut h = Holder { l: Box::new(Leaf { v: x[0], w: vec![x[1]] }), k: x[2] };
    let a = h.all();
    h.set(x[3]);
    a + h.l.w[1] * h.all() + h.done()
    }
}
