//! Calls between the functions of one block, whose bodies stand in for them.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cap::Cap;
use cotangent::differentiable;
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Names that the bodies see, and those that they must not see: `weight` and `n` are other things where they are called.
#[differentiable]
mod block {
    const OFFSET: f64 = 0.25;
    fn weight(k: usize) -> f64 {
        1.0 + k as f64
    }

    fn clamped(x: &[f64], i: usize) -> f64 {
        if i >= x.len() {
            return x[x.len() - 1] * OFFSET;
        }
        x[i] * weight(i)
    }

    /// Takes the loop variable of its caller as something else.
    fn sum_of(x: &[f64], n: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..n {
            if x[i] < -10.0 {
                continue;
            }
            s += clamped(x, i + 2);
        }
        s
    }

    fn step(u: &mut [f64], a: f64) {
        let last = u.len() - 1;
        for i in 1..last {
            u[i] += a * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
    }

    /// Changes what it is given, and returns something too.
    fn bump(u: &mut Vec<f64>, by: f64) -> f64 {
        u[0] += by;
        u.push(by * by);
        u[0] * by
    }

    fn scaled(mut v: Vec<f64>, by: f64) -> Vec<f64> {
        v.iter_mut().for_each(|x| *x *= by);
        v
    }

    fn polar((r, t): (f64, f64)) -> [f64; 2] {
        [r * t.cos(), r * t.sin()]
    }

    fn first_large(x: &[f64], least: f64) -> Option<f64> {
        for v in x {
            if *v > least {
                return Some(*v * least);
            }
        }
        None
    }

    fn count(n: u8) -> u8 {
        n.wrapping_mul(200)
    }

    fn shifted(k: u8, a: f64) -> f64 {
        (k.wrapping_mul(200)) as f64 * a
    }

    fn rec(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { 0.5 * rec(x.sin(), n - 1) + x }
    }

    pub(crate) fn lengths(x: &[f64], a: f64) -> f64 {
        let weight = a * a;
        let n = 3;
        sum_of(x, n) * weight + sum_of(&x[1..], 2)
    }

    pub(crate) fn stepped(x: &[f64], a: f64) -> f64 {
        let mut u = x.to_vec();
        for _ in 0..3 {
            step(&mut u, 0.1 * a);
        }
        step(&mut u[1..4], a);
        let (left, right) = u.split_at_mut(2);
        step(right, 0.3);
        left[0] * right[1] + u[3]
    }

    pub(crate) fn bumped(x: &[f64], a: f64) -> f64 {
        let mut u = x.to_vec();
        let s = bump(&mut u, a) + bump(&mut u, a * x[1]);
        s * u[0] + u[u.len() - 1]
    }

    pub(crate) fn moved(x: &[f64], a: f64) -> f64 {
        let v = scaled(x.to_vec(), a);
        let w = scaled(v.clone(), v[2]);
        let [p, q] = polar((w[0], v[1]));
        p * q + w[4]
    }

    pub(crate) fn optional(x: &[f64], a: f64) -> f64 {
        let Some(found) = first_large(x, a) else { return a };
        found + first_large(x, 100.0 * a).unwrap_or(a * 3.0)
    }

    pub(crate) fn integers(x: &[f64], a: f64) -> f64 {
        count(2) as f64 * a + shifted(2, x[0]) + shifted(3, a)
    }

    pub(crate) fn again(x: &[f64], a: f64) -> f64 {
        rec(x[0] * a, 4) + clamped(x, 7) + clamped(x, 0)
    }

    pub(crate) fn within_closures(x: &[f64], a: f64) -> f64 {
        let f = |t: f64| clamped(x, 1) * t + clamped(&[t, a], 1);
        x.iter().enumerate().map(|(i, v)| f(*v) * clamped(x, i)).sum::<f64>()
    }

    pub(crate) fn branches(x: &[f64], a: f64) -> f64 {
        let mut s = 0.0;
        for (i, v) in x.iter().enumerate() {
            s += if *v > 0.0 {
                clamped(x, i)
            } else {
                match first_large(x, *v) {
                    Some(w) if w > 0.1 => w * a,
                    Some(w) => w,
                    None => 0.0,
                }
            };
        }
        s
    }

    pub(crate) fn shadowed(x: &[f64], a: f64) -> f64 {
        let clamped = |v: f64| v * v * a;
        clamped(x[1]) + sum_of(x, 2)
    }
}

#[derive(cotangent::Differentiable)]
struct Table {
    knots: Vec<f64>,
}

#[differentiable]
impl Table {
    const LOW: f64 = 0.5;

