//! `cargo xtask tidy`: rules of the source tree that neither the compiler nor its lints can see.
//!
//! - A source file has at most [`MOST_LINES`] lines.
//! - A source file opens with `//!`: its purpose and its invariants. (Inputs of tests are no source files.)
//! - A module of the compiler uses only modules of its own floor and of those below it, see [`FLOORS`].
//! - Nothing is left over: no note of work to do stands in a file.

use std::fs;
use std::path::{Path, PathBuf};

/// The length that a source file may have.
const MOST_LINES: usize = 500;

/// The modules of the compiler, the lowest floor first. `lib.rs` stands above all of them.
const FLOORS: [&[&str]; 8] = [
    &["diag"],
    &["ir"],
    &["prims"],
    &["syntax"],
    &["lower", "infer", "interp"],
    &["ad", "storage", "opt"],
    &["emit", "derive"],
    &["pipeline", "blocks"],
];

/// Words that mark unfinished work, spelled so that this file does not hold them.
const LEFTOVERS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Folders whose files are inputs of tests.
const INPUTS: [&str; 4] = ["golden", "fail", "pass", "snapshots"];

/// Checks the repository and reports everything that is wrong.
pub(crate) fn run() -> Result<(), String> {
    let root = crate::root();
    let mut files = Vec::new();
    walk(&root, &mut files).map_err(|e| format!("{}: {e}", root.display()))?;
    let mut faults = Vec::new();
    for file in &files {
        let path = file.strip_prefix(&root).expect("it was found below the root");
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", path.display()))?;
        check(path, &text, &mut faults);
    }
    if faults.is_empty() {
        println!("{} files are tidy", files.len());
        Ok(())
    } else {
        Err(format!("{}\n{} faults", faults.join("\n"), faults.len()))
    }
}

/// The texts below a folder, in order, without build outputs and hidden folders.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let hidden = name.as_encoded_bytes().starts_with(b".");
        if entry.file_type()?.is_dir() {
            if !hidden && name != "target" && name != "out" {
                walk(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs" || e == "md" || e == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

fn check(path: &Path, text: &str, faults: &mut Vec<String>) {
    let name = path.display();
    for (number, line) in text.lines().enumerate() {
        for word in LEFTOVERS.iter().filter(|word| holds_word(line, word)) {
            faults.push(format!("{name}:{}: {word}: do it or drop it", number + 1));
        }
    }
    let input = path.components().any(|c| INPUTS.iter().any(|folder| c.as_os_str() == *folder));
    if path.extension().is_none_or(|e| e != "rs") || input {
        return;
    }
    if !text.starts_with("//!") {
        faults.push(format!("{name}:1: a source file opens with `//!`, its purpose and invariants"));
    }
    let lines = text.lines().count();
    if lines > MOST_LINES && path.components().any(|c| c.as_os_str() == "src") {
        faults.push(format!("{name}: {lines} lines, more than {MOST_LINES}: split it"));
    }
    if let Ok(module) = path.strip_prefix("compiler/src") {
        floors(path, module, text, faults);
    }
}

fn holds_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
}

/// A module of the compiler uses nothing above its own floor. Tests may use everything.
fn floors(path: &Path, module: &Path, text: &str, faults: &mut Vec<String>) {
    let top = module.components().next().map(|c| c.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    let Some(own) = floor(top.trim_end_matches(".rs")) else {
        if top != "lib.rs" {
            faults
                .push(format!("{}: the module stands on no floor: give it one in `xtask/src/tidy.rs`", path.display()));
        }
        return;
    };
    if module.components().any(|c| c.as_os_str() == "tests" || c.as_os_str() == "tests.rs") {
        return;
    }
    for (line, used) in used_modules(text) {
        if floor(&used).is_some_and(|floor| floor > own) {
            let name = path.display();
            faults.push(format!("{name}:{line}: `{used}` stands above this module: code may only look down"));
        }
    }
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// What follows each `crate::` outside of comments and tests, with its line: one module, or those in braces.
fn used_modules(text: &str) -> Vec<(usize, String)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let code: String = text[..end].lines().map(|line| format!("{}\n", line.split("//").next().unwrap_or(""))).collect();
    let mut found = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(listed(list).into_iter().map(|module| (line, module))),
            None => found.push((line, ident(rest))),
        }
    }
    found
}

/// The first segments of the paths in a list whose opening brace has been read.
fn listed(list: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0, true, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if start && !c.is_whitespace() => {
                found.push(ident(&list[at..]));
                start = false;
            }
            _ => {}
        }
    }
    found
}

fn ident(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        check(Path::new(path), text, &mut faults);
        faults
    }

    #[test]
    fn code_looks_down_only() {
        let text = "//! A pass.\nuse crate::{\n    ir::{Func, verify},\n    emit,\n};\nfn f() { crate::diag::g(); crate::lower::h(); }";
        assert_eq!(
            faults("compiler/src/opt/fold.rs", text),
            ["compiler/src/opt/fold.rs:2: `emit` stands above this module: code may only look down"]
        );
        assert_eq!(faults("compiler/src/diag.rs", "//! D.\nuse crate::ir::Func;").len(), 1);
        assert_eq!(faults("compiler/src/diag.rs", "//! See [`crate::ir`].\n// crate::ir\n").len(), 0);
        assert_eq!(faults("compiler/src/diag/tests.rs", "//! T.\nuse crate::ir::Func;").len(), 0);
        assert_eq!(faults("compiler/src/other.rs", "//! O.").len(), 1);
    }

    #[test]
    fn files_open_with_their_purpose_and_are_short() {
        assert_eq!(faults("runtime/src/a.rs", "use std::fs;").len(), 1);
        assert_eq!(faults("runtime/src/a.rs", &format!("//! A.\n{}", "\n".repeat(MOST_LINES))).len(), 1);
        assert_eq!(faults("ui-tests/fail/a.rs", "fn main() {}").len(), 0);
    }

    #[test]
    fn nothing_is_left_over() {
        let word = LEFTOVERS[0];
        assert_eq!(
            faults("docs/a.md", &format!("one\n{word}: two")),
            [format!("docs/a.md:2: {word}: do it or drop it")]
        );
        assert_eq!(faults("docs/a.md", &format!("a_{word}_b")).len(), 0);
    }
}
