//! What iterator chains end in, and iterators that are advanced by hand.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::differentiable;

#[differentiable]
fn reduced_by_max(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| v * a).reduce(f64::max).unwrap()
}

#[differentiable]
fn reduced_by_closure(x: &[f64], a: f64) -> f64 {
    x.iter().copied().reduce(|p, q| p * q + a).unwrap_or(0.0)
}

#[differentiable]
fn nothing_reduced(x: &[f64], a: f64) -> f64 {
    x.iter().filter(|v| **v > 100.0).copied().reduce(|p, q| p * q + a).unwrap_or(a * 3.0)
}

#[differentiable]
fn tried_to_the_end(x: &[f64], a: f64) -> f64 {
    x.iter().try_fold(1.0, |s, v| if *v < 100.0 { Some(s * a + v) } else { None }).unwrap_or(7.0)
}

#[differentiable]
fn tried_and_failed(x: &[f64], a: f64) -> f64 {
    x.iter().try_fold(1.0, |s, v| if *v < 1.0 { Some(s * a + v) } else { None }).unwrap_or(7.0 * a)
}

#[differentiable]
fn peeked(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter().peekable();
    let mut s = 0.0;
    while let Some(v) = it.next() {
        if let Some(n) = it.peek() {
            s += v * *n * a;
        } else {
            s += v * v;
        }
    }
    s
}

#[differentiable]
fn extremes(x: &[f64], a: f64) -> f64 {
    let lo = x.iter().copied().min_by(|p, q| p.partial_cmp(q).unwrap()).unwrap();
    let hi = x.iter().max_by(|p, q| p.total_cmp(q)).unwrap();
    let k = x.iter().copied().max_by(f64::total_cmp).unwrap();
    (lo * a + hi) * k
}

#[differentiable]
fn extremes_by_key(x: &[f64], a: f64) -> f64 {
    let i = (0..x.len()).max_by_key(|&i| (x[i] * 100.0) as i64).unwrap();
    let v = x.iter().min_by_key(|t| (**t * 100.0) as i64).unwrap();
    x[i] * a * v
}

#[differentiable]
fn greatest_with_index(x: &[f64], a: f64) -> f64 {
    let (i, v) = x.iter().enumerate().max_by(|p, q| p.1.total_cmp(q.1)).unwrap();
    v * a * i as f64
}

#[differentiable]
fn index_of_greatest(x: &[f64], a: f64) -> f64 {
    let i = (0..x.len()).max_by(|&i, &j| x[i].total_cmp(&x[j])).unwrap();
    x[i] * a
}

#[differentiable]
fn folded_extremes(x: &[f64], a: f64) -> f64 {
    x.iter().map(|t| t * a).fold(f64::NEG_INFINITY, f64::max) + x.iter().cloned().fold(f64::INFINITY, f64::min)
}

#[differentiable]
fn questions(x: &[f64], a: f64) -> f64 {
    let mut s = a;
    if x.iter().any(|t| *t < -1.0) {
        s *= x[0];
    }
    if x.iter().all(|t| *t < 10.0) {
        s *= x[1];
    }
    if let Some(p) = x.iter().position(|t| *t > 2.0) {
        s *= x[p];
    }
    s * x.iter().filter(|t| **t > 0.0).count() as f64
}

#[differentiable]
fn last_and_nth(x: &[f64], a: f64) -> f64 {
    x.iter().last().unwrap() * x.iter().nth(1).unwrap() * a
        + x.iter().filter(|t| **t > 0.0).last().unwrap()
        + x.iter().map(|t| t * t).nth(2).unwrap()
}

#[differentiable]
fn taken_by_reference(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter();
    let s: f64 = it.by_ref().take(2).sum();
    let r: f64 = it.map(|t| t * t).sum();
    s * r * a
}

#[differentiable]
fn loop_by_reference(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter();
    let mut s = 0.0;
    for t in it.by_ref() {
        if *t > 2.0 {
            break;
        }
        s += t * a;
    }
    for t in it {
        s += t * t;
    }
    s
}

