//! The programs as `rustc` sees them.

use super::check::{Failure, HELPER, Outcome, within};
use super::generate::Program;
use cotangent_compiler::interp::Val;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory for one compilation, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("the directory for temporary files");
        Directory(dir)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// An argument as an expression, of a parameter of a type.
fn argument(ty: &str, val: &Val) -> String {
    let list = |xs: &[f64]| xs.iter().map(|x| format!("{x:?}_f64")).collect::<Vec<_>>().join(", ");
    let xs = val.flat();
    match (ty.replace(' ', "").as_str(), val) {
        (_, Val::Int(n)) => n.to_string(),
        ("&f64", _) => format!("&{:?}", xs[0]),
        ("Vec<f64>", _) => format!("vec![{}]", list(&xs)),
        ("&[f64]", _) => format!("&[{}]", list(&xs)),
        (_, Val::Seq(_)) => format!("[{}]", list(&xs)),
        (_, Val::Tuple(_)) => format!("({})", list(&xs)),
        _ => list(&xs),
    }
}

/// The number `k` of a direction in the space of the parameters.
fn direction(k: usize) -> f64 {
    0.3 - 0.7 * (k % 3) as f64
}

/// A tangent or cotangent of the type of a value, its floats from `next`.
fn tangent(ty: &str, val: &Val, next: &mut impl FnMut() -> f64) -> String {
    match val {
        Val::Int(_) => "()".to_owned(),
        val => {
            let xs: Vec<f64> = val.flat().iter().map(|_| next()).collect();
            let ty = ty.trim_start_matches("&mut").trim_start_matches('&');
            let ty = if ty == "[f64]" { "Vec<f64>" } else { ty };
            argument(ty, &val.with_flat(&xs))
        }
    }
}

