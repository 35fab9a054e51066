//! Structs, enums, options, methods and recursion, with closed forms.

use cotangent::{Differentiable, Tangent, differentiable};

#[derive(Clone, Differentiable)]
struct Spring {
    stiffness: f64,
    rest: f64,
    coils: usize,
}

impl Spring {
    #[differentiable]
    fn energy(&self, x: f64) -> f64 {
        let d = x - self.rest;
        0.5 * self.stiffness * d * d / self.coils as f64
    }

    #[differentiable]
    fn soften(&mut self, by: f64) {
        self.stiffness *= by;
        self.rest += by;
    }
}

#[differentiable]
fn softened(k: f64, by: f64, x: f64) -> f64 {
    let mut s = Spring { stiffness: k, rest: 0.5, coils: 2 };
    for _ in 0..2 {
        s.soften(by);
    }
    s.energy(x)
}

#[test]
fn methods_that_read_and_change_self() {
    // ¼ k b² (x - ½ - 2b)²
    let (k, b, x) = (3.0, 0.5, 2.0);
    let d: f64 = x - 0.5 - 2.0 * b;
    let (value, (dk, db, dx)) = softened_value_and_grad(k, b, x);
    assert!((value - 0.25 * k * b * b * d * d).abs() < 1e-15);
    assert!((dk - 0.25 * b * b * d * d).abs() < 1e-15);
    assert!((db - 0.5 * k * b * d * d + k * b * b * d).abs() < 1e-15);
    assert!((dx - 0.5 * k * b * b * d).abs() < 1e-15);
    let dy = softened_jvp(k, b, x, 1.0, 2.0, -1.0).1;
    assert!((dy - (dk + 2.0 * db - dx)).abs() < 1e-14);
}

#[derive(Clone, Differentiable)]
enum Shape {
    Circle(f64),
    Box { width: f64, height: f64 },
    Polygon(usize, f64),
    Nothing,
}

#[differentiable]
fn area(shape: &Shape, scale: f64) -> f64 {
    let a = match shape {
        Shape::Circle(r) => 3.0 * r * r,
        Shape::Box { width, height } if *width > 10.0 => *height,
        Shape::Box { width, height } => width * height,
        Shape::Polygon(n, side) => *n as f64 * side,
        Shape::Nothing => 0.0,
    };
    a * scale
}

#[test]
fn enums_with_active_payloads() {
    let (value, (d, ds)) = area_value_and_grad(&Shape::Box { width: 2.0, height: 3.0 }, 4.0);
    assert_eq!((value, d.to_flat(), ds), (24.0, vec![12.0, 8.0], 6.0));
    let (value, (d, ds)) = area_value_and_grad(&Shape::Box { width: 20.0, height: 3.0 }, 4.0);
    assert_eq!((value, d.to_flat(), ds), (12.0, vec![0.0, 4.0], 3.0));
    assert_eq!(area_grad(&Shape::Circle(2.0), 1.0).0.to_flat(), [12.0]);
    assert_eq!(area_grad(&Shape::Polygon(5, 2.0), 1.0).0.to_flat(), [5.0]);
    assert_eq!(area_grad(&Shape::Nothing, 1.0).1, 0.0);
}

#[derive(Clone, Differentiable)]
enum Tree {
    Leaf(f64),
    Node(Box<Tree>, Box<Tree>),
}

#[differentiable]
fn total(tree: &Tree, weight: f64) -> f64 {
    match tree {
        Tree::Leaf(x) => weight * x * x,
        Tree::Node(a, b) => total(a, 2.0 * weight) + total(b, weight),
    }
}

#[test]
fn a_tree_in_boxes() {
    let leaf = |x| Box::new(Tree::Leaf(x));
    let tree = Tree::Node(Box::new(Tree::Node(leaf(1.0), leaf(2.0))), leaf(3.0));
    // w (4·1 + 2·4 + 9)
    let (value, (d, dw)) = total_value_and_grad(&tree, 0.5);
    assert_eq!((value, d.to_flat(), dw), (10.5, vec![4.0, 4.0, 3.0], 21.0));
}

