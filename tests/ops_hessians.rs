//! Second derivatives through the operations of `cotangent::ops`.

mod hessians;

/// What the functions call.
mod callees {
    pub(crate) use cotangent::ops;
    use cotangent::{Differentiable, differentiable};
    use ndarray::{Array1, Array2};

    #[derive(Clone, Differentiable)]
    pub(crate) struct Layer {
        pub(crate) w: Array2<f64>,
        pub(crate) b: Array1<f64>,
    }

    #[differentiable(order = 2)]
    pub(crate) fn pack(x: &Array1<f64>, m: &Array2<f64>, a: f64) -> Layer {
        Layer { w: m * a, b: x.mapv(|t| t * t) }
    }
}

hessians! {
    (x, m, a)
    softmax {
        let p: Array2<f64> = ops::softmax(m * a, Axis(1));
        (&p * m * &p).sum()
    }
    softmax0 {
        let p = ops::softmax(m, Axis(0));
        (&p * m).sum() * a
    }
    log_softmax {
        let p: Array2<f64> = ops::log_softmax(m * a, Axis(1));
        (&p * m).sum()
    }
    log_softmax0 {
        let p: Array2<f64> = ops::log_softmax(m, Axis(0));
        (&p * &p * a).sum()
    }
    logsumexp {
        ops::logsumexp(m * a) * ops::logsumexp(x)
    }
    logsumexp_axis {
        let l: Array1<f64> = ops::logsumexp_axis(m * a, Axis(0));
        let k: Array1<f64> = ops::logsumexp_axis(m, Axis(1));
        l.dot(&l) * k.product()
    }
    cross_entropy {
        ops::cross_entropy(m * a, [0, 3, 1]) + ops::cross_entropy(m, vec![1_usize, 1, 2]) * a
    }
    cumsum {
        let c: Array2<f64> = ops::cumsum(m * m, Axis(1));
        (&c * &c * a).sum()
    }
    cumprod {
        let c: Array2<f64> = ops::cumprod(m * a, Axis(0));
        (&c * m).sum()
    }
    cumprod1 {
        let c: Array2<f64> = ops::cumprod(m, Axis(1));
        (&c * &c * a).sum()
    }
    norm {
        ops::norm(m * a) * ops::norm(x)
    }
    norm_axis {
        let n: Array1<f64> = ops::norm_axis(m * a, Axis(1));
        let k: Array1<f64> = ops::norm_axis(m, Axis(0));
        n.product() * k.dot(&k) + k.sum()
    }
    layer_norm {
        let y: Array2<f64> = ops::layer_norm(m, x.slice(s![..4]), m.row(1).mapv(|t| t * a), a);
        (&y * &y * m).sum()
    }
    layer_norm2 {
        let g = x.slice(s![..4]).mapv(f64::sin);
        let b = Array1::zeros(4);
        let y: Array2<f64> = ops::layer_norm(m * a, g, b, 1e-3);
        y.mapv(|t| t * t * t).sum()
    }
    conv1d {
        let s = x.to_shape((1, 1, 6)).unwrap().to_owned();
        let w = m.slice(s![..2, ..3]).to_owned().into_shape_with_order((2, 1, 3)).unwrap();
        let y: Array3<f64> = ops::conv1d(&s, &w, 1, 1);
        (&y * &y * a).sum()
    }
    conv2d {
        let i = m.to_shape((1, 1, 3, 4)).unwrap().to_owned();
        let w = x.slice(s![..4]).to_shape((1, 1, 2, 2)).unwrap().to_owned();
        let y: Array4<f64> = ops::conv2d(&i, &(w * a), [1, 1], [1, 0]);
        y.mapv(|t| t * t).sum()
    }
    max_pool1d {
        let s = x.to_shape((1, 1, 6)).unwrap().to_owned();
        let y: Array3<f64> = ops::max_pool1d(&(s * a), 2, 2);
        y.product()
    }
    avg_pool2d {
        let i = m.to_shape((1, 1, 3, 4)).unwrap().to_owned();
        let y: Array4<f64> = ops::avg_pool2d(i * a, [2, 2], [1, 1]);
        (&y * &y * &y).sum()
    }
    max_pool2d {
        let i = m.to_shape((1, 1, 3, 4)).unwrap().to_owned();
        let y: Array4<f64> = ops::max_pool2d(&i, [2, 2], [1, 2]);
        (&y * &y * a).sum()
    }
    avg_pool1d {
        let s = x.to_shape((1, 1, 6)).unwrap().to_owned();
        let y: Array3<f64> = ops::avg_pool1d(s, 3, 1);
        (&y * &y * a).sum()
    }
    fast {
        let e: Array2<f64> = ops::exp(m * a);
        let l: Array2<f64> = ops::ln(&e + 1.0);
        let t: Array2<f64> = ops::tanh(&l);
        let s: Array2<f64> = ops::sin(&t * a);
        let c: Array2<f64> = ops::cos(m);
        (s * c).sum()
    }
    fast2 {
        ops::exp(m * a).sum() + ops::ln(m * m + 1.0).sum() * ops::tanh(x).sum() + ops::sin(x).dot(&ops::cos(x))
    }
    pointwise {
        let r: Array2<f64> = ops::relu(m);
        let g: Array2<f64> = ops::gelu(m * a);
        let s: Array1<f64> = ops::sigmoid(x);
        let p: Array1<f64> = ops::softplus(x * a);
        (&r * &r * &g).sum() * s.dot(&p)
    }
    pointwise_numbers {
        ops::sigmoid(a * x[0]) * ops::gelu(x[1] * a) + ops::softplus(a) * ops::relu(x[2] * x[2])
    }
    pointwise_closure {
        m.mapv(|t| a * ops::gelu(t * a) + ops::sigmoid(t)).sum() * x.mapv(ops::softplus).sum()
    }
    field_softmax {
        let p = pack(x, m, a);
        let q = ops::softmax(&p.w, Axis(1));
        (&q * &p.w).sum() * ops::norm(&p.b)
    }
    attention {
        let sc = m.dot(&m.t()) * a;
        let w: Array2<f64> = ops::softmax(sc, Axis(1));
        let y = w.dot(m);
        (&y * &y).sum()
    }
    nested_ops {
        ops::logsumexp(ops::log_softmax(m * a, Axis(1))) + ops::norm(ops::softmax(m, Axis(0))) * a
    }
}

