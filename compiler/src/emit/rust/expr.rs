//! Expressions that are not part of a statement yet.

use crate::emit::places::PlaceId;
use crate::ir::{Float, Type, Value};
use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// How tightly an expression holds together; the higher, the tighter.
pub(super) mod prec {
    pub(in crate::emit::rust) const ATOM: u8 = 100;
    pub(in crate::emit::rust) const UNARY: u8 = 90;
    pub(in crate::emit::rust) const CAST: u8 = 80;
    pub(in crate::emit::rust) const COMPARE: u8 = 30;
    pub(in crate::emit::rust) const AND: u8 = 20;
    pub(in crate::emit::rust) const OR: u8 = 10;
    pub(in crate::emit::rust) const BLOCK: u8 = 0;

    /// That of a binary operator.
    pub(in crate::emit::rust) fn infix(op: &str) -> u8 {
        match op {
            "*" | "/" | "%" => 70,
            "+" | "-" => 60,
            "<<" | ">>" => 50,
            "&" => 45,
            "^" => 40,
            "|" => 35,
            "&&" => AND,
            "||" => OR,
            _ => COMPARE,
        }
    }
}

/// What an expression is, for those who use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A new value.
    New,
    /// A place: a part of a variable.
    Place,
    /// A view of an array: to be owned it needs a copy.
    View,
    /// `if c { … } else { … }`
    If,
}

/// `place op= value`: what an expression `place op value` may be written as.
#[derive(Clone)]
pub(super) struct Compound {
    pub(super) left: Value,
    pub(super) op: &'static str,
    pub(super) right: TokenStream,
}

/// An expression.
#[derive(Clone)]
pub(in crate::emit) struct Expr {
    pub(in crate::emit) tokens: TokenStream,
    pub(super) prec: u8,
    pub(super) form: Form,
    /// The variables that occur in it.
    pub(super) reads: Vec<PlaceId>,
    /// The variable of which it is a part, or a reference to one.
    pub(super) base: Option<PlaceId>,
    /// Whether it is a reference to a slice, and not a vector of its own.
    pub(super) lent: bool,
    /// Whether it must not be evaluated earlier or later than other effects.
    pub(super) effect: bool,
    /// How large it is.
    pub(super) weight: u32,
    /// Whether it ends in a cast, after which `<` would begin generics.
    pub(super) cast: bool,
    /// Whether all of it is literals of a known type without that, so that it is inferred from elsewhere.
    pub(super) literal: bool,
    /// What it is as the receiver of a method.
    pub(super) receiver: Option<TokenStream>,
    pub(super) compound: Option<Box<Compound>>,
}

impl Expr {
    pub(super) fn new(tokens: TokenStream, prec: u8) -> Self {
        Expr {
            tokens,
            prec,
            form: Form::New,
            reads: Vec::new(),
            base: None,
            lent: false,
            effect: false,
            weight: 1,
            cast: false,
            literal: false,
            receiver: None,
            compound: None,
        }
    }

    pub(super) fn atom(tokens: impl ToTokens) -> Self {
        Expr::new(tokens.into_token_stream(), prec::ATOM)
    }

    pub(super) fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    pub(super) fn reading(mut self, place: PlaceId) -> Self {
        if !self.reads.contains(&place) {
            self.reads.push(place);
        }
        self
    }

    /// What is between the parentheses of a call.
    pub(super) fn operands(&self) -> TokenStream {
        match self.tokens.clone().into_iter().last() {
            Some(TokenTree::Group(group)) => group.stream(),
            _ => unreachable!("a call"),
        }
    }

    /// The expression has these parts.
    pub(super) fn of<'e>(mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Self {
        for part in parts {
            for &p in &part.reads {
                if !self.reads.contains(&p) {
                    self.reads.push(p);
                }
            }
            self.effect |= part.effect;
            self.weight += part.weight;
        }
        self
    }

    /// The type that a variable for it is declared with: that of literals that do not tell it.
    pub(super) fn annotation(&self, ty: &Type) -> Option<Ident> {
        if self.literal { number_name(ty) } else { None }
    }

    /// The tokens where an operand of this precedence is expected.
    pub(super) fn at(&self, min: u8) -> TokenStream {
        let tokens = &self.tokens;
        if self.prec < min { quote!((#tokens)) } else { tokens.clone() }
    }

    /// The tokens where `.method()`, `.field` or `[index]` follows.
    pub(super) fn root(&self) -> TokenStream {
        self.receiver.clone().unwrap_or_else(|| self.at(prec::ATOM))
    }
}

/// The tokens of an operator.
pub(super) fn operator(op: &str, span: Span) -> TokenStream {
    let last = op.len() - 1;
    op.chars()
        .enumerate()
        .map(|(i, c)| {
            let mut punct = Punct::new(c, if i < last { Spacing::Joint } else { Spacing::Alone });
            punct.set_span(span);
            TokenTree::Punct(punct)
        })
        .collect()
}

/// The Rust name of a type of numbers, where it has one.
pub(super) fn number_name(ty: &Type) -> Option<Ident> {
    match ty {
        Type::Float(kind) => float_name(kind),
        Type::Int(name) => name.map(|name| Ident::new(name, Span::mixed_site())),
        _ => None,
    }
}

/// The Rust name of a kind of floats, where it has one.
pub(super) fn float_name(kind: &Float) -> Option<Ident> {
    let name = match kind {
        Float::F32 => "f32",
        Float::F64 => "f64",
        Float::Generic(_) | Float::Any => return None,
    };
    Some(Ident::new(name, Span::mixed_site()))
}
