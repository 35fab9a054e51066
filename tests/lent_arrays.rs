//! Arrays that are lent to functions, which take them as slices or arrays, with a derivative or without.

mod bodies;

use cotangent::{Differentiable, differentiable};

#[differentiable(wrt(t))]
fn curve(xs: &[f64], t: f64) -> f64 {
    xs[0] * t + xs[1] * t * t
}

#[differentiable(wrt(t))]
fn curve_of_three(xs: &[f64; 3], t: f64) -> f64 {
    xs[0] * t + xs[1] * t * t
}

#[differentiable]
fn both(xs: &[f64], ys: &[f64; 3], t: f64) -> f64 {
    xs[0] * t * ys[1] + xs[1] * t * t
}

#[differentiable(wrt(ys))]
fn mixed(xs: &[f64], ys: &[f64; 3], t: f64) -> f64 {
    xs[0] * t * ys[1] + xs[1] * t * t
}

#[differentiable(wrt(t))]
fn rows(m: &[[f64; 2]], t: f64) -> f64 {
    m.iter().map(|r| r[0] * t + r[1]).sum::<f64>()
}

#[differentiable(wrt(t))]
fn pairs(m: &[(f64, f64)], t: f64) -> f64 {
    m.iter().map(|(a, b)| (a * t - b).powi(2)).sum::<f64>()
}

#[differentiable(wrt(acc))]
fn grow(acc: &mut f64, xs: &[f64]) {
    *acc = *acc * xs[0] + *acc;
}

#[differentiable(wrt(acc))]
fn scale_first(acc: &mut [f64], xs: &[f64; 2]) -> f64 {
    acc[0] *= xs[0];
    acc[0] * xs[1]
}

#[differentiable(wrt(t))]
fn iterated(xs: &[f64], t: f64, n: usize) -> f64 {
    if n == 0 {
        t
    } else {
        let k = [1.0, 0.5];
        xs[n % 2] * iterated(&k, t * t, n - 1)
    }
}

const TABLE: [f64; 3] = [0.5, 1.5, 2.5];
static STATIC: [f64; 3] = [0.5, 1.5, 2.5];

#[derive(Clone, Differentiable)]
struct Line {
    k: f64,
    w: [f64; 3],
}

#[differentiable]
impl Line {
    fn at(&self, xs: &[f64]) -> f64 {
        self.k * xs[0] + xs[1] * self.w[1]
    }
}
impl Line {
    #[differentiable(wrt(self))]
    fn only(&self, xs: &[f64]) -> f64 {
        self.k * xs[0] + xs[1] * self.w[1]
    }
    #[differentiable(wrt(self))]
    fn scale(&mut self, xs: &[f64; 2]) -> f64 {
        self.k *= xs[0];
        self.w[0] += self.k * xs[1];
        self.w[0]
    }
}

#[differentiable]
trait Times {
    fn times(&self, xs: &[f64], t: f64) -> f64;
}

#[differentiable]
impl Times for Line {
    fn times(&self, xs: &[f64], t: f64) -> f64 {
        self.k * xs[0] * t
    }
}

#[differentiable(wrt(t))]
fn last_times<const N: usize>(xs: &[f64; N], t: f64) -> f64 {
    xs[N - 1] * t
}

