//! Loops whose iterations are done several at once, at every length around that of a block: the value is that of the
//! function bit for bit, and the gradient is the one that is written down beside it.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::{check_grad, differentiable};

fn inputs(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.5 + (0.7 * i as f64 + 0.3).sin()).collect()
}

#[track_caller]
fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (k, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{k}: {a} instead of {b} among {}", want.len());
    }
}

const LENGTHS: std::ops::Range<usize> = 0..42;

#[differentiable]
fn valley(x: &[f64]) -> f64 {
    let mut f = 0.0;
    for i in 1..x.len() {
        let slope = x[i] - x[i - 1] * x[i - 1];
        let offset = 1.0 - x[i - 1];
        f += 100.0 * slope * slope + offset * offset;
    }
    f
}

#[test]
fn places_that_overlap() {
    for n in LENGTHS {
        let x = inputs(n);
        let (value, got) = valley_value_and_grad(&x);
        assert_eq!(value.to_bits(), valley(&x).to_bits());
        let mut want = vec![0.0; n];
        for i in 1..n {
            let slope = x[i] - x[i - 1] * x[i - 1];
            want[i] += 200.0 * slope;
            want[i - 1] += -400.0 * slope * x[i - 1] - 2.0 * (1.0 - x[i - 1]);
        }
        close(&got, &want, 1e-13);
        let (value, pullback) = valley_vjp(&x);
        assert_eq!(value.to_bits(), valley(&x).to_bits());
        close(&pullback(1.0), &want, 1e-13);
        let tangent: Vec<f64> = (0..n).map(|i| (1.0 + i as f64).cos()).collect();
        let slope: f64 = want.iter().zip(&tangent).map(|(a, b)| a * b).sum();
        close(&[valley_jvp(&x, tangent).1], &[slope], 1e-11);
    }
}

#[differentiable]
fn pairs(p: &[f64]) -> f64 {
    let n = p.len() / 3;
    let mut energy = 0.0;
    for i in 0..n {
        for j in i + 1..n {
            let dx = p[3 * i] - p[3 * j];
            let dy = p[3 * i + 1] - p[3 * j + 1];
            let dz = p[3 * i + 2] - p[3 * j + 2];
            let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 1.0);
            energy += inverse * inverse - 3.0 * inverse;
        }
    }
    energy
}

#[test]
fn steps_of_three_and_sums_at_places_that_stay() {
    for n in 0..24 {
        let p = inputs(3 * n);
        let (value, got) = pairs_value_and_grad(&p);
        assert_eq!(value.to_bits(), pairs(&p).to_bits());
        let mut want = vec![0.0; 3 * n];
        for i in 0..n {
            for j in 0..n {
                let d = [0, 1, 2].map(|k| p[3 * i + k] - p[3 * j + k]);
                let inverse = 1.0 / (d.iter().map(|d| d * d).sum::<f64>() + 1.0);
                let slope = (2.0 * inverse - 3.0) * -inverse * inverse;
                if i != j {
                    (0..3).for_each(|k| want[3 * i + k] += 2.0 * slope * d[k]);
                }
            }
        }
        close(&got, &want, 1e-12);
        close(&pairs_vjp(&p).1(1.0), &want, 1e-12);
    }
}

#[differentiable]
fn backwards(x: &[f64], y: &[f64], decay: f64) -> f64 {
    let mut s = 1.0;
    for i in (2..x.len()).rev() {
        let q = x[i] / (1.0 + y[i - 2] * y[i - 2]);
        s = s * decay + q * q / (2.0 + q * q);
    }
    s
}

#[test]
fn downwards_and_not_only_added_up() {
    for n in LENGTHS {
        let (x, y) = (inputs(n), inputs(n + 1));
        let (value, (x_bar, y_bar, decay_bar)) = backwards_value_and_grad(&x, &y, 0.875);
        assert_eq!(value.to_bits(), backwards(&x, &y, 0.875).to_bits());
        let (mut want_x, mut want_y, mut want_decay) = (vec![0.0; n], vec![0.0; n + 1], 0.0);
        let (mut s, mut s_decay) = (1.0, 0.0);
        for i in (2..n).rev() {
            let w = 1.0 + y[i - 2] * y[i - 2];
            let q = x[i] / w;
            let r = 2.0 + q * q;
            // the iterations that are still to come are those below
            let slope = 0.875_f64.powi(i as i32 - 2) * (2.0 * q * r - q * q * 2.0 * q) / (r * r);
            want_x[i] = slope / w;
            want_y[i - 2] = slope * -q / w * 2.0 * y[i - 2];
            s_decay = s_decay * 0.875 + s;
            s = s * 0.875 + q * q / r;
        }
        want_decay += s_decay;
        close(&x_bar, &want_x, 1e-13);
        close(&y_bar, &want_y, 1e-13);
        close(&[decay_bar], &[want_decay], 1e-13);
    }
}

