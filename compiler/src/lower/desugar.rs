//! Methods of vectors and slices that are written in terms of simpler ones.

use super::control::Tail;
use super::env::Binding;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Op, Type, Value};
use crate::prims::compare;
use syn::parse_quote;

impl<'a> Lowering<'a> {
    /// Lowers some statements with `vec` bound to a place and the given names bound to values.
    pub(crate) fn written_as(&mut self, place: &Place, names: &[(&str, Operand)], stmts: &[syn::Stmt]) -> Operand {
        self.env.push_scope();
        self.env.bind("__vec", Binding::Alias(place.clone(), true));
        for (name, o) in names {
            match o {
                Operand::Closure(k) => self.env.bind(name, Binding::Closure(*k)),
                Operand::Function(f) => self.env.bind(name, Binding::Function(f.clone())),
                Operand::Iter(it) => self.env.bind(name, Binding::Iter(it.clone())),
                Operand::Place(p) if p.is_ref => self.env.bind(name, Binding::Alias(p.clone(), true)),
                o => {
                    let v = self.value(o.clone());
                    let cell = self.temporary(v);
                    self.env.bind(name, Binding::Cell(cell, false));
                }
            }
        }
        let nested = std::mem::replace(&mut self.nested, 0);
        let o = self.stmts(stmts, Tail::No);
        // read before the names go
        let o = match o {
            Operand::Place(p) => Operand::Value(self.read(&p)),
            o => o,
        };
        self.nested = nested;
        self.env.pop_scope();
        o
    }

    /// A method of a growable vector or one that moves elements about; `None` if it is not one of those.
    pub(crate) fn vector_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        let arg = |l: &mut Self, i: usize| Operand::Value(l.operand(args[i]));
        let block: syn::Block = match (name.as_str(), args.len()) {
            ("pop", 0) => return Some(self.pop(place)),
            ("clear", 0) => parse_quote!({
                while __vec.len() > 0 {
                    __vec.pop();
                }
            }),
            ("truncate", 1) => {
                let n = arg(self, 0);
                let block: syn::Block = parse_quote!({
                    while __vec.len() > __n {
                        __vec.pop();
                    }
                });
                return Some(self.written_as(place, &[("__n", n)], &block.stmts));
            }
            ("resize", 2) => {
                let (n, x) = (arg(self, 0), arg(self, 1));
                let block: syn::Block = parse_quote!({
                    while __vec.len() > __n {
                        __vec.pop();
                    }
                    while __vec.len() < __n {
                        __vec.push(__x);
                    }
                });
                return Some(self.written_as(place, &[("__n", n), ("__x", x)], &block.stmts));
            }
            ("extend" | "extend_from_slice", 1) => {
                let it = Operand::Iter(Box::new(self.iterator(args[0])?));
                let block: syn::Block = parse_quote!({
                    for __x in __it {
                        __vec.push(*__x);
                    }
                });
                return Some(self.written_as(place, &[("__it", it)], &block.stmts));
            }
            ("insert", 2) => {
                let (i, x) = (arg(self, 0), arg(self, 1));
                let block: syn::Block = parse_quote!({
                    __vec.push(__x);
                    for __k in ((__i + 1)..__vec.len()).rev() {
                        __vec.swap(__k - 1, __k);
                    }
                });
                return Some(self.written_as(place, &[("__i", i), ("__x", x)], &block.stmts));
            }
            ("remove", 1) => {
                let i = arg(self, 0);
                let block: syn::Block = parse_quote!({
                    for __k in __i..(__vec.len() - 1) {
                        __vec.swap(__k, __k + 1);
                    }
                    __vec.pop().unwrap()
                });
                return Some(self.written_as(place, &[("__i", i)], &block.stmts));
            }
            ("swap_remove", 1) => {
                let i = arg(self, 0);
                let block: syn::Block = parse_quote!({
                    __vec.swap(__i, __vec.len() - 1);
                    __vec.pop().unwrap()
                });
                return Some(self.written_as(place, &[("__i", i)], &block.stmts));
            }
            ("reverse", 0) => parse_quote!({
                for __k in 0..__vec.len() / 2 {
                    __vec.swap(__k, __vec.len() - 1 - __k);
                }
            }),
            ("rotate_left", 1) => {
                let n = arg(self, 0);
                let block: syn::Block = parse_quote!({
                    __vec[..__n].reverse();
                    __vec[__n..].reverse();
                    __vec.reverse();
                });
                return Some(self.written_as(place, &[("__n", n)], &block.stmts));
            }
            ("rotate_right", 1) => {
                let n = arg(self, 0);
                let block: syn::Block = parse_quote!({
                    __vec.reverse();
                    __vec[..__n].reverse();
                    __vec[__n..].reverse();
                });
                return Some(self.written_as(place, &[("__n", n)], &block.stmts));
            }
            _ => return self.reordering(place, m).or_else(|| self.converted(place, m)),
        };
        Some(self.written_as(place, &[], &block.stmts))
    }

    /// The last element of a vector that has one, which is taken out of it.
    fn last_of(&mut self, place: &Place) -> Value {
        let root = self.root_value(place);
        let (active, ty) = (self.is_active(root), self.ty(root));
        let element = place.path.apply(&ty).element();
        let args = std::iter::once(root).chain(place.operands.iter().copied()).collect();
        let n = self.b().node(Op::Pop(place.path.clone()), args, vec![element, ty]);
        let outs = self.func[n].outs.clone();
        let part = active && self.func.ty(outs[0]).can_be_active();
        self.maybe_active.insert(outs[0], part);
        if part && *self.func.ty(outs[0]) == Type::Dyn {
            self.parts.insert(outs[0], ());
        }
        self.maybe_active.insert(outs[1], active);
        self.store_root(place, outs[1]);
        outs[0]
    }

    /// `pop`: an option.
    fn pop(&mut self, place: &Place) -> Operand {
        let v = self.read(place);
        let len = self.push(Op::Len, vec![v], Type::USIZE);
        let zero = self.b().int(0);
        let flag = self.primitive(&compare::LT, &[zero, len]);
        self.optional(flag, &mut |l: &mut Self| Operand::Value(l.last_of(place)))
    }
}
