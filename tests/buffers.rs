//! What iterations need of memory is made once, not in each of them.

use cap::Cap;
use cotangent::differentiable;
use std::alloc::System;
use std::sync::Mutex;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// One test at a time counts.
static TURN: Mutex<()> = Mutex::new(());

/// How many bytes were allocated meanwhile.
fn allocated<T>(run: impl FnOnce() -> T) -> usize {
    let before = ALLOCATOR.total_allocated();
    let result = run();
    let bytes = ALLOCATOR.total_allocated() - before;
    drop(result);
    bytes
}

/// The outer loop only adds up, so each of its iterations is undone at once.
#[differentiable]
fn joined(x: &[f64], a: f64, n: usize) -> f64 {
    let mut s = 0.0;
    for k in 0..n {
        let mut t = a;
        for v in x {
            t = (t * v).sin();
            for w in x {
                t += (w * t).cos() * 0.01;
            }
        }
        s += t * k as f64;
    }
    s
}

/// Each iteration is run again before it is undone.
#[differentiable]
fn again(x: &[f64], a: f64, n: usize) -> f64 {
    let mut s = a;
    #[checkpoint(steps = 3)]
    for _ in 0..n {
        for v in x {
            s = (s * v).sin() + 0.1;
        }
    }
    s
}

#[test]
fn no_allocation_per_iteration() {
    let _turn = TURN.lock().unwrap();
    let x = [0.3, -0.8, 1.2, 0.9];
    for gradient in [joined_grad, again_grad] {
        let few = allocated(|| gradient(&x, 0.7, 50));
        assert_eq!(few, allocated(|| gradient(&x, 0.7, 500)));
    }
    let h = 1e-6;
    for (f, gradient) in
        [(joined as fn(&[f64], f64, usize) -> f64, joined_grad(&x, 0.7, 5)), (again, again_grad(&x, 0.7, 5))]
    {
        let slope = (f(&x, 0.7 + h, 5) - f(&x, 0.7 - h, 5)) / (2.0 * h);
        assert!((gradient.1 - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{} {slope}", gradient.1);
    }
}
