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
//! and with the option `jacobian`
//!
//! ```text
//! fn f_jacobian(xs: &[f64], n: usize) -> Array2<f64>
//! ```
//!
//! The bodies of `_vjp` and `_jvp` come from elsewhere, as does that of `_value_and_grad` where one sweep serves both; the
//! others call these. The tangent of a parameter without a
//! derivative is `impl Sized`, not a type parameter, so that a turbofish on `f` fits its companions as well.

mod arguments;
mod docs;
pub(super) mod gradient;
mod hessian;
mod higher;
mod jacobian;
mod shapes;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Block, Generics};

use super::recursion::Calls;
use crate::syntax::options::Mode;
use crate::syntax::signature::{By, Owner, Param, Scalar, Signature, plain, speaks_of_self, takes};

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
    /// Ends in the product of the Hessian and the tangents, which are parameters.
    pub product: Option<TokenStream>,
    /// The tangent programs as functions, with the contents of their companions.
    pub higher: Vec<(Signature, Bodies)>,
}

/// The kinds of companions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vjp,
    ValueAndGrad,
    Grad,
    Into,
    Jvp,
    Jacobian,
    Hvp,
    Hessian,
}

impl Kind {
    fn suffix(self) -> &'static str {
        match self {
            Kind::Vjp => "vjp",
            Kind::ValueAndGrad => "value_and_grad",
            Kind::Grad => "grad",
            Kind::Into => "value_and_grad_into",
            Kind::Jvp => "jvp",
            Kind::Jacobian => "jacobian",
            Kind::Hvp => "hvp",
            Kind::Hessian => "hessian",
        }
    }
}

/// The companions of a function with these bodies, and theirs. `block` is the body of the function.
pub fn companions(signature: &Signature, bodies: Bodies, block: &Block) -> TokenStream {
    let product = bodies.product.clone().unwrap_or_default();
    let own = kinds(signature).map(|kind| {
        let body = match kind {
            Kind::Vjp => bodies.vjp.clone(),
            Kind::Jvp => bodies.jvp.clone(),
            Kind::ValueAndGrad => bodies.gradient.clone().unwrap_or_else(|| gradient::body(signature, true)),
            Kind::Grad if bodies.gradient.is_some() => gradient::without_value(signature),
            Kind::Grad => gradient::body(signature, false),
            Kind::Into => gradient::into_body(signature),
            Kind::Jacobian => jacobian::body(signature),
            Kind::Hvp => product.clone(),
            Kind::Hessian => hessian::body(signature, &product),
        };
        function(signature, kind, body, bodies.calls, &bodies.without_effect)
    });
    let mut all: TokenStream = own.collect();
    all.extend(taken(signature));
    all.extend(higher::of_gradients(signature, block).into_iter().map(|member| {
        let higher::Member { signature, kind, body } = member;
        function(&signature, kind, body, Calls::None, &[])
    }));
    all.extend(bodies.higher.into_iter().map(|(signature, bodies)| companions(&signature, bodies, block)));
    all
}

