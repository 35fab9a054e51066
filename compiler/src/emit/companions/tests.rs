//! What companions look like from outside.

use quote::quote;

use super::*;
use crate::diag::Diagnostics;
use crate::syntax::{options, signature};

/// The companions of a function whose bodies are left out, or the stubs where there are errors.
fn expand_signature_only(options: &str, item: &str) -> String {
    let mut diags = Diagnostics::new();
    let options = options::parse(options.parse().unwrap(), &mut diags);
    let item = signature::function(item.parse().unwrap(), &mut diags).expect("a function");
    let signature = signature::analyse(&item, &options, &mut diags);
    let tokens = match diags.finish() {
        Ok(()) => {
            let (vjp, jvp) = (quote!(vjp_body!()), quote!(jvp_body!()));
            let product = (signature.hvp || signature.hessian).then(|| quote!(product_body!()));
            let bodies = Bodies { vjp, jvp, product, ..Bodies::none(&signature, &item.block) };
            companions(&signature, bodies, &item.block)
        }
        Err(errors) => {
            let stubs = stubs(&signature, &item.block);
            quote!(#errors #stubs)
        }
    };
    let text = prettyplease::unparse(&syn::parse2(tokens).expect("items"));
    // the same before each function
    let mut short = String::new();
    let mut inside = false;
    for line in text.lines() {
        inside |= line.trim_start() == "#[allow(";
        if !inside {
            short = short + line + "\n";
        }
        inside &= line.trim_start() != ")]";
    }
    short
}

macro_rules! snapshots {
    ($($name:ident: $options:literal, $item:literal;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(expand_signature_only($options, $item));
            }
        )*
    };
}

snapshots! {
    one_parameter: "", "pub fn square(x: f64) -> f64 { x * x }";
    mixed_parameters: "", "pub(crate) fn f(n: usize, x: f64, name: &str, v: &[f64], flag: bool) -> f64 { x }";
    only_some: "wrt(a, c)", "fn f(a: f64, b: f64, c: &[f64]) -> f32 { a }";
    reverse_only: "reverse", "fn f(x: f64) -> f64 { x }";
    forward_only: "forward", "fn f(x: f64) -> f64 { x }";
    in_place: "", "fn kick(q: &mut [f64], dt: f64) { }";
    in_place_with_a_result: "wrt(xs, u, k)", "fn f(xs: &[f64], scratch: &mut [f64], u: &mut f64, k: f64) -> f64 { 1.0 }";
    integer_in_the_result: "", "fn nearest(xs: &[f64], at: f64) -> (f64, usize) { (at, 0) }";
    patterns: "", "fn f((a, b): (f64, f64), [c, d]: [f64; 2], mut e: f64, _: f64) -> f64 { e }";
    user_types: "", "fn f(m: &Model, w: &Wave<'_>) -> Real { 1.0 }";
    lifetimes_and_generics: "",
        "#[inline] fn f<'a, P: Potential, const N: usize>(xs: &'a [f64; N], p: &P) -> f64 where P: Sync { 1.0 }";
    arrays: "crate = crate::ad", "#[cfg(unix)] fn f(w: &Array2<f64>, x: ArrayView1<f64>) -> Array1<f64> { w.dot(x) }";
    raw_names: "", "fn r#gen(r#async: f64, pullback: f64, value: f64) -> f64 { r#async }";
    into_buffers: "into, wrt(xs, k, m)", "fn f(xs: &[f64], k: f64, m: &Model, b: f64) -> f64 { 1.0 }";
    a_method: "", "fn apply(&self, xs: &[f64]) -> f64 { 1.0 }";
    a_method_in_place: "", "pub fn step<'a, T: Noise>(&mut self, xs: &'a [f64], noise: T) { }";
    an_associated_function: "", "fn new(mut k: f64) -> Self { Gain { k } }";
    a_consuming_method: "wrt(x)", "fn finish(mut self, x: f64) -> f64 { 1.0 }";
    matrices: "jacobian, hvp, hessian", "fn f(x: &[f64], n: usize, s: f64, k: S) -> f64 { s }";
    matrices_in_place: "jacobian, hessian", "fn f(u: &mut [f64], s: f32) -> f32 { s }";
    a_jacobian_in_one_mode: "jacobian, forward", "fn f(u: &mut [f64], s: f64, n: usize) { }";
    second_order: "order = 2", "fn f(x: f64, n: usize) -> f64 { x }";
    third_order_of_several: "order = 3, reverse", "fn f(x: &[f64], s: Vec<f64>, n: usize) -> f64 { 1.0 }";
    second_order_of_a_vector: "order = 2, forward", "fn f(u: &mut [f64], s: &Model) -> Vec<f64> { vec![] }";
    second_order_with_a_function: "order = 2", "fn f(g: impl Fn(f64, usize) -> f64, s: f64) -> f64 { g(s, 1) }";
    errors_give_stubs: "wrt(x, q), reverze", "fn f(x: &[f64], n: usize) -> f64 { 1.0 }";
}
