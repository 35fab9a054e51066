//! The linear algebra of `cotangent::ops` in differentiable functions: closed forms, central differences, both modes, and
//! what does not exist.

use cotangent::ops::{
    cholesky, cholesky_jvp, cholesky_vjp, inv, inv_jvp, inv_vjp, logdet, logdet_jvp, logdet_vjp, solve, solve_jvp,
    solve_lower, solve_lower_jvp, solve_lower_vjp, solve_upper, solve_upper_jvp, solve_upper_vjp, solve_vjp,
};
use cotangent::{check_forward, check_grad, differentiable};
use ndarray::{Array1, Array2, array};

type Input = (Array2<f64>, Array1<f64>, f64);

/// A matrix that is far from singular, and not symmetric.
fn matrix(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| (1.3 * i as f64 + 0.7 * j as f64).sin() + if i == j { 2.5 } else { 0.0 })
}

fn vector(n: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| 0.3 + (0.9 * i as f64).cos())
}

/// Functions of a square matrix, a vector, and a number, with differences and both modes.
macro_rules! functions {
    (($a:ident, $b:ident, $s:ident) $($name:ident { $($body:tt)* })*) => {$(
        mod $name {
            use super::*;

            #[differentiable]
            #[allow(unused_variables)]
            fn f($a: &Array2<f64>, $b: &Array1<f64>, $s: f64) -> f64 {
                $($body)*
            }

            #[test]
            fn agrees_with_differences() {
                for a in [matrix(4), matrix(4).reversed_axes()] {
                    let at = (a, vector(4), 0.7);
                    let (y, gradient) = f_value_and_grad(&at.0, &at.1, at.2);
                    assert_eq!(y.to_bits(), f(&at.0, &at.1, at.2).to_bits(), "the value");
                    check_grad(|(a, b, s): &Input| f(a, b, *s), &at, &gradient).assert_within(1e-8);
                    let forward = |(a, b, s): &Input, (da, db, ds): Input| f_jvp(a, b, *s, da, db, ds).1;
                    check_forward(forward, &at, &gradient).assert_within(1e-12);
                }
            }
        }
    )*};
}

functions! {
    (a, b, s)

    solutions {
        let x: Array1<f64> = solve(a, b * s).unwrap();
        let y: Array2<f64> = solve(&a.t(), a).unwrap();
        (&x * &x).sum() + y.mapv(|t| t.sin()).sum()
    }
    inverses {
        let y: Array2<f64> = inv(a).expect("it is regular");
        y.mapv(|t| t * t * s).sum()
    }
    logarithms_of_determinants { logdet(a) * s + logdet(&(a * s)) }
    factors {
        let l: Array2<f64> = cholesky(a).unwrap();
        (&l * &l * &l).sum() + l.dot(b).sum() * s
    }
    triangles {
        let x: Array1<f64> = solve_lower(a, b);
        let y: Array1<f64> = solve_upper(a, &(&x * s));
        let z: Array2<f64> = solve_lower(a.t(), a);
        y.sum() * x.dot(&x) + (&z * &z).sum()
    }
    a_gaussian_process {
        let k = a.dot(&a.t()) * s;
        let l: Array2<f64> = cholesky(&k).unwrap();
        let z: Array1<f64> = solve_lower(&l, b);
        let ends: f64 = l.diag().ln().sum();
        -0.5 * z.dot(&z) - ends
    }
    results_of_unknown_type { solve(a, b).unwrap().sum() + cholesky(a).unwrap().sum() * s }
    with_a_branch {
        match cholesky(&(a * s)) {
            Some(l) => l.sum(),
            None => s,
        }
    }
}

