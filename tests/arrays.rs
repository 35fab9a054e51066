//! Reductions and elementwise functions of whole arrays: the value bit for bit, the gradient against central differences,
//! forward mode against the gradient.
#![allow(deprecated)] // `abs_sub`

use cotangent::{check_forward, check_grad, differentiable};
use ndarray::{Array1, Array2, Axis};

type Input = (Array2<f64>, Array1<f64>, f64);
type Output = (Array2<f64>, Array1<f64>, f64);

/// A matrix with entries between 0.2 and 0.9.
fn matrix(rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| 0.55 + 0.35 * (1.7 * i as f64 + 0.9 * j as f64 + 0.4).sin())
}

fn vector(n: usize) -> Array1<f64> {
    matrix(1, n).row(0).mapv(|t| 1.3 - t)
}

#[track_caller]
fn check(
    f: impl Fn(&Array2<f64>, &Array1<f64>, f64) -> f64,
    value_and_grad: impl Fn(&Array2<f64>, &Array1<f64>, f64) -> (f64, Output),
    jvp: impl Fn(&Array2<f64>, &Array1<f64>, f64, Array2<f64>, Array1<f64>, f64) -> (f64, f64),
) {
    let (rows, fortran) = (matrix(3, 4), matrix(4, 3).reversed_axes());
    for x in [rows, fortran] {
        let at = (x, vector(4), 0.7);
        let (y, gradient) = value_and_grad(&at.0, &at.1, at.2);
        assert_eq!(y.to_bits(), f(&at.0, &at.1, at.2).to_bits(), "the value");
        check_grad(|(x, v, a): &Input| f(x, v, *a), &at, &gradient).assert_within(1e-8);
        let forward = |(x, v, a): &Input, (dx, dv, da): Output| jvp(x, v, *a, dx, dv, da).1;
        check_forward(forward, &at, &gradient).assert_within(1e-13);
    }
}

