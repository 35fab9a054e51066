//! Constants, primitives and casts.

use super::expr::{Compound, Expr, Form, float_name, number_name, operator, prec};
use super::{Emitter, Result};
use crate::ir::{Const, Float, Kind, Node, Op, Primitive, Spelling, Type, Value};
use crate::prims::arith::{DIV, MUL, SCALE, UNSCALE};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::str::FromStr;

impl Emitter<'_> {
    pub(super) fn constant(&self, c: &Const, v: Value, span: Span) -> Expr {
        self.constant_of(c, self.func.ty(v), span)
    }

    /// A constant of a type.
    pub(super) fn constant_of(&self, c: &Const, ty: &Type, span: Span) -> Expr {
        let mut e = match c {
            Const::Float(x, digits) if let Some(parameter) = self.parameter(ty) => {
                let number = match *x {
                    x if x.is_finite() => number(digits, span).tokens,
                    x if x.is_nan() => quote!(f64::NAN),
                    x if x > 0.0 => quote!(f64::INFINITY),
                    _ => quote!(f64::NEG_INFINITY),
                };
                let constant = self.private("constant");
                Expr::atom(quote!(#constant::<#parameter>(#number)))
            }
            Const::Unit => Expr::atom(quote!(())),
            Const::Bool(true) => Expr::atom(quote_spanned!(span=> true)),
            Const::Bool(false) => Expr::atom(quote_spanned!(span=> false)),
            Const::Int(digits) => {
                let mut e = number(digits, span);
                e.literal = matches!(ty, Type::Int(_));
                e
            }
            Const::Float(x, digits) if x.is_finite() => {
                let mut e = number(digits, span);
                e.literal = true;
                e
            }
            Const::Float(x, _) => {
                let kind = match ty {
                    Type::Float(kind) => float_name(kind),
                    _ => None,
                };
                let kind = kind.unwrap_or_else(|| Ident::new("f64", Span::mixed_site()));
                match *x {
                    x if x.is_nan() => Expr::atom(quote!(#kind::NAN)),
                    x if x > 0.0 => Expr::atom(quote!(#kind::INFINITY)),
                    _ => Expr::atom(quote!(#kind::NEG_INFINITY)),
                }
            }
        };
        e.weight = 0;
        e
    }

    /// The type parameter that a float type is.
    fn parameter(&self, ty: &Type) -> Option<TokenStream> {
        match ty {
            Type::Float(Float::Generic(name)) => {
                self.floats.iter().find(|ident| *ident == name).map(quote::ToTokens::to_token_stream)
            }
            // in the formula of a derivative, about a value that may well be of a generic type
            Type::Dyn | Type::Float(Float::Any) if self.elementwise && !self.floats.is_empty() => Some(quote!(_)),
            _ => None,
        }
    }

    /// A literal with its type, where nothing else tells that.
    pub(super) fn with_suffix(&self, mut e: Expr, ty: &Type) -> Expr {
        if e.literal
            && e.weight == 0
            && let Some(name) = number_name(ty)
        {
            let text = format!("{}_{name}", e.tokens.to_string().replace(' ', ""));
            e = number(&text, Span::mixed_site());
            e.weight = 0;
        }
        e
    }

    pub(super) fn prim(&mut self, p: &'static Primitive, args: &[Value], span: Span) -> Result<Expr> {
        if p.kind == Kind::Whole {
            return self.whole(p, args, span);
        }
        let p = match p {
            _ if !self.plain => p,
            p if p == &SCALE => &MUL,
            p if p == &UNSCALE => &DIV,
            p => p,
        };
        let mut parts = args.iter().map(|&a| self.scalar(a)).collect::<Result<Vec<_>>>()?;
        if p.alike(&parts).iter().all(|e| e.literal) && matches!(self.func.ty(args[0]), Type::Int(_)) {
            // an integer overflows at the limits of its own type
            parts[0] = self.with_suffix(parts[0].clone(), self.func.ty(args[0]));
            parts[0].literal = false;
        }
        let literal = match p.kind {
            Kind::Compare | Kind::Logic => false,
            Kind::Select => parts[1..].iter().all(|e| e.literal),
            _ => parts.iter().all(|e| e.literal),
        };
        let mut e = match p.rust {
            Spelling::Infix(op) => {
                let level = prec::infix(op);
                let left = match op {
                    // no comparison of a comparison
                    _ if level == prec::COMPARE => parts[0].at(level + 1),
                    _ => parts[0].at(level),
                };
                let left = if op.starts_with('<') && parts[0].cast { parenthesised(&parts[0]) } else { left };
                let right = parts[1].at(level + 1);
                let symbol = operator(op, span);
                let mut e = Expr::new(quote!(#left #symbol #right), level);
                e.cast = parts[1].cast;
                if matches!(op, "+" | "-" | "*" | "/" | "%") {
                    let right = parts[1].tokens.clone();
                    e.compound = Some(Box::new(Compound { left: args[0], op, right }));
                }
                e
            }
            Spelling::Prefix(op) => {
                let operand = parts[0].at(prec::UNARY);
                let symbol = operator(op, span);
                Expr::new(quote!(#symbol #operand), prec::UNARY)
            }
            Spelling::Method(name) => self.method(name, args, &parts, span),
            Spelling::Runtime(name) => {
                let f = self.private(name);
                let parts = parts.iter().map(|e| &e.tokens);
                Expr::atom(quote!(#f(#(#parts),*)))
            }
            Spelling::Conditional => {
                let (c, a, b) = (&parts[0].tokens, &parts[1].tokens, &parts[2].tokens);
                Expr::new(quote!(if #c { #a } else { #b }), prec::BLOCK).form(Form::If)
            }
        };
        e.literal = literal && !matches!(p.rust, Spelling::Method(_));
        Ok(e.of(&parts))
    }

    fn method(&self, name: &str, args: &[Value], parts: &[Expr], span: Span) -> Expr {
        let method = Ident::new(name, span);
        let ty = self.func.ty(args[0]);
        if matches!(ty, Type::Int(_)) && name == "saturating_sub" {
            let parts = parts.iter().map(|e| &e.tokens);
            let kind = Ident::new("i32", Span::mixed_site());
            return Expr::atom(quote!(#kind::#method(#(#parts),*)));
        }
        if parts[0].literal {
            let kind = number_name(ty).unwrap_or_else(|| Ident::new("f64", Span::mixed_site()));
            let parts = parts.iter().map(|e| &e.tokens);
            return Expr::atom(quote!(#kind::#method(#(#parts),*)));
        }
        let receiver = parts[0].root();
        let rest = parts[1..].iter().map(|e| &e.tokens);
        Expr::atom(quote!(#receiver.#method(#(#rest),*)))
    }

    /// Reductions and products of whole arrays.
    fn whole(&mut self, p: &'static Primitive, args: &[Value], span: Span) -> Result<Expr> {
        match p.rust {
            Spelling::Method(name) => {
                let method = Ident::new(name, span);
                let ty = self.func.ty(args[0]).clone();
                let (root, e) = if name == "t" { self.lasting_root(args[0])? } else { self.root(args[0])? };
                if name == "sum" && matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_)) {
                    let kind = match ty.element() {
                        Type::Float(kind) => float_name(&kind),
                        _ => None,
                    };
                    let kind = kind.map(|kind| quote!(::<#kind>));
                    return Ok(Expr::atom(quote!(#root.iter().#method #kind())).of([&e]));
                }
                let rest = args[1..].iter().map(|&a| self.argument_of_whole(a)).collect::<Result<Vec<_>>>()?;
                let axis = self.private("ndarray");
                let tokens = args[1..].iter().zip(&rest).map(|(&a, e)| match (self.func.ty(a), &e.tokens) {
                    (Type::Int(_), k) => quote!(#axis::Axis(#k)),
                    (_, tokens) => tokens.clone(),
                });
                let mut out = Expr::atom(quote!(#root.#method(#(#tokens),*))).of([&e]).of(&rest);
                if name == "t" {
                    out = out.form(Form::View);
                    out.base = e.base;
                }
                Ok(out)
            }
            Spelling::Runtime(name) => {
                let f = self.private(name);
                let parts = args.iter().map(|&a| self.argument_of_runtime(a)).collect::<Result<Vec<_>>>()?;
                let tokens = parts.iter().map(|e| &e.tokens);
                let out = Expr::atom(quote!(#f(#(#tokens),*))).of(&parts);
                Ok(if name == "along" { out.form(Form::View) } else { out })
            }
            _ => self.unsupported("an operation on whole arrays without a spelling"),
        }
    }

    /// An argument of a method of an array: scalars by value.
    fn argument_of_whole(&mut self, v: Value) -> Result<Expr> {
        if self.func.ty(v).is_scalar() {
            return self.scalar(v);
        }
        let e = self.by_ref(v)?;
        if !self.given.iter().any(|(p, copied)| *p == v && copied.is_none()) {
            return Ok(e);
        }
        let (given, tokens) = (self.private("Given"), &e.tokens);
        Ok(Expr::atom(quote!(#given(#tokens).referent())).of([&e]))
    }

    /// An argument of a function of the runtime that takes arrays: integers by value, a number as an array of rank 0.
    fn argument_of_runtime(&mut self, v: Value) -> Result<Expr> {
        match self.func.ty(v) {
            Type::Int(_) => self.scalar(v),
            Type::Float(_) => {
                let e = self.by_ref(v)?;
                let (ndarray, tokens) = (self.private("ndarray"), &e.tokens);
                Ok(Expr::atom(quote!(&#ndarray::aview0(#tokens))).of([&e]))
            }
            _ => self.by_ref(v),
        }
    }

    pub(super) fn cast(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (args, out) = (&node.args, node.outs[0]);
        let e = match &node.op {
            Op::Cast(to) => {
                let from = self.func.ty(args[0]).clone();
                if !from.is_scalar() && self.func.ty(out).is_float() {
                    let x = self.by_ref(args[0])?;
                    let (f, tokens) = (self.private("cast"), &x.tokens);
                    Expr::atom(quote!(#f::<_, #to>(#tokens))).of([&x])
                } else {
                    let x = self.scalar(args[0])?;
                    let x = if from.is_float() { x } else { self.with_suffix(x, &from) };
                    let tokens = x.at(prec::CAST);
                    let mut e = Expr::new(quote!(#tokens as #to), prec::CAST).of([&x]);
                    e.cast = true;
                    e
                }
            }
            Op::CastTangent(to) | Op::CastCotangent(to) => {
                let cotangent = matches!(node.op, Op::CastCotangent(_));
                let f = self.private(if cotangent { "cast_cotangent" } else { "cast_tangent" });
                let x = self.by_ref(args[0])?;
                let g = self.take(args[1])?;
                let (x_tokens, g_tokens) = (&x.tokens, &g.tokens);
                Expr::atom(quote!(#f::<_, #to>(#x_tokens, #g_tokens))).of([&x, &g])
            }
            _ => unreachable!("a cast"),
        };
        self.define(out, e);
        Ok(())
    }
}

/// A literal, with its sign.
fn number(digits: &str, span: Span) -> Expr {
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let mut literal = Literal::from_str(digits).unwrap_or_else(|_| Literal::i64_unsuffixed(0));
    literal.set_span(span);
    if negative { Expr::new(quote!(- #literal), prec::UNARY) } else { Expr::atom(quote!(#literal)) }
}

fn parenthesised(e: &Expr) -> TokenStream {
    let tokens = &e.tokens;
    quote!((#tokens))
}
