//! Iterators over ranges and sequences, as indexed items: they become the same loops as hand-written ones.

use super::control::strip;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::{Op, RangeEnd, Step, Type, Value};
use crate::prims::arith;

/// An iterator. As long as only the k-th item of what it is made of is needed for its own k-th it has a length and is
/// *indexed*; with `filter`, `chain` and the like its items only come one after the other.
#[derive(Clone)]
pub(crate) enum Iter {
    Range {
        lo: Value,
        hi: Value,
        inclusive: bool,
    },
    /// The items of a sequence; whether by reference.
    Seq(Place, bool),
    Rev(Box<Iter>),
    Enumerate(Box<Iter>),
    Zip(Box<Iter>, Box<Iter>),
    /// The functions of an array.
    Functions(Vec<Operand>),
    Skip(Box<Iter>, Value),
    Take(Box<Iter>, Value),
    StepBy(Box<Iter>, Value),
    /// By value instead of by reference: `copied`, `cloned`.
    Copied(Box<Iter>),
    Windows(Place, Value),
    /// Chunks of a length; whether the last may be shorter.
    Chunks(Place, Value, bool),
    /// A function of each item.
    Map(Box<Iter>, Operand),
    /// The items for which a function gives true.
    Filter(Box<Iter>, Operand),
    /// The items as long as a function gives true.
    TakeWhile(Box<Iter>, Operand),
    /// One iterator after another.
    Chain(Box<Iter>, Box<Iter>),
    /// The items of the iterators that a closure makes of each item.
    FlatMap(Box<Iter>, usize),
    /// A running state: its initial value and a closure of the state and the item that ends in `Some(…)`.
    Scan(Box<Iter>, Value, usize),
    /// Each item is looked at by a closure first.
    Inspect(Box<Iter>, Operand),
}

impl Iter {
    /// Whether it has a length, and its k-th item can be computed from k.
    pub(crate) fn indexed(&self) -> bool {
        match self {
            Iter::Range { .. } | Iter::Seq(..) | Iter::Windows(..) | Iter::Chunks(..) | Iter::Functions(_) => true,
            Iter::Rev(i) | Iter::Enumerate(i) | Iter::Skip(i, _) | Iter::Take(i, _) | Iter::StepBy(i, _) => i.indexed(),
            Iter::Copied(i) | Iter::Map(i, _) => i.indexed(),
            Iter::Zip(a, b) => a.indexed() && b.indexed(),
            Iter::Filter(..) | Iter::TakeWhile(..) | Iter::Chain(..) | Iter::FlatMap(..) | Iter::Scan(..) => false,
            Iter::Inspect(..) => false,
        }
    }

