//! Operations of `cotangent::ops` in differentiable functions: values, both modes and central differences agree, for every
//! form of argument, in both precisions, and where numbers end.

#![allow(
    clippy::op_ref,
    clippy::needless_borrows_for_generic_args,
    reason = "the forms of arguments are what is tested"
)]

use cotangent::ops::{
    conv1d_vjp, cross_entropy, cross_entropy_jvp, cross_entropy_vjp, layer_norm, layer_norm_jvp, layer_norm_vjp,
    log_softmax, log_softmax_jvp, log_softmax_vjp, logsumexp, logsumexp_jvp, logsumexp_vjp, norm, norm_jvp, norm_vjp,
    softmax, softmax_jvp, softmax_vjp,
};
use cotangent::{check_forward, check_grad, differentiable, ops};
use ndarray::{Array1, Array2, Array3, Array4, ArrayView2, Axis, array, s};

type Input = (Array2<f64>, Array1<f64>, f64);

/// A matrix with different entries between -1.6 and 1.6.
fn matrix(rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| 1.6 * (1.7 * i as f64 + 0.9 * j as f64 + 0.4).sin())
}

fn vector(n: usize) -> Array1<f64> {
    matrix(1, n).row(0).mapv(|t| 1.3 - t)
}

#[track_caller]
fn check(
    f: impl Fn(&Array2<f64>, &Array1<f64>, f64) -> f64,
    value_and_grad: impl Fn(&Array2<f64>, &Array1<f64>, f64) -> (f64, Input),
    jvp: impl Fn(&Array2<f64>, &Array1<f64>, f64, Array2<f64>, Array1<f64>, f64) -> (f64, f64),
) {
    let (rows, fortran) = (matrix(4, 6), matrix(6, 4).reversed_axes());
    for x in [rows, fortran] {
        let at = (x, vector(6), 0.7);
        let (y, gradient) = value_and_grad(&at.0, &at.1, at.2);
        assert_eq!(y.to_bits(), f(&at.0, &at.1, at.2).to_bits(), "the value");
        check_grad(|(x, v, a): &Input| f(x, v, *a), &at, &gradient).assert_within(1e-7);
        let forward = |(x, v, a): &Input, (dx, dv, da): Input| {
            let (same, tangent) = jvp(x, v, *a, dx, dv, da);
            assert_eq!(y.to_bits(), same.to_bits(), "the value in forward mode");
            tangent
        };
        check_forward(forward, &at, &gradient).assert_within(1e-12);
    }
}

/// Functions of a 4 × 6 matrix, a vector of 6, and a number.
macro_rules! functions {
    (($x:ident, $v:ident, $a:ident) $($name:ident { $($body:tt)* })*) => {$(
        mod $name {
            use super::*;

            #[differentiable]
            #[allow(unused_variables)]
            fn f($x: &Array2<f64>, $v: &Array1<f64>, $a: f64) -> f64 {
                $($body)*
            }

            #[test]
            fn agrees_with_differences() {
                check(f, f_value_and_grad, f_jvp);
            }
        }
    )*};
}

