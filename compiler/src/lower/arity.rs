//! How many arguments functions take that are named and not called: what else the code around shows of them.
//!
//! A function that is handed to another becomes a closure with as many parameters. Its definition is elsewhere; but it may be
//! called in the same function, or be a value of a type that is written: `let g: fn(f64, f64) -> f64 = step;`.

use super::control::strip;
use super::env::Binding;
use super::{Lowering, scan, types};
use crate::ir::Callee;
use crate::syntax::signature::{By, Siblings, bare};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};

/// The number of arguments of each function of which it shows, by its path.
#[derive(Default)]
pub(super) struct Arities {
    of: BTreeMap<String, usize>,
    /// Variables that are functions by their names.
    names: Vec<(String, String)>,
}

impl Arities {
    /// What a body shows.
    pub(super) fn of(body: &syn::Block) -> Self {
        let mut arities = Arities::default();
        arities.visit_block(body);
        for (name, path) in std::mem::take(&mut arities.names) {
            if let Some(&count) = arities.of.get(&name) {
                arities.of.entry(path).or_insert(count);
            }
        }
        arities
    }

    fn note(&mut self, path: &syn::Path, count: usize) {
        self.of.insert(scan::path(path), count);
    }

    /// Everything in an expression that may be its value, or a part of that, is a function of so many arguments.
    fn all(&mut self, e: &syn::Expr, count: usize) {
        match strip(e) {
            syn::Expr::Path(p) => self.note(&p.path, count),
            syn::Expr::Reference(r) => self.all(&r.expr, count),
            syn::Expr::Array(a) => a.elems.iter().for_each(|e| self.all(e, count)),
            syn::Expr::Block(b) => self.end(&b.block, count),
            syn::Expr::If(i) => {
                self.end(&i.then_branch, count);
                if let Some((_, e)) = &i.else_branch {
                    self.all(e, count);
                }
            }
            syn::Expr::Match(m) => m.arms.iter().for_each(|arm| self.all(&arm.body, count)),
            syn::Expr::Macro(m) if m.mac.path.is_ident("vec") => {
                let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
                if let Ok(elems) = m.mac.parse_body_with(parse) {
                    elems.iter().for_each(|e| self.all(e, count));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, block: &syn::Block, count: usize) {
        if let Some(syn::Stmt::Expr(e, None)) = block.stmts.last() {
            self.all(e, count);
        }
    }
}

/// How many arguments the functions take that a type is, or holds.
fn written(ty: &syn::Type) -> Option<usize> {
    struct Found(Option<usize>);
    impl<'ast> Visit<'ast> for Found {
        fn visit_type_fn_ptr(&mut self, ty: &'ast syn::TypeFnPtr) {
            self.0.get_or_insert(ty.inputs.len());
        }

        fn visit_parenthesized_generic_arguments(&mut self, of: &'ast syn::ParenthesizedGenericArguments) {
            self.0.get_or_insert(of.inputs.len());
        }
    }
    let mut found = Found(None);
    found.visit_type(ty);
    found.0.filter(|_| !matches!(ty, syn::Type::Tuple(_)))
}

impl<'ast> Visit<'ast> for Arities {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(p) = strip(&call.func) {
            self.note(&p.path, call.args.len());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (syn::Pat::Type(of), Some(init)) = (&local.pat, &local.init)
            && let Some(count) = written(&of.ty)
        {
            self.all(&init.expr, count);
        }
        if let (syn::Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && let syn::Expr::Path(p) = strip(&init.expr)
        {
            self.names.push((bare(&name.ident), scan::path(&p.path)));
        }
        visit::visit_local(self, local);
    }

    fn visit_item_fn(&mut self, of: &'ast syn::ItemFn) {
        self.of.insert(bare(&of.sig.ident), of.sig.inputs.len());
    }
}

impl Lowering<'_> {
    /// How many arguments a function takes by what shows of it; one if nothing does.
    pub(crate) fn arity(&self, path: &syn::Path) -> usize {
        let name = scan::path(path);
        let beside = self.sig.siblings.taken(&name).map(<[bool]>::len);
        let itself = path.is_ident(&self.sig.name).then_some(self.sig.params.len());
        let shown = self.arities.of.get(&name).copied();
        shown.or(beside).or(itself).unwrap_or(1)
    }

    /// Which arguments a function changes that is named by its path, if its signature is in sight.
    pub(crate) fn taken_by(&self, path: &syn::ExprPath) -> Option<Vec<bool>> {
        if self.is_itself(&Callee::Path(path.clone())) {
            return Some(self.sig.params.iter().map(|p| p.by == By::RefMut).collect());
        }
        let hidden = path.path.get_ident().is_some_and(|ident| self.lookup(&types::plain_name(ident)).is_some());
        if hidden { None } else { self.sig.siblings.taken(&scan::path(&path.path)).map(<[bool]>::to_vec) }
    }

    /// The same, the receiver first, of a method that is called on `self`, or on a variable whose type is written.
    pub(crate) fn taken_of(&self, receiver: &syn::Expr, method: &syn::Ident) -> Option<Vec<bool>> {
        let syn::Expr::Path(path) = strip(receiver) else { return None };
        let name = path.path.get_ident()?;
        let function = if name == "self" {
            Siblings::of_self(method)
        } else {
            let Some(Binding::Cell(cell, _)) = self.lookup(&types::plain_name(name)) else { return None };
            let data = &self.env.cells[*cell];
            let param = self.lent_parameter(*cell).or_else(|| data.value.and_then(|v| self.parameter(v)));
            let written = param.map(|param| &param.ty).or(data.declared_rust.as_ref());
            Siblings::of_type_named(written?, method)?
        };
        self.sig.siblings.taken(&function).map(<[bool]>::to_vec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_or_typed_shows_how_many_arguments_it_takes() {
        let body = syn::parse_quote!({
            fn inner(a: f64, b: f64, c: f64) -> f64 {
                a + b + c
            }
            let g: fn(f64, f64) -> f64 = if c { step } else { m::mix };
            let h = named;
            let all: [&dyn Fn(f64, f64) -> f64; 1] = [&other];
            h(x, x, x, x) + called(x, called(x, x))
        });
        let of = Arities::of(&body).of;
        let expected = [("inner", 3), ("step", 2), ("m::mix", 2), ("named", 4), ("other", 2), ("called", 2)];
        for (path, count) in expected {
            assert_eq!(of.get(path), Some(&count), "{path}");
        }
        assert_eq!(of.get("unknown"), None);
    }
}
