//! Iterators of which a closure changes what it captures, and the first hit among the items of several iterators.

mod bodies;

use cotangent::{Differentiable, differentiable};
use std::cell::Cell;

/// A linear congruential generator (Knuth, The Art of Computer Programming, volume 2, section 3.3.4: the multiplier of MMIX).
struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / (1_u64 << 53) as f64
    }
}

#[derive(Clone, Differentiable)]
struct Total {
    sum: f64,
}

impl Total {
    #[differentiable]
    fn put(&mut self, v: f64) -> f64 {
        self.sum += v;
        self.sum
    }
}

bodies! {
    found_in_a_chain(x): {
        x.iter().chain(x.iter()).find(|v| **v > 1.0).map_or(0.0, |v| v * v)
    }
    found_in_arrays(x): {
        x.iter().flat_map(|t| [t * t, *t]).find(|v| *v > 1.0).unwrap_or(0.0)
    }
    position_in_a_chain(x): {
        x.iter().chain(x.iter()).position(|v| *v > 1.0).unwrap_or(0) as f64 * x[0]
    }
    found_in_rows(x): {
        [[x[0], x[1]], [x[2], x[3]]].iter().flatten().find(|v| **v > 0.5).map_or(0.0, |v| v * v)
    }
    found_and_mapped_in_rows(x): {
        let rows = [vec![x[0], x[1]], vec![x[2], x[3]]];
        rows.iter().flatten().find_map(|v| if *v > 0.5 { Some(v * v) } else { None }).unwrap_or(x[0])
    }
    found_in_pairs(x): {
        (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).find(|(i, j)| i + j == 3).map_or(0.0, |(i, j)| x[i] * x[j])
    }
    found_with_its_number(x): {
        x.iter().chain(&[2.0, 3.0]).enumerate().find(|(k, v)| *k > 0 && **v > 0.0).map_or(0.0, |(k, v)| v * v * k as f64)
    }
    found_behind_a_filter(x): {
        x.iter().map(|v| v * v).chain(x.iter().map(|v| v * 3.0)).filter(|v| *v > 0.2).find(|v| *v > 1.5).unwrap_or(x[1])
    }
    found_in_options(x): {
        x.iter().flat_map(|v| if *v > 0.5 { Some(v * v) } else { None }).find(|v| *v > 0.1).unwrap_or(0.0) * x[0]
    }
    found_backwards(x): {
        x.iter().rev().chain(x.iter()).find(|v| **v < 0.0).copied().unwrap_or(1.0) * x[2]
    }
    greatest_draw(x): {
        let mut rng = Lcg(3);
        x.iter().map(|t| t * rng.next()).max_by(|a, b| a.total_cmp(b)).unwrap()
    }
    found_sum(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s * s }).find(|y| *y > 0.5).unwrap()
    }
    greatest_sum(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s }).max_by(|a, b| a.total_cmp(b)).unwrap()
    }
    last(x): {
        let mut n = 0;
        let r = x.iter().map(|t| { n += 1; t * t }).last().unwrap();
        r * n as f64
    }
    skipped(x): {
        let mut n = 0;
        let m: f64 = x.iter().map(|t| { n += 1; t * n as f64 }).skip(2).sum();
        m
    }
    counted(x): {
        let mut n = 0;
        let m = x.iter().map(|t| { n += 1; *t }).count();
        (m + n) as f64 * x[0]
    }
    stepped(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s }).step_by(2).sum::<f64>()
    }
    nth(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s * t }).nth(2).unwrap() * x[0]
    }
    found_from_the_end(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s * t }).rev().find(|v| *v > 0.1).unwrap_or(1.0)
    }
    found_in_pairs_of_sums(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s * t }).zip(x).find(|(a, b)| *a * *b > 0.1).map_or(1.0, |(a, b)| a * b)
    }
    greatest_by_a_method(x): {
        let mut acc = Total { sum: 0.0 };
        x.iter().map(|t| acc.put(*t)).max_by(|a, b| a.total_cmp(b)).unwrap() * acc.sum
    }
    least_beside_a_vector(x): {
        let mut out = vec![];
        let m = x.iter().map(|t| { out.push(t * t); *t }).min_by(|a, b| a.total_cmp(b)).unwrap();
        m * out.iter().sum::<f64>()
    }
    greatest_by_a_cell(x): {
        let c = Cell::new(x[0]);
        let m = x.iter().map(|t| { c.set(c.get() * t); c.get() + t }).max_by(|a, b| a.total_cmp(b)).unwrap();
        m * c.get()
    }
    greatest_of_changed(x): {
        let mut v = x.to_vec();
        let m = v.iter_mut().map(|t| { *t *= x[0]; *t }).max_by(|a, b| a.total_cmp(b)).unwrap();
        m * v[0]
    }
    collected(x): {
        let mut s = 0.0;
        let v: Vec<f64> = x.iter().map(|t| { s += t; s }).collect();
        v[3] * v[1] * s
    }
    taken(x): {
        let mut s = 0.0;
        let t: f64 = x.iter().map(|t| { s += t; s }).take(3).zip(x.iter().skip(1)).map(|(a, b)| a * b).sum();
        t * s
    }
    least_and_greatest(x): {
        let mut s = 1.0;
        let (a, b) = x.iter().map(|t| { s *= 1.5; t * s }).min_by(|a, b| a.total_cmp(b)).zip(x.iter().copied().reduce(f64::max)).unwrap();
        a * b * s
    }
    numbered(x): {
        let mut k = 0;
        let a: [f64; 4] = std::array::from_fn(|i| { k += 1; x[i] * k as f64 });
        a.iter().map(|v| { k += 1; v * k as f64 }).enumerate().map(|(i, v)| v * i as f64).sum()
    }
    looped(x): {
        let mut s = 0.0;
        for v in x.iter().map(|t| { s += t; s }).skip(1).step_by(2) { if v > 10.0 { break; } }
        s * x[0]
    }
    reversed(x): {
        let mut s = 0.0;
        x.iter().map(|t| { s += t; s }).rev().map(|v| v * v).sum::<f64>()
    }
    greatest_window(x): {
        let mut s = 0.0;
        x.windows(2).map(|w| { s += w[0] * w[1]; s }).max_by(|a, b| a.total_cmp(b)).unwrap()
    }
}