functions! {
    (x, v, a)

    relus { (ops::relu(x - 0.05) * v).sum() * ops::relu(a) }
    sigmoids { (ops::sigmoid(x * a) * v).sum() }
    softpluses { (ops::softplus(x * (8.0 * a)) * v).sum() }
    gelus { (ops::gelu(x * (2.0 * a)) * v).sum() }
    fast_functions { (ops::exp(x * a) * v).sum() + ops::ln(&(x * x + 1.0)).sum() * a + (ops::tanh(x) * v).sum() + (ops::sin(x) * ops::cos(&(x * a))).sum() }
    all_numbers { ops::sigmoid(a) + ops::softplus(a * a) * ops::gelu(-a) + ops::relu(a) }
    in_a_closure { x.mapv(|t| ops::gelu(a * t)).sum() }

    logsumexps { ops::logsumexp(x) * ops::logsumexp(v * a) }
    logsumexps_of_rows { (ops::logsumexp_axis(x, Axis(0)) * v).sum() + ops::logsumexp_axis(&x.t(), Axis(0)).sum() * a }
    softmaxes { (ops::softmax(x, Axis(0)) * v).sum() + (ops::softmax(x * a, Axis(1)) * v).sum() }
    log_softmaxes { (ops::log_softmax(x, Axis(0)) * v).sum() + (ops::log_softmax(x * a, Axis(1)) * v).sum() }
    cross_entropies { ops::cross_entropy(x * a + v, &[3, 0, 5, 0]) }
    running_sums { (ops::cumsum(x, Axis(1)) * v * x).sum() + (ops::cumsum(x, Axis(0)) * x).sum() * a }
    running_products { (ops::cumprod(x, Axis(1)) * v).sum() + ops::cumprod(x * a, Axis(0)).sum() }
    norms { ops::norm(x) * a + ops::norm(v) }
    norms_of_rows { (ops::norm_axis(x, Axis(0)) * v).sum() + ops::norm_axis(x, Axis(1)).sum() * a }
    layers { (ops::layer_norm(x, v, &(v * a), 0.1) * x).sum() }
    layers_with_eps { (ops::layer_norm(x, v, v, a) * x).sum() }

    signals {
        let signals = x.to_shape((2, 2, 6)).unwrap();
        let kernels = v.to_shape((1, 2, 3)).unwrap();
        let y: Array3<f64> = ops::conv1d(&signals, &kernels, 1, 0);
        let z: Array3<f64> = ops::conv1d(&signals, &kernels, 2, 2);
        (&y * &y).sum() + a * z.mapv(|t| t.sin()).sum()
    }
    images {
        let image = x.to_shape((1, 1, 4, 6)).unwrap();
        let kernels = v.to_shape((1, 1, 2, 3)).unwrap();
        let y: Array4<f64> = ops::conv2d(&image, &kernels, [1, 1], [0, 0]);
        let z: Array4<f64> = ops::conv2d(&image, &kernels, [2, 1], [1, 3]);
        (&y * &y).sum() + a * z.mapv(|t| t.sin()).sum()
    }
    pools {
        let signals = x.to_shape((2, 2, 6)).unwrap();
        let image = x.to_shape((1, 2, 2, 6)).unwrap();
        let one = ops::max_pool1d(&signals, 3, 1).sum() * a + ops::avg_pool1d(&signals, 2, 2).pow2().sum();
        let two = ops::max_pool2d(&image, [2, 3], [1, 2]).pow2().sum() + ops::avg_pool2d(&image, [2, 2], [2, 1]).exp().sum();
        one * two
    }
}

mod argument_forms {
    use super::*;
    use cotangent::Differentiable;
    use cotangent::ops::{cumsum, cumsum_jvp, cumsum_vjp, sigmoid, sigmoid_jvp, sigmoid_vjp};

    #[derive(Differentiable, Clone)]
    struct Layer {
        weights: Array2<f64>,
        gain: Array1<f64>,
    }

    #[differentiable]
    fn scores(x: &Array2<f64>, a: f64) -> Array2<f64> {
        softmax(x * a, Axis(1))
    }

    #[differentiable]
    fn of_a_view(x: ArrayView2<f64>) -> f64 {
        let p: Array2<f64> = softmax(x, Axis(0));
        (p * x).sum()
    }

    functions! {
        (x, v, a)

        references { (softmax(x, Axis(1)) * x).sum() + norm(v) }
        views { (softmax(x.view(), Axis(1)) * x).sum() + norm(v.view()) }
        views_by_reference { (softmax(&x.view(), Axis(1)) * x).sum() }
        products { logsumexp(&x.dot(v)) * logsumexp(x.dot(v) * a) }
        owned {
            let z = x * a;
            let y: Array2<f64> = softmax(z, Axis(0));
            (y * v).sum()
        }
        owned_and_used_again {
            let z = x * a;
            let y: Array2<f64> = softmax(z.clone(), Axis(0));
            (y * z).sum()
        }
        rows_and_slices { norm(x.row(1)) * logsumexp(x.column(2)) + norm(x.slice(s![1.., ..;2])) }
        transposed { (softmax(x.t(), Axis(0)) * &x.t()).sum() }
        results_of_calls { norm(softmax(&scores(x, a), Axis(0))) + norm(&softmax(scores(x, a), Axis(0))) }
        results_of_results {
            let p = softmax(x, Axis(1));
            let q = log_softmax(&p, Axis(0));
            let r = sigmoid(q);
            (&r * &p).sum() + cumsum(r, Axis(0)).sum() * a
        }
        fields {
            let layer = Layer { weights: x * a, gain: v.clone() };
            let y = layer_norm(&layer.weights, &layer.gain, &layer.gain, 0.3);
            (&y * &y).sum() + norm(&layer.gain)
        }
        in_loops_and_branches {
            let mut h = x.clone();
            for i in 0..3 {
                h = if i == 1 { softmax(&h, Axis(0)) } else { sigmoid(&h * a) };
            }
            (h * v).sum()
        }
        of_views { of_a_view(x.view()) + of_a_view(x.slice(s![.., 1..3])) * a }
        constants {
            let gain = Array1::ones(6);
            (layer_norm(x, &gain, Array1::zeros(6), 0.2) * v).sum() * a
        }
    }

