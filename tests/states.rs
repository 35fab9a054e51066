//! Closures that change what they capture, handed to functions: `impl FnMut`, `F: FnMut`, `&mut dyn FnMut`, `FnOnce`.
//!
//! Derivatives are compared with central differences of the function itself, forward with reverse.

#![allow(clippy::needless_range_loop, clippy::ptr_arg, clippy::redundant_closure)]

mod checked;

use cotangent::{Differentiable, differentiable};

// ---- functions that are handed such closures

/// Nothing but calls.
#[differentiable]
fn pairs(n: usize, mut visit: impl FnMut(usize, usize)) {
    for i in 0..n {
        for j in 0..i {
            visit(i, j);
        }
    }
}

#[differentiable]
fn iterated(x: f64, n: usize, mut map: impl FnMut(f64) -> f64) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = map(y) * 0.5 + 0.1;
    }
    y
}

#[differentiable]
fn by_bound<F: FnMut(f64) -> f64>(x: f64, n: usize, mut map: F) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = map(y) * 0.5 + 0.1;
    }
    y
}

#[differentiable]
fn by_object(x: f64, n: usize, map: &mut dyn FnMut(f64) -> f64) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = map(y) * 0.5 + 0.1;
    }
    y
}

/// An integration with somebody who watches.
#[differentiable]
fn euler(start: f64, rate: f64, steps: usize, mut seen: impl FnMut(f64, f64)) -> f64 {
    let (mut t, mut y) = (0.0, start);
    for _ in 0..steps {
        seen(t, y);
        y += 0.1 * (rate * y - y * y);
        t += 0.1;
    }
    seen(t, y);
    y
}

#[differentiable]
fn ode(mut rhs: impl FnMut(f64, &[f64], &mut [f64]), y: &mut [f64], n: usize) {
    let mut d = vec![0.0; y.len()];
    for k in 0..n {
        rhs(k as f64 * 0.1, y, &mut d);
        for i in 0..y.len() {
            y[i] += 0.1 * d[i];
        }
    }
}

/// What the calls give is not used.
#[differentiable]
fn ignoring(mut map: impl FnMut(f64) -> f64, x: f64) -> f64 {
    let _ = map(x);
    map(2.0 * x);
    x.sin()
}

#[differentiable]
fn in_turn(mut f: impl FnMut(f64) -> f64, mut g: impl FnMut(f64) -> f64, x: f64) -> f64 {
    let mut y = x;
    for _ in 0..3 {
        y = f(y) + g(x) * 0.5;
        g(y);
    }
    y
}

#[differentiable]
fn on_condition(x: f64, mut map: impl FnMut(f64) -> f64) -> f64 {
    let mut y = x;
    let mut n = 0;
    while map(y) < 3.0 && n < 6 {
        y += if n % 2 == 0 && map(0.5 * y) > 0.3 { 0.3 } else { 0.1 };
        n += 1;
    }
    y
}

