//! Zero tangents where only the compiler knows whether a value has tangents at all.
//!
//! `(&Probe(&x)).zero_or_unit()` with both traits in scope finds the method of [`Tangents`] if `x` is differentiable, and
//! that of [`NoTangents`], one reference further away, if it is not.

use crate::Differentiable;

/// A value that is asked for its zero tangent.
///
/// ```
/// use cotangent_runtime::private::{NoTangents as _, Probe, Tangents as _};
/// struct Opaque;
/// assert_eq!((&Probe(&2.0_f64)).zero_or_unit(), 0.0);
/// assert_eq!((&Probe(&Opaque)).zero_or_unit(), ());
/// ```
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// What `f_jvp` gives where nothing has a tangent: its cotangent is `()`.
impl<T: Differentiable<Tangent = ()>> Probe<'_, (T, ())> {
    /// There is none.
    pub fn zero_or_unit(&self) {}
}

/// Values that have tangents.
pub trait Tangents {
    /// Their tangents.
    type Tangent;

    /// The zero tangent.
    fn zero_or_unit(&self) -> Self::Tangent;
}

impl<T: Differentiable + ?Sized> Tangents for Probe<'_, T> {
    type Tangent = T::Tangent;

    fn zero_or_unit(&self) -> T::Tangent {
        self.0.zero_tangent()
    }
}

/// All other values.
pub trait NoTangents {
    /// There is none.
    fn zero_or_unit(&self) {}
}

impl<T: ?Sized> NoTangents for &Probe<'_, T> {}
