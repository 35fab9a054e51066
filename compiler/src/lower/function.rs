//! Functions as values: what is known of them, how they are called, and how they are handed over.
//!
//! A function whose definition is in sight is no value of the IR: a call of it is its body, a choice between two of them
//! is a branch at each call. Only what is handed to a function elsewhere becomes a closure of the IR: see [`super::handed`].

use super::place::{Place, Root};
use super::{Lowering, Operand, scan, types};
use crate::diag::catalog;
use crate::ir::{Arg, Callee, Op, Type, Value};
use crate::prims::{self, compare};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

impl<'a> Lowering<'a> {
    /// Whether an operand is something to call.
    pub(crate) fn is_function(&mut self, o: &Operand) -> bool {
        match o {
            Operand::Closure(_) | Operand::Function(_) => true,
            Operand::Choice(..) => !self.holds_object(o),
            Operand::Value(v) => *self.func.ty(*v) == Type::Function,
            Operand::Place(p) => p.path.0.is_empty() && self.place_type(p) == Type::Function,
            _ => false,
        }
    }

    /// Whether an operand is a function or an object, or a tuple or an array in which there is one.
    pub(crate) fn holds_function(&mut self, o: &Operand) -> bool {
        match o {
            Operand::Object(_) | Operand::Choice(..) => true,
            Operand::Parts(parts) => parts.iter().any(|part| self.holds_function(part)),
            o => self.is_function(o),
        }
    }

    /// Whether operands that stand in a tuple or an array must be kept apart: as one value they could not be called.
    pub(crate) fn hold_functions(&mut self, parts: &[Operand]) -> bool {
        parts.iter().any(|part| self.holds_function(part))
    }

    /// Operands as they are when they are put somewhere: what is no function is read.
    pub(crate) fn settled(&mut self, parts: Vec<Operand>) -> Vec<Operand> {
        let settle = |part: Operand| match part {
            Operand::Place(p) if !p.is_ref => Operand::Value(self.read(&p)),
            part => part,
        };
        parts.into_iter().map(settle).collect()
    }

    /// The values of the elements of a tuple or an array; if there are functions among them, all as they are.
    pub(crate) fn parts(
        &mut self,
        elems: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
    ) -> Result<Vec<Value>, Operand> {
        let mut parts = Vec::new();
        for e in elems {
            self.check_stored(e);
            let o = self.nested_expr(e);
            let o = self.stored(o, e.span());
            parts.push(if self.holds_function(&o) { o } else { Operand::Value(self.value(o)) });
        }
        if self.hold_functions(&parts) {
            return Err(Operand::Parts(self.settled(parts)));
        }
        Ok(parts.into_iter().map(|part| self.value(part)).collect())
    }

    /// What stands on the right of `let (a, b) = (&x, y)`: names of references are references, which a tuple does not show.
    pub(crate) fn side_by_side(&mut self, pat: &syn::Pat, e: &syn::Expr) -> Option<Operand> {
        let (syn::Pat::Tuple(pat), syn::Expr::Tuple(e)) = (pat, super::control::strip(e)) else { return None };
        if pat.elems.len() != e.elems.len() || pat.elems.iter().any(|p| matches!(p, syn::Pat::Rest(_))) {
            return None;
        }
        let mut parts = Vec::new();
        for (pat, e) in pat.elems.iter().zip(&e.elems) {
            if let Some(inner) = self.side_by_side(pat, e) {
                parts.push(inner);
                continue;
            }
            // each is bound to a name of its own
            let lent = matches!(pat, syn::Pat::Ident(_)) && self.lends(e);
            if !lent {
                self.check_stored(e);
            }
            let o = self.nested_expr(e);
            let o = self.stored(o, e.span());
            let shared = matches!(&o, Operand::Place(p) if p.is_ref && (lent || !p.is_mut));
            parts.push(if shared || self.holds_function(&o) { o } else { Operand::Value(self.value(o)) });
        }
        let parts = if self.hold_functions(&parts) { self.settled(parts) } else { parts };
        Some(Operand::Parts(parts))
    }

    /// A mutable reference that becomes a part of something is not followed any further.
    pub(crate) fn check_stored(&mut self, e: &syn::Expr) {
        if let syn::Expr::Reference(r) = super::control::strip(e)
            && r.mutability.is_some()
        {
            self.refuse(r.span(), &catalog::REFERENCE_STORED, &[]);
        }
    }

    /// The k-th of several functions: a constant index picks one, any other chooses at each call.
    pub(crate) fn pick(&mut self, parts: &[Operand], k: Value) -> Operand {
        let Some((last, rest)) = parts.split_last() else { return Operand::Never };
        if let Some(index) = self.constant_index(k)
            && let Some(part) = parts.get(index)
        {
            return part.clone();
        }
        let mut choice = last.clone();
        for (i, part) in rest.iter().enumerate().rev() {
            let i = self.b().int(i);
            let here = self.primitive(&compare::EQ, &[k, i]);
            choice = Operand::Choice(here, Box::new(part.clone()), Box::new(choice));
        }
        choice
    }

