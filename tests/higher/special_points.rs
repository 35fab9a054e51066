//! Second derivatives where the first or the second one does not exist: the conventions for the elementary functions hold,
//! composed, and nothing is NaN that does not count.

use cotangent::differentiable;

use super::close;

#[differentiable(order = 2, hvp)]
fn x_abs_x(x: f64) -> f64 {
    x * x.abs()
}

#[differentiable(order = 2, hvp)]
fn relu_squared(x: f64) -> f64 {
    let r = x.max(0.0);
    r * r
}

#[differentiable(order = 2, hvp)]
fn powers(x: f64) -> f64 {
    x.powi(2) + x.powf(3.0) + x.powi(1) * 4.0 + x.powf(2.0) + x.powf(1.0) + x.powi(0) + x.powf(0.0)
}

#[differentiable(order = 2, hvp)]
fn clamped(x: f64) -> f64 {
    let c = x.clamp(-1.0, 1.0);
    c * c * c
}

/// The root does not count where `x` is not positive.
#[differentiable(order = 2, hvp)]
fn guarded(x: f64) -> f64 {
    if x > 0.0 { x * x.sqrt() } else { x * x }
}

/// The root is multiplied by zero, and so are its infinite derivatives.
#[differentiable(order = 2, hvp)]
fn silenced(x: f64) -> f64 {
    let zero = x - x;
    x * x + 0.0 * x.sqrt() * zero
}

#[differentiable(order = 2, hvp)]
fn rounded(x: f64) -> f64 {
    x * x * (x.floor() + 1.0) + x.fract() * x.signum()
}

macro_rules! at {
    ($($f:ident $jvp_jvp:ident $grad_jvp:ident $grad_vjp:ident $hvp:ident { $($x:expr => $first:expr, $second:expr;)* })*) => {
        $(#[test]
        fn $f() {
            $(
                let want = [$first, $second];
                let ((_, dy), (_, tdy)) = crate::special_points::$jvp_jvp($x, 1.0, 1.0, 0.0);
                close(&[dy, tdy], &want, 1e-14);
                let (g, dg) = crate::special_points::$grad_jvp($x, 1.0);
                close(&[g, dg], &want, 1e-14);
                let (g, pullback) = crate::special_points::$grad_vjp($x);
                close(&[g, pullback(1.0)], &want, 1e-14);
                close(&[crate::special_points::$hvp($x, 1.0)], &[$second], 1e-14);
            )*
        })*
    };
}

mod scalars {
    use super::close;

    at! {
        x_abs_x x_abs_x_jvp_jvp x_abs_x_grad_jvp x_abs_x_grad_vjp x_abs_x_hvp {
            2.0 => 4.0, 2.0;
            -1.5 => 3.0, -2.0;
            0.0 => 0.0, 0.0;
        }
        relu_squared relu_squared_jvp_jvp relu_squared_grad_jvp relu_squared_grad_vjp relu_squared_hvp {
            2.0 => 4.0, 2.0;
            -1.5 => 0.0, 0.0;
            0.0 => 0.0, 0.5;
        }
        powers powers_jvp_jvp powers_grad_jvp powers_grad_vjp powers_hvp {
            0.0 => 5.0, 4.0;
            1.0 => 12.0, 10.0;
        }
        clamped clamped_jvp_jvp clamped_grad_jvp clamped_grad_vjp clamped_hvp {
            0.5 => 0.75, 3.0;
            1.0 => 3.0, 6.0;
            2.0 => 0.0, 0.0;
        }
        guarded guarded_jvp_jvp guarded_grad_jvp guarded_grad_vjp guarded_hvp {
            4.0 => 3.0, 0.375;
            0.0 => 0.0, 2.0;
            -1.0 => -2.0, 2.0;
        }
        rounded rounded_jvp_jvp rounded_grad_jvp rounded_grad_vjp rounded_hvp {
            1.5 => 7.0, 4.0;
            2.0 => 13.0, 6.0;
        }
    }
}

#[differentiable(order = 2, hessian)]
fn power(x: f64, y: f64) -> f64 {
    x.powf(y)
}

#[test]
fn a_power_where_the_exponent_is_zero() {
    // ∂²/∂x∂y x^y = 1/x at y = 0
    let ln = 4.0_f64.ln();
    let hessian = power_hessian(4.0, 0.0);
    close(hessian.as_slice().unwrap(), &[0.0, 0.25, 0.25, ln * ln], 1e-14);
    let (gradient, along) = power_grad_jvp(4.0, 0.0, 1.0, 0.0);
    close(&[gradient.0, gradient.1, along.0, along.1], &[0.0, ln, 0.0, 0.25], 1e-14);
    // at a zero base with an exponent above 1 nothing is left
    close(power_hessian(0.0, 3.0).as_slice().unwrap(), &[0.0; 4], 1e-14);
}

#[differentiable(order = 2, hessian)]
fn norms(x: f64, y: f64) -> f64 {
    let r = x.hypot(y);
    r * r * r + x.atan2(y) * 0.0
}

#[test]
fn lengths_at_the_origin() {
    // the conventions: hypot has derivative 0 there
    let hessian = norms_hessian(0.0, 0.0);
    assert!(hessian.iter().all(|h| *h == 0.0), "{hessian}");
    let r = 5.0;
    close(
        norms_hessian(3.0, 4.0).as_slice().unwrap(),
        &[3.0 * (r + 9.0 / r), 36.0 / r, 36.0 / r, 3.0 * (r + 16.0 / r)],
        1e-12,
    );
}

#[differentiable(order = 2, hessian)]
fn largest(x: &[f64]) -> f64 {
    let m = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    m * m
}

#[test]
fn ties_are_split_evenly() {
    close(largest_hessian(&[2.0, 1.0]).as_slice().unwrap(), &[2.0, 0.0, 0.0, 0.0], 1e-14);
    close(largest_hessian(&[2.0, 2.0]).as_slice().unwrap(), &[0.5, 0.5, 0.5, 0.5], 1e-14);
}

#[test]
fn what_is_multiplied_by_zero() {
    let (g, h) = silenced_grad_jvp(1.0, 1.0);
    close(&[g, h], &[2.0, 2.0], 1e-14);
}
