//! HAND: the distances of a posed hand model from observed points, and their dense Jacobian.
//!
//! The pose `theta` has a global rotation (an axis times an angle), a global translation, and four angles for each finger.
//! In the simple form each observation belongs to a vertex of the model, in the complicated form to a place on a triangle,
//! which is given by two barycentric coordinates that are free as well.
//!
//! The Jacobian has few columns, so it is made in forward mode, one column at a time. The two columns of the barycentric
//! coordinates hold those of all observations, each of which depends on its own ones only.
//!
//! What is timed as the objective is what the benchmark defines, which visits all vertices with all bones, as most of the
//! weights in its files are zero. The annotated functions visit what matters.

use std::hint::black_box;

use cotangent::differentiable;
use serde_json::Value;

use crate::expected::{self, Deviation};
use crate::problem::{Files, Instance, Problem};
use crate::read::{self, DataError, Words};

pub(crate) const INSTANCES: &[Instance] = &[
    simple("HAND simple 100", "hand/simple_small/hand1_t26_c100.txt", "simple_small_1", 4.0),
    simple("HAND simple 192", "hand/simple_small/hand2_t26_c192.txt", "simple_small_2", 4.0),
    simple("HAND simple 800", "hand/simple_small/hand5_t26_c800.txt", "simple_small_5", 4.5),
    complicated("HAND complicated 100", "hand/complicated_small/hand1_t26_c100.txt", "complicated_small_1", 4.0),
    complicated("HAND complicated 192", "hand/complicated_small/hand2_t26_c192.txt", "complicated_small_2", 4.0),
    complicated("HAND complicated 800", "hand/complicated_small/hand5_t26_c800.txt", "complicated_small_5", 5.0),
];

const fn simple(name: &'static str, file: &'static str, expected: &'static str, goal: f64) -> Instance {
    Instance { name, file, expected, goal, open: open_simple }
}

const fn complicated(name: &'static str, file: &'static str, expected: &'static str, goal: f64) -> Instance {
    Instance { name, file, expected, goal, open: open_complicated }
}

const BONES: usize = 22;
const ANGLES: usize = 26;

