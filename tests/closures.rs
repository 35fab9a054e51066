//! Functions as values: closures that are called where they are made, and functions that are handed to others.
//!
//! Derivatives are compared with closed forms, and with central differences of the function itself.

#![allow(clippy::needless_range_loop, clippy::needless_borrows_for_generic_args, clippy::useless_vec)]

use cotangent::differentiable;

#[track_caller]
fn close(a: f64, b: f64) {
    let scale = a.abs().max(b.abs()).max(1.0);
    assert!((a - b).abs() <= 1e-12 * scale, "{a:?} is not {b:?}");
}

/// The derivatives of `f` by its arguments are `grad`, by differences, and so is that along (1, -2).
#[track_caller]
fn check(f: impl Fn(f64, f64) -> f64, (x, y): (f64, f64), grad: (f64, f64), dot: f64) {
    let h = 1e-5;
    let dx = (f(x + h, y) - f(x - h, y)) / (2.0 * h);
    let dy = (f(x, y + h) - f(x, y - h)) / (2.0 * h);
    for (exact, difference) in [(grad.0, dx), (grad.1, dy)] {
        let scale = exact.abs().max(1.0);
        assert!((exact - difference).abs() <= 1e-7 * scale, "{exact:?} is not {difference:?}");
    }
    close(dot, grad.0 - 2.0 * grad.1);
}

/// Checks the companions of functions of two floats.
macro_rules! checked {
    ($($name:ident at $x:expr, $y:expr; $vg:ident $jvp:ident)*) => {$(
        mod $name {
            #[test]
            fn derivatives() {
                let (value, grad) = super::$vg($x, $y);
                assert_eq!(value, super::$name($x, $y));
                let (same, dot) = super::$jvp($x, $y, 1.0, -2.0);
                assert_eq!(value, same);
                super::check(super::$name, ($x, $y), grad, dot);
            }
        }
    )*};
}

// ---- functions in sight

#[differentiable]
fn boxed(x: f64, y: f64) -> f64 {
    let f: Box<dyn Fn(f64) -> f64> = Box::new(move |t| t * x + y.sin());
    let g: &dyn Fn(f64) -> f64 = &*f;
    f(y) * g(2.0)
}

#[differentiable]
fn chosen(x: f64, y: f64) -> f64 {
    let f: Box<dyn Fn(f64) -> f64> = if x > y {
        let slope = x * y;
        Box::new(move |t| slope * t)
    } else {
        Box::new(move |t| t - x * x)
    };
    f(x) + f(f(y))
}

#[differentiable]
fn chosen_below(x: f64, y: f64) -> f64 {
    let f: Box<dyn Fn(f64) -> f64> = if x < y {
        let slope = x * y;
        Box::new(move |t| slope * t)
    } else {
        Box::new(move |t| t - x * x)
    };
    f(x) + f(f(y))
}

#[differentiable]
fn matched(x: f64, y: f64) -> f64 {
    let mut total = 0.0;
    let up = |t: f64| t * x;
    let down = |t: f64| t / y;
    for k in 0..5_usize {
        let f: &dyn Fn(f64) -> f64 = match k % 3 {
            0 => &up,
            1 => &down,
            _ => &|t: f64| t * t,
        };
        total = f(total + y) + x;
    }
    total
}

#[differentiable]
fn in_a_tuple(x: f64, y: f64) -> f64 {
    let pair = (|t: f64| t * x, |t: f64| t + y);
    let (f, g) = pair;
    f(g(x)) + (pair.0)(y) * pair.1(y)
}

#[differentiable]
fn in_an_array(x: f64, y: f64) -> f64 {
    let a = |t: f64| t * x;
    let b = |t: f64| t.sin() + y;
    let c = |t: f64| t * t * y;
    let all: [&dyn Fn(f64) -> f64; 3] = [&a, &b, &c];
    let mut t = all[1](x);
    for k in 0..all.len() {
        t = all[k](t) + x;
    }
    t + all.iter().map(|f| f(y)).sum::<f64>()
}

#[differentiable]
fn over_functions(x: f64, y: f64) -> f64 {
    let a = |t: f64| t * x;
    let b = |t: f64| t.sin() + y;
    let mut t = y;
    for f in [&a as &dyn Fn(f64) -> f64, &b] {
        t = f(t) * x;
    }
    t
}

#[differentiable]
fn from_a_block(x: f64, y: f64) -> f64 {
    let f = {
        let slope = x.exp();
        move |t: f64| slope * t + y
    };
    let add = |a: f64| move |t: f64| a + t;
    f(x) * add(y)(x)
}

