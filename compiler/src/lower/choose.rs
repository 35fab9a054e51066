//! Items that are chosen from an iterator, arrays that are mapped, and closures that make iterators.

use super::consume::{Each, by_ref};
use super::control::Tail;
use super::iter::Iter;
use super::{Lowering, Operand};
use crate::ir::{Op, Type, Value};
use crate::prims::compare;
use proc_macro2::Span;

impl<'a> Lowering<'a> {
    /// The k-th item under a condition. An item that is computed is computed only then.
    pub(crate) fn item_if(&mut self, flag: Value, it: &Iter, k: Value) -> Operand {
        match it {
            Iter::Seq(..) => {
                let payload = self.iter_item(it, k);
                Operand::Opt(flag, Box::new(payload))
            }
            it => self.optional(flag, &mut |l: &mut Self| l.iter_item(it, k)),
        }
    }

    /// The same items with a length: collected, if need be.
    pub(crate) fn indexed(&mut self, it: Iter, m: &syn::ExprMethodCall) -> Iter {
        if it.indexed() {
            return it;
        }
        let mut plain = m.clone();
        plain.turbofish = None;
        let o = self.collect(&it, &plain);
        let v = self.value(o);
        Iter::Seq(Self::value_place(v), false)
    }

    /// The greatest (of several equal ones the last) or the least (the first) item by a comparison: only its position
    /// is found in the loop, so that the derivative is that of the item chosen.
    pub(crate) fn extreme(&mut self, it: &Iter, f: &Operand, greatest: bool) -> Operand {
        let len = self.iter_len(it);
        let zero = self.b().int(0);
        let one = self.b().int(1);
        let cell = self.temporary(zero);
        let mut cells = self.iter_cells(it);
        cells.extend(self.function_cells(f));
        cells.push(cell);
        let rest = Iter::Range { lo: one, hi: len, inclusive: false };
        self.drive(&rest, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let best = l.cell_value(cell);
            let (a, b) = (l.iter_item(it, best), l.iter_item(it, k));
            let o = l.apply(f, vec![by_ref(a), by_ref(b)]);
            let order = l.value(o);
            let mut better = l.template(&[order], Type::Bool, true, |p| {
                let p = &p[0];
                quote::quote!(::core::matches!(#p, ::core::cmp::Ordering::Greater))
            });
            if greatest {
                better = l.primitive(&compare::NOT, &[better]);
            }
            let c = l.push(Op::Prim(&compare::SELECT), vec![better, k, best], Type::USIZE);
            l.set_cell(cell, c);
            Operand::Value(l.unit())
        });
        let k = self.cell_value(cell);
        let flag = self.primitive(&compare::LT, &[zero, len]);
        self.item_if(flag, it, k)
    }

    /// `map` of an array: an array of the same length.
    pub(crate) fn array_map(&mut self, m: &syn::ExprMethodCall) -> Option<Operand> {
        let Operand::Place(place) = self.nested_expr(&m.receiver) else { return None };
        let ty = self.place_type(&place);
        if !matches!(ty, Type::Array(_)) {
            return None;
        }
        let f = self.function_operand(&m.args[0]);
        let v = self.read(&place);
        let copy = self.push(Op::Copy(false), vec![v], ty.clone());
        let cell = self.temporary(copy);
        let it = Iter::Seq(Self::value_place(v), false);
        let mut cells = self.function_cells(&f);
        cells.push(cell);
        let enumerated = Iter::Enumerate(Box::new(it));
        self.drive(&enumerated, None, &cells, &mut |l, item, _| {
            let Operand::Parts(parts) = item else { unreachable!("an index and an item") };
            let k = l.value(parts[0].clone());
            let o = l.apply(&f, vec![parts[1].clone()]);
            let new = l.value(o);
            if l.ty(new).join(&ty.element()) == Type::Dyn {
                let span = l.span;
                return l.unsupported(
                    span,
                    "`map` of an array to another type is not supported yet",
                    "write the array out, or use `iter().map(…).collect::<Vec<_>>()`",
                );
            }
            let place = super::place::Place {
                root: super::place::Root::Cell(cell),
                path: crate::ir::Path(vec![crate::ir::Step::Index]),
                operands: vec![k],
                is_ref: false,
            };
            l.write(&place, new);
            Operand::Value(l.unit())
        });
        Some(Operand::Value(self.cell_value(cell)))
    }
}

impl<'a> Lowering<'a> {
    /// The items of the iterator that a closure makes of an item.
    pub(crate) fn flat_map(&mut self, k: usize, item: Operand, cells: &[usize], each: Each<'_, 'a>) -> Operand {
        self.with_closure(k, vec![item], &mut |l, body| {
            let nested = l.nested;
            let it = l.iterator(body);
            l.nested = nested;
            match it {
                Some(it) => {
                    let mut cells = cells.to_vec();
                    cells.extend(l.iter_cells(&it));
                    l.drive(&it, None, &cells, each)
                }
                None => l.unsupported(
                    Span::call_site(),
                    "the closure of `flat_map` does not give an iterator that is understood",
                    "write two nested loops",
                ),
            }
        })
    }

    /// A call of a closure that ends in `Some(…)`: what is in it.
    pub(crate) fn call_closure_some(&mut self, k: usize, args: Vec<Operand>) -> Option<Operand> {
        let mut found = None;
        self.with_closure(k, args, &mut |l, body| {
            found = l.some_of(body);
            Operand::Value(l.unit())
        });
        found
    }

    fn some_of(&mut self, e: &syn::Expr) -> Option<Operand> {
        match super::control::strip(e) {
            syn::Expr::Call(c) => match super::control::strip(&c.func) {
                syn::Expr::Path(p)
                    if p.path.segments.last().is_some_and(|s| s.ident == "Some") && c.args.len() == 1 =>
                {
                    let o = self.expr(&c.args[0]);
                    Some(match o {
                        Operand::Place(p) => Operand::Value(self.read(&p)),
                        o => o,
                    })
                }
                _ => None,
            },
            syn::Expr::Block(b) => {
                let (last, before) = b.block.stmts.split_last()?;
                let syn::Stmt::Expr(last, None) = last else { return None };
                self.env.push_scope();
                self.stmts(before, Tail::No);
                let o = self.some_of(last);
                self.env.pop_scope();
                o
            }
            _ => None,
        }
    }
}
