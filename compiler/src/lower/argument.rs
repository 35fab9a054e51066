//! Arguments of calls, and how they are handed over.

use super::control::strip;
use super::place::Place;
use super::{Lowering, Operand};
use crate::ir::view::{Reading, ViewMethod};
use crate::ir::{Arg, Op, Type, Value};
use crate::prims;
use crate::syntax::signature::{By, Storage, TypeClass};

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
                self.doubtful = named && changes.is_none() && p.is_ref && p.is_mut;
                let changes = !named || changes.unwrap_or(p.path.0.is_empty());
                let is_mut = p.is_mut && changes;
                Operand::Place(p.mutable(is_mut))
            }
            o => o,
        };
        let (v, mode, place) = self.handed(o);
        let reference = matches!(strip(e), syn::Expr::Reference(_));
        let array = matches!(self.func.ty(v), Type::NdArray(..));
        let mode = match mode {
            Arg::Value if reference => Arg::Ref,
            Arg::Value | Arg::Ref if array && !reference && (self.is_view_param(v) || self.gives_view(e)) => Arg::View,
            mode => mode,
        };
        (v, mode, place)
    }

    /// Whether the one argument of a call that may be changed is in doubt: then the compiler will know, from what the
    /// companion gives. Of several in doubt those that are named as a whole are taken to be changed, and parts to be read.
    pub(crate) fn doubt(&mut self, arguments: &mut Arguments, doubtful: &[(usize, &syn::Expr)]) {
        let &[(k, e)] = doubtful else { return };
        let changed = arguments.modes.iter().enumerate().any(|(i, &mode)| i != k && mode == Arg::RefMut);
        // tangents of arrays may have another type in the function
        if changed || matches!(self.func.ty(arguments.operands[k]), Type::Array(_) | Type::NdArray(..) | Type::Function)
        {
            return;
        }
        (arguments.operands[k], arguments.modes[k], arguments.places[k]) = self.argument(e, Some(true));
        self.perhaps_changed = arguments.modes[k] == Arg::RefMut;
    }

    /// Whether a value is a parameter that is a view by value.
    fn is_view_param(&self, v: Value) -> bool {
        let params = &self.func[self.func.root].params;
        let param = params.iter().position(|&p| p == v).and_then(|i| self.sig.params.get(i));
        param.is_some_and(|p| p.by == By::Value && matches!(p.class, TypeClass::NdArray { storage: Storage::View, .. }))
    }

    /// Whether an argument is a view by value.
    fn gives_view(&mut self, e: &syn::Expr) -> bool {
        match strip(e) {
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let lends = |method: &ViewMethod| method.read != Reading::Made;
                name == "view" || name == "t" || prims::views::view(&name).is_some_and(lends) && !name.ends_with("_mut")
            }
            syn::Expr::Path(_) => match self.nested_expr(e) {
                Operand::Place(p) => p.is_ref && !p.is_mut && p.path.view().is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    /// The same for an argument that is lowered already.
    pub(crate) fn handed(&mut self, o: Operand) -> (Value, Arg, Option<Place>) {
        if self.is_function(&o) {
            return (self.handed_over(o), Arg::Function, None);
        }
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
