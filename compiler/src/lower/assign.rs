//! Assignments.

use super::control::strip;
use super::env::Binding;
use super::expr::primitive_of;
use super::place::{Place, Root};
use super::{Lowering, Operand, types};
use crate::diag::catalog;
use crate::ir::{Op, Step, Type, Value};
use crate::prims::arith;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Lowering<'_> {
    pub(crate) fn compound(&mut self, b: &syn::ExprBinary) -> Operand {
        let prim = primitive_of(&b.op).expect("compound operators are primitives");
        if behind_call(&b.left) && !self.mentions_active(b.to_token_stream()) {
            // behind a reference that foreign code gives
            self.verbatim_effect(quote::quote!(#b;));
            return Operand::Value(self.unit());
        }
        // Rust evaluates the right side first when both are scalars
        self.reading += 1;
        let (v, _) = self.given_number(&b.right);
        self.reading -= 1;
        self.forgotten_mut(&b.left);
        if let Some(through) = self.assigned_through(&b.left, v) {
            let make = &mut |l: &mut Self, old: Option<Value>| l.operator(prim, &[old.expect("it is read"), v], true);
            self.assign_indexed(through, make, true);
            return Operand::Value(self.unit());
        }
        let place = match self.nested_expr(&b.left) {
            Operand::Place(p) => p,
            _ => {
                return self.not_assignable(&b.left);
            }
        };
        self.span = self.operator_span(b, &[v]);
        let ty = self.place_type(&place);
        if let Some(o) = self.different_numbers(&ty, &self.ty(v), b.op.span()) {
            return o;
        }
        let add = std::ptr::eq(prim, &arith::ADD);
        if add && !place.path.0.is_empty() && ty.is_float() && self.ty(v).is_float() {
            self.change(&place, Op::AddAt, &[v]);
        } else {
            let old = self.read(&place);
            let new = if let Type::NdArray(..) = ty {
                self.map_over(prim, &[old, v], true, None)
            } else {
                self.operator(prim, &[old, v], true)
            };
            self.write(&place, new);
        }
        Operand::Value(self.unit())
    }

    pub(crate) fn assign(&mut self, a: &syn::ExprAssign) -> Operand {
        if behind_call(&a.left) && !self.mentions_active(a.to_token_stream()) {
            self.verbatim_effect(quote::quote!(#a;));
            return Operand::Value(self.unit());
        }
        let declared = match strip(&a.left) {
            syn::Expr::Path(p) => match p.path.get_ident().and_then(|i| self.lookup(&types::plain_name(i))) {
                Some(Binding::Cell(c, _)) => self.env.cells[*c].declared_rust.clone(),
                _ => None,
            },
            _ => None,
        };
        let first = &mut |l: &mut Self| {
            if let Some(ty) = &declared {
                l.expect(&a.right, ty);
            }
            l.expr(&a.right)
        };
        self.then(first, &mut |l, o| {
            if let Operand::Place(p) = &o
                && p.is_ref
            {
                if p.is_mut {
                    return l.refuse(a.left.span(), &catalog::REFERENCE_SET_ANEW, &[]);
                }
                l.set_reference(&a.left);
            }
            let v = l.value(o);
            l.assign_to(&a.left, v);
            Operand::Value(l.unit())
        })
    }

    /// Assigns a value to an expression that names a place, or a tuple of them.
    pub(crate) fn assign_to(&mut self, left: &syn::Expr, v: Value) {
        match strip(left) {
            syn::Expr::Infer(_) => {}
            syn::Expr::Tuple(t) => {
                let parts: Vec<Value> = (0..t.elems.len())
                    .map(|k| self.read(&Place::whole(Root::Value(v)).step(Step::Field(k.to_string()), [])))
                    .collect();
                for (e, v) in t.elems.iter().zip(parts) {
                    self.assign_to(e, v);
                }
            }
            syn::Expr::Array(t) => {
                let parts: Vec<Value> = (0..t.elems.len())
                    .map(|k| {
                        let k = self.b().int(k);
                        self.read(&Place::whole(Root::Value(v)).step(Step::Index, [k]))
                    })
                    .collect();
                for (e, v) in t.elems.iter().zip(parts) {
                    self.assign_to(e, v);
                }
            }
            e if self.shared_cell(e).is_some() => {
                let c = self.shared_cell(e).expect("checked");
                let v = self.referred(v, self.env.cells[c].declared.clone());
                let v = self.filling(c, v);
                self.set_cell(c, v);
            }
            syn::Expr::Path(p)
                if p.path
                    .get_ident()
                    .is_some_and(|i| matches!(self.lookup(&types::plain_name(i)), Some(Binding::Alias(..)))) =>
            {
                self.refuse(left.span(), &catalog::REFERENCE_SET_ANEW, &[]);
            }
            e => {
                self.forgotten_mut(e);
                if let Some(through) = self.assigned_through(e, v) {
                    self.assign_indexed(through, &mut |_, _| v, false);
                    return;
                }
                match self.nested_expr(e) {
                    Operand::Place(p) => self.write(&p, v),
                    _ => {
                        self.not_assignable(left);
                    }
                }
            }
        }
    }
}

impl Lowering<'_> {
    fn not_assignable(&mut self, left: &syn::Expr) -> Operand {
        let known = match strip(left) {
            syn::Expr::Path(p) => p.path.get_ident().and_then(|i| self.lookup(&types::plain_name(i))),
            _ => None,
        };
        if let Some(Binding::Known(_) | Binding::Closure(_) | Binding::Function(_)) = known {
            return self.unsupported(
                left.span(),
                "a variable with a function or an object of a trait in it is set to another, which is not supported",
                "declare a new variable: `let f = if … { … } else { … };`, or keep an index of which it is",
            );
        }
        self.unsupported(
            left.span(),
            "this assigns to something that has no name here",
            "assign to a variable, a field or an element of one; use a `Vec` or an array instead of a map",
        )
    }

    /// A variable that is assigned to by its name, and is no reference, and was declared without `mut`: rustc says so, and
    /// what follows from it is no second error.
    fn forgotten_mut(&mut self, left: &syn::Expr) {
        if let syn::Expr::Path(p) = strip(left)
            && let Some(name) = p.path.get_ident()
            && let Some(&Binding::Cell(c, false)) = self.lookup(&types::plain_name(name))
        {
            self.env.cells[c].mutable = true;
        }
    }
}

/// Whether a place is one that a call gives: `*map.entry(k).or_default()`.
fn behind_call(e: &syn::Expr) -> bool {
    match strip(e) {
        syn::Expr::Unary(u) => behind_call(&u.expr),
        syn::Expr::Field(f) => behind_call(&f.base),
        syn::Expr::Index(i) => behind_call(&i.expr),
        syn::Expr::Call(_) | syn::Expr::MethodCall(_) => true,
        _ => false,
    }
}
