//! Programs that must not compile, with what the compiler says about them, and programs that must.
//!
//! A case in `fail` begins with the codes of the catalogue that it is about. `TRYBUILD=overwrite` writes the `.stderr`
//! files anew.

#[test]
fn programs() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui-tests/fail/*.rs");
    cases.pass("ui-tests/pass/*.rs");
}
