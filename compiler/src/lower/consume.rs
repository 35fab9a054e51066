//! What is done with an iterator: it becomes loops, the same as hand-written ones.

use super::control::Tail;
use super::iter::Iter;
use super::{Lowering, Operand, types};
use crate::ir::{Const, Float, LoopKind, Op, Type};
use crate::prims::{arith, compare};

/// What is done with an item.
pub(crate) type Each<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, Operand, Tail) -> Operand;

/// Methods that make an iterator of another.
const ADAPTERS: [&str; 19] = [
    "map",
    "filter",
    "take_while",
    "inspect",
    "flat_map",
    "scan",
    "chain",
    "rev",
    "enumerate",
    "copied",
    "cloned",
    "zip",
    "skip",
    "take",
    "step_by",
    "windows",
    "chunks",
    "chunks_exact",
    "into_iter",
];

/// Methods that consume one.
const CONSUMERS: [&str; 14] = [
    "sum", "product", "fold", "for_each", "collect", "count", "all", "any", "last", "nth", "max_by", "min_by",
    "position", "find",
];

impl<'a> Lowering<'a> {
    /// A method of an iterator, if the receiver is one.
    pub(crate) fn iterator_call(&mut self, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        if name == "map" && m.args.len() == 1 && self.is_no_iterator(&m.receiver) {
            return self.array_map(m);
        }
        if ADAPTERS.contains(&name.as_str()) {
            // arrays have a `map` of their own, and arrays and scalars a `take` or `rev` never
            let it = self.iterator(&syn::Expr::MethodCall(m.clone()))?;
            return Some(Operand::Iter(Box::new(it)));
        }
        if !CONSUMERS.contains(&name.as_str()) || self.is_no_iterator(&m.receiver) {
            return None;
        }
        let it = self.iterator(&m.receiver)?;
        self.span = m.method.span();
        let span = m.method.span();
        Some(match name.as_str() {
            "sum" => self.reduce(&it, "-0.0", "0", &arith::ADD),
            "product" => self.reduce(&it, "1.0", "1", &arith::MUL),
            "fold" => {
                let init = self.nested_expr(&m.args[0]);
                let f = self.function_operand(&m.args[1]);
                self.fold(&it, init, &f)
            }
            "for_each" => {
                let f = self.function_operand(&m.args[0]);
                let mut cells = self.iter_cells(&it);
                cells.extend(self.function_cells(&f));
                self.drive(&it, None, &cells, &mut |l, item, _| {
                    l.apply(&f, vec![item]);
                    Operand::Value(l.unit())
                })
            }
            "collect" => self.collect(&it, m),
            "count" => {
                let zero = self.b().int(0);
                let cell = self.temporary(zero);
                let mut cells = self.iter_cells(&it);
                cells.push(cell);
                self.drive(&it, None, &cells, &mut |l, _, _| {
                    let n = l.cell_value(cell);
                    let one = l.b().int(1);
                    let n = l.usize_op(&arith::ADD, n, one);
                    l.set_cell(cell, n);
                    Operand::Value(l.unit())
                });
                Operand::Value(self.cell_value(cell))
            }
            "all" | "any" => {
                let any = name == "any";
                let f = self.function_operand(&m.args[0]);
                let start = self.b().bool(!any);
                let cell = self.temporary(start);
                let mut cells = self.iter_cells(&it);
                cells.extend(self.function_cells(&f));
                cells.push(cell);
                self.drive(&it, None, &cells, &mut |l, item, _| {
                    let o = l.apply(&f, vec![item]);
                    let mut found = l.value(o);
                    if !any {
                        found = l.primitive(&compare::NOT, &[found]);
                    }
                    let target = l.targets.len() - 1;
                    l.if_value(
                        found,
                        &mut |l: &mut Self| {
                            let v = l.b().bool(any);
                            l.set_cell(cell, v);
                            l.exit(target, false, None, span, Tail::No)
                        },
                        &mut |l: &mut Self| Operand::Value(l.unit()),
                    )
                });
                Operand::Value(self.cell_value(cell))
            }
            "last" | "nth" => {
                let it = self.indexed(it, m);
                let len = self.iter_len(&it);
                let k = match m.args.first() {
                    Some(k) => self.operand(k),
                    None => {
                        // the last, or what is never looked at
                        let zero = self.b().int(0);
                        let some = self.primitive(&compare::LT, &[zero, len]);
                        let one = self.b().int(1);
                        let last = self.if_value(
                            some,
                            &mut |l: &mut Self| Operand::Value(l.usize_op(&arith::SUB, len, one)),
                            &mut |_| Operand::Value(zero),
                        );
                        self.value(last)
                    }
                };
                let flag = self.primitive(&compare::LT, &[k, len]);
                self.item_if(flag, &it, k)
            }
            "max_by" | "min_by" => {
                let f = self.function_operand(&m.args[0]);
                let it = self.indexed(it, m);
                self.extreme(&it, &f, name == "max_by")
            }
            "position" | "find" => {
                let f = self.function_operand(&m.args[0]);
                let it = self.indexed(it, m);
                let len = self.iter_len(&it);
                let cell = self.temporary(len);
                let mut cells = self.iter_cells(&it);
                cells.extend(self.function_cells(&f));
                cells.push(cell);
                let zero = self.b().int(0);
                let find = name == "find";
                let range = Iter::Range { lo: zero, hi: len, inclusive: false };
                self.drive(&range, None, &cells, &mut |l, k, _| {
                    let k = l.value(k);
                    let item = l.iter_item(&it, k);
                    let item = if find { by_ref(item) } else { item };
                    let o = l.apply(&f, vec![item]);
                    let found = l.value(o);
                    let target = l.targets.len() - 1;
                    l.if_value(
                        found,
                        &mut |l: &mut Self| {
                            l.set_cell(cell, k);
                            l.exit(target, false, None, span, Tail::No)
                        },
                        &mut |l: &mut Self| Operand::Value(l.unit()),
                    )
                });
                let k = self.cell_value(cell);
                let flag = self.primitive(&compare::LT, &[k, len]);
                if find { self.item_if(flag, &it, k) } else { Operand::Opt(flag, Box::new(Operand::Value(k))) }
            }
            _ => return None,
        })
    }

