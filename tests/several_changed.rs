//! Calls that change several arguments, of which one may only be read: a right-hand side that fills a buffer.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::{Differentiable, differentiable};
use ndarray::{Array1, Array2};

#[derive(Clone, Differentiable)]
struct Counted {
    k: Vec<f64>,
    calls: usize,
}
#[differentiable]
impl Counted {
    fn rhs(&self, t: f64, y: &[f64], dy: &mut [f64]) {
        for i in 0..y.len() {
            dy[i] = -self.k[i] * y[i] + t;
        }
    }
    fn rhs_counted(&mut self, y: &[f64], dy: &mut [f64]) {
        self.calls += 1;
        for i in 0..y.len() {
            dy[i] = -self.k[i] * y[i];
        }
    }
    fn grow(&mut self, by: f64) {
        self.k[0] *= by;
    }
}

#[derive(Clone, Differentiable)]
struct Every {
    k: Vec<f64>,
}
#[differentiable]
impl Every {
    fn rhs(&self, t: f64, y: &[f64; 4], dy: &mut [f64; 4]) {
        for i in 0..4 {
            dy[i] = -self.k[i] * y[i] + t;
        }
    }
    fn both(&self, y: &[f64], dy: &mut [f64], e: &mut f64) {
        for i in 0..4 {
            dy[i] = -self.k[i] * y[i];
        }
        *e += self.k[0] * y[1];
    }
    fn noisy(&mut self, dy: &mut [f64], e: &mut f64) {
        for d in dy.iter_mut() {
            *d += *e * self.k[1];
        }
        self.k[1] *= 0.9;
        *e *= self.k[2];
    }
    fn gives(&self, dy: &mut [f64]) -> f64 {
        dy[0] *= self.k[3];
        dy[0] + dy[1]
    }
    fn counts(&mut self, dy: &mut [f64]) -> usize {
        dy[1] *= self.k[3];
        self.k[3] += 0.1;
        dy.len()
    }
    fn gives_all(&mut self, dy: &mut [f64]) -> f64 {
        dy[1] *= self.k[3];
        self.k[3] += 0.1;
        dy[0]
    }
    fn reads_pair(&self, p: &mut (f64, f64)) {
        *p = (p.1 * self.k[0], p.0 + self.k[1]);
    }
    fn by_value(self, dy: &mut [f64]) {
        dy[0] += self.k[0];
    }
}

#[derive(Clone, Differentiable)]
struct A {
    k: f64,
}
#[derive(Clone, Differentiable)]
struct B {
    k: f64,
}
#[differentiable]
impl A {
    fn give(&mut self, o: &mut B, m: f64) {
        self.k -= m;
        o.k += m * self.k;
    }
    fn show(&self, o: &mut B) -> f64 {
        o.k *= self.k;
        o.k + 1.0
    }
    fn see(&self, o: &mut B) {
        o.k *= self.k;
    }
}

#[derive(Clone, Differentiable)]
struct Net {
    w: Array2<f64>,
    n: usize,
}
#[differentiable]
impl Net {
    fn forward(&self, y: &Array1<f64>, out: &mut Array1<f64>) {
        *out = self.w.dot(y).mapv(f64::tanh);
    }
    fn train(&mut self, y: &Array1<f64>, out: &mut Array1<f64>) {
        *out += &self.w.dot(y);
        self.w *= 0.5;
        self.n += 1;
    }
}

#[differentiable]
trait Field {
    fn eval(&self, p: &[f64], out: &mut Vec<f64>);
}
#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
    b: f64,
}
#[differentiable]
impl Field for Spring {
    fn eval(&self, p: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for v in p {
            out.push(-self.k * v * self.k);
        }
    }
}

