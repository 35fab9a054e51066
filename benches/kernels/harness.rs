//! Measures one kernel: checks the values, then takes CPU times and heap growth of its three programs.
//!
//! Times are CPU time of the process, the minimum over many runs, with the programs taking turns so that a slow moment
//! of the machine meets them all. Short programs are run in batches, as reading the clock is a system call.

use std::alloc::System;
use std::hint::black_box;

use cap::Cap;
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// The shortest time between two readings of the clock, in seconds.
const BATCH_SECONDS: f64 = 200e-6;
/// However slow a program is, each runs this often.
const LEAST_ROUNDS: usize = 5;

/// What to do beside checking the values.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// CPU seconds for the timing of one kernel; `None` only checks.
    pub(crate) seconds: Option<f64>,
}

/// The numbers that a kernel must reproduce, to a relative 1e-9.
pub(crate) struct Expected {
    pub(crate) value: f64,
    /// The sum of all entries of the gradient. A sum of zero is met to 1e-9 of the norm.
    pub(crate) sum: f64,
    /// The Euclidean norm of all entries of the gradient.
    pub(crate) norm: f64,
    /// The last entry of the flattened gradient, where it is known by itself.
    pub(crate) last: Option<f64>,
    /// How closely the two gradients agree, relative to the norm.
    pub(crate) agreement: f64,
}

/// What the gradients are compared with, beside each other.
pub(crate) enum Oracle<'a> {
    /// Numbers from elsewhere.
    Numbers(Expected),
    /// A value and the norm of the gradient from elsewhere, in fewer digits.
    #[allow(dead_code, reason = "only arrays have them")]
    Anchors {
        value: f64,
        norm: f64,
        /// How closely they are met, relatively.
        tolerance: f64,
        /// How closely the two gradients agree, relative to the norm.
        agreement: f64,
    },
    /// Differences of the primal along one direction.
    Differences {
        /// The primal, moved by so much along [`direction`], which runs over the entries of the flattened gradient.
        moved: &'a dyn Fn(f64) -> f64,
        /// How far it is moved.
        step: f64,
        /// How closely they agree, relative to the larger of the derivative and the norm of the gradient.
        tolerance: f64,
        /// How closely the two gradients agree, relative to the norm.
        agreement: f64,
    },
}

/// The entries of the direction along which differences are taken.
pub(crate) fn direction(k: usize) -> f64 {
    (1.0 + 0.7 * k as f64).cos()
}

/// One kernel: what it is compared with and its three programs, which take black-boxed inputs.
pub(crate) struct Kernel<'a, P, O, H, G> {
    /// The number of iterations of the loop whose residuals are counted.
    pub(crate) iterations: usize,
    pub(crate) oracle: Oracle<'a>,
    /// The annotated function.
    pub(crate) primal: P,
    /// Its generated companion.
    pub(crate) ours: O,
    /// The adjoint written by hand.
    pub(crate) by_hand: H,
    /// All entries of a gradient, in order.
    pub(crate) flatten: fn(&G) -> Vec<f64>,
}

/// What was measured of one kernel.
pub(crate) struct Measured {
    /// Seconds per call of the primal, ours and the hand-written adjoint; `None` where only values were checked.
    pub(crate) seconds: Option<[f64; 3]>,
    /// Peak heap growth of ours and of the hand-written adjoint, the gradient included, in bytes.
    pub(crate) bytes: [usize; 2],
    /// The number of iterations that this is for.
    pub(crate) iterations: usize,
}

impl<P, O, H, G> Kernel<'_, P, O, H, G>
where
    P: Fn() -> f64,
    O: Fn() -> (f64, G),
    H: Fn() -> (f64, G),
{
    /// Checks the values, then measures. The error says which number is off.
    pub(crate) fn measure(&self, settings: Settings) -> Result<Measured, String> {
        let ((value, gradient), growth) = peak_growth(&self.ours);
        let ((hand_value, hand_gradient), hand_growth) = peak_growth(&self.by_hand);
        let (ours, hand) = ((self.flatten)(&gradient), (self.flatten)(&hand_gradient));

        self.oracle.check("by hand", hand_value, &hand)?;
        self.oracle.check("ours", value, &ours)?;
        let primal = (self.primal)();
        if value.to_bits() != primal.to_bits() {
            return Err(format!("ours: the value {value:e} is not bit for bit that of the primal, {primal:e}"));
        }
        check_agreement(&ours, &hand, self.oracle.agreement())?;

        let seconds = settings.seconds.map(|budget| {
            let primal = || {
                black_box((self.primal)());
            };
            let ours = || {
                black_box((self.ours)());
            };
            let by_hand = || {
                black_box((self.by_hand)());
            };
            minima([&primal, &ours, &by_hand], budget)
        });
        Ok(Measured { seconds, bytes: [growth, hand_growth], iterations: self.iterations })
    }
}

