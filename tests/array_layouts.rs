//! Arrays in the layouts that they have in memory: the last digits of sums depend on them, and so does the order in which
//! closures are called.

mod matrices;

mod callees {
    use cotangent::differentiable;
    use ndarray::ArrayView1;

    #[differentiable]
    pub(crate) fn squares_of(v: ArrayView1<'_, f64>) -> f64 {
        v.dot(&v)
    }
}

functions! {
    (x, m, a)
    copy_elided {
        let w = m.slice(s![.., ..3]).to_owned();
        w.sum() * a + w.mapv(|t| t * t).sum()
    }
    copy_elided2 {
        let w = m.slice(s![..;-1, ..;2]).to_owned();
        let mut t = w.sum() * a;
        for r in w.rows() { t += r.sum(); }
        let q = &w * &w;
        t + q.sum() + w.t().dot(&w).sum()
    }
    copy_t {
        let w = m.t().to_owned();
        let v = m.t();
        w.sum() * a + v.sum() + (&w * &v).sum() + v.dot(m).sum()
    }
    slice_sum {
        let v = m.slice(s![1.., 1..]);
        v.sum() * a + v.mean().unwrap() + v.product() + v.var(0.0) + v.sum_axis(Axis(1)).sum()
    }
    res_slices {
        let mut w = m.clone();
        let mut t = 0.0;
        for k in 0..3 { let v = w.slice(s![.., ..k+1]).to_owned(); t += v.sum() * v.sum(); w *= a; }
        t
    }
    fold_order {
        m.fold(a, |s, &v| s * 0.9 + v * v)
    }
    indexed_fold_t {
        let t = m.t();
        Zip::indexed(&t).fold(a, |s, (i, j), &v| s * 0.9 + v * v * (3 * i + j) as f64)
    }
    indexed_state_t {
        let t = m.t();
        let (mut s, mut places) = (a, 0.0);
        Zip::indexed(&t).and(&t.mapv(|v| v * a)).for_each(|(i, j), &v, &w| {
            places += 1.0;
            s = s * 0.9 + v * w * (3 * i + j) as f64 * places;
        });
        s
    }
    collected_arrays {
        let sums = m.rows().into_iter().map(|r| r.sum()).collect::<Array1<f64>>();
        let steps = (0..m.nrows()).map(|i| i as f64).collect::<Array1<f64>>();
        sums.dot(&sums) * a + sums.dot(&steps)
    }
    viewed_shape {
        squares_of(m.to_shape(m.len()).unwrap().view()) * a + squares_of(m.to_shape((m.len(), 1)).unwrap().column(0))
    }
    fold_t {
        m.t().fold(a, |s, &v| s * 0.9 + v * v) + m.slice(s![1.., ..;-1]).fold(a, |s, &v| s * 0.9 + v * v)
    }
    foreach_order {
        let mut s = a;
        m.for_each(|&v| s = s * 0.9 + v);
        let mut r = x[0];
        let y = m.mapv(|v| { r = r * 0.7 + v; r * v });
        let mut z = m.clone();
        let mut q = a;
        z.mapv_inplace(|v| { q = q * 0.5 + v; q });
        s + y.sum() + (&z * &y).sum()
    }
    zip_order {
        let mut s = a;
        Zip::from(m).for_each(|&v| s = s * 0.9 + v);
        let mut y = m.clone();
        Zip::from(&mut y).and(m).for_each(|y, &v| { s = s * 0.3 + v; *y = s; });
        s + y.sum()
    }
    mean_layout {
        let q = m.map(|&t| t.sin());
        let p = m.mapv(|t| t.cos());
        q.sum() + p.sum() * a + (q + &p).sum() + (m * &p - &p).mean().unwrap() + (a * m).sum() + (m / a + x[0]).std(0.0)
    }
    var_axis_layout {
        (m.var_axis(Axis(0), 0.0) * a).sum() + m.mean_axis(Axis(1)).unwrap().dot(&m.std_axis(Axis(1), 0.0)) + m.product_axis(Axis(0)).sum()
    }
    assign_layout {
        let mut y = m.clone();
        y.assign(&(m * a));
        let mut z = Array2::zeros((4, 3));
        z.assign(&m.t());
        y.sum() + z.sum() * z.dot(&y).sum()
    }
    stacked_layout {
        let y = stack(Axis(1), &[m.view(), m.view()]).unwrap();
        let z = concatenate(Axis(0), &[m.t(), m.t()]).unwrap();
        y.sum() * a + z.sum() + z.dot(m).sum()
    }
    map_layout_noncontig {
        let v = m.slice(s![..2, ..;2]);
        let y = v.mapv(|t| t * a);
        let z = &v * 2.0;
        let w = v.map(|&t| if t > 0.0 { t * a } else { t });
        y.sum() + z.sum() + w.sum() + (&y + &z).sum()
    }
    sum_of_map {
        x.map(|t| t * t * a).sum()
    }
    sum_of_map_of_a_matrix {
        m.map(|&t| t.sin()).sum()
    }
    sum_of_an_iterator {
        x.iter().map(|t| t * a).sum::<f64>()
    }
}
