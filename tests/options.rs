//! Options with differentiable values in them: as parameters, results, fields and elements, and in every way of taking
//! them apart. Derivatives against central differences and closed forms.

#![allow(clippy::all, reason = "programs as people write them")]

use cotangent::{Differentiable, differentiable};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs())), "{a} is not {b}");
}

fn diff(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-5;
    (f(x + h) - f(x - h)) / (2.0 * h)
}

#[differentiable]
fn root(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x.sqrt()) } else { None }
}
#[test]
fn results() {
    let (y, p) = root_vjp(4.0);
    assert_eq!(y, Some(2.0));
    assert_eq!(p(Some(1.0)), 0.25);
    let (y, p) = root_vjp(-4.0);
    assert_eq!(y, None);
    assert_eq!(p(None), 0.0);
    assert_eq!(root_jvp(4.0, 2.0), (Some(2.0), Some(0.5)));
    assert_eq!(root_jvp(-4.0, 2.0), (None, None));
}
#[differentiable]
fn scaled_root(x: f64) -> Option<f64> {
    let y = root(x)?;
    Some(y * x)
}
#[test]
fn question_marks() {
    assert_eq!(scaled_root_vjp(4.0).1(Some(1.0)), 3.0);
    assert_eq!(scaled_root_vjp(-4.0).1(None), 0.0);
    assert_eq!(scaled_root_jvp(4.0, 1.0).1, Some(3.0));
}
#[differentiable]
fn matched(x: f64) -> f64 {
    match root(x) {
        Some(v) => v * x,
        None => 3.0 * x,
    }
}
#[differentiable]
fn if_let(x: f64) -> f64 {
    if let Some(v) = root(x) { v * x } else { 3.0 * x }
}
#[differentiable]
fn with_default(x: f64) -> f64 {
    root(x).unwrap_or(3.0 * x) * x
}
#[differentiable]
fn mapped(x: f64) -> f64 {
    root(x).map(|v| v * x).unwrap_or(2.0 * x)
}
#[differentiable]
fn asked_and_unwrapped(x: f64) -> f64 {
    let o = root(x);
    if o.is_some() { o.unwrap() * 2.0 } else { x }
}
#[differentiable]
fn mapped_or(x: f64) -> f64 {
    root(x).map_or(x * 7.0, |v| v + x)
}
#[differentiable]
fn let_else(x: f64) -> f64 {
    let Some(v) = root(x) else { return x * x };
    v * v * v
}
#[differentiable]
fn chained(x: f64) -> f64 {
    root(x).and_then(|v| root(v - 1.0)).unwrap_or_else(|| x * 5.0)
}
#[test]
fn calls_that_give_options() {
    for x in [3.0, -2.0, 0.5] {
        close(matched_grad(x), diff(matched, x));
        close(if_let_grad(x), diff(if_let, x));
        close(with_default_grad(x), diff(with_default, x));
        close(mapped_grad(x), diff(mapped, x));
        close(asked_and_unwrapped_grad(x), diff(asked_and_unwrapped, x));
        close(mapped_or_grad(x), diff(mapped_or, x));
        close(let_else_grad(x), diff(let_else, x));
        close(chained_grad(x), diff(chained, x));
        close(matched_jvp(x, 1.0).1, diff(matched, x));
        close(with_default_jvp(x, 1.0).1, diff(with_default, x));
        close(mapped_jvp(x, 1.0).1, diff(mapped, x));
        close(let_else_jvp(x, 1.0).1, diff(let_else, x));
        close(chained_jvp(x, 1.0).1, diff(chained, x));
    }
}
#[differentiable]
fn by_value(o: Option<f64>, x: f64) -> f64 {
    match o {
        Some(v) => v * x,
        None => x * x,
    }
}
#[differentiable]
fn by_reference(o: &Option<f64>, x: f64) -> f64 {
    if let Some(v) = o { v * x } else { x }
}
#[differentiable]
fn parameter_with_default(o: Option<f64>, x: f64) -> f64 {
    o.unwrap_or(2.0 * x) * x
}
#[differentiable]
fn parameter_mapped(o: &Option<f64>, x: f64) -> f64 {
    o.map(|v| v * v).unwrap_or(x) * x
}
#[differentiable]
fn of_a_vector(o: Option<Vec<f64>>, x: f64) -> f64 {
    match &o {
        Some(v) => v[0] * x + v.iter().sum::<f64>(),
        None => x * x,
    }
}
#[differentiable]
fn of_a_pair(o: Option<(f64, usize)>, x: f64) -> f64 {
    match o {
        Some((v, n)) if n > 2 => v * x,
        Some((v, _)) => v,
        _ => x * x,
    }
}
#[differentiable]
fn from_option_to_option(o: Option<f64>, x: f64) -> Option<f64> {
    o.map(|v| v * x)
}
#[test]
fn parameters() {
    assert_eq!(by_value_grad(Some(3.0), 2.0), (Some(2.0), 3.0));
    assert_eq!(by_value_grad(None, 2.0), (None, 4.0));
    assert_eq!(by_reference_grad(&Some(3.0), 2.0), (Some(2.0), 3.0));
    assert_eq!(by_reference_grad(&None, 2.0), (None, 1.0));
    assert_eq!(parameter_with_default_grad(Some(3.0), 2.0), (Some(2.0), 3.0));
    assert_eq!(parameter_with_default_grad(None, 2.0), (None, 8.0));
    assert_eq!(parameter_mapped_grad(&Some(3.0), 2.0), (Some(12.0), 9.0));
    assert_eq!(parameter_mapped_grad(&None, 2.0), (None, 4.0));
    assert_eq!(of_a_vector_grad(Some(vec![3.0, 1.0]), 2.0), (Some(vec![3.0, 1.0]), 3.0));
    assert_eq!(of_a_vector_grad(None, 2.0), (None, 4.0));
    assert_eq!(of_a_pair_grad(Some((3.0, 4)), 2.0), (Some((2.0, ())), 3.0));
    assert_eq!(of_a_pair_grad(Some((3.0, 1)), 2.0), (Some((1.0, ())), 0.0));
    assert_eq!(from_option_to_option_vjp(Some(3.0), 2.0).1(Some(1.0)), (Some(2.0), 3.0));
    assert_eq!(from_option_to_option_jvp(Some(3.0), 2.0, Some(1.0), 1.0), (Some(6.0), Some(5.0)));
}
#[differentiable]
fn listed(a: f64, b: f64) -> f64 {
    let v = vec![Some(a), None, Some(b * a)];
    let mut s = 0.0;
    for o in &v {
        if let Some(t) = o {
            s += t * t;
        } else {
            s += a;
        }
    }
    s
}
#[differentiable]
fn slice_of_options(v: &[Option<f64>], a: f64) -> f64 {
    let mut s = 0.0;
    for o in v {
        match o {
            Some(t) => s += t * a,
            None => s += a,
        }
    }
    s
}
#[differentiable]
fn vector_to_vector(v: Vec<Option<f64>>, a: f64) -> Vec<Option<f64>> {
    let mut out = Vec::new();
    for i in 0..v.len() {
        out.push(v[i].map(|t| t * a));
    }
    out
}
#[differentiable]
fn summed(v: &[Option<f64>]) -> f64 {
    v.iter().map(|o| o.unwrap_or(1.0)).sum::<f64>()
}
#[differentiable]
fn set_by_index(x: f64) -> f64 {
    let mut v = vec![None; 3];
    v[1] = Some(x);
    v[2] = Some(x * x);
    v[0].unwrap_or(x) + v[1].unwrap() * v[2].unwrap()
}
#[differentiable]
fn popped(x: &[f64]) -> f64 {
    let mut stack = vec![x[0], x[1]];
    let mut s = 1.0;
    while let Some(t) = stack.pop() {
        s = s * t + 1.0;
        if t > 1.5 {
            stack.push(t - 1.0);
        }
    }
    s
}
#[test]
fn elements() {
    close(listed_grad(2.0, 3.0).0, diff(|a| listed(a, 3.0), 2.0));
    close(listed_grad(2.0, 3.0).1, diff(|b| listed(2.0, b), 3.0));
    assert_eq!(slice_of_options_grad(&[Some(2.0), None], 3.0), (vec![Some(3.0), None], 3.0));
    let (_, p) = vector_to_vector_vjp(vec![Some(2.0), None], 3.0);
    assert_eq!(p(vec![Some(1.0), None]), (vec![Some(3.0), None], 2.0));
    assert_eq!(summed_grad(&[Some(2.0), None]), vec![Some(1.0), None]);
    close(set_by_index_grad(2.0), diff(set_by_index, 2.0));
    close(set_by_index_jvp(2.0, 1.0).1, diff(set_by_index, 2.0));
    close(popped_grad(&[1.2, 2.3])[0], diff(|t| popped(&[t, 2.3]), 1.2));
    close(popped_grad(&[1.2, 2.3])[1], diff(|t| popped(&[1.2, t]), 2.3));
}
#[derive(Clone, Differentiable)]
struct S {
    a: f64,
    o: Option<f64>,
    v: Vec<f64>,
}
#[differentiable]
fn field_with_default(s: &S, x: f64) -> f64 {
    s.o.unwrap_or(s.a) * x
}
#[differentiable]
fn field_matched(s: &S, x: f64) -> f64 {
    match s.o {
        Some(o) => o * x * s.v[0],
        None => s.a,
    }
}
#[differentiable]
fn built(a: f64, x: f64) -> S {
    S { a, o: if x > 0.0 { Some(a * x) } else { None }, v: vec![a, x] }
}
#[differentiable]
fn built_and_read(a: f64, x: f64) -> f64 {
    let s = built(a, x);
    field_with_default(&s, x) * s.v[1]
}
#[differentiable]
fn changed_fields(a: f64, x: f64) -> f64 {
    let mut s = S { a, o: None, v: vec![] };
    s.o = Some(x * a);
    s.v.push(x);
    if let Some(t) = &mut s.o {
        *t *= x;
    }
    s.o.unwrap() + s.v[0]
}
#[differentiable]
fn field_by_reference(s: &S, x: f64) -> f64 {
    if let Some(o) = &s.o { o * x } else { x }
}
#[test]
fn fields() {
    let s = |o| S { a: 2.0, o, v: vec![5.0] };
    let (d, dx) = field_with_default_grad(&s(Some(3.0)), 2.0);
    assert_eq!((d.a, d.o, dx), (0.0, Some(2.0), 3.0));
    let (d, dx) = field_with_default_grad(&s(None), 2.0);
    assert_eq!((d.a, d.o, dx), (2.0, None, 2.0));
    let (d, dx) = field_matched_grad(&s(Some(3.0)), 2.0);
    assert_eq!((d.a, d.o, dx, d.v[0]), (0.0, Some(10.0), 15.0, 6.0));
    let (d, _) = field_by_reference_grad(&s(Some(3.0)), 2.0);
    assert_eq!(d.o, Some(2.0));
    for (a, x) in [(1.3, 0.7), (1.1, -0.4)] {
        close(built_and_read_grad(a, x).0, diff(|a| built_and_read(a, x), a));
        close(built_and_read_grad(a, x).1, diff(|x| built_and_read(a, x), x));
        close(built_and_read_jvp(a, x, 1.0, 0.0).1, diff(|a| built_and_read(a, x), a));
        close(changed_fields_grad(a, x).0, diff(|a| changed_fields(a, x), a));
        close(changed_fields_grad(a, x).1, diff(|x| changed_fields(a, x), x));
        close(changed_fields_jvp(a, x, 1.0, 0.0).1, diff(|a| changed_fields(a, x), a));
    }
}
#[differentiable]
fn nearest(xs: &[f64], at: f64) -> Option<f64> {
    let mut best: Option<f64> = None;
    for x in xs {
        let d = (x - at).abs();
        if best.is_none_or(|b| d < b) {
            best = Some(d);
        }
    }
    best
}
#[differentiable]
fn chosen_in_a_loop(xs: &[f64], at: f64) -> f64 {
    let mut best = None;
    for &x in xs {
        best = match best {
            None => Some(x),
            Some(b) if b < x * at => Some(x * b),
            b => b,
        };
    }
    match best {
        None => at,
        Some(b) => b * at,
    }
}
#[differentiable]
fn previous(xs: &[f64]) -> f64 {
    let mut prev: Option<f64> = None;
    let mut s = 0.0;
    for &x in xs {
        if let Some(p) = prev {
            s += p * x;
        }
        prev = Some(x);
    }
    s
}
#[differentiable]
fn changed_in_place(x: f64) -> f64 {
    let mut o = Some(x);
    if let Some(v) = &mut o {
        *v += x * x;
    }
    if let Some(v) = o.as_mut() {
        *v *= 2.0;
    }
    o.unwrap()
}
#[differentiable]
fn nested(x: f64) -> f64 {
    let o: Option<Option<f64>> = if x > 0.0 { Some(Some(x)) } else { Some(None) };
    match o {
        Some(Some(v)) => v * x,
        Some(None) => x,
        None => 0.0,
    }
}
#[differentiable]
fn first_two(xs: &[f64]) -> Option<(f64, f64)> {
    let a = xs.first()?;
    let b = xs.get(1)?;
    Some((a * b, a + b))
}
#[differentiable]
fn taken_and_replaced(x: f64) -> f64 {
    let mut o = Some(x);
    let t = o.take().unwrap_or(0.0);
    let u = o.replace(t * x);
    o.unwrap() + t + u.unwrap_or(x * 3.0)
}
#[differentiable]
fn pairs(x: f64, y: f64) -> f64 {
    let a = if x > 0.0 { Some(x) } else { None };
    let b = Some(y).filter(|t| *t > 1.0);
    match (a, b) {
        (Some(p), Some(q)) => p * q,
        (Some(p), None) => p,
        (None, Some(q)) => q,
        (None, None) => x * y,
    }
}
#[differentiable]
fn from_conditions(x: f64, y: f64) -> f64 {
    let a = (x > 0.0).then(|| x * x);
    a.or(Some(y)).unwrap() + a.zip(Some(y)).map_or(x, |(p, q)| p * q) + (y > 0.0).then_some(y * x).unwrap_or(1.0)
}
#[test]
fn in_loops_and_by_method() {
    let (y, p) = nearest_vjp(&[1.0, 4.0], 3.5);
    assert_eq!(y, Some(0.5));
    assert_eq!(p(Some(1.0)), (vec![0.0, 1.0], -1.0));
    assert_eq!(nearest_vjp(&[], 3.5).1(None), (vec![], 0.0));
    let xs = [1.0, 2.5, 0.3];
    for i in 0..3 {
        let at = |f: &dyn Fn(&[f64]) -> f64, t: f64| {
            let mut z = xs;
            z[i] = t;
            f(&z)
        };
        close(chosen_in_a_loop_grad(&xs, 0.8).0[i], diff(|t| at(&|z| chosen_in_a_loop(z, 0.8), t), xs[i]));
        close(previous_grad(&xs)[i], diff(|t| at(&|z| previous(z), t), xs[i]));
    }
    for x in [0.6, -0.7] {
        close(changed_in_place_grad(x), diff(changed_in_place, x));
        close(nested_grad(x), diff(nested, x));
        close(taken_and_replaced_grad(x), diff(taken_and_replaced, x));
        close(changed_in_place_jvp(x, 1.0).1, diff(changed_in_place, x));
        close(nested_jvp(x, 1.0).1, diff(nested, x));
        close(taken_and_replaced_jvp(x, 1.0).1, diff(taken_and_replaced, x));
        for y in [0.4, 1.7] {
            close(pairs_grad(x, y).0, diff(|x| pairs(x, y), x));
            close(pairs_grad(x, y).1, diff(|y| pairs(x, y), y));
            close(from_conditions_grad(x, y).0, diff(|x| from_conditions(x, y), x));
            close(from_conditions_grad(x, y).1, diff(|y| from_conditions(x, y), y));
        }
    }
    assert_eq!(first_two_vjp(&[2.0, 3.0]).1(Some((1.0, 1.0))), vec![4.0, 3.0]);
    assert_eq!(first_two_vjp(&[2.0]).1(None), vec![0.0]);
}
