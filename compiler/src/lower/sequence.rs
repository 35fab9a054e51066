//! Methods of slices, vectors and arrays.

use super::control::strip;
use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::diag::catalog;
use crate::ir::{Op, RangeEnd, Step, Type, Value};
use crate::prims::compare;
use syn::spanned::Spanned;

impl Lowering<'_> {
    /// A method of a sequence; `None` if it is not one that is known.
    pub(crate) fn sequence_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let ty = self.place_type(place);
        let unit = |l: &mut Self| Some(Operand::Value(l.unit()));
        match (name.as_str(), m.args.len()) {
            ("len", 0) => {
                let v = self.read(place);
                Some(Operand::Value(self.push(Op::Len, vec![v], Type::USIZE)))
            }
            ("is_empty", 0) => {
                let v = self.read(place);
                let len = self.push(Op::Len, vec![v], Type::USIZE);
                let zero = self.b().int(0);
                Some(Operand::Value(self.primitive(&compare::EQ, &[len, zero])))
            }
            ("to_vec" | "into_vec", 0) => {
                let v = self.read(place);
                let ty = Type::Vec(Box::new(ty.element()));
                Some(Operand::Value(self.push(Op::Copy(true), vec![v], ty)))
            }
            ("to_owned", 0) => {
                let v = self.read(place);
                let slice = matches!(ty, Type::Slice(_));
                let ty = if slice { Type::Vec(Box::new(ty.element())) } else { ty };
                Some(Operand::Value(self.push(Op::Copy(slice), vec![v], ty)))
            }
            ("clone", 0) => {
                let v = self.read(place);
                if matches!(ty, Type::Slice(_)) {
                    return Some(Operand::Value(v));
                }
                Some(Operand::Value(self.push(Op::Copy(false), vec![v], ty)))
            }
            ("as_slice" | "as_mut_slice", 0) => {
                Some(Operand::Place(whole(place).by_ref(true).mutable(name.contains("mut"))))
            }
            ("as_ref" | "as_mut" | "borrow" | "each_ref" | "each_mut", 0) => {
                Some(Operand::Place(place.clone().by_ref(true).mutable(name.contains("mut"))))
            }
            ("map", 1) if matches!(ty, Type::Array(_)) => Some(self.array_map(place, &m.args[0])),
            ("push", 1) => {
                let o = self.nested_expr(&m.args[0]);
                if self.holds_function(&o) {
                    self.lost_function = true;
                    return Some(self.unsupported(
                        m.method.span(),
                        "a function that is pushed on a vector is not supported",
                        "write all of them in one `vec![…]` or array, or keep the values that they capture in the vector",
                    ));
                }
                let v = self.value(o);
                self.change(place, Op::Push, &[v]);
                unit(self)
            }
            ("first" | "last" | "get" | "first_mut" | "last_mut" | "get_mut", _) => self.element_option(place, m),
            ("reserve" | "shrink_to_fit", _) => unit(self),
            ("swap", 2) => {
                let i = self.operand(&m.args[0]);
                let j = self.operand(&m.args[1]);
                self.change(place, Op::Swap, &[i, j]);
                unit(self)
            }
            ("fill", 1) => {
                let v = self.operand(&m.args[0]);
                self.change(place, Op::Fill, &[v]);
                unit(self)
            }
            ("copy_from_slice" | "clone_from_slice", 1) => {
                let mut v = self.operand(&m.args[0]);
                if *self.func.ty(v) == Type::Dyn {
                    // an array or a vector, whose cotangent is one of the same
                    v = self.push(Op::Copy(true), vec![v], Type::Vec(Box::new(Type::Dyn)));
                }
                self.change(&whole(place), Op::Update, &[v]);
                unit(self)
            }
            ("copy_within", 2) => {
                let source = self.index_place(place.clone(), &m.args[0]);
                let source = self.value(source);
                let copied = Type::Vec(Box::new(ty.element()));
                let v = self.push(Op::Copy(true), vec![source], copied);
                let len = self.push(Op::Len, vec![v], Type::USIZE);
                let at = self.operand(&m.args[1]);
                let end = self.primitive(&crate::prims::arith::ADD, &[at, len]);
                let step = Step::Range { from: true, end: RangeEnd::Exclusive };
                let target = place.clone().step(step, [at, end]);
                self.change(&target, Op::Update, &[v]);
                unit(self)
            }
            ("split_at" | "split_at_mut", 1) => {
                let k = self.operand(&m.args[0]);
                let part = |step| {
                    let part = place.clone().step(step, [k]).by_ref(true);
                    Operand::Place(part.mutable(name.ends_with("_mut")))
                };
                let left = part(Step::Range { from: false, end: RangeEnd::Exclusive });
                let right = part(Step::Range { from: true, end: RangeEnd::Open });
                Some(Operand::Parts(vec![left, right]))
            }
            ("split_first" | "split_last" | "split_first_mut" | "split_last_mut", 0) => {
                Some(self.split_element(place, &name))
            }
            ("swap_with_slice", 1) => {
                let Operand::Place(other) = self.nested_expr(&m.args[0]) else { return None };
                let [x, y] = [place, &other].map(|place| {
                    let v = self.read(place);
                    self.push(Op::Copy(true), vec![v], Type::Vec(Box::new(ty.element())))
                });
                self.change(&whole(place), Op::Update, &[y]);
                self.change(&whole(&other), Op::Update, &[x]);
                unit(self)
            }
            ("clone_from", 1) => {
                let v = self.operand(&m.args[0]);
                let kind = self.ty(v);
                let copy = self.push(Op::Copy(false), vec![v], kind);
                self.write(place, copy);
                unit(self)
            }
            _ => self.vector_method(place, m),
        }
    }

    /// Views themselves are exchanged, not what they show.
    fn view_exchanged(&mut self) -> Operand {
        let span = self.span;
        self.unsupported(
            span,
            "views that are exchanged are not supported",
            "exchange the elements, or use the other view from here on",
        )
    }

    /// `std::mem::swap`, `replace` and `take` on places.
    pub(crate) fn memory(&mut self, name: &str, args: &[&syn::Expr]) -> Option<Operand> {
        // `&mut r` of a reference: it is made to lead somewhere else
        let set_anew = |e: &&&syn::Expr| matches!(strip(e), syn::Expr::Reference(r) if self.names_lent(&r.expr));
        if let Some(e) = args.iter().find(set_anew) {
            return Some(self.refuse(e.span(), &catalog::REFERENCE_SET_ANEW, &[]));
        }
        match (name, args) {
            ("swap", [a, b]) => {
                let a = self.nested_expr(a);
                let b = self.nested_expr(b);
                let (Operand::Place(a), Operand::Place(b)) = (a, b) else { return None };
                if a.path.view().is_some() || b.path.view().is_some() {
                    return Some(self.view_exchanged());
                }
                if let (Root::Cell(x), Root::Cell(y)) = (a.root, b.root)
                    && x == y
                    && !(a.path.0.is_empty() && b.path.0.is_empty())
                {
                    // two parts of one aggregate
                    let (x, y) = (self.detached(&a), self.detached(&b));
                    self.write(&a, y);
                    self.write(&b, x);
                    return Some(Operand::Value(self.unit()));
                }
                let (x, y) = (self.read(&a), self.read(&b));
                self.write(&a, y);
                self.write(&b, x);
                Some(Operand::Value(self.unit()))
            }
            ("replace", [a, b]) => {
                let Operand::Place(a) = self.nested_expr(a) else { return None };
                if a.path.view().is_some() {
                    return Some(self.view_exchanged());
                }
                let new = self.operand(b);
                let old = self.detached(&a);
                self.write(&a, new);
                Some(Operand::Value(old))
            }
            ("take", [a]) => {
                let Operand::Place(a) = self.nested_expr(a) else { return None };
                let old = self.detached(&a);
                let ty = self.ty(old);
                let empty = self.dummy(&ty)?;
                self.write(&a, empty);
                Some(Operand::Value(old))
            }
            _ => None,
        }
    }

    /// Reads a place into a value that stays as it is when the place changes.
    fn detached(&mut self, place: &Place) -> Value {
        let v = self.read(place);
        let ty = self.ty(v);
        if place.path.0.is_empty() || ty.is_scalar() {
            return v;
        }
        self.push(Op::Copy(false), vec![v], ty)
    }
}