    /// Whether a receiver is surely something else: an array of `ndarray` has `sum` and `fold` too.
    pub(crate) fn is_no_iterator(&mut self, e: &syn::Expr) -> bool {
        match super::control::strip(e) {
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let makes = ["iter", "iter_mut", "into_iter", "windows", "chunks", "chunks_exact"];
                !ADAPTERS.contains(&name.as_str()) && !makes.contains(&name.as_str())
            }
            syn::Expr::Range(_) => false,
            syn::Expr::Path(p) => {
                let name = p.path.get_ident().map(types::plain_name).unwrap_or_default();
                !matches!(self.lookup(&name), Some(super::env::Binding::Iter(_)))
            }
            _ => true,
        }
    }

    /// Runs `each` for the items of an iterator, in order. `cells`: what it may change.
    pub(crate) fn drive(&mut self, it: &Iter, label: Option<String>, cells: &[usize], each: Each<'_, 'a>) -> Operand {
        if let Some((lo, hi, inclusive, reversed)) = it.range() {
            let ty = self.common_type(&[lo, hi]);
            let ty = if matches!(ty, Type::Int(_)) { ty } else { Type::INT };
            let kind = LoopKind::For { inclusive, reversed };
            let item = std::cell::Cell::new(None);
            return self.build_loop(
                kind,
                vec![lo, hi],
                vec![ty],
                label,
                cells,
                false,
                &mut |_, p| item.set(Some(p[0])),
                &mut |l, tail| each(l, Operand::Value(item.get().expect("bound")), tail),
            );
        }
        match it {
            it if it.indexed() => {
                let len = self.iter_len(it);
                let zero = self.b().int(0);
                let index = std::cell::Cell::new(None);
                self.build_loop(
                    LoopKind::For { inclusive: false, reversed: false },
                    vec![zero, len],
                    vec![Type::USIZE],
                    label,
                    cells,
                    false,
                    &mut |_, p| index.set(Some(p[0])),
                    &mut |l, tail| {
                        let item = l.iter_item(it, index.get().expect("bound"));
                        each(l, item, tail)
                    },
                )
            }
            Iter::Map(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let item = l.apply(f, vec![item]);
                each(l, item, tail)
            }),
            Iter::Copied(inner) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let item = l.copied(item);
                each(l, item, tail)
            }),
            Iter::Inspect(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                l.apply(f, vec![by_ref(item.clone())]);
                each(l, item, tail)
            }),
            Iter::Filter(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let o = l.apply(f, vec![by_ref(item.clone())]);
                let c = l.value(o);
                l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut |l: &mut Self| {
                    Operand::Value(l.unit())
                })
            }),
            Iter::TakeWhile(inner, f) if inner.one_loop() => self.drive(inner, label, cells, &mut |l, item, tail| {
                let target = l.targets.len() - 1;
                let o = l.apply(f, vec![by_ref(item.clone())]);
                let c = l.value(o);
                let span = l.span;
                l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut |l: &mut Self| {
                    l.exit(target, false, None, span, Tail::No)
                })
            }),
            Iter::TakeWhile(inner, f) => {
                // the items of several loops: those that follow are passed over
                let no = self.b().bool(false);
                let done = self.temporary(no);
                let mut cells = cells.to_vec();
                cells.push(done);
                self.drive(inner, label, &cells, &mut |l, item, tail| {
                    let over = l.cell_value(done);
                    l.if_value(over, &mut |l: &mut Self| Operand::Value(l.unit()), &mut |l: &mut Self| {
                        let o = l.apply(f, vec![by_ref(item.clone())]);
                        let c = l.value(o);
                        l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut |l: &mut Self| {
                            let yes = l.b().bool(true);
                            l.set_cell(done, yes);
                            Operand::Value(l.unit())
                        })
                    })
                })
            }
            Iter::Enumerate(inner) => {
                let zero = self.b().int(0);
                let cell = self.temporary(zero);
                let mut cells = cells.to_vec();
                cells.push(cell);
                self.drive(inner, label, &cells, &mut |l, item, tail| {
                    let n = l.cell_value(cell);
                    let one = l.b().int(1);
                    let next = l.usize_op(&arith::ADD, n, one);
                    l.set_cell(cell, next);
                    each(l, Operand::Parts(vec![Operand::Value(n), item]), tail)
                })
            }
            Iter::Scan(inner, init, k) => {
                let cell = self.temporary(*init);
                let mut cells = cells.to_vec();
                cells.push(cell);
                self.drive(inner, label, &cells, &mut |l, item, tail| {
                    let state = Self::state_place(cell);
                    match l.call_closure_some(*k, vec![Operand::Place(state), item]) {
                        Some(o) => {
                            // the item is what it was when it was made
                            let o = match o {
                                Operand::Place(p) => Operand::Value(l.read(&p)),
                                o => o,
                            };
                            each(l, o, tail)
                        }
                        None => {
                            let span = l.span;
                            l.unsupported(
                                span,
                                "the closure of `scan` must end in `Some(…)`",
                                "write a loop with a variable for the state",
                            )
                        }
                    }
                })
            }
            Iter::Chain(a, b) if label.is_none() => {
                let before = self.flag_values();
                self.drive(a, None, cells, each);
                match self.exits_since(&before) {
                    None => self.drive(b, None, cells, each),
                    // left for good in the first part
                    Some(left) => {
                        self.if_value(left, &mut |_| Operand::Never, &mut |l: &mut Self| l.drive(b, None, cells, each))
                    }
                }
            }
            Iter::FlatMap(inner, k) => {
                self.drive(inner, label, cells, &mut |l, item, _| l.flat_map(*k, item, cells, each))
            }
            _ => {
                let span = self.span;
                self.unsupported(
                    span,
                    "this combination of iterator methods is not supported yet",
                    "collect the part after `filter` or `chain` into a `Vec` first",
                )
            }
        }
    }

    fn state_place(cell: usize) -> super::place::Place {
        super::place::Place {
            root: super::place::Root::Cell(cell),
            path: crate::ir::Path::default(),
            operands: vec![],
            is_ref: true,
        }
    }

    fn reduce(&mut self, it: &Iter, float: &str, int: &str, prim: &'static crate::ir::Primitive) -> Operand {
        let value = float.parse().expect("a float");
        let init = self.push(Op::Const(Const::Float(value, float.to_owned())), vec![], Type::Float(Float::Any));
        let cell = self.temporary(init);
        let mut cells = self.iter_cells(it);
        cells.push(cell);
        let mut integer = false;
        self.drive(it, None, &cells, &mut |l, item, _| {
            let x = l.value(item);
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
            let node = self.func.nodes.iter().find(|(_, d)| d.outs.contains(&init)).map(|(n, _)| n);
            if let Some(n) = node {
                self.func[n].op = Op::Const(Const::Int(int.to_owned()));
            }
        }
        Operand::Value(self.cell_value(cell))
    }

    fn fold(&mut self, it: &Iter, init: Operand, f: &Operand) -> Operand {
        let init = self.value(init);
        let cell = self.temporary(init);
        let mut cells = self.iter_cells(it);
        cells.extend(self.function_cells(f));
        cells.push(cell);
        self.drive(it, None, &cells, &mut |l, item, _| {
            let acc = l.cell_value(cell);
            let o = l.apply(f, vec![Operand::Value(acc), item]);
            let v = l.value(o);
            l.set_cell(cell, v);
            Operand::Value(l.unit())
        });
        Operand::Value(self.cell_value(cell))
    }

    /// `collect` into a vector.
    pub(crate) fn collect(&mut self, it: &Iter, m: &syn::ExprMethodCall) -> Operand {
        if let Some(t) = &m.turbofish
            && let Some(syn::GenericArgument::Type(ty)) = t.args.first()
            && !matches!(types::strip(ty), syn::Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Vec"))
            && !matches!(types::strip(ty), syn::Type::Infer(_))
        {
            return self.unsupported(
                m.method.span(),
                "collecting differentiable values into this type is not supported",
                "collect into a `Vec`",
            );
        }
        let capacity = if it.indexed() { vec![self.iter_len(it)] } else { vec![] };
        let empty = self.push(Op::VecEmpty, capacity, Type::Vec(Box::new(Type::Dyn)));
        let cell = self.temporary(empty);
        let mut cells = self.iter_cells(it);
        cells.push(cell);
        self.drive(it, None, &cells, &mut |l, item, _| {
            let x = l.value(item);
            let vec = l.cell_value(cell);
            let ty = Type::Vec(Box::new(l.ty(x)));
            // the element type is known now
            l.func.values[vec].ty = ty.clone();
            let new = l.push(Op::Push, vec![vec, x], ty);
            l.set_cell(cell, new);
            Operand::Value(l.unit())
        });
        let v = self.cell_value(cell);
        self.func.values[empty].ty = self.ty(v);
        Operand::Value(v)
    }
}

/// Closures of `filter` and the like get references to the items.
pub(crate) fn by_ref(o: Operand) -> Operand {
    match o {
        Operand::Place(p) => Operand::Place(p.by_ref(true)),
        o => o,
    }
}
