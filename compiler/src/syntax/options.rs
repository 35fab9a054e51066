//! The arguments of `#[differentiable(…)]`.
//!
//! They are read token by token rather than by a parser that stops at the first fault, so that every fault is told in
//! one go and the options beside it still count. What an option asks of the signature (that a parameter exists, that
//! the result is a scalar) is checked by [`signature`](super::signature).

mod read;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::Path;

use super::spelling;
use crate::diag::{Diagnostics, Place, catalog};
use crate::ir::Size;
use read::{Reader, split_at_commas};

/// Which derivatives are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All of them.
    Both,
    /// `f_vjp` and what follows from it; the name `f_jvp` is free.
    Reverse,
    /// `f_jvp` only.
    Forward,
}

/// `w: [h, d]` in `shapes(…)`.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The parameter.
    pub parameter: Ident,
    /// Its sizes, one for each axis.
    pub sizes: Vec<Size>,
}

/// `checkpoint` or `checkpoint(steps = K)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// `K`, if given.
    pub steps: Option<usize>,
}

/// What the user asked for.
#[derive(Clone)]
pub struct Options {
    /// The parameters with a derivative, if they are limited.
    pub wrt: Option<Vec<Ident>>,
    /// The modes.
    pub mode: Mode,
    /// The path of the crate `cotangent` for generated code.
    pub krate: Path,
    /// Derivatives up to this order.
    pub order: usize,
    /// Whether and how memory is traded for recomputation.
    pub checkpoint: Option<Checkpoint>,
    /// Declared sizes of arrays.
    pub shapes: Vec<Shape>,
    /// Every option that was given and understood, in order, with its name in the source.
    given: Vec<(&'static str, Ident)>,
    /// Whether anything was wrong: later checks then hold back what may only follow from that.
    pub flawed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            wrt: None,
            mode: Mode::Both,
            krate: syn::parse_quote!(::cotangent),
            order: 1,
            checkpoint: None,
            shapes: Vec::new(),
            given: Vec::new(),
            flawed: false,
        }
    }
}

impl Options {
    /// The place of an option if it was given: `options.given("hvp")`.
    pub fn given(&self, name: &str) -> Option<&Ident> {
        self.given.iter().find(|(known, _)| *known == name).map(|(_, ident)| ident)
    }

    /// The options among those given that only make sense for one function.
    pub fn about_one_function(&self) -> impl Iterator<Item = &Ident> {
        const ABOUT_ALL: [&str; 5] = ["crate", "reverse", "forward", "order", "checkpoint"];
        self.given.iter().filter(|(name, _)| !ABOUT_ALL.contains(name)).map(|(_, ident)| ident)
    }

    /// The options of the language among those given that are not built yet, with what to do instead.
    pub fn unsupported(&self) -> impl Iterator<Item = (&Ident, &'static str)> {
        self.given.iter().filter_map(|(name, ident)| Some((ident, spec(name)?.instead?)))
    }
}

/// What is known of an option before it is read.
struct Spec {
    name: &'static str,
    /// How it is written.
    form: &'static str,
    /// For what is not built yet: what to do instead.
    instead: Option<&'static str>,
}

const fn built(name: &'static str, form: &'static str) -> Spec {
    Spec { name, form, instead: None }
}

const fn missing(name: &'static str, form: &'static str, instead: &'static str) -> Spec {
    Spec { name, form, instead: Some(instead) }
}

const ROW_BY_ROW: &str = "call the pullback of the `_vjp` companion with one unit seed for each result";
const NO_SECOND: &str = "only first derivatives are derived: use differences of the `_grad` companion";

const SPECS: &[Spec] = &[
    built("wrt", "`wrt(a, b)`"),
    built("reverse", "`reverse`"),
    built("forward", "`forward`"),
    built("order", "`order = 2`"),
    built("into", "`into`"),
    built("jacobian", "`jacobian`"),
    built("hvp", "`hvp`"),
    built("hessian", "`hessian`"),
    missing("sparse_jacobian", "`sparse_jacobian`", ROW_BY_ROW),
    missing("sparse_hessian", "`sparse_hessian`", NO_SECOND),
    missing("cuda", "`cuda`", "use the companions for the CPU"),
    built("checkpoint", "`checkpoint` or `checkpoint(steps = 100)`"),
    built("shapes", "`shapes(w: [h, d], x: [d, 3])`"),
    built("crate", "`crate = path::to::cotangent`"),
];

