//! Zero tangents where only the compiler knows whether a value has tangents at all.
//!
//! `(&Probe(&x)).zero_or_unit()` with both traits in scope finds the method of [`Tangents`] if `x` is differentiable, and
//! that of [`NoTangents`], one reference further away, if it is not.
//!
//! In the same way `(&&&&Probe(&x)).owned()` is an error of the compiler where `x` may be a guard or a reference: what is
//! changed through it is kept elsewhere, and a companion would not know of that. And so is `(&&&&Probe(&x)).forgets()` where `x` can be changed through a shared reference, as a `Cell` can.

use crate::Differentiable;
use crate::asked::{Constant, Varies};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::DerefMut;
use core::panic::RefUnwindSafe;

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

    /// That it has tangents.
    fn kind(&self) -> Varies {
        Varies
    }
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

    /// That it has none.
    fn kind(&self) -> Constant {
        Constant
    }
}

impl<T: ?Sized> NoTangents for &Probe<'_, T> {}

/// What is stored in a value is kept in it, and nowhere else.
#[diagnostic::on_unimplemented(
    message = "what is changed through `{Self}` is kept elsewhere, and it is not known here where",
    label = "a guard or a reference that a call gave",
    note = "change the variable itself, by its name, field or index, or do this in a function without `#[differentiable]`",
    note = "a type of your own that keeps its values can derive `Differentiable`"
)]
pub trait Keeps {}

impl<T: ?Sized> Keeps for Box<T> {}
impl<T> Keeps for Vec<T> {}

/// What is stored in it is lent.
pub trait Lent {
    /// What stands for it.
    type Guard: ?Sized;

    /// An error of the compiler, unless the guard keeps what is stored in it after all.
    fn owned(&self)
    where
        Self::Guard: Keeps,
    {
    }
}

impl<'a, T: ?Sized> Lent for &&&Probe<'_, &'a mut T> {
    type Guard = &'a mut T;
}

/// Values with tangents keep what is stored in them.
pub trait Owned {
    /// Nothing is wrong.
    fn owned(&self) {}
}

impl<T: Differentiable> Owned for &&Probe<'_, T> {}

impl<T: DerefMut> Lent for &Probe<'_, T> {
    type Guard = T;
}

/// All other values are believed to.
pub trait Believed {
    /// Nothing is known to be wrong.
    fn owned(&self) {}
}

impl<T> Believed for Probe<'_, T> {}

impl<T> Probe<'_, T> {
    /// Differentiable values are stored in it.
    ///
    /// ```compile_fail
    /// use cotangent_runtime::private::Probe;
    /// Probe(&std::cell::RefCell::new(1.0).borrow_mut()).stores();
    /// ```
    pub fn stores(&self)
    where
        T: Differentiable,
    {
    }
}

/// What is lent to a call without a derivative keeps nothing that the call is given beside it.
#[diagnostic::on_unimplemented(
    message = "this call may keep a differentiable value in `{Self}`, which is not differentiated",
    label = "has no derivative, and may keep what it is given",
    note = "keep the value in a variable, an array or a `Vec`, or pass `cotangent::stop_gradient(x)` if nothing kept is used",
    note = "a type of your own that keeps no such value can derive `Differentiable`"
)]
pub trait Forgetful {}

/// The locks of `std`, which look like values that do not change.
pub trait Lock {}

#[cfg(feature = "std")]
impl<T: ?Sized> Lock for std::sync::Mutex<T> {}
#[cfg(feature = "std")]
impl<T: ?Sized> Lock for std::sync::RwLock<T> {}
impl<T: Lock + ?Sized> Lock for &T {}
impl<T: Lock + ?Sized> Lock for alloc::sync::Arc<T> {}

/// What is changed behind a lock.
pub trait Locked {
    /// What stands for it.
    type Keeper: ?Sized;

    /// An error of the compiler.
    fn forgets(&self)
    where
        Self::Keeper: Forgetful,
    {
    }
}

impl<T: Lock + ?Sized> Locked for &&&Probe<'_, T> {
    type Keeper = T;
}

/// Values that do not change as long as they are shared.
pub trait Frozen {
    /// Nothing is wrong.
    fn forgets(&self) {}
}

impl<T: RefUnwindSafe + ?Sized> Frozen for &&Probe<'_, T> {}

/// Differentiable values: all that their methods can keep has a tangent.
pub trait Plain {
    /// Nothing is wrong.
    fn forgets(&self) {}
}

impl<T: Differentiable + ?Sized> Plain for &Probe<'_, T> {}

/// All others.
pub trait Remembers {
    /// What stands for it.
    type Keeper: ?Sized;

    /// An error of the compiler.
    fn forgets(&self)
    where
        Self::Keeper: Forgetful,
    {
    }
}

impl<T: ?Sized> Remembers for Probe<'_, T> {
    type Keeper = T;
}

/// Two values of which neither borrows from the other.
pub fn apart<T: ?Sized, U: ?Sized>(_: &T, _: &U) {}