bodies! {
    right_hand_sides(x): {
    let mut sys = Counted { k: x.to_vec(), calls: 0 };
    let mut y = vec![1.0; 4];
    let mut dy = vec![0.0; 4];
    for s in 0..5 {
        sys.rhs(0.1 * s as f64, &y, &mut dy);
        for i in 0..4 { y[i] += 0.1 * dy[i]; }
        sys.grow(1.0 + x[1] * 0.1);
        sys.rhs_counted(&y, &mut dy);
        for i in 0..4 { y[i] += 0.1 * dy[i]; }
    }
    y.iter().sum::<f64>() * sys.calls as f64
    }
    every_kind(x): {
    let mut sys = Every { k: x.to_vec() };
    let mut y = [1.0; 4];
    let mut dy = [0.0; 4];
    let mut e = 0.5;
    let mut p = (x[0], x[1]);
    for s in 0..3 {
        sys.rhs(0.1 * s as f64, &y, &mut dy);
        for i in 0..4 { y[i] += 0.1 * dy[i]; }
        sys.both(&y, &mut dy, &mut e);
        sys.noisy(&mut dy, &mut e);
        sys.gives(&mut dy);
        sys.counts(&mut y);
        sys.gives_all(&mut dy);
        sys.k[2] += 0.01 * dy[1];
        sys.reads_pair(&mut p);
        for i in 0..4 { y[i] += 0.1 * dy[i]; }
    }
    sys.k[0] *= x[3];
    let mut v = dy.to_vec();
    sys.clone().by_value(&mut v);
    y.iter().sum::<f64>() + e * dy[0] + p.0 * p.1 + v[0]
    }
    two_of_the_users_types(x): {
    let mut a = A { k: x[0] };
    let mut b = B { k: x[1] };
    a.give(&mut b, x[2]);
    let r = a.show(&mut b);
    a.see(&mut b);
    a.k *= x[3];
    a.see(&mut b);
    r + a.k * b.k
    }
    arrays(x): {
    let mut net = Net { w: Array2::from_shape_fn((2, 2), |(i, j)| x[i] * x[j + 2]), n: 0 };
    let mut out = Array1::zeros(2);
    let y = Array1::from(vec![x[0], 1.0]);
    net.forward(&y, &mut out);
    net.train(&y, &mut out);
    let z = out.clone();
    net.forward(&z, &mut out);
    out.sum() * net.n as f64 + z[0]
    }
    of_a_trait(x): {
    let mut s = Spring { k: x[0], b: x[1] };
    let mut out = Vec::new();
    let mut p = x.to_vec();
    for i in 0..3 {
        if i % 2 == 0 { s.eval(&p, &mut out); } else { s.k += p[0]; }
        p = p.iter().zip(&out).map(|(a, b)| a + 0.1 * b).collect();
    }
    p.iter().product()
    }
}

mod by_name {
    use super::*;

    #[differentiable]
    fn rhs(t: f64, y: &[f64], k: f64, out: &mut [f64]) {
        for i in 0..y.len() {
            out[i] = -k * y[i] + t;
        }
    }
    #[differentiable]
    fn step(t: f64, y: &mut [f64], k: f64, h: f64) {
        let mut k1 = vec![0.0; y.len()];
        rhs(t, y, k, &mut k1);
        for i in 0..y.len() {
            y[i] += h * k1[i];
        }
        rhs(t + h, y, k, &mut k1);
        for i in 0..y.len() {
            y[i] += h * k1[i];
        }
    }

    bodies! {
        by_name(x): {
    let mut y = x.to_vec();
    for s in 0..4 { step(0.1 * s as f64, &mut y, x[0], 0.1); }
    y[0] * y[1] + y[3]
        }
    }
}

