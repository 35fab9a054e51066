//! All companions of a function against central differences, and against each other.

/// Where the functions are looked at.
pub(crate) const POINTS: [([f64; 8], f64); 2] =
    [([0.7, -1.3, 2.1, 0.4, 1.9, -0.35, 0.81, 1.4], 0.83), ([1.21, 0.31, -0.62, 3.3, -1.2, 0.55, 0.1, 0.77], -1.37)];

/// The derivatives by differences.
pub(crate) fn differences(f: impl Fn(&[f64], f64) -> f64, x: &[f64], a: f64) -> (Vec<f64>, f64) {
    let h = 1e-6;
    let at = |k: usize, by: f64| {
        let mut x = x.to_vec();
        x[k] += by;
        f(&x, a)
    };
    let x_bar = (0..x.len()).map(|k| (at(k, h) - at(k, -h)) / (2.0 * h)).collect();
    (x_bar, (f(x, a + h) - f(x, a - h)) / (2.0 * h))
}

#[track_caller]
pub(crate) fn close(what: &str, got: f64, want: f64) {
    assert!((got - want).abs() <= 2e-6 * (1.0 + want.abs()), "{what}: {got} is not {want}");
}

/// Something that other threads may have and use.
pub(crate) fn shared<T: Send + Sync>(_: &T) {}

/// A test for each function `fn f(x: &[f64], a: f64) -> f64` with `#[differentiable(into)]`, in a module `f`.
#[macro_export]
macro_rules! agree {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            use $name::*;
            for (x, a) in $crate::agree::POINTS {
                let (x_bar, a_bar) = $crate::agree::differences(f, &x, a);
                let value = f(&x, a);
                let check = |what: &str, got: (Vec<f64>, f64)| {
                    assert_eq!(got.0.len(), x.len());
                    got.0.iter().zip(&x_bar).for_each(|(got, want)| $crate::agree::close(what, *got, *want));
                    $crate::agree::close(what, got.1, a_bar);
                };
                check("gradient", f_grad(&x, a));
                let (same, pullback) = f_vjp(&x, a);
                assert_eq!(value.to_bits(), same.to_bits());
                // again and again, and elsewhere
                $crate::agree::shared(&pullback);
                check("pullback", pullback(1.0));
                std::thread::scope(|s| {
                    let again = s.spawn(|| pullback(1.0));
                    assert_eq!(pullback(1.0), again.join().unwrap());
                });
                let mut grads = (vec![7.0; x.len()], 7.0);
                let same = f_value_and_grad_into(&x, a, &mut grads);
                assert_eq!(value.to_bits(), same.to_bits());
                check("buffers", grads);
                let along = |k: usize| {
                    let mut dot = vec![0.0; x.len()];
                    dot.iter_mut().skip(k).take(1).for_each(|t| *t = 1.0);
                    let (same, tangent) = f_jvp(&x, a, dot, if k == x.len() { 1.0 } else { 0.0 });
                    assert_eq!(value.to_bits(), same.to_bits());
                    tangent
                };
                check("tangents", ((0..x.len()).map(along).collect(), along(x.len())));
            }
        }
    )*};
}
