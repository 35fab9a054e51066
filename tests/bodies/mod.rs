//! Functions of four numbers that differ in their bodies, each against central differences, and forward against reverse.

/// A module for each body, with the function and its test.
#[macro_export]
macro_rules! bodies {
    ($($name:ident($x:ident): $body:block)*) => {$(
        mod $name {
            use super::*;

            #[differentiable]
            fn f($x: &[f64]) -> f64 $body

            #[test]
            fn slopes() {
                let x = vec![0.4, 1.3, -0.7, 0.9];
                let (value, gradient) = f_value_and_grad(&x);
                assert_eq!(value.to_bits(), f(&x).to_bits());
                cotangent::check_grad(|x: &Vec<f64>| f(x), &x, &gradient).assert_within(1e-8);
                cotangent::check_forward(|x: &Vec<f64>, dx| f_jvp(x, dx).1, &x, &gradient).assert_within(1e-13);
            }
        }
    )*};
}
