//! What is done with an iterator: it becomes loops, the same as hand-written ones.

use super::drive::{by_ref, with};
use super::iter::Iter;
use super::{Lowering, Operand, types};
use crate::ir::{Const, Float, Op, Path, Type, Value};
use crate::prims::arith;
use quote::ToTokens;

/// Methods that make an iterator of another.
pub(crate) const ADAPTERS: [&str; 34] = [
    "iter",
    "iter_mut",
    "map",
    "filter",
    "filter_map",
    "take_while",
    "skip_while",
    "map_while",
    "inspect",
    "flat_map",
    "flatten",
    "scan",
    "chain",
    "rev",
    "enumerate",
    "copied",
    "cloned",
    "cycle",
    "fuse",
    "peekable",
    "by_ref",
    "zip",
    "skip",
    "take",
    "step_by",
    "windows",
    "chunks_mut",
    "chunks_exact_mut",
    "rchunks_mut",
    "chunks",
    "chunks_exact",
    "rchunks",
    "rchunks_exact",
    "into_iter",
];

/// Adapters that options have too.
const OF_OPTIONS: [&str; 11] =
    ["map", "filter", "zip", "take", "inspect", "copied", "cloned", "flatten", "into_iter", "chain", "by_ref"];

/// Methods that consume one.
const CONSUMERS: [&str; 31] = [
    "sum",
    "product",
    "fold",
    "rfold",
    "try_fold",
    "reduce",
    "for_each",
    "collect",
    "count",
    "all",
    "any",
    "last",
    "nth",
    "next",
    "max_by",
    "min_by",
    "max_by_key",
    "min_by_key",
    "max",
    "min",
    "position",
    "rposition",
    "find",
    "find_map",
    "unzip",
    "partition",
    "peek",
    "next_back",
    "remainder",
    "len",
    "drain",
];

/// What may be collected into and is no vector. Any other name is taken for one of a vector by a `type`; if it is not, the
/// compiler of Rust says so.
const COLLECTIONS: &str = "Box Rc Arc Cow Option Result String VecDeque LinkedList BinaryHeap HashMap HashSet BTreeMap \
                           BTreeSet IndexMap IndexSet";

impl<'a> Lowering<'a> {
    /// A method of an iterator, if the receiver is one.
    pub(crate) fn iterator_call(&mut self, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        if let Some(it) = self.iterator_by_name(&m.receiver) {
            if let Some(o) = self.advance(&it, m) {
                return Some(o);
            }
            if name == "by_ref" {
                return Some(Operand::Iter(Box::new(it)));
            }
        }
        if ADAPTERS.contains(&name.as_str()) {
            // options and arrays have some of them too
            if OF_OPTIONS.contains(&name.as_str()) && !self.surely_iterator(&m.receiver) {
                return None;
            }
            let it = self.iterator(&syn::Expr::MethodCall(m.clone()))?;
            return Some(Operand::Iter(Box::new(it)));
        }
        if super::array::items::makes_array_iterator(m) {
            let operand = self.nested_expr(&m.receiver);
            let place = self.place(operand);
            let array = match self.place_type(&place) {
                Type::NdArray(..) => true,
                ty => ty == Type::Dyn && self.place_active(&place),
            };
            return array
                .then(|| self.iterator(&syn::Expr::MethodCall(m.clone())))
                .flatten()
                .map(|it| Operand::Iter(Box::new(it)));
        }
        if !CONSUMERS.contains(&name.as_str()) || self.is_no_iterator(&m.receiver) {
            return None;
        }
        let it = self.iterator(&m.receiver)?;
        self.span = m.method.span();
        self.consume(it, m)
    }

