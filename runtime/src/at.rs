//! Elements of a part of a tangent: a part that has no derivative is `()`, and so are its elements, however many there
//! are.

use alloc::vec::Vec;
use core::slice::SliceIndex;

/// What has elements, or is nothing.
pub trait At<I> {
    /// The element or the slice.
    type Output: ?Sized;

    /// To be read.
    fn at(&self, index: I) -> &Self::Output;

    /// To be changed.
    fn at_mut(&mut self, index: I) -> &mut Self::Output;
}

/// An element, to be read.
///
/// ```
/// use cotangent_runtime::private::at;
///
/// assert_eq!(*at(&vec![1.0, 2.0], 1), 2.0);
/// assert_eq!(at(&[1.0, 2.0], 1..), [2.0]);
/// assert_eq!(*at(&(), 1), ());
/// ```
#[inline]
#[track_caller]
pub fn at<I, A: At<I> + ?Sized>(of: &A, index: I) -> &A::Output {
    of.at(index)
}

/// An element, to be changed.
///
/// ```
/// use cotangent_runtime::private::at_mut;
///
/// let mut x_bar = [1.0, 2.0];
/// *at_mut(&mut x_bar, 1) += 1.0;
/// assert_eq!(x_bar, [1.0, 3.0]);
/// ```
#[inline]
#[track_caller]
pub fn at_mut<I, A: At<I> + ?Sized>(of: &mut A, index: I) -> &mut A::Output {
    of.at_mut(index)
}

macro_rules! slices {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*, I: SliceIndex<[T]>> At<I> for $ty {
            type Output = I::Output;

            #[inline]
            #[track_caller]
            fn at(&self, index: I) -> &I::Output {
                &self[index]
            }

            #[inline]
            #[track_caller]
            fn at_mut(&mut self, index: I) -> &mut I::Output {
                &mut self[index]
            }
        }
    )*};
}

slices! {
    [T] [T];
    [T] Vec<T>;
    [T, const N: usize] [T; N];
}

impl<I> At<I> for () {
    type Output = ();

    #[inline]
    fn at(&self, _: I) -> &() {
        self
    }

    #[inline]
    fn at_mut(&mut self, _: I) -> &mut () {
        self
    }
}

#[cfg(feature = "ndarray")]
impl<T, S, D, I> At<I> for ndarray::ArrayBase<S, D>
where
    S: ndarray::DataMut<Elem = T>,
    D: ndarray::Dimension,
    I: ndarray::NdIndex<D>,
{
    type Output = T;

    #[inline]
    #[track_caller]
    fn at(&self, index: I) -> &T {
        &self[index]
    }

    #[inline]
    #[track_caller]
    fn at_mut(&mut self, index: I) -> &mut T {
        &mut self[index]
    }
}

/// What grows and shrinks at its end, or is nothing.
#[diagnostic::on_unimplemented(
    message = "`push`, `pop` and their like on a field are taken for methods of a `Vec`, and the tangent of this one is `{Self}`",
    label = "this is no field that is a `Vec`",
    note = "call a method of your own by its path: `Stack::push(&mut s.stack, x)`"
)]
pub trait Ends {
    /// What is at the end.
    type Element;

    /// Adds an element.
    fn push(&mut self, element: Self::Element);

    /// Takes the last element.
    fn pop(&mut self) -> Self::Element;
}

/// Adds an element at the end.
///
/// ```
/// use cotangent_runtime::private::push;
///
/// let mut x_bar = vec![1.0];
/// push(&mut x_bar, 2.0);
/// push(&mut (), ());
/// assert_eq!(x_bar, [1.0, 2.0]);
/// ```
#[inline]
pub fn push<V: Ends + ?Sized>(on: &mut V, element: V::Element) {
    on.push(element);
}

/// Takes the last element.
///
/// ```
/// use cotangent_runtime::private::pop;
///
/// let mut x_bar = vec![1.0, 2.0];
/// assert_eq!((pop(&mut x_bar), pop(&mut ())), (2.0, ()));
/// assert_eq!(x_bar, [1.0]);
/// ```
///
/// # Panics
/// If there is none.
#[inline]
#[track_caller]
pub fn pop<V: Ends + ?Sized>(from: &mut V) -> V::Element {
    from.pop()
}

impl<T> Ends for Vec<T> {
    type Element = T;

    #[inline]
    fn push(&mut self, element: T) {
        Vec::push(self, element);
    }

    #[inline]
    #[track_caller]
    fn pop(&mut self) -> T {
        Vec::pop(self).expect("as many as were pushed")
    }
}

impl Ends for () {
    type Element = ();

    #[inline]
    fn push(&mut self, (): ()) {}

    #[inline]
    fn pop(&mut self) {}
}

/// What has elements that may be exchanged, or is nothing.
pub trait Exchange {
    /// Exchanges two elements.
    fn exchange(&mut self, i: usize, j: usize);
}

/// Exchanges two elements.
///
/// ```
/// use cotangent_runtime::private::exchange;
///
/// let mut x_bar = [1.0, 2.0];
/// exchange(&mut x_bar[..], 0, 1);
/// exchange(&mut (), 0, 1);
/// assert_eq!(x_bar, [2.0, 1.0]);
/// ```
#[inline]
#[track_caller]
pub fn exchange<V: Exchange + ?Sized>(of: &mut V, i: usize, j: usize) {
    of.exchange(i, j);
}

macro_rules! exchanges {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Exchange for $ty {
            #[inline]
            #[track_caller]
            fn exchange(&mut self, i: usize, j: usize) {
                self.swap(i, j);
            }
        }
    )*};
}

exchanges! {
    [T] [T];
    [T] Vec<T>;
    [T, const N: usize] [T; N];
}

impl Exchange for () {
    #[inline]
    fn exchange(&mut self, _: usize, _: usize) {}
}
