//! Receivers of methods of which the macro does not know whether they take `self` by value or by reference.
//!
//! A method `f` that takes it by value has an `__f_takes(&self)` beside its companions. Where `x.f()` is called,
//! `(&x).__f_takes()` is that, or else the one of a trait that every reference has: the method of the type itself comes first.

use alloc::boxed::Box;

/// The method takes a reference.
#[derive(Clone, Copy, Debug)]
pub struct ByReference;

/// The method takes the value, of which it gets a copy.
#[derive(Clone, Copy, Debug)]
pub struct ByValue;

impl ByReference {
    /// The receiver.
    #[inline(always)]
    pub fn of<T: ?Sized>(self, x: &T) -> &T {
        x
    }

    /// The receiver of a method that may also change it.
    #[inline(always)]
    pub fn of_mut<T: ?Sized>(self, x: &mut T) -> &mut T {
        x
    }
}

impl ByValue {
    /// The receiver.
    #[inline(always)]
    pub fn of<T: Clone>(self, x: &T) -> T {
        x.clone()
    }

    /// The receiver, which stays as it is.
    #[inline(always)]
    pub fn of_mut<T: Clone>(self, x: &mut T) -> T {
        x.clone()
    }
}

/// A receiver that may be in a box: the method is one of what is in there.
///
/// ```
/// use cotangent_runtime::private::{Inside, Unpacking as _};
/// let (boxed, plain) = (Box::new(vec![1.0]), vec![2.0]);
/// let (inner, own): (&Vec<f64>, &Vec<f64>) = (Inside(&boxed).inside(), Inside(&plain).inside());
/// assert_eq!((inner[0], own[0]), (1.0, 2.0));
/// ```
pub struct Inside<'a, T: ?Sized>(pub &'a T);

impl<'a, T: ?Sized> Inside<'a, Box<T>> {
    /// What is in the box.
    #[inline(always)]
    pub fn inside(self) -> &'a T {
        self.0
    }
}

/// Receivers that are in no box.
pub trait Unpacking<'a> {
    /// The type of the receiver.
    type Of: ?Sized;

    /// The receiver itself.
    fn inside(self) -> &'a Self::Of;
}

impl<'a, T: ?Sized> Unpacking<'a> for Inside<'a, T> {
    type Of = T;

    #[inline(always)]
    fn inside(self) -> &'a T {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{ByReference, ByValue};
    use alloc::string::String;

    struct Name(String);
    #[derive(Clone)]
    struct Word(String);

    impl Name {
        fn text(&self) -> &str {
            &self.0
        }
    }

    impl Word {
        fn text(self) -> String {
            self.0
        }
        fn __text_takes(&self) -> ByValue {
            ByValue
        }
    }

    trait Takes {
        fn __text_takes(&self) -> ByReference {
            ByReference
        }
    }
    impl<T: ?Sized> Takes for &T {}

    #[test]
    fn the_type_comes_first() {
        let (name, word) = (Name("a".into()), Word("b".into()));
        let text: &str = (&name).__text_takes().of(&name).text();
        let owned: String = word.__text_takes().of(&word).text();
        assert_eq!((text, &*owned, &*word.0), ("a", "b", "b"));
    }
}
