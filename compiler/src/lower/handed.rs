//! Functions that are handed to others: closures of the IR, [`Op::Lambda`].
//!
//! What such a closure changes of the function around it are parameters and results of it, and operands and results of
//! the call that it is handed to:
//!
//! ```text
//! let mut s = 0.0;                      %s: f64 = 0.0
//! each(|t| s += t * x, 3);         →    %f: function = lambda(%x) fn (%x, %s, %t) -> ((), f64) { … }
//!                                       %0: (), %s.1: f64 = call each(%f, 3; %s)
//! ```

use super::env::{Binding, CellId};
use super::loops::refines;
use super::place::{Place, Root};
use super::stmt::Fate;
use super::{Lowering, Operand, scan, types};
use crate::ir::substitute::Substitution;
use crate::ir::{Form, Graph, Lambda, Op, State, Type, Value};

use crate::syntax::signature::FnKind;
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Whether a function that is handed over may have a state that is not seen here: a parameter, or a closure that calls
    /// one.
    pub(crate) fn may_have_state(&self, v: Value) -> bool {
        match self.functions.get(&v) {
            Some(function) => function.kind != FnKind::Fn,
            None => self.ordered.contains_idx(v),
        }
    }

    /// What the closures among the arguments of a call change.
    pub(crate) fn states_of(&self, operands: &[Value]) -> (Vec<State>, Vec<(CellId, bool)>) {
        let (mut states, mut cells) = (Vec::new(), Vec::new());
        for (function, &v) in operands.iter().enumerate() {
            for (index, &changed) in self.changing.get(v).into_iter().flatten().enumerate() {
                states.push(State { function, index });
                cells.push(changed);
            }
        }
        (states, cells)
    }

    /// Reports a variable that a closure among the arguments of a call changes, and another of them too: both would give it
    /// back as a whole.
    pub(crate) fn changed_twice<'p>(
        &mut self,
        states: &[(CellId, bool)],
        places: impl Iterator<Item = &'p Place>,
    ) -> Option<Operand> {
        let lent = places.filter_map(|place| if let Root::Cell(cell) = place.root { Some(cell) } else { None });
        let mut taken: BTreeSet<CellId> = lent.collect();
        let twice = states.iter().find(|(cell, _)| !taken.insert(*cell))?;
        let (name, span) = (self.env.cells[twice.0].name.clone(), self.span);
        Some(self.unsupported(
            span,
            format!(
                "a closure that is handed over changes `{name}`, and another argument changes a part of it as well"
            ),
            "change variables of their own: take the parts out before the call with `let`, and put them back after it",
        ))
    }

    /// Whether a closure sets a number of the function around it, which code that is kept as it is written does not.
    pub(crate) fn assigns_number(&self, e: &syn::Expr) -> bool {
        scan::assigned(e).iter().any(|name| match self.lookup(&types::plain_name(name)) {
            Some(&Binding::Cell(cell, _)) => {
                let cell = &self.env.cells[cell];
                cell.mutable && cell.value.is_some_and(|v| self.func.ty(v).is_scalar())
            }
            _ => false,
        })
    }

    /// Whether a variable holds something differentiable.
    pub(crate) fn is_active_cell(&self, cell: CellId) -> bool {
        self.env.cells[cell].value.is_some_and(|v| self.is_active(v))
    }

    /// A function as an argument of a call. One whose definition is in sight becomes a closure of its own.
    pub(crate) fn handed_over(&mut self, f: Operand) -> Value {
        if let Some(v) = self.function_value(&f) {
            return v;
        }
        let span = self.span;
        let graph = self.func.graph();
        let outer = std::mem::replace(&mut self.graph, graph);
        let saved = self.env.cells.clone();
        let nested = std::mem::replace(&mut self.nested, 0);
        // what it may change is a parameter until it shows that it does not
        let mut carried = Vec::new();
        for cell in self.function_cells(&f).into_iter().collect::<BTreeSet<_>>() {
            let data = &self.env.cells[cell];
            if let (Some(init), true) = (data.value, data.mutable && data.key != usize::MAX) {
                let p = self.carried_param(cell, init);
                self.env.cells[cell].value = Some(p);
                carried.push((cell, init, p));
            }
        }
        let (mut args, mut by_mut) = (Vec::new(), Vec::new());
        let mut annotations = Vec::new();
        let mut own = Vec::new();
        for (name, ty, written) in self.parameters_of(&f) {
            let active = ty.can_be_active();
            let p = self.func.value(ty, name, span);
            self.maybe_active.insert(p, active);
            own.push(p);
            let changes = written.as_ref().is_some_and(|ty| ty.to_string().starts_with("& mut"));
            if changes {
                let cell = self.temporary(p);
                self.env.cells[cell].mutable = true;
                by_mut.push(cell);
                let root = Root::Cell(cell);
                args.push(Operand::Place(Place::whole(root).by_ref(true).mutable(true)));
                annotations.push(written);
                continue;
            }
            let by_ref = written.as_ref().is_some_and(|ty| ty.to_string().starts_with('&'));
            args.push(if by_ref { Operand::Place(Self::value_place(p)) } else { Operand::Value(p) });
            annotations.push(written);
        }
        let fate = std::mem::replace(&mut self.fate, Fate::Given);
        let o = self.apply(&f, args);
        self.fate = fate;
        let o = self.as_result(o);
        let result = self.value(o);
        let finals: Vec<Value> = by_mut.into_iter().map(|cell| self.cell_value(cell)).collect();
        self.nested = nested;
        self.graph = outer;
        let cells = std::mem::replace(&mut self.env.cells, saved);
        let now = |cell: CellId| cells[cell].value;
        let mentioned: Vec<CellId> = carried.iter().map(|(cell, ..)| *cell).collect();
        let (states, kept): (Vec<_>, Vec<_>) =
            carried.into_iter().partition(|&(cell, _, p)| now(cell).is_some_and(|v| v != p));
        let changed: Vec<CellId> = states.iter().map(|(cell, ..)| *cell).collect();
        self.check_states(&cells, &mentioned, &changed);
        let left: Vec<Value> = states.iter().filter_map(|&(cell, ..)| now(cell)).collect();
        self.func[graph].params = states.iter().map(|(.., p)| *p).chain(own).collect();
        self.func[graph].results = [&[result], &finals[..], &left[..]].concat();
        let mut values = Substitution::default();
        kept.into_iter().for_each(|(_, init, p)| values.insert(p, init));
        values.apply_to(&mut self.func, graph);
        for (&(cell, init, p), &v) in states.iter().zip(&left) {
            self.refine(cell, init, p, v);
        }
        self.span = span;
        let active = left.iter().map(|&v| self.is_active(v));
        let changed = changed.into_iter().zip(active.collect::<Vec<_>>()).collect();
        self.closure_of(graph, annotations, changed)
    }

    /// What a closure leaves may be known better than what it finds: the next round begins with that.
    fn refine(&mut self, cell: CellId, init: Value, p: Value, left: Value) {
        let (found, left) = (self.ty(p), self.ty(left));
        if refines(&left, &found) {
            self.cell_types.insert(self.env.cells[cell].key, left);
        }
        let init = match self.none_as(init, &found) {
            Some(none) => {
                self.env.cells[cell].value = Some(none);
                none
            }
            None => init,
        };
        if refines(&found, self.func.ty(init)) {
            self.func.values[init].ty = found;
        }
    }

    /// The closure that a graph is.
    fn closure_of(
        &mut self,
        graph: Graph,
        types: Vec<Option<proc_macro2::TokenStream>>,
        states: Vec<(CellId, bool)>,
    ) -> Value {
        let mut ordered = false;
        self.func.walk(graph, &mut |_, n| {
            ordered |= matches!(&self.func[n].op, Op::Call(call) if call.ordered);
        });
        let (mut func, captures) = self.func.extract(graph);
        // elsewhere it is a call like any other
        func.call_anew(func.root);
        let active = captures.iter().any(|&v| self.is_active(v));
        let lambda = Lambda {
            form: Form::Plain,
            captures: captures.len(),
            states: states.len(),
            ordered,
            active: vec![false; func[func.root].params.len()],
            func,
            types,
        };
        let v = self.push(Op::Lambda(Box::new(lambda)), captures, Type::Function);
        self.maybe_active.insert(v, active);
        self.changing.insert(v, states);
        if ordered {
            self.ordered.insert(v, ());
        }
        v
    }

    /// What a closure changes must be its own meanwhile. A cell may be changed through others, and by functions that do not
    /// call in turn what they are handed.
    fn check_states(&mut self, cells: &[super::env::Cell], carried: &[CellId], states: &[CellId]) {
        let shared = |k: CellId| {
            let name = &cells[k].name;
            states.contains(&k) && self.shared.is_some_and(|shared| shared.contains(name))
        };
        let mut all = self.env.cells.iter().zip(cells).enumerate();
        let lost = all.find(|(k, (old, new))| shared(*k) || old.value != new.value && !carried.contains(k));
        if let Some((_, (cell, _))) = lost {
            let (name, span) = (cell.name.clone(), self.span);
            self.unsupported(
                span,
                format!("a closure that changes the captured `{name}` is handed to a function, which is not supported"),
                "let it change a `let mut` variable, or let it return what is to be added",
            );
        }
    }
}
