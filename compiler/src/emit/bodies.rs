//! The contents of `_vjp`, `_jvp` and `_value_and_grad`.
//!
//! ```text
//! let z = x * y.sin();
//! (z, move |y_bar: f64| (y_bar * y.sin(), y_bar * (x * y.cos())))
//! ```
//!
//! What the function leaves in its `&mut` parameters is there before the pullback is made, which owns or borrows
//! immutably all that it uses.

use super::companions::gradient;
use super::frames::{self, Frames, Sweeps};
use super::places::{Hold, PlaceId};
use super::rust::{Emitter, Result, Unsupported};
use crate::ad::twice;
use crate::ir::{Callee, Func, Op, ParamMode, Type, Value};
use crate::opt::dce::has_effects;
use crate::opt::plain;
use crate::syntax::signature::{By, Component, FnKind, ResultKind, Signature, one_or_tuple};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The body of `_vjp`. The last result of the function is its pullback.
///
/// # Errors
/// What cannot be written in Rust.
pub fn vjp_body(func: &Func, sig: &Signature, items: &[TokenStream]) -> Result<TokenStream> {
    let mut e = Emitter::new(func, sig, items);
    e.frames = Frames::of(func, &mut e);
    let params = parameters(&mut e, sig, Tangents::None)?;
    let held = hold_functions(&mut e, sig);
    let root = func.root;
    let results = &func[root].results;
    let (&pullback, values) = results.split_last().ok_or_else(|| missing("a pullback"))?;
    let closure = func[root].nodes.iter().copied().find(|&n| func[n].outs.contains(&pullback));
    let closure = closure.ok_or_else(|| missing("a pullback"))?;
    let Op::Closure(graph) = func[closure].op else { return Err(missing("a pullback")) };
    e.nodes_but(root, closure)?;
    e.closing = true;
    // what a parameter holds in the end is there already
    let stays = |e: &Emitter<'_>, v: Value| {
        params.iter().any(|p| e.is_in(v, p.place)) && values.iter().skip(1).any(|&w| w == v)
    };
    let (later, now): (Vec<Value>, Vec<Value>) = func.free(graph).into_iter().partition(|&v| stays(&e, v));
    for v in now {
        e.keep_for_closure(v)?;
    }
    let value = finish(&mut e, sig, &params, values)?;
    for v in later {
        e.keep_for_closure(v)?;
    }
    let contents = e.frames.take().map(|frames| {
        let params: Vec<_> = params.iter().map(|param| param.place).zip(frames.handed_on.iter().copied()).collect();
        let contents = e.frame_contents(graph, &params);
        e.frames = Some(frames);
        contents
    });

    e.level = 1;
    e.open();
    e.stand_at((graph, 0));
    let components = sig.components();
    let mut seeds = func[graph].params.iter();
    let mut patterns = Vec::new();
    for component in &components {
        let index = match component {
            Component::Return => 0,
            Component::Final(i) => 1 + finals_before(&func.modes, *i),
        };
        let active = values.get(index).is_some_and(|&v| func.ty(v).can_be_active());
        let place = if active && sig.component_differentiable(*component) {
            let &v = seeds.next().ok_or_else(|| missing("a cotangent of a result"))?;
            let ident = match component {
                Component::Return => Some(sig.seed_name.clone()),
                Component::Final(_) => None,
            };
            let place = match ident {
                Some(ident) => e.declare_ident(v, ident, Hold::Owned),
                None => e.declare(v, Hold::Owned),
            };
            e.is_used(v).then_some(place)
        } else {
            None
        };
        patterns.push(place);
    }
    e.nodes(graph)?;
    let mut cotangents = func[graph].results.iter();
    let mut entries = Vec::new();
    for param in &sig.params {
        entries.push(if param.differentiable {
            let &v = cotangents.next().ok_or_else(|| missing("a cotangent of a parameter"))?;
            e.taken(v)?
        } else {
            quote!(())
        });
    }
    let scope = e.close();
    let stmts = e.render(&scope);
    let pattern = e.pattern(&patterns);
    let (seed, entries) = (sig.seed_type(), one_or_tuple(entries));
    let held = held.iter().map(|held| quote!(let _ = &#held;));
    let stmts = quote!(#(#held)* #stmts);
    if let (Some(frames), Some(contents)) = (e.frames.take(), contents) {
        let scope = e.close();
        let (rebound, sweep, imports) = (rebound(&e, &params), e.render(&scope), e.needs.imports(&sig.krate));
        let forward = (quote!(#rebound #sweep), value);
        let sweeps = Sweeps { forward, contents, seed: pattern, undo: (stmts, entries) };
        let both = frames::assemble(&frames, sig, &sweeps);
        return Ok(quote!(#(#items)* #imports #both));
    }
    let body = if stmts.is_empty() { entries } else { quote!({ #stmts #entries }) };
    let tail = quote!((#value, move |#pattern: #seed| #body));
    Ok(assemble(e, sig, items, &params, &tail))
}

/// The body of `_jvp`. The tangents of the results are the last results of the function.
///
/// # Errors
/// What cannot be written in Rust.
pub fn jvp_body(func: &Func, sig: &Signature, items: &[TokenStream]) -> Result<TokenStream> {
    let mut e = Emitter::new(func, sig, items);
    let params = parameters(&mut e, sig, Tangents::Active)?;
    let root = func.root;
    e.nodes(root)?;
    let primal = 1 + sig.params.iter().filter(|p| p.by == By::RefMut).count();
    let results = &func[root].results;
    if results.len() < primal {
        return Err(missing("a result"));
    }
    let (values, tangents) = (&results[..primal], twice::tangents(func, sig));
    // the tangents first: what is handed over last may be moved
    let value = finish(&mut e, sig, &params, values)?;
    let mut parts = Vec::new();
    for tangent in tangents {
        parts.push(match tangent {
            Some(v) => e.taken(v)?,
            None => quote!(()),
        });
    }
    let tangent = one_or_tuple(parts);
    let tail = quote!((#value, #tangent));
    Ok(assemble(e, sig, items, &params, &tail))
}

/// The body of `_value_and_grad`. The entries of the gradient are the last results of the function.
///
/// # Errors
/// What cannot be written in Rust.
pub fn gradient_body(func: &Func, sig: &Signature, items: &[TokenStream]) -> Result<TokenStream> {
    let mut e = Emitter::new(func, sig, items);
    let results = &func[func.root].results;
    let entries = sig.params.iter().filter(|p| p.differentiable).count();
    let (values, entries) = results.split_at(results.len() - entries);
    e.plain = plain::applies(func, values.len());
    let params = parameters(&mut e, sig, Tangents::None)?;
    e.nodes(func.root)?;
    let value = finish(&mut e, sig, &params, values)?;
    let bars = entries.iter().map(|&v| e.taken(v)).collect::<Result<Vec<_>>>()?;
    let plain = e.plain;
    let bars = one_or_tuple(bars);
    let tail = quote!((#value, #bars));
    let body = assemble(e, sig, items, &params, &tail);
    Ok(if plain { checked(sig, &body, entries.len()) } else { body })
}

/// A gradient whose products were taken as they are, or that of the pullback if an entry is NaN.
fn checked(sig: &Signature, body: &TokenStream, entries: usize) -> TokenStream {
    let krate = &sig.krate;
    let result = sig.names.clone().fresh("result");
    let again = gradient::body(sig, true);
    let entries = (0..entries).map(|k| match entries {
        1 => quote!(&#result.1),
        _ => {
            let k = syn::Index::from(k);
            quote!(&#result.1.#k)
        }
    });
    quote! {
        let #result = { #body };
        if #(#krate::__private::Numbers::has_nan(#entries))||* {
            #again
        } else {
            #result
        }
    }
}

/// The body of `_hvp`. The entries of the product are the last results of the function.
///
/// # Errors
/// What cannot be written in Rust.
pub fn product_body(func: &Func, sig: &Signature, items: &[TokenStream]) -> Result<TokenStream> {
    let mut e = Emitter::new(func, sig, items);
    let params = parameters(&mut e, sig, Tangents::All)?;
    e.nodes(func.root)?;
    let results = &func[func.root].results;
    let entries = sig.params.iter().filter(|p| p.differentiable).count();
    let (values, entries) = results.split_at(results.len() - entries);
    finish(&mut e, sig, &params, values)?;
    let entries = entries.iter().map(|&v| e.taken(v)).collect::<Result<Vec<_>>>()?;
    let entries = one_or_tuple(entries);
    Ok(assemble(e, sig, items, &params, &entries))
}

/// The body of the function itself, from its IR: for tests and for the `explain` tool.
///
/// # Errors
/// What cannot be written in Rust.
pub fn primal_body(func: &Func, sig: &Signature, items: &[TokenStream]) -> Result<TokenStream> {
    let mut e = Emitter::new(func, sig, items);
    let params = parameters(&mut e, sig, Tangents::None)?;
    e.nodes(func.root)?;
    let value = finish(&mut e, sig, &params, &func[func.root].results)?;
    Ok(assemble(e, sig, items, &params, &value))
}

/// Which tangents are among the parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tangents {
    /// None.
    None,
    /// Those of differentiable parameters.
    Active,
    /// One for each parameter.
    All,
}

/// A parameter of the generated function.
struct Param {
    ident: Ident,
    place: PlaceId,
    mode: ParamMode,
    /// How what it is left with is written back, if it is a variable of its own.
    back: Option<Back>,
}

/// How a `&mut` parameter is written back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Back {
    /// `*x = y;`
    Set,
    /// `x.assign(&y);`
    Assign,
}

/// Declares the parameters. A scalar behind `&mut` is a variable that is written back in the end, and so is a mutable view.
fn parameters(e: &mut Emitter<'_>, sig: &Signature, tangents: Tangents) -> Result<Vec<Param>> {
    let func = e.func;
    let values = func[func.root].params.clone();
    let mut idents: Vec<Ident> = sig.params.iter().map(|p| p.arg.clone()).collect();
    let wanted = |differentiable: bool| match tangents {
        Tangents::None => false,
        Tangents::Active => differentiable,
        Tangents::All => true,
    };
    let dots = sig.params.iter().filter(|p| p.function.is_none() && wanted(p.differentiable));
    idents.extend(dots.map(|p| p.tangent_name.clone()));
    if idents.len() != values.len() {
        return Err(missing("a parameter"));
    }
    let mut params = Vec::new();
    for (i, (&v, ident)) in values.iter().zip(idents).enumerate() {
        let mode = func.modes.get(i).copied().unwrap_or(ParamMode::Value);
        let back = match sig.params.get(i) {
            _ if mode != ParamMode::RefMut => None,
            _ if func.ty(v).is_scalar() => Some(Back::Set),
            param => param.is_some_and(|param| param.is_mutable_view()).then_some(Back::Assign),
        };
        let place = match mode {
            // a view is as good as a reference
            ParamMode::Value if sig.params.get(i).is_some_and(|param| param.is_view()) => {
                e.declare_ident(v, ident.clone(), Hold::View)
            }
            ParamMode::Value => e.declare_ident(v, ident.clone(), Hold::Owned),
            ParamMode::Ref => e.declare_ident(v, ident.clone(), Hold::Ref),
            ParamMode::RefMut if let Some(back) = back => {
                // its own name is the reference's
                let reference = e.declare_ident(v, ident.clone(), Hold::Mut);
                e.places[reference].holders.clear();
                let local = e.declare(v, Hold::Owned);
                let copy = e.private("copy_of");
                let inside = if back == Back::Set { quote!(*#ident) } else { quote!(#copy(&#ident)) };
                e.let_(vec![Some(local)], None, inside);
                local
            }
            ParamMode::RefMut => e.declare_ident(v, ident.clone(), Hold::Mut),
        };
        let function = sig.params.get(i).and_then(|p| p.function.as_ref());
        if let Some(f) = function.filter(|f| f.kind == FnKind::Fn) {
            e.objects.push((v, f.object(&sig.krate, tangents == Tangents::Active)));
        }
        if let Some(f) = function.filter(|f| f.kind == FnKind::FnMut) {
            let forward = tangents == Tangents::Active;
            if is_handed_on(func, v) {
                e.objects.push((v, f.boxed(&sig.krate, forward)));
                e.share_function(v, &ident, if forward { 2 } else { 1 } * f.inputs.len());
            } else {
                e.places[place].mutated = true;
            }
        }
        params.push(Param { ident, place, mode, back });
    }
    Ok(params)
}

/// Whether a function is an argument of a call, or captured by a closure that is one.
fn is_handed_on(func: &Func, v: Value) -> bool {
    func.any(func.root, |n| match &func[n].op {
        Op::Lambda(_) => func[n].args.contains(&v),
        Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call) => {
            func[n].args[usize::from(matches!(call.callee, Callee::Value))..].contains(&v)
        }
        _ => false,
    })
}

/// Functions that are handed on stay where they are, as the pullbacks of the calls may hold references to them.
fn hold_functions(e: &mut Emitter<'_>, sig: &Signature) -> Vec<Ident> {
    let func = e.func;
    let mut handed = Vec::new();
    func.walk(func.root, &mut |_, n| match &func[n].op {
        Op::Lambda(_) => handed.extend(&func[n].args),
        Op::Call(call) | Op::CallVjp(call) => {
            let callee = usize::from(matches!(call.callee, Callee::Value));
            handed.extend(&func[n].args[callee..]);
        }
        _ => {}
    });
    let mut held = Vec::new();
    for (&v, param) in func[func.root].params.iter().zip(&sig.params) {
        if param.function.as_ref().is_some_and(|f| f.kind == FnKind::Fn) && handed.contains(&v) {
            held.push(e.hold_function(v, &param.arg));
        }
    }
    held
}

/// Writes back what the `&mut` parameters are left with, and gives the return value.
fn finish(e: &mut Emitter<'_>, sig: &Signature, params: &[Param], results: &[Value]) -> Result<TokenStream> {
    let Some((&value, finals)) = results.split_first() else { return Err(missing("a result")) };
    let changed: Vec<&Param> = params.iter().filter(|p| p.mode == ParamMode::RefMut).collect();
    let mut targets = Vec::new();
    for (param, &v) in changed.iter().zip(finals) {
        if let Some(back) = param.back {
            if e.is_in(v, param.place) && !e.places[param.place].mutated {
                continue;
            }
            let (ident, tokens) = (&param.ident, e.taken(v)?);
            e.push(match back {
                Back::Set => quote!(*#ident = #tokens;),
                Back::Assign => quote!(#ident.assign(&#tokens);),
            });
        } else {
            targets.push((param.place, v));
        }
    }
    if matches!(e.func.ty(value), Type::Unit) {
        e.assign(&targets)?;
        return Ok(quote!(()));
    }
    if targets.iter().any(|&(place, v)| v != value && e.reads(value).contains(&place)) {
        // what the parameter held before
        let before = e.taken(value)?;
        let before = e.set_aside(before);
        e.assign(&targets)?;
        return Ok(before);
    }
    e.assign(&targets)?;
    if sig.gives_reference()
        && let Some(result) = called_again(e, sig, value)
    {
        return Ok(result);
    }
    match &sig.result {
        ResultKind::Value { ty, .. } if matches!(**ty, syn::Type::Reference(_)) => e.lent(value),
        _ if sig.shown(e.func, value).iter().any(|shown| shown.view == Some(value)) => e.viewed(value),
        _ => e.taken(value),
    }
}

/// A call of the function for a result with references that lead to something of the caller's, where they are chosen, or are
/// parts of the result.
fn called_again(e: &Emitter<'_>, sig: &Signature, value: Value) -> Option<TokenStream> {
    let (func, direct) =
        (e.func, matches!(&sig.result, ResultKind::Value { ty, .. } if matches!(**ty, syn::Type::Reference(_))));
    let mut params = func[func.root].params.iter().zip(&func.modes).zip(&sig.params);
    let left = params.all(|((&p, mode), param)| {
        let copied = *mode == ParamMode::Value && func.ty(p).is_scalar();
        param.function.is_none() && (copied || *mode == ParamMode::Ref)
    });
    // it may not do twice what can be seen elsewhere, or have gone another way in the meantime
    let again = !func.any(func.root, |n| has_effects(&func[n].op));
    let hidden = sig.params.iter().any(|param| param.arg == sig.name);
    if !left || !again || hidden || sig.derived || (direct && e.leads_to_lent(value)) {
        return None;
    }
    let (path, args) = (sig.called_path(&sig.name), sig.params.iter().map(|param| &param.arg));
    Some(quote!(#path(#(#args),*)))
}

/// Items, the declarations of parameters that change, statements and the end.
fn assemble(
    mut e: Emitter<'_>,
    sig: &Signature,
    items: &[TokenStream],
    params: &[Param],
    tail: &TokenStream,
) -> TokenStream {
    let scope = e.close();
    let stmts = e.render(&scope);
    let krate = &sig.krate;
    let imports = e.needs.imports(krate);
    let rebound = rebound(&e, params);
    quote!(#(#items)* #imports #rebound #stmts #tail)
}

/// The declarations of parameters that change.
fn rebound(e: &Emitter<'_>, params: &[Param]) -> TokenStream {
    let changes = |p: &Param| match p.mode {
        ParamMode::Value => e.places[p.place].mutated,
        _ => p.back == Some(Back::Assign),
    };
    params
        .iter()
        .filter(|&p| p.ident != "self" && changes(p))
        .map(|p| {
            let ident = &p.ident;
            quote!(let mut #ident = #ident;)
        })
        .collect()
}

fn finals_before(modes: &[ParamMode], i: usize) -> usize {
    modes[..i].iter().filter(|m| **m == ParamMode::RefMut).count()
}

fn missing(what: &str) -> Unsupported {
    Unsupported { span: Span::call_site(), what: format!("{what} is missing") }
}

#[cfg(test)]
mod tests;
