//! Reads the value of one option from its tokens, each fault at its own token.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};

use super::Shape;
use crate::diag::{Diagnostics, Place, catalog};
use crate::ir::Size;

/// More would take the compiler minutes for the smallest function.
const HIGHEST_ORDER: usize = 10;

/// The tokens between two commas, and the comma after them.
pub(super) struct Segment {
    pub(super) tokens: Vec<TokenTree>,
    pub(super) comma: Option<Span>,
}

/// Splits a list; a trailing comma adds nothing.
pub(super) fn split_at_commas(tokens: TokenStream) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut current = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                segments.push(Segment { tokens: std::mem::take(&mut current), comma: Some(punct.span()) });
            }
            _ => current.push(token),
        }
    }
    if !current.is_empty() {
        segments.push(Segment { tokens: current, comma: None });
    }
    segments
}

/// What follows the name of an option. The methods report what is wrong and then return nothing.
pub(super) struct Reader<'a> {
    pub(super) name: &'a Ident,
    pub(super) form: &'static str,
    pub(super) rest: &'a [TokenTree],
    pub(super) diags: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn malformed<T>(&mut self, at: impl Into<Place>, problem: &str) -> Option<T> {
        self.diags.error(at, &catalog::MALFORMED_OPTION, &[("problem", &problem), ("form", &self.form)]);
        None
    }

    /// A flag.
    pub(super) fn nothing(&mut self) -> Option<()> {
        match self.rest.first() {
            None => Some(()),
            Some(extra) => {
                let problem = format!("`{}` takes no argument", self.name);
                self.malformed(extra.span(), &problem)
            }
        }
    }

    /// `(…)` and nothing else.
    fn parentheses(&mut self, what: &str) -> Option<Group> {
        match self.rest {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis && !group.stream().is_empty() => {
                Some(group.clone())
            }
            _ => {
                let at = match self.rest {
                    [] => self.name.span(),
                    [TokenTree::Group(_), extra, ..] => extra.span(),
                    [other, ..] => other.span(),
                };
                let problem = format!("`{}` expects {what} in parentheses", self.name);
                self.malformed(at, &problem)
            }
        }
    }

    /// `= …` with at least one token.
    fn after_equals(&mut self, what: &str) -> Option<Vec<TokenTree>> {
        match self.rest {
            [TokenTree::Punct(equals), value @ ..] if equals.as_char() == '=' && !value.is_empty() => {
                Some(value.to_vec())
            }
            other => {
                let at = other.last().map_or_else(|| self.name.span(), TokenTree::span);
                let problem = format!("`{}` expects `=` and {what}", self.name);
                self.malformed(at, &problem)
            }
        }
    }

    /// `(a, b)`.
    pub(super) fn names(&mut self) -> Option<Vec<Ident>> {
        let group = self.parentheses("names of parameters")?;
        let mut names: Vec<Ident> = Vec::new();
        let mut sound = true;
        for segment in split_at_commas(group.stream()) {
            match segment.tokens.as_slice() {
                [TokenTree::Ident(name)] if names.contains(name) => {
                    self.diags.error(name.span(), &catalog::WRT_REPEATED, &[("name", name)]);
                }
                [TokenTree::Ident(name)] => names.push(name.clone()),
                other => {
                    let wrong = other.iter().find(|token| !matches!(token, TokenTree::Ident(_))).or(other.last());
                    let at = wrong.map(TokenTree::span).or(segment.comma).unwrap_or_else(|| group.span());
                    self.malformed::<()>(at, "expected the name of a parameter");
                    sound = false;
                }
            }
        }
        sound.then_some(names)
    }

    /// `= 2`.
    pub(super) fn order(&mut self) -> Option<usize> {
        let value = self.after_equals("a positive integer")?;
        match value.as_slice() {
            [TokenTree::Literal(literal)] if matches!(integer(literal), Some(1..)) => {
                let order = integer(literal).filter(|order| *order <= HIGHEST_ORDER);
                if order.is_none() {
                    let arguments: [(&str, &dyn std::fmt::Display); 2] =
                        [("order", literal), ("highest", &HIGHEST_ORDER)];
                    self.diags.error(literal.span(), &catalog::ORDER_TOO_HIGH, &arguments);
                }
                order
            }
            [first, ..] => {
                self.diags.error(first.span(), &catalog::ORDER_IS_NO_NUMBER, &[]);
                None
            }
            [] => None,
        }
    }

    /// `= path`.
    pub(super) fn path(&mut self) -> Option<syn::Path> {
        let value: TokenStream = self.after_equals("a path")?.into_iter().collect();
        match syn::parse::Parser::parse2(syn::Path::parse_mod_style, value) {
            Ok(path) => Some(path),
            Err(error) => self.malformed(error.span(), "`crate` expects the path of the crate `cotangent`"),
        }
    }

    /// Nothing, or `(steps = K)`.
    pub(super) fn steps(&mut self) -> Option<Option<usize>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        let group = self.parentheses("`steps = K`")?;
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        match inner.as_slice() {
            [TokenTree::Ident(steps), TokenTree::Punct(equals), TokenTree::Literal(count)]
                if steps == "steps" && equals.as_char() == '=' && matches!(integer(count), Some(1..)) =>
            {
                Some(integer(count))
            }
            _ => self.malformed(Place::of(&group.stream()), "`checkpoint` expects `steps` and a positive integer"),
        }
    }

    /// `(w: [h, d], x: [d, 3])`.
    pub(super) fn shapes(&mut self) -> Option<Vec<Shape>> {
        let group = self.parentheses("a list of sizes for each array")?;
        let mut shapes: Vec<Shape> = Vec::new();
        let mut sound = true;
        for segment in split_at_commas(group.stream()) {
            match segment.tokens.as_slice() {
                [TokenTree::Ident(parameter), TokenTree::Punct(colon), TokenTree::Group(sizes)]
                    if colon.as_char() == ':' && sizes.delimiter() == Delimiter::Bracket =>
                {
                    match self.sizes(sizes) {
                        Some(_) if shapes.iter().any(|shape| shape.parameter == *parameter) => {
                            self.diags.error(parameter.span(), &catalog::SHAPES_REPEATED, &[("name", parameter)]);
                            sound = false;
                        }
                        Some(sizes) => shapes.push(Shape { parameter: parameter.clone(), sizes }),
                        None => sound = false,
                    }
                }
                other => {
                    let at = other.first().map(TokenTree::span).or(segment.comma).unwrap_or_else(|| group.span());
                    self.malformed::<()>(at, "expected a parameter and its sizes");
                    sound = false;
                }
            }
        }
        sound.then_some(shapes)
    }

    /// `[h, 3]`.
    fn sizes(&mut self, group: &Group) -> Option<Vec<Size>> {
        let mut sizes = Vec::new();
        for segment in split_at_commas(group.stream()) {
            let size = match segment.tokens.as_slice() {
                [TokenTree::Ident(name)] => Some(Size::Name(name.to_string())),
                [TokenTree::Literal(literal)] => integer(literal).map(Size::Number),
                _ => None,
            };
            match size {
                Some(size) => sizes.push(size),
                None => {
                    let at = segment.tokens.first().map(TokenTree::span).unwrap_or_else(|| group.span());
                    return self.malformed(at, "a size is a number or a name");
                }
            }
        }
        Some(sizes)
    }
}

fn integer(literal: &Literal) -> Option<usize> {
    syn::parse_str::<syn::LitInt>(&literal.to_string()).ok()?.base10_parse().ok()
}
