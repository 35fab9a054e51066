//! Tangents of slices, arrays, vectors, tuples, `Option` and `Box`.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Differentiable, Tangent, same_length};

/// The methods of the flat form that are the same for every compound tangent.
macro_rules! flat_by_parts {
    () => {
        fn to_flat(&self) -> Vec<f64> {
            super::to_flat(self)
        }

        #[track_caller]
        fn set_flat(&mut self, flat: &[f64]) {
            super::set_flat(self, flat);
        }
    };
}

/// The methods of the flat form of what has `iter` and `iter_mut`.
macro_rules! flat_by_elements {
    () => {
        flat_by_parts!();

        fn flat_len(&self) -> usize {
            self.iter().map(Tangent::flat_len).sum()
        }

        fn push_flat(&self, flat: &mut Vec<f64>) {
            self.iter().for_each(|x| x.push_flat(flat));
        }

        fn take_flat(&mut self, flat: &mut &[f64]) {
            self.iter_mut().for_each(|x| x.take_flat(flat));
        }
    };
}

impl<T: Tangent> Tangent for Vec<T> {
    #[track_caller]
    fn accumulate(&mut self, other: &Self) {
        if self.is_empty() {
            self.clone_from(other);
        } else if !other.is_empty() {
            same_length("accumulate", self.len(), other.len());
            self.iter_mut().zip(other).for_each(|(x, y)| x.accumulate(y));
        }
    }

    fn scale(&mut self, by: f64) {
        self.iter_mut().for_each(|x| x.scale(by));
    }

    #[track_caller]
    fn dot(&self, other: &Self) -> f64 {
        same_length("dot", self.len(), other.len());
        self.iter().zip(other).map(|(x, y)| x.dot(y)).sum()
    }

    flat_by_elements!();

    fn empty() -> Self {
        Vec::new()
    }
}

impl<T: Tangent, const N: usize> Tangent for [T; N] {
    fn accumulate(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(x, y)| x.accumulate(y));
    }

    fn scale(&mut self, by: f64) {
        self.iter_mut().for_each(|x| x.scale(by));
    }

    fn dot(&self, other: &Self) -> f64 {
        self.iter().zip(other).map(|(x, y)| x.dot(y)).sum()
    }

    flat_by_elements!();

    fn empty() -> Self {
        core::array::from_fn(|_| T::empty())
    }
}

impl<T: Differentiable> Differentiable for [T] {
    type Tangent = Vec<T::Tangent>;

    fn zero_tangent(&self) -> Self::Tangent {
        self.iter().map(T::zero_tangent).collect()
    }

