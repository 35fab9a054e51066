//! Collects what is wrong with a function, so that all of it is told in one go.
//!
//! Every error has a place (the user's smallest tokens), a [`Code`] of the catalogue, and a text made from the
//! templates of that code. Stages report and go on as well as they can; [`Diagnostics::finish`] is the barrier at the
//! end of the front end. In tests a collector that is dropped with unread errors panics: an error must not get lost.

pub mod catalog;

pub use catalog::Code;

use std::fmt::Display;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// From the first to the last token that an error is about.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    start: Span,
    end: Span,
}

impl Place {
    /// The extent of some piece of syntax; the attribute itself where it has no tokens.
    pub fn of(syntax: &impl ToTokens) -> Self {
        let mut tokens = syntax.to_token_stream().into_iter();
        let Some(first) = tokens.next() else { return Span::call_site().into() };
        let end = tokens.last().map_or_else(|| last_span(&first), |last| last_span(&last));
        Place { start: first_span(&first), end }
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Place { start: span, end: span }
    }
}

/// An invisible group (a fragment of `macro_rules`) has no extent of its own to point at.
fn first_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            group.stream().into_iter().next().map_or_else(|| group.span(), |tree| first_span(&tree))
        }
        _ => tree.span(),
    }
}

fn last_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            group.stream().into_iter().last().map_or_else(|| group.span(), |tree| last_span(&tree))
        }
        _ => tree.span(),
    }
}

/// One error: where, which, and what it says.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The tokens that it is about.
    pub place: Place,
    /// Its entry in the catalogue.
    pub code: &'static Code,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl Diagnostic {
    /// `::core::compile_error! { "…" }`, from the first to the last of the user's tokens.
    fn compile_error(&self) -> TokenStream {
        let text = format!("{}\n  = help: {}", self.message, self.help);
        let Place { start, end } = self.place;
        let punct = |c, spacing| {
            let mut punct = Punct::new(c, spacing);
            punct.set_span(start);
            TokenTree::from(punct)
        };
        let mut literal = Literal::string(&text);
        literal.set_span(end);
        let mut group = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
        group.set_span(end);
        [
            punct(':', Spacing::Joint),
            punct(':', Spacing::Alone),
            Ident::new("core", start).into(),
            punct(':', Spacing::Joint),
            punct(':', Spacing::Alone),
            Ident::new("compile_error", start).into(),
            punct('!', Spacing::Alone),
            group.into(),
        ]
        .into_iter()
        .collect()
    }
}

/// What has been found wrong so far.
#[derive(Debug, Default)]
pub struct Diagnostics {
    errors: Vec<Diagnostic>,
}

impl Diagnostics {
    /// An empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports `code`, whose templates are filled with `arguments`: `{name}` becomes the value beside `"name"`.
    pub fn error(&mut self, at: impl Into<Place>, code: &'static Code, arguments: &[(&str, &dyn Display)]) {
        self.error_with(at, code, code.message(arguments), code.help(arguments));
    }

    /// Reports `code` in other words than those of the catalogue.
    pub fn error_with(&mut self, at: impl Into<Place>, code: &'static Code, message: String, help: String) {
        self.errors.push(Diagnostic { place: at.into(), code, message, help });
    }

    /// Whether anything has been reported.
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// How much has been reported: two readings tell whether a step between them found anything.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether nothing has been reported.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors so far, in the order of their reports.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.errors.iter()
    }

    /// Adds what another collector holds.
    pub fn absorb(&mut self, mut other: Diagnostics) {
        self.errors.append(&mut other.errors);
    }

    /// The barrier: the `compile_error!`s of all that was reported, or nothing.
    pub fn finish(mut self) -> Result<(), TokenStream> {
        let errors = std::mem::take(&mut self.errors);
        if errors.is_empty() { Ok(()) } else { Err(errors.iter().map(Diagnostic::compile_error).collect()) }
    }
}

#[cfg(test)]
impl Drop for Diagnostics {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.errors.is_empty(), "errors were reported and never read: {:#?}", self.errors);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_errors_come_out_together_with_their_advice() {
        let mut diags = Diagnostics::new();
        diags.error(Span::call_site(), &catalog::REPEATED_OPTION, &[("option", &"hvp")]);
        diags.error(Span::call_site(), &catalog::REPEATED_OPTION, &[("option", &"into")]);
        assert_eq!(diags.len(), 2);
        let text = diags.finish().unwrap_err().to_string();
        assert_eq!(text.matches("compile_error").count(), 2);
        assert!(text.contains(r"`hvp` is given more than once\n  = help: remove"), "{text}");
    }

    #[test]
    #[should_panic(expected = "never read")]
    fn unread_errors_panic() {
        Diagnostics::new().error(Span::call_site(), &catalog::REPEATED_OPTION, &[("option", &"hvp")]);
    }

    #[test]
    fn nothing_wrong() {
        assert!(Diagnostics::new().finish().is_ok());
    }
}
