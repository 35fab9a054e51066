//! The functions that stand beside an annotated one.
//!
//! For `fn f(xs: &[f64], n: usize) -> f64`:
//!
//! ```text
//! fn f_vjp<'ct>(xs: &'ct [f64], n: usize) -> (f64, impl Fn(f64) -> (Vec<f64>, ()) + Send + Sync + use<'ct>)
//! fn f_value_and_grad(xs: &[f64], n: usize) -> (f64, Vec<f64>)
//! fn f_grad(xs: &[f64], n: usize) -> Vec<f64>
//! fn f_jvp(xs: &[f64], n: usize, xs_dot: Vec<f64>, n_dot: impl Sized) -> (f64, f64)
//! ```
//!
//! and with the option `into`
//!
//! ```text
//! fn f_value_and_grad_into(xs: &[f64], n: usize, grads: &mut Vec<f64>) -> f64
//! ```
//!
//! The bodies of `_vjp` and `_jvp` come from elsewhere, as does that of `_value_and_grad` where one sweep serves both; the
//! others call these. The tangent of a parameter without a
//! derivative is `impl Sized`, not a type parameter, so that a turbofish on `f` fits its companions as well.

mod docs;
mod gradient;

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::Visit;
use syn::{GenericParam, Generics, Lifetime};

use super::recursion::Calls;
use crate::syntax::options::Mode;
use crate::syntax::signature::{By, Owner, Param, ResultKind, Scalar, Signature, TypeClass, speaks_of_self};

/// The contents of the function bodies. A body that the [`Mode`] leaves out is not looked at.
#[derive(Default)]
pub struct Bodies {
    /// Ends in `(value, move |seed| …)`, see [`Signature::seed_name`] and [`Signature::seed_type`].
    pub vjp: TokenStream,
    /// Ends in `(value, tangent)`.
    pub jvp: TokenStream,
    /// The parameters whose gradient is always zero, by their places among the differentiable ones.
    pub without_effect: Vec<usize>,
    /// Ends in `(value, gradient)`; `None` if that is made of the pullback.
    pub gradient: Option<TokenStream>,
    /// What the pullback holds of the pullbacks of other functions.
    pub calls: Calls,
}

/// The kinds of companions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vjp,
    ValueAndGrad,
    Grad,
    Into,
    Jvp,
}

impl Kind {
    fn suffix(self) -> &'static str {
        match self {
            Kind::Vjp => "vjp",
            Kind::ValueAndGrad => "value_and_grad",
            Kind::Grad => "grad",
            Kind::Into => "value_and_grad_into",
            Kind::Jvp => "jvp",
        }
    }
}

/// The companions of a function with these bodies.
pub fn companions(signature: &Signature, bodies: Bodies) -> TokenStream {
    kinds(signature)
        .map(|kind| {
            let body = match kind {
                Kind::Vjp => bodies.vjp.clone(),
                Kind::Jvp => bodies.jvp.clone(),
                Kind::ValueAndGrad => bodies.gradient.clone().unwrap_or_else(|| gradient::body(signature, true)),
                Kind::Grad if bodies.gradient.is_some() => gradient::without_value(signature),
                Kind::Grad => gradient::body(signature, false),
                Kind::Into => gradient::into_body(signature),
            };
            function(signature, kind, body, bodies.calls, &bodies.without_effect)
        })
        .collect()
}

