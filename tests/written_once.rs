//! Arrays whose elements are written once, and others that look like it: what was read must be the same when it is undone.

#![allow(clippy::all, clippy::pedantic)]

mod checked;

use cotangent::differentiable;

/// A factor of Cholesky and a solution with it.
#[differentiable]
fn cholesky(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i + 1 {
            l[i * n + j] = (x[i] * x[j]).cos() * 0.1 * a;
        }
        l[i * n + i] += 2.0 + x[i] * x[i];
    }
    for i in 0..n {
        for j in 0..i {
            let mut sum = l[i * n + j];
            for k in 0..j {
                sum -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = sum / l[j * n + j];
        }
        let mut sum = l[i * n + i];
        for k in 0..i {
            sum -= l[i * n + k] * l[i * n + k];
        }
        l[i * n + i] = sum.sqrt();
    }
    let mut value = 0.0;
    let mut white = vec![0.0; n];
    for i in 0..n {
        let mut sum = x[i];
        for k in 0..i {
            sum -= l[i * n + k] * white[k];
        }
        white[i] = sum / l[i * n + i];
        value += 0.5 * white[i] * white[i] + l[i * n + i].ln();
    }
    value
}

/// A recurrence whose table is written once.
#[differentiable]
fn recurrence(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut t = vec![a; n + 1];
    for i in 1..n + 1 {
        t[i] = (t[i - 1] * x[i - 1]).sin() + a * t[i - 1];
    }
    t[n] * t[0]
}

/// From the end down.
#[differentiable]
fn downwards(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut t = vec![a; n];
    for i in (0..n - 1).rev() {
        t[i] = (t[i + 1] * x[i]).sin() * t[i + 1];
    }
    for i in (1..n).rev() {
        t[i] *= t[i - 1] * x[i];
    }
    t[0] * t[n - 1]
}

/// A table of two dimensions, with the rows above and to the left.
#[differentiable]
fn table(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut t = vec![a; n * n];
    for i in 1..n {
        for j in 1..n {
            let best = t[(i - 1) * n + j].max(t[i * n + j - 1]);
            t[i * n + j] = best * x[i] + t[(i - 1) * n + j - 1].sin() * x[j];
        }
    }
    t[n * n - 1]
}

/// Rows that overlap, as they are shorter than what is written of them.
#[differentiable]
fn overlapping(x: &[f64], a: f64) -> f64 {
    let (n, m) = (x.len(), x.len() - 2);
    let mut t = vec![a; n * n];
    for i in 1..n {
        for j in 0..n {
            t[i * m + j] = (t[(i - 1) * m + j] * x[j]).sin() + t[i * m + j] * x[i];
        }
    }
    let mut sum = 0.0;
    for i in 0..n * n {
        sum += t[i] * t[i];
    }
    sum
}

/// What is read is written over in the next iteration, in the next loop, in a loop around.
#[differentiable]
fn written_again(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut t = vec![a; n];
    for i in 0..n - 1 {
        t[i + 1] = t[i].sin() * x[i];
        t[i] = t[i + 1] * t[i] + a;
    }
    for _ in 0..2 {
        for i in 1..n {
            t[i] = (t[i - 1] * x[i]).cos() * t[i];
        }
    }
    for i in 0..n {
        t[i] = t[i] * t[i];
    }
    t[n - 1] + t[1]
}

/// The old version of an array is read while the new one is written.
#[differentiable]
fn old_version(x: &[f64], a: f64) -> f64 {
    let mut t = [x[0], x[1], x[2], x[3]];
    for k in 0..3 {
        let old = t;
        for i in 0..3 {
            t[i] = (old[i + 1] * a).sin() * old[i + 1];
        }
        t[3] = old[k] * old[k];
    }
    t[0] * t[3] + t[1]
}

/// The same outside of a loop around.
#[differentiable]
fn old_version_once(x: &[f64], a: f64) -> f64 {
    let t = [x[0], x[1], x[2], x[3]];
    let mut u = t;
    let mut sum = 0.0;
    for i in 0..3 {
        sum += t[i + 1] * t[i + 1] * a.exp();
        u[i] = sum * t[i + 1] * u[i + 1];
    }
    sum + u[0] * u[2]
}

/// Two arrays that change places.
#[differentiable]
fn swapped(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let (mut t, mut u) = (vec![a; n], vec![1.0; n]);
    for s in 0..3 {
        for i in 1..n {
            u[i] = (t[i - 1] * x[i]).sin() + t[i] * t[i - 1] * s as f64;
        }
        std::mem::swap(&mut t, &mut u);
    }
    t[n - 1] * t[1]
}

/// Some elements are written, by a condition, and the loop is left early.
#[differentiable]
fn sometimes(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut t = vec![a; n];
    for i in 1..n {
        if x[i] > 0.0 {
            t[i] = t[i - 1] * t[i - 1] * x[i];
        } else if t[i - 1] > 40.0 {
            break;
        }
        if i == 3 {
            t[0] = t[i] * t[0];
        }
    }
    let mut sum = 0.0;
    for v in &t {
        sum += v * v;
    }
    sum
}

/// With arrays in the places, and a number that is no index of a loop.
#[differentiable]
fn pairs(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let mut t = vec![[a, 1.0]; 2 * n];
    let mut at = 0;
    for i in 1..n {
        t[i] = [t[i - 1][1] * x[i], t[i - 1][0] * t[i - 1][1]];
        t[i][1] += t[i][0] * t[i][0];
        at += 1 + i % 2;
        t[n + at % n] = [t[i - 1][0], t[n + (at + 1) % n][1] * x[i]];
    }
    let mut k = 0;
    while k + 1 < n {
        t[k + 1][0] = t[k][0] * t[k + 1][1] * a;
        k += 1;
    }
    t[n - 1][0] * t[n - 1][1] + t[n][0] * t[n + 2][1]
}

/// Every second element, and an index that is read.
#[differentiable]
fn chosen(x: &[f64], a: f64) -> f64 {
    let n = x.len();
    let order = [3, 1, 4, 0, 2];
    let mut t = vec![a; 2 * n];
    for i in 0..n {
        t[2 * i + 1] = t[2 * i].sin() * x[i];
        t[2 * i] *= t[2 * i + 1];
    }
    for i in 1..n {
        let (from, to) = (order[i - 1], order[i]);
        t[to] = t[from] * t[from] * x[i] + t[to].cos();
    }
    t[0] * t[2] + t[4] * t[7]
}

checked! {
    cholesky cholesky_value_and_grad cholesky_jvp;
    recurrence recurrence_value_and_grad recurrence_jvp;
    downwards downwards_value_and_grad downwards_jvp;
    table table_value_and_grad table_jvp;
    overlapping overlapping_value_and_grad overlapping_jvp;
    written_again written_again_value_and_grad written_again_jvp;
    old_version old_version_value_and_grad old_version_jvp;
    old_version_once old_version_once_value_and_grad old_version_once_jvp;
    swapped swapped_value_and_grad swapped_jvp;
    sometimes sometimes_value_and_grad sometimes_jvp;
    pairs pairs_value_and_grad pairs_jvp;
    chosen chosen_value_and_grad chosen_jvp;
}
