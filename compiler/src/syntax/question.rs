//! Questions that emitted code asks the compiler of Rust about types, which are not visible here: where the answer is no, that
//! is an error of the compiler on the user's token.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Whether what is referred to keeps nothing that it is given, also if the call `changes` it.
pub fn forgets(krate: &impl ToTokens, reference: &TokenStream, changes: bool, span: Span) -> TokenStream {
    let private = quote!(#krate::__private);
    let shared = (!changes).then(|| quote!(use #private::{Frozen as _, Locked as _};));
    let question = quote!({
        #shared
        use #private::{Plain as _, Remembers as _};
        (&&&&#private::Probe(#reference)).forgets();
    });
    told_at(question, span)
}

/// Tokens whose errors are told elsewhere.
pub fn told_at(tokens: TokenStream, span: Span) -> TokenStream {
    let told = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), told_at(group.stream(), span)).into();
        }
        token.set_span(span.resolved_at(token.span()));
        token
    };
    tokens.into_iter().map(told).collect()
}