#[differentiable]
fn next_in_while(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter();
    let mut s = 0.0;
    while let Some(v) = it.next() {
        s = s * a + v;
    }
    s
}

#[differentiable]
fn next_at_both_ends(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter().map(|t| t * a);
    let p = it.next().unwrap();
    let q = it.next_back().unwrap();
    p * q + it.sum::<f64>()
}

#[differentiable]
fn found(x: &[f64], a: f64) -> f64 {
    let p = x.iter().find(|t| **t > 1.0).unwrap();
    let q = x.iter().map(|t| t * a).filter(|t| *t > -50.0).find(|t| *t > 0.1).unwrap();
    let r = x.iter().find_map(|t| if *t > 0.1 { Some(t * t) } else { None }).unwrap();
    p * q * r
}

#[differentiable]
fn position_from_the_end(x: &[f64], a: f64) -> f64 {
    let k = x.iter().rposition(|t| *t < 1.0).unwrap();
    x[k] * a * k as f64
}

#[differentiable]
fn folded_from_the_end(x: &[f64], a: f64) -> f64 {
    x.iter().rfold(0.0, |s, c| s * a + c) + x.iter().filter(|t| **t > 0.0).rev().fold(1.0, |s, c| s * a + c)
}

#[differentiable]
fn operator_as_function(x: &[f64], a: f64) -> f64 {
    x.iter().map(|t| t * a).fold(0.0, std::ops::Add::add)
}

#[differentiable]
fn early_return_around(x: &[f64], a: f64) -> f64 {
    let Some(m) = x.iter().copied().filter(|v| *v > 0.0).map(|v| v * a).reduce(f64::min) else { return a * a };
    if m > 100.0 {
        return m;
    }
    x.iter()
        .map(|v| {
            if *v < 0.0 {
                return v * a;
            }
            v * m
        })
        .sum()
}

#[differentiable]
fn position_of_a_function(x: &[f64], a: f64) -> f64 {
    fn first_big(x: &[f64]) -> Option<usize> {
        x.iter().position(|v| *v > 1.0)
    }
    let k = match first_big(x) {
        Some(k) => k,
        None => return 0.0,
    };
    x[..k].iter().chain(&x[k + 1..]).map(|v| v * x[k] * a).sum()
}

#[differentiable]
fn chunks_by_hand(x: &[f64], a: f64) -> f64 {
    let mut total = 0.0;
    let mut it = x.chunks(2);
    while let Some(c) = it.next() {
        total += c.iter().sum::<f64>() * a * c.len() as f64;
        if total > 50.0 {
            return total;
        }
    }
    total
}

#[differentiable]
fn tuples_folded(x: &[f64], a: f64) -> f64 {
    let (s, p) = x.iter().fold((0.0, 1.0), |(s, p), v| (s + v * a, p * v));
    let (n, m, q) = x.iter().fold((0, 0.0, 0.0), |(n, m, q), &v| {
        let n = n + 1;
        let d = v - m;
        let m = m + d / n as f64;
        (n, m, q + d * (v - m))
    });
    s * p + q / (n as f64 - 1.0) * a + m
}

#[differentiable]
fn first_by_hand(x: &[f64], a: f64) -> f64 {
    let mut it = x.iter().copied();
    let first = it.next().unwrap_or(0.0);
    let (mut lo, mut hi) = (first, first);
    for v in it {
        if v < lo {
            lo = v;
        }
        if v > hi {
            hi = v;
        }
    }
    (hi - lo) * a
}

#[differentiable]
fn functions_of_std(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| v.powi(2)).map(f64::sqrt).map(|v| v * a).map(f64::sin).sum()
}

#[differentiable]
fn left_with_a_value(x: &[f64], a: f64) -> f64 {
    'o: loop {
        let mut s = 0.0;
        for (u, v) in x.iter().zip(x.iter().skip(1)).filter(|(u, v)| u < v) {
            s += u * v * a;
            if s > 40.0 {
                break 'o s;
            }
        }
        break s * a;
    }
}

