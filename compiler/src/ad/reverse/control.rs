//! Adjoints of branches and loops.

use super::{Done, NoAdjoint, Reverse, key, prepare};
use crate::ir::{Builder, Graph, Loop, LoopKind, Node, NodeData, Op, Path, Type, Value};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet};

impl Reverse<'_> {
    /// The branch again, each arm undoing the primal's.
    pub(super) fn branch(&mut self, data: &NodeData, cond: Value, then_: Graph, else_: Graph, rev: Graph) -> Done {
        let span = data.span;
        // what an active pattern binds is a part of the scrutinee
        let bound: Vec<(Value, Path)> = match &data.op {
            Op::IfLet { parts, .. } => self.f[then_].params.iter().copied().zip(parts.iter().cloned()).collect(),
            _ => Vec::new(),
        };
        let scrutinee = (!bound.is_empty() && self.active(data.args[0])).then(|| data.args[0]);
        let seeds: Vec<Option<Value>> = data.outs.iter().map(|&o| self.take(o)).collect();
        let ordered = [then_, else_].iter().any(|&arm| self.f.is_ordered(arm));
        if !ordered && seeds.iter().all(Option::is_none) {
            return Ok(());
        }
        // aggregates that an arm adds into exist before the branch, so that both arms pass them on
        let mut made = Vec::new();
        for v in self.free_active(&[then_, else_]).into_iter().chain(scrutinee) {
            if self.f.ty(v).is_aggregate() && self.get(v).is_none() {
                let zero = self.zero(rev, v, span);
                self.set(v, zero);
                made.push(v);
            }
        }
        let before = self.cotangents.clone();
        let mut arms = Vec::new();
        for arm in [then_, else_] {
            let g = self.f.graph();
            self.f[g].replays = Some(arm);
            self.cotangents.clone_from(&before);
            for (r, seed) in self.f[arm].results.clone().into_iter().zip(&seeds) {
                if let Some(seed) = seed {
                    self.add(g, r, *seed, span);
                }
            }
            self.graph(arm, g)?;
            if let Some(root) = scrutinee
                && arm == then_
            {
                for (p, path) in &bound {
                    if let Some(c) = self.take(*p) {
                        self.scatter(g, root, path, &[], c, span);
                    }
                }
            }
            arms.push((g, std::mem::take(&mut self.cotangents)));
        }
        let (else_rev, else_map) = arms.pop().expect("two arms");
        let (then_rev, then_map) = arms.pop().expect("two arms");
        let mut outer: Vec<Value> = self.outer_values(&[then_, else_]);
        outer.extend(scrutinee.filter(|v| !outer.contains(v)));
        let mut changed = Vec::new();
        for v in outer {
            let (a, b) = (then_map.get(&key(v)), else_map.get(&key(v)));
            if a != b || a != before.get(&key(v)) {
                changed.push(v);
            }
        }
        self.cotangents = before;
        for v in made {
            if !changed.contains(&v) {
                self.cotangents.remove(&key(v));
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let mut types = Vec::new();
        for &v in &changed {
            let mut ty: Option<Type> = None;
            for (g, map) in [(then_rev, &then_map), (else_rev, &else_map)] {
                let c = match map.get(&key(v)) {
                    Some(c) => *c,
                    None => self.zero(g, v, span),
                };
                self.f[g].results.push(c);
                let t = self.f.ty(c).clone();
                ty = Some(match ty {
                    Some(old) => old.join(&t),
                    None => t,
                });
            }
            types.push(ty.expect("two arms"));
        }
        let n = self.b(rev, span).node(Op::If { then_: then_rev, else_: else_rev }, vec![cond], types);
        for (v, out) in changed.into_iter().zip(self.f[n].outs.clone()) {
            self.cotangents.remove(&key(v));
            self.set(v, out);
        }
        Ok(())
    }

    /// The active values of enclosing graphs that some graphs use or give.
    fn free_active(&self, graphs: &[Graph]) -> Vec<Value> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for &g in graphs {
            for v in self.f.free(g) {
                if self.active(v) && seen.insert(key(v)) {
                    out.push(v);
                }
            }
        }
        out
    }

    /// The same in the order of their definition.
    pub(super) fn outer_values(&self, graphs: &[Graph]) -> Vec<Value> {
        let mut values = self.free_active(graphs);
        values.sort_by_key(|v| key(*v));
        values
    }

    /// The loop backwards. Carried: the cotangents of the carried values, and those of what the body uses from outside.
    pub(super) fn loop_(&mut self, n: Node, data: &NodeData, l: &Loop, rev: Graph) -> Done {
        let span = data.span;
        let seeds: Vec<Option<Value>> = data.outs.iter().map(|&o| self.take(o)).collect();
        if !self.f.is_ordered(l.body) && seeds.iter().all(Option::is_none) {
            return Ok(());
        }
        let operands = l.kind.operands();
        let bindings = l.kind.bindings();
        let params: Vec<Value> = self.f[l.body].params[bindings..].to_vec();
        let results: Vec<Value> = self.f[l.body].results[usize::from(l.exits)..].to_vec();
        let inits: Vec<Value> = data.args[operands..].to_vec();
        // a carried value that has a cotangent anywhere on its way round
        let carried: Vec<usize> = (0..params.len())
            .filter(|&j| self.active(params[j]) || self.active(data.outs[j]) || self.active(results[j]))
            .collect();
        let free = self.outer_values(&[l.body]);

        let again = self.plain.remove(n);
        let replays = again.is_none().then_some(n);
        let body = self.f.graph();
        self.f[body].replays = again.is_none().then_some(l.body);
        let counted = prepare::counted(&l.kind, l.exits);
        let (kind, mut args) = match l.kind {
            LoopKind::For { inclusive, reversed } if counted && again.is_none() => {
                (LoopKind::For { inclusive, reversed: !reversed }, data.args[..2].to_vec())
            }
            _ => {
                let mut b = self.b(rev, span);
                let zero = b.int(0);
                let trips = match l.kind {
                    LoopKind::For { inclusive, .. } if counted => trips(&mut b, inclusive, &data.args),
                    _ => *data.outs.last().expect("the trip count"),
                };
                (LoopKind::For { inclusive: false, reversed: true }, vec![zero, trips])
            }
        };
        let index_ty = match &l.kind {
            LoopKind::For { .. } if counted && again.is_none() => self.f.ty(self.f[l.body].params[0]).clone(),
            _ => Type::USIZE,
        };
        let index = self.f.value(index_ty, None, span);
        if let LoopKind::For { .. } = l.kind
            && again.is_none()
        {
            self.f.values[index].name = self.f[self.f[l.body].params[0]].name.clone();
        }

        // initial values
        let mut entries = Vec::new();
        for &j in &carried {
            let init = match seeds[j] {
                Some(s) => s,
                None => self.zero(rev, data.outs[j], span),
            };
            entries.push(init);
        }
        let outer = self.cotangents.clone();
        for &v in &free {
            let init = self.cotangent_or_zero(rev, v, span);
            entries.push(init);
        }
        // parameters of the body
        let mut body_params = Vec::new();
        let mut seeds_in = Vec::new();
        for (k, &j) in carried.iter().enumerate() {
            let p = self.bar_like(data.outs[j], entries[k]);
            body_params.push(p);
            seeds_in.push((results[j], p));
        }
        let passed: Vec<(Value, Value)> = free.iter().copied().zip(entries[carried.len()..].iter().copied()).collect();
        let passed = self.undo(l.body, body, &seeds_in, &passed, span)?;
        let mut body_results = Vec::new();
        for &j in &carried {
            let c = self.cotangent_or_zero(body, params[j], span);
            body_results.push(c);
        }
        for (p, r) in passed {
            body_params.push(p);
            body_results.push(r);
        }
        // what the body never adds to is not carried
        let keep: Vec<bool> =
            body_params.iter().zip(&body_results).enumerate().map(|(k, (p, r))| k < carried.len() || p != r).collect();
        let kept =
            |vs: &[Value]| -> Vec<Value> { vs.iter().zip(&keep).filter(|(_, k)| **k).map(|(v, _)| *v).collect() };
        let (body_params, body_results, entries_kept) = (kept(&body_params), kept(&body_results), kept(&entries));
        args.extend(&entries_kept);
        self.f[body].params = std::iter::once(index).chain(body_params.iter().copied()).collect();
        self.f[body].results = body_results.clone();
        let mut types: Vec<Type> = body_results.iter().map(|&r| self.f.ty(r).clone()).collect();
        let op = Op::Loop(Box::new(Loop { kind, body, exits: false, replays }));
        if let Some(plain) = again {
            let [init, param, result] = self.restored(n, data, l, plain, rev, body);
            args.push(init);
            types.push(self.f.ty(result).clone());
            self.f[body].params.push(param);
            self.f[body].results.push(result);
        }
        let node = self.b(rev, span).node(op, args, types);
        let outs = self.f[node].outs.clone();

        self.cotangents = outer;
        let mut outs = outs.into_iter();
        let finals: Vec<Value> = carried.iter().map(|_| outs.next().expect("an out")).collect();
        for (k, &v) in free.iter().enumerate() {
            if keep[carried.len() + k] {
                let out = outs.next().expect("an out");
                self.cotangents.remove(&key(v));
                self.set(v, out);
            }
        }
        for (&j, out) in carried.iter().zip(finals) {
            self.add(rev, inits[j], out, span);
        }
        Ok(())
    }

    /// A new value of the type of a cotangent, named for that of `v`.
    pub(super) fn bar_like(&mut self, v: Value, cotangent: Value) -> Value {
        let (ty, span) = (self.f.ty(cotangent).clone(), self.f[cotangent].span);
        let name = self.f[v].name.as_ref().map(|n| format!("{n}_bar"));
        self.f.value(ty, name, span)
    }

    /// Builds in `body` the adjoint of `primal`, of whose results `seeds` are the cotangents. Of the values of enclosing
    /// graphs in `free`, with their cotangents, it gives the parameters that these come in as, and what goes out.
    pub(super) fn undo(
        &mut self,
        primal: Graph,
        body: Graph,
        seeds: &[(Value, Value)],
        free: &[(Value, Value)],
        span: Span,
    ) -> Result<Vec<(Value, Value)>, NoAdjoint> {
        self.cotangents = BTreeMap::new();
        let mut params = Vec::new();
        for &(v, entry) in free {
            let p = self.bar_like(v, entry);
            params.push(p);
            self.cotangents.insert(key(v), p);
        }
        for &(r, seed) in seeds {
            self.add(body, r, seed, span);
        }
        self.graph(primal, body)?;
        Ok(free.iter().zip(params).map(|((v, _), p)| (p, self.cotangents[&key(*v)])).collect())
    }
}

/// How often a loop over a range with these operands runs.
pub(super) fn trips(b: &mut Builder<'_>, inclusive: bool, range: &[Value]) -> Value {
    let one = b.int(1);
    b.push(Op::Steps { inclusive }, vec![range[0], range[1], one], Type::USIZE)
}
