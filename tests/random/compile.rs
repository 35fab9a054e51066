//! The programs as a user of the crate compiles and runs them.
//!
//! A package of its own below `target` builds this crate and the harness as cargo does it for anybody, without a network
//! and at the versions of the lock file. The programs are then compiled by `rustc` against that, many in one crate, so that
//! what is wrong with one of them can be found and made smaller without another build.

use super::check::Failure;
use super::dualize;
use super::generate::Program;
use super::print::{self, HELPER};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What happened to one program.
pub(crate) enum Ran {
    /// It says nothing: it panics, or its results are too large.
    Silent,
    /// The results, and whether differences were among what agreed.
    Holds(Vec<f64>, bool),
    /// Something is wrong.
    Fails(Failure),
}

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

/// What the programs are linked with.
struct Libraries {
    /// `--extern` and its argument, and where dependencies are.
    flags: Vec<String>,
}

/// Builds them, once.
fn libraries() -> &'static Libraries {
    static LIBRARIES: OnceLock<Libraries> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random");
        std::fs::create_dir_all(&package).expect("the directory for temporary files");
        let manifest = format!(
            "[package]\nname = \"harness\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [lib]\npath = {:?}\n\n\
             [dependencies]\ncotangent = {{ path = {root:?}, default-features = false, features = [\"std\"] }}\n\
             num-dual = {{ version = \"0.15\", default-features = false }}\n\
             num-traits = \"0.2\"\n\n\
             [profile.dev]\ndebug = false\nincremental = false\n\n\
             [profile.dev.build-override]\nopt-level = 1\n\n\
             [workspace]\n",
            root.join("tests/random/harness.rs"),
        );
        std::fs::write(package.join("Cargo.toml"), manifest).expect("a temporary file");
        std::fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).expect("the lock file");
        let out = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--offline", "--message-format=json-render-diagnostics", "--manifest-path"])
            .arg(package.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(package.join("target"))
            .current_dir(root)
            .output()
            .expect("cargo runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let printed = String::from_utf8_lossy(&out.stdout);
        let mut flags = Vec::new();
        for name in ["harness", "cotangent", "num_traits"] {
            let file = library(&printed, name).unwrap_or_else(|| panic!("cargo built no library `{name}`"));
            flags.extend(["--extern".to_owned(), format!("{name}={file}")]);
        }
        flags.extend(["-L".to_owned(), format!("dependency={}", package.join("target/debug/deps").display())]);
        Libraries { flags }
    })
}

/// The file of a library in what cargo prints about its artifacts.
fn library(printed: &str, name: &str) -> Option<String> {
    let file = format!("lib{name}");
    printed
        .split('"')
        .filter(|s| s.ends_with(".rlib"))
        .find(|path| {
            let stem = Path::new(path).file_stem().and_then(|s| s.to_str()).unwrap_or("");
            stem == file || stem.strip_prefix(&file).is_some_and(|rest| rest.starts_with('-'))
        })
        .map(|path| path.replace("\\\\", "\\"))
}

fn rustc(dir: &Directory, text: &str, flags: &[String]) -> Result<(), String> {
    let file = dir.0.join("program.rs");
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    let out = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--crate-name=program", "-Cdebuginfo=0"])
        .args(flags)
        .arg("-o")
        .arg(dir.0.join("program"))
        .arg(&file)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|e| e.to_string())?;
    if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
}

/// Whether `rustc` accepts a program as it is written, without companions.
pub(crate) fn accepts(source: &str) -> bool {
    let Ok(plain) = dualize::plain(source) else { return false };
    let text = format!("#![allow(warnings)]\n{HELPER}\n{plain}");
    let mut flags: Vec<String> = ["--crate-type=lib", "--emit=metadata"].map(str::to_owned).into();
    flags.extend(libraries().flags.iter().cloned());
    rustc(&Directory::new(), &text, &flags).is_ok()
}

/// Why programs cannot be run: what is said, and which of them it is said about.
struct Refusal {
    message: String,
    about: BTreeSet<usize>,
}

impl<E: ToString> From<E> for Refusal {
    fn from(e: E) -> Self {
        Refusal { message: e.to_string(), about: BTreeSet::new() }
    }
}

/// Compiles and runs programs.
///
/// # Errors
/// If `rustc` rejects one of them, or the binary crashes.
fn try_run(programs: &[&Program]) -> Result<Vec<Ran>, Refusal> {
    let (text, begins) = print::batch(programs)?;
    let dir = Directory::new();
    if let Err(message) = rustc(&dir, &text, &libraries().flags) {
        let lines = message.lines().filter_map(|l| l.split_once("program.rs:")?.1.split(':').next()?.parse().ok());
        let about = lines.map(|line: usize| begins.partition_point(|b| *b <= line).saturating_sub(1)).collect();
        return Err(Refusal { message, about });
    }
    let out = Command::new(dir.0.join("program")).output()?;
    let printed = String::from_utf8_lossy(&out.stdout);
    if !out.status.success() {
        return Err(format!("it crashes: {}", String::from_utf8_lossy(&out.stderr)).into());
    }
    Ok(printed.lines().map(outcome).collect())
}

/// What a line of the harness says.
fn outcome(line: &str) -> Ran {
    let mut words = line.split(' ').skip(1);
    match words.next() {
        Some("silent") => Ran::Silent,
        Some("holds") => {
            let differences = words.next() == Some("true");
            let bits = words.filter_map(|w| u64::from_str_radix(w, 16).ok()).map(f64::from_bits);
            Ran::Holds(bits.collect(), differences)
        }
        _ => {
            let kind = ["pullback", "gradient", "tangent", "differences", "dual", "panic"]
                .into_iter()
                .find(|k| Some(*k) == line.split(' ').nth(2));
            Ran::Fails(Failure { kind: kind.unwrap_or("harness"), detail: line.to_owned(), compiled: true })
        }
    }
}

/// Compiles and runs one program.
pub(crate) fn run_one(program: &Program) -> Ran {
    match try_run(&[program]) {
        Ok(mut ran) => ran.pop().unwrap_or(Ran::Silent),
        Err(e) => {
            let kind = if accepts(&program.source) { "rejected" } else { "generator" };
            Ran::Fails(Failure { kind, detail: e.message, compiled: true })
        }
    }
}

/// Compiles and runs programs; where `rustc` rejects some, those one by one. If it does not say which, halves of them.
pub(crate) fn run(programs: &[&Program]) -> Vec<Ran> {
    if let [one] = programs {
        return vec![run_one(one)];
    }
    let about = match try_run(programs) {
        Ok(ran) => return ran,
        Err(e) => e.about,
    };
    if about.is_empty() || about.len() == programs.len() {
        let (a, b) = programs.split_at(programs.len() / 2);
        let mut all = run(a);
        all.extend(run(b));
        return all;
    }
    let others: Vec<&Program> = (0..programs.len()).filter(|k| !about.contains(k)).map(|k| programs[k]).collect();
    let mut others = run(&others).into_iter();
    let mut each =
        |k: usize| if about.contains(&k) { run_one(programs[k]) } else { others.next().unwrap_or(Ran::Silent) };
    (0..programs.len()).map(&mut each).collect()
}
