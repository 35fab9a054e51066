//! Adapters of iterator chains, alone and inside of each other.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Copy, Differentiable)]
struct P {
    q: f64,
    r: [f64; 2],
}

#[differentiable]
fn filter_mapped(x: &[f64], a: f64) -> f64 {
    x.iter().filter_map(|t| if *t > 0.0 { Some(t.ln() * a) } else { None }).sum()
}

#[differentiable]
fn then(x: &[f64], a: f64) -> f64 {
    x.iter().filter_map(|&t| (t > 0.0).then(|| t * a)).sum()
}

#[differentiable]
fn gotten(x: &[f64], a: f64) -> f64 {
    (0..7).filter_map(|i| x.get(i)).map(|t| t * a * a).sum()
}

#[differentiable]
fn skipped_while(x: &[f64], a: f64) -> f64 {
    x.iter().skip_while(|t| **t < 1.0).map(|t| t * t * a).sum()
}

#[differentiable]
fn taken_while(x: &[f64], a: f64) -> f64 {
    x.iter().take_while(|t| **t < 1.0).map(|t| t * t * a).sum()
}

#[differentiable]
fn mapped_while(x: &[f64], a: f64) -> f64 {
    x.iter().map_while(|t| if *t < 2.0 { Some(t * a) } else { None }).sum()
}

#[differentiable]
fn ranges_flat(x: &[f64], a: f64) -> f64 {
    x.iter().enumerate().flat_map(|(i, t)| (0..i).map(move |k| t * k as f64 * a)).sum()
}

#[differentiable]
fn arrays_flat(x: &[f64], a: f64) -> f64 {
    x.iter()
        .flat_map(|t| {
            let u = t * a;
            [u, u * u]
        })
        .sum()
}

#[differentiable]
fn chunks_flat(x: &[f64], a: f64) -> f64 {
    x.chunks(2).flat_map(|c| c.iter().map(|t| t * c[0] * a)).sum()
}

#[differentiable]
fn rows_flattened(x: &[f64], a: f64) -> f64 {
    let rows: Vec<Vec<f64>> = x.chunks(2).map(|c| c.iter().map(|t| t * a).collect()).collect();
    rows.iter().flatten().map(|t| t * t).sum()
}

#[differentiable]
fn arrays_flattened(x: &[f64], a: f64) -> f64 {
    let rows = [[x[0], a], [x[1], x[2]]];
    rows.iter().flatten().fold(1.0, |p, t| p * t)
}

#[differentiable]
fn remainder(x: &[f64], a: f64) -> f64 {
    let c = x.chunks_exact(2);
    let r = c.remainder();
    let mut s = r.iter().sum::<f64>() * a;
    for p in c {
        s += p[0] * p[1];
    }
    s
}

#[differentiable]
fn chunks_from_the_end(x: &[f64], a: f64) -> f64 {
    x.rchunks(2).enumerate().map(|(k, c)| c.iter().sum::<f64>() * (k + 1) as f64 * a * c[0]).sum()
}

#[differentiable]
fn repeated(x: &[f64], a: f64) -> f64 {
    std::iter::repeat(a).take(3).zip(x).map(|(p, q)| p * q * p).sum()
}

#[differentiable]
fn repeated_n(x: &[f64], a: f64) -> f64 {
    std::iter::repeat_n(x[0], 3).chain(std::iter::once(a)).product()
}

#[differentiable]
fn once_before(x: &[f64], a: f64) -> f64 {
    std::iter::once(a).chain(x.iter().copied()).fold(1.0, |p, q| p * q + a)
}

#[differentiable]
fn successors_taken(x: &[f64], a: f64) -> f64 {
    std::iter::successors(Some(a), |v| Some(v * 0.5 * x[0])).take(4).sum()
}

#[differentiable]
fn successors_that_end(x: &[f64], a: f64) -> f64 {
    std::iter::successors(Some(a), |&v| if v > 0.1 { Some(v * 0.5) } else { None })
        .zip(x.iter())
        .map(|(p, q)| p * q)
        .sum()
}