impl Expected {
    fn check(&self, side: &str, value: f64, gradient: &[f64]) -> Result<(), String> {
        let within = |what: &str, got: f64, want: f64, scale: f64| {
            // Written so that a NaN is a mismatch.
            if (got - want).abs() <= 1e-9 * scale {
                Ok(())
            } else {
                Err(format!("{side}: {what} is {got:.15e}, expected {want:.15e}"))
            }
        };
        let scale_of_sum = if self.sum == 0.0 { self.norm } else { self.sum.abs() };
        within("the value", value, self.value, self.value.abs())?;
        within("the sum of the gradient", gradient.iter().sum(), self.sum, scale_of_sum)?;
        within("the norm of the gradient", norm(gradient), self.norm, self.norm)?;
        match self.last {
            Some(last) => within("the last entry of the gradient", gradient[gradient.len() - 1], last, last.abs()),
            None => Ok(()),
        }
    }
}

impl Oracle<'_> {
    fn check(&self, side: &str, value: f64, gradient: &[f64]) -> Result<(), String> {
        match self {
            &Oracle::Anchors { value: expected, norm: expected_norm, tolerance, .. } => {
                let within = |what: &str, got: f64, want: f64| {
                    // Written so that a NaN is a mismatch.
                    if (got - want).abs() <= tolerance * want.abs() {
                        Ok(())
                    } else {
                        Err(format!("{side}: {what} is {got:.12e}, expected {want:.12e}"))
                    }
                };
                within("the value", value, expected)?;
                within("the norm of the gradient", norm(gradient), expected_norm)
            }
            Oracle::Numbers(expected) => expected.check(side, value, gradient),
            &Oracle::Differences { moved, step, tolerance, .. } => {
                let slope: f64 = gradient.iter().enumerate().map(|(k, entry)| entry * direction(k)).sum();
                let across = |step: f64| moved(step) - moved(-step);
                let difference = (8.0 * across(step) - across(2.0 * step)) / (12.0 * step);
                // Written so that a NaN is a mismatch.
                if (slope - difference).abs() <= tolerance * slope.abs().max(norm(gradient)) {
                    Ok(())
                } else {
                    Err(format!(
                        "{side}: the derivative along a direction is {slope:.15e}, by differences {difference:.15e}"
                    ))
                }
            }
        }
    }

    fn agreement(&self) -> f64 {
        match self {
            Oracle::Numbers(expected) => expected.agreement,
            Oracle::Differences { agreement, .. } | Oracle::Anchors { agreement, .. } => *agreement,
        }
    }
}

fn check_agreement(ours: &[f64], hand: &[f64], agreement: f64) -> Result<(), String> {
    if ours.len() != hand.len() {
        return Err(format!("ours has {} entries in the gradient, by hand there are {}", ours.len(), hand.len()));
    }
    let difference: Vec<f64> = ours.iter().zip(hand).map(|(a, b)| a - b).collect();
    let distance = norm(&difference) / norm(hand);
    if distance <= agreement {
        Ok(())
    } else {
        Err(format!("ours and by hand: the gradients differ by {distance:.1e} of the norm"))
    }
}

fn norm(entries: &[f64]) -> f64 {
    entries.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The result of a call and the bytes by which the heap grew at most during it.
fn peak_growth<T>(call: impl Fn() -> T) -> (T, usize) {
    // The allocator's high-water mark cannot be taken back, so untouched ballast lifts the heap up to it first.
    let ballast: Vec<u8> = black_box(Vec::with_capacity(HEAP.max_allocated() - HEAP.allocated()));
    let before = HEAP.allocated();
    let result = call();
    let growth = HEAP.max_allocated() - before;
    drop(ballast);
    (result, growth)
}

/// Seconds of one call, the shortest of a few, and the bytes by which the heap grew at most during it.
pub(crate) fn cost<T>(call: impl Fn() -> T) -> (f64, usize) {
    let (_, bytes) = peak_growth(&call);
    let run = || {
        black_box(call());
    };
    let [seconds] = minima([&run], 0.0);
    (seconds, bytes)
}

/// Seconds per call of each program: the minimum over the rounds that fit into the budget of CPU seconds.
fn minima<const N: usize>(programs: [&dyn Fn(); N], budget: f64) -> [f64; N] {
    let start = cpu_seconds();
    let batches = programs.map(batch_size);
    let mut minima = [f64::INFINITY; N];
    let mut rounds = 0;
    while rounds < LEAST_ROUNDS || cpu_seconds() - start < budget {
        for ((program, &batch), minimum) in programs.iter().zip(&batches).zip(&mut minima) {
            *minimum = minimum.min(time(*program, batch) / batch as f64);
        }
        rounds += 1;
    }
    minima
}

/// How many calls fill the time between two readings of the clock. It doubles until they do, which warms up too.
fn batch_size(program: &dyn Fn()) -> usize {
    let mut batch = 1;
    while time(program, batch) < BATCH_SECONDS {
        batch *= 2;
    }
    batch
}

fn time(program: &dyn Fn(), calls: usize) -> f64 {
    let start = cpu_seconds();
    for _ in 0..calls {
        program();
    }
    cpu_seconds() - start
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}
