//! Methods of arrays: iterators, reductions of arrays of any rank, `Zip`, constructors; and the layouts in memory, on which
//! the last digits of sums depend.

#![allow(clippy::op_ref)]

mod matrices;

/// None.
mod callees {}

functions! {
    (x, m, a)
    outer_next {
        let mut it = m.outer_iter();
        let r = it.next().unwrap();
        let q = it.next().unwrap();
        r.dot(&q) * a + x[0]
    }
    outer_collect {
        let rows: Vec<_> = m.outer_iter().collect();
        rows[0].dot(&rows[2]) * a + rows.len() as f64 * x[0]
    }
    outer_fold {
        let t = m.outer_iter().fold(Array1::<f64>::zeros(4), |acc, r| acc * a + &r);
        let u = m.rows().into_iter().map(|r| r.sum() * r[0]).sum::<f64>();
        t.sum() * u + x[0]
    }
    outer_map_collect {
        let v: Vec<f64> = m.outer_iter().map(|r| r.dot(&r)).collect();
        let w: Vec<Array1<f64>> = m.axis_iter(Axis(1)).map(|c| c.to_owned() * a).collect();
        v[0] * v[1] + w[3].sum() * x[0] + w[1][0]
    }
    outer_max {
        m.outer_iter().map(|r| r.sum()).fold(f64::NEG_INFINITY, f64::max) * a + x.iter().cloned().fold(f64::INFINITY, f64::min)
    }
    stack_vec_views {
        let rows: Vec<_> = m.outer_iter().collect();
        let s1 = stack(Axis(0), &rows).unwrap();
        let c = concatenate(Axis(0), &rows).unwrap();
        (&s1 * m).sum() * a + c.dot(&c) * x[0]
    }
    stack_vec_arrays {
        let rows: Vec<Array1<f64>> = (0..3).map(|i| m.row(i).mapv(|t| t * a)).collect();
        let views: Vec<_> = rows.iter().map(|r| r.view()).collect();
        let s1 = stack(Axis(1), &views).unwrap();
        (&s1.t() * m).sum() * x[0]
    }
    stack_vec_pushed {
        let mut hs = Vec::new();
        let mut h = x.clone();
        for k in 0..4 { h = h.mapv(|t| (t * a).sin()) + k as f64; hs.push(h.clone()); }
        let all = stack(Axis(0), &hs.iter().map(|h| h.view()).collect::<Vec<_>>()).unwrap();
        (&all * &all).sum() + all.sum_axis(Axis(0)).dot(x) + m[[0, 0]]
    }
    concat_vec_pushed {
        let mut hs: Vec<Array2<f64>> = vec![];
        for k in 0..3 { hs.push(m * (a + k as f64)); }
        let vs: Vec<ArrayView2<f64>> = hs.iter().map(|h| h.view()).collect();
        let all = concatenate(Axis(0), &vs).unwrap();
        (&all * &all).sum() + x[0] * all[[5, 1]]
    }
    dyn_sum_axis {
        let d = m.clone().into_dyn();
        let s1 = d.sum_axis(Axis(0));
        (&s1 * &s1).sum() * a + d.sum() * x[0]
    }
    dyn_all {
        let d = (m * a).into_dyn();
        let mut t = d.mean_axis(Axis(1)).unwrap().sum() + d.var_axis(Axis(0), 0.0).sum() + d.std_axis(Axis(0), 1.0).sum() + d.product_axis(Axis(1)).sum();
        t += d.mean().unwrap() + d.var(0.0) + d.std(0.0) + d.product() + d.fold(0.0, |p, q| p * 0.5 + q * q);
        let e = &d * &d;
        t + e.sum() * x[0] + d[[1, 2]] + d[IxDyn(&[0, 1])]
    }
    dyn_views {
        let d = m.clone().into_dyn();
        let r = d.index_axis(Axis(0), 1);
        let q = d.slice_axis(Axis(1), Slice::from(1..3));
        let mut t = r.sum() * a + q.sum() * x[0];
        for o in d.outer_iter() { t += (&o * &o).sum(); }
        for o in d.axis_iter(Axis(1)) { t += o.product(); }
        t
    }
    dyn_back {
        let d = m.view().into_dyn();
        let e = d.into_dimensionality::<Ix2>().unwrap();
        let w = e.dot(&x.slice(s![..4]));
        w.sum() * a
    }
    dyn_back_owned {
        let d = (m * a).into_dyn();
        let e: Array2<f64> = d.into_dimensionality().unwrap();
        e.dot(&x.slice(s![..4])).sum()
    }
    dyn_broadcast {
        let d = m.clone().into_dyn();
        let v = x.slice(s![..4]).to_owned().into_dyn();
        let s1 = &d * &v + a;
        let t = s1.sum_axis(Axis(1));
        (&t * &t).sum()
    }
    dyn_mutate {
        let mut d = ArrayD::<f64>::zeros(IxDyn(&[2, 3]));
        d[[0, 1]] = a;
        d[[1, 2]] = x[0] * a;
        for v in d.iter_mut() { *v += x[1]; }
        d.index_axis_mut(Axis(0), 1).fill(x[2]);
        d *= a;
        d.mapv_inplace(|t| t * t);
        d.sum() * m[[0, 0]]
    }
    dyn_zip {
        let d = m.clone().into_dyn();
        let mut o = d.clone();
        Zip::from(&mut o).and(&d).for_each(|o, &t| *o += t * a);
        o.sum() * o[[1, 1]] + d.iter().map(|t| t * t).sum::<f64>()
    }
    mapv_f32 {
        let y = m.mapv(|t| t as f32);
        let z = y.mapv(|t| (t * t) as f64);
        let w: Array2<f64> = m.mapv(|t| t * a);
        (&w * &w).sum() + x[0] * z.len() as f64
    }
    multi_slice_arr {
        let mut y = m.clone();
        { let (mut p, q) = y.multi_slice_mut((s![0, ..], s![1, ..])); p += &q; p *= a; } (&y * m).sum() * x[0]
    }
    reborrow {
        let mut y = m.clone();
        { let mut v = y.view_mut(); { let mut w = v.view_mut(); w *= a; } v += x[0]; let r = v.reborrow(); r.into_iter().for_each(|t| *t *= 2.0); } (&y * m).sum()
    }
    reborrow_view {
        let v = m.view();
        let w = v.reborrow();
        (&w * &v).sum() * a + x[0]
    }
    lanes {
        let mut t = 0.0;
        for l in m.lanes(Axis(0)) { t += l.sum() * l[0]; }
        for l in m.lanes(Axis(1)) { t += l.dot(&l) * a; }
        t + x[0]
    }
    lanes3 {
        let c = Array3::from_shape_fn((2, 2, 3), |(i, j, k)| x[i + j + k] * a + m[[i, j + k]]);
        let mut t = 0.0;
        for l in c.lanes(Axis(1)) { t += l[0] * l[1]; }
        for l in c.rows() { t += l.sum() * l[2]; }
        for l in c.columns() { t += l.product(); }
        t
    }
    lanes_mut {
        let mut y = m.clone();
        for mut l in y.lanes_mut(Axis(0)) { let s1 = l.sum(); l /= s1 + 5.0; l[0] *= a; } (&y * m).sum() + x[0]
    }
    zip_rows_mut {
        let mut o = Array1::<f64>::zeros(3);
        Zip::from(&mut o).and(m.rows()).for_each(|o, r| *o = r.dot(&r) * a);
        Zip::from(m.rows()).and(&mut o).for_each(|r, o| *o += r[0]);
        o.sum() * x[0] + o[1] * o[2]
    }
    zip_map_collect_rows {
        let o = Zip::from(m.rows()).map_collect(|r| r.dot(&r) * a);
        let q = Zip::from(m.rows()).and(&o).map_collect(|r, &t| r[0] * t);
        o.dot(&q) + x[0]
    }
    azip {
        let mut o = Array2::<f64>::zeros((3, 4));
        azip!((o in &mut o, &t in m) *o = t * a);
        azip!((o in &mut o, t in m) { *o += t * t; });
        let mut tot = 0.0;
        azip!((&o in &o) tot += o * o);
        o.sum() * x[0] + tot
    }
    azip_index {
        let mut o = Array1::<f64>::zeros(6);
        azip!((index i, o in &mut o, &t in x) *o = t * a * i as f64);
        (&o * x).sum() + m[[0, 0]]
    }
    zip_mut_with {
        let mut y = m.clone();
        y.zip_mut_with(m, |p, q| *p = *p * a + q * q);
        y.zip_mut_with(&x.slice(s![..4]), |p, &q| *p *= q);
        y.sum()
    }
    accumulate {
        let mut y = m.clone();
        y.accumulate_axis_inplace(Axis(0), |&prev, cur| *cur += prev * a);
        let mut z = x.clone();
        z.accumulate_axis_inplace(Axis(0), |p, c| *c *= *p);
        (&y * m).sum() + z.sum()
    }
    cumprod {
        let y = m.cumprod(Axis(1));
        let z = x.cumprod(Axis(0));
        y.sum() * a + z.dot(x)
    }
    diff {
        let y = m.diff(1, Axis(1));
        let z = x.diff(2, Axis(0));
        (&y * &y).sum() * a + z.dot(&z)
    }
    exact_chunks {
        let mut t = 0.0;
        let both = m + m;
        for c in both.exact_chunks((1, 2)) { t += c.product(); }
        let mut y = both.clone();
        for mut c in y.exact_chunks_mut((3, 2)) { c *= a; c[[0, 0]] = x[0]; }
        t + (&y * m).sum()
    }
    swap_axes {
        let mut y = m.clone();
        y.swap_axes(0, 1);
        let mut v = m.view();
        v.swap_axes(0, 1);
        v.invert_axis(Axis(0));
        (&y * &v).sum() * a + y.dot(m).sum() + x[0]
    }
    to_shape_vars {
        let (r, c) = m.dim();
        let y = m.to_shape((c, r)).unwrap().to_owned();
        let z = m.to_shape(r * c).unwrap();
        let q = y.dot(m);
        q.sum() * a + z.sum() * z[3] + x[0]
    }
    raw_vec {
        let y = (m * a).into_raw_vec_and_offset().0;
        let z = x.clone().into_raw_vec_and_offset();
        y.iter().sum::<f64>() + z.0[0] * y[1]
    }
    select_vec {
        let ids = vec![2, 0, 2];
        let y = m.select(Axis(0), &ids);
        (&y * m).sum() * a + x.select(Axis(0), &[1, 1, 4]).product()
    }
    broadcast_var {
        let y = x.slice(s![..4]);
        let b = y.broadcast((3, 4)).unwrap();
        let c = y.broadcast(m.raw_dim()).unwrap();
        (&b * m).sum() * a + (&c * m * m).sum()
    }
    argmax {
        let mut best = f64::NEG_INFINITY;
        let mut at = (0, 0);
        for ((i, j), &v) in m.indexed_iter() { if v > best { best = v; at = (i, j); } }
        best * a + m[at] * x[0]
    }
    argmax2 {
        let k = x.iter().enumerate().max_by(|p, q| p.1.partial_cmp(q.1).unwrap()).unwrap().0;
        let (i, t) = x.indexed_iter().max_by(|p, q| p.1.total_cmp(q.1)).unwrap();
        x[k] * a + t * m[[0, 1]] + i as f64
    }
    from_iter {
        let v = Array::from_iter(x.iter().map(|t| t * a));
        let w = Array1::from_iter((0..4).map(|j| m[[0, j]] * a));
        v.dot(x) + w.sum() * w[1]
    }
    inactive {
        let e = Array::eye(4);
        let e2 = Array2::<f64>::eye(4);
        let l = Array::linspace(0.0, 1.0, 6);
        let r = Array1::range(0.0, 6.0, 1.0);
        let d = Array2::from_diag(&array![1.0, 2.0, 3.0, 4.0]);
        (m.dot(&e) + m.dot(&e2).dot(&d)).sum() * a + (x * &l).sum() + r.dot(x) + Array1::<f64>::linspace(0.0, 2.0, 6).dot(x) + Array1::logspace(10.0, 0.0, 1.0, 6).dot(x)
    }
    from_shape_vec {
        let v: Vec<f64> = x.to_vec();
        let w = Array2::from_shape_vec((2, 3), v).unwrap();
        let q = Array::from_shape_vec((3, 2), x.iter().map(|t| t * a).collect::<Vec<_>>()).unwrap();
        w.dot(&q).sum() + m[[0, 0]]
    }
    from_shape_vec_f {
        let w = Array2::from_shape_vec((2, 3).f(), x.to_vec()).unwrap();
        w.dot(m).sum() * a + w[[1, 0]]
    }
    from_diag {
        let w = Array2::from_diag(x);
        let q = Array::from_diag(&m.row(0));
        w.sum() * a + q.dot(&q)[[1, 1]]
    }
    map_sum {
        x.map(|t| t * t * a).sum() + m.map(|&t| t.sin()).sum() + x.iter().map(|t| t * a).sum::<f64>()
    }
    assign_fill {
        let mut y = Array2::zeros((3, 4));
        y.assign(m);
        y.row_mut(0).fill(a);
        y.column_mut(1).assign(&m.column(2));
        let mut z = Array1::from_elem(6, a);
        z.assign(x);
        z.slice_mut(s![..2]).fill(a * a);
        (&y * m).sum() + z.dot(x)
    }
    assign_to {
        let mut y = Array2::<f64>::zeros((3, 4));
        m.assign_to(&mut y);
        y *= a;
        y.sum() * x[0]
    }
}

