//! Closures that are called where they are defined: their bodies are lowered at each call.

use super::env::{Binding, Scope};
use super::place::Root;
use super::stmt::Fate;
use super::{Lowering, Operand, TargetKind, scan, types};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;

/// A closure: its syntax and the names that it sees.
#[derive(Clone)]
pub(crate) struct Closure {
    pub(crate) expr: syn::ExprClosure,
    pub(crate) scopes: Vec<Scope>,
    /// The cells that its body may change.
    pub(crate) cells: BTreeSet<usize>,
    /// Whether it is a reference to the closure.
    pub(crate) lent: bool,
}

impl<'a> Lowering<'a> {
    /// Remembers a closure. One that moves gets copies of what it captures.
    pub(crate) fn closure(&mut self, c: &syn::ExprClosure) -> Operand {
        let mentions = scan::mentioned(c.body.to_token_stream());
        let mut scopes = self.env.scopes.clone();
        let mut cells = BTreeSet::new();
        let mut copies = Scope::new();
        for m in &mentions {
            let name = types::plain_name(m);
            match self.lookup(&name).cloned() {
                Some(Binding::Cell(cell, is_ref)) => {
                    let copied = c.capture.is_some() && !is_ref;
                    let cell = if copied { self.copy_cell(cell) } else { cell };
                    if copied {
                        copies.insert(name, Binding::Cell(cell, is_ref));
                    }
                    cells.insert(cell);
                }
                Some(Binding::Alias(p, _)) => {
                    if let Root::Cell(cell) = p.root {
                        cells.insert(cell);
                    }
                }
                Some(Binding::Closure(k)) => {
                    let own = if c.capture.is_some() { self.copied_closure(k) } else { k };
                    if own != k {
                        copies.insert(name, Binding::Closure(own));
                    }
                    cells.extend(self.closures[own].cells.iter().copied());
                }
                Some(Binding::Iter(it)) => cells.extend(self.iter_cells(&it)),
                Some(Binding::Known(o)) => cells.extend(self.function_cells(&o)),
                _ => {}
            }
        }
        scopes.push(copies);
        self.closures.push(Closure { expr: c.clone(), scopes, cells, lent: false });
        Operand::Closure(self.closures.len() - 1)
    }

    /// A closure under another name: one that has moved what it changes has a state of its own.
    pub(crate) fn copied_closure(&mut self, k: usize) -> usize {
        if !self.owns_state(k) || self.closures[k].lent {
            return k;
        }
        let mut copy = self.closures[k].clone();
        let captured = copy.scopes.last_mut().expect("a closure with state has captured something");
        for binding in captured.values_mut() {
            match binding {
                Binding::Cell(cell, _) => {
                    copy.cells.remove(cell);
                    *cell = self.copy_cell(*cell);
                    copy.cells.insert(*cell);
                }
                Binding::Closure(inner) => {
                    *inner = self.copied_closure(*inner);
                    copy.cells.extend(&self.closures[*inner].cells);
                }
                _ => {}
            }
        }
        self.closures.push(copy);
        self.closures.len() - 1
    }

    /// A reference to a closure, of which another name is a reference to the same.
    pub(crate) fn lent_closure(&mut self, k: usize) -> usize {
        if !self.owns_state(k) {
            return k;
        }
        let lent = Closure { lent: true, ..self.closures[k].clone() };
        self.closures.push(lent);
        self.closures.len() - 1
    }

    /// Whether a closure has moved something that it may change.
    fn owns_state(&self, k: usize) -> bool {
        let closure = &self.closures[k];
        let captured = closure.scopes.last().filter(|_| closure.expr.capture.is_some());
        captured.is_some_and(|captured| {
            captured.values().any(|binding| match binding {
                Binding::Cell(cell, _) => self.env.cells[*cell].mutable,
                Binding::Closure(inner) => self.owns_state(*inner),
                _ => false,
            })
        })
    }

