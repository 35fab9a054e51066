//! Makes a program that fails smaller, as long as it fails in the same way and `rustc` accepts it.

use super::check::{self, Failure};
use super::compile::{self, Ran};
use super::generate::Program;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};

/// Seconds that may be spent, where `COTANGENT_RANDOM_PATIENCE` says nothing.
const PATIENCE: u64 = 40;

/// A smaller program, and what is wrong with it.
pub(crate) fn shrink(program: &Program, failure: &Failure) -> String {
    let file: syn::File = match syn::parse_str(&program.source) {
        Ok(file) => file,
        Err(e) => return format!("{e}: {}", program.source),
    };
    // `rustc` is slow: it is asked at the end, and only then at each step
    let (mut best, mut last) = smallest(&file, program, failure, false);
    if !failure.compiled && !compile::accepts(&best.to_token_stream().to_string()) {
        (best, last) = smallest(&file, program, failure, true);
    }
    format!("{}: {}\n{}\nargs: {:?}", last.kind, last.detail, prettyplease::unparse(&best), program.args)
}

fn smallest(file: &syn::File, program: &Program, failure: &Failure, strict: bool) -> (syn::File, Failure) {
    let (mut best, mut last) = (file.clone(), failure.clone());
    let started = std::time::Instant::now();
    let patience = super::number("COTANGENT_RANDOM_PATIENCE").unwrap_or(PATIENCE);
    loop {
        let (mut at, mut helped) = (0, false);
        loop {
            if started.elapsed().as_secs() > patience {
                return (best, last);
            }
            let mut next = best.clone();
            let mut reducer = Reducer { at, seen: 0, done: false };
            reducer.visit_file_mut(&mut next);
            if !reducer.done {
                break;
            }
            match still_fails(&next, program, failure, strict) {
                Some(f) => (best, last, helped) = (next, f, true),
                None => at += 1,
            }
        }
        if !helped {
            return (best, last);
        }
    }
}

fn still_fails(file: &syn::File, program: &Program, failure: &Failure, strict: bool) -> Option<Failure> {
    let program = Program { source: file.to_token_stream().to_string(), args: program.args.clone() };
    let f = if failure.compiled {
        match compile::run_one(&program) {
            Ran::Fails(f) => f,
            Ran::Holds(value, _) => check::disagreement(&program, &value)?,
            Ran::Silent => return None,
        }
    } else {
        check::check(&program).err()?
    };
    let accepted = !strict || failure.compiled || compile::accepts(&program.source);
    (f.class() == failure.class() && accepted).then_some(f)
}

/// Applies the reduction with index `at`, in a fixed order.
struct Reducer {
    at: usize,
    seen: usize,
    done: bool,
}

impl Reducer {
    fn turn(&mut self) -> bool {
        if self.done {
            return false;
        }
        self.seen += 1;
        self.done = self.seen > self.at;
        self.done
    }
}

impl VisitMut for Reducer {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        for k in 0..file.items.len() {
            let main = matches!(&file.items[k], syn::Item::Fn(f) if f.sig.ident == "f");
            if !main && self.turn() {
                file.items.remove(k);
                return;
            }
        }
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        for k in 0..item.items.len() {
            if self.turn() {
                item.items.remove(k);
                return;
            }
        }
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        for k in 0..block.stmts.len() {
            let tail = matches!(&block.stmts[k], syn::Stmt::Expr(_, None)) && k + 1 == block.stmts.len();
            if !tail && self.turn() {
                block.stmts.remove(k);
                return;
            }
        }
        // a nested block in its place
        for k in 0..block.stmts.len() {
            let inner = match &block.stmts[k] {
                syn::Stmt::Expr(e, _) => bodies(e),
                _ => vec![],
            };
            for b in inner {
                if self.turn() {
                    block.stmts.splice(k..=k, b.stmts);
                    return;
                }
            }
        }
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_match_mut(&mut self, m: &mut syn::ExprMatch) {
        for k in 0..m.arms.len().saturating_sub(1) {
            if self.turn() {
                m.arms.remove(k);
                return;
            }
        }
        visit_mut::visit_expr_match_mut(self, m);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        for part in parts(e) {
            if self.turn() {
                *e = part;
                return;
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }
}

/// The blocks of a statement.
fn bodies(e: &syn::Expr) -> Vec<syn::Block> {
    match e {
        syn::Expr::If(i) => {
            let mut all = vec![i.then_branch.clone()];
            if let Some((_, e)) = &i.else_branch {
                all.extend(bodies(e));
            }
            all
        }
        syn::Expr::Block(b) => vec![b.block.clone()],
        syn::Expr::ForLoop(f) => vec![f.body.clone()],
        syn::Expr::While(w) => vec![w.body.clone()],
        syn::Expr::Loop(l) => vec![l.body.clone()],
        syn::Expr::Match(m) => m.arms.iter().flat_map(|a| bodies(&a.body)).collect(),
        _ => vec![],
    }
}

/// What may stand in place of an expression.
fn parts(e: &syn::Expr) -> Vec<syn::Expr> {
    match e {
        syn::Expr::Binary(b) => vec![(*b.left).clone(), (*b.right).clone()],
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Neg(_) | syn::UnOp::Not(_)) => vec![(*u.expr).clone()],
        syn::Expr::Paren(p) => vec![(*p.expr).clone()],
        syn::Expr::MethodCall(m) => std::iter::once((*m.receiver).clone()).chain(m.args.iter().cloned()).collect(),
        syn::Expr::Call(c) => c.args.iter().cloned().collect(),
        syn::Expr::Cast(c) => vec![(*c.expr).clone()],
        syn::Expr::If(i) => {
            let mut all = tail(&i.then_branch);
            if let Some((_, e)) = &i.else_branch {
                all.push((**e).clone());
            }
            all
        }
        syn::Expr::Match(m) => m.arms.iter().map(|a| (*a.body).clone()).collect(),
        syn::Expr::Block(b) => tail(&b.block),
        syn::Expr::Lit(l) if l.to_token_stream().to_string() != "1.0" && matches!(l.lit, syn::Lit::Float(_)) => {
            vec![syn::parse_quote!(1.0)]
        }
        _ => vec![],
    }
}

/// The value of a block that is nothing but a value.
fn tail(b: &syn::Block) -> Vec<syn::Expr> {
    match b.stmts.as_slice() {
        [syn::Stmt::Expr(e, None)] => vec![e.clone()],
        _ => vec![syn::Expr::Block(syn::ExprBlock { attrs: vec![], label: None, block: b.clone() })],
    }
}
