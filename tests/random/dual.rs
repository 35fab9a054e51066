//! A dual number of `num-dual` that reads like an `f64`: with all of its methods that random programs use, and operators
//! on references. A random program in which `f64` is this type gives its own derivative.
//!
//! The derivatives are those of the crate. Here is only what it does not have, and the conventions where a function has no
//! derivative.

use num_dual::{Dual64, DualNum};
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

/// The number.
#[derive(Clone, Copy, Debug)]
pub struct Dual(pub Dual64);

/// A number without a derivative.
pub const fn lit(x: f64) -> Dual {
    Dual(Dual64 { re: x, eps: 0.0 })
}

/// A parameter: the one at which `turn` is zero is the one that moves.
pub fn arg(turn: &mut usize, x: f64) -> Dual {
    let moves = *turn == 0;
    *turn = turn.wrapping_sub(1);
    Dual(Dual64::new(x, f64::from(u8::from(moves))))
}

/// `x as f32`, whose derivative is rounded too.
pub fn narrow(x: Dual) -> Dual {
    let round = |x: f64| f64::from(x as f32);
    Dual(Dual64::new(round(x.0.re), round(x.0.eps)))
}

/// What may stand left of `as`.
pub trait Cast {
    /// `self as f64`
    fn float(self) -> Dual;
    /// `self as i64`
    fn whole(self) -> i64;
}

impl Cast for Dual {
    fn float(self) -> Dual {
        self
    }

    fn whole(self) -> i64 {
        self.0.re as i64
    }
}

macro_rules! casts {
    ($($int:ty)*) => { $(
        impl Cast for $int {
            fn float(self) -> Dual {
                lit(self as f64)
            }

            fn whole(self) -> i64 {
                self as i64
            }
        }
    )* };
}
casts!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

macro_rules! operators {
    ($($op:ident $assign:ident $f:ident $g:ident;)*) => { $(
        impl $op for Dual {
            type Output = Dual;
            fn $f(self, other: Dual) -> Dual {
                compute::$f(self, other)
            }
        }
        impl $op<&Dual> for Dual {
            type Output = Dual;
            fn $f(self, other: &Dual) -> Dual {
                compute::$f(self, *other)
            }
        }
        impl $op<Dual> for &Dual {
            type Output = Dual;
            fn $f(self, other: Dual) -> Dual {
                compute::$f(*self, other)
            }
        }
        impl $op for &Dual {
            type Output = Dual;
            fn $f(self, other: &Dual) -> Dual {
                compute::$f(*self, *other)
            }
        }
        impl $assign for Dual {
            fn $g(&mut self, other: Dual) {
                *self = compute::$f(*self, other);
            }
        }
        impl $assign<&Dual> for Dual {
            fn $g(&mut self, other: &Dual) {
                *self = compute::$f(*self, *other);
            }
        }
    )* };
}
operators! {
    Add AddAssign add add_assign;
    Sub SubAssign sub sub_assign;
    Mul MulAssign mul mul_assign;
    Div DivAssign div div_assign;
    Rem RemAssign rem rem_assign;
}

/// The operators by value.
mod compute {
    use super::{Dual, Dual64};

    pub(super) fn add(a: Dual, b: Dual) -> Dual {
        Dual(a.0 + b.0)
    }

    pub(super) fn sub(a: Dual, b: Dual) -> Dual {
        Dual(a.0 - b.0)
    }

    pub(super) fn mul(a: Dual, b: Dual) -> Dual {
        Dual(a.0 * b.0)
    }

    /// With the value of `/`: the crate multiplies by the reciprocal.
    pub(super) fn div(a: Dual, b: Dual) -> Dual {
        Dual(Dual64::new(a.0.re / b.0.re, (a.0 / b.0).eps))
    }

    pub(super) fn rem(a: Dual, b: Dual) -> Dual {
        let times = (a.0.re / b.0.re).trunc();
        Dual(Dual64::new(a.0.re % b.0.re, a.0.eps - times * b.0.eps))
    }
}

impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        Dual(-self.0)
    }
}

impl Neg for &Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        Dual(-self.0)
    }
}

impl PartialEq for Dual {
    fn eq(&self, other: &Dual) -> bool {
        self.0.re == other.0.re
    }
}

impl PartialOrd for Dual {
    fn partial_cmp(&self, other: &Dual) -> Option<std::cmp::Ordering> {
        self.0.re.partial_cmp(&other.0.re)
    }
}

impl Default for Dual {
    fn default() -> Dual {
        lit(0.0)
    }
}

impl Sum for Dual {
    fn sum<I: Iterator<Item = Dual>>(items: I) -> Dual {
        items.fold(lit(-0.0), |a, b| a + b)
    }
}

impl<'a> Sum<&'a Dual> for Dual {
    fn sum<I: Iterator<Item = &'a Dual>>(items: I) -> Dual {
        items.copied().sum()
    }
}