    fn consume(&mut self, it: Iter, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let args = &m.args;
        Some(match (name.as_str(), args.len()) {
            ("sum", 0) => self.total(&it, "-0.0", "0", &arith::ADD),
            ("product", 0) => self.total(&it, "1.0", "1", &arith::MUL),
            ("fold" | "rfold", 2) => {
                let init = self.nested_expr(&args[0]);
                let f = self.function_operand(&args[1]);
                let it = if name == "rfold" { it.reversed() } else { it };
                self.fold(&it, init, &f)
            }
            ("try_fold", 2) => {
                let init = self.nested_expr(&args[0]);
                let f = self.function_operand(&args[1]);
                self.try_fold(&it, init, &f)
            }
            ("reduce", 1) => {
                let f = self.function_operand(&args[0]);
                self.reduce(it, &f)
            }
            ("for_each", 1) => {
                let f = self.function_operand(&args[0]);
                let cells = with(&self.iter_cells(&it), &self.function_cells(&f));
                self.drive(&it, None, &cells, &mut |l, item, _| {
                    match &f {
                        // what it gives is not used
                        Operand::Closure(k) if l.is_call(*k) => {
                            l.with_closure(*k, vec![item], &mut |l, body| l.statement_expr(body))
                        }
                        f => l.apply(f, vec![item]),
                    };
                    Operand::Value(l.unit())
                })
            }
            ("collect", 0) => self.collect(&it, m),
            ("unzip", 0) => self.unzip(&it),
            ("partition", 1) => {
                let f = self.function_operand(&args[0]);
                self.partition(&it, &f)
            }
            ("len" | "count", 0) if it.indexed() => Operand::Value(self.iter_len(&it)?),
            ("count", 0) => {
                let zero = self.b().int(0);
                let cell = self.temporary(zero);
                let cells = with(&self.iter_cells(&it), &[cell]);
                self.drive(&it, None, &cells, &mut |l, _, _| {
                    l.counted(cell);
                    Operand::Value(l.unit())
                });
                Operand::Value(self.cell_value(cell))
            }
            ("all" | "any", 1) => {
                let f = self.function_operand(&args[0]);
                self.whether(&it, &f, name == "any")
            }
            ("last", 0) => self.last_item(it),
            ("next", 0) => {
                let zero = self.b().int(0);
                self.nth_item(it, zero)
            }
            ("next_back", 0) => {
                let zero = self.b().int(0);
                self.nth_item(it.reversed(), zero)
            }
            ("nth", 1) => {
                let k = self.operand(&args[0]);
                self.nth_item(it, k)
            }
            ("max_by" | "min_by", 1) => {
                let f = self.function_operand(&args[0]);
                let order = &mut |l: &mut Self, a, b| l.apply(&f, vec![by_ref(a), by_ref(b)]);
                self.extreme(it, order, &self.function_cells(&f), name == "max_by")
            }
            ("max_by_key" | "min_by_key", 1) => {
                let f = self.function_operand(&args[0]);
                if self.function_changes(&f) {
                    return Some(self.unsupported(
                        m.method.span(),
                        "a key that changes a variable, as it would be asked for more than once, is not supported",
                        "collect the keys first: `let keys: Vec<_> = it.map(key).collect();`",
                    ));
                }
                let key = |l: &mut Self, item| {
                    let o = l.apply(&f, vec![by_ref(item)]);
                    l.value(o)
                };
                let mut order = |l: &mut Self, a, b| {
                    let (a, b) = (key(l, a), key(l, b));
                    l.order_of(a, b)
                };
                self.extreme(it, &mut order, &[], name == "max_by_key")
            }
            ("max" | "min", 0) => {
                let mut order = |l: &mut Self, a, b| {
                    let (a, b) = (l.value(a), l.value(b));
                    l.order_of(a, b)
                };
                self.extreme(it, &mut order, &[], name == "max")
            }
            ("position" | "find" | "find_map", 1) => {
                let f = self.function_operand(&args[0]);
                self.search(&it, &f, &name)
            }
            ("rposition", 1) if it.indexed() => {
                let f = self.function_operand(&args[0]);
                let len = self.iter_len(&it)?;
                let Operand::Opt(flag, k) = self.search(&it.reversed(), &f, "position") else { return None };
                let (one, k) = (self.b().int(1), self.value(*k));
                let last = self.minus(len, one);
                Operand::Opt(flag, Box::new(Operand::Value(self.minus(last, k))))
            }
            _ => return None,
        })
    }