#[differentiable]
fn integers(x: &[f64], a: f64) -> f64 {
    let n: i32 = (1..=4).sum();
    let p: usize = (1..4usize).product();
    let q = [1usize, 2, 3].iter().sum::<usize>();
    x[0] * n as f64 * p as f64 * a * q as f64
}

#[differentiable]
fn mask(x: &[f64], a: f64) -> f64 {
    let mask: Vec<bool> = x.iter().map(|v| *v > 0.5).collect();
    x.iter().zip(&mask).filter(|(_, m)| **m).map(|(v, _)| v * v * a).sum::<f64>()
        + mask.iter().filter(|m| **m).count() as f64 * a
}

#[differentiable]
fn entropy(x: &[f64], a: f64) -> f64 {
    let total: f64 = x.iter().map(|v| (v * a).exp()).sum();
    x.iter().map(|v| (v * a).exp() / total).map(|p| -p * p.ln()).sum()
}

#[differentiable]
fn pairs_of_indices(x: &[f64], a: f64) -> f64 {
    (0..3).flat_map(|i| (i + 1..4).map(move |j| (i, j))).map(|(i, j)| x[i] * x[j] * a * (i + j) as f64).sum()
}

checked! {
    reduced_by_max reduced_by_max_value_and_grad reduced_by_max_jvp;
    reduced_by_closure reduced_by_closure_value_and_grad reduced_by_closure_jvp;
    nothing_reduced nothing_reduced_value_and_grad nothing_reduced_jvp;
    tried_to_the_end tried_to_the_end_value_and_grad tried_to_the_end_jvp;
    tried_and_failed tried_and_failed_value_and_grad tried_and_failed_jvp;
    peeked peeked_value_and_grad peeked_jvp;
    extremes extremes_value_and_grad extremes_jvp;
    extremes_by_key extremes_by_key_value_and_grad extremes_by_key_jvp;
    greatest_with_index greatest_with_index_value_and_grad greatest_with_index_jvp;
    index_of_greatest index_of_greatest_value_and_grad index_of_greatest_jvp;
    folded_extremes folded_extremes_value_and_grad folded_extremes_jvp;
    questions questions_value_and_grad questions_jvp;
    last_and_nth last_and_nth_value_and_grad last_and_nth_jvp;
    taken_by_reference taken_by_reference_value_and_grad taken_by_reference_jvp;
    loop_by_reference loop_by_reference_value_and_grad loop_by_reference_jvp;
    next_in_while next_in_while_value_and_grad next_in_while_jvp;
    next_at_both_ends next_at_both_ends_value_and_grad next_at_both_ends_jvp;
    found found_value_and_grad found_jvp;
    position_from_the_end position_from_the_end_value_and_grad position_from_the_end_jvp;
    folded_from_the_end folded_from_the_end_value_and_grad folded_from_the_end_jvp;
    operator_as_function operator_as_function_value_and_grad operator_as_function_jvp;
    early_return_around early_return_around_value_and_grad early_return_around_jvp;
    position_of_a_function position_of_a_function_value_and_grad position_of_a_function_jvp;
    chunks_by_hand chunks_by_hand_value_and_grad chunks_by_hand_jvp;
    tuples_folded tuples_folded_value_and_grad tuples_folded_jvp;
    first_by_hand first_by_hand_value_and_grad first_by_hand_jvp;
    functions_of_std functions_of_std_value_and_grad functions_of_std_jvp;
    left_with_a_value left_with_a_value_value_and_grad left_with_a_value_jvp;
    integers integers_value_and_grad integers_jvp;
    mask mask_value_and_grad mask_jvp;
    entropy entropy_value_and_grad entropy_jvp;
    pairs_of_indices pairs_of_indices_value_and_grad pairs_of_indices_jvp;
}
