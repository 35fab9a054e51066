//! What a compiled random program runs: its companions against dual numbers, against each other and against differences.
//!
//! A library of its own, which the programs are linked with; see `compile.rs`.

#[path = "dual.rs"]
pub mod dual;

use cotangent::{Differentiable, Tangent};
use dual::Dual;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The floats of a result, each with its derivative.
pub trait Parts {
    /// Appends them.
    fn parts(&self, out: &mut Vec<(f64, f64)>);
}

impl Parts for f64 {
    fn parts(&self, out: &mut Vec<(f64, f64)>) {
        out.push((*self, 0.0));
    }
}

impl Parts for Dual {
    fn parts(&self, out: &mut Vec<(f64, f64)>) {
        out.push((self.0.re, self.0.eps));
    }
}

macro_rules! nothing {
    ($($ty:ty)*) => { $(
        impl Parts for $ty {
            fn parts(&self, _: &mut Vec<(f64, f64)>) {}
        }
    )* };
}
nothing!(() bool i32 i64 u32 usize);

impl<T: Parts> Parts for Vec<T> {
    fn parts(&self, out: &mut Vec<(f64, f64)>) {
        self.iter().for_each(|x| x.parts(out));
    }
}

impl<T: Parts, const N: usize> Parts for [T; N] {
    fn parts(&self, out: &mut Vec<(f64, f64)>) {
        self.iter().for_each(|x| x.parts(out));
    }
}

impl<T: Parts> Parts for Option<T> {
    fn parts(&self, out: &mut Vec<(f64, f64)>) {
        self.iter().for_each(|x| x.parts(out));
    }
}

impl<T: Parts + ?Sized> Parts for &T {
    fn parts(&self, out: &mut Vec<(f64, f64)>) {
        (**self).parts(out);
    }
}

macro_rules! tuples {
    ($(($($name:ident $k:tt)+))*) => { $(
        impl<$($name: Parts),+> Parts for ($($name,)+) {
            fn parts(&self, out: &mut Vec<(f64, f64)>) {
                $(self.$k.parts(out);)+
            }
        }
    )* };
}
tuples!((A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5));

/// The floats of results and their derivatives.
pub fn parts(x: impl Parts) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    x.parts(&mut out);
    out
}

/// The floats of results.
pub fn values(x: impl Parts) -> Vec<f64> {
    parts(x).into_iter().map(|p| p.0).collect()
}

/// A tangent with given coordinates.
pub fn filled<T: Tangent>(mut zero: T, coordinates: &[f64]) -> T {
    zero.set_flat(coordinates);
    zero
}

/// The entries that a pullback gives, each time the same.
pub fn twice<S: Clone, E: Tangent>(pullback: impl Fn(S) -> E, seed: S) -> Vec<f64> {
    let (first, second) = (pullback(seed.clone()).to_flat(), pullback(seed).to_flat());
    assert!(same(&first, &second), "a pullback gives {first:?} and then {second:?}");
    first
}

/// A value and a derivative.
type Both = (Vec<f64>, Vec<f64>);

/// What `_value_and_grad` gives, and what `_grad` gives.
type Gradients<A> = fn(A) -> (Both, Vec<f64>);

/// A program and how its companions are called.
pub struct Case<A> {
    /// The arguments.
    pub args: A,
    /// The results, the return value first.
    pub primal: fn(A) -> Vec<f64>,
    /// `_vjp` for cotangents of the results.
    pub pullback: fn(A, &[f64]) -> Both,
    /// `_jvp` for tangents of the arguments.
    pub tangent: fn(A, &[f64]) -> Both,
    /// `_value_and_grad` and `_grad`, if there are any.
    pub gradient: Option<Gradients<A>>,
    /// With one coordinate of the arguments that moves.
    pub dual: fn(usize) -> Vec<(f64, f64)>,
    /// Whether something is rounded on the way.
    pub loose: bool,
}

/// What was found.
pub struct Report {
    /// The results; empty if the program panics, or they are of no moderate size.
    value: Vec<f64>,
    /// Whether differences said anything.
    differences: bool,
}

/// What is wrong: the kind in one word, and the rest.
type Fault = (&'static str, String);

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
}

fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let size = a.iter().chain(b).fold(1.0_f64, |m, x| m.max(x.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance * size)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl<A: Clone + Differentiable> Case<A> {
    /// Runs everything.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<Report, Fault> {
        let silent = Ok(Report { value: Vec::new(), differences: false });
        let Ok(value) = catch_unwind(AssertUnwindSafe(|| (self.primal)(self.args.clone()))) else { return silent };
        let zero = self.args.zero_tangent();
        let coordinates = zero.to_flat().len();
        let duals: Vec<Vec<(f64, f64)>> = (0..coordinates).map(self.dual).collect();
        let moderate = |x: f64| x.abs() < 1e6;
        if !value.iter().chain(duals.iter().flatten().map(|(_, d)| d)).all(|x| moderate(*x)) {
            return silent;
        }
        let tolerance = if self.loose { 1e-5 } else { 1e-10 };
        for found in &duals {
            let found: Vec<f64> = found.iter().map(|p| p.0).collect();
            if !near(&value, &found, tolerance) {
                return Err(("dual", format!("the value is {value:?}, with dual numbers {found:?}")));
            }
        }
        // from derivatives of the results by one coordinate to those of a sum of the results, and along a direction
        let back = |seeds: &[f64]| -> Vec<f64> {
            duals.iter().map(|d| d.iter().zip(seeds).map(|(p, s)| p.1 * s).sum()).collect()
        };
        let along = |direction: &[f64]| -> Vec<f64> {
            (0..value.len()).map(|r| duals.iter().zip(direction).map(|(d, t)| d[r].1 * t).sum()).collect()
        };
        let compare = |what: &'static str, found: &Both, expected: &[f64]| {
            if !same(&value, &found.0) {
                return Err((what, format!("the value is {:?} instead of {value:?}", found.0)));
            }
            if !near(expected, &found.1, tolerance) {
                return Err((what, format!("{:?} instead of {expected:?}", found.1)));
            }
            Ok(())
        };
        let first: Vec<f64> = (0..value.len()).map(|k| f64::from(u8::from(k == 0))).collect();
        let seeds: Vec<f64> = (0..value.len()).map(|k| if k == 0 { 1.0 } else { 0.25 * k as f64 - 1.3 }).collect();
        compare("pullback", &(self.pullback)(self.args.clone(), &seeds), &back(&seeds))?;
        if let Some(gradient) = self.gradient {
            let (both, alone) = gradient(self.args.clone());
            compare("gradient", &both, &back(&first))?;
            if !same(&both.1, &alone) {
                return Err(("gradient", format!("{:?} with the value, {alone:?} alone", both.1)));
            }
        }
        let mut differences = false;
        for shift in 0..2 {
            let direction: Vec<f64> = (0..coordinates).map(|k| 0.3 - 0.7 * ((k + shift) % 3) as f64).collect();
            let slopes = along(&direction);
            compare("tangent", &(self.tangent)(self.args.clone(), &direction), &slopes)?;
            let Some(found) = self.difference(&zero, &direction, &seeds) else { continue };
            let scale = value.iter().chain(&slopes).fold(1.0_f64, |m, x| m.max(x.abs()));
            if !self.loose {
                differences = true;
                if (found - dot(&slopes, &seeds)).abs() > 2e-6 * scale {
                    return Err(("differences", format!("{found} instead of {}", dot(&slopes, &seeds))));
                }
            }
        }
        Ok(Report { value, differences })
    }

    /// The derivative of a sum of the results along a direction, where two step sizes agree about it.
    fn difference(&self, zero: &A::Tangent, direction: &[f64], seeds: &[f64]) -> Option<f64> {
        let at = |h: f64| {
            let mut args = self.args.clone();
            let step: Vec<f64> = direction.iter().map(|d| h * d).collect();
            args.move_by(&filled(zero.clone(), &step));
            catch_unwind(AssertUnwindSafe(|| dot(&(self.primal)(args), seeds))).unwrap_or(f64::NAN)
        };
        let estimate = |h: f64| (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let (rough, fine) = (estimate(2e-4), estimate(0.9e-4));
        ((rough - fine).abs() <= 1e-7 * fine.abs().max(1.0)).then_some(fine)
    }
}

/// Runs programs, and prints a line for each: `silent`, `holds` with the bits of the results, or `fault`.
pub fn run(programs: &[fn() -> Result<Report, Fault>]) {
    std::panic::set_hook(Box::new(|_| {}));
    for (k, program) in programs.iter().enumerate() {
        let outcome = catch_unwind(program).unwrap_or_else(|e| {
            let text =
                e.downcast_ref::<String>().cloned().or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Err(("panic", text.unwrap_or_default()))
        });
        match outcome {
            Ok(report) if report.value.is_empty() => println!("{k} silent"),
            Ok(report) => {
                let bits: Vec<String> = report.value.iter().map(|x| format!("{:016x}", x.to_bits())).collect();
                println!("{k} holds {} {}", report.differences, bits.join(" "));
            }
            Err((kind, detail)) => println!("{k} fault {kind} {}", detail.replace('\n', " ")),
        }
    }
}
