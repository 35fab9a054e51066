//! The cotangents of `a` and `b` in `a.dot(b)`, for vectors and matrices; the compiler resolves the ranks.
//!
//! Zero cotangents are strong here, too: where a product is not finite it is computed again, in plain loops that skip
//! the zeros of `g`. (A finite sum has no infinite or NaN term, so nothing else needs it.)

use ndarray::linalg::{general_mat_mul, general_mat_vec_mul};
use ndarray::{
    Array, Array1, Array2, ArrayRef, ArrayView, ArrayView0, ArrayView1, ArrayView2, Dimension, Ix0, Ix1, Ix2,
    LinalgScalar,
};
use num_traits::Num;

use crate::elementwise::array::Operand;
use crate::scalar::scale;

/// The ranks of `a` and `b` in `a.dot(b)`.
pub trait DotAdjoint<A> {
    /// The rank of `a`.
    type Lhs: Dimension;
    /// The rank of `b`.
    type Rhs: Dimension;
    /// The rank of the product.
    type Product: Dimension;

    #[doc(hidden)]
    fn lhs_bar(
        g: ArrayView<'_, A, Self::Product>,
        a: ArrayView<'_, A, Self::Lhs>,
        b: ArrayView<'_, A, Self::Rhs>,
    ) -> Array<A, Self::Lhs>;

    #[doc(hidden)]
    fn rhs_bar(
        g: ArrayView<'_, A, Self::Product>,
        a: ArrayView<'_, A, Self::Lhs>,
        b: ArrayView<'_, A, Self::Rhs>,
    ) -> Array<A, Self::Rhs>;

    #[doc(hidden)]
    #[track_caller]
    fn add_lhs_bar(
        sum: &mut Array<A, Self::Lhs>,
        g: ArrayView<'_, A, Self::Product>,
        a: ArrayView<'_, A, Self::Lhs>,
        b: ArrayView<'_, A, Self::Rhs>,
    ) where
        A: Num + Copy,
    {
        add(sum, Self::lhs_bar(g, a, b));
    }

    #[doc(hidden)]
    #[track_caller]
    fn add_rhs_bar(
        sum: &mut Array<A, Self::Rhs>,
        g: ArrayView<'_, A, Self::Product>,
        a: ArrayView<'_, A, Self::Lhs>,
        b: ArrayView<'_, A, Self::Rhs>,
    ) where
        A: Num + Copy,
    {
        add(sum, Self::rhs_bar(g, a, b));
    }
}

/// Adds to a cotangent, which may be empty.
#[track_caller]
fn add<A: Num + Copy, D: Dimension>(sum: &mut Array<A, D>, bar: Array<A, D>) {
    if sum.shape() == bar.shape() {
        sum.zip_mut_with(&bar, |sum, x| *sum = *sum + *x);
    } else if sum.shape().iter().all(|len| *len == 0) {
        *sum = bar;
    } else {
        same_shape(bar.shape(), sum.shape());
    }
}

/// The cotangent of `a` in `a.dot(b)`, where `g` is that of the product: `g · bᵀ`.
///
/// ```
/// use cotangent_runtime::private::dot_lhs_bar;
/// use ndarray::array;
///
/// let (a, b) = (array![[1.0, 2.0], [3.0, 4.0]], array![5.0, 6.0]);
/// assert_eq!(dot_lhs_bar(&array![1.0, 10.0], &a, &b), array![[5.0, 6.0], [50.0, 60.0]]);
/// assert_eq!(dot_lhs_bar(&2.0, &b, &b), array![10.0, 12.0]);
/// ```
#[track_caller]
pub fn dot_lhs_bar<T, G, A, B>(g: &G, a: &A, b: &B) -> Array<T, A::Dim>
where
    A: Operand<T> + ?Sized,
    B: Operand<T> + ?Sized,
    (A::Dim, B::Dim): DotAdjoint<T, Lhs = A::Dim, Rhs = B::Dim>,
    G: Operand<T, Dim = <(A::Dim, B::Dim) as DotAdjoint<T>>::Product> + ?Sized,
{
    <(A::Dim, B::Dim) as DotAdjoint<T>>::lhs_bar(g.view(), a.view(), b.view())
}