#[differentiable]
fn made_by_closure(x: &[f64], a: f64) -> f64 {
    let mut k = 0;
    let mut s = a;
    std::iter::from_fn(|| {
        k += 1;
        s *= x[0];
        if k < 4 { Some(s) } else { None }
    })
    .sum()
}

#[differentiable]
fn inspected(x: &[f64], a: f64) -> f64 {
    let mut n = 0;
    let s: f64 = x.iter().inspect(|_| n += 1).map(|t| t * a).sum();
    s * n as f64
}

#[differentiable]
fn cycled(x: &[f64], a: f64) -> f64 {
    x.iter().cycle().take(12).enumerate().map(|(i, t)| t * i as f64 * a).sum()
}

#[differentiable]
fn cycled_beside(x: &[f64], a: f64) -> f64 {
    let w = [a, 2.0];
    x.iter().zip(w.iter().cycle()).map(|(p, q)| p * q).sum()
}

#[differentiable]
fn three_zipped(x: &[f64], a: f64) -> f64 {
    let y: Vec<f64> = x.iter().map(|t| t * a).collect();
    x.iter().zip(&y).zip(x.iter().rev()).map(|((p, q), r)| p * q * r).sum()
}

#[differentiable]
fn zipped_by_function(x: &[f64], a: f64) -> f64 {
    std::iter::zip(x, x.iter().skip(1)).map(|(p, q)| p * q * a).sum()
}

#[differentiable]
fn scan_with_return(x: &[f64], a: f64) -> f64 {
    x.iter()
        .scan(a, |s, t| {
            *s *= t;
            if *s > 100.0 {
                return None;
            }
            Some(*s)
        })
        .sum()
}

#[differentiable]
fn scan_that_ends(x: &[f64], a: f64) -> f64 {
    x.iter()
        .scan(0.0, |s, t| {
            *s += t * a;
            if *s > 2.0 { None } else { Some(*s * t) }
        })
        .sum()
}

#[differentiable]
fn steps_of_filtered(x: &[f64], a: f64) -> f64 {
    x.iter().filter(|t| **t > 0.0).step_by(2).map(|t| t * a).sum::<f64>()
        + x.iter().filter(|t| **t > 0.0).skip(1).take(2).map(|t| t * t).sum::<f64>()
}

#[differentiable]
fn filtered_beside(x: &[f64], a: f64) -> f64 {
    x.iter().filter(|t| **t > 0.5).zip(x.iter().skip(1)).map(|(p, q)| p * q * a).sum::<f64>()
        + x.iter().zip(x.iter().filter(|t| **t > 0.5)).map(|(p, q)| p * q * q).sum::<f64>()
}

#[differentiable]
fn taken_with_continue(x: &[f64], a: f64) -> f64 {
    let mut s = 0.0;
    for t in x.iter().filter(|t| **t > -5.0).take(3) {
        if *t > 2.0 {
            continue;
        }
        s += t * t * a;
    }
    s
}

#[differentiable]
fn nested_chains(x: &[f64], a: f64) -> f64 {
    // nested chains, captured active values at each position
    x.iter()
        .enumerate()
        .filter(|(i, v)| **v > -a && *i < 4)
        .map(|(i, v)| x.iter().skip(i).take_while(|u| **u < 2.0 * a).map(|u| u * v * a).sum::<f64>() * v)
        .fold(a, |s, t| s + t * a)
}

#[differentiable]
fn vectors_of_arrays(x: &[f64], a: f64) -> f64 {
    let pts: Vec<[f64; 2]> = x.windows(2).map(|w| [w[0] * a, w[1]]).collect();
    pts.iter().zip(pts.iter().skip(1)).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>()
        + pts.iter().map(|[u, v]| u * v).sum::<f64>()
}

#[differentiable]
fn vectors_of_vectors(x: &[f64], a: f64) -> f64 {
    let rows: Vec<Vec<f64>> = x.chunks(2).map(|c| c.to_vec()).collect();
    let mut t = 0.0;
    for (i, row) in rows.iter().enumerate() {
        for (j, v) in row.iter().enumerate().rev() {
            t += v * (i + 2 * j) as f64 * a;
        }
    }
    t + rows.iter().map(|r| r.iter().product::<f64>()).sum::<f64>()
        + rows.iter().map(|r| r.len()).sum::<usize>() as f64 * a
}

