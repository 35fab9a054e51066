//! Functions that are generic over the float, of arrays.

#![allow(clippy::assign_op_pattern, clippy::multiple_bound_locations, clippy::useless_vec)]

mod matrices;

/// The functions.
mod callees {
    use cotangent::differentiable;
    use ndarray::{Array1, Array2, ArrayView2, Axis, LinalgScalar, NdFloat, Zip, concatenate, s, stack};

    #[differentiable]
    pub(crate) fn generic_linalg<T: num_traits::Float + LinalgScalar>(w: &Array2<T>, x: &Array1<T>) -> T {
        let h = w.dot(x);
        h.dot(&h)
    }

    #[differentiable]
    pub(crate) fn generic_ndfloat<T: NdFloat>(w: &Array2<T>, x: &Array1<T>, k: T) -> T {
        let h = (w.dot(x) * k + T::one()).mapv(|t| t.tanh());
        (&h * &h).sum() + h.mapv(T::exp).sum() * h.sum_axis(Axis(0))[()]
    }

    #[differentiable]
    pub(crate) fn generic_ndfloat2<T: NdFloat + num_traits::FromPrimitive>(w: &Array2<T>, x: &Array1<T>, k: T) -> T {
        let mut h = w.mean_axis(Axis(1)).unwrap();
        h *= k;
        h += &w.column(0);
        h[0] = x[1];
        let mut s = T::zero();
        for v in h.iter() {
            s += *v * *v;
        }
        for r in w.outer_iter() {
            s = s + r.dot(x);
        }
        s + w.var(T::zero()) + w.row(1).dot(x) + x.mean().unwrap()
    }

    #[differentiable]
    pub(crate) fn generic_float<T: num_traits::Float>(w: &Array1<T>, k: T) -> T
    where
        T: 'static,
    {
        let mut s = T::zero();
        for v in w.iter() {
            s = s + v.sin() * k;
        }
        let y = w.mapv(|t| t * t);
        s + y[0] * y[1]
    }

    #[differentiable]
    pub(crate) fn gen_slice<T: num_traits::Float>(v: &[T], k: T) -> T {
        let mut w = v.to_vec();
        w[0] = k * w[1];
        w[1] = w[0] * w[2];
        let mut z = vec![T::zero(); 3];
        z[1] = w[0];
        z[2] = z[1] * k;
        w[0] * w[1] + z[2]
    }

    #[differentiable]
    pub(crate) fn gen_all<T: NdFloat + num_traits::FromPrimitive>(x: &Array1<T>, m: ArrayView2<T>, a: T) -> T {
        let two = T::one() + T::one();
        let mut y = m.to_owned();
        y.row_mut(0).assign(&x.slice(s![..4]));
        y.slice_mut(s![1.., 2]).fill(a);
        y *= a;
        y += &m;
        y[[1, 1]] = a * two;
        y[[0, 1]] += x[2];
        let mut t = T::zero();
        for v in y.iter() {
            t = t + *v * a;
        }
        for v in y.iter_mut() {
            *v = *v * two;
        }
        for (i, mut r) in y.outer_iter_mut().enumerate() {
            r[0] = r[0] * x[i];
        }
        let z = Zip::from(&y).and(&m).map_collect(|&p, &q| if p > q { p * a } else { q });
        let q = concatenate(Axis(0), &[y.view(), z.view()]).unwrap();
        let p = stack(Axis(0), &[x.view(), x.view()]).unwrap();
        let e = Array1::from_elem(3, a);
        let g = Array2::from_shape_fn((2, 2), |(i, j)| x[i] * x[j]);
        let v = Array1::from_vec(vec![a, x[0]]);
        t + q.sum()
            + p.dot(x).sum()
            + e.dot(&e)
            + g.dot(&v).sum()
            + m.t().dot(&y).sum()
            + z.fold(a, |s, &v| s * a + v)
            + y.mapv(|v| (v * a).exp()).mean().unwrap()
            + y.product()
            + (&y / a).std(T::zero())
            + (&y - a).sum_axis(Axis(0))[1]
            + x.map(|&v| v.powi(2)).sum()
            + x.iter().map(|&v| v * a).fold(T::zero(), |p, q| p + q)
    }
}

functions! {
    (x, m, a)
    generic_linalg {
        let v = x.slice(s![..4]).to_owned();
        generic_linalg(m, &v) * a
    }
    generic_ndfloat {
        let v = x.slice(s![..4]).to_owned();
        generic_ndfloat(m, &v, a) * a
    }
    generic_ndfloat2 {
        let v = x.slice(s![..4]).to_owned();
        generic_ndfloat2(m, &v, a) * a
    }
    generic_float {
        generic_float(x, a) * m.sum()
    }
    gen_slice {
        let v = x.to_vec();
        gen_slice(&v, a) * m.sum()
    }
    gen_all {
        gen_all(x, m.view(), a)
    }
}

/// The same in single precision.
#[test]
fn single_precision() {
    use callees::generic_ndfloat_value_and_grad;
    let (w, x) = (ndarray::array![[0.5_f32, -1.0], [0.25, 2.0]], ndarray::array![0.3_f32, 0.7]);
    let (y, (dw, dx, dk)) = generic_ndfloat_value_and_grad(&w, &x, 0.5);
    let wide = (w.mapv(f64::from), x.mapv(f64::from));
    let (y64, (dw64, dx64, dk64)) = generic_ndfloat_value_and_grad(&wide.0, &wide.1, 0.5);
    let close = |a: f32, b: f64| assert!((f64::from(a) - b).abs() < 1e-5 * b.abs().max(1.0), "{a} is not {b}");
    close(y, y64);
    close(dk, dk64);
    dw.iter().zip(&dw64).chain(dx.iter().zip(&dx64)).for_each(|(a, b)| close(*a, *b));
}