    #[track_caller]
    fn move_by(&mut self, by: &Self::Tangent) {
        same_length("move_by", self.len(), by.len());
        self.iter_mut().zip(by).for_each(|(x, by)| x.move_by(by));
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

impl<T: Differentiable> Differentiable for Vec<T> {
    type Tangent = Vec<T::Tangent>;

    fn zero_tangent(&self) -> Self::Tangent {
        self[..].zero_tangent()
    }

    #[track_caller]
    fn move_by(&mut self, by: &Self::Tangent) {
        self[..].move_by(by);
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

impl<T: Differentiable, const N: usize> Differentiable for [T; N] {
    type Tangent = [T::Tangent; N];

    #[inline]
    fn zero_tangent(&self) -> Self::Tangent {
        core::array::from_fn(|i| self[i].zero_tangent())
    }

    fn move_by(&mut self, by: &Self::Tangent) {
        self.iter_mut().zip(by).for_each(|(x, by)| x.move_by(by));
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

impl<T: Tangent> Tangent for Option<T> {
    fn accumulate(&mut self, other: &Self) {
        match (self, other) {
            (Some(x), Some(y)) => x.accumulate(y),
            (x @ None, Some(y)) => *x = Some(y.clone()),
            (_, None) => {}
        }
    }

    fn scale(&mut self, by: f64) {
        self.iter_mut().for_each(|x| x.scale(by));
    }

    fn dot(&self, other: &Self) -> f64 {
        match (self, other) {
            (Some(x), Some(y)) => x.dot(y),
            _ => 0.0,
        }
    }

    flat_by_elements!();

    fn empty() -> Self {
        None
    }
}

impl<T: Differentiable> Differentiable for Option<T> {
    type Tangent = Option<T::Tangent>;

    fn zero_tangent(&self) -> Self::Tangent {
        self.as_ref().map(T::zero_tangent)
    }

    #[track_caller]
    fn move_by(&mut self, by: &Self::Tangent) {
        match (self, by) {
            (Some(x), Some(by)) => x.move_by(by),
            (None, Some(_)) => panic!("move_by: `None` cannot move along `Some` tangent"),
            (_, None) => {}
        }
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

impl<T: Differentiable, E> Differentiable for Result<T, E> {
    type Tangent = Option<T::Tangent>;

    fn zero_tangent(&self) -> Self::Tangent {
        self.as_ref().ok().map(T::zero_tangent)
    }

    #[track_caller]
    fn move_by(&mut self, by: &Self::Tangent) {
        match (self, by) {
            (Ok(x), Some(by)) => x.move_by(by),
            (Err(_), Some(_)) => panic!("move_by: `Err` cannot move along `Some` tangent"),
            (_, None) => {}
        }
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

impl<T: Tangent> Tangent for Box<T> {
    fn accumulate(&mut self, other: &Self) {
        (**self).accumulate(other);
    }

    fn scale(&mut self, by: f64) {
        (**self).scale(by);
    }

    fn dot(&self, other: &Self) -> f64 {
        (**self).dot(other)
    }

    flat_by_parts!();

    fn flat_len(&self) -> usize {
        (**self).flat_len()
    }

    fn push_flat(&self, flat: &mut Vec<f64>) {
        (**self).push_flat(flat);
    }

    fn take_flat(&mut self, flat: &mut &[f64]) {
        (**self).take_flat(flat);
    }

    fn empty() -> Self {
        Box::new(T::empty())
    }
}

impl<T: Differentiable + ?Sized> Differentiable for Box<T> {
    type Tangent = Box<T::Tangent>;

    fn zero_tangent(&self) -> Self::Tangent {
        Box::new((**self).zero_tangent())
    }

    fn move_by(&mut self, by: &Self::Tangent) {
        (**self).move_by(by);
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        (**self).push_addresses(addresses);
    }
}

macro_rules! tuples {
    ($($($name:ident $index:tt)+;)*) => {$(
        impl<$($name: Tangent),+> Tangent for ($($name,)+) {
            #[track_caller]
            fn accumulate(&mut self, other: &Self) {
                $(self.$index.accumulate(&other.$index);)+
            }

            fn scale(&mut self, by: f64) {
                $(self.$index.scale(by);)+
            }

            #[track_caller]
            fn dot(&self, other: &Self) -> f64 {
                0.0 $(+ self.$index.dot(&other.$index))+
            }

            flat_by_parts!();

            fn flat_len(&self) -> usize {
                0 $(+ self.$index.flat_len())+
            }

            fn push_flat(&self, flat: &mut Vec<f64>) {
                $(self.$index.push_flat(flat);)+
            }

            fn take_flat(&mut self, flat: &mut &[f64]) {
                $(self.$index.take_flat(flat);)+
            }

            fn empty() -> Self {
                ($($name::empty(),)+)
            }
        }

        impl<$($name: Differentiable),+> Differentiable for ($($name,)+) {
            type Tangent = ($($name::Tangent,)+);

            fn zero_tangent(&self) -> Self::Tangent {
                ($(self.$index.zero_tangent(),)+)
            }

            #[track_caller]
            fn move_by(&mut self, by: &Self::Tangent) {
                $(self.$index.move_by(&by.$index);)+
            }

            fn push_addresses(&self, addresses: &mut Vec<usize>) {
                $(self.$index.push_addresses(addresses);)+
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{Differentiable, Tangent};

    #[test]
    fn compound_tangents_go_to_and_from_the_flat_form_in_order() {
        let x = (1.0_f64, vec![([1.0_f32; 2], 3_usize)], Some(Box::new(2.0_f64)), None::<f64>);
        let mut t = x.zero_tangent();
        assert_eq!(t.to_flat(), [0.0; 4]);
        t.set_flat(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(t, (1.0, vec![([2.0, 3.0], ())], Some(Box::new(4.0)), None));
        t.scale(2.0);
        t.accumulate(&t.clone());
        assert_eq!(t.to_flat(), [4.0, 8.0, 12.0, 16.0]);
        assert_eq!(t.dot(&t), 480.0);
        let mut y = x.clone();
        y.move_by(&t);
        assert_eq!(y, (5.0, vec![([9.0, 13.0], 3)], Some(Box::new(18.0)), None));
    }

    #[test]
    fn the_tangent_of_a_boxed_slice_is_a_boxed_vector() {
        let mut x: Box<[f64]> = vec![1.0, 2.0].into();
        x.move_by(&Box::new(vec![1.0, 1.0]));
        assert_eq!(*x, [2.0, 3.0]);
    }

    #[test]
    fn sums_may_start_from_an_empty_tangent() {
        let mut sum = <(Vec<f64>, f64, Option<f64>)>::empty();
        for _ in 0..2 {
            sum.accumulate(&(vec![1.0, 2.0], 3.0, Some(4.0)));
            sum.accumulate(&Tangent::empty());
        }
        assert_eq!(sum, (vec![2.0, 4.0], 6.0, Some(8.0)));
    }

    #[test]
    fn twelve_parts() {
        let x = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0);
        assert_eq!(x.to_flat().len(), 12);
    }

    #[test]
    #[should_panic(expected = "accumulate: lengths differ, 2 and 3")]
    fn vectors_of_different_lengths_do_not_add() {
        vec![1.0_f64; 2].accumulate(&vec![1.0; 3]);
    }

    #[test]
    #[should_panic(expected = "move_by: lengths differ, 2 and 1")]
    fn a_vector_does_not_move_along_a_shorter_one() {
        vec![1.0_f64; 2].move_by(&vec![1.0]);
    }

    #[test]
    #[should_panic(expected = "set_flat: the tangent has 3 coordinates, but 2 were given")]
    fn a_short_flat_form_is_refused() {
        (1.0_f64, [0.0_f64; 2]).set_flat(&[1.0, 2.0]);
    }
}
