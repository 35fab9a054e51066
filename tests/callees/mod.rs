//! Functions that give arrays and views and take them, and structs of arrays.

#![allow(dead_code, reason = "each of the tests has its own")]

use cotangent::{Differentiable, differentiable};
use ndarray::{Array1, Array2, ArrayD, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, s};

#[derive(Clone, Differentiable)]
pub(crate) struct Layer {
    pub(crate) w: Array2<f64>,
    pub(crate) b: Array1<f64>,
}

#[derive(Clone, Differentiable)]
pub(crate) struct Net {
    pub(crate) layers: Vec<Layer>,
    pub(crate) gain: f64,
    pub(crate) all: ArrayD<f64>,
}

impl Layer {
    #[differentiable(order = 2)]
    pub(crate) fn apply(&self, v: &Array1<f64>) -> Array1<f64> {
        self.w.dot(v).mapv(f64::tanh)
    }

    #[differentiable(order = 2)]
    pub(crate) fn energy(&self) -> f64 {
        (&self.w * &self.w).sum() + self.b.dot(&self.b) * self.b.sum()
    }
}

#[differentiable(order = 2)]
pub(crate) fn pack(x: &Array1<f64>, m: &Array2<f64>, a: f64) -> Layer {
    Layer { w: m * a, b: x.mapv(|t| t * t) }
}

#[differentiable(order = 2)]
pub(crate) fn doubled(m: &Array2<f64>, a: f64) -> Array2<f64> {
    m * a + m * m
}

#[differentiable(order = 2)]
pub(crate) fn both(m: &Array2<f64>, x: &Array1<f64>) -> (Array2<f64>, Array1<f64>) {
    (m * m, x * x * 3.0)
}

#[differentiable(order = 2)]
pub(crate) fn perhaps(x: &Array1<f64>, a: f64) -> Option<Array1<f64>> {
    if a > 0.0 { Some(x * a) } else { None }
}

#[differentiable(order = 2)]
pub(crate) fn many(x: &Array1<f64>, n: usize) -> Vec<Array1<f64>> {
    let mut v = Vec::new();
    for k in 0..n {
        v.push(x * (k as f64 + 0.5) * x);
    }
    v
}

#[differentiable(order = 2)]
pub(crate) fn byview(v: ArrayView1<f64>, k: f64) -> f64 {
    v.sum() * k + v.dot(&v) * k
}

#[differentiable(order = 2)]
pub(crate) fn refmut(v: &mut Array1<f64>, k: f64) {
    *v *= k;
    v[0] += k * k;
}

#[differentiable(order = 2)]
pub(crate) fn viewmut(mut v: ArrayViewMut1<f64>, k: f64) {
    v *= k;
    v[0] += k * k;
}

#[differentiable(order = 2)]
pub(crate) fn first(m: &Array2<f64>) -> ArrayView1<'_, f64> {
    m.row(0)
}

#[differentiable(order = 2)]
pub(crate) fn part(m: &Array2<f64>, k: usize) -> ArrayView2<'_, f64> {
    m.slice(s![k.., ..])
}

#[differentiable(order = 2)]
pub(crate) fn two(m: &Array2<f64>, a: f64) -> (ArrayView1<'_, f64>, ArrayView2<'_, f64>, f64) {
    let r = m.row(1);
    (r, m.slice(s![1.., ..2]), a * a)
}

#[differentiable(order = 2)]
pub(crate) fn rest<'a>(m: ArrayView2<'a, f64>, k: usize) -> (f64, ArrayView2<'a, f64>) {
    (m[[0, 1]] * m[[1, 1]], m.slice_move(s![k.., ..]))
}

#[differentiable(order = 2)]
pub(crate) fn fallible(x: &Array1<f64>, a: f64) -> Result<Array1<f64>, String> {
    if a < 0.0 {
        return Err("negative".into());
    }
    Ok(x.mapv(|t| t * t * a))
}

#[differentiable(order = 2)]
pub(crate) fn twice(m: &Array2<f64>) -> Array2<f64> {
    m * 2.0
}

#[differentiable(order = 2)]
pub(crate) fn refview(v: &ArrayView1<f64>, k: f64) -> f64 {
    v.sum() * k + v.dot(v)
}

#[differentiable(order = 2)]
pub(crate) fn refview2(v: &ArrayView2<f64>, k: f64) -> f64 {
    v.sum() * k + (v * v).sum()
}

#[differentiable(order = 2)]
pub(crate) fn refmut2(v: &mut Array2<f64>, k: f64) {
    *v *= k;
    v[[0, 0]] += k;
}

#[differentiable(order = 2)]
pub(crate) fn refviewmut(v: &mut ArrayViewMut1<f64>, k: f64) {
    *v *= k;
    v[0] += k;
}

#[differentiable(order = 2)]
pub(crate) fn viewmut2(mut v: ArrayViewMut2<f64>, k: f64) {
    v *= k;
    v.row_mut(0).fill(k);
}

#[derive(Clone, Differentiable)]
pub(crate) struct Masked {
    pub(crate) w: Array2<f64>,
    #[inactive]
    pub(crate) mask: Array2<f64>,
    #[inactive]
    pub(crate) k: f64,
}

#[differentiable(order = 2)]
pub(crate) fn masked(m: &Array2<f64>, a: f64) -> Masked {
    Masked { w: m * a, mask: Array2::ones((3, 4)), k: 2.0 }
}

#[differentiable(order = 2)]
pub(crate) fn below<'a>(m: ArrayView2<'a, f64>, k: usize) -> ArrayView2<'a, f64> {
    m.slice_move(s![k.., ..])
}

#[differentiable(order = 2)]
pub(crate) fn split(m: &Array2<f64>, a: f64) -> (ArrayView1<'_, f64>, (f64, ArrayView2<'_, f64>)) {
    let last = m.slice(s![1.., ..]);
    (m.row(0), (a * a, last))
}

#[differentiable(order = 2)]
pub(crate) fn whole<'a>(m: ArrayView2<'a, f64>) -> ArrayView2<'a, f64> {
    m
}

#[differentiable(order = 2)]
pub(crate) fn power(x: &[f64], a: f64) -> f64 {
    x.iter().map(|t| t * t).sum::<f64>() * a
}

#[differentiable(order = 2, wrt(x))]
pub(crate) fn weighted(x: &Array1<f64>, weights: &[f64]) -> f64 {
    x.iter().zip(weights.iter().cycle()).map(|(t, w)| w * t * t).sum()
}

#[differentiable(order = 2, wrt(x))]
pub(crate) fn weighted_by_two(x: &Array1<f64>, weights: &[f64; 2]) -> f64 {
    x[0] * x[1] * weights[0] + x[2] * x[2] * weights[1]
}

#[differentiable(order = 2, wrt(x))]
pub(crate) fn turned(x: &Array1<f64>, by: &Array2<f64>) -> Array1<f64> {
    by.dot(x) * x
}
