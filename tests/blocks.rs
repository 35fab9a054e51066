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
fn stencil(x: &[f64], a: f64) -> f64 {
    let mut f = 0.0;
    for i in 2..x.len() - 6 {
        let near = x[i] - 0.5 * x[i - 2] + a * x[i + 1];
        f += near * x[i + 6] + 0.25 * x[i - 1] * x[i + 1];
    }
    f
}

#[test]
fn places_near_each_other_and_one_apart() {
    for n in (8..60).chain(510..532).chain([1035, 1040, 1041, 1300]) {
        let (x, a) = (inputs(n), 0.7);
        let (value, (got, got_a)) = stencil_value_and_grad(&x, a);
        assert_eq!(value.to_bits(), stencil(&x, a).to_bits());
        let (mut want, mut want_a) = (vec![0.0; n], 0.0);
        for i in 2..n - 6 {
            let near = x[i] - 0.5 * x[i - 2] + a * x[i + 1];
            let far = x[i + 6];
            want[i] += far;
            want[i - 2] -= 0.5 * far;
            want[i + 1] += a * far + 0.25 * x[i - 1];
            want[i - 1] += 0.25 * x[i + 1];
            want[i + 6] += near;
            want_a += far * x[i + 1];
        }
        close(&got, &want, 1e-13);
        close(&[got_a], &[want_a], 1e-12);
        let (_, pullback) = stencil_vjp(&x, a);
        close(&pullback(1.0).0, &want, 1e-13);
    }
}

/// An infinite factor does not count where its cotangent is zero, whichever of the places it belongs to.
#[differentiable(wrt(x))]
fn weighted(x: &[f64], w: &[f64]) -> f64 {
    let mut f = 0.0;
    for i in 1..x.len() - 1 {
        let u = x[i - 1] + x[i] * x[i + 1];
        f += w[i] * u;
    }
    f
}

