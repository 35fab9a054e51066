//! What iterations need of memory is made once, not in each of them.

use cap::Cap;
use cotangent::differentiable;
use std::alloc::System;
use std::sync::Mutex;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// One test at a time counts.
static TURN: Mutex<()> = Mutex::new(());

/// How many bytes a run allocates: the least of some, as the thread that reports on tests allocates too.
fn allocated<T>(run: impl Fn() -> T) -> usize {
    let once = || {
        let before = ALLOCATOR.total_allocated();
        let result = run();
        let bytes = ALLOCATOR.total_allocated() - before;
        drop(result);
        bytes
    };
    (0..5).map(|_| once()).min().expect("some runs")
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

/// One array goes through all iterations, and is read and written in both arms of a branch.
#[differentiable]
fn branched(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = vec![0.0; n];
    let mut z = [0.0; 8];
    for i in 1..n {
        if i % 3 == 1 {
            y[i] = 2.0 * x[i];
            z[i % 8] = x[i - 1] * x[i];
        } else {
            y[i] = x[i] * x[i] - 0.5 * y[i - 1];
            z[i % 8] = z[(i - 1) % 8] + y[i];
        }
    }
    y[n - 1] + z[3] * z[5]
}

#[test]
fn memory_grows_with_the_length_and_not_with_its_square() {
    let _turn = TURN.lock().unwrap();
    let x: Vec<f64> = (0..4000).map(|i| (i as f64).sin()).collect();
    let gradient = branched_grad(&x[..12]);
    for i in 0..12 {
        let moved = |by: f64| {
            let mut x = x[..12].to_vec();
            x[i] += by;
            branched(&x)
        };
        let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!(
            (gradient[i] - difference).abs() < 1e-7 * difference.abs().max(1.0),
            "{i}: {} {difference}",
            gradient[i]
        );
    }
    let few = allocated(|| branched_grad(&x[..400]));
    let many = allocated(|| branched_grad(&x));
    assert!(many < 11 * few, "{few} bytes for 400, {many} for 4000");
}
