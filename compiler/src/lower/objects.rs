//! Objects of traits: `Box<dyn Shape>`, `&dyn Shape`.
//!
//! What an object is made of is in sight, so it is a place like any other. A choice between two of them is no value, but a
//! branch at each call of a method, as with functions in [`super::function`].

use super::env::Binding;
use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::ir::{Op, Value};
use crate::syntax::signature::is_function_bound;
use proc_macro2::Span;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::Visit;

/// The name of a call around what becomes an object.
const MARK: &str = "__object";

/// Traits whose objects have no derivative, or are iterators.
const OTHERS: [&str; 8] = ["Error", "Any", "Debug", "Display", "Write", "Read", "RngCore", "Iterator"];

/// Methods of a box itself.
pub(crate) const OF_BOXES: [&str; 5] = ["clone", "as_ref", "as_mut", "into", "to_owned"];

/// An expression with what becomes an object marked, if the type that is written for it is one of objects and some of them
/// are made in it.
pub(crate) fn marked(e: &syn::Expr, ty: &syn::Type) -> Option<syn::Expr> {
    if !of_objects(ty) {
        return None;
    }
    let mut e = e.clone();
    let before = e.to_token_stream().to_string();
    mark(&mut e);
    (e.to_token_stream().to_string() != before).then_some(e)
}

/// Whether the objects in a variable may be changed: it is `mut`, or they are behind `&mut`.
pub(crate) fn may_change(t: &syn::PatType) -> bool {
    struct Mutable(bool);
    impl<'ast> Visit<'ast> for Mutable {
        fn visit_type_reference(&mut self, r: &'ast syn::TypeReference) {
            self.0 |= r.mutability.is_some();
            syn::visit::visit_type_reference(self, r);
        }
    }
    let mut mutable = Mutable(!matches!(&*t.pat, syn::Pat::Ident(p) if p.mutability.is_none()));
    mutable.visit_type(&t.ty);
    mutable.0
}

/// Whether something is marked in some tokens.
pub(crate) fn is_mark(name: &str) -> bool {
    name == MARK
}

/// Whether a type is one of objects of a trait, or has such in it.
pub(crate) fn of_objects(ty: &syn::Type) -> bool {
    struct Objects(bool);
    impl<'ast> Visit<'ast> for Objects {
        fn visit_type_trait_object(&mut self, t: &'ast syn::TypeTraitObject) {
            let other = |bound: &syn::TypeParamBound| match bound {
                syn::TypeParamBound::Trait(bound) => {
                    bound.path.segments.last().is_some_and(|s| OTHERS.iter().any(|other| s.ident == other))
                }
                _ => false,
            };
            self.0 |= !t.bounds.iter().any(|bound| is_function_bound(bound) || other(bound));
        }
    }
    let mut objects = Objects(false);
    objects.visit_type(ty);
    objects.0
}

fn mark(e: &mut syn::Expr) {
    match e {
        syn::Expr::Paren(p) => mark(&mut p.expr),
        syn::Expr::Group(g) => mark(&mut g.expr),
        syn::Expr::If(i) => {
            mark_block(&mut i.then_branch);
            if let Some((_, e)) = &mut i.else_branch {
                mark(e);
            }
        }
        syn::Expr::Match(m) => m.arms.iter_mut().for_each(|arm| mark(&mut arm.body)),
        syn::Expr::Block(b) => mark_block(&mut b.block),
        syn::Expr::Array(a) => a.elems.iter_mut().for_each(mark),
        syn::Expr::Tuple(t) => t.elems.iter_mut().for_each(mark),
        syn::Expr::Reference(r) if matches!(*r.expr, syn::Expr::Array(_)) => mark(&mut r.expr),
        syn::Expr::Macro(m) if m.mac.path.is_ident("vec") => {
            let parse = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
            if let Ok(mut elems) = m.mac.parse_body_with(parse) {
                elems.iter_mut().for_each(mark);
                m.mac.tokens = elems.to_token_stream();
            }
        }
        syn::Expr::Reference(_) => wrap(e),
        syn::Expr::Call(c) if boxed(c).is_some() => wrap(e),
        _ => {}
    }
}

fn mark_block(block: &mut syn::Block) {
    if let Some(syn::Stmt::Expr(e, None)) = block.stmts.last_mut() {
        mark(e);
    }
}

