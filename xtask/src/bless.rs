//! `cargo xtask bless`: rewrites everything that is compared with a file (snapshots, the messages of compile-fail tests,
//! generated pages). The diff then shows what changed, and is to be read.

use std::fs;
use std::process::Command;

/// Rewrites the generated pages.
pub(crate) fn pages() -> Result<(), String> {
    for page in crate::pages::all()? {
        fs::write(&page.path, page.text).map_err(|e| format!("{}: {e}", page.path.display()))?;
    }
    Ok(())
}

/// Runs all tests with the variables that make them rewrite their files.
pub(crate) fn tests() -> Result<(), String> {
    let mut tests = Command::new(env!("CARGO"));
    tests.args(["test", "--workspace", "--no-fail-fast"]).env_remove("CI");
    crate::succeed(tests.env("INSTA_UPDATE", "always").env("INSTA_FORCE_PASS", "1").env("TRYBUILD", "overwrite"))
}