#[test]
fn closed_forms() {
    // det(a) = 10, a⁻¹ = [[0.3, -0.1], [-0.2, 0.4]]
    let a = array![[4.0, 1.0], [2.0, 3.0]];
    let (y, pullback) = logdet_vjp(&a);
    assert!((y - 10.0_f64.ln()).abs() < 1e-15);
    assert!((pullback(1.0) - array![[0.3, -0.2], [-0.1, 0.4]]).iter().all(|d| d.abs() < 1e-15));
    assert!((inv(&a).unwrap() - array![[0.3, -0.1], [-0.2, 0.4]]).iter().all(|d| d.abs() < 1e-15));
    // the sign of the determinant is left out
    assert!((logdet(array![[2.0, 3.0], [4.0, 1.0]]) - 10.0_f64.ln()).abs() < 1e-15);
    // only the lower triangle counts
    let lower = array![[4.0, f64::NAN], [2.0, 2.0]];
    let (l, pullback) = cholesky_vjp(&lower);
    assert_eq!(l, Some(array![[2.0, 0.0], [1.0, 1.0]]));
    assert_eq!(pullback(Some(array![[1.0, 9.0], [0.0, 0.0]])), array![[0.25, 0.0], [0.0, 0.0]]);
    assert_eq!(cholesky_jvp(&lower, array![[1.0, 7.0], [0.0, 0.0]]).1, Some(array![[0.25, 0.0], [-0.125, 0.125]]));
}

#[test]
fn single_precision() {
    let a = matrix(4).mapv(|t| t as f32);
    let (l, pullback) = cholesky_vjp(&a);
    let (l64, pullback64) = cholesky_vjp(matrix(4));
    assert!((l.unwrap().mapv(f64::from) - l64.unwrap()).iter().all(|d| d.abs() < 1e-6));
    let (g, g64) = (pullback(Some(Array2::ones((4, 4)))), pullback64(Some(Array2::ones((4, 4)))));
    assert!((g.mapv(f64::from) - g64).iter().all(|d| d.abs() < 1e-6));
}

#[test]
fn what_does_not_exist() {
    let singular = array![[1.0, 2.0], [2.0, 4.0]];
    let b = array![1.0, 1.0];
    let (x, pullback) = solve_vjp(&singular, &b);
    assert_eq!((x, pullback(None)), (None, (Array2::zeros((2, 2)), Array1::zeros(2))));
    assert_eq!(solve_jvp(&singular, &b, singular.clone(), b.clone()), (None, None));
    let (y, pullback) = inv_vjp(&singular);
    assert_eq!((y, pullback(Some(singular.clone()))), (None, Array2::zeros((2, 2))));
    assert_eq!(inv_jvp(&singular, singular.clone()), (None, None));
    let (l, pullback) = cholesky_vjp(-&singular);
    assert_eq!((l, pullback(Some(singular.clone()))), (None, Array2::zeros((2, 2))));
    assert_eq!(cholesky(array![[f64::NAN]]), None);
    assert_eq!(cholesky(array![[f64::INFINITY]]), None);
    assert_eq!(inv(array![[f64::NAN]]), None);
    let (y, pullback) = logdet_vjp(&singular);
    assert_eq!((y, pullback(0.0)), (f64::NEG_INFINITY, Array2::zeros((2, 2))));
    assert_eq!(logdet_jvp(&singular, Array2::zeros((2, 2))), (f64::NEG_INFINITY, 0.0));
}

#[test]
fn without_rows() {
    let none = Array2::<f64>::zeros((0, 0));
    assert_eq!(logdet_vjp(&none).0, 0.0);
    assert_eq!(logdet_vjp(&none).1(1.0), none);
    assert_eq!(cholesky_vjp(&none).1(Some(none.clone())), none);
    assert_eq!(solve(&none, Array1::zeros(0)), Some(Array1::zeros(0)));
    assert_eq!(solve_lower_vjp(&none, Array2::zeros((0, 3))).1(Array2::zeros((0, 3))).1.dim(), (0, 3));
}

#[test]
fn ends_of_the_range() {
    let tiny = Array2::<f64>::eye(200) * 1e-200;
    assert!((logdet(&tiny) / (-200.0 * 200.0 * 10.0_f64.ln()) - 1.0).abs() < 1e-14);
    assert_eq!(solve(&tiny, Array1::from_elem(200, 1e-200)), Some(Array1::ones(200)));
    assert!((cholesky(&tiny).unwrap() - Array2::<f64>::eye(200) * 1e-100).iter().all(|d| d.abs() < 1e-115));
}

#[test]
#[should_panic(expected = "cholesky: the matrix has the shape [2, 3], and should be square")]
fn a_matrix_that_is_not_square() {
    cholesky(Array2::<f64>::zeros((2, 3)));
}

#[test]
#[should_panic(expected = "solve: the matrix has 2 rows, the right-hand side 3")]
fn a_right_hand_side_of_another_length() {
    solve(Array2::<f64>::eye(2), Array1::zeros(3));
}