/// Parts that overlap.
mod overlapping {
    use cotangent::{check_forward, check_grad, differentiable};
    use ndarray::{Array1, Array2, Axis, array};

    #[differentiable]
    fn windows(x: &Array1<f64>, m: &Array2<f64>) -> f64 {
        let mut t = 0.0;
        for w in m.windows((2, 2)) {
            t += w.sum() * w[[0, 1]] * x[0];
        }
        for w in m.axis_windows(Axis(1), 2) {
            t += w.sum() * w[[0, 1]];
        }
        let products: Array1<f64> = x.windows(2).into_iter().map(|w| w[0] * w[1]).collect();
        t + products.dot(&products)
    }

    #[test]
    fn agree_with_differences() {
        let (x, rows) = (array![0.3, -0.8, 1.2, 0.5], array![[0.2, 0.9, -0.4], [0.7, -1.1, 0.6], [1.3, 0.1, 0.8]]);
        for m in [rows.clone(), rows.reversed_axes()] {
            let (y, gradient) = windows_value_and_grad(&x, &m);
            assert_eq!(y.to_bits(), windows(&x, &m).to_bits());
            let at = (x.clone(), m);
            check_grad(|(x, m): &(Array1<f64>, Array2<f64>)| windows(x, m), &at, &gradient).assert_within(1e-8);
            check_forward(|(x, m), (dx, dm)| windows_jvp(x, m, dx, dm).1, &at, &gradient).assert_within(1e-13);
        }
    }
}
