//! Slots: variables that are filled on some paths only, and what `return` and `break` leave.
//!
//! Where no value is there yet, a constant of the type stands for one that is never read. A type without an obvious
//! constant, such as a struct of the user's, needs an option: `None` until there is a value.

use super::env::CellId;
use super::place::{Place, Root};
use super::{Lowering, Operand, outcome, types};
use crate::ir::{Const, Op, Path, Step, Type, Value};

/// Where the keys of what is left begin; those of variables are smaller.
const TARGETS: usize = 1 << 32;

impl Lowering<'_> {
    /// Lets a variable that is declared without a value be a slot, if an earlier round found that it must be one.
    pub(crate) fn may_be_slot(&mut self, cell: CellId, key: usize) {
        self.env.cells[cell].slot_key = Some(key);
        self.env.cells[cell].slot = self.slots.contains(&key);
    }

    /// The same for what a target is left with.
    pub(crate) fn may_be_slot_of_target(&mut self, cell: CellId) {
        self.target_count += 1;
        self.may_be_slot(cell, TARGETS + self.target_count);
    }

    /// Notes that a constant of this type has to stand for the value of a cell.
    pub(crate) fn needs_constant(&mut self, cell: CellId, ty: &Type) {
        let data = &self.env.cells[cell];
        let obvious = match &data.declared_rust {
            Some(declared) => has_constant_of_rust(declared),
            None => has_constant(ty),
        };
        if let Some(key) = data.slot_key
            && !data.slot
            && !obvious
        {
            self.slots.insert(key);
        }
    }

    /// What a cell is filled with.
    pub(crate) fn filling(&mut self, cell: CellId, v: Value) -> Value {
        if !self.env.cells[cell].slot {
            return v;
        }
        let ty = Type::Option(Box::new(self.ty(v)));
        self.push(Op::Some, vec![v], ty)
    }

    /// What is in a cell with this value, read later.
    pub(crate) fn contents(&self, cell: CellId, v: Value) -> Operand {
        match self.env.cells[cell].slot {
            true => Operand::Place(Place::whole(Root::Value(v)).step(Step::some(), [])),
            false => Operand::Value(v),
        }
    }

    /// The path to what is in a cell.
    pub(crate) fn cell_path(&self, cell: CellId) -> Path {
        if self.env.cells[cell].slot { slot_path() } else { Path::default() }
    }

    /// Whether a place is all of a slot.
    pub(crate) fn is_slot(&self, place: &Place) -> Option<CellId> {
        match place.root {
            Root::Cell(c) if self.env.cells[c].slot && place.path == slot_path() => Some(c),
            _ => None,
        }
    }

    /// A constant of a type that stands where no value is ever read; `None` if the type has no obvious one.
    pub(crate) fn dummy(&mut self, ty: &Type) -> Option<Value> {
        let constant = match ty {
            Type::Float(_) => Const::Float(0.0, "0.0".into()),
            Type::Int(_) => Const::Int("0".into()),
            Type::Bool => Const::Bool(false),
            Type::Unit => Const::Unit,
            Type::Vec(_) => return Some(self.push(Op::VecEmpty, vec![], ty.clone())),
            Type::Tuple(ts) => {
                let parts = ts.iter().map(|t| self.dummy(t)).collect::<Option<Vec<_>>>()?;
                return Some(self.push(Op::Tuple, parts, ty.clone()));
            }
            Type::Option(t) => return Some(self.absent((**t).clone())),
            Type::Fault => return Some(self.push(Op::Absent, vec![], Type::Fault)),
            Type::Dyn => {
                return Some(
                    self.template(&[], Type::Dyn, true, |_| quote::quote!(::core::default::Default::default())),
                );
            }
            _ => return None,
        };
        Some(self.push(Op::Const(constant), vec![], ty.clone()))
    }

    /// A dummy for a Rust type, where the length of arrays is visible.
    pub(crate) fn dummy_of_rust(&mut self, ty: &syn::Type) -> Option<Value> {
        match types::strip(ty) {
            syn::Type::Array(a) => {
                let elem = self.dummy_of_rust(&a.elem)?;
                let len = &a.len;
                let ty = Type::Array(Box::new(self.ty(elem)));
                Some(self.push(Op::Repeat(quote::quote!(#len)), vec![elem], ty))
            }
            syn::Type::Tuple(t) => {
                let parts = t.elems.iter().map(|t| self.dummy_of_rust(t)).collect::<Option<Vec<_>>>()?;
                let ty = Type::Tuple(parts.iter().map(|&p| self.ty(p)).collect());
                if parts.is_empty() {
                    return Some(self.unit());
                }
                Some(self.push(Op::Tuple, parts, ty))
            }
            // it is a pair here
            other if outcome::of_type(other).is_some() => None,
            other => self.dummy(&types::of_rust(other)),
        }
    }

    /// What is there before it is known whether control has left; what does not change is read afterwards.
    pub(crate) fn settle(&mut self, o: Operand) -> Operand {
        match o {
            Operand::Place(p) if matches!(p.root, Root::Value(_)) => Operand::Place(p),
            Operand::Left(v) => Operand::Left(v),
            o => Operand::Value(self.value(o)),
        }
    }
}

fn slot_path() -> Path {
    Path(vec![Step::some()])
}

/// Whether a constant may stand for any value of a type.
pub(crate) fn has_constant(ty: &Type) -> bool {
    match ty {
        Type::Float(_) | Type::Int(_) | Type::Bool | Type::Unit | Type::Vec(_) | Type::Option(_) | Type::Fault => true,
        Type::Tuple(ts) => ts.iter().all(has_constant),
        _ => false,
    }
}

fn has_constant_of_rust(ty: &syn::Type) -> bool {
    match types::strip(ty) {
        syn::Type::Array(a) => has_constant_of_rust(&a.elem),
        syn::Type::Tuple(t) => t.elems.iter().all(has_constant_of_rust),
        ty if outcome::of_type(ty).is_some() => true,
        other => has_constant(&types::of_rust(other)),
    }
}
