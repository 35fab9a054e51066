//! Pooling: the largest element, or the mean, of each window of a signal or an image.
//!
//! Windows stand at steps of the stride, as many as fit whole.

use ndarray::{Array3, Array4, ArrayView2, ArrayView3, ArrayView4, ArrayViewMut2, Axis, Ix3, Ix4, s};

use super::{AsArray, Element, check_shape, float, sum};
use crate::scalar::scale;

/// The windows of images.
#[derive(Clone, Copy)]
struct Windows {
    name: &'static str,
    size: [usize; 2],
    stride: [usize; 2],
}

impl Windows {
    #[track_caller]
    fn output<A>(&self, x: &ArrayView4<'_, A>) -> [usize; 4] {
        let (images, channels, height, width) = x.dim();
        let [down, across] = [(0, height), (1, width)].map(|(axis, length)| {
            let (name, size, stride) = (self.name, self.size[axis], self.stride[axis]);
            assert!(stride > 0, "{name}: a stride of 0");
            assert!(
                size > 0 && size <= length,
                "{name}: a window of length {size} does not fit into a length of {length}"
            );
            (length - size) / stride + 1
        });
        [images, channels, down, across]
    }

    /// Calls `f` with the indices of each element of the output and those of each element of its window.
    fn each(&self, [images, channels, height, width]: [usize; 4], mut f: impl FnMut([usize; 4], Window)) {
        for n in 0..images {
            for c in 0..channels {
                for i in 0..height {
                    for j in 0..width {
                        let corner = [i * self.stride[0], j * self.stride[1]];
                        f([n, c, i, j], Window { image: [n, c], corner, size: self.size });
                    }
                }
            }
        }
    }
}

struct Window {
    image: [usize; 2],
    corner: [usize; 2],
    size: [usize; 2],
}

impl Window {
    fn of<'a, A>(&self, x: &'a ArrayView4<'_, A>) -> ArrayView2<'a, A> {
        let ([n, c], [y, x0], [height, width]) = (self.image, self.corner, self.size);
        x.slice(s![n, c, y..y + height, x0..x0 + width])
    }

    fn of_mut<'a, A>(&self, x: &'a mut Array4<A>) -> ArrayViewMut2<'a, A> {
        let ([n, c], [y, x0], [height, width]) = (self.image, self.corner, self.size);
        x.slice_mut(s![n, c, y..y + height, x0..x0 + width])
    }
}

