//! Branches, loops and exits: gradients against central differences and against forward mode, values bit for bit.

// tests of what people write
#![allow(clippy::manual_is_multiple_of)]

use cotangent::{check_grad, differentiable};

/// The gradient agrees with differences, the tangents with the gradient, the value with the primal.
macro_rules! agree {
    ($f:ident, $vg:ident, $jvp:ident, ($($x:expr),*) $(, $extra:expr)*) => {{
        let x = [$($x),*];
        let call = |x: &[f64; agree!(@count $($x)*)]| agree!(@call $f, x, ($($x),*) $(, $extra)*);
        let (value, gradient) = agree!(@call $vg, x, ($($x),*) $(, $extra)*);
        assert_eq!(value.to_bits(), call(&x).to_bits());
        let gradient: Vec<f64> = flat(&gradient);
        check_grad(call, &x, &gradient.clone().try_into().unwrap()).assert_within(1e-6);
        for k in 0..x.len() {
            let mut d = [0.0; agree!(@count $($x)*)];
            d[k] = 1.0;
            let dy = agree!(@jvp $jvp, x, d, ($($x),*) $(, $extra)*).1;
            assert!((dy - gradient[k]).abs() <= 1e-12 * dy.abs().max(1.0), "{dy} {gradient:?}");
        }
    }};
    (@count $a:tt) => { 1 };
    (@count $a:tt $b:tt) => { 2 };
    (@call $f:ident, $x:ident, ($a:expr) $(, $extra:expr)*) => { $f($x[0] $(, $extra)*) };
    (@call $f:ident, $x:ident, ($a:expr, $b:expr) $(, $extra:expr)*) => { $f($x[0], $x[1] $(, $extra)*) };
    (@jvp $f:ident, $x:ident, $d:ident, ($a:expr) $(, $extra:expr)*) => {
        $f($x[0] $(, $extra)*, $d[0] $(, agree!(@unit $extra))*)
    };
    (@jvp $f:ident, $x:ident, $d:ident, ($a:expr, $b:expr) $(, $extra:expr)*) => {
        $f($x[0], $x[1] $(, $extra)*, $d[0], $d[1] $(, agree!(@unit $extra))*)
    };
    (@unit $e:expr) => { () };
}

trait Flat {
    fn push(&self, to: &mut Vec<f64>);
}

impl Flat for f64 {
    fn push(&self, to: &mut Vec<f64>) {
        to.push(*self);
    }
}

impl<A: Flat, B: Flat> Flat for (A, B) {
    fn push(&self, to: &mut Vec<f64>) {
        self.0.push(to);
        self.1.push(to);
    }
}

fn flat(x: &impl Flat) -> Vec<f64> {
    let mut to = Vec::new();
    x.push(&mut to);
    to
}

#[differentiable]
fn search(x: f64, y: f64, n: usize) -> f64 {
    let mut level = x;
    'rows: for i in 0..n {
        let mut trial = level;
        for j in 0..=i {
            trial += y / (j + 1) as f64;
            if trial > 3.0 && j % 2 == 0 {
                continue 'rows;
            }
            if trial > 4.0 {
                break 'rows;
            }
            if trial < -5.0 {
                return trial * trial;
            }
        }
        level = trial.sin() + x;
    }
    level * y
}

#[test]
fn labels_and_returns() {
    for (x, y) in [(0.3, 0.4), (2.0, 1.5), (-4.0, -3.0)] {
        for n in [0, 1, 5] {
            agree!(search, search_value_and_grad, search_jvp, (x, y), n);
        }
    }
}

#[differentiable]
fn machine(x: f64, steps: usize) -> f64 {
    let mut state = 0;
    let mut v = x;
    let mut left = steps;
    loop {
        state = match (state, v > 1.0) {
            (0, true) => {
                v = v.sqrt() * x;
                1
            }
            (0, false) => {
                v += 0.7 * x;
                2
            }
            (1 | 2, _) if left % 3 == 0 => {
                v = v.sin() + v;
                0
            }
            (s, big) => {
                v *= if big { 0.5 } else { 1.3 };
                if s == 1 { 2 } else { 0 }
            }
        };
        if left == 0 {
            break;
        }
        left -= 1;
    }
    v
}

#[test]
fn a_state_machine() {
    for x in [0.4, 1.1, 2.3] {
        agree!(machine, machine_value_and_grad, machine_jvp, (x), 12);
    }
}

#[differentiable]
fn bisect(a: f64) -> f64 {
    // x³ = a on [0, 3], then one Newton step, which has the derivative
    let (mut lo, mut hi) = (0.0, 3.0);
    for _ in 0..60 {
        let mid = 0.5 * (lo + hi);
        if mid * mid * mid < a { lo = mid } else { hi = mid }
    }
    let x = 0.5 * (lo + hi);
    x - (x * x * x - a) / (3.0 * x * x)
}

#[test]
fn bisection_with_a_newton_step() {
    let (x, dx) = bisect_value_and_grad(2.0);
    assert!((x - 2.0_f64.cbrt()).abs() < 1e-14);
    assert!((dx - 1.0 / (3.0 * x * x)).abs() < 1e-12);
}

#[differentiable]
fn collatz(x: f64, n: u32) -> f64 {
    let mut k = n;
    let mut v = x;
    while k != 1 {
        if k % 2 == 0 {
            k /= 2;
            v *= 0.9;
            continue;
        }
        k = 3 * k + 1;
        v = v * v * 0.25 + x;
    }
    v
}

#[test]
fn an_integer_decides_the_path() {
    for n in [1, 6, 7] {
        agree!(collatz, collatz_value_and_grad, collatz_jvp, (0.8), n);
    }
}

#[differentiable]
fn first_over(xs: &[f64], bound: f64) -> f64 {
    let found = 'search: {
        for (i, x) in xs.iter().enumerate() {
            if x * x > bound {
                break 'search x * (i + 1) as f64;
            }
        }
        bound
    };
    let Some(last) = xs.last() else { return found };
    found * last
}

#[test]
fn a_labelled_block_and_let_else() {
    assert_eq!(first_over_value_and_grad(&[0.5, 3.0, 2.0], 4.0), (12.0, (vec![0.0, 4.0, 6.0], 0.0)));
    assert_eq!(first_over_value_and_grad(&[0.5], 4.0), (2.0, (vec![4.0], 0.5)));
    assert_eq!(first_over_value_and_grad(&[], 4.0), (4.0, (vec![], 1.0)));
}

/// What is not chosen contributes nothing, where its derivative is infinite too, in either mode.
mod not_chosen {
    use cotangent::differentiable;

    #[differentiable]
    fn floored(x: f64) -> f64 {
        x.sqrt().max(0.2)
    }

    #[differentiable]
    fn larger(x: f64, y: f64) -> f64 {
        x.ln().max(y)
    }

    #[differentiable]
    fn root_of_larger(x: f64, y: f64) -> f64 {
        x.max(y).sqrt()
    }

    #[test]
    fn contributes_nothing() {
        assert_eq!(floored_jvp(0.0, 1.0), (0.2, 0.0));
        assert_eq!(floored_grad(0.0), 0.0);
        assert_eq!(larger_jvp(0.0, 0.5, 1.0, 2.0), (0.5, 2.0));
        assert_eq!(larger_grad(0.0, 0.5), (0.0, 1.0));
        assert_eq!(root_of_larger_grad(-1.0, 0.0), (0.0, f64::INFINITY));
    }
}
