//! Companions of what users do with tangents: a step along a gradient is part of a program that is differentiated, too.
//!
//! They are those of derived types. A method of the user's own of that name is found first. All methods are linear in each of
//! their arguments; a tangent is its own tangent.

use alloc::vec::Vec;

use crate::tangent::{Differentiable, Tangent};

/// The tangent of a derived type.
pub trait DerivedTangent: Tangent + Differentiable<Tangent = Self> {}

/// A derived type.
pub trait Derived: Differentiable<Tangent: DerivedTangent> {}

/// Companions of the methods of [`Tangent`].
///
/// The value with the function from its cotangent to those of the arguments, or with its tangent, as of every method.
pub trait TangentCompanions: DerivedTangent {
    #[doc(hidden)]
    fn accumulate_vjp(&mut self, other: &Self) -> ((), impl Fn(Self) -> (Self, Self) + use<Self>) {
        self.accumulate(other);
        ((), |bar: Self| (bar.clone(), bar))
    }

    #[doc(hidden)]
    fn accumulate_jvp(&mut self, other: &Self, mut dot: Self, other_dot: Self) -> ((), Self) {
        self.accumulate(other);
        dot.accumulate(&other_dot);
        ((), dot)
    }

    #[doc(hidden)]
    fn scale_vjp(&mut self, by: f64) -> ((), impl Fn(Self) -> (Self, f64) + use<Self>) {
        let own = self.clone();
        self.scale(by);
        ((), move |mut bar: Self| {
            let by_bar = Tangent::dot(&own, &bar);
            bar.scale(by);
            (bar, by_bar)
        })
    }

    #[doc(hidden)]
    fn scale_jvp(&mut self, by: f64, mut dot: Self, by_dot: f64) -> ((), Self) {
        let mut along = self.clone();
        along.scale(by_dot);
        self.scale(by);
        dot.scale(by);
        dot.accumulate(&along);
        ((), dot)
    }

    #[doc(hidden)]
    fn dot_vjp(&self, other: &Self) -> (f64, impl Fn(f64) -> (Self, Self) + use<Self>) {
        let (own, theirs) = (self.clone(), other.clone());
        (Tangent::dot(self, other), move |bar| {
            let (mut own, mut theirs) = (own.clone(), theirs.clone());
            own.scale(bar);
            theirs.scale(bar);
            (theirs, own)
        })
    }

    #[doc(hidden)]
    fn dot_jvp(&self, other: &Self, dot: Self, other_dot: Self) -> (f64, f64) {
        (Tangent::dot(self, other), Tangent::dot(&dot, other) + Tangent::dot(self, &other_dot))
    }

    #[doc(hidden)]
    fn to_flat_vjp(&self) -> (Vec<f64>, impl Fn(Vec<f64>) -> Self + use<Self>) {
        let zero = self.zero_tangent();
        (self.to_flat(), move |bar: Vec<f64>| {
            let mut own = zero.clone();
            own.set_flat(&bar);
            own
        })
    }

    #[doc(hidden)]
    fn to_flat_jvp(&self, dot: Self) -> (Vec<f64>, Vec<f64>) {
        (self.to_flat(), dot.to_flat())
    }

    #[doc(hidden)]
    fn set_flat_vjp(&mut self, flat: &[f64]) -> ((), impl Fn(Self) -> (Self, Vec<f64>) + use<Self>) {
        self.set_flat(flat);
        ((), |bar: Self| (bar.zero_tangent(), bar.to_flat()))
    }

    #[doc(hidden)]
    fn set_flat_jvp(&mut self, flat: &[f64], mut dot: Self, flat_dot: Vec<f64>) -> ((), Self) {
        self.set_flat(flat);
        dot.set_flat(&flat_dot);
        ((), dot)
    }
}

impl<S: DerivedTangent> TangentCompanions for S {}

/// Companions of the methods of [`Differentiable`].
#[allow(clippy::type_complexity)]
pub trait MoveCompanions: Derived {
    #[doc(hidden)]
    fn move_by_vjp(
        &mut self,
        step: &Self::Tangent,
    ) -> ((), impl Fn(Self::Tangent) -> (Self::Tangent, Self::Tangent) + use<Self>) {
        self.move_by(step);
        ((), |bar: Self::Tangent| (bar.clone(), bar))
    }

    #[doc(hidden)]
    fn move_by_jvp(
        &mut self,
        step: &Self::Tangent,
        mut dot: Self::Tangent,
        step_dot: Self::Tangent,
    ) -> ((), Self::Tangent) {
        self.move_by(step);
        dot.accumulate(&step_dot);
        ((), dot)
    }

    #[doc(hidden)]
    fn zero_tangent_vjp(&self) -> (Self::Tangent, impl Fn(Self::Tangent) -> Self::Tangent + use<Self>) {
        (self.zero_tangent(), |bar: Self::Tangent| bar.zero_tangent())
    }

    #[doc(hidden)]
    fn zero_tangent_jvp(&self, dot: Self::Tangent) -> (Self::Tangent, Self::Tangent) {
        (self.zero_tangent(), dot.zero_tangent())
    }
}

impl<T: Derived> MoveCompanions for T {}
