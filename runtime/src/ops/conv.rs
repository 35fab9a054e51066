//! Convolutions of signals and images with kernels, as machine learning has them: not reversed, that is
//! y[n, o, i] = Σ w[o, c, k]·x[n, c, stride·i + k - padding], where x is 0 outside (V. Dumoulin and F. Visin, *A guide to
//! convolution arithmetic for deep learning*, arXiv:1603.07285).
//!
//! The patches of one input that the kernel meets become the columns of a matrix, so a convolution is a product of
//! matrices. Its adjoints are those of the product, and patches that overlap add up.

use ndarray::{Array2, Array3, Array4, ArrayView2, ArrayView3, ArrayView4, Axis, Ix3, Ix4};

use super::{AsArray, Element, check_shape};
use crate::linalg::{dot_lhs_bar, dot_rhs_bar};

/// Where the kernel meets the input, along both axes of an image.
struct Geometry {
    name: &'static str,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    input: [usize; 2],
    output: [usize; 2],
}

impl Geometry {
    #[track_caller]
    fn new<A>(
        name: &'static str,
        x: &ArrayView4<'_, A>,
        w: &ArrayView4<'_, A>,
        stride: [usize; 2],
        padding: [usize; 2],
    ) -> Self {
        let (_, channels, height, width) = x.dim();
        let (_, expected, kernel_height, kernel_width) = w.dim();
        assert!(
            channels == expected,
            "{name}: the input of shape {:?} has {channels} channels, the kernels of shape {:?} take {expected}",
            x.shape(),
            w.shape()
        );
        let (input, kernel) = ([height, width], [kernel_height, kernel_width]);
        assert!(stride[0] > 0 && stride[1] > 0, "{name}: a stride of 0");
        let output = [0, 1].map(|axis| {
            let padded = input[axis] + 2 * padding[axis];
            assert!(
                kernel[axis] > 0 && kernel[axis] <= padded,
                "{name}: a kernel of length {} does not fit into an input of length {padded} with its padding",
                kernel[axis]
            );
            (padded - kernel[axis]) / stride[axis] + 1
        });
        Self { name, kernel, stride, padding, input, output }
    }

    /// How many places there are in the output.
    fn places(&self) -> usize {
        self.output[0] * self.output[1]
    }

    /// Calls `f` with each element of a kernel of `channels` channels, as a number, each place of the output, as a number,
    /// and the element of the input that they meet, where there is one.
    fn meetings(&self, channels: usize, mut f: impl FnMut(usize, usize, [usize; 3])) {
        let [kernel_height, kernel_width] = self.kernel;
        for c in 0..channels {
            for k in 0..kernel_height * kernel_width {
                let (row, column) = (k / kernel_width, k % kernel_width);
                for i in 0..self.output[0] {
                    let Some(y) = self.source(0, i, row) else { continue };
                    for j in 0..self.output[1] {
                        if let Some(x) = self.source(1, j, column) {
                            f(c * kernel_height * kernel_width + k, i * self.output[1] + j, [c, y, x]);
                        }
                    }
                }
            }
        }
    }

    /// The index of the input along an axis that element `k` of the kernel meets at place `i` of the output.
    fn source(&self, axis: usize, i: usize, k: usize) -> Option<usize> {
        (i * self.stride[axis] + k).checked_sub(self.padding[axis]).filter(|i| *i < self.input[axis])
    }

    /// The patches of an input, one in each column.
    fn patches<A: Element>(&self, x: ArrayView3<'_, A>) -> Array2<A> {
        let channels = x.dim().0;
        let mut patches = Array2::zeros((channels * self.kernel[0] * self.kernel[1], self.places()));
        self.meetings(channels, |k, i, at| patches[[k, i]] = x[at]);
        patches
    }
}

/// The kernels as the rows of a matrix.
fn rows<A: Element>(w: ArrayView4<'_, A>) -> Array2<A> {
    let (out, channels, height, width) = w.dim();
    let elements = w.iter().copied().collect();
    Array2::from_shape_vec((out, channels * height * width), elements).expect("all elements of each kernel")
}

fn convolve<A: Element>(geometry: &Geometry, x: ArrayView4<'_, A>, w: ArrayView4<'_, A>) -> Array4<A> {
    let (kernels, [height, width]) = (rows(w), geometry.output);
    let mut y = Array4::zeros((x.dim().0, kernels.nrows(), height, width));
    for (x, mut y) in x.outer_iter().zip(y.outer_iter_mut()) {
        let product = kernels.dot(&geometry.patches(x));
        y.iter_mut().zip(&product).for_each(|(y, product)| *y = *product);
    }
    y
}

