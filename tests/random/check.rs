//! What must hold for a function: all stages give the same value, and both modes the derivative.

use super::generate::Program;
use super::rng::Rng;
use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::interp::{Interp, InterpError, Val};
use cotangent_compiler::ir::{Func, verify};
use cotangent_compiler::pipeline;
use cotangent_compiler::syntax::signature::{By, Signature};
use cotangent_compiler::syntax::{options, signature};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The kind: a smaller program must fail in the same way.
    pub(crate) kind: &'static str,
    /// Everything else.
    pub(crate) detail: String,
    /// Whether it was compiled by `rustc`.
    pub(crate) compiled: bool,
}

impl Failure {
    /// The kind, and the message where it says more than numbers.
    pub(crate) fn class(&self) -> String {
        if self.kind == "rejected" || self.kind == "generator" {
            let first = self.detail.lines().find(|l| l.starts_with("error")).unwrap_or("");
            return format!(
                "{}: {}",
                self.kind,
                first.chars().filter(|c| !c.is_ascii_digit()).take(60).collect::<String>()
            );
        }
        if !["panic", "diagnostic", "verify", "lowered", "primal", "reverse", "storage", "forward"].contains(&self.kind)
        {
            return self.kind.to_owned();
        }
        let first = self.detail.lines().next().unwrap_or("");
        let first = first.split('[').next().unwrap_or("");
        let plain: String = first.chars().filter(|c| !c.is_ascii_digit()).take(100).collect();
        format!("{}: {plain}", self.kind)
    }
}

/// What was found.
pub(crate) struct Outcome {
    /// The results, flattened.
    pub(crate) value: Vec<f64>,
    /// Whether central differences said anything.
    pub(crate) differences: bool,
}

fn fail<T>(kind: &'static str, detail: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { kind, detail: detail.into(), compiled: false })
}

/// Steps that a run of the primal may take.
const FUEL: u64 = 60_000;

/// Runs all stages of a function at a point and compares them. `Ok(None)`: too long, no moderate value, or more than one
/// function.
///
/// # Errors
/// If something disagrees.
pub(crate) fn check(program: &Program) -> Result<Option<Outcome>, Failure> {
    let Some((item, args)) = alone(program) else { return Ok(None) };
    match catch_unwind(AssertUnwindSafe(|| inner(&item, &args))) {
        Ok(r) => r,
        Err(e) => {
            let text =
                e.downcast_ref::<String>().cloned().or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            fail("panic", text.unwrap_or_default())
        }
    }
}

fn machine(f: &Func) -> Interp<'_> {
    let helper = |x: f64, k: f64| (x * (k + 0.5)).sin() * x;
    let slope = |x: f64, k: f64| (x * (k + 0.5)).cos() * (k + 0.5) * x + (x * (k + 0.5)).sin();
    let parts = |args: &[Val]| -> Result<(f64, f64), InterpError> { Ok((args[0].float()?, args[1].int()? as f64)) };
    Interp::new(f)
        .with_fuel(40 * FUEL)
        .with_call("helper", move |args| parts(args).map(|(x, k)| vec![helper(x, k).into()]))
        .with_call("helper_vjp", move |args| {
            let (x, k) = parts(args)?;
            let pullback = Val::native(move |seed| Ok(vec![(seed[0].float()? * slope(x, k)).into(), Val::Unit]));
            Ok(vec![helper(x, k).into(), pullback])
        })
        .with_call("helper_jvp", move |args| {
            let (x, k) = parts(args)?;
            Ok(vec![helper(x, k).into(), (args[2].float()? * slope(x, k)).into()])
        })
}

fn flat(vals: &[Val]) -> Vec<f64> {
    vals.iter().flat_map(Val::flat).collect()
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan())
}

/// The largest difference of two vectors, relative to their size.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let size = a.iter().chain(b).fold(1.0_f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0_f64, |m, (x, y)| {
        let d = (x - y).abs() / size;
        if d.is_nan() { f64::INFINITY } else { m.max(d) }
    })
}