mod two_others {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct State {
        p: f64,
        v: f64,
    }
    #[differentiable]
    fn look(k: f64, a: &mut f64, s: &State, b: &mut Vec<f64>) {
        *a += k * s.p;
        b.push(s.v * *a);
    }
    #[differentiable]
    fn touch(k: f64, a: &mut f64, s: &mut State, b: &mut Vec<f64>) {
        *a += k * s.p;
        s.v *= *a;
        b.push(s.v);
    }
    #[differentiable]
    fn count(s: &State, a: &mut f64, u: usize) -> usize {
        *a *= s.p;
        u + 1
    }
    #[differentiable]
    fn step(s: &mut State, k: f64, work: &mut f64, log: &mut Vec<f64>) {
        touch(k, work, s, log);
        let mut w = 0.5;
        let mut l2 = vec![0.1];
        look(k, &mut w, s, &mut l2);
        touch(k, &mut w, s, &mut l2);
        log.push(l2[1] * l2[2]);
        count(s, &mut w, 1);
        *work += w;
    }

    bodies! {
        two_others(x): {
    let mut s = State { p: x[0], v: x[1] };
    let mut w = 0.3;
    let mut log = vec![];
    for _ in 0..3 { step(&mut s, x[2], &mut w, &mut log); s.p += 0.1 * w; }
    s.p * s.v + w * x[3] + log.iter().sum::<f64>()
        }
    }
}

mod methods_by_name {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Sys {
        k: f64,
    }
    #[differentiable]
    impl Sys {
        fn rhs(&self, t: f64, y: &[f64], out: &mut [f64]) {
            for i in 0..y.len() {
                out[i] = -self.k * y[i] + t;
            }
        }
        fn scale(&self, y: &mut [f64], by: &mut f64) {
            for v in y.iter_mut() {
                *v *= *by;
            }
            *by += self.k;
        }
        fn step(&self, t: f64, y: &mut [f64], k: &mut Vec<f64>) {
            let mut k1 = vec![0.0; 4];
            self.rhs(t, y, &mut k1);
            k.copy_from_slice(&k1);
            for i in 0..y.len() {
                y[i] += 0.1 * k[i];
            }
            let mut c = 0.9 * y[1];
            self.scale(y, &mut c);
            let mut tmp = vec![0.0; y.len()];
            self.rhs(c, y, &mut tmp);
            for i in 0..y.len() {
                y[i] += 0.1 * tmp[i];
            }
        }
    }
    #[differentiable]
    fn solve(sys: &Sys, y: &mut Vec<f64>, n: usize) {
        let mut k = vec![0.0; 4];
        for s in 0..n {
            sys.step(0.1 * s as f64, y, &mut k);
            sys.rhs(0.0, y, &mut k);
            y[0] += k[1];
        }
    }

    bodies! {
        methods_by_name(x): {
    let sys = Sys { k: x[0] };
    let mut y = x.to_vec();
    solve(&sys, &mut y, 3);
    y.iter().sum::<f64>() * y[0]
        }
    }
}

mod arrays_by_name {
    use super::*;

    #[differentiable]
    fn of_arrays(y: &[f64; 4], k: &mut [f64; 4]) {
        for i in 0..4 {
            k[i] = y[(i + 1) % 4] * y[i] - y[i];
        }
    }
    #[differentiable]
    fn of_slices(y: &[f64], k: &mut [f64]) {
        for i in 0..4 {
            k[i] += y[(i + 1) % 4] * y[i];
        }
    }
    #[differentiable]
    fn exchange(y: &mut [f64; 4], k: &mut [f64]) {
        y.swap_with_slice(k);
        y[0] *= k[1];
    }
    #[differentiable]
    fn step(y: &mut [f64; 4], h: f64) {
        let mut k = [0.0; 4];
        of_arrays(y, &mut k);
        of_slices(y, &mut k);
        for i in 0..4 {
            y[i] += h * k[i];
        }
        exchange(y, &mut k);
        for i in 0..4 {
            y[i] += h * k[i];
        }
    }

    bodies! {
        arrays_by_name(x): {
    let mut y = [x[0], x[1], x[2], x[3]];
    for _ in 0..3 { step(&mut y, 0.1 * x[0]); }
    y.iter().map(|v| v * v).sum()
        }
    }
}
