//! Loops.

use super::control::{Tail, strip};
use super::env::Binding;
use super::iter::Iter;
use super::place::Root;
use super::{Lowering, Operand, Target, TargetKind, scan};
use crate::diag::catalog;
use crate::ir::{Loop, LoopKind, Op, Type, Value, Verbatim};
use crate::prims::compare;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;

/// What the body of a loop does before its block.
pub(crate) type Bind<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, &[Value]);
/// The block.
pub(crate) type Body<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, Tail) -> Operand;

impl<'a> Lowering<'a> {
    /// `loop { … }`
    pub(crate) fn loop_(&mut self, l: &syn::ExprLoop) -> Operand {
        let label = l.label.as_ref().map(|l| l.name.ident.to_string());
        let mentions = self.candidates(&scan::mentioned(l.body.to_token_stream()));
        self.build_loop(LoopKind::Infinite, vec![], vec![], label, &mentions, true, &mut |_, _| {}, &mut |l2, tail| {
            l2.block(&l.body, tail)
        })
    }

    /// `while cond { … }`
    pub(crate) fn while_(&mut self, w: &syn::ExprWhile) -> Operand {
        let label = w.label.as_ref().map(|l| l.name.ident.to_string());
        let mentions = self.candidates(&scan::mentioned(w.to_token_stream()));
        if !scan::has_effects(&w.cond) {
            let cond = self.func.graph();
            self.pending_cond = Some((cond, (*w.cond).clone()));
            let kind = LoopKind::While { cond };
            return self.build_loop(kind, vec![], vec![], label, &mentions, false, &mut |_, _| {}, &mut |l, tail| {
                l.block(&w.body, tail)
            });
        }
        if let Some(o) = self.while_next(w, label.clone(), &mentions) {
            return o;
        }
        // the condition does something: test it inside
        self.build_loop(LoopKind::Infinite, vec![], vec![], label, &mentions, false, &mut |_, _| {}, &mut |l, tail| {
            l.branch(&w.cond, &mut |l: &mut Self| l.block(&w.body, tail), &mut |l: &mut Self| {
                let t = l.targets.len() - 1;
                l.exit(t, false, None, w.while_token.span, Tail::No)
            })
        })
    }

    /// `while let Some(x) = it.next() { … }` with a body that leaves `it` alone: a loop over what is left of it.
    fn while_next(&mut self, w: &syn::ExprWhile, label: Option<String>, mentions: &[usize]) -> Option<Operand> {
        let syn::Expr::Let(l) = strip(&w.cond) else { return None };
        let syn::Pat::TupleStruct(some) = &*l.pat else { return None };
        let syn::Expr::MethodCall(m) = strip(&l.expr) else { return None };
        let syn::Expr::Path(name) = strip(&m.receiver) else { return None };
        let (pattern, name) = (some.elems.first()?, name.path.get_ident()?);
        let body = &w.body;
        let plain = some.path.is_ident("Some") && m.method == "next" && self.pattern_test_is_trivial(pattern);
        if !plain || scan::mentioned(body.to_token_stream()).contains(name) {
            return None;
        }
        let it = self.iterator_by_name(&m.receiver)?;
        let Iter::Rest(..) = it else { return None };
        Some(self.drive(&it, label, mentions, &mut |l, item, tail| {
            l.env.push_scope();
            let is_ref = matches!(&item, Operand::Place(p) if p.is_ref);
            l.bind_pattern(pattern, item, is_ref);
            let o = l.block(body, tail);
            l.env.pop_scope();
            o
        }))
    }