#[differentiable]
fn once(f: impl FnOnce(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

#[differentiable]
fn until_none(n: usize, mut next: impl FnMut(usize) -> Option<f64>) -> f64 {
    let mut y = 1.0;
    for i in 0..n {
        match next(i) {
            Some(v) => y *= v + 1.0,
            None => break,
        }
    }
    y
}

/// How many calls give more than one: no derivative, but a state.
#[differentiable]
fn count(n: usize, mut measure: impl FnMut(usize) -> f64) -> usize {
    let mut k = 0;
    for i in 0..n {
        if measure(i) > 1.0 {
            k += 1;
        }
    }
    k
}

// ---- functions that hand them on

#[differentiable]
fn handing_on(x: f64, mut map: impl FnMut(f64) -> f64) -> f64 {
    let a = iterated(x, 2, &mut map);
    let b = map(a);
    let c = iterated(b, 3, |t| map(t) * 0.5 + a);
    c + iterated(x, 2, map)
}

#[differentiable]
fn walk(n: usize, x: f64, map: &mut dyn FnMut(f64) -> f64) -> f64 {
    if n == 0 {
        return x;
    }
    let y = map(x) + 0.1;
    let z = walk(n - 1, y, map);
    z + map(z)
}

#[derive(Clone, Differentiable)]
struct Tree {
    leaves: Vec<f64>,
    branches: Vec<Tree>,
}

#[differentiable]
impl Tree {
    fn visit(&self, depth: f64, leaf: &mut impl FnMut(f64, f64)) {
        for v in &self.leaves {
            leaf(*v, depth);
        }
        for k in 0..self.branches.len() {
            self.branches[k].visit(depth + 1.0, leaf);
        }
    }
}

// ---- what is changed

#[differentiable]
fn sums(x: &[f64], a: f64) -> f64 {
    let mut energy = 0.0;
    pairs(x.len(), |i, j| energy += x[i] * x[j] * (x[i] - x[j]).cos() * a);
    energy
}

#[differentiable]
fn used_after(x: &[f64], a: f64) -> f64 {
    let mut e = a;
    pairs(3, |i, j| e += 0.1 * x[i] * x[j] * e);
    let mut k = e * x[1];
    pairs(3, |i, j| k *= 0.3 * (x[i] + x[j]) + 2.0);
    k * e
}

#[differentiable]
fn vectors(x: &[f64], a: f64) -> f64 {
    let mut e = vec![a; x.len()];
    let mut all = Vec::new();
    pairs(x.len(), |i, j| {
        let w = x[i] * x[j];
        e[i] += w * e[j] + x[j];
        e[j] -= w;
        all.push(w * e[i]);
    });
    e.iter().chain(&all).map(|v| v.sin()).sum()
}

#[differentiable]
fn several(x: &[f64], a: f64) -> f64 {
    let (mut s, mut p, mut n) = (0.0, (1.0, a), 0);
    pairs(4, |i, j| {
        n += 1;
        s += x[i] * p.0;
        p.0 *= 1.0 + 0.1 * x[j] * s;
        p.1 = p.0 * a + n as f64;
    });
    s * p.0 + p.1 * n as f64
}

#[differentiable]
fn only_counted(x: &[f64], a: f64) -> f64 {
    let mut n = 0;
    pairs(x.len(), |_, _| n += 1);
    x[0] * a * n as f64
}

#[differentiable]
fn generators(x: &[f64], a: f64) -> f64 {
    let mut seed = 12345_u64;
    let mut log = Vec::new();
    let y = iterated(x[0], 4, |v| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
        log.push(format!("{v}"));
        v * a * (seed >> 60) as f64 * 0.1
    });
    y * log.len() as f64
}

fn next(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
    (*seed >> 60) as f64 * 0.1
}

#[differentiable]
fn generators_by_reference(x: &[f64], a: f64) -> f64 {
    let mut seed = 12345_u64;
    let y = iterated(x[0], 4, |v| v * a * next(&mut seed));
    y * next(&mut seed)
}

#[differentiable]
fn fixed_size(x: &[f64], a: f64) -> f64 {
    let mut m = [[0.1; 2]; 3];
    let mut k = 0;
    let y = iterated(x[1], 4, |v| {
        m[k % 3][k % 2] += v * a;
        k += 1;
        m[0][0] + m[1][1]
    });
    y * m[2][0] + m[1][1] * k as f64
}

#[derive(Clone, Differentiable)]
struct Total {
    sum: f64,
    parts: Vec<f64>,
}

#[differentiable]
impl Total {
    fn add(&mut self, v: f64) {
        self.sum += v * self.sum;
        self.parts.push(v * self.sum);
    }

    fn take(&mut self, x: &[f64]) {
        pairs(3, |i, j| {
            self.sum += x[i] * self.parts[j];
            self.parts[i] = self.sum;
        });
    }
}

#[differentiable]
fn structs(x: &[f64], a: f64) -> f64 {
    let mut t = Total { sum: a, parts: vec![0.5; 3] };
    t.take(x);
    pairs(3, |i, j| t.add(0.3 * x[i] * x[j]));
    pairs(2, |i, j| {
        t.sum += x[i] * t.parts[j];
    });
    t.sum + t.parts.iter().sum::<f64>()
}

#[differentiable]
fn options(x: &[f64], a: f64) -> f64 {
    let mut before = None;
    let mut s = 0.0;
    euler(x[0], a, 5, |t: f64, y: f64| {
        if let Some(p) = before {
            s += (y - p) * x[2] + t;
        }
        before = Some(y);
    });
    s * before.unwrap_or(0.0)
}

#[differentiable]
fn rows(x: &[f64], a: f64) -> f64 {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut boxed = Box::new(a);
    let y = iterated(x[1], 3, |v| {
        *boxed += v;
        rows.push(vec![v, v * x[0]]);
        rows.len() as f64 * *boxed * 0.1
    });
    y + rows.iter().map(|r| r[0] * r[1]).sum::<f64>() * *boxed
}

#[differentiable]
fn into_slice(x: &[f64], out: &mut [f64]) {
    pairs(out.len(), |i, j| out[i] += x[i] * x[j]);
}

#[differentiable]
fn into_vector(x: &[f64], out: &mut Vec<f64>) {
    pairs(3, |i, j| out.push(x[i] * x[j]))
}

#[differentiable]
fn into_number(x: &[f64], out: &mut f64) {
    pairs(3, |i, j| *out += 0.1 * x[i] * x[j] * *out);
}

#[differentiable]
fn parameters(x: &[f64], a: f64) -> f64 {
    let (mut slice, mut vector, mut number) = (x.to_vec(), vec![a], a);
    into_slice(x, &mut slice);
    into_vector(x, &mut vector);
    into_number(x, &mut number);
    let mut grid = vec![vec![0.0; 4]; 2];
    let row = &mut grid[1];
    pairs(4, |i, j| row[i] += x[i] * x[j] * number);
    slice.iter().chain(&vector).chain(&grid[1]).map(|v| v.cos()).sum()
}

// ---- how it is handed over

#[differentiable]
fn by_name(x: &[f64], a: f64) -> f64 {
    let mut s = 0.0;
    let mut add = |v: f64| {
        s += v * a;
        s
    };
    let p = iterated(x[1], 3, &mut add);
    let q = by_object(p, 2, &mut add);
    let r = add(q);
    p * q + r * s
}

#[differentiable]
fn moved(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    let mut history = x.to_vec();
    let mut add = move |v: f64| {
        s += v * 0.5;
        history.push(s);
        history.iter().sum::<f64>() * 0.1
    };
    let p = by_bound(x[1], 3, &mut add);
    p * by_bound(x[2], 3, &mut add) + s
}

#[differentiable]
fn called_once(x: &[f64], a: f64) -> f64 {
    let mut s = x[0];
    let y = once(
        |v| {
            s *= v;
            s + a
        },
        x[2],
    );
    let v = x.to_vec();
    y * s
        + once(
            move |t| {
                let mut v = v;
                v[0] *= t;
                v.iter().sum()
            },
            a,
        )
}

#[differentiable]
fn chosen(x: &[f64], a: f64) -> f64 {
    let (mut p, mut q) = (0.1, 0.2);
    let mut f = |v: f64| {
        p += v * a;
        p
    };
    let mut g = |v: f64| {
        q *= v * x[1];
        q
    };
    let mut y = x[0];
    for k in 0..4 {
        let h: &mut dyn FnMut(f64) -> f64 = if k % 2 == 0 { &mut f } else { &mut g };
        y = by_object(y, 2, h);
    }
    y * p + q
}

#[differentiable]
fn nested(x: &[f64], a: f64) -> f64 {
    let (mut s, mut t) = (0.5, 1.0);
    let y = iterated(x[1], 3, |v| {
        s += v * a;
        let z = iterated(v * s, 2, |u| {
            t += u * s * 0.1;
            s *= 0.9;
            t.sin()
        });
        z + t
    });
    y * s + t
}

#[differentiable]
fn in_loops(x: &[f64], a: f64) -> f64 {
    let mut s = 0.1;
    let mut y = x[0];
    let mut n = 0;
    while n < 4 {
        let mut own = a;
        y = iterated(y, n, |v| {
            own += v;
            s += v * 0.3;
            (s * own).cos()
        });
        n += 1;
        if y > 3.0 {
            break;
        }
        y += own * 0.1;
    }
    x.iter().for_each(|v| pairs(2, |i, j| s += 0.1 * v * x[i] * x[j] * s));
    y * s
}

#[differentiable]
fn run_again(x: &[f64], a: f64) -> f64 {
    let mut s = 0.1;
    let mut y = x[0];
    #[checkpoint(steps = 2)]
    for _ in 0..6 {
        y = iterated(y, 2, |v| {
            s += v * a * 0.1;
            s.sin()
        });
    }
    y * s
}

#[differentiable]
fn at_once(x: &[f64], a: f64) -> f64 {
    let (mut p, mut q) = (a, 0.0);
    let y = in_turn(
        |v| {
            p += v * 0.1;
            p.cos()
        },
        |v| {
            q += v * x[1];
            q * 0.2
        },
        x[2],
    );
    y + p * q
}

// ---- what the functions do with it

#[differentiable]
fn watched(x: &[f64], a: f64) -> f64 {
    let mut out = Vec::new();
    let mut most = f64::NEG_INFINITY;
    let y = euler(x[0], a, 5, |t, y| {
        out.push(y * t);
        most = most.max(y);
    });
    y * most + out.iter().map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn in_place(x: &[f64], a: f64) -> f64 {
    let mut y = x.to_vec();
    let mut work = vec![0.0; y.len()];
    let mut evaluations = 0;
    ode(
        |t: f64, y: &[f64], d: &mut [f64]| {
            evaluations += 1;
            for i in 0..y.len() {
                work[i] += y[i] * a;
            }
            for i in 0..y.len() {
                d[i] = work[(i + 1) % y.len()] - work[i] + t;
            }
        },
        &mut y,
        4,
    );
    y.iter().chain(&work).map(|v| v.sin()).sum::<f64>() * evaluations as f64
}

#[differentiable]
fn without_results(x: &[f64], a: f64) -> f64 {
    let mut s = 1.0;
    let y = ignoring(
        |v| {
            s *= v + a;
            s
        },
        x[0],
    );
    let k = count(x.len(), |i| {
        s += 0.1 * x[i] * x[i];
        s
    });
    y * s * k as f64
}

#[differentiable]
fn in_conditions(x: &[f64], a: f64) -> f64 {
    let mut s = 0.1;
    let y = on_condition(x[0], |v| {
        s += v * a * 0.3;
        s
    });
    y * s
}

#[differentiable]
fn failing(x: &[f64], a: f64) -> f64 {
    let mut s = 0.1;
    let y = until_none(x.len(), |i| {
        s += x[i] * x[i];
        let found = if s > 6.0 { None } else { Some(s) };
        let v = found?;
        Some(v * a)
    });
    y * s
}

#[differentiable]
fn on_and_on(x: &[f64], a: f64) -> f64 {
    let mut s = 0.2;
    let y = handing_on(x[0], |v| {
        s += v * a;
        s.sin()
    });
    let z = walk(3, x[1], &mut |v| {
        s += v * a * 0.1;
        s.sin()
    });
    y * z + s
}

#[differentiable]
fn trees(x: &[f64], a: f64) -> f64 {
    let leaf = |v: f64| Tree { leaves: vec![v], branches: vec![] };
    let tree = Tree { leaves: vec![x[0], a], branches: vec![leaf(x[1]), leaf(x[2] * a)] };
    let mut s = 0.1;
    tree.visit(1.0, &mut |v, depth| s += v * depth * s);
    s
}

#[differentiable]
fn never(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    let y = iterated(x[1], 0, |v| {
        s = s * v + x[0];
        s
    });
    y * s
}

checked! {
    sums sums_value_and_grad sums_jvp;
    used_after used_after_value_and_grad used_after_jvp;
    vectors vectors_value_and_grad vectors_jvp;
    several several_value_and_grad several_jvp;
    only_counted only_counted_value_and_grad only_counted_jvp;
    generators generators_value_and_grad generators_jvp;
    generators_by_reference generators_by_reference_value_and_grad generators_by_reference_jvp;
    fixed_size fixed_size_value_and_grad fixed_size_jvp;
    structs structs_value_and_grad structs_jvp;
    options options_value_and_grad options_jvp;
    rows rows_value_and_grad rows_jvp;
    parameters parameters_value_and_grad parameters_jvp;
    by_name by_name_value_and_grad by_name_jvp;
    moved moved_value_and_grad moved_jvp;
    called_once called_once_value_and_grad called_once_jvp;
    chosen chosen_value_and_grad chosen_jvp;
    nested nested_value_and_grad nested_jvp;
    in_loops in_loops_value_and_grad in_loops_jvp;
    run_again run_again_value_and_grad run_again_jvp;
    at_once at_once_value_and_grad at_once_jvp;
    watched watched_value_and_grad watched_jvp;
    in_place in_place_value_and_grad in_place_jvp;
    without_results without_results_value_and_grad without_results_jvp;
    in_conditions in_conditions_value_and_grad in_conditions_jvp;
    failing failing_value_and_grad failing_jvp;
    on_and_on on_and_on_value_and_grad on_and_on_jvp;
    trees trees_value_and_grad trees_jvp;
    never never_value_and_grad never_jvp;
}

/// The state of a closure belongs to one call of the pullback, whoever calls it.
#[test]
fn a_pullback_may_be_called_again_and_from_several_threads() {
    let x = checked::POINT;
    let (_, pullback) = nested_vjp(&x, 1.3);
    let (dx, da) = pullback(1.0);
    assert_eq!(pullback(1.0), (dx.clone(), da));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..5)
            .map(|k| {
                scope.spawn({
                    let pullback = &pullback;
                    move || pullback(k as f64)
                })
            })
            .collect();
        for (k, thread) in threads.into_iter().enumerate() {
            let (scaled, _) = thread.join().unwrap();
            let factor = (k + 1) as f64;
            assert!(scaled.iter().zip(&dx).all(|(s, d)| (s - factor * d).abs() <= 1e-12 * (factor * d).abs()));
        }
    });
}

