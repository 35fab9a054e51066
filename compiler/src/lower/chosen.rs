//! Mutable references that a branch chooses: `let side = if k < self.k { &mut self.left } else { &mut self.right };`.
//!
//! What such a reference leads to is known in each arm. So what is done with it is done there:
//!
//! ```text
//! let r = if c { &mut a } else { &mut b };      if c { let r = &mut a; *r += 1.0; }
//! *r += 1.0;                               →    else { let r = &mut b; *r += 1.0; }
//! ```

use super::control::strip;
use super::env::Binding;
use super::{Lowering, scan, types};
use quote::ToTokens;
use syn::{Block, Expr, Pat, Stmt, parse_quote};

/// So many choices one after the other, each of which doubles what follows, are followed.
const MOST: usize = 4;

impl Lowering<'_> {
    /// Some statements of which the first chooses a mutable reference, such that none does.
    pub(crate) fn without_choice(&self, first: &Stmt, rest: &[Stmt]) -> Option<Vec<Stmt>> {
        let Stmt::Local(local) = first else { return self.named_choice(first, rest) };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        if rest.is_empty() || !self.chooses(&init.expr) {
            return None;
        }
        let bound = scan::bindings(&local.pat);
        let mentions = |stmt: &Stmt| scan::mentioned(stmt.to_token_stream()).iter().any(|name| bound.contains(name));
        let used = rest.iter().rposition(mentions).map_or(0, |last| last + 1);
        // what is declared in between may be used after it
        let declares = rest[..used].iter().any(|stmt| matches!(stmt, Stmt::Local(_) | Stmt::Item(_)));
        let (moved, after) = rest.split_at(if declares { rest.len() } else { used });
        let again = moved.iter().filter(|stmt| self.is_choice(stmt)).count();
        let seen: Vec<_> = moved.iter().flat_map(|stmt| scan::mentioned(stmt.to_token_stream())).collect();
        if again >= MOST || names_in(&init.expr).iter().any(|name| seen.contains(name)) {
            return None;
        }
        let mut chosen = strip(&init.expr).clone();
        at_ends(&mut chosen, &mut |e| {
            let mut own = local.clone();
            if let Some(init) = &mut own.init {
                *init.expr = e;
            }
            let own = Stmt::Local(own);
            parse_quote!({ #own #(#moved)* })
        });
        let semi = if after.is_empty() { None } else { Some(Default::default()) };
        Some([Stmt::Expr(chosen, semi)].into_iter().chain(after.iter().cloned()).collect())
    }

    /// The same where the reference has no name: it is given one.
    fn named_choice(&self, first: &Stmt, rest: &[Stmt]) -> Option<Vec<Stmt>> {
        let Stmt::Expr(e, semi) = first else { return None };
        let mut named = e.clone();
        let place = chosen_in(&mut named).filter(|e| self.chooses(e))?;
        let chosen = std::mem::replace(place, parse_quote!(__chosen));
        let mut stmts = vec![parse_quote!(let __chosen = #chosen;), Stmt::Expr(named, *semi)];
        stmts.extend_from_slice(rest);
        Some(stmts)
    }

    fn is_choice(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Local(local) => local.init.as_ref().is_some_and(|init| self.chooses(&init.expr)),
            Stmt::Expr(e, _) => chosen_in(&mut e.clone()).is_some_and(|e| self.chooses(e)),
            _ => false,
        }
    }

    /// Whether a branch gives mutable references, which lead to one place or another.
    fn chooses(&self, e: &Expr) -> bool {
        if !matches!(strip(e), Expr::If(_) | Expr::Match(_)) {
            return false;
        }
        let (mut lent, mut all) = (false, true);
        at_ends(&mut strip(e).clone(), &mut |e| {
            let lends = self.lends(&e);
            lent |= lends;
            all &= lends || matches!(strip(&e), Expr::Path(p) if p.path.is_ident("None"));
            e
        });
        lent && all
    }

    /// Whether an expression is a mutable reference, or has one in it.
    pub(crate) fn lends(&self, e: &Expr) -> bool {
        match strip(e) {
            Expr::Reference(r) => r.mutability.is_some(),
            Expr::Tuple(t) => t.elems.iter().any(|e| self.lends(e)),
            Expr::Call(c) => {
                let wraps = matches!(strip(&c.func), Expr::Path(p) if p.path.is_ident("Some") || p.path.is_ident("Ok"));
                wraps && c.args.iter().any(|e| self.lends(e))
            }
            Expr::MethodCall(m) => m.method.to_string().ends_with("_mut"),
            e @ Expr::Path(_) => self.names_lent(e),
            _ => false,
        }
    }

    /// Whether an expression is the name of a mutable reference.
    pub(crate) fn names_lent(&self, e: &Expr) -> bool {
        let Expr::Path(p) = strip(e) else { return false };
        match p.path.get_ident().and_then(|name| self.lookup(&types::plain_name(name))) {
            Some(Binding::Alias(place, is_ref)) => *is_ref && place.is_mut,
            Some(Binding::Cell(cell, is_ref)) => *is_ref && self.lent_parameter(*cell).is_some(),
            _ => false,
        }
    }
}

/// Where a statement has a branch that is evaluated before all else: the receiver of a method, what is matched, what is
/// assigned to.
fn chosen_in(e: &mut Expr) -> Option<&mut Expr> {
    match e {
        Expr::MethodCall(m) => branch(&mut m.receiver),
        Expr::Match(m) => branch(&mut m.expr),
        Expr::If(i) => match &mut *i.cond {
            Expr::Let(l) => branch(&mut l.expr),
            _ => None,
        },
        // what is assigned is evaluated first, but for types with operators of their own
        Expr::Assign(a) if !scan::has_effects(&a.right) => behind(&mut a.left).filter(|e| is_quiet(e)),
        Expr::Binary(b) if scan::is_compound(&b.op) && !scan::has_effects(&b.right) => {
            behind(&mut b.left).filter(|e| is_quiet(e))
        }
        _ => None,
    }
}

/// Whether a branch between places changes nothing where it is evaluated.
fn is_quiet(e: &Expr) -> bool {
    let block = |block: &Block| matches!(&block.stmts[..], [Stmt::Expr(e, None)] if is_quiet(e));
    match strip(e) {
        Expr::If(i) => {
            let other = i.else_branch.as_ref().is_none_or(|(_, e)| is_quiet(e));
            !scan::has_effects(&i.cond) && block(&i.then_branch) && other
        }
        Expr::Match(m) => {
            let arms = m.arms.iter().all(|arm| !scan::has_call(arm.pat.to_token_stream()) && is_quiet(&arm.body));
            !scan::has_effects(&m.expr) && arms
        }
        Expr::Block(b) => block(&b.block),
        Expr::Reference(r) => !scan::has_effects(&r.expr),
        e => !scan::has_effects(e),
    }
}

fn branch(e: &mut Expr) -> Option<&mut Expr> {
    match e {
        Expr::If(_) | Expr::Match(_) => Some(e),
        Expr::Paren(p) => branch(&mut p.expr),
        _ => None,
    }
}

fn behind(e: &mut Expr) -> Option<&mut Expr> {
    match e {
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => branch(&mut u.expr),
        Expr::Paren(p) => behind(&mut p.expr),
        _ => None,
    }
}

/// Replaces what a branch gives in each of its arms; one that leaves stays as it is.
fn at_ends(e: &mut Expr, f: &mut dyn FnMut(Expr) -> Expr) {
    match e {
        Expr::If(i) => {
            at_end(&mut i.then_branch, f);
            if let Some((_, other)) = &mut i.else_branch {
                at_ends(other, f);
            }
        }
        Expr::Match(m) => m.arms.iter_mut().for_each(|arm| at_ends(&mut arm.body, f)),
        Expr::Block(b) if b.label.is_none() => at_end(&mut b.block, f),
        Expr::Paren(p) => at_ends(&mut p.expr, f),
        e if scan::diverges(e) => {}
        e => *e = f(std::mem::replace(e, Expr::PLACEHOLDER)),
    }
}

fn at_end(block: &mut Block, f: &mut dyn FnMut(Expr) -> Expr) {
    if let Some(Stmt::Expr(e, None)) = block.stmts.last_mut() {
        at_ends(e, f);
    }
}

/// The names that a branch binds, in its patterns and in its arms.
fn names_in(e: &Expr) -> Vec<proc_macro2::Ident> {
    struct Names(Vec<proc_macro2::Ident>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_pat(&mut self, pat: &'ast Pat) {
            self.0.extend(scan::bindings(pat));
        }
    }
    let mut names = Names(Vec::new());
    syn::visit::Visit::visit_expr(&mut names, e);
    names.0
}
