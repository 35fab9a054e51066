//! Elementary functions of one number without branches, from which the compiler makes loops over several at once.
//!
//! They are only to be called where fused multiplication is an instruction. The exponential is 2ᵏ·exp r with the integer k
//! nearest to x/ln 2, where ln 2 has two parts, and what is lost in r is carried along. Polynomials are those of Taylor:
//! |r| is at most ln 2 / 2. Sine and cosine are those of what is left of x by the nearest multiple of π/2, which has four
//! parts.

use core::f64::consts::{FRAC_2_PI, LOG2_E};

/// Adding it moves the integer nearest to a number into its last bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// ln 2, but for its last bits: a product with a small integer is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_0000);
/// The rest of ln 2.
const LN2_LOW: f64 = 1.6465949582897082e-12;

/// 1/n! from n = 2 on.
const INVERSE_FACTORIALS: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// k as a float, k in the last bits of a float, r, and exp r - 1 - r with what is lost in r.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64, f64, f64) {
    let shifted = x.mul_add(LOG2_E, SHIFT);
    let k = shifted - SHIFT;
    let near = (-k).mul_add(LN2_HIGH, x);
    let r = (-k).mul_add(LN2_LOW, near);
    let lost = (-k).mul_add(LN2_LOW, near - r);
    let mut series = 0.0_f64;
    for coefficient in INVERSE_FACTORIALS.iter().rev() {
        series = series.mul_add(r, *coefficient);
    }
    (k, shifted, r, (r * r).mul_add(series, lost))
}

/// 2ᵏ for k in the last bits of a float.
#[inline(always)]
fn power_of_two(shifted: f64) -> f64 {
    f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    // beyond, the result is 0 or infinite; a NaN passes
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let (k, _, r, tail) = reduced(x);
    let high = 1.0 + r;
    let y = high + ((1.0 - high) + r + tail);
    // in two steps, as 2ᵏ itself may be out of range
    let half = k.mul_add(0.5, SHIFT);
    let rest = (k - (half - SHIFT)) + SHIFT;
    y * power_of_two(half) * power_of_two(rest)
}

/// t/(t + 2) with t = exp 2|x| - 1, which is 2ᵏ - 1 + 2ᵏ·(exp r - 1) without cancellation.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let z = x.abs();
    let z = if z > 22.0 { 22.0 } else { z };
    let (_, shifted, r, tail) = reduced(z + z);
    let scale = power_of_two(shifted);
    let (whole, part) = (scale - 1.0, scale * r);
    let high = whole + part;
    let t = high + ((whole - high) + part + scale * tail);
    (t / (t + 2.0)).copysign(x)
}

/// e·ln 2 + ln m, where x = 2ᵉ·m with m between √½ and √2: with f = m - 1 and s = f/(2 + f), ln m is the series
/// 2·(s + s³/3 + s⁵/5 + …), of which f - f²/2 + s·f²/2 is the beginning.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    const TO_NORMAL: f64 = 18_014_398_509_481_984.0;
    let subnormal = x < f64::MIN_POSITIVE;
    let y = if subnormal { x * TO_NORMAL } else { x };
    let bias = if subnormal { 1023.0 + 54.0 } else { 1023.0 };
    let moved = y.to_bits().wrapping_sub(HALF_ROOT).wrapping_add(1023 << 52);
    // the exponent as the last bits of 2⁵²
    let e = f64::from_bits((moved >> 52) | 0x4330_0000_0000_0000) - 4_503_599_627_370_496.0 - bias;
    let f = f64::from_bits((moved & 0x000f_ffff_ffff_ffff).wrapping_add(HALF_ROOT)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut series = 0.0_f64;
    for n in [25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series.mul_add(z, 2.0 / n);
    }
    let half_square = 0.5 * f * f;
    let tail = s.mul_add(z.mul_add(series, half_square), e * LN2_LOW);
    let y = e.mul_add(LN2_HIGH, f - (half_square - tail));
    let y = if x == f64::INFINITY { x } else { y };
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    if x < 0.0 || x.is_nan() { f64::NAN } else { y }
}

/// The largest angle for which the parts of π/2 are long enough.
pub(super) const MOST_ANGLE: f64 = 1e6;

/// π/2 in parts of 33 bits, but for the last: their products with integers below 2²⁰ are exact.
const HALF_PI: [f64; 4] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_711_166_5e-21, 8.478_427_660_368_9e-32];

/// ±1/n! for n = 3, 5, …
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];

/// ±1/n! for n = 4, 6, …
const COSINE: [f64; 7] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// sin(x + quarters·π/2)
#[inline(always)]
fn turned(x: f64, quarters: u64) -> f64 {
    let shifted = x.mul_add(FRAC_2_PI, SHIFT);
    let k = shifted - SHIFT;
    let (mut r, mut lost) = (x, 0.0);
    for part in HALF_PI {
        let next = (-k).mul_add(part, r);
        lost += (-k).mul_add(part, r - next);
        r = next;
    }
    let z = r * r;
    let half = 0.5 * z;
    let mut series = 0.0_f64;
    for coefficient in SINE.iter().rev() {
        series = series.mul_add(z, *coefficient);
    }
    let sine = r + (r * z).mul_add(series, half.mul_add(-lost, lost));
    let mut series = 0.0_f64;
    for coefficient in COSINE.iter().rev() {
        series = series.mul_add(z, *coefficient);
    }
    let high = 1.0 - half;
    let cosine = high + ((1.0 - high) - half + (z * z).mul_add(series, -(r * lost)));
    let quadrant = shifted.to_bits().wrapping_add(quarters);
    let y = if quadrant & 1 == 0 { sine } else { cosine };
    f64::from_bits(y.to_bits() ^ ((quadrant & 2) << 62))
}

#[inline(always)]
pub(super) fn sin(x: f64) -> f64 {
    let y = turned(x, 0);
    // keeps the sign of 0
    if x == 0.0 { x } else { y }
}

#[inline(always)]
pub(super) fn cos(x: f64) -> f64 {
    turned(x, 1)
}
