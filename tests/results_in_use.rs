//! Results in loops, methods, traits, chains and closures, and in programs of second derivatives.

#![allow(clippy::all, clippy::pedantic)]

#[macro_use]
mod fallible;

use cotangent::{Differentiable, differentiable};
use fallible::diff;

#[derive(Debug, PartialEq, Clone)]
enum E {
    Negative,
    Other(String),
    At(usize),
}
impl From<String> for E {
    fn from(s: String) -> E {
        E::Other(s)
    }
}

#[differentiable]
fn root(x: f64) -> Result<f64, E> {
    if x < 0.0 {
        return Err(E::Negative);
    }
    Ok(x.sqrt())
}
// loop-carried result variable
#[differentiable]
fn carried(x: f64) -> Result<f64, E> {
    let mut r: Result<f64, E> = Ok(x);
    for i in 0..4 {
        r = match r {
            Ok(v) if i != 2 => root(v - 0.1 * x),
            Ok(v) => Ok(v * v),
            Err(e) => Err(e),
        };
    }
    r
}
check_result!(a_result_that_a_loop_carries, carried, carried_vjp, carried_jvp, 2.0, 0.3, -1.0);
#[differentiable]
fn mutable(x: f64) -> f64 {
    let mut r = root(x);
    if r.is_err() {
        r = Ok(x * x);
    }
    let mut best = root(x - 1.0);
    if let Ok(b) = root(x + 1.0) {
        if best.is_err() {
            best = Ok(b * 2.0);
        }
    }
    r.unwrap_or(0.0) * best.unwrap_or(x)
}
check_value!(a_result_that_is_set_anew, mutable, mutable_grad, mutable_jvp, 2.0, 0.5, -0.5, -2.0);
// while with exits
#[differentiable]
fn newton(a: f64) -> Result<f64, E> {
    if a < 0.0 {
        return Err(E::Negative);
    }
    let mut x = a;
    let mut n = 0;
    while (x * x - a).abs() > 1e-12 {
        if n > 30 {
            return Err(E::At(n));
        }
        x = 0.5 * (x + a / x);
        n += 1;
    }
    Ok(x)
}
check_result!(an_iteration_that_may_not_converge, newton, newton_vjp, newton_jvp, 2.0, 9.0, -1.0);
#[differentiable]
fn looped(a: f64) -> Result<f64, E> {
    let mut x = a;
    let y = loop {
        x = root(x)? + 0.1;
        if x < 1.3 {
            break x * a;
        }
    };
    let z = 'l: {
        if y > 3.0 {
            break 'l y;
        }
        newton(y)?
    };
    Ok(z * y)
}
check_result!(leaving_loops_and_blocks, looped, looped_vjp, looped_jvp, 2.0, 9.0, -1.0);
// struct payload
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct P {
    a: f64,
    v: Vec<f64>,
}
#[differentiable]
fn make(x: f64) -> Result<P, E> {
    if x > 5.0 { Err(E::At(5)) } else { Ok(P { a: x * x, v: vec![x, 2.0 * x] }) }
}
#[differentiable]
fn use_p(x: f64) -> Result<f64, E> {
    let p = make(x)?;
    let q = make(x + 1.0)?;
    let s: f64 = p.v.iter().zip(&q.v).map(|(a, b)| a * b).sum();
    Ok(s * p.a + q.a)
}
check_result!(structs_in_results, use_p, use_p_vjp, use_p_jvp, 2.0, 4.5, 6.0);
#[differentiable]
fn opt(x: f64) -> Result<Option<f64>, E> {
    if x < 0.0 {
        Err(E::Negative)
    } else if x < 1.0 {
        Ok(None)
    } else {
        Ok(Some(x * x))
    }
}
#[differentiable]
fn use_opt(x: f64) -> f64 {
    match opt(x) {
        Ok(Some(v)) => v * x,
        Ok(None) => 2.0 * x,
        Err(E::Negative) => -x,
        Err(_) => 0.0,
    }
}
check_value!(options_in_results, use_opt, use_opt_grad, use_opt_jvp, 2.0, 0.5, -1.0);
#[differentiable]
fn use_opt2(x: f64) -> Result<f64, E> {
    let o = opt(x)?;
    Ok(o.unwrap_or(x) * opt(x + 1.0)?.map_or(1.0, |t| t * x))
}
check_result!(tries_beside_readers, use_opt2, use_opt2_vjp, use_opt2_jvp, 2.0, 0.5, -0.5);
// methods and traits
#[derive(Clone, Differentiable)]
struct M {
    k: f64,
}
#[differentiable]
impl M {
    fn at(&self, x: f64) -> Result<f64, E> {
        if x > 10.0 {
            return Err(E::At(1));
        }
        Ok(self.k * x)
    }
    fn twice(&self, x: f64) -> Result<f64, E> {
        let y = self.at(x)?;
        self.at(y * y)
    }
    fn step(&mut self, x: f64) -> Result<(), E> {
        if x < -5.0 {
            return Err(E::Negative);
        }
        self.k += x;
        Ok(())
    }
}
#[differentiable]
fn meth(x: f64) -> Result<f64, E> {
    let mut m = M { k: x };
    let a = m.twice(x)?;
    m.step(2.0 * x)?;
    Ok(a + m.at(x)? * m.twice(0.5).unwrap_or(x))
}
check_result!(methods_that_fail, meth, meth_vjp, meth_jvp, 1.2, 3.0, -4.0);
#[differentiable]
trait T {
    fn go(&self, x: f64) -> Result<f64, E>;
    fn all(&self, x: f64) -> Result<f64, E> {
        let y = self.go(x)?;
        Ok(y * x)
    }
}
#[differentiable]
impl T for M {
    fn go(&self, x: f64) -> Result<f64, E> {
        if x < 0.0 { Err(E::Negative) } else { Ok(x * self.k * self.k) }
    }
}
#[differentiable]
fn tr(x: f64) -> Result<f64, E> {
    let m = M { k: x + 1.0 };
    Ok(m.all(x)? + generic(&m, x)?)
}
#[differentiable]
fn generic<S: T + Differentiable>(s: &S, x: f64) -> Result<f64, E> {
    let y = s.go(x)?;
    let z = s.go(y).map_err(|_| E::At(7))?;
    Ok(y * z)
}
check_result!(traits_whose_functions_fail, tr, tr_vjp, tr_jvp, 1.2, -1.0);
// generic float
#[differentiable]
fn generic_root<F: num_traits::Float>(x: F) -> Result<F, E> {
    if x < F::zero() {
        return Err(E::Negative);
    }
    Ok(x.sqrt() * x)
}
#[differentiable]
fn usegen(x: f64) -> Result<f64, E> {
    Ok(generic_root(x)? + generic_root(x * x)?)
}
check_result!(generic_results, usegen, usegen_vjp, usegen_jvp, 1.2, -1.0);
// iterators
#[differentiable]
fn it(x: f64) -> Result<f64, E> {
    let xs = [x, 2.0 * x, x * x];
    let s: f64 = xs.iter().filter_map(|t| root(*t - 1.0).ok()).sum();
    let v: Vec<f64> = xs.iter().map(|t| root(*t - 1.0).unwrap_or(0.5 * t)).collect();
    let mut p = 1.0;
    for t in &v {
        p *= root(*t)?;
    }
    Ok(s * p)
}
check_result!(results_in_chains, it, it_vjp, it_jvp, 1.5, 2.5);
// handed over
#[differentiable]
fn h(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x) + f(2.0 * x)
}
#[differentiable]
fn ho(x: f64) -> f64 {
    h(
        |t| match root(t - x) {
            Ok(v) => v * x,
            Err(_) => t,
        },
        2.0 * x,
    ) + h(|t| root(t * x).unwrap_or(t), x)
}
check_value!(results_in_functions_handed_over, ho, ho_grad, ho_jvp, 1.5, 0.7);
// second order
#[differentiable(order = 2)]
fn r2(x: f64) -> Result<f64, E> {
    if x < 0.0 {
        return Err(E::Negative);
    }
    Ok(x * x.sqrt())
}
#[differentiable(order = 2, hessian, hvp)]
fn s2(x: f64) -> f64 {
    match r2(x) {
        Ok(y) => y * y * x,
        Err(_) => x,
    }
}
#[differentiable(order = 2)]
fn q2(x: f64) -> Result<f64, E> {
    let y = r2(x)?;
    let z = r2(y - 1.0).map_err(|_| E::At(3))?;
    Ok(y * z)
}
#[test]
fn second_derivatives_through_tries() {
    for x in [2.0, 1.7] {
        let d = diff(|x| s2_grad(x), x);
        assert!((s2_hvp(x, 1.0) - d).abs() < 1e-5 * (1.0 + d.abs()));
        let g = |x: f64| q2_vjp(x).1(Some(1.0));
        let d = diff(g, x);
        let (_, pb) = q2_jvp_vjp(x, 1.0);
        assert!((pb((Some(0.0), Some(1.0))).0 - d).abs() < 1e-5 * (1.0 + d.abs()));
    }
}
// checkpoint
#[differentiable(checkpoint)]
fn ck(x: f64) -> Result<f64, E> {
    let mut s = x;
    for i in 0..8 {
        s = 0.5 * s + root(s + x)? * 0.1 * i as f64;
        if s > 50.0 {
            return Err(E::At(i));
        }
    }
    Ok(s)
}
check_result!(iterations_that_are_run_again, ck, ck_vjp, ck_jvp, 1.5, -1.0);
// recursion with results in branches, tree
#[differentiable]
fn tree(x: f64, n: usize) -> Result<f64, E> {
    if x > 1e6 {
        return Err(E::At(n));
    }
    if n == 0 {
        Ok(x)
    } else {
        let a = tree(x * 1.1, n - 1)?;
        let b = tree(a - x, n - 1).unwrap_or(2.0);
        Ok(a * b)
    }
}
fn tree3(x: f64) -> Result<f64, E> {
    tree(x, 3)
}
#[test]
fn a_tree_that_may_fail() {
    for x in [0.9, 1.2] {
        let d = diff(|x| tree3(x).unwrap(), x);
        assert!((tree_vjp(x, 3).1(Some(1.0)).0 - d).abs() < 1e-4 * (1.0 + d.abs()));
        assert!((tree_jvp(x, 3, 1.0, ()).1.unwrap() - d).abs() < 1e-4 * (1.0 + d.abs()));
    }
}
// inactive
fn parse(s: &str) -> Result<f64, std::num::ParseFloatError> {
    s.parse::<f64>()
}
#[derive(Debug)]
#[allow(dead_code)]
enum F {
    P(std::num::ParseFloatError),
    E(E),
}
impl From<std::num::ParseFloatError> for F {
    fn from(e: std::num::ParseFloatError) -> F {
        F::P(e)
    }
}
impl From<E> for F {
    fn from(e: E) -> F {
        F::E(e)
    }
}
#[differentiable]
fn inact(x: f64, s: &str) -> Result<f64, F> {
    let a = parse(s)?;
    let b: f64 = s.trim().parse()?;
    let c = match s.parse::<i32>() {
        Ok(n) => n as f64,
        Err(_) => 0.5,
    };
    let d = parse(s).unwrap_or(1.0);
    let e = parse(s).map(|t| t * 2.0).unwrap_or_default();
    Ok(root(x)? * a * b + c * x + d * e)
}
#[test]
fn results_without_a_derivative_beside_others() {
    let (y, pb) = inact_vjp(4.0, "3");
    assert_eq!(y.unwrap(), inact(4.0, "3").unwrap());
    assert_eq!(pb(Some(1.0)).0, 0.25 * 9.0 + 3.0);
    assert!(matches!(inact_vjp(4.0, "a").0, Err(F::P(_))));
    assert!(matches!(inact_vjp(-4.0, "3").0, Err(F::E(_))));
}

