//! Functions beside each other in one module, each against central differences, and forward against reverse.

/// Where the functions are looked at.
pub(crate) const POINT: [f64; 5] = [0.7, -1.2, 2.1, 0.3, 1.5];

/// A test for each function `fn f(x: &[f64], a: f64) -> f64`, with the names of its `_value_and_grad` and `_jvp`: the
/// gradient is that of central differences, and the forward derivative agrees with it.
#[macro_export]
macro_rules! checked {
    ($($name:ident $vg:ident $jvp:ident;)*) => {$(
        mod $name {
            #[test]
            fn derivatives() {
                let (x, a) = ($crate::checked::POINT.to_vec(), 1.3);
                let (value, (dx, da)) = super::$vg(&x, a);
                assert_eq!(value.to_bits(), super::$name(&x, a).to_bits());
                let along: Vec<f64> = (0..x.len()).map(|i| 0.5 + i as f64).collect();
                let (same, dot) = super::$jvp(&x, a, along.clone(), 2.0);
                assert_eq!(value.to_bits(), same.to_bits());
                let sum = along.iter().zip(&dx).map(|(t, d)| t * d).sum::<f64>() + 2.0 * da;
                assert!((dot - sum).abs() < 1e-9 * (1.0 + sum.abs()), "{dot} is not {sum}");
                let at = |p: &(Vec<f64>, f64)| super::$name(&p.0, p.1);
                cotangent::check_grad(at, &(x, a), &(dx, da)).assert_within(1e-6);
            }
        }
    )*};
}
