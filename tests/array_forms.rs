//! Forms of whole-array code that go beyond one method of an array: arrays in which nothing differentiable is, general
//! products, spaced numbers, shapes that may not fit, and closures that hand their parameters on.

mod matrices;

/// Functions that take functions of arrays.
mod callees {
    use cotangent::differentiable;
    use ndarray::{Array1, Array2, ArrayView1};

    pub(crate) fn checkered(shape: (usize, usize)) -> Array2<bool> {
        Array2::from_shape_fn(shape, |(i, j)| (i + j) % 2 == 0)
    }

    pub(crate) fn weights(n: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, n), |(i, j)| (1.0 + i as f64).sqrt() - j as f64)
    }

    #[differentiable]
    pub(crate) fn rate(u: &Array1<f64>, a: f64) -> Array1<f64> {
        u.mapv(|t| a * t - t * t * t)
    }

    #[differentiable]
    pub(crate) fn midpoint(f: impl Fn(&Array1<f64>) -> Array1<f64>, u: &Array1<f64>, h: f64) -> Array1<f64> {
        let half = u + &(f(u) * (0.5 * h));
        u + &(f(&half) * h)
    }

    #[differentiable]
    pub(crate) fn timed<F>(f: F, u: &Array1<f64>, n: usize) -> Array1<f64>
    where
        F: Fn(f64, &Array1<f64>) -> Array1<f64>,
    {
        let mut u = u.clone();
        for k in 0..n {
            u = &u + &(f(k as f64, &u) * 0.1);
        }
        u
    }

    #[differentiable]
    pub(crate) fn columns(f: impl Fn(ArrayView1<f64>) -> f64, m: &Array2<f64>) -> f64 {
        let mut total = 0.0;
        for column in m.columns() {
            total += f(column);
        }
        total
    }

    #[differentiable]
    pub(crate) fn length(v: &[f64], a: f64) -> f64 {
        v.iter().map(|t| t * t * a).sum::<f64>().sqrt()
    }

    #[differentiable]
    pub(crate) fn halves(f: impl Fn(&[f64]) -> f64, v: &[f64]) -> f64 {
        f(&v[..3]) * f(&v[3..])
    }
}

