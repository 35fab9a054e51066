//! Structs, enums, boxes and options in one another, and values of unseen types that leave loops. Derivatives against central
//! differences and closed forms.

#![allow(clippy::all, dead_code, reason = "programs as people write them")]

use cotangent::{Differentiable, differentiable};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs())), "{a} is not {b}");
}

fn diff(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-5;
    (f(x + h) - f(x - h)) / (2.0 * h)
}

#[derive(Clone, Differentiable, Debug)]
struct P {
    a: f64,
    v: Vec<f64>,
}
#[differentiable]
fn part(x: f64, i: usize) -> P {
    P { a: x * i as f64, v: vec![x; i] }
}
#[differentiable]
fn returned_from_a_loop(x: f64, n: usize) -> P {
    for i in 0..n {
        let p = part(x, i);
        if p.a > 2.0 {
            return p;
        }
    }
    part(x, 1)
}
#[differentiable]
fn broken_or_returned(x: f64, n: usize) -> f64 {
    let p = loop {
        let p = part(x, n);
        if p.a > 1.0 {
            break p;
        }
        if n > 5 {
            return x;
        }
        break part(x * 2.0, n);
    };
    p.a * x
}
#[differentiable]
fn half(x: f64) -> f64 {
    x * 0.5
}
#[differentiable]
fn returned_or_broken(x: f64) -> f64 {
    let mut t = x;
    let r = loop {
        if t > 8.0 {
            return t * x;
        }
        if t < 0.1 {
            break half(t);
        }
        t = t * t;
    };
    r + x
}
#[differentiable]
fn boxed(x: f64) -> f64 {
    let b = Box::new(x);
    let a = 2.0;
    *b * a + *b
}
#[differentiable]
fn only_lengths(x: f64) -> f64 {
    let e: [f64; 0] = [];
    let w: Vec<f64> = vec![];
    x * (e.len() + w.len() + 1) as f64
}
#[differentiable]
fn compared_option(x: &[f64], y: f64) -> f64 {
    if x.get(0) == Some(&0.7) { y } else { x[0] * y }
}
#[differentiable]
fn literals_in_branches(x: f64) -> f64 {
    (if x > 0.0 { 1.0 } else { 0.3_f64 }).tanh() * x
}
#[differentiable]
fn declared_before_a_loop(x: f64, n: usize) -> f64 {
    let q;
    let mut i = 0;
    loop {
        let p = part(x, i + 1);
        if p.a > 2.0 || i > n {
            q = p;
            break;
        }
        i += 1;
    }
    q.a * q.v[0]
}
#[test]
fn values_of_unseen_types_that_leave() {
    for x in [0.7, 1.2, 3.0, -0.4] {
        let s = |p: P| p.a + p.v.iter().sum::<f64>() * 2.0;
        let (v, p) = returned_from_a_loop_vjp(x, 4);
        let seed = {
            let mut t = v.zero_tangent();
            t.a = 1.0;
            t.v.iter_mut().for_each(|t| *t = 2.0);
            t
        };
        close(p(seed).0, diff(|x| s(returned_from_a_loop(x, 4)), x));
        let (_, t) = returned_from_a_loop_jvp(x, 4, 1.0, ());
        close(t.a + 2.0 * t.v.iter().sum::<f64>(), diff(|x| s(returned_from_a_loop(x, 4)), x));
        close(broken_or_returned_grad(x, 3), diff(|x| broken_or_returned(x, 3), x));
        close(broken_or_returned_grad(x, 7), diff(|x| broken_or_returned(x, 7), x));
        close(returned_or_broken_grad(x.abs()), diff(returned_or_broken, x.abs()));
        close(broken_or_returned_jvp(x, 7, 1.0, ()).1, diff(|x| broken_or_returned(x, 7), x));
        close(returned_or_broken_jvp(x.abs(), 1.0).1, diff(returned_or_broken, x.abs()));
        close(boxed_grad(x), diff(boxed, x));
        close(only_lengths_grad(x), 1.0);
        close(literals_in_branches_grad(x), diff(literals_in_branches, x));
        close(declared_before_a_loop_grad(x, 3), diff(|x| declared_before_a_loop(x, 3), x));
    }
    assert_eq!(compared_option_grad(&[0.7], 2.0), (vec![0.0], 1.0));
    assert_eq!(compared_option_grad(&[0.8], 2.0), (vec![2.0], 0.8));
}
#[derive(Clone, Differentiable)]
struct G<T> {
    a: T,
    k: usize,
}
#[differentiable]
fn generic_field(g: &G<f64>, x: f64) -> f64 {
    g.a * x + g.k as f64
}
#[derive(Clone, Differentiable)]
struct M<const N: usize> {
    w: [f64; N],
    b: f64,
}
#[differentiable]
impl<const N: usize> M<N> {
    fn f(&self, x: &[f64; N]) -> f64 {
        let mut s = self.b;
        for i in 0..N {
            s += self.w[i] * x[i];
        }
        s.tanh()
    }
}
#[derive(Clone, Differentiable)]
struct L<'a> {
    xs: &'a [f64],
    k: f64,
}
#[differentiable]
fn borrowed_slice(l: &L<'_>) -> f64 {
    let mut s = 0.0;
    for x in l.xs {
        s += x * l.k;
    }
    s
}
#[differentiable]
trait Act {
    fn act(&self, x: f64) -> f64;
    fn twice(&self, x: f64) -> f64 {
        let y = self.act(x);
        self.act(y)
    }
}
#[derive(Clone, Differentiable)]
struct Lin {
    w: f64,
}
#[differentiable]
impl Act for Lin {
    fn act(&self, x: f64) -> f64 {
        self.w * x.sin()
    }
}
#[differentiable]
fn provided_method(w: f64, x: f64) -> f64 {
    let l = Lin { w };
    l.twice(x) * w
}
#[differentiable]
fn updated_result(p: &P, x: f64) -> P {
    P { a: p.a * x, ..p.clone() }
}
#[differentiable]
fn updated(x: f64) -> f64 {
    let p = P { a: x, v: vec![x, 2.0 * x] };
    let q = P { a: p.a * x, ..p };
    q.a * q.v[1]
}
#[derive(Clone, Differentiable)]
struct World {
    ps: Vec<P>,
    shapes: Vec<Sh>,
    best: Option<P>,
    oo: Option<Option<f64>>,
}
#[derive(Clone, Differentiable)]
enum Sh {
    Pt(P),
    Pair(f64, f64),
    Nest(Box<Sh>),
}
#[differentiable]
fn weighed(w: &World, x: f64) -> f64 {
    let mut s = 0.0;
    for p in &w.ps {
        s += p.a * x;
        for v in &p.v {
            s += v * v;
        }
    }
    for sh in &w.shapes {
        s += match sh {
            Sh::Pt(p) => p.a * p.v[0],
            Sh::Pair(a, b) => a * b * x,
            Sh::Nest(b) => match &**b {
                Sh::Pair(a, _) => *a,
                _ => x,
            },
        };
    }
    if let Some(b) = &w.best {
        s += b.a * b.v[0] * x;
    }
    match w.oo {
        Some(Some(t)) => s * t,
        Some(None) => s * x,
        None => s,
    }
}
#[differentiable]
fn made_and_changed(x: f64, y: f64, n: usize) -> f64 {
    let mut w = World {
        ps: vec![P { a: x, v: vec![y] }],
        shapes: vec![Sh::Pair(x, y), Sh::Pt(P { a: y, v: vec![x * y] })],
        best: None,
        oo: if n == 0 {
            None
        } else if n == 1 {
            Some(None)
        } else {
            Some(Some(y))
        },
    };
    w.ps.push(P { a: y * x, v: vec![x, x] });
    w.ps[0].a *= 3.0;
    w.ps[1].v[0] += y;
    for p in w.ps.iter_mut() {
        p.a *= y;
    }
    for sh in w.shapes.iter_mut() {
        match sh {
            Sh::Pair(a, b) => {
                *a += *b;
            }
            Sh::Pt(p) => p.v[0] *= x,
            Sh::Nest(_) => {}
        }
    }
    if n > 1 {
        w.best = Some(w.ps[0].clone());
    }
    weighed(&w, x)
}
#[test]
fn data_in_data() {
    for (x, y) in [(0.7, 1.3), (1.4, -0.6)] {
        for n in 0..3 {
            close(made_and_changed_grad(x, y, n).0, diff(|x| made_and_changed(x, y, n), x));
            close(made_and_changed_grad(x, y, n).1, diff(|y| made_and_changed(x, y, n), y));
            close(made_and_changed_jvp(x, y, n, 1.0, 0.0, ()).1, diff(|x| made_and_changed(x, y, n), x));
        }
        close(provided_method_grad(x, y).0, diff(|x| provided_method(x, y), x));
        close(provided_method_jvp(x, y, 0.0, 1.0).1, diff(|y| provided_method(x, y), y));
        close(updated_grad(x), diff(updated, x));
        close(updated_jvp(x, 1.0).1, diff(updated, x));
        let l = L { xs: &[x, y], k: 2.0 };
        let d = borrowed_slice_grad(&l);
        assert_eq!((d.xs, d.k), (vec![2.0, 2.0], x + y));
        let (d, _) = generic_field_grad(&G { a: x, k: 3 }, y);
        assert_eq!(d.a, y);
        let m = M { w: [x, y], b: 0.1 };
        let (d, _) = m.f_grad(&[1.0, 2.0]);
        close(d.w[1], diff(|t| M { w: [x, t], b: 0.1 }.f(&[1.0, 2.0]), y));
    }
    let p = P { a: 2.0, v: vec![1.0] };
    let (v, pb) = updated_result_vjp(&p, 3.0);
    let mut t = v.zero_tangent();
    t.a = 1.0;
    t.v[0] = 5.0;
    let (dp, dx) = pb(t);
    assert_eq!((dp.a, dp.v, dx), (3.0, vec![5.0], 2.0));
}