    /// Whether a receiver is surely something else: an array of `ndarray` has `sum` and `fold` too.
    pub(crate) fn is_no_iterator(&mut self, e: &syn::Expr) -> bool {
        if self.surely_iterator(e) {
            return false;
        }
        match super::control::strip(e) {
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                if name == "clone" {
                    return self.iterator_by_name(&m.receiver).is_none();
                }
                if name == "map" && self.surely_array(&m.receiver) {
                    return true;
                }
                !ADAPTERS.contains(&name.as_str())
            }
            _ => true,
        }
    }

    fn total(&mut self, it: &Iter, float: &str, int: &str, prim: &'static crate::ir::Primitive) -> Operand {
        let value = float.parse().expect("a float");
        let init = self.push(Op::Const(Const::Float(value, float.to_owned())), vec![], Type::Float(Float::Any));
        let cell = self.temporary(init);
        let mut cells = self.iter_cells(it);
        cells.push(cell);
        let mut integer = false;
        self.drive(it, None, &cells, &mut |l, item, _| {
            let x = l.value(item);
            if matches!(l.func.ty(x), Type::Option(_)) {
                let span = l.span;
                return l.unsupported(
                    span,
                    "a sum or a product of options is not supported",
                    "use `try_fold`, or `flatten()` to leave out what is `None`",
                );
            }
            let sum = l.cell_value(cell);
            if matches!(l.func.ty(x), Type::Int(_)) {
                // it is known only now what is summed
                integer = true;
                let ty = l.ty(x);
                l.func.values[sum].ty = ty;
            }
            let sum = l.arithmetic(prim, &[sum, x]);
            l.set_cell(cell, sum);
            Operand::Value(l.unit())
        });
        if integer {
            let result = self.cell_value(cell);
            let ty = self.ty(result);
            self.func.values[init].ty = ty;
            if let Some(n) = self.func.maker(init) {
                self.func[n].op = Op::Const(Const::Int(int.to_owned()));
            }
        }
        Operand::Value(self.cell_value(cell))
    }

    pub(crate) fn fold(&mut self, it: &Iter, init: Operand, f: &Operand) -> Operand {
        let init = self.value(init);
        let cell = self.temporary(init);
        let cells = with(&with(&self.iter_cells(it), &self.function_cells(f)), &[cell]);
        self.drive(it, None, &cells, &mut |l, item, _| {
            let acc = l.cell_value(cell);
            let o = l.apply(f, vec![Operand::Value(acc), item]);
            let v = l.value(o);
            l.set_cell(cell, v);
            Operand::Value(l.unit())
        });
        Operand::Value(self.cell_value(cell))
    }

    /// `try_fold` with options.
    fn try_fold(&mut self, it: &Iter, init: Operand, f: &Operand) -> Operand {
        let init = self.value(init);
        let yes = self.b().bool(true);
        let (cell, good) = (self.temporary(init), self.temporary(yes));
        let cells = with(&with(&self.iter_cells(it), &self.function_cells(f)), &[cell, good]);
        // several loops in a row: nothing is done once it has failed
        let one_loop = it.one_loop();
        self.drive(it, None, &cells, &mut |l, item, _| {
            let target = l.targets.len() - 1;
            let still = l.cell_value(good);
            let mut step = |l: &mut Self| {
                let acc = l.cell_value(cell);
                let o = l.apply(f, vec![Operand::Value(acc), item.clone()]);
                l.if_some(
                    o,
                    &mut |l, o| {
                        let v = l.value(o);
                        l.set_cell(cell, v);
                        Operand::Value(l.unit())
                    },
                    &mut |l: &mut Self| {
                        let no = l.b().bool(false);
                        l.set_cell(good, no);
                        if one_loop { l.stop(target) } else { Operand::Value(l.unit()) }
                    },
                )
            };
            if one_loop { step(l) } else { l.if_value(still, &mut step, &mut |l: &mut Self| Operand::Value(l.unit())) }
        });
        let flag = self.cell_value(good);
        Operand::Opt(flag, Box::new(Operand::Value(self.cell_value(cell))))
    }

    /// `reduce`: a fold that begins with the first item.
    fn reduce(&mut self, it: Iter, f: &Operand) -> Operand {
        let it = self.indexed(it);
        let zero = self.b().int(0);
        let Operand::Opt(flag, first) = self.nth_item(it.clone(), zero) else { return Operand::Never };
        let first = self.item_value(flag, *first);
        let one = self.b().int(1);
        let rest = Iter::Skip(Box::new(it), one);
        let result = self.fold(&rest, first, f);
        Operand::Opt(flag, Box::new(result))
    }

    /// An item that is read only where there is one.
    fn item_value(&mut self, flag: Value, item: Operand) -> Operand {
        match item {
            Operand::Value(_) => item,
            item => {
                self.if_value(flag, &mut |l: &mut Self| Operand::Value(l.value(item.clone())), &mut |_| Operand::Never)
            }
        }
    }

    /// `collect` into a vector.
    pub(crate) fn collect(&mut self, it: &Iter, m: &syn::ExprMethodCall) -> Operand {
        let written = match m.turbofish.as_ref().and_then(|t| t.args.first()) {
            Some(syn::GenericArgument::Type(ty)) => Some(ty.clone()),
            _ => self.expected_of(m),
        };
        let into = written.as_ref().map(types::strip);
        let array = matches!(written.as_ref().map(types::of_rust), Some(Type::NdArray(..)));
        let vec = match into {
            _ if array => false,
            None | Some(syn::Type::Infer(_)) => true,
            Some(syn::Type::Path(p)) => {
                p.path.segments.last().is_some_and(|s| !COLLECTIONS.split(' ').any(|c| s.ident == c))
            }
            Some(_) => false,
        };
        if !vec {
            if self.iter_active(it)
                && let Some(ty @ Type::NdArray(..)) = written.as_ref().map(types::of_rust)
            {
                let v = self.vector_of(it, Type::Dyn);
                return self.as_declared(Operand::Value(v), &ty);
            }
            if !self.iter_active(it) {
                return Operand::Value(self.verbatim_value(m.to_token_stream(), Type::Dyn));
            }
            return self.unsupported(
                m.method.span(),
                "collecting differentiable values into this type is not supported",
                "collect into a `Vec`",
            );
        }
        let element = match written.as_ref().map(types::of_rust) {
            Some(Type::Vec(t)) => *t,
            _ => Type::Dyn,
        };
        Operand::Value(self.vector_of(it, element))
    }

    /// The items as a vector.
    pub(crate) fn vector_of(&mut self, it: &Iter, element: Type) -> Value {
        let capacity = if it.indexed() { self.iter_len(it).into_iter().collect() } else { vec![] };
        let empty = self.push(Op::VecEmpty, capacity, Type::Vec(Box::new(element)));
        let cell = self.temporary(empty);
        let cells = with(&self.iter_cells(it), &[cell]);
        self.drive(it, None, &cells, &mut |l, item, _| {
            let x = l.value(item);
            l.append(cell, x);
            Operand::Value(l.unit())
        });
        let v = self.cell_value(cell);
        self.func.values[empty].ty = self.ty(v);
        v
    }

    /// Pushes a value on the vector in a cell.
    fn append(&mut self, cell: usize, x: Value) {
        let vec = self.cell_value(cell);
        let element = match (self.ty(vec).element(), self.ty(x)) {
            (Type::Dyn, ty) | (ty, Type::Dyn) => ty,
            (old, new) => match old.join(&new) {
                Type::Dyn => new,
                ty => ty,
            },
        };
        let ty = Type::Vec(Box::new(element));
        // the element type is known now
        self.func.values[vec].ty = ty.clone();
        let new = self.push(Op::Push(Path::default()), vec![vec, x], ty);
        self.set_cell(cell, new);
    }

    fn vector_cell(&mut self) -> usize {
        let empty = self.push(Op::VecEmpty, vec![], Type::Vec(Box::new(Type::Dyn)));
        self.temporary(empty)
    }

    /// The vectors in two cells, as a pair.
    fn vectors(&mut self, empties: [Value; 2], cells: [usize; 2]) -> Operand {
        let parts = cells.map(|c| self.cell_value(c));
        for (empty, v) in empties.into_iter().zip(parts) {
            self.func.values[empty].ty = self.ty(v);
        }
        Operand::Parts(parts.map(Operand::Value).to_vec())
    }

    fn unzip(&mut self, it: &Iter) -> Operand {
        let pair = [self.vector_cell(), self.vector_cell()];
        let empties = pair.map(|c| self.cell_value(c));
        let cells = with(&self.iter_cells(it), &pair);
        self.drive(it, None, &cells, &mut |l, item, _| {
            for (k, cell) in pair.into_iter().enumerate() {
                let part = match &item {
                    Operand::Parts(parts) => parts[k].clone(),
                    o => l.part(o, crate::ir::Step::Field(k.to_string()), None, false),
                };
                let x = l.value(part);
                l.append(cell, x);
            }
            Operand::Value(l.unit())
        });
        self.vectors(empties, pair)
    }

    fn partition(&mut self, it: &Iter, f: &Operand) -> Operand {
        let pair = [self.vector_cell(), self.vector_cell()];
        let empties = pair.map(|c| self.cell_value(c));
        let cells = with(&with(&self.iter_cells(it), &self.function_cells(f)), &pair);
        self.drive(it, None, &cells, &mut |l, item, _| {
            let o = l.apply(f, vec![by_ref(item.clone())]);
            let c = l.value(o);
            let mut to = |l: &mut Self, cell: usize| {
                let x = l.value(item.clone());
                l.append(cell, x);
                Operand::Value(l.unit())
            };
            let to = std::cell::RefCell::new(&mut to);
            l.if_value(c, &mut |l: &mut Self| (*to.borrow_mut())(l, pair[0]), &mut |l: &mut Self| {
                (*to.borrow_mut())(l, pair[1])
            })
        });
        self.vectors(empties, pair)
    }
}