/// The cotangent of `b` in `a.dot(b)`, where `g` is that of the product: `aᵀ · g`.
///
/// ```
/// use cotangent_runtime::private::dot_rhs_bar;
/// use ndarray::array;
///
/// let (a, b) = (array![[1.0, 2.0], [3.0, 4.0]], array![5.0, 6.0]);
/// assert_eq!(dot_rhs_bar(&array![1.0, 10.0], &a, &b), array![31.0, 42.0]);
/// ```
#[track_caller]
pub fn dot_rhs_bar<T, G, A, B>(g: &G, a: &A, b: &B) -> Array<T, B::Dim>
where
    A: Operand<T> + ?Sized,
    B: Operand<T> + ?Sized,
    (A::Dim, B::Dim): DotAdjoint<T, Lhs = A::Dim, Rhs = B::Dim>,
    G: Operand<T, Dim = <(A::Dim, B::Dim) as DotAdjoint<T>>::Product> + ?Sized,
{
    <(A::Dim, B::Dim) as DotAdjoint<T>>::rhs_bar(g.view(), a.view(), b.view())
}

/// Adds the cotangent of `a` in `a.dot(b)` to a sum, as [`dot_lhs_bar`] gives it.
///
/// ```
/// use cotangent_runtime::private::add_dot_lhs_bar;
/// use ndarray::array;
///
/// let (a, b, mut sum) = (array![[1.0, 2.0], [3.0, 4.0]], array![5.0, 6.0], array![[1.0, 1.0], [1.0, 1.0]]);
/// add_dot_lhs_bar(&mut sum, &array![1.0, 10.0], &a, &b);
/// assert_eq!(sum, array![[6.0, 7.0], [51.0, 61.0]]);
/// ```
#[track_caller]
pub fn add_dot_lhs_bar<T, G, A, B>(sum: &mut Array<T, A::Dim>, g: &G, a: &A, b: &B)
where
    T: Num + Copy,
    A: Operand<T> + ?Sized,
    B: Operand<T> + ?Sized,
    (A::Dim, B::Dim): DotAdjoint<T, Lhs = A::Dim, Rhs = B::Dim>,
    G: Operand<T, Dim = <(A::Dim, B::Dim) as DotAdjoint<T>>::Product> + ?Sized,
{
    <(A::Dim, B::Dim) as DotAdjoint<T>>::add_lhs_bar(sum, g.view(), a.view(), b.view());
}

/// Adds the cotangent of `b` in `a.dot(b)` to a sum, as [`dot_rhs_bar`] gives it.
///
/// ```
/// use cotangent_runtime::private::add_dot_rhs_bar;
/// use ndarray::array;
///
/// let (a, mut sum) = (array![[1.0, 2.0], [3.0, 4.0]], array![[1.0], [0.0]]);
/// add_dot_rhs_bar(&mut sum, &array![[1.0], [10.0]], &a, &array![[5.0], [6.0]]);
/// assert_eq!(sum, array![[32.0], [42.0]]);
/// ```
#[track_caller]
pub fn add_dot_rhs_bar<T, G, A, B>(sum: &mut Array<T, B::Dim>, g: &G, a: &A, b: &B)
where
    T: Num + Copy,
    A: Operand<T> + ?Sized,
    B: Operand<T> + ?Sized,
    (A::Dim, B::Dim): DotAdjoint<T, Lhs = A::Dim, Rhs = B::Dim>,
    G: Operand<T, Dim = <(A::Dim, B::Dim) as DotAdjoint<T>>::Product> + ?Sized,
{
    <(A::Dim, B::Dim) as DotAdjoint<T>>::add_rhs_bar(sum, g.view(), a.view(), b.view());
}

/// `x ⊗ y`, where zeros in `g`, which is one of them, are strong.
fn outer<A: Num + Copy>(x: ArrayView1<'_, A>, y: ArrayView1<'_, A>, zero_first: bool) -> Array2<A> {
    let mut out = Array2::zeros((x.len(), y.len()));
    for (mut row, x) in out.rows_mut().into_iter().zip(x) {
        row.zip_mut_with(&y, |out, y| *out = if zero_first { scale(*x, *y) } else { scale(*y, *x) });
    }
    out
}

