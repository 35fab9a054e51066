//! Methods that take sequences apart, put them together and bring them in another order.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::differentiable;

#[differentiable]
fn drained_middle(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    let s: f64 = v.drain(1..3).map(|t| t * a).sum();
    let mut r = s;
    for (i, t) in v.iter().enumerate() {
        r += t * t * i as f64;
    }
    r
}

#[differentiable]
fn drained(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for t in v.drain(..) {
        s += t * t * a;
    }
    v.push(a);
    s + v[0] * v.len() as f64
}

#[differentiable]
fn sorted_up(x: &[f64], a: f64) -> f64 {
    let mut v: Vec<f64> = x.iter().map(|t| t * a).collect();
    v.sort_by(|p, q| p.partial_cmp(q).unwrap());
    v.iter().enumerate().map(|(i, t)| t * t * (i + 1) as f64).sum()
}

#[differentiable]
fn sorted_twice(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    v.sort_unstable_by(f64::total_cmp);
    let w = v.clone();
    v.sort_by(|p, q| q.total_cmp(p));
    v.iter().zip(&w).map(|(p, q)| p * q * a * p).sum()
}

#[differentiable]
fn indices_sorted(x: &[f64], a: f64) -> f64 {
    let mut idx: Vec<usize> = (0..x.len()).collect();
    idx.sort_by(|&i, &j| x[j].partial_cmp(&x[i]).unwrap());
    idx.iter().enumerate().map(|(r, &i)| x[i] * r as f64 * a).sum()
}

#[differentiable]
fn pairs_sorted(x: &[f64], a: f64) -> f64 {
    let mut p: Vec<(f64, usize)> = x.iter().enumerate().map(|(i, t)| (t * a, i)).collect();
    p.sort_by(|u, v| u.0.total_cmp(&v.0));
    p.iter().map(|(t, i)| t * *i as f64).sum()
}

#[differentiable]
fn rows_sorted(x: &[f64], a: f64) -> f64 {
    let mut p: Vec<[f64; 2]> = x.windows(2).map(|w| [w[0], w[1] * a]).collect();
    p.sort_by(|u, v| (u[0] + u[1]).total_cmp(&(v[0] + v[1])));
    let mut s = 0.0;
    for (k, r) in p.iter().enumerate() {
        s += r[0] * k as f64 + r[1] * r[1];
    }
    s
}

#[differentiable]
fn median(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    v[v.len() / 2] * a
}

#[differentiable]
fn retained(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    v.retain(|t| *t * a > 0.5);
    v.iter().map(|t| t * t).sum::<f64>() * a
}

#[differentiable]
fn first_and_rest(x: &[f64], a: f64) -> f64 {
    if let Some((h, t)) = x.split_first() { h * a + t.iter().map(|v| v * h).sum::<f64>() } else { 0.0 }
}

#[differentiable]
fn last_and_rest(x: &[f64], a: f64) -> f64 {
    let Some((h, t)) = x.split_last() else { return a };
    h * a + t.iter().map(|v| v * h).sum::<f64>()
}

#[differentiable]
fn ends(x: &[f64], a: f64) -> f64 {
    x.first().unwrap() * x.last().unwrap() * a
}

#[differentiable]
fn unzipped(x: &[f64], a: f64) -> f64 {
    let (p, q): (Vec<f64>, Vec<f64>) = x.iter().map(|t| (t * a, t * t)).unzip();
    p.iter().zip(&q).map(|(p, q)| p * q).sum()
}

#[differentiable]
fn partitioned(x: &[f64], a: f64) -> f64 {
    let (p, q): (Vec<f64>, Vec<f64>) = x.iter().partition(|t| **t > 1.0);
    p.iter().sum::<f64>() * a + q.iter().map(|t| t * t).sum::<f64>()
}

#[differentiable]
fn extended(x: &[f64], a: f64) -> f64 {
    let mut v = vec![a];
    v.extend(x.iter().map(|t| t * a));
    v.extend_from_slice(&x[1..]);
    v.extend(x);
    v.iter().enumerate().map(|(i, t)| t * t * i as f64).sum()
}

#[differentiable]
fn repetitions_removed(x: &[f64], a: f64) -> f64 {
    let mut v = vec![x[0], x[0], x[1], a, a, x[0]];
    v.dedup();
    v.iter().enumerate().map(|(i, t)| t * (i + 1) as f64).sum()
}

#[differentiable]
fn vector_methods(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    v.insert(1, a);
    let r = v.remove(0);
    v.resize(8, a * r);
    v.truncate(7);
    v.rotate_left(2);
    v.reverse();
    let t = v.split_off(3);
    let mut u = vec![a];
    u.append(&mut v);
    u.iter().chain(t.iter()).enumerate().map(|(i, t)| t * t * i as f64).sum::<f64>() + v.len() as f64 * a
}

