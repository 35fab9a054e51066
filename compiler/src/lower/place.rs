//! Places: a variable or a value, and a path into it.

use super::env::CellId;
use super::{Lowering, Operand};
use crate::diag::catalog;
use crate::ir::view::Writing;
use crate::ir::{Op, Path, Step, Type, Value};

/// Where a place begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
    /// A variable: reading the place reads its current version.
    Cell(CellId),
    /// A value that does not change.
    Value(Value),
}

/// A place in memory.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) root: Root,
    pub(crate) path: Path,
    /// The index values of the path.
    pub(crate) operands: Vec<Value>,
    /// Whether the expression that named it is a reference.
    pub(crate) is_ref: bool,
    /// Whether that reference, or the one that it was reached through, is mutable.
    pub(crate) is_mut: bool,
    /// Whether that reference is a view of an array.
    pub(crate) is_view: bool,
}

impl Place {
    /// The whole of a root.
    pub(crate) fn whole(root: Root) -> Place {
        Place { root, path: Path::default(), operands: vec![], is_ref: false, is_mut: false, is_view: false }
    }

    /// A part, through the same kind of reference.
    pub(crate) fn within(self, step: Step, operands: impl IntoIterator<Item = Value>) -> Place {
        let (is_ref, is_mut) = (self.is_ref, self.is_mut);
        self.step(step, operands).by_ref(is_ref).mutable(is_mut)
    }

    pub(crate) fn step(mut self, step: Step, operands: impl IntoIterator<Item = Value>) -> Place {
        self.path.0.push(step);
        self.operands.extend(operands);
        self.is_ref = false;
        self.is_mut = false;
        self.is_view = false;
        self
    }

    /// Whether it is a field or an element of something.
    pub(crate) fn is_part(&self) -> bool {
        matches!(self.path.0.last(), Some(Step::Field(_) | Step::Variant(_) | Step::Index))
    }

    /// The variable that it is in.
    pub(crate) fn cell(&self) -> Option<CellId> {
        match self.root {
            Root::Cell(c) => Some(c),
            Root::Value(_) => None,
        }
    }

    pub(crate) fn by_ref(mut self, is_ref: bool) -> Place {
        self.is_ref = is_ref;
        self
    }

    /// A view of an array, mutable or not.
    pub(crate) fn viewed(self, is_mut: bool) -> Place {
        Place { is_view: true, ..self.by_ref(true).mutable(is_mut) }
    }

    /// Whether it is a view that cannot be written to.
    pub(crate) fn shows_what_cannot_change(&self) -> bool {
        matches!(self.path.0.last(), Some(Step::View(v)) if matches!(v.method.write, Writing::Adding(_)))
    }

    /// By a mutable reference, or by a shared one.
    pub(crate) fn mutable(mut self, is_mut: bool) -> Place {
        self.is_mut = is_mut;
        self
    }
}

/// The name of variables that have none.
pub(crate) const TEMPORARY: &str = "temporary";

