//! Iterators become loops, the same as hand-written ones.

use super::control::{ArmFn, Tail};
use super::iter::Iter;
use super::{Lowering, Operand};
use crate::ir::{LoopKind, Type, Value};
use crate::prims::{arith, compare};

/// What is done with an item.
pub(crate) type Each<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, Operand, Tail) -> Operand;
/// What is done with what is in an option.
pub(crate) type Found<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, Operand) -> Operand;
/// Decides about an item: calls the second with what goes on, or the third to end.
type Test<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, Operand, Found<'_, 'a>, ArmFn<'_, 'a>) -> Operand;

impl<'a> Lowering<'a> {
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
        if it.indexed() {
            return self.drive_indexed(it, label, cells, each);
        }
        match it {
            Iter::Kept(k) => self.drive_kept(k, label, cells, each),
            Iter::Map(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let item = l.apply(f, vec![item]);
                each(l, item, tail)
            }),
            Iter::Copied(inner) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let item = l.copied(item);
                each(l, item, tail)
            }),
            Iter::InTurn(inner) => self.drive(inner, label, cells, each),
            Iter::Inspect(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                l.apply(f, vec![by_ref(item.clone())]);
                each(l, item, tail)
            }),
            Iter::Filter(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let o = l.apply(f, vec![by_ref(item.clone())]);
                let c = l.value(o);
                l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut nothing)
            }),
            Iter::FilterMap(inner, f) => self.drive(inner, label, cells, &mut |l, item, tail| {
                let o = l.apply(f, vec![item]);
                l.if_some(o, &mut |l, item| each(l, item, tail), &mut nothing)
            }),
            Iter::SkipWhile(inner, f) => {
                let no = self.b().bool(false);
                let begun = self.temporary(no);
                self.drive(inner, label, &with(cells, &[begun]), &mut |l, item, tail| {
                    let over = l.cell_value(begun);
                    let o = l.if_value(over, &mut |_| Operand::Value(over), &mut |l: &mut Self| {
                        let o = l.apply(f, vec![by_ref(item.clone())]);
                        let c = l.value(o);
                        Operand::Value(l.primitive(&compare::NOT, &[c]))
                    });
                    let c = l.value(o);
                    l.set_cell(begun, c);
                    l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut nothing)
                })
            }
            Iter::TakeWhile(inner, f) => self.until(
                inner,
                label,
                cells,
                &mut |l, item, then_, stop| {
                    let o = l.apply(f, vec![by_ref(item.clone())]);
                    let c = l.value(o);
                    l.if_value(c, &mut |l: &mut Self| then_(l, item.clone()), stop)
                },
                each,
            ),
            Iter::MapWhile(inner, f) => self.until(
                inner,
                label,
                cells,
                &mut |l, item, then_, stop| {
                    let o = l.apply(f, vec![item]);
                    l.if_some(o, then_, stop)
                },
                each,
            ),
            Iter::Scan(inner, init, f) => {
                let cell = self.temporary(*init);
                self.until(
                    inner,
                    label,
                    &with(cells, &[cell]),
                    &mut |l, item, then_, stop| {
                        let o = l.apply(f, vec![Operand::Place(Self::cell_place(cell)), item]);
                        l.if_some(
                            o,
                            &mut |l, o| {
                                // the item is what it was when it was made
                                let o = l.copied(o);
                                then_(l, o)
                            },
                            stop,
                        )
                    },
                    each,
                )
            }
            Iter::Enumerate(inner) => self.drive_counted(inner, label, cells, &mut |l, n, item, tail| {
                each(l, Operand::Parts(vec![Operand::Value(n), item]), tail)
            }),
            Iter::Skip(inner, least) => self.drive_counted(inner, label, cells, &mut |l, n, item, tail| {
                let c = l.primitive(&compare::LE, &[*least, n]);
                l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut nothing)
            }),
            Iter::StepBy(inner, step) => self.drive_counted(inner, label, cells, &mut |l, n, item, tail| {
                let rest = l.usize_op(&arith::REM, n, *step);
                let zero = l.b().int(0);
                let c = l.primitive(&compare::EQ, &[rest, zero]);
                l.if_value(c, &mut |l: &mut Self| each(l, item.clone(), tail), &mut nothing)
            }),
            Iter::Take(inner, most) => self.drive_some(inner, *most, label, cells, each),
            Iter::Zip(a, b) => {
                let (one, other, first) = if a.indexed() { (b, a, false) } else { (a, b, true) };
                let len = self.iter_len(other);
                let zero = self.b().int(0);
                let count = self.temporary(zero);
                let beside = |l: &mut Self, k: Value, item: Operand| {
                    let two = l.iter_item(other, k);
                    Operand::Parts(if first { vec![item, two] } else { vec![two, item] })
                };
                self.until(
                    one,
                    label,
                    &with(cells, &[count]),
                    &mut |l, item, then_, stop| {
                        let k = l.counted(count);
                        let Some(len) = len else {
                            let item = beside(l, k, item);
                            return then_(l, item);
                        };
                        let c = l.primitive(&compare::LT, &[k, len]);
                        l.if_value(
                            c,
                            &mut |l: &mut Self| {
                                let item = beside(l, k, item.clone());
                                then_(l, item)
                            },
                            stop,
                        )
                    },
                    each,
                )
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
            Iter::Flatten(inner) => self.drive(inner, label, cells, &mut |l, item, _| l.flattened(item, cells, each)),
            Iter::Successors(first, f) => self.drive_successors(first, f, label, cells, each),
            Iter::FromFn(f) => self.drive_endless(label, cells, &mut |l, tail| {
                let target = l.targets.len() - 1;
                let o = l.apply(f, vec![]);
                l.if_some(o, &mut |l, item| each(l, item, tail), &mut |l: &mut Self| l.stop(target))
            }),
            Iter::RepeatWith(f) => self.drive_endless(label, cells, &mut |l, tail| {
                let item = l.apply(f, vec![]);
                each(l, item, tail)
            }),
            Iter::Rest(_, front, _) => {
                // nothing else advances it meanwhile
                let from = self.cell_value(*front);
                let items = self.moved(it.clone());
                let one = self.b().int(1);
                let next = self.usize_op(&arith::ADD, from, one);
                let numbered = Iter::Enumerate(Box::new(items));
                self.drive(&numbered, label, &with(cells, &[*front]), &mut |l, item, tail| {
                    let Operand::Parts(mut parts) = item else { unreachable!("an index and an item") };
                    let item = parts.pop().expect("an item");
                    let k = l.value(parts.remove(0));
                    let at = l.usize_op(&arith::ADD, next, k);
                    l.set_cell(*front, at);
                    each(l, item, tail)
                })
            }
            Iter::Rev(inner) => {
                let items = self.indexed((**inner).clone());
                self.drive(&Iter::Rev(Box::new(items)), label, cells, each)
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

    fn drive_indexed(&mut self, it: &Iter, label: Option<String>, cells: &[usize], each: Each<'_, 'a>) -> Operand {
        let len = self.iter_len(it);
        let zero = self.b().int(0);
        let Some(len) = len else {
            let count = self.temporary(zero);
            return self.drive_endless(label, &with(cells, &[count]), &mut |l, tail| {
                let k = l.counted(count);
                let item = l.iter_item(it, k);
                each(l, item, tail)
            });
        };
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

    fn drive_endless(
        &mut self,
        label: Option<String>,
        cells: &[usize],
        body: &mut dyn FnMut(&mut Lowering<'a>, Tail) -> Operand,
    ) -> Operand {
        self.build_loop(LoopKind::Infinite, vec![], vec![], label, cells, false, &mut |_, _| {}, body)
    }

    /// Each item with its number.
    fn drive_counted(
        &mut self,
        inner: &Iter,
        label: Option<String>,
        cells: &[usize],
        each: &mut dyn FnMut(&mut Lowering<'a>, Value, Operand, Tail) -> Operand,
    ) -> Operand {
        let zero = self.b().int(0);
        let count = self.temporary(zero);
        self.drive(inner, label, &with(cells, &[count]), &mut |l, item, tail| {
            let n = l.counted(count);
            each(l, n, item, tail)
        })
    }

    /// The number in a cell, which is one more afterwards.
    pub(crate) fn counted(&mut self, cell: usize) -> Value {
        let n = self.cell_value(cell);
        let one = self.b().int(1);
        let next = self.usize_op(&arith::ADD, n, one);
        self.set_cell(cell, next);
        n
    }

    /// At most so many items: after the last no other is asked for.
    fn drive_some(
        &mut self,
        inner: &Iter,
        most: Value,
        label: Option<String>,
        cells: &[usize],
        each: Each<'_, 'a>,
    ) -> Operand {
        let zero = self.b().int(0);
        let any = self.primitive(&compare::LT, &[zero, most]);
        let no = self.b().bool(false);
        let (count, done) = (self.temporary(zero), self.temporary(no));
        let one_loop = inner.one_loop();
        let cells = with(cells, &[count, done]);
        let last = |l: &mut Self| {
            l.counted(count);
            let next = l.cell_value(count);
            l.primitive(&compare::LE, &[most, next])
        };
        let mut drive = |l: &mut Self| {
            l.drive(inner, label.clone(), &cells, &mut |l, item, _| {
                if one_loop {
                    let target = l.targets.len() - 1;
                    let last = last(l);
                    let o = each(l, item, Tail::No);
                    l.stop_if(target, last);
                    return o;
                }
                let over = l.cell_value(done);
                l.if_value(over, &mut nothing, &mut |l: &mut Self| {
                    let last = last(l);
                    l.set_cell(done, last);
                    each(l, item.clone(), Tail::No)
                })
            })
        };
        self.if_value(any, &mut drive, &mut nothing)
    }

    fn drive_successors(
        &mut self,
        first: &Operand,
        f: &Operand,
        label: Option<String>,
        cells: &[usize],
        each: Each<'_, 'a>,
    ) -> Operand {
        let first = self.value(first.clone());
        let cell = self.temporary(first);
        let cells = with(cells, &self.function_cells(f));
        self.drive_endless(label, &with(&cells, &[cell]), &mut |l, tail| {
            let target = l.targets.len() - 1;
            let now = Operand::Value(l.cell_value(cell));
            l.if_some(
                now,
                &mut |l, item| {
                    let item = l.copied(item);
                    let next = l.apply(f, vec![item.clone()]);
                    let next = l.value(next);
                    l.set_cell(cell, next);
                    each(l, item, tail)
                },
                &mut |l: &mut Self| l.stop(target),
            )
        })
    }

    /// Items until a test ends them. Where they come from several loops those that follow are passed over.
    fn until(
        &mut self,
        inner: &Iter,
        label: Option<String>,
        cells: &[usize],
        test: Test<'_, 'a>,
        each: Each<'_, 'a>,
    ) -> Operand {
        if inner.one_loop() {
            return self.drive(inner, label, cells, &mut |l, item, tail| {
                let target = l.targets.len() - 1;
                test(l, item, &mut |l, item| each(l, item, tail), &mut |l: &mut Self| l.stop(target))
            });
        }
        let no = self.b().bool(false);
        let done = self.temporary(no);
        self.drive(inner, label, &with(cells, &[done]), &mut |l, item, tail| {
            let over = l.cell_value(done);
            l.if_value(over, &mut nothing, &mut |l: &mut Self| {
                test(l, item.clone(), &mut |l, item| each(l, item, tail), &mut |l: &mut Self| {
                    let yes = l.b().bool(true);
                    l.set_cell(done, yes);
                    Operand::Value(l.unit())
                })
            })
        })
    }

    /// Leaves a loop that this lowering made.
    pub(crate) fn stop(&mut self, target: usize) -> Operand {
        let span = self.span;
        self.exit(target, false, None, span, Tail::No)
    }

    /// Leaves such a loop after this iteration if a condition holds, whatever else happens in it.
    fn stop_if(&mut self, target: usize, condition: Value) {
        let (flag, no) = (self.targets[target].brk, self.targets[target].no);
        let now = self.cell_value(flag);
        let either = if now == no { condition } else { self.primitive(&compare::OR, &[now, condition]) };
        self.env.cells[flag].value = Some(either);
    }

    /// What is done with what is in an option, or else.
    pub(crate) fn if_some(&mut self, o: Operand, then_: Found<'_, 'a>, else_: ArmFn<'_, 'a>) -> Operand {
        let o = self.as_option(o);
        if let Some((flag, payload)) = self.option_parts(&o) {
            if self.certain.contains_idx(flag) {
                return if matches!(payload, Operand::Never) { else_(self) } else { then_(self, payload) };
            }
            return self.if_value(flag, &mut |l: &mut Self| then_(l, payload.clone()), else_);
        }
        if matches!(o, Operand::Never) {
            return o;
        }
        let pattern: syn::Pat = syn::parse_quote!(::core::option::Option::Some(__item));
        let item: syn::Expr = syn::parse_quote!(__item);
        self.branch_on_pattern(
            o,
            &pattern,
            None,
            &mut |l: &mut Self| {
                let item = l.expr(&item);
                then_(l, item)
            },
            else_,
        )
    }
}

fn nothing(l: &mut Lowering<'_>) -> Operand {
    Operand::Value(l.unit())
}

/// Cells, and more of them.
pub(crate) fn with(cells: &[usize], more: &[usize]) -> Vec<usize> {
    [cells, more].concat()
}

/// Closures of `filter` and the like get references to the items.
pub(crate) fn by_ref(o: Operand) -> Operand {
    match o {
        Operand::Place(p) => Operand::Place(p.by_ref(true).mutable(false)),
        o => o,
    }
}
