//! Assignments to several variables at once: at the end of a loop body or an arm.

use super::expr::{Expr, operator};
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId, is_copy};
use crate::ir::{Type, Value};
use proc_macro2::Span;
use quote::quote;

struct Assignment {
    target: PlaceId,
    value: Expr,
    ty: Type,
}

impl Emitter<'_> {
    /// Assigns values, the current node's operands, to variables, as if at once.
    pub(in crate::emit) fn assign(&mut self, targets: &[(PlaceId, Value)]) -> Result<()> {
        let mut todo = Vec::new();
        for &(target, v) in targets {
            if matches!(self.reprs.get(v), Some(&Repr::Place(p)) if p == target) {
                continue;
            }
            let ty = self.func.ty(v).clone();
            let value = if self.places[target].hold == Hold::Mut && matches!(ty, Type::Slice(_) | Type::Vec(_)) {
                let mut e = self.by_ref(v)?;
                e.compound = None;
                e
            } else {
                self.take_into(v, target)?
            };
            self.places[target].mutated = true;
            todo.push(Assignment { target, value, ty });
        }
        for a in &todo {
            self.flush_reading(a.target);
        }
        while !todo.is_empty() {
            // one that no other still reads
            let ready = (0..todo.len()).find(|&i| {
                let target = todo[i].target;
                todo.iter().enumerate().all(|(j, other)| i == j || !other.value.reads.contains(&target))
            });
            match ready {
                Some(i) => {
                    let a = todo.remove(i);
                    self.assign_one(&a);
                }
                None if todo.iter().all(|a| self.places[a.target].hold == Hold::Owned) => {
                    let targets: Vec<_> = todo.iter().map(|a| self.target(a.target)).collect();
                    let values: Vec<_> = todo.iter().map(|a| a.value.tokens.clone()).collect();
                    self.push(quote!((#(#targets),*) = (#(#values),*);));
                    todo.clear();
                }
                None => {
                    for a in &mut todo {
                        let tokens = match (&a.ty, self.places[a.target].hold) {
                            (Type::Slice(_) | Type::Vec(_), Hold::Mut) => {
                                let root = a.value.root();
                                quote!(#root.to_vec())
                            }
                            _ => a.value.tokens.clone(),
                        };
                        let held = self.temporary(tokens);
                        a.value = match (&a.ty, self.places[a.target].hold) {
                            (Type::Slice(_) | Type::Vec(_), Hold::Mut) => {
                                let tokens = &held.tokens;
                                Expr::atom(quote!(&#tokens))
                            }
                            _ => held,
                        };
                    }
                }
            }
        }
        Ok(())
    }

    /// A value that a variable is about to get: what is sliced from elsewhere becomes a vector of its own.
    fn take_into(&mut self, v: Value, target: PlaceId) -> Result<Expr> {
        let e = self.take(v)?;
        let slice = matches!(self.func.ty(v), Type::Slice(_));
        let borrowed = match self.reprs.get(v) {
            Some(&Repr::Place(p)) => self.places[p].hold == Hold::Ref,
            Some(Repr::Expr(e)) => e.form == super::Form::Place,
            None => false,
        };
        if slice && borrowed && self.places[target].hold == Hold::Owned {
            let root = e.root();
            return Ok(Expr::atom(quote!(#root.to_vec())).of([&e]));
        }
        Ok(e)
    }

    fn assign_one(&mut self, a: &Assignment) {
        let target = if self.places[a.target].hold == Hold::Ref {
            // a variable that refers to one thing after the other
            for base in self.bases(&a.value).into_iter().filter(|&base| base != a.target) {
                self.places.borrow(a.target, base);
            }
            let ident = &self.places[a.target].ident;
            quote!(#ident)
        } else {
            self.target(a.target)
        };
        let tokens = &a.value.tokens;
        if let (Hold::Mut, Type::Slice(element)) = (self.places[a.target].hold, &a.ty) {
            let ident = &self.places[a.target].ident;
            let borrowed = tokens.to_string().starts_with('&');
            let from = if borrowed { tokens.clone() } else { quote!(&#tokens) };
            let copy = if is_copy(element) { quote!(copy_from_slice) } else { quote!(clone_from_slice) };
            let code = quote!(#ident.#copy(#from););
            self.push(code);
            return;
        }
        if self.places[a.target].hold == Hold::Mut && matches!(a.ty, Type::Vec(_)) {
            let ident = &self.places[a.target].ident;
            let root = a.value.root();
            let code = quote!(*#ident = #root.to_vec(););
            self.push(code);
            return;
        }
        if let Some(compound) = &a.value.compound
            && matches!(self.reprs.get(compound.left), Some(&Repr::Place(p)) if p == a.target)
        {
            let symbol = operator(&format!("{}=", compound.op), Span::mixed_site());
            let right = &compound.right;
            self.push(quote!(#target #symbol #right;));
            return;
        }
        if tokens.to_string() != target.to_string() {
            self.push(quote!(#target = #tokens;));
        }
    }
}
