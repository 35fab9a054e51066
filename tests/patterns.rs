//! Patterns on options and enums, alone, in tuples and in fields; every companion against differences.

#![allow(
    clippy::manual_filter,
    clippy::collapsible_if,
    clippy::needless_range_loop,
    clippy::redundant_guards,
    clippy::option_map_unit_fn,
    clippy::type_complexity,
    clippy::useless_vec
)]

mod agree;

/// An option of a tuple that is compared and whose parts are dropped.
mod options_only_compared {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut best: Option<(usize, f64)> = None;
        for (i, &t) in x.iter().enumerate() {
            match best {
                Some((_, b)) if b >= t => {}
                _ => best = Some((i, t)),
            }
        }
        let o = if a > 0.0 { Some((x[0], a)) } else { None };
        let mut s = a * a;
        if o.is_some() {
            s *= 2.0;
        }
        if let Some((p, q)) = o {
            if p > q {
                s += x[1];
            }
        }
        match best {
            Some((i, _)) => x[i] * s,
            None => s,
        }
    }
}

/// The parts of an option that begins as `None`.
mod options_of_tuples {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut o: Option<(f64, f64)> = None;
        let mut n = 0;
        for &t in x {
            if o.is_none() || o.unwrap().0 < t {
                o = Some((t, a));
                n += 1;
            }
        }
        let c = o.map(|(p, q)| p > q).unwrap_or(false);
        let d = matches!(o, Some((p, _)) if p > 1.0);
        if c {
            a * n as f64
        } else if d {
            x[0] * a
        } else {
            x[1]
        }
    }
}

/// An option and a vector of structs that begin empty.
mod options_of_structs {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct N {
        v: f64,
        w: f64,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut best: Option<N> = None;
        let mut all: Vec<N> = Vec::new();
        for &t in x {
            let n = N { v: t, w: t * a };
            match &best {
                Some(b) if b.v >= n.v => {}
                _ => best = Some(n.clone()),
            }
            all.push(n);
        }
        let mut s = 0.0;
        if let Some(b) = &best {
            s += b.w * b.v;
        }
        for n in &all {
            s += n.w;
        }
        s + match best {
            Some(b) if b.w > 0.0 => b.v,
            Some(_) => a,
            None => 0.0,
        }
    }
}

/// A tuple with an option of a tuple, matched by reference.
mod in_tuples_of_options {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let o: Option<(f64, Vec<f64>)> = if a > 0.0 { Some((a, x.to_vec())) } else { None };
        let t = (o.clone(), x[0]);
        let flag = match &t {
            (Some((p, v)), q) if v[0] > *q || *p > 2.0 => 1,
            (Some(_), _) => 2,
            (None, q) if *q > 0.0 => 3,
            _ => 4,
        };
        x[flag - 1] * a
    }
}

