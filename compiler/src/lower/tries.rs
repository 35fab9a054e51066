//! `e?` in a function whose result is an option: `let Some(t) = e else { return None };` before the statement.
//!
//! What is in front of a `?` in its statement is then evaluated after it, so nothing there may see or have an effect: else
//! it is an error.

use super::{Lowering, TargetKind, scan};
use crate::syntax::signature::ResultKind;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, Stmt, parse_quote};

/// What is taken out of a statement.
struct Taken {
    stmts: Vec<Stmt>,
    /// What is evaluated before the current place.
    before: Vec<TokenStream>,
    /// A `?` that cannot be taken out.
    stuck: Option<Span>,
    /// Numbers the names.
    count: usize,
}

impl Lowering<'_> {
    /// The statements that stand for one with `?` in it; `None` if there is none.
    pub(crate) fn without_tries(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let e = match stmt {
            Stmt::Local(local) => &local.init.as_ref()?.expr,
            Stmt::Expr(e, _) => e,
            _ => return None,
        };
        if !has_try(e) || !self.gives_option() {
            return None;
        }
        let mut stmt = stmt.clone();
        let count = self.declarations;
        let mut taken = Taken { stmts: vec![], before: vec![], stuck: None, count };
        match &mut stmt {
            Stmt::Local(local) => {
                let init = local.init.as_mut()?;
                match (&mut *init.expr, &init.diverge) {
                    (Expr::Try(t), None) => {
                        taken.expr(&mut t.expr);
                        let (e, pat) = (&t.expr, &local.pat);
                        let whole: Stmt = match pat {
                            syn::Pat::Type(typed) => {
                                let name = taken.name();
                                let (pat, ty) = (&typed.pat, &typed.ty);
                                taken.stmts.push(parse_quote!(let Some(#name) = #e else { return None; };));
                                parse_quote!(let #pat: #ty = #name;)
                            }
                            pat => parse_quote!(let Some(#pat) = #e else { return None; };),
                        };
                        stmt = whole;
                    }
                    (e, _) => taken.expr(e),
                }
            }
            Stmt::Expr(e, _) => taken.expr(e),
            _ => return None,
        }
        if let Some(span) = taken.stuck {
            self.unsupported(
                span,
                "`?` in this place of a statement is not supported",
                "give the value a name first: `let t = …?;`",
            );
            return Some(Vec::new());
        }
        taken.stmts.push(stmt);
        Some(taken.stmts)
    }

    /// Whether what `return` leaves gives an option.
    fn gives_option(&self) -> bool {
        let target = self.return_target();
        let cell = self.targets[target].value.expect("functions have values");
        let declared = match &self.env.cells[cell].declared_rust {
            Some(ty) => Some(ty),
            None if target == 0 => match &self.sig.result {
                ResultKind::Value { ty, .. } => Some(&**ty),
                ResultKind::Unit => return false,
            },
            None => None,
        };
        let option = |ty: &syn::Type| {
            let syn::Type::Path(p) = super::types::strip(ty) else { return false };
            p.path.segments.last().is_some_and(|s| s.ident == "Option")
        };
        matches!(self.targets[target].kind, TargetKind::Function) && declared.is_none_or(option)
    }
}

impl Taken {
    fn name(&mut self) -> Ident {
        self.count += 1;
        Ident::new(&format!("__try_{}", self.count), Span::mixed_site())
    }

    /// Takes every `?` out of an expression, in the order of evaluation.
    fn expr(&mut self, e: &mut Expr) {
        match e {
            Expr::Try(t) => {
                self.expr(&mut t.expr);
                let inner = &t.expr;
                if self.conflicts(inner) {
                    self.stuck = Some(syn::spanned::Spanned::span(&t.question_token));
                }
                let name = self.name();
                self.stmts.push(parse_quote!(let Some(#name) = #inner else { return None; };));
                *e = parse_quote!(#name);
            }
            Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.expr(&mut b.left);
                if has_try(&b.right) {
                    self.stuck = Some(syn::spanned::Spanned::span(&b.right));
                }
            }
            Expr::Binary(b) if scan::is_compound(&b.op) => self.expr(&mut b.right),
            Expr::Binary(b) => self.all([&mut *b.left, &mut *b.right]),
            Expr::Assign(a) => self.expr(&mut a.right),
            Expr::Unary(u) => self.expr(&mut u.expr),
            Expr::Paren(p) => self.expr(&mut p.expr),
            Expr::Group(g) => self.expr(&mut g.expr),
            Expr::Cast(c) => self.expr(&mut c.expr),
            Expr::Field(f) => self.expr(&mut f.base),
            Expr::Reference(r) => self.expr(&mut r.expr),
            Expr::Return(r) => r.expr.iter_mut().for_each(|e| self.expr(e)),
            Expr::Break(b) => b.expr.iter_mut().for_each(|e| self.expr(e)),
            Expr::Call(c) => self.all(c.args.iter_mut()),
            Expr::MethodCall(m) => self.all(std::iter::once(&mut *m.receiver).chain(m.args.iter_mut())),
            Expr::Index(i) => self.all([&mut *i.expr, &mut *i.index]),
            Expr::Tuple(t) => self.all(t.elems.iter_mut()),
            Expr::Array(a) => self.all(a.elems.iter_mut()),
            Expr::Struct(s) => self.all(s.fields.iter_mut().map(|f| &mut f.expr)),
            Expr::Repeat(r) => self.expr(&mut r.expr),
            Expr::If(i) => self.expr(&mut i.cond),
            Expr::Let(l) => self.expr(&mut l.expr),
            Expr::Match(m) => self.expr(&mut m.expr),
            Expr::ForLoop(f) => self.expr(&mut f.expr),
            e if has_try(e) => self.stuck = Some(syn::spanned::Spanned::span(e)),
            _ => {}
        }
    }

    fn all<'e>(&mut self, parts: impl IntoIterator<Item = &'e mut Expr>) {
        for e in parts {
            self.expr(e);
            self.before.push(e.to_token_stream());
        }
    }

    /// Whether it makes a difference if an expression is evaluated before what stands in front of it.
    fn conflicts(&self, e: &Expr) -> bool {
        let effect = |tokens: &TokenStream| syn::parse2::<Expr>(tokens.clone()).map_or(true, |e| changes(&e));
        if self.before.iter().any(effect) {
            return true;
        }
        let own = scan::mentioned(e.to_token_stream());
        let shared = |tokens: &TokenStream| scan::mentioned(tokens.clone()).iter().any(|i| own.contains(i));
        changes(e) && self.before.iter().any(shared)
    }
}

/// Whether an expression may change a local. A call that is given no `&mut` does not.
fn changes(e: &Expr) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_expr(&mut self, e: &'ast Expr) {
            match e {
                Expr::Call(c) => return c.args.iter().for_each(|a| self.visit_expr(a)),
                e => self.0 |= shallow(e),
            }
            syn::visit::visit_expr(self, e);
        }
    }
    fn shallow(e: &Expr) -> bool {
        const READERS: [&str; 8] = ["first", "last", "get", "map", "abs", "sqrt", "copied", "cloned"];
        match e {
            Expr::MethodCall(m) if READERS.iter().any(|n| m.method == n) => false,
            Expr::MethodCall(m) => {
                let known = crate::prims::method(&m.method.to_string()).is_some();
                !known && !["len", "is_empty", "iter", "is_some", "is_none", "as_ref"].iter().any(|n| m.method == n)
            }
            Expr::Assign(_) | Expr::Block(_) | Expr::Unsafe(_) | Expr::Macro(_) | Expr::Closure(_) => true,
            Expr::If(_) | Expr::Match(_) | Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => true,
            Expr::Reference(r) => r.mutability.is_some(),
            Expr::Binary(b) => scan::is_compound(&b.op),
            _ => false,
        }
    }
    let mut v = V(false);
    v.visit_expr(e);
    v.0
}

/// Whether a `?` is evaluated with an expression, and not in a statement or a closure in it.
pub(crate) fn has_try(e: &Expr) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = true;
        }
        fn visit_block(&mut self, _: &'ast syn::Block) {}
        fn visit_arm(&mut self, _: &'ast syn::Arm) {}
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut v = V(false);
    v.visit_expr(e);
    v.0
}
