//! How a companion hands its parameters on to other companions, once or more often.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use syn::Type;

use crate::syntax::signature::{By, Names, Param, Signature, TypeClass, bare, plain};

/// The parameters, handed on for good.
pub(super) fn last(signature: &Signature) -> Vec<TokenStream> {
    let handed = |param: &Param| {
        let arg = &param.arg;
        let borrowed = param.by == By::RefMut && matches!(plain(&param.ty), Type::Reference(_));
        if borrowed { quote!(&mut *#arg) } else { quote!(#arg) }
    };
    signature.params.iter().map(handed).collect()
}

/// What is needed to hand the parameters on any number of times, each time as they were in the beginning.
pub(super) struct Kept {
    /// What is behind each `&mut`, set aside.
    copies: Vec<Option<Ident>>,
}

impl Kept {
    pub(super) fn new(signature: &Signature, names: &mut Names) -> Self {
        let copy = |param: &Param| (param.by == By::RefMut).then(|| names.fresh(&format!("{}_0", bare(&param.arg))));
        Kept { copies: signature.params.iter().map(copy).collect() }
    }

    /// The statements that set aside what is behind `&mut`.
    pub(super) fn prologue(&self, signature: &Signature) -> TokenStream {
        let krate = &signature.krate;
        let copies = signature.params.iter().zip(&self.copies).filter_map(|(param, copy)| {
            let (arg, copy) = (&param.arg, copy.as_ref()?);
            Some(quote!(let #copy = #krate::__private::ToOwned::to_owned(&*#arg);))
        });
        copies.collect()
    }

    /// The parameters, handed on and kept.
    pub(super) fn again(&self, signature: &Signature) -> Vec<TokenStream> {
        let handed = |(param, copy): (&Param, &Option<Ident>)| match copy {
            Some(copy) => quote!(&mut #copy.clone()),
            None => kept(param),
        };
        signature.params.iter().zip(&self.copies).map(handed).collect()
    }

    /// The same, but what is behind `&mut` is changed.
    pub(super) fn once(signature: &Signature) -> Vec<TokenStream> {
        let handed = |param: &Param| {
            let arg = &param.arg;
            if param.by == By::RefMut { quote!(&mut *#arg) } else { kept(param) }
        };
        signature.params.iter().map(handed).collect()
    }
}

/// What is not behind `&mut`, handed on and kept.
fn kept(param: &Param) -> TokenStream {
    let arg = &param.arg;
    match param.by {
        _ if param.ignored => quote!(()),
        By::Value if is_copied(&param.ty) => quote!(#arg),
        By::Value if !matches!(param.class, TypeClass::Float(_)) => quote!(::core::clone::Clone::clone(&#arg)),
        _ => quote!(#arg),
    }
}

/// Whether the values of a type, as it is written, are certainly copied.
fn is_copied(ty: &Type) -> bool {
    const COPIED: [&str; 14] =
        ["bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    matches!(plain(ty), Type::Path(path) if COPIED.iter().any(|name| path.path.is_ident(name)))
}

/// The zero tangent of a parameter.
pub(super) fn zero(signature: &Signature, param: &Param) -> TokenStream {
    let (krate, place) = (&signature.krate, place(param));
    quote!(#krate::Differentiable::zero_tangent(#place))
}

/// A reference to what a parameter is.
pub(super) fn place(param: &Param) -> TokenStream {
    let arg = &param.arg;
    match param.by {
        By::Value => quote!(&#arg),
        By::Ref | By::RefMut => quote!(&*#arg),
    }
}

/// `(a, (b, (c, ())))`: a tuple of any number of parts.
pub(super) fn nested(parts: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    parts.rev().fold(quote!(()), |rest, part| quote!((#part, #rest)))
}
