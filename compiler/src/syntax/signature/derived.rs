//! The signatures of companions as functions of their own, so that these have companions by the same rules.
//!
//! ```text
//! f               fn f(x: f64, n: usize) -> f64
//! of_jvp          fn f_jvp(x: f64, n: usize, x_dot: f64, n_dot: impl Sized) -> (f64, f64)
//! of_gradient     fn f_grad(x: f64, n: usize) -> f64
//! ```
//!
//! The signature is written down in Rust and analysed like one of the user's: nothing is special about a derivative.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::visit::Visit;
use syn::{Block, ItemFn, Lifetime, WherePredicate, parse_quote};

use super::{Param, ResultKind, Scalar, Signature, TypeClass, analyse_in};
use crate::diag::Diagnostics;
use crate::syntax::options::Options;

impl Signature {
    /// The signature of `f_jvp`. `body` is that of the function: what it says decides what pullbacks may hold.
    pub fn of_jvp(&self, body: &Block) -> Signature {
        let mut params: Vec<TokenStream> = self.declared().collect();
        let mut wrt: Vec<Ident> = self.wrt();
        for param in self.params.iter().filter(|param| param.function.is_none()) {
            let (name, ty) = (&param.tangent_name, param.tangent_type(&self.krate));
            if param.differentiable {
                wrt.push(name.clone());
                params.push(quote!(#name: #ty));
            } else {
                params.push(quote!(#name: impl ::core::marker::Sized));
            }
        }
        let (value, tangent) = (self.value_type(self.names_lifetimes()), self.seed_type());
        self.derived("jvp", &params, &quote!((#value, #tangent)), wrt, body)
    }

    /// The signature of `f_grad`, or of `f_value_and_grad`.
    pub fn of_gradient(&self, with_value: bool, body: &Block) -> Signature {
        let params: Vec<TokenStream> = self.declared().collect();
        let (value, grads) = (self.value_type(self.names_lifetimes()), self.grads_type());
        if with_value {
            self.derived("value_and_grad", &params, &quote!((#value, #grads)), self.wrt(), body)
        } else {
            self.derived("grad", &params, &grads, self.wrt(), body)
        }
    }

    /// The signatures of `f_jvp`, `f_jvp_jvp` and so on, which have companions up to the order that is asked for.
    pub fn tangent_functions(&self, body: &Block) -> Vec<Signature> {
        let mut all: Vec<Signature> = Vec::new();
        for _ in 1..self.order {
            let next = all.last().unwrap_or(self).of_jvp(body);
            all.push(next);
        }
        all
    }

    /// Where the result may be a float by an alias, its gradient exists if it is one. The bound is checked at the calls and
    /// not at the declaration because of its (unused) lifetime.
    pub fn scalar_bound(&self, bound: bool) -> Option<WherePredicate> {
        let (ty, krate) = (self.owned_type(bound), &self.krate);
        let lifetime = Lifetime::new(&format!("'{}", self.names.clone().fresh("any")), Span::mixed_site());
        (self.scalar() == Scalar::Perhaps).then(|| parse_quote!(for<#lifetime> #ty: #krate::__private::ScalarResult))
    }

    /// Whether the tangent types of unknown types have the lifetime of what is borrowed in them.
    pub fn tangents_borrow(&self) -> bool {
        let Some(lifetime) = &self.borrowed else { return false };
        let mut borrows = Borrows(lifetime, false);
        self.differentiable().for_each(|param| borrows.walk(&param.class));
        if let ResultKind::Value { class, .. } = &self.result {
            borrows.walk(class);
        }
        borrows.1
    }

    /// Whether the types of tangents show the lifetime of what is borrowed, so that it needs a name.
    fn names_lifetimes(&self) -> bool {
        self.borrowed.is_some() && self.tangents_borrow()
    }

    fn declared(&self) -> impl Iterator<Item = TokenStream> {
        self.params.iter().map(|param| {
            let (arg, ty) = (&param.arg, if self.names_lifetimes() { &param.bound_ty } else { &param.ty });
            match &param.function {
                Some(function) => {
                    let name = &function.name;
                    quote!(#arg: #name)
                }
                None if param.receiver => quote!(self: #ty),
                None => quote!(#arg: #ty),
            }
        })
    }

    fn wrt(&self) -> Vec<Ident> {
        let own = |param: &&Param| param.function.is_none();
        self.differentiable().filter(own).map(|param| param.arg.clone()).collect()
    }

    fn derived(
        &self,
        suffix: &str,
        params: &[TokenStream],
        output: &TokenStream,
        wrt: Vec<Ident>,
        body: &Block,
    ) -> Signature {
        let name = self.companion(suffix);
        let mut generics = if self.names_lifetimes() { &self.bound_generics } else { &self.generics }.clone();
        for of in self.functions() {
            of.declare(&mut generics, &self.krate, suffix == "jvp");
        }
        if suffix != "jvp" {
            generics.make_where_clause().predicates.extend(self.scalar_bound(self.names_lifetimes()));
        }
        let (impl_generics, _, clause) = generics.split_for_impl();
        let (vis, attrs) = (&self.vis, &self.attrs);
        // a recursive function stays one
        let again = self.recursive.then(|| quote!(let _ = #name;));
        let item: ItemFn = parse_quote! {
            #(#attrs)*
            #vis fn #name #impl_generics (#(#params),*) -> #output #clause { #again #body }
        };
        let mut options = Options::default();
        (options.wrt, options.mode, options.krate) = (Some(wrt), self.mode, self.krate.clone());
        let mut diags = Diagnostics::new();
        let mut signature = analyse_in(self.owner.clone(), &item, &options, &mut diags);
        signature.has_body = self.has_body;
        signature.derived = true;
        let own = self.params.len();
        for (k, param) in signature.params.iter_mut().enumerate() {
            param.ignored = if k < own { self.params[k].ignored } else { !param.differentiable };
            param.sizes = self.params.get(k).and_then(|own| own.sizes.clone());
        }
        signature.opaque_parameters = self.opaque_parameters;
        signature.floats = self.floats.clone();
        // what may be wrong is wrong with the function itself, and told there
        let _ = diags.finish();
        signature
    }
}

/// Looks for a lifetime in the tangent types of unknown types.
struct Borrows<'a>(&'a Lifetime, bool);

impl<'ast> Visit<'ast> for Borrows<'_> {
    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.1 |= lifetime.ident == self.0.ident;
    }
}

impl Borrows<'_> {
    fn walk(&mut self, class: &TypeClass) {
        match class {
            TypeClass::Unknown(ty) => self.visit_type(ty),
            TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => self.walk(of),
            TypeClass::Option(of)
            | TypeClass::Result(of)
            | TypeClass::BoxOf(of)
            | TypeClass::NdArray { element: of, .. } => self.walk(of),
            TypeClass::Tuple(of) => of.iter().for_each(|of| self.walk(of)),
            TypeClass::Float(_) | TypeClass::Inactive | TypeClass::Function => {}
        }
    }
}
