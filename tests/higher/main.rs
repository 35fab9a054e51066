//! Derivatives of derivatives: Jacobians, Hessians, gradients inside of differentiable functions.

// what programs look like
#![allow(clippy::needless_range_loop, clippy::assign_op_pattern, clippy::manual_is_multiple_of, clippy::eq_op)]
#![allow(clippy::ptr_arg, clippy::boxed_local, clippy::for_kv_map, clippy::useless_vec)]
#![allow(clippy::type_complexity)]

mod agree;
mod consistency;
mod jacobians;
mod nested;
mod orders;
mod programs;
mod special_points;

/// Compares number by number, relative to the larger of the two and 1.
#[track_caller]
fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{got:?} and {want:?}");
    for (g, w) in got.iter().zip(want) {
        let scale = g.abs().max(w.abs()).max(1.0);
        assert!((g - w).abs() <= tolerance * scale, "{got:?} is not {want:?}");
    }
}
