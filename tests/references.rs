//! References to locals: what is changed through them is changed.

use cotangent::differentiable;

#[differentiable]
fn by_pattern(x: f64, a: f64) -> f64 {
    let mut z = (a, x);
    let (ref mut p, _) = z;
    *p += 1.0;
    z.0 * z.1
}

#[differentiable]
fn shared(x: &[f64]) -> f64 {
    let r = x;
    let mut s = 0.0;
    if r.len() > 2 {
        let t = &r[1..];
        s += t[0] * t[0];
    }
    let k = &mut s;
    *k *= x[0];
    s
}

#[differentiable]
fn first_above(x: &[f64], a: f64) -> f64 {
    let first = match x.iter().position(|v| *v > 0.5) {
        Some(i) => x[i] * a,
        None => a,
    };
    let found = match x.iter().find(|v| **v > 0.8) {
        Some(v) => v * v,
        None => 0.0,
    };
    first + found
}

#[test]
fn through_a_pattern() {
    // (a + 1) x
    assert_eq!(by_pattern(3.0, 2.0), 9.0);
    assert_eq!(by_pattern_grad(3.0, 2.0), (3.0, 3.0));
}

#[test]
fn through_a_local() {
    // x0 x1²
    assert_eq!(shared_grad(&[2.0, 3.0, 5.0]), [9.0, 12.0, 0.0]);
}

#[test]
fn found_by_a_search() {
    // x1 a + x2²
    assert_eq!(first_above_grad(&[0.1, 0.7, 0.9], 2.0), (vec![0.0, 2.0, 1.8], 0.7));
}
