//! Loops of which several iterations are done at once, at every length around that: the value is that of the function
//! bit for bit, and each entry of the gradient is the tangent along it, which comes from the loops as they are written.

#![allow(clippy::all, clippy::pedantic)]

use cotangent::differentiable;

fn inputs(n: usize, phase: f64) -> Vec<f64> {
    (0..n).map(|i| 0.8 + (0.7 * i as f64 + phase).sin()).collect()
}

#[track_caller]
fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (k, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{k}: {a} instead of {b}");
    }
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

/// The sizes: rows, columns.
fn sizes() -> Vec<(usize, usize)> {
    let rows = [0, 1, 3, 4, 5, 7, 8, 9, 12, 18];
    rows.into_iter().flat_map(|rows| [0, 1, 2, 5, 17].map(|columns| (rows, columns))).collect()
}

/// Compares value and gradient of a function of `w: &[f64]`, `c: f64`, `x: &[f64]` and two sizes with its tangents.
macro_rules! agree {
    ($f:ident, $value_and_grad:ident, $vjp:ident, $jvp:ident) => {
        for (rows, columns) in sizes() {
            let (w, c, x) = (inputs(columns + 3, 0.3), 0.6, inputs((rows + 1) * (columns + 2), 1.1));
            let (value, (w_bar, c_bar)) = $value_and_grad(&w, c, &x, rows, columns);
            let written = $f(&w, c, &x, rows, columns);
            assert_eq!(value.to_bits(), written.to_bits(), "{rows} {columns}");
            let zero = vec![0.0; w.len()];
            let along = |w_dot: Vec<f64>, c_dot: f64| $jvp(&w, c, &x, rows, columns, w_dot, c_dot, (), (), ()).1;
            let want: Vec<f64> = (0..w.len()).map(|k| along(unit(w.len(), k), 0.0)).collect();
            let want_c = along(zero, 1.0);
            close(&w_bar, &want);
            close(&[c_bar], &[want_c]);
            let (value, pullback) = $vjp(&w, c, &x, rows, columns);
            assert_eq!(value.to_bits(), written.to_bits(), "{rows} {columns}");
            for _ in 0..2 {
                let (w_bar, c_bar, ..) = pullback(1.0);
                close(&w_bar, &want);
                close(&[c_bar], &[want_c]);
            }
        }
    };
}

#[differentiable(wrt(w, c))]
fn regression(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut loss = 0.0;
    for i in 0..rows {
        let mut z = c;
        for j in 0..columns {
            z += x[i * columns + j] * w[j];
        }
        loss += (1.0 + z.exp()).ln() - x[i] * z;
    }
    loss
}

#[test]
fn inner_products() {
    agree!(regression, regression_value_and_grad, regression_vjp, regression_jvp);
}

/// Downwards, and columns that do not begin with the first. Where there are none, the first of a row need not be there.
#[differentiable(wrt(w, c))]
fn downwards(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut out = 1.0;
    for i in (0..rows).rev() {
        let (mut z, mut y) = (c, 0.0);
        for j in 2..columns {
            z += x[i * columns + j - 1] * w[j];
            y -= w[j + 1] * w[j];
        }
        for j in 0..columns {
            y += w[j] * x[i];
        }
        out = 0.3 * out + (z * y).sin();
    }
    out
}

#[test]
fn loops_that_go_downwards() {
    agree!(downwards, downwards_value_and_grad, downwards_vjp, downwards_jvp);
}

#[differentiable(wrt(w, c))]
fn beyond(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..rows {
        let mut z = c;
        for j in columns..17 {
            z += w[j - columns] * x[j - columns] + x[100 * i + j - columns];
            if i > 100 {
                z += c;
            }
        }
        let mut y = 0.0;
        for j in 17..columns {
            y += w[j] * x[1000 * i + j];
        }
        s += z * y + z;
    }
    s
}

/// An inner loop without an iteration reads nothing, wherever its elements would begin.
#[test]
fn loops_without_an_iteration() {
    let (w, x) = (inputs(20, 0.3), inputs(2000, 0.1));
    for rows in 0..13 {
        let (value, (w_bar, c_bar)) = beyond_value_and_grad(&w, 0.4, &x, rows, 17);
        assert_eq!(value.to_bits(), beyond(&w, 0.4, &x, rows, 17).to_bits());
        close(&w_bar, &[0.0; 20]);
        close(&[c_bar], &[rows as f64]);
    }
}

/// All rows change the same elements, each what the one before has left.
#[differentiable(wrt(w, c))]
fn relaxed(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut y = w.to_vec();
    let mut s = 0.0;
    for i in 0..rows {
        let mut z = 0.0;
        for j in 0..columns {
            z += w[j + 1] * x[i + j];
        }
        for j in 0..columns {
            y[j] = c * y[j] + z * x[i * columns + j];
        }
        s += z;
    }
    for j in 0..y.len() {
        s += y[j] * y[j];
    }
    s
}

#[test]
fn elements_that_all_iterations_change() {
    agree!(relaxed, relaxed_value_and_grad, relaxed_vjp, relaxed_jvp);
}

/// The elements of a neighbour are changed, too.
#[differentiable(wrt(w, c))]
fn shifted(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut y = w.to_vec();
    for i in 0..rows {
        let z = c * x[i];
        for j in 0..columns {
            y[j + 1] += z * y[j];
            y[j] = 0.5 * y[j] + w[j + 1];
        }
    }
    let mut s = 0.0;
    for j in 0..y.len() {
        s += y[j] * y[j];
    }
    s
}