#[differentiable]
fn windows_of_windows(x: &[f64], a: f64) -> f64 {
    x.windows(3).map(|w| w.windows(2).map(|v| v[0] * v[1] * a).sum::<f64>() * w[2]).sum()
}

#[differentiable]
fn empty(x: &[f64], a: f64) -> f64 {
    let e: &[f64] = &x[..0];
    let s: f64 = e.iter().map(|v| v * a).sum();
    let p: f64 = e.iter().product();
    let m = e.iter().copied().fold(a, f64::max);
    let c: Vec<f64> = e.iter().map(|v| v * a).collect();
    let d = e.windows(2).map(|w| w[0]).sum::<f64>() + e.chunks(3).map(|w| w[0]).sum::<f64>();
    let f = e.iter().min_by(|p, q| p.total_cmp(q)).copied().unwrap_or(a * 2.0);
    s + p * a + m * x[0] + c.len() as f64 + d + f * f
}

#[differentiable]
fn matrix_of_chains(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let m: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| if i == j { a } else { x[i] * x[j] }).collect()).collect();
    let v: Vec<f64> = m.iter().map(|r| r.iter().zip(x).map(|(p, q)| p * q).sum()).collect();
    v.iter().zip(x).map(|(p, q)| p * q).sum::<f64>().sqrt()
}

#[differentiable]
fn vectors_of_structs(x: &[f64], a: f64) -> f64 {
    let ps: Vec<P> = x.iter().map(|v| P { q: v * a, r: [*v, a] }).collect();
    ps.iter().map(|p| p.q * p.r[0] + p.r[1]).sum::<f64>() + ps.iter().fold(1.0, |s, p| s * p.q)
}

#[differentiable]
fn items_by_mutable_reference(x: &[f64], a: f64) -> f64 {
    let mut acc = vec![0.0; 3];
    x.iter().enumerate().for_each(|(i, v)| acc[i % 3] += v * a);
    acc.iter_mut().zip(x).for_each(|(p, q)| *p *= q);
    acc.iter_mut().for_each(|p| *p += a);
    for p in acc.iter_mut().rev().take(2) {
        *p = *p * *p;
    }
    acc.chunks_mut(2).for_each(|c| c[0] *= a);
    acc.iter().sum()
}

#[differentiable]
fn twice_each(x: &[f64], a: f64) -> f64 {
    let v: Vec<f64> = x.iter().flat_map(|t| std::iter::repeat(*t).take(2)).chain(std::iter::once(a)).collect();
    v.chunks_exact(3).map(|c| c[0] * c[1] + c[2] * a).sum()
}

#[differentiable]
fn closure_of_slices(x: &[f64], a: f64) -> f64 {
    let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(u, v)| u * v).sum::<f64>();
    let y: Vec<f64> = x.iter().map(|v| v * a).collect();
    dot(x, &y) + dot(&y[1..], x)
}

#[differentiable]
fn ends_and_steps(x: &[f64], a: f64) -> f64 {
    x.iter().rev().enumerate().skip(1).step_by(2).map(|(i, v)| v * i as f64 * a).sum::<f64>()
        + x.iter().take(10).skip(2).rev().map(|v| v * v).sum::<f64>()
        + x.iter().step_by(2).rev().enumerate().map(|(i, v)| v * i as f64).sum::<f64>()
}

#[differentiable]
fn options_flattened(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| if *v > 0.0 { Some(v * a) } else { None }).flatten().sum::<f64>()
        + x.iter().map(|v| (v, v * a)).map(|(p, q)| p * q).sum::<f64>()
}

#[differentiable]
fn by_value(x: &[f64], a: f64) -> f64 {
    let v = vec![a; 3];
    v.into_iter().zip(x.iter()).map(|(p, q)| p * p * q).sum()
}