/// `g` scaled by each element.
fn scaled<A: Num + Copy>(g: ArrayView0<'_, A>, x: ArrayView1<'_, A>) -> Array1<A> {
    let g = g[()];
    x.mapv(|x| scale(g, x))
}

/// Whether no element is infinite or a NaN: only those leave a NaN when they are taken from themselves.
#[allow(clippy::eq_op)]
fn is_finite<A: Num + Copy, D: Dimension>(x: &ArrayRef<A, D>) -> bool {
    let rest = |rest: A, x: &A| rest + (*x - *x);
    let Some(elements) = x.as_slice_memory_order() else { return x.iter().fold(A::zero(), rest).is_zero() };
    // in lanes, as the compiler keeps the order of a sum
    let mut lanes = [A::zero(); 16];
    let chunks = elements.chunks_exact(lanes.len());
    let tail = chunks.remainder().iter().fold(A::zero(), rest);
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane = rest(*lane, x));
    }
    lanes.into_iter().fold(tail, |sum, lane| sum + lane).is_zero()
}

#[track_caller]
fn same_shape(g: &[usize], product: &[usize]) {
    assert!(g == product, "the cotangent of a product has the shape {g:?}, the product {product:?}");
}

/// `m · g`, with strong zeros in `g`.
fn matrix_vector<A: LinalgScalar + Num>(m: ArrayView2<'_, A>, g: ArrayView1<'_, A>) -> Array1<A> {
    let product = match m.t().as_slice() {
        // column by column, as they lie in memory
        Some(_) if !m.is_standard_layout() => {
            let mut sum = Array1::zeros(m.nrows());
            let sums = sum.as_slice_mut().expect("a new array");
            for (column, g) in m.columns().into_iter().zip(g) {
                let column = column.to_slice().expect("what is contiguous");
                sums.iter_mut().zip(column).for_each(|(sum, m)| *sum = *sum + *m * *g);
            }
            sum
        }
        _ => m.dot(&g),
    };
    if is_finite(&product) {
        return product;
    }
    m.rows().into_iter().map(|row| row.iter().zip(g).fold(A::zero(), |sum, (m, g)| sum + scale(*g, *m))).collect()
}

/// `m · g`, with strong zeros in `g`.
fn matrix_matrix<A: LinalgScalar + Num>(m: ArrayView2<'_, A>, g: ArrayView2<'_, A>) -> Array2<A> {
    let product = m.dot(&g);
    if is_finite(&product) {
        return product;
    }
    let mut product = Array2::zeros(product.raw_dim());
    for (mut out, g) in product.columns_mut().into_iter().zip(g.columns()) {
        out.assign(&matrix_vector(m, g));
    }
    product
}

impl<A: LinalgScalar + Num> DotAdjoint<A> for (Ix1, Ix1) {
    type Lhs = Ix1;
    type Rhs = Ix1;
    type Product = Ix0;

    fn lhs_bar(g: ArrayView0<'_, A>, _: ArrayView1<'_, A>, b: ArrayView1<'_, A>) -> Array1<A> {
        scaled(g, b)
    }

    fn rhs_bar(g: ArrayView0<'_, A>, a: ArrayView1<'_, A>, _: ArrayView1<'_, A>) -> Array1<A> {
        scaled(g, a)
    }
}

impl<A: LinalgScalar + Num> DotAdjoint<A> for (Ix2, Ix1) {
    type Lhs = Ix2;
    type Rhs = Ix1;
    type Product = Ix1;

    #[track_caller]
    fn lhs_bar(g: ArrayView1<'_, A>, a: ArrayView2<'_, A>, b: ArrayView1<'_, A>) -> Array2<A> {
        same_shape(g.shape(), &[a.nrows()]);
        outer(g, b, true)
    }

    #[track_caller]
    fn rhs_bar(g: ArrayView1<'_, A>, a: ArrayView2<'_, A>, _: ArrayView1<'_, A>) -> Array1<A> {
        same_shape(g.shape(), &[a.nrows()]);
        matrix_vector(a.reversed_axes(), g)
    }
}

impl<A: LinalgScalar + Num> DotAdjoint<A> for (Ix1, Ix2) {
    type Lhs = Ix1;
    type Rhs = Ix2;
    type Product = Ix1;

