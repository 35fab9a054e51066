//! Functions that return a `Result`, and what is done with results.

#[macro_use]
mod fallible;

use cotangent::{Differentiable, differentiable};
use fallible::diff;

/// An error that cannot be cloned.
#[derive(Debug, PartialEq)]
enum E {
    Negative,
    Singular { pivot: usize },
    Text(String),
}
impl From<String> for E {
    fn from(s: String) -> E {
        E::Text(s)
    }
}
impl From<&str> for E {
    fn from(s: &str) -> E {
        E::Text(s.to_string())
    }
}

#[differentiable]
fn root(x: f64) -> Result<f64, String> {
    if x < 0.0 {
        return Err(format!("negative{}", (x < -3.0) as u8));
    }
    Ok(x.sqrt())
}
check_result!(an_early_error, root, root_vjp, root_jvp, 2.0, -1.0);

#[differentiable]
fn twice(x: f64) -> Result<f64, String> {
    let y = root(x)?;
    Ok(y * y * y)
}
check_result!(an_error_that_is_handed_on, twice, twice_vjp, twice_jvp, 2.0, -1.0);

#[differentiable]
fn conv(x: f64) -> Result<f64, E> {
    if x > 10.0 {
        return Err(E::Singular { pivot: 3 });
    }
    let y = root(x)? + root(2.0 * x)?;
    if y > 5.0 { Err(E::Negative) } else { Ok(y * x) }
}
check_result!(errors_are_converted, conv, conv_vjp, conv_jvp, 2.0, -1.0, 20.0, 9.0);

#[differentiable]
fn looped(x: f64) -> Result<f64, E> {
    let mut s = 0.0;
    for i in 0..5 {
        let t = root(x - i as f64)?;
        s += t * t * x;
        if s > 1000.0 {
            return Err(E::Singular { pivot: i });
        }
    }
    Ok(s)
}
check_result!(an_error_leaves_a_loop, looped, looped_vjp, looped_jvp, 6.0, 2.5, 1e4);

#[differentiable]
fn matched(x: f64) -> f64 {
    match conv(x) {
        Ok(v) => v * v,
        Err(E::Singular { pivot }) => x * pivot as f64,
        Err(E::Text(s)) => x * s.len() as f64,
        Err(_) => 2.0 * x,
    }
}
check_value!(patterns_of_errors, matched, matched_grad, matched_jvp, 2.0, -1.0, 20.0, 9.0);

#[differentiable]
fn iflet(x: f64) -> f64 {
    let mut s = x;
    if let Ok(v) = root(x) {
        s += v * x;
    }
    if let Err(e) = root(x) {
        s *= e.len() as f64;
    }
    s
}
check_value!(if_let_of_both, iflet, iflet_grad, iflet_jvp, 2.0, -1.0);

#[differentiable]
fn letelse(x: f64) -> Result<f64, E> {
    let Ok(v) = root(x) else { return Err(E::Negative) };
    Ok(v * x)
}
check_result!(let_else_of_a_result, letelse, letelse_vjp, letelse_jvp, 2.0, -1.0);

#[differentiable]
fn comb(x: f64) -> f64 {
    root(x).unwrap_or(x)
        + root(x).ok().map_or(2.0 * x, |t| t * 3.0)
        + root(x).map(|t| t * t * x).unwrap_or(0.0)
        + root(x * x).unwrap()
        + root(x * x).expect("ok")
        + root(x).unwrap_or_default()
}
check_value!(what_looks_at_the_value_only, comb, comb_grad, comb_jvp, 2.0, -1.5);

#[differentiable]
fn comb2(x: f64) -> Result<f64, E> {
    let r = root(x).map_err(|e| E::Text(e + "!"))?;
    let q = root(r - 1.0).map_err(E::Text)?;
    let z = root(q).map(|t| t * x).map_err(|_| E::Negative)?;
    root(z).map_err(E::from)
}
check_result!(errors_are_mapped, comb2, comb2_vjp, comb2_jvp, 3.0, -1.0, 0.5);

#[differentiable]
fn comb3(x: f64) -> Result<f64, String> {
    root(x).and_then(|t| root(t - 1.0)).or_else(|e| if e.ends_with("1") { Err(e) } else { Ok(x * 3.0) })
}
check_result!(results_follow_each_other, comb3, comb3_vjp, comb3_jvp, 3.0, -1.0, 0.5, -4.0);

