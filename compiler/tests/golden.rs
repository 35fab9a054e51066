//! Each stage of small functions, as text, beside `golden/<name>.rs`: what a pass does to typical code can be read here,
//! and a change of it shows in the diff. `INSTA_UPDATE=always cargo test -p cotangent-compiler --test golden` rewrites.

use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::expand;
use cotangent_compiler::pipeline::{self, Stages};
use cotangent_compiler::syntax::{options, signature};

/// Compares what the stages and the emission make of a function with the files.
fn golden(name: &str, options: &str, source: &str) {
    let stages = stages(name, source, options);
    let emitted = expand(options.parse().expect("tokens"), source.parse().expect("tokens"));
    let mut emitted: syn::File = syn::parse2(emitted).expect("what is emitted is Rust");
    for item in &mut emitted.items {
        if let syn::Item::Fn(f) = item {
            // the same list of lints each time
            f.attrs.retain(|a| !a.path().is_ident("allow"));
        }
    }
    for (stage, func) in stages.named() {
        if let Some(func) = func {
            compare(name, &stage, &func.to_string());
        }
    }
    compare(name, "emitted", &prettyplease::unparse(&emitted));
}

fn stages(name: &str, source: &str, options: &str) -> Stages {
    let item: syn::ItemFn = syn::parse_str(source).expect("a function");
    let mut diags = Diagnostics::new();
    let options = options::parse(options.parse().expect("tokens"), &mut diags);
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = pipeline::run(&sig, &item.block, &mut diags);
    let problems: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
    assert!(problems.is_empty(), "{name}: {problems:?}");
    stages.expect("there are no problems")
}

fn compare(name: &str, stage: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _guard = settings.bind_to_scope();
    insta::assert_snapshot!(format!("{name}.{stage}"), text);
}

/// The stages of a tangent program that is differentiated again, and the product of a Hessian and a vector.
#[test]
fn second_order() {
    let stages = stages("second_order", include_str!("golden/second_order.rs"), "order = 2, hvp");
    for (stage, func) in stages.named() {
        if let Some(func) = func.filter(|_| stage == "forward" || stage.starts_with("jvp.") || stage == "product") {
            compare("second_order", &stage, &func.to_string());
        }
    }
}

/// The sums of cotangents that are left are those which the declared sizes demand.
#[test]
fn declared_shapes() {
    let options = "shapes(w: [d, h], x: [n, d], b: [h])";
    golden("declared_shapes", options, include_str!("golden/declared_shapes.rs"));
}

macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            golden(stringify!($name), "", include_str!(concat!("golden/", stringify!($name), ".rs")));
        })*
    };
}

/// Only the weights are differentiated.
#[test]
fn rows_together() {
    golden("rows_together", "wrt(w)", include_str!("golden/rows_together.rs"));
}

golden! {
    array blocks branch call closure early_exit in_place joined_sweeps loop_with_residuals loop_without_residuals merged nested_loops
    run_again stencil straight_line while_loop
}