/// What is done with a window: a number from its elements, and the part of each of them in its derivative.
trait Pool {
    fn pool<A: Element>(window: ArrayView2<'_, A>) -> A;

    /// The derivative by each element of the window that is equal to `x`, where `y` is the result.
    fn slope<A: Element>(window: &ArrayView2<'_, A>, y: A) -> impl Fn(A) -> A;
}

struct Max;

impl Pool for Max {
    fn pool<A: Element>(window: ArrayView2<'_, A>) -> A {
        window.fold(A::nan(), |top, x| top.max(*x))
    }

    fn slope<A: Element>(window: &ArrayView2<'_, A>, y: A) -> impl Fn(A) -> A {
        let ties: A = float(window.iter().filter(|x| **x == y).count().max(1));
        move |x| if x == y { ties.recip() } else { A::zero() }
    }
}

struct Mean;

impl Pool for Mean {
    fn pool<A: Element>(window: ArrayView2<'_, A>) -> A {
        window.sum() / float(window.len())
    }

    fn slope<A: Element>(window: &ArrayView2<'_, A>, _: A) -> impl Fn(A) -> A {
        let share = float::<A>(window.len()).recip();
        move |_| share
    }
}

fn pool<P: Pool, A: Element>(windows: Windows, x: ArrayView4<'_, A>) -> Array4<A> {
    let shape = windows.output(&x);
    let mut y = Array4::zeros(shape);
    windows.each(shape, |at, window| y[at] = P::pool(window.of(&x)));
    y
}

fn adjoint<P: Pool, A: Element>(windows: Windows, x: ArrayView4<'_, A>, g: ArrayView4<'_, A>) -> Array4<A> {
    let shape = windows.output(&x);
    check_shape(windows.name, "cotangent", g.shape(), &shape);
    let mut x_bar = Array4::zeros(x.raw_dim());
    windows.each(shape, |at, window| {
        let elements = window.of(&x);
        let slope = P::slope(&elements, P::pool(elements));
        let mut parts = window.of_mut(&mut x_bar);
        parts.zip_mut_with(&elements, |part, x| *part = *part + scale(g[at], slope(*x)));
    });
    x_bar
}

fn tangent<P: Pool, A: Element>(windows: Windows, x: ArrayView4<'_, A>, dot: ArrayView4<'_, A>) -> Array4<A> {
    check_shape(windows.name, "tangent", dot.shape(), x.shape());
    let shape = windows.output(&x);
    let mut y = Array4::zeros(shape);
    windows.each(shape, |at, window| {
        let elements = window.of(&x);
        let slope = P::slope(&elements, P::pool(elements));
        let terms = elements.iter().zip(window.of(&dot)).map(|(x, dot)| scale(*dot, slope(*x)));
        y[at] = sum(terms);
    });
    y
}

/// A signal as an image of one row.
fn image<A>(signal: ArrayView3<'_, A>) -> ArrayView4<'_, A> {
    signal.insert_axis(Axis(2))
}

fn signal<A: Element>(image: Array4<A>) -> Array3<A> {
    image.remove_axis(Axis(2))
}

macro_rules! pools {
    ($($(#[$doc2:meta])* $name2:ident $vjp2:ident $jvp2:ident, $(#[$doc1:meta])* $name1:ident $vjp1:ident $jvp1:ident: $pool:ty;)*) => {$(
        $(#[$doc2])*
        #[track_caller]
        pub fn $name2<X: AsArray<Dim = Ix4>>(x: X, size: [usize; 2], stride: [usize; 2]) -> Array4<X::Elem> {
            pool::<$pool, _>(Windows { name: stringify!($name2), size, stride }, x.as_array())
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $vjp2<X: AsArray<Dim = Ix4>>(
            x: X,
            size: [usize; 2],
            stride: [usize; 2],
        ) -> (Array4<X::Elem>, impl Fn(Array4<X::Elem>) -> (Array4<X::Elem>, (), ())) {
            let windows = Windows { name: stringify!($name2), size, stride };
            let y = pool::<$pool, _>(windows, x.as_array());
            (y, move |g: Array4<X::Elem>| (adjoint::<$pool, _>(windows, x.as_array(), g.view()), (), ()))
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp2<X: AsArray<Dim = Ix4>, S, T>(
            x: X,
            size: [usize; 2],
            stride: [usize; 2],
            x_dot: Array4<X::Elem>,
            _: S,
            _: T,
        ) -> (Array4<X::Elem>, Array4<X::Elem>) {
            let (windows, x) = (Windows { name: stringify!($name2), size, stride }, x.as_array());
            (pool::<$pool, _>(windows, x), tangent::<$pool, _>(windows, x, x_dot.view()))
        }

        $(#[$doc1])*
        #[track_caller]
        pub fn $name1<X: AsArray<Dim = Ix3>>(x: X, size: usize, stride: usize) -> Array3<X::Elem> {
            let windows = Windows { name: stringify!($name1), size: [1, size], stride: [1, stride] };
            signal(pool::<$pool, _>(windows, image(x.as_array())))
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $vjp1<X: AsArray<Dim = Ix3>>(
            x: X,
            size: usize,
            stride: usize,
        ) -> (Array3<X::Elem>, impl Fn(Array3<X::Elem>) -> (Array3<X::Elem>, (), ())) {
            let windows = Windows { name: stringify!($name1), size: [1, size], stride: [1, stride] };
            let y = signal(pool::<$pool, _>(windows, image(x.as_array())));
            let pullback = move |g: Array3<X::Elem>| {
                (signal(adjoint::<$pool, _>(windows, image(x.as_array()), image(g.view()))), (), ())
            };
            (y, pullback)
        }

        #[doc(hidden)]
        #[track_caller]
        pub fn $jvp1<X: AsArray<Dim = Ix3>, S, T>(
            x: X,
            size: usize,
            stride: usize,
            x_dot: Array3<X::Elem>,
            _: S,
            _: T,
        ) -> (Array3<X::Elem>, Array3<X::Elem>) {
            let windows = Windows { name: stringify!($name1), size: [1, size], stride: [1, stride] };
            let x = image(x.as_array());
            let dot = tangent::<$pool, _>(windows, x, image(x_dot.view()));
            (signal(pool::<$pool, _>(windows, x)), signal(dot))
        }
    )*};
}

pools! {
    /// The largest element of each window of images of shape (images, channels, height, width), with windows of `size` at
    /// steps of `stride`, both for (height, width).
    ///
    /// The derivative goes to the largest element, in equal parts where there are several. A NaN counts only where there is
    /// nothing else, as in `f64::max`.
    ///
    /// ```
    /// use cotangent_runtime::ops::{max_pool2d, max_pool2d_vjp};
    /// use ndarray::array;
    ///
    /// let x = array![[[[1.0, 2.0, 0.0], [2.0, 0.0, 3.0]]]];
    /// assert_eq!(max_pool2d(&x, [2, 2], [1, 1]), array![[[[2.0, 3.0]]]]);
    /// let (_, pullback) = max_pool2d_vjp(&x, [2, 2], [1, 1]);
    /// assert_eq!(pullback(array![[[[1.0, 1.0]]]]).0, array![[[[0.0, 0.5, 0.0], [0.5, 0.0, 1.0]]]]);
    /// ```
    max_pool2d max_pool2d_vjp max_pool2d_jvp,
    /// The largest element of each window of signals of shape (signals, channels, length), as [`max_pool2d`].
    ///
    /// ```
    /// use cotangent_runtime::ops::max_pool1d;
    /// use ndarray::array;
    ///
    /// assert_eq!(max_pool1d(&array![[[1.0, 2.0, 0.0, 5.0, 7.0]]], 2, 2), array![[[2.0, 5.0]]]);
    /// ```
    max_pool1d max_pool1d_vjp max_pool1d_jvp: Max;

    /// The mean of each window of images of shape (images, channels, height, width), with windows of `size` at steps of
    /// `stride`, both for (height, width).
    ///
    /// ```
    /// use cotangent_runtime::ops::{avg_pool2d, avg_pool2d_vjp};
    /// use ndarray::array;
    ///
    /// let x = array![[[[1.0, 3.0, 0.0], [2.0, 2.0, 3.0]]]];
    /// assert_eq!(avg_pool2d(&x, [2, 2], [1, 1]), array![[[[2.0, 2.0]]]]);
    /// let (_, pullback) = avg_pool2d_vjp(&x, [2, 2], [1, 1]);
    /// assert_eq!(pullback(array![[[[4.0, 8.0]]]]).0, array![[[[1.0, 3.0, 2.0], [1.0, 3.0, 2.0]]]]);
    /// ```
    avg_pool2d avg_pool2d_vjp avg_pool2d_jvp,
    /// The mean of each window of signals of shape (signals, channels, length), as [`avg_pool2d`].
    ///
    /// ```
    /// use cotangent_runtime::ops::avg_pool1d;
    /// use ndarray::array;
    ///
    /// assert_eq!(avg_pool1d(&array![[[1.0, 3.0, 0.0, 5.0]]], 2, 1), array![[[2.0, 1.5, 2.5]]]);
    /// ```
    avg_pool1d avg_pool1d_vjp avg_pool1d_jvp: Mean;
}