impl Lowering<'_> {
    /// The place that an operand names; a value becomes the root of one.
    pub(crate) fn place(&mut self, operand: Operand) -> Place {
        match operand {
            Operand::Place(p) => p,
            other => {
                let v = self.value(other);
                Place::whole(Root::Value(v))
            }
        }
    }

    /// Whether what is in a place of an unknown type is or was a part of something else.
    pub(crate) fn was_part(&self, place: &Place) -> bool {
        place.is_part()
            || place.path.0.is_empty()
                && match place.root {
                    Root::Cell(c) => self.env.cells[c].part,
                    Root::Value(v) => self.parts.contains_idx(v),
                }
    }

    /// The place of a root value.
    pub(crate) fn value_place(v: Value) -> Place {
        Place::whole(Root::Value(v)).by_ref(true)
    }

    /// A variable without a name in the source.
    pub(crate) fn temporary(&mut self, v: Value) -> usize {
        self.declarations += 1;
        let key = self.declarations;
        let cell = self.env.new_cell(TEMPORARY, None, true, key);
        self.env.cells[cell].value = Some(v);
        cell
    }

    pub(crate) fn root_value(&mut self, place: &Place) -> Value {
        match place.root {
            Root::Cell(c) => self.cell_value(c),
            Root::Value(v) => v,
        }
    }

    /// Whether an operand comes from something that was reported: what does not fit it is no fault of its own.
    pub(crate) fn is_poison(&mut self, o: &Operand) -> bool {
        match o {
            Operand::Value(v) => self.poisons.contains_idx(*v),
            Operand::Place(p) => {
                let root = self.root_value(p);
                self.poisons.contains_idx(root)
            }
            _ => false,
        }
    }

    /// Whether a place is in a variable that may be assigned.
    pub(crate) fn is_changeable(&self, place: &Place) -> bool {
        match place.root {
            Root::Cell(c) => self.env.cells[c].mutable,
            Root::Value(_) => false,
        }
    }

    /// The type of what is in a place.
    pub(crate) fn place_type(&mut self, place: &Place) -> Type {
        let root = self.root_value(place);
        place.path.apply(self.func.ty(root))
    }

    /// Whether what is in a place may carry a derivative.
    pub(crate) fn place_active(&mut self, place: &Place) -> bool {
        let root = self.root_value(place);
        self.is_active(root) && place.path.apply(self.func.ty(root)).can_be_active()
    }

    /// Reads a place.
    pub(crate) fn read(&mut self, place: &Place) -> Value {
        let root = self.root_value(place);
        if place.path.0.is_empty() {
            return root;
        }
        let ty = place.path.apply(self.func.ty(root));
        let active = self.is_active(root) && ty.can_be_active();
        let args = std::iter::once(root).chain(place.operands.iter().copied()).collect();
        let part = ty == Type::Dyn && active;
        let v = self.b().push(Op::Load(place.path.clone()), args, ty);
        self.maybe_active.insert(v, active);
        if part {
            self.parts.insert(v, ());
        }
        if self.poisons.contains_idx(root) {
            self.poisons.insert(v, ());
        }
        if self.plain.contains_idx(root) {
            self.plain.insert(v, ());
        }
        v
    }

    /// Applies an operation that changes what is in a place: `make(path)` with the operands `extra` after the path's.
    pub(crate) fn change(&mut self, place: &Place, make: impl FnOnce(Path) -> Op, extra: &[Value]) {
        let root = self.root_value(place);
        let args: Vec<Value> =
            std::iter::once(root).chain(place.operands.iter().copied()).chain(extra.iter().copied()).collect();
        if self.guards.contains_idx(root) && extra.iter().any(|&v| self.is_active(v)) {
            let span = self.span;
            self.refuse(span, &catalog::REFERENCE_LOST, &[]);
        }
        let active = self.is_active(root) || extra.iter().any(|&v| self.is_active(v));
        if let Root::Cell(c) = place.root {
            self.expect_owned(c, extra.iter().any(|&v| self.is_active(v)), false);
        }
        let op = make(place.path.clone());
        let old = self.ty(root);
        let ty = match (&op, extra) {
            (Op::Update(_), [v]) => refined(&old, &place.path.0, &|old| narrow(old, self.func.ty(*v))),
            (Op::Push(_), [v]) => {
                let path: Vec<Step> = place.path.0.iter().cloned().chain([Step::Index]).collect();
                // what is in an empty vector is known with its first element
                refined(&old, &path, &|old| if *old == Type::Dyn { self.ty(*v) } else { narrow(old, self.func.ty(*v)) })
            }
            _ => old,
        };
        let active = active && ty.can_be_active();
        let new = self.b().push(op, args, ty);
        self.maybe_active.insert(new, active);
        self.store_root(place, new);
    }

    /// Makes `new` the current version of the root of a place.
    pub(crate) fn store_root(&mut self, place: &Place, new: Value) {
        match place.root {
            Root::Cell(c) if self.env.cells[c].mutable => self.set_cell(c, new),
            Root::Cell(_) => {
                let span = self.span;
                self.refuse(span, &catalog::REFERENCE_LOST, &[]);
            }
            Root::Value(_) => {
                let span = self.span;
                self.unsupported(
                    span,
                    "this changes a value that has no name",
                    "give the value a name with `let mut` and change that",
                );
            }
        }
    }

    /// Assigns a value to a place.
    pub(crate) fn write(&mut self, place: &Place, v: Value) {
        if let Some(cell) = self.is_slot(place) {
            let v = self.filling(cell, v);
            self.store_root(place, v);
        } else if place.path.0.is_empty() {
            self.store_root(place, v);
        } else {
            self.change(place, Op::Update, &[v]);
        }
    }
}

/// The type of an aggregate once something is stored at a path, where `leaf` says what is there then.
fn refined(old: &Type, path: &[Step], leaf: &dyn Fn(&Type) -> Type) -> Type {
    let Some((step, rest)) = path.split_first() else { return leaf(old) };
    let inner = |t: &Type| Box::new(refined(t, rest, leaf));
    match (step, old) {
        (Step::Index, Type::Slice(t)) => Type::Slice(inner(t)),
        (Step::Index, Type::Vec(t)) => Type::Vec(inner(t)),
        (Step::Index, Type::Array(t)) => Type::Array(inner(t)),
        (step, Type::Option(t)) if step.is_some() => Type::Option(inner(t)),
        (step, Type::Boxed(t)) if step.is_unbox() => Type::Boxed(inner(t)),
        (Step::Field(k), Type::Tuple(ts)) => {
            let mut ts = ts.clone();
            if let Some(t) = k.parse().ok().and_then(|k: usize| ts.get_mut(k)) {
                *t = *inner(t);
            }
            Type::Tuple(ts)
        }
        _ => old.clone(),
    }
}

/// Unknown literals give way to what is stored.
fn narrow(old: &Type, new: &Type) -> Type {
    match old.join(new) {
        Type::Dyn => old.clone(),
        ty => ty,
    }
}
