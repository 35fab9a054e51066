//! The programs as `rustc` sees them.

use super::check::HELPER;
use super::generate::Program;
use cotangent_compiler::interp::Val;
use std::path::{Path, PathBuf};
use std::process::Command;

fn directory() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("the directory for temporary files");
    dir
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

/// A block that runs function `name` and prints the bits of its results.
fn call(name: &str, program: &Program) -> String {
    let item: syn::ItemFn = syn::parse_str(&program.source).expect("a function");
    let (mut lets, mut args, mut finals) = (String::new(), Vec::new(), String::new());
    for (k, (input, val)) in item.sig.inputs.iter().zip(&program.args).enumerate() {
        let syn::FnArg::Typed(t) = input else { continue };
        let ty = quote::quote!(#t).to_string();
        let ty = ty.split_once(':').map(|(_, t)| t.trim().replace(' ', "")).unwrap_or_default();
        if let Some(inner) = ty.strip_prefix("&mut") {
            let init = argument(inner, val);
            lets.push_str(&format!("let mut m{k} = {init}; "));
            args.push(format!("&mut m{k}"));
            finals.push_str(&match val {
                Val::Float(_) => format!("show(m{k}); "),
                _ => format!("for m in m{k} {{ show(m); }} "),
            });
        } else {
            args.push(argument(&ty, val));
        }
    }
    format!("{{ {lets} show({name}({})); {finals} println!(); }}", args.join(", "))
}

/// Whether `rustc` accepts a function.
pub(crate) fn accepts(source: &str) -> bool {
    let dir = directory();
    let file = dir.join("one.rs");
    std::fs::write(&file, format!("#![allow(warnings)]\n{HELPER}\npub {source}")).expect("a temporary file");
    let out = rustc()
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--crate-name=one", "-o"])
        .arg(dir.join("one.rmeta"))
        .arg(&file)
        .output();
    out.is_ok_and(|o| o.status.success())
}

/// Compiles and runs programs; gives their results, or what `rustc` says.
pub(crate) fn values(programs: &[&Program]) -> Result<Vec<Vec<f64>>, String> {
    let dir = directory();
    let mut text =
        format!("#![allow(warnings)]\n{HELPER}\nfn show(x: f64) {{ print!(\"{{:016x}} \", x.to_bits()); }}\n");
    let mut main = String::new();
    for (k, p) in programs.iter().enumerate() {
        text.push_str(&p.source.replacen("fn f(", &format!("fn f_{k}("), 1));
        text.push('\n');
        main.push_str(&call(&format!("f_{k}"), p));
        main.push('\n');
    }
    text.push_str(&format!("fn main() {{ {main} }}"));
    let (file, binary) = (dir.join("many.rs"), dir.join("many"));
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    let out = rustc().args(["--edition=2024", "-o"]).arg(&binary).arg(&file).output().map_err(|e| e.to_string())?;
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

/// Compares the interpreter's values with those of the compiled programs.
pub(crate) fn compare(batch: &[(u64, Program, Vec<f64>)]) -> Vec<String> {
    if batch.is_empty() {
        return Vec::new();
    }
    let programs: Vec<&Program> = batch.iter().map(|(_, p, _)| p).collect();
    let values = match values(&programs) {
        Ok(values) => values,
        Err(e) => {
            let text: String = e.lines().take(60).collect::<Vec<_>>().join("\n");
            return vec![format!("rustc, seeds {}..: {text}", batch[0].0)];
        }
    };
    let mut failures = Vec::new();
    for ((seed, program, ours), theirs) in batch.iter().zip(values) {
        if differ(ours, &theirs) {
            let failure = super::check::Failure { kind: "rust", detail: format!("{ours:?} instead of {theirs:?}") };
            failures.push(format!("seed {seed}: {}", super::shrink::shrink(program, &failure)));
        }
    }
    failures
}

/// Whether results differ by more than the last bits of functions that `rustc` may evaluate in another way.
pub(crate) fn differ(a: &[f64], b: &[f64]) -> bool {
    a.len() != b.len() || a.iter().zip(b).any(|(x, y)| !((x - y).abs() <= 1e-12 * (1.0 + x.abs())))
}
