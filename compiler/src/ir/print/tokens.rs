//! Rust tokens as text, for listings only: nothing parses it.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Rust tokens, spaced about as a person would.
pub fn rust(tokens: &TokenStream) -> String {
    let mut out = String::new();
    spaced(tokens.clone(), &mut out);
    out
}

fn spaced(tokens: TokenStream, out: &mut String) {
    // Whether the next token follows without a space.
    let mut glue = true;
    // Whether the last token ends an operand, so that a sign after it is infix and a parenthesis a call.
    let mut after_word = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                if !glue && (!after_word || group.delimiter() == Delimiter::Brace) {
                    out.push(' ');
                }
                let mut inner = String::new();
                spaced(group.stream(), &mut inner);
                out.push_str(&if inner.is_empty() {
                    format!("{open}{close}").replace(' ', "")
                } else {
                    format!("{open}{inner}{close}")
                });
                (glue, after_word) = (false, true);
            }
            TokenTree::Punct(punct) => {
                let c = punct.as_char();
                let tight = matches!(c, '.' | ',' | ';' | ':' | '?') || (c == '!' && after_word);
                if !glue && !tight {
                    out.push(' ');
                }
                out.push(c);
                let prefix = matches!(c, '&' | '!' | '-' | '*' | '#' | '\'') && !after_word;
                glue = punct.spacing() == Spacing::Joint
                    || prefix
                    || c == '.'
                    || (c == '!' && after_word)
                    || out.ends_with("::");
                after_word = c == '!' && after_word;
            }
            word => {
                if !glue {
                    out.push(' ');
                }
                out.push_str(&word.to_string());
                (glue, after_word) = (false, true);
            }
        }
    }
}
