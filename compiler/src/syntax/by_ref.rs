//! Patterns that bind by `ref` and `ref mut`, as patterns of a reference.
//!
//! `match x { Some(ref mut v) => …, None => … }` is `match &mut x { Some(v) => …, None => … }`, in which all that is bound
//! leads back to `x`. What another arm binds by value is read there: `let v = *v;`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Arm, Block, Expr, ExprLet, Local, Pat, PatIdent, parse_quote};

/// A body in which no place is matched with such patterns, if one is in this.
pub fn rewritten(block: &Block) -> Option<Block> {
    if !has_ref(block.to_token_stream()) {
        return None;
    }
    let mut block = block.clone();
    Rewrite.visit_block_mut(&mut block);
    Some(block)
}

fn has_ref(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "ref",
        TokenTree::Group(group) => has_ref(group.stream()),
        _ => false,
    })
}

struct Rewrite;

impl VisitMut for Rewrite {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_match_mut(&mut self, m: &mut syn::ExprMatch) {
        visit_mut::visit_expr_match_mut(self, m);
        let bindings: Vec<Bound> = m.arms.iter().map(|arm| bound(&arm.pat)).collect();
        let fits = |(arm, of): (&Arm, &Bound)| of.values.is_empty() || !is_seen_elsewhere(arm);
        let by = bindings.iter().map(|of| of.by).max().unwrap_or(By::Value);
        if is_place(&m.expr) && by > By::Value && m.arms.iter().zip(&bindings).all(fits) {
            lend(&mut m.expr, by);
            for (arm, of) in m.arms.iter_mut().zip(bindings) {
                plain(&mut arm.pat);
                if !of.values.is_empty() {
                    let (names, body) = (&of.values, &arm.body);
                    *arm.body = parse_quote!({ #(let #names = *#names;)* #body });
                }
            }
        }
    }

    fn visit_expr_let_mut(&mut self, l: &mut ExprLet) {
        visit_mut::visit_expr_let_mut(self, l);
        if let Some(by) = alone(&l.pat)
            && is_place(&l.expr)
        {
            plain(&mut l.pat);
            lend(&mut l.expr, by);
        }
    }

    fn visit_local_mut(&mut self, l: &mut Local) {
        visit_mut::visit_local_mut(self, l);
        let destructures = !matches!(l.pat, Pat::Ident(_) | Pat::Type(_));
        if let (Some(init), Some(by), true) = (&mut l.init, alone(&l.pat), destructures)
            && is_place(&init.expr)
        {
            plain(&mut l.pat);
            lend(&mut init.expr, by);
        }
    }
}

/// How names are bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Value,
    Ref,
    RefMut,
}

/// What a pattern binds.
struct Bound {
    /// The most that a name is bound by.
    by: By,
    /// What is bound by value.
    values: Vec<syn::Ident>,
}

fn bound(pat: &Pat) -> Bound {
    struct Find(Bound);
    impl VisitMut for Find {
        fn visit_pat_ident_mut(&mut self, p: &mut PatIdent) {
            // a name in capitals is a constant or a variant
            let constant = p.ident.to_string().starts_with(|c: char| c.is_uppercase());
            match (&p.by_ref, &p.mutability) {
                (Some(_), Some(_)) => self.0.by = By::RefMut,
                (Some(_), None) => self.0.by = self.0.by.max(By::Ref),
                (None, _) if constant => {}
                (None, _) => self.0.values.push(p.ident.clone()),
            }
            visit_mut::visit_pat_ident_mut(self, p);
        }
    }
    let mut find = Find(Bound { by: By::Value, values: vec![] });
    find.visit_pat_mut(&mut pat.clone());
    find.0
}

/// By what a pattern binds that binds nothing by value.
fn alone(pat: &Pat) -> Option<By> {
    let of = bound(pat);
    (of.by > By::Value && of.values.is_empty()).then_some(of.by)
}

/// Whether what an arm binds by value is seen before its body, or may be changed there.
fn is_seen_elsewhere(arm: &Arm) -> bool {
    struct Find(bool);
    impl VisitMut for Find {
        fn visit_pat_guard_mut(&mut self, _: &mut syn::PatGuard) {
            self.0 = true;
        }
        fn visit_pat_ident_mut(&mut self, p: &mut PatIdent) {
            self.0 |= p.by_ref.is_none() && p.mutability.is_some();
            visit_mut::visit_pat_ident_mut(self, p);
        }
    }
    let mut find = Find(false);
    find.visit_pat_mut(&mut arm.pat.clone());
    find.0
}

fn is_place(e: &Expr) -> bool {
    match e {
        Expr::Path(_) => true,
        Expr::Field(f) => is_place(&f.base),
        Expr::Index(i) => is_place(&i.expr),
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)) && is_place(&u.expr),
        Expr::Paren(p) => is_place(&p.expr),
        _ => false,
    }
}

fn lend(e: &mut Expr, by: By) {
    let place = &*e;
    *e = if by == By::RefMut { parse_quote!(&mut #place) } else { parse_quote!(&#place) };
}

fn plain(pat: &mut Pat) {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_pat_ident_mut(&mut self, p: &mut PatIdent) {
            if p.by_ref.take().is_some() {
                p.mutability = None;
            }
            visit_mut::visit_pat_ident_mut(self, p);
        }
    }
    Plain.visit_pat_mut(pat);
}