#[differentiable]
fn nearest_two(xs: &[f64], at: f64) -> f64 {
    let mut best: Option<f64> = None;
    let mut second = None;
    for x in xs {
        let d = (x - at) * (x - at);
        match best {
            Some(b) if d >= b => second = Some(d),
            _ => {
                second = best;
                best = Some(d);
            }
        }
    }
    best.unwrap_or(0.0) + second.map_or(1.0, |s| 3.0 * s)
}

#[test]
fn options_with_active_payloads() {
    // (3 - 2)² + 3 (0 - 2)²
    assert_eq!(nearest_two_value_and_grad(&[0.0, 3.0], 2.0), (13.0, (vec![-12.0, 2.0], 10.0)));
    assert_eq!(nearest_two_value_and_grad(&[3.0], 2.0), (2.0, (vec![2.0], -2.0)));
    assert_eq!(nearest_two_value_and_grad(&[], 2.0), (1.0, (vec![], 0.0)));
}

#[differentiable]
fn even(n: u32, x: f64) -> f64 {
    if n == 0 { x } else { odd(n - 1, x * x) }
}

#[differentiable]
fn odd(n: u32, x: f64) -> f64 {
    if n == 0 { -x } else { even(n - 1, x + 1.0) }
}

#[test]
fn mutual_recursion() {
    // even(4): ((x² + 1)² + 1)
    let x: f64 = 0.7;
    let (value, dx) = even_value_and_grad(4, x);
    assert_eq!(value, even(4, x));
    assert!((dx - 4.0 * x * (x * x + 1.0)).abs() < 1e-14);
    assert!((even_jvp(4, x, (), 2.0).1 - 2.0 * dx).abs() < 1e-13);
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum()
}

fn norm_vjp(v: &[f64]) -> (f64, impl Fn(f64) -> Vec<f64> + '_) {
    (norm(v), move |g| v.iter().map(|x| 2.0 * g * x).collect())
}

fn norm_jvp(v: &[f64], dv: Vec<f64>) -> (f64, f64) {
    (norm(v), v.iter().zip(dv).map(|(x, d)| 2.0 * x * d).sum())
}

#[differentiable]
fn through_locals(x: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let row = vec![x, x * i as f64];
        sum += norm(&row) * x;
    }
    sum + norm(&[x, 1.0])
}

#[test]
fn pullbacks_that_borrow_local_values() {
    // x³ Σ (1 + i²) + x² + 1
    let x = 0.5;
    let (value, dx) = through_locals_value_and_grad(x, 3);
    assert!((value - (8.0 * x * x * x + x * x + 1.0)).abs() < 1e-15);
    assert!((dx - (24.0 * x * x + 2.0 * x)).abs() < 1e-14);
    assert!((through_locals_jvp(x, 3, 1.0, ()).1 - dx).abs() < 1e-14);
    let (_, pullback) = through_locals_vjp(x, 3);
    assert_eq!(pullback(2.0), pullback(2.0));
}

#[differentiable]
fn scaled<T: num_traits::Float, const N: usize>(xs: [T; N], by: T) -> T {
    let mut s = T::zero();
    for x in xs {
        s = s + x.powi(2) * by;
    }
    s.sqrt()
}

#[test]
fn generic_over_the_float_and_the_length() {
    // √(b (9 + 16)): b x / y and 25 / 2y
    let (value, (dx, db)) = scaled_value_and_grad([3.0_f64, 4.0], 1.0);
    assert_eq!((value, dx[1], db), (5.0, 0.8, 2.5));
    assert!((dx[0] - 0.6).abs() < 1e-15);
    let (value, (dx, db)) = scaled_value_and_grad([3.0_f32, 4.0], 1.0);
    assert_eq!((value, db), (5.0, 2.5));
    assert!((dx[0] - 0.6).abs() < 1e-6);
}
