//! Receivers of methods, and methods that may have no companion: the compiler of Rust will know what they take, and whether
//! they need one.

use super::Emitter;
use super::call::renamed;
use super::expr::Expr;
use crate::ir::{Call, Callee, Type, Value};
use crate::syntax::question;
use crate::syntax::signature::takes;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

impl Emitter<'_> {
    /// The receiver of a method that may change it, given a mutable reference to it.
    pub(super) fn own_receiver(&mut self, call: &Call, reference: &TokenStream) -> Expr {
        let own = self.names.unique("receiver");
        self.push(quote!(let #own = #reference;));
        Expr::atom(match call.without.may_be() {
            true => quote!(#own),
            false => self.received(&call.callee, &quote!(&*#own), &quote!(of_mut(#own))),
        })
    }

    /// The receiver of a method, which may take it by value: what it says about that is asked of a reference.
    pub(super) fn received(&mut self, callee: &Callee, reference: &TokenStream, taken: &TokenStream) -> TokenStream {
        let Callee::Method(name) = callee else { return reference.clone() };
        let takes = takes(name);
        self.needs.takes(takes.clone());
        quote!((#reference).#takes().#taken)
    }

    /// A reference to what is in the box that a receiver may be in.
    pub(super) fn out_of_box(&mut self, v: Value, reference: &TokenStream) -> TokenStream {
        let boxed = match self.func.ty(v) {
            Type::Boxed(_) => true,
            Type::Dyn => self.is_part(v),
            _ => false,
        };
        if !boxed {
            return reference.clone();
        }
        self.needs.unboxed = true;
        let inside = self.private("Inside");
        quote!(#inside(#reference).inside())
    }

    /// What such a call gives where its value is not used: of a method without a companion, nothing, and what hands on the
    /// cotangent of the receiver, or the tangent that it had.
    pub(super) fn settled(&mut self, asked: &TokenStream, own_dot: Option<&TokenStream>) -> TokenStream {
        let settled = self.private("Settled");
        match own_dot {
            Some(dot) => quote!(#settled(#asked).tangents(#dot)),
            None => quote!(#settled(#asked).pullback()),
        }
    }

    /// What takes the place of the call of a companion: the first of `args` is a mutable reference to the receiver.
    ///
    /// The names that may not exist are found in traits for references, if there is no method of the type itself.
    pub(super) fn asked(&mut self, call: &Call, suffix: &str, args: &[Expr]) -> TokenStream {
        let Callee::Method(method) = &call.callee else { unreachable!("a method") };
        let companion = renamed(method, suffix);
        self.needs.perhaps = true;
        self.needs.probe = true;
        let [asked, innermost, probe, changes, missing, unchanged, varies] =
            ["Asked", "Innermost", "Probe", "Changes", "Missing", "Unchanged", "Varies"].map(|name| self.private(name));
        let own = self.names.unique("own");
        let (receiver, values) = args.split_first().expect("there is a receiver");
        let (receiver, values) = (&receiver.tokens, values.iter().map(|e| &e.tokens));
        let names: Vec<Ident> = (0..values.len()).map(|k| format_ident!("a{k}")).collect();
        let types: Vec<Ident> = (0..values.len()).map(|k| format_ident!("A{k}")).collect();
        let count = call.args.len() - 1;
        let n = Literal::usize_unsuffixed(count);
        let primal = &names[..count];
        let taken = self.received(&call.callee, &quote!(&*#own), &quote!(of_mut(#own)));
        // by a shared reference: the method if it will do, or else its companion
        let (shared, shared_types, absent, by_reference) = match call.without.if_reads {
            true => {
                let itself = quote!((#own.#method(#(#primal),*), #unchanged::<#n>));
                (method, &types[..count], quote!(#changes), itself)
            }
            false => {
                let absent = quote!((#changes, #unchanged<#n>));
                (&companion, &types[..], absent, quote!(#own.#companion(#(#names),*)))
            }
        };
        let (kind, itself) = match call.without.if_constant {
            true => {
                let itself = quote!((#taken.#method(#(#primal),*), #unchanged::<#n>));
                (quote!((&#probe(&*own)).kind()), quote!(|#own, (#(#names,)*)| #itself))
            }
            false => (quote!(#varies), quote!(|_, _| #missing)),
        };
        let given = self.private("given");
        let settled = question::told_at(quote!(#given(asked.settle())), method.span());
        quote!({
            let own = #innermost(#receiver).innermost();
            trait Shared {
                fn #shared<#(#shared_types),*>(&self, #(_: #shared_types),*) -> #absent { ::core::default::Default::default() }
            }
            impl<T: ?::core::marker::Sized> Shared for &T {}
            trait Companions {
                fn #companion<#(#types),*>(&self, #(_: #types),*) -> #missing { #missing }
            }
            impl<T: ?::core::marker::Sized> Companions for &mut T {}
            let asked = #asked::new(
                #kind,
                own,
                (#(#values,)*),
                |#own, (#(#names,)*)| #by_reference,
                #itself,
                |#own, (#(#names,)*)| #taken.#companion(#(#names),*),
            );
            #settled
        })
    }
}