    #[differentiable(wrt(w))]
    fn only_weights(w: &Array2<f64>, x: &Array2<f64>, labels: &Array1<usize>, eps: f64) -> f64 {
        let gain = Array1::from_elem(3, 1.5);
        let z = layer_norm(x.dot(w), &gain, &gain, eps);
        cross_entropy(&z, labels)
    }

    #[test]
    fn labels_and_parameters_left_out() {
        let (w, x, labels) = (matrix(6, 3), matrix(4, 6), array![2, 0, 1, 1]);
        let gradient = only_weights_grad(&w, &x, &labels, 0.1);
        check_grad(|w: &Array2<f64>| only_weights(w, &x, &labels, 0.1), &w, &gradient).assert_within(1e-8);
        let forward = |w: &Array2<f64>, dw| only_weights_jvp(w, &x, &labels, 0.1, dw, (), (), ()).1;
        check_forward(forward, &w, &gradient).assert_within(1e-13);
        let vector = labels.to_vec();
        assert_eq!(cross_entropy(&x, &labels), cross_entropy(&x, &vector));
        assert_eq!(cross_entropy(&x, labels.view()), cross_entropy(&x, vector));
    }

    #[differentiable]
    fn single(x: &Array2<f32>, gain: &Array1<f32>) -> f32 {
        let y: Array2<f32> = layer_norm(x, gain, gain, 1e-5);
        cross_entropy(&sigmoid(y), &[1, 0, 5, 4]) + norm(gain)
    }

    #[test]
    fn single_precision() {
        let (x, gain) = (matrix(4, 6), vector(6));
        let (dx, dgain) = single_grad(&x.mapv(|t| t as f32), &gain.mapv(|t| t as f32));
        let double = |(x, gain): &(Array2<f64>, Array1<f64>)| {
            cross_entropy(sigmoid(layer_norm(x, gain, gain, 1e-5)), &[1, 0, 5, 4]) + norm(gain)
        };
        let gradient = (dx.mapv(f64::from), dgain.mapv(f64::from));
        check_grad(double, &(x, gain), &gradient).assert_within(1e-5);
    }

    #[test]
    fn pullbacks_are_shared_by_threads() {
        fn shared<T: Send + Sync>(pullback: T) -> T {
            pullback
        }
        let (x, v) = (matrix(4, 6), vector(6));
        let softmax = shared(softmax_vjp(&x, Axis(0)).1);
        let layer = shared(layer_norm_vjp(x.view(), &v, v.clone(), 0.1).1);
        let conv = shared(conv1d_vjp(Array3::<f64>::ones((1, 1, 4)), Array3::ones((1, 1, 2)), 1, 0).1);
        assert_eq!(softmax(x.clone()), softmax(x.clone()));
        assert_eq!(layer(x.clone()), layer(x.clone()));
        assert_eq!(conv(Array3::ones((1, 1, 3))), conv(Array3::ones((1, 1, 3))));
    }
}

mod extremes {
    use super::*;
    use cotangent::ops::{cumprod, cumprod_vjp, logsumexp_axis, logsumexp_axis_vjp, norm_axis_vjp};

    const INF: f64 = f64::INFINITY;

    #[test]
    fn masked_rows() {
        let x = array![[0.0, -INF], [-INF, -INF], [3.0, 3.0]];
        let (p, pullback) = softmax_vjp(&x, Axis(1));
        assert_eq!(p, array![[1.0, 0.0], [0.0, 0.0], [0.5, 0.5]]);
        let g = array![[1.0, 5.0], [7.0, -2.0], [1.0, 0.0]];
        assert_eq!(pullback(g.clone()).0, array![[0.0, 0.0], [0.0, 0.0], [0.25, -0.25]]);
        let (l, pullback) = log_softmax_vjp(&x, Axis(1));
        assert_eq!(l, array![[0.0, -INF], [-INF, -INF], [-2.0_f64.ln(), -2.0_f64.ln()]]);
        assert_eq!(pullback(g).0, array![[-5.0, 5.0], [7.0, -2.0], [0.5, -0.5]]);
        let (y, pullback) = logsumexp_axis_vjp(&x, Axis(1));
        assert_eq!(y, array![0.0, -INF, 3.0 + 2.0_f64.ln()]);
        assert_eq!(pullback(array![1.0, 1.0, 1.0]).0, p);
    }