functions! {
    (x, m, a)
    zip_mask {
        let mask = checkered(m.dim());
        let mut t = a * x[0];
        Zip::from(m).and(&mask).for_each(|&u, &on| if on { t += u * u * a; });
        t
    }
    zip_mask_fold {
        let mask = checkered(m.dim());
        Zip::from(&mask).and(m).fold(a, |acc, &on, &u| if on { acc + u * acc.sin() } else { acc * 0.9 }) * x[1]
    }
    zip_exponents {
        let n = Array2::from_shape_fn((3, 4), |(i, j)| (i + j) as i32 % 3);
        let y = Zip::from(&n).and(m).map_collect(|n, u| a * u.powi(*n));
        (&y * m).sum() * x[2]
    }
    zip_mask_in_place {
        let mask = checkered(m.dim());
        let mut y = m.clone();
        azip!((u in &mut y, &on in &mask) if on { *u = 0.0 } else { *u = u.sin() * a });
        y.sum() * x[0]
    }
    zip_indices {
        let ids = Array1::from_vec(vec![1_usize, 0, 3]);
        let mut t = x[0];
        Zip::from(m.rows()).and(&ids).for_each(|r, &k| t += a * r[k] * r[k]);
        t
    }
    views_of_a_literal {
        let k = array![[-1.0, 0.0, 1.0, 0.5], [-2.0, 0.25, 2.0, 3.0], [0.0, 1.5, -1.0, 2.0]];
        let kt = k.t();
        let row = k.row(1);
        let part = k.slice(s![1.., ..;-1]);
        m.dot(&kt).sum() * a + m.dot(&row).product() + (&m.slice(s![..2, ..]) * &part).sum() * x[0]
    }
    views_of_what_a_call_gives {
        let on = checkered((4, 4));
        let w = weights(4);
        let (row, wt) = (on.row(1), w.t());
        let steps = &w.slice(s![1.., 0]) - &w.slice(s![..-1, 0]);
        let mut t = m.dot(&wt).sum() * a + x.slice(s![..3]).dot(&steps);
        for (u, &on) in m.row(0).iter().zip(row.iter()) {
            if on {
                t += u * u;
            }
        }
        for (u, lane) in m.rows().into_iter().zip(on.outer_iter()) {
            if lane[1] {
                t += u.sum() * x[1];
            }
        }
        t
    }
    spaced_without_derivative {
        let t = Array1::linspace(0.0, 1.0, 6).mapv(|s| s * s + 1.0);
        let n = Array1::range(0.0, m.ncols() as f64, 1.0);
        let w = Array::from_shape_fn((3, 4), |(i, j)| (i as f64 - j as f64).cos());
        x.dot(&t.slice(s![..;-1])) * a + m.dot(&n).sum() + (m * &w.view()).sum()
    }
    other_elements {
        let ids = array![2_usize, 0, 1];
        let mut seen: Array1<usize> = Array1::zeros(3);
        let on = Array2::from_elem((3, 3), true);
        seen[1] = 2;
        let mut t = 0.0;
        for i in 0..3 {
            if on[[i, 0]] {
                t += m[[ids[i], i]] * x[seen[i]] * a;
            }
        }
        t
    }
    linspace_of_ends {
        let t = Array1::linspace(a, x[0] * a, 5);
        let one = Array1::<f64>::linspace(x[1], a, 1);
        (&t * &t).sum() + t[4] * one[0] + Array1::linspace(a, 1.0, 0).sum() + m[[0, 0]]
    }
    range_of_ends {
        Array1::range(a, a + 1.0, 0.3).mapv(f64::sin).sum() * x[0] + Array::range(0.0, 2.0, a).product() + m[[1, 1]]
    }
    logspace_of_ends {
        (Array1::logspace(2.0, a, x[0], 4) * Array1::logspace(a, 0.0, x[2], 4)).sum() * m[[0, 1]]
    }
    matrix_product_in_place {
        let mut c = Array2::zeros((4, 4));
        c.column_mut(1).assign(&m.row(0));
        ndarray::linalg::general_mat_mul(a, &m.t(), m, x[1], &mut c);
        let mut part = c.slice_mut(s![..3, ..]);
        ndarray::linalg::general_mat_mul(2.0, &m.slice(s![.., ..2]), &m.slice(s![1.., ..;-1]), 1.0, &mut part);
        (&c * &c).sum()
    }
    vector_product_in_place {
        use ndarray::linalg::general_mat_vec_mul;
        let mut y = Array1::from_elem(3, a);
        for k in 0..2 {
            general_mat_vec_mul(a, m, &x.slice(s![k..k + 4]), x[5], &mut y);
        }
        y.sum()
    }
    perhaps_broadcast {
        let row = m.row(0);
        let wide = match row.broadcast((3, 4)) {
            Some(wide) => (&wide * m).sum(),
            None => a,
        };
        if x.broadcast((3, 4)).is_none() { wide * x[0] } else { a }
    }
    perhaps_shaped {
        let mut t = 0.0;
        for k in 1..6 {
            let Ok(y) = x.to_shape((6 / k, k)) else { continue };
            t += y.row(0).product() * k as f64;
        }
        let back = Array2::from_shape_vec((2, 3), x.to_vec()).map(|y| y.dot(&y.t()).sum()).unwrap_or(a);
        let none = Array2::from_shape_vec((2, 2), x.to_vec()).map(|y| y.sum()).unwrap_or(a);
        t * back + none * m[[2, 2]]
    }
    compared_elements {
        let above = m.map(|t| *t > a * x[0]);
        let mut t = 0.0;
        for ((i, j), &on) in above.indexed_iter() {
            if on {
                t += m[[i, j]] * a;
            }
        }
        if above[[0, 0]] { t * x[1] } else { t }
    }
    compared_pairs {
        let same = Zip::from(m).and(&m.mapv(f64::abs)).map_collect(|p, q| p == q);
        let some = Array2::from_shape_fn((3, 4), |(i, j)| m[[i, j]] < a);
        let mut t = a;
        azip!((&p in &same, &q in &some, &u in m) if p && q { t += u * u; });
        t * x[2]
    }
    counted_elements {
        let k = m.mapv(|t| (t * 2.9) as i32);
        let z = Zip::from(m).and(&k).map_collect(|t, &k| t.powi(k.abs() + 1));
        z.sum() * a + k.sum() as f64 * x[0]
    }
    largest_of_lanes {
        let at = m.map_axis(Axis(1), |r| {
            let mut k = 0;
            for (i, t) in r.iter().enumerate() {
                if *t > r[k] {
                    k = i;
                }
            }
            k
        });
        at.iter().enumerate().map(|(i, &k)| m[[i, k]] * x[i]).sum::<f64>() * a
    }
    lanes_of_a_cube {
        let cube = stack![Axis(0), m.view(), (m * a).view()];
        let most = cube.map_axis(Axis(2), |l| l.fold(f64::NEG_INFINITY, |p, &q| p.max(q)));
        let e = (&cube - &most.view().insert_axis(Axis(2))).mapv(f64::exp);
        let d = cube.into_dyn().map_axis(Axis(1), |l| l.product());
        e.map_axis(Axis(0), |l| l.sum() * l[0]).product() + d.sum() + m.row(1).map_axis(Axis(0), |l| l.dot(&l))[()] * x[0]
    }
    perhaps_joined {
        let twice = ndarray::concatenate(Axis(0), &[m.view(), (m * a).view()]).map(|c| (&c * &c).sum()).unwrap_or(x[0]);
        let never = match ndarray::stack(Axis(0), &[m.row(0), m.column(0)]) {
            Ok(c) => c.sum(),
            Err(_) => x[1] * a,
        };
        let parts: Vec<_> = m.rows().into_iter().collect();
        let all = if let Ok(c) = ndarray::stack(Axis(1), &parts) { c.dot(m).product() } else { a };
        if ndarray::concatenate(Axis(0), &[m.view(), m.t()]).is_ok() { a } else { twice * never + all }
    }
    perhaps_longer {
        let mut y = m.clone();
        if y.push_row(x.view()).is_err() {
            y *= a;
        }
        match y.append(Axis(1), m.t()) {
            Ok(()) => y[[0, 0]] += a,
            Err(_) => y[[0, 0]] *= x[2],
        }
        y.push_column(x.slice(s![..3])).ok();
        let _ = y.push_row((&x.slice(s![1..]) * a).view());
        y.sum() * (&y * &y).sum()
    }
    function_of_a_parameter {
        let u = midpoint(|u| rate(u, a), x, 0.2);
        let v = timed(|t, u| rate(u, a * t), &u, 3);
        v.dot(&u) * m[[0, 0]]
    }
    product_with_a_parameter {
        midpoint(|u| m.t().dot(m).dot(&u.slice(s![..4])) * u.dot(u), &x.slice(s![..4]).to_owned(), a).sum()
    }
    slice_of_a_parameter {
        let v = x.to_vec();
        halves(|v| length(v, a), &v) * m[[0, 0]]
    }
    view_as_a_parameter {
        let k = x.slice(s![..3]).to_owned();
        columns(|c| c.dot(&k) * c.sum() * a, m) + columns(|c: ArrayView1<f64>| (&c * &k).sum() + c[0] * c[1], m)
    }
}

