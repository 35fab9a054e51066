//! Views, elements and lanes of arrays.

#![allow(clippy::needless_range_loop)]

mod matrices;

/// Functions of views.
mod callees {
    use cotangent::differentiable;
    use ndarray::{ArrayView1, ArrayView2, s};

    #[differentiable]
    pub(crate) fn energy(v: ArrayView1<f64>, k: f64) -> f64 {
        v.sum() * k + v[0] * v.dot(&v)
    }

    #[differentiable]
    pub(crate) fn corner(v: ArrayView2<'_, f64>, k: f64) -> f64 {
        (&v * &v).sum() * k + v[[0, 1]]
    }

    #[differentiable]
    pub(crate) fn handed_on(v: ArrayView1<f64>, k: f64) -> f64 {
        energy(v.slice(s![1..]), k) + energy(v, k) * v[2]
    }
}

functions! {
    (x, m, a)
    slices { (&m.slice(s![1.., ..;2]) * a).sum() + m.slice(s![..;-1, 2]).sum() * x.slice(s![1..5;3]).sum() }
    views_of_views {
        let v = m.slice(s![1.., ..]);
        let q = v.slice(s![.., 1..]);
        let r = m.row(0);
        let tail = r.slice(s![1..]);
        let wide = tail.broadcast((2, 3)).unwrap();
        (&wide * &q).sum() * a + x[0]
    }
    chosen_by_a_branch {
        let mut b = m.clone();
        let mut row = if a > 0.0 { b.row_mut(0) } else { b.row_mut(1) };
        row *= a;
        let mut part = match x[0] > 0.0 { true => b.slice_mut(s![.., 1..]), _ => b.slice_mut(s![.., ..2]) };
        part += 1.0;
        part.mapv_inplace(|v| v * v);
        b.sum() * b[[0, 0]] * b[[1, 3]]
    }
    of_local_arrays {
        let w = m * 2.0;
        w.slice(s![..2, 3..]).sum() * a + x[0] * w.column(1).dot(&w.column(2)) + w.t().row(1).product()
    }
    assigned {
        let mut b = m.clone();
        b.row_mut(0).assign(&x.slice(s![..4]));
        b.slice_mut(s![1.., ..1]).fill(a);
        let mut t = b.column_mut(2);
        t *= a;
        let twice = &t * 2.0;
        t += &twice;
        b.diag_mut().mapv_inplace(f64::cos);
        (&b * m).sum() * b[[1, 1]]
    }
    mutable_views_turned {
        let mut b = m.clone();
        let mut v = b.view_mut().into_dimensionality::<Ix2>().unwrap();
        v *= a;
        let mut t = b.view_mut().reversed_axes();
        t[[1, 2]] = x[0];
        b.sum() * x[1]
    }
    split {
        let mut b = m.clone();
        {
            let (mut p, mut q) = b.view_mut().split_at(Axis(0), 1);
            p *= a;
            q += x[0];
        }
        b.sum() * b[[1, 1]]
    }
    lanes {
        let mut b = m.clone();
        for (k, mut r) in b.outer_iter_mut().enumerate() {
            r *= a;
            r[0] = x[k];
        }
        let mut s = 0.0;
        for c in b.columns() {
            s += c.dot(&c) * c[0];
        }
        for pair in x.windows(2) {
            s += pair[0] * pair[1];
        }
        s
    }
    elements {
        let mut b = m.clone();
        for v in b.iter_mut() {
            *v = (*v * a).sin();
        }
        let picked: f64 = b.indexed_iter().filter(|((i, j), _)| (i + j) % 2 == 0).map(|(_, v)| v * v).sum();
        picked + b.iter().zip(x).map(|(u, v)| u * v).sum::<f64>()
    }
    closures_that_capture {
        let y = m.mapv(|t| if t > 0.2 { (a * t).exp() } else { t * x[1] });
        let z = Zip::from(&y).and(m).map_collect(|u, v| u * v + a);
        let sums = z.map_axis(Axis(1), |r| r.dot(&r));
        let folded = z.fold_axis(Axis(0), a, |s, t| s * 0.5 + t);
        sums.sum() + folded.product()
    }
    slices_in_order {
        match m.t().as_slice() {
            Some(s) => s[1] * a,
            None => x[0] * a,
        }
    }
    reshaped {
        let c = m.to_shape(((4, 3), Order::ColumnMajor)).unwrap();
        let f = m.flatten();
        c.row(1).dot(&c.row(2)) * a + f[5] * x[0]
    }
    joined {
        let b = stack![Axis(0), x.slice(s![..4]), m.row(1)];
        let c = concatenate(Axis(0), &[b.view(), m.view()]).unwrap();
        let mut d = c.select(Axis(0), &[0, 2, 2, 4]);
        d.push_row(x.slice(s![2..])).unwrap();
        (&d * &d).sum() * a
    }
    made {
        let b = Array2::from_shape_fn((2, 3), |(i, j)| x[i] * x[j] + a);
        let c = array![[a, x[0], 1.0], [x[1], a * a, 2.0]];
        let v: Array1<f64> = x.iter().take(3).map(|t| t.exp()).collect();
        (b * c).dot(&v).sum() + m.sum()
    }
    left_early {
        let mut h = x.clone();
        for _ in 0..6 {
            h = &h * a;
            if h.sum() < 0.9 {
                break;
            }
        }
        h.sum() * m[[0, 0]]
    }
    to_functions {
        let w = x * 2.0;
        energy(x.slice(s![1..]), a) + energy(x.view(), a) * energy(w.slice(s![..;2]), a) + energy(m.diag(), x[1])
    }
    to_functions_by_name {
        let mut w = m * a;
        let mut total = 0.0;
        for row in w.rows() {
            total += energy(row, a) * row[0];
        }
        let column = w.column(0);
        total += energy(column, x[0]);
        w[[0, 0]] = x[1];
        let column = w.column(0);
        total + energy(column, x[0]) + energy(column, 2.0)
    }
    to_functions_as_it_changes {
        let mut w = x * a;
        let before = energy(w.view(), a);
        w[2] = before;
        let mut total = 0.0;
        for k in 0..3 {
            w[k] += 0.1 * energy(w.slice(s![k..]), m[[0, 0]]);
            total += w[k];
        }
        total + handed_on(w.view(), a)
    }
    to_functions_of_matrices { corner(m.t(), a) + corner(m.view(), a) * x[1] + corner(m.slice(s![1.., ..2]), 1.0) }
    rows_that_are_read_and_changed {
        let mut out = Array2::<f64>::zeros(m.raw_dim());
        for (mut row, signal) in out.outer_iter_mut().zip(m.outer_iter()) {
            for k in 0..2 {
                let shifted = &signal.slice(s![k..]) * x[k];
                let mut head = row.slice_mut(s![..shifted.len()]);
                head += &shifted;
                head *= a;
            }
        }
        (&out * &out).sum()
    }
    made_of_chains {
        let b = Array2::from_shape_vec((3, 2), x.iter().map(|t| t * a).collect()).unwrap();
        let c = Array2::from_shape_vec((2, 2), (0..4).map(|k| x[k] * x[k]).collect::<Vec<f64>>()).expect("four");
        let d = x.to_shape((3, x.iter().skip(4).count())).unwrap().dot(&c);
        m.dot(&Array2::from_shape_fn((4, 3), |(i, j)| a * x[i] + x[j])).dot(&(b + d)).sum()
    }
}
