//! Integers whose types only inference knows: counters of loops, and what is computed from them, keep the types that they
//! have in the function.

#![allow(clippy::needless_range_loop)]

mod bodies;

use cotangent::differentiable;

fn weight(i: i32) -> f64 {
    i as f64 - 1.5
}

fn weigh8(i: i8) -> f64 {
    i as f64 - 1.5
}

fn pick(i: i64) -> usize {
    (i + 1) as usize % 4
}

bodies! {
    negative_offsets(x): {
        let mut s = 0.0;
        for i in 0..4 {
            for k in [-1, 0, 1] {
                let j = (i + k) as usize & 3;
                s += x[j] * x[i as usize];
            }
        }
        s
    }
    offsets_of_a_typed_range(x): {
        let mut s = 0.0;
        for i in 0..4_i64 {
            for k in [-1, 0, 1] {
                let j = (i + k).rem_euclid(4) as usize;
                s += x[j] * x[i as usize];
            }
        }
        s
    }
    typed_pairs(x): {
        let offs: [(i32, i32); 3] = [(-1, 0), (1, 0), (0, 1)];
        let mut s = 0.0;
        for i in 0..2 {
            for (di, dj) in offs {
                let a = (i + di).rem_euclid(2) as usize;
                let b = (i + dj).rem_euclid(2) as usize;
                s += x[2 * a + b] * x[0];
            }
        }
        s
    }
    constant_pairs(x): {
        const OFFS: [(i32, i32); 3] = [(-1, 0), (1, 0), (0, 1)];
        let mut s = 0.0;
        for i in 0..2 {
            for (di, dj) in OFFS {
                let (a, b) = (i + di, i + dj);
                if a < 0 || b >= 2 {
                    continue;
                }
                s += x[(2 * a + b).rem_euclid(4) as usize] * x[0];
            }
        }
        s
    }
    closure_of_signed(x): {
        let w = x.len() as isize;
        let at = |i: isize, j: isize| x[((i * 2 + j).rem_euclid(w)) as usize];
        let mut s = 0.0;
        for i in 0..2 {
            for j in 0..2 {
                s += at(i - 1, j) * at(i, j + 1);
            }
        }
        s
    }
    closure_at_the_end_of_a_chain(x): {
        let at = |i: i32| x[i.rem_euclid(4) as usize];
        (0..4).map(|i| at(i - 1) * at(i + 1)).sum()
    }
    upper_bound_tells(x): {
        let s: f64 = (-2..2i32).map(|i| x[(i + 2) as usize] * (i.pow(2) as f64)).sum();
        s * x[0]
    }
    parameter_tells(x): {
        let s: f64 = [1, 2, 3].iter().map(|i: &i32| x[*i as usize] * (i.pow(2) as f64)).sum();
        s * x[0]
    }
    collected_integers(x): {
        let v: Vec<i32> = (0..4).collect();
        let s: f64 = v.iter().map(|i| x[*i as usize] * ((i - 2).pow(2) as f64)).sum();
        s * x[0]
    }
    collected_and_mapped(x): {
        let v: Vec<i32> = (0..4).map(|k| k * 3 - 2).collect();
        let s: f64 = v.iter().map(|i| x[i.rem_euclid(4) as usize] * ((i - 2).abs() as f64)).sum();
        s * x[0]
    }
    enumerated_signed(x): {
        let mut s = 0.0;
        for (i, k) in (-2..2i32).enumerate() {
            s += x[i] * (k.pow(3) as f64);
        }
        s * x[1]
    }
    reversed_steps(x): {
        let mut s = 0.0;
        for i in (1..=4i32).rev().step_by(2) {
            s += x[(i - 1) as usize] * f64::from(i).sqrt() * i.pow(2) as f64;
        }
        s * s
    }
    bytes_in_steps(x): {
        let mut s = 0.0;
        for i in (0..240u8).step_by(80) {
            s += x[usize::from(i) / 80] * f64::from(i);
        }
        s
    }
    casts_around(x): {
        let n = x.len();
        let mut s = 0.0;
        for i in 0..n {
            let j = (i as i32 - 1).rem_euclid(n as i32) as usize;
            let k = (i + 1).rem_euclid(n);
            s += x[j] - 2.0 * x[i] * x[k];
        }
        s
    }
    declared_product(x): {
        let mut s = 0.0;
        for i in 0..2 {
            for j in 0..2 {
                let k: usize = i * 2 + j;
                let m = k.pow(2) % 4;
                s += x[k] * x[m];
            }
        }
        s
    }
    table_of_signed(x): {
        let t: [i32; 4] = [3, 2, 1, 0];
        let mut s = 0.0;
        for i in 0..4 {
            let j = t[i];
            let k = (j - 1).rem_euclid(4);
            s += x[k as usize] * x[j as usize];
        }
        s
    }
    nested_ranges(x): {
        let s: f64 = (0..4).flat_map(|i: i32| (0..2).map(move |j| (i, j))).map(|(i, j)| x[(i - j).rem_euclid(4) as usize] * x[0]).sum();
        s
    }
    branch_tells(x): {
        let i: i32 = if x[0] > 0.0 { 1 } else { 2 };
        let j = i - 3;
        x[j.rem_euclid(4) as usize] * x[i as usize]
    }
    counter_given_on(x): {
        let mut s = x[0];
        for i in 0..4 {
            s += weight(i) * x[1] * s.sin();
        }
        s
    }
    counter_below_zero(x): {
        let mut s = x[1];
        for i in 0..4 {
            let j = i - 2;
            s = s.sin() * j as f64 + x[0];
        }
        s
    }
    difference_of_counters(x): {
        let mut s = x[1];
        for i in 0..4 {
            for j in 0..4 {
                if i - j < 0 {
                    s = s.sin() + x[i as usize];
                } else {
                    s *= x[j as usize] * (i - j) as f64 + 1.0;
                }
            }
        }
        s
    }
    alternating_sign(x): {
        let mut s = x[1];
        for i in 0..4 {
            s = s.sin() * (1 - 2 * (i % 2)) as f64 + x[0];
        }
        s
    }
    bytes_given_on(x): {
        let mut s = x[1];
        for i in 0..4 {
            s = s.sin() * weigh8(i) + x[0];
        }
        s
    }
    index_by_a_function(x): {
        let mut s = x[1];
        for i in 0..4 {
            s = s.sin() * x[pick(i)] + x[0];
        }
        s
    }
    backwards_with_a_break(x): {
        let mut s = x[1];
        for i in (0..4).rev() {
            let j = i - 1;
            if j < 0 {
                break;
            }
            s = s.sin() * x[j as usize] + x[0];
        }
        s
    }
    stepped_below_zero(x): {
        let mut s = x[1];
        for i in (0..8).step_by(2) {
            let j = i - 3;
            s = s.sin() * j as f64 + x[0];
        }
        s
    }
    decreasing_sum(x): {
        let mut s = x[1];
        let mut k = 0;
        for i in 0..4 {
            k -= i;
            s = s.sin() * k as f64 + x[0];
        }
        s
    }
    inclusive_below_zero(x): {
        let mut s = x[1];
        for i in 0..=3 {
            let j = i - 2;
            s = s.sin() * j as f64 + x[0];
        }
        s
    }
    power_by_the_counter(x): {
        let mut s = x[1];
        for i in 1..5 {
            s = s.sin() * (i as f64).sqrt() + x[0].powi(i);
        }
        s
    }
    negated_counter(x): {
        let mut s = x[1];
        for i in 0..4 {
            let d = -i;
            s = s.sin() * d as f64 + x[0];
        }
        s
    }
    bound_that_is_used(x): {
        let n = 4;
        let mut s = x[1];
        for i in 0..n {
            let d = i - n / 2;
            s = s.sin() * d as f64 + x[0];
        }
        s
    }
    from_below_zero(x): {
        let mut s = x[1];
        for i in -2..2 {
            s = s.sin() * i as f64 + x[0];
        }
        s
    }
    sum_with_a_signed(x): {
        let mut s = x[1];
        for i in 0..4 {
            for j in -1..2 {
                s = s.sin() * (i + j) as f64 + x[0];
            }
        }
        s
    }
    run_again_below_zero(x): {
        let mut s = x[1];
        #[checkpoint] for i in 0..4 {
            let j = i - 2;
            s = s.sin() * j as f64 + x[0];
        } s
    }
    while_below_zero(x): {
        let mut s = x[1];
        let mut i = 0;
        while i < 4 {
            let j = i - 2;
            s = s.sin() * j as f64 + x[0];
            i += 1;
        }
        s
    }
    early_exit_below_zero(x): {
        let mut s = x[1];
        for i in 0..9 {
            let j = i - 2;
            if j > 1 {
                break;
            }
            s = s.sin() * j as f64 + x[0];
        }
        s
    }
}
