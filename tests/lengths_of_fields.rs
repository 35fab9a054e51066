//! Vectors in fields of structs that change their length there; every companion against differences.

#![allow(clippy::assign_op_pattern, clippy::needless_range_loop, clippy::ptr_arg, clippy::useless_vec)]

mod agree;

/// A vector in a field: every method that changes its length.
mod in_fields {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct S {
        v: Vec<f64>,
        k: f64,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = S { v: vec![x[0], x[1]], k: a };
        s.v.push(x[2]);
        s.v.push(s.k * x[3]);
        let y = s.v[3] * s.v[2];
        s.v.truncate(1);
        s.v.extend(x.iter().map(|t| t * y));
        s.v.insert(1, y);
        let z = s.v.remove(0);
        s.v.clear();
        s.v.push(z * z);
        s.v[0] * y
    }
}

/// Vectors at the end of every kind of path from a struct.
mod in_fields_of_every_kind {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct S {
        v: Vec<f64>,
        k: f64,
    }
    #[derive(Clone, Differentiable)]
    pub(crate) struct T {
        s: S,
        m: Vec<Vec<f64>>,
        o: Option<Vec<f64>>,
        p: (Vec<f64>, f64),
        q: [Vec<f64>; 2],
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut t = T {
            s: S { v: vec![x[0]], k: a },
            m: vec![vec![x[1]], vec![]],
            o: Some(vec![x[2]]),
            p: (vec![a], x[3]),
            q: [vec![x[0], a], vec![]],
        };
        t.s.v.push(a * x[1]);
        t.m[1].push(t.s.v[1]);
        t.m.push(vec![x[2], x[3]]);
        t.p.0.push(x[1]);
        t.q[1].push(x[0] * a);
        if let Some(v) = &mut t.o {
            v.push(a);
            v.push(t.p.1);
        }
        t.q[0].truncate(1);
        let mut r = t.s.k;
        for v in &t.m {
            for u in v {
                r = r * u + 1.0;
            }
        }
        if let Some(v) = &t.o {
            for u in v {
                r += u * u;
            }
        }
        for u in &t.p.0 {
            r += u.sin();
        }
        for v in &t.q {
            for u in v {
                r += u * a;
            }
        }
        for u in &t.s.v {
            r += u * x[0];
        }
        r
    }
}

/// Fields without a derivative grow and shrink beside those with one.
mod beside_inactive_vectors {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct B {
        v: Vec<f64>,
        idx: Vec<usize>,
        n: usize,
        names: Vec<String>,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut b = B { v: vec![], idx: vec![], n: 0, names: vec![] };
        for i in 0..x.len() {
            b.v.push(x[i] * a);
            b.idx.push(i);
            b.n += 1;
            b.names.push(format!("{i}"));
            if b.n > 3 {
                break;
            }
        }
        b.idx.swap(0, 2);
        let k = b.idx.pop().unwrap();
        b.idx.insert(0, k);
        b.idx.truncate(3);
        let mut s = 0.0;
        for &i in &b.idx {
            s = s * 0.5 + b.v[i];
        }
        for i in b.idx.iter() {
            s += b.v[*i] * b.v[*i];
        }
        s * b.names.len() as f64
    }
}

/// Vectors in the structs of a vector.
mod in_structs_of_a_vector {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct B {
        v: Vec<f64>,
        w: f64,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut list = vec![B { v: vec![x[0]], w: a }, B { v: vec![], w: x[1] }];
        for b in &mut list {
            b.v.push(b.w * x[2]);
        }
        for b in list.iter_mut() {
            b.v.extend([x[3], b.w]);
            b.w *= b.v[0];
        }
        list[1].v.remove(0);
        list[0].v.clear();
        list[0].v.push(a);
        let mut s = 0.0;
        for b in &list {
            for t in &b.v {
                s += t * b.w;
            }
        }
        s
    }
}

/// Rows of a field, also without a derivative.
mod rows_in_fields {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct B {
        m: Vec<Vec<f64>>,
        g: Vec<Vec<usize>>,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut b = B { m: vec![vec![]; 3], g: vec![vec![]; 3] };
        for i in 0..x.len() {
            b.m[i % 3].push(x[i]);
            b.g[(i * i) % 3].push(i);
        }
        b.m[0].push(a);
        b.m.push(vec![a, a * x[0]]);
        for i in 0..3 {
            for k in 0..b.g[i].len() {
                let j = b.g[i][k];
                b.m[3].push(x[j] * a * i as f64);
            }
        }
        b.m[1].clear();
        b.m.swap(0, 3);
        b.g[0].swap(0, 1);
        let mut s = 1.0;
        for r in &b.m {
            for t in r {
                s = s * 0.3 + t * t;
            }
        }
        s + b.g[0][0] as f64 * a
    }
}

/// `drain`, `retain`, `split_off` and `append` on fields.
mod fields_drained {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct B {
        v: Vec<f64>,
        w: f64,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut b = B { v: x.to_vec(), w: a };
        let d: Vec<f64> = b.v.drain(1..3).collect();
        b.v.retain(|t| *t > 0.0);
        b.v.push(d[0] * b.w);
        let mut t = b.v.split_off(1);
        t.append(&mut b.v);
        b.v.resize(3, b.w);
        let e: f64 = b.v.drain(..).map(|t| t * t).sum();
        let mut s = e;
        for u in t {
            s += u * d[1];
        }
        s + b.v.len() as f64
    }
}

/// Methods of the same kind of the user's, on elements of fields.
mod methods {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct St {
        v: Vec<f64>,
    }
    #[differentiable]
    impl St {
        fn put(&mut self, x: f64) {
            self.v.push(x);
        }
        fn get(&mut self) -> f64 {
            self.v.pop().unwrap_or(0.0)
        }
        fn tops(&self) -> f64 {
            self.v.last().copied().unwrap_or(1.0)
        }
    }
    #[derive(Clone, Differentiable)]
    pub(crate) struct W {
        s: Vec<St>,
        t: St,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut w = W { s: vec![St { v: vec![] }, St { v: vec![a] }], t: St { v: vec![x[0]] } };
        for i in 0..4 {
            w.s[i % 2].put(x[i] * a);
            w.t.put(x[i]);
        }
        let y = w.s[0].get();
        let z = w.t.get();
        w.s[1].put(y * z);
        y * z + w.s[1].tops() * w.t.tops() + w.s[0].tops()
    }
}

agree! {
    in_fields
    in_fields_of_every_kind
    beside_inactive_vectors
    in_structs_of_a_vector
    rows_in_fields
    fields_drained
    methods
}
