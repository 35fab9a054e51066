//! The smallest programs of failures that the random ones have found.

use super::check;
use super::compile::{self, Ran};
use super::generate::Program;

fn program(source: &str, args: &[&str]) -> Program {
    Program { source: source.to_owned(), args: args.iter().map(|a| (*a).to_owned()).collect() }
}

/// In the interpreter; the results.
#[track_caller]
fn holds(source: &str, args: &[&str]) -> Vec<f64> {
    match check::check(&program(source, args)) {
        Ok(Some(outcome)) => outcome.value,
        Ok(None) => panic!("{source}\nsays nothing"),
        Err(f) => panic!("{source}\n{}: {}", f.kind, f.detail),
    }
}

/// The same, and the results are those that Rust gives.
#[track_caller]
fn holds_in_rust(source: &str, args: &[&str], results: &[f64]) {
    let value = holds(source, args);
    let near = value.len() == results.len() && value.iter().zip(results).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near, "{source}\ngives {value:?} instead of {results:?}");
}

/// `helper` of the programs.
fn helper(x: f64, k: usize) -> f64 {
    (x * (k as f64 + 0.5)).sin() * x
}

/// What is wrong shows in the compiled companions only: what each is about, its source, and arguments as expressions.
const COMPILED: &[(&str, &str, &[&str])] = &[
    (
        "buffer that one arm changes",
        "fn f(r: &mut [f64], x: f64, n: usize) -> f64 { if n == 1 { return x; } r.fill(x * x); r[0] * x }",
        &["vec![0.3, 0.4]", "0.7", "2"],
    ),
    ("call among the operands of mul_add", "fn f(x: f64) -> f64 { x.mul_add(helper(x, 0_usize), x) }", &["0.4"]),
    ("call as a receiver", "fn f(x: f64) -> f64 { helper(x, 1_usize).hypot(x) + helper(x, 2).atan2(1.5) }", &["0.4"]),
    (
        "type of a literal in a branch",
        "fn f(x: f64) -> f64 { x * (if x > 0.0 { 1.0 } else { 0.3_f64 }).tanh() }",
        &["0.4"],
    ),
    (
        "type of a literal in a branch, as an argument",
        "fn f(x: f64) -> f64 { x + f64::asinh(if x > 0.0 { 1.0 } else { 0.3 }).tanh() }",
        &["0.4"],
    ),
    (
        "exchange in an arm",
        "fn f(w: &[f64], x: f64, n: usize) -> f64 {
            let mut v1 = w[0];
            let mut v2 = w[1];
            if n == 0 { v1 /= 1.5; } else { (v1, v2) = (v2, v1 + 0.1); if n == 2 { v1 *= x; } }
            1.0_f64.hypot(1.5 + v1.sin()).sin() + 0.3 * v2 + 0.4 * v1
        }",
        &["vec![0.3, 0.8]", "0.6", "1"],
    ),
    (
        "exchange in an arm before a loop",
        "fn f(w: Vec<f64>, x: f64, n: usize) -> f64 {
            let mut v1 = w[w.len() - 1];
            let mut v2 = w[n % w.len()];
            if x > 0.9 { v1 /= 1.5; } else {
                (v1, v2) = (v2, v1 + 0.1);
                match n % 5 { 4.. => { let mut k = 0; while k < 4 { k += 1; v1 *= (v2.cos() * x).tanh(); } } _ => {} }
            }
            v1.sin() + 0.3 * v2
        }",
        &["vec![0.3]", "0.6", "4"],
    ),
    (
        "vector that is filled with its own element",
        "fn f(mut a: Vec<f64>) -> f64 { let m = a[0]; a.fill(m); a[a.len() - 1] * a[0] }",
        &["vec![0.4, 0.3]"],
    ),
    (
        "number that only a literal tells, in a closure",
        "fn f(x: f64, b: &f64) -> f64 {
            let t = helper(*b, 2).tanh();
            let v = vec![t; 2];
            let g = |t: f64| {
                let w = if *b <= -0.6 { (1.0 + (if t < 0.1 { v[0] } else { 1.25_f64 })).ln() } else { t * x };
                w
            };
            g(0.3)
        }",
        &["0.3", "0.7"],
    ),
    (
        "three operands of unknown type",
        "#[derive(Clone, Differentiable)]
        struct P { a: f64, b: f64, c: f64 }
        fn f(p: P, w: f64) -> f64 { (p.a + 0.5).mul_add(p.b, p.c.sin()) * w }",
        &["P { a: 0.3, b: 0.4, c: -0.2 }", "0.7"],
    ),
    (
        "struct in the head of an if",
        "#[derive(Clone, Differentiable)]
        struct P { a: f64 }
        fn f(x: f64) -> f64 { let p = P { a: x }; if p.a < 1.0 { x * x } else { x } }",
        &["0.3"],
    ),
    (
        "pullback of a call in a method that changes self",
        "#[derive(Clone, Differentiable)]
        struct P { a: f64 }
        impl P { fn g(&mut self, x: f64) -> f64 { let v; v = helper(x, 0).tanh(); self.a *= x; self.a + v } }
        fn f(p: P, x: f64) -> f64 { p.a * x }",
        &["P { a: 0.3 }", "0.7"],
    ),
    (
        "function that is handed to a method that changes self",
        "#[derive(Clone, Differentiable)]
        struct P { a: f64, b: [f64; 2] }
        impl P { fn g(&mut self, x: f64, h: impl Fn(f64) -> f64) -> f64 { self.b[0] -= x; h(self.b[0]) * self.a } }
        fn f(p: P, x: f64) -> f64 { p.a * x }",
        &["P { a: 0.3, b: [0.2, 0.1] }", "0.7"],
    ),
    (
        "literals in both arms of an early exit",
        "fn f(x: f64) -> Vec<f64> {
            let v = { let w: f64 = if x > 0.9 { return vec![x]; } else { 0.25 }; 1.0_f64 + w };
            vec![v.atan() * x, v]
        }",
        &["0.3"],
    ),
];

