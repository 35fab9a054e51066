//! Functions that call themselves over lists, trees, slices and structs: every companion against differences.

#![allow(clippy::manual_is_multiple_of, clippy::needless_lifetimes, clippy::needless_range_loop)]

mod agree;

/// A list of boxes.
mod over_a_list {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    enum L {
        Nil,
        Cons(f64, Box<L>),
    }
    #[differentiable]
    fn total(l: &L, k: f64) -> f64 {
        match l {
            L::Nil => k,
            L::Cons(v, r) => v * k + total(r, k * 0.9 + v),
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let l = L::Cons(x[0], Box::new(L::Cons(x[1] * a, Box::new(L::Cons(a, Box::new(L::Nil))))));
        total(&l, x[2])
    }
}

/// A tree of boxes, built and evaluated.
mod over_a_tree {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    enum T {
        Leaf(f64),
        Node(Box<T>, f64, Box<T>),
    }
    #[differentiable]
    fn build(x: &[f64]) -> T {
        if x.len() == 1 {
            T::Leaf(x[0])
        } else {
            let m = x.len() / 2;
            T::Node(Box::new(build(&x[..m])), x[m] * 0.5, Box::new(build(&x[m..])))
        }
    }
    #[differentiable]
    fn eval(t: &T, k: f64) -> f64 {
        match t {
            T::Leaf(v) => v * k,
            T::Node(l, w, r) => {
                let a = eval(l, k * w);
                let b = eval(r, a);
                (a * b).sin() + w
            }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let t = build(x);
        eval(&t, a)
    }
}

/// An expression with any number of operands.
mod over_an_expression {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    enum E {
        Num(f64),
        Add(Vec<E>),
        Mul(Box<E>, Box<E>),
        Sin(Box<E>),
    }
    #[differentiable]
    impl E {
        fn eval(&self, x: f64) -> f64 {
            match self {
                E::Num(v) => *v * x,
                E::Add(es) => {
                    let mut s = 0.0;
                    for e in es {
                        s += e.eval(x);
                    }
                    s
                }
                E::Mul(a, b) => a.eval(x) * b.eval(x),
                E::Sin(a) => a.eval(x).sin(),
            }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let e = E::Mul(Box::new(E::Add(vec![E::Num(x[0]), E::Sin(Box::new(E::Num(x[1])))])), Box::new(E::Num(a)));
        e.eval(x[2])
    }
}

/// The halves of a slice.
mod over_halves {
    use cotangent::differentiable;

    #[differentiable]
    fn maxsum(x: &[f64]) -> f64 {
        if x.len() <= 1 {
            return x.iter().sum();
        }
        let m = x.len() / 2;
        let (l, r) = x.split_at(m);
        let (p, q) = (maxsum(l), maxsum(r));
        if p > q { p + 0.5 * q } else { q * p }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        maxsum(x) * a
    }
}

/// A power of a complex number by squaring.
mod of_owned_structs {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone, Copy, Debug)]
    struct C {
        re: f64,
        im: f64,
    }
    #[differentiable]
    impl C {
        fn new(re: f64, im: f64) -> Self {
            C { re, im }
        }
        fn mul(self, o: C) -> Self {
            Self::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
        }
        fn pow(self, n: usize) -> Self {
            if n == 0 {
                Self::new(1.0, 0.0)
            } else if n % 2 == 0 {
                let h = self.pow(n / 2);
                h.mul(h)
            } else {
                self.mul(self.pow(n - 1))
            }
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let c = C::new(x[0], a).pow(5);
        c.re * x[1] + c.im
    }
}

/// Methods of a type with a constant parameter.
mod of_a_generic_struct {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone, Copy, Debug)]
    struct G<const N: usize> {
        w: [f64; N],
    }
    #[differentiable]
    impl<const N: usize> G<N> {
        fn zed(&self, x: f64, n: usize) -> f64 {
            if n == 0 { x } else { self.apply(x, n - 1) }
        }
        fn apply(&self, x: f64, n: usize) -> f64 {
            let mut s = x;
            for i in 0..N {
                s += self.w[i] * self.zed(x * 0.5, n);
            }
            s
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let g = G { w: [x[0], a] };
        g.zed(x[1], 3)
    }
}

/// Laplace's rule.
mod determinant {
    use cotangent::differentiable;

