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

/// What a call gives that is cast to a float: an integer, as a float would lose its derivative.
#[diagnostic::on_unimplemented(
    message = "what this call gives is taken for an integer, as it is cast to a float, and `{Self}` is none",
    label = "gives `{Self}`",
    note = "write its type where it is bound: `let y: {Self} = …;`"
)]
pub trait Counted {
    /// The integer.
    type Plain;

    /// It, also where only a reference to it is at hand.
    fn counted(&self) -> Self::Plain;
}

macro_rules! counted {
    ($($ty:ty)*) => {$(
        impl Counted for $ty {
            type Plain = $ty;

            #[inline]
            fn counted(&self) -> $ty {
                *self
            }
        }
    )*};
}

counted! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

impl<T: Counted + ?Sized> Counted for &T {
    type Plain = T::Plain;

    #[inline]
    fn counted(&self) -> T::Plain {
        (**self).counted()
    }
}

/// The integer itself.
///
/// ```
/// use cotangent_runtime::private::counted;
/// assert_eq!(counted(&3_u32), 3);
/// ```
#[inline]
pub fn counted<T: Counted>(x: &T) -> T::Plain {
    x.counted()
}

/// A float, or a reference to one.
pub trait Number: Copy {
    /// The float.
    type Plain;

    /// It.
    fn number(self) -> Self::Plain;
}

impl Number for f32 {
    type Plain = f32;

    #[inline]
    fn number(self) -> f32 {
        self
    }
}

impl Number for f64 {
    type Plain = f64;

    #[inline]
    fn number(self) -> f64 {
        self
    }
}

impl<X: Number> Number for &X {
    type Plain = X::Plain;

    #[inline]
    fn number(self) -> X::Plain {
        (*self).number()
    }
}

/// What may be a reference to a float by its value.
///
/// ```
/// use cotangent_runtime::private::number;
/// assert_eq!((number(0.5), number(&&0.5_f32)), (0.5, 0.5_f32));
/// ```
#[inline]
pub fn number<X: Number>(x: X) -> X::Plain {
    x.number()
}