/// The cotangents of the input and the kernels.
fn adjoint<A: Element>(
    geometry: &Geometry,
    x: ArrayView4<'_, A>,
    w: ArrayView4<'_, A>,
    g: ArrayView4<'_, A>,
) -> (Array4<A>, Array4<A>) {
    let (kernels, [height, width]) = (rows(w), geometry.output);
    check_shape(geometry.name, "cotangent", g.shape(), &[x.dim().0, kernels.nrows(), height, width]);
    let mut x_bar = Array4::zeros(x.raw_dim());
    let mut w_bar = Array2::zeros(kernels.raw_dim());
    for ((x, g), mut x_bar) in x.outer_iter().zip(g.outer_iter()).zip(x_bar.outer_iter_mut()) {
        let g = g.to_shape((kernels.nrows(), geometry.places())).expect("as many elements");
        let patches = geometry.patches(x);
        let g: ArrayView2<'_, A> = g.view();
        w_bar.scaled_add(A::one(), &dot_lhs_bar(&g, &kernels, &patches));
        let patches_bar = dot_rhs_bar(&g, &kernels, &patches);
        geometry.meetings(x.dim().0, |k, i, at| x_bar[at] = x_bar[at] + patches_bar[[k, i]]);
    }
    (x_bar, w_bar.into_shape_with_order(w.raw_dim()).expect("as many elements"))
}

/// The tangent: the convolution is linear in both.
fn tangent<A: Element>(
    geometry: &Geometry,
    x: ArrayView4<'_, A>,
    w: ArrayView4<'_, A>,
    x_dot: ArrayView4<'_, A>,
    w_dot: ArrayView4<'_, A>,
) -> Array4<A> {
    check_shape(geometry.name, "tangent of the input", x_dot.shape(), x.shape());
    check_shape(geometry.name, "tangent of the kernels", w_dot.shape(), w.shape());
    convolve(geometry, x_dot, w) + convolve(geometry, x, w_dot)
}

/// The convolution of images, `x` of shape (images, channels, height, width), with kernels, `w` of shape (channels of the
/// result, channels, height, width), at steps of `stride`, with `padding` zeros at each end, both for (height, width).
///
/// A bias is added to the result by `+ &bias.insert_axis(Axis(1)).insert_axis(Axis(2))`.
///
/// ```
/// use cotangent_runtime::ops::{conv2d, conv2d_vjp};
/// use ndarray::{Array4, array};
///
/// let x = Array4::from_shape_fn((1, 1, 3, 3), |(_, _, i, j)| (3 * i + j) as f64);
/// let w = array![[[[1.0, 0.0], [0.0, -1.0]]]];
/// assert_eq!(conv2d(&x, &w, [1, 1], [0, 0]), array![[[[-4.0, -4.0], [-4.0, -4.0]]]]);
/// assert_eq!(conv2d(&x, &w, [2, 2], [0, 0]).dim(), (1, 1, 1, 1));
/// let (_, pullback) = conv2d_vjp(&x, &w, [1, 1], [0, 0]);
/// let (_, w_bar, (), ()) = pullback(Array4::ones((1, 1, 2, 2)));
/// assert_eq!(w_bar, array![[[[8.0, 12.0], [20.0, 24.0]]]]);
/// ```
#[track_caller]
pub fn conv2d<X, W>(x: X, w: W, stride: [usize; 2], padding: [usize; 2]) -> Array4<X::Elem>
where
    X: AsArray<Dim = Ix4>,
    W: AsArray<Elem = X::Elem, Dim = Ix4>,
{
    let (x, w) = (x.as_array(), w.as_array());
    convolve(&Geometry::new("conv2d", &x, &w, stride, padding), x, w)
}

