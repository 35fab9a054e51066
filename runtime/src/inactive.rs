//! What a method that only an integer, a `char` or a string has is called on, where the macro does not see the type: it has to
//! be one of these, so that no derivative is lost.

use alloc::string::String;
use alloc::vec::Vec;

/// Types without a derivative whose methods are called as they are.
#[diagnostic::on_unimplemented(
    message = "this method is taken for one of an integer, a `char` or a string, and `{Self}` is none of these",
    label = "called on a field or an element of type `{Self}`",
    note = "call a method of your own by its path: `Inner::pow(&s.inner, 2)`"
)]
pub trait Inactive {}

macro_rules! inactive {
    ($($ty:ty)*) => { $(impl Inactive for $ty {})* };
}

inactive! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool char str String }

impl<T: Inactive> Inactive for [T] {}
impl<T: Inactive> Inactive for Vec<T> {}
impl<T: Inactive, const N: usize> Inactive for [T; N] {}
impl<T: Inactive + ?Sized> Inactive for &T {}

/// The value itself.
///
/// ```
/// use cotangent_runtime::private::inactive;
/// assert_eq!((inactive(&3_u32).pow(2), inactive("ab").to_uppercase()), (9, "AB".into()));
/// ```
#[inline]
pub fn inactive<T: Inactive + ?Sized>(x: &T) -> &T {
    x
}