/// A block that runs function `name` and prints the bits of its results; `outcome`: also the companions.
fn call(name: &str, program: &Program, outcome: Option<&Outcome>) -> String {
    let item: syn::ItemFn = syn::parse_str(&program.source).expect("a function");
    let (mut lets, mut args, mut finals) = (String::new(), Vec::new(), String::new());
    let (mut tangents, mut seeds) = (Vec::new(), Vec::new());
    let mut k = 0;
    let mut along = || {
        k += 1;
        direction(k - 1)
    };
    let weights = outcome.map(|o| o.seeds.clone()).unwrap_or_default();
    let mut weights = weights.into_iter();
    let mut weight = || weights.next().unwrap_or(0.0);
    seeds.push(format!("{:?}_f64", weight()));
    for (k, (input, val)) in item.sig.inputs.iter().zip(&program.args).enumerate() {
        let syn::FnArg::Typed(t) = input else { continue };
        let ty = quote::quote!(#t).to_string();
        let ty = ty.split_once(':').map(|(_, t)| t.trim().replace(' ', "")).unwrap_or_default();
        tangents.push(tangent(&ty, val, &mut along));
        if let Some(inner) = ty.strip_prefix("&mut") {
            let init = argument(if inner == "[f64]" { "" } else { inner }, val);
            lets.push_str(&format!("let mut m{k} = {init}; "));
            args.push(format!("&mut m{k}"));
            finals.push_str(&format!("m{k}.show(); "));
            seeds.push(tangent(&ty, val, &mut weight));
        } else {
            args.push(argument(&ty, val));
        }
    }
    let args = args.join(", ");
    let mut text = format!("{{ {lets} {name}({args}).show(); {finals} }}");
    if outcome.is_some() {
        let seed = if seeds.len() == 1 { seeds.remove(0) } else { format!("({})", seeds.join(", ")) };
        let tangents = tangents.join(", ");
        text.push_str(&format!(
            "{{ {lets} let (y, pullback) = {name}_vjp({args}); y.show(); {finals} pullback({seed}).show(); }}"
        ));
        text.push_str(&format!(
            "{{ {lets} let (y, dy) = {name}_jvp({args}, {tangents}); y.show(); {finals} dy.show(); }}"
        ));
    }
    text + " println!();"
}

/// How results are printed.
const SHOW: &str = "trait Show { fn show(&self); }
impl Show for f64 { fn show(&self) { print!(\"{:016x} \", self.to_bits()); } }
impl Show for () { fn show(&self) {} }
impl<T: Show> Show for Vec<T> { fn show(&self) { self.iter().for_each(Show::show); } }
impl<T: Show, const N: usize> Show for [T; N] { fn show(&self) { self.iter().for_each(Show::show); } }
impl<A: Show, B: Show> Show for (A, B) { fn show(&self) { self.0.show(); self.1.show(); } }
impl<A: Show, B: Show, C: Show> Show for (A, B, C) { fn show(&self) { self.0.show(); self.1.show(); self.2.show(); } }
impl<A: Show, B: Show, C: Show, D: Show> Show for (A, B, C, D) {
    fn show(&self) { self.0.show(); self.1.show(); self.2.show(); self.3.show(); }
}
fn helper_vjp(x: f64, k: usize) -> (f64, impl Fn(f64) -> (f64, ())) { (helper(x, k), move |y| (y * slope(x, k), ())) }
fn helper_jvp(x: f64, k: usize, dx: f64, _: impl Sized) -> (f64, f64) { (helper(x, k), dx * slope(x, k)) }
fn slope(x: f64, k: usize) -> f64 {
    let k = k as f64 + 0.5;
    (x * k).cos() * k * x + (x * k).sin()
}
";

/// Whether `rustc` accepts a function.
pub(crate) fn accepts(source: &str) -> bool {
    let dir = Directory::new();
    let file = dir.0.join("one.rs");
    std::fs::write(&file, format!("#![allow(warnings)]\n{HELPER}\npub {source}")).expect("a temporary file");
    let out = rustc()
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--crate-name=one", "-o"])
        .arg(dir.0.join("one.rmeta"))
        .arg(&file)
        .output();
    out.is_ok_and(|o| o.status.success())
}

/// Compiles and runs programs; gives what each prints, or what `rustc` says.
fn values(programs: &[(&Program, &Outcome)]) -> Result<Vec<Vec<f64>>, String> {
    let dir = Directory::new();
    let library = std::env::var("COTANGENT_RANDOM_LIB").ok();
    let mut text = format!("#![allow(warnings)]\n{HELPER}\n{SHOW}");
    let mut main = String::new();
    for (k, (p, outcome)) in programs.iter().enumerate() {
        let source = p.source.replacen("fn f(", &format!("fn f_{k}("), 1).replacen("fn f (", &format!("fn f_{k} ("), 1);
        if library.is_some() {
            let tokens = source.parse().map_err(|e| format!("{e:?}"))?;
            let expanded = cotangent_compiler::expand(proc_macro2::TokenStream::new(), tokens);
            text.push_str(&expanded.to_string());
        } else {
            text.push_str(&source);
        }
        text.push('\n');
        main.push_str(&call(&format!("f_{k}"), p, library.is_some().then_some(*outcome)));
        main.push('\n');
    }
    text.push_str(&format!("fn main() {{ {main} }}"));
    let (file, binary) = (dir.0.join("many.rs"), dir.0.join("many"));
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    let mut rustc = rustc();
    rustc.args(["--edition=2024", "-o"]).arg(&binary).arg(&file);
    if let Some(library) = library {
        rustc.arg(format!("--extern=cotangent={library}/libcotangent.rlib"));
        rustc.arg(format!("-Ldependency={library}/deps"));
    }
    let out = rustc.output().map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    let out = Command::new(&binary).output().map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    let parse = |word: &str| u64::from_str_radix(word, 16).map(f64::from_bits).map_err(|e| e.to_string());
    String::from_utf8_lossy(&out.stdout).lines().map(|l| l.split_whitespace().map(parse).collect()).collect()
}

/// Compares what one program prints with what the interpreter found.
fn disagreement(outcome: &Outcome, printed: &[f64]) -> Option<Failure> {
    let n = outcome.value.len();
    let (value, rest) = printed.split_at(n.min(printed.len()));
    if differ(&outcome.value, value, 1e-12) {
        return Some(Failure { kind: "rust", detail: format!("{:?} instead of {value:?}", outcome.value) });
    }
    if rest.is_empty() {
        return None;
    }
    let fault = |what: &str| {
        Some(Failure { kind: "companions", detail: format!("{what}: {printed:?}, {:?}", outcome.gradient) })
    };
    let m = outcome.gradient.len();
    if rest.len() != 3 * n + m {
        return fault("the number of results");
    }
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits());
    if !same(value, &rest[..n]) || !same(value, &rest[n + m..2 * n + m]) {
        return fault("the value of a companion");
    }
    if differ(&outcome.gradient, &rest[n..n + m], 1e-11) {
        return fault("the entries of the pullback");
    }
    let slope: f64 = outcome.gradient.iter().enumerate().map(|(k, g)| g * direction(k)).sum();
    let dy: f64 = rest[2 * n + m..].iter().zip(&outcome.seeds).map(|(d, s)| d * s).sum();
    let scale = outcome.gradient.iter().fold(1.0_f64, |m, g| m.max(g.abs()));
    if !within(slope - dy, 1e-9 * scale) { fault("the tangent") } else { None }
}

/// Compiles and runs one program; what disagrees.
pub(crate) fn compare_one(program: &Program, outcome: &Outcome) -> Option<Failure> {
    match values(&[(program, outcome)]) {
        Ok(printed) => disagreement(outcome, printed.first().map_or(&[], Vec::as_slice)),
        Err(e) => Some(Failure { kind: "rejected", detail: e }),
    }
}

/// Compares what programs print with what the interpreter found.
pub(crate) fn compare(batch: &[(u64, Program, Outcome)]) -> Vec<String> {
    let mut failures = Vec::new();
    if batch.is_empty() {
        return failures;
    }
    let most = super::number("COTANGENT_RANDOM_MOST").unwrap_or(1) as usize;
    let programs: Vec<(&Program, &Outcome)> = batch.iter().map(|(_, p, o)| (p, o)).collect();
    let mut report = |seed: u64, program: &Program, failure: &Failure| {
        let text =
            if failures.len() < most { super::shrink::shrink(program, failure) } else { failure.kind.to_owned() };
        let text = format!("seed {seed}: {text}");
        eprintln!("{text}\n");
        failures.push(text);
    };
    match values(&programs) {
        Ok(values) => {
            for ((seed, program, ours), printed) in batch.iter().zip(values) {
                if let Some(f) = disagreement(ours, &printed) {
                    report(*seed, program, &f);
                }
            }
        }
        // one of them is rejected, or panics: which?
        Err(_) => {
            for (seed, program, ours) in batch {
                if let Some(f) = compare_one(program, ours) {
                    report(*seed, program, &f);
                }
            }
        }
    }
    failures
}

/// Whether results differ by more than the last bits of functions that `rustc` may evaluate in another way.
fn differ(a: &[f64], b: &[f64], tol: f64) -> bool {
    let size = a.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    a.len() != b.len() || a.iter().zip(b).any(|(x, y)| !within(x - y, tol * size))
}
