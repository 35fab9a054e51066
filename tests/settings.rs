//! Constants and settings without a visible type, beside what is differentiated.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// Methods of floats, called on constants, settings and what calls give.
mod constants {
    use cotangent::differentiable;
    const K: f64 = 2.5;
    fn setting() -> f64 {
        1.5
    }
    struct Cfg {
        tol: f64,
        n: i32,
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        const B: f64 = 0.9;
        let cfg = Cfg { tol: 0.3, n: 3 };
        let k = setting();
        K.max(x[0])
            + K.powf(x[1]) * B.powf(x[2])
            + k.max(x[3])
            + cfg.tol.max(x[0])
            + cfg.tol.powf(x[1])
            + k.hypot(x[1])
            + B.mul_add(x[0], x[1])
            + K.powi(cfg.n) * x[0]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// The same with fields for arguments, and whole powers that are fields.
mod fields {
    use cotangent::{Differentiable, differentiable};
    const K: f64 = 2.5;
    fn setting() -> f64 {
        1.5
    }
    #[derive(Clone, Differentiable)]
    struct S {
        t: i32,
        a: f64,
        n: usize,
    }
    #[differentiable]
    impl S {
        fn g(&self) -> f64 {
            const B: f64 = 0.9;
            K.powi(self.t) * self.a + B.powi(self.t) + K.powi(self.n as i32) + K.powi(-self.t)
        }
        fn h(&self) -> f64 {
            const B: f64 = 0.9;
            K.max(self.a) * K.powf(self.a) + B.min(self.a) + B.hypot(self.a)
        }
        fn k(&self) -> f64 {
            let k = setting();
            k.powi(self.t) + k.max(self.a)
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let s = S { t: 3, a: x[0], n: 2 };
        s.g() * x[1] + s.h() + s.k() * x[2]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Fields that are integers, as they are compared with integers.
mod integers {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    struct S {
        n: usize,
        a: f64,
        m: u32,
    }
    #[differentiable]
    impl S {
        fn g(&self, x: f64) -> f64 {
            self.a / self.n.max(1) as f64 + x * self.n.min(5) as f64
        }
        fn h(&self, x: f64) -> f64 {
            let k = self.n.max(2).min(self.m as usize);
            (x * k as f64).sin() + self.a.max(1.0) + self.a.min(x)
        }
        fn i(&self, x: &[f64]) -> f64 {
            let k = self.m.clamp(0, 2);
            x[self.n.min(x.len() - 1)] * k as f64 + x[self.n.max(1)] + x[(self.n + 1).min(3)]
        }
        fn j(&self) -> f64 {
            (self.n - 1) as f64 * self.a
                + (self.n * self.n) as f64
                + self.n.abs_diff(7) as f64 * self.a
                + (self.n as f64).sqrt().max(self.a)
                + (2 * self.n).max(3) as f64 * self.a
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let s = S { n: 2, a: x[0], m: 3 };
        s.g(x[1]) * x[1] + s.h(x[2]) + s.i(x) + s.j()
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// What is in the arguments happens once.
mod once {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    struct S {
        n: usize,
        a: f64,
    }
    #[differentiable]
    fn g(s: &S, x: f64) -> f64 {
        let mut count = 0;
        let mut t = x;
        let m = s.a.max({
            count += 1;
            t *= 1.5;
            t
        });
        let k = s.n.max({
            count += 1;
            t *= 1.5;
            1
        });
        m * t * (count * k) as f64
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        g(&S { n: 3, a: x[0] }, x[1]) + g(&S { n: 0, a: x[2] }, x[3])
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// References to texts, compared with texts.
mod texts {
    use cotangent::differentiable;
    #[differentiable]
    fn make(kind: &str, p: f64) -> f64 {
        if kind == "h" {
            p * p
        } else if kind != "m" {
            p
        } else {
            p.sin()
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, p)| make(if i % 2 == 0 { "h" } else { "m" }, *p)).sum()
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Texts behind references of all kinds.
mod more_texts {
    use cotangent::differentiable;
    #[differentiable]
    fn make(kind: &str, owned: &String, list: &[&str], o: String, p: f64) -> f64 {
        let local = owned.as_str();
        let mut s = if "h" == kind && kind < "z" { p * p } else { p };
        if owned == "own" && local != "other" && *owned != "x" {
            s *= 2.0;
        }
        if list[0] == "a" && o == "o" {
            s += p;
        }
        for n in list {
            if *n == "b" {
                s *= p;
            }
            if n == &"a" {
                s += 1.0;
            }
        }
        match kind {
            "h" => s,
            _ => s * 0.5,
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let own = "own".to_string();
        x.iter()
            .enumerate()
            .map(|(i, p)| make(if i % 2 == 0 { "h" } else { "m" }, &own, &["a", "b"], "o".to_string(), *p))
            .sum()
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    constants
    fields
    integers
    once
    texts
    more_texts
}
