//! Adding an entry of a pullback to an accumulator, where the macro sees the type of neither.
//!
//! The entry decides: `()`, the entry of a parameter without a derivative, adds nothing to any accumulator, and nothing
//! is ever kept in a `()`. All other entries add elementwise and panic, with both sizes, if these differ.

use alloc::boxed::Box;
use alloc::vec::Vec;

#[cfg(feature = "ndarray")]
use ndarray::{Array, ArrayBase, DataMut, Dimension, Zip};

/// An entry that can be added to the accumulator `Acc`.
///
/// The derive implements it for the tangents of user types, for `Acc = Self` and `Acc = ()`.
#[diagnostic::on_unimplemented(
    message = "a cotangent of type `{Self}` cannot be added to one of type `{Acc}`",
    label = "the entry of the pullback has another type than the cotangent of the argument",
    note = "a pullback must return one entry per parameter: the tangent type of the argument, or `()`"
)]
pub trait Entry<Acc: ?Sized> {
    /// Adds `self` to the accumulator.
    fn add_entry_to(self, acc: &mut Acc);
}

/// Adds an entry of a pullback to the accumulator of the argument.
///
/// ```
/// use cotangent_runtime::private::add_entry;
///
/// let mut x_bar = vec![1.0, 2.0, 3.0];
/// add_entry(&mut x_bar[1..], vec![10.0, 20.0]);
/// add_entry(&mut x_bar, ());
/// add_entry(&mut x_bar, [1.0; 3]);
/// assert_eq!(x_bar, [2.0, 13.0, 24.0]);
/// ```
#[inline]
#[track_caller]
pub fn add_entry<Acc: ?Sized, E: Entry<Acc>>(acc: &mut Acc, entry: E) {
    entry.add_entry_to(acc);
}

impl<Acc: ?Sized> Entry<Acc> for () {
    #[inline]
    fn add_entry_to(self, _: &mut Acc) {}
}

macro_rules! floats {
    ($($float:ident)*) => {$(
        impl Entry<$float> for $float {
            #[inline]
            fn add_entry_to(self, acc: &mut $float) {
                *acc += self;
            }
        }

        impl Entry<()> for $float {
            #[inline]
            fn add_entry_to(self, (): &mut ()) {}
        }
    )*};
}

floats!(f32 f64);

impl<T, E: Entry<T>> Entry<[T]> for Vec<E> {
    #[track_caller]
    fn add_entry_to(self, acc: &mut [T]) {
        if self.is_empty() {
            return;
        }
        let (kept, given) = (acc.len(), self.len());
        assert!(kept == given, "the entry of a pullback has {given} elements, its argument has {kept}");
        self.into_iter().zip(acc).for_each(|(entry, acc)| entry.add_entry_to(acc));
    }
}

impl<T, E: Entry<T>> Entry<Vec<T>> for Vec<E> {
    #[track_caller]
    fn add_entry_to(self, acc: &mut Vec<T>) {
        self.add_entry_to(&mut acc[..]);
    }
}

impl<T, E: Entry<T>, const N: usize> Entry<[T; N]> for Vec<E> {
    #[track_caller]
    fn add_entry_to(self, acc: &mut [T; N]) {
        self.add_entry_to(&mut acc[..]);
    }
}

impl<T, E: Entry<T>, const N: usize> Entry<[T]> for [E; N] {
    #[track_caller]
    fn add_entry_to(self, acc: &mut [T]) {
        let kept = acc.len();
        assert!(kept == N, "the entry of a pullback has {N} elements, its argument has {kept}");
        self.into_iter().zip(acc).for_each(|(entry, acc)| entry.add_entry_to(acc));
    }
}

impl<T, E: Entry<T>, const N: usize> Entry<Vec<T>> for [E; N] {
    #[track_caller]
    fn add_entry_to(self, acc: &mut Vec<T>) {
        self.add_entry_to(&mut acc[..]);
    }
}

impl<T, E: Entry<T>, const N: usize> Entry<[T; N]> for [E; N] {
    #[inline]
    fn add_entry_to(self, acc: &mut [T; N]) {
        self.into_iter().zip(acc).for_each(|(entry, acc)| entry.add_entry_to(acc));
    }
}

impl<T, E: Entry<T>> Entry<Option<T>> for Option<E> {
    #[track_caller]
    fn add_entry_to(self, acc: &mut Option<T>) {
        match (self, acc) {
            (Some(entry), Some(acc)) => entry.add_entry_to(acc),
            (Some(_), None) => panic!("the entry of a pullback is `Some`, its argument is `None`"),
            (None, _) => {}
        }
    }
}

impl<T: ?Sized, E: Entry<T>> Entry<Box<T>> for Box<E> {
    #[inline]
    fn add_entry_to(self, acc: &mut Box<T>) {
        (*self).add_entry_to(&mut **acc);
    }
}