/// Options in the fields of a `Copy` struct, with guards and update syntax.
mod fields_with_guards {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    pub(crate) struct P {
        lo: Option<f64>,
        hi: Option<f64>,
        k: f64,
        n: Option<u32>,
    }
    #[differentiable]
    fn g(p: &P, t: f64) -> f64 {
        match (p.lo, p.hi) {
            (Some(l), _) if t < l => l * p.k,
            (_, Some(h)) if t > h => h + p.k,
            _ => t * p.k,
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let p = P { lo: Some(x[0]), hi: None, k: a, n: Some(2) };
        let q = P { hi: Some(a), n: None, ..p };
        let r = match p.lo {
            Some(l) if l > 0.0 => l * 2.0,
            Some(l) => l * a,
            None => a,
        };
        let n = match q.n {
            Some(n) if n > 1 => n as f64,
            Some(_) => 1.0,
            None => 0.5,
        };
        g(&p, x[1]) + g(&q, x[2]) * r * n
    }
}

/// Options of tuples in fields.
mod fields_of_tuples {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    pub(crate) struct P {
        at: Option<(f64, f64)>,
        w: f64,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let ps = [P { at: Some((x[0], x[1])), w: a }, P { at: None, w: x[2] }, P { at: Some((a, x[3])), w: 1.0 }];
        let mut s = 0.0;
        for p in ps {
            s += match p.at {
                Some((u, v)) if u > v => p.w,
                Some((u, _)) if u == 0.0 => 7.0,
                Some((_, v)) => v * p.w,
                None => p.w * p.w,
            };
            if p.at.is_some_and(|(u, v)| u < v) {
                s *= 1.5;
            }
        }
        let b = ps.iter().filter(|p| p.at.is_none()).map(|p| p.w).sum::<f64>();
        s * b
    }
}

/// Two options at once, in a loop.
mod pairs_of_options {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    pub(crate) struct Cfg {
        cap: Option<f64>,
        mode: Option<(f64, u8)>,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let c = Cfg { cap: if x[0] > 0.0 { Some(a) } else { None }, mode: Some((x[1], 3)) };
        let mut s = 0.0;
        for &t in x {
            let y = match (c.cap, c.mode) {
                (Some(m), _) if t > m => m,
                (None, Some((k, n))) if n > 2 && t > k => k * t,
                (_, Some((k, _))) => t + k,
                (_, None) => t,
            };
            s += y * y;
        }
        s
    }
}

/// Two enums at once: each variant with each, alternatives that bind names.
mod pairs_of_enums {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) enum Sh {
        C(f64),
        R { w: f64, h: f64 },
        N,
    }
    #[differentiable]
    fn both(p: &Sh, q: &Sh, k: f64) -> f64 {
        match (p, q) {
            (Sh::C(a), Sh::C(b)) if a > b => a * b,
            (Sh::C(a), Sh::C(b)) => a * b * k,
            (Sh::C(r), Sh::R { w, h }) | (Sh::R { w, h }, Sh::C(r)) => r * w + h,
            (Sh::N, _) | (_, Sh::N) => k * k,
            (Sh::R { w, .. }, Sh::R { h, .. }) => w * h - k,
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let s = [Sh::C(x[0]), Sh::R { w: x[1], h: x[2] }, Sh::N, Sh::C(a), Sh::R { w: a, h: x[3] }];
        let mut t = 0.0;
        for i in 0..5 {
            for j in 0..5 {
                t += both(&s[i], &s[j], a) * (i + 2 * j) as f64;
            }
        }
        t
    }
}

/// Update syntax where fields change their length, are `None`, or have no derivative.
mod updates_of_structs {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct S {
        v: Vec<f64>,
        k: f64,
        o: Option<f64>,
        n: Option<usize>,
        name: Vec<u8>,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let base = S { v: vec![x[0], x[1], x[2]], k: a, o: Some(a), n: None, name: vec![1] };
        let s0 = base.v[2] * base.k;
        let b = base.clone();
        let s = S { v: vec![s0], n: Some(3), ..base };
        let t = S { o: None, name: vec![], v: b.v.clone(), ..s.clone() };
        s.v[0] * s.k
            + t.v[1] * t.k
            + match s.o {
                Some(o) => o * x[3],
                None => 0.0,
            }
            + match t.o {
                Some(_) => 1.0,
                None => x[3],
            }
            + s.n.unwrap_or(0) as f64
    }
}

/// Options beside strings.
mod beside_strings {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let names = ["a", "b", "c", "d", "a", "c", "e", "d"];
        let mut s = 0.0;
        for (i, t) in x.iter().enumerate() {
            let o = if *t > 0.0 { Some(t * a) } else { None };
            s += match (names[i], o) {
                ("a", Some(u)) => u,
                ("b" | "c", None) => a,
                (_, Some(u)) if u > 1.0 => u * u,
                ("d", _) => x[0],
                _ => 0.5 * a,
            };
        }
        s
    }
}

/// Tuples that are popped off, with vectors in them.
mod popped {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut q: Vec<(f64, Vec<f64>)> = Vec::new();
        for &t in x {
            if t < 0.0 {
                if let Some(last) = q.last_mut() {
                    last.1.push(t);
                    last.0 += a;
                } else {
                    q.push((a, vec![t]));
                }
            } else {
                q.push((t, vec![]));
                q[0].1.push(t * a);
            }
        }
        let mut s = 0.0;
        while let Some((w, v)) = q.pop() {
            s = s * 0.5 + w;
            for u in v {
                s += u * w;
            }
            if q.len() == 1 {
                q[0].1.push(s);
            }
        }
        s
    }
}

/// A vector in an option that begins as `None`.
mod options_that_grow {
    use cotangent::differentiable;
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut o: Option<(Vec<f64>, f64)> = None;
        for (i, &t) in x.iter().enumerate() {
            match &mut o {
                None => o = Some((vec![t], a)),
                Some((v, w)) => {
                    v.push(t * *w);
                    *w += t;
                    if i == 2 {
                        v.clear();
                        v.push(*w);
                    }
                }
            }
        }
        let (v, w) = o.unwrap();
        v.iter().map(|t| t * w).sum()
    }
}

/// Vectors in variants, by reference and by value.
mod variants_that_grow {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) enum E {
        A(Vec<f64>),
        B { m: Vec<Vec<f64>>, k: f64 },
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut e = if a > 0.0 { E::A(vec![x[0]]) } else { E::B { m: vec![vec![x[1]]], k: a } };
        for i in 0..3 {
            match &mut e {
                E::A(v) => {
                    v.push(x[i] * a);
                    v[0] *= 2.0;
                }
                E::B { m, k } => {
                    m.push(vec![*k]);
                    m[0].push(x[i]);
                    *k *= x[3];
                }
            }
        }
        match e {
            E::A(v) => v.iter().product::<f64>(),
            E::B { m, k } => {
                let mut s = k;
                for r in m {
                    for t in r {
                        s += t * t;
                    }
                }
                s
            }
        }
    }
}

agree! {
    options_only_compared
    options_of_tuples
    options_of_structs
    in_tuples_of_options
    fields_with_guards
    fields_of_tuples
    pairs_of_options
    pairs_of_enums
    updates_of_structs
    beside_strings
    popped
    options_that_grow
    variants_that_grow
}
