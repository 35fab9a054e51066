//! The traits of the runtime whose methods a body calls, which it has to import.

use crate::ir::{Callee, OF_ARRAYS, OF_TANGENTS};
use crate::prims;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::BTreeSet;

/// What is called.
#[derive(Clone, Default)]
pub(in crate::emit) struct Needs {
    /// A method of the trait of differentiable types.
    pub(super) trait_: bool,
    /// The accessor of a part of a tuple.
    pub(super) fields: bool,
    /// The question whether a value has tangents.
    pub(super) probe: bool,
    /// What takes a return value of unknown type that is not used.
    pub(super) returned: bool,
    /// What is asked of a method of which only the compiler knows whether it changes `self`.
    pub(super) perhaps: bool,
    /// What takes a tangent out of a box that it may be in.
    pub(super) unboxed: bool,
    /// What replaces a part that there may not be.
    pub(super) put: bool,
    /// What takes an argument of a closure that may be a reference.
    pub(super) given: bool,
    /// A method that may be one of an array whose companions are in the runtime.
    pub(super) companions: bool,
    /// The same, of a companion of one.
    pub(super) second: bool,
    /// A method that may be one of a tangent, or of what has one.
    pub(super) tangents: bool,
    /// A method that may be one of a float.
    pub(super) floats: bool,
    /// Methods that may take their receivers by value.
    pub(super) taken: Vec<Ident>,
    /// The fields and payloads whose tangents are reached, by their names in accessors.
    pub(super) parts: BTreeSet<String>,
    /// The accessor of a part of what may have no tangent itself: a field that was left out.
    pub(super) behind: bool,
}

impl Needs {
    /// Adds what a closure in the body needs.
    pub(super) fn add(&mut self, other: Needs) {
        self.trait_ |= other.trait_;
        self.fields |= other.fields;
        self.probe |= other.probe;
        self.returned |= other.returned;
        self.perhaps |= other.perhaps;
        self.unboxed |= other.unboxed;
        self.put |= other.put;
        self.given |= other.given;
        self.companions |= other.companions;
        self.second |= other.second;
        self.tangents |= other.tangents;
        self.floats |= other.floats;
        other.taken.into_iter().for_each(|name| self.takes(name));
        self.parts.extend(other.parts);
        self.behind |= other.behind;
    }

    /// A call of a function or a method, or of its companion.
    pub(super) fn callee(&mut self, callee: &Callee, suffix: &str) {
        let Callee::Method(name) = callee else { return };
        self.tangents |= !suffix.is_empty() && OF_TANGENTS.iter().any(|of| name == of);
        let name = format!("{name}{suffix}");
        let base = name.trim_end_matches("_vjp").trim_end_matches("_jvp");
        self.floats |= base != name && prims::method(base).is_some();
        let rest = OF_ARRAYS.iter().find_map(|of| name.strip_prefix(of));
        self.companions |= matches!(rest, Some("_vjp" | "_jvp"));
        self.second |= matches!(rest, Some("_jvp_vjp" | "_jvp_jvp"));
    }

    /// Adds the name of what tells how a method takes its receiver.
    pub(super) fn takes(&mut self, name: Ident) {
        if !self.taken.contains(&name) {
            self.taken.push(name);
        }
    }

    /// The accessors on `()`, which is the tangent of a field that was left out: its parts are nothing as well.
    fn nothing(&self, krate: &syn::Path) -> TokenStream {
        let methods = self.parts.iter().map(|part| {
            let [write, read] = ["", "ref_"].map(|by| quote::format_ident!("__cotangent_{by}{part}"));
            quote! {
                fn #write(&mut self) -> &mut () { #krate::__private::fields::nothing() }
                fn #read(&self) -> &() { &() }
            }
        });
        quote! {
            trait PartsOfNothing { #(#methods)* }
            impl PartsOfNothing for () {}
        }
    }

    /// The imports.
    pub(in crate::emit) fn imports(&self, krate: &syn::Path) -> TokenStream {
        let trait_ = self.trait_.then(|| quote!(use #krate::__private::Differentiable as _;));
        let fields = self.fields.then(|| {
            let traits = (0..12).map(|k| quote::format_ident!("Field{k}"));
            quote!(use #krate::__private::fields::{BoxPart as _, OptionPart as _, #(#traits as _),*};)
        });
        let probe = self.probe.then(|| quote!(use #krate::__private::{NoTangents as _, Tangents as _};));
        let returned = self.returned.then(|| quote!(use #krate::__private::ReturnedValue as _;));
        let perhaps = self.perhaps.then(|| {
            quote! {
                use #krate::__private::{BothBars as _, BothDots as _, ChangedSelf as _, OneBar as _, OneDot as _};
                use #krate::__private::{AloneBar as _, AloneDot as _, Boxless as _, ChangedAlone as _, KeepsDot as _, Answered as _, Passes as _, Reads as _, ChangedSelfOnly as _, ReadSelf as _, ReadSelfOnly as _, SelfBar as _, SelfDot as _, WithDot as _};
            }
        });
        let unboxed = self.unboxed.then(|| quote!(use #krate::__private::{Unboxed as _, Unpacking as _};));
        let put = self.put.then(|| quote!(use #krate::__private::fields::Put as _;));
        let given = self.given.then(|| quote!(use #krate::__private::GivenValue as _;));
        let companions = self.companions.then(|| {
            // the method may be one of the user's own
            quote! {
                #[allow(unused_imports)]
                use #krate::__private::{ArrayCompanions as _, DotCompanions as _};
            }
        });
        let second = self.second.then(|| {
            quote! {
                #[allow(unused_imports)]
                use #krate::__private::{SecondCompanions as _, SecondDotCompanions as _};
            }
        });
        let tangents = self.tangents.then(|| {
            quote! {
                #[allow(unused_imports)]
                use #krate::__private::{MoveCompanions as _, TangentCompanions as _};
            }
        });
        let floats = self.floats.then(|| {
            quote! {
                #[allow(unused_imports)]
                use #krate::__private::FloatMethods as _;
            }
        });
        let taken = self.taken.iter().map(|name| {
            let of = quote::format_ident!("Receiver{name}");
            quote! {
                trait #of {
                    #[inline(always)]
                    fn #name(&self) -> #krate::__private::ByReference {
                        #krate::__private::ByReference
                    }
                }
                impl<T: ?::core::marker::Sized> #of for &T {}
            }
        });
        let taken: TokenStream = taken.collect();
        let behind = self.behind.then(|| self.nothing(krate));
        quote!(#trait_ #fields #probe #returned #perhaps #unboxed #put #given #companions #second #tangents #floats #taken #behind)
    }
}
