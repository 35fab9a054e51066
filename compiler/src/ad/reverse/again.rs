//! What is run again instead of being remembered: loops of which some states are kept, and blocks.
//!
//! ```text
//! %s = for %k in 0..%n (%s.1 = %a)       %c = snapshots(%n)
//!   …                                    %s, %c.1 = for %k in 0..%n (%s.1 = %a, %c.2 = %c)
//!   → %s.2                                 %c.3 = save(%c.2, %s.1)
//!                                          …
//!                                          → %s.2, %c.3
//!                                        the pullback:
//!                                        %r = replay(%c.1)
//!                                   →    … = for %k in rev 0..%n (…, %r.1 = %r)
//!                                          %r.2, %j, %s.3 = restore(%r.1, %k)
//!                                          %s.4, %r.3 = for %i in %j..%k (%s.5 = %s.3, %r.4 = %r.2)
//!                                            %r.5 = save(%r.4, %s.5)
//!                                            …
//!                                          … once more, from %s.4
//!                                          … its adjoint
//!                                          → …, %r.3
//! ```
//!
//! The iteration that is undone and its adjoint are in one graph, so of what is in the iteration [`crate::storage`] keeps
//! something from the one to the other only. A block is a loop of one iteration whose state is what it uses.
//!
//! Of code without a derivative, statements that only have an effect (`println!`, `assert!`) run in the primal alone, and
//! what calls of unknown functions gave there is kept ([`log`]); the rest is run again.

mod log;

use super::control::trips;
use super::{Done, Reverse, key, prepare};
use crate::ir::{
    Arg, Builder, Checkpoint, CheckpointStep, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Recomputed, Type, Value,
};
use crate::opt::clone::clone_graph;
use la_arena::ArenaMap;
use std::collections::{BTreeSet, HashMap};

/// Copies of a graph that is run again.
pub(super) struct Plain {
    /// For the primal.
    sweep: Graph,
    /// For what the pullback passes through before the iteration that it undoes; without effects.
    advance: Graph,
    how: Recomputed,
    logs: Vec<Logged>,
}

/// A value that is not computed again, in the graph that is run again and in the copies.
struct Logged {
    own: Value,
    sweep: Value,
    advance: Value,
}

/// What is run again, with the graph and how.
fn found(f: &Func) -> Vec<(Node, Graph, Recomputed)> {
    let mut found = Vec::new();
    f.walk(f.root, &mut |_, n| {
        let g = match &f[n].op {
            Op::Loop(l) if !matches!(l.kind, LoopKind::Iter { .. }) => l.body,
            Op::Apply(g) => *g,
            _ => return,
        };
        found.extend(f[g].recomputed.map(|how| (n, g, how)));
    });
    found
}

/// Where something is run again, calls of the function by itself have pullbacks of their own: the frames that they would
/// share are left in the order of the primal, and there alone.
pub(super) fn separate(f: &mut Func) {
    if found(f).is_empty() {
        return;
    }
    f.call_anew(f.root);
}

/// Takes the copies.
pub(super) fn copies(f: &mut Func) -> ArenaMap<Node, Plain> {
    let found = found(f);
    let mut plain = ArenaMap::default();
    for (n, g, how) in found {
        let sites = log::sites(f, g);
        let [(sweep, to_sweep), (advance, to_advance)] = [(); 2].map(|()| {
            let mut map = HashMap::new();
            let copy = clone_graph(f, g, &mut map);
            remember(f, copy);
            without_pullbacks(f, copy);
            (copy, map)
        });
        quiet(f, advance);
        let logs = sites.into_iter().map(|v| Logged { own: v, sweep: to_sweep[&v], advance: to_advance[&v] });
        plain.insert(n, Plain { sweep, advance, how, logs: logs.collect() });
    }
    plain
}

/// Nothing in a graph is to be run again.
pub(crate) fn remember(f: &mut Func, g: Graph) {
    f[g].recomputed = None;
    let mut nested = Vec::new();
    f.walk(g, &mut |_, n| nested.extend(f[n].op.graphs()));
    nested.into_iter().for_each(|g| f[g].recomputed = None);
}