#[doc(hidden)]
#[track_caller]
pub fn conv2d_vjp<X, W>(
    x: X,
    w: W,
    stride: [usize; 2],
    padding: [usize; 2],
) -> (Array4<X::Elem>, impl Fn(Array4<X::Elem>) -> (Array4<X::Elem>, Array4<X::Elem>, (), ()))
where
    X: AsArray<Dim = Ix4>,
    W: AsArray<Elem = X::Elem, Dim = Ix4>,
{
    let geometry = Geometry::new("conv2d", &x.as_array(), &w.as_array(), stride, padding);
    let y = convolve(&geometry, x.as_array(), w.as_array());
    let pullback = move |g: Array4<X::Elem>| {
        let (x_bar, w_bar) = adjoint(&geometry, x.as_array(), w.as_array(), g.view());
        (x_bar, w_bar, (), ())
    };
    (y, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn conv2d_jvp<X, W, S, P>(
    x: X,
    w: W,
    stride: [usize; 2],
    padding: [usize; 2],
    x_dot: Array4<X::Elem>,
    w_dot: Array4<X::Elem>,
    _: S,
    _: P,
) -> (Array4<X::Elem>, Array4<X::Elem>)
where
    X: AsArray<Dim = Ix4>,
    W: AsArray<Elem = X::Elem, Dim = Ix4>,
{
    let (x, w) = (x.as_array(), w.as_array());
    let geometry = Geometry::new("conv2d", &x, &w, stride, padding);
    (convolve(&geometry, x, w), tangent(&geometry, x, w, x_dot.view(), w_dot.view()))
}

/// A signal as an image of one row.
fn image<A>(signal: ArrayView3<'_, A>) -> ArrayView4<'_, A> {
    signal.insert_axis(Axis(2))
}

fn signal<A: Element>(image: Array4<A>) -> Array3<A> {
    image.remove_axis(Axis(2))
}

/// The geometry of a signal.
#[track_caller]
fn flat<A>(x: &ArrayView3<'_, A>, w: &ArrayView3<'_, A>, stride: usize, padding: usize) -> Geometry {
    let (x, w) = (x.view(), w.view());
    Geometry::new("conv1d", &image(x), &image(w), [1, stride], [0, padding])
}

/// The convolution of signals, `x` of shape (signals, channels, length), with kernels, `w` of shape (channels of the
/// result, channels, length), at steps of `stride`, with `padding` zeros at each end.
///
/// ```
/// use cotangent_runtime::ops::{conv1d, conv1d_vjp};
/// use ndarray::array;
///
/// let x = array![[[1.0, 2.0, 4.0, 8.0]]];
/// let w = array![[[1.0, -1.0]], [[0.5, 0.5]]];
/// assert_eq!(conv1d(&x, &w, 1, 0), array![[[-1.0, -2.0, -4.0], [1.5, 3.0, 6.0]]]);
/// assert_eq!(conv1d(&x, &w, 2, 1), array![[[-1.0, -2.0, 8.0], [0.5, 3.0, 4.0]]]);
/// let (_, pullback) = conv1d_vjp(&x, &w, 1, 0);
/// let (x_bar, w_bar, (), ()) = pullback(array![[[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]]);
/// assert_eq!(x_bar, array![[[1.0, 0.0, 0.0, -1.0]]]);
/// assert_eq!(w_bar, array![[[7.0, 14.0]], [[0.0, 0.0]]]);
/// ```
#[track_caller]
pub fn conv1d<X, W>(x: X, w: W, stride: usize, padding: usize) -> Array3<X::Elem>
where
    X: AsArray<Dim = Ix3>,
    W: AsArray<Elem = X::Elem, Dim = Ix3>,
{
    let (x, w) = (x.as_array(), w.as_array());
    signal(convolve(&flat(&x, &w, stride, padding), image(x), image(w)))
}

#[doc(hidden)]
#[track_caller]
pub fn conv1d_vjp<X, W>(
    x: X,
    w: W,
    stride: usize,
    padding: usize,
) -> (Array3<X::Elem>, impl Fn(Array3<X::Elem>) -> (Array3<X::Elem>, Array3<X::Elem>, (), ()))
where
    X: AsArray<Dim = Ix3>,
    W: AsArray<Elem = X::Elem, Dim = Ix3>,
{
    let geometry = flat(&x.as_array(), &w.as_array(), stride, padding);
    let y = signal(convolve(&geometry, image(x.as_array()), image(w.as_array())));
    let pullback = move |g: Array3<X::Elem>| {
        let (x, w) = (image(x.as_array()), image(w.as_array()));
        let (x_bar, w_bar) = adjoint(&geometry, x, w, image(g.view()));
        (signal(x_bar), signal(w_bar), (), ())
    };
    (y, pullback)
}

#[doc(hidden)]
#[track_caller]
pub fn conv1d_jvp<X, W, S, P>(
    x: X,
    w: W,
    stride: usize,
    padding: usize,
    x_dot: Array3<X::Elem>,
    w_dot: Array3<X::Elem>,
    _: S,
    _: P,
) -> (Array3<X::Elem>, Array3<X::Elem>)
where
    X: AsArray<Dim = Ix3>,
    W: AsArray<Elem = X::Elem, Dim = Ix3>,
{
    let (x, w) = (x.as_array(), w.as_array());
    let geometry = flat(&x, &w, stride, padding);
    let (x, w) = (image(x), image(w));
    let dot = tangent(&geometry, x, w, image(x_dot.view()), image(w_dot.view()));
    (signal(convolve(&geometry, x, w)), signal(dot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_convolve() {
        let (x, w) = (Array4::<f32>::zeros((0, 2, 5, 5)), Array4::<f32>::ones((3, 2, 3, 3)));
        let (y, pullback) = conv2d_vjp(&x, &w, [1, 2], [1, 1]);
        assert_eq!(y.dim(), (0, 3, 5, 3));
        let (x_bar, w_bar, _, _) = pullback(y);
        assert_eq!((x_bar.dim(), w_bar), (x.dim(), Array4::zeros((3, 2, 3, 3))));
        let none = conv2d(Array4::<f32>::zeros((1, 0, 2, 2)), Array4::zeros((1, 0, 1, 1)), [1, 1], [0, 0]);
        assert_eq!(none, Array4::zeros((1, 1, 2, 2)));
    }

    #[test]
    #[should_panic(expected = "conv1d: a kernel of length 5 does not fit into an input of length 4 with its padding")]
    fn a_kernel_that_is_too_long() {
        conv1d(Array3::<f64>::zeros((1, 1, 2)), Array3::zeros((1, 1, 5)), 1, 1);
    }

    #[test]
    #[should_panic(expected = "has 2 channels, the kernels of shape [1, 3, 2, 2] take 3")]
    fn channels_that_do_not_fit() {
        conv2d(Array4::<f64>::zeros((1, 2, 4, 4)), Array4::zeros((1, 3, 2, 2)), [1, 1], [0, 0]);
    }
}