    /// `for pattern in iterator { … }`
    pub(crate) fn for_(&mut self, f: &syn::ExprForLoop) -> Operand {
        let label = f.label.as_ref().map(|l| l.name.ident.to_string());
        let mentions = scan::mentioned(f.body.to_token_stream());
        let nested = self.nested;
        self.nested += 1;
        let it = self.iterator(&f.expr);
        self.nested = nested;
        self.span = f.for_token.span;
        // over what is kept as it is written
        let head = f.expr.to_token_stream();
        let kept =
            matches!(it, Some(Iter::Kept(_))) && !self.mentions_function(head.clone()) && !self.mentions_active(head);
        if let Some(it) = it.filter(|_| !kept) {
            if let Some((lo, hi, inclusive, reversed)) = it.range() {
                let kind = LoopKind::For { inclusive, reversed };
                let ty = self.common_type(&[lo, hi]);
                let ty = if matches!(ty, Type::Int(_)) { ty } else { Type::INT };
                let cells = self.candidates(&mentions);
                return self.build_loop(
                    kind,
                    vec![lo, hi],
                    vec![ty],
                    label,
                    &cells,
                    false,
                    &mut |l, params| l.bind_pattern(&f.pat, Operand::Value(params[0]), false),
                    &mut |l, tail| l.block(&f.body, tail),
                );
            }
            if !it.one_loop() && (label.is_some() || scan::breaks(&f.body)) {
                return self.unsupported(
                    f.expr.span(),
                    "`break` out of a loop over `chain` or `flat_map` is not supported",
                    "write one loop after another, or nested loops with a label",
                );
            }
            let body = &f.body;
            let pattern = &f.pat;
            let mut cells = self.candidates(&mentions);
            cells.extend(self.iter_cells(&it));
            return self.drive(&it, label, &cells, &mut |l, item, tail| {
                l.env.push_scope();
                let is_ref = matches!(&item, Operand::Place(p) if p.is_ref);
                l.bind_pattern(pattern, item, is_ref);
                let o = l.block(body, tail);
                l.env.pop_scope();
                o
            });
        }
        // over anything else: kept as it is written, if nothing differentiable is in the iterator
        if self.mentions_active(f.expr.to_token_stream()) {
            return self.unsupported(
                f.expr.span(),
                "this iterator over a differentiable value is not supported yet",
                "use a range and an index, `iter()`, `iter_mut()`, `enumerate`, `zip`, `rev`, `windows` or `chunks`",
            );
        }
        let (names, operands, refs) = self.captures(f.expr.to_token_stream());
        let code = f.expr.to_token_stream();
        let defs = self.possible_defs(&names, &operands);
        if !defs.is_empty() && Self::mentions_mut(&f.expr) {
            return self.unsupported(
                f.expr.span(),
                "an iterator that changes a local variable is not supported",
                "collect its items into a `Vec` first",
            );
        }
        let bindings = scan::bindings(&f.pat);
        let pattern = f.pat.to_token_stream();
        let iter = Verbatim { code, uses: names, refs, defs: vec![], pure_: false, diverges: false };
        let types = vec![Type::Dyn; bindings.len()];
        let kind = LoopKind::Iter { iter, pattern, bindings: bindings.clone() };
        let cells = self.candidates(&mentions);
        self.build_loop(
            kind,
            operands,
            types,
            label,
            &cells,
            false,
            &mut |l, params| {
                for (ident, &p) in bindings.iter().zip(params) {
                    l.bind_value(ident, p, false);
                }
            },
            &mut |l, tail| l.block(&f.body, tail),
        )
    }

    /// The cells that code which mentions these names may change.
    pub(crate) fn candidates(&self, mentions: &[proc_macro2::Ident]) -> Vec<usize> {
        let mut cells = BTreeSet::new();
        for m in mentions {
            self.candidates_of(&super::types::plain_name(m), &mut cells, 0);
        }
        cells.into_iter().collect()
    }

