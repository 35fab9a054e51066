//! Mutable references that are handed on by their names, to functions that change them and to functions that read them; and
//! functions that give references: every companion against differences.

#![allow(clippy::needless_range_loop, clippy::needless_borrows_for_generic_args)]

mod agree;

/// A part.
mod a_part {
    use cotangent::differentiable;
    #[differentiable]
    fn g(v: &mut [f64], r: f64) -> f64 {
        v[0] *= r;
        v[0] + v[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut s = 0.0;
        let p = &mut v[1..];
        s += g(p, a);
        s * v[1]
    }
}

/// Two halves.
mod halves {
    use cotangent::differentiable;
    #[differentiable]
    fn g(v: &mut [f64], r: f64) -> f64 {
        v[0] *= r;
        v[0] + v[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let (p, q) = v.split_at_mut(2);
        let s = g(p, a) * g(q, a);
        s + p[0] + q[1] + v[0]
    }
}

/// Parts in a loop.
mod chunks {
    use cotangent::differentiable;
    #[differentiable]
    fn g(v: &mut [f64], r: f64) -> f64 {
        v[0] *= r;
        v[0] + v[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut s = 0.0;
        for c in v.chunks_mut(2) {
            if c.len() == 2 {
                s += g(c, a);
            }
        }
        s + v[0] * v[2]
    }
}

/// Elements in a loop.
mod elements {
    use cotangent::differentiable;
    #[differentiable]
    fn g(v: &mut f64, r: f64) -> f64 {
        *v *= r;
        *v + 1.0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let mut s = 0.0;
        for c in v.iter_mut() {
            s += g(c, a);
        }
        s + v[0] * v[2]
    }
}

/// A function hands on what it was given.
mod through_functions {
    use cotangent::differentiable;
    #[differentiable]
    fn g(v: &mut [f64], r: f64) -> f64 {
        v[0] *= r;
        v[0] + v[1]
    }
    #[differentiable]
    fn h(v: &mut [f64], r: f64) -> f64 {
        if r > 10.0 {
            return 1.0;
        }
        g(v, r) + v[0]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let p = &mut v[1..3];
        let s = h(p, a);
        let t = if s > 0.0 { h(p, s) } else { 0.0 };
        s * t * v[1]
    }
}

/// The function only reads the part.
mod only_read {
    use cotangent::differentiable;
    #[differentiable]
    fn sum(v: &[f64], r: f64) -> f64 {
        v[0] * r + v[1]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        let p = &mut v[1..3];
        p[0] *= a;
        let s = sum(p, a);
        p[1] += s;
        s * v[1] + v[2]
    }
}

/// Methods that read themselves and change an argument.
mod by_methods {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    struct S {
        w: Vec<f64>,
        b: f64,
    }
    #[differentiable]
    impl S {
        fn push(&self, out: &mut Vec<f64>, k: f64) {
            out.push(self.b * k + self.w[0]);
        }
        fn fill(&self, out: &mut [f64]) {
            for i in 0..out.len() {
                out[i] += self.w[i] * self.b;
            }
        }
        fn bump(&self, t: &mut f64) {
            *t *= self.b;
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let s = S { w: x.to_vec(), b: a };
        let mut o = vec![1.0, a];
        s.push(&mut o, 2.0);
        s.fill(&mut o);
        let mut t = x[0];
        s.bump(&mut t);
        s.bump(&mut o[1]);
        o[0] * o[1] * o[2] * t
    }
}

/// Functions behind references.
mod functions {
    use cotangent::differentiable;
    #[differentiable]
    fn ap(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        f(x) * f(x * x)
    }
    #[differentiable]
    fn on(f: &impl Fn(f64) -> f64, x: f64) -> f64 {
        ap(f, x) + ap(&f, x) + f(x)
    }
    #[differentiable]
    fn on2<F: Fn(f64) -> f64>(f: &F, x: f64) -> f64 {
        on(f, x) + ap(f, x)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        on(&|t| t * a + x[0], x[1]) + on2(&|t: f64| t.sin() * x[2], a)
    }
}

/// Rows that are vectors.
mod rows {
    use cotangent::differentiable;
    #[differentiable]
    fn row(r: &mut Vec<f64>, a: f64) {
        r[0] *= a;
        r.push(a);
    }
    #[differentiable]
    fn elim(m: &mut [Vec<f64>], a: f64) {
        let n = m.len();
        for i in 0..n {
            row(&mut m[i], a);
        }
    }
    #[differentiable]
    fn outer(m: &mut [Vec<f64>], a: f64) -> f64 {
        elim(m, a);
        elim(&mut m[1..], a * 2.0);
        m[0][0] + m[1][0]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut m = vec![vec![x[0], x[1]], vec![x[2], a]];
        let s = outer(&mut m, a);
        s * m[1][1] + m[1][3] * m[0][0]
    }
}

/// References to fields.
mod fields {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    struct S {
        w: Vec<f64>,
        b: f64,
    }
    #[differentiable]
    impl S {
        fn weights(&self) -> &[f64] {
            &self.w
        }
        fn bias(&self) -> &f64 {
            &self.b
        }
        fn at(&self, i: usize) -> &f64 {
            &self.w[i]
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let s = S { w: x.to_vec(), b: a };
        let w = s.weights();
        let mut t = 0.0;
        for i in 0..w.len() {
            t += w[i] * s.bias();
        }
        t * *s.at(1) + s.weights()[2]
    }
}

/// A reference that is chosen.
mod chosen {
    use cotangent::differentiable;
    #[differentiable]
    fn longest<'a>(p: &'a [f64], q: &'a [f64]) -> &'a [f64] {
        if p.len() >= q.len() { p } else { q }
    }
    #[differentiable]
    fn first(p: &[f64]) -> &f64 {
        &p[0]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let t = longest(&x[..2], &x[2..]);
        t[0] * a + first(x) * *first(t)
    }
}

/// A function that calls itself with its halves.
mod recursive {
    use cotangent::differentiable;
    #[differentiable]
    fn g(v: &mut [f64], r: f64) -> f64 {
        v[0] *= r;
        v[0] + v[1]
    }
    #[differentiable]
    fn rec(v: &mut [f64], a: f64) -> f64 {
        if v.len() < 2 {
            return v[0];
        }
        let m = v.len() / 2;
        let (l, r) = v.split_at_mut(m);
        let s = rec(l, a) * rec(r, a);
        v[0] += s * a;
        s + v[0]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = x.to_vec();
        rec(&mut v, a) + v[0] * a
    }
}

agree! {
    a_part
    halves
    chunks
    elements
    through_functions
    only_read
    by_methods
    functions
    rows
    fields
    chosen
    recursive
}
