//! Questions that emitted code asks the compiler of Rust about types, which are not visible here: where the answer is no, that
//! is an error of the compiler on the user's token.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Whether what is referred to keeps nothing that it is given.
pub fn forgets(krate: &impl ToTokens, reference: &TokenStream, span: Span) -> TokenStream {
    told_at(
        quote!({
            use #krate::__private::{Frozen as _, Locked as _, Plain as _, Remembers as _};
            (&&&&#krate::__private::Probe(#reference)).forgets();
        }),
        span,
    )
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
