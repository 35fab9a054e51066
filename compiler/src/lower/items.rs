//! The length and the k-th item of an indexed iterator.

use super::iter::Iter;
use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::ir::{Op, Step, Type, Value};
use crate::prims::{arith, compare};

impl Lowering<'_> {
    pub(crate) fn usize_op(&mut self, prim: &'static crate::ir::Primitive, a: Value, b: Value) -> Value {
        let v = self.push(Op::Prim(prim), vec![a, b], Type::USIZE);
        self.maybe_active.insert(v, false);
        v
    }

    fn place_len(&mut self, place: &Place) -> Value {
        let v = self.read(place);
        if matches!(self.func.ty(v), Type::NdArray(..)) {
            return self.array_len(v);
        }
        self.push(Op::Len, vec![v], Type::USIZE)
    }

    fn min(&mut self, a: Value, b: Value) -> Value {
        let c = self.usize_op(&compare::LT, a, b);
        self.func.values[c].ty = Type::Bool;
        self.push(Op::Prim(&compare::SELECT), vec![c, a, b], Type::USIZE)
    }

    /// `max(a - b, 0)`
    pub(crate) fn minus(&mut self, a: Value, b: Value) -> Value {
        let least = self.min(a, b);
        self.usize_op(&arith::SUB, a, least)
    }

    /// `a / b`, rounded up
    fn pieces(&mut self, a: Value, b: Value) -> Value {
        let one = self.b().int(1);
        let less = self.usize_op(&arith::SUB, b, one);
        let up = self.usize_op(&arith::ADD, a, less);
        self.usize_op(&arith::DIV, up, b)
    }

    /// The number of items of an indexed iterator; `None` if it has no end.
    pub(crate) fn iter_len(&mut self, it: &Iter) -> Option<Value> {
        if it.endless() {
            return None;
        }
        Some(match it {
            Iter::Range { lo, hi, inclusive } => {
                let one = self.b().int(1);
                let op = Op::Steps { inclusive: *inclusive };
                self.push(op, vec![*lo, *hi, one], Type::USIZE)
            }
            Iter::Seq(p, _) => self.place_len(p),
            Iter::Lanes(lanes) => lanes.count,
            Iter::Indices(x) => self.array_len(*x),
            Iter::Functions(parts) => self.b().int(parts.len()),
            Iter::Repeat(..) => self.b().int(1),
            Iter::Rev(i) | Iter::Enumerate(i) | Iter::Copied(i) | Iter::Map(i, _) => self.iter_len(i)?,
            Iter::Zip(a, b) => match (self.iter_len(a), self.iter_len(b)) {
                (Some(x), Some(y)) => self.min(x, y),
                (Some(x), None) => self.unless_empty(b, x),
                (None, Some(y)) => self.unless_empty(a, y),
                (None, None) => return None,
            },
            Iter::Skip(i, n) => {
                let len = self.iter_len(i)?;
                self.minus(len, *n)
            }
            Iter::Take(i, n) => match self.iter_len(i) {
                Some(len) => self.min(len, *n),
                None => self.unless_empty(i, *n),
            },
            Iter::StepBy(i, n) => {
                let len = self.iter_len(i)?;
                self.pieces(len, *n)
            }
            Iter::Windows(p, n) => {
                // max(len + 1 - n, 0)
                let len = self.place_len(p);
                let one = self.b().int(1);
                let more = self.usize_op(&arith::ADD, len, one);
                self.minus(more, *n)
            }
            Iter::Chunks(p, n, short) | Iter::RChunks(p, n, short) => {
                let len = self.place_len(p);
                if *short { self.pieces(len, *n) } else { self.usize_op(&arith::DIV, len, *n) }
            }
            Iter::Parts(_, bounds) => {
                let len = self.push(Op::Len, vec![*bounds], Type::USIZE);
                let two = self.b().int(2);
                self.usize_op(&arith::DIV, len, two)
            }
            _ => unreachable!("only indexed iterators have a length"),
        })
    }

    /// So many of an iterator without an end: none, if it goes around nothing.
    fn unless_empty(&mut self, it: &Iter, n: Value) -> Value {
        match it {
            Iter::Cycle(i) => {
                let Some(len) = self.iter_len(i) else { return n };
                let zero = self.b().int(0);
                let empty = self.primitive(&compare::EQ, &[len, zero]);
                self.push(Op::Prim(&compare::SELECT), vec![empty, zero, n], Type::USIZE)
            }
            Iter::Zip(a, b) => {
                let n = self.unless_empty(a, n);
                self.unless_empty(b, n)
            }
            it => match it.inner() {
                Some(i) => self.unless_empty(i, n),
                None => n,
            },
        }
    }

    /// The k-th item.
    pub(crate) fn iter_item(&mut self, it: &Iter, k: Value) -> Operand {
        match it {
            Iter::Range { lo, .. } | Iter::From(lo) => {
                let ty = self.ty(*lo);
                let op = Op::Nth { inclusive: false, reversed: false };
                let v = self.push(op, vec![*lo, k], ty);
                Operand::Value(v)
            }
            Iter::Seq(p, by_ref) => {
                // of what is not visible, the compiler knows how its elements are counted
                let step = match self.place_type(p) {
                    Type::Dyn if self.place_active(p) => Step::Flat,
                    ty => Self::element_step(&ty),
                };
                let place = p.clone().step(step, [k]).by_ref(*by_ref).mutable(p.is_mut);
                if *by_ref { Operand::Place(place) } else { Operand::Value(self.read(&place)) }
            }
            Iter::Lanes(lanes) => self.lane(lanes, k),
            Iter::Indices(x) => self.index_of(*x, k),
            Iter::Functions(parts) => self.pick(parts, k),
            Iter::Repeat(o, _) => o.clone(),
            Iter::Cycle(i) => match self.iter_len(i) {
                Some(len) => {
                    let k = self.usize_op(&arith::REM, k, len);
                    self.iter_item(i, k)
                }
                None => self.iter_item(i, k),
            },
            Iter::Rev(i) => {
                let len = self.iter_len(i).expect("it has an end");
                let one = self.b().int(1);
                let last = self.usize_op(&arith::SUB, len, one);
                let k = self.usize_op(&arith::SUB, last, k);
                self.iter_item(i, k)
            }
            Iter::Enumerate(i) => {
                let item = self.iter_item(i, k);
                Operand::Parts(vec![Operand::Value(k), item])
            }
            Iter::Zip(a, b) => {
                let a = self.iter_item(a, k);
                let b = self.iter_item(b, k);
                Operand::Parts(vec![a, b])
            }
            Iter::Skip(i, n) => {
                let k = self.usize_op(&arith::ADD, k, *n);
                self.iter_item(i, k)
            }
            Iter::Take(i, _) => self.iter_item(i, k),
            Iter::StepBy(i, n) => {
                let k = self.usize_op(&arith::MUL, k, *n);
                self.iter_item(i, k)
            }
            Iter::Copied(i) => {
                let item = self.iter_item(i, k);
                self.copied(item)
            }
            Iter::Map(i, f) => {
                let item = self.iter_item(i, k);
                self.apply(f, vec![item])
            }
            Iter::Windows(p, n) => {
                let hi = self.usize_op(&arith::ADD, k, *n);
                self.range_item(p, k, hi)
            }
            Iter::Chunks(p, n, short) => {
                let lo = self.usize_op(&arith::MUL, k, *n);
                let mut hi = self.usize_op(&arith::ADD, lo, *n);
                if *short {
                    let len = self.place_len(p);
                    hi = self.min(hi, len);
                }
                self.range_item(p, lo, hi)
            }
            Iter::RChunks(p, n, _) => {
                let len = self.place_len(p);
                let before = self.usize_op(&arith::MUL, k, *n);
                let hi = self.usize_op(&arith::SUB, len, before);
                let lo = self.minus(hi, *n);
                self.range_item(p, lo, hi)
            }
            Iter::Parts(p, bounds) => {
                let (one, two) = (self.b().int(1), self.b().int(2));
                let at = self.usize_op(&arith::MUL, k, two);
                let next = self.usize_op(&arith::ADD, at, one);
                let bound = |l: &mut Self, at| {
                    let place = Self::value_place(*bounds).step(Step::Index, [at]);
                    l.read(&place)
                };
                let (lo, hi) = (bound(self, at), bound(self, next));
                self.range_item(p, lo, hi)
            }
            _ => unreachable!("only indexed iterators have a k-th item"),
        }
    }

    /// By value instead of by reference.
    pub(crate) fn copied(&mut self, item: Operand) -> Operand {
        match item {
            Operand::Place(p) => Operand::Value(self.read(&p)),
            Operand::Parts(parts) => Operand::Parts(parts.into_iter().map(|p| self.copied(p)).collect()),
            o => o,
        }
    }

    /// A variable as a place.
    pub(crate) fn cell_place(cell: usize) -> Place {
        Place::whole(Root::Cell(cell)).by_ref(true).mutable(true)
    }
}