    /// Whether its items come from one loop, so that leaving that loop ends them.
    pub(crate) fn one_loop(&self) -> bool {
        match self {
            Iter::Chain(..) | Iter::FlatMap(..) => false,
            Iter::Map(i, _) | Iter::Filter(i, _) | Iter::TakeWhile(i, _) | Iter::Inspect(i, _) | Iter::Scan(i, ..) => {
                i.one_loop()
            }
            Iter::Enumerate(i) | Iter::Copied(i) => i.one_loop(),
            _ => true,
        }
    }

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
            syn::Expr::Path(p)
                if let Some(super::env::Binding::Iter(it)) =
                    p.path.get_ident().and_then(|i| self.lookup(&super::types::plain_name(i))).cloned() =>
            {
                Some(*it)
            }
            e @ (syn::Expr::Reference(_)
            | syn::Expr::Path(_)
            | syn::Expr::Index(_)
            | syn::Expr::Field(_)
            | syn::Expr::Array(_)) => {
                let place = match self.nested_expr(e) {
                    Operand::Place(p) => p,
                    Operand::Value(v) => Self::value_place(v).by_ref(false),
                    Operand::Parts(parts) if self.hold_functions(&parts) => return Some(Iter::Functions(parts)),
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
        // the field of a struct: what `iter` and `for` take by reference is indexed, or the companion does not compile
        let unseen = ty == Type::Dyn && self.place_active(&place) && (place.is_ref || !place.path.0.is_empty());
        (unseen || matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_))).then(|| {
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
                    Operand::Parts(parts) if self.hold_functions(&parts) => return Some(Iter::Functions(parts)),
                    _ => return None,
                };
                let by_ref = name != "into_iter" || place.is_ref;
                self.sequence(place.by_ref(by_ref))
            }
            ("into_iter", _) => None,
            ("rev", 0) => Some(Iter::Rev(inner(self)?)),
            ("enumerate", 0) => Some(Iter::Enumerate(inner(self)?)),
            ("copied" | "cloned", 0) => Some(Iter::Copied(inner(self)?)),
            ("map", 1) => {
                let a = inner(self)?;
                Some(Iter::Map(a, self.function_operand(&m.args[0])))
            }
            ("filter", 1) => {
                let a = inner(self)?;
                Some(Iter::Filter(a, self.function_operand(&m.args[0])))
            }
            ("take_while", 1) => {
                let a = inner(self)?;
                Some(Iter::TakeWhile(a, self.function_operand(&m.args[0])))
            }
            ("inspect", 1) => {
                let a = inner(self)?;
                Some(Iter::Inspect(a, self.function_operand(&m.args[0])))
            }
            ("flat_map", 1) => {
                let a = inner(self)?;
                match self.function_operand(&m.args[0]) {
                    Operand::Closure(k) => Some(Iter::FlatMap(a, k)),
                    _ => None,
                }
            }
            ("scan", 2) => {
                let a = inner(self)?;
                let init = self.operand(&m.args[0]);
                match self.function_operand(&m.args[1]) {
                    Operand::Closure(k) => Some(Iter::Scan(a, init, k)),
                    _ => None,
                }
            }
            ("chain", 1) => {
                let a = inner(self)?;
                let b = self.iterator(&m.args[0])?;
                Some(Iter::Chain(a, Box::new(b)))
            }
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
                if !matches!(self.place_type(&place), Type::Slice(_) | Type::Vec(_) | Type::Array(_) | Type::Dyn) {
                    return None;
                }
                let n = self.operand(&m.args[0]);
                Some(match name.as_str() {
                    "windows" => Iter::Windows(place, n),
                    other => Iter::Chunks(place, n, !other.contains("exact")),
                })
            }
            ("clone" | "to_vec" | "to_owned" | "as_slice" | "as_mut_slice", 0) => {
                match self.nested_expr(&syn::Expr::MethodCall(m.clone())) {
                    Operand::Place(p) => self.sequence(p),
                    Operand::Value(v) => self.sequence(Self::value_place(v).by_ref(false)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A function argument.
    pub(crate) fn function_operand(&mut self, e: &syn::Expr) -> Operand {
        match strip(e) {
            syn::Expr::Closure(c) => self.closure(c),
            syn::Expr::Reference(r) => self.function_operand(&r.expr),
            e => self.nested_expr(e),
        }
    }

    pub(crate) fn usize_op(&mut self, prim: &'static crate::ir::Primitive, a: Value, b: Value) -> Value {
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
            Iter::Functions(parts) => self.b().int(parts.len()),
            Iter::Rev(i) | Iter::Enumerate(i) | Iter::Copied(i) | Iter::Map(i, _) => self.iter_len(i),
            Iter::Filter(..)
            | Iter::TakeWhile(..)
            | Iter::Chain(..)
            | Iter::FlatMap(..)
            | Iter::Scan(..)
            | Iter::Inspect(..) => unreachable!("only indexed iterators have a length"),
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
    pub(crate) fn iter_item(&mut self, it: &Iter, k: Value) -> Operand {
        match it {
            Iter::Range { lo, .. } => {
                let ty = self.ty(*lo);
                let op = Op::Nth { inclusive: false, reversed: false };
                let v = self.push(op, vec![*lo, k], ty);
                Operand::Value(v)
            }
            Iter::Seq(p, by_ref) => {
                let place = p.clone().step(Step::Index, [k]).by_ref(*by_ref);
                if *by_ref { Operand::Place(place) } else { Operand::Value(self.read(&place)) }
            }
            Iter::Functions(parts) => self.pick(parts, k),
            Iter::Rev(i) => {
                let len = self.iter_len(i);
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
            Iter::Filter(..)
            | Iter::TakeWhile(..)
            | Iter::Chain(..)
            | Iter::FlatMap(..)
            | Iter::Scan(..)
            | Iter::Inspect(..) => unreachable!("only indexed iterators have a k-th item"),
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

    fn range_item(&mut self, p: &Place, lo: Value, hi: Value) -> Operand {
        let step = Step::Range { from: true, end: RangeEnd::Exclusive };
        Operand::Place(p.clone().step(step, [lo, hi]).by_ref(true))
    }

    pub(crate) fn copied(&mut self, item: Operand) -> Operand {
        match item {
            Operand::Place(p) => Operand::Value(self.read(&p)),
            Operand::Parts(parts) => Operand::Parts(parts.into_iter().map(|p| self.copied(p)).collect()),
            o => o,
        }
    }

    /// The cells that consuming an iterator may change: those of its closures.
    pub(crate) fn iter_cells(&self, it: &Iter) -> Vec<usize> {
        let of = |f: &Operand| self.function_cells(f);
        match it {
            Iter::Range { .. } => Vec::new(),
            Iter::Functions(parts) => parts.iter().flat_map(of).collect(),
            // the items may be mutable references
            Iter::Seq(p, _) | Iter::Windows(p, _) | Iter::Chunks(p, ..) => match p.root {
                super::place::Root::Cell(c) => vec![c],
                super::place::Root::Value(_) => Vec::new(),
            },
            Iter::Rev(i)
            | Iter::Enumerate(i)
            | Iter::Skip(i, _)
            | Iter::Take(i, _)
            | Iter::StepBy(i, _)
            | Iter::Copied(i) => self.iter_cells(i),
            Iter::Zip(a, b) | Iter::Chain(a, b) => [self.iter_cells(a), self.iter_cells(b)].concat(),
            Iter::Map(i, f) | Iter::Filter(i, f) | Iter::TakeWhile(i, f) | Iter::Inspect(i, f) => {
                [self.iter_cells(i), of(f)].concat()
            }
            Iter::FlatMap(i, k) | Iter::Scan(i, _, k) => [self.iter_cells(i), of(&Operand::Closure(*k))].concat(),
        }
    }
}
