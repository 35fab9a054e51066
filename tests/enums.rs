//! Enums and recursive types, by value and by reference; every companion against differences.

#![allow(clippy::assign_op_pattern, clippy::needless_range_loop, clippy::ptr_arg, clippy::useless_vec)]

mod agree;

/// Variants taken apart by value, what they hold changed.
mod by_value {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) enum E {
        A(Vec<f64>),
        B { m: Vec<Vec<f64>>, k: f64 },
        N,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let es = vec![E::A(vec![x[0]]), E::B { m: vec![vec![x[1], a]], k: a }, E::N];
        let mut s = 0.0;
        for e in es {
            match e {
                E::A(mut v) => {
                    v.push(a);
                    s += v[0] * v[1];
                }
                E::B { mut m, mut k } => {
                    k *= x[2];
                    m.push(vec![k]);
                    for r in m {
                        for t in r {
                            s += t * k;
                        }
                    }
                }
                E::N => s *= a,
            }
        }
        s
    }
}

/// A list: read, taken apart, changed through the boxes.
mod lists {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) enum L {
        Nil,
        Cons(f64, Box<L>),
    }
    #[differentiable]
    fn sum(l: &L) -> f64 {
        match l {
            L::Nil => 0.0,
            L::Cons(v, r) => v * v + sum(r),
        }
    }
    #[differentiable]
    fn eat(l: L, k: f64) -> f64 {
        match l {
            L::Nil => k,
            L::Cons(v, r) => v * k + eat(*r, k * v),
        }
    }
    #[differentiable]
    fn bump(l: &mut L, k: f64) {
        match l {
            L::Nil => {}
            L::Cons(v, r) => {
                *v *= k;
                bump(r, k + 1.0);
            }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut l = L::Nil;
        for t in x {
            l = L::Cons(*t, Box::new(l));
        }
        let s = sum(&l);
        bump(&mut l, a);
        let q = sum(&l);
        s * q + eat(l, a)
    }
}

/// A tree: evaluated, changed, rotated.
mod trees {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) enum T {
        Leaf(f64),
        Node { l: Box<T>, r: Box<T>, w: f64 },
    }
    #[differentiable]
    fn eval(t: &T, a: f64) -> f64 {
        match t {
            T::Leaf(v) => *v,
            T::Node { l, r, w } => w * (eval(l, a) - eval(r, a)) + a,
        }
    }
    #[differentiable]
    fn scale(t: &mut T, a: f64) {
        match t {
            T::Leaf(v) => *v *= a,
            T::Node { l, r, w } => {
                scale(l, a);
                scale(r, a * 2.0);
                *w += a;
            }
        }
    }
    #[differentiable]
    fn rot(t: T) -> T {
        match t {
            T::Node { l, r, w } => T::Node { l: r, r: l, w: w * 2.0 },
            other => other,
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut t = T::Node {
            l: Box::new(T::Leaf(x[0])),
            r: Box::new(T::Node { l: Box::new(T::Leaf(x[1])), r: Box::new(T::Leaf(x[2])), w: a }),
            w: x[3],
        };
        let e = eval(&t, a);
        scale(&mut t, e);
        let t = rot(t);
        eval(&t, 1.0) + e
    }
}

/// A tree of vectors that grows and shrinks.
mod trees_of_vectors {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct N {
        v: f64,
        kids: Vec<N>,
        tag: Option<Box<f64>>,
    }
    #[differentiable]
    fn total(n: &N, k: f64) -> f64 {
        let mut s = n.v * k;
        for c in &n.kids {
            s += total(c, k * 0.5);
        }
        if let Some(t) = &n.tag {
            s += **t;
        }
        s
    }
    #[differentiable]
    fn grow(n: &mut N, k: f64) {
        n.v += k;
        for c in n.kids.iter_mut() {
            grow(c, k * n.v);
        }
        n.kids.push(N { v: k, kids: vec![], tag: Some(Box::new(k)) });
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut r = N {
            v: x[0],
            kids: vec![N { v: x[1], kids: vec![], tag: None }, N { v: x[2], kids: vec![], tag: Some(Box::new(x[3])) }],
            tag: None,
        };
        grow(&mut r, a);
        r.kids[1].kids.push(N { v: a, kids: vec![], tag: None });
        grow(&mut r, 0.3);
        let last = r.kids.pop();
        r.kids.remove(0);
        total(&r, a)
            + match last {
                Some(n) => n.v,
                None => 0.0,
            }
    }
}

/// A stack machine.
mod programs {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Copy, PartialEq, Differentiable)]
    pub(crate) enum Op {
        Add(f64),
        Mul(f64),
        Neg,
        Push(f64),
        Pop,
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let prog = [Op::Push(x[0]), Op::Mul(a), Op::Push(x[1]), Op::Add(x[2]), Op::Neg, Op::Pop, Op::Push(x[3])];
        let mut st: Vec<f64> = vec![1.0];
        for op in prog.iter() {
            match *op {
                Op::Add(k) => {
                    if let Some(t) = st.last_mut() {
                        *t += k;
                    }
                }
                Op::Mul(k) => {
                    let t = st.pop().unwrap();
                    st.push(t * k);
                }
                Op::Neg => {
                    let n = st.len();
                    st[n - 1] = -st[n - 1];
                }
                Op::Push(k) => st.push(k),
                Op::Pop => {
                    if st.len() > 1 {
                        let t = st.pop().unwrap();
                        let u = st.pop().unwrap();
                        st.push(t * u);
                    }
                }
            }
        }
        let mut s = 0.0;
        for t in st {
            s = s * 0.5 + t;
        }
        s
    }
}

/// Layers with matrices as vectors of vectors.
mod layers {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) enum M {
        Lin { w: Vec<Vec<f64>>, b: Vec<f64> },
        Relu,
        Scale(f64),
        Seq(Vec<M>),
    }
    #[differentiable]
    fn apply(m: &M, x: &[f64]) -> Vec<f64> {
        match m {
            M::Lin { w, b } => {
                let mut y = b.clone();
                for i in 0..w.len() {
                    for j in 0..x.len() {
                        y[i] += w[i][j] * x[j];
                    }
                }
                y
            }
            M::Relu => x.iter().map(|t| t.max(0.0)).collect(),
            M::Scale(k) => x.iter().map(|t| t * k).collect(),
            M::Seq(ms) => {
                let mut y = x.to_vec();
                for m in ms {
                    y = apply(m, &y);
                }
                y
            }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let net = M::Seq(vec![
            M::Lin { w: vec![vec![x[0], a], vec![x[1], x[2]]], b: vec![a, x[3]] },
            M::Relu,
            M::Seq(vec![M::Scale(a), M::Lin { w: vec![vec![1.0, x[1]]], b: vec![0.5] }]),
        ]);
        let y = apply(&net, &[x[2], 0.7]);
        y[0] * y.len() as f64
    }
}

/// A list that a function takes by a reference to its box.
mod boxed {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Differentiable)]
    pub(crate) struct Node {
        v: f64,
        next: Option<Box<Node>>,
    }
    #[differentiable]
    fn total(n: &Node) -> f64 {
        n.v * n.v
            + match &n.next {
                Some(m) => total(m),
                None => 0.0,
            }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut head: Option<Box<Node>> = None;
        for &t in x {
            head = Some(Box::new(Node { v: t * a, next: head }));
        }
        match head {
            Some(h) => total(&h),
            None => 0.0,
        }
    }
}

agree! {
    by_value
    lists
    trees
    trees_of_vectors
    programs
    layers
    boxed
}
