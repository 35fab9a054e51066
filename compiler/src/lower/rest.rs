//! Iterators that are advanced by hand: `let mut it = x.iter()`, `it.next()`, `it.by_ref()`.
//!
//! Such an iterator is an indexed one and two variables: where it stands and where it ends.

use super::env::Binding;
use super::iter::Iter;
use super::{Lowering, Operand, types};
use crate::ir::Type;
use crate::prims::{arith, compare};

impl<'a> Lowering<'a> {
    /// An iterator that is bound to a mutable variable.
    pub(crate) fn advancing(&mut self, it: Iter) -> Iter {
        if matches!(it, Iter::Rest(..)) {
            return it;
        }
        if self.iter_changes(&it) {
            let span = self.span;
            self.unsupported(
                span,
                "an iterator that is advanced by hand, and whose items change a variable, is not supported",
                "write a `for` loop, or collect the items into a `Vec` first",
            );
        }
        let it = self.indexed(it);
        let zero = self.b().int(0);
        let front = self.temporary(zero);
        let back = self.iter_len(&it).map(|len| self.temporary(len));
        Iter::Rest(Box::new(it), front, back)
    }

    /// What is left of an iterator that is given away.
    pub(crate) fn moved(&mut self, it: Iter) -> Iter {
        match it {
            Iter::Rest(inner, front, back) => {
                let from = self.cell_value(front);
                let rest = Iter::Skip(inner, from);
                match back {
                    Some(back) => {
                        let to = self.cell_value(back);
                        let n = self.minus(to, from);
                        Iter::Take(Box::new(rest), n)
                    }
                    None => rest,
                }
            }
            it => it,
        }
    }

    /// The iterator that a name is bound to, not given away.
    pub(crate) fn iterator_by_name(&mut self, e: &syn::Expr) -> Option<Iter> {
        match super::control::strip(e) {
            syn::Expr::Path(p) => match self.lookup(&types::plain_name(p.path.get_ident()?)) {
                Some(Binding::Iter(it)) => Some((**it).clone()),
                _ => None,
            },
            syn::Expr::Reference(r) => self.iterator_by_name(&r.expr),
            syn::Expr::MethodCall(m) if m.method == "by_ref" => self.iterator_by_name(&m.receiver),
            _ => None,
        }
    }

    /// A method that advances an iterator or looks at it.
    pub(crate) fn advance(&mut self, it: &Iter, m: &syn::ExprMethodCall) -> Option<Operand> {
        match (m.method.to_string().as_str(), m.args.len()) {
            ("next", 0) => Some(self.next_of(it, false)),
            ("next_back", 0) => Some(self.next_of(it, true)),
            ("peek", 0) => {
                let Iter::Rest(inner, front, back) = it else { return None };
                let k = self.cell_value(*front);
                let flag = self.before_end(*front, *back);
                Some(self.item_if(flag, inner, k))
            }
            ("next_if", 1) => {
                let Iter::Rest(inner, front, back) = it else { return None };
                let f = self.function_operand(&m.args[0]);
                let k = self.cell_value(*front);
                let flag = self.before_end(*front, *back);
                let Operand::Opt(flag, item) = self.item_if(flag, inner, k) else { return None };
                let accepted = self.if_value(
                    flag,
                    &mut |l: &mut Self| {
                        let place = l.place((*item).clone()).by_ref(true).mutable(false);
                        l.apply(&f, vec![Operand::Place(place)])
                    },
                    &mut |l: &mut Self| Operand::Value(l.b().bool(false)),
                );
                let accepted = self.value(accepted);
                let one = self.b().int(1);
                let moved = self.if_value(
                    accepted,
                    &mut |l: &mut Self| Operand::Value(l.usize_op(&arith::ADD, k, one)),
                    &mut |_| Operand::Value(k),
                );
                let moved = self.value(moved);
                self.set_cell(*front, moved);
                Some(Operand::Opt(accepted, item))
            }
            ("nth", 1) => {
                let Iter::Rest(_, front, _) = it else { return None };
                let n = self.operand(&m.args[0]);
                let at = self.cell_value(*front);
                let at = self.usize_op(&arith::ADD, at, n);
                self.set_cell(*front, at);
                Some(self.next_of(it, false))
            }
            ("remainder", 0) => {
                let (Iter::Chunks(p, n, false) | Iter::RChunks(p, n, false)) = it else { return None };
                let v = self.read(p);
                let len = self.push(crate::ir::Op::Len, vec![v], Type::USIZE);
                let rest = self.usize_op(&arith::REM, len, *n);
                let zero = self.b().int(0);
                if matches!(it, Iter::RChunks(..)) {
                    return Some(self.range_item(p, zero, rest));
                }
                let from = self.usize_op(&arith::SUB, len, rest);
                Some(self.range_item(p, from, len))
            }
            _ => None,
        }
    }

    fn before_end(&mut self, front: usize, back: Option<usize>) -> crate::ir::Value {
        match back {
            Some(back) => {
                let (k, end) = (self.cell_value(front), self.cell_value(back));
                self.primitive(&compare::LT, &[k, end])
            }
            None => self.b().bool(true),
        }
    }

    /// The next item of an iterator that is advanced by hand, as an option.
    pub(crate) fn next_of(&mut self, it: &Iter, from_back: bool) -> Operand {
        let Iter::Rest(inner, front, back) = it else {
            let span = self.span;
            return self.unsupported(
                span,
                "this iterator is not advanced by hand here",
                "bind it with `let mut it = …` and call `it.next()`",
            );
        };
        let flag = self.before_end(*front, *back);
        let cell = if from_back { back.unwrap_or(*front) } else { *front };
        let old = self.cell_value(cell);
        let one = self.b().int(1);
        let moved = self.if_value(
            flag,
            &mut |l: &mut Self| {
                let prim = if from_back { &arith::SUB } else { &arith::ADD };
                Operand::Value(l.usize_op(prim, old, one))
            },
            &mut |_| Operand::Value(old),
        );
        let moved = self.value(moved);
        self.set_cell(cell, moved);
        self.item_if(flag, inner, if from_back { moved } else { old })
    }
}
