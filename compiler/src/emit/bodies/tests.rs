//! Bodies as text. That they compile and compute the right numbers is tested with whole functions.

use super::*;
use crate::diag::Diagnostics;
use crate::infer::types::resolve;
use crate::opt::optimise;
use crate::syntax::{options, signature};

fn lowered(item: &str) -> (Func, Signature, Vec<TokenStream>) {
    let mut diags = Diagnostics::new();
    let options = options::parse(TokenStream::new(), &mut diags);
    let item: syn::ItemFn = syn::parse_str(item).expect("a function");
    let sig = signature::analyse(&item, &options, &mut diags);
    let lowered = crate::lower::lower(&sig, &item.block, &mut diags);
    if let Err(errors) = diags.finish() {
        panic!("{errors}");
    }
    let mut func = lowered.func;
    resolve(&mut func);
    optimise(&mut func);
    (func, sig, lowered.items)
}

fn pretty(body: std::result::Result<TokenStream, Unsupported>) -> String {
    let body = body.unwrap_or_else(|e| panic!("{}", e.what));
    let file = syn::parse2(quote!(fn body() { #body })).unwrap_or_else(|e| panic!("{e}: {body}"));
    let text = prettyplease::unparse(&file);
    let lines = text.lines().skip(1).map(|l| l.strip_prefix("    ").unwrap_or(l));
    let mut lines: Vec<_> = lines.collect();
    lines.pop();
    lines.join("\n")
}

fn primal(item: &str) -> String {
    let (func, sig, items) = lowered(item);
    pretty(primal_body(&func, &sig, &items))
}

fn jvp(item: &str) -> String {
    let (func, sig, items) = lowered(item);
    let flags: Vec<bool> = sig.params.iter().map(|p| p.differentiable).collect();
    let mut func = crate::ad::forward::forward(&func, &flags);
    resolve(&mut func);
    optimise(&mut func);
    pretty(jvp_body(&func, &sig, &items))
}

fn vjp(item: &str) -> String {
    let mut diags = Diagnostics::new();
    let options = options::parse(TokenStream::new(), &mut diags);
    let item: syn::ItemFn = syn::parse_str(item).expect("a function");
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = crate::pipeline::run(&sig, &item.block, &mut diags).expect("no errors");
    let func = stages.stored.expect("reverse mode");
    if std::env::var("IR").is_ok() {
        println!("{func}");
    }
    pretty(vjp_body(&func, &sig, &stages.lowered.items))
}

#[test]
fn show() {
    if let Ok(path) = std::env::var("SHOW") {
        let text = std::fs::read_to_string(path).unwrap();
        for item in text.split("\n\n").filter(|i| !i.trim().is_empty()) {
            println!("==== {item}");
            if std::env::var("JVP").is_ok() {
                println!("---- primal\n{}\n---- jvp\n{}\n", primal(item), jvp(item));
            }
            println!("---- vjp\n{}", vjp(item));
        }
    }
}