/// Calls that need not be undone. (A function that is handed over knows only how to be called for that.)
fn without_pullbacks(f: &mut Func, g: Graph) {
    let mut calls = Vec::new();
    f.walk(g, &mut |_, n| match &f[n].op {
        Op::CallVjp(call) if !call.args.contains(&Arg::Function) => calls.push((n, call.clone())),
        _ => {}
    });
    for (n, call) in calls {
        let pullback = call.own(&f[n].outs).len() - 1;
        f[n].op = Op::Call(call);
        f[n].outs.remove(pullback);
    }
}

/// Removes statements that only have an effect.
fn quiet(f: &mut Func, g: Graph) {
    let mut graphs = vec![g];
    let mut used = BTreeSet::new();
    f.walk(g, &mut |_, n| {
        used.extend(f[n].args.iter().map(|&a| key(a)));
        graphs.extend(f[n].op.graphs());
    });
    graphs.iter().for_each(|&g| used.extend(f[g].results.iter().map(|&r| key(r))));
    for g in graphs {
        let mut nodes = std::mem::take(&mut f[g].nodes);
        nodes.retain(|&n| {
            let node = &f[n];
            let only = |code: &crate::ir::Verbatim| !code.pure_ && !code.diverges && code.defs.is_empty();
            !matches!(&node.op, Op::Verbatim(code) if only(code)) || node.outs.iter().any(|&o| used.contains(&key(o)))
        });
        f[g].nodes = nodes;
    }
}

/// Nothing logged yet of a value.
fn empty_log(b: &mut Builder<'_>, of: Value) -> Value {
    let ty = Type::Vec(Box::new(b.func.ty(of).clone()));
    let log = b.push(Op::VecEmpty, vec![], ty);
    b.name(log, "log")
}

