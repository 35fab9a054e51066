//! The walk of a small function through all stages, in `ARCHITECTURE.md`: the function stands there in a block of Rust,
//! and each block that is fenced as ```` ```text STAGE ```` shows what it is after that stage.
//!
//! Of the stage `reverse` only the pullback is shown, of `rust` only the companion `_vjp`: the rest is in the others.

use std::fmt::Write;

use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::pipeline::{self, Stages};
use cotangent_compiler::syntax::{options, signature};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// The page with the contents of those blocks filled in.
pub(crate) fn fill(page: &str) -> Result<String, String> {
    let (before, walk) = page.split_once("```rust\n").ok_or("ARCHITECTURE.md has no function to walk through")?;
    let source = walk.split("```").next().unwrap_or("");
    let mut function: syn::ItemFn = syn::parse_str(source).map_err(|e| format!("ARCHITECTURE.md: {e}"))?;
    function.attrs.clear();
    let mut out = format!("{before}```rust\n");
    let mut lines = walk.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").expect("a string takes all");
        if let Some(stage) = line.strip_prefix("```text ") {
            out += &shown(&function, stage)?;
            let end = lines.by_ref().find(|line| *line == "```").ok_or("ARCHITECTURE.md: a block has no end")?;
            writeln!(out, "{end}").expect("a string takes all");
        }
    }
    Ok(out)
}

/// The text of one stage.
fn shown(function: &syn::ItemFn, stage: &str) -> Result<String, String> {
    if stage == "rust" {
        return companion(function);
    }
    let stages = stages(function)?;
    let func = match stage {
        "lowered" => Some(&stages.lowered.func),
        "primal" => Some(&stages.primal),
        "forward" => stages.first.forward.as_ref(),
        "reverse" => stages.first.reverse.as_ref(),
        "stored" => stages.first.stored.as_ref(),
        "gradient" => stages.first.gradient.as_ref(),
        _ => None,
    };
    let text = func.ok_or_else(|| format!("ARCHITECTURE.md: there is no stage `{stage}`"))?.to_string();
    let outside = |line: &&str| stage == "reverse" && !line.contains("= closure (");
    let lines: Vec<&str> = text.trim_end().lines().skip_while(outside).collect();
    let end = lines.len() - if stage == "reverse" { 2 } else { 0 };
    Ok(lines[..end].iter().map(|line| format!("{line}\n")).collect())
}

fn stages(function: &syn::ItemFn) -> Result<Stages, String> {
    let mut diags = Diagnostics::new();
    let options = options::parse(TokenStream::new(), &mut diags);
    let signature = signature::analyse(function, &options, &mut diags);
    let stages = pipeline::run(&signature, &function.block, &mut diags);
    let problems: Vec<&str> = diags.iter().map(|d| d.message.as_str()).collect();
    stages.ok_or_else(|| format!("ARCHITECTURE.md: {}", problems.join("; ")))
}

/// The emitted `_vjp`, without its attributes.
fn companion(function: &syn::ItemFn) -> Result<String, String> {
    let name = format!("{}_vjp", function.sig.ident);
    let tokens = cotangent_compiler::expand(TokenStream::new(), function.to_token_stream());
    let mut file: syn::File = syn::parse2(tokens).map_err(|e| format!("ARCHITECTURE.md: {e}"))?;
    file.items.retain_mut(|item| match item {
        syn::Item::Fn(f) => {
            f.attrs.clear();
            f.sig.ident == name
        }
        _ => false,
    });
    if file.items.is_empty() {
        return Err(format!("ARCHITECTURE.md: `{name}` is not emitted"));
    }
    Ok(prettyplease::unparse(&file))
}
