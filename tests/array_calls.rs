//! Views that are handed to functions and come back from them, and arrays whose types are not visible: fields of structs
//! and the results of calls.

#![allow(clippy::needless_range_loop, clippy::useless_vec)]

mod matrices;

/// Functions of views, and of structs of arrays.
mod callees {
    use cotangent::{Differentiable, differentiable};
    use ndarray::{Array1, Array2, ArrayD, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, s};

    #[derive(Clone, Differentiable)]
    pub(crate) struct Layer {
        pub(crate) w: Array2<f64>,
        pub(crate) b: Array1<f64>,
    }

    #[derive(Clone, Differentiable)]
    pub(crate) struct Net {
        pub(crate) layers: Vec<Layer>,
        pub(crate) gain: f64,
        pub(crate) all: ArrayD<f64>,
    }

    #[differentiable]
    pub(crate) fn layer(x: &Array1<f64>, m: &Array2<f64>, a: f64) -> Layer {
        Layer { w: m * a, b: x.clone() }
    }

    #[differentiable]
    pub(crate) fn doubled(m: &Array2<f64>) -> Array2<f64> {
        m * 2.0
    }

    #[differentiable]
    pub(crate) fn both(m: &Array2<f64>, x: &Array1<f64>) -> (Array2<f64>, Array1<f64>) {
        (m * 2.0, x * 3.0)
    }

    #[differentiable]
    pub(crate) fn refview(v: &ArrayView1<f64>, k: f64) -> f64 {
        v.sum() * k + v.dot(v)
    }

    #[differentiable]
    pub(crate) fn refview2(v: &ArrayView2<f64>, k: f64) -> f64 {
        v.sum() * k + (v * v).sum()
    }

    #[differentiable]
    pub(crate) fn byview(v: ArrayView1<f64>, k: f64) -> f64 {
        v.sum() * k + v.dot(&v)
    }

    #[differentiable]
    pub(crate) fn refmut(v: &mut Array1<f64>, k: f64) {
        *v *= k;
        v[0] += k;
    }

    #[differentiable]
    pub(crate) fn refmut2(v: &mut Array2<f64>, k: f64) {
        *v *= k;
        v[[0, 0]] += k;
    }

    #[differentiable]
    pub(crate) fn viewmut(mut v: ArrayViewMut1<f64>, k: f64) {
        v *= k;
        v[0] += k;
    }

    #[differentiable]
    pub(crate) fn refviewmut(v: &mut ArrayViewMut1<f64>, k: f64) {
        *v *= k;
        v[0] += k;
    }

    #[differentiable]
    pub(crate) fn viewmut2(mut v: ArrayViewMut2<f64>, k: f64) {
        v *= k;
        v.row_mut(0).fill(k);
    }

    #[derive(Clone, Differentiable)]
    pub(crate) struct Masked {
        pub(crate) w: Array2<f64>,
        #[inactive]
        pub(crate) mask: Array2<f64>,
        #[inactive]
        pub(crate) k: f64,
    }

    #[differentiable]
    pub(crate) fn masked(m: &Array2<f64>, a: f64) -> Masked {
        Masked { w: m * a, mask: Array2::ones((3, 4)), k: 2.0 }
    }