#[differentiable]
fn first(x: &[f64]) -> Result<f64, &'static str> {
    let a = x.first().ok_or("empty")?;
    let b = x.get(1).ok_or_else(|| ["none", "one"][x.len()])?;
    Ok(a * b)
}
#[test]
fn options_become_results() {
    let (y, pb) = first_vjp(&[2.0, 3.0]);
    assert_eq!((y, pb(Some(1.0))), (Ok(6.0), vec![3.0, 2.0]));
    let (y, pb) = first_vjp(&[2.0]);
    assert_eq!((y, pb(None)), (Err("one"), vec![0.0]));
    assert_eq!(first_jvp(&[2.0, 3.0], vec![1.0, 0.0]), (Ok(6.0), Some(3.0)));
}

#[differentiable]
fn var(x: f64) -> f64 {
    let r = root(x);
    let s = if r.is_ok() { 2.0 } else { 3.0 };
    let t = match &r {
        Ok(v) => v * x,
        Err(e) => x * e.len() as f64,
    };
    let u = r.unwrap_or_else(|e| x * e.len() as f64);
    s * t + u
}
check_value!(a_result_in_a_variable, var, var_grad, var_jvp, 2.0, -1.5);

#[differentiable]
fn annotated(x: f64) -> Result<f64, E> {
    let r: Result<f64, E> = if x > 5.0 { Err(E::Negative) } else { Ok(x * x) };
    let q: Result<f64, String> = root(x);
    let s: f64 = q?;
    Ok(r? * s)
}
check_result!(annotated_results, annotated, annotated_vjp, annotated_jvp, 2.0, -1.0, 6.0);

#[differentiable]
fn clos(x: f64) -> f64 {
    let f = |t: f64| -> Result<f64, E> {
        let y = root(t)?;
        Ok(y * t)
    };
    match (f(x), f(x - 1.0)) {
        (Ok(a), Ok(b)) => a * b,
        (Ok(a), Err(_)) => a,
        (Err(_), _) => -x,
    }
}
check_value!(a_closure_with_tries_and_a_pair_of_results, clos, clos_grad, clos_jvp, 2.0, 0.5, -1.0);

fn validate(x: f64) -> Result<(), E> {
    if x > 3.0 { Err(E::Negative) } else { Ok(()) }
}
#[differentiable]
fn valid(x: f64) -> Result<f64, E> {
    validate(x)?;
    let n: usize = "3".parse::<usize>().map_err(|e| e.to_string())?;
    let m = "4".parse::<usize>().map_err(|e| e.to_string())?;
    Ok(x * x * n as f64 * m as f64)
}
check_result!(results_without_a_derivative, valid, valid_vjp, valid_jvp, 2.0, 4.0);

#[differentiable]
fn scale(u: &mut [f64], k: f64) -> Result<(), E> {
    if k < 0.0 {
        return Err(E::Negative);
    }
    for t in u.iter_mut() {
        *t *= k;
    }
    Ok(())
}
#[differentiable]
fn scaled(x: f64) -> Result<f64, E> {
    let mut u = [x, 2.0 * x];
    scale(&mut u, x)?;
    scale(&mut u[1..], x)?;
    Ok(u[0] * u[1])
}
check_result!(what_changes_its_arguments_may_fail, scaled, scaled_vjp, scaled_jvp, 2.0, -4.0);

#[differentiable]
fn vecs(x: &[f64]) -> Result<(Vec<f64>, f64), Box<dyn std::error::Error>> {
    if x.is_empty() {
        return Err("empty".into());
    }
    let mut s = 0.0;
    let mut v = vec![];
    for t in x {
        let r = root(*t)?;
        v.push(r * 2.0);
        s += r;
    }
    Ok((v, s))
}
#[test]
fn a_boxed_error_is_not_in_the_pullback() {
    let (y, pb) = vecs_vjp(&[4.0, 9.0]);
    assert_eq!(y.unwrap(), (vec![4.0, 6.0], 5.0));
    assert_eq!(pb(Some((vec![1.0, 0.0], 1.0))), vec![0.75, 1.0 / 6.0]);
    let (y, pb) = vecs_vjp(&[4.0, -9.0]);
    assert_eq!(y.unwrap_err().to_string(), "negative1");
    assert_eq!(pb(None), vec![0.0, 0.0]);
    fn send<T: Send + Sync>(_: T) {}
    send(pb);
}

