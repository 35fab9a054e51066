//! Fields of every kind, and what may be done with them; every companion against differences.

#![allow(
    clippy::borrowed_box,
    clippy::manual_swap,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    clippy::single_match,
    clippy::type_complexity,
    clippy::useless_vec
)]

mod agree;

/// Arrays, parts of arrays and vectors in fields handed to a function that takes a slice.
mod parts_handed_over {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct S {
        d: [Vec<f64>; 2],
        w: [f64; 3],
        k: f64,
    }
    #[differentiable]
    fn norm(u: &mut [f64], k: f64) {
        let mut s = k;
        for t in u.iter() {
            s += t * t;
        }
        for t in u.iter_mut() {
            *t /= s;
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = S { d: [vec![], vec![a]], w: [x[0], x[1], a], k: a };
        s.d[1].push(x[2]);
        s.d[0].push(s.d[1][0] * x[3]);
        norm(&mut s.w, 2.0 + a * a);
        norm(&mut s.w[1..], 1.5);
        norm(&mut s.d[1], 3.0);
        let k = s.k;
        norm(&mut s.d[0], k * k + 1.0);
        s.w[0] * s.w[1] + s.w[2] + s.d[0][0] * s.d[1][1]
    }
}

/// What is in a box is moved out of it.
mod out_of_boxes {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct P {
        v: Vec<f64>,
        k: f64,
    }
    #[differentiable]
    fn take(p: P, a: f64) -> f64 {
        p.v[0] * p.k * a
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let b = Box::new(P { v: vec![x[0], x[1]], k: a });
        let p = *b;
        let q = Box::new(p.clone());
        let P { v, k } = *q;
        let c: Box<f64> = Box::new(x[2] * a);
        let d = *c * *c;
        take(p, x[3]) + v[1] * k + d
    }
}

/// A list that is changed through the boxes, in every way to get at them.
mod lists {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct N {
        v: f64,
        next: Option<Box<N>>,
    }
    #[differentiable]
    fn scale(n: &mut N, k: f64) {
        n.v *= k;
        if let Some(m) = &mut n.next {
            scale(m, k * 1.5);
        }
    }
    #[differentiable]
    fn scale2(n: &mut N, k: f64) {
        n.v += k;
        if let Some(m) = n.next.as_mut() {
            scale2(m, k * n.v);
        }
    }
    #[differentiable]
    fn scale3(n: &mut N, k: f64) {
        n.v += k;
        match &mut n.next {
            Some(m) => {
                m.v *= n.v;
                scale3(m, k)
            }
            None => {}
        }
    }
    #[differentiable]
    fn sum(n: &N) -> f64 {
        n.v * n.v + n.next.as_ref().map_or(0.0, |m| sum(m))
    }
    #[differentiable]
    fn len(n: &N, k: f64) -> f64 {
        match &n.next {
            Some(m) => k + len(m, k * n.v),
            None => n.v,
        }
    }
    #[differentiable]
    fn push_back(n: &mut N, v: f64) {
        match &mut n.next {
            Some(m) => push_back(m, v),
            None => n.next = Some(Box::new(N { v, next: None })),
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut n = N { v: x[0], next: Some(Box::new(N { v: x[1], next: None })) };
        push_back(&mut n, x[2]);
        scale(&mut n, a);
        push_back(&mut n, x[3] * a);
        scale2(&mut n, 0.1);
        scale3(&mut n, a);
        sum(&n) * len(&n, a)
    }
}

/// Methods of integers and strings on fields.
mod integers_and_strings {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct C {
        n: u32,
        m: usize,
        i: i64,
        name: String,
        tags: Vec<String>,
        k: f64,
        on: bool,
    }
    #[differentiable]
    fn g(c: &C, x: f64) -> f64 {
        let p = c.n.pow(2) as f64 + c.m.abs_diff(3) as f64 + c.i.unsigned_abs() as f64 + c.name.len() as f64;
        let q = if c.name.starts_with("ab") && c.tags.contains(&"t".to_string()) { c.n.saturating_sub(1) } else { 1 };
        let r = c.name.to_uppercase().len();
        let w = c.m.saturating_sub(1).wrapping_mul(2) + c.n.count_ones() as usize;
        p * c.k * x + q as f64 * x * x + r as f64 * c.k + w as f64 * x
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let c = C { n: 3, m: 5, i: -4, name: "abA".to_string(), tags: vec!["t".to_string()], k: a, on: true };
        let y = if c.n.is_multiple_of(3) || c.on { x[0] } else { x[1] };
        g(&c, x[2]) + y * c.k.powi(c.n.pow(2) as i32 - 6) + c.tags.len() as f64 * c.k + x[c.m.saturating_sub(3)]
    }
}

/// Arrays of arrays and arrays of vectors in a field, changed by functions and a method.
mod nested {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct S {
        d: [Vec<f64>; 2],
        w: [[f64; 2]; 2],
        k: f64,
    }
    #[differentiable]
    fn rowsum(u: &[f64]) -> f64 {
        u.iter().sum()
    }
    #[differentiable]
    fn upd(u: &mut [f64; 2], k: f64) {
        u[0] *= k;
        u[1] += u[0];
    }
    #[differentiable]
    fn all(w: &mut [[f64; 2]; 2], d: &mut Vec<f64>, k: f64) -> f64 {
        for r in w.iter_mut() {
            upd(r, k);
        }
        d.push(w[0][1]);
        w[1][1]
    }
    #[differentiable]
    impl S {
        fn step(&mut self, k: f64) -> f64 {
            let y = all(&mut self.w, &mut self.d[0], k);
            self.k *= y;
            upd(&mut self.w[0], self.k);
            self.w[0][1] + rowsum(&self.d[0])
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = S { d: [vec![x[0]], vec![]], w: [[x[1], x[2]], [a, x[3]]], k: a };
        let y = s.step(a);
        let z = s.step(y);
        s.d[0][1] * y + z * s.w[0][0]
    }
}

/// Two buffers that are exchanged, and the best of what was in them.
mod buffers {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct B {
        cur: Vec<f64>,
        next: Vec<f64>,
        best: Option<Vec<f64>>,
        k: f64,
    }
    #[differentiable]
    impl B {
        fn step(&mut self, a: f64) -> f64 {
            for i in 0..self.cur.len() {
                self.next[i] = self.cur[i] * a + self.cur[(i + 1) % self.cur.len()];
            }
            std::mem::swap(&mut self.cur, &mut self.next);
            let y = self.cur[0];
            if y > self.k {
                self.best = Some(self.cur.clone());
                self.k = y;
            }
            y
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut b = B { cur: x.to_vec(), next: vec![0.0; x.len()], best: None, k: -1e9 };
        let mut s = 0.0;
        for _ in 0..4 {
            s += b.step(0.3 * a);
            if s > 50.0 {
                break;
            }
        }
        match &b.best {
            Some(v) => s * v[1] + b.k,
            None => s,
        }
    }
}

/// Particles in a vector: sorted, filtered, moved about.
mod particles {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, Differentiable)]
    pub(crate) struct P {
        x: f64,
        v: f64,
        m: Option<f64>,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut ps: Vec<P> = x.iter().map(|&t| P { x: t, v: a * t, m: if t > 0.0 { Some(t) } else { None } }).collect();
        for step in 0..3 {
            for i in 0..ps.len() {
                let mut acc = 0.0;
                for j in 0..ps.len() {
                    if i == j {
                        continue;
                    }
                    let d = ps[j].x - ps[i].x;
                    acc += d * ps[j].m.unwrap_or(0.5) / (1.0 + d * d);
                }
                ps[i].v += 0.1 * acc;
            }
            for p in ps.iter_mut() {
                p.x += 0.1 * p.v;
                if let Some(m) = p.m.as_mut() {
                    *m *= 1.01;
                }
            }
            if step == 1 {
                let last = ps.pop().unwrap();
                ps.insert(0, last);
                ps.swap(1, 2);
            }
            ps.retain(|p| p.x > -3.0);
        }
        ps.sort_by(|p, q| p.x.total_cmp(&q.x));
        let mut best = ps[0];
        for p in &ps {
            if p.v > best.v {
                best = *p;
            }
        }
        best.x * best.v + ps.iter().map(|p| p.x * p.x).sum::<f64>() + best.m.map_or(a, |m| m * a)
    }
}

/// A graph: vectors in the structs of a vector in a struct.
mod graphs {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct G {
        nodes: Vec<Nd>,
        edges: Vec<(usize, usize, f64)>,
    }
    #[derive(Clone, Differentiable)]
    pub(crate) struct Nd {
        val: f64,
        out: Vec<(usize, f64)>,
        seen: bool,
    }
    #[differentiable]
    fn build(x: &[f64], a: f64) -> G {
        let mut g = G { nodes: Vec::new(), edges: vec![] };
        for (i, &t) in x.iter().enumerate() {
            g.nodes.push(Nd { val: t, out: vec![], seen: false });
            if i > 0 {
                g.edges.push((i - 1, i, t * a));
            }
        }
        g.edges.push((0, x.len() - 1, a));
        for k in 0..g.edges.len() {
            let (u, v, w) = g.edges[k];
            g.nodes[u].out.push((v, w));
        }
        g
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut g = build(x, a);
        let mut stack = vec![0usize];
        let mut total = 0.0;
        while let Some(i) = stack.pop() {
            if g.nodes[i].seen {
                continue;
            }
            g.nodes[i].seen = true;
            for k in 0..g.nodes[i].out.len() {
                let (j, w) = g.nodes[i].out[k];
                let v = g.nodes[i].val;
                g.nodes[j].val += w * v.tanh();
                stack.push(j);
            }
            total += g.nodes[i].val * g.nodes[i].val;
        }
        total
    }
}

/// `swap`, `take` and `replace` of fields, rows of fields and options in fields.
mod exchanged {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Default, Differentiable)]
    pub(crate) struct S {
        u: Vec<f64>,
        v: Vec<f64>,
        m: Vec<Vec<f64>>,
        k: f64,
        l: f64,
        o: Option<f64>,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s =
            S { u: vec![x[0], x[1]], v: vec![a], m: vec![vec![x[2]], vec![x[3], a]], k: a, l: x[0], o: Some(x[1]) };
        std::mem::swap(&mut s.u, &mut s.v);
        let t = std::mem::take(&mut s.v);
        let r = std::mem::replace(&mut s.u, vec![t[0] * t[1], 2.0, a]);
        s.m.swap(0, 1);
        let (p, q) = (s.m[0][1], s.m[1][0]);
        std::mem::swap(&mut s.k, &mut s.l);
        let w = std::mem::take(&mut s.m[0]);
        let z = std::mem::replace(&mut s.m[1], vec![s.k; 3]);
        s.v.push(s.k);
        let o = s.o.take().unwrap_or(1.0);
        s.o = Some(o * s.l);
        r[0] * s.u[0] + s.u[2] * s.l + p * q + w[0] * z[0] + s.m[1][2] * s.v[0] + s.o.unwrap() + s.m[0].len() as f64
    }
}

agree! {
    exchanged
    parts_handed_over
    out_of_boxes
    lists
    integers_and_strings
    nested
    buffers
    particles
    graphs
}
