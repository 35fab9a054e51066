//! Checks of functions of a number that return a `Result`, or use one, against differences.

#![allow(unused_macros, clippy::all, clippy::pedantic)]

/// The central difference.
pub(crate) fn diff(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-6;
    (f(x + h) - f(x - h)) / (2.0 * h)
}

/// Value, cotangent and tangent, of `Ok` and of `Err`.
macro_rules! check_result {
    ($t:ident, $f:ident, $vjp:ident, $jvp:ident, $($x:expr),*) => {
        #[test] fn $t() { for x in [$($x),*] {
            let plain = $f(x);
            let (y, pb) = $vjp(x);
            assert_eq!(format!("{:?}", plain), format!("{:?}", y));
            let (y2, dy) = $jvp(x, 1.0);
            assert_eq!(format!("{:?}", plain), format!("{:?}", y2));
            match plain {
                Ok(_) => { let d = fallible::diff(|x| $f(x).unwrap(), x); assert!((pb(Some(1.0)) - d).abs() < 1e-5 * (1.0 + d.abs()), "{} {} at {}", pb(Some(1.0)), d, x); assert!((dy.unwrap() - d).abs() < 1e-5 * (1.0 + d.abs())); }
                Err(_) => { assert_eq!(pb(None), 0.0); assert_eq!(dy, None); }
            }
        } }
    };
}

/// Value, gradient and tangent of a function that uses results.
macro_rules! check_value {
    ($t:ident, $f:ident, $grad:ident, $jvp:ident, $($x:expr),*) => {
        #[test] fn $t() { for x in [$($x),*] {
            let d = fallible::diff(|x| $f(x), x);
            let g = $grad(x); let (y, dy) = $jvp(x, 1.0);
            assert_eq!(y, $f(x));
            assert!((g - d).abs() < 1e-5 * (1.0 + d.abs()), "{} {} at {}", g, d, x);
            assert!((dy - d).abs() < 1e-5 * (1.0 + d.abs()), "{} {} at {}", dy, d, x);
        } }
    };
}