/// The same functions without contents. They stand in for the companions when there are errors, so that the calls of
/// them are no further errors.
pub fn stubs(signature: &Signature, block: &Block) -> TokenStream {
    let stub = |signature: &Signature, kind| {
        let body = match kind {
            Kind::Vjp => {
                let (seed, entries) = (signature.seed_type(), signature.entries_type());
                quote!((::core::unimplemented!(), |_: #seed| -> #entries { ::core::unimplemented!() }))
            }
            _ => quote!(::core::unimplemented!()),
        };
        function(signature, kind, body, Calls::None, &[])
    };
    let mut all: TokenStream = kinds(signature).map(|kind| stub(signature, kind)).collect();
    all.extend(taken(signature));
    let members = higher::of_gradients(signature, block);
    all.extend(members.iter().map(|member| stub(&member.signature, member.kind)));
    for tangent in signature.tangent_functions(block) {
        all.extend(kinds(&tangent).map(|kind| stub(&tangent, kind)));
    }
    all
}

impl Bodies {
    /// Those of a function without one.
    pub fn none(signature: &Signature, block: &Block) -> Self {
        let higher =
            signature.tangent_functions(block).into_iter().map(|tangent| (tangent, Bodies::default())).collect();
        Bodies { higher, ..Bodies::default() }
    }
}

/// What tells callers that a method takes its receiver by value, which its companions do too. A trait has it, and its
/// implementations get it from there.
fn taken(signature: &Signature) -> Option<TokenStream> {
    let receiver = signature.params.first().filter(|param| param.receiver && param.by == By::Value)?;
    let itself = matches!(plain(&receiver.ty), syn::Type::Path(path) if path.path.is_ident("Self"));
    let of_trait = matches!(signature.owner, Owner::Impl(_, Some(_), _));
    if !itself || of_trait {
        return None;
    }
    let (vis, name, by_value) = (&signature.vis, takes(&signature.name), private(signature, "ByValue"));
    let conditions = signature.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    Some(quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(unused, clippy::all, clippy::pedantic)]
        #vis fn #name(&self) -> #by_value {
            #by_value
        }
    })
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
        (Kind::Jacobian, signature.jacobian),
        (Kind::Hvp, signature.hvp || hessian::needs_product(signature)),
        (Kind::Hessian, signature.hessian),
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
    let bound = signature.borrowed.is_some() && (kind == Kind::Vjp || signature.tangents_borrow());
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
    if kind == Kind::Hvp {
        params.extend(signature.differentiable().map(|param| tangent_declaration(signature, param)));
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
    if matches!(kind, Kind::Grad | Kind::ValueAndGrad | Kind::Into | Kind::Hvp | Kind::Hessian) {
        generics.make_where_clause().predicates.extend(signature.scalar_bound(bound));
    }
    if let Owner::Trait(..) = signature.owner {
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
        let (mention, declared) = (mention(signature), shapes::check(signature));
        quote!({ #mention #declared #body })
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
    // `Self::from` alone may be any conversion
    if signature.derived || signature.owner.is_type() && signature.name == "from" {
        return None;
    }
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
                    let by_mut = matches!(&param.ty, syn::Type::Reference(of) if of.mutability.is_some());
                    patterns.push(if by_mut { quote!(mut #name: #pointer) } else { quote!(#name: #pointer) });
                    arguments.push(referred(&param.ty, quote!(#name)));
                }
                _ => {
                    // what shows the generic parameters, as nothing else does
                    let ty = &param.ty;
                    let shown = mentions_generics(&signature.generics, &ty.to_token_stream());
                    patterns.push(if shown { quote!(#name: #ty) } else { quote!(#name) });
                    arguments.push(quote!(#name));
                }
            }
        }
        return Some(quote!(let _ = |#(#patterns),*| #path(#(#arguments),*);));
    }
    let turbofish = signature.turbofish();
    Some(quote!(let _ = #path #turbofish;))
}

/// Whether a type has a type parameter or a constant of the function in it, and no `impl Trait`.
fn mentions_generics(generics: &syn::Generics, ty: &TokenStream) -> bool {
    let idents = crate::lower::scan::mentioned(ty.clone());
    let known = |name: &proc_macro2::Ident| {
        generics.type_params().any(|p| p.ident == *name) || generics.const_params().any(|p| p.ident == *name)
    };
    idents.iter().any(known) && !idents.iter().any(|name| name == "impl")
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
        Kind::Grad | Kind::Hvp => signature.grads_type(),
        Kind::Into => value,
        Kind::Jacobian | Kind::Hessian => {
            let (krate, element) = (&signature.krate, jacobian::element(signature));
            quote!(#krate::__private::ndarray::Array2<#element>)
        }
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
        Calls::Others => false,
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

#[cfg(test)]
mod tests;
