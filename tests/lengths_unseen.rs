//! Arrays made by `from_fn` and by `map`, where the length or the elements are not visible.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// A type by another name says how long the array is.
mod aliases {
    use cotangent::differentiable;
    type Mat<const R: usize, const C: usize> = [[f64; C]; R];
    #[differentiable]
    fn add<const R: usize, const C: usize>(a: &Mat<R, C>, b: &Mat<R, C>) -> Mat<R, C> {
        std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] * b[i][j] * (i + j) as f64))
    }
    #[differentiable]
    fn scale<const R: usize, const C: usize>(a: &Mat<R, C>, k: f64) -> Mat<R, C> {
        std::array::from_fn(|i| a[i].map(|v| v * k))
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let a = [[x[0], x[1]], [x[2], x[3]]];
        let b = add(&a, &scale(&a, x[0]));
        b[0][0] + b[0][1] * b[1][0] - b[1][1]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// A variable whose type is written; the closure changes what it captures.
mod assigned {
    use cotangent::differentiable;
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let mut a: [f64; 3] = [x[0]; 3];
        for &v in x {
            a = std::array::from_fn(|k| a[k] * v + k as f64);
        }
        let mut calls = 0;
        let mut sum = 0.0;
        let b: [f64; 2] = std::array::from_fn(|k| {
            calls += 1;
            sum += x[k];
            sum * x[2]
        });
        a[0] * a[1] + a[2] * calls as f64 + b[0] * b[1] * sum
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// In a field, with a state, and with what is behind a `&mut`.
mod states {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    struct S {
        v: [f64; 3],
        w: f64,
    }
    #[differentiable]
    fn make(x: &[f64], s: &mut f64) -> S {
        let mut acc = x[0];
        let mut n = 0;
        let out = S {
            v: std::array::from_fn(|k| {
                acc *= x[k];
                n += 1;
                *s += acc;
                acc + x[3]
            }),
            w: acc * n as f64,
        };
        out
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let mut t = 1.0;
        let s = make(x, &mut t);
        s.v[0] * s.v[1] + s.v[2] * s.w * t
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Structs, flags and indices as elements; the type of the parameter of a closure.
mod elements {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    struct P {
        a: f64,
        b: f64,
        n: usize,
    }
    #[derive(Clone, Differentiable)]
    struct W<const N: usize> {
        ps: [P; N],
        flags: [bool; 2],
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let w = W::<2> {
            ps: std::array::from_fn(|k| P { a: x[k] * x[k + 1], b: x[k].sin(), n: k }),
            flags: std::array::from_fn(|k| x[k] > 0.5),
        };
        let idx: [usize; 2] = std::array::from_fn(|k| if x[k] > 0.0 { k } else { 0 });
        let r = |n: [f64; 3]| n[0] + n[2];
        w.ps[0].a * w.ps[1].b
            + w.ps[idx[1]].a
            + if w.flags[0] { 1.0 } else { x[3] }
            + r(std::array::from_fn(|k| x[k].powi(k as i32)))
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Second derivatives.
mod second {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    struct P {
        v: [f64; 2],
    }
    #[differentiable(order = 2)]
    fn g(x: &[f64]) -> f64 {
        let p = P { v: std::array::from_fn(|k| x[k] * x[k + 1] * x[k]) };
        p.v[0] * p.v[1]
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let d = g_grad(x);
        d[0] * d[1] + d[2] * x[3]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// `map` to structs.
mod mapped {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    struct P {
        a: f64,
        b: f64,
    }
    #[derive(Clone, Differentiable)]
    struct Chain {
        links: [P; 3],
        base: f64,
    }
    #[differentiable]
    impl P {
        fn turn(&self, k: f64) -> P {
            P { a: self.a * k, b: self.b + k }
        }
        fn new(a: f64, b: f64) -> P {
            P { a, b }
        }
    }
    #[differentiable]
    fn g(c: &Chain, v: [f64; 3]) -> f64 {
        let mut total = c.base;
        let ps = v.map(|t| P { a: t * total, b: t });
        let qs = v.map(|t| {
            total += t;
            P::new(t, total)
        });
        let rs = c.links.map(|p| P::new(p.a * p.b, p.a));
        ps[0].a * qs[1].b + rs[2].a * total + ps.iter().zip(&qs).map(|(p, q)| p.a * q.b).sum::<f64>() + rs[0].b
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let c = Chain { links: std::array::from_fn(|k| P { a: x[k], b: x[k + 1] }), base: x[3] };
        g(&c, [x[0], x[1], x[2]])
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// `map` of numbers and texts that are written out.
mod unrolled {
    use cotangent::differentiable;
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let s: f64 = x.windows(2).map(|w| [w[0], w[1]].map(|v| v * 2.0)).map(|[a, b]| a * b).sum();
        let mut n = 0;
        let mut acc = 0.0;
        let p = [1, 2, 3].map(|k| {
            n += k;
            acc += x[k] * x[0];
            acc * n as f64
        });
        let q = ["a", "bb"].map(|s| x[s.len()] * acc);
        let r = [true, false].map(|b| if b { x[0] } else { 2.0 * x[1] });
        s + p[0] * p[1] + p[2] + q[0] * q[1] + r[0] * r[1] * n as f64
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// `map` of indices.
mod indices {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    struct S {
        w: [f64; 4],
    }
    #[differentiable]
    impl S {
        fn g(&self) -> f64 {
            let [i, f, o, g] = [0, 1, 2, 3].map(|k| self.w[k] * self.w[3 - k]);
            let p = [1.0, 2.0].map(|k| k * self.w[0]);
            let q: [f64; 2] = [1, 2].map(|k| self.w[k].tanh());
            i.sin() * f.tanh() + o * g + p[0] * p[1].exp() + q[0] * q[1]
        }
    }
    #[differentiable]
    fn h(w: &[f64]) -> f64 {
        let [i, f] = [0, 1].map(|k| k as f64 * w[k]);
        let t = (0..3).map(|k| [k, k + 1].map(|j| w[j]));
        let s: f64 = t.map(|[a, b]| a * b).sum();
        let big = ["a", "b"].map(|n| if n == "a" { w[0] } else { w[1] });
        let flags = [0, 1].map(|k| w[k] > 0.5);
        i.exp() + f.tanh() + s + big[0] * big[1] + if flags[0] { w[3] } else { 0.0 }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        S { w: [x[0], x[1], x[2], x[3]] }.g() + h(x)
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    aliases
    assigned
    states
    elements
    second
    mapped
    unrolled
    indices
}