    #[differentiable]
    fn det(m: &[Vec<f64>]) -> f64 {
        let n = m.len();
        if n == 1 {
            return m[0][0];
        }
        let mut s = 0.0;
        for j in 0..n {
            let mut minor: Vec<Vec<f64>> = Vec::new();
            for i in 1..n {
                let mut row = Vec::new();
                for k in 0..n {
                    if k != j {
                        row.push(m[i][k]);
                    }
                }
                minor.push(row);
            }
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            s += sign * m[0][j] * det(&minor);
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let m = vec![vec![x[0], x[1], a], vec![x[2], x[3], x[4]], vec![a, x[5], x[6]]];
        det(&m)
    }
}

/// A call whose argument is a call.
mod in_an_argument {
    use cotangent::differentiable;

    #[differentiable]
    fn ack(x: f64, m: usize, n: usize) -> f64 {
        if m == 0 {
            x + n as f64 * 0.1
        } else if n == 0 {
            ack(x * 1.1, m - 1, 1)
        } else {
            ack(x.sin() + ack(x, m, n - 1) * 0.01, m - 1, n)
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        ack(x[0] * a, 2, 3)
    }
}

/// Pairs are returned.
mod of_pairs {
    use cotangent::differentiable;

    #[differentiable]
    fn fib(x: f64, y: f64, n: usize) -> (f64, f64) {
        if n == 0 {
            (x, y)
        } else {
            let (p, q) = fib(x, y, n - 1);
            (q, p * 0.5 + q * x)
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let (p, q) = fib(x[0], a, 5);
        p * q
    }
}

/// Nodes with any number of children, changed and read.
mod over_children {
    use cotangent::{Differentiable, differentiable};

    #[derive(Differentiable, Clone)]
    struct Node {
        w: f64,
        kids: Vec<Node>,
    }
    #[differentiable]
    fn total(n: &Node, k: f64) -> f64 {
        let mut s = n.w * k;
        for c in &n.kids {
            s += total(c, s * 0.5).sin();
        }
        s
    }
    #[differentiable]
    fn scale(n: &mut Node, k: f64) {
        n.w *= k;
        for c in n.kids.iter_mut() {
            scale(c, k * 0.5);
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let leaf = |w: f64| Node { w, kids: Vec::new() };
        let mut t = Node { w: a, kids: vec![leaf(x[0]), Node { w: x[1], kids: vec![leaf(x[2]), leaf(a)] }] };
        scale(&mut t, a);
        total(&t, x[3])
    }
}

/// Powers of a matrix.
mod of_arrays {
    use cotangent::differentiable;

    #[differentiable]
    fn pw(m: [[f64; 2]; 2], n: usize) -> [[f64; 2]; 2] {
        if n == 0 {
            return [[1.0, 0.0], [0.0, 1.0]];
        }
        let h = pw(m, n / 2);
        let mut r = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    r[i][j] += h[i][k] * h[k][j];
                }
            }
        }
        if n % 2 == 1 {
            let mut q = [[0.0; 2]; 2];
            for i in 0..2 {
                for j in 0..2 {
                    for k in 0..2 {
                        q[i][j] += r[i][k] * m[k][j];
                    }
                }
            }
            return q;
        }
        r
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let r = pw([[x[0], a], [x[1], x[2]]], 5);
        r[0][1] * 0.1 + r[1][0]
    }
}

/// Two slices of different lifetimes.
mod over_two_slices {
    use cotangent::differentiable;

    #[differentiable]
    fn walk<'a, 'b>(x: &'a [f64], y: &'b [f64], n: usize) -> f64 {
        if n == 0 { x[0] * y[0] } else { walk(&x[1..], y, n - 1) * y[n] + x[0] }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let y = vec![a, x[0], 2.0 * a, 1.0];
        walk(x, &y, 3)
    }
}

agree! {
    over_children
    of_arrays
    over_two_slices
    over_a_list
    over_a_tree
    over_an_expression
    over_halves
    of_owned_structs
    of_a_generic_struct
    determinant
    in_an_argument
    of_pairs
}
