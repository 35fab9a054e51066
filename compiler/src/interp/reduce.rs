//! Reductions of whole arrays, and what their derivatives need.

use super::val::Val;
use super::{Result, malformed, panic, unsupported};
use crate::ir::Primitive;

/// A primitive of [`crate::prims::reduce`], or a sum along an axis.
pub(super) fn prim(p: &Primitive, args: &[&Val]) -> Result<Val> {
    let all = |x: &Val, f: &dyn Fn(&[f64]) -> f64| Ok(Val::Float(f(&x.flat())));
    let ddof = |v: &Val| v.float();
    match (p.name, args) {
        ("sum_axis", [x, axis]) => Lanes::of(x, axis)?.reduced(|lane| lane.iter().sum()),
        ("along", [g, axis]) => {
            let (Val::Array { shape, data }, Val::Int(axis)) = (g, axis) else {
                return malformed(format!("{g:?} along {axis:?}"));
            };
            let mut shape = shape.clone();
            shape.insert(usize::try_from(*axis).unwrap_or(usize::MAX).min(shape.len()), 1);
            Ok(Val::Array { shape, data: data.clone() })
        }
        ("product", [x]) => all(x, &|xs| xs.iter().product()),
        ("product_axis", [x, axis]) => Lanes::of(x, axis)?.reduced(|lane| lane.iter().product()),
        ("var", [x, free]) => {
            let free = ddof(free)?;
            all(x, &|xs| variance(xs, free))
        }
        ("var_axis", [x, axis, free]) => {
            let free = ddof(free)?;
            Lanes::of(x, axis)?.reduced(|lane| variance(lane, free))
        }
        ("std", [x, free]) => {
            let free = ddof(free)?;
            all(x, &|xs| variance(xs, free).sqrt())
        }
        ("std_axis", [x, axis, free]) => {
            let free = ddof(free)?;
            Lanes::of(x, axis)?.reduced(|lane| variance(lane, free).sqrt())
        }
        ("count", [x]) => all(x, &|xs| xs.len() as f64),
        ("count_axis", [x, axis]) => Ok(Val::Float(Lanes::of(x, axis)?.length as f64)),
        ("others", [x]) => whole_lane(x)?.mapped(|k, lane| others(lane, &[k])),
        ("others_axis", [x, axis]) => Lanes::of(x, axis)?.mapped(|k, lane| others(lane, &[k])),
        ("others_dot", [h, x]) => whole_lane(x)?.with(&h.flat(), turned),
        ("others_axis_dot", [h, x, axis]) => Lanes::of(x, axis)?.with(&h.flat(), turned),
        _ => unsupported(format!("{} of {args:?}", p.name)),
    }
}

/// As `ndarray` computes it.
fn variance(xs: &[f64], ddof: f64) -> f64 {
    let (mut mean, mut squares) = (0.0, 0.0);
    for (k, &x) in xs.iter().enumerate() {
        let delta = x - mean;
        mean += delta / (k + 1) as f64;
        squares = (x - mean).mul_add(delta, squares);
    }
    squares / (xs.len() as f64 - ddof)
}

/// The product of all but some.
fn others(lane: &[f64], but: &[usize]) -> f64 {
    lane.iter().enumerate().filter(|(k, _)| !but.contains(k)).map(|(_, x)| x).product()
}

/// The derivative of the product of all but the k-th in the direction `h`.
fn turned(k: usize, lane: &[f64], h: &[f64]) -> f64 {
    (0..lane.len()).filter(|&j| j != k && h[j] != 0.0).map(|j| h[j] * others(lane, &[j, k])).sum()
}

/// The lanes of an array along an axis: element `k` of lane `(i, j)` is at `(i·length + k)·inner + j`.
struct Lanes {
    shape: Vec<usize>,
    axis: usize,
    data: Vec<f64>,
    outer: usize,
    length: usize,
    inner: usize,
}

/// An array as one lane.
fn whole_lane(x: &Val) -> Result<Lanes> {
    let Val::Array { shape, data } = x else { return malformed(format!("the elements of {x:?}")) };
    let length = data.len();
    Ok(Lanes { shape: shape.clone(), axis: 0, data: data.clone(), outer: 1, length, inner: 1 })
}

impl Lanes {
    fn of(x: &Val, axis: &Val) -> Result<Lanes> {
        let (Val::Array { shape, data }, Val::Int(axis)) = (x, axis) else {
            return malformed(format!("{x:?} along {axis:?}"));
        };
        let Some(axis) = usize::try_from(*axis).ok().filter(|&k| k < shape.len()) else {
            return panic(format!("ndarray: the axis {axis} of shape {shape:?}"));
        };
        let (outer, inner) = (shape[..axis].iter().product(), shape[axis + 1..].iter().product());
        Ok(Lanes { shape: shape.clone(), axis, data: data.clone(), outer, length: shape[axis], inner })
    }

    fn lane(&self, data: &[f64], lane: usize) -> Vec<f64> {
        (0..self.length).map(|k| data[self.at(lane, k)]).collect()
    }

    fn at(&self, lane: usize, k: usize) -> usize {
        (lane / self.inner * self.length + k) * self.inner + lane % self.inner
    }

    fn reduced(&self, f: impl Fn(&[f64]) -> f64) -> Result<Val> {
        let data = (0..self.outer * self.inner).map(|lane| f(&self.lane(&self.data, lane))).collect();
        let mut shape = self.shape.clone();
        shape.remove(self.axis);
        Ok(Val::Array { shape, data })
    }

    fn mapped(&self, f: impl Fn(usize, &[f64]) -> f64) -> Result<Val> {
        self.with(&self.data, |k, lane, _| f(k, lane))
    }

    /// For each element a function of its place in its lane, the lane, and that of another array of the shape.
    fn with(&self, other: &[f64], f: impl Fn(usize, &[f64], &[f64]) -> f64) -> Result<Val> {
        let mut data = self.data.clone();
        for lane in 0..self.outer * self.inner {
            let (x, h) = (self.lane(&self.data, lane), self.lane(other, lane));
            for k in 0..self.length {
                data[self.at(lane, k)] = f(k, &x, &h);
            }
        }
        Ok(Val::Array { shape: self.shape.clone(), data })
    }
}