#[test]
fn compiled() {
    let programs: Vec<Program> = COMPILED.iter().map(|(_, source, args)| program(source, args)).collect();
    let mut faults = Vec::new();
    for ((name, source, _), ran) in COMPILED.iter().zip(compile::run(&programs.iter().collect::<Vec<_>>())) {
        match ran {
            Ran::Holds(..) => {}
            Ran::Silent => faults.push(format!("{name}: it says nothing")),
            Ran::Fails(f) => faults.push(format!("{name}: {}: {}\n{source}", f.kind, f.detail)),
        }
    }
    // a test beside this one may have silenced panics
    println!("{}", faults.join("\n\n"));
    assert!(faults.is_empty(), "{} faults", faults.len());
}

#[test]
fn return_from_while() {
    let source = "fn f(x: f64) -> f64 {
        let mut n = 0_usize;
        while n < 3 { n += 1; if x * n as f64 > 0.9 { return x * x; } }
        x.sin()
    }";
    holds(source, &["0.4"]);
    holds(source, &["0.2"]);
    let break_outer = "fn f(x: f64) -> f64 {
        let mut s = x;
        'rows: for i in 0..4 { let mut k = 0_usize; while k < i && s < 2.0 { k += 1; s += x * s; if s > 1.5 { break 'rows; } if k == 2 { continue 'rows; } } s *= 1.1; }
        s
    }";
    holds(break_outer, &["0.4"]);
    holds(break_outer, &["0.9"]);
}

#[test]
fn result_of_a_call_after_an_exit() {
    holds(
        "fn f(x: f64, n: usize) -> f64 { let v = helper(x, 1); for i in 0..n { if x > 0.5 + i as f64 { return x; } } v }",
        &["0.3", "3"],
    );
    holds(
        "fn f(x: f64, n: usize) -> f64 { for i in 0..n { if x > i as f64 { return helper(x, 2); } } x * x }",
        &["0.3", "3"],
    );
    holds(
        "fn f(x: f64, n: usize) -> f64 { let mut s = x; for i in 0..n { let t: f64 = { if s > 0.8 { break; } helper(s, i) }; s += t; } s }",
        &["0.3", "4"],
    );
}

