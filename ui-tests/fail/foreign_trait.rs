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
impl std::iter::Sum<f64> for Path {
    fn sum<I: Iterator<Item = f64>>(points: I) -> Self {
        Path { points: points.collect() }
    }
}

// in a module that has the attribute such an `impl` is left alone
#[differentiable]
mod inside {
    use super::Path;

    impl TryFrom<[f64; 2]> for Path {
        type Error = ();

        fn try_from(x: [f64; 2]) -> Result<Self, ()> {
            Ok(Path { points: x.to_vec() })
        }
    }

    pub fn first(path: &Path) -> f64 {
        path.points[0]
    }
}

fn main() {
    let _ = inside::first_grad(&Path::try_from([1.0, 2.0]).unwrap());
}