    fn constant_index(&self, k: Value) -> Option<usize> {
        match &self.func[self.func.maker(k)?].op {
            Op::Const(crate::ir::Const::Int(digits)) => digits.parse().ok(),
            _ => None,
        }
    }

    /// `Box::new(f)`, `Rc::new(f)`, `Arc::new(f)`: the function itself.
    pub(crate) fn boxed_function(&mut self, path: &syn::Path, args: &[&syn::Expr]) -> Option<Operand> {
        let mut segments = path.segments.iter().rev().map(|s| s.ident.to_string());
        let ("new", "Box" | "Rc" | "Arc") = (segments.next()?.as_str(), segments.next()?.as_str()) else { return None };
        let [arg] = args else { return None };
        let known = match super::control::strip(arg) {
            syn::Expr::Closure(_) => true,
            syn::Expr::Path(_) => {
                let o = self.nested_expr(arg);
                self.is_function(&o)
            }
            _ => false,
        };
        known.then(|| self.nested_expr(arg))
    }

    /// Calls something with arguments as they are written.
    pub(crate) fn call_operand(
        &mut self,
        f: Operand,
        args: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
        span: Span,
        statement: bool,
    ) -> Operand {
        match self.function_value(&f) {
            Some(v) => {
                let (mut operands, mut modes, mut places) = (vec![v], vec![Arg::Function], vec![None]);
                let known = self.functions.get(&v).copied();
                for (k, a) in args.iter().enumerate() {
                    let changes = known.and_then(|known| known.changes(k)).or(statement.then_some(true));
                    let (v, mode, place) = self.argument(a, changes);
                    operands.push(v);
                    modes.push(mode);
                    places.push(place);
                }
                self.call_value(operands, modes, places, statement)
            }
            None if self.is_function(&f) => {
                let args = args
                    .iter()
                    .map(|a| match self.nested_expr(a) {
                        Operand::Place(p) if !p.is_ref => Operand::Value(self.read(&p)),
                        o => o,
                    })
                    .collect();
                self.span = span;
                self.apply(&f, args)
            }
            None if self.lost_function || self.is_poison(&f) => self.poison(),
            None => self.unsupported(
                span,
                "a call of a computed function is not supported yet",
                "call a function by its name or a closure by the name it is bound to",
            ),
        }
    }

    /// The value of a function parameter.
    pub(crate) fn function_value(&mut self, f: &Operand) -> Option<Value> {
        let v = match f {
            Operand::Value(v) => *v,
            Operand::Place(p) if p.path.0.is_empty() => self.root_value(p),
            _ => return None,
        };
        (*self.func.ty(v) == Type::Function).then_some(v)
    }

    /// Calls a function parameter.
    fn call_value(
        &mut self,
        operands: Vec<Value>,
        modes: Vec<Arg>,
        places: Vec<Option<Place>>,
        statement: bool,
    ) -> Operand {
        let function = self.functions.get(&operands[0]).copied();
        let unit = function.map_or(statement, |f| f.output.is_none());
        let o = self.protocol(Callee::Value, operands, modes, places, unit);
        if let (Operand::Value(v), Some(f)) = (&o, function) {
            let ty = f.output.as_ref().map_or(Type::Unit, |ty| self.result_type(ty));
            let active = self.is_active(*v) && ty.can_be_active();
            self.func.values[*v].ty = ty;
            self.maybe_active.insert(*v, active);
        }
        if unit { Operand::Value(self.unit()) } else { o }
    }

    /// The type of a result as it is written: a type parameter may stand for a float.
    fn result_type(&self, ty: &syn::Type) -> Type {
        match types::of_rust(ty) {
            Type::Slice(_) => Type::Dyn,
            ty => ty,
        }
    }

    /// Calls a function with operands.
    pub(crate) fn apply(&mut self, f: &Operand, args: Vec<Operand>) -> Operand {
        let span = self.span;
        match f {
            Operand::Closure(k) => self.call_closure(*k, args, span),
            Operand::Function(path) => self.call_function(path, args, span),
            Operand::Choice(cond, a, b) => {
                let args = self.settled(args);
                self.if_value(*cond, &mut |l: &mut Self| l.apply(a, args.clone()), &mut |l: &mut Self| {
                    l.apply(b, args.clone())
                })
            }
            f => match self.function_value(f) {
                Some(v) => {
                    let (mut operands, mut modes) = (vec![v], vec![Arg::Function]);
                    for a in args {
                        let function = self.is_function(&a);
                        modes.push(match &a {
                            _ if function => Arg::Function,
                            Operand::Place(p) if p.is_ref => Arg::Ref,
                            _ => Arg::Value,
                        });
                        operands.push(if function { self.handed_over(a) } else { self.value(a) });
                    }
                    let places = vec![None; operands.len()];
                    self.call_value(operands, modes, places, false)
                }
                None => self.unsupported(span, "this argument is no function", "pass a closure `|x| …`"),
            },
        }
    }