    #[track_caller]
    fn lhs_bar(g: ArrayView1<'_, A>, _: ArrayView1<'_, A>, b: ArrayView2<'_, A>) -> Array1<A> {
        same_shape(g.shape(), &[b.ncols()]);
        matrix_vector(b, g)
    }

    #[track_caller]
    fn rhs_bar(g: ArrayView1<'_, A>, a: ArrayView1<'_, A>, b: ArrayView2<'_, A>) -> Array2<A> {
        same_shape(g.shape(), &[b.ncols()]);
        outer(a, g, false)
    }
}

impl<A: LinalgScalar + Num> DotAdjoint<A> for (Ix2, Ix2) {
    type Lhs = Ix2;
    type Rhs = Ix2;
    type Product = Ix2;

    #[track_caller]
    fn lhs_bar(g: ArrayView2<'_, A>, a: ArrayView2<'_, A>, b: ArrayView2<'_, A>) -> Array2<A> {
        same_shape(g.shape(), &[a.nrows(), b.ncols()]);
        let product = g.dot(&b.t());
        if is_finite(&product) {
            return product;
        }
        matrix_matrix(b, g.reversed_axes()).reversed_axes()
    }

    #[track_caller]
    fn rhs_bar(g: ArrayView2<'_, A>, a: ArrayView2<'_, A>, b: ArrayView2<'_, A>) -> Array2<A> {
        same_shape(g.shape(), &[a.nrows(), b.ncols()]);
        matrix_matrix(a.reversed_axes(), g)
    }

    #[track_caller]
    fn add_lhs_bar(sum: &mut Array2<A>, g: ArrayView2<'_, A>, a: ArrayView2<'_, A>, b: ArrayView2<'_, A>) {
        same_shape(g.shape(), &[a.nrows(), b.ncols()]);
        if sum.shape() == a.shape() && is_finite(&b) {
            general_mat_mul(A::one(), &g, &b.t(), A::one(), sum);
        } else {
            add(sum, Self::lhs_bar(g, a, b));
        }
    }

    #[track_caller]
    fn add_rhs_bar(sum: &mut Array2<A>, g: ArrayView2<'_, A>, a: ArrayView2<'_, A>, b: ArrayView2<'_, A>) {
        same_shape(g.shape(), &[a.nrows(), b.ncols()]);
        if sum.shape() == b.shape() && is_finite(&a) {
            general_mat_mul(A::one(), &a.t(), &g, A::one(), sum);
        } else {
            add(sum, Self::rhs_bar(g, a, b));
        }
    }
}

/// The rank of `c` in `α·a·b + β·c`, a vector or a matrix.
pub trait GeneralProduct<A>: Dimension {
    #[doc(hidden)]
    fn update(alpha: A, a: ArrayView2<'_, A>, b: ArrayView<'_, A, Self>, beta: A, c: &mut Array<A, Self>);
}

impl<A: LinalgScalar> GeneralProduct<A> for Ix1 {
    #[track_caller]
    fn update(alpha: A, a: ArrayView2<'_, A>, b: ArrayView1<'_, A>, beta: A, c: &mut Array1<A>) {
        general_mat_vec_mul(alpha, &a, &b, beta, c);
    }
}

impl<A: LinalgScalar> GeneralProduct<A> for Ix2 {
    #[track_caller]
    fn update(alpha: A, a: ArrayView2<'_, A>, b: ArrayView2<'_, A>, beta: A, c: &mut Array2<A>) {
        general_mat_mul(alpha, &a, &b, beta, c);
    }
}

