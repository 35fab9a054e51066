//! Chains in methods, patterns on slices, and vectors in vectors.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Net {
    w: Vec<Vec<f64>>,
    b: Vec<f64>,
    #[inactive]
    scale: Vec<f64>,
    k: f64,
}
#[differentiable]
impl Net {
    fn layer(&self, x: &[f64]) -> Vec<f64> {
        self.w
            .iter()
            .zip(&self.b)
            .map(|(r, b)| r.iter().zip(x).map(|(w, v)| w * v).sum::<f64>() + b * self.k)
            .map(f64::tanh)
            .collect()
    }
    fn scaled(&self, x: &[f64]) -> f64 {
        self.scale.iter().zip(x.iter()).map(|(s, v)| s * v * self.k).sum()
    }
    fn norm(&self) -> f64 {
        self.w.iter().flatten().map(|w| w * w).sum::<f64>()
            + self.w.iter().flat_map(|r| r.iter()).zip(self.b.iter().cycle()).map(|(w, b)| w * b).sum::<f64>()
    }
    fn step(&mut self, r: f64) {
        self.w.iter_mut().for_each(|row| row.iter_mut().for_each(|w| *w *= 1.0 - r));
        for (b, s) in self.b.iter_mut().zip(self.scale.iter()) {
            *b += s * r;
        }
        self.b.sort_by(|p, q| p.total_cmp(q));
        self.b.retain(|b| *b > -100.0);
    }
}

#[differentiable]
fn network(x: &[f64], a: f64) -> f64 {
    let mut n = Net {
        w: vec![x.to_vec(), x.iter().map(|v| v * a).collect()],
        b: vec![a, x[0]],
        scale: vec![1.0, 2.0, 3.0],
        k: a,
    };
    n.step(0.1);
    let y = n.layer(x);
    y.iter().sum::<f64>() + n.scaled(x) + n.norm()
}

#[differentiable]
fn pairs(x: &[f64], a: f64) -> f64 {
    let pts = [(x[0], a), (x[1], x[2])];
    pts.iter().map(|(p, q)| p * q).sum::<f64>()
        + pts.iter().map(|&(p, q)| p - q).fold(1.0, |s, d| s * d)
        + pts.into_iter().map(|(p, _)| p).sum::<f64>()
}

#[differentiable]
fn nearest(x: &[f64], a: f64) -> f64 {
    let mut best: Option<f64> = None;
    for v in x.iter().map(|v| (v - a).abs()) {
        best = Some(match best {
            Some(b) => {
                if v < b {
                    v
                } else {
                    b
                }
            }
            None => v,
        });
    }
    best.unwrap()
}

#[differentiable]
fn groups(x: &[f64], a: f64) -> f64 {
    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); 2];
    for (i, v) in x.iter().enumerate() {
        groups[i % 2].push(v * a);
    }
    groups
        .iter()
        .map(|g| {
            let m = g.iter().sum::<f64>() / g.len() as f64;
            g.iter().map(|v| (v - m).powi(2)).sum::<f64>()
        })
        .sum()
}

#[differentiable]
fn convolved(x: &[f64], a: f64) -> f64 {
    let kernel = [0.25, 0.5, 0.25];
    let y: Vec<f64> = x.windows(kernel.len()).map(|w| w.iter().zip(kernel.iter()).map(|(p, q)| p * q).sum()).collect();
    y.iter().map(|v| v * v * a).sum()
}

#[differentiable]
fn scaled(x: &[f64], a: f64) -> f64 {
    let (mn, mx) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    x.iter().map(|v| (v - mn) / (mx - mn)).map(|v| v.powf(a)).skip(2).sum()
}

#[differentiable]
fn common_subsequence(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut dp = vec![vec![0.0; n + 1]; n + 1];
    for (i, u) in x.iter().enumerate() {
        for (j, v) in x.iter().rev().enumerate() {
            dp[i + 1][j + 1] =
                [dp[i][j + 1], dp[i + 1][j], dp[i][j] + u * v * a].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        }
    }
    dp[n][n]
}

#[differentiable]
fn first_and_the_others(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter().enumerate().filter(|(_, v)| **v > 0.0);
    let (i, v) = it.next().unwrap();
    let rest: Vec<f64> = it.map(|(j, w)| w * j as f64).collect();
    v * a * (i + 1) as f64 + rest.iter().product::<f64>()
}

#[differentiable]
fn two_at_a_time(x: &[f64], a: f64) -> f64 {
    let mut acc = 0.0;
    let mut it = x.iter();
    'l: while let Some(v) = it.next() {
        if *v < 0.0 {
            continue 'l;
        }
        let Some(w) = it.next() else { break };
        acc += v * w * a;
    }
    acc
}

#[differentiable]
fn chunks_matched(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    for (i, c) in x.chunks(2).enumerate() {
        match c {
            [p, q] => s += p * q * i as f64,
            [p] => s *= p,
            _ => {}
        }
    }
    s
}

