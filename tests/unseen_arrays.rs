//! Arrays whose types are not visible, where what is done with them tells that they are arrays: `map` and `fold` of fields, of
//! elements and of what functions give.

mod callees;
mod matrices;

functions! {
    (x, m, a)
    map_of_a_call {
        doubled(m, a).map(|t| t * a).sum() + both(m, x).1.map(|t| t * t).dot(x)
    }
    map_of_a_map {
        let p = pack(x, m, a);
        p.w.map(|t| t.tanh() * a).map(|t| t * t).sum() + doubled(m, a).map(|t| t + a).map(|t| t * t).mapv(f64::sin).sum()
    }
    map_in_arithmetic {
        let p = pack(x, m, a);
        let y = 2.0 * p.b.map(|t| t.exp()) - &both(m, x).1.map(|t| t * a);
        let mut z = x / 2.0;
        z += &p.b.map(|t| t * a);
        (-p.b.map(|t| t * t)).sum() + y.product() + z.dot(x)
    }
    map_in_a_product {
        let p = pack(x, m, a);
        x.dot(&p.b.map(|t| t * a)) + p.w.t().dot(&doubled(m, a).map(|t| t * t)).sum()
    }
    map_by_what_follows {
        let p = pack(x, m, a);
        let y = both(m, x).1.map(|t| t * a);
        let z = p.w.map(|t| t * a);
        let mut s = y.dot(x);
        for r in z.rows() {
            s += r.sum().powi(2);
        }
        s
    }
    map_of_a_variable {
        let y = both(m, x).1;
        let z = y.map(|t| t * t);
        let w: Array1<f64> = y.map(|t| t * a);
        (z * &y).sum() + w[0] * w[2]
    }
    map_of_items {
        let mut s = many(x, 2).iter().map(|l| l.map(|t| t * a).sum()).sum::<f64>();
        for l in &many(x, 3) {
            s += l.map(|t| t * t).dot(x);
        }
        s + many(x, 2)[1].map(|t| t * a).mapv(f64::sin).sum()
    }
    map_of_parts {
        let (w, b) = both(m, x);
        w.map(|t| t * a).sum_axis(Axis(0)).product() + b.map(|t| t + a).sum()
    }
    map_in_a_closure {
        let f = |v: &Array1<f64>| v.map(|t| t * a).sum();
        let p = pack(x, m, a);
        f(x) + f(&p.b) * f(&both(m, x).1)
    }
    assigned {
        let p = pack(x, m, a);
        let mut y = m.clone();
        y.row_mut(0).assign(&p.w.row(1).map(|t| t * a));
        y.assign(&p.w.map(|t| t * t));
        (y * m).sum()
    }
    // options and arrays of a known length have a `map`, too
    map_of_others {
        let o = perhaps(x, a).map(|v| v.sum()).unwrap_or(1.0);
        let t = (a * x[0]).max(0.1);
        let t = Some(t).map(|t| t * t);
        let c = [a, x[1], x[2]].map(|t| t * a);
        o + t.unwrap_or(0.0) * c[1] + c.iter().sum::<f64>()
    }
    folds {
        let p = pack(x, m, a);
        let top = p.w.fold(f64::NEG_INFINITY, |s, t| s.max(*t));
        both(m, x).1.fold(0.0, |s, t| s + t * t) + p.b.fold(1.0, |s, t| s * (1.0 + t * a)) * top
    }
    folds_of_items {
        many(x, 3).iter().map(|l| l.fold(0.0, |s, t| s * a + t)).sum::<f64>()
    }
    references_side_by_side {
        let p = pack(x, m, a);
        let (b, w) = (&p.b, &p.w);
        let ((c, d), k) = ((b, &x), a * a);
        b.dot(c) * k + (b + *d).dot(&(b * a)) + w.row(0).dot(&w.row(1)) + byview(w.column(0), a)
    }
    numbers_of_unknown_type {
        let p = pack(x, m, a);
        let c = Array2::from_shape_fn((3, 3), |(i, j)| p.w.row(i).dot(&p.w.row(j)) + p.b[i]);
        c.dot(&x.slice(s![..3])).product()
    }
    slices_of_memory {
        let (y, z) = (x.to_owned(), x.mapv(|t| t * a));
        let y = y.as_slice().map_or(0.0, |y| power(y, a));
        y + power(z.as_standard_layout().as_slice().unwrap(), a)
    }
}

functions! {
    (x, m, a)
    windows {
        let y = Zip::from(m.windows((2, 3))).map_collect(|w| w.sum() * a);
        (&y * &y).sum() + y[[1, 1]]
    }
    windows_beside_an_array {
        let q = m.slice(s![..2, ..2]);
        let y = Zip::from(m.windows((2, 3))).and(q).map_collect(|w, &t| w.product() * t);
        y.sum_axis(Axis(0)).product()
    }
    windows_with_indices {
        let y = Zip::indexed(m.windows((2, 3))).map_collect(|(i, j), w| w.sum() * (i + 2 * j) as f64);
        let mut s = 0.0;
        Zip::indexed(m.windows((2, 2))).for_each(|(i, j), w| s += w[[0, 1]] * (i as f64 + a * j as f64));
        y.sum() * s
    }
    lanes {
        let c = m.to_shape((3, 2, 2)).unwrap();
        let y = Zip::from(c.lanes(Axis(1))).map_collect(|l| l.dot(&l));
        let z = Zip::from(c.slice(s![.., ..0, ..]).lanes(Axis(1))).map_collect(|l| l.sum() + a);
        (y * z).sum_axis(Axis(0)).product()
    }
    lanes_of_nothing {
        let z = Zip::from(m.slice(s![..0, ..]).windows((1, 1))).map_collect(|w| w.sum() * a);
        z.sum() + a * x[0]
    }
}

/// `exact_chunks` of arrays with negative strides overflow in `ndarray` itself.
mod chunks {
    use cotangent::{check_grad, differentiable};
    use ndarray::{Array2, Zip};

    #[differentiable]
    fn f(m: &Array2<f64>, a: f64) -> f64 {
        let y = Zip::from(m.exact_chunks((2, 2))).map_collect(|w| w.fold(0.0, |s, t| s * a + t));
        y.mapv(f64::sin).sum()
    }

    #[test]
    fn agree() {
        let rows = Array2::from_shape_fn((5, 4), |(i, j)| (1.3 * i as f64 + 0.7 * j as f64 + 0.2).sin());
        let columns = Array2::from_shape_fn((4, 5), |(i, j)| (1.1 * i as f64 - 0.7 * j as f64).cos()).reversed_axes();
        for m in [rows, columns] {
            let (y, gradient) = f_value_and_grad(&m, 0.7);
            assert_eq!(y.to_bits(), f(&m, 0.7).to_bits());
            check_grad(|(m, a): &(Array2<f64>, f64)| f(m, *a), &(m, 0.7), &gradient).assert_within(1e-8);
        }
    }
}
