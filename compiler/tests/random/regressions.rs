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
