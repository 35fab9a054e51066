//! What the derive and generated adjoints need to reach into tangents: the parts of a tuple, the place of a field that
//! was left out, and what happens where two tangents of an enum have different variants.
//!
//! Invariants:
//! - Part `n` of a tuple is reached by the method `__cotangent_n`, as field `n` of a derived tangent is: the adjoint of
//!   `x.0` is the same text for both. A part of `()`, the tangent of what has no derivative, is `()`.
//! - A tangent of another variant counts as zero if all its coordinates are zero. Any other difference panics.

#![allow(non_snake_case)]

use alloc::boxed::Box;
use alloc::vec;

use crate::tangent::{Tangent, to_flat};

/// Tangents of options: the part of what is in it.
pub trait OptionPart {
    /// The tangent of the payload.
    type Part;

    /// The part, to be changed.
    ///
    /// # Panics
    /// If there is no payload.
    fn __cotangent_Some_0(&mut self) -> &mut Self::Part;

    /// The part, to be read.
    ///
    /// # Panics
    /// If there is no payload.
    fn __cotangent_ref_Some_0(&self) -> &Self::Part;
}

impl<T> OptionPart for Option<T> {
    type Part = T;

    #[inline]
    fn __cotangent_Some_0(&mut self) -> &mut T {
        self.as_mut().expect("the tangent of `Some` is `Some`")
    }

    #[inline]
    fn __cotangent_ref_Some_0(&self) -> &T {
        self.as_ref().expect("the tangent of `Some` is `Some`")
    }
}

impl OptionPart for () {
    type Part = ();

    #[inline]
    fn __cotangent_Some_0(&mut self) -> &mut () {
        self
    }

    #[inline]
    fn __cotangent_ref_Some_0(&self) -> &() {
        self
    }
}

/// Tangents of boxes: the part of what is in it.
pub trait BoxPart {
    /// The tangent of what is in the box.
    type Part;

    /// The part, to be changed.
    fn __cotangent_box(&mut self) -> &mut Self::Part;

    /// The part, to be read.
    fn __cotangent_ref_box(&self) -> &Self::Part;
}

impl<T> BoxPart for Box<T> {
    type Part = T;

    #[inline]
    fn __cotangent_box(&mut self) -> &mut T {
        self
    }

    #[inline]
    fn __cotangent_ref_box(&self) -> &T {
        self
    }
}

impl BoxPart for () {
    type Part = ();

    #[inline]
    fn __cotangent_box(&mut self) -> &mut () {
        self
    }

    #[inline]
    fn __cotangent_ref_box(&self) -> &() {
        self
    }
}

/// The place of a part of a tangent, to be replaced: nothing is put where there is no part.
///
/// ```
/// use cotangent_runtime::private::fields::{Put as _, Slot};
///
/// let mut t = (1.0, ());
/// Slot(&mut t.0).put(2.0);
/// Slot(&mut t.1).put(Some(()));
/// assert_eq!(t, (2.0, ()));
/// ```
pub struct Slot<'t, T: ?Sized>(pub &'t mut T);

impl Slot<'_, ()> {
    /// Puts nothing.
    #[inline]
    pub fn put<V>(self, _: V) {}
}

/// Places of parts that there are.
pub trait Put<V> {
    /// Replaces the part.
    fn put(self, part: V);
}

impl<T> Put<T> for Slot<'_, T> {
    #[inline]
    fn put(self, part: T) {
        *self.0 = part;
    }
}

impl<T> Put<T> for Slot<'_, Box<T>> {
    #[inline]
    fn put(self, part: T) {
        **self.0 = part;
    }
}

/// `all` the parts of a tuple, and how one of them is called and reached.
macro_rules! part {
    ([$($all:ident)*] $part:ident $trait:ident $method:ident $method_ref:ident $index:tt) => {
        impl<$($all),*> $trait for ($($all,)*) {
            type Part = $part;

            #[inline]
            fn $method(&mut self) -> &mut $part {
                &mut self.$index
            }

            #[inline]
            fn $method_ref(&self) -> &$part {
                &self.$index
            }
        }
    };
}

/// One tuple after the other, each a part longer.
macro_rules! tuples {
    ([$($done:tt)*]) => {};
    (
        [$($part:ident $trait:ident $method:ident $method_ref:ident $index:tt;)*]
        $next:ident $next_trait:ident $next_method:ident $next_ref:ident $next_index:tt; $($rest:tt)*
    ) => {
        tuples! {
            @tuple [$($part)* $next]
            $($part $trait $method $method_ref $index;)* $next $next_trait $next_method $next_ref $next_index;
        }
        tuples! {
            [
                $($part $trait $method $method_ref $index;)*
                $next $next_trait $next_method $next_ref $next_index;
            ]
            $($rest)*
        }
    };
    (@tuple $all:tt $($part:ident $trait:ident $method:ident $method_ref:ident $index:tt;)*) => {
        $(part!($all $part $trait $method $method_ref $index);)*
    };
}

macro_rules! parts {
    ($($part:ident $trait:ident $method:ident $method_ref:ident $index:tt;)*) => {
        $(
            #[doc = concat!("Tangents with a part `", $index, "`.")]
            ///
            /// ```
            #[doc = concat!("use cotangent_runtime::private::fields::", stringify!($trait), " as _;")]
            ///
            /// let mut t = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
            #[doc = concat!("*t.", stringify!($method), "() = 20;")]
            #[doc = concat!("assert_eq!((t.", $index, ", *t.", stringify!($method_ref), "()), (20, 20));")]
            /// ```
            pub trait $trait {
                /// The tangent of this part.
                type Part;

                /// The part, to be added to.
                fn $method(&mut self) -> &mut Self::Part;

                /// The part, to be read.
                fn $method_ref(&self) -> &Self::Part;
            }

            impl $trait for () {
                type Part = ();

                #[inline]
                fn $method(&mut self) -> &mut () {
                    self
                }

                #[inline]
                fn $method_ref(&self) -> &() {
                    self
                }
            }
        )*

        tuples!([] $($part $trait $method $method_ref $index;)*);
    };
}