#[differentiable]
fn references_collected(x: &[f64], a: f64) -> f64 {
    let sub: Vec<&f64> = x.iter().filter(|v| **v > 0.0).collect();
    sub.iter().map(|v| **v * a).sum::<f64>() + sub.iter().copied().sum::<f64>()
}

#[differentiable]
fn running_sums(x: &[f64], a: f64) -> f64 {
    let cum: Vec<f64> = x
        .iter()
        .scan(0.0, |s, v| {
            *s += v;
            Some(*s)
        })
        .collect();
    cum.last().unwrap() * a + cum.iter().rev().skip_while(|v| **v > 2.0).map(|v| v * v).sum::<f64>()
}

checked! {
    filter_mapped filter_mapped_value_and_grad filter_mapped_jvp;
    then then_value_and_grad then_jvp;
    gotten gotten_value_and_grad gotten_jvp;
    skipped_while skipped_while_value_and_grad skipped_while_jvp;
    taken_while taken_while_value_and_grad taken_while_jvp;
    mapped_while mapped_while_value_and_grad mapped_while_jvp;
    ranges_flat ranges_flat_value_and_grad ranges_flat_jvp;
    arrays_flat arrays_flat_value_and_grad arrays_flat_jvp;
    chunks_flat chunks_flat_value_and_grad chunks_flat_jvp;
    rows_flattened rows_flattened_value_and_grad rows_flattened_jvp;
    arrays_flattened arrays_flattened_value_and_grad arrays_flattened_jvp;
    remainder remainder_value_and_grad remainder_jvp;
    chunks_from_the_end chunks_from_the_end_value_and_grad chunks_from_the_end_jvp;
    repeated repeated_value_and_grad repeated_jvp;
    repeated_n repeated_n_value_and_grad repeated_n_jvp;
    once_before once_before_value_and_grad once_before_jvp;
    successors_taken successors_taken_value_and_grad successors_taken_jvp;
    successors_that_end successors_that_end_value_and_grad successors_that_end_jvp;
    made_by_closure made_by_closure_value_and_grad made_by_closure_jvp;
    inspected inspected_value_and_grad inspected_jvp;
    cycled cycled_value_and_grad cycled_jvp;
    cycled_beside cycled_beside_value_and_grad cycled_beside_jvp;
    three_zipped three_zipped_value_and_grad three_zipped_jvp;
    zipped_by_function zipped_by_function_value_and_grad zipped_by_function_jvp;
    scan_with_return scan_with_return_value_and_grad scan_with_return_jvp;
    scan_that_ends scan_that_ends_value_and_grad scan_that_ends_jvp;
    steps_of_filtered steps_of_filtered_value_and_grad steps_of_filtered_jvp;
    filtered_beside filtered_beside_value_and_grad filtered_beside_jvp;
    taken_with_continue taken_with_continue_value_and_grad taken_with_continue_jvp;
    nested_chains nested_chains_value_and_grad nested_chains_jvp;
    vectors_of_arrays vectors_of_arrays_value_and_grad vectors_of_arrays_jvp;
    vectors_of_vectors vectors_of_vectors_value_and_grad vectors_of_vectors_jvp;
    windows_of_windows windows_of_windows_value_and_grad windows_of_windows_jvp;
    empty empty_value_and_grad empty_jvp;
    matrix_of_chains matrix_of_chains_value_and_grad matrix_of_chains_jvp;
    vectors_of_structs vectors_of_structs_value_and_grad vectors_of_structs_jvp;
    items_by_mutable_reference items_by_mutable_reference_value_and_grad items_by_mutable_reference_jvp;
    twice_each twice_each_value_and_grad twice_each_jvp;
    closure_of_slices closure_of_slices_value_and_grad closure_of_slices_jvp;
    ends_and_steps ends_and_steps_value_and_grad ends_and_steps_jvp;
    options_flattened options_flattened_value_and_grad options_flattened_jvp;
    by_value by_value_value_and_grad by_value_jvp;
    references_collected references_collected_value_and_grad references_collected_jvp;
    running_sums running_sums_value_and_grad running_sums_jvp;
}
