//! Loops over integer ranges, counted in `usize`: the k-th value, and which iteration a value belongs to.
//!
//! The adjoint of `for i in lo..hi` runs over `k` and asks for `i`. Nothing here overflows for any range that can be
//! iterated: arithmetic wraps in the type of the range, where the true result is known to fit. A range of more than
//! `usize::MAX` values panics.

mod sealed {
    pub trait Sealed {}
}

/// The integer types, and `char`.
pub trait Int: sealed::Sealed + Copy + PartialOrd {
    /// `self + k`, modulo the width of the type.
    #[doc(hidden)]
    fn up(self, k: usize) -> Self;

    /// `self - k`, modulo the width of the type.
    #[doc(hidden)]
    fn down(self, k: usize) -> Self;

    /// `self - lo` for `lo <= self`.
    #[doc(hidden)]
    fn above(self, lo: Self) -> usize;
}

macro_rules! integers {
    ($($int:ident $unsigned:ident;)*) => {$(
        impl sealed::Sealed for $int {}

        impl Int for $int {
            #[inline]
            fn up(self, k: usize) -> Self {
                self.wrapping_add(k as $int)
            }

            #[inline]
            fn down(self, k: usize) -> Self {
                self.wrapping_sub(k as $int)
            }

            #[inline]
            fn above(self, lo: Self) -> usize {
                usize::try_from(self.wrapping_sub(lo) as $unsigned).expect("a range of more than usize::MAX values")
            }
        }
    )*};
}

integers! {
    u8 u8; u16 u16; u32 u32; u64 u64; u128 u128; usize usize;
    i8 u8; i16 u16; i32 u32; i64 u64; i128 u128; isize usize;
}

impl sealed::Sealed for char {}

impl Int for char {
    #[inline]
    fn up(self, k: usize) -> Self {
        nth_char(number(self).wrapping_add(k as u32))
    }

    #[inline]
    fn down(self, k: usize) -> Self {
        nth_char(number(self).wrapping_sub(k as u32))
    }

    #[inline]
    fn above(self, lo: Self) -> usize {
        (number(self) - number(lo)) as usize
    }
}

/// There is no `char` between these.
const GAP: core::ops::Range<u32> = 0xD800..0xE000;

/// How many there are before a `char`.
fn number(c: char) -> u32 {
    let c = u32::from(c);
    if c < GAP.end { c } else { c - (GAP.end - GAP.start) }
}

/// The `char` that has so many before it. What is none is asked for only beside a range that is empty.
fn nth_char(k: u32) -> char {
    let c = if k < GAP.start { k } else { k.wrapping_add(GAP.end - GAP.start) };
    char::from_u32(c).unwrap_or('\0')
}

/// The value of iteration `k` of `lo..`: `lo + k`.
///
/// ```
/// # use cotangent_runtime::private::nth_up;
/// assert_eq!(nth_up(-100_i8, 200), 100);
/// ```
#[inline]
pub fn nth_up<T: Int>(lo: T, k: usize) -> T {
    lo.up(k)
}

/// The value of iteration `k` of `(lo..hi).rev()`: `hi - 1 - k`.
///
/// ```
/// # use cotangent_runtime::private::nth_down;
/// assert_eq!(nth_down(5, 1), 3);
/// ```
#[inline]
pub fn nth_down<T: Int>(hi: T, k: usize) -> T {
    hi.down(1).down(k)
}

/// The value of iteration `k` of `(lo..=hi).rev()`: `hi - k`.
///
/// ```
/// # use cotangent_runtime::private::nth_down_inclusive;
/// assert_eq!(nth_down_inclusive(u8::MAX, 255), 0);
/// ```
#[inline]
pub fn nth_down_inclusive<T: Int>(hi: T, k: usize) -> T {
    hi.down(k)
}

/// The iteration of `lo..` whose value is `i`: `i - lo`.
///
/// ```
/// # use cotangent_runtime::private::offset;
/// assert_eq!(offset(i8::MIN, i8::MAX), 255);
/// ```
#[inline]
pub fn offset<T: Int>(lo: T, i: T) -> usize {
    i.above(lo)
}

