//! Chains with sources in which nothing differentiable occurs: constants, maps, strings, what calls give.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::differentiable;
use std::collections::BTreeMap;

const W: [f64; 3] = [0.5, -1.0, 2.0];
static S: [f64; 3] = [0.25, 1.0, -2.0];
const TABLE: &[(f64, f64)] = &[(0.5, 1.0), (1.5, -2.0)];

fn weights() -> Vec<f64> {
    vec![1.0, 2.0, 3.0]
}

struct Conf {
    w: Vec<f64>,
    k: f64,
}

fn conf() -> Conf {
    Conf { w: weights(), k: 2.0 }
}

fn pairs() -> Vec<(usize, f64)> {
    vec![(0, 1.5), (2, -0.5), (1, 2.0)]
}

fn grid() -> Vec<Vec<f64>> {
    vec![vec![1.0, 2.0], vec![3.0], vec![]]
}

struct Lookup;

impl Lookup {
    fn names(&self) -> Vec<String> {
        vec!["p".into(), "qq".into()]
    }

    fn iter(&self) -> std::vec::IntoIter<f64> {
        vec![1.0, 2.0, 3.0].into_iter()
    }
}

#[differentiable]
fn constant_beside(x: &[f64], a: f64) -> f64 {
    W.iter().zip(x).map(|(w, x)| w * x * a).sum()
}

#[differentiable]
fn local_of_a_call(x: &[f64], a: f64) -> f64 {
    let w = weights();
    w.iter().zip(x).map(|(w, x)| w * x * a).sum()
}

#[differentiable]
fn inactive_field(x: &[f64], a: f64) -> f64 {
    let c = conf();
    c.w.iter().zip(x.iter()).map(|(w, x)| w * x * a * c.k).sum()
}

#[differentiable]
fn constant_mapped(x: &[f64], a: f64) -> f64 {
    let s: f64 = W.iter().map(|w| w * a).sum();
    s * x[0]
}

#[differentiable]
fn range_mapped(x: &[f64], a: f64) -> f64 {
    (0..x.len()).map(|i| i as f64 * x[i] * a).sum()
}

#[differentiable]
fn values_of_a_map(x: &[f64], a: f64) -> f64 {
    let m: BTreeMap<&str, f64> = [("a", 1.0), ("b", 2.0)].into_iter().collect();
    m.values().zip(x).map(|(w, x)| w * x * a).sum()
}

#[differentiable]
fn chars_beside(x: &[f64], a: f64) -> f64 {
    let s = "abc";
    s.chars().zip(x).map(|(c, x)| if c == 'b' { x * a } else { x * x }).sum()
}

#[differentiable]
fn numbers_of_a_string(x: &[f64], a: f64) -> f64 {
    let s = "1.0 2.0 3.5";
    let v: Vec<f64> = s.split(' ').map(|t| t.parse::<f64>().unwrap()).collect();
    v.iter().zip(x).map(|(c, x)| c * x * a).sum()
}

#[differentiable]
fn three_sources(x: &[f64], a: f64) -> f64 {
    x.iter().zip(W.iter()).zip(S.iter()).map(|((x, w), s)| x * w * s * a).sum()
}

#[differentiable]
fn reference_to_a_constant(x: &[f64], a: f64) -> f64 {
    x.iter().zip(&W).map(|(x, &w)| x * w * a).sum()
}

#[differentiable]
fn constant_by_value(x: &[f64], a: f64) -> f64 {
    x.iter().zip(W).map(|(x, w)| x.powi(2) * w * a).sum()
}

#[differentiable]
fn open_range(x: &[f64], a: f64) -> f64 {
    x.iter().zip(1..).map(|(x, k)| x * f64::from(k) * a).sum()
}

#[differentiable]
fn pairs_of_a_map(x: &[f64], a: f64) -> f64 {
    let m: BTreeMap<usize, f64> = [(0, 1.0), (2, 2.0)].into_iter().collect();
    m.iter().map(|(&i, &w)| x[i] * w * a).sum()
}