/// The same functions without contents. They stand in for the companions when there are errors, so that the calls of
/// them are no further errors.
pub fn stubs(signature: &Signature) -> TokenStream {
    kinds(signature)
        .map(|kind| {
            let body = match kind {
                Kind::Vjp => {
                    let (seed, entries) = (signature.seed_type(), signature.entries_type());
                    quote!((::core::unimplemented!(), |_: #seed| -> #entries { ::core::unimplemented!() }))
                }
                _ => quote!(::core::unimplemented!()),
            };
            function(signature, kind, body, Calls::None, &[])
        })
        .collect()
}

fn kinds(signature: &Signature) -> impl Iterator<Item = Kind> {
    let (reverse, forward) = match signature.mode {
        Mode::Both => (true, true),
        Mode::Reverse => (true, false),
        Mode::Forward => (false, true),
    };
    let gradient = reverse && signature.scalar() != Scalar::No;
    let kinds = [
        (Kind::Vjp, reverse),
        (Kind::ValueAndGrad, gradient),
        (Kind::Grad, gradient),
        (Kind::Into, gradient && signature.into),
        (Kind::Jvp, forward),
    ];
    kinds.into_iter().filter_map(|(kind, wanted)| wanted.then_some(kind))
}

fn function(
    signature: &Signature,
    kind: Kind,
    body: TokenStream,
    calls: Calls,
    without_effect: &[usize],
) -> TokenStream {
    // the names of lifetimes are shown only where they are needed
    let bound = signature.borrowed.is_some() && (kind == Kind::Vjp || tangents_borrow(signature));
    let generics = if bound { &signature.bound_generics } else { &signature.generics };
    let mut params: Vec<TokenStream> =
        signature.params.iter().map(|param| declaration(param, bound, signature.has_body)).collect();
    if kind == Kind::Jvp {
        params.extend(
            signature
                .params
                .iter()
                .filter(|param| param.function.is_none())
                .map(|param| tangent_declaration(signature, param)),
        );
    }
    if kind == Kind::Into {
        let (name, ty) = (gradient::buffers(signature), signature.grads_type());
        params.push(quote!(#name: &mut #ty));
    }
    let output = output(signature, kind, bound, calls);
    let mut generics = generics.clone();
    for of in signature.functions() {
        of.declare(&mut generics, &signature.krate, kind == Kind::Jvp);
        if let (true, Some(lifetime)) = (bound, &signature.borrowed) {
            let name = (!of.is_own()).then_some(&of.name);
            let made = name
                .into_iter()
                .chain((kind != Kind::Jvp).then_some([&of.pullback, &of.cotangent]).into_iter().flatten());
            let clause = generics.make_where_clause();
            made.for_each(|name| clause.predicates.push(syn::parse_quote!(#name: #lifetime)));
        }
    }
    if matches!(kind, Kind::Grad | Kind::ValueAndGrad | Kind::Into) {
        require_scalar(signature, bound, &mut generics);
    }
    if let Owner::Trait(_) = signature.owner {
        require_self(signature, &mut generics);
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();

    let name = signature.companion(kind.suffix());
    let (vis, attrs, docs) = (&signature.vis, &signature.attrs, docs::docs(signature, kind, without_effect));
    let body = if kind == Kind::Vjp && is_boxed(signature) {
        let boxed = private(signature, "Box");
        quote!(let (value, pullback) = { #body }; (value, #boxed::new(pullback)))
    } else if kind == Kind::Vjp && calls >= Calls::Recursive {
        // what it holds may hold its like, so that its type would contain itself
        let (boxed, send) = (private(signature, "Box"), shared(signature, calls));
        quote! {
            let (value, pullback) = { #body };
            let pullback: #boxed<dyn ::core::ops::Fn(_) -> _ #send> = #boxed::new(pullback);
            (value, pullback)
        }
    } else {
        body
    };
    let block = if signature.has_body {
        let mention = mention(signature);
        quote!({ #mention #body })
    } else {
        quote!(;)
    };
    quote! {
        #docs
        #(#attrs)*
        #[allow(
            unused, nonstandard_style, deprecated, trivial_casts, trivial_numeric_casts, unused_qualifications,
            unused_results, unused_lifetimes, single_use_lifetimes, elided_lifetimes_in_paths,
            impl_trait_redundant_captures, clippy::all, clippy::pedantic, clippy::nursery
        )]
        #vis fn #name #impl_generics (#(#params),*) -> #output #where_clause #block
    }
}

/// `let _ = f;`, so that a function of which only companions are called is no dead code.
fn mention(signature: &Signature) -> Option<TokenStream> {
    // the hidden type parameter of an `impl Trait` cannot be given, and a parameter may hide the function
    let called = signature.params.iter().any(|param| param.function.is_some());
    if signature.opaque_parameters && !called || signature.params.iter().any(|param| param.arg == signature.name) {
        return None;
    }
    let path = signature.path(&signature.name);
    if signature.params.iter().any(|param| param.function.is_some()) {
        // a call that is never made, with function pointers
        let mut names = signature.names.clone();
        let (mut arguments, mut patterns) = (Vec::new(), Vec::new());
        for param in &signature.params {
            let name = names.fresh("argument");
            match &param.function {
                Some(function) if function.is_own() => {
                    let pointer = function.pointer();
                    patterns.push(quote!(#name: #pointer));
                    arguments.push(referred(&param.ty, quote!(#name)));
                }
                _ => {
                    patterns.push(quote!(#name));
                    arguments.push(quote!(#name));
                }
            }
        }
        return Some(quote!(let _ = |#(#patterns),*| #path(#(#arguments),*);));
    }
    let arguments: Vec<_> = signature
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(parameter) => Some(&parameter.ident),
            GenericParam::Const(parameter) => Some(&parameter.ident),
        })
        .collect();
    let turbofish = (!arguments.is_empty()).then(|| quote!(::<#(#arguments),*>));
    Some(quote!(let _ = #path #turbofish;))
}

/// `&x`, where the type is a reference.
fn referred(ty: &syn::Type, x: TokenStream) -> TokenStream {
    match ty {
        syn::Type::Reference(reference) => {
            let mutability = &reference.mutability;
            referred(&reference.elem, quote!(&#mutability #x))
        }
        _ => x,
    }
}

fn declaration(param: &Param, bound: bool, has_body: bool) -> TokenStream {
    if let Some(function) = &param.function {
        let (arg, name) = (&param.arg, &function.name);
        return quote!(#arg: #name);
    }
    let (arg, ty) = (&param.arg, if bound { &param.bound_ty } else { &param.ty });
    // a receiver cannot be bound again
    let mutable = (param.receiver && param.by == By::Value && has_body).then(|| quote!(mut));
    quote!(#mutable #arg: #ty)
}

fn tangent_declaration(signature: &Signature, param: &Param) -> TokenStream {
    let name = &param.tangent_name;
    if param.differentiable {
        let ty = param.tangent_type(&signature.krate);
        quote!(#name: #ty)
    } else {
        quote!(#name: impl ::core::marker::Sized)
    }
}

fn output(signature: &Signature, kind: Kind, bound: bool, calls: Calls) -> TokenStream {
    let value = signature.value_type(bound);
    match kind {
        Kind::Vjp => {
            let pullback = pullback_type(signature, calls);
            quote!((#value, #pullback))
        }
        Kind::ValueAndGrad => {
            let grads = signature.grads_type();
            quote!((#value, #grads))
        }
        Kind::Grad => signature.grads_type(),
        Kind::Into => value,
        Kind::Jvp => {
            let tangent = signature.seed_type();
            quote!((#value, #tangent))
        }
    }
}

/// `impl Fn(Ȳ) -> entries + use<…>`.
fn pullback_type(signature: &Signature, calls: Calls) -> TokenStream {
    let (seed, entries) = (signature.seed_type(), signature.entries_type());
    let send = shared(signature, calls);
    let captures = &signature.captures;
    let captures = match &signature.borrowed {
        // `use<…>` would have to name the parameters of the `impl`, which cannot be seen from here
        Some(lifetime) if signature.owner.is_type() => {
            let krate = &signature.krate;
            quote!(+ #krate::__private::Captures<Self> #(+ #krate::__private::Captures<&#captures ()>)* + #lifetime)
        }
        _ => {
            let functions = signature.functions();
            let of_functions = functions.iter().flat_map(|of| {
                let name = (!of.is_own()).then_some(&of.name);
                name.into_iter().chain([&of.pullback, &of.cotangent])
            });
            let all = captures.iter().cloned().chain(of_functions.map(quote::ToTokens::to_token_stream));
            quote!(+ use<#(#all),*>)
        }
    };
    if let Some(lifetime) = signature.borrowed.as_ref().filter(|_| is_boxed(signature)) {
        let boxed = private(signature, "Box");
        // in a box only what is declared can be seen
        let send = signature.functions().is_empty().then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync));
        return quote!(#boxed<dyn ::core::ops::Fn(#seed) -> #entries #send + #lifetime>);
    }
    quote!(impl ::core::ops::Fn(#seed) -> #entries #send #captures)
}

/// `+ Send + Sync` where that is said of the pullback. It is both in any case where its contents are.
fn shared(signature: &Signature, calls: Calls) -> Option<TokenStream> {
    let declared = match calls {
        Calls::None => signature.is_known(),
        // what it calls may be about data that is neither
        Calls::Others | Calls::Provided => false,
        // in a box only what is declared can be seen
        Calls::Recursive => signature.is_concrete(),
    };
    declared.then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync))
}

/// Whether the pullback of an associated function is in a box: an `impl Fn` would borrow what is behind `&mut` for as
/// long as it lives, and the list of what it may borrow, `use<…>`, cannot be written there.
fn is_boxed(signature: &Signature) -> bool {
    signature.owner.is_type() && signature.params.iter().any(|param| param.by == By::RefMut)
}

fn private(signature: &Signature, name: &str) -> TokenStream {
    let (krate, name) = (&signature.krate, quote::format_ident!("{name}"));
    quote!(#krate::__private::#name)
}

/// Where the result may be a float by an alias, its gradient exists if it is one. The bound is checked at the calls and
/// not at the declaration because of its (unused) lifetime.
fn require_scalar(signature: &Signature, bound: bool, generics: &mut Generics) {
    if signature.scalar() == Scalar::Perhaps {
        let (ty, krate) = (signature.value_type(bound), &signature.krate);
        let lifetime =
            Lifetime::new(&format!("'{}", signature.names.clone().fresh("any")), proc_macro2::Span::mixed_site());
        let predicate = syn::parse_quote!(for<#lifetime> #ty: #krate::__private::ScalarResult);
        generics.make_where_clause().predicates.push(predicate);
    }
}

/// In a trait, companions are for types that have tangents, if they are about `Self` at all. `Sized` keeps the trait
/// usable as `dyn Trait`.
fn require_self(signature: &Signature, generics: &mut Generics) {
    let tangents = (signature.entries_type().into_iter()).chain(signature.seed_type());
    let differentiable = speaks_of_self(tangents.collect()).then(|| {
        let krate = &signature.krate;
        quote!(+ #krate::Differentiable)
    });
    let predicate = syn::parse_quote!(Self: ::core::marker::Sized #differentiable);
    generics.make_where_clause().predicates.push(predicate);
}

/// Whether the tangent types of unknown types have the lifetime of what is borrowed in them.
fn tangents_borrow(signature: &Signature) -> bool {
    struct Borrows<'a>(&'a Lifetime, bool);
    impl<'ast> Visit<'ast> for Borrows<'_> {
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.1 |= lifetime.ident == self.0.ident;
        }
    }
    fn walk(class: &TypeClass, borrows: &mut Borrows<'_>) {
        match class {
            TypeClass::Unknown(ty) => borrows.visit_type(ty),
            TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => walk(of, borrows),
            TypeClass::Option(of) | TypeClass::BoxOf(of) | TypeClass::NdArray { element: of, .. } => walk(of, borrows),
            TypeClass::Tuple(of) => of.iter().for_each(|of| walk(of, borrows)),
            TypeClass::Float(_) | TypeClass::Inactive | TypeClass::Function => {}
        }
    }
    let Some(lifetime) = &signature.borrowed else { return false };
    let mut borrows = Borrows(lifetime, false);
    signature.differentiable().for_each(|param| walk(&param.class, &mut borrows));
    if let ResultKind::Value { class, .. } = &signature.result {
        walk(class, &mut borrows);
    }
    borrows.1
}

#[cfg(test)]
mod tests;
