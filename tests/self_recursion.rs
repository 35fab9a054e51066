//! Functions that call themselves, in forms that let all calls share what they keep: every companion against differences.

#![allow(clippy::needless_range_loop, clippy::manual_memcpy, clippy::manual_is_multiple_of)]

mod agree;

/// Parts of its own are lent to each call.
mod lent_its_own {
    use cotangent::differentiable;
    #[differentiable]
    fn fft(re: &[f64], im: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = re.len();
        if n == 1 {
            return (re.to_vec(), im.to_vec());
        }
        let h = n / 2;
        let (mut er, mut ei, mut or, mut oi) = (vec![0.0; h], vec![0.0; h], vec![0.0; h], vec![0.0; h]);
        for k in 0..h {
            er[k] = re[2 * k];
            ei[k] = im[2 * k];
            or[k] = re[2 * k + 1];
            oi[k] = im[2 * k + 1];
        }
        let (a, b) = fft(&er, &ei);
        let (c, d) = fft(&or, &oi);
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        for k in 0..h {
            let t = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
            let (s, co) = t.sin_cos();
            let u = co * c[k] - s * d[k];
            let v = co * d[k] + s * c[k];
            x[k] = a[k] + u;
            y[k] = b[k] + v;
            x[k + h] = a[k] - u;
            y[k + h] = b[k] - v;
        }
        (x, y)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let re = [x[0], x[1], x[2], x[3]];
        let im = [a, x[4], a * a, 0.5];
        let (p, q) = fft(&re, &im);
        let mut s = 0.0;
        for k in 0..4 {
            s += p[k] * p[k] * (k as f64 + 1.0) + q[k] * q[k] * q[k];
        }
        s
    }
}

/// Parts of what it was lent.
mod parts {
    use cotangent::differentiable;
    #[differentiable]
    fn sort(v: &[f64]) -> Vec<f64> {
        if v.len() <= 1 {
            return v.to_vec();
        }
        let m = v.len() / 2;
        let l = sort(&v[..m]);
        let r = sort(&v[m..]);
        let (mut i, mut j) = (0, 0);
        let mut out = Vec::new();
        while i < l.len() || j < r.len() {
            if j >= r.len() || (i < l.len() && l[i] <= r[j]) {
                out.push(l[i]);
                i += 1;
            } else {
                out.push(r[j]);
                j += 1;
            }
        }
        out
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let s = sort(x);
        let mut t = 0.0;
        for (i, v) in s.iter().enumerate() {
            t += v * a.powi(i as i32);
        }
        t
    }
}

/// Parts of what is changed.
mod changed_parts {
    use cotangent::differentiable;
    #[differentiable]
    fn sort(v: &mut [f64]) {
        let n = v.len();
        if n <= 1 {
            return;
        }
        let p = v[n - 1];
        let mut k = 0;
        for i in 0..n - 1 {
            if v[i] < p {
                v.swap(i, k);
                k += 1;
            }
        }
        v.swap(k, n - 1);
        let (l, r) = v.split_at_mut(k);
        sort(l);
        sort(&mut r[1..]);
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = x.to_vec();
        sort(&mut s);
        let mut t = 0.0;
        for (i, v) in s.iter().enumerate() {
            t += v * a.powi(i as i32);
        }
        t
    }
}

/// Two things are changed, and a value is given that is not always used.
mod two_changed {
    use cotangent::differentiable;
    #[differentiable]
    fn walk(x: &[f64], k: usize, w: f64, s: &mut f64, out: &mut Vec<f64>) -> f64 {
        if k == x.len() {
            out.push(w);
            return *s;
        }
        *s += w * x[k];
        let a = walk(x, k + 1, w * x[k], s, out);
        if k % 2 == 0 {
            walk(x, k + 1, w + 0.5, s, out);
        }
        let mut t = *s * w;
        for i in 0..2 {
            if i == 1 && k > 2 {
                t += walk(x, k + 1, w, &mut t, out);
            }
        }
        a + t
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = a;
        let mut o = vec![];
        let r = walk(x, 0, a, &mut s, &mut o);
        let mut q = r * 0.1 + s;
        for v in &o {
            q += v * v;
        }
        q
    }
}

/// What is given has no derivative.
mod a_flag {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, n: usize, s: &mut f64) -> bool {
        if n == 0 {
            return false;
        }
        *s += x * n as f64;
        let b = go(x * 0.9, n - 1, s);
        if b {
            *s *= 2.0;
        }
        *s *= x;
        b || n % 2 == 0
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = a;
        let b = go(x[0], 5, &mut s);
        if b { s * x[1] } else { s }
    }
}