impl Reverse<'_> {
    /// Lets the primal loop keep states, and begins the body of its adjoint with the iteration that is undone. Gives the
    /// initial value of the replay, its parameter in the body and what becomes of it.
    pub(super) fn restored(
        &mut self,
        n: Node,
        data: &NodeData,
        l: &Loop,
        plain: Plain,
        rev: Graph,
        body: Graph,
    ) -> [Value; 3] {
        let span = data.span;
        let step = |step| Op::Checkpoint(Checkpoint { id: n.into_raw().into_u32(), step });
        let (snapshots, logs) = self.saved(n, data, l, &plain);
        let replay = self.b(rev, span).push(step(CheckpointStep::Replay), vec![snapshots], Type::Pullback);
        self.f.values[replay].name = Some("replay".to_owned());

        let adjoint = std::mem::take(&mut self.f[body].nodes);
        let (k, param) = (self.f[body].params[0], self.f.value_like(replay));
        let bound = l.kind.bindings();
        let mut state = self.f[l.body].params[bound..].to_vec();
        self.own(l.body, &state);
        let cursors: Vec<Value> = logs.iter().map(|_| self.f.value(Type::USIZE, None, span)).collect();
        state.extend(&cursors);
        let mut types = vec![Type::Pullback, Type::USIZE];
        types.extend(state.iter().map(|&v| self.f.ty(v).clone()));
        let restored = self.b(body, span).node(step(CheckpointStep::Restore), vec![param, k], types);
        let restored = self.f[restored].outs.clone();
        for (&v, &s) in restored.iter().zip([&replay].into_iter().chain([&replay]).chain(&state)) {
            self.f.values[v].name = self.f[s].name.clone();
        }
        self.f.values[restored[1]].name = Some("from".to_owned());

        // on to the iteration
        let advance = plain.advance;
        let params = std::mem::take(&mut self.f[advance].params);
        let (index, carried) = params.split_at(bound);
        self.own(advance, carried);
        let places: Vec<Value> = logs.iter().map(|_| self.f.value(Type::USIZE, None, span)).collect();
        let mut next = Vec::new();
        for ((logged, &log), &at) in plain.logs.iter().zip(&logs).zip(&places) {
            next.push(log::thread(self.f, advance, logged.advance, at, &mut |f, g, n, at| log::read(f, g, n, log, at)));
        }
        let carried = &[carried, &places[..]].concat()[..];
        let nodes = std::mem::take(&mut self.f[advance].nodes);
        let (i, inside) = (self.f.value(Type::USIZE, None, span), self.f.value_like(replay));
        let kept = [&[inside], carried].concat();
        let after = self.b(advance, span).push(step(CheckpointStep::Save), kept, Type::Pullback);
        self.index(advance, l, data, index, i);
        let graph = &mut self.f[advance];
        graph.nodes.extend(nodes);
        graph.params = [&[i, inside], carried].concat();
        let results = std::mem::take(&mut graph.results);
        let exits = usize::from(l.exits);
        graph.results = [&[after], &results[exits..], &next[..]].concat();
        self.own_results(advance, 1..results.len() + 1 - exits);
        let kind = LoopKind::For { inclusive: false, reversed: false };
        let op = Op::Loop(Box::new(Loop { kind, body: advance, exits: false, replays: None }));
        let replayed = self.f.value_like(replay);
        let args = [&[restored[1], k, restored[0]], &restored[CheckpointStep::STATE_OUTS..]].concat();
        let node = self.f.node(op, args, [&[replayed], &state[..]].concat(), span);
        self.f[body].nodes.push(node);

        // the iteration once more
        let index = self.f[l.body].params[..bound].to_vec();
        self.index(body, l, data, &index, k);
        self.reread(l.body, &plain, &logs, &cursors);
        self.take_nodes(l.body, body);
        self.f[body].nodes.extend(adjoint);
        [replay, param, replayed]
    }

    /// A block that is run again, and its adjoint.
    pub(super) fn run_again(&mut self, n: Node, data: &NodeData, g: Graph, rev: Graph) -> Done {
        let span = data.span;
        let seeds: Vec<(Value, Value)> =
            (data.outs.iter().zip(self.f[g].results.clone())).filter_map(|(&o, r)| Some((r, self.take(o)?))).collect();
        let plain = self.plain.remove(n).expect("only what is run again is still applied");
        let logs = self.logged(n, data, &plain);
        if seeds.is_empty() {
            return Ok(());
        }
        let free = self.outer_values(&[g]);
        let mut entries = Vec::new();
        for &v in &free {
            let entry = self.cotangent_or_zero(rev, v, span);
            entries.push((v, entry));
        }
        let body = self.f.graph();
        self.f[body].recomputed = Some(plain.how);
        let outer = std::mem::take(&mut self.cotangents);
        let passed = self.undo(g, body, &seeds, &entries, span)?;
        self.cotangents = outer;
        let adjoint = std::mem::take(&mut self.f[body].nodes);
        let mut starts = Vec::new();
        for _ in &logs {
            starts.push(self.b(body, span).int(0));
        }
        self.reread(g, &plain, &logs, &starts);
        self.take_nodes(g, body);
        let graph = &mut self.f[body];
        graph.nodes.extend(adjoint);
        let changed: Vec<bool> = passed.iter().map(|(p, r)| p != r).collect();
        (graph.params, graph.results) = passed.iter().copied().unzip();
        let types = graph.results.clone().into_iter().map(|r| self.f.ty(r).clone()).collect();
        let args = entries.iter().map(|(_, entry)| *entry).collect();
        let node = self.b(rev, span).node(Op::Apply(body), args, types);
        for ((v, out), changed) in free.into_iter().zip(self.f[node].outs.clone()).zip(changed) {
            if changed {
                self.cotangents.remove(&key(v));
                self.set(v, out);
            }
        }
        Ok(())
    }

    /// Puts the copy for the primal in the place of a block that is run again; gives its logs.
    fn logged(&mut self, n: Node, data: &NodeData, plain: &Plain) -> Vec<Value> {
        let mut logs = Vec::new();
        for logged in &plain.logs {
            let before = self.f.graph();
            let log = empty_log(&mut self.b(before, data.span), logged.own);
            let mut nodes = std::mem::take(&mut self.f[before].nodes);
            let sweep = std::mem::take(&mut self.f[plain.sweep].nodes);
            nodes.extend(sweep);
            self.f[plain.sweep].nodes = nodes;
            let after = log::thread(self.f, plain.sweep, logged.sweep, log, &mut log::write);
            self.f[plain.sweep].results.push(after);
            let out = self.f.value_like(log);
            self.f[n].outs.push(out);
            logs.push(out);
        }
        self.f[n].op = Op::Apply(plain.sweep);
        logs
    }

    /// In a graph that is run again, lets the logs give what they have, each from a place on.
    fn reread(&mut self, g: Graph, plain: &Plain, logs: &[Value], places: &[Value]) {
        for ((logged, &log), &at) in plain.logs.iter().zip(logs).zip(places) {
            let site = self.now(logged.own);
            log::thread(self.f, g, site, at, &mut |f, g, n, at| log::read(f, g, n, log, at));
            self.replaced.insert(key(logged.own), logged.sweep);
        }
    }

    /// Where a value is that was in something nested that is run again: in the copy that took its place.
    fn now(&self, v: Value) -> Value {
        self.replaced.get(&key(v)).map_or(v, |&copy| self.now(copy))
    }

    /// Moves the nodes of a graph that is run again.
    fn take_nodes(&mut self, from: Graph, to: Graph) {
        quiet(self.f, from);
        let nodes = std::mem::take(&mut self.f[from].nodes);
        self.f[to].nodes.extend(nodes);
    }

    /// Defines the index of a loop over a range in iteration `k`.
    fn index(&mut self, g: Graph, l: &Loop, data: &NodeData, index: &[Value], k: Value) {
        let (LoopKind::For { inclusive, reversed }, &[index]) = (&l.kind, index) else { return };
        let op = Op::Nth { inclusive: *inclusive && *reversed, reversed: *reversed };
        let node = self.f.node(op, vec![data.args[usize::from(*reversed)], k], vec![index], data.span);
        self.f[g].nodes.push(node);
    }

    /// Lets the primal keep states of a loop; gives the value that has them in the end, and the logs.
    fn saved(&mut self, n: Node, data: &NodeData, l: &Loop, plain: &Plain) -> (Value, Vec<Value>) {
        let span = data.span;
        let around = self.owners[data.outs[0]];
        let step = |step| Op::Checkpoint(Checkpoint { id: n.into_raw().into_u32(), step });
        let before = self.f.graph();
        let mut b = self.b(before, span);
        let count = match l.kind {
            LoopKind::For { inclusive, .. } if prepare::counted(&l.kind, l.exits) => {
                vec![trips(&mut b, inclusive, &data.args)]
            }
            _ => Vec::new(),
        };
        let start = step(CheckpointStep::Start { limit: plain.how.limit });
        let start = b.push(start, count, Type::Pullback);
        b.name(start, "snapshots");
        let mut starts = vec![start];
        for logged in &plain.logs {
            starts.push(empty_log(&mut b, logged.own));
        }
        let nodes = std::mem::take(&mut self.f[before].nodes);
        let at = self.f[around].nodes.iter().position(|m| *m == n).expect("the node is in its graph");
        self.f[around].nodes.splice(at..at, nodes);

        let sweep = plain.sweep;
        let [params, outs, tested] = [(); 3].map(|()| starts.iter().map(|&v| self.f.value_like(v)).collect::<Vec<_>>());
        let mut results = vec![params[0]];
        for (logged, &log) in plain.logs.iter().zip(&params[1..]) {
            results.push(log::thread(self.f, sweep, logged.sweep, log, &mut log::write));
        }
        let nodes = std::mem::take(&mut self.f[sweep].nodes);
        let mut state = [&params[..1], &self.f[sweep].params[l.kind.bindings()..]].concat();
        let mut b = self.b(sweep, span);
        state.extend(params[1..].iter().map(|&log| b.push(Op::Len, vec![log], Type::USIZE)));
        results[0] = b.push(step(CheckpointStep::Save), state, Type::Pullback);
        let graph = &mut self.f[sweep];
        graph.nodes.extend(nodes);
        graph.params.extend(params);
        graph.results.extend(results);
        if let LoopKind::While { cond } = l.kind {
            self.f[cond].params.extend(tested);
        }
        let node = &mut self.f[n];
        node.args.extend(starts);
        node.outs.extend(&outs);
        if let Op::Loop(l) = &mut node.op {
            l.body = sweep;
        }
        (outs[0], outs[1..].to_vec())
    }

    /// A state that is restored owns its slices: makes vectors of them, and of what becomes of them in the graph.
    fn own(&mut self, g: Graph, state: &[Value]) {
        let mut work: Vec<Value> = state.iter().copied().filter(|&v| matches!(self.f.ty(v), Type::Slice(_))).collect();
        let mut nodes = Vec::new();
        self.f.walk(g, &mut |around, n| nodes.push((around, n)));
        let mut owned = BTreeSet::new();
        while let Some(v) = work.pop() {
            let Type::Slice(element) = self.f.ty(v).clone() else { continue };
            self.f.values[v].ty = Type::Vec(element);
            owned.insert(key(v));
            for &(_, n) in &nodes {
                work.extend(self.versions(n, v));
            }
        }
        // what a variable is made to refer to instead is copied
        for (_, n) in nodes {
            let outs: Vec<bool> = self.f[n].outs.iter().map(|&o| owned.contains(&key(o))).collect();
            let (graphs, fixed) = match &self.f[n].op {
                Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => (vec![*then_, *else_], 0),
                Op::Loop(l) => (vec![l.body], usize::from(l.exits)),
                _ => continue,
            };
            for g in graphs {
                self.own_results(g, (0..outs.len()).filter(|&k| outs[k]).map(|k| fixed + k));
            }
        }
    }

    /// Makes vectors of results of a graph that are slices.
    fn own_results(&mut self, g: Graph, which: impl Iterator<Item = usize>) {
        for k in which {
            let v = self.f[g].results[k];
            if let Type::Slice(element) = self.f.ty(v).clone() {
                let span = self.f[v].span;
                self.f.graphs[g].results[k] = self.b(g, span).push(Op::Copy(true), vec![v], Type::Vec(element));
            }
        }
    }

    /// What becomes of a value in a node that may change it.
    fn versions(&self, n: Node, v: Value) -> Vec<Value> {
        let data = &self.f[n];
        let places = data.args.iter().enumerate().filter(|(_, a)| **a == v).map(|(i, _)| i);
        match &data.op {
            Op::Take(_) => places.filter(|&i| i == 0).map(|_| data.outs[1]).collect(),
            Op::Loop(l) => {
                let carried = places.filter_map(|i| i.checked_sub(l.kind.operands()));
                let cond = if let LoopKind::While { cond } = l.kind { Some(cond) } else { None };
                carried
                    .flat_map(|k| {
                        let tested = cond.map(|cond| self.f[cond].params[k]);
                        let result = self.f[l.body].results[usize::from(l.exits) + k];
                        [data.outs[k], self.f[l.body].params[l.kind.bindings() + k], result].into_iter().chain(tested)
                    })
                    .collect()
            }
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                let given = |k: usize| [then_, else_].iter().any(|g| self.f[**g].results[k] == v);
                (0..data.outs.len()).filter(|&k| given(k)).map(|k| data.outs[k]).collect()
            }
            Op::Call(c) | Op::CallVjp(c) => {
                let changed = (0..c.args.len()).filter(|&i| c.args[i].changes());
                let changed = changed.enumerate().filter(|&(_, i)| data.args[i] == v).map(|(k, _)| data.outs[1 + k]);
                let both = c.before(&data.args).iter().zip(c.after(&data.outs));
                changed.chain(both.filter(|(before, _)| **before == v).map(|(_, &after)| after)).collect()
            }
            Op::Verbatim(code) => {
                let changed = code.defs.iter().enumerate();
                changed.filter(|(_, i)| data.args[**i] == v).map(|(k, _)| data.outs[1 + k]).collect()
            }
            op => places.filter(|&i| op.consumes() == Some(i)).map(|_| data.outs[0]).collect(),
        }
    }
}