    #[differentiable]
    pub(crate) fn first(m: &Array2<f64>) -> ArrayView1<'_, f64> {
        m.row(0)
    }

    #[differentiable]
    pub(crate) fn part(m: &Array2<f64>, k: usize) -> ArrayView2<'_, f64> {
        m.slice(s![k.., ..])
    }

    #[differentiable]
    pub(crate) fn rest<'a>(m: ArrayView2<'a, f64>, k: usize) -> ArrayView2<'a, f64> {
        m.slice_move(s![k.., ..])
    }

    #[differentiable]
    pub(crate) fn split(m: &Array2<f64>, a: f64) -> (ArrayView1<'_, f64>, (f64, ArrayView2<'_, f64>)) {
        let last = m.slice(s![1.., ..]);
        (m.row(0), (a * a, last))
    }

    #[differentiable]
    pub(crate) fn whole<'a>(m: ArrayView2<'a, f64>) -> ArrayView2<'a, f64> {
        m
    }
}

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
    handed_on_by_value { rest(m.view(), 1).sum() * a + whole(m.view()).sum() * x[0] }
    field_row_mut {
        let mut l = Layer { w: m.clone(), b: x.clone() };
        l.w.row_mut(1).assign(&x.slice(s![..4]));
        l.b.fill(a);
        (&l.w * m).sum() * l.b.sum()
    }
    call_row_mut {
        let mut l = layer(x, m, a);
        for i in 0..3 { l.w.row_mut(i).assign(&x.slice(s![i..i+4])); } (&l.w * m).sum() * l.b.sum()
    }
    call_slice_mut {
        let mut l = layer(x, m, a);
        l.w.slice_mut(s![1.., ..]).fill(a);
        l.w.column_mut(0).mapv_inplace(|t| t * t);
        (&l.w * m).sum() * l.b.sum()
    }
    call_iter {
        let l = layer(x, m, a);
        let mut t = 0.0;
        for v in &l.w { t += v * v * a }
        for v in l.b.iter() { t += v.sin() }
        t
    }
    call_iter_mut {
        let mut l = layer(x, m, a);
        for v in l.w.iter_mut() { *v = v.sin(); }
        for v in &mut l.b { *v *= a; }
        l.w.sum() * l.b.sum()
    }
    call_chain {
        let l = layer(x, m, a);
        l.w.iter().zip(l.b.iter()).map(|(p, q)| p * q).sum::<f64>() + l.w.iter().map(|t| t.exp()).sum::<f64>()
    }
    call_zip {
        let l = layer(x, m, a);
        let mut o = Array2::<f64>::zeros((3, 4));
        Zip::from(&mut o).and(&l.w).for_each(|o, &w| *o = w * w * a);
        o.sum()
    }
    call_zip_first {
        let l = layer(x, m, a);
        let mut t = 0.0;
        Zip::from(&l.w).and(m).for_each(|&w, &q| t += w * q);
        let o = Zip::from(&l.w).and(m).map_collect(|&w, &q| w * q);
        t + o.sum() * a
    }
    call_outer_iter {
        let l = layer(x, m, a);
        let mut t = 0.0;
        for r in l.w.outer_iter() { t += r.dot(&r) * r[0]; }
        for r in l.w.axis_iter(Axis(1)) { t += r.sum() * r[1]; }
        t
    }
    call_rows {
        let l = layer(x, m, a);
        let mut t = 0.0;
        for r in l.w.rows() { t += r.dot(&r) * r[0]; }
        for (i, c) in l.w.columns().into_iter().enumerate() { t += c.sum() * x[i]; }
        t
    }
    call_indexed_iter {
        let l = layer(x, m, a);
        let mut t = 0.0;
        for ((i, j), v) in l.w.indexed_iter() { t += v * (i + 2 * j) as f64; }
        for (i, v) in l.b.indexed_iter() { t += v * v * i as f64; }
        t
    }
    call_lanes_mut {
        let mut l = layer(x, m, a);
        for (i, mut r) in l.w.outer_iter_mut().enumerate() { r *= x[i]; r[0] = a; }
        for mut r in l.w.rows_mut() { r += 1.0; r[2] *= a; } (&l.w * m).sum()
    }
    call_result_methods {
        doubled(m).row(1).sum() + doubled(m).mapv(|t| t * t * a).sum() + doubled(m).t().dot(&doubled(m)).sum() + doubled(m)[[1, 1]]
    }
    call_result_let {
        let mut d = doubled(m);
        d.row_mut(0).assign(&x.slice(s![..4]));
        d[[1, 1]] = a;
        d[[2, 1]] *= a;
        d += m;
        d *= a;
        let e = &d + &doubled(&d);
        (e * m).sum() + d.nrows() as f64
    }
    call_tuple {
        let (mut w, b) = both(m, x);
        w.column_mut(0).fill(a);
        for v in b.iter() { w[[0, 1]] += v * v; } (&w * m).sum() + b[2]
    }
    vec_of_layers {
        let mut net = Net { layers: vec![layer(x, m, a), layer(x, m, 2.0)], gain: a, all: m.clone().into_dyn() };
        let mut t = 0.0;
        for l in &net.layers { for r in l.w.outer_iter() { t += r.dot(&r) * l.b[0]; } t += (&l.w * m).sum() }
        for l in net.layers.iter_mut() { l.w.row_mut(0).fill(a); l.b[1] = a; l.b *= 2.0; }
        t + net.layers[1].w.sum() * net.layers[0].b.sum() + net.all.sum() * net.gain
    }
    vec_layers_index {
        let mut ls = vec![layer(x, m, a), layer(x, m, 2.0)];
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
        first(&(m * a)).dot(&r) * part(&doubled(m), 1).sum() + part(&(m * m), 1).row(0).dot(&r) * x[1]
    }
}
