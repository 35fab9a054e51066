//! Branches in statements, one arm of which shows that their value is `()`: then the calls at the ends of all arms are statements.
//!
//! The macro does not see what a call gives; `match x { Some(n) => n.insert(v), None => x = new(v) }` shows it.

use super::control::strip;
use syn::{Block, Expr, Stmt};

/// Whether a branch has an arm whose value is `()` by its form.
pub(super) fn shows(e: &Expr) -> bool {
    match strip(e) {
        Expr::If(i) => match &i.else_branch {
            None => true,
            Some((_, other)) => of_block(&i.then_branch) || is_unit(other),
        },
        Expr::Match(m) => m.arms.iter().any(|arm| is_unit(&arm.body)),
        _ => false,
    }
}

/// The branch with a statement at the end of each arm.
pub(super) fn as_statements(e: &Expr) -> Expr {
    let mut e = e.clone();
    end(&mut e);
    e
}

fn is_unit(e: &Expr) -> bool {
    match strip(e) {
        Expr::Assign(_) | Expr::While(_) | Expr::ForLoop(_) => true,
        Expr::Binary(b) => super::scan::is_compound(&b.op),
        Expr::Tuple(t) => t.elems.is_empty(),
        Expr::Block(b) if b.label.is_none() => of_block(&b.block),
        e => shows(e),
    }
}

fn of_block(block: &Block) -> bool {
    match block.stmts.last() {
        None => true,
        Some(Stmt::Expr(e, None)) => is_unit(e),
        // one that leaves has any type
        Some(Stmt::Expr(e, Some(_))) => {
            !super::scan::diverges(e) && !matches!(strip(e), Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
        }
        Some(Stmt::Local(_) | Stmt::Item(_)) => true,
        Some(Stmt::Macro(_)) => false,
    }
}

fn end(e: &mut Expr) {
    match e {
        Expr::Paren(p) => end(&mut p.expr),
        Expr::Group(g) => end(&mut g.expr),
        Expr::If(i) => {
            end_block(&mut i.then_branch);
            if let Some((_, other)) = &mut i.else_branch {
                end(other);
            }
        }
        Expr::Match(m) => m.arms.iter_mut().for_each(|arm| end(&mut arm.body)),
        Expr::Block(b) if b.label.is_none() => end_block(&mut b.block),
        Expr::Call(_) | Expr::MethodCall(_) => {
            let call = e.clone();
            *e = syn::parse_quote!({ #call; });
        }
        _ => {}
    }
}

fn end_block(block: &mut Block) {
    if let Some(Stmt::Expr(e, semi @ None)) = block.stmts.last_mut() {
        match strip(e) {
            Expr::Call(_) | Expr::MethodCall(_) => *semi = Some(Default::default()),
            _ => end(e),
        }
    }
}
