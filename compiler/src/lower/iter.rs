//! Iterators over ranges and sequences, as indexed items: they become the same loops as hand-written ones.

use super::control::strip;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Op, RangeEnd, Step, Type, Value};
use crate::prims::arith;

/// An iterator with a length, whose k-th item is known.
#[derive(Clone, Debug)]
pub(crate) enum Iter {
    Range { lo: Value, hi: Value, inclusive: bool },
    /// The items of a sequence; whether by reference.
    Seq(Place, bool),
    Rev(Box<Iter>),
    Enumerate(Box<Iter>),
    Zip(Box<Iter>, Box<Iter>),
    Skip(Box<Iter>, Value),
    Take(Box<Iter>, Value),
    StepBy(Box<Iter>, Value),
    /// By value instead of by reference: `copied`, `cloned`.
    Copied(Box<Iter>),
    Windows(Place, Value),
    /// Chunks of a length; whether the last may be shorter.
    Chunks(Place, Value, bool),
}

/// An item of an iterator.
#[derive(Clone)]
pub(crate) enum Item {
    Operand(Operand),
    Tuple(Vec<Item>),
}

impl Iter {
    /// `lo, hi, inclusive, reversed` of a plain range.
    pub(crate) fn range(&self) -> Option<(Value, Value, bool, bool)> {
        match self {
            Iter::Range { lo, hi, inclusive } => Some((*lo, *hi, *inclusive, false)),
            Iter::Rev(inner) => match **inner {
                Iter::Range { lo, hi, inclusive } => Some((lo, hi, inclusive, true)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Lowering<'_> {
    /// The iterator that an expression makes, if it is one that is understood.
    pub(crate) fn iterator(&mut self, e: &syn::Expr) -> Option<Iter> {
        match strip(e) {
            syn::Expr::Range(r) => {
                let (Some(lo), Some(hi)) = (&r.start, &r.end) else { return None };
                let lo = self.operand(lo);
                let hi = self.operand(hi);
                self.agree(&[lo, hi]);
                let inclusive = matches!(r.limits, syn::RangeLimits::Closed(_));
                Some(Iter::Range { lo, hi, inclusive })
            }
            syn::Expr::MethodCall(m) => self.iterator_method(m),
            e @ (syn::Expr::Reference(_) | syn::Expr::Path(_) | syn::Expr::Index(_) | syn::Expr::Field(_) | syn::Expr::Array(_)) => {
                let place = match self.nested_expr(e) {
                    Operand::Place(p) => p,
                    Operand::Value(v) => Self::value_place(v).by_ref(false),
                    _ => return None,
                };
                self.sequence(place)
            }
            _ => None,
        }
    }

    /// The items of a sequence, by reference if the place is one.
    fn sequence(&mut self, place: Place) -> Option<Iter> {
        let ty = self.place_type(&place);
        matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_)).then(|| {
            let by_ref = place.is_ref;
            Iter::Seq(place, by_ref)
        })
    }

    fn iterator_method(&mut self, m: &syn::ExprMethodCall) -> Option<Iter> {
        let name = m.method.to_string();
        let inner = |l: &mut Self| l.iterator(&m.receiver).map(Box::new);
        match (name.as_str(), m.args.len()) {
            ("iter" | "iter_mut" | "into_iter", 0) => {
                let place = match self.nested_expr(&m.receiver) {
                    Operand::Place(p) => p,
                    Operand::Value(v) => Self::value_place(v).by_ref(false),
                    _ => return None,
                };
                let by_ref = name != "into_iter" || place.is_ref;
                self.sequence(place.by_ref(by_ref))
            }
            ("into_iter", _) => None,
            ("rev", 0) => Some(Iter::Rev(inner(self)?)),
            ("enumerate", 0) => Some(Iter::Enumerate(inner(self)?)),
            ("copied" | "cloned", 0) => Some(Iter::Copied(inner(self)?)),
            ("by_ref", 0) => None,
            ("zip", 1) => {
                let a = inner(self)?;
                let b = self.iterator(&m.args[0])?;
                Some(Iter::Zip(a, Box::new(b)))
            }
            ("skip", 1) => {
                let a = inner(self)?;
                Some(Iter::Skip(a, self.operand(&m.args[0])))
            }
            ("take", 1) => {
                let a = inner(self)?;
                Some(Iter::Take(a, self.operand(&m.args[0])))
            }
            ("step_by", 1) => {
                let a = inner(self)?;
                Some(Iter::StepBy(a, self.operand(&m.args[0])))
            }
            ("windows" | "chunks" | "chunks_exact" | "chunks_mut" | "chunks_exact_mut", 1) => {
                let base = self.nested_expr(&m.receiver);
                let place = self.place(base);
                if !matches!(self.place_type(&place), Type::Slice(_) | Type::Vec(_) | Type::Array(_)) {
                    return None;
                }
                let n = self.operand(&m.args[0]);
                Some(match name.as_str() {
                    "windows" => Iter::Windows(place, n),
                    other => Iter::Chunks(place, n, !other.contains("exact")),
                })
            }
            _ => None,
        }
    }

    fn usize_op(&mut self, prim: &'static crate::ir::Primitive, a: Value, b: Value) -> Value {
        let v = self.push(Op::Prim(prim), vec![a, b], Type::USIZE);
        self.maybe_active.insert(v, false);
        v
    }

    fn place_len(&mut self, place: &Place) -> Value {
        let v = self.read(place);
        self.push(Op::Len, vec![v], Type::USIZE)
    }

    fn min(&mut self, a: Value, b: Value) -> Value {
        let c = self.usize_op(&crate::prims::compare::LT, a, b);
        self.func.values[c].ty = Type::Bool;
        self.push(Op::Prim(&crate::prims::compare::SELECT), vec![c, a, b], Type::USIZE)
    }

    /// `max(a - b, 0)`
    fn minus(&mut self, a: Value, b: Value) -> Value {
        let least = self.min(a, b);
        self.usize_op(&arith::SUB, a, least)
    }

    /// The number of items.
    pub(crate) fn iter_len(&mut self, it: &Iter) -> Value {
        match it {
            Iter::Range { lo, hi, inclusive } => {
                let one = self.b().int(1);
                let op = Op::Steps { inclusive: *inclusive };
                self.push(op, vec![*lo, *hi, one], Type::USIZE)
            }
            Iter::Seq(p, _) => self.place_len(p),
            Iter::Rev(i) | Iter::Enumerate(i) | Iter::Copied(i) => self.iter_len(i),
            Iter::Zip(a, b) => {
                let (a, b) = (self.iter_len(a), self.iter_len(b));
                self.min(a, b)
            }
            Iter::Skip(i, n) => {
                let len = self.iter_len(i);
                self.minus(len, *n)
            }
            Iter::Take(i, n) => {
                let len = self.iter_len(i);
                self.min(len, *n)
            }
            Iter::StepBy(i, n) => {
                // (len + n - 1) / n
                let len = self.iter_len(i);
                let one = self.b().int(1);
                let less = self.usize_op(&arith::SUB, *n, one);
                let up = self.usize_op(&arith::ADD, len, less);
                self.usize_op(&arith::DIV, up, *n)
            }
            Iter::Windows(p, n) => {
                // max(len + 1 - n, 0)
                let len = self.place_len(p);
                let one = self.b().int(1);
                let more = self.usize_op(&arith::ADD, len, one);
                self.minus(more, *n)
            }
            Iter::Chunks(p, n, short) => {
                let len = self.place_len(p);
                if *short {
                    let one = self.b().int(1);
                    let less = self.usize_op(&arith::SUB, *n, one);
                    let up = self.usize_op(&arith::ADD, len, less);
                    self.usize_op(&arith::DIV, up, *n)
                } else {
                    self.usize_op(&arith::DIV, len, *n)
                }
            }
        }
    }

    /// The k-th item.
    pub(crate) fn iter_item(&mut self, it: &Iter, k: Value) -> Item {
        match it {
            Iter::Range { lo, .. } => {
                let ty = self.ty(*lo);
                let op = Op::Nth { inclusive: false, reversed: false };
                let v = self.push(op, vec![*lo, k], ty);
                Item::Operand(Operand::Value(v))
            }
            Iter::Seq(p, by_ref) => {
                let place = p.clone().step(Step::Index, [k]).by_ref(*by_ref);
                if *by_ref {
                    Item::Operand(Operand::Place(place))
                } else {
                    Item::Operand(Operand::Value(self.read(&place)))
                }
            }
            Iter::Rev(i) => {
                let len = self.iter_len(i);
                let one = self.b().int(1);
                let last = self.usize_op(&arith::SUB, len, one);
                let k = self.usize_op(&arith::SUB, last, k);
                self.iter_item(i, k)
            }
            Iter::Enumerate(i) => {
                let item = self.iter_item(i, k);
                Item::Tuple(vec![Item::Operand(Operand::Value(k)), item])
            }
            Iter::Zip(a, b) => {
                let a = self.iter_item(a, k);
                let b = self.iter_item(b, k);
                Item::Tuple(vec![a, b])
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
        }
    }

    fn range_item(&mut self, p: &Place, lo: Value, hi: Value) -> Item {
        let step = Step::Range { from: true, end: RangeEnd::Exclusive };
        Item::Operand(Operand::Place(p.clone().step(step, [lo, hi]).by_ref(true)))
    }

    fn copied(&mut self, item: Item) -> Item {
        match item {
            Item::Operand(Operand::Place(p)) => Item::Operand(Operand::Value(self.read(&p))),
            Item::Operand(o) => Item::Operand(o),
            Item::Tuple(items) => Item::Tuple(items.into_iter().map(|i| self.copied(i)).collect()),
        }
    }

    /// An item as one operand.
    pub(crate) fn item_operand(&mut self, item: Item) -> Operand {
        match item {
            Item::Operand(o) => o,
            Item::Tuple(items) => {
                let parts: Vec<Value> = items
                    .into_iter()
                    .map(|i| {
                        let o = self.item_operand(i);
                        self.value(o)
                    })
                    .collect();
                let ty = Type::Tuple(parts.iter().map(|&p| self.ty(p)).collect());
                Operand::Value(self.push(Op::Tuple, parts, ty))
            }
        }
    }
}
