//! Reductions and operators on arrays of every rank and layout: views, owned arrays, empty ones, single precision, points
//! without a derivative.

use cotangent::{check_forward, check_grad, differentiable};
use ndarray::{
    Array, Array0, Array1, Array2, Array3, Array6, ArrayD, ArrayView1, ArrayView2, Axis, Dimension, IxDyn, arr0, array,
    s,
};

/// Entries between 0.2 and 0.9.
fn entries<D: Dimension, S: ndarray::ShapeBuilder<Dim = D>>(shape: S) -> Array<f64, D> {
    let mut k = 0.0;
    Array::from_shape_simple_fn(shape, || {
        k += 1.0;
        0.55 + 0.35 * f64::sin(1.7 * k)
    })
}

/// The reductions of an array along each of its axes.
macro_rules! along_axes {
    ($($name:ident $array:ty, $($at:expr),*;)*) => {$(
        mod $name {
            use super::*;

            #[differentiable]
            fn f(x: &$array) -> f64 {
                let mut s = x.sum() + x.product() + x.var(0.5) + x.std(1.0) + x.mean().unwrap();
                for k in 0..x.ndim() {
                    s += x.sum_axis(Axis(k)).sin().sum() + x.mean_axis(Axis(k)).unwrap().exp().sum();
                    s += x.product_axis(Axis(k)).sqrt().sum();
                    s += x.var_axis(Axis(k), 0.5).cos().sum() * x.std_axis(Axis(k), 0.0).sum();
                }
                s
            }

            #[test]
            fn agrees_with_differences() {
                for at in [$($at),*] {
                    let (y, gradient) = f_value_and_grad(&at);
                    assert_eq!(y.to_bits(), f(&at).to_bits(), "the value");
                    check_grad(f, &at, &gradient).assert_within(1e-8);
                    check_forward(|x, dx| f_jvp(x, dx).1, &at, &gradient).assert_within(1e-13);
                }
            }
        }
    )*};
}

along_axes! {
    rank_one Array1<f64>, entries(4), entries(9);
    rank_two Array2<f64>, entries((2, 3)), entries((3, 2)).reversed_axes(), entries((1, 4));
    rank_three Array3<f64>, entries((2, 3, 2)), entries((2, 3, 2)).permuted_axes([2, 0, 1]);
    rank_six Array6<f64>, entries((2, 1, 2, 1, 2, 2)), entries((2, 1, 2, 1, 2, 2)).reversed_axes();
    rank_dynamic ArrayD<f64>, entries(IxDyn(&[3, 2, 2])), entries(IxDyn(&[4]));
}

#[differentiable]
fn of_views(a: ArrayView2<f64>, r: ArrayView1<'_, f64>, w: &ArrayView1<f64>) -> f64 {
    let t = &a * &r;
    t.sum_axis(Axis(1)).dot(w) + a.std_axis(Axis(0), 0.0).product() * r.mean().unwrap() + w.product() * a.var(1.0)
}

#[test]
fn views_also_strided() {
    let (a, r, w) = (entries((3, 2)), entries(6), entries(3));
    let (at, rs, wr) = (a.t(), r.slice(s![..;2]), w.slice(s![1..;-1]));
    let (y, (da, dr, dw)) = of_views_value_and_grad(at, rs, &wr);
    assert_eq!(y.to_bits(), of_views(at, rs, &wr).to_bits());
    let owned = (at.to_owned(), rs.to_owned(), wr.to_owned());
    let f = |(a, r, w): &(Array2<f64>, Array1<f64>, Array1<f64>)| of_views(a.view(), r.view(), &w.view());
    check_grad(f, &owned, &(da, dr, dw)).assert_within(1e-9);
}

#[differentiable]
fn owned(a: Array2<f64>, b: Array2<f64>, r: Array1<f64>, c: f64) -> f64 {
    let sum = a.clone() + &b;
    let dif = &a - b.clone() * &r;
    let mut quo = (sum * &dif) / (c + &a * &a);
    quo -= &r;
    quo *= c;
    (quo + dif - 2.0 * a / b + r).sum()
}

#[test]
fn owned_operands_in_every_layout() {
    let layouts = [entries((3, 3)), entries((3, 3)).reversed_axes()];
    for a in &layouts {
        for b in &layouts {
            let at = (a.clone(), b + 0.5, entries(3), 0.7);
            let (y, gradient) = owned_value_and_grad(at.0.clone(), at.1.clone(), at.2.clone(), at.3);
            assert_eq!(y.to_bits(), owned(at.0.clone(), at.1.clone(), at.2.clone(), at.3).to_bits(), "the value");
            type Input = (Array2<f64>, Array2<f64>, Array1<f64>, f64);
            let f = |(a, b, r, c): &Input| owned(a.clone(), b.clone(), r.clone(), *c);
            check_grad(f, &at, &gradient).assert_within(1e-8);
        }
    }
}

#[differentiable]
fn rank_zero(x: &Array2<f64>, c: &Array0<f64>, t: f64) -> f64 {
    let y = x * c + t;
    y.sum() * c.sum() + (c * t).exp().product() + c.mean().unwrap()
}

