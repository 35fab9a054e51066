//! The parameters of a function.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Pat, PatIdent, Path, Type};

use super::function::Function;
use super::types::{Storage, TypeClass, tangent_type};
use crate::ir::Size;

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// `x: T`
    Value,
    /// `x: &T`
    Ref,
    /// `x: &mut T`, or a mutable view of an array: what is there after the call is one of the results.
    RefMut,
}

/// A parameter.
#[derive(Clone)]
pub struct Param {
    /// The user's pattern: `x`, `mut x`, `(a, b)`, `_`.
    pub pattern: Pat,
    /// The name of the argument in companions: that of the pattern if it is a plain name, else a fresh one.
    pub arg: Ident,
    /// The name of its tangent in `_jvp`.
    pub tangent_name: Ident,
    /// The user's type (an `impl Trait` is replaced by the type parameter that stands for it).
    pub ty: Type,
    /// The same with the elided lifetimes named, as `_vjp` has it.
    pub bound_ty: Type,
    /// What it is to differentiation, references stripped.
    pub class: TypeClass,
    /// How it is passed.
    pub by: By,
    /// Whether it has a derivative: its class has floats, and `wrt` does not leave it out.
    pub differentiable: bool,
    /// `self` in some form.
    pub receiver: bool,
    /// What is called, if it is a function.
    pub function: Option<Function>,
    /// A tangent of which nothing is used, of whatever type.
    pub ignored: bool,
    /// The declared sizes of its axes.
    pub sizes: Option<Vec<Size>>,
}

impl Param {
    /// The type of its tangent and of its cotangent: its entry in the protocol.
    pub fn tangent_type(&self, krate: &Path) -> TokenStream {
        match &self.function {
            _ if !self.differentiable => quote!(()),
            Some(function) => function.cotangent.to_token_stream(),
            None => tangent_type(&self.class, krate),
        }
    }

    /// Whether it is a view of an array, or a reference to one.
    pub fn is_view(&self) -> bool {
        matches!(self.class, TypeClass::NdArray { storage: Storage::View | Storage::ViewMut, .. })
    }

    /// Whether what it gives mutable access to cannot be exchanged as a whole: a view.
    pub fn is_mutable_view(&self) -> bool {
        self.by == By::RefMut && matches!(self.class, TypeClass::NdArray { storage, .. } if storage != Storage::Owned)
    }

    /// The name, if the pattern is a plain name that companions share: then there is nothing to bind.
    pub fn plain_name(&self) -> Option<&Ident> {
        match &self.pattern {
            Pat::Ident(PatIdent { by_ref: None, mutability: None, ident, subpat: None, .. }) => {
                (*ident == self.arg).then_some(ident)
            }
            _ => None,
        }
    }
}