#[differentiable(wrt(x))]
fn in_place(x: &[[f64; 2]], out: &mut [f64], from: usize) -> f64 {
    let mut s = 0.0;
    for i in from..x.len() {
        let t = i as f64;
        let (a, b) = (x[i][0], x[i][1]);
        let q = (a * a + t * b) / (1.0 + b * b) - a * b * b / (1.0 + t);
        out[2 * i + 1] = q;
        s += q * q;
    }
    s
}

#[test]
fn elements_of_elements_and_what_is_changed_in_place() {
    for n in LENGTHS {
        for from in [0, 1, 5] {
            let x: Vec<[f64; 2]> = inputs(2 * n).chunks(2).map(|c| [c[0], c[1]]).collect();
            let (mut out, mut expected) = (vec![-1.0; 2 * n], vec![-1.0; 2 * n]);
            let value = in_place(&x, &mut expected, from);
            let (got, grad) = in_place_value_and_grad(&x, &mut out, from);
            assert_eq!(got.to_bits(), value.to_bits());
            assert_eq!(out, expected);
            let mut want = vec![[0.0; 2]; n];
            for i in from..n {
                let (t, [a, b]) = (i as f64, x[i]);
                let w = 1.0 + b * b;
                let q = (a * a + t * b) / w - a * b * b / (1.0 + t);
                want[i][0] = 2.0 * q * (2.0 * a / w - b * b / (1.0 + t));
                want[i][1] = 2.0 * q * (t / w - (a * a + t * b) / (w * w) * 2.0 * b - 2.0 * a * b / (1.0 + t));
            }
            close(grad.as_flattened(), want.as_flattened(), 1e-12);
        }
    }
}

#[differentiable]
fn single(x: &[f32], y: &[f32]) -> f32 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let d = x[i] - y[i];
        let q = d * d / (1.0 + d * d);
        s += q * q * 0.5 - q * 0.25;
    }
    s
}

#[test]
fn single_precision() {
    for n in LENGTHS {
        let x: Vec<f32> = inputs(n).iter().map(|&x| x as f32).collect();
        let y: Vec<f32> = inputs(n + 3).iter().map(|&x| x as f32 * 0.5).collect();
        let (value, (x_bar, y_bar)) = single_value_and_grad(&x, &y);
        assert_eq!(value.to_bits(), single(&x, &y).to_bits());
        for i in 0..n {
            let d = f64::from(x[i]) - f64::from(y[i]);
            let (q, w) = (d * d / (1.0 + d * d), 1.0 + d * d);
            let want = (q - 0.25) * 2.0 * d / (w * w);
            assert!((f64::from(x_bar[i]) - want).abs() < 1e-5 && (f64::from(y_bar[i]) + want).abs() < 1e-5);
        }
        assert!(y_bar[n..].iter().all(|y| *y == 0.0));
    }
}

#[differentiable]
fn part(x: &[f64], a: usize, b: usize, c: f64) -> f64 {
    let mut s = 0.0;
    let mut count = 0;
    for i in 0..b - a {
        let t = x[a..b][i] * c;
        count += 2;
        s += (t * t + 1.0) / (2.0 + t) - c * t + count as f64 * 0.5;
    }
    s
}

#[test]
fn slices_and_integers_that_are_carried() {
    for n in LENGTHS {
        let x = inputs(n + 5);
        let (value, (x_bar, c_bar)) = part_value_and_grad(&x, 2, n + 2, 0.75);
        assert_eq!(value.to_bits(), part(&x, 2, n + 2, 0.75).to_bits());
        let f = |(x, c): &(Vec<f64>, f64)| part(x, 2, n + 2, *c);
        check_grad(f, &(x.clone(), 0.75), &(x_bar, c_bar)).assert_within(1e-8);
    }
}

/// What is not there is told as it is by the function, whether in a block or after the last one.
#[test]
fn what_is_out_of_bounds_panics() {
    for n in [3, 8, 13, 16] {
        let x = inputs(n + 2);
        let outside = std::panic::catch_unwind(|| part_value_and_grad(&x, 2, n + 3, 0.75));
        assert!(outside.is_err());
        let shorter = inputs(n - 1);
        let outside = std::panic::catch_unwind(|| {
            let x: Vec<f32> = inputs(n).iter().map(|&x| x as f32).collect();
            let y: Vec<f32> = shorter.iter().map(|&x| x as f32).collect();
            single_value_and_grad(&x, &y)
        });
        assert!(outside.is_err());
    }
}