mod bases_of_struct_updates {
    use cotangent::{Differentiable, check_grad, differentiable};

    #[derive(Clone, Copy, Differentiable)]
    struct P {
        a: f64,
        b: f64,
        n: usize,
    }

    #[differentiable]
    fn of_a_clone(p: &P, k: f64) -> f64 {
        let q = P { n: 2, ..p.clone() };
        q.b * k * q.n as f64
    }

    #[differentiable]
    fn in_a_loop(x: &[f64], k: f64) -> f64 {
        let mut p = P { a: k, b: x[0], n: 1 };
        for i in 0..3 {
            p = P { n: i, ..p };
            p.a *= p.b;
        }
        p.a * p.b
    }

    #[test]
    fn keep_their_derivatives() {
        let (g, k) = of_a_clone_grad(&P { a: 1.0, b: 2.0, n: 1 }, 3.0);
        assert_eq!((g.a, g.b, k), (0.0, 6.0, 4.0));
        let g = in_a_loop_grad(&[0.7], 1.3);
        check_grad(|(x, k): &(Vec<f64>, f64)| in_a_loop(x, *k), &(vec![0.7], 1.3), &g).assert_within(1e-8);
    }
}

/// What a parameter held before it was changed, as the result.
mod values_from_before {
    use cotangent::{Differentiable, differentiable};

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    struct S {
        v: f64,
    }

    #[differentiable]
    impl S {
        fn exchanged(&mut self, k: f64) -> S {
            let before = *self;
            self.v *= k;
            before
        }
    }

    #[differentiable]
    fn array(s: &mut [f64; 2], o: f64) -> [f64; 2] {
        let before = *s;
        s[0] += o;
        before
    }

    #[differentiable]
    fn option(s: &mut Option<f64>, o: f64) -> Option<f64> {
        let before = *s;
        *s = Some(o);
        before
    }

    #[test]
    fn are_given_as_they_were() {
        let mut s = [1.0, 2.0];
        let (y, pullback) = array_vjp(&mut s, 3.0);
        assert_eq!((y, s), ([1.0, 2.0], [4.0, 2.0]));
        assert_eq!(pullback(([1.0, 10.0], [100.0, 1000.0])), ([101.0, 1010.0], 100.0));
        let mut s = Some(1.0);
        let (y, _) = option_vjp(&mut s, 3.0);
        assert_eq!((y, s), (Some(1.0), Some(3.0)));
        let mut s = S { v: 2.0 };
        let (y, _) = s.exchanged_vjp(3.0);
        assert_eq!((y, s), (S { v: 2.0 }, S { v: 6.0 }));
    }
}
