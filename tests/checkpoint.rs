//! Loops and blocks that are run again: the derivatives are those of the same functions without, as often as the pullback
//! is called; iterations are run as often as the schedule says, and what is kept stays small.

#![allow(clippy::many_single_char_names, clippy::needless_range_loop)]

use cotangent::{checkpoint, differentiable};
use ndarray::{Array1, Array2};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The same functions, with options and without.
macro_rules! twice {
    () => {
        mod plain {
            use super::*;
            functions!(#[differentiable]);
        }
        mod few {
            use super::*;
            functions!(#[differentiable(checkpoint(steps = 2))]);
        }
        mod default {
            use super::*;
            functions!(#[differentiable(checkpoint)]);
        }
    };
}

#[differentiable]
fn smooth(u: &mut [f64], k: f64) {
    for i in 1..u.len() - 1 {
        u[i] += k * (u[i - 1] - 2.0 * u[i] + u[i + 1]).sin();
    }
}

macro_rules! functions {
    (#[$($attribute:tt)*]) => {
        #[$($attribute)*]
        pub(crate) fn counted(x: &[f64], a: f64) -> f64 {
            let (mut p, mut v) = (x[0], x[1]);
            for _ in 0..17 {
                let force = -a * p.sin();
                v += 0.1 * force;
                p += 0.1 * v * x[2];
            }
            p * v
        }
        #[$($attribute)*]
        pub(crate) fn backwards(x: &[f64], a: f64) -> f64 {
            let mut s = a;
            for i in (0..=x.len() - 1).rev() {
                s = (s * x[i]).sin() + a;
            }
            for i in (1..x.len()).step_by(2) {
                s = s * x[i] + s * s;
            }
            s
        }
        #[$($attribute)*]
        pub(crate) fn until(x: &[f64], a: f64) -> f64 {
            let mut t = 1.0;
            let mut k = 0;
            while (t * t - x[0] * x[0] - a * a).abs() > 1e-9 {
                t = 0.5 * (t + (x[0] * x[0] + a * a) / t);
                k += 1;
                if k > 30 {
                    break;
                }
            }
            let mut s = t;
            let y = loop {
                s = s * 0.7 + 0.1 * x[1].cos();
                if s > 0.5 {
                    continue;
                }
                k += 1;
                if k % 3 == 0 {
                    break s * s;
                }
            };
            y + t
        }
        #[$($attribute)*]
        pub(crate) fn early(x: &[f64], a: f64) -> f64 {
            let mut v = a;
            for (i, t) in x.iter().enumerate() {
                v = v * t + 0.3;
                if v < -0.5 {
                    return v * t * i as f64;
                }
            }
            v
        }
        #[$($attribute)*]
        pub(crate) fn stencil(x: &[f64], a: f64) -> f64 {
            let mut u = x.to_vec();
            let mut w = [0.0; 8];
            for step in 0..6 {
                smooth(&mut u, a * 0.1);
                for i in 0..u.len() {
                    w[i] += u[i] * step as f64;
                }
                u.swap(0, 3);
            }
            u.iter().zip(&w).map(|(u, w)| u * u * w).sum()
        }
        #[$($attribute)*]
        pub(crate) fn grows(x: &[f64], a: f64) -> f64 {
            let mut v = vec![a];
            for i in 0..x.len() {
                let last = v[v.len() - 1];
                v.push((last * x[i]).tanh());
                if i % 3 == 2 {
                    v.pop();
                }
            }
            v.iter().enumerate().map(|(i, t)| t * t * (i + 1) as f64).sum()
        }
        #[$($attribute)*]
        pub(crate) fn nested(x: &[f64], a: f64) -> f64 {
            let mut s = a;
            for i in 0..x.len() {
                #[checkpoint(steps = 1)]
                for j in 0..i {
                    s = (s * x[j]).sin() * a + x[i];
                }
                let before = s;
                #[checkpoint]
                'inner: loop {
                    s *= 0.5;
                    if s.abs() < 0.2 {
                        break 'inner;
                    }
                }
                s += before * x[i];
            }
            s
        }
        #[$($attribute)*]
        pub(crate) fn blocks(x: &[f64], a: f64) -> f64 {
            let mut s = a;
            for i in 0..x.len() {
                let y = checkpoint(|| {
                    let mut y = x[i];
                    for _ in 0..i {
                        y = (y * a).sin() + s;
                    }
                    s += (y * 0.1).sin();
                    (y * s).tanh()
                });
                s = s * 0.3 + y;
            }
            let twice = || checkpoint(|| (s * x[1]).cos() * s);
            twice() + cotangent::checkpoint(|| s * s)
        }
        #[$($attribute)*]
        pub(crate) fn pairs(x: &[f64], a: f64) -> f64 {
            let mut state = (x[0], [x[1], a]);
            let mut best: Option<f64> = None;
            for k in 0..7 {
                let (p, [q, r]) = state;
                state = (q * r, [(p * a).sin(), q - 0.1 * k as f64]);
                if state.0 > 0.2 {
                    best = Some(best.map_or(state.0, |b| b * state.0));
                }
            }
            state.0 + state.1[0] * state.1[1] + best.unwrap_or(a)
        }
        #[$($attribute)*]
        pub(crate) fn swapped(x: &[f64], a: f64) -> f64 {
            let (mut u, mut w) = (x.to_vec(), vec![0.0; x.len()]);
            for _ in 0..5 {
                for i in 1..u.len() - 1 {
                    w[i] = u[i] + a * 0.1 * (u[i - 1] * u[i + 1]).sin();
                }
                std::mem::swap(&mut u, &mut w);
            }
            u.iter().map(|t| t * t).sum()
        }
        #[$($attribute)*]
        pub(crate) fn arrays(x: &[f64], a: f64) -> f64 {
            let n = x.len();
            let w = Array2::from_shape_fn((n, n), |(i, j)| x[i] * 0.3 + x[j] * 0.1);
            let mut h = Array1::from_elem(n, a);
            for _ in 0..4 {
                h = (w.dot(&h) * 0.5).mapv(f64::tanh) + &h * 0.1;
                h[0] *= 0.7;
            }
            h.dot(&h)
        }
        #[$($attribute)*]
        pub(crate) fn by_hand(x: &[f64], a: f64) -> f64 {
            let apply = |f: &dyn Fn(f64) -> f64, t: f64| {
                let mut t = t;
                for _ in 0..3 {
                    t = f(t);
                }
                t
            };
            let mut s = 0.0;
            for t in x {
                s += apply(&|u| (u * a).sin() + t * s, *t);
            }
            s
        }
        #[$($attribute)*]
        pub(crate) fn wide(x: &[f64], a: f64) -> f64 {
            let (mut b, mut c, mut d, mut e, mut f, mut g, mut h) = (a, x[0], x[1], x[2], x[3], x[4], x[5]);
            let (mut i, mut j, mut k, mut l, mut m, mut n, mut o) = (x[6], x[7], a, x[1], x[2], a, x[0]);
            for _ in 0..6 {
                (b, c, d, e, f, g, h) = (c * 0.9, (d * b).sin(), e, f * 0.8, g + b * 0.1, h * 0.7, i);
                (i, j, k, l, m, n, o) = (j * b, k.cos(), l, m * 0.9, n * c, o, b * h);
            }
            b + c * d + e * f + g * h + i * j + k * l + m * n + o
        }
    };
}

twice!();

/// Where the functions are looked at.
const POINTS: [([f64; 8], f64); 2] =
    [([0.7, -1.3, 2.1, 0.4, 1.9, -0.35, 0.81, 1.4], 0.83), ([1.21, 0.31, -0.62, 3.3, -1.2, 0.55, 0.1, 0.77], -1.37)];

macro_rules! same {
    ($($name:ident $vjp:ident $grad:ident $jvp:ident;)*) => {$(
        #[test]
        fn $name() {
            for (x, a) in POINTS {
                let (want, pullback) = plain::$vjp(&x, a);
                let expected = pullback(1.0);
                // against differences
                let h = 1e-6;
                let slope = (plain::$name(&x, a + h) - plain::$name(&x, a - h)) / (2.0 * h);
                assert!((slope - expected.1).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {}", expected.1);
                let check = |got: &(Vec<f64>, f64)| {
                    for (g, w) in got.0.iter().zip(&expected.0).chain([(&got.1, &expected.1)]) {
                        assert!((g - w).abs() <= 1e-13 * (1.0 + w.abs()), "{g} {w}");
                    }
                };
                let (value, pullback) = few::$vjp(&x, a);
                assert_eq!(value.to_bits(), want.to_bits());
                check(&pullback(1.0));
                check(&pullback(1.0));
                let (value, pullback) = default::$vjp(&x, a);
                assert_eq!(value.to_bits(), want.to_bits());
                std::thread::scope(|s| {
                    let other = s.spawn(|| pullback(1.0));
                    check(&pullback(1.0));
                    check(&other.join().unwrap());
                });
                check(&few::$grad(&x, a));
                let tangent = few::$jvp(&x, a, vec![0.0; 8], 1.0).1;
                assert!((tangent - expected.1).abs() <= 1e-12 * (1.0 + tangent.abs()));
            }
        }
    )*};
}
same! {
    counted counted_vjp counted_grad counted_jvp;
    backwards backwards_vjp backwards_grad backwards_jvp;
    until until_vjp until_grad until_jvp;
    early early_vjp early_grad early_jvp;
    stencil stencil_vjp stencil_grad stencil_jvp;
    grows grows_vjp grows_grad grows_jvp;
    nested nested_vjp nested_grad nested_jvp;
    blocks blocks_vjp blocks_grad blocks_jvp;
    pairs pairs_vjp pairs_grad pairs_jvp;
    swapped swapped_vjp swapped_grad swapped_jvp;
    arrays arrays_vjp arrays_grad arrays_jvp;
    by_hand by_hand_vjp by_hand_grad by_hand_jvp;
    wide wide_vjp wide_grad wide_jvp;
}

/// How often a step is run: in the primal and on the way to an iteration, and to be undone.
mod schedule {
    use super::*;

    static RUNS: AtomicUsize = AtomicUsize::new(0);
    static UNDONE: AtomicUsize = AtomicUsize::new(0);

    fn step(v: f64) -> f64 {
        RUNS.fetch_add(1, Ordering::Relaxed);
        3.7 * v * (1.0 - v)
    }
    fn step_vjp(v: f64) -> (f64, impl Fn(f64) -> f64 + Send + Sync) {
        UNDONE.fetch_add(1, Ordering::Relaxed);
        (3.7 * v * (1.0 - v), move |bar| bar * 3.7 * (1.0 - 2.0 * v))
    }

    #[differentiable(reverse, checkpoint(steps = 4))]
    fn run(v: f64, n: usize) -> f64 {
        let mut v = v;
        for _ in 0..n {
            v = step(v);
        }
        v
    }

    #[test]
    fn forward_steps_are_as_few_as_can_be() {
        let (_, pullback) = run_vjp(0.3, 100);
        assert_eq!((RUNS.swap(0, Ordering::Relaxed), UNDONE.load(Ordering::Relaxed)), (100, 0));
        let slope = pullback(1.0).0;
        // 374 in all for 100 steps and 4 snapshots (Griewank and Walther 2000), the last of which the paper does not count
        assert_eq!((RUNS.load(Ordering::Relaxed), UNDONE.load(Ordering::Relaxed)), (374 - 99, 100));
        let (mut v, mut product) = (0.3_f64, 1.0);
        for _ in 0..100 {
            product *= 3.7 * (1.0 - 2.0 * v);
            v = 3.7 * v * (1.0 - v);
        }
        assert!((slope - product).abs() <= 1e-12 * product.abs());
    }
}

/// What has no derivative runs once, in the primal.
mod once {
    use super::*;

    static STATEMENTS: AtomicUsize = AtomicUsize::new(0);
    static DRAWS: AtomicUsize = AtomicUsize::new(0);

    /// Different each time.
    fn draw() -> f64 {
        let k = DRAWS.fetch_add(1, Ordering::Relaxed);
        (k as f64 * 0.7).sin()
    }
    fn count(i: usize) -> usize {
        DRAWS.fetch_add(1, Ordering::Relaxed);
        i % 3
    }

    #[differentiable(checkpoint(steps = 2))]
    fn f(x: f64, n: usize) -> f64 {
        let mut v = x;
        for i in 0..n {
            STATEMENTS.fetch_add(1, Ordering::Relaxed);
            let z = draw();
            if i % 2 == 0 {
                for _ in 0..count(i) {
                    v = v * draw() + z;
                }
            } else {
                v = checkpoint(|| v * v * draw());
            }
        }
        v
    }

    #[test]
    fn it_runs_once() {
        let (value, pullback) = f_vjp(0.9, 11);
        let draws = DRAWS.load(Ordering::Relaxed);
        assert_eq!(STATEMENTS.load(Ordering::Relaxed), 11);
        let slope = pullback(1.0).0;
        assert_eq!((pullback(1.0).0, STATEMENTS.load(Ordering::Relaxed)), (slope, 11));
        assert_eq!(DRAWS.load(Ordering::Relaxed), draws);
        let at = |x: f64| {
            DRAWS.store(0, Ordering::Relaxed);
            f(x, 11)
        };
        assert_eq!(at(0.9), value);
        let difference = (at(0.9 + 1e-6) - at(0.9 - 1e-6)) / 2e-6;
        assert!((difference - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{difference} {slope}");
    }
}

/// In-place parameters, structs, generic functions, functions as parameters.
mod others {
    use super::*;
    use cotangent::Differentiable;
    use num_traits::Float;

    #[derive(Clone, Differentiable)]
    pub(crate) struct Body {
        at: [f64; 2],
        speed: Vec<f64>,
        id: usize,
    }

    #[differentiable(checkpoint(steps = 3))]
    impl Body {
        fn drift(&mut self, k: f64, n: usize) {
            for i in 0..n {
                self.at[0] += 0.1 * self.speed[0] * k;
                self.at[1] += (0.1 * self.speed[1] * self.at[0]).sin();
                self.speed[i % 2] *= 0.9 * self.at[1].cos();
            }
        }
    }

    #[test]
    fn a_receiver() {
        let start = Body { at: [0.3, -0.2], speed: vec![1.1, 0.7], id: 3 };
        let run = |k: f64| {
            let mut b = start.clone();
            b.drift(k, 9);
            (b.at[0] * b.speed[1] + b.at[1], b.id)
        };
        let mut b = start.clone();
        let ((), pullback) = b.drift_vjp(0.8, 9);
        let mut seed = b.zero_tangent();
        (seed.at, seed.speed[1]) = ([b.speed[1], 1.0], b.at[0]);
        let slope = pullback(seed).1;
        let difference = (run(0.8 + 1e-6).0 - run(0.8 - 1e-6).0) / 2e-6;
        assert!((slope - difference).abs() < 1e-7, "{slope} {difference}");
    }

    #[differentiable(checkpoint(steps = 2))]
    fn relax(u: &mut [f64], f: impl Fn(f64) -> f64, n: usize) {
        for _ in 0..n {
            for i in 1..u.len() {
                u[i] = f(u[i - 1]) * 0.5 + u[i] * 0.25;
            }
        }
    }

    #[differentiable]
    fn through(x: &[f64], a: f64) -> f64 {
        let mut u = x.to_vec();
        relax(&mut u, |t| (t * a).sin(), 5);
        u[3] * u[1]
    }

    #[differentiable(checkpoint(steps = 2))]
    fn power<T: Float>(x: T, n: usize) -> T {
        let mut p = T::one();
        let mut k = n;
        while k > 0 {
            p = p * x;
            k -= 1;
        }
        p
    }

    #[test]
    fn functions_and_floats() {
        let x = [0.4, 0.9, -0.3, 1.2];
        let (dx, da) = through_grad(&x, 1.3);
        let h = 1e-6;
        assert!((da - (through(&x, 1.3 + h) - through(&x, 1.3 - h)) / (2.0 * h)).abs() < 1e-8);
        for k in 0..4 {
            let at = |by: f64| {
                let mut x = x;
                x[k] += by;
                through(&x, 1.3)
            };
            assert!((dx[k] - (at(h) - at(-h)) / (2.0 * h)).abs() < 1e-8);
        }
        assert!((power_grad(1.1, 9) - 9.0 * 1.1_f64.powi(8)).abs() < 1e-13);
        assert!((power_grad(1.1_f32, 9) - 9.0 * 1.1_f32.powi(8)).abs() < 1e-4);
    }
}