#[test]
fn elements_that_depend_on_others() {
    agree!(shifted, shifted_value_and_grad, shifted_vjp, shifted_jvp);
}

/// What an iteration begins with is what the one before has given.
#[differentiable(wrt(w, c))]
fn chained(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut state = c;
    for i in 0..rows {
        let mut z = state;
        for j in 0..columns {
            z += x[i * columns + j] * w[j];
        }
        state = z.sin();
    }
    state
}

#[test]
fn iterations_that_depend_on_the_one_before() {
    agree!(chained, chained_value_and_grad, chained_vjp, chained_jvp);
}

/// What an iteration uses of the one before, it uses before that is given to the next.
#[differentiable(wrt(w, c))]
fn delayed(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let (mut before, mut other, mut s) = (c, 1.0, 0.0);
    for i in 0..rows {
        let mut z = 0.1;
        for j in 0..columns {
            z += x[i * columns + j] * w[j];
        }
        s += before * z + other;
        before = z.cos();
        let kept = other;
        other = 0.5 * s.sin();
        s += kept;
    }
    s
}

#[test]
fn values_of_the_iteration_before() {
    agree!(delayed, delayed_value_and_grad, delayed_vjp, delayed_jvp);
}

/// One sum over all, in the order of the rows.
#[differentiable(wrt(w, c))]
fn one_sum(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let (mut total, mut squares) = (c, 0.0);
    for i in 0..rows {
        let mut z = 1.0;
        for j in 0..columns {
            total += x[i * columns + j] * w[j];
            z *= 0.9 + 0.01 * w[j];
        }
        squares += z * z;
    }
    total * total + squares
}

#[test]
fn a_sum_through_all_iterations() {
    agree!(one_sum, one_sum_value_and_grad, one_sum_vjp, one_sum_jvp);
}

/// Columns of a matrix, whose elements lie apart, and a number of columns that depends on the row.
#[differentiable(wrt(w, c))]
fn apart(w: &[f64], c: f64, x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..rows {
        let (mut z, mut y) = (c, 1.0);
        for j in 0..columns {
            z += x[j * rows + i] * w[j + 2] * w[j];
        }
        for j in 0..columns.min(i) {
            y += w[j] * z;
        }
        s += z * y;
    }
    s
}

#[test]
fn elements_that_lie_apart() {
    agree!(apart, apart_value_and_grad, apart_vjp, apart_jvp);
}

/// Rows of a matrix of arrays, and what is kept of each row.
#[differentiable(wrt(w, c))]
fn rows_of_arrays(w: &[f64], c: f64, points: &[[f64; 2]], rows: usize) -> f64 {
    let mut kept = vec![0.0; rows];
    for i in 0..rows {
        let mut z = c;
        for j in 0..w.len() {
            z += w[j] * points[j][0] - points[j][1] * w[w.len() - 1 - j];
        }
        kept[i] = z.tanh() * (i as f64 + 1.0);
    }
    let mut s = 0.0;
    for i in 0..rows {
        s += kept[i] * kept[i];
    }
    s
}

#[test]
fn what_is_kept_of_each_iteration() {
    for (rows, columns) in sizes() {
        let (w, c) = (inputs(columns, 0.3), 0.1);
        let points: Vec<[f64; 2]> = inputs(columns, 0.9).into_iter().map(|x| [x, 0.3 * x * x]).collect();
        let (value, (w_bar, c_bar)) = rows_of_arrays_value_and_grad(&w, c, &points, rows);
        assert_eq!(value.to_bits(), rows_of_arrays(&w, c, &points, rows).to_bits());
        let along = |w_dot, c_dot| rows_of_arrays_jvp(&w, c, &points, rows, w_dot, c_dot, (), ()).1;
        let want: Vec<f64> = (0..columns).map(|k| along(unit(columns, k), 0.0)).collect();
        close(&w_bar, &want);
        close(&[c_bar], &[along(vec![0.0; columns], 1.0)]);
    }
}

/// Without a row nothing is computed of what a row computes, and there it may be undefined.
#[differentiable(wrt(w))]
fn undefined(w: &[f64], x: &[f64], rows: usize, columns: usize, part: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..rows {
        let mut z = 0.0;
        for j in 0..columns - 1 {
            z += w[j] * x[i + j];
        }
        for j in 0..columns / part {
            z += w[j] * x[i + j];
        }
        s += z * z;
    }
    s
}

#[test]
fn bounds_that_are_undefined_without_a_row() {
    let (w, x) = (inputs(6, 0.3), inputs(20, 0.1));
    let (value, pullback) = undefined_vjp(&w, &x, 0, 0, 0);
    assert_eq!(value, 0.0);
    close(&pullback(1.0).0, &[0.0; 6]);
    for rows in 0..10 {
        for columns in 1..6 {
            let (value, pullback) = undefined_vjp(&w, &x, rows, columns, 2);
            assert_eq!(value.to_bits(), undefined(&w, &x, rows, columns, 2).to_bits());
            let along = |k| undefined_jvp(&w, &x, rows, columns, 2, unit(6, k), (), (), (), ()).1;
            close(&pullback(1.0).0, &[0, 1, 2, 3, 4, 5].map(along));
        }
    }
}