fn spec(name: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.name == name)
}

/// Reads the tokens between the brackets of `#[differentiable(…)]`. What is wrong is reported and left out.
pub fn parse(tokens: TokenStream, diags: &mut Diagnostics) -> Options {
    let before = diags.len();
    let mut options = Options::default();
    for segment in split_at_commas(tokens) {
        option(&segment.tokens, segment.comma, &mut options, diags);
    }
    contradictions(&mut options, diags);
    options.flawed = diags.len() > before;
    options
}

fn option(tokens: &[TokenTree], comma: Option<Span>, options: &mut Options, diags: &mut Diagnostics) {
    let name = match tokens.first() {
        Some(TokenTree::Ident(name)) => name,
        other => {
            let at = other.map(TokenTree::span).or(comma).unwrap_or_else(Span::call_site);
            let form = "a list of options, such as `#[differentiable(wrt(x), reverse)]`";
            diags.error(at, &catalog::MALFORMED_OPTION, &[("problem", &"expected an option"), ("form", &form)]);
            return;
        }
    };
    let Some(spec) = spec(&name.to_string()) else {
        let valid = spelling::list(SPECS.iter().map(|spec| spec.name));
        let nearest = spelling::nearest(&name.to_string(), SPECS.iter().map(|spec| spec.name));
        let arguments: [(&str, &dyn std::fmt::Display); 3] =
            [("option", name), ("nearest", &nearest), ("valid", &valid)];
        diags.error(name.span(), &catalog::UNKNOWN_OPTION, &arguments);
        return;
    };
    if options.given(spec.name).is_some() {
        diags.error(name.span(), &catalog::REPEATED_OPTION, &[("option", name)]);
        return;
    }
    let mut reader = Reader { name, form: spec.form, rest: &tokens[1..], diags };
    if value(spec.name, &mut reader, options).is_some() {
        options.given.push((spec.name, name.clone()));
    }
}

/// Reads what follows the name; nothing is returned if that was wrong.
fn value(name: &str, reader: &mut Reader<'_>, options: &mut Options) -> Option<()> {
    match name {
        "wrt" => options.wrt = Some(reader.names()?),
        "order" => options.order = reader.order()?,
        "crate" => options.krate = reader.path()?,
        "checkpoint" => options.checkpoint = Some(Checkpoint { steps: reader.steps()? }),
        "shapes" => options.shapes = reader.shapes()?,
        _ => reader.nothing()?,
    }
    Some(())
}

/// Reads what follows the name of an attribute like the option `checkpoint`.
pub fn checkpoint(name: &Ident, rest: &[TokenTree], diags: &mut Diagnostics) -> Option<Checkpoint> {
    let mut reader = Reader { name, form: "`#[checkpoint]` or `#[checkpoint(steps = 100)]`", rest, diags };
    Some(Checkpoint { steps: reader.steps()? })
}

/// Rule: `reverse` and `forward` exclude each other, and what needs the reverse mode excludes `forward`.
fn contradictions(options: &mut Options, diags: &mut Diagnostics) {
    let forward = options.given("forward").cloned();
    let reverse = options.given("reverse").cloned();
    options.mode = match (&reverse, &forward) {
        (Some(_), None) => Mode::Reverse,
        (None, Some(_)) => Mode::Forward,
        _ => Mode::Both,
    };
    let mut clash = |a: &Ident, b: &Ident, reason: &str| {
        let mut pair = [a, b];
        // the later one is the one to point at
        let position = |ident: &Ident| options.given.iter().position(|(name, _)| ident == name);
        pair.sort_by_key(|ident| position(ident));
        let arguments: [(&str, &dyn std::fmt::Display); 3] =
            [("first", pair[0]), ("second", pair[1]), ("reason", &reason)];
        diags.error(Place::of(pair[1]), &catalog::CONTRADICTORY_OPTIONS, &arguments);
    };
    let Some(forward) = forward else { return };
    if let Some(reverse) = &reverse {
        clash(reverse, &forward, "each stands for this mode alone, and without them both modes are derived");
    }
    if let Some(into) = options.given("into") {
        clash(into, &forward, "`into` is computed in reverse mode");
    }
}

#[cfg(test)]
mod tests;
