//! Leaving from inside of an expression: what leaves stands in a statement of its own before that of the expression.
//!
//! `e?` in a function whose result is an option becomes `let Some(t) = e else { return None };`, in one whose result is a
//! `Result` a `match` that returns the error; and an operand such as
//! `match k { 0 => break, _ => x }` becomes `let t = match …;`. What is in front of it in its statement is then evaluated
//! after it, so nothing there may see or have an effect: else it is an error.

use super::{Lowering, TargetKind, outcome, scan};
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
    /// What `?` leaves the function with, if that is known.
    tries: Option<Tries>,
    /// Numbers the names.
    count: usize,
}

/// What `?` leaves with.
#[derive(Clone)]
enum Tries {
    /// `None`.
    Option,
    /// An error, converted into one of this type where it is written.
    Result(Option<Box<syn::Type>>),
}

impl Tries {
    /// The statement that gives what is in `e` a name, or leaves.
    fn stmt(&self, names: [Ident; 2], pat: &syn::Pat, ty: Option<&syn::Type>, e: &Expr) -> Stmt {
        let mut e = e.clone();
        if let Some(ty) = ty {
            parsed_as(&mut e, ty);
        }
        let ty = ty.map(|ty| quote::quote!(: #ty));
        match self {
            Tries::Option => parse_quote!(let Some(#pat) = #e else { return None; };),
            Tries::Result(error) => {
                let from = match error {
                    Some(error) => quote::quote!(<#error as ::core::convert::From<_>>::from),
                    None => quote::quote!(::core::convert::From::from),
                };
                let [value, fault] = names;
                parse_quote!(let #pat #ty = match #e {
                    ::core::result::Result::Ok(#value) => #value,
                    ::core::result::Result::Err(#fault) => return ::core::result::Result::Err(#from(#fault)),
                };)
            }
        }
    }
}

impl Lowering<'_> {
    /// The statements that stand for one from inside of which control leaves; `None` if it does not.
    pub(crate) fn without_tries(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let e = match stmt {
            Stmt::Local(local) => &local.init.as_ref()?.expr,
            Stmt::Expr(e, _) => e,
            _ => return None,
        };
        if !has_try(e) && !leaves_inside(e) {
            return None;
        }
        let tries = if has_try(e) { self.tries() } else { None };
        let known = tries.is_some();
        let mut stmt = stmt.clone();
        let count = self.declarations;
        let mut taken = Taken { stmts: vec![], before: vec![], stuck: None, tries, count };
        match &mut stmt {
            Stmt::Local(local) => {
                let init = local.init.as_mut()?;
                match (&mut *init.expr, &init.diverge) {
                    (Expr::Try(t), None) if let Some(tries) = taken.tries.clone() => {
                        taken.expr(&mut t.expr);
                        let (e, pat) = (&t.expr, &local.pat);
                        let names = [taken.name(), taken.name()];
                        stmt = match (pat, &tries) {
                            (syn::Pat::Type(typed), Tries::Option) => {
                                let name = taken.name();
                                let (pat, ty) = (&typed.pat, &typed.ty);
                                taken.stmts.push(tries.stmt(names, &named(&name), None, e));
                                parse_quote!(let #pat: #ty = #name;)
                            }
                            (syn::Pat::Type(typed), _) => tries.stmt(names, &typed.pat, Some(&typed.ty), e),
                            (pat, _) => tries.stmt(names, pat, None, e),
                        };
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
        if !known && taken.stmts.is_empty() {
            return None;
        }
        taken.stmts.push(stmt);
        Some(taken.stmts)
    }

    /// What `?` leaves with.
    fn tries(&self) -> Option<Tries> {
        let target = self.return_target();
        let cell = self.targets[target].value.expect("functions have values");
        let declared = match &self.env.cells[cell].declared_rust {
            Some(ty) => Some(ty),
            None if target == 0 => match &self.sig.result {
                ResultKind::Value { ty, .. } => Some(&**ty),
                ResultKind::Unit => return None,
            },
            None => None,
        };
        if !matches!(self.targets[target].kind, TargetKind::Function) {
            return None;
        }
        let Some(declared) = declared else { return Some(Tries::Option) };
        if let Some((_, error)) = outcome::of_type(declared) {
            let error = error.filter(|ty| !matches!(ty, syn::Type::Infer(_)));
            return Some(Tries::Result(error.cloned().map(Box::new)));
        }
        let syn::Type::Path(p) = super::types::strip(declared) else { return None };
        let option = p.path.segments.last().is_some_and(|s| s.ident == "Option");
        option.then_some(Tries::Option)
    }
}

/// Says what `parse` gives, which else follows from the type of the variable.
fn parsed_as(e: &mut Expr, ty: &syn::Type) {
    match e {
        Expr::MethodCall(m)
            if m.method == "parse"
                && m.turbofish.is_none()
                && m.args.is_empty()
                && super::types::of_rust(ty).is_scalar() =>
        {
            m.turbofish = Some(parse_quote!(::<#ty>));
        }
        Expr::MethodCall(m) if m.method == "collect" && !scan::borrows(ty) => {
            // `::<Result<_, E>>`
            if let Some(turbofish) = &mut m.turbofish
                && let Some(syn::GenericArgument::Type(syn::Type::Path(of))) = turbofish.args.first_mut()
                && let Some(syn::PathArguments::AngleBracketed(of)) =
                    of.path.segments.last_mut().map(|s| &mut s.arguments)
                && let Some(syn::GenericArgument::Type(value @ syn::Type::Infer(_))) = of.args.first_mut()
            {
                *value = ty.clone();
            }
        }
        Expr::MethodCall(m) if m.method == "map_err" => parsed_as(&mut m.receiver, ty),
        _ => {}
    }
}

/// A name as a pattern.
fn named(name: &Ident) -> syn::Pat {
    parse_quote!(#name)
}

impl Taken {
    fn name(&mut self) -> Ident {
        self.count += 1;
        Ident::new(&format!("__try_{}", self.count), Span::mixed_site())
    }

    /// Takes every `?` out of an expression, in the order of evaluation.
    fn expr(&mut self, e: &mut Expr) {
        match e {
            Expr::Try(t) if let Some(tries) = self.tries.clone() => {
                let before = self.before.len();
                self.operand(&mut t.expr);
                // its own parts do not stand in front of it
                self.before.truncate(before);
                let inner = &t.expr;
                if self.conflicts(inner) {
                    self.stuck = Some(syn::spanned::Spanned::span(&t.question_token));
                }
                let (name, names) = (self.name(), [self.name(), self.name()]);
                self.stmts.push(tries.stmt(names, &named(&name), None, inner));
                *e = parse_quote!(#name);
            }
            Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.operand(&mut b.left);
                if self.tries.is_some() && has_try(&b.right) {
                    self.stuck = Some(syn::spanned::Spanned::span(&b.right));
                }
            }
            Expr::Binary(b) if scan::is_compound(&b.op) => self.operand(&mut b.right),
            Expr::Binary(b) => self.all([&mut *b.left, &mut *b.right]),
            Expr::Assign(a) => self.expr(&mut a.right),
            Expr::Unary(u) => self.operand(&mut u.expr),
            Expr::Paren(p) => self.expr(&mut p.expr),
            Expr::Group(g) => self.expr(&mut g.expr),
            Expr::Cast(c) => self.operand(&mut c.expr),
            Expr::Field(f) => self.operand(&mut f.base),
            Expr::Reference(r) => self.operand(&mut r.expr),
            Expr::Return(r) => r.expr.iter_mut().for_each(|e| self.expr(e)),
            Expr::Break(b) => b.expr.iter_mut().for_each(|e| self.expr(e)),
            Expr::Call(c) => self.all(c.args.iter_mut()),
            Expr::MethodCall(m) => self.all(std::iter::once(&mut *m.receiver).chain(m.args.iter_mut())),
            Expr::Index(i) => self.all([&mut *i.expr, &mut *i.index]),
            Expr::Tuple(t) => self.all(t.elems.iter_mut()),
            Expr::Array(a) => self.all(a.elems.iter_mut()),
            Expr::Struct(s) => self.all(s.fields.iter_mut().map(|f| &mut f.expr)),
            Expr::Repeat(r) => self.operand(&mut r.expr),
            Expr::If(i) => self.operand(&mut i.cond),
            Expr::Let(l) => self.operand(&mut l.expr),
            Expr::Match(m) => self.operand(&mut m.expr),
            Expr::ForLoop(f) => self.operand(&mut f.expr),
            e if self.tries.is_some() && has_try(e) => self.stuck = Some(syn::spanned::Spanned::span(e)),
            _ => {}
        }
    }

    /// An operand: one from which control leaves gets a name in front of the statement.
    fn operand(&mut self, e: &mut Expr) {
        if !is_branching(e) || !leaves(e) {
            return self.expr(e);
        }
        if self.conflicts(e) {
            // it stays where it is, where it is reported
            return;
        }
        let (name, inner) = (self.name(), &*e);
        self.stmts.push(parse_quote!(let #name = #inner;));
        *e = parse_quote!(#name);
    }

    fn all<'e>(&mut self, parts: impl IntoIterator<Item = &'e mut Expr>) {
        for e in parts {
            self.operand(e);
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
        fn visit_macro(&mut self, _: &'ast syn::Macro) {
            self.0 = true;
        }
    }
    fn shallow(e: &Expr) -> bool {
        const READERS: [&str; 11] = [
            "first",
            "last",
            "get",
            "map",
            "abs",
            "sqrt",
            "copied",
            "cloned",
            "unwrap_or",
            "unwrap_or_default",
            "map_or",
        ];
        match e {
            Expr::MethodCall(m) if READERS.iter().any(|n| m.method == n) => false,
            Expr::MethodCall(m) => {
                let known = crate::prims::method(&m.method.to_string()).is_some();
                !known && !["len", "is_empty", "iter", "is_some", "is_none", "as_ref"].iter().any(|n| m.method == n)
            }
            Expr::Assign(_) | Expr::Unsafe(_) | Expr::Macro(_) | Expr::Closure(_) => true,
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

/// Whether an expression is one in which there are statements.
fn is_branching(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_branching(&p.expr),
        Expr::Group(g) => is_branching(&g.expr),
        e => matches!(
            e,
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_)
        ),
    }
}

/// Whether control leaves from somewhere inside of an expression, statements in it included.
fn leaves_inside(e: &Expr) -> bool {
    struct V(bool);
    impl<'ast> Visit<'ast> for V {
        fn visit_expr(&mut self, e: &'ast Expr) {
            self.0 |= is_branching(e) && leaves(e);
            syn::visit::visit_expr(self, e);
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut v = V(false);
    v.visit_expr(e);
    v.0
}

/// Whether `return`, or a `break` or `continue` of something around it, leaves an expression.
fn leaves(e: &Expr) -> bool {
    #[derive(Default)]
    struct V {
        leaves: bool,
        loops: usize,
        labels: Vec<String>,
    }
    impl V {
        fn jump(&mut self, label: Option<&syn::Lifetime>) {
            self.leaves |= match label {
                Some(label) => !self.labels.iter().any(|known| label.ident == known),
                None => self.loops == 0,
            };
        }
        fn within(&mut self, label: Option<&syn::Label>, repeats: bool, f: impl FnOnce(&mut Self)) {
            self.loops += usize::from(repeats);
            let labels = self.labels.len();
            self.labels.extend(label.map(|label| label.name.ident.to_string()));
            f(self);
            self.labels.truncate(labels);
            self.loops -= usize::from(repeats);
        }
    }
    impl<'ast> Visit<'ast> for V {
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.leaves = true;
        }
        fn visit_expr_break(&mut self, b: &'ast syn::ExprBreak) {
            self.jump(b.label.as_ref());
            syn::visit::visit_expr_break(self, b);
        }
        fn visit_expr_continue(&mut self, c: &'ast syn::ExprContinue) {
            self.jump(c.label.as_ref());
        }
        fn visit_expr_loop(&mut self, l: &'ast syn::ExprLoop) {
            self.within(l.label.as_ref(), true, |v| syn::visit::visit_expr_loop(v, l));
        }
        fn visit_expr_while(&mut self, w: &'ast syn::ExprWhile) {
            self.within(w.label.as_ref(), true, |v| syn::visit::visit_expr_while(v, w));
        }
        fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
            self.within(f.label.as_ref(), true, |v| syn::visit::visit_expr_for_loop(v, f));
        }
        fn visit_expr_block(&mut self, b: &'ast syn::ExprBlock) {
            self.within(b.label.as_ref(), false, |v| syn::visit::visit_expr_block(v, b));
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut v = V::default();
    v.visit_expr(e);
    v.leaves
}
