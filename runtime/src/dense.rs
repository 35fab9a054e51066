//! Whole matrices of derivatives: a Jacobian row by row or column by column, a Hessian by its products.

use alloc::vec::Vec;

use ndarray::{Array1, Array2, Axis};

use crate::scalar::Real;
use crate::tangent::Tangent;

/// The unit vectors of a space, each as often as it is asked for.
struct Basis<T> {
    zero: T,
    flat: Vec<f64>,
}

impl<T: Tangent> Basis<T> {
    fn new(zero: T) -> Self {
        let flat = zero.to_flat();
        Basis { zero, flat }
    }

    fn len(&self) -> usize {
        self.flat.len()
    }

    fn unit(&mut self, k: usize) -> T {
        self.flat.fill(0.0);
        self.flat[k] = 1.0;
        let mut unit = self.zero.clone();
        unit.set_flat(&self.flat);
        unit
    }

    /// The coordinates of a vector, in which an empty part is a zero.
    fn coordinates<E: Real>(&self, of: &T) -> Array1<E> {
        let mut sum = self.zero.clone();
        sum.accumulate(of);
        sum.to_flat().into_iter().map(E::__constant).collect()
    }
}

/// The matrix of a linear map, from its transpose or from itself, whichever is applied less often. `seed` and
/// `direction` are zeros of the results and of the parameters.
///
/// ```
/// use cotangent_runtime::private::jacobian;
///
/// // (x, y) ↦ (2x, 3y, x + y)
/// let matrix = jacobian::<f64, _, _>(
///     [0.0; 3],
///     [0.0; 2],
///     |g| [2.0 * g[0] + g[2], 3.0 * g[1] + g[2]],
///     |d| [2.0 * d[0], 3.0 * d[1], d[0] + d[1]],
/// );
/// assert_eq!(matrix, ndarray::array![[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]]);
/// ```
pub fn jacobian<E: Real, Y: Tangent, X: Tangent>(
    seed: Y,
    direction: X,
    pullback: impl Fn(Y) -> X,
    push: impl Fn(X) -> Y,
) -> Array2<E> {
    let (rows, columns) = (Basis::new(seed), Basis::new(direction));
    if rows.len() <= columns.len() { by_rows(rows, &columns, pullback) } else { by_columns(&rows, columns, push) }
}

/// The matrix of a linear map from its transpose.
///
/// ```
/// use cotangent_runtime::private::jacobian_by_rows;
///
/// let matrix = jacobian_by_rows::<f64, _, _>(0.0, [0.0; 2], |g| [2.0 * g, 3.0 * g]);
/// assert_eq!(matrix, ndarray::array![[2.0, 3.0]]);
/// ```
pub fn jacobian_by_rows<E: Real, Y: Tangent, X: Tangent>(
    seed: Y,
    direction: X,
    pullback: impl Fn(Y) -> X,
) -> Array2<E> {
    by_rows(Basis::new(seed), &Basis::new(direction), pullback)
}

/// The matrix of a linear map from itself.
///
/// ```
/// use cotangent_runtime::private::jacobian_by_columns;
///
/// let matrix = jacobian_by_columns::<f32, _, _>(0.0_f32, |d| [2.0 * d, 3.0 * d]);
/// assert_eq!(matrix, ndarray::array![[2.0], [3.0]]);
/// ```
pub fn jacobian_by_columns<E: Real, Y: Tangent, X: Tangent>(direction: X, push: impl Fn(X) -> Y) -> Array2<E> {
    let rows = Basis::new(push(direction.clone()));
    by_columns(&rows, Basis::new(direction), push)
}

/// A symmetric matrix from its products with vectors.
///
/// ```
/// use cotangent_runtime::private::hessian;
///
/// let matrix = hessian::<f64, _>([0.0; 2], |d: [f64; 2]| [d[0] + 2.0 * d[1], 2.0 * d[0]]);
/// assert_eq!(matrix, ndarray::array![[1.0, 2.0], [2.0, 0.0]]);
/// ```
pub fn hessian<E: Real, X: Tangent>(direction: X, product: impl Fn(X) -> X) -> Array2<E> {
    by_rows(Basis::new(direction.clone()), &Basis::new(direction), product)
}

fn by_rows<E: Real, Y: Tangent, X: Tangent>(
    mut rows: Basis<Y>,
    columns: &Basis<X>,
    pullback: impl Fn(Y) -> X,
) -> Array2<E> {
    let mut matrix = Array2::from_elem((rows.len(), columns.len()), E::__constant(0.0));
    for (i, mut row) in matrix.axis_iter_mut(Axis(0)).enumerate() {
        row.assign(&columns.coordinates(&pullback(rows.unit(i))));
    }
    matrix
}

fn by_columns<E: Real, Y: Tangent, X: Tangent>(
    rows: &Basis<Y>,
    mut columns: Basis<X>,
    push: impl Fn(X) -> Y,
) -> Array2<E> {
    let mut matrix = Array2::from_elem((rows.len(), columns.len()), E::__constant(0.0));
    for (j, mut column) in matrix.axis_iter_mut(Axis(1)).enumerate() {
        column.assign(&rows.coordinates(&push(columns.unit(j))));
    }
    matrix
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn an_empty_part_is_a_zero_and_an_empty_side_stays() {
        let matrix = jacobian_by_rows::<f64, _, _>(0.0, (vec![0.0; 2], 0.0), |g| (vec![], g));
        assert_eq!(matrix, ndarray::array![[0.0, 0.0, 1.0]]);
        assert_eq!(jacobian::<f64, _, _>(vec![0.0; 0], 0.0, |_| 1.0, |_| vec![]).dim(), (0, 1));
        assert_eq!(jacobian_by_columns::<f64, _, _>(vec![0.0; 0], |_| [0.0; 2]).dim(), (2, 0));
    }
}
