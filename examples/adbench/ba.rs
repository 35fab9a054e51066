//! BA: bundle adjustment, the sparse Jacobian of all residuals.
//!
//! A camera has eleven numbers: the rotation as an axis times an angle, the centre, the focal length, the principal point,
//! and two coefficients of the radial distortion. Each observation gives two reprojection errors, which depend on one
//! camera, one point and one weight, so their rows of the Jacobian are two calls of one pullback.

use std::cell::RefCell;
use std::hint::black_box;

use cotangent::differentiable;
use serde_json::Value;

use crate::expected::{self, Deviation};
use crate::problem::{Files, Instance, Problem};
use crate::read::{self, DataError, Words};

pub(crate) const INSTANCES: &[Instance] = &[
    Instance { name: "BA perturbed", file: TEMPLATE, expected: "ba_perturbed", goal: 6.5, open: open_perturbed },
    Instance { name: "BA ba1", file: TEMPLATE, expected: "ba1", goal: 6.5, open },
    Instance { name: "BA ba2", file: "ba/ba2_n21_m11315_p36455.txt", expected: "ba2", goal: 6.5, open },
    Instance { name: "BA ba3", file: "ba/ba3_n161_m48126_p182072.txt", expected: "ba3", goal: 6.5, open },
];

const TEMPLATE: &str = "ba/ba1_n49_m7776_p31843.txt";

/// Where a camera sees a point, against where the point was found in its picture.
#[differentiable(wrt(camera, point, weight), reverse)]
fn reprojection_error(camera: &[f64; 11], point: &[f64; 3], weight: f64, feature: &[f64; 2]) -> [f64; 2] {
    let rotation = [camera[0], camera[1], camera[2]];
    let from_centre = [point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]];
    let seen: [f64; 3] = rotate(rotation, from_centre);
    let (x, y) = (seen[0] / seen[2], seen[1] / seen[2]);
    let square = x * x + y * y;
    let distortion = 1.0 + camera[9] * square + camera[10] * square * square;
    let focal_length = camera[6];
    [
        weight * (x * distortion * focal_length + camera[7] - feature[0]),
        weight * (y * distortion * focal_length + camera[8] - feature[1]),
    ]
}

