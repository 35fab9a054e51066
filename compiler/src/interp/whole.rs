//! Reductions and products of whole arrays.

use super::val::Val;
use super::{Result, malformed, panic, reduce};
use crate::ir::Primitive;

/// A primitive of whole arrays.
pub(super) fn prim(p: &Primitive, args: &[&Val]) -> Result<Val> {
    match (p.name, args) {
        ("shape_of", [v]) => Ok((*v).clone()),
        ("sum", [v]) => Ok(Val::Float(v.flat().iter().sum())),
        ("t", [Val::Array { shape, data }]) => {
            let (rows, columns) = match shape.as_slice() {
                &[rows, columns] => (rows, columns),
                _ => return Ok(args[0].clone()),
            };
            let data = (0..rows * columns).map(|k| data[k % rows * columns + k / rows]).collect();
            Ok(Val::Array { shape: vec![columns, rows], data })
        }
        ("dot", [a, b]) => {
            let (left, right) = (Matrix::left(a)?, Matrix::right(b)?);
            let data = left.times(&right)?.data;
            let shape = [&left.shape[..left.shape.len() - 1], &right.shape[1..]].concat();
            Ok(if shape.is_empty() { Val::Float(data[0]) } else { Val::Array { shape, data } })
        }
        // g·bᵀ in the shape of a.
        ("dot_lhs_bar", [g, a, b]) => {
            let (a, b) = (Matrix::left(a)?, Matrix::right(b)?);
            let data = Matrix::of(g, a.rows, b.columns)?.times(&b.transposed())?.data;
            Ok(Val::Array { shape: a.shape, data })
        }
        // aᵀ·g in the shape of b.
        ("dot_rhs_bar", [g, a, b]) => {
            let (a, b) = (Matrix::left(a)?, Matrix::right(b)?);
            let data = a.transposed().times(&Matrix::of(g, a.rows, b.columns)?)?.data;
            Ok(Val::Array { shape: b.shape, data })
        }
        ("general_product", [c, a, b, alpha, beta]) => {
            let product = Matrix::left(a)?.times(&Matrix::right(b)?)?.data;
            let (Val::Array { shape, data }, [alpha], [beta]) = (*c, &alpha.flat()[..], &beta.flat()[..]) else {
                return malformed("the place of a product is no array");
            };
            let data = data.iter().zip(product).map(|(c, p)| alpha * p + beta * c).collect();
            Ok(Val::Array { shape: shape.clone(), data })
        }
        _ => reduce::prim(p, args),
    }
}

/// A factor as a matrix, with the shape that it has as an array.
struct Matrix {
    shape: Vec<usize>,
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A left factor: a vector is a row.
    fn left(v: &Val) -> Result<Matrix> {
        match v {
            Val::Array { shape, .. } if shape.len() == 1 => Matrix::of(v, 1, shape[0]),
            _ => Matrix::right(v),
        }
    }

    /// A right factor: a vector is a column.
    fn right(v: &Val) -> Result<Matrix> {
        match v {
            Val::Array { shape, .. } if shape.len() == 1 => Matrix::of(v, shape[0], 1),
            Val::Array { shape, .. } if shape.len() == 2 => Matrix::of(v, shape[0], shape[1]),
            other => malformed(format!("{other:?} in a product of arrays")),
        }
    }

    fn of(v: &Val, rows: usize, columns: usize) -> Result<Matrix> {
        let shape = if let Val::Array { shape, .. } = v { shape.clone() } else { vec![] };
        let data = v.flat();
        if data.len() != rows * columns {
            return malformed(format!("{} elements in the place of {rows} × {columns}", data.len()));
        }
        Ok(Matrix { shape, rows, columns, data })
    }

    fn transposed(&self) -> Matrix {
        let data = (0..self.data.len()).map(|k| self.data[k % self.rows * self.columns + k / self.rows]).collect();
        Matrix { shape: vec![], rows: self.columns, columns: self.rows, data }
    }

    fn times(&self, other: &Matrix) -> Result<Matrix> {
        let inner = self.columns;
        if inner != other.rows {
            let (rows, columns) = (other.rows, other.columns);
            return panic(format!("ndarray: inputs {} × {inner} and {rows} × {columns} are not compatible", self.rows));
        }
        let at = |i: usize, j: usize| -> f64 {
            (0..inner).map(|k| self.data[i * inner + k] * other.data[k * other.columns + j]).sum()
        };
        let data = (0..self.rows * other.columns).map(|k| at(k / other.columns, k % other.columns)).collect();
        Ok(Matrix { shape: vec![], rows: self.rows, columns: other.columns, data })
    }
}
