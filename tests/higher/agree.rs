//! What must hold of the second derivatives of any function of a slice.

use ndarray::{Array1, Array2};

use super::close;

/// What a function and its companions give.
pub(super) struct Companions<'a> {
    pub(super) f: &'a dyn Fn(&[f64]) -> f64,
    pub(super) grad: &'a dyn Fn(&[f64]) -> Vec<f64>,
    pub(super) hessian: &'a dyn Fn(&[f64]) -> Array2<f64>,
    pub(super) hvp: &'a dyn Fn(&[f64], Vec<f64>) -> Vec<f64>,
    /// `tdy` of `f_jvp_jvp` along two directions.
    pub(super) jvp_jvp: &'a dyn Fn(&[f64], Vec<f64>, Vec<f64>) -> f64,
    /// The pullback of `f_jvp` at (0, 1).
    pub(super) jvp_vjp: &'a dyn Fn(&[f64], Vec<f64>) -> (Vec<f64>, Vec<f64>),
    pub(super) grad_jvp: &'a dyn Fn(&[f64], Vec<f64>) -> (Vec<f64>, Vec<f64>),
    /// The value of `f_grad_vjp`, and what its pullback gives twice.
    pub(super) grad_vjp: &'a dyn Fn(&[f64], Vec<f64>) -> (Vec<f64>, [Vec<f64>; 2]),
    /// The same with the cotangents of value and gradient.
    pub(super) value_and_grad_vjp: &'a dyn Fn(&[f64], f64, Vec<f64>) -> (f64, Vec<f64>),
    pub(super) jacobian: &'a dyn Fn(&[f64]) -> Array2<f64>,
}

impl Companions<'_> {
    pub(super) fn agree_at(&self, x: &[f64]) {
        let n = x.len();
        let moved = |j: usize, h: f64| {
            let mut x = x.to_vec();
            x[j] += h;
            x
        };
        let h = 1e-4;
        let fourth = |at: &dyn Fn(f64) -> f64| (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let gradient = (self.grad)(x);
        let differences: Vec<f64> = (0..n).map(|j| fourth(&|h| (self.f)(&moved(j, h)))).collect();
        close(&gradient, &differences, 1e-9);
        let jacobian = (self.jacobian)(x);
        assert_eq!(jacobian.dim(), (1, n));
        close(jacobian.as_slice().unwrap(), &gradient, 1e-13);

        let hessian = (self.hessian)(x);
        assert_eq!(hessian.dim(), (n, n));
        let want = Array2::from_shape_fn((n, n), |(i, j)| fourth(&|h| (self.grad)(&moved(j, h))[i]));
        close(hessian.as_slice().unwrap(), want.as_slice().unwrap(), 1e-9);
        let transposed: Vec<f64> = hessian.t().iter().copied().collect();
        close(hessian.as_slice().unwrap(), &transposed, 1e-12);

        let v: Vec<f64> = (0..n).map(|i| 0.3 + 0.7 * (i * 7 % 5) as f64).collect();
        let w: Vec<f64> = (0..n).map(|i| -0.4 + 0.5 * (i * 3 % 4) as f64).collect();
        let hv = hessian.dot(&Array1::from(v.clone())).to_vec();
        close(&(self.hvp)(x, v.clone()), &hv, 1e-12);
        let whv: f64 = hv.iter().zip(&w).map(|(a, b)| a * b).sum();
        close(&[(self.jvp_jvp)(x, v.clone(), w)], &[whv], 1e-12);
        let (x_bar, dx_bar) = (self.jvp_vjp)(x, v.clone());
        close(&x_bar, &hv, 1e-12);
        close(&dx_bar, &gradient, 1e-12);
        let (value, tangent) = (self.grad_jvp)(x, v.clone());
        assert_eq!(value, gradient);
        close(&tangent, &hv, 1e-12);
        let (value, twice) = (self.grad_vjp)(x, v.clone());
        assert_eq!(value, gradient);
        twice.iter().for_each(|x_bar| close(x_bar, &hv, 1e-12));
        let (value, x_bar) = (self.value_and_grad_vjp)(x, 0.7, v);
        assert_eq!(value.to_bits(), (self.f)(x).to_bits());
        let sum: Vec<f64> = hv.iter().zip(&gradient).map(|(h, g)| h + 0.7 * g).collect();
        close(&x_bar, &sum, 1e-12);
    }
}

macro_rules! agree {
    ($f:ident $grad:ident $hessian:ident $hvp:ident $jvp_jvp:ident $jvp_vjp:ident $grad_jvp:ident $grad_vjp:ident
        $value_and_grad_vjp:ident $jacobian:ident at $x:expr) => {
        Companions {
            f: &|x| $f(x),
            grad: &|x| $grad(x),
            hessian: &|x| $hessian(x),
            hvp: &|x, v| $hvp(x, v),
            jvp_jvp: &|x, v, w| $jvp_jvp(x, v, w, vec![0.0; x.len()]).1.1,
            jvp_vjp: &|x, v| $jvp_vjp(x, v).1((0.0, 1.0)),
            grad_jvp: &|x, v| $grad_jvp(x, v),
            grad_vjp: &|x, v| {
                let (value, pullback) = $grad_vjp(x);
                (value, [pullback(v.clone()), pullback(v)])
            },
            value_and_grad_vjp: &|x, y, v| {
                let ((value, _), pullback) = $value_and_grad_vjp(x);
                (value, pullback((y, v)))
            },
            jacobian: &|x| $jacobian(x),
        }
        .agree_at(&$x)
    };
}
pub(super) use agree;