    #[test]
    fn infinite_logits_take_everything() {
        let x = array![INF, 1e308, INF, -INF];
        assert_eq!(logsumexp(&x), INF);
        assert_eq!(softmax(&x, Axis(0)), array![0.5, 0.0, 0.5, 0.0]);
        assert_eq!(log_softmax(&x, Axis(0)), array![-2.0_f64.ln(), -INF, -2.0_f64.ln(), -INF]);
        assert_eq!(cross_entropy(&array![[INF, 0.0]], &[0]), 0.0);
        assert_eq!(cross_entropy(&array![[INF, 0.0]], &[1]), INF);
    }

    #[test]
    fn nan_stays_in_its_lane() {
        let x = array![[0.0, f64::NAN, INF], [0.0, 0.0, 0.0]];
        let p = softmax(&x, Axis(1));
        assert!(p.row(0).iter().all(|p| p.is_nan()));
        assert_eq!(p.row(1).sum(), 1.0);
        assert!(logsumexp_axis(&x, Axis(1))[0].is_nan());
        // a cotangent of zero stays zero
        let g = array![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        assert_eq!(softmax_vjp(&x, Axis(1)).1(g.clone()).0.row(0), array![0.0, 0.0, 0.0]);
        assert_eq!(log_softmax_vjp(&x, Axis(1)).1(g).0.row(0), array![0.0, 0.0, 0.0]);
    }

    #[test]
    fn large_logits_keep_their_digits() {
        // the differences count, not the size
        let (small, large) = (array![0.0, 1.5, -2.0], array![1e15, 1e15 + 1.5, 1e15 - 2.0]);
        assert_eq!(softmax(&small, Axis(0)), softmax(&large, Axis(0)));
        assert_eq!(log_softmax(&small, Axis(0)), log_softmax(&large, Axis(0)));
        assert_eq!(logsumexp_vjp(&small).1(1.0), logsumexp_vjp(&large).1(1.0));
        // ln(1 + exp(-40))
        assert_eq!(logsumexp(&array![0.0, -40.0]), (-40.0_f64).exp());
        let logits = array![[0.0, -40.0]];
        assert_eq!(cross_entropy(&logits, &[0]), (-40.0_f64).exp());
    }

    #[test]
    fn nothing_at_all() {
        assert_eq!(logsumexp(Array1::<f64>::zeros(0)), -INF);
        assert_eq!(logsumexp_axis(Array2::<f64>::zeros((2, 0)), Axis(1)), array![-INF, -INF]);
        assert_eq!(logsumexp_axis(Array2::<f64>::zeros((2, 0)), Axis(0)).len(), 0);
        let empty = Array2::<f32>::zeros((0, 3));
        for axis in [Axis(0), Axis(1)] {
            assert_eq!(softmax_vjp(&empty, axis).1(empty.clone()).0, empty);
            assert_eq!(log_softmax(&empty, axis), empty);
            assert_eq!(cumprod_vjp(&empty, axis).1(empty.clone()).0, empty);
            assert_eq!(norm_axis_vjp(&empty, axis).0.sum(), 0.0);
        }
        assert_eq!(norm(&empty), 0.0);
        assert!(cross_entropy(&empty, &[]).is_nan());
        assert_eq!(cross_entropy_vjp(&empty, &[]).1(1.0).0, empty);
        let none = Array1::zeros(0);
        let (y, pullback) = layer_norm_vjp(Array2::<f64>::zeros((2, 0)), &none, &none, 1e-5);
        assert_eq!(pullback(y), (Array2::zeros((2, 0)), none.clone(), none.clone(), 0.0));
        let (y, pullback) = layer_norm_vjp(&empty, Array1::ones(3), Array1::ones(3), 1e-5);
        assert_eq!(pullback(y).1, array![0.0, 0.0, 0.0]);
    }

    #[test]
    fn sizes_at_both_ends() {
        for scale in [1e-300, 1e-200, 1.0, 1e200, 1e300_f64] {
            let x = array![3.0 * scale, -4.0 * scale];
            assert!((norm(&x) / (5.0 * scale) - 1.0).abs() < 1e-15);
            let slope = norm_vjp(&x).1(1.0);
            assert!((&slope - &array![0.6, -0.8]).iter().all(|d| d.abs() < 1e-15), "{slope}");
            // rows of any size have variance 1
            let y = layer_norm(&x, array![1.0, 1.0], array![0.0, 0.0], 0.0);
            assert!((&y - &array![1.0, -1.0]).iter().all(|d| d.abs() < 1e-14), "{y}");
        }
        assert_eq!(norm(array![5e-324, 0.0]), 5e-324);
        assert_eq!(norm(array![INF, 1.0]), INF);
        assert!(norm(array![INF, f64::NAN]).is_nan());
        let zero = Array2::<f64>::zeros((1, 2));
        assert_eq!(norm_jvp(&zero, array![[1.0, 2.0]]), (0.0, 0.0));
    }

    #[test]
    fn rows_without_variance() {
        let (x, one, zero) = (array![[2.0, 2.0], [2.0, 2.0]], array![1.0, 1.0], array![0.0, 0.5]);
        let (y, pullback) = layer_norm_vjp(&x, &one, &zero, 0.0);
        assert_eq!(y, array![[0.0, 0.5], [0.0, 0.5]]);
        let g = array![[1.0, 2.0], [3.0, 4.0]];
        assert_eq!(pullback(g.clone()), (Array2::zeros((2, 2)), array![0.0, 0.0], array![4.0, 6.0], 0.0));
        let (_, dot) = layer_norm_jvp(&x, &one, &zero, 0.0, g, one.clone(), array![0.0, 7.0], 1.0);
        assert_eq!(dot, array![[0.0, 7.0], [0.0, 7.0]]);
    }

    #[test]
    fn products_among_zeros() {
        let x = array![3.0, 0.0, 2.0, 0.0, 5.0];
        assert_eq!(cumprod(&x, Axis(0)), array![3.0, 0.0, 0.0, 0.0, 0.0]);
        let (_, pullback) = cumprod_vjp(&x, Axis(0));
        // y₀ = x₀, y₁ = x₀·x₁, y₂ = x₀·x₁·x₂
        assert_eq!(pullback(array![1.0, 10.0, 100.0, 1000.0, 1.0]).0, array![1.0, 630.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn ties_and_nan_in_windows() {
        let x = array![[[1.0, 1.0, 1.0, f64::NAN, 0.0]]];
        let (y, pullback) = ops::max_pool1d_vjp(&x, 3, 1);
        assert_eq!(y, array![[[1.0, 1.0, 1.0]]]);
        let third = 1.0 / 3.0;
        assert_eq!(pullback(array![[[1.0, 0.0, 1.0]]]).0, array![[[third, third, third + 1.0, 0.0, 0.0]]]);
    }

    #[test]
    fn a_kernel_that_does_not_count_is_not_seen() {
        let (x, w) = (array![[[1.0, 2.0]]], array![[[1.0]], [[INF]]]);
        let (_, pullback) = conv1d_vjp(&x, &w, 1, 0);
        assert_eq!(pullback(array![[[1.0, 1.0], [0.0, 0.0]]]).0, array![[[1.0, 1.0]]]);
    }
}

mod faults {
    use super::*;

    #[test]
    #[should_panic(expected = "softmax: there is no axis 2 in an array of rank 2")]
    fn an_axis_that_is_not_there() {
        softmax(matrix(2, 2), Axis(2));
    }

    #[test]
    #[should_panic(expected = "softmax: the cotangent or tangent has the shape [3, 2], and should have [2, 3]")]
    fn a_cotangent_of_another_shape() {
        softmax_vjp(matrix(2, 3), Axis(0)).1(matrix(3, 2));
    }

    #[test]
    #[should_panic(expected = "cross_entropy: there are 2 rows of logits, but 3 labels")]
    fn more_labels_than_rows() {
        cross_entropy(matrix(2, 3), [0, 1, 2]);
    }

    #[test]
    #[should_panic(expected = "cross_entropy: there is a label 3, but only 3 classes")]
    fn a_label_without_a_class() {
        cross_entropy(matrix(2, 3), [0, 3]);
    }

    #[test]
    #[should_panic(expected = "layer_norm: the gain has the shape [2], and should have [3]")]
    fn a_gain_of_another_length() {
        layer_norm(matrix(2, 3), array![1.0, 2.0], array![1.0, 2.0, 3.0], 0.0);
    }

    #[test]
    #[should_panic(expected = "max_pool1d: a window of length 4 does not fit into a length of 3")]
    fn a_window_that_is_too_long() {
        ops::max_pool1d(Array3::<f64>::zeros((1, 1, 3)), 4, 1);
    }
}