/// A part of what is given has none.
mod a_count {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, n: i32) -> (f64, i32) {
        if n <= 0 {
            return (x, 1);
        }
        let (a, k) = go(x * 1.1, n - 2);
        let (b, j) = go(a, n - 3);
        (a * b + k as f64 * x, k + j)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let (p, k) = go(x[0] * a, 5);
        p * k as f64
    }
}

/// An option, with `?`.
mod an_option {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, n: usize) -> Option<f64> {
        if n == 0 {
            return Some(x);
        }
        if x > 100.0 {
            return None;
        }
        let t = go(x * x + 0.1, n - 1)?;
        Some(t + x)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0] * a, 3).unwrap_or(0.0) + go(x[0] + 20.0, 5).unwrap_or(x[1])
    }
}

/// In a loop that is left early.
mod left_early {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, n: usize) -> f64 {
        let mut t = x;
        let mut k = n;
        while k > 0 {
            k -= 1;
            if k % 3 == 2 {
                continue;
            }
            t += go(t * 0.5, k) * x;
            if t > 50.0 {
                break;
            }
        }
        t.sin() + x
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0] * a, 5)
    }
}

/// What is owned is handed over.
mod owned {
    use cotangent::differentiable;
    #[differentiable]
    fn go(v: Vec<f64>, n: usize) -> f64 {
        if n == 0 {
            return v.iter().sum();
        }
        let mut w = v.clone();
        w.push(v[0] * v[1]);
        let a = go(w, n - 1);
        a * v[n] + go(v, n - 1)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(vec![x[0] * a, x[1], x[2], a], 3)
    }
}

/// Arrays in and out.
mod arrays {
    use cotangent::differentiable;
    #[differentiable]
    fn go(m: [[f64; 2]; 2], n: u32) -> [[f64; 2]; 2] {
        if n == 0 {
            return [[1.0, 0.0], [0.0, 1.0]];
        }
        let h = go(m, n / 2);
        let mut r = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    r[i][j] += h[i][k] * h[k][j];
                }
            }
        }
        if n % 2 == 1 {
            let mut s = [[0.0; 2]; 2];
            for i in 0..2 {
                for j in 0..2 {
                    for k in 0..2 {
                        s[i][j] += r[i][k] * m[k][j];
                    }
                }
            }
            s
        } else {
            r
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let r = go([[x[0], a], [x[1], x[2]]], 5);
        r[0][1] + r[1][0] * r[1][1]
    }
}

/// Methods.
mod methods {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    pub(crate) struct S {
        w: Vec<f64>,
        b: f64,
    }
    #[differentiable]
    impl S {
        fn eval(&self, x: f64, n: usize) -> f64 {
            if n == 0 {
                return x * self.b;
            }
            let t = self.eval(x * self.w[n], n - 1);
            t + self.w[n - 1] * self.eval(t, n / 2)
        }
        fn tree(x: f64, s: &S, n: usize) -> f64 {
            if n == 0 { s.b * x } else { Self::tree(x * s.w[0], s, n - 1) + Self::tree(x + s.w[1], s, n - 1) * s.b }
        }
        fn fill(&self, out: &mut [f64], n: usize) {
            if n == 0 {
                return;
            }
            out[n] = self.w[n] * self.b;
            self.fill(out, n - 1);
            out[0] += out[n] * out[n - 1];
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let s = S { w: x.to_vec(), b: a };
        let mut o = vec![0.0; 5];
        s.fill(&mut o, 4);
        s.eval(0.5, 4) + S::tree(x[0], &s, 3) + o[0] + o[3]
    }
}

/// Structs in and out.
mod structs {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    pub(crate) struct P {
        x: f64,
        v: Vec<f64>,
    }
    #[differentiable]
    fn go(p: &P, n: usize) -> P {
        if n == 0 {
            return p.clone();
        }
        let q = P { x: p.x * p.v[0], v: vec![p.v[1], p.x] };
        let mut r = go(&q, n - 1);
        r.x += p.x;
        r.v[0] *= q.x;
        r
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let p = P { x: a, v: vec![x[0], x[1]] };
        let r = go(&p, 4);
        r.x * r.v[0] + r.v[1]
    }
}

/// Other functions are called in between.
mod with_others {
    use cotangent::differentiable;
    #[differentiable]
    fn leaf(x: f64, v: &[f64]) -> f64 {
        x.sin() * v[0]
    }
    #[differentiable]
    fn go(x: f64, v: &[f64], n: usize) -> f64 {
        let t = leaf(x, v);
        if n == 0 {
            return t;
        }
        let w = vec![t, x];
        let u = leaf(t, &w);
        let mut s = 0.0;
        for k in 0..2 {
            s += go(u + k as f64, &w, n - 1) * leaf(s, v);
        }
        s + u
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(a, x, 3)
    }
}

/// Parameters change their places.
mod swapped {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, y: f64, n: usize) -> f64 {
        if n == 0 {
            return x - 2.0 * y;
        }
        go(y, x, n - 1) * x + go(x, y, n - 1) * y
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0], a, 4)
    }
}