#[test]
fn block_that_is_left_for_two_targets_with_the_result_of_a_call() {
    let source = "fn f(x: f64, n: usize) -> f64 {
        let t: f64 = 'b: {
            let v: f64 = if x > 0.5 { x } else { { if x < 0.1 { break 'b x.cos(); } } return x * x; };
            if n == 0 { break 'b helper(x, 1); }
            v
        };
        t * x
    }";
    for (x, n) in [("0.7", "0"), ("0.7", "1"), ("0.3", "0"), ("0.05", "0")] {
        holds(source, &[x, n]);
    }
}

#[test]
fn break_with_the_result_of_a_call() {
    holds("fn f(x: f64) -> f64 { let v = loop { break helper(x, 2_usize); }; v * x }", &["0.3"]);
    holds(
        "fn f(x: f64) -> f64 { let mut n = 0; let v = loop { n += 1; if n > 3 { break helper(x, n); } }; v.tanh() }",
        &["0.3"],
    );
}

#[test]
fn both_parts_of_sin_cos_of_a_call() {
    holds("fn f(x: f64) -> f64 { let (s, c) = helper(x, 1_usize).sin_cos(); s * c }", &["0.3"]);
}

#[test]
fn items_of_a_clone() {
    holds(
        "fn f(v: Vec<f64>) -> f64 { let mut s = 0.0; for x in v.clone() { s += x * x; } s * v[0] }",
        &["vec![0.3, -0.6]"],
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
        &["0.4", "3"],
    );
}

#[test]
fn exit_inside_what_is_assigned() {
    let in_loop = "fn f(x: f64, n: usize) -> f64 {
        let mut s = x;
        for i in 0..n { s = if i == 2 { if x > 0.0 { break; } 2.0 } else { s * x }; }
        s
    }";
    holds_in_rust(in_loop, &["0.4", "4"], &[0.4 * 0.4 * 0.4]);
    let skip = "fn f(x: f64, n: usize) -> f64 {
        let mut v = [x, 0.5, 1.5];
        for i in 0..n { v[i % 3] = match i { 1 => { if x > 0.0 { continue; } x } _ => v[i % 3] * x }; }
        v[0] + 10.0 * v[1]
    }";
    holds_in_rust(skip, &["0.4", "3"], &[0.4 * 0.4 + 10.0 * 0.5]);
    let by_reference =
        "fn f(y: &mut f64, x: f64) -> f64 { *y = if x > 0.1 { if x > 0.2 { return x; } x * x } else { 1.0 }; x * *y }";
    holds_in_rust(by_reference, &["0.7", "0.4"], &[0.4, 0.7]);
}

#[test]
fn value_of_a_call_survives_an_exit() {
    let early = "fn f(x: f64) -> f64 {
        let g = |t: f64| { { let v = t * x; if v < 2.0 { return helper(x + v, 1).sin(); } } x.cos() };
        g(0.3) + x
    }";
    holds_in_rust(early, &["0.4"], &[helper(0.4 + 0.3 * 0.4, 1).sin() + 0.4]);
    let late = "fn f(x: f64, n: usize) -> f64 {
        let v;
        if x > 0.0 { { if n > 3 { if x > 0.5 { return 0.0; } } } v = helper(x, 1).sin(); } else { v = x; }
        v * x
    }";
    holds_in_rust(late, &["0.4", "4"], &[helper(0.4, 1).sin() * 0.4]);
    let block =
        "fn f(x: f64, n: usize) -> f64 { { if n != 0 { if x > 0.0 { return 2.0 * x; } } } let v = helper(x, 2); v }";
    holds_in_rust(block, &["0.4", "1"], &[0.8]);
    let from_loop = "fn f(x: f64) -> f64 {
        let mut n = 0_usize;
        let v = 'l: loop { n += 1; if n > 3 { break helper(x, n); } };
        v.tanh() + x
    }";
    holds_in_rust(from_loop, &["0.4"], &[helper(0.4, 4).tanh() + 0.4]);
}

#[test]
fn index_in_a_loop_that_two_arms_agree_on() {
    holds(
        "fn f(x: &[f64], c: f64) -> f64 { let mut c = c; for k in 1..=x.len() { c *= x[if k != 0 { 2_usize } else { 2_usize }]; } c }",
        &["vec![-0.5, -0.4, 0.8]", "0.2"],
    );
}

#[test]
fn element_that_is_changed_of_the_result_of_a_call() {
    holds(
        "fn f(p: f64) -> f64 { let v = helper(p, 1_usize); let mut w = vec![0.4 * v.cos(); 2]; w[1] += 1.0; w[1] }",
        &["0.3"],
    );
}
