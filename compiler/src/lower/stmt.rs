//! Statements and blocks.

use super::control::{Tail, strip};
use super::option::is_option_pattern;
use super::outcome;
use super::scan;
use super::{Lowering, Operand, types, units};
use crate::ir::{Type, Value};
use quote::ToTokens;
use syn::spanned::Spanned;

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    /// It is used here.
    Used,
    /// It is that of a statement, or of the end of a block that is one.
    Unused,
    /// A closure gives it that is handed over: it may be `()`.
    Given,
}

impl<'a> Lowering<'a> {
    /// A block with a scope of its own.
    pub(crate) fn block(&mut self, block: &syn::Block, tail: Tail) -> Operand {
        self.env.push_scope();
        for stmt in &block.stmts {
            if let syn::Stmt::Item(item) = stmt {
                self.item(item);
            }
        }
        let r = self.stmts(&block.stmts, tail);
        self.env.pop_scope();
        r
    }

    /// The statements of a block, in order. `tail`: what follows the last one.
    pub(crate) fn stmts(&mut self, stmts: &[syn::Stmt], tail: Tail) -> Operand {
        let Some((first, rest)) = stmts.split_first() else {
            return Operand::Value(self.unit());
        };
        self.span = first.span();
        if let Some(mut stmts) = self.without_tries(first) {
            stmts.extend_from_slice(rest);
            return self.stmts(&stmts, tail);
        }
        if let Some(stmts) = self.without_choice(first, rest) {
            return self.stmts(&stmts, tail);
        }
        let before = self.flag_values();
        let done = match first {
            syn::Stmt::Item(_) => Operand::Value(self.unit()),
            syn::Stmt::Local(local) => {
                if let Some(init) = &local.init
                    && init.diverge.is_none()
                    && !rest.is_empty()
                    && scan::one_falls_through(&init.expr)
                {
                    return self.absorb(&init.expr, tail, &mut |l, o| {
                        l.bind_local(local, o);
                        l.stmts(rest, tail)
                    });
                }
                if let Some(init) = &local.init
                    && let Some((_, else_)) = &init.diverge
                {
                    // `let … else`: what follows stands in the arm of the match
                    let mut first = |l: &mut Self| match &local.pat {
                        pat if is_option_pattern(pat) => l.option_by(&init.expr, Self::expr),
                        pat if outcome::is_pattern(pat) => l.outcome_by(&init.expr, Self::used_expr),
                        _ => l.used_expr(&init.expr),
                    };
                    return self.then(&mut first, &mut |l, o| {
                        l.branch_on_pattern(
                            o,
                            &local.pat,
                            None,
                            &mut |l: &mut Self| l.stmts(rest, tail),
                            &mut |l: &mut Self| l.tail_expr(else_, tail),
                        )
                    });
                }
                if let Some(init) = &local.init {
                    let first = &mut |l: &mut Self| match strip(&init.expr) {
                        syn::Expr::Closure(c) => l.closure(c),
                        e => {
                            if let syn::Pat::Type(t) = &local.pat {
                                if !l.keeps_objects(&t.pat, e)
                                    && let Some(e) = super::objects::marked(e, &t.ty)
                                {
                                    let mut o = l.used_expr(&e);
                                    if !super::objects::may_change(t) {
                                        l.settle_objects(&mut o);
                                    }
                                    return o;
                                }
                                if let Some(v) = l.object(e, &t.ty) {
                                    return Operand::Value(v);
                                }
                                l.expect(e, &t.ty);
                                if outcome::of_type(&t.ty).is_some() {
                                    return l.outcome_by(e, Self::used_expr);
                                }
                            } else {
                                l.expect_by_usage(&local.pat, e);
                            }
                            if let Some(parts) = l.side_by_side(&local.pat, e) {
                                return parts;
                            }
                            l.used_expr(e)
                        }
                    };
                    return self.then(first, &mut |l, o| {
                        l.bind_local(local, o);
                        l.stmts(rest, tail)
                    });
                }
                self.declare(&local.pat);
                Operand::Value(self.unit())
            }
            syn::Stmt::Expr(e, semi) => {
                if rest.is_empty() {
                    if semi.is_some() || self.gives_unit(tail) {
                        match strip(e) {
                            syn::Expr::Call(c) => {
                                let o = self.call(c, true);
                                return if matches!(o, Operand::Never) { o } else { Operand::Value(self.unit()) };
                            }
                            syn::Expr::MethodCall(m) => {
                                let o = self.method(m, true);
                                return if matches!(o, Operand::Never) { o } else { Operand::Value(self.unit()) };
                            }
                            _ => {}
                        }
                    }
                    let o = match semi {
                        Some(_) if units::shows(e) => self.tail_expr(&units::as_statements(e), tail),
                        _ => self.tail_expr(e, tail),
                    };
                    return match (o, semi) {
                        (Operand::Never, _) => Operand::Never,
                        (_, Some(_)) if !self.leaves(e) => Operand::Value(self.unit()),
                        (o, _) => o,
                    };
                }
                if scan::one_falls_through(e) {
                    return self.absorb(e, tail, &mut |l, _| l.stmts(rest, tail));
                }
                self.statement_expr(e)
            }
            syn::Stmt::Macro(m) => {
                let o = self.macro_(&m.mac, m.semi_token.is_some());
                if rest.is_empty() && m.semi_token.is_none() {
                    return o;
                }
                o
            }
        };
        if matches!(done, Operand::Never) {
            return Operand::Never;
        }
        match self.exits_since(&before) {
            None if rest.is_empty() => Operand::Value(self.unit()),
            None => self.stmts(rest, tail),
            Some(_) if rest.is_empty() => Operand::Value(self.unit()),
            Some(left) => self.if_value(left, &mut |_| Operand::Never, &mut |l: &mut Self| l.stmts(rest, tail)),
        }
    }