/// Parameters are variables.
mod variables {
    use cotangent::differentiable;
    #[differentiable]
    fn go(mut x: f64, y: f64, mut n: usize) -> f64 {
        x *= y;
        while n > 3 {
            n -= 1;
            x += 0.1;
        }
        if n == 0 {
            return x;
        }
        n -= 1;
        let t = go(x, y, n);
        x += t;
        x * go(t, y, n)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0], a, 5)
    }
}

/// In closures, which are called here or elsewhere.
mod in_closures {
    use cotangent::differentiable;
    #[differentiable]
    fn ap(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        f(x) * 2.0
    }
    #[differentiable]
    fn go(x: f64, n: usize) -> f64 {
        if n == 0 {
            return x;
        }
        let t = go(x * 0.5, n - 1);
        let g = |u: f64| go(u * t, n - 1);
        g(x) + ap(|u| go(u, n - 1) * t, x) + (0..2).map(|k| go(x + k as f64, n - 1)).sum::<f64>()
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0] * a, 3)
    }
}

/// Tuples in and out.
mod tuples {
    use cotangent::differentiable;
    #[differentiable]
    fn go(p: (f64, f64), q: &(f64, usize)) -> (f64, f64) {
        if q.1 == 0 {
            return (p.1, p.0);
        }
        let r = go((p.0 * q.0, p.1), &(q.0 + p.1, q.1 - 1));
        (r.0 + p.0, r.1 * p.1)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let r = go((x[0], a), &(x[1], 4));
        r.0 * r.1
    }
}

/// Lifetimes with names.
mod lifetimes {
    use cotangent::differentiable;
    #[differentiable]
    fn go<'a>(p: &'a [f64], q: &'a [f64], n: usize) -> f64 {
        if n == 0 || p.is_empty() || q.is_empty() {
            return 1.5;
        }
        go(q, &p[1..], n - 1) * p[0] + go(&q[..1], p, n - 1) * q[0]
    }
    #[differentiable]
    fn two<'a, 'b>(p: &'a [f64], q: &'b mut [f64], n: usize) -> f64
    where
        'a: 'b,
    {
        if n == 0 || p.is_empty() {
            return q[0];
        }
        q[0] *= p[0];
        let l = q.len();
        two(&p[1..], &mut q[l - 1..], n - 1) + q[0]
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut v = vec![a, x[0]];
        go(x, &x[2..], 3) + two(x, &mut v, 3) + v[1]
    }
}

/// Generic over the float.
mod generic_floats {
    use cotangent::differentiable;
    use num_traits::Float;
    #[differentiable]
    fn pow<T: Float>(x: T, n: u32) -> T {
        if n == 0 {
            T::one()
        } else if n % 2 == 0 {
            let h = pow(x, n / 2);
            h * h
        } else {
            x * pow(x, n - 1)
        }
    }
    #[differentiable]
    fn sum<T: Float>(x: &[T], w: T) -> T {
        if x.len() == 1 {
            return x[0] * w;
        }
        let m = x.len() / 2;
        sum(&x[..m], w) * w + sum(&x[m..], w * w)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        pow(x[0] * a, 7) + sum(x, a)
    }
}

/// A type parameter that is no float is handed on.
mod generic_models {
    use cotangent::differentiable;
    pub(crate) trait Model {
        fn k(&self) -> usize;
    }
    pub(crate) struct M;
    impl Model for M {
        fn k(&self) -> usize {
            2
        }
    }
    #[differentiable(wrt(x))]
    fn run<M: Model>(m: &M, x: f64, n: usize) -> f64 {
        if n == 0 { x.sin() } else { run(m, x * 0.9, n - 1) * x + m.k() as f64 * run(m, x, n / 2) }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        run(&M, x[0] * a, 3)
    }
}