/// The companions of a function that calls an `FnMut` take functions whose pullbacks are called in turn, the last one first.
#[test]
fn pullbacks_are_called_in_turn() {
    let (calls, undone) = (std::cell::RefCell::new(Vec::new()), std::cell::RefCell::new(Vec::new()));
    let (undone, calls) = (&undone, &calls);
    let ((), pullback) = pairs_vjp(3, |i, j| {
        calls.borrow_mut().push((i, j));
        ((), move |()| {
            undone.borrow_mut().push((i, j));
            ((), (), ())
        })
    });
    pullback(());
    assert_eq!(*calls.borrow(), [(1, 0), (2, 0), (2, 1)]);
    assert_eq!(*undone.borrow(), [(2, 1), (2, 0), (1, 0)]);
}

/// s = (s + x) x, three times, from s = 1.
#[differentiable]
fn closed(x: f64) -> f64 {
    let mut s = 1.0;
    pairs(3, |_, _| s = (s + x) * x);
    s
}

#[test]
fn closed_form() {
    let x: f64 = 0.7;
    // x³ + x⁴ + x³ + x²
    assert!((closed(x) - (2.0 * x.powi(3) + x.powi(4) + x * x)).abs() < 1e-15);
    let d = 6.0 * x * x + 4.0 * x.powi(3) + 2.0 * x;
    assert!((closed_grad(x) - d).abs() < 1e-14 && (closed_jvp(x, 1.0).1 - d).abs() < 1e-14);
}