/// `a b`
#[differentiable(forward)]
fn product(a: &[[f64; 4]; 3], b: &[[f64; 4]; 3]) -> [[f64; 4]; 3] {
    let mut c = [[0.0; 4]; 3];
    for i in 0..3 {
        for j in 0..4 {
            c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
        c[i][3] += a[i][3];
    }
    c
}

/// The rotation by `x` about the first axis, then by `z` about the third.
#[differentiable(forward)]
fn rotation_about_axes(x: f64, z: f64) -> [[f64; 4]; 3] {
    let (sin_x, cos_x) = x.sin_cos();
    let (sin_z, cos_z) = z.sin_cos();
    [[cos_z, -sin_z * cos_x, sin_z * sin_x, 0.0], [sin_z, cos_z * cos_x, -cos_z * sin_x, 0.0], [0.0, sin_x, cos_x, 0.0]]
}

/// The rotation by an axis times an angle; none if the angle is very small.
#[differentiable(forward)]
fn rotation(axis: &[f64]) -> [[f64; 3]; 3] {
    let angle = (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
    if angle < 1e-4 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let (x, y, z) = (axis[0] / angle, axis[1] / angle, axis[2] / angle);
    let (s, c) = angle.sin_cos();
    [
        [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
        [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
        [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c],
    ]
}

/// What each bone does to the vertices at rest.
#[differentiable(wrt(theta), forward)]
fn bones(theta: &[f64], model: &Model) -> Vec<[[f64; 4]; 3]> {
    let mut absolute: Vec<[[f64; 4]; 3]> = Vec::with_capacity(BONES);
    for i in 0..BONES {
        let mut relative = model.base_relative[i];
        // the first bone of a finger does not move, the second has two angles, the others one
        if i > 0 && i < 21 && i % 4 != 1 {
            let finger = 6 + 4 * ((i - 1) / 4);
            let turn: [[f64; 4]; 3] = match (i - 1) % 4 {
                1 => rotation_about_axes(theta[finger], theta[finger + 1]),
                joint => rotation_about_axes(theta[finger + joint], 0.0),
            };
            relative = product(&relative, &turn);
        }
        if let Some(parent) = model.parents[i] {
            relative = product(&absolute[parent], &relative);
        }
        absolute.push(relative);
    }
    let mut transforms: Vec<[[f64; 4]; 3]> = Vec::with_capacity(BONES);
    for i in 0..BONES {
        transforms.push(product(&absolute[i], &model.inverse_absolute[i]));
    }
    transforms
}

/// Where the given vertices are in a pose.
#[differentiable(wrt(theta), forward)]
fn positions(theta: &[f64], model: &Model, vertices: &[usize]) -> Vec<[f64; 3]> {
    let transforms: Vec<[[f64; 4]; 3]> = bones(theta, model);
    let global: [[f64; 3]; 3] = rotation(&theta[..3]);
    let mut positions = Vec::with_capacity(vertices.len());
    for &k in vertices {
        let at = model.vertices[k].at;
        let mut z = [0.0; 3];
        for &(bone, weight) in &model.vertices[k].weights {
            for i in 0..3 {
                let t = &transforms[bone][i];
                z[i] += weight * (t[0] * at[0] + t[1] * at[1] + t[2] * at[2] + t[3]);
            }
        }
        let mut position = [theta[3], theta[4], theta[5]];
        for i in 0..3 {
            position[i] += global[i][0] * z[0] + global[i][1] * z[1] + global[i][2] * z[2];
        }
        positions.push(position);
    }
    positions
}

/// The distances of observed points from vertices.
#[differentiable(wrt(theta), forward)]
fn distances(theta: &[f64], model: &Model, seen: &Seen) -> Vec<f64> {
    let positions: Vec<[f64; 3]> = positions(theta, model, &seen.vertices);
    let mut errors = Vec::with_capacity(3 * seen.points.len());
    for k in 0..seen.points.len() {
        for i in 0..3 {
            errors.push(seen.points[k][i] - positions[seen.places[k][0]][i]);
        }
    }
    errors
}

/// The distances of observed points from places on triangles.
#[differentiable(wrt(theta, us), forward)]
fn distances_from_triangles(theta: &[f64], us: &[[f64; 2]], model: &Model, seen: &Seen) -> Vec<f64> {
    let positions: Vec<[f64; 3]> = positions(theta, model, &seen.vertices);
    let mut errors = Vec::with_capacity(3 * us.len());
    for k in 0..us.len() {
        let [a, b, c] = seen.places[k];
        let [u, v] = us[k];
        for i in 0..3 {
            let place = u * positions[a][i] + v * positions[b][i] + (1.0 - u - v) * positions[c][i];
            errors.push(seen.points[k][i] - place);
        }
    }
    errors
}

/// What was observed.
struct Seen {
    points: Vec<[f64; 3]>,
    /// The vertices that matter.
    vertices: Vec<usize>,
    /// For each point the three corners of its triangle, or its vertex three times, as places among the vertices.
    places: Vec<[usize; 3]>,
}

struct Vertex {
    at: [f64; 3],
    /// The bones that move it, and how much.
    weights: Vec<(usize, f64)>,
}

struct Model {
    parents: Vec<Option<usize>>,
    base_relative: Vec<[[f64; 4]; 3]>,
    inverse_absolute: Vec<[[f64; 4]; 3]>,
    vertices: Vec<Vertex>,
    triangles: Vec<[usize; 3]>,
}

fn transform(words: &mut Words<'_>) -> Result<[[f64; 4]; 3], DataError> {
    let rows = [words.array()?, words.array()?, words.array()?];
    words.array::<4>()?;
    Ok(rows)
}

fn model(files: &Files) -> Result<Model, DataError> {
    let mut model = Model {
        parents: Vec::new(),
        base_relative: Vec::new(),
        inverse_absolute: Vec::new(),
        vertices: Vec::new(),
        triangles: Vec::new(),
    };
    let path = files.shared("hand/model/bones.txt");
    for line in read::text(&path)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = Words::new(&path, line);
        words.word()?;
        model.parents.push(usize::try_from(words.number::<i64>()?).ok());
        model.base_relative.push(transform(&mut words)?);
        model.inverse_absolute.push(transform(&mut words)?);
    }
    if model.parents.len() != BONES || (0..BONES).any(|i| model.parents[i].is_some_and(|parent| parent >= i)) {
        return Err(DataError::new(&path, format!("there must be {BONES} bones, parents first")));
    }
    let path = files.shared("hand/model/vertices.txt");
    for line in read::text(&path)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = Words::new(&path, line);
        let at = words.array()?;
        words.array::<5>()?;
        let count = words.number()?;
        let mut weights = Vec::with_capacity(count);
        for _ in 0..count {
            let (bone, weight) = (words.number()?, words.number()?);
            if bone >= BONES {
                return Err(DataError::new(&path, format!("there is no bone {bone}")));
            }
            weights.push((bone, weight));
        }
        model.vertices.push(Vertex { at, weights });
    }
    let path = files.shared("hand/model/triangles.txt");
    for line in read::text(&path)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = Words::new(&path, line);
        let triangle = [words.number()?, words.number()?, words.number()?];
        if triangle.iter().any(|&vertex| vertex >= model.vertices.len()) {
            return Err(DataError::new(&path, format!("there is no such vertex: `{line}`")));
        }
        model.triangles.push(triangle);
    }
    Ok(model)
}

struct Hand {
    model: Model,
    theta: Vec<f64>,
    /// The barycentric coordinates of each observation, in the complicated form.
    us: Option<Vec<[f64; 2]>>,
    seen: Seen,
    /// For each bone how much it moves each vertex, mostly zero.
    dense: Vec<Vec<f64>>,
}

fn open_simple(files: &Files) -> Result<Box<dyn Problem>, DataError> {
    open(files, false)
}

fn open_complicated(files: &Files) -> Result<Box<dyn Problem>, DataError> {
    open(files, true)
}

fn open(files: &Files, complicated: bool) -> Result<Box<dyn Problem>, DataError> {
    let model = model(files)?;
    let path = files.data();
    let text = read::text(&path)?;
    let mut words = Words::new(&path, &text);
    let (count, angles): (usize, usize) = (words.number()?, words.number()?);
    if angles != ANGLES {
        return Err(DataError::new(&path, format!("the pose must have {ANGLES} numbers, not {angles}")));
    }
    let (mut points, mut corners) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        let place: usize = words.number()?;
        let found = if complicated {
            model.triangles.get(place).copied()
        } else {
            (place < model.vertices.len()).then_some([place; 3])
        };
        corners.push(found.ok_or_else(|| DataError::new(&path, format!("the model has no place {place}")))?);
        points.push(words.array()?);
    }
    let mut vertices: Vec<usize> = corners.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let place = |vertex: usize| vertices.partition_point(|&other| other < vertex);
    let places = corners.iter().map(|corners| corners.map(place)).collect();
    let seen = Seen { points, places, vertices };
    let us = if complicated { Some(words.rows(count)?) } else { None };
    let mut dense = vec![vec![0.0; model.vertices.len()]; BONES];
    for (k, vertex) in model.vertices.iter().enumerate() {
        for &(bone, weight) in &vertex.weights {
            dense[bone][k] = weight;
        }
    }
    Ok(Box::new(Hand { theta: words.numbers(ANGLES)?, model, us, seen, dense }))
}

