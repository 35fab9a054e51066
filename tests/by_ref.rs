//! Patterns with `ref` and `ref mut`: what is changed through them is a part of what was matched.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct S {
    o: Option<f64>,
    p: Option<Vec<f64>>,
    t: (f64, f64),
}
#[derive(Clone, Differentiable)]
enum E {
    A(f64, f64),
    B { v: f64, n: usize },
    C(f64),
}
#[differentiable]
impl E {
    fn grow(&mut self, by: f64) {
        match *self {
            E::A(ref mut v, k) => *v *= k * by,
            E::B { ref mut v, n } => {
                for _ in 0..n {
                    *v += by;
                }
            }
            E::C(ref k) if *k > 10.0 => {}
            E::C(ref mut k) => *k -= by,
        }
    }
    fn size(&self) -> f64 {
        match *self {
            E::A(ref v, k) => v * k,
            E::B { v, .. } => v * v,
            E::C(k) => k,
        }
    }
}
#[differentiable]
fn bump(v: &mut f64, k: f64) {
    *v *= k;
}

bodies! {
    options_in_fields(x): {
    let mut s = S { o: Some(x[0]), p: Some(x.to_vec()), t: (x[1], x[2]) };
    match s.o { Some(ref mut v) => *v *= x[3], None => {} }
    match s.o { Some(ref mut v) => bump(v, x[2]), None => {} }
    if let Some(ref mut v) = s.p { v[1] *= x[3]; v.push(x[0]); }
    let (ref mut a, b) = s.t;
    *a *= b;
    let Some(ref mut v) = s.p else { return 0.0; };
    v[0] *= x[2];
    s.o.unwrap() * x[1] + s.p.unwrap().iter().sum::<f64>() * s.t.0
    }
    options_in_variables(x): {
    let mut o = Some(x[0]);
    let mut n = 0;
    while let Some(ref mut v) = o {
        *v *= x[1];
        n += 1;
        if n > 2 { break; }
    }
    if let Some(ref mut v) = o { *v += x[1] * x[2]; }
    o.unwrap() * x[3]
    }
    enums(x): {
    let mut all = [E::A(x[0], x[1]), E::B { v: x[2], n: 2 }, E::C(x[3])];
    for e in all.iter_mut() { e.grow(x[1]); e.grow(0.5 + x[0]); }
    let mut last = 0.0;
    match all[0] {
        E::A(ref mut v, k) => { *v += k; last += k; }
        E::B { .. } => {}
        E::C(k) => last -= k,
    }
    all.iter().map(|e| e.size()).product::<f64>() + last
    }
}
