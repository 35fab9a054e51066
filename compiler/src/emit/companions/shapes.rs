//! The check of declared shapes on entry.
//!
//! ```text
//! let mut declared = Declared::new("f", ["n", "d"]);
//! declared.argument("x", &[Size::Name(0), Size::Name(1)], &*x);
//! declared.argument("w", &[Size::Name(1), Size::Number(3)], &*w);
//! ```

use proc_macro2::TokenStream;
use quote::quote;

use super::arguments::place;
use crate::ir::Size;
use crate::syntax::signature::{Signature, bare};

/// The statements; nothing where no shape is declared.
pub(super) fn check(signature: &Signature) -> TokenStream {
    let declared: Vec<_> = signature.params.iter().filter_map(|param| Some((param, param.sizes.as_ref()?))).collect();
    if declared.is_empty() {
        return TokenStream::new();
    }
    let krate = &signature.krate;
    let mut names: Vec<&str> = Vec::new();
    let mut checks = TokenStream::new();
    let variable = signature.names.clone().fresh("declared");
    for (param, sizes) in declared {
        let sizes = sizes.iter().map(|size| match size {
            Size::Number(n) => quote!(#krate::__private::Size::Number(#n)),
            Size::Name(name) => {
                let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                quote!(#krate::__private::Size::Name(#place))
            }
        });
        let sizes: Vec<TokenStream> = sizes.collect();
        let (name, place) = (bare(&param.arg), place(param));
        checks.extend(quote!(#variable.argument(#name, &[#(#sizes),*], #place);));
    }
    let function = bare(&signature.name);
    quote! {
        let mut #variable = #krate::__private::Declared::new(#function, [#(#names),*]);
        #checks
    }
}
