//! Each stage of small functions, as text, beside `golden/<name>.rs`: what a pass does to typical code can be read here,
//! and a change of it shows in the diff. `INSTA_UPDATE=always cargo test -p cotangent-compiler --test golden` rewrites.

use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::syntax::{options, signature};
use cotangent_compiler::{expand, pipeline};
use proc_macro2::TokenStream;

/// Compares what the stages and the emission make of a function with the files.
fn golden(name: &str, source: &str) {
    let item: syn::ItemFn = syn::parse_str(source).expect("a function");
    let mut diags = Diagnostics::new();
    let options = options::parse(TokenStream::new(), &mut diags);
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = pipeline::run(&sig, &item.block, &mut diags);
    let problems: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
    assert!(problems.is_empty(), "{name}: {problems:?}");
    let stages = stages.expect("there are no problems");
    let emitted = expand(TokenStream::new(), source.parse().expect("tokens"));
    let mut emitted: syn::File = syn::parse2(emitted).expect("what is emitted is Rust");
    for item in &mut emitted.items {
        if let syn::Item::Fn(f) = item {
            // the same list of lints each time
            f.attrs.retain(|a| !a.path().is_ident("allow"));
        }
    }

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _guard = settings.bind_to_scope();
    let stage = |stage: &str, text: String| insta::assert_snapshot!(format!("{name}.{stage}"), text);
    stage("lowered", stages.lowered.func.to_string());
    stage("primal", stages.primal.to_string());
    for (name, func) in [("forward", &stages.forward), ("reverse", &stages.reverse), ("stored", &stages.stored)] {
        stage(name, func.as_ref().expect("both modes are on").to_string());
    }
    if let Some(func) = &stages.gradient {
        stage("gradient", func.to_string());
    }
    stage("emitted", prettyplease::unparse(&emitted));
}

macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            golden(stringify!($name), include_str!(concat!("golden/", stringify!($name), ".rs")));
        })*
    };
}

golden! {
    array branch call closure early_exit in_place joined_sweeps loop_with_residuals loop_without_residuals nested_loops
    run_again straight_line while_loop
}
