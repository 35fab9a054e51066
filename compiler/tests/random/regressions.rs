//! The smallest programs of failures that the random ones have found.

use super::generate::Program;
use super::{check, rust};
use cotangent_compiler::interp::Val;

#[track_caller]
fn holds(source: &str, args: &[Val]) {
    match check::check(source, args) {
        Ok(Some(_)) => {}
        Ok(None) => panic!("{source}\nsays nothing"),
        Err(f) => panic!("{source}\n{}: {}", f.kind, f.detail),
    }
}

/// The same, and the results are those that Rust gives.
#[track_caller]
fn holds_in_rust(source: &str, args: &[Val], results: &[f64]) {
    holds(source, args);
    let value = check::check(source, args).expect("it held").expect("it held").value;
    let near = value.len() == results.len() && value.iter().zip(results).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near, "{source}\ngives {value:?} instead of {results:?}");
}

/// [`check::HELPER`]
fn helper(x: f64, k: usize) -> f64 {
    (x * (k as f64 + 0.5)).sin() * x
}

/// The same for the generated companions, which run only where `COTANGENT_RANDOM_LIB` says what to link.
#[track_caller]
fn companions_hold(source: &str, args: &[Val]) {
    let program = Program { source: source.to_owned(), args: args.to_vec() };
    let outcome = check::check(source, args).unwrap_or_else(|f| panic!("{source}\n{}: {}", f.kind, f.detail));
    if let Some(f) = rust::compare_one(&program, &outcome.expect("a moderate value")) {
        panic!("{source}\n{}: {}", f.kind, f.detail);
    }
}

#[test]
fn buffer_that_one_arm_changes() {
    companions_hold(
        "fn f(r: &mut [f64], x: f64, n: usize) -> f64 { if n == 1 { return x; } r.fill(x * x); r[0] * x }",
        &[Val::floats(&[0.3, 0.4]), 0.7.into(), 2_usize.into()],
    );
}

#[test]
fn return_from_while() {
    let source = "fn f(x: f64) -> f64 {
        let mut n = 0_usize;
        while n < 3 { n += 1; if x * n as f64 > 0.9 { return x * x; } }
        x.sin()
    }";
    holds(source, &[0.4.into()]);
    holds(source, &[0.2.into()]);
    let break_outer = "fn f(x: f64) -> f64 {
        let mut s = x;
        'rows: for i in 0..4 { let mut k = 0_usize; while k < i && s < 2.0 { k += 1; s += x * s; if s > 1.5 { break 'rows; } if k == 2 { continue 'rows; } } s *= 1.1; }
        s
    }";
    holds(break_outer, &[0.4.into()]);
    holds(break_outer, &[0.9.into()]);
}

#[test]
fn result_of_a_call_after_an_exit() {
    holds(
        "fn f(x: f64, n: usize) -> f64 { let v = helper(x, 1); for i in 0..n { if x > 0.5 + i as f64 { return x; } } v }",
        &[0.3.into(), 3_usize.into()],
    );
    holds(
        "fn f(x: f64, n: usize) -> f64 { for i in 0..n { if x > i as f64 { return helper(x, 2); } } x * x }",
        &[0.3.into(), 3_usize.into()],
    );
    holds(
        "fn f(x: f64, n: usize) -> f64 { let mut s = x; for i in 0..n { let t: f64 = { if s > 0.8 { break; } helper(s, i) }; s += t; } s }",
        &[0.3.into(), 4_usize.into()],
    );
}

#[test]
fn break_with_the_result_of_a_call() {
    holds("fn f(x: f64) -> f64 { let v = loop { break helper(x, 2_usize); }; v * x }", &[0.3.into()]);
    holds(
        "fn f(x: f64) -> f64 { let mut n = 0; let v = loop { n += 1; if n > 3 { break helper(x, n); } }; v.tanh() }",
        &[0.3.into()],
    );
}

#[test]
fn both_parts_of_sin_cos_of_a_call() {
    holds("fn f(x: f64) -> f64 { let (s, c) = helper(x, 1_usize).sin_cos(); s * c }", &[0.3.into()]);
}

#[test]
fn items_of_a_clone() {
    holds(
        "fn f(v: Vec<f64>) -> f64 { let mut s = 0.0; for x in v.clone() { s += x * x; } s * v[0] }",
        &[Val::floats(&[0.3, -0.6])],
    );
}

#[test]
fn start_of_a_loop_with_exits_is_a_branch() {
    holds(
        "fn f(x: f64, n: usize) -> f64 {
            let mut s = x;
            for i in 0..n {
                let start = if i > 1 { 0 } else { i };
                for j in start..4 { s = (s * x + x * j as f64).sin(); if s > 0.6 { break; } }
            }
            s
        }",
        &[0.4.into(), 3_usize.into()],
    );
}