#[differentiable]
fn constants_in_loops(x: &[f64], a: f64) -> f64 {
    let w: Vec<f64> = W.iter().map(|w| w.exp()).collect();
    let mut s = 0.0;
    for (w, x) in w.iter().zip(x) {
        s += w * x * a;
    }
    for (i, w) in W.iter().enumerate() {
        s += w * x[i];
    }
    for w in &W {
        s += w * a;
    }
    for &w in &W {
        s += w * a;
    }
    for (&w, x) in W.iter().zip(x) {
        s += w.sin() * a * x;
    }
    s
}

#[differentiable]
fn constant_rows(x: &[f64], a: f64) -> f64 {
    const K: [[f64; 2]; 3] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    K.iter().zip(x).map(|(r, x)| r[0] * x + r[1] * a * x * x).sum()
}

#[differentiable]
fn indices(x: &[f64], a: f64) -> f64 {
    let idx = vec![2usize, 0, 1];
    idx.iter().map(|&i| x[i] * a).fold(0.0, |s, t| 2.0 * s + t)
}

#[differentiable]
fn literal_array(x: &[f64], a: f64) -> f64 {
    [1.0, 2.0, 3.0].iter().zip(x).map(|(w, x)| w * x * a).sum()
}

#[differentiable]
fn local_array(x: &[f64], a: f64) -> f64 {
    let w = [1.0, 2.0, 3.0];
    w.iter().zip(x.iter()).filter(|(w, _)| **w > 1.5).map(|(w, x)| w * x * a).sum()
}

#[differentiable]
fn strings_beside(x: &[f64], a: f64) -> f64 {
    let names = ["u".to_string(), "vv".to_string(), "www".to_string()];
    names.iter().zip(x).map(|(n, x)| n.len() as f64 * x * a).sum()
}

#[differentiable]
fn unwrapped(x: &[f64], a: f64) -> f64 {
    let opt: Option<Vec<f64>> = Some(weights());
    opt.unwrap().into_iter().zip(x).map(|(n, x)| n * x * a).sum()
}

#[differentiable]
fn pairs_of_a_call(x: &[f64], a: f64) -> f64 {
    pairs().iter().map(|(i, w)| x[*i] * w * a).sum()
}

#[differentiable]
fn pairs_of_a_local(x: &[f64], a: f64) -> f64 {
    let p = pairs();
    p.iter().zip(x).map(|((i, w), v)| x[*i] * w * a * v).sum()
}

#[differentiable]
fn rows_of_a_call(x: &[f64], a: f64) -> f64 {
    grid().iter().zip(x).map(|(r, v)| r.iter().map(|w| w * v * a).sum::<f64>() + r.len() as f64 * v).sum()
}

#[differentiable]
fn table_of_pairs(x: &[f64], a: f64) -> f64 {
    TABLE.iter().map(|(p, q)| p * a + q * x[0]).sum::<f64>()
        + TABLE.iter().zip(x).map(|(&(p, q), v)| p * q * v).sum::<f64>()
}

#[differentiable]
fn methods_of_a_type(x: &[f64], a: f64) -> f64 {
    let l = Lookup;
    l.iter().zip(x).map(|(w, v)| w * v * a).sum::<f64>() + l.names().iter().map(|n| n.len() as f64 * a).sum::<f64>()
}

#[differentiable]
fn parsed_indices(x: &[f64], a: f64) -> f64 {
    let text = "3 1 x 2";
    text.split(' ').filter_map(|t| t.parse::<usize>().ok()).map(|k| x[k] * a).sum()
}

#[differentiable]
fn map_in_many_ways(x: &[f64], a: f64) -> f64 {
    let m: BTreeMap<String, f64> = [("u".to_string(), 2.0), ("v".to_string(), 3.0)].into_iter().collect();
    let mut s = 0.0;
    for (k, w) in &m {
        s += w * a * k.len() as f64;
    }
    for (k, w) in m.iter() {
        s += w * x[k.len()];
    }
    for w in m.values() {
        s += w * a * a;
    }
    m.iter().map(|(k, w)| w * a * k.len() as f64).sum::<f64>() + s + m.values().map(|w| w * a).fold(1.0, |p, q| p * q)
}

