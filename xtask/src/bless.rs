//! `cargo xtask bless`: rewrites everything that is compared with a file (snapshots, the messages of compile-fail tests,
//! generated pages). The diff then shows what changed, and is to be read.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use cotangent_compiler::prims::table;

/// Rewrites the pages, then runs all tests with the variables that make them rewrite their files.
pub(crate) fn run() -> Result<(), String> {
    let page = primitives_path();
    fs::write(&page, primitives_page()).map_err(|e| format!("{}: {e}", page.display()))?;
    let mut tests = Command::new(env!("CARGO"));
    tests.args(["test", "--workspace", "--no-fail-fast"]).env_remove("CI");
    crate::succeed(tests.env("INSTA_UPDATE", "always").env("INSTA_FORCE_PASS", "1").env("TRYBUILD", "overwrite"))
}

fn primitives_path() -> PathBuf {
    crate::root().join("docs/primitives.md")
}

/// The page of derivatives, from the declarations in the compiler.
fn primitives_page() -> String {
    format!(
        "# Primitive functions and their derivatives\n\n\
         <!-- Written by `cargo xtask bless` from the declarations in `compiler/src/prims`. Do not edit. -->\n\n\
         Methods may also be called by path, `f64::sin(x)`. All of them work on `f32` as well, and on the elements of\n\
         `ndarray` arrays. The last column says what the derivative is where the function has none.\n\n\
         A cotangent or a tangent that is exactly zero stays zero through a partial derivative that is infinite or not a\n\
         number, so a value that does not count cannot spoil the result.\n\n\
         {}",
        table::markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_primitives_is_up_to_date() {
        let found = fs::read_to_string(primitives_path()).unwrap_or_default();
        assert!(found == primitives_page(), "docs/primitives.md is out of date: run `cargo xtask bless`");
    }
}