#[differentiable]
fn weights_in_a_map(x: &[f64], a: f64) -> f64 {
    let w: Vec<f64> = (0..x.len()).map(|i| (i as f64 * 0.3).cos()).collect();
    let idx: Vec<usize> = (0..x.len()).filter(|i| i % 2 == 0).collect();
    let h: std::collections::HashMap<usize, f64> = idx.iter().map(|&i| (i, w[i])).collect();
    idx.iter().map(|i| h[i] * x[*i] * a).sum::<f64>() + w.iter().zip(x).map(|(p, q)| p * q).sum::<f64>()
}

#[differentiable]
fn standard_scores(x: &[f64], a: f64) -> f64 {
    let total: f64 = x.iter().sum();
    let mean = total / x.len() as f64;
    let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
    x.iter().map(|v| (v - mean) / var.sqrt()).map(|z| (z * a).tanh()).fold(0.0, |s, z| s + z * z)
}

#[differentiable]
fn question_mark_around(x: &[f64], a: f64) -> f64 {
    let f = |v: &[f64]| -> Option<f64> {
        let m = v.iter().copied().reduce(f64::max)?;
        Some(m * a)
    };
    f(x).unwrap_or(0.0) + f(&x[..0]).unwrap_or(a)
}

#[differentiable]
fn running_pair(x: &[f64], a: f64) -> f64 {
    let t = x
        .iter()
        .rev()
        .scan((0.0, 1.0), |(s, p), v| {
            *s += v;
            *p *= a;
            Some(*s * *p)
        })
        .collect::<Vec<_>>();
    t.iter().enumerate().map(|(i, v)| v * (i as f64 + 1.0)).sum()
}

#[differentiable]
fn transposed(x: &[f64], a: f64) -> f64 {
    let mut m = vec![vec![a; 3]; 2];
    m.iter_mut().enumerate().for_each(|(i, r)| r.iter_mut().zip(x).for_each(|(c, v)| *c += v * i as f64));
    let t: Vec<Vec<f64>> = (0..3).map(|j| m.iter().map(|r| r[j]).collect()).collect();
    t.iter().map(|r| r.iter().product::<f64>()).sum()
}

#[differentiable]
fn slices_matched(x: &[f64], a: f64) -> f64 {
    let [p, q, rest @ ..] = x else { return 0.0 };
    let s = match rest {
        [] => a,
        [u] => *u,
        [u, .., v] => u * v * a,
    };
    let v = vec![a, *p];
    let t = if let [m, n] = v[..] { m * n } else { 0.0 };
    let z = if let [m, n] = &v[1..] { m * n } else { a };
    p * q * s + t + z
}

#[differentiable]
fn ends_matched(x: &[f64], a: f64) -> f64 {
    match x {
        [] => 0.0,
        [one] => *one,
        [first, .., last] if first < last => first * last,
        [first, ..] => first * a,
    }
}

#[differentiable]
fn maps_by_reference(x: &[f64], a: f64) -> f64 {
    let h: std::collections::HashMap<String, f64> = [("p".to_string(), 2.0)].into_iter().collect();
    let k = "p".to_string();
    let names = vec!["p".to_string(); 2];
    h[&k] * x[0] * a + h["p"] * x[1] + names.iter().map(|n| h[n] * a).sum::<f64>()
}

#[differentiable]
fn vectors_in_a_vector(x: &[f64], a: f64) -> f64 {
    let mut b: Vec<Vec<f64>> = vec![vec![a], vec![], x.to_vec()];
    for v in x {
        let k = if *v > 1.0 { 1 } else { 0 };
        b[k].push(v * a);
    }
    let t = b[2].pop().unwrap();
    b[0].insert(0, t);
    b[2].truncate(2);
    let u = b[0].remove(1);
    b[1].extend(x.iter().skip(3));
    b[2].retain(|v| *v < 5.0);
    b.iter()
        .enumerate()
        .map(|(i, r)| r.iter().enumerate().map(|(j, v)| v * v * (i + 2 * j) as f64).sum::<f64>())
        .sum::<f64>()
        * u
}

checked! {
    network network_value_and_grad network_jvp;
    pairs pairs_value_and_grad pairs_jvp;
    nearest nearest_value_and_grad nearest_jvp;
    groups groups_value_and_grad groups_jvp;
    convolved convolved_value_and_grad convolved_jvp;
    scaled scaled_value_and_grad scaled_jvp;
    common_subsequence common_subsequence_value_and_grad common_subsequence_jvp;
    first_and_the_others first_and_the_others_value_and_grad first_and_the_others_jvp;
    two_at_a_time two_at_a_time_value_and_grad two_at_a_time_jvp;
    chunks_matched chunks_matched_value_and_grad chunks_matched_jvp;
    weights_in_a_map weights_in_a_map_value_and_grad weights_in_a_map_jvp;
    standard_scores standard_scores_value_and_grad standard_scores_jvp;
    question_mark_around question_mark_around_value_and_grad question_mark_around_jvp;
    running_pair running_pair_value_and_grad running_pair_jvp;
    transposed transposed_value_and_grad transposed_jvp;
    slices_matched slices_matched_value_and_grad slices_matched_jvp;
    ends_matched ends_matched_value_and_grad ends_matched_jvp;
    maps_by_reference maps_by_reference_value_and_grad maps_by_reference_jvp;
    vectors_in_a_vector vectors_in_a_vector_value_and_grad vectors_in_a_vector_jvp;
}