fn wrap(e: &mut syn::Expr) {
    let mark = syn::Ident::new(MARK, Span::call_site());
    *e = syn::parse_quote!(#mark(#e));
}

/// What `Box::new`, `Rc::new` or `Arc::new` is called with.
fn boxed(c: &syn::ExprCall) -> Option<&syn::Expr> {
    let syn::Expr::Path(p) = &*c.func else { return None };
    let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
    let ("new", "Box" | "Rc" | "Arc") = (names.next()?.as_str(), names.next()?.as_str()) else { return None };
    c.args.first().filter(|_| c.args.len() == 1)
}

impl<'a> Lowering<'a> {
    /// What an expression becomes as an object.
    pub(crate) fn object_of(&mut self, e: &syn::Expr) -> Operand {
        let inner = match super::control::strip(e) {
            syn::Expr::Call(c) => boxed(c).unwrap_or(e),
            e => e,
        };
        match self.nested_expr(inner) {
            Operand::Place(p) if p.is_ref => Operand::Object(Box::new(p)),
            o @ (Operand::Value(_) | Operand::Place(_)) => {
                let v = self.value(o);
                if let Some(n) = self.func.maker(v)
                    && let Op::Verbatim(code) = &mut self.func[n].op
                {
                    // made once, before it is chosen
                    code.pure_ = false;
                }
                Operand::Object(Box::new(Place::whole(Root::Cell(self.temporary(v))).by_ref(true).mutable(true)))
            }
            o => o,
        }
    }

    /// Whether objects without a derivative in them stay as they are written, as they may be changed or are handed over.
    pub(crate) fn keeps_objects(&mut self, pat: &syn::Pat, e: &syn::Expr) -> bool {
        let mutable = matches!(pat, syn::Pat::Ident(p) if p.mutability.is_some());
        (mutable || self.is_handed(pat)) && !self.mentions_active(e.to_token_stream())
    }

    /// Objects of a variable that is declared without `mut` stay as they are.
    pub(crate) fn settle_objects(&mut self, o: &mut Operand) {
        match o {
            Operand::Object(p) => {
                if let Root::Cell(c) = p.root
                    && self.env.cells[c].name == super::place::TEMPORARY
                {
                    self.env.cells[c].mutable = false;
                    p.is_mut = false;
                }
            }
            Operand::Choice(_, a, b) => {
                self.settle_objects(a);
                self.settle_objects(b);
            }
            Operand::Parts(parts) => parts.iter_mut().for_each(|part| self.settle_objects(part)),
            _ => {}
        }
    }

    /// Whether there is an object in a choice.
    pub(crate) fn holds_object(&self, o: &Operand) -> bool {
        match o {
            Operand::Object(_) => true,
            Operand::Choice(_, a, b) => self.holds_object(a) || self.holds_object(b),
            _ => false,
        }
    }

    /// One of several objects where a value is asked for.
    pub(crate) fn one_of_several(&mut self) -> Value {
        let span = self.span;
        let o = self.unsupported(
            span,
            "one of several objects of a trait as a value is not supported",
            "call a method of it, or make an `enum` of the types and write the methods with `match`",
        );
        self.value(o)
    }

    /// A method of one of several objects: a branch.
    pub(crate) fn method_of_choice(&mut self, o: &Operand, m: &syn::ExprMethodCall, statement: bool) -> Operand {
        if m.args.is_empty() && ["as_ref", "as_mut", "borrow", "borrow_mut"].iter().any(|name| m.method == name) {
            return o.clone();
        }
        match o {
            Operand::Choice(c, a, b) => {
                let arm = |o: &Operand| {
                    let o = o.clone();
                    move |l: &mut Lowering<'a>| l.method_of_choice(&o, m, statement)
                };
                self.if_value(*c, &mut arm(a), &mut arm(b))
            }
            o => {
                let name = syn::Ident::new("__receiver", m.method.span());
                let mut m = m.clone();
                m.receiver = syn::parse_quote!(#name);
                self.env.push_scope();
                let binding = match o {
                    Operand::Object(p) => Binding::Alias((**p).clone(), true),
                    Operand::Place(p) => Binding::Alias(p.clone(), true),
                    o => Binding::Known(Box::new(o.clone())),
                };
                self.env.bind("__receiver", binding);
                let o = self.method(&m, statement);
                let o = match o {
                    Operand::Place(p) => Operand::Value(self.read(&p)),
                    o => o,
                };
                self.env.pop_scope();
                o
            }
        }
    }
}
