//! Declared shapes of arguments, checked when a companion is entered.
//!
//! A size is a number or a name, and all sizes of one name are equal. What has axes is an array of `ndarray`, and a
//! slice, a vector or an array of Rust, whose elements may have axes in turn.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// The declared size of an axis.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    /// A number.
    Number(usize),
    /// The name with this place among all.
    Name(usize),
}

/// What has axes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no shape that `shapes(…)` could declare",
    label = "this is no array, slice or vector",
    note = "`shapes` takes arrays of `ndarray`, slices, vectors and arrays"
)]
pub trait Axes {
    /// The number of axes, as far as the type tells it.
    #[doc(hidden)]
    const COUNT: usize;

    /// The number of axes.
    #[doc(hidden)]
    fn count(&self) -> usize;

    /// Tells each axis, counted from `first`, and its size; those of elements once for each.
    #[doc(hidden)]
    fn tell(&self, first: usize, see: &mut dyn FnMut(usize, usize));
}

/// The declared shapes of a function's arguments, with what the names were found to be so far.
pub struct Declared<const N: usize> {
    function: &'static str,
    names: [&'static str; N],
    found: [Option<(usize, &'static str)>; N],
}

impl<const N: usize> Declared<N> {
    /// Nothing is found yet.
    pub const fn new(function: &'static str, names: [&'static str; N]) -> Self {
        Self { function, names, found: [None; N] }
    }

    /// Checks an argument.
    ///
    /// ```
    /// use cotangent_runtime::private::{Declared, Size};
    ///
    /// let mut declared = Declared::new("f", ["n"]);
    /// declared.argument("x", &[Size::Name(0)], &[1.0, 2.0][..]);
    /// declared.argument("y", &[Size::Name(0), Size::Number(3)], &[[0.0; 3]; 2]);
    /// ```
    ///
    /// # Panics
    /// If it has another shape.
    #[track_caller]
    pub fn argument<X: Axes + ?Sized>(&mut self, argument: &'static str, sizes: &[Size], x: &X) {
        let mut fits = x.count() == sizes.len();
        if fits {
            let (found, fits) = (&mut self.found, &mut fits);
            x.tell(0, &mut |axis, len| {
                *fits &= match sizes[axis] {
                    Size::Number(n) => n == len,
                    Size::Name(name) => found[name].get_or_insert((len, argument)).0 == len,
                }
            });
        }
        if !fits {
            self.refuse(argument, sizes, x);
        }
    }

    #[cold]
    #[track_caller]
    fn refuse<X: Axes + ?Sized>(&self, argument: &'static str, sizes: &[Size], x: &X) -> ! {
        use core::fmt::Write;
        let mut shape: Vec<Option<usize>> = Vec::new();
        shape.resize(x.count(), None);
        let mut uneven = false;
        x.tell(0, &mut |axis, len| uneven |= *shape[axis].get_or_insert(len) != len);
        let list = |parts: Vec<alloc::string::String>| alloc::format!("[{}]", parts.join(", "));
        let found = list(shape.iter().map(|len| len.map_or("?".into(), |len| alloc::format!("{len}"))).collect());
        let declared = list(
            sizes
                .iter()
                .map(|size| match size {
                    Size::Number(n) => alloc::format!("{n}"),
                    Size::Name(name) => self.names[*name].into(),
                })
                .collect(),
        );
        let mut known = alloc::string::String::new();
        let mut told = Vec::new();
        for size in sizes {
            if let Size::Name(name) = *size
                && let Some((len, of)) = self.found[name]
                && !told.contains(&name)
            {
                told.push(name);
                let _ = write!(known, ", where {} is {len} as in `{of}`", self.names[name]);
            }
        }
        let rows = if uneven { ", in rows of different lengths" } else { "" };
        panic!(
            "`{}`: the argument `{argument}` has the shape {found}{rows}, but the declared shape is {declared}{known}",
            self.function
        );
    }
}

macro_rules! forwarded {
    ($($pointer:ty)*) => {$(
        impl<X: Axes + ?Sized> Axes for $pointer {
            const COUNT: usize = X::COUNT;

            fn count(&self) -> usize {
                (**self).count()
            }

            fn tell(&self, first: usize, see: &mut dyn FnMut(usize, usize)) {
                (**self).tell(first, see);
            }
        }
    )*};
}

forwarded!(&X &mut X Box<X>);

impl<X: Axes> Axes for [X] {
    const COUNT: usize = 1 + X::COUNT;

    fn count(&self) -> usize {
        1 + self.first().map_or(X::COUNT, Axes::count)
    }

    fn tell(&self, first: usize, see: &mut dyn FnMut(usize, usize)) {
        see(first, self.len());
        if X::COUNT > 0 {
            self.iter().for_each(|x| x.tell(first + 1, see));
        }
    }
}

macro_rules! sequences {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<X: Axes, $($generics)*> Axes for $type {
            const COUNT: usize = 1 + X::COUNT;

            fn count(&self) -> usize {
                self[..].count()
            }

            fn tell(&self, first: usize, see: &mut dyn FnMut(usize, usize)) {
                self[..].tell(first, see);
            }
        }
    )*};
}