    /// Whether the value of what `tail` ends is `()`.
    fn gives_unit(&self, tail: Tail) -> bool {
        let Tail::Of(t) = tail else { return false };
        match self.targets[t].kind {
            super::TargetKind::Loop(_) => true,
            super::TargetKind::Function => {
                t == 0 && matches!(self.sig.result, crate::syntax::signature::ResultKind::Unit)
            }
            super::TargetKind::Block(_) => false,
        }
    }

    /// Whether an expression statement at the end of a block is an exit whose value is the block's.
    fn leaves(&self, e: &syn::Expr) -> bool {
        matches!(strip(e), syn::Expr::Return(_) | syn::Expr::Break(_)) || scan::diverges(e)
    }

    /// An expression whose value is used.
    fn used_expr(&mut self, e: &syn::Expr) -> Operand {
        let outer = std::mem::replace(&mut self.fate, Fate::Used);
        let o = self.expr(e);
        self.fate = outer;
        o
    }

    pub(crate) fn statement_expr(&mut self, e: &syn::Expr) -> Operand {
        match strip(e) {
            // the value of a call that stands alone is `()`: what it changes is behind `&mut`
            syn::Expr::Call(c) => self.call(c, true),
            syn::Expr::MethodCall(m) => self.method(m, true),
            e => {
                let outer = std::mem::replace(&mut self.fate, Fate::Unused);
                let o = if units::shows(e) { self.expr(&units::as_statements(e)) } else { self.expr(e) };
                self.fate = outer;
                o
            }
        }
    }

    /// An expression with nothing after it in the target that `tail` names.
    pub(crate) fn tail_expr(&mut self, e: &syn::Expr, tail: Tail) -> Operand {
        if let Some(stmts) = self.without_tries(&syn::Stmt::Expr(e.clone(), None)) {
            return self.stmts(&stmts, tail);
        }
        match strip(e) {
            syn::Expr::If(i) => {
                let else_ = i.else_branch.as_ref().map(|(_, e)| &**e);
                self.branch(&i.cond, &mut |l: &mut Self| l.block(&i.then_branch, tail), &mut |l: &mut Self| match else_
                {
                    Some(e) => l.tail_expr(e, tail),
                    None => Operand::Value(l.unit()),
                })
            }
            syn::Expr::Match(m) => self.match_(m, &mut |l, arm| l.arm_body(arm, tail)),
            syn::Expr::Block(b) if b.label.is_none() => self.block(&b.block, tail),
            syn::Expr::Return(r) => {
                let t = self.return_target();
                self.exit(t, false, r.expr.as_deref(), r.span(), tail)
            }
            syn::Expr::Break(b) => match self.target(b.label.as_ref(), false) {
                Some(t) => self.exit(t, false, b.expr.as_deref(), b.span(), tail),
                None => Operand::Never,
            },
            syn::Expr::Continue(c) => match self.target(c.label.as_ref(), true) {
                Some(t) => self.exit(t, true, None, c.span(), tail),
                None => Operand::Never,
            },
            e @ (syn::Expr::Call(_) | syn::Expr::MethodCall(_)) if self.gives_unit(tail) => {
                let o = self.statement_expr(e);
                if matches!(o, Operand::Never) { o } else { Operand::Value(self.unit()) }
            }
            e => {
                if let Tail::Of(t) = tail
                    && let Some(cell) = self.targets[t].value
                    && let Some(ty) = self.env.cells[cell].declared_rust.clone()
                {
                    self.expect(e, &ty);
                }
                let o = self.result_expr(e, tail);
                match tail {
                    Tail::Of(t) => {
                        let o = self.result_outcome(t, o);
                        self.declare_result(t, &o);
                        o
                    }
                    Tail::No => o,
                }
            }
        }
    }

    /// An expression whose value is that of what `tail` ends.
    fn result_expr(&mut self, e: &syn::Expr, tail: Tail) -> Operand {
        let Tail::Of(target) = tail else { return self.expr(e) };
        if self.leaves_outcome(target) { self.outcome_by(e, Self::expr) } else { self.expr(e) }
    }