/// What `general_mat_mul` or `general_mat_vec_mul` makes of a copy of `c`: `α·a·b + β·c`.
///
/// ```
/// use cotangent_runtime::private::general_product;
/// use ndarray::{arr0, array};
///
/// let (c, a, b) = (array![1.0, 1.0], array![[1.0, 2.0], [3.0, 4.0]], array![10.0, 1.0]);
/// assert_eq!(general_product(&c, &a, &b, &arr0(2.0), &arr0(0.5)), array![24.5, 68.5]);
/// ```
#[track_caller]
pub fn general_product<T, C, A, B>(
    c: &C,
    a: &A,
    b: &B,
    alpha: &impl Operand<T, Dim = Ix0>,
    beta: &impl Operand<T, Dim = Ix0>,
) -> Array<T, C::Dim>
where
    T: LinalgScalar,
    C: Operand<T> + ?Sized,
    C::Dim: GeneralProduct<T>,
    A: Operand<T, Dim = Ix2> + ?Sized,
    B: Operand<T, Dim = C::Dim> + ?Sized,
{
    let mut c = c.view().to_owned();
    C::Dim::update(*alpha.view().into_scalar(), a.view(), b.view(), *beta.view().into_scalar(), &mut c);
    c
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::{dot_lhs_bar, dot_rhs_bar};

    fn matrix(rows: usize, columns: usize) -> Array2<f64> {
        Array2::from_shape_fn((rows, columns), |(i, j)| (1.3 * i as f64 + 0.7 * j as f64).sin())
    }

    fn vector(len: usize) -> Array1<f64> {
        matrix(len, 1).column(0).to_owned()
    }

    #[track_caller]
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-14, "{a} is not {b}");
    }

    #[test]
    fn matrix_times_matrix() {
        let (a, b, g) = (matrix(2, 3), matrix(3, 4), matrix(2, 4));
        let (a_bar, b_bar) = (dot_lhs_bar(&g, &a.view(), &b), dot_rhs_bar(&g.view(), &&a, &b));
        assert_eq!((a_bar.shape(), b_bar.shape()), (a.shape(), b.shape()));
        let (a_dot, b_dot) = (a.mapv(f64::cos), b.mapv(f64::cos));
        // ⟨g, ȧ·b⟩ = ⟨ā, ȧ⟩, and the same for b
        close((&g * &a_dot.dot(&b)).sum(), (&a_bar * &a_dot).sum());
        close((&g * &a.dot(&b_dot)).sum(), (&b_bar * &b_dot).sum());
    }

    #[test]
    fn matrix_times_vector_and_vector_times_matrix() {
        let (m, v, w) = (matrix(2, 3), vector(3), vector(2));
        let outer = Array2::from_shape_fn((2, 3), |(i, j)| w[i] * v[j]);
        assert_eq!(dot_lhs_bar(&w, &m, &v), outer);
        assert_eq!(dot_rhs_bar(&w, &m, &v), w.dot(&m));
        assert_eq!(dot_lhs_bar(&v, &w, &m), m.dot(&v));
        assert_eq!(dot_rhs_bar(&v, &w, &m), outer);
    }

    #[test]
    fn vector_times_vector() {
        let (a, b) = (array![1.0_f32, 2.0], array![3.0_f32, f32::INFINITY]);
        assert_eq!(dot_lhs_bar(&2.0, &a, &b), array![6.0, f32::INFINITY]);
        assert_eq!(dot_lhs_bar(&0.0, &a, &b), array![0.0, 0.0]);
        assert_eq!(dot_rhs_bar(&2.0, &a, &b), array![2.0, 4.0]);
    }

    #[test]
    fn zero_cotangents_are_strong() {
        let inf = f64::INFINITY;
        let (a, b) = (array![[1.0, inf], [2.0, 3.0]], array![[1.0, f64::NAN], [2.0, 3.0]]);
        let g = array![[0.0, 0.0], [1.0, 0.0]];
        assert_eq!(dot_lhs_bar(&g, &a, &b), array![[0.0, 0.0], [1.0, 2.0]]);
        assert_eq!(dot_rhs_bar(&g, &a, &b), array![[2.0, 0.0], [3.0, 0.0]]);
        let v = array![0.0, 1.0];
        assert_eq!(dot_rhs_bar(&v, &a, &v), array![2.0, 3.0]);
        assert_eq!(dot_lhs_bar(&array![1.0, 0.0], &v, &b), array![1.0, 2.0]);
        assert_eq!(dot_lhs_bar(&v, &b, &array![inf, 1.0]), array![[0.0, 0.0], [inf, 1.0]]);
        assert_eq!(dot_rhs_bar(&v, &array![inf, 1.0], &b), array![[0.0, inf], [0.0, 1.0]]);
    }

    #[test]
    #[should_panic(expected = "the cotangent of a product has the shape [3], the product [2]")]
    fn a_cotangent_of_another_shape_is_refused() {
        dot_rhs_bar(&vector(3), &matrix(2, 3), &vector(3));
    }
}