/// Rotates `a` about the axis `r` by the angle |r| (Rodrigues' formula).
#[differentiable(reverse)]
fn rotate(r: [f64; 3], a: [f64; 3]) -> [f64; 3] {
    let cross =
        |u: [f64; 3], v: [f64; 3]| [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if square == 0.0 {
        let turned = cross(r, a);
        return [a[0] + turned[0], a[1] + turned[1], a[2] + turned[2]];
    }
    let angle = square.sqrt();
    let inverse = 1.0 / angle;
    let axis = [r[0] * inverse, r[1] * inverse, r[2] * inverse];
    let (sin, cos) = angle.sin_cos();
    let turned = cross(axis, a);
    let along = (axis[0] * a[0] + axis[1] * a[1] + axis[2] * a[2]) * (1.0 - cos);
    [
        a[0] * cos + turned[0] * sin + axis[0] * along,
        a[1] * cos + turned[1] * sin + axis[1] * along,
        a[2] * cos + turned[2] * sin + axis[2] * along,
    ]
}

#[differentiable(reverse)]
fn weight_error(weight: f64) -> f64 {
    1.0 - weight * weight
}

/// A sparse matrix by rows: where each row begins, and the columns and values of all entries.
#[derive(Default)]
struct Sparse {
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    fn clear(&mut self) {
        self.rows.clear();
        self.columns.clear();
        self.values.clear();
        self.rows.push(0);
    }

    /// Adds entries to the row, in neighbouring columns.
    fn extend(&mut self, column: usize, values: &[f64]) {
        self.columns.extend(column as u32..(column + values.len()) as u32);
        self.values.extend_from_slice(values);
    }

    fn end_row(&mut self) {
        self.rows.push(self.values.len() as u32);
    }
}

struct Adjustment {
    cameras: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    features: Vec<[f64; 2]>,
    /// The camera and the point of each observation.
    observations: Vec<(usize, usize)>,
    jacobian: RefCell<Sparse>,
}

impl Adjustment {
    /// All residuals: two reprojection errors for each observation, and the errors of the weights.
    fn residuals(&self) -> (Vec<f64>, Vec<f64>) {
        let mut reprojection = Vec::with_capacity(2 * self.observations.len());
        for (i, &(camera, point)) in self.observations.iter().enumerate() {
            let (camera, point) = (&self.cameras[camera], &self.points[point]);
            reprojection.extend(reprojection_error(camera, point, self.weights[i], &self.features[i]));
        }
        (reprojection, self.weights.iter().map(|weight| weight_error(*weight)).collect())
    }

    /// The Jacobian of all residuals by cameras, points and weights. As the benchmark does, it fills the vectors anew.
    fn jacobian(&self, jacobian: &mut Sparse) {
        let points_start = 11 * self.cameras.len();
        let weights_start = points_start + 3 * self.points.len();
        jacobian.clear();
        for (i, &(camera, point)) in self.observations.iter().enumerate() {
            let (_, pullback) =
                reprojection_error_vjp(&self.cameras[camera], &self.points[point], self.weights[i], &self.features[i]);
            for seed in [[1.0, 0.0], [0.0, 1.0]] {
                let (camera_bar, point_bar, weight_bar, ()) = pullback(seed);
                jacobian.extend(11 * camera, &camera_bar);
                jacobian.extend(points_start + 3 * point, &point_bar);
                jacobian.extend(weights_start + i, &[weight_bar]);
                jacobian.end_row();
            }
        }
        for (i, &weight) in self.weights.iter().enumerate() {
            jacobian.extend(weights_start + i, &[weight_error_grad(weight)]);
            jacobian.end_row();
        }
    }
}

/// The file gives one camera, one point, one weight and one feature, which all others are like.
struct Template {
    sizes: [usize; 3],
    camera: [f64; 11],
    point: [f64; 3],
    weight: f64,
    feature: [f64; 2],
}

fn template(files: &Files) -> Result<Template, DataError> {
    let path = files.data();
    let text = read::text(&path)?;
    let mut words = Words::new(&path, &text);
    let sizes = [words.number()?, words.number()?, words.number()?];
    if sizes.contains(&0) {
        return Err(DataError::new(&path, "the sizes must be positive"));
    }
    let (camera, point) = (words.array()?, words.array()?);
    Ok(Template { sizes, camera, point, weight: words.number()?, feature: words.array()? })
}

fn observations([n, m, p]: [usize; 3]) -> Vec<(usize, usize)> {
    (0..p).map(|i| (i % n, i % m)).collect()
}

fn open(files: &Files) -> Result<Box<dyn Problem>, DataError> {
    let Template { sizes: [n, m, p], camera, point, weight, feature } = template(files)?;
    Ok(Box::new(Adjustment {
        cameras: vec![camera; n],
        points: vec![point; m],
        weights: vec![weight; p],
        features: vec![feature; p],
        observations: observations([n, m, p]),
        jacobian: RefCell::default(),
    }))
}

/// A small instance in which all cameras and points differ, and the first camera is not rotated.
fn open_perturbed(files: &Files) -> Result<Box<dyn Problem>, DataError> {
    let Template { camera, point, weight, feature, .. } = template(files)?;
    let sizes @ [n, m, p] = [5, 7, 20];
    let mut cameras: Vec<[f64; 11]> =
        (0..n).map(|i| std::array::from_fn(|j| camera[j] * (1.0 + 0.01 * ((i + 2 * j + 1) as f64).sin()))).collect();
    cameras[0][..3].fill(0.0);
    Ok(Box::new(Adjustment {
        cameras,
        points: (0..m).map(|t| std::array::from_fn(|j| point[j] * (1.0 + 0.01 * ((3 * t + j) as f64).cos()))).collect(),
        weights: (0..p).map(|i| weight * (1.0 + 0.1 * (i as f64).sin())).collect(),
        features: (0..p).map(|i| std::array::from_fn(|j| feature[j] * (1.0 + 0.01 * ((i + j) as f64).cos()))).collect(),
        observations: observations(sizes),
        jacobian: RefCell::default(),
    }))
}

impl Problem for Adjustment {
    fn objective(&self) {
        black_box(black_box(self).residuals());
    }

    fn derivative(&self) {
        let problem = black_box(self);
        let mut jacobian = problem.jacobian.borrow_mut();
        problem.jacobian(&mut jacobian);
        black_box(&*jacobian);
    }

    fn compare(&self, expected: &Value) -> Result<Deviation, String> {
        let mut deviation = Deviation::none();
        let (reprojection, weights) = self.residuals();
        deviation.vector("the reprojection errors", &reprojection, expected::part(expected, "reproj_err")?)?;
        deviation.vector("the errors of the weights", &weights, expected::part(expected, "w_err")?)?;
        let mut jacobian = Sparse::default();
        self.jacobian(&mut jacobian);
        let Sparse { rows, columns, values } = &jacobian;
        deviation.vector("the Jacobian", values, expected::part(expected, "J_vals")?)?;
        let indices = [
            (rows, ["csr_rows", "csr_rows_first4", "csr_rows_last3"]),
            (columns, ["csr_cols", "csr_cols_first45", "csr_cols_last3"]),
        ];
        for (indices, [all, first, last]) in indices {
            let indices: Vec<f64> = indices.iter().map(|&index| f64::from(index)).collect();
            let places =
                if expected.get(all).is_some() { vec![(all, true)] } else { vec![(first, true), (last, false)] };
            for (name, from_start) in places {
                let list = expected::numbers(expected, name, "the Jacobian")?;
                let from = if from_start { 0 } else { indices.len() - list.len() };
                deviation.entries(name, &indices, from, &list, 0.0)?;
            }
        }
        if let Some(sum) = expected.get("csr_cols_sum").and_then(Value::as_f64) {
            deviation.number(
                "the sum of the columns",
                columns.iter().map(|&column| f64::from(column)).sum(),
                sum,
                0.0,
            )?;
        }
        Ok(deviation)
    }
}