/// Whether a difference is small; one that is no number is not.
fn within(difference: f64, most: f64) -> bool {
    difference.abs() <= most
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn verified(stage: &'static str, f: &Func) -> Result<(), Failure> {
    match verify::verify(f) {
        Ok(()) => Ok(()),
        Err(faults) => {
            let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
            fail("verify", format!("{stage}: {}\n{f}", text.join("\n")))
        }
    }
}

/// A program that is one function of parameters that the interpreter knows.
fn alone(program: &Program) -> Option<(syn::ItemFn, Vec<Val>)> {
    let value = |text: &String| value(&syn::parse_str(text).ok()?);
    Some((syn::parse_str(&program.source).ok()?, program.args.iter().map(value).collect::<Option<_>>()?))
}

/// An argument as the interpreter knows it.
fn value(e: &syn::Expr) -> Option<Val> {
    let all = |elems: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>| -> Option<Vec<Val>> {
        elems.iter().map(value).collect()
    };
    Some(match e {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(x), .. }) => x.base10_parse::<f64>().ok()?.into(),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse::<usize>().ok()?.into(),
        syn::Expr::Unary(u) => (-value(&u.expr)?.float().ok()?).into(),
        syn::Expr::Tuple(t) => Val::Tuple(all(&t.elems)?),
        syn::Expr::Array(a) => Val::floats(&flat(&all(&a.elems)?)),
        syn::Expr::Macro(m) => {
            let tokens = &m.mac.tokens;
            value(&syn::parse_quote!([#tokens]))?
        }
        _ => return None,
    })
}

/// Whether the interpreter finds other results than the compiled program.
pub(crate) fn disagreement(program: &Program, value: &[f64]) -> Option<Failure> {
    let (item, args) = alone(program)?;
    let run = || -> Option<Vec<f64>> {
        let mut diags = Diagnostics::new();
        let options = options::parse(proc_macro2::TokenStream::new(), &mut diags);
        let stages = pipeline::run(&signature::analyse(&item, &options, &mut diags), &item.block, &mut diags)?;
        Some(flat(&machine(&stages.primal).run(&args).ok()?))
    };
    let ours = catch_unwind(AssertUnwindSafe(run)).ok()??;
    // `rustc` may evaluate a constant expression in another way
    let same = distance(&ours, value) < 1e-12;
    (!same).then(|| Failure { kind: "interpreter", detail: format!("{ours:?}, compiled {value:?}"), compiled: true })
}

fn inner(item: &syn::ItemFn, args: &[Val]) -> Result<Option<Outcome>, Failure> {
    let mut diags = Diagnostics::new();
    let options = options::parse(proc_macro2::TokenStream::new(), &mut diags);
    let sig = signature::analyse(item, &options, &mut diags);
    let stages = pipeline::run(&sig, &item.block, &mut diags);
    if let Some(d) = diags.iter().next() {
        return fail("diagnostic", d.message.clone());
    }
    let Some(s) = stages else { return fail("diagnostic", "no stages and no diagnostic") };
    let (Some(reverse), Some(stored), Some(forward)) = (&s.first.reverse, &s.first.stored, &s.first.forward) else {
        return fail("diagnostic", "a mode is missing");
    };
    for (stage, f) in [
        ("lowered", &s.lowered.func),
        ("primal", &s.primal),
        ("forward", forward),
        ("reverse", reverse),
        ("stored", stored),
    ] {
        verified(stage, f)?;
    }
    let lowered = &s.lowered.func;
    let value = match machine(lowered).with_fuel(FUEL).run(args) {
        Ok(v) => v,
        Err(InterpError::OutOfFuel) => return Ok(None),
        Err(e) => return fail("lowered", format!("{e}\n{lowered}")),
    };
    let results = value.len();
    let value = flat(&value);
    if !value.iter().all(|x| x.is_finite() && x.abs() < 1e6) {
        return Ok(None);
    }
    let run = |f: &Func, args: &[Val], kind: &'static str| -> Result<Vec<Val>, Failure> {
        machine(f).run(args).or_else(|e| fail(kind, format!("{e}\n{f}")))
    };
    let optimised = flat(&run(&s.primal, args, "primal")?);
    if !same(&value, &optimised) {
        return fail("optimiser", format!("{value:?} becomes {optimised:?}\n{lowered}\n{}", s.primal));
    }
    // reverse, before and after storage, for seeds that differ
    let seeds: Vec<Val> = seeds(&sig, &value, args);
    let weights = flat(&seeds);
    let gradient = |f: &Func, kind: &'static str| -> Result<Vec<f64>, Failure> {
        let out = run(f, args, kind)?;
        if !same(&value, &flat(&out[..results])) {
            return fail(kind, format!("the value changed: {value:?}, {:?}\n{f}", flat(&out[..results])));
        }
        let entries =
            machine(f).call(&out[results], &seeds).or_else(|e| fail(kind, format!("the pullback: {e}\n{f}")))?;
        Ok(flat(&entries))
    };
    let before = gradient(reverse, "reverse")?;
    let after = gradient(stored, "stored")?;
    if !before.iter().all(|x| x.abs() < 1e8) {
        return if same(&before, &after) { Ok(None) } else { fail("storage", format!("{before:?} becomes {after:?}")) };
    }
    if distance(&before, &after) > 1e-12 {
        return fail("storage", format!("{before:?} becomes {after:?}\n{reverse}\n{stored}"));
    }
    if let Some(joined) = &s.first.gradient {
        verified("gradient", joined)?;
        let out = run(joined, args, "gradient")?;
        let (values, entries) = (flat(&out[..results]), flat(&out[results..]));
        if !same(&value, &values) || distance(&after, &entries) > 1e-12 {
            return fail("gradient", format!("{value:?}, {values:?}; {after:?}, {entries:?}\n{reverse}\n{joined}"));
        }
    }
    let flags: Vec<bool> = sig.params.iter().map(|p| p.differentiable).collect();
    let point: Vec<f64> = args.iter().zip(&flags).filter(|(_, f)| **f).flat_map(|(a, _)| a.flat()).collect();
    if point.len() != before.len() {
        return fail("entries", format!("{} entries for {} coordinates", before.len(), point.len()));
    }
    let mut rng = Rng::new(args.len() as u64);
    let mut differences = true;
    for _ in 0..2 {
        let direction: Vec<f64> = point.iter().map(|_| rng.float()).collect();
        let slope = dot(&after, &direction);
        let mut all = args.to_vec();
        let mut rest = &direction[..];
        for (a, _) in args.iter().zip(&flags).filter(|(_, f)| **f) {
            let (own, others) = rest.split_at(a.flat().len());
            all.push(a.with_flat(own));
            rest = others;
        }
        let out = run(forward, &all, "forward")?;
        if !same(&value, &flat(&out[..results])) {
            return fail("forward", format!("the value changed\n{forward}"));
        }
        let tangent = dot(&flat(&out[results..]), &weights);
        let scale = after.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        if !within(tangent - slope, 1e-10 * scale) {
            return fail(
                "modes",
                format!("forward {tangent}, reverse {slope}; {after:?}\n{}\n{reverse}\n{forward}", s.primal),
            );
        }
        let shifted = |h: f64| -> Result<f64, Failure> {
            let moved: Vec<f64> = point.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
            let mut rest = &moved[..];
            let mut args = args.to_vec();
            for (a, _) in args.iter_mut().zip(&flags).filter(|(_, f)| **f) {
                let (own, others) = rest.split_at(a.flat().len());
                *a = a.with_flat(own);
                rest = others;
            }
            match machine(&s.primal).with_fuel(FUEL).run(&args) {
                Ok(v) => Ok(dot(&flat(&v), &weights)),
                Err(_) => Ok(f64::NAN),
            }
        };
        let estimate = |h: f64| -> Result<f64, Failure> {
            Ok((8.0 * (shifted(h)? - shifted(-h)?) - (shifted(2.0 * h)? - shifted(-2.0 * h)?)) / (12.0 * h))
        };
        let (rough, fine) = (estimate(2e-4)?, estimate(0.9e-4)?);
        let scale = scale.max(value.iter().fold(1.0, |m, x| m.max(x.abs())));
        if !within(rough - fine, 1e-7 * scale) {
            differences = false;
            continue;
        }
        if (fine - slope).abs() > 2e-6 * scale {
            return fail(
                "differences",
                format!("differences {fine}, derivative {slope}; {after:?}\n{}\n{reverse}", s.primal),
            );
        }
    }
    Ok(Some(Outcome { value, differences }))
}

/// A seed for each result that has a cotangent: one for the value, others for what is behind `&mut`.
fn seeds(sig: &Signature, value: &[f64], args: &[Val]) -> Vec<Val> {
    let mut seeds = vec![Val::Float(1.0)];
    let mut k = 0;
    for (p, a) in sig.params.iter().zip(args) {
        if p.by == By::RefMut && p.differentiable {
            let weights: Vec<f64> = a
                .flat()
                .iter()
                .map(|_| {
                    k += 1;
                    0.25 * f64::from(k) - 1.3
                })
                .collect();
            seeds.push(a.with_flat(&weights));
        }
    }
    debug_assert_eq!(flat(&seeds).len(), value.len());
    seeds
}