#[test]
fn exit_inside_what_is_assigned() {
    let in_loop = "fn f(x: f64, n: usize) -> f64 {
        let mut s = x;
        for i in 0..n { s = if i == 2 { if x > 0.0 { break; } 2.0 } else { s * x }; }
        s
    }";
    holds_in_rust(in_loop, &[0.4.into(), 4_usize.into()], &[0.4 * 0.4 * 0.4]);
    let skip = "fn f(x: f64, n: usize) -> f64 {
        let mut v = [x, 0.5, 1.5];
        for i in 0..n { v[i % 3] = match i { 1 => { if x > 0.0 { continue; } x } _ => v[i % 3] * x }; }
        v[0] + 10.0 * v[1]
    }";
    holds_in_rust(skip, &[0.4.into(), 3_usize.into()], &[0.4 * 0.4 + 10.0 * 0.5]);
    let by_reference =
        "fn f(y: &mut f64, x: f64) -> f64 { *y = if x > 0.1 { if x > 0.2 { return x; } x * x } else { 1.0 }; x * *y }";
    holds_in_rust(by_reference, &[0.7.into(), 0.4.into()], &[0.4, 0.7]);
}

#[test]
fn value_of_a_call_survives_an_exit() {
    let early = "fn f(x: f64) -> f64 {
        let g = |t: f64| { { let v = t * x; if v < 2.0 { return helper(x + v, 1).sin(); } } x.cos() };
        g(0.3) + x
    }";
    holds_in_rust(early, &[0.4.into()], &[helper(0.4 + 0.3 * 0.4, 1).sin() + 0.4]);
    let late = "fn f(x: f64, n: usize) -> f64 {
        let v;
        if x > 0.0 { { if n > 3 { if x > 0.5 { return 0.0; } } } v = helper(x, 1).sin(); } else { v = x; }
        v * x
    }";
    holds_in_rust(late, &[0.4.into(), 4_usize.into()], &[helper(0.4, 1).sin() * 0.4]);
    let block =
        "fn f(x: f64, n: usize) -> f64 { { if n != 0 { if x > 0.0 { return 2.0 * x; } } } let v = helper(x, 2); v }";
    holds_in_rust(block, &[0.4.into(), 1_usize.into()], &[0.8]);
    let from_loop = "fn f(x: f64) -> f64 {
        let mut n = 0_usize;
        let v = 'l: loop { n += 1; if n > 3 { break helper(x, n); } };
        v.tanh() + x
    }";
    holds_in_rust(from_loop, &[0.4.into()], &[helper(0.4, 4).tanh() + 0.4]);
}

#[test]
fn call_among_the_operands_of_mul_add() {
    companions_hold("fn f(x: f64) -> f64 { x.mul_add(helper(x, 0_usize), x) }", &[0.4.into()]);
    companions_hold("fn f(x: f64) -> f64 { helper(x, 1_usize).hypot(x) + helper(x, 2).atan2(1.5) }", &[0.4.into()]);
}

#[test]
fn type_of_a_literal_in_a_branch() {
    companions_hold("fn f(x: f64) -> f64 { x * (if x > 0.0 { 1.0 } else { 0.3_f64 }).tanh() }", &[0.4.into()]);
    companions_hold("fn f(x: f64) -> f64 { x + f64::asinh(if x > 0.0 { 1.0 } else { 0.3 }).tanh() }", &[0.4.into()]);
}

#[test]
fn exchange_in_an_arm() {
    companions_hold(
        "fn f(w: &[f64], x: f64, n: usize) -> f64 {
            let mut v1 = w[0];
            let mut v2 = w[1];
            if n == 0 { v1 /= 1.5; } else { (v1, v2) = (v2, v1 + 0.1); if n == 2 { v1 *= x; } }
            1.0_f64.hypot(1.5 + v1.sin()).sin() + 0.3 * v2 + 0.4 * v1
        }",
        &[Val::floats(&[0.3, 0.8]), 0.6.into(), 1_usize.into()],
    );
    companions_hold(
        "fn f(w: Vec<f64>, x: f64, n: usize) -> f64 {
            let mut v1 = w[w.len() - 1];
            let mut v2 = w[n % w.len()];
            if x > 0.9 { v1 /= 1.5; } else {
                (v1, v2) = (v2, v1 + 0.1);
                match n % 5 { 4.. => { let mut k = 0; while k < 4 { k += 1; v1 *= (v2.cos() * x).tanh(); } } _ => {} }
            }
            v1.sin() + 0.3 * v2
        }",
        &[Val::floats(&[0.3]), 0.6.into(), 4_usize.into()],
    );
}