#[differentiable]
fn nested(x: f64) -> Result<f64, E> {
    let y = conv(conv(x)? - 1.0)?;
    let mut s = 0.0;
    let mut i = 0;
    while i < 3 {
        s += match root(y - i as f64) {
            Ok(t) => t,
            Err(_) if i == 1 => break,
            Err(e) => return Err(E::Text(e)),
        };
        i += 1;
    }
    Ok(s * x)
}
check_result!(leaving_from_the_arms_of_a_result, nested, nested_vjp, nested_jvp, 2.0, 1.0, 0.7, -1.0);

#[differentiable]
fn macros(x: f64) -> f64 {
    let r = root(x);
    assert!(r.is_ok() || r.is_err());
    let s = format!("{r:?}").len();
    println!("{:?}", r);
    if let Ok(v) = r { v * s as f64 } else { x }
}
#[test]
fn macros_see_the_result() {
    assert_eq!(macros_grad(4.0), 0.25 * 7.0);
    assert_eq!(macros_grad(-4.0), 1.0);
}

#[differentiable]
fn rec(x: f64, n: usize) -> Result<f64, E> {
    if n == 0 {
        return if x < 100.0 { Ok(x) } else { Err(E::Negative) };
    }
    let y = rec(x * x, n - 1)?;
    Ok(y + x)
}
#[test]
fn a_function_that_fails_calls_itself() {
    let (y, pb) = rec_vjp(1.2, 3);
    let f = |x| rec(x, 3).unwrap();
    assert_eq!(y.unwrap(), f(1.2));
    assert!((pb(Some(1.0)).0 - diff(f, 1.2)).abs() < 1e-6);
    assert_eq!(rec_vjp(3.0, 5).1(None).0, 0.0);
}

#[differentiable(order = 2)]
fn second(x: f64) -> Result<f64, E> {
    if x < 0.0 { Err(E::Negative) } else { Ok(x * x * x) }
}
#[test]
fn second_derivatives_of_results() {
    let (_, pb) = second_jvp_vjp(2.0, 1.0);
    assert_eq!(pb((Some(0.0), Some(1.0))).0, 12.0);
}

#[differentiable]
fn param(r: Result<f64, String>, x: f64) -> f64 {
    match r {
        Ok(v) => v * x,
        Err(_) => x,
    }
}
#[test]
fn a_result_as_a_parameter() {
    assert_eq!(param_grad(Ok(2.0), 3.0), (Some(3.0), 2.0));
    assert_eq!(param_grad(Err(String::new()), 3.0), (None, 1.0));
}
#[differentiable]
fn handed(x: f64) -> f64 {
    param(root(x), x) + param(Ok(x), 2.0) + param(if x > 0.0 { root(x) } else { Err("a".to_string()) }, x)
}
check_value!(a_result_as_an_argument, handed, handed_grad, handed_jvp, 2.0, -1.5);

mod my {
    pub(crate) type Result<T> = std::result::Result<T, super::E>;
}

#[differentiable]
fn aliased(x: f64) -> my::Result<f64> {
    let y = root(x)?;
    Ok(y * x)
}

#[differentiable]
fn of_alias(x: f64) -> f64 {
    aliased(x).unwrap_or(3.0 * x)
}
check_value!(an_alias_that_gives_the_error, of_alias, of_alias_grad, of_alias_jvp, 2.0, -1.0);

/// An enum with variants of the same names.
#[derive(Clone, Differentiable)]
enum Status {
    Ok(f64),
    Err(f64),
}

#[differentiable]
fn own(x: f64) -> f64 {
    let s = if x > 0.0 { Status::Ok(x * x) } else { Status::Err(x * 3.0) };
    match s {
        Status::Ok(v) => v * x,
        Status::Err(v) => v,
    }
}
check_value!(variants_of_the_same_names, own, own_grad, own_jvp, 2.0, -1.0);

#[differentiable]
fn thrown(x: f64) -> Result<f64, String> {
    if x > 2.0 {
        Err("large")?;
    }
    let r: Result<f64, String> = root(x).map(|y| y * x);
    match r {
        Ok(y) if y > 1.0 => Ok(y),
        Ok(y) => Ok(2.0 * y),
        Err(e) => Err(e + "!"),
    }
}
check_result!(thrown_errors_and_guards, thrown, thrown_vjp, thrown_jvp, 1.5, 0.5, -1.0, 3.0);