#[test]
fn arrays_of_rank_zero() {
    let at = (entries((2, 3)), arr0(1.5), -0.5);
    let gradient = rank_zero_grad(&at.0, &at.1, at.2);
    let f = |(x, c, t): &(Array2<f64>, Array0<f64>, f64)| rank_zero(x, c, *t);
    check_grad(f, &at, &gradient).assert_within(1e-9);
}

#[differentiable]
fn of_nothing(x: &Array1<f64>, a: f64) -> f64 {
    let mean = match x.mean() {
        Some(mu) => mu * a,
        None => 3.0 * a,
    };
    x.sum() + 2.0 * x.product() * a + mean + x.dot(x)
}

#[differentiable]
fn empty_axis(x: &Array2<f64>, r: &Array1<f64>) -> f64 {
    let (columns, rows) = (x.sum_axis(Axis(0)), x.sum_axis(Axis(1)));
    let ones = x.product_axis(Axis(0)).sum() + x.product_axis(Axis(1)).sum();
    if let Some(mean) = x.mean_axis(Axis(0)) {
        return mean.sum();
    }
    (columns + r).pow2().sum() + rows.sum() + (x * r).sum() + ones
}

#[test]
fn empty_arrays_and_axes() {
    let (y, (dx, da)) = of_nothing_value_and_grad(&Array1::zeros(0), 1.5);
    assert_eq!((y, dx.len(), da), (7.5, 0, 5.0));
    let (x, r) = (Array2::zeros((0, 3)), array![1.0, -2.0, 0.5]);
    let (y, (dx, dr)) = empty_axis_value_and_grad(&x, &r);
    assert_eq!((y, dx.shape()), (8.25, &[0, 3][..]));
    assert_eq!(dr, array![2.0, -4.0, 1.0]);
    let (y, dy) = empty_axis_jvp(&x, &r, x.clone(), array![1.0, 1.0, 1.0]);
    assert_eq!((y, dy), (8.25, -1.0));
    let (y, (dx, dr)) = empty_axis_value_and_grad(&Array2::zeros((2, 0)), &Array1::zeros(0));
    assert_eq!((y, dx.shape(), dr.len()), (0.0, &[2, 0][..], 0));
}

#[differentiable]
fn single(a: &Array2<f32>, r: &Array1<f32>, c: f32) -> f32 {
    let y = (a * c - r).tanh() + 0.5 * a;
    y.var_axis(Axis(0), 1.0).product()
        + y.std(0.0)
        + y.mean_axis(Axis(1)).unwrap().dot(&a.sum_axis(Axis(1)))
        + y.product()
}

#[test]
fn single_precision() {
    let (a, r) = (entries((2, 3)).mapv(|t| t as f32), entries(3).mapv(|t| t as f32));
    let (y, (da, dr, dc)): (f32, (Array2<f32>, Array1<f32>, f32)) = single_value_and_grad(&a, &r, 0.7);
    assert_eq!(y.to_bits(), single(&a, &r, 0.7).to_bits());
    let (_, dy) = single_jvp(&a, &r, 0.7, a.clone(), r.clone(), 0.7);
    let along = (&da * &a).sum() + (&dr * &r).sum() + dc * 0.7;
    assert!((dy - along).abs() < 1e-5, "{dy} is not {along}");
    let h = 1e-2;
    let difference = (single(&a, &r, 0.7 + h) - single(&a, &r, 0.7 - h)) / (2.0 * h);
    assert!((dc - difference).abs() < 1e-3, "{dc} is not {difference}");
}

#[differentiable]
fn product_of(x: &Array1<f64>) -> f64 {
    x.product()
}

#[differentiable]
fn deviation_of(x: &Array1<f64>) -> f64 {
    x.std(0.0)
}

#[differentiable]
fn deviations_of(x: &Array2<f64>) -> f64 {
    x.std_axis(Axis(1), 0.0).sum()
}

/// The second result does not count.
#[differentiable]
fn both(x: &Array1<f64>) -> (f64, f64) {
    (x.sum(), x.product() + x.var(0.0))
}

#[test]
fn conventions() {
    assert_eq!(product_of_grad(&array![2.0, -3.0, 0.5]), array![-1.5, 1.0, -6.0]);
    assert_eq!(product_of_grad(&array![2.0, 0.0, 5.0]), array![0.0, 10.0, 0.0]);
    assert_eq!(product_of_grad(&array![0.0, 7.0, 0.0]), array![0.0, 0.0, 0.0]);
    assert_eq!(product_of_jvp(&array![2.0, 0.0, 5.0], array![1.0, 1.0, 1.0]), (0.0, 10.0));
    assert_eq!(deviation_of_grad(&array![0.1, 0.1, 0.1]), array![0.0, 0.0, 0.0]);
    assert_eq!(deviation_of_jvp(&array![0.1, 0.1, 0.1], array![1.0, 2.0, 3.0]), (0.0, 0.0));
    assert_eq!(deviations_of_grad(&array![[0.1, 0.1], [1.0, 3.0]]), array![[0.0, 0.0], [-0.5, 0.5]]);
    // a cotangent of zero is strong
    let infinite = array![f64::INFINITY, 0.0, 1.0];
    assert_eq!(both_vjp(&infinite).1((1.0, 0.0)), array![1.0, 1.0, 1.0]);
}
