//! Closures that change what they capture, called for the elements of arrays: in the order in which `ndarray` calls them, which
//! depends on the method and on how the array lies in memory.

#![allow(clippy::redundant_closure, reason = "a closure around one that changes what it captures is what is tried")]

mod matrices;

mod callees {
    use cotangent::differentiable;
    use ndarray::{Array3, ArrayViewMut2};

    /// The vector and the matrix in an array with three axes.
    #[differentiable]
    pub(crate) fn cube(x: &ndarray::Array1<f64>, m: &ndarray::Array2<f64>) -> Array3<f64> {
        Array3::from_shape_fn((2, 3, 4), |(i, j, k)| m[[j, k]] * x[2 * i + 1] + 0.1 * (3 * k + 2 * j + i) as f64)
    }

    #[differentiable]
    pub(crate) fn settle(mut v: ArrayViewMut2<'_, f64>) {
        let s = v.fold(0.0, |a, &v| a * 0.5 + v * v);
        v.fill(s);
    }

    #[differentiable]
    pub(crate) fn stride(mut v: ArrayViewMut2<'_, f64>) {
        let mut s = 0.3;
        v.map_inplace(|v| {
            s = s * 0.5 + *v;
            *v *= s;
        });
    }

    /// Weights by which each element counts for itself.
    #[differentiable]
    pub(crate) fn told(v: ndarray::ArrayViewD<'_, f64>) -> f64 {
        let mut s = 0.0;
        for (k, v) in v.iter().enumerate() {
            s += v * (k as f64 + 1.0).sqrt();
        }
        s
    }
}