/// Functions of a matrix, a vector as long as its rows, and a number.
macro_rules! functions {
    (($x:ident, $v:ident, $a:ident) $($name:ident { $($body:tt)* })*) => {$(
        mod $name {
            #[allow(unused_imports)]
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

#[derive(cotangent::Differentiable, Clone)]
struct Parts {
    w: Array2<f64>,
    b: Array1<f64>,
}

impl Parts {
    #[differentiable]
    fn total(&self, x: &Array1<f64>) -> f64 {
        let y = self.w.dot(x) * 0.5;
        (&y * &y).sum() + self.b.dot(&self.b) + self.w.var(0.5) * self.b.product() + self.w.t().dot(&y).mean().unwrap()
    }
}

#[differentiable]
fn layer(x: &Array2<f64>, v: &Array1<f64>, a: f64) -> Array1<f64> {
    (x.dot(v) + a).tanh()
}

functions! {
    (x, v, a)
    sums { a * x.sum() + (x.sum_axis(Axis(0)) * v).sum() + x.sum_axis(Axis(1)).sin().sum() }
    means {
        let mu = x.mean_axis(Axis(0)).unwrap();
        let row = (x - &mu).pow2().mean_axis(Axis(1)).expect("not empty");
        row.sqrt().sum() * x.mean().unwrap() + a * v.mean().unwrap()
    }
    mean_or {
        let Some(mu) = x.mean() else { return a };
        let rows = x.mean_axis(Axis(1)).map(|m| m.sum() * a).unwrap_or(2.0);
        if let Some(m) = v.mean_axis(Axis(0)) { mu * rows + m.sum() } else { mu }
    }
    products { x.product() * 50.0 + a * v.product() + x.product_axis(Axis(0)).dot(v) + x.product_axis(Axis(1)).exp().sum() }
    variances { x.var(1.0) * a + v.var(0.5) + x.var_axis(Axis(0), 1.0).dot(v) + x.var_axis(Axis(1), 0.0).sqrt().sum() }
    deviations { x.std(1.0) * a + v.std(0.0) + x.std_axis(Axis(0), 1.0).dot(v) + x.std_axis(Axis(1), 0.0).exp().sum() }
    norms { x.mapv(|t| t * t).sum().sqrt() * a + v.dot(v).sqrt() + (x - v).pow2().sum_axis(Axis(1)).sqrt().sum() }
    exponentials { ((x.exp() + x.exp2() * 0.5 + x.exp_m1() / 3.0) * x.ln() + x.log2() + x.log10() * x.ln_1p() + x.log(3.0) * x.log(a + 1.0)).sum() }
    trigonometry {
        let p = x.sin() * x.cos() + x.tan();
        let q = x.asin() - x.acos() * x.atan();
        let r = x.sinh() * x.cosh() + x.tanh() * x.asinh();
        (p * q + r - (x + 1.0).acosh() * x.atanh()).sum() * a
    }
    powers {
        let p = x.sqrt() + x.cbrt() * x.powi(3) + x.powi(-2) + x.pow2();
        let q = x.powf(1.7) + x.powf(a) + x.recip() + x.hypot(a) + v.hypot(0.5);
        (p * q).sum()
    }
    pieces {
        let p = (x - 0.51).abs() + x.to_radians() + x.to_degrees() / 100.0 + x.fract() * x.floor() + x.signum();
        ((p + x.ceil() + x.round() + x.trunc()) * x.abs_sub(a)).sum()
    }
    clamped { (x.clamp(0.4, 0.75) * v + x.clamp(a - 0.2, a) * x.clamp(0.3, a)).sum() }
    references {
        let sum = x + v;
        let dif = sum.clone() - x * x;
        let pro = x * sum.clone();
        let quo = pro / (x * x + 2.0);
        let all = &quo - &dif * v + sum / 3.0;
        let one = &all * a + a * &all - (&all / a + a / all.mapv(|t| t + 9.0)) + (2.0 - &all) * (&all - 2.0);
        (-one + -(&all)).sum()
    }
    compound {
        let mut y = x.clone();
        y += v;
        y *= a;
        y -= x;
        y /= &(x * x + 1.5);
        y += 0.25;
        y *= &y.clone();
        y -= a;
        y /= 2.0;
        y.scaled_add(a, x);
        y.scaled_add(-0.5, &(v * 2.0));
        y.scaled_add(v[0], x);
        y.sum() * y.sum()
    }
    broadcasting {
        let (column, row) = (x.dot(&Array2::ones((4, 1))), Array2::<f64>::ones((1, 3)).dot(x));
        ((&column * &row) / (x + 1.0) + &row - &column * a).pow2().sum()
    }
    inner_products {
        let gram = x.dot(&x.t());
        let outer = x.t().dot(x);
        let w = x.dot(v);
        w.dot(&gram.dot(&w)) + v.dot(&outer).dot(v) + w.dot(x).sum() * a + v.dot(&x.t()).product()
    }
    questions {
        let (rows, columns) = x.dim();
        let mut s = 0.0;
        for i in 0..rows {
            for j in 0..columns {
                s += x[[i, j]] * (i + j) as f64;
            }
        }
        let n = x.len() as f64 + x.nrows() as f64 * x.ncols() as f64 + x.ndim() as f64 + x.len_of(Axis(1)) as f64;
        assert_eq!(x.shape(), [3, 4]);
        assert!(x.shape() == [rows, columns] && x.shape()[0] == rows && v.dim() == columns);
        if x.is_any_nan() || x.is_empty() || x.is_all_infinite() {
            return 0.0;
        }
        let ones = Array2::<f64>::ones(x.raw_dim());
        (x * ones).sum() * n * a + s * x.strides().len() as f64 + x.shape()[1] as f64 * v.sum()
    }
    axes {
        let mut s = 0.0;
        for k in 0..x.ndim() {
            let axis = Axis(k);
            s += x.std_axis(axis, 0.0).sum() * x.mean_axis(axis).unwrap().product() + x.sum_axis(Axis(1 - k)).product();
        }
        s * a
    }
    in_a_loop {
        let mut y = v.clone();
        let mut s = a;
        for _ in 0..3 {
            y = (x * &y).sum_axis(Axis(0)) / y.std(0.0);
            s *= y.mean().unwrap() + x.var(0.0);
        }
        s + y.product()
    }
    results_of_calls {
        let y = layer(x, v, a);
        let z = layer(x, v, 0.5).sum() * y.mean().unwrap() + y.product() + y.std(0.0) * y.var(1.0);
        let w = y.dot(x);
        z + w.dot(&layer(&x.t().dot(x), v, a)) + w.sin().sum() + layer(x, v, a).mapv(|t| t * t).sum() + y.t().dot(&y)
    }
    fields {
        let p = Parts { w: x * a, b: v.clone() };
        let y = p.w.dot(v) + p.w.sum_axis(Axis(1)).std(0.0);
        p.total(v) * y.sum() + p.b.sum() * p.w.mean_axis(Axis(0)).unwrap().sum() + (&p.w + &p.b).sum() + p.w.nrows() as f64
    }
    inactive_operands {
        let w = Array1::from(vec![1.0, 2.0, 3.0, 4.0]);
        let y = x * &w;
        let total = w.sum();
        (y.std_axis(Axis(1), w[0] - 1.0).sum() + y.sum_axis(Axis(0)).dot(&w)) * total + (w * v).product() * a
    }
}
