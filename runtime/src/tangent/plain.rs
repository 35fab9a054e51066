//! Tangents of floats, and of types that have no derivative.

use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{Differentiable, Tangent, cannot_move};

macro_rules! floats {
    ($($float:ident)*) => {$(
        impl Tangent for $float {
            #[inline]
            fn accumulate(&mut self, other: &Self) {
                *self += *other;
            }

            #[inline]
            fn scale(&mut self, by: f64) {
                *self *= by as $float;
            }

            #[inline]
            fn dot(&self, other: &Self) -> f64 {
                f64::from(*self) * f64::from(*other)
            }

            fn to_flat(&self) -> Vec<f64> {
                super::to_flat(self)
            }

            #[track_caller]
            fn set_flat(&mut self, flat: &[f64]) {
                super::set_flat(self, flat);
            }

            #[inline]
            fn flat_len(&self) -> usize {
                1
            }

            #[inline]
            fn push_flat(&self, flat: &mut Vec<f64>) {
                flat.push(f64::from(*self));
            }

            #[inline]
            fn take_flat(&mut self, flat: &mut &[f64]) {
                *self = flat[0] as $float;
                *flat = &flat[1..];
            }

            #[inline]
            fn empty() -> Self {
                0.0
            }
        }

        impl Differentiable for $float {
            type Tangent = $float;

            #[inline]
            fn zero_tangent(&self) -> $float {
                0.0
            }

            #[inline]
            fn move_by(&mut self, by: &$float) {
                *self += *by;
            }

            #[inline]
            fn push_addresses(&self, addresses: &mut Vec<usize>) {
                addresses.push(core::ptr::from_ref(self).addr());
            }
        }
    )*};
}

floats!(f32 f64);

impl Tangent for () {
    #[inline]
    fn accumulate(&mut self, (): &()) {}

    #[inline]
    fn scale(&mut self, _: f64) {}

    #[inline]
    fn dot(&self, (): &()) -> f64 {
        0.0
    }

    #[inline]
    fn to_flat(&self) -> Vec<f64> {
        Vec::new()
    }

    #[track_caller]
    fn set_flat(&mut self, flat: &[f64]) {
        super::set_flat(self, flat);
    }

    #[inline]
    fn flat_len(&self) -> usize {
        0
    }

    #[inline]
    fn push_flat(&self, _: &mut Vec<f64>) {}

    #[inline]
    fn take_flat(&mut self, _: &mut &[f64]) {}

    #[inline]
    fn empty() {}
}

macro_rules! without_derivative {
    ($($type:ty)*) => {$(
        impl Differentiable for $type {
            type Tangent = ();

            #[inline]
            fn zero_tangent(&self) {}

            #[inline]
            fn move_by(&mut self, (): &()) {}
        }
    )*};
}

without_derivative!(() bool char str String u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: ?Sized> Differentiable for PhantomData<T> {
    type Tangent = ();

    #[inline]
    fn zero_tangent(&self) {}

    #[inline]
    fn move_by(&mut self, (): &()) {}
}

impl<T: Differentiable + ?Sized> Differentiable for &T {
    type Tangent = T::Tangent;

    #[inline]
    fn zero_tangent(&self) -> T::Tangent {
        (**self).zero_tangent()
    }

    #[track_caller]
    fn move_by(&mut self, by: &T::Tangent) {
        cannot_move(by, "a shared reference");
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        (**self).push_addresses(addresses);
    }
}

impl<T: Differentiable + ?Sized> Differentiable for &mut T {
    type Tangent = T::Tangent;

    #[inline]
    fn zero_tangent(&self) -> T::Tangent {
        (**self).zero_tangent()
    }

    #[inline]
    fn move_by(&mut self, by: &T::Tangent) {
        (**self).move_by(by);
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        (**self).push_addresses(addresses);
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{Differentiable, Tangent};

    #[test]
    fn floats_are_their_own_tangents() {
        let mut x = 2.0_f32;
        x.move_by(&0.5);
        assert_eq!((x, x.zero_tangent()), (2.5, 0.0));
        x.scale(2.0);
        x.accumulate(&1.0);
        assert_eq!((x, x.dot(&2.0), x.to_flat()), (6.0, 12.0, vec![6.0]));
        x.set_flat(&[7.0]);
        assert_eq!(x, 7.0);
    }

    #[test]
    #[should_panic(expected = "the tangent has 1 coordinates, but 2 were given")]
    fn a_flat_form_of_another_length_is_refused() {
        1.0_f64.set_flat(&[1.0, 2.0]);
    }

    #[test]
    fn types_without_floats_have_an_empty_tangent() {
        let mut s = String::from("s");
        s.zero_tangent();
        s.move_by(&());
        3_u8.zero_tangent();
        "x".zero_tangent();
        assert!(().to_flat().is_empty());
        let tags: Vec<&str> = vec!["a", "b"];
        assert_eq!(tags.zero_tangent(), [(), ()]);
    }

    #[test]
    fn zero_tangent_is_found_through_references() {
        let mut v = vec![1.0_f64, 2.0];
        let slice: &[f64] = &v;
        let _: Vec<f64> = slice.zero_tangent();
        let _: Vec<f64> = (&slice).zero_tangent();
        let _: Vec<f64> = (&&slice).zero_tangent();
        let exclusive: &mut Vec<f64> = &mut v;
        let _: Vec<f64> = exclusive.zero_tangent();
        let part: &mut [f64] = &mut v[1..];
        let _: Vec<f64> = part.zero_tangent();
        let x = &&1.5_f64;
        let _: f64 = x.zero_tangent();
        assert_eq!(v[..1].zero_tangent(), [0.0]);
    }

    #[test]
    fn values_behind_exclusive_references_move() {
        let (mut a, mut b) = (1.0_f64, [2.0_f64]);
        let mut pair = (&mut a, &mut b[..]);
        pair.move_by(&(1.0, vec![3.0]));
        assert_eq!((a, b), (2.0, [5.0]));
        let mut label = "unchanged";
        label.move_by(&());
        let mut shared = &a;
        shared.move_by(&0.0);
    }

    #[test]
    #[should_panic(expected = "move_by: a shared reference cannot move")]
    fn values_behind_shared_references_do_not_move() {
        let mut shared = &1.0_f64;
        shared.move_by(&1.0);
    }
}