/// The number of iterations of `(lo..hi).step_by(step)`. Panics if `step` is 0, as `step_by` does.
///
/// ```
/// # use cotangent_runtime::private::steps;
/// assert_eq!(steps(0, 7, 3), 3);
/// assert_eq!(steps(7, 0, 3), 0);
/// ```
#[inline]
#[track_caller]
pub fn steps<T: Int>(lo: T, hi: T, step: usize) -> usize {
    assert!(step != 0, "assertion failed: step != 0");
    if lo < hi { hi.above(lo).div_ceil(step) } else { 0 }
}

/// The number of iterations of `(lo..=hi).step_by(step)`. Panics if `step` is 0, as `step_by` does.
///
/// ```
/// # use cotangent_runtime::private::steps_inclusive;
/// assert_eq!(steps_inclusive(0, 6, 3), 3);
/// ```
#[inline]
#[track_caller]
pub fn steps_inclusive<T: Int>(lo: T, hi: T, step: usize) -> usize {
    assert!(step != 0, "assertion failed: step != 0");
    if lo <= hi { (hi.above(lo) / step).checked_add(1).expect("a range of more than usize::MAX values") } else { 0 }
}

/// The value of iteration `k` of `(lo..).step_by(step)`: `lo + k * step`.
///
/// ```
/// # use cotangent_runtime::private::nth_step;
/// assert_eq!(nth_step(-5, 3, 2), 1);
/// ```
#[inline]
pub fn nth_step<T: Int>(lo: T, step: usize, k: usize) -> T {
    lo.up(step.wrapping_mul(k))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn values_and_counts_are_those_of_the_ranges() {
        for lo in i8::MIN..=i8::MAX {
            for hi in [i8::MIN, -100, -1, 0, 1, 7, i8::MAX] {
                let up: Vec<i8> = (lo..hi).collect();
                assert_eq!(steps(lo, hi, 1), up.len());
                assert!(up.iter().enumerate().all(|(k, i)| nth_up(lo, k) == *i && offset(lo, *i) == k));
                assert!((lo..hi).rev().enumerate().all(|(k, i)| nth_down(hi, k) == i));
                assert!((lo..=hi).rev().enumerate().all(|(k, i)| nth_down_inclusive(hi, k) == i));
                for step in [1, 2, 3, 50, 1000] {
                    assert_eq!(steps(lo, hi, step), (lo..hi).step_by(step).count());
                    assert_eq!(steps_inclusive(lo, hi, step), (lo..=hi).step_by(step).count());
                    assert!((lo..hi).step_by(step).enumerate().all(|(k, i)| nth_step(lo, step, k) == i));
                }
            }
        }
    }

    #[test]
    fn ranges_of_characters() {
        for (lo, hi) in [('a', 'z'), ('\u{D000}', '\u{F000}'), ('b', 'a'), ('\u{0}', '\u{0}')] {
            let all: Vec<char> = (lo..hi).collect();
            assert_eq!(steps(lo, hi, 1), all.len());
            assert_eq!(steps_inclusive(lo, hi, 1), (lo..=hi).count());
            assert!(all.iter().enumerate().all(|(k, c)| nth_up(lo, k) == *c && offset(lo, *c) == k));
            assert!(all.iter().rev().enumerate().all(|(k, c)| nth_down(hi, k) == *c));
        }
    }

    #[test]
    fn whole_ranges_of_wide_types_do_not_overflow() {
        assert_eq!(steps(i32::MIN, i32::MAX, 1), u32::MAX as usize);
        assert_eq!(steps(i64::MIN, i64::MAX, 1), u64::MAX as usize);
        assert_eq!(steps_inclusive(i32::MIN, i32::MAX, 1), 1 << 32);
        assert_eq!(nth_up(i64::MIN, u64::MAX as usize), i64::MAX);
        assert_eq!(offset(-5_i128, 5), 10);
        assert_eq!(nth_down(0_i128, usize::MAX), -(1 << 64));
    }

    #[test]
    #[should_panic(expected = "a range of more than usize::MAX values")]
    fn a_range_that_cannot_be_counted_is_refused() {
        steps_inclusive(u64::MIN, u64::MAX, 1);
    }

    #[test]
    #[should_panic(expected = "step != 0")]
    fn a_step_of_zero_is_refused() {
        steps(0, 1, 0);
    }
}
