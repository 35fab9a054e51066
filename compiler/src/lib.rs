//! The compiler of Cotangent as an ordinary library: Rust functions to derivative programs.
//!
//! A one-way street: [`syntax`] (options, signatures) and [`lower`] (`syn` → IR) → [`ir`] → [`infer`] (types,
//! activity) → [`ad`] (forward, reverse) → [`opt`] → [`storage`] → [`emit`] (Rust). [`pipeline`] has the order of the
//! passes, [`prims`] the declarations of the primitive functions, [`interp`] runs the IR for tests.

pub mod ad;
mod blocks;
pub mod derive;
pub mod diag;
pub mod emit;
pub mod infer;
pub mod interp;
pub mod ir;
pub mod lower;
pub mod opt;
pub mod pipeline;
pub mod prims;
pub mod storage;
pub mod syntax;

use diag::{Diagnostics, catalog};
use emit::companions::{self, Bodies};
use emit::recursion::Calls;
use proc_macro2::TokenStream;
use quote::quote;
use syntax::signature::{self, Owner, Siblings, Signature, Target};
use syntax::{checkpoint, options};

/// A function and where it stands.
pub(crate) struct Annotated {
    pub(crate) owner: Owner,
    pub(crate) function: syn::ItemFn,
    /// Methods that a trait requires have none.
    pub(crate) has_body: bool,
    /// The functions around it whose calls may be their bodies.
    pub(crate) siblings: Siblings,
}

/// Expands `#[differentiable(options)] item`: the item as it is, and its companions. If there are errors, the item,
/// the errors, and companions without contents.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut diags = Diagnostics::new();
    let options = options::parse(options, &mut diags);
    let annotated = match signature::target(item.clone(), &mut diags) {
        Some(Target::Function(function)) => {
            Annotated { owner: Owner::of(&function), function, has_body: true, siblings: Siblings::default() }
        }
        Some(Target::Required(function)) => Annotated {
            owner: Owner::Trait(syn::Generics::default(), std::collections::BTreeMap::new()),
            function,
            has_body: false,
            siblings: Siblings::default(),
        },
        Some(Target::Block(block)) => return checkpoint::strip(blocks::expand(block, &options, diags)),
        None => {
            let errors = diags.finish().err();
            return quote!(#item #errors);
        }
    };
    let companions = beside(&annotated, &options, diags, false);
    checkpoint::strip(quote!(#item #companions))
}

/// What stands beside a function: its companions; if there are errors, these and companions without contents. If
/// `lenient`, nothing beside a function that has nothing to differentiate.
pub(crate) fn beside(
    annotated: &Annotated,
    options: &options::Options,
    mut diags: Diagnostics,
    lenient: bool,
) -> TokenStream {
    let Annotated { owner, function, has_body, siblings } = annotated;
    let mut problems = Diagnostics::new();
    let mut sig = signature::analyse_in(owner.clone(), function, options, &mut problems);
    sig.has_body = *has_body;
    if lenient && !sig.has_derivative() {
        let _ = problems.finish();
        return TokenStream::new();
    }
    diags.absorb(problems);
    let signature_is_sound = !diags.has_errors();
    let bodies = if *has_body {
        with_siblings(function, &mut sig, siblings, &mut diags)
    } else {
        Some(Bodies::none(&sig, &function.block))
    };
    if lenient && !sig.has_result() && diags.has_errors() {
        // it may be called for what has no derivative
        let _ = diags.finish();
        return TokenStream::new();
    }
    match (diags.finish(), bodies) {
        (Ok(()), Some(bodies)) if signature_is_sound => companions::companions(&sig, bodies, &function.block),
        (errors, _) => {
            let errors = errors.err();
            let stubs = companions::stubs(&sig, &function.block);
            quote!(#errors #stubs)
        }
    }
}

/// The bodies of the companions, with those of other functions in place of their calls if that is possible.
fn with_siblings(
    function: &syn::ItemFn,
    sig: &mut Signature,
    siblings: &Siblings,
    diags: &mut Diagnostics,
) -> Option<Bodies> {
    sig.siblings = siblings.without_bodies();
    if siblings.have_bodies() {
        let alone = sig.clone();
        sig.siblings = siblings.clone();
        sig.names.collect(siblings.tokens());
        let mut problems = Diagnostics::new();
        let bodies = contained(function, sig, &mut problems);
        let sound = !problems.has_errors();
        if sound && bodies.is_some() {
            diags.absorb(problems);
            return bodies;
        }
        let _ = problems.finish();
        *sig = alone;
    }
    contained(function, sig, diags)
}

/// The bodies of the companions. A fault of the compiler is an error at the function's name, not a panic.
fn contained(function: &syn::ItemFn, sig: &Signature, diags: &mut Diagnostics) -> Option<Bodies> {
    let run = std::panic::AssertUnwindSafe(|| {
        let mut problems = Diagnostics::new();
        let bodies = bodies(function, sig, &mut problems);
        (bodies, problems)
    });
    match std::panic::catch_unwind(run) {
        Ok((bodies, problems)) => {
            diags.absorb(problems);
            bodies
        }
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default();
            diags.error(function.sig.ident.span(), &catalog::INTERNAL, &[("detail", &text)]);
            None
        }
    }
}

fn bodies(function: &syn::ItemFn, sig: &Signature, diags: &mut Diagnostics) -> Option<Bodies> {
    let stages = pipeline::run(sig, &function.block, diags)?;
    match emitted(&stages, sig) {
        Ok(bodies) => Some(bodies),
        Err(e) => {
            let help = "write this part in another way; scalars, slices and loops are always possible";
            diags.error_with(e.span, &catalog::UNSUPPORTED_SYNTAX, e.what, help.to_owned());
            None
        }
    }
}

fn emitted(stages: &pipeline::Stages, sig: &Signature) -> Result<Bodies, emit::Unsupported> {
    let items = &stages.lowered.items;
    let of = |derivatives: &pipeline::Derivatives, sig: &Signature| -> Result<Bodies, emit::Unsupported> {
        type Emit = fn(&ir::Func, &Signature, &[TokenStream]) -> Result<TokenStream, emit::Unsupported>;
        let body = |func: &Option<ir::Func>, emit: Emit| func.as_ref().map(|f| emit(f, sig, items)).transpose();
        Ok(Bodies {
            vjp: body(&derivatives.stored, emit::bodies::vjp_body)?.unwrap_or_default(),
            jvp: body(&derivatives.forward, emit::bodies::jvp_body)?.unwrap_or_default(),
            gradient: body(&derivatives.gradient, emit::bodies::gradient_body)?,
            calls: derivatives.stored.as_ref().map_or_else(Calls::default, |func| Calls::of(func, sig)),
            ..Bodies::default()
        })
    };
    let mut bodies = of(&stages.first, sig)?;
    bodies.without_effect = stages.without_effect();
    bodies.product = stages.product.as_ref().map(|f| emit::bodies::product_body(f, sig, items)).transpose()?;
    for higher in &stages.higher {
        bodies.higher.push((higher.sig.clone(), of(&higher.derivatives, &higher.sig)?));
    }
    Ok(bodies)
}