/// The place as a slice, so that a store copies elements.
fn whole(place: &Place) -> Place {
    if place.path.is_slice() {
        return place.clone();
    }
    place.clone().step(Step::Range { from: false, end: RangeEnd::Open }, [])
}

impl Lowering<'_> {
    /// A method that says of a field whose type is not visible, or of an element of one, that it is a vector or a slice.
    /// `option`: whether what it gives is known to be an option.
    pub(crate) fn unseen_vector(&mut self, place: &Place, m: &syn::ExprMethodCall, option: bool) -> Option<Operand> {
        let seen = match place.root {
            Root::Cell(c) if place.path.0.is_empty() => {
                let cell = &self.env.cells[c];
                self.seen_sequence(&cell.name) && cell.origin.is_none_or(|v| !self.is_of_type(v))
            }
            _ => false,
        };
        if !seen && !self.was_part(place) {
            return None;
        }
        match (m.method.to_string().as_str(), m.args.len()) {
            (
                "push" | "truncate" | "extend" | "extend_from_slice" | "extend_from_within" | "remove" | "swap_remove",
                1,
            )
            | ("clear" | "pop", 0)
            | ("resize" | "insert", 2) => self.sequence_method(place, m),
            ("sort" | "sort_unstable", 0)
            | ("sort_by" | "sort_unstable_by" | "sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key", 1)
            | ("select_nth_unstable_by" | "select_nth_unstable_by_key", 2) => {
                // an array or a vector: the elements are taken out, sorted, and put back
                let v = self.read(place);
                let v = self.push(Op::Copy(true), vec![v], Type::Vec(Box::new(Type::Dyn)));
                let (o, v) = self.of_vector(v, m);
                self.change(&whole(place), Op::Update, &[v]);
                o
            }
            ("retain" | "append" | "split_off", 1) | ("dedup", 0) => {
                // taken out, changed, put back
                let v = self.read(place);
                let v = self.push(Op::Copy(false), vec![v], Type::Vec(Box::new(Type::Dyn)));
                let (o, v) = self.of_vector(v, m);
                self.write(place, v);
                o
            }
            ("map", 1) if matches!(m.args[0], syn::Expr::Closure(_) | syn::Expr::Path(_)) => {
                Some(self.array_map(place, &m.args[0]))
            }
            ("is_empty" | "reverse", 0)
            | ("chunk_by" | "chunk_by_mut", 1)
            | ("swap" | "copy_within", 2)
            | ("fill" | "fill_with" | "partition_point" | "binary_search_by" | "rotate_left" | "rotate_right", 1)
            | ("split_at" | "split_at_mut" | "copy_from_slice" | "clone_from_slice" | "swap_with_slice", 1) => {
                self.sequence_method(place, m)
            }
            ("first" | "last" | "first_mut" | "last_mut", 0)
            | ("split_first" | "split_last" | "split_first_mut" | "split_last_mut", 0)
            | ("get" | "get_mut", 1)
                if option =>
            {
                self.sequence_method(place, m)
            }
            _ => None,
        }
    }

    /// A method of a vector that has no name, and the vector afterwards.
    fn of_vector(&mut self, v: Value, m: &syn::ExprMethodCall) -> (Option<Operand>, Value) {
        let cell = self.temporary(v);
        let o = self.sequence_method(&Place::whole(Root::Cell(cell)).by_ref(true).mutable(true), m);
        (o, self.cell_value(cell))
    }
}
