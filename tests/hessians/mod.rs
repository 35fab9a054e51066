//! Functions of a vector, a matrix and a number, and all companions of second order: products with the Hessian against
//! differences of the gradient and against each other, for arrays in row-major and in column-major order.

use ndarray::{Array1, Array2, ArrayView1, array};

/// Functions of a vector of 6, a matrix of 3 × 4 and a number, each a test.
#[macro_export]
macro_rules! hessians {
    (@one ($x:ident, $m:ident, $a:ident) $name:ident { $($body:tt)* }) => {
        mod $name {
            #[allow(unused_imports)]
            use {
                super::callees::*,
                ndarray::{Array1, Array2, Array3, Array4, Axis, s},
            };

            #[allow(unused_variables)]
            #[cotangent::differentiable(hessian, hvp, order = 2)]
            fn f($x: &Array1<f64>, $m: &Array2<f64>, $a: f64) -> f64 { $($body)* }

            #[test]
            fn agrees() {
                $crate::hessians::agree(&$crate::hessians::Companions {
                    gradient: f_grad,
                    hessian: f_hessian,
                    products: [
                        &|x, m, a, v| f_hvp(x, m, a, v.0.clone(), v.1.clone(), v.2),
                        &|x, m, a, v| f_grad_jvp(x, m, a, v.0.clone(), v.1.clone(), v.2).1,
                        &|x, m, a, v| f_grad_vjp(x, m, a).1(v.clone()),
                        &|x, m, a, v| {
                            let ((y, _), pullback) = f_jvp_vjp(x, m, a, v.0.clone(), v.1.clone(), v.2);
                            assert_eq!(y.to_bits(), f(x, m, a).to_bits());
                            let bars = pullback((0.0, 1.0));
                            assert_eq!(pullback((0.0, 1.0)), bars);
                            (bars.0, bars.1, bars.2)
                        },
                    ],
                    form: &|x, m, a, v, w| {
                        let (dx, dm) = (v.0.clone(), v.1.clone());
                        let (zx, zm) = (Array1::zeros(6), Array2::zeros((3, 4)));
                        f_jvp_jvp(x, m, a, dx, dm, v.2, w.0.clone(), w.1.clone(), w.2, zx, zm, 0.0).1.1
                    },
                });
            }
        }
    };
    ($names:tt $($name:ident $body:tt)*) => {
        $(hessians! { @one $names $name $body })*
    };
}

/// A point, a direction or a gradient.
pub(crate) type Point = (Array1<f64>, Array2<f64>, f64);
pub(crate) type Product<'a> = &'a dyn Fn(&Array1<f64>, &Array2<f64>, f64, &Point) -> Point;
pub(crate) type Form<'a> = &'a dyn Fn(&Array1<f64>, &Array2<f64>, f64, &Point, &Point) -> f64;

pub(crate) struct Companions<'a> {
    pub(crate) gradient: fn(&Array1<f64>, &Array2<f64>, f64) -> Point,
    pub(crate) hessian: fn(&Array1<f64>, &Array2<f64>, f64) -> Array2<f64>,
    /// The Hessian times a direction.
    pub(crate) products: [Product<'a>; 4],
    /// The same times another one.
    pub(crate) form: Form<'a>,
}

fn flat((x, m, a): &Point) -> Array1<f64> {
    x.iter().chain(m).chain([a]).copied().collect()
}

/// A point some way along a direction, with its arrays in the same order in memory.
fn moved(at: &Point, along: ArrayView1<f64>, by: f64) -> Point {
    let (mut x, mut m, mut a) = at.clone();
    let entries = x.iter_mut().chain(&mut m).chain([&mut a]);
    entries.zip(along).for_each(|(entry, along)| *entry += by * along);
    (x, m, a)
}

#[track_caller]
fn close(what: &str, got: &Array1<f64>, want: &Array1<f64>, tolerance: f64) {
    for (k, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{what}, {k}: {got} is not {want}");
    }
}

pub(crate) fn agree(f: &Companions<'_>) {
    let (x, a) = (array![0.3, -0.8, 1.2, 0.5, 0.9, -0.4], 0.7);
    let rows = Array2::from_shape_fn((3, 4), |(i, j)| (1.3 * i as f64 + 0.7 * j as f64 + 0.2).sin());
    let columns = Array2::from_shape_fn((4, 3), |(i, j)| (1.1 * i as f64 - 0.7 * j as f64).cos()).reversed_axes();
    for at in [(x.clone(), rows, a), (x, columns, a)] {
        let (x, m, a) = (&at.0, &at.1, at.2);
        let hessian = (f.hessian)(x, m, a);
        for (k, row) in hessian.outer_iter().enumerate() {
            let unit = Array1::from_shape_fn(19, |i| if i == k { 1.0 } else { 0.0 });
            let difference = |h: f64| {
                let gradient = |by| {
                    let (x, m, a) = moved(&at, unit.view(), by);
                    flat(&(f.gradient)(&x, &m, a))
                };
                (gradient(h) - gradient(-h)) / (2.0 * h)
            };
            // extrapolated to a step of zero
            let want = (difference(5e-4) * 4.0 - difference(1e-3)) / 3.0;
            close("differences", &row.to_owned(), &want, 2e-6);
        }
        let zero = moved(&at, flat(&at).view(), -1.0);
        let direction = |s: f64| moved(&zero, Array1::from_shape_fn(19, |i| (s * i as f64 + 0.3).sin()).view(), 1.0);
        let (v, w) = (direction(2.0), direction(3.0));
        let want = hessian.dot(&flat(&v));
        for (k, product) in f.products.iter().enumerate() {
            close(["hvp", "grad_jvp", "grad_vjp", "jvp_vjp"][k], &flat(&product(x, m, a, &v)), &want, 1e-11);
        }
        let form = array![(f.form)(x, m, a, &v, &w)];
        close("jvp_jvp", &form, &array![flat(&w).dot(&want)], 1e-10);
    }
}