/// A length that is a parameter.
mod lengths {
    use cotangent::differentiable;
    #[differentiable]
    fn det<const N: usize>(m: &[[f64; N]; N], row: usize, used: u32) -> f64 {
        if row == N {
            return 1.0;
        }
        let mut s = 0.0;
        let mut sign = 1.0;
        for j in 0..N {
            if used & (1 << j) == 0 {
                s += sign * m[row][j] * det(m, row + 1, used | (1 << j));
                sign = -sign;
            }
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let m = [[x[0], x[1], a], [x[2], a * a, x[3]], [x[4], 1.0, 2.0]];
        det(&m, 0, 0)
    }
}

/// Methods with the attribute, public and private ones, and one that changes what it is called on.
mod single_methods {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    pub(crate) struct S {
        w: Vec<f64>,
        b: f64,
    }
    impl S {
        #[differentiable]
        pub(crate) fn eval(&self, x: f64, n: usize) -> f64 {
            if n == 0 {
                return x * self.b;
            }
            let t = self.eval(x * self.w[n], n - 1);
            t + self.w[n - 1] * self.eval(t, n / 2)
        }
        #[differentiable]
        fn hidden(&self, x: f64, n: usize) -> f64 {
            if n == 0 {
                return x * self.b;
            }
            self.hidden(x * self.w[n], n - 1) + x
        }
        #[differentiable]
        pub(crate) fn up(&mut self, n: usize) -> f64 {
            if n == 0 {
                return self.b;
            }
            self.b *= self.w[n];
            let t = self.up(n - 1);
            self.w[0] += t;
            t * self.b
        }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let mut s = S { w: x.to_vec(), b: a };
        let u = s.up(3);
        s.eval(0.5, 4) + s.hidden(a, 3) + u
    }
}

/// The function itself, for another float.
mod other_arguments {
    use cotangent::differentiable;
    #[differentiable]
    fn poly<T: num_traits::Float>(x: T, n: u32) -> T {
        if n == 0 { x } else { poly(x * T::from(0.5).unwrap(), n - 1) + T::from(poly(1.5f32, 0)).unwrap() * x }
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        poly(x[0] * a, 3)
    }
}

/// Trees: what is called may be the function, and is not known to be.
mod trees {
    use cotangent::{Differentiable, differentiable};
    #[derive(Differentiable, Clone)]
    pub(crate) struct Tree {
        v: f64,
        kids: Vec<Tree>,
    }
    #[differentiable]
    impl Tree {
        fn sum(&self, x: f64) -> f64 {
            let mut s = self.v * x;
            for k in 0..self.kids.len() {
                s += self.kids[k].sum(x * self.v);
            }
            s
        }
    }
    #[differentiable]
    fn total(t: &Tree, x: f64) -> f64 {
        let mut s = t.v;
        for i in 0..t.kids.len() {
            s = s * x + total(&t.kids[i], s);
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        let t = Tree {
            v: x[0],
            kids: vec![Tree { v: x[1], kids: vec![] }, Tree { v: x[2], kids: vec![Tree { v: a, kids: vec![] }] }],
        };
        t.sum(a) + total(&t, a)
    }
}

/// In a loop that is run again.
mod in_a_loop_run_again {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, n: usize) -> f64 {
        if n == 0 {
            return x;
        }
        let mut s = x;
        #[checkpoint(steps = 2)]
        for k in 0..4 {
            s = s.sin() + go(s * 0.5, n - 1) * k as f64;
        }
        s
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0] * a, 2)
    }
}

/// In a block that is run again, and outside of it.
mod in_a_block_run_again {
    use cotangent::differentiable;
    #[differentiable]
    fn go(x: f64, n: usize) -> f64 {
        if n == 0 {
            return x;
        }
        let t = cotangent::checkpoint(|| {
            let u = go(x * 0.5, n - 1);
            u.sin() + go(u, n - 1)
        });
        t * x + go(t, n - 1)
    }
    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        go(x[0] * a, 3)
    }
}

agree! {
    in_a_loop_run_again
    in_a_block_run_again
    trees
    other_arguments
    single_methods
    lengths
    generic_models
    generic_floats
    lent_its_own
    parts
    changed_parts
    two_changed
    a_flag
    a_count
    an_option
    left_early
    owned
    arrays
    methods
    structs
    with_others
    swapped
    variables
    in_closures
    tuples
    lifetimes
}
