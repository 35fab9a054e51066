//! foreign-trait

use std::ops::Index;

use cotangent::{Differentiable, differentiable};

#[derive(Clone, Differentiable)]
struct Path {
    points: Vec<f64>,
}

#[differentiable]
impl Index<usize> for Path {
    type Output = f64;

    fn index(&self, k: usize) -> &f64 {
        &self.points[k]
    }
}

#[differentiable]
impl From<f64> for Path {
    fn from(x: f64) -> Self {
        Path { points: vec![x] }
    }
}

// in a module that has the attribute such an `impl` is left alone
#[differentiable]
mod inside {
    use super::Path;

    impl From<[f64; 2]> for Path {
        fn from(x: [f64; 2]) -> Self {
            Path { points: x.to_vec() }
        }
    }

    pub fn first(path: &Path) -> f64 {
        path.points[0]
    }
}

fn main() {
    let _ = inside::first_grad(&[1.0, 2.0].into());
}