impl Hand {
    /// The errors as the annotated functions give them, which visit what matters only.
    fn errors(&self) -> Vec<f64> {
        match &self.us {
            None => distances(&self.theta, &self.model, &self.seen),
            Some(us) => distances_from_triangles(&self.theta, us, &self.model, &self.seen),
        }
    }

    /// The Jacobian, column by column.
    fn jacobian(&self) -> Vec<f64> {
        let mut columns = Vec::with_capacity((ANGLES + 2) * 3 * self.seen.points.len());
        let still = vec![0.0; ANGLES];
        if let Some(us) = &self.us {
            for direction in [[1.0, 0.0], [0.0, 1.0]] {
                let us_dot = vec![direction; us.len()];
                let (_, column) = distances_from_triangles_jvp(
                    &self.theta,
                    us,
                    &self.model,
                    &self.seen,
                    still.clone(),
                    us_dot,
                    (),
                    (),
                );
                columns.extend(column);
            }
        }
        for k in 0..ANGLES {
            let mut theta_dot = still.clone();
            theta_dot[k] = 1.0;
            let (_, column) = match &self.us {
                None => distances_jvp(&self.theta, &self.model, &self.seen, theta_dot, (), ()),
                Some(us) => {
                    let us_dot = vec![[0.0; 2]; us.len()];
                    distances_from_triangles_jvp(&self.theta, us, &self.model, &self.seen, theta_dot, us_dot, (), ())
                }
            };
            columns.extend(column);
        }
        columns
    }
}