mod results {
    use cotangent::{check_grad, differentiable};
    use ndarray::{Array, Array1, Array2, ArrayView2, Axis, ShapeBuilder, ShapeError, array};

    #[differentiable]
    fn squares(x: &[f64], r: usize, c: usize) -> Result<Array2<f64>, ShapeError> {
        let a = Array2::from_shape_vec((r, c), x.to_vec())?;
        let b = ArrayView2::from_shape((r, c).f(), x)?;
        Ok(&a * &b)
    }

    #[test]
    fn an_error_is_that_of_the_function() {
        let x = [1.0, 2.0, 3.0, 4.0];
        let (y, pullback) = squares_vjp(&x, 2, 2);
        assert_eq!(y, Ok(array![[1.0, 6.0], [6.0, 16.0]]));
        assert_eq!(pullback(Some(array![[1.0, 1.0], [0.0, 10.0]])).0, [2.0, 3.0, 2.0, 80.0]);
        let (y, pullback) = squares_vjp(&x, 3, 2);
        assert_eq!(y, squares(&x, 3, 2));
        assert_eq!((y.is_err(), pullback(None).0), (true, vec![0.0; 4]));
    }

    #[differentiable]
    fn lanes(x: &Array1<f64>, n: usize) -> Result<f64, String> {
        let a = x.to_shape((n, 2)).map_err(|e| e.to_string())?;
        let b = x.clone().into_shape_with_order((2, n)).map_err(|e| e.to_string())?;
        let c = Array::from_shape_vec(x.len(), x.to_vec()).map_err(|e| format!("{e}"))?;
        Ok(a.dot(&b).sum() * c[0])
    }

