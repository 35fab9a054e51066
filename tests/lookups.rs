//! Options in which nothing differentiable occurs, as maps and positions give them, with closures and defaults in which
//! something does.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::differentiable;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Default)]
struct Settings {
    weight: Option<f64>,
    at: Option<usize>,
}

fn chosen(k: usize) -> Option<usize> {
    (k > 0).then_some(k)
}

#[differentiable(wrt(x, a))]
fn of_parameters(x: &[f64], a: f64, i: Option<usize>, w: Option<f64>, s: &Settings) -> f64 {
    i.map(|i| x[i] * a).unwrap_or(0.0)
        + i.map_or(a, |i| x[i].sin())
        + w.unwrap_or(x[0]) * x[1]
        + w.map(|w| w * x[2]).unwrap_or_default()
        + s.weight.unwrap_or(x[3])
        + s.weight.map_or(x[0] * a, |w| w * x[1])
        + s.at.map(|i| x[i]).unwrap_or(x[2])
        + i.zip(w).map(|(i, w)| x[i] * w).unwrap_or(a)
        + s.at.unwrap_or(2) as f64 * x[s.at.unwrap_or(0)]
}

#[differentiable]
fn parameters(x: &[f64], a: f64) -> f64 {
    let some = Settings { weight: Some(0.3), at: Some(4) };
    of_parameters(x, a, Some(1), Some(2.0), &some) * a
        + of_parameters(x, a, chosen(0), some.at.map(|_| 1.5), &Settings::default())
}

#[differentiable]
fn maps(x: &[f64], a: f64) -> f64 {
    let t = HashMap::from([(1, 2.5), (3, 0.5)]);
    let u: BTreeMap<&str, usize> = BTreeMap::from([("a", 2), ("b", 0)]);
    t.get(&1).map_or(0.0, |w| w * x[0])
        + t.get(&1).map(|w| w * x[1]).unwrap_or(a)
        + t.get(&7).copied().map(|w| w * x[0]).unwrap_or(x[2] * a)
        + t.get(&7).copied().unwrap_or(a * a)
        + u.get("a").map(|&i| x[i] * x[i]).unwrap_or(0.0)
        + u.iter().max_by_key(|(_, i)| **i).map(|(name, i)| x[*i] * name.len() as f64).unwrap()
        + t.values().copied().reduce(f64::max).map_or(a, |top| (top * x[4]).sin())
}

#[differentiable]
fn calls(x: &[f64], a: f64) -> f64 {
    let k = chosen(2);
    let mut s = k.map(|i| x[i]).unwrap_or(1.0) + chosen(0).map(|i| x[i]).unwrap_or(a);
    s += chosen(1).and_then(|i| if x[i] < 0.0 { Some(x[i] * a) } else { None }).unwrap_or(0.0);
    s += chosen(3).and_then(|i| x.get(i)).copied().unwrap_or(0.0);
    s += chosen(4).map_or_else(|| x[0], |i| x[i] * x[i]);
    s += chosen(0).unwrap_or(1) as f64 * a;
    s * chosen(0).map(|i| x[i]).or_else(|| x.first().copied()).unwrap_or(2.0)
}

#[differentiable]
fn elements(x: &[f64], a: f64) -> f64 {
    let all = [Some(2), None, Some(1)];
    all.iter().filter_map(|o| o.map(|i| x[i] * a)).sum::<f64>()
        + all.iter().map(|o| o.map_or(a, |i| x[i])).product::<f64>()
        + all[0].map(|i| x[i]).unwrap_or(1.0)
        + all.first().copied().flatten().map(|i| x[i] * x[i]).unwrap_or(1.0)
}

#[differentiable]
fn conditions(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    if let Some(k) = chosen(1).filter(|&i| x[i] < 0.0) {
        s *= x[k];
    }
    if chosen(2).is_some_and(|i| x[i] > 1.0) && chosen(0).is_none_or(|i| x[i] > 9.0) {
        s += x[2];
    }
    let Some(j) = chosen(3).filter(|&i| x[i] > 1.0) else { return s * x[4] };
    s * x[j]
}

/// A default is evaluated whether it is needed or not.
#[differentiable]
fn defaults(x: &[f64], a: f64) -> f64 {
    let mut calls = 0;
    let mut tick = || {
        calls += 1;
        calls as f64
    };
    let first = chosen(1).map_or(x[0] * tick(), |i| x[i]);
    first + tick() * a
}

/// The option comes before its default.
#[differentiable]
fn in_order(x: &[f64], a: f64) -> f64 {
    let mut stack = vec![1.5, 2.5, 3.5];
    let mut none: Vec<f64> = vec![];
    let first = stack.pop().map_or(x[0] * stack.len() as f64, |w| w * a * stack.len() as f64);
    let second = stack.pop().unwrap_or(x[0] * stack.len() as f64);
    let third = {
        stack.pop();
        none.pop()
    }
    .unwrap_or(x[1] * (stack.len() + 2) as f64);
    let mut rest = [0.5].iter();
    rest.next();
    first * second + third + rest.next().map_or(x[2] * (1.0 + rest.len() as f64), |w| w * a)
}

/// A closure that is given to such a method may have another one in it, and so may a default.
#[differentiable]
fn one_in_another(x: &[f64], a: f64) -> f64 {
    let t = HashMap::from([(1, 2.0), (2, 3.0)]);
    let u = HashMap::from([(2, 0.5), (5, 1.5)]);
    let mut s = 0.0;
    for k in 0..6 {
        s += t.get(&k).map_or(x[0] + 1.0, |w| u.get(&k).map_or(x[1] * w + 0.5, |v| v * w * a));
        s += u.get(&k).map_or(t.get(&k).map_or(x[0] * 2.0, |q| q * x[1]), |v| v * x[2] * a);
    }
    s
}

checked! {
    parameters parameters_value_and_grad parameters_jvp;
    maps maps_value_and_grad maps_jvp;
    calls calls_value_and_grad calls_jvp;
    elements elements_value_and_grad elements_jvp;
    conditions conditions_value_and_grad conditions_jvp;
    defaults defaults_value_and_grad defaults_jvp;
    in_order in_order_value_and_grad in_order_jvp;
    one_in_another one_in_another_value_and_grad one_in_another_jvp;
}