#[differentiable]
fn concatenated(x: &[f64], a: f64) -> f64 {
    let v = vec![x.to_vec(), vec![a], x[1..3].to_vec()];
    let c = v.concat();
    let d = [[a, x[0]], [x[1], a]].concat();
    c.iter().enumerate().map(|(i, t)| t * t * i as f64).sum::<f64>() + d.iter().product::<f64>()
}

#[differentiable]
fn looked_at(x: &[f64], a: f64) -> f64 {
    let grid: Vec<f64> = vec![-2.0, 0.0, 1.0, 2.0, 3.0];
    let v: Vec<f64> = grid.iter().map(|g| g * a).collect();
    let k = v.partition_point(|g| *g < x[0]);
    let j = match v.binary_search_by(|g| g.partial_cmp(&x[2]).unwrap()) {
        Ok(j) | Err(j) => j,
    };
    if v.contains(&a) { v[k] * v[j] * x[1] } else { a }
}

#[differentiable]
fn arrays_mapped(x: &[f64], a: f64) -> f64 {
    let v = [x[0], x[1], a].map(|t| t * t);
    let w = [x[0], x[2]].map(|t| (t, t * a));
    v.iter().sum::<f64>() + w[0].0 * w[1].1
}

#[differentiable]
fn array_from_function(x: &[f64], a: f64) -> f64 {
    let v: [f64; 3] = std::array::from_fn(|i| x[i] * a * i as f64);
    v[0] + v[1] * v[2]
}

#[differentiable]
fn pairs_partitioned(x: &[f64], a: f64) -> f64 {
    let (even, odd): (Vec<_>, Vec<_>) = x.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    even.iter().map(|(_, v)| **v * a).sum::<f64>() * odd.iter().map(|(i, v)| **v * *i as f64).sum::<f64>()
}

#[differentiable]
fn split_and_chained(x: &[f64], a: f64) -> f64 {
    let mut w = x.to_vec();
    let k = w.iter().position(|v| *v < 0.0).unwrap_or(0);
    w.swap(0, k);
    let (l, r) = w.split_at(2);
    l.iter().zip(r.iter()).map(|(p, q)| p * q * a).sum::<f64>() + l.iter().chain(r).rev().fold(0.0, |s, t| s * a + t)
}

#[differentiable]
fn popped(x: &[f64], a: f64) -> f64 {
    let mut v = x.to_vec();
    v.push(a);
    let t = v.pop().map(|t| t * t).unwrap_or(0.0);
    t * v.len() as f64 + v.pop().map_or(0.0, |t| t * a)
}

#[differentiable]
fn ranked(x: &[f64], a: f64) -> f64 {
    let order = {
        let mut o: Vec<usize> = (0..x.len()).collect();
        o.sort_by(|i, j| x[*i].total_cmp(&x[*j]));
        o
    };
    let ranked: Vec<f64> = order.iter().map(|&i| x[i]).collect();
    ranked.windows(2).map(|w| (w[1] - w[0]) * a * w[1]).sum()
}

checked! {
    drained_middle drained_middle_value_and_grad drained_middle_jvp;
    drained drained_value_and_grad drained_jvp;
    sorted_up sorted_up_value_and_grad sorted_up_jvp;
    sorted_twice sorted_twice_value_and_grad sorted_twice_jvp;
    indices_sorted indices_sorted_value_and_grad indices_sorted_jvp;
    pairs_sorted pairs_sorted_value_and_grad pairs_sorted_jvp;
    rows_sorted rows_sorted_value_and_grad rows_sorted_jvp;
    median median_value_and_grad median_jvp;
    retained retained_value_and_grad retained_jvp;
    first_and_rest first_and_rest_value_and_grad first_and_rest_jvp;
    last_and_rest last_and_rest_value_and_grad last_and_rest_jvp;
    ends ends_value_and_grad ends_jvp;
    unzipped unzipped_value_and_grad unzipped_jvp;
    partitioned partitioned_value_and_grad partitioned_jvp;
    extended extended_value_and_grad extended_jvp;
    repetitions_removed repetitions_removed_value_and_grad repetitions_removed_jvp;
    vector_methods vector_methods_value_and_grad vector_methods_jvp;
    concatenated concatenated_value_and_grad concatenated_jvp;
    looked_at looked_at_value_and_grad looked_at_jvp;
    arrays_mapped arrays_mapped_value_and_grad arrays_mapped_jvp;
    array_from_function array_from_function_value_and_grad array_from_function_jvp;
    pairs_partitioned pairs_partitioned_value_and_grad pairs_partitioned_jvp;
    split_and_chained split_and_chained_value_and_grad split_and_chained_jvp;
    popped popped_value_and_grad popped_jvp;
    ranked ranked_value_and_grad ranked_jvp;
}