    #[test]
    fn an_error_becomes_another() {
        let x = array![1.0, 2.0, 3.0, 4.0];
        let (y, pullback) = lanes_vjp(&x, 2);
        assert_eq!(y, lanes(&x, 2));
        let gradient = pullback(Some(1.0)).0;
        check_grad(|x: &Array1<f64>| lanes(x, 2).unwrap(), &x, &gradient).assert_within(1e-8);
        assert_eq!(lanes_vjp(&x, 3).0, lanes(&x, 3));
        assert_eq!(lanes_jvp(&x, 3, x.clone(), ()), (lanes(&x, 3), None));
    }

    #[differentiable]
    fn joined(m: &Array2<f64>, v: &Array1<f64>, a: f64) -> Result<Array2<f64>, ShapeError> {
        let mut y = ndarray::concatenate(Axis(0), &[m.view(), m.view()])?;
        y.push_row(v.view())?;
        y.push_column((v * a).view())?;
        let z = ndarray::stack(Axis(0), &[y.row(0), y.row(y.nrows() - 1)])?;
        Ok(y.dot(&z.t()))
    }

    #[test]
    fn what_cannot_be_joined() {
        let (m, v) = (array![[1.0, 2.0, 3.0]], array![4.0, 5.0, 6.0]);
        let (y, pullback) = joined_vjp(&m, &v, 0.5);
        assert_eq!(y, joined(&m, &v, 0.5));
        let entries = pullback(Some(array![[1.0, 0.0], [0.0, 0.5], [2.0, -1.0]]));
        let weights = array![[1.0, 0.0], [0.0, 0.5], [2.0, -1.0]];
        let f = |(m, v, a): &(Array2<f64>, Array1<f64>, f64)| (joined(m, v, *a).unwrap() * &weights).sum();
        check_grad(f, &(m.clone(), v.clone(), 0.5), &entries).assert_within(1e-8);
        for v in [array![1.0], array![1.0, 2.0, 3.0, 4.0]] {
            let (y, pullback) = joined_vjp(&m, &v, 0.5);
            assert_eq!(y, joined(&m, &v, 0.5));
            assert!(y.is_err());
            assert_eq!(pullback(None), (m.clone() * 0.0, v.clone() * 0.0, 0.0));
        }
        let tall = array![[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]];
        assert_eq!(joined_jvp(&tall, &v, 0.5, tall.clone(), v.clone(), 1.0), (joined(&tall, &v, 0.5), None));
    }

    #[differentiable(hessian)]
    fn form(a: &Array2<f64>, s: f64) -> f64 {
        let mut c = a.mapv(f64::sin);
        ndarray::linalg::general_mat_mul(s, a, a, s * s, &mut c);
        (&c * &c).sum()
    }

    #[test]
    fn second_derivatives_of_a_product_in_place() {
        let (a, s) = (array![[0.3, -0.8], [1.2, 0.5]], 0.7);
        let hessian = form_hessian(&a, s);
        for row in 0..5 {
            let entry = |(a, s): &(Array2<f64>, f64)| {
                let (da, ds) = form_grad(a, *s);
                if row < 4 { da[[row / 2, row % 2]] } else { ds }
            };
            let line = hessian.row(row);
            let da = Array2::from_shape_fn((2, 2), |(i, j)| line[2 * i + j]);
            check_grad(entry, &(a.clone(), s), &(da, line[4])).assert_within(1e-7);
        }
    }
}