mod extremes {
    use super::callees::ops;
    use ndarray::{Array1, Axis, array};

    #[cotangent::differentiable(hessian, hvp)]
    fn masked(x: &Array1<f64>) -> f64 {
        let p: Array1<f64> = ops::softmax(x, Axis(0));
        p[0] * p[0] + ops::logsumexp(x)
    }

    #[test]
    fn what_is_masked_bends_nothing() {
        let inf = f64::NEG_INFINITY;
        let (masked_out, alone) = (array![0.3, inf, -0.2], array![0.3, -0.2]);
        let (wide, narrow) = (masked_hessian(&masked_out), masked_hessian(&alone));
        for (k, i) in [0, 2].into_iter().enumerate() {
            for (l, j) in [0, 2].into_iter().enumerate() {
                assert!((wide[[i, j]] - narrow[[k, l]]).abs() < 1e-15);
            }
            assert_eq!((wide[[i, 1]], wide[[1, i]]), (0.0, 0.0));
        }
        assert_eq!(masked_hvp(&array![inf, inf], array![1.0, 2.0]), array![0.0, 0.0]);
        assert_eq!(masked_hvp(&array![1000.0, 0.0], array![1.0, 2.0]), array![0.0, 0.0]);
    }

    #[cotangent::differentiable(hessian)]
    fn rectified(x: &Array1<f64>) -> f64 {
        let r: Array1<f64> = ops::relu(x);
        r.dot(&r) + ops::norm(x)
    }

    #[test]
    fn conventions_are_composed() {
        // the slope of half a square at 0 is that of both sides, and the norm stays flat there
        assert_eq!(rectified_hessian(&array![0.0, 0.0]), array![[0.5, 0.0], [0.0, 0.5]]);
        assert_eq!(rectified_hessian(&array![3.0])[[0, 0]], 2.0);
    }

    #[cotangent::differentiable(order = 2)]
    fn single(x: &Array1<f32>) -> f32 {
        let y: Array1<f32> = ops::tanh(x);
        ops::logsumexp(&y)
    }

    #[cotangent::differentiable(order = 2)]
    fn double(x: &Array1<f64>) -> f64 {
        let y: Array1<f64> = ops::tanh(x);
        ops::logsumexp(&y)
    }

    #[test]
    fn single_precision() {
        let (x, v) = (array![0.3, -0.7, 1.1], array![1.0, 0.5, -2.0]);
        let narrow = |x: &Array1<f64>| x.mapv(|x| x as f32);
        let (_, wide) = double_grad_jvp(&x, v.clone());
        let (_, along) = single_grad_jvp(&narrow(&x), narrow(&v));
        along.iter().zip(&wide).for_each(|(a, b)| assert!((f64::from(*a) - b).abs() < 1e-6));
    }
}