bodies! {
    tables(x): {
        let k = [1.0, 2.0];
        curve(&k, x[0]) * curve(&[0.5, 0.2], x[2])
    }
    arrays(x): {
        let k = [1.0, 2.0, 3.0];
        curve_of_three(&k, x[0]) * curve_of_three(&[0.5, 0.1, 2.0], x[2])
    }
    both_kinds(x): {
        let k = [1.0, 2.0, 3.0];
        both(&k, &k, x[0]) * both(&[0.5, 0.1], &[0.2, x[1], 0.3], x[2])
    }
    with_and_without(x): {
        let k = [1.0, 2.0, 3.0];
        mixed(&k, &k, 0.5) + mixed(&k, &[0.2, x[1], x[0]], x[2].abs().floor())
    }
    rows_of_arrays(x): {
        let m = [[1.0, 2.0], [0.5, 0.3]];
        rows(&m, x[0]) * rows(&m[..1], x[1])
    }
    rows_of_pairs(x): {
        let d = [(1.0, 2.0), (0.5, 0.3)];
        pairs(&d, x[0]) * pairs(&d[1..], x[1])
    }
    beside_what_changes(x): {
        let mut a = x[0];
        let k = [2.0];
        grow(&mut a, &k);
        grow(&mut a, &[1.5, 2.0]);
        a * x[1]
    }
    beside_a_vector_that_changes(x): {
        let mut a = x.to_vec();
        let k = [2.0, 0.3];
        let y = scale_first(&mut a, &k);
        y * a[0] + scale_first(&mut a, &[0.1, 0.2])
    }
    recursive(x): {
        iterated(&[1.5, 2.0], x[0], 3) + iterated(&[0.3, 0.4], x[1] * 0.5, 2)
    }
    constants(x): {
        curve(&TABLE, x[0]) + curve_of_three(&TABLE, x[1]) * curve(&STATIC, x[2]) + both(&TABLE, &STATIC, x[3])
    }
    methods(x): {
        let s = Line { k: x[0], w: [x[1], x[2], 1.0] };
        let t = [1.0, 2.0];
        s.at(&t) * s.only(&t) + s.at(&[x[3], 1.0])
    }
    methods_that_change(x): {
        let mut s = Line { k: x[0], w: [x[1], x[2], 1.0] };
        let t = [1.0, 2.0];
        let a = s.scale(&t);
        a * s.scale(&[0.5, 0.2]) + s.w[0] * s.k
    }
    methods_of_traits(x): {
        let s = Line { k: x[0], w: [x[1], x[2], 1.0] };
        let t = [1.0, 2.0];
        s.times(&t, x[1]) + s.times(&[x[2], 0.1], 2.0)
    }
    of_any_length(x): {
        let t = [1.0, 2.0];
        last_times(&t, x[0]) * last_times(&[0.1, 0.2, 0.3], x[1])
    }
    in_closures(x): {
        let t = [1.0, 2.0];
        let f = |v: f64| curve(&t, v);
        f(x[0]) * f(x[1]) + x.iter().map(|v| curve(&t, *v)).sum::<f64>()
    }
    parts(x): {
        let t = [[1.0, 2.0], [0.3, 0.4]];
        let mut s = 0.0;
        for (r, v) in t.iter().zip(x) {
            s += curve(r, *v);
        }
        s + curve(&t[0], x[3])
    }
    that_change(x): {
        let mut t = [1.0, 2.0];
        let mut s = x[0];
        for k in 0..3 {
            t[k % 2] += 0.5;
            s = curve(&t, s * 0.3);
        }
        s
    }
    that_change_and_differ(x): {
        let mut t = [x[0], 2.0];
        let mut s = x[0];
        for k in 0..3 {
            t[k % 2] += x[1];
            s += both(&t, &[0.1, t[1], 0.2], s * 0.3);
        }
        s
    }
    made_by_a_function(x): {
        let t = std::array::from_fn::<f64, 3, _>(|k| k as f64 + 0.5);
        curve_of_three(&t, x[0]) * curve(&t, x[1])
    }
    in_tuples(x): {
        let p = ([1.0, 2.0], x[0]);
        curve(&p.0, p.1) + curve(&p.0, x[1])
    }
    in_branches(x): {
        let t = [0.5; 3];
        if x[0] > 0.0 { curve_of_three(&t, x[0]) } else { curve(&t, x[1]) }
    }
    that_vary(x): {
        let w: [f64; 3] = [x[0], x[1], x[2]];
        both(&w, &w, x[1])
    }
}
