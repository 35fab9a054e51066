//! Second derivatives through arrays whose types are not visible: fields of structs, tuples, elements of vectors, options,
//! and what functions give.

mod callees;
mod hessians;

hessians! {
    (x, m, a)
    field_t {
        let p = Layer { w: m * a, b: x.clone() };
        p.w.t().dot(&p.w).sum() * p.b.sum()
    }
    field_dot {
        let p = Layer { w: m * a, b: x.clone() };
        let v = x.slice(s![..4]).to_owned();
        p.w.dot(&v).sum() * p.b.dot(x)
    }
    field_t_let {
        let p = pack(x, m, a);
        let wt = p.w.t();
        wt.dot(&p.w).sum() * a + wt.sum()
    }
    field_add {
        let p = pack(x, m, a);
        (&p.w + &p.w * &p.w).sum() + (&p.b + &p.b * a).sum() * a
    }
    field_mapv {
        let p = pack(x, m, a);
        let c = a * x[0];
        p.w.mapv(|t| t * t * c).sum() + p.b.mapv(f64::sin).dot(x)
    }
    field_sum_axis {
        let p = pack(x, m, a);
        p.w.sum_axis(Axis(0)).dot(&p.w.row(0)) + p.w.sum_axis(Axis(1)).product() * a
    }
    field_mean {
        let p = pack(x, m, a);
        p.w.mean().unwrap() * p.b.mean().unwrap() + p.b.var(0.0) * a + p.b.std(0.0)
    }
    field_mean_axis {
        let p = pack(x, m, a);
        let mu = p.w.mean_axis(Axis(0)).unwrap();
        ((&p.w - &mu) * (&p.w - &mu)).sum() * a
    }
    field_row {
        let p = pack(x, m, a);
        p.w.row(1).dot(&p.w.row(2)) * a + p.w.column(1).sum() * p.b[2]
    }
    field_loop {
        let p = pack(x, m, a);
        let mut t = 0.0;
        for i in 0..3 {
            for j in 0..4 {
                t += p.w[[i, j]] * p.w[[i, j]] * p.b[i];
            }
        }
        t
    }
    field_rows {
        let p = pack(x, m, a);
        let mut t = 0.0;
        for r in p.w.rows() {
            t += r.dot(&r) * r.sum() * a;
        }
        t
    }
    field_assign {
        let mut p = pack(x, m, a);
        p.w *= a;
        p.b += x;
        p.b[0] *= a;
        p.w.row_mut(1).fill(a * a);
        (&p.w * &p.w).sum() + p.b.dot(&p.b)
    }
    field_method {
        let p = pack(x, m, a);
        let v = x.slice(s![..4]).to_owned();
        p.apply(&v).sum() * p.energy()
    }
    tuple_arrays {
        let p = (m * a, x * x);
        p.0.sum() * p.1.dot(x) + p.0.t().dot(&p.0).sum()
    }
    tuple_call_field {
        let p = both(m, x);
        p.0.sum() * p.1.dot(x) + p.0.t().dot(&p.0).sum() * a
    }
    vec_arrays {
        let mut v = vec![x.clone()];
        for k in 0..3 {
            let n = &v[k] * a + x;
            v.push(n);
        }
        v[3].dot(&v[2]) + m.sum() * a
    }
    vec_call {
        let v = many(x, 4);
        let mut t = 0.0;
        for u in &v {
            t += u.dot(x) * a;
        }
        t + v[0].dot(&v[1])
    }
    vec_fold {
        let v = many(x, 3);
        let s = v.iter().fold(Array1::zeros(6), |acc: Array1<f64>, u| acc * a + u);
        s.dot(&s)
    }
    option_let {
        match perhaps(x, a) {
            Some(v) => v.dot(&v) * v.sum(),
            None => a,
        }
    }
    option_unwrap {
        let v = perhaps(x, a).unwrap();
        v.dot(x) * v.sum()
    }
    option_as_ref {
        let o = perhaps(x, a);
        o.as_ref().map(|v| v.dot(v) * a).unwrap_or(0.0)
    }
    result_match {
        match fallible(x, a) {
            Ok(v) => v.dot(&v),
            Err(_) => a,
        }
    }
    call_array {
        let d = doubled(m, a);
        d.sum() * d.t().dot(&d).sum()
    }
    call_ops {
        let d = doubled(m, a);
        (&d + m).sum() + (&d * &d * 0.5).sum() - (d / 2.0).sum() * a
    }
    call_view {
        byview(m.row(0), a) * byview(x.view(), a) + byview(x.slice(s![..3]), x[0])
    }
    call_refmut {
        let mut y = x * a;
        refmut(&mut y, a);
        y.dot(&y)
    }
    call_viewmut {
        let mut y = m * a;
        viewmut(y.row_mut(1), a);
        (&y * &y).sum()
    }
    call_first {
        let r = first(m);
        r.dot(&r) * a * r.sum()
    }
    call_part {
        let r = part(m, 1);
        (&r * &r).sum() * a + r.t().dot(&r).sum()
    }
    call_two {
        let (r, b, c) = two(m, a);
        (&r * &r).sum() * c + b.t().dot(&b).sum() + r.sum() * b.sum() * a
    }
    call_two_of_a_variable {
        let d = m * a;
        let t = two(&d, x[0]);
        t.0.dot(&t.0) * t.1.sum() * t.2
    }
    call_rest {
        let (c, v) = rest(m.view(), 1);
        c * v.sum() * (&v * &v).sum()
    }
    field_product {
        let p = pack(x, m, a);
        p.b.product() * a + p.w.product()
    }
    field_degrees_of_freedom {
        let p = pack(x, m, a);
        p.b.var(a) * p.w.std(x[0] * x[0]) + p.w.var(a * a)
    }
    field_net {
        let net = Net { layers: vec![pack(x, m, a), pack(x, m, a * a)], gain: a, all: m.clone().into_dyn() };
        let mut t = net.gain * net.all.sum();
        for l in &net.layers {
            t += l.w.sum() * l.b.dot(x) * net.gain;
        }
        t + net.layers[1].w.t().dot(&net.layers[0].w).sum()
    }
    call_temporary {
        let (c, _) = rest(m.view(), 1);
        first(&(m * a)).dot(&m.row(1)) * part(&doubled(m, a), 1).sum() * c
    }
    lent_without_derivatives {
        let w = [1.0, 0.5];
        let b = pack(x, m, a).b;
        weighted(x, &w) * a + weighted(&b, &[0.3, 0.4]) + weighted_by_two(x, &w) * weighted_by_two(&b, &[0.2, 0.1])
    }
    arrays_lent_without_derivatives {
        let w = Array2::from_shape_fn((6, 6), |(i, j)| (i + 2 * j) as f64 * 0.1);
        let v = Array1::from(vec![0.1, 0.2, 0.3]);
        turned(x, &w).sum() * a + turned(&turned(x, &Array2::eye(6)), &(&w * 2.0)).dot(x)
            + weighted(x, v.as_slice().unwrap()) * weighted(x, &v.to_vec())
    }
}