    /// A function beside this one, whose body is in sight, if the path is one of it.
    pub(crate) fn sibling(&self, path: &syn::Path) -> Option<syn::ExprClosure> {
        let hidden = path.get_ident().is_some_and(|ident| self.lookup(&types::plain_name(ident)).is_some());
        if hidden { None } else { self.sig.siblings.get(path).cloned() }
    }

    /// Remembers a function beside this one: it sees nothing of what is around the call.
    pub(crate) fn known_closure(&mut self, expr: syn::ExprClosure) -> Operand {
        self.closures.push(Closure { expr, scopes: Vec::new(), cells: BTreeSet::new(), lent: false });
        Operand::Closure(self.closures.len() - 1)
    }

    fn copy_cell(&mut self, cell: usize) -> usize {
        let mut data = self.env.cells[cell].clone();
        self.declarations += 1;
        data.key = self.declarations;
        if data.value.is_some_and(|v| self.is_active(v)) {
            self.active_cells.insert(data.key);
        }
        self.env.cells.push(data);
        self.env.cells.len() - 1
    }

    /// Whether all of a closure is a call.
    pub(crate) fn is_call(&self, k: usize) -> bool {
        matches!(super::control::strip(&self.closures[k].expr.body), syn::Expr::Call(_) | syn::Expr::MethodCall(_))
    }

    /// Runs `f` on the body of a closure with its names in scope and its parameters bound.
    pub(crate) fn with_closure(
        &mut self,
        k: usize,
        args: Vec<Operand>,
        f: &mut dyn FnMut(&mut Lowering<'a>, &syn::Expr) -> Operand,
    ) -> Operand {
        let expr = self.closures[k].expr.clone();
        if expr.inputs.len() != args.len() {
            let span = self.span;
            return self.unsupported(span, "the number of arguments differs", "pass one argument for each parameter");
        }
        let scopes = std::mem::replace(&mut self.env.scopes, self.closures[k].scopes.clone());
        self.env.push_scope();
        for (pat, arg) in expr.inputs.iter().zip(args) {
            let is_ref = matches!(&arg, Operand::Place(p) if p.is_ref);
            self.bind_pattern(pat, arg, is_ref);
        }
        let o = f(self, &expr.body);
        self.env.scopes = scopes;
        o
    }

    /// Calls a closure: its body stands here, with its parameters bound to the arguments.
    pub(crate) fn call_closure(&mut self, k: usize, args: Vec<Operand>, span: proc_macro2::Span) -> Operand {
        if self.calls >= 64 {
            return self.unsupported(span, "closures call each other too deeply here", "write it as a function");
        }
        let expr = self.closures[k].expr.clone();
        if expr.inputs.len() != args.len() {
            return self.unsupported(span, "the number of arguments differs", "pass one argument for each parameter");
        }
        self.calls += 1;
        let scopes = std::mem::replace(&mut self.env.scopes, self.closures[k].scopes.clone());
        self.env.push_scope();
        for (pat, arg) in expr.inputs.iter().zip(args) {
            let is_ref = matches!(&arg, Operand::Place(p) if p.is_ref);
            self.bind_pattern(pat, arg, is_ref);
        }
        let ty = match &expr.output {
            syn::ReturnType::Type(_, ty) => Some(&**ty),
            syn::ReturnType::Default => None,
        };
        let nested = std::mem::replace(&mut self.nested, 0);
        let fate = self.fate;
        if nested > 0 {
            self.fate = Fate::Used;
        }
        let o = self.scope(TargetKind::Function, ty, |l, tail| l.tail_expr(&expr.body, tail));
        // what it gives is read before its names go out of scope
        let o = match o {
            Operand::Place(p) if !p.is_ref => Operand::Value(self.read(&p)),
            o => o,
        };
        (self.nested, self.fate) = (nested, fate);
        self.env.scopes = scopes;
        self.calls -= 1;
        let _ = expr.span();
        o
    }
}
