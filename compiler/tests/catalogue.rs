//! Every error of the catalogue has a program in `ui-tests/fail` that is refused with it.

use cotangent_compiler::diag::catalog;

/// What no program that the Rust compiler parses leads to.
const WITHOUT_PROGRAM: [&str; 2] = ["internal", "syntax"];

#[test]
fn every_code_has_a_program() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/fail");
    let mut codes = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a program");
            let first = text.lines().next().unwrap_or_default();
            codes.extend(first.trim_start_matches("//! ").split(", ").map(str::to_owned));
        }
    }
    let missing: Vec<_> = catalog::ALL
        .iter()
        .map(|code| code.name)
        .filter(|name| !WITHOUT_PROGRAM.contains(name) && !codes.iter().any(|code| code == name))
        .collect();
    assert!(missing.is_empty(), "no program in ui-tests/fail for {missing:?}");
}
