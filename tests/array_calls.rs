//! Views that are handed to functions and come back from them, and arrays whose types are not visible: fields of structs
//! and the results of calls.

#![allow(clippy::needless_range_loop, clippy::useless_vec)]

mod callees;
mod matrices;

functions! {
    (x, m, a)
    ref_view {
        refview(&x.view(), a) + refview(&m.row(1), a) * x[0]
    }
    ref_view2 {
        let v = m.slice(s![1.., ..]);
        refview2(&v, a) + refview2(&m.t(), x[0]) + refview2(&m.view(), a)
    }
    ref_view_kept {
        let v = x.view();
        refview(&v, a) * byview(v, x[0])
    }
    view_of_lane {
        let mut t = 0.0;
        for r in m.rows() { t += refview(&r, a) * byview(r, x[1]) }
        t
    }
    view_mut_arg {
        let mut y = x.clone();
        viewmut(y.view_mut(), a);
        (&y * x).sum()
    }
    view_mut_row {
        let mut y = m.clone();
        viewmut(y.row_mut(1), a);
        (&y * m).sum() + y[[1,0]]
    }
    view_mut_named {
        let mut y = m.clone();
        let r = y.row_mut(1);
        viewmut(r, a);
        (&y * m).sum() + y[[1,0]]
    }
    ref_view_mut {
        let mut y = m.clone();
        { let mut r = y.row_mut(1); refviewmut(&mut r, a); } (&y * m).sum() + y[[1,0]]
    }
    ref_view_mut_temp {
        let mut y = m.clone();
        refviewmut(&mut y.column_mut(1), a);
        (&y * m).sum() + y[[1,0]]
    }
    ref_mut_array {
        let mut y = x.clone();
        refmut(&mut y, a);
        (&y * x).sum()
    }
    view_mut2 {
        let mut y = m.clone();
        viewmut2(y.slice_mut(s![1.., ..]), a);
        (&y * m).sum() + y[[1,0]]
    }
    view_mut2_t {
        let mut y = m.clone();
        viewmut2(y.view_mut().reversed_axes(), a);
        (&y * m).sum() + y[[1,0]]
    }
    view_mut_lanes {
        let mut y = m.clone();
        for r in y.rows_mut() { viewmut(r, a); } (&y * m).sum() + y[[1,0]]
    }
    view_mut_lanes2 {
        let mut y = m.clone();
        for mut r in y.outer_iter_mut() { refviewmut(&mut r, a); } (&y * m).sum() + y[[1,0]]
    }
    local_slice_arg {
        let w = m * a;
        refview2(&w.slice(s![.., 1..]), a) + refview2(&w.slice(s![1.., ..;-2]), x[0]) + refview(&w.column(1), a)
    }
    returned {
        let r = first(m);
        let q = part(m, 1);
        r.sum() * a + r[1] * x[0] + r.dot(&r) + q.sum() * a + q[[0, 1]] + q.row(1).dot(&x.slice(s![..4]))
    }
    handed_on_by_value { below(m.view(), 1).sum() * a + whole(m.view()).sum() * x[0] }
    field_row_mut {
        let mut l = Layer { w: m.clone(), b: x.clone() };
        l.w.row_mut(1).assign(&x.slice(s![..4]));
        l.b.fill(a);
        (&l.w * m).sum() * l.b.sum()
    }
    call_row_mut {
        let mut l = pack(x, m, a);
        for i in 0..3 { l.w.row_mut(i).assign(&x.slice(s![i..i+4])); } (&l.w * m).sum() * l.b.sum()
    }
    call_slice_mut {
        let mut l = pack(x, m, a);
        l.w.slice_mut(s![1.., ..]).fill(a);
        l.w.column_mut(0).mapv_inplace(|t| t * t);
        (&l.w * m).sum() * l.b.sum()
    }
    call_iter {
        let l = pack(x, m, a);
        let mut t = 0.0;
        for v in &l.w { t += v * v * a }
        for v in l.b.iter() { t += v.sin() }
        t
    }
    call_iter_mut {
        let mut l = pack(x, m, a);
        for v in l.w.iter_mut() { *v = v.sin(); }
        for v in &mut l.b { *v *= a; }
        l.w.sum() * l.b.sum()
    }
    call_chain {
        let l = pack(x, m, a);
        l.w.iter().zip(l.b.iter()).map(|(p, q)| p * q).sum::<f64>() + l.w.iter().map(|t| t.exp()).sum::<f64>()
    }
    call_zip {
        let l = pack(x, m, a);
        let mut o = Array2::<f64>::zeros((3, 4));
        Zip::from(&mut o).and(&l.w).for_each(|o, &w| *o = w * w * a);
        o.sum()
    }
    call_zip_first {
        let l = pack(x, m, a);
        let mut t = 0.0;
        Zip::from(&l.w).and(m).for_each(|&w, &q| t += w * q);
        let o = Zip::from(&l.w).and(m).map_collect(|&w, &q| w * q);
        t + o.sum() * a
    }
    call_outer_iter {
        let l = pack(x, m, a);
        let mut t = 0.0;
        for r in l.w.outer_iter() { t += r.dot(&r) * r[0]; }
        for r in l.w.axis_iter(Axis(1)) { t += r.sum() * r[1]; }
        t
    }
    call_rows {
        let l = pack(x, m, a);
        let mut t = 0.0;
        for r in l.w.rows() { t += r.dot(&r) * r[0]; }
        for (i, c) in l.w.columns().into_iter().enumerate() { t += c.sum() * x[i]; }
        t
    }
    call_indexed_iter {
        let l = pack(x, m, a);
        let mut t = 0.0;
        for ((i, j), v) in l.w.indexed_iter() { t += v * (i + 2 * j) as f64; }
        for (i, v) in l.b.indexed_iter() { t += v * v * i as f64; }
        t
    }
    call_lanes_mut {
        let mut l = pack(x, m, a);
        for (i, mut r) in l.w.outer_iter_mut().enumerate() { r *= x[i]; r[0] = a; }
        for mut r in l.w.rows_mut() { r += 1.0; r[2] *= a; } (&l.w * m).sum()
    }
    call_result_methods {
        twice(m).row(1).sum() + twice(m).mapv(|t| t * t * a).sum() + twice(m).t().dot(&twice(m)).sum() + twice(m)[[1, 1]]
    }
    call_result_let {
        let mut d = twice(m);
        d.row_mut(0).assign(&x.slice(s![..4]));
        d[[1, 1]] = a;
        d[[2, 1]] *= a;
        d += m;
        d *= a;
        let e = &d + &twice(&d);
        (e * m).sum() + d.nrows() as f64
    }
    call_tuple {
        let (mut w, b) = both(m, x);
        w.column_mut(0).fill(a);
        for v in b.iter() { w[[0, 1]] += v * v; } (&w * m).sum() + b[2]
    }
    vec_of_layers {
        let mut net = Net { layers: vec![pack(x, m, a), pack(x, m, 2.0)], gain: a, all: m.clone().into_dyn() };
        let mut t = 0.0;
        for l in &net.layers { for r in l.w.outer_iter() { t += r.dot(&r) * l.b[0]; } t += (&l.w * m).sum() }
        for l in net.layers.iter_mut() { l.w.row_mut(0).fill(a); l.b[1] = a; l.b *= 2.0; }
        t + net.layers[1].w.sum() * net.layers[0].b.sum() + net.all.sum() * net.gain
    }
    vec_layers_index {
        let mut ls = vec![pack(x, m, a), pack(x, m, 2.0)];
        for k in 0..2 { ls[k].w.row_mut(k).assign(&x.slice(s![..4])); let q = &ls[k]; ls[k].b[0] = q.w.sum(); }
        ls[0].w.dot(&ls[1].w.t()).sum() + ls[1].b.dot(&ls[0].b)
    }
    inactive_elementwise {
        let l = masked(m, a);
        (&l.w * &l.mask).sum() * l.k
    }
    inactive_mul {
        let l = masked(m, a);
        (&l.w * &l.mask * a).sum() + (&l.mask * 2.0).sum() * x[0]
    }
    inactive_row {
        let l = masked(m, a);
        l.mask.row(0).dot(&x.slice(s![..4])) + l.w.row(1).sum()
    }
    inactive_dot {
        let l = masked(m, a);
        l.mask.dot(&l.w.t()).sum()
    }
    inactive_index {
        let l = masked(m, a);
        l.mask[[0, 1]] * a + l.w[[1, 1]]
    }
    views_in_tuples {
        let (r, (c, rest)) = split(m, a);
        let w = m * x[0];
        let scaled = split(&w, c);
        r.dot(&rest.row(0)) * c + (&rest * &rest).sum() * a + scaled.0.dot(&r) * scaled.1.0
    }
    view_of_a_temporary {
        let r = first(m);
        first(&(m * a)).dot(&r) * part(&twice(m), 1).sum() + part(&(m * m), 1).row(0).dot(&r) * x[1]
    }
}