sequences! {
    [] Vec<X>;
    [const N: usize] [X; N];
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Axes for $number {
            const COUNT: usize = 0;

            fn count(&self) -> usize {
                0
            }

            fn tell(&self, _: usize, _: &mut dyn FnMut(usize, usize)) {}
        }
    )*};
}

numbers!(f32 f64 bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

#[cfg(feature = "ndarray")]
impl<A, D: ndarray::Dimension> Axes for ndarray::ArrayRef<A, D> {
    const COUNT: usize = if let Some(rank) = D::NDIM { rank } else { 0 };

    fn count(&self) -> usize {
        self.ndim()
    }

    fn tell(&self, first: usize, see: &mut dyn FnMut(usize, usize)) {
        self.shape().iter().enumerate().for_each(|(axis, len)| see(first + axis, *len));
    }
}

#[cfg(feature = "ndarray")]
impl<S: ndarray::Data, D: ndarray::Dimension> Axes for ndarray::ArrayBase<S, D> {
    const COUNT: usize = <ndarray::ArrayRef<S::Elem, D> as Axes>::COUNT;

    fn count(&self) -> usize {
        self.ndim()
    }

    fn tell(&self, first: usize, see: &mut dyn FnMut(usize, usize)) {
        (**self).tell(first, see);
    }
}

#[cfg(test)]
mod tests {
    use super::{Declared, Size};
    use alloc::vec;

    #[test]
    fn shapes_that_fit() {
        let mut declared = Declared::new("f", ["n", "m"]);
        declared.argument("x", &[Size::Name(0), Size::Name(1)], &vec![vec![0.0; 3]; 2]);
        declared.argument("y", &[Size::Name(0), Size::Number(3)], &[[1_usize; 3]; 2][..]);
        declared.argument("z", &[], &1.0);
        declared.argument("none", &[Size::Number(0), Size::Name(1)], &[[0.0_f32; 3]; 0][..]);
    }

    #[test]
    #[should_panic(
        expected = "`f`: the argument `y` has the shape [3], but the declared shape is [n], where n is 2 as \
                               in `x`"
    )]
    fn two_sizes_of_one_name() {
        let mut declared = Declared::new("f", ["n"]);
        declared.argument("x", &[Size::Name(0)], &[0.0; 2]);
        declared.argument("y", &[Size::Name(0)], &[0.0; 3]);
    }

    #[test]
    #[should_panic(expected = "`f`: the argument `x` has the shape [2, 1], in rows of different lengths, but")]
    fn rows_of_different_lengths() {
        Declared::new("f", ["n"]).argument("x", &[Size::Number(2), Size::Name(0)], &[vec![1.0], vec![]]);
    }

    #[cfg(feature = "ndarray")]
    #[test]
    #[should_panic(expected = "`f`: the argument `x` has the shape [2, 2], but the declared shape is [4]")]
    fn another_number_of_axes() {
        use ndarray::{ArrayD, IxDyn};
        Declared::new("f", []).argument("x", &[Size::Number(4)], &ArrayD::<f64>::zeros(IxDyn(&[2, 2])));
    }
}