impl Product for Dual {
    fn product<I: Iterator<Item = Dual>>(items: I) -> Dual {
        items.fold(lit(1.0), |a, b| a * b)
    }
}

impl<'a> Product<&'a Dual> for Dual {
    fn product<I: Iterator<Item = &'a Dual>>(items: I) -> Dual {
        items.copied().product()
    }
}

macro_rules! methods {
    ($($name:ident)*) => { $(
        #[allow(missing_docs)]
        pub fn $name(self) -> Dual {
            Dual(Dual64::new(self.0.re.$name(), self.0.$name().eps))
        }
    )* };
}

macro_rules! flat {
    ($($name:ident)*) => { $(
        #[allow(missing_docs)]
        pub fn $name(self) -> Dual {
            lit(self.0.re.$name())
        }
    )* };
}

#[allow(missing_docs)]
impl Dual {
    pub const INFINITY: Dual = lit(f64::INFINITY);
    pub const NEG_INFINITY: Dual = lit(f64::NEG_INFINITY);

    methods!(sqrt cbrt exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh);
    methods!(recip);
    flat!(floor ceil round trunc signum);

    /// With the value that `f64` has.
    fn valued(re: f64, dual: Dual64) -> Dual {
        Dual(Dual64::new(re, dual.eps))
    }

    pub fn sin_cos(self) -> (Dual, Dual) {
        (self.sin(), self.cos())
    }

    pub fn powi(self, n: i32) -> Dual {
        Dual::valued(self.0.re.powi(n), self.0.powi(n))
    }

    pub fn powf(self, y: Dual) -> Dual {
        Dual::valued(self.0.re.powf(y.0.re), self.0.powd(y.0))
    }

    pub fn mul_add(self, a: Dual, b: Dual) -> Dual {
        Dual::valued(self.0.re.mul_add(a.0.re, b.0.re), self.0.mul_add(a.0, b.0))
    }

    pub fn atan2(self, x: Dual) -> Dual {
        Dual::valued(self.0.re.atan2(x.0.re), self.0.atan2(x.0))
    }

    pub fn hypot(self, y: Dual) -> Dual {
        Dual::valued(self.0.re.hypot(y.0.re), (self.0 * self.0 + y.0 * y.0).sqrt())
    }

    /// A tie is split.
    pub fn max(self, other: Dual) -> Dual {
        let (a, b) = (self.0, other.0);
        if a.re == b.re {
            Dual(Dual64::new(a.re.max(b.re), 0.5 * (a.eps + b.eps)))
        } else if a.re > b.re || b.re.is_nan() {
            self
        } else {
            other
        }
    }

    pub fn min(self, other: Dual) -> Dual {
        -(-self).max(-other)
    }

    pub fn abs(self) -> Dual {
        let sign = if self.0.re == 0.0 { 0.0 } else { self.0.re.signum() };
        Dual(Dual64::new(self.0.re.abs(), sign * self.0.eps))
    }

    pub fn clamp(self, low: Dual, high: Dual) -> Dual {
        if self < low {
            low
        } else if self > high {
            high
        } else {
            self
        }
    }

    pub fn fract(self) -> Dual {
        self - self.trunc()
    }

    pub fn is_nan(self) -> bool {
        self.0.re.is_nan()
    }

    pub fn is_finite(self) -> bool {
        self.0.re.is_finite()
    }

    pub fn total_cmp(&self, other: &Dual) -> std::cmp::Ordering {
        self.0.re.total_cmp(&other.0.re)
    }

    /// So that `T::zero()` reads as in a generic function.
    pub fn zero() -> Dual {
        lit(0.0)
    }

    pub fn one() -> Dual {
        lit(1.0)
    }

    /// So that `T::from(0.5).unwrap()` does.
    pub fn unwrap(self) -> Dual {
        self
    }
}

#[cfg(test)]
#[test]
fn slopes_are_those_of_differences() {
    let unary: [fn(Dual) -> Dual; 10] = [
        Dual::sqrt,
        Dual::exp2,
        Dual::tanh,
        Dual::asinh,
        |x| x.powi(3),
        |x| x.powf(x),
        |x| x.hypot(lit(2.0) * x.sin()),
        |x| (lit(2.0) * x) % lit(0.3),
        |x| x.max(lit(0.2)) * x.min(lit(0.9)) / x.clamp(lit(0.1), lit(0.5)),
        |x| x.mul_add(x, x).atan2(x.ln()),
    ];
    for (k, f) in unary.into_iter().enumerate() {
        let value = |x: f64| f(lit(x)).0.re;
        let (x, h) = (0.37, 1e-6);
        let slope = f(arg(&mut 0, x)).0.eps;
        let difference = (value(x + h) - value(x - h)) / (2.0 * h);
        assert!((slope - difference).abs() < 1e-7, "function {k}: {slope}, {difference}");
    }
}