#[differentiable]
fn taken_by_a_closure(x: f64, y: f64) -> f64 {
    let twice = |f: &dyn Fn(f64) -> f64, t: f64| f(f(t));
    twice(&|t| t * x + y, y) + twice(&f64::sin, x)
}

#[differentiable]
fn counting(x: f64, y: f64) -> f64 {
    let mut calls = 0.0;
    let mut next = || {
        calls += x;
        calls * y
    };
    let mut sum = 0.0;
    for _ in 0..4 {
        sum += next();
    }
    sum + calls
}

// ---- functions that are handed over

#[differentiable]
fn compose(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64, t: f64) -> f64 {
    f(g(t))
}

#[differentiable]
fn repeat<F: Fn(f64) -> f64>(f: F, n: usize, start: f64) -> f64 {
    let mut t = start;
    for _ in 0..n {
        t = f(t);
    }
    t
}

#[differentiable]
fn newton(f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64, start: f64) -> f64 {
    let mut t = start;
    let mut k = 0;
    while k < 20 {
        let step = f(t) / slope(t);
        t -= step;
        if step.abs() < 1e-14 {
            break;
        }
        k += 1;
    }
    t
}

#[differentiable]
fn composed(x: f64, y: f64) -> f64 {
    compose(|t| t * x + y, |t| (t * y).sin(), x) + compose(f64::exp, f64::sin, x)
}

#[differentiable]
fn repeated(x: f64, y: f64) -> f64 {
    repeat(|t| (x * t + y).cos(), 6, y)
}

#[differentiable]
fn root(x: f64, y: f64) -> f64 {
    newton(|t| t * t * x - y, |t| 2.0 * t * x, 1.0)
}

#[differentiable]
fn chosen_and_handed_over(x: f64, y: f64) -> f64 {
    let up = |t: f64| t * x;
    let down = |t: f64| t - y;
    let f: &dyn Fn(f64) -> f64 = if x > 1.0 { &up } else { &down };
    repeat(f, 3, y) + repeat(&down, 2, x)
}

#[differentiable]
fn weighted(ws: &[f64], f: impl Fn(&[f64], f64) -> f64, t: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..ws.len() {
        s += ws[i] * f(&ws[i..], t);
    }
    s
}

#[differentiable]
fn with_a_slice(x: f64, y: f64) -> f64 {
    let table = vec![x, y, x * y];
    let ws = [y, x * x];
    weighted(&ws, |tail: &[f64], t: f64| tail[0] * table[1] + t * table[2] + tail.len() as f64, x)
}

#[differentiable]
fn euler(f: impl Fn(f64, &[f64; 2]) -> [f64; 2], start: [f64; 2], n: usize) -> f64 {
    let mut u = start;
    for k in 0..n {
        let du = f(k as f64 * 0.1, &u);
        u = [u[0] + 0.1 * du[0], u[1] + 0.1 * du[1]];
    }
    u[0] * u[1]
}

#[differentiable]
fn oscillator(x: f64, y: f64) -> f64 {
    euler(|time: f64, u: &[f64; 2]| [u[1], -x * u[0] - y * u[1] + time], [x, y], 7)
}

#[differentiable]
fn with_everything(x: f64, y: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        let k = x * i as f64;
        let inner = |t: f64| t * k + y;
        s += repeat(|t| inner(t) * repeat(|u| u * t + x, 2, y), 2, s);
    }
    s
}

#[differentiable]
fn handing_on(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let mut s = 0.0;
    for _ in 0..2 {
        s += repeat(&f, 2, x) + compose(&f, |t| f(t) * x, s);
    }
    s + if x > 0.0 { f(x) } else { 0.0 }
}

#[differentiable]
fn handed_on(x: f64, y: f64) -> f64 {
    handing_on(|t| (t * y).sin() + x, y)
}

#[differentiable]
fn never_called(x: f64, y: f64) -> f64 {
    let v = vec![x, y];
    repeat(|t| t * v[0], 0, y) * x
}

#[differentiable]
fn stateful(mut f: impl FnMut(f64) -> f64, x: f64) -> f64 {
    f(x) * f(2.0 * x)
}

#[differentiable]
fn fn_mut(x: f64, y: f64) -> f64 {
    stateful(|t| t * y, x)
}

