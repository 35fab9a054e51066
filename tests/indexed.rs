//! `Index` and `IndexMut` of types of the user.

#![allow(unused, clippy::all)]

mod agree;

/// A point near the one that the programs are written for.
#[cotangent::differentiable]
pub(crate) fn near(x: &[f64], a: f64) -> Vec<f64> {
    vec![0.4 + 0.1 * x[0], 1.3 + 0.1 * x[1], -0.7 + 0.1 * a, 0.9 + 0.1 * x[2]]
}

/// A matrix: products, in place, eliminated.
mod matrix {
    use cotangent::{Differentiable, differentiable};
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct Matrix {
        rows: usize,
        cols: usize,
        data: Vec<f64>,
    }
    impl Index<(usize, usize)> for Matrix {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            assert!(j < self.cols);
            &self.data[i * self.cols + j]
        }
    }
    impl IndexMut<(usize, usize)> for Matrix {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
            &mut self.data[i * self.cols + j]
        }
    }
    #[differentiable]
    impl Matrix {
        fn zeros(rows: usize, cols: usize) -> Self {
            Self { rows, cols, data: vec![0.0; rows * cols] }
        }
        fn from_vec(rows: usize, cols: usize, data: Vec<f64>) -> Self {
            Self { rows, cols, data }
        }
        fn matmul(&self, other: &Matrix) -> Matrix {
            let mut out = Matrix::zeros(self.rows, other.cols);
            for i in 0..self.rows {
                for j in 0..other.cols {
                    for k in 0..self.cols {
                        out[(i, j)] += self[(i, k)] * other[(k, j)];
                    }
                }
            }
            out
        }
        fn scale_row(&mut self, i: usize, by: f64) {
            for j in 0..self.cols {
                self[(i, j)] *= by;
            }
            self[(0, 0)] = self[(i, 0)] - by;
        }
        fn trace(&self) -> f64 {
            (0..self.rows).map(|i| self[(i, i)]).sum()
        }
    }
    #[differentiable]
    fn solve(mut a: Matrix, b: &[f64]) -> f64 {
        let m = a[(1, 0)] / a[(0, 0)];
        for j in 0..2 {
            let t = a[(0, j)];
            a[(1, j)] -= m * t;
        }
        (b[1] - m * b[0]) / a[(1, 1)]
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let a = Matrix::from_vec(2, 2, x.to_vec());
        let mut b = a.matmul(&a);
        b.scale_row(1, x[3]);
        b[(0, 1)] = b[(1, 1)].max(x[0]) * 2.0;
        b.matmul(&a).trace() + b[(0, 1)] * a[(1, 0)] + solve(b.clone(), x)
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// A vector with numbers and an enum for indices, and `self[k]`.
mod vector {
    use cotangent::{Differentiable, differentiable};
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Axis {
        Along,
        Across,
        Up,
    }
    #[derive(Clone, Copy, Debug, Differentiable)]
    struct Vec3 {
        x: f64,
        y: f64,
        z: f64,
        tag: u8,
    }
    impl Index<usize> for Vec3 {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            match i {
                0 => &self.x,
                1 => &self.y,
                2 => &self.z,
                _ => panic!("range"),
            }
        }
    }
    impl IndexMut<usize> for Vec3 {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            match i {
                0 => &mut self.x,
                1 => &mut self.y,
                2 => &mut self.z,
                _ => panic!("range"),
            }
        }
    }
    impl Index<Axis> for Vec3 {
        type Output = f64;
        fn index(&self, a: Axis) -> &f64 {
            match a {
                Axis::Along => &self.x,
                Axis::Across => &self.y,
                Axis::Up => &self.z,
            }
        }
    }
    impl IndexMut<Axis> for Vec3 {
        fn index_mut(&mut self, a: Axis) -> &mut f64 {
            match a {
                Axis::Along => &mut self.x,
                Axis::Across => &mut self.y,
                Axis::Up => &mut self.z,
            }
        }
    }
    #[differentiable]
    impl Vec3 {
        fn new(x: f64, y: f64, z: f64) -> Self {
            Vec3 { x, y, z, tag: 1 }
        }
        fn dot(&self, o: &Self) -> f64 {
            (0..3).map(|k| self[k] * o[k] * o[Axis::Across] * o.x).sum::<f64>() + self[1] * self[Axis::Up]
        }
        fn swapped(mut self) -> Self {
            let t = self[0];
            self[0] = self[2];
            self[2] = t;
            self[1] += t;
            self
        }
        fn largest(&self) -> f64 {
            let mut k = 0;
            for i in 1..3 {
                if self[i] > self[k] {
                    k = i;
                }
            }
            self[k]
        }
    }
    #[derive(Clone, Differentiable)]
    struct Body {
        pos: Vec3,
        vel: Vec3,
        mass: f64,
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let v = Vec3::new(x[0], x[1], x[2]);
        let w = v.swapped();
        let mut b = Body { pos: v, vel: w, mass: x[3] };
        b.pos[Axis::Along] += b.vel[Axis::Across] * 0.1;
        b.vel[Axis::Up] = b.pos[Axis::Along] * b.mass;
        v.dot(&w) + w.largest() * b.vel[Axis::Up] + b.pos[Axis::Along]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// What an index leads to may be a constant, a field that is inactive, an option, a struct.
mod elsewhere {
    use cotangent::{Differentiable, differentiable};
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct Sparse {
        at: Vec<(usize, usize)>,
        values: Vec<f64>,
        #[inactive]
        defaults: Vec<f64>,
        mean: Option<f64>,
    }
    static ZERO: f64 = 0.0;
    impl Index<(usize, usize)> for Sparse {
        type Output = f64;
        fn index(&self, ij: (usize, usize)) -> &f64 {
            match self.at.iter().position(|&of| of == ij) {
                Some(k) => &self.values[k],
                None if ij.0 == 7 => &self.defaults[ij.1],
                None if ij.0 == 8 => self.mean.as_ref().unwrap(),
                None => &ZERO,
            }
        }
    }
    #[derive(Clone, Debug, Differentiable)]
    struct Grid<const N: usize> {
        cells: [[P; N]; 2],
        n: usize,
    }
    #[derive(Clone, Copy, Debug, Differentiable)]
    struct P {
        u: f64,
        v: f64,
    }
    impl<const N: usize> Index<(usize, usize)> for Grid<N> {
        type Output = P;
        fn index(&self, (i, j): (usize, usize)) -> &P {
            &self.cells[i][j]
        }
    }
    impl<const N: usize> IndexMut<(usize, usize)> for Grid<N> {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut P {
            &mut self.cells[i][j]
        }
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let s =
            Sparse { at: vec![(0, 1), (2, 2)], values: vec![x[0] * x[1], x[2]], defaults: vec![3.0], mean: Some(x[3]) };
        let mut g = Grid::<3> { cells: std::array::from_fn(|_| std::array::from_fn(|_| P { u: x[0], v: x[1] })), n: 3 };
        let mut count = 0;
        g[(
            {
                count += 1;
                1
            },
            2,
        )] = P { u: x[2] * x[3], v: g[(0, 0)].u * 2.0 };
        let p = g[(1, 2)];
        s[(0, 1)] * s[(2, 2)] + s[(5, 5)] + s[(7, 0)] * x[0] + s[(8, 0)] * x[1] + p.u * p.v + g[(0, 1)].v * count as f64
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Second derivatives.
mod second {
    use cotangent::{Differentiable, differentiable};
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct Matrix {
        cols: usize,
        data: Vec<f64>,
    }
    impl Index<(usize, usize)> for Matrix {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.data[i * self.cols + j]
        }
    }
    #[differentiable(order = 2)]
    fn g(m: &Matrix, k: usize) -> f64 {
        m[(0, 0)] * m[(1, 1)].powi(2) - m[(0, k)] * m[(1, 0)] * m[(0, k)]
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let m = Matrix { cols: 2, data: x.to_vec() };
        let d = g_grad(&m, 1);
        d.data[0] * d.data[1] + d.data[2] * d.data[3]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// References, closures, chains, tuples, rows, and what is run again.
mod uses {
    use cotangent::{Differentiable, differentiable};
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct M {
        d: Vec<f64>,
        c: usize,
    }
    impl Index<(usize, usize)> for M {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.d[i * self.c + j]
        }
    }
    impl IndexMut<(usize, usize)> for M {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
            &mut self.d[i * self.c + j]
        }
    }
    #[differentiable]
    fn lend(v: &f64, w: f64) -> f64 {
        v * w
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let mut m = M { d: x.to_vec(), c: 2 };
        let r = &m[(0, 1)];
        let a = *r * 2.0;
        let g = |i: usize, j: usize| m[(i, j)] * x[0];
        let s: f64 = (0..2).flat_map(|i| (0..2).map(move |j| (i, j))).map(|(i, j)| m[(i, j)] * (i + j) as f64).sum();
        let b = lend(&m[(1, 0)], m[(1, 1)]) + g(0, 0);
        let t = m.clone();
        m[(0, 0)] = 0.0;
        m[(0, 0)] += t[(0, 0)] * t[(0, 1)];
        let ms = vec![m.clone(), t];
        let u = ms[0][(0, 0)] + ms[1][(1, 1)];
        (m[(0, 0)], m[(0, 1)]) = (m[(0, 1)], m[(0, 0)]);
        let nested = [[m[(0, 0)], m[(0, 1)]], [1.0, m[(1, 0)].sin()]];
        #[checkpoint(steps = 2)]
        for k in 0..4 {
            let v = m[(1, 1)];
            m[(1, 1)] = v * 0.9 + m[(0, 1)] * k as f64;
        }
        a + s + b * u + nested[0][0] * nested[1][1] + nested[0][1] + m[(1, 1)]
            - if m[(0, 0)] > 0.0 { m[(0, 0)].max(m[(1, 0)]) } else { 0.0 }
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

/// Borrowed data, data without a derivative, a field of a field, loops with exits.
mod views {
    use cotangent::{Differentiable, differentiable};
    use std::collections::HashMap;
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct View<'a> {
        data: &'a [f64],
        cols: usize,
        extra: f64,
    }
    impl Index<(usize, usize)> for View<'_> {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            if i == 9 { &self.extra } else { &self.data[i * self.cols + j] }
        }
    }
    struct Table(HashMap<(usize, usize), f64>);
    impl Index<(usize, usize)> for Table {
        type Output = f64;
        fn index(&self, k: (usize, usize)) -> &f64 {
            &self.0[&k]
        }
    }
    impl IndexMut<(usize, usize)> for Table {
        fn index_mut(&mut self, k: (usize, usize)) -> &mut f64 {
            self.0.entry(k).or_default()
        }
    }
    #[derive(Clone, Debug, Differentiable)]
    struct Stack {
        grids: Vec<[[f64; 2]; 2]>,
        m: [f64; 2],
    }
    impl Index<(usize, usize, usize)> for Stack {
        type Output = f64;
        fn index(&self, (k, i, j): (usize, usize, usize)) -> &f64 {
            &self.grids[k][i][j]
        }
    }
    impl IndexMut<(usize, usize, usize)> for Stack {
        fn index_mut(&mut self, (k, i, j): (usize, usize, usize)) -> &mut f64 {
            &mut self.grids[k][i][j]
        }
    }
    #[derive(Clone, Differentiable)]
    struct Holder {
        s: Stack,
        scale: f64,
    }
    #[differentiable]
    fn sweep(h: &mut Holder, n: usize) -> f64 {
        let mut total = 0.0;
        for i in 0..n {
            for j in 0..2 {
                if h.s[(0, i, j)] < 0.0 {
                    continue;
                }
                h.s[(1, j, i)] = h.s[(0, i, j)] * h.scale + h.s[(1, i, j)];
                h.s[(0, i, j)] -= 0.5;
                if h.s[(1, i, j)] > 3.0 {
                    return total;
                }
                total += h.s[(1, i, j)];
            }
        }
        total
    }
    #[differentiable]
    fn program(x: &[f64]) -> f64 {
        let v = View { data: x, cols: 2, extra: x[0] * x[1] };
        let mut t = Table(HashMap::from([((0, 1), 2.0)]));
        t[(3, 3)] = 4.0;
        let mut h = Holder { s: Stack { grids: vec![[[x[0], x[1]], [x[2], x[3]]]; 2], m: [x[0]; 2] }, scale: x[3] };
        let total = sweep(&mut h, 2);
        v[(0, 1)] * v[(1, 0)] + v[(9, 0)] * t[(0, 1)] + t[(3, 3)] * x[1] + total * h.s[(1, 0, 1)] + h.s[(0, 1, 1)]
    }

    #[differentiable(into)]
    pub(crate) fn f(x: &[f64], a: f64) -> f64 {
        program(&super::near(x, a))
    }
}

agree! {
    matrix
    vector
    elsewhere
    second
    uses
    views
}
