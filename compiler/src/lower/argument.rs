//! Arguments of calls, and how they are handed over.

use super::control::strip;
use super::env::CellId;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::view::Reading;
use crate::ir::{Arg, Call, Op, Step, Type, Value};
use crate::prims;
use crate::syntax::signature::{By, Param, ResultKind};
use syn::spanned::Spanned;

/// Whether a path leads to fields and elements, which stay where they are.
fn is_part(steps: &[Step]) -> bool {
    steps.iter().all(|step| matches!(step, Step::Field(_) | Step::Index))
}

/// More arguments that are changed than this are not told apart.
const MOST_CHANGED: usize = 7;

/// The arguments of a call.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) operands: Vec<Value>,
    /// How they are handed over.
    pub(crate) modes: Vec<Arg>,
    /// The places of mutable references.
    pub(crate) places: Vec<Option<Place>>,
}

impl Arguments {
    pub(crate) fn push(&mut self, (operand, mode, place): (Value, Arg, Option<Place>)) {
        self.operands.push(operand);
        self.modes.push(mode);
        self.places.push(place);
    }
}

impl Lowering<'_> {
    /// An argument of a call: its value, how it is handed over, and the place of a mutable reference.
    ///
    /// `changes`: whether the function changes what it is given by mutable reference, if that is known. Where it is not,
    /// and the name of a reference is given, that is in doubt: a function that reads gets it as well.
    pub(crate) fn argument(&mut self, e: &syn::Expr, changes: Option<bool>) -> (Value, Arg, Option<Place>) {
        let o = self.nested_expr(e);
        self.doubtful = false;
        let o = match o {
            Operand::Place(p) => {
                let named = matches!(strip(e), syn::Expr::Path(_));
                self.doubtful = named && changes != Some(false) && p.is_ref && p.is_mut;
                let changes = !named || changes.unwrap_or(p.path.0.is_empty());
                let is_mut = p.is_mut && changes;
                Operand::Place(p.mutable(is_mut))
            }
            o => o,
        };
        let view = matches!(&o, Operand::Place(p) if p.is_view);
        let (v, mode, place) = self.handed(o);
        let reference = matches!(strip(e), syn::Expr::Reference(_));
        let view = matches!(self.func.ty(v), Type::NdArray(..)) && (view || self.is_view(v, e));
        let mode = match mode {
            Arg::Value | Arg::Ref if view && reference => Arg::RefView,
            Arg::Value | Arg::Ref if view => Arg::View,
            Arg::RefMut if view && reference => Arg::RefViewMut,
            Arg::RefMut if view => Arg::ViewMut,
            Arg::Value if reference => Arg::Ref,
            mode => mode,
        };
        (v, mode, place)
    }

    /// Notes which arguments of a call may be changed and are in doubt: then the compiler will know, from what the companion
    /// gives.
    ///
    /// `unused`: whether nothing is made of the value of the call, so that it changes one of them at least. If none is
    /// known to be changed, all those are taken to be.
    pub(crate) fn doubt(&mut self, arguments: &mut Arguments, doubtful: &[(usize, &syn::Expr)], unused: bool) {
        // a call that was given up has left its own
        self.in_doubt.clear();
        let is_doubtful = |i: usize| doubtful.iter().any(|&(k, _)| k == i);
        let changed = arguments.modes.iter().enumerate().any(|(i, &mode)| !is_doubtful(i) && mode.changes());
        if changed || doubtful.len() > 1 && !unused {
            let (operands, modes) = (&arguments.operands, &arguments.modes);
            let asked = doubtful.iter().map(|&(k, _)| k);
            self.in_doubt = asked.filter(|&k| modes[k] == Arg::RefMut && self.may_be_told(operands[k])).collect();
        }
        let &[(k, e)] = doubtful else { return };
        if changed || unused || !self.may_be_asked(arguments.operands[k]) {
            return;
        }
        (arguments.operands[k], arguments.modes[k], arguments.places[k]) = self.argument(e, Some(true));
        self.perhaps_changed = arguments.modes[k] == Arg::RefMut;
    }

    /// Whether a call gives anything is in doubt where a closure gives its value: the compiler will know that as well.
    pub(crate) fn doubt_value(&mut self, operands: &[Value], modes: &[Arg]) {
        let mut changed = (0..modes.len()).filter(|&k| modes[k].changes());
        if let (Some(k), None) = (changed.next(), changed.next()) {
            self.perhaps_changed |= modes[k] == Arg::RefMut && self.may_be_asked(operands[k]);
        }
    }

    /// Which of several arguments that may be changed are in doubt.
    pub(crate) fn doubts(&mut self, call: &Call) -> Vec<usize> {
        let mut named = std::mem::take(&mut self.in_doubt);
        let several = (2..=MOST_CHANGED).contains(&call.changed_before(call.args.len()));
        if !several || call.itself || call.ordered || !call.states.is_empty() {
            return vec![];
        }
        named.sort_unstable();
        named.dedup();
        named
    }

    /// Whether the compiler can be asked if a call changes one of several values.
    pub(crate) fn may_be_told(&self, v: Value) -> bool {
        !matches!(self.func.ty(v), Type::NdArray(..) | Type::Function)
    }

    /// Whether the compiler can be asked if a call changes a value: the tangent of an array may have another type in the
    /// function.
    fn may_be_asked(&self, v: Value) -> bool {
        self.may_be_told(v) && !matches!(self.func.ty(v), Type::Array(_))
    }

    /// Whether a value that an expression gave, or a reference to it, is a view of an array.
    fn is_view(&self, v: Value, e: &syn::Expr) -> bool {
        if let Some(param) = self.parameter(v) {
            let dereferenced = matches!(strip(e), syn::Expr::Unary(_));
            return (param.by == By::Value || dereferenced) && param.is_view();
        }
        self.shows_view(v, 0)
    }

    /// The parameter that a value is.
    pub(crate) fn parameter(&self, v: Value) -> Option<&Param> {
        let params = &self.func[self.func.root].params;
        params.iter().position(|&p| p == v).and_then(|i| self.sig.params.get(i))
    }

    /// The parameter by mutable reference that a cell is.
    pub(crate) fn lent_parameter(&self, cell: CellId) -> Option<&Param> {
        self.lent_params.get(&self.env.cells[cell].key).and_then(|&i| self.sig.params.get(i))
    }

    /// Whether a value that is no parameter is a view of an array, by what it comes from.
    pub(crate) fn shows_view(&self, v: Value, depth: usize) -> bool {
        let Some(node) = self.func.maker(v).map(|n| &self.func[n]) else { return false };
        match &node.op {
            _ if self.views.contains_idx(v) => true,
            Op::Prim(prim) => *prim == &prims::whole::TRANSPOSE,
            Op::Load(path) => path.view().is_some_and(|view| view.method.lends()),
            Op::If { then_, else_ } if depth < 8 => {
                let k = node.outs.iter().position(|&out| out == v).expect("one of them");
                [then_, else_].into_iter().all(|&arm| self.shows_view(self.func[arm].results[k], depth + 1))
            }
            _ => false,
        }
    }

    /// A view that is returned must show what the caller lent.
    pub(crate) fn check_view(&mut self, v: Value) {
        let ResultKind::Value { ty, .. } = &self.sig.result else { return };
        if self.sig.shown(&self.func, v).iter().any(|shown| !shown.view.is_some_and(|view| self.lasts(view))) {
            self.unsupported(
                ty.span(),
                "this function gives a view, and it is not made in one step of what a parameter refers to",
                "take the array by reference and return a view of it, such as `x.slice(s![1..])`, or a tuple of views, or return an owned array",
            );
        }
    }

    /// Whether a view of an array lives as long as what the function was lent.
    fn lasts(&self, v: Value) -> bool {
        if let Some(param) = self.parameter(v) {
            return param.by == By::Ref || param.is_view();
        }
        let Some(node) = self.func.maker(v).map(|n| &self.func[n]) else { return false };
        let Some(&of) = node.args.first() else { return false };
        match &node.op {
            Op::Prim(prim) => *prim == &prims::whole::TRANSPOSE && self.is_lent(of),
            Op::Load(path) => match (path.0.as_slice(), path.view().map(|view| view.method.read)) {
                ([before @ .., _], Some(Reading::Lent)) => is_part(before) && self.is_lent(of),
                ([_], Some(Reading::OfView)) => {
                    self.parameter(of).is_some_and(|param| param.by == By::Value && param.is_view())
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value is a part of what the function was lent.
    fn is_lent(&self, v: Value) -> bool {
        if let Some(param) = self.parameter(v) {
            return param.by == By::Ref;
        }
        self.func.maker(v).is_some_and(|n| {
            let node = &self.func[n];
            matches!(&node.op, Op::Load(path) if is_part(&path.0)) && self.is_lent(node.args[0])
        })
    }

    /// An argument that is lowered already.
    pub(crate) fn handed(&mut self, o: Operand) -> (Value, Arg, Option<Place>) {
        if self.is_function(&o) {
            return (self.handed_over(o), Arg::Function, None);
        }
        let lent = matches!(&o, Operand::Place(p) if p.is_ref);
        let o = match self.outcome_parts(&o) {
            Some(_) if lent => self.lost_outcome(),
            _ => self.as_result(o),
        };
        if let Operand::Place(p) = &o
            && p.is_ref
            && p.is_mut
        {
            let v = self.read(p);
            let v = match self.ty(v) {
                Type::Slice(t) if !p.path.0.is_empty() => self.push(Op::Copy(true), vec![v], Type::Vec(t)),
                Type::Dyn if p.path.is_slice() => self.push(Op::Copy(true), vec![v], Type::Vec(Box::new(Type::Dyn))),
                _ => v,
            };
            return (v, Arg::RefMut, Some(p.clone()));
        }
        let is_ref = matches!(&o, Operand::Place(p) if p.is_ref);
        let v = self.value(o);
        (v, if is_ref { Arg::Ref } else { Arg::Value }, None)
    }
}