parts! {
    A Field0 __cotangent_0 __cotangent_ref_0 0;
    B Field1 __cotangent_1 __cotangent_ref_1 1;
    C Field2 __cotangent_2 __cotangent_ref_2 2;
    D Field3 __cotangent_3 __cotangent_ref_3 3;
    E Field4 __cotangent_4 __cotangent_ref_4 4;
    F Field5 __cotangent_5 __cotangent_ref_5 5;
    G Field6 __cotangent_6 __cotangent_ref_6 6;
    H Field7 __cotangent_7 __cotangent_ref_7 7;
    I Field8 __cotangent_8 __cotangent_ref_8 8;
    J Field9 __cotangent_9 __cotangent_ref_9 9;
    K Field10 __cotangent_10 __cotangent_ref_10 10;
    L Field11 __cotangent_11 __cotangent_ref_11 11;
}

/// The tangent of a field that was left out, as a place. Nothing is allocated for it.
///
/// ```
/// *cotangent_runtime::private::fields::nothing() = ();
/// ```
#[inline]
#[must_use]
pub fn nothing() -> &'static mut () {
    Box::leak(Box::new(()))
}

/// The zero of the size of `tangent`.
///
/// ```
/// use cotangent_runtime::private::fields::zero_like;
///
/// assert_eq!(zero_like(&(f64::INFINITY, vec![2.0])), (0.0, vec![0.0]));
/// ```
#[must_use]
pub fn zero_like<T: Tangent>(tangent: &T) -> T {
    let mut zero = tangent.clone();
    zero.take_flat(&mut &vec![0.0; tangent.flat_len()][..]);
    zero
}

fn is_zero<T: Tangent>(tangent: &T) -> bool {
    to_flat(tangent).iter().all(|x| *x == 0.0)
}

/// `accumulate` of tangents of different variants, whose names are `variants`.
///
/// ```
/// let mut sum = Some(vec![1.0]);
/// cotangent_runtime::private::fields::accumulate_variants(&mut sum, &None, ["Some", "None"]);
/// assert_eq!(sum, Some(vec![1.0]));
/// ```
#[cold]
#[track_caller]
pub fn accumulate_variants<T: Tangent>(tangent: &mut T, other: &T, variants: [&str; 2]) {
    if is_zero(other) {
        return;
    }
    assert!(is_zero(tangent), "accumulate: variants differ, `{}` and `{}`", variants[0], variants[1]);
    tangent.clone_from(other);
}

/// `dot` of tangents of different variants, whose names are `variants`.
///
/// ```
/// assert_eq!(cotangent_runtime::private::fields::dot_variants(&Some(0.0), &None, ["Some", "None"]), 0.0);
/// ```
#[cold]
#[track_caller]
pub fn dot_variants<T: Tangent>(tangent: &T, other: &T, variants: [&str; 2]) -> f64 {
    let zero = is_zero(tangent) || is_zero(other);
    assert!(zero, "dot: variants differ, `{}` and `{}`", variants[0], variants[1]);
    0.0
}

/// `move_by` of a value and a tangent of different variants, whose names are `variants`.
///
/// ```
/// cotangent_runtime::private::fields::move_variants(&0.0, ["Circle", "Empty"]);
/// ```
#[cold]
#[track_caller]
pub fn move_variants<T: Tangent>(by: &T, variants: [&str; 2]) {
    assert!(is_zero(by), "move_by: variants differ, the value is `{}`, the tangent is `{}`", variants[0], variants[1]);
}

/// A field of the variant `expected` was asked of a tangent of the variant `found`.
///
/// ```should_panic
/// cotangent_runtime::private::fields::another_variant("Circle", "Empty");
/// ```
#[cold]
#[track_caller]
pub fn another_variant(expected: &str, found: &str) -> ! {
    panic!("the tangent is `{found}`, but its value is `{expected}`");
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::{Field0 as _, Field1 as _, Field2 as _, accumulate_variants, dot_variants, move_variants};

    #[test]
    fn parts_of_tuples_are_reached_by_name() {
        let mut t = (1.0, ((2.0, ()), 3.0));
        *t.__cotangent_1().__cotangent_0().__cotangent_0() += 10.0;
        *t.__cotangent_0() += 10.0;
        *t.__cotangent_1().__cotangent_0().__cotangent_1().__cotangent_2() = ();
        assert_eq!(t, (11.0, ((12.0, ()), 3.0)));
        let boxed = Box::new((1.0, 2.0));
        assert_eq!(*boxed.__cotangent_ref_1(), 2.0);
    }

    #[test]
    fn zeros_of_another_variant_count_for_nothing() {
        let mut sum = Some(0.0);
        accumulate_variants(&mut sum, &None, ["A", "B"]);
        assert_eq!(sum, Some(0.0));
        accumulate_variants(&mut sum, &Some(2.0), ["A", "B"]);
        assert_eq!(sum, Some(2.0));
        assert_eq!(dot_variants(&0.0, &1.0, ["A", "B"]), 0.0);
    }

    #[test]
    #[should_panic(expected = "move_by: variants differ, the value is `A`, the tangent is `B`")]
    fn a_value_does_not_move_along_another_variant() {
        move_variants(&1.0, ["A", "B"]);
    }

    #[test]
    #[should_panic(expected = "accumulate: variants differ, `A` and `B`")]
    fn different_variants_do_not_add() {
        accumulate_variants(&mut 1.0, &1.0, ["A", "B"]);
    }
}
