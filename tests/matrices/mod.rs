//! Functions of a vector, a matrix and a number: values to the bit, reverse against forward and differences, for arrays in
//! row-major order, in column-major order, and with their elements in the opposite order.

use cotangent::check_grad;
use ndarray::{Array1, Array2, Axis, array};

/// Functions of a vector of 6, a matrix of 3 × 4 and a number, each a test.
#[macro_export]
macro_rules! functions {
    (@one ($x:ident, $m:ident, $a:ident) $name:ident { $($body:tt)* }) => {
        mod $name {
            #[allow(unused_imports)]
            use {
                super::callees::*,
                ndarray::{
                    Array, Array1, Array2, Array3, ArrayD, ArrayView1, ArrayView2, ArrayViewMut1, Axis, Ix2, IxDyn, Order,
                    ShapeBuilder, Slice, Zip, array, azip, concatenate, s, stack,
                },
            };

            #[allow(unused_variables)]
            #[cotangent::differentiable]
            fn f($x: &Array1<f64>, $m: &Array2<f64>, $a: f64) -> f64 { $($body)* }

            #[test]
            fn agrees() {
                $crate::matrices::agree(f, f_value_and_grad, |x, m, a| {
                    let (y, pullback) = f_vjp(x, m, a);
                    let once = pullback(1.0);
                    assert_eq!(pullback(1.0), once);
                    (y, once)
                }, f_jvp);
            }
        }
    };
    ($names:tt $($name:ident $body:tt)*) => {
        $(functions! { @one $names $name $body })*
    };
}

pub(crate) type Gradient = (Array1<f64>, Array2<f64>, f64);
pub(crate) type Function<R> = fn(&Array1<f64>, &Array2<f64>, f64) -> R;
pub(crate) type Forward = fn(&Array1<f64>, &Array2<f64>, f64, Array1<f64>, Array2<f64>, f64) -> (f64, f64);

pub(crate) fn agree(
    f: Function<f64>,
    gradient: Function<(f64, Gradient)>,
    vjp: Function<(f64, Gradient)>,
    jvp: Forward,
) {
    let (x, a) = (array![0.3, -0.8, 1.2, 0.5, 0.9, -0.4], 0.7);
    let rows = Array2::from_shape_fn((3, 4), |(i, j)| (1.3 * i as f64 + 0.7 * j as f64 + 0.2).sin());
    let columns = Array2::from_shape_fn((4, 3), |(i, j)| (1.1 * i as f64 - 0.7 * j as f64).cos()).reversed_axes();
    let (mut opposite, mut reversed) = (rows.clone(), x.clone());
    opposite.invert_axis(Axis(0));
    opposite.invert_axis(Axis(1));
    reversed.invert_axis(Axis(0));
    for (x, m) in [(x.clone(), rows), (x, columns), (reversed, opposite)] {
        let y = f(&x, &m, a);
        let (value, g) = gradient(&x, &m, a);
        let (from_vjp, of_pullback) = vjp(&x, &m, a);
        let (from_jvp, slope) = jvp(&x, &m, a, x.clone(), m.clone(), a);
        assert_eq!([value, from_vjp, from_jvp].map(f64::to_bits), [y.to_bits(); 3]);
        // the two may add up in another order
        let entries = |g: &Gradient| g.0.iter().chain(&g.1).chain([&g.2]).copied().collect::<Vec<f64>>();
        for (a, b) in entries(&g).into_iter().zip(entries(&of_pullback)) {
            assert!((a - b).abs() <= 1e-14 * a.abs().max(1.0), "gradient {a}, pullback {b}");
        }
        let along = (&g.0 * &x).sum() + (&g.1 * &m).sum() + g.2 * a;
        assert!((slope - along).abs() <= 1e-11 * along.abs().max(1.0), "forward {slope}, reverse {along}");
        let of = |(x, m, a): &Gradient| f(x, m, *a);
        check_grad(of, &(x.clone(), m, a), &g).assert_within(1e-7);
    }
}
