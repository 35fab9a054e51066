//! The doc comments of companions: what each returns, and in which order.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Kind;
use crate::syntax::signature::{By, Param, ResultKind, Signature, bare};

/// `#[doc = "…"]`, one for each line.
pub(super) fn docs(signature: &Signature, kind: Kind, without_effect: &[usize]) -> TokenStream {
    let function = function(signature);
    let text = match kind {
        Kind::Vjp => format!(
            "The value of {function} and its pullback (reverse mode).\n\n\
             The pullback takes the cotangent of {} and returns {}.",
            results(signature),
            entries(signature)
        ),
        Kind::Jvp => format!(
            "The value of {function} and its tangent (forward mode).\n\n\
             The tangents of all parameters follow the parameters; {}the second value is the tangent of {}.",
            if signature.params.iter().all(|param| param.differentiable) {
                ""
            } else {
                "where a parameter has no derivative its tangent is ignored, `()` will do; "
            },
            results(signature)
        ),
        Kind::ValueAndGrad => format!("The value of {function} and its gradient with respect to {}.", grads(signature)),
        Kind::Into => format!(
            "The value of {function}. Overwrites the last argument with the gradient with respect to {}; what is \
             allocated there is used again.",
            grads(signature)
        ),
        Kind::Jacobian => format!(
            "The Jacobian matrix of {function}: a row for each number in {}, a column for each number in {}, in order.",
            results(signature),
            grads(signature).trim_end_matches(", in this order"),
        ),
        Kind::Hvp => format!(
            "The product of the Hessian of {function} and a vector, which is the directional derivative of the gradient \
             with respect to {}. The parts of the vector follow the parameters.",
            grads(signature)
        ),
        Kind::Hessian => format!(
            "The Hessian matrix of {function}: a row and a column for each number in {}, in order.",
            grads(signature).trim_end_matches(", in this order"),
        ),
        Kind::Grad => format!("The gradient of {function} with respect to {}.", grads(signature)),
    };
    let text = match kind {
        Kind::Jvp => text,
        _ => text + &zeros(signature, without_effect),
    };
    let lines = text.lines().map(|line| {
        let line = if line.is_empty() { Literal::string("") } else { Literal::string(&format!(" {line}")) };
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

/// What is said of parameters whose gradient is always zero.
fn zeros(signature: &Signature, without_effect: &[usize]) -> String {
    let params: Vec<_> = signature.differentiable().collect();
    let names: Vec<_> = without_effect.iter().filter_map(|&k| params.get(k)).map(|param| name(param)).collect();
    match names.as_slice() {
        [] => String::new(),
        names => {
            format!(
                "\n\nThe gradient by {} is always zero: the result does not depend on it, or only by steps.",
                sentence_list(names)
            )
        }
    }
}

/// A link, where rustdoc can follow it.
fn function(signature: &Signature) -> String {
    let name = bare(&signature.name);
    if signature.name != name {
        format!("`{name}`")
    } else if signature.owner.is_type() {
        format!("[`{name}`](Self::{name}())")
    } else {
        format!("[`{name}`]({name}())")
    }
}

fn name(param: &Param) -> String {
    format!("`{}`", bare(&param.arg))
}

fn sentence_list(items: &[String]) -> String {
    match items {
        [] => "nothing".to_string(),
        [alone] => alone.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn grads(signature: &Signature) -> String {
    let names: Vec<_> = signature.differentiable().map(name).collect();
    match names.len() {
        0 | 1 => sentence_list(&names),
        _ => format!("{}, in this order", sentence_list(&names)),
    }
}

fn entries(signature: &Signature) -> String {
    let names: Vec<_> = signature.params.iter().map(name).collect();
    let inactive: Vec<_> = signature.params.iter().filter(|param| !param.differentiable).map(name).collect();
    let order = if names.len() > 1 { ", in this order" } else { "" };
    let empty = match inactive.as_slice() {
        [] => String::new(),
        inactive => format!("; the entry of {} is `()`", sentence_list(inactive)),
    };
    match names.len() {
        1 => format!("the cotangent of {}{empty}", names[0]),
        _ => format!("the cotangents of {}{order}{empty}", sentence_list(&names)),
    }
}

fn results(signature: &Signature) -> String {
    let mut results = Vec::new();
    if matches!(signature.result, ResultKind::Value { .. }) {
        results.push("the result".to_string());
    }
    let finals = signature.params.iter().filter(|param| param.by == By::RefMut);
    results.extend(finals.map(|param| format!("the final {}", name(param))));
    sentence_list(&results)
}