    /// The cells that calling a function may change.
    pub(crate) fn function_cells(&self, f: &Operand) -> Vec<usize> {
        match f {
            Operand::Closure(k) => self.closures[*k].cells.iter().copied().collect(),
            Operand::Choice(_, a, b) => [self.function_cells(a), self.function_cells(b)].concat(),
            Operand::Parts(parts) => parts.iter().flat_map(|part| self.function_cells(part)).collect(),
            Operand::Place(p) => match p.root {
                Root::Cell(c) => vec![c],
                Root::Value(_) => vec![],
            },
            Operand::Object(p) => self.function_cells(&Operand::Place((**p).clone())),
            _ => Vec::new(),
        }
    }

    /// Whether a function may change what it captures: a number by its name only, anything else in any way.
    pub(crate) fn function_changes(&self, f: &Operand) -> bool {
        let changed = match f {
            Operand::Closure(k) => {
                let body = &self.closures[*k].expr.body;
                let mut changed = scan::assigned(body);
                changed.extend(scan::lent_mutably(body.to_token_stream()));
                Some((scan::mentioned(body.to_token_stream()), changed))
            }
            Operand::Value(v) if self.may_have_state(*v) => return true,
            _ => None,
        };
        self.function_cells(f).into_iter().any(|c| {
            let cell = &self.env.cells[c];
            if cell.value.is_some_and(|v| self.may_have_state(v)) {
                return true;
            }
            let number = cell.value.is_some_and(|v| self.func.ty(v).is_scalar());
            let names = |of: &[Ident]| of.iter().any(|name| types::plain_name(name) == cell.name);
            // under another name, or by another closure, anything may be done to it
            let by_name = || changed.as_ref().is_none_or(|(seen, changed)| names(changed) || !names(seen));
            cell.mutable && (!number || by_name())
        })
    }

    /// Whether it shows in which order a function is called: it changes what it captures, or something that is not seen here.
    pub(crate) fn shows_order(&self, f: &Operand) -> bool {
        let hidden = |k: &usize| changes_unseen(&self.closures[*k].expr);
        self.function_changes(f)
            || match f {
                Operand::Closure(k) => hidden(k),
                Operand::Choice(_, a, b) => self.shows_order(a) || self.shows_order(b),
                _ => false,
            }
    }

    /// The parameters of a function: how they are written, where that is known, and their types.
    pub(crate) fn parameters_of(&self, f: &Operand) -> Vec<(Option<String>, Type, Option<TokenStream>)> {
        match f {
            Operand::Closure(k) => {
                let syn::ExprClosure { inputs, body, .. } = &self.closures[*k].expr;
                inputs
                    .iter()
                    .map(|pat| match pat {
                        syn::Pat::Type(t) => {
                            let name = match &*t.pat {
                                syn::Pat::Ident(p) => Some(types::plain_name(&p.ident)),
                                _ => None,
                            };
                            (name, types::of_rust(&t.ty), Some(t.ty.to_token_stream()))
                        }
                        syn::Pat::Ident(p) => {
                            let changes = p.mutability.is_none() && scan::changes_through(body, &p.ident);
                            (Some(types::plain_name(&p.ident)), Type::Dyn, changes.then(|| quote!(&mut _)))
                        }
                        _ => (None, Type::Dyn, None),
                    })
                    .collect()
            }
            Operand::Function(path) => {
                let arity = match &**path {
                    syn::Expr::Path(p) if self.float_path(&p.path).is_some() => p
                        .path
                        .segments
                        .last()
                        .and_then(|last| prims::method(&last.ident.to_string()))
                        .map_or(1, |prim| prim.arity),
                    syn::Expr::Path(p) => self.arity(&p.path),
                    _ => 1,
                };
                vec![(None, Type::Dyn, None); arity]
            }
            Operand::Choice(_, a, b) => {
                // where one of them is not seen, the other shows how many there are
                let (a, b) = (self.parameters_of(a), self.parameters_of(b));
                if b.len() > a.len() { b } else { a }
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a closure calls a function that has nothing to do with what it is given, such as a counter, or changes a cell.
fn changes_unseen(closure: &syn::ExprClosure) -> bool {
    const OF_CELLS: [&str; 9] = ["set", "replace", "borrow_mut", "lock", "write", "update", "store", "swap", "take"];
    struct Unseen(Vec<Ident>, bool);
    impl<'ast> Visit<'ast> for Unseen {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            let seen = scan::mentioned(call.args.to_token_stream());
            self.1 |= !seen.iter().any(|name| self.0.contains(name));
            visit::visit_expr_call(self, call);
        }
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            let name = call.method.to_string();
            self.1 |= OF_CELLS.contains(&&*name) || name.starts_with("fetch_");
            visit::visit_expr_method_call(self, call);
        }
    }
    let given = closure.inputs.iter().flat_map(scan::bindings).collect();
    let mut unseen = Unseen(given, false);
    unseen.visit_expr(&closure.body);
    unseen.1
}