#[differentiable]
fn open_range_first(x: &[f64], a: f64) -> f64 {
    (0..).zip(x).map(|(i, v)| f64::from(i) * v * a).sum()
}

#[differentiable]
fn open_range_until(x: &[f64], a: f64) -> f64 {
    (1..).map(|k| a / k as f64).take_while(|t| *t > 0.2).zip(x).map(|(p, q)| p * q).sum()
}

#[differentiable]
fn labels(x: &[f64], a: f64) -> f64 {
    let labels = vec!["a", "b", "a", "b", "a"];
    labels.iter().zip(x.iter()).filter(|(l, _)| **l == "a").map(|(_, v)| v * a).sum()
}

checked! {
    constant_beside constant_beside_value_and_grad constant_beside_jvp;
    local_of_a_call local_of_a_call_value_and_grad local_of_a_call_jvp;
    inactive_field inactive_field_value_and_grad inactive_field_jvp;
    constant_mapped constant_mapped_value_and_grad constant_mapped_jvp;
    range_mapped range_mapped_value_and_grad range_mapped_jvp;
    values_of_a_map values_of_a_map_value_and_grad values_of_a_map_jvp;
    chars_beside chars_beside_value_and_grad chars_beside_jvp;
    numbers_of_a_string numbers_of_a_string_value_and_grad numbers_of_a_string_jvp;
    three_sources three_sources_value_and_grad three_sources_jvp;
    reference_to_a_constant reference_to_a_constant_value_and_grad reference_to_a_constant_jvp;
    constant_by_value constant_by_value_value_and_grad constant_by_value_jvp;
    open_range open_range_value_and_grad open_range_jvp;
    pairs_of_a_map pairs_of_a_map_value_and_grad pairs_of_a_map_jvp;
    constants_in_loops constants_in_loops_value_and_grad constants_in_loops_jvp;
    constant_rows constant_rows_value_and_grad constant_rows_jvp;
    indices indices_value_and_grad indices_jvp;
    literal_array literal_array_value_and_grad literal_array_jvp;
    local_array local_array_value_and_grad local_array_jvp;
    strings_beside strings_beside_value_and_grad strings_beside_jvp;
    unwrapped unwrapped_value_and_grad unwrapped_jvp;
    pairs_of_a_call pairs_of_a_call_value_and_grad pairs_of_a_call_jvp;
    pairs_of_a_local pairs_of_a_local_value_and_grad pairs_of_a_local_jvp;
    rows_of_a_call rows_of_a_call_value_and_grad rows_of_a_call_jvp;
    table_of_pairs table_of_pairs_value_and_grad table_of_pairs_jvp;
    methods_of_a_type methods_of_a_type_value_and_grad methods_of_a_type_jvp;
    parsed_indices parsed_indices_value_and_grad parsed_indices_jvp;
    map_in_many_ways map_in_many_ways_value_and_grad map_in_many_ways_jvp;
    open_range_first open_range_first_value_and_grad open_range_first_jvp;
    open_range_until open_range_until_value_and_grad open_range_until_jvp;
    labels labels_value_and_grad labels_jvp;
}

/// Names at the end of a range, in code that is kept.
mod ends_of_ranges {
    use cotangent::differentiable;

    #[differentiable]
    fn shadowed(x: f64, n: usize) -> f64 {
        let n = n * 2;
        x * "abcdefghijkl"[..n].len() as f64
    }

    #[differentiable]
    fn assigned(x: f64, mut n: usize) -> f64 {
        n *= 2;
        assert!((0..n).contains(&5));
        x * n as f64
    }

    #[test]
    fn are_those_of_the_moment() {
        assert_eq!(shadowed_value_and_grad(1.5, 3), (9.0, 6.0));
        assert_eq!(assigned_value_and_grad(1.5, 3), (9.0, 6.0));
    }
}