    fn blend(p: f64, q: f64, t: f64) -> f64 {
        p * (1.0 - t) + q * t * Self::LOW
    }

    fn at(&self, x: &[f64], t: f64) -> f64 {
        let k = self.knots.len() - 1;
        Self::blend(x[0], x[k], t) + Self::blend(t, x[1], x[2])
    }
}

#[differentiable]
fn of_table(x: &[f64], a: f64) -> f64 {
    let table = Table { knots: vec![0.0; 3] };
    table.at(x, a)
}

/// Names that stand for something else where the calls are: there the calls remain calls.
#[differentiable]
mod hidden {
    const FACTOR: f64 = 2.0;
    const N: usize = 3;

    fn scaled(t: f64) -> f64 {
        t * t * FACTOR
    }

    fn powered(t: f64) -> f64 {
        let mut p = 1.0;
        for _ in 0..N {
            p *= t;
        }
        p
    }

    fn weight(k: usize) -> f64 {
        k as f64
    }

    fn weighted(t: f64) -> f64 {
        t * t * weight(3)
    }

    pub(crate) mod other {
        pub(crate) fn scaled(t: f64) -> f64 {
            t.sin()
        }
    }

    pub(crate) fn by_import(x: &[f64], a: f64) -> f64 {
        use other::scaled;
        scaled(x[0]) * a
    }

    pub(crate) fn by_new_name(x: &[f64], a: f64) -> f64 {
        use other::scaled as powered;
        powered(x[0]) * scaled(a)
    }

    pub(crate) fn by_constant(x: &[f64], a: f64) -> f64 {
        const FACTOR: f64 = 100.0;
        scaled(x[0]) * FACTOR * a
    }

    fn generic<const N: usize>(x: [f64; N]) -> f64 {
        x.iter().map(|v| powered(*v)).sum()
    }

    pub(crate) fn by_generics(x: &[f64], a: f64) -> f64 {
        generic([x[0], a]) + generic([a])
    }

    fn with(weight: impl Fn(usize) -> f64, t: f64) -> f64 {
        weighted(t) * weight(2)
    }

    pub(crate) fn by_parameter(x: &[f64], a: f64) -> f64 {
        with(|k| x[k] * a, a)
    }
}

use block::*;
use hidden::*;

checked! {
    lengths lengths_value_and_grad lengths_jvp;
    stepped stepped_value_and_grad stepped_jvp;
    bumped bumped_value_and_grad bumped_jvp;
    moved moved_value_and_grad moved_jvp;
    optional optional_value_and_grad optional_jvp;
    integers integers_value_and_grad integers_jvp;
    again again_value_and_grad again_jvp;
    within_closures within_closures_value_and_grad within_closures_jvp;
    branches branches_value_and_grad branches_jvp;
    shadowed shadowed_value_and_grad shadowed_jvp;
    of_table of_table_value_and_grad of_table_jvp;
    by_import by_import_value_and_grad by_import_jvp;
    by_new_name by_new_name_value_and_grad by_new_name_jvp;
    by_constant by_constant_value_and_grad by_constant_jvp;
    by_generics by_generics_value_and_grad by_generics_jvp;
    by_parameter by_parameter_value_and_grad by_parameter_jvp;
}

/// A function that reads two elements of a long slice, called once for each of them.
#[differentiable]
mod table {
    fn between(x: &[f64], t: f64) -> f64 {
        let i = t as usize;
        let part = t - i as f64;
        x[i] * (1.0 - part) + x[i + 1] * part
    }

    pub(crate) fn path(x: &[f64], scale: f64) -> f64 {
        let mut s = 0.0;
        for k in 0..x.len() - 2 {
            s += between(x, k as f64 + 0.5 * scale).powi(2);
        }
        s
    }
}

#[test]
fn the_cotangent_of_a_slice_is_made_once() {
    let x: Vec<f64> = (0..4000).map(|i| (i as f64).cos()).collect();
    let before = ALLOCATOR.total_allocated();
    let (gradient, _) = table::path_grad(&x, 1.0);
    let bytes = ALLOCATOR.total_allocated() - before;
    // at scale 1 each term is ((x[k] + x[k+1]) / 2)²
    let exact = 0.5 * (x[7] + x[8]) + 0.5 * (x[8] + x[9]);
    assert!((gradient[8] - exact).abs() < 1e-14);
    assert!(bytes < 10 * 8 * 4000, "{bytes}");
}