#[test]
fn zero_wins_in_each_of_the_places() {
    for n in 3..40 {
        let (mut x, mut w) = (inputs(n), vec![1.0; n]);
        let at = n / 2;
        w[at] = 0.0;
        if n > 8 {
            // read by the iteration with the weight 0 alone, and by one on each side of it
            (w[at - 1], w[at + 1]) = (0.0, 0.0);
            x[at] = f64::INFINITY;
        }
        let got = weighted_grad(&x, &w);
        let mut want = vec![0.0; n];
        for i in 1..n - 1 {
            if w[i] != 0.0 {
                want[i - 1] += w[i];
                want[i] += w[i] * x[i + 1];
                want[i + 1] += w[i] * x[i];
            }
        }
        close(&got, &want, 1e-13);
        assert!(got.iter().all(|x| x.is_finite()), "{n}: {got:?}");
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

/// One step of a five-point stencil over rows of a field, `width` cells wide, of which the inner ones are `columns`.
#[differentiable]
fn spread(u: &[f64], c: f64, rows: usize, width: usize, columns: usize) -> f64 {
    let mut out = u.to_vec();
    for i in 1..rows - 1 {
        for j in 1..columns - 1 {
            let around = u[(i - 1) * width + j] + u[(i + 1) * width + j] + u[i * width + j - 1] + u[i * width + j + 1];
            out[i * width + j] = u[i * width + j] + c * around;
        }
    }
    let mut s = 0.0;
    for (k, x) in out.iter().enumerate() {
        s += x * x * (k as f64 + 1.0);
    }
    s
}

/// The gradient of [`spread`], cell by cell: a cell counts if nothing is written there later.
fn spread_by_hand(u: &[f64], c: f64, rows: usize, width: usize, columns: usize) -> (Vec<f64>, f64) {
    let mut out = u.to_vec();
    let mut last: Vec<Option<(usize, usize)>> = vec![None; u.len()];
    let flow = |i: usize, j: usize| [(i - 1) * width + j, (i + 1) * width + j, i * width + j - 1, i * width + j + 1];
    for i in 1..rows - 1 {
        for j in 1..columns - 1 {
            out[i * width + j] = u[i * width + j] + c * flow(i, j).iter().map(|&k| u[k]).sum::<f64>();
            last[i * width + j] = Some((i, j));
        }
    }
    let (mut u_bar, mut c_bar) = (vec![0.0; u.len()], 0.0);
    for (k, x) in out.iter().enumerate() {
        let bar = 2.0 * x * (k as f64 + 1.0);
        u_bar[k] += bar;
        if let Some((i, j)) = last[k] {
            flow(i, j).into_iter().for_each(|at| u_bar[at] += c * bar);
            c_bar += bar * flow(i, j).iter().map(|&at| u[at]).sum::<f64>();
        }
    }
    (u_bar, c_bar)
}

/// Also where rows overlap, so that what a row writes is lost by the next one.
#[test]
fn cotangents_of_a_stencil_go_to_places_that_overlap() {
    for (rows, width, columns) in [
        (3, 3, 3),
        (4, 9, 9),
        (5, 10, 10),
        (6, 18, 18),
        (4, 20, 11),
        (4, 11, 20),
        (5, 1, 30),
        (3, 700, 700),
        (7, 12, 26),
    ] {
        let u = inputs(rows * width + columns);
        let (value, (u_bar, c_bar)) = spread_value_and_grad(&u, 0.3, rows, width, columns);
        assert_eq!(value.to_bits(), spread(&u, 0.3, rows, width, columns).to_bits());
        let (want_u, want_c) = spread_by_hand(&u, 0.3, rows, width, columns);
        close(&u_bar, &want_u, 1e-12);
        close(&[c_bar], &[want_c], 1e-12);
        let (u_bar, c_bar, ..) = spread_vjp(&u, 0.3, rows, width, columns).1(1.0);
        close(&u_bar, &want_u, 1e-12);
        close(&[c_bar], &[want_c], 1e-12);
    }
}

/// Sums of the adjoint beside each other, in a function whose result each of them goes into.
#[differentiable]
fn several(x: &[f64], y: &[f64], a: f64, b: f64) -> f64 {
    let mut z = x.to_vec();
    for i in 0..y.len() {
        z[i] = a * y[i] - b * x[i + 1] + i as f64 * a;
    }
    let mut s = 0.0;
    for k in 0..z.len() {
        s += z[k] * z[k];
    }
    s
}

#[test]
fn sums_over_iterations_beside_each_other() {
    for n in [LENGTHS.collect::<Vec<_>>(), (505..530).collect(), vec![1030, 1100]].concat() {
        let (x, y) = (inputs(n + 1), inputs(2 * n)[n..].to_vec());
        let (a, b) = (0.75, -1.25);
        let (value, (x_bar, y_bar, a_bar, b_bar)) = several_value_and_grad(&x, &y, a, b);
        assert_eq!(value.to_bits(), several(&x, &y, a, b).to_bits());
        let (mut want_x, mut want_y, mut want_a, mut want_b) = (vec![0.0; n + 1], vec![0.0; n], 0.0, 0.0);
        want_x[n] = 2.0 * x[n];
        for i in 0..n {
            let bar = 2.0 * (a * y[i] - b * x[i + 1] + i as f64 * a);
            want_x[i + 1] -= b * bar;
            want_y[i] = a * bar;
            want_a += bar * (y[i] + i as f64);
            want_b -= bar * x[i + 1];
        }
        close(&x_bar, &want_x, 1e-13);
        close(&y_bar, &want_y, 1e-13);
        close(&[a_bar, b_bar], &[want_a, want_b], 1e-12);
        let (x_bar, y_bar, a_bar, b_bar) = several_vjp(&x, &y, a, b).1(1.0);
        close(&x_bar, &want_x, 1e-13);
        close(&y_bar, &want_y, 1e-13);
        close(&[a_bar, b_bar], &[want_a, want_b], 1e-12);
    }
}

/// A cotangent of zero stays zero beside what is infinite, in whichever loop it goes through.
#[test]
fn a_cotangent_of_zero_stays_zero_in_each_loop() {
    for columns in [4, 11, 20] {
        let mut u = inputs(6 * 20);
        u[30] = f64::INFINITY;
        let (u_bar, c_bar, ..) = spread_vjp(&u, f64::INFINITY, 6, 20, columns).1(0.0);
        assert!(u_bar.iter().all(|bar| *bar == 0.0));
        assert_eq!(c_bar, 0.0);
    }
}