    /// Remembers the type that is written for the value of an expression.
    pub(crate) fn expect(&mut self, e: &syn::Expr, ty: &syn::Type) {
        let at = match strip(e) {
            syn::Expr::MethodCall(m) => std::ptr::from_ref(m) as usize,
            syn::Expr::Call(c) => std::ptr::from_ref(c) as usize,
            _ => return,
        };
        self.expected = Some((at, ty.clone()));
    }

    /// The type that is written for what a call gives.
    pub(crate) fn expected_of<T>(&self, call: &T) -> Option<syn::Type> {
        let (at, ty) = self.expected.as_ref()?;
        (*at == std::ptr::from_ref(call) as usize).then(|| ty.clone())
    }

    /// A value without a derivative whose type, as it is written, says which trait its objects are of: only there they
    /// become such.
    fn object(&mut self, e: &syn::Expr, ty: &syn::Type) -> Option<Value> {
        let tokens = e.to_token_stream();
        let made = matches!(
            strip(e),
            syn::Expr::Call(_) | syn::Expr::MethodCall(_) | syn::Expr::Array(_) | syn::Expr::Macro(_)
        );
        if !made || !scan::has_object(ty) || scan::leaves(tokens.clone()) {
            return None;
        }
        if self.mentions_active(tokens.clone()) || self.mentions_function(tokens.clone()) {
            return None;
        }
        Some(self.verbatim_value(tokens, types::of_rust(ty)))
    }

    /// What a target is left with is of the type that is declared for it.
    pub(crate) fn declare_result(&mut self, target: usize, o: &Operand) {
        let v = match o {
            Operand::Value(v) => *v,
            Operand::Place(p) if p.path.0.is_empty() => self.root_value(p),
            _ => return,
        };
        if let Some(cell) = self.targets[target].value
            && let Some(declared) = self.env.cells[cell].declared_rust.clone()
            && let ty @ (Type::Float(_) | Type::Vec(_) | Type::Tuple(_) | Type::Option(_)) = types::of_rust(&declared)
            && *self.func.ty(v) == Type::Dyn
        {
            self.annotate(v, &ty);
        }
    }

    pub(crate) fn arm_body(&mut self, arm: &syn::Arm, tail: Tail) -> Operand {
        self.tail_expr(&arm.body, tail)
    }

    /// What `after` makes of what `first` gives, where `first` does not leave.
    pub(crate) fn then(
        &mut self,
        first: &mut dyn FnMut(&mut Lowering<'a>) -> Operand,
        after: &mut dyn FnMut(&mut Lowering<'a>, Operand) -> Operand,
    ) -> Operand {
        let before = self.flag_values();
        let o = first(self);
        if matches!(o, Operand::Never) {
            return Operand::Never;
        }
        match self.exits_since(&before) {
            None => after(self, o),
            Some(left) => {
                let o = self.settle(o);
                self.if_value(left, &mut |_| Operand::Never, &mut |l: &mut Lowering<'a>| after(l, o.clone()))
            }
        }
    }

    /// A branch of which one arm falls through: what follows is lowered inside that arm.
    fn absorb(
        &mut self,
        e: &syn::Expr,
        tail: Tail,
        after: &mut dyn FnMut(&mut Lowering<'a>, Operand) -> Operand,
    ) -> Operand {
        // the arm that falls through may still leave in its middle
        let mut through =
            |l: &mut Lowering<'a>, lower: &mut dyn FnMut(&mut Lowering<'a>) -> Operand| l.then(lower, after);
        match strip(e) {
            syn::Expr::If(i) => {
                let else_ = i.else_branch.as_ref().map(|(_, e)| &**e);
                if scan::block_diverges(&i.then_branch) {
                    self.branch(&i.cond, &mut |l: &mut Self| l.block(&i.then_branch, tail), &mut |l: &mut Self| {
                        through(l, &mut |l| match else_ {
                            Some(e) => l.expr(e),
                            None => Operand::Value(l.unit()),
                        })
                    })
                } else {
                    self.branch(
                        &i.cond,
                        &mut |l: &mut Self| through(l, &mut |l| l.block(&i.then_branch, Tail::No)),
                        &mut |l: &mut Self| match else_ {
                            Some(e) => l.tail_expr(e, tail),
                            None => Operand::Value(l.unit()),
                        },
                    )
                }
            }
            syn::Expr::Match(m) => self.match_(m, &mut |l, arm| {
                if scan::diverges(&arm.body) { l.arm_body(arm, tail) } else { through(l, &mut |l| l.expr(&arm.body)) }
            }),
            _ => unreachable!("only branches fall through"),
        }
    }

    fn bind_local(&mut self, local: &syn::Local, o: Operand) {
        let is_ref = matches!(&o, Operand::Place(p) if p.is_ref);
        self.bind_pattern(&local.pat, o, is_ref);
    }
}
