//! References to slices: variables that are set from one to another, and patterns on them.
//!
//! What a shared reference refers to does not change while it lives, so a variable that refers to one thing after the
//! other is a variable with one slice after the other in it.

use super::control::strip;
use super::env::{Binding, CellId};
use super::place::Place;
use super::{Lowering, Operand, types};
use crate::ir::{Op, Path, RangeEnd, Step, Type, Value};
use crate::prims::compare;

impl Lowering<'_> {
    /// The variable that an expression names, if that is a shared reference that may be set to something else.
    pub(crate) fn shared_cell(&self, e: &syn::Expr) -> Option<CellId> {
        let syn::Expr::Path(p) = strip(e) else { return None };
        match self.lookup(&types::plain_name(p.path.get_ident()?))? {
            Binding::Cell(c, _) if self.references.contains(&self.env.cells[*c].key) => Some(*c),
            _ => None,
        }
    }

    /// A variable that is set to a shared reference, if it has no value yet, is one.
    pub(crate) fn set_reference(&mut self, left: &syn::Expr) {
        if let syn::Expr::Path(p) = strip(left)
            && let Some(Binding::Cell(c, false)) = p.path.get_ident().and_then(|i| self.lookup(&types::plain_name(i)))
            && self.env.cells[*c].value.is_none()
        {
            let key = self.env.cells[*c].key;
            self.references.insert(key);
        }
    }

    /// Whether references to a place may be set anew: anything but arrays of `ndarray`.
    pub(crate) fn is_plain(&mut self, place: &Place) -> bool {
        match self.place_type(place) {
            Type::NdArray(..) | Type::Function | Type::Unit => false,
            Type::Dyn | Type::Inactive => self.place_active(place),
            _ => true,
        }
    }

    /// What a variable of a declared type refers to: vectors are slices there, as the next thing may be one.
    pub(crate) fn referred(&mut self, v: Value, declared: Option<Type>) -> Value {
        match self.func.ty(v) {
            Type::Vec(_) => self.as_slice(v),
            Type::Array(_) if matches!(declared, Some(Type::Slice(_))) => self.as_slice(v),
            _ => v,
        }
    }

    /// A sequence as a slice.
    pub(crate) fn as_slice(&mut self, v: Value) -> Value {
        let (Type::Vec(t) | Type::Array(t)) = self.ty(v) else { return v };
        let active = self.is_active(v);
        let path = Path(vec![Step::Range { from: false, end: RangeEnd::Open }]);
        let slice = self.b().push(Op::Load(path), vec![v], Type::Slice(t));
        self.maybe_active.insert(slice, active);
        slice
    }

    /// Makes two sequences of different kinds slices, in the graph of each.
    pub(crate) fn alike(&mut self, mut values: [(crate::ir::Graph, Value); 2]) -> [Value; 2] {
        let outcome = |l: &Self, k: usize| l.func.ty(values[k].1).is_outcome();
        if let Some(k) = (0..2).find(|&k| outcome(self, 1 - k) && *self.func.ty(values[k].1) == Type::Dyn) {
            let outer = std::mem::replace(&mut self.graph, values[k].0);
            let parts = self.outcome_of(values[k].1);
            values[k].1 = self.value(parts);
            self.graph = outer;
        }
        let kind = |ty: &Type| match ty {
            Type::Slice(_) => Some(0),
            Type::Vec(_) => Some(1),
            Type::Array(_) => Some(2),
            _ => None,
        };
        let [a, b] = [values[0].1, values[1].1].map(|v| kind(self.func.ty(v)));
        if a.is_some() && b.is_some() && a != b {
            for (graph, v) in &mut values {
                let outer = std::mem::replace(&mut self.graph, *graph);
                *v = self.as_slice(*v);
                self.graph = outer;
            }
        }
        values.map(|(_, v)| v)
    }

    /// Whether a slice matches a pattern: by its length, and then by its elements.
    pub(crate) fn slice_test(&mut self, s: &syn::PatSlice, operand: &Operand) -> Option<Option<Value>> {
        let ty = match operand {
            Operand::Value(v) => self.ty(*v),
            Operand::Place(p) => self.place_type(p),
            _ => return None,
        };
        if !matches!(ty, Type::Array(_) | Type::Slice(_)) {
            return None;
        }
        let rest = s.elems.iter().position(is_rest);
        let count = s.elems.len() - usize::from(rest.is_some());
        let mut test = match ty {
            // an array has the length of its pattern
            Type::Array(_) => None,
            _ => {
                let len = self.counted_back(operand, 0);
                let count = self.b().int(count);
                let prim = if rest.is_some() { &compare::GE } else { &compare::EQ };
                Some(self.primitive(prim, &[len, count]))
            }
        };
        for (k, p) in s.elems.iter().enumerate() {
            if Some(k) == rest || self.pattern_test_is_trivial(p) {
                continue;
            }
            let all = match test {
                Some(test) => test,
                None => self.b().bool(true),
            };
            // an element is looked at only where there is one
            let both = self.test_where(all, &mut |l: &mut Self| {
                let index = match rest {
                    Some(r) if k > r => l.counted_back(operand, s.elems.len() - k),
                    _ => l.b().int(k),
                };
                let part = l.part(operand, Step::Index, Some(index), false);
                l.pattern_test(p, &part)
            });
            test = Some(both?);
        }
        Some(test)
    }

    /// `split_first` and `split_last`: an element and the rest, if there is one.
    pub(crate) fn split_element(&mut self, place: &Place, name: &str) -> Operand {
        let is_mut = name.ends_with("_mut");
        let v = self.read(place);
        let len = self.push(Op::Len, vec![v], Type::USIZE);
        let (zero, one) = (self.b().int(0), self.b().int(1));
        let flag = self.primitive(&compare::LT, &[zero, len]);
        let (index, range, bound) = if name.starts_with("split_first") {
            (zero, Step::Range { from: true, end: RangeEnd::Open }, one)
        } else {
            let last = self.minus(len, one);
            (last, Step::Range { from: false, end: RangeEnd::Exclusive }, last)
        };
        let element = place.clone().step(Step::Index, [index]).by_ref(true).mutable(is_mut);
        let rest = place.clone().step(range, [bound]).by_ref(true).mutable(is_mut);
        Operand::Opt(flag, Box::new(Operand::Parts(vec![Operand::Place(element), Operand::Place(rest)])))
    }
}

/// `..` or `rest @ ..`
pub(crate) fn is_rest(p: &syn::Pat) -> bool {
    match p {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(i) => i.subpat.as_ref().is_some_and(|(_, sub)| matches!(**sub, syn::Pat::Rest(_))),
        _ => false,
    }
}