#[derive(Clone, Differentiable)]
struct Kept {
    k: f64,
    v: Vec<f64>,
}
#[derive(Debug)]
struct Failed;
#[differentiable]
impl Kept {
    fn put(&mut self, x: f64) -> Option<usize> {
        self.k *= x;
        if x > 1.0 { Some(1) } else { None }
    }
    fn res(&mut self, x: f64) -> Result<(), Failed> {
        self.k += x * x;
        if x < -5.0 { Err(Failed) } else { Ok(()) }
    }
    fn list(&mut self, x: f64) -> Vec<usize> {
        self.k += x * 3.0;
        vec![1, 2]
    }
    fn both(&self, x: f64) -> (usize, Kept) {
        (2, Kept { k: self.k * x, v: vec![x] })
    }
}
#[differentiable]
fn placed(x: f64) -> f64 {
    let mut m = Kept { k: x, v: vec![] };
    let n = match m.put(x + 1.0) {
        Some(i) => i,
        None => 0,
    };
    m.k * x * n as f64
}
#[differentiable]
fn tried(x: f64) -> f64 {
    let mut m = Kept { k: x, v: vec![] };
    let n = if m.res(x).is_ok() { 2.0 } else { 1.0 };
    m.k * x * n
}
#[differentiable]
fn listed(x: f64) -> f64 {
    let mut m = Kept { k: x, v: vec![] };
    let l = m.list(x);
    let n = l.len();
    m.k * x * n as f64
}
#[differentiable]
fn given_both(x: f64) -> f64 {
    let mut m = Kept { k: x, v: vec![] };
    m.k *= 2.0;
    let (n, w) = m.both(x);
    w.k * m.k * n as f64 + w.v[0]
}
check_value!(an_option_beside_a_changed_self, placed, placed_grad, placed_jvp, 1.3, 0.7);
check_value!(a_result_beside_a_changed_self, tried, tried_grad, tried_jvp, 1.3, -6.0);
check_value!(a_list_beside_a_changed_self, listed, listed_grad, listed_jvp, 1.3);
check_value!(a_pair_that_looks_like_a_changed_self, given_both, given_both_grad, given_both_jvp, 1.3);
// what was `Ok` is not used, only what the function changes
struct Fault(String);
#[differentiable]
fn checked_root(x: f64) -> Result<f64, Fault> {
    if x < 0.0 {
        return Err(Fault("negative".into()));
    }
    Ok(x.sqrt())
}
#[differentiable]
fn float(a: &mut f64, x: f64) -> Result<f64, Fault> {
    *a += x;
    *a *= checked_root(x)?;
    Ok(*a * x)
}
#[differentiable]
fn unit(a: &mut f64, x: f64) -> Result<(), Fault> {
    *a *= 2.0;
    let r = checked_root(x)?;
    *a *= r;
    Ok(())
}
#[differentiable]
fn integer(a: &mut f64, x: f64) -> Result<usize, Fault> {
    *a += checked_root(x)?;
    Ok(3)
}
#[differentiable]
fn text(a: &mut f64, x: f64) -> Result<String, Fault> {
    *a -= checked_root(x)?;
    Ok("two".into())
}
#[differentiable]
fn vector(a: &mut [f64], x: f64) -> Result<Vec<f64>, Fault> {
    a[0] *= x;
    let r = checked_root(x)?;
    Ok(vec![r, a[0]])
}
#[differentiable]
fn many_changes(a: &mut f64, x: &[f64]) -> Result<f64, Fault> {
    for t in x {
        unit(a, *t)?;
        *a *= text(a, *t)?.len() as f64;
        float(a, *t)?;
        let _unused = float(a, *t)?;
    }
    Ok(*a)
}
#[differentiable]
fn unused_values(x: f64) -> f64 {
    let (mut a, mut v) = (x, [x, 2.0 * x]);
    let mut s = if float(&mut a, x).is_err() { a * 3.0 } else { a * 2.0 };
    s += if float(&mut a, -x).is_ok() { a } else { a * a };
    s += if vector(&mut v, x).is_ok() { v[0] } else { v[1] };
    let k = integer(&mut a, x).unwrap_or(7) + integer(&mut a, -x).unwrap_or(7);
    let r = many_changes(&mut a, &[x, x + 1.0]).is_ok();
    let e = many_changes(&mut s, &[x, -x]).err().map_or(0, |e| e.0.len());
    s + a * k as f64 + if r { v[0] } else { v[1] } + e as f64
}
check_value!(values_of_results_that_are_not_used, unused_values, unused_values_grad, unused_values_jvp, 1.3, 0.7);