    fn candidates_of(&self, name: &str, cells: &mut BTreeSet<usize>, depth: usize) {
        match self.lookup(name) {
            Some(Binding::Cell(c, _)) => {
                cells.insert(*c);
            }
            Some(Binding::Alias(p, _)) => {
                if let Root::Cell(c) = p.root {
                    cells.insert(c);
                }
            }
            Some(Binding::Iter(it)) => cells.extend(self.iter_cells(it)),
            Some(Binding::Known(o)) => cells.extend(self.function_cells(o)),
            Some(Binding::Closure(k)) if depth < 16 => {
                for c in &self.closures[*k].cells {
                    cells.insert(*c);
                }
            }
            _ => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn build_loop(
        &mut self,
        kind: LoopKind,
        operands: Vec<Value>,
        binding_types: Vec<Type>,
        label: Option<String>,
        cells: &[usize],
        has_value: bool,
        bind: Bind<'_, 'a>,
        block: Body<'_, 'a>,
    ) -> Operand {
        let pending_cond = self.pending_cond.take();
        let mut candidates: BTreeSet<usize> = cells.iter().copied().collect();
        for t in &self.targets {
            candidates.insert(t.brk);
            candidates.extend(t.cont);
            candidates.extend(t.value);
        }
        let candidates: Vec<usize> = candidates.into_iter().filter(|c| self.env.cells[*c].mutable).collect();
        let outer_graph = self.graph;
        let outer_cells = self.env.cells.clone();
        let outer_flags = self.flags();
        let body = self.func.graph();
        let span = self.span;

        // parameters: what the kind binds, then the carried cells
        let bound: Vec<Value> = binding_types
            .into_iter()
            .map(|ty| {
                let v = self.func.value(ty, None, span);
                self.maybe_active.insert(v, false);
                v
            })
            .collect();
        let mut params = vec![None; candidates.len()];
        for (i, &c) in candidates.iter().enumerate() {
            if let Some(init) = self.env.cells[c].value {
                params[i] = Some(self.carried_param(c, init));
            }
        }
        let mut cond_params = BTreeMap::new();
        if let Some((graph, cond)) = &pending_cond {
            self.graph = *graph;
            for &c in &candidates {
                if let Some(init) = outer_cells[c].value {
                    let p = self.carried_param(c, init);
                    self.env.cells[c].value = Some(p);
                    cond_params.insert(c, p);
                }
            }
            let result = self.operand(cond);
            self.func[*graph].results.push(result);
            self.env.cells.clone_from(&outer_cells);
        }
        // the body
        self.graph = body;
        let no = self.b().bool(false);
        self.maybe_active.insert(no, false);
        for (i, &c) in candidates.iter().enumerate() {
            // an iteration begins only while no flag is set
            let flag = self.env.cells[c].key == usize::MAX && params[i].is_some_and(|p| *self.func.ty(p) == Type::Bool);
            self.env.cells[c].value = if flag { Some(no) } else { params[i] };
        }
        let brk = self.env.new_cell("stop", Some(no), true, usize::MAX);
        let cont = self.env.new_cell("skip", Some(no), true, usize::MAX);
        let value = has_value.then(|| self.env.new_cell("value", None, true, usize::MAX));
        if let Some(value) = value {
            self.may_be_slot_of_target(value);
        }
        let nested = self.nested;
        self.targets.push(Target { kind: TargetKind::Loop(label), brk, cont: Some(cont), no, value, nested });
        let tail = Tail::Of(self.targets.len() - 1);
        self.env.push_scope();
        bind(self, &bound);
        block(self, tail);
        self.env.pop_scope();
        self.targets.pop();

        // leave after this iteration: by `break`, or because an outer target is left
        let mut stop: Option<Value> = self.env.cells[brk].value.filter(|v| *v != no);
        let never_ends = has_value && stop.is_none();
        for &f in &outer_flags {
            if let Some(now) = self.env.cells[f].value
                && now != no
            {
                stop = Some(match stop {
                    Some(s) => {
                        let v = self.b().prim(&compare::OR, &[s, now]);
                        self.maybe_active.insert(v, false);
                        v
                    }
                    None => now,
                });
            }
        }
        let left_value = value.and_then(|c| self.env.cells[c].value);

        // a variable that changes unnoticed would be wrong: better an error
        for (c, before) in outer_cells.iter().enumerate() {
            if !candidates.contains(&c) && self.env.cells[c].value != before.value {
                let name = before.name.clone();
                self.diags.error(
                    span,
                    &catalog::INTERNAL,
                    &[("detail", &format!("a loop changes `{name}` unnoticed"))],
                );
            }
        }

        // what is carried: everything but flags that nobody sets
        let mut carried: Vec<(usize, Option<Value>, Value)> = Vec::new();
        for (i, &c) in candidates.iter().enumerate() {
            let now = self.env.cells[c].value;
            let untouched_flag = self.env.cells[c].key == usize::MAX && (now == params[i] || now == Some(no));
            match now {
                Some(now) if !untouched_flag => carried.push((c, params[i], now)),
                _ => {}
            }
        }
        let result_value = left_value.map(|v| (v, self.ty(v)));
        let slot = value.is_some_and(|c| self.env.cells[c].slot);
        if let (Some(cell), Some((_, ty))) = (value, &result_value) {
            self.needs_constant(cell, ty);
        }
        self.graph = outer_graph;
        let inner_cells = std::mem::replace(&mut self.env.cells, outer_cells);

        // initial values; a cell without one gets a value that is never read
        let mut args = operands;
        let mut body_params = bound;
        let mut results: Vec<Value> = stop.into_iter().collect();
        let mut out_cells = Vec::new();
        for (c, param, now) in carried {
            let ty = self.ty(now);
            let (init, param) = match (self.env.cells[c].value, param) {
                (Some(init), Some(param)) => {
                    let (carried, key) = (self.ty(param), self.env.cells[c].key);
                    if key != usize::MAX && refines(&ty, &carried) {
                        // the body knows more: the next round begins with that
                        self.cell_types.insert(key, ty.clone());
                    }
                    let init = self.none_as(init, &carried).unwrap_or(init);
                    if refines(&carried, self.func.ty(init)) {
                        self.func.values[init].ty = carried;
                    }
                    (init, param)
                }
                _ => {
                    let declared = inner_cells[c].declared_rust.clone().filter(|_| !inner_cells[c].slot);
                    self.needs_constant(c, &ty);
                    let made = match declared.as_ref().and_then(|t| self.dummy_of_rust(t)) {
                        Some(v) => Some(v),
                        None => self.dummy(&ty),
                    };
                    let Some(init) = made else {
                        return self.unsupported(
                            span,
                            "leaving a loop with a value whose type is not visible is not supported yet",
                            "declare the result before the loop, assign it inside, and `break` without a value",
                        );
                    };
                    let p = self.func.value(ty.clone(), None, span);
                    self.maybe_active.insert(p, self.is_active(now));
                    (init, p)
                }
            };
            if let Some((graph, _)) = &pending_cond {
                // the parameters of condition and body are alike
                let p = cond_params.get(&c).copied();
                let p = p.unwrap_or_else(|| self.func.value(self.func.ty(param).clone(), None, span));
                self.func[*graph].params.push(p);
            }
            args.push(init);
            body_params.push(param);
            results.push(now);
            out_cells.push((c, now));
        }
        if let Some((v, ty)) = &result_value {
            let Some(init) = self.dummy(ty) else {
                return self.unsupported(
                    span,
                    "`break` with a value whose type is not visible is not supported yet",
                    "declare the result before the loop, assign it inside, and `break` without a value",
                );
            };
            let p = self.func.value(ty.clone(), None, span);
            self.maybe_active.insert(p, self.is_active(*v));
            args.push(init);
            body_params.push(p);
            results.push(*v);
        }
        self.func[body].params = body_params;
        self.func[body].results = results.clone();
        let exits = stop.is_some();
        let types: Vec<Type> = results.iter().skip(usize::from(exits)).map(|&v| self.ty(v)).collect();
        let op = Op::Loop(Box::new(Loop { kind, body, exits, replays: None }));
        self.span = span;
        let node = self.b().node(op, args, types);
        let outs = self.func[node].outs.clone();
        for ((c, now), &out) in out_cells.iter().zip(&outs) {
            let active = self.func.ty(out).can_be_active()
                && (self.is_active(*now) || self.active_cells.contains(&self.env.cells[*c].key));
            self.maybe_active.insert(out, active);
            if self.env.cells[*c].key == usize::MAX {
                self.env.cells[*c].value = Some(out);
            } else {
                self.func.values[out].name = Some(self.env.cells[*c].name.clone());
                self.set_cell(*c, out);
            }
        }
        match result_value {
            Some((v, _)) => {
                let out = *outs.last().expect("the value is the last result");
                let active = self.is_active(v);
                self.maybe_active.insert(out, active);
                match slot {
                    true => Operand::Left(out),
                    false => Operand::Value(out),
                }
            }
            // left only by `return` or for an outer loop
            None if never_ends => Operand::Never,
            None => Operand::Value(self.unit()),
        }
    }

    /// The parameter of a loop's body that carries a cell.
    pub(crate) fn carried_param(&mut self, cell: usize, init: Value) -> Value {
        let data = self.env.cells[cell].clone();
        let mut ty = self.ty(init);
        if let Some(declared) = &data.declared
            && *declared != Type::Dyn
        {
            ty = ty.join(declared);
            if ty == Type::Dyn {
                ty = self.ty(init);
            }
        }
        if let Some(found) = self.cell_types.get(&data.key)
            && refines(found, &ty)
        {
            ty = found.clone();
        }
        let active = ty.can_be_active() && (self.is_active(init) || self.active_cells.contains(&data.key));
        let p = self.func.value(ty, Some(data.name.clone()), self.span);
        self.maybe_active.insert(p, active);
        if self.may_be_users(init) {
            self.structs.insert(p, ());
        }
        p
    }

    /// Whether an expression takes a mutable reference.
    pub(crate) fn mentions_mut(e: &syn::Expr) -> bool {
        let text = strip(e).to_token_stream().to_string();
        text.contains("& mut") || text.contains("_mut") || text.contains(".drain")
    }
}

/// Whether a type says more than another: what is in an option or a vector that began empty.
pub(super) fn refines(new: &Type, old: &Type) -> bool {
    match (new, old) {
        (Type::Option(a), Type::Option(b)) => (**b == Type::Dyn && **a != Type::Dyn) || refines(a, b),
        (Type::Vec(a), Type::Vec(b)) => (**b == Type::Dyn && **a != Type::Dyn) || refines(a, b),
        (Type::Tuple(a), Type::Tuple(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).any(|(a, b)| refines(a, b))
                && a.iter().zip(b).all(|(a, b)| a == b || refines(a, b))
        }
        _ => false,
    }
}
