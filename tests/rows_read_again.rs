//! Views of arrays in loops: what is still there when the pullback runs is read again, and not copied.

#![allow(clippy::op_ref, clippy::assign_op_pattern, reason = "these operators are under test")]

use std::alloc::System;

use cap::Cap;
use ndarray::{Array2, Array3};

mod matrices;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

mod callees {
    use cotangent::{Differentiable, differentiable};
    use ndarray::{Array1, Array2};

    #[derive(Clone, Differentiable)]
    pub(crate) struct Layer {
        pub(crate) w: Array2<f64>,
        pub(crate) b: Array1<f64>,
    }

    #[differentiable]
    pub(crate) fn layer(x: &Array1<f64>, m: &Array2<f64>, a: f64) -> Layer {
        Layer { w: m * a, b: x.mapv(f64::sin) }
    }
}

functions! {
    (x, m, a)
    of_parameters {
        let mut s = x.slice(s![..4]).to_owned();
        for r in m.outer_iter() {
            s = (s * r + a).tanh() * &r;
        }
        let mut t = x.slice(s![..3]).to_owned();
        for c in m.axis_iter(Axis(1)) {
            t = (&t * &c).sin() + t.dot(&c);
        }
        s.sum() * t.sum()
    }
    of_local_arrays {
        let y = m * a;
        let mut s = x.slice(s![..4]).to_owned();
        for k in 0..3 {
            let r = y.row(k);
            s = (&s * &r).tanh() + &(&r * &r);
        }
        s.dot(&y.row(0))
    }
    of_what_changes_after {
        let mut y = m * a;
        let mut s = x.slice(s![..4]).to_owned();
        for r in y.outer_iter() {
            s = (s * r).tanh();
        }
        y *= 2.0;
        y[[0, 0]] = a;
        for r in y.outer_iter() {
            s = (s * r).tanh();
        }
        s.sum()
    }
    of_what_changes_meanwhile {
        let mut y = m * a;
        let mut s = x.slice(s![..4]).to_owned();
        for k in 0..3 {
            s = (&s * &y.row(k)).tanh();
            let t = &y.row(k) * &s;
            y.row_mut((k + 1) % 3).assign(&t);
        }
        s.dot(&y.row(2))
    }
    of_fields {
        let l = layer(x, m, a);
        let mut s = x.slice(s![..4]).to_owned();
        for (k, r) in l.w.outer_iter().enumerate() {
            s = (s * r).tanh() * l.b[k];
        }
        s.sum()
    }
    of_parts_of_parts {
        let c = m.to_shape((3, 2, 2)).unwrap();
        let mut s = a;
        for k in 0..3 {
            for r in c.index_axis(Axis(0), k).columns() {
                s = (s * r.dot(&r)).sin() + r[0];
            }
        }
        s * x[0]
    }
    of_a_view_that_is_handed_over {
        let part = m.slice(s![1.., ..;-1]);
        let mut s = x.slice(s![..4]).to_owned();
        for r in part.rows() {
            s = (s + r.mapv(f64::exp)).cos() * r;
        }
        s.sum() * a
    }
    as_a_condition_says {
        let mut s = x.slice(s![..4]).to_owned();
        for (k, r) in m.outer_iter().enumerate() {
            if r[0] > 0.0 || k == 2 {
                s = (&s * &r).tanh();
            } else {
                s = s + r.dot(&r);
            }
        }
        s.sum() * a
    }
}

/// The state of each step is kept, the rows that go into it are not.
#[test]
fn nothing_is_copied() {
    #[cotangent::differentiable(wrt(w))]
    fn f(w: &Array2<f64>, xs: &Array3<f64>) -> f64 {
        let mut s = Array2::<f64>::zeros((10, 2));
        for x in xs.outer_iter() {
            s = (s + x.dot(w)).cos();
        }
        s.sum()
    }
    let (w, xs) = (Array2::from_elem((100, 2), 0.5), Array3::from_elem((200, 10, 100), 0.25));
    let before = HEAP.max_allocated();
    let (y, gradient) = f_value_and_grad(&w, &xs);
    let more = HEAP.max_allocated() - before;
    assert_eq!(y.to_bits(), f(&w, &xs).to_bits());
    // every number of it is the same: so many of them make the directional derivative
    let along = f_jvp(&w, &xs, Array2::ones((100, 2)), ()).1 / 200.0;
    assert!(gradient.iter().all(|g| (g - along).abs() <= 1e-12 * along.abs()), "{along}");
    // all rows have 1.6 MB
    assert!(more < 400_000, "{more} bytes");
}