#[differentiable]
fn once(f: impl FnOnce(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

#[differentiable]
fn fn_once(x: f64, y: f64) -> f64 {
    let v = vec![x, y];
    once(move |t| t * v[1] + v[0], x)
}

#[differentiable]
fn by_pointer(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x) + f(x * x)
}

#[differentiable]
fn pointed(x: f64, y: f64) -> f64 {
    by_pointer(cube, x) * by_pointer(f64::sin, y)
}

#[differentiable]
fn cube(x: f64) -> f64 {
    x * x * x
}

#[differentiable]
fn boxed_parameter(f: Box<dyn Fn(f64) -> f64>, x: f64) -> f64 {
    f(x) - x
}

#[differentiable]
fn through_a_box(x: f64, y: f64) -> f64 {
    boxed_parameter(Box::new(move |t| t * x * y), y)
}

checked! {
    boxed at 0.7, 1.3; boxed_value_and_grad boxed_jvp
    chosen at 1.7, 0.6; chosen_value_and_grad chosen_jvp
    chosen_below at 1.7, 0.6; chosen_below_value_and_grad chosen_below_jvp
    matched at 0.8, 1.4; matched_value_and_grad matched_jvp
    in_a_tuple at 0.8, 1.4; in_a_tuple_value_and_grad in_a_tuple_jvp
    in_an_array at 0.8, 1.4; in_an_array_value_and_grad in_an_array_jvp
    over_functions at 0.8, 1.4; over_functions_value_and_grad over_functions_jvp
    from_a_block at 0.8, 1.4; from_a_block_value_and_grad from_a_block_jvp
    taken_by_a_closure at 0.8, 1.4; taken_by_a_closure_value_and_grad taken_by_a_closure_jvp
    counting at 0.8, 1.4; counting_value_and_grad counting_jvp
    composed at 0.8, 1.4; composed_value_and_grad composed_jvp
    repeated at 0.8, 0.4; repeated_value_and_grad repeated_jvp
    root at 0.8, 1.4; root_value_and_grad root_jvp
    chosen_and_handed_over at 0.8, 1.4; chosen_and_handed_over_value_and_grad chosen_and_handed_over_jvp
    with_a_slice at 0.8, 1.4; with_a_slice_value_and_grad with_a_slice_jvp
    oscillator at 0.8, 1.4; oscillator_value_and_grad oscillator_jvp
    with_everything at 0.3, 0.4; with_everything_value_and_grad with_everything_jvp
    handed_on at 0.3, 0.4; handed_on_value_and_grad handed_on_jvp
    never_called at 0.3, 0.4; never_called_value_and_grad never_called_jvp
    fn_mut at 0.3, 0.4; fn_mut_value_and_grad fn_mut_jvp
    fn_once at 0.3, 0.4; fn_once_value_and_grad fn_once_jvp
    pointed at 0.3, 0.4; pointed_value_and_grad pointed_jvp
    through_a_box at 0.3, 0.4; through_a_box_value_and_grad through_a_box_jvp
}

// ---- more forms

#[differentiable]
fn nested_calls(f: &dyn Fn(f64) -> f64, n: usize, x: f64) -> f64 {
    if n == 0 { x } else { f(nested_calls(f, n - 1, x)) }
}

#[differentiable]
fn recursion(x: f64, y: f64) -> f64 {
    nested_calls(&|t| t * x + y, 3, y)
}

struct Solver {
    steps: usize,
}

impl Solver {
    #[differentiable(wrt(f, x))]
    fn solve(&self, f: impl Fn(f64) -> f64, x: f64) -> f64 {
        let mut t = x;
        for _ in 0..self.steps {
            t = 0.5 * (t + f(t));
        }
        t
    }
}

#[differentiable]
fn by_a_method(x: f64, y: f64) -> f64 {
    let solver = Solver { steps: 4 };
    solver.solve(|t| (t * x).cos() + y, x)
}

#[differentiable]
fn rk4(f: impl Fn(f64, &[f64]) -> Vec<f64>, u: &[f64], h: f64) -> Vec<f64> {
    let n = u.len();
    let k1 = f(0.0, u);
    let mut v = u.to_vec();
    for i in 0..n {
        v[i] += h / 2.0 * k1[i];
    }
    let k2 = f(h / 2.0, &v);
    let mut out = u.to_vec();
    for i in 0..n {
        out[i] += h / 2.0 * (k1[i] + k2[i]);
    }
    out
}

#[differentiable]
fn stepped(x: f64, y: f64) -> f64 {
    let mut u = vec![x, y];
    for _ in 0..3 {
        u = rk4(|time: f64, v: &[f64]| vec![v[1] * x, -v[0] * y + time], &u, 0.2);
    }
    u[0] * u[1]
}

#[differentiable]
fn filled(f: impl Fn(&[f64], &mut [f64]), u: &[f64]) -> f64 {
    let mut out = vec![0.0; u.len()];
    f(u, &mut out);
    out[0] * out[1]
}

#[differentiable]
fn into_a_slice(x: f64, y: f64) -> f64 {
    let u = [x, y];
    filled(
        |v: &[f64], out: &mut [f64]| {
            out[0] = v[0] * y;
            out[1] = v[1].sin() + x * out[0];
        },
        &u,
    )
}

#[differentiable]
fn lent<'a>(f: &'a dyn Fn(f64) -> f64, xs: &'a [f64]) -> f64 {
    xs.iter().map(|x| f(*x)).sum()
}