/// The errors as the benchmark defines the cost of its objective: all vertices are visited, and for each of them all bones.
fn dense_errors(hand: &Hand) -> Vec<f64> {
    let Hand { model, theta, us, seen, dense } = hand;
    let transforms = bones(theta, model);
    let global = rotation(&theta[..3]);
    let mut skinned = vec![[0.0; 3]; model.vertices.len()];
    for (transform, weights) in transforms.iter().zip(dense) {
        for ((z, vertex), weight) in skinned.iter_mut().zip(&model.vertices).zip(weights) {
            let at = vertex.at;
            for i in 0..3 {
                let t = &transform[i];
                z[i] += weight * (t[0] * at[0] + t[1] * at[1] + t[2] * at[2] + t[3]);
            }
        }
    }
    let place =
        |z: &[f64; 3], i: usize| theta[3 + i] + (global[i][0] * z[0] + global[i][1] * z[1] + global[i][2] * z[2]);
    let positions: Vec<[f64; 3]> = skinned.iter().map(|z| std::array::from_fn(|i| place(z, i))).collect();
    let mut errors = Vec::with_capacity(3 * seen.points.len());
    for (k, point) in seen.points.iter().enumerate() {
        let [a, b, c] = seen.places[k].map(|place| positions[seen.vertices[place]]);
        for i in 0..3 {
            let seen_at = match us {
                None => a[i],
                Some(us) => us[k][0] * a[i] + us[k][1] * b[i] + (1.0 - us[k][0] - us[k][1]) * c[i],
            };
            errors.push(point[i] - seen_at);
        }
    }
    errors
}

impl Problem for Hand {
    fn objective(&self) {
        black_box(dense_errors(black_box(self)));
    }

    fn derivative(&self) {
        black_box(black_box(self).jacobian());
    }

    fn compare(&self, expected: &Value) -> Result<Deviation, String> {
        let mut deviation = Deviation::none();
        deviation.vector("the distances", &self.errors(), expected::part(expected, "F")?)?;
        deviation.vector("the distances by all bones", &dense_errors(self), expected::part(expected, "F")?)?;
        let jacobian = self.jacobian();
        deviation.vector("the Jacobian", &jacobian, expected::part(expected, "J_colmajor")?)?;
        let rows = 3 * self.seen.points.len();
        let columns = jacobian.len() / rows;
        let sums: Vec<f64> = jacobian.chunks_exact(rows).map(|column| column.iter().sum()).collect();
        let scale = jacobian.iter().map(|x| x * x).sum::<f64>().sqrt();
        let expected_sums = expected::numbers(expected, "J_column_sums", "the Jacobian")?;
        deviation.entries("the sum of column ", &sums, 0, &expected_sums, scale)?;
        for k in [0, 1, 2, rows - 1] {
            let row: Vec<f64> = (0..columns).map(|j| jacobian[j * rows + k]).collect();
            let expected_row = expected::numbers(expected, &format!("J_row{k}"), "the Jacobian")?;
            deviation.entries(
                "a row of the Jacobian",
                &row,
                0,
                &expected_row,
                scale / (jacobian.len() as f64).sqrt(),
            )?;
        }
        Ok(deviation)
    }
}
