//! Changes through methods, patterns, closures and exchanges: gradients against central differences.

use cotangent::{check_grad, differentiable};

const POINTS: [([f64; 4], f64); 2] = [([0.7, -1.3, 2.1, 0.4], 0.83), ([1.21, 0.31, -0.62, 3.3], -1.37)];

#[differentiable]
fn parts_by_method(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    *v.last_mut().unwrap() *= a;
    if let Some(w) = v.get_mut(1) {
        *w += a;
    }
    v[0] * v[1] + v[3] * v[2]
}
#[differentiable]
fn swapped_items(x: &[f64], a: f64) -> f64 {
    let mut u = x.to_vec();
    let mut w = [a, x[1], 2.0, x[0] * a];
    for (p, q) in u.iter_mut().zip(w.iter_mut()) {
        std::mem::swap(p, q);
        *p *= a;
    }
    let mut s = 0.0;
    while let Some(t) = u.pop() {
        s = s * a + t;
    }
    s + w[0] * w[3]
}
#[differentiable]
fn array_by_reference(x: &[f64], a: f64) -> f64 {
    let mut w = [a, x[1]];
    let [p, q] = &mut w;
    *p += *q * a;
    *q *= *p;
    w[0] * w[1]
}
#[differentiable]
fn closure_on_places(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    let add = |t: &mut f64, k: f64| {
        *t += k * x[0];
    };
    add(&mut s, 2.0);
    let mut z = (s, x[2]);
    add(&mut z.1, s);
    z.0 * z.1
}
#[differentiable]
fn pairs_in_loops(x: &[f64], a: f64) -> f64 {
    let mut best = x[0];
    let mut prev = a;
    for &t in x {
        (best, prev) = if t > best { (t, best) } else { (best * a, prev + t) };
    }
    let m = x.iter().fold((a, 1.0), |(m, n), t| if *t > 0.5 { (m + t * n, n * t) } else { (m, n) });
    best * prev + m.0 * m.1
}

#[test]
fn parts_by_method_as_differences() {
    for (x, a) in POINTS {
        let (x_bar, a_bar) = parts_by_method_grad(&x, a);
        let at = |p: &(Vec<f64>, f64)| parts_by_method(&p.0, p.1);
        check_grad(at, &(x.to_vec(), a), &(x_bar, a_bar)).assert_within(1e-6);
    }
}

#[test]
fn swapped_items_as_differences() {
    for (x, a) in POINTS {
        let (x_bar, a_bar) = swapped_items_grad(&x, a);
        let at = |p: &(Vec<f64>, f64)| swapped_items(&p.0, p.1);
        check_grad(at, &(x.to_vec(), a), &(x_bar, a_bar)).assert_within(1e-6);
    }
}

#[test]
fn array_by_reference_as_differences() {
    for (x, a) in POINTS {
        let (x_bar, a_bar) = array_by_reference_grad(&x, a);
        let at = |p: &(Vec<f64>, f64)| array_by_reference(&p.0, p.1);
        check_grad(at, &(x.to_vec(), a), &(x_bar, a_bar)).assert_within(1e-6);
    }
}

#[test]
fn closure_on_places_as_differences() {
    for (x, a) in POINTS {
        let (x_bar, a_bar) = closure_on_places_grad(&x, a);
        let at = |p: &(Vec<f64>, f64)| closure_on_places(&p.0, p.1);
        check_grad(at, &(x.to_vec(), a), &(x_bar, a_bar)).assert_within(1e-6);
    }
}

#[test]
fn pairs_in_loops_as_differences() {
    for (x, a) in POINTS {
        let (x_bar, a_bar) = pairs_in_loops_grad(&x, a);
        let at = |p: &(Vec<f64>, f64)| pairs_in_loops(&p.0, p.1);
        check_grad(at, &(x.to_vec(), a), &(x_bar, a_bar)).assert_within(1e-6);
    }
}