#[differentiable]
fn captured_and_lent(x: f64, y: f64) -> f64 {
    let xs = vec![x, y, x * y];
    lent(&|t| x * t * xs[1], &xs)
}

/// The same slice is captured and handed over, and so is its tangent.
#[test]
fn a_parameter_that_is_captured_and_handed_over() {
    #[differentiable]
    fn both(a: f64, xs: &[f64]) -> f64 {
        lent(&|t| a * t * xs[0], xs)
    }
    assert_eq!(both_grad(2.0, &[1.0, 3.0]), (4.0, vec![10.0, 2.0]));
    assert_eq!(both_jvp(2.0, &[1.0, 3.0], 1.0, vec![0.5, 0.0]), (8.0, 9.0));
}

#[differentiable]
fn both<T: num_traits::Float>(f: impl Fn(T) -> (T, T), x: T) -> T {
    let (a, b) = f(x);
    a * b
}

#[differentiable]
fn pairs(x: f64, y: f64) -> f64 {
    both(|t: f64| (t * x, t + y), x)
}

checked! {
    recursion at 0.3, 0.4; recursion_value_and_grad recursion_jvp
    by_a_method at 0.3, 0.4; by_a_method_value_and_grad by_a_method_jvp
    stepped at 0.3, 0.4; stepped_value_and_grad stepped_jvp
    into_a_slice at 0.3, 0.4; into_a_slice_value_and_grad into_a_slice_jvp
    captured_and_lent at 0.3, 0.4; captured_and_lent_value_and_grad captured_and_lent_jvp
    pairs at 0.3, 0.4; pairs_value_and_grad pairs_jvp
}

/// Each copy of a closure changes a state of its own.
#[allow(clippy::clone_on_copy)]
#[differentiable]
fn copies_of_a_closure(x: &[f64]) -> f64 {
    let mut c = x[0];
    let mut g = move |t: f64| {
        c = c * t + x[1];
        c
    };
    let first = g(2.0);
    let mut h = g.clone();
    let mut k = g;
    first * h(3.0) + g(0.5) * k(x[1])
}

#[test]
fn copies_of_closures() {
    let x = vec![0.4, 1.3];
    assert_eq!(copies_of_a_closure_vjp(&x).0, copies_of_a_closure(&x));
    // with p = 2a + b: p (3p + b) + (p/2 + b) (p b + b)
    let (a, b) = (x[0], x[1]);
    let p = 2.0 * a + b;
    let by_p = 6.0 * p + b + 0.5 * (p * b + b) + (0.5 * p + b) * b;
    let by_b = p + p * b + b + (0.5 * p + b) * (p + 1.0);
    let expected = [2.0 * by_p, by_p + by_b];
    let gradient = copies_of_a_closure_grad(&x);
    for (g, e) in gradient.iter().zip(expected) {
        assert!((g - e).abs() < 1e-12, "{g} {e}");
    }
}

/// What is lent is the same closure, what is handed over by its name another one.
#[differentiable]
fn lent_closures(x: &[f64]) -> f64 {
    let mut c = 1.0;
    let mut g = move |t: &f64| {
        c *= t;
        c
    };
    let lent: f64 = x.iter().map(&mut g).sum();
    let given: f64 = x.iter().map(g).sum();
    let r = &mut g;
    let q = r;
    lent + 10.0 * given + 100.0 * q(&x[0]) + 1000.0 * g(&x[0])
}

#[test]
fn closures_that_are_lent() {
    // a + ab + 10 (a²b + a²b²) + 100 a²b + 1000 a³b
    let (a, b) = (2.0, 3.0);
    assert_eq!(lent_closures(&[a, b]), a + a * b + 110.0 * a * a * b + 10.0 * a * a * b * b + 1000.0 * a * a * a * b);
    let by_a = 1.0 + b + 220.0 * a * b + 20.0 * a * b * b + 3000.0 * a * a * b;
    let by_b = a + 110.0 * a * a + 20.0 * a * a * b + 1000.0 * a * a * a;
    assert_eq!(lent_closures_grad(&[a, b]), [by_a, by_b]);
}