#[cfg(feature = "ndarray")]
impl<E, S, D> Entry<ArrayBase<S, D>> for Array<E, D>
where
    E: Entry<S::Elem> + Clone,
    S: DataMut,
    D: Dimension,
{
    #[track_caller]
    fn add_entry_to(self, acc: &mut ArrayBase<S, D>) {
        let (kept, given) = (acc.shape(), self.shape());
        assert!(kept == given, "the entry of a pullback has the shape {given:?}, its argument {kept:?}");
        Zip::from(acc).and(&self).for_each(|acc, entry| entry.clone().add_entry_to(acc));
    }
}

macro_rules! no_accumulator {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Entry<()> for $type {
            #[inline]
            fn add_entry_to(self, (): &mut ()) {}
        }
    )*};
}

no_accumulator! {
    [E] Vec<E>;
    [E, const N: usize] [E; N];
    [E] Option<E>;
    [E: ?Sized] Box<E>;
}

#[cfg(feature = "ndarray")]
no_accumulator! { [E, D] Array<E, D>; }

macro_rules! tuples {
    ($($($entry:ident $acc:ident $index:tt)+;)*) => {$(
        impl<$($acc, $entry: Entry<$acc>),+> Entry<($($acc,)+)> for ($($entry,)+) {
            #[inline]
            #[track_caller]
            fn add_entry_to(self, acc: &mut ($($acc,)+)) {
                $(self.$index.add_entry_to(&mut acc.$index);)+
            }
        }

        no_accumulator! { [$($entry),+] ($($entry,)+); }
    )*};
}

tuples! {
    E0 A0 0;
    E0 A0 0 E1 A1 1;
    E0 A0 0 E1 A1 1 E2 A2 2;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5 E6 A6 6;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5 E6 A6 6 E7 A7 7;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5 E6 A6 6 E7 A7 7 E8 A8 8;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5 E6 A6 6 E7 A7 7 E8 A8 8 E9 A9 9;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5 E6 A6 6 E7 A7 7 E8 A8 8 E9 A9 9 E10 A10 10;
    E0 A0 0 E1 A1 1 E2 A2 2 E3 A3 3 E4 A4 4 E5 A5 5 E6 A6 6 E7 A7 7 E8 A8 8 E9 A9 9 E10 A10 10 E11 A11 11;
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{Entry, add_entry};

    #[test]
    fn entries_add_elementwise() {
        let mut acc = (1.0, vec![[1.0; 2]; 2], Some(Box::new(1.0_f32)));
        add_entry(&mut acc, (2.0, vec![[1.0, 2.0]; 2], Some(Box::new(3.0))));
        assert_eq!(acc, (3.0, vec![[2.0, 3.0]; 2], Some(Box::new(4.0))));
        add_entry(&mut acc, ((), [[1.0, 1.0]; 2], None::<Box<f32>>));
        assert_eq!(acc, (3.0, vec![[3.0, 4.0]; 2], Some(Box::new(4.0))));
    }

    #[test]
    fn arrays_and_slices_take_entries_of_slices() {
        let mut acc = [0.0; 4];
        add_entry(&mut acc, vec![1.0; 4]);
        add_entry(&mut acc[1..3], vec![1.0; 2]);
        add_entry(&mut acc[1..3], [1.0; 2]);
        assert_eq!(acc, [1.0, 3.0, 3.0, 1.0]);
    }

    #[test]
    fn a_unit_entry_adds_nothing_to_anything() {
        struct Opaque;
        add_entry(&mut Opaque, ());
        add_entry(&mut "x", ());
        let mut acc = vec![1.0];
        add_entry(&mut acc[..], ());
        assert_eq!(acc, [1.0]);
    }

    #[test]
    fn a_unit_accumulator_takes_everything() {
        add_entry(&mut (), ());
        add_entry(&mut (), 1.0);
        add_entry(&mut (), (vec![1.0], [Some(2.0)]));
        add_entry(&mut ((), 1.0), (3.0, 2.0));
    }

    #[test]
    #[should_panic(expected = "the entry of a pullback has 3 elements, its argument has 2")]
    fn an_entry_of_another_length_is_refused() {
        add_entry(&mut [0.0; 2][..], vec![1.0; 3]);
    }

    #[test]
    fn generic_code_can_name_the_bounds() {
        fn double<T: Entry<T> + Copy>(mut x: Vec<T>) -> Vec<T> {
            let entry = x.clone();
            add_entry(&mut x, entry);
            x
        }
        assert_eq!(double(vec![1.0, 2.0]), [2.0, 4.0]);
    }

    #[cfg(feature = "ndarray")]
    #[test]
    fn array_entries_add_to_arrays_and_views() {
        use ndarray::array;
        let mut acc = array![[1.0, 2.0], [3.0, 4.0]];
        add_entry(&mut acc, array![[1.0, 1.0], [1.0, 1.0]].reversed_axes());
        add_entry(&mut acc.column_mut(0), array![10.0, 20.0]);
        add_entry(&mut acc, ());
        assert_eq!(acc, array![[12.0, 3.0], [24.0, 5.0]]);
    }

    #[cfg(feature = "ndarray")]
    #[test]
    #[should_panic(expected = "the entry of a pullback has the shape [3], its argument [2]")]
    fn an_array_entry_of_another_shape_is_refused() {
        use ndarray::array;
        add_entry(&mut array![1.0, 2.0], array![1.0, 2.0, 3.0]);
    }
}