functions! {
    (x, m, a)
    part_map {
        let mut c = a;
        let w = m.slice(s![..2, ..]).map(|u| { c = c * 0.5 + u; c * u });
        told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v)
    }
    part_mapv {
        let mut c = a;
        let w = m.slice(s![.., ..;-2]).mapv(|u| { c = c * 0.5 + u; c * u });
        told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v)
    }
    part_mapv_t {
        let mut c = a;
        let w = m.slice(s![..;2, ..;2]).t().mapv(|u| { c = c * 0.5 + u; c * u });
        told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v)
    }
    whole_map {
        let mut c = a;
        let w = m.t().map(|u| { c = c * 0.5 + u; c * u });
        told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v)
    }
    part_mapv_into {
        let mut c = a;
        let w = m.clone().slice_move(s![..2, ..]).mapv_into(|u| { c = c * 0.5 + u; c * u });
        told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v)
    }
    owned_part_cloned {
        let part = m.clone().slice_move(s![..2, ..]);
        let mut other = part.clone();
        other[[0, 1]] *= a;
        told(other.view().into_dyn()) + other.fold(0.1, |s, v| s * 0.7 + v) * part.fold(0.1, |s, v| s * 0.6 + v)
    }
    owned_part_copied {
        let part = m.clone().slice_move(s![..2, ..]);
        let mut other = part.to_owned();
        other[[0, 1]] *= a;
        told(other.view().into_dyn()) + other.fold(0.1, |s, v| s * 0.7 + v) * part.fold(0.1, |s, v| s * 0.6 + v)
    }
    part_in_place {
        let (mut w, mut c) = (m.clone(), a);
        w.slice_mut(s![..2, ..]).mapv_inplace(|u| { c = c * 0.5 + u; c * u });
        w.slice_mut(s![.., 1..;2]).map_inplace(|u| { c = c * 0.5 + *u; *u *= c; });
        told(w.view().into_dyn())
    }
    by_a_named_closure {
        let mut c = a;
        let mut step = |u: f64| { c = c * 0.5 + u; c * u };
        let w = m.t().mapv(|u| step(u));
        told(w.view().into_dyn())
    }
    by_a_vector {
        let mut seen = vec![a];
        m.t().for_each(|u| { let last = seen[seen.len() - 1]; seen.push(last * 0.5 + u); });
        seen.iter().enumerate().map(|(k, v)| v * (k as f64).sqrt()).sum()
    }
    into_a_place {
        let mut ring = [a; 3];
        let w = m.t().mapv(|u| { ring.swap(0, 1); ring[0] = ring[1] * 0.5 + u; ring[0] * u });
        told(w.view().into_dyn())
    }
    read_only {
        let mut scale = array![a, 2.0];
        scale[1] *= a;
        let w = m.t().mapv(|u| u * scale[0] + scale[1]);
        told(w.view().into_dyn()) + m.map_axis(Axis(0), |l| l[0] * scale[1] + l[2]).sum()
    }
    zipped_alike {
        let (mut c, mut w) = (a, m.clone());
        w.zip_mut_with(m, |u, v| { c = c * 0.5 + v; *u *= c; });
        told(w.view().into_dyn())
    }
    zipped_turned {
        let (mut c, mut w) = (a, m.t().to_owned());
        w.zip_mut_with(&m.t(), |u, v| { c = c * 0.5 + v; *u *= c; });
        told(w.view().into_dyn())
    }
    zipped_otherwise {
        let (mut c, mut w) = (a, m.t().to_owned());
        let other = Array2::from_shape_fn((4, 3), |(i, j)| x[j] * (i as f64 + 0.5));
        w.zip_mut_with(&other, |u, v| { c = c * 0.5 + v; *u *= c; });
        told(w.view().into_dyn())
    }
    zipped_with_a_row {
        let (mut c, mut w) = (a, m.t().to_owned());
        w.zip_mut_with(&x.slice(s![..3]), |u, v| { c = c * 0.5 + v; *u *= c; });
        told(w.view().into_dyn())
    }
    zipped_part {
        let (mut c, mut w) = (a, m.clone());
        w.slice_mut(s![..2, 1..]).zip_mut_with(&m.slice(s![1.., ..3]), |u, v| { c = c * 0.5 + v; *u *= c; });
        told(w.view().into_dyn())
    }
    zipped_cubes {
        let q = cube(x, m);
        let (mut c, mut w, mut t) = (a, q.clone(), 0.0);
        w.zip_mut_with(&q, |u, v| { c = c * 0.5 + v; *u *= c; });
        t += told(w.view().into_dyn());
        let turned = q.view().permuted_axes([2, 0, 1]);
        let mut w = turned.to_owned();
        w.zip_mut_with(&turned, |u, v| { c = c * 0.5 + v; *u *= c; });
        t += told(w.view().into_dyn());
        let mut w = Array3::zeros((4, 3, 2).f());
        w.assign(&q.t());
        w.slice_mut(s![..3, .., ..]).zip_mut_with(&q.t().slice(s![1.., .., ..]), |u, v| { c = c * 0.5 + v; *u *= c; });
        t + told(w.view().into_dyn())
    }
    accumulated_rows {
        let (mut c, mut w) = (a, m.clone());
        w.accumulate_axis_inplace(Axis(1), |&before, now| { c = c * 0.5 + before; *now += c; });
        told(w.view().into_dyn())
    }
    accumulated_columns {
        let (mut c, mut w) = (a, m.clone());
        w.accumulate_axis_inplace(Axis(0), |&before, now| { c = c * 0.5 + before; *now += c; });
        told(w.view().into_dyn())
    }
    accumulated_little {
        let (mut c, mut w) = (a, m.clone());
        w.slice_mut(s![..1, ..]).accumulate_axis_inplace(Axis(0), |&before, now| { c = c * 0.5 + before; *now += c; });
        w.slice_mut(s![..0, ..]).accumulate_axis_inplace(Axis(0), |&before, now| { c = c * 0.5 + before; *now += c; });
        told(w.view().into_dyn()) * c
    }
    accumulated_cube {
        let (mut c, q) = (a, cube(x, m));
        let mut t = 0.0;
        for k in 0..3 {
            let mut w = q.clone();
            w.accumulate_axis_inplace(Axis(k), |&before, now| { c = c * 0.5 + before; *now += c; });
            t += told(w.view().into_dyn());
            let mut w = q.clone().reversed_axes();
            w.accumulate_axis_inplace(Axis(k), |&before, now| { c = c * 0.5 + before; *now += c; });
            t += told(w.view().into_dyn());
        }
        t
    }
    lanes_of_a_cube {
        let (mut c, q, mut t) = (a, cube(x, m), 0.0);
        for k in 0..3 {
            let w = q.map_axis(Axis(k), |l| { c = c * 0.5 + l[1]; c * l[0] });
            t += told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v);
            let w = q.t().map_axis(Axis(k), |l| { c = c * 0.5 + l[1]; c * l[0] });
            t += told(w.view().into_dyn()) + w.fold(0.1, |s, v| s * 0.7 + v);
        }
        t
    }
    lanes_of_a_turned_cube {
        let q = cube(x, m);
        let w = q.t().map_axis(Axis(0), |l| l[1] * a);
        let u = q.view().permuted_axes([1, 2, 0]).map_axis(Axis(1), |l| l[1] * a);
        w.fold(0.1, |s, v| s * 0.7 + v) + u.fold(0.1, |s, v| s * 0.7 + v)
    }
    shown_to_functions {
        let mut w = m.clone();
        settle(w.slice_mut(s![..2, ..]));
        stride(w.slice_mut(s![1.., ..3]));
        stride(w.view_mut().reversed_axes());
        told(w.view().into_dyn()) * a
    }
    shown_again_and_again {
        let mut w = m.clone();
        for k in 0..2 {
            settle(w.slice_mut(s![..2, k..k + 2]));
            stride(w.slice_mut(s![.., k + 1..]));
            w *= a;
        }
        told(w.view().into_dyn())
    }
    made_in_column_order {
        let (mut c, mut places) = (a, 0.0);
        let w = Array2::from_shape_fn((3, 4).f(), |(i, j)| { places += 1.0; c = c * 0.5 + m[[i, j]]; c * places });
        let v = Array2::from_shape_fn((3, 4), |(i, j)| { places += 1.0; c = c * 0.5 + m[[i, j]]; c * places });
        told(w.view().into_dyn()) + told(v.view().into_dyn())
    }
    zipped_lanes {
        let (mut c, q) = (a, cube(x, m));
        let mut w = m.clone();
        Zip::from(&mut w).and(q.lanes(Axis(0))).for_each(|u, l| { c = c * 0.5 + l[0] * l[1]; *u *= c; });
        told(w.view().into_dyn())
    }
    zipped_lanes_in_column_order {
        let (mut c, q) = (a, cube(x, m));
        let mut w = Array2::zeros((4, 3).f());
        w.assign(&m.t());
        Zip::from(&mut w).and(q.t().lanes(Axis(2))).for_each(|u, l| { c = c * 0.5 + l[0] * l[1]; *u *= c; });
        told(w.view().into_dyn())
    }
    lanes_collected_in_column_order {
        let (mut c, q) = (a, cube(x, m));
        let w = Zip::from(q.t().lanes(Axis(2))).map_collect(|l| { c = c * 0.5 + l[0] * l[1]; c * l[0] });
        told(w.view().into_dyn())
    }
    lanes_folded_in_column_order {
        let q = cube(x, m);
        Zip::from(q.t().lanes(Axis(2))).fold(a, |c, l| c * 0.5 + l[0] * l[1])
    }
    by_a_cell {
        let n = std::cell::Cell::new(0);
        let w = m.t().mapv(|v| { n.set(n.get() + 1); v * n.get() as f64 });
        told(w.view().into_dyn()) * a
    }
    by_a_counter {
        thread_local!(static N: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
        fn tick() -> usize { N.with(|n| n.replace(n.get() + 1)) % 12 }
        let w = m.t().mapv(|v| v * tick() as f64);
        told(w.view().into_dyn()) * a
    }
    with_other_elements {
        let (mut c, mut w) = (a, m.t().to_owned());
        let other = Array2::from_shape_fn((4, 3), |(i, j)| i * 3 + j);
        w.zip_mut_with(&other, |u, &k| { c = c * 0.5 + k as f64; *u *= c; });
        told(w.view().into_dyn())
    }
    windows_in_column_order {
        let (mut c, t) = (a, m.t());
        Zip::from(t.windows((2, 2))).for_each(|l| c = c * 0.5 + l[[0, 1]] * l[[1, 0]]);
        c
    }
}
