//! Sequences that are split, joined, chosen from and put in another order; iterators that are advanced by hand.

#![allow(clippy::all, clippy::pedantic)]

mod bodies;

use cotangent::differentiable;

#[differentiable]
fn three(x: f64) -> [f64; 3] {
    [x, x * x, x.sin()]
}

#[differentiable]
fn two(x: f64) -> Option<[f64; 2]> {
    (x < 5.0).then_some([x, x * x])
}

bodies! {
    chunk_by(x): {
        let mut s = 0.0;
        for run in x.chunk_by(|a, b| a < b) {
            s += run.iter().product::<f64>() * run.len() as f64;
        }
        s
    }
    chunk_by_chain(x): {
        x.chunk_by(|a, b| a.floor() == b.floor()).map(|run| run.iter().map(|t| t * t).sum::<f64>() * run[0]).sum()
    }
    split(x): { x.split(|t| *t > 1.0).map(|part| part.iter().map(|t| t * t).sum::<f64>() * x[1]).sum() }
    split_inclusive(x): {
        x.split_inclusive(|t| *t > 1.0).enumerate().map(|(k, part)| part[part.len() - 1] * (k + 2) as f64 * part[0]).sum()
    }
    rsplit(x): { x.rsplit(|t| *t < 0.0).enumerate().map(|(k, part)| part.iter().sum::<f64>().powi(k as i32 + 2)).sum() }
    extend_from_within(x): {
        let mut v = x.to_vec();
        v.extend_from_within(1..3);
        v.extend_from_within(..2);
        v.iter().enumerate().map(|(i, t)| t * t * i as f64).sum()
    }
    splice(x): {
        let mut v = x.to_vec();
        v.splice(1..2, [x[3] * x[0], 2.0, x[1]]);
        let old: Vec<f64> = v.splice(..2, vec![x[2].sin()]).collect();
        v.iter().enumerate().map(|(i, t)| t * t * i as f64).sum::<f64>() + old[0] * old[1]
    }
    select_nth(x): {
        let mut v = x.to_vec();
        let k = v.len() / 2;
        let (low, median, high) = v.select_nth_unstable_by(k, |a, b| a.total_cmp(b));
        *median * low.iter().sum::<f64>() + high[0] * x[0]
    }
    select_nth_by_key(x): {
        let mut v: Vec<(f64, f64)> = x.iter().map(|t| (*t, t * t)).collect();
        v.select_nth_unstable_by_key(1, |(t, _)| (t * 10.0) as i64);
        v[1].0 * v[1].1 + x[2]
    }
    each_ref(x): {
        let a = [x[0], x[1] * x[2], x[3]];
        let r = a.each_ref();
        *r[0] * *r[1] + a.each_ref().map(|t| t * t)[2]
    }
    counted(x): {
        let mut n = 0;
        let most = x.iter().max_by(|a, b| { n += 1; a.total_cmp(b) }).unwrap();
        let mut v = x.to_vec();
        v.sort_by(|a, b| { n += 1; b.total_cmp(a) });
        most * v[1] * n as f64
    }
    as_slice(x): {
        let v = x.iter().map(|t| t / x[1]).collect::<Vec<_>>();
        let [a, .., b] = v.as_slice() else { unreachable!() };
        let y = a * b;
        match v.as_slice() {
            [] => 0.0,
            [first, rest @ ..] => y * first + rest.iter().sum::<f64>().sin(),
        }
    }
    mapped_calls(x): {
        let a = three(x[0]).map(|t| t * x[1]);
        let b: f64 = three(x[2]).iter().sum();
        let c = two(x[3]).map(|v| v[0] * v[1]).unwrap_or(0.0);
        let d = two(x[1]).unwrap().map(|t| t * 2.0);
        let [e, f, _] = three(x[3]).map(|t| t + x[0]);
        a[0] * a[1] + b + c + d[1] + e * f + three(x[2]).map(|t| t * t)[2]
    }
    names(x): {
        let mut s = 0.0;
        for kind in ["one", "two", "three"] {
            s += match kind { "two" => x[0] * x[3], "three" | "four" => x[2] * x[1], _ => x[1] };
        }
        for kind in ['a', 'b', 'c'] {
            s *= match kind { 'a' => x[0], 'b'..='c' => x[3], _ => x[1] };
        }
        s
    }
}
