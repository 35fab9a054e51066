//! Prints what becomes of an annotated function, stage by stage.

use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::pipeline;
use cotangent_compiler::syntax::{options, signature};
use quote::ToTokens;
use syn::visit::Visit;

/// The last stage: what the attribute expands to.
const RUST: &str = "rust";

struct Find<'a> {
    name: &'a str,
    found: Vec<syn::ItemFn>,
}

impl<'ast> Visit<'ast> for Find<'_> {
    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        if f.sig.ident == self.name {
            self.found.push(f.clone());
        }
        syn::visit::visit_item_fn(self, f);
    }
}

/// `explain FILE FUNCTION [STAGE]`
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let [file, name, rest @ ..] = args else { return Err("usage: explain FILE FUNCTION [STAGE]".to_owned()) };
    let wanted = rest.first().map(String::as_str);
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let file = syn::parse_file(&text).map_err(|e| format!("{file}: {e}"))?;
    let mut find = Find { name, found: Vec::new() };
    find.visit_file(&file);
    let item = find.found.first().ok_or_else(|| format!("no function `{name}`"))?;
    let mut diags = Diagnostics::new();
    let attribute = item.attrs.iter().find(|a| a.path().segments.last().is_some_and(|s| s.ident == "differentiable"));
    let tokens = match attribute.map(|a| &a.meta) {
        Some(syn::Meta::List(l)) => l.tokens.clone(),
        _ => proc_macro2::TokenStream::new(),
    };
    let options = options::parse(tokens.clone(), &mut diags);
    let mut item = item.clone();
    item.attrs.retain(|a| a.path().segments.last().is_none_or(|s| s.ident != "differentiable"));
    let sig = signature::analyse(&item, &options, &mut diags);
    let stages = pipeline::run(&sig, &item.block, &mut diags);
    for d in diags.iter() {
        println!("error: {}\n  help: {}", d.message, d.help);
    }
    let Some(s) = stages else { return Ok(()) };
    let differentiable: Vec<_> = sig.params.iter().filter(|p| p.differentiable).collect();
    for k in s.without_effect() {
        let others: Vec<String> = (differentiable.iter().enumerate())
            .filter(|(other, _)| !s.without_effect().contains(other))
            .map(|(_, p)| p.arg.to_string())
            .collect();
        let arg = &differentiable[k].arg;
        println!(
            "note: the gradient of `{name}` by `{arg}` is always zero: the result does not depend on it, or only by steps"
        );
        if others.is_empty() {
            println!("  help: no parameter has an effect: remove the attribute\n");
        } else {
            println!("  help: `#[differentiable(wrt({}))]` leaves it out\n", others.join(", "));
        }
    }
    let known = |w: &str| w == RUST || s.named().iter().any(|(stage, _)| *stage == w);
    if let Some(other) = wanted.filter(|w| !known(w)) {
        let named = s.named().into_iter().filter(|(_, func)| func.is_some());
        let names: Vec<_> = named.map(|(stage, _)| stage).chain([RUST.to_owned()]).collect();
        return Err(format!("no stage `{other}`: there are {}", names.join(", ")));
    }
    for (stage, func) in s.named() {
        if wanted.is_none_or(|w| w == stage)
            && let Some(func) = func
        {
            println!("== {stage}\n{func}\n");
        }
    }
    if wanted.is_none_or(|w| w == RUST) {
        let out = cotangent_compiler::expand(tokens, item.to_token_stream());
        match syn::parse2::<syn::File>(out.clone()) {
            Ok(f) => println!("== rust\n{}", prettyplease::unparse(&f)),
            Err(e) => println!("== rust (unparsable: {e})\n{out}"),
        }
    }
    Ok(())
}
