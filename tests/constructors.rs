//! Functions of an `impl` that give `Self` and take nothing with a derivative.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// Called with fields, in the `impl` and elsewhere.
mod constructors {
    use cotangent::{Differentiable, differentiable};
    #[derive(Clone, Debug, Differentiable)]
    struct Matrix {
        rows: usize,
        cols: usize,
        data: Vec<f64>,
    }
    #[differentiable]
    impl Matrix {
        fn zeros(rows: usize, cols: usize) -> Self {
            Self { rows, cols, data: vec![0.0; rows * cols] }
        }
        fn filled(n: usize) -> Matrix {
            Matrix { rows: n, cols: 1, data: vec![1.0; n] }
        }
        fn eye(n: usize) -> Self {
            let mut m = Self::zeros(n, n);
            for i in 0..n {
                m.set(i, i, 1.0);
            }
            m
        }
        fn get(&self, i: usize, j: usize) -> f64 {
            self.data[i * self.cols + j]
        }
        fn set(&mut self, i: usize, j: usize, v: f64) {
            self.data[i * self.cols + j] = v;
        }
        fn matmul(&self, other: &Matrix) -> Matrix {
            let mut out = Matrix::zeros(self.rows, other.cols);
            for i in 0..self.rows {
                for j in 0..other.cols {
                    let mut s = 0.0;
                    for k in 0..self.cols {
                        s += self.get(i, k) * other.get(k, j);
                    }
                    out.set(i, j, s);
                }
            }
            out
        }
        fn plus_eye(&self) -> Matrix {
            let mut e = Self::eye(self.rows);
            for k in 0..e.data.len() {
                e.data[k] += self.data[k];
            }
            e
        }
        fn trace(&self) -> f64 {
            (0..self.rows).map(|i| self.get(i, i)).sum()
        }
        fn ones(&self) -> Matrix {
            let f = Matrix::filled(self.rows);
            let mut g = f.clone();
            g.data[0] *= self.data[0];
            g
        }
    }
    #[differentiable]
    fn free(m: &Matrix) -> Matrix {
        let mut z = Matrix::zeros(m.cols, m.rows);
        z.data[1] = m.data[2] * m.data[0];
        z
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let a = Matrix { rows: 2, cols: 2, data: x.to_vec() };
        let b = a.matmul(&a);
        b.matmul(&a).trace()
            + b.get(0, 1) * a.get(1, 0)
            + a.plus_eye().matmul(&b).trace()
            + a.ones().data[0] * free(&a).data[1]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    constructors
}
