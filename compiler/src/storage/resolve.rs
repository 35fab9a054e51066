//! Rewrites the pullback: slots are read where an iteration is undone, cheap values are computed again.

use super::Primal;
use super::decide::Decisions;
use super::keep::{Base, Kept, Range, bounds, multiple};
use crate::ir::{Builder, Func, Graph, LoopKind, Node, NodeData, Op, Path, RangeEnd, Step, Value};
use crate::prims::arith;
use la_arena::ArenaMap;
use proc_macro2::Span;
use std::collections::HashMap;

/// A graph of the pullback that is being rewritten.
struct Frame {
    rev: Graph,
    /// The primal graph that it replays.
    primal: Option<Graph>,
    /// What values of that primal graph are here.
    here: HashMap<Value, Value>,
    /// Where the slot of this iteration is: the vector and the position in it.
    slot: Option<(Node, Value, Value)>,
    /// The index of a reverse loop.
    index: Option<Value>,
}

struct Resolver<'f> {
    f: &'f mut Func,
    primal: &'f Primal,
    decisions: &'f Decisions,
    kept: &'f Kept,
    /// The owners of the values that were made to keep others.
    made: ArenaMap<Value, Graph>,
    frames: Vec<Frame>,
}

/// Resolves.
pub(super) fn resolve(func: &mut Func, primal: &Primal, decisions: &Decisions, kept: &Kept) {
    let mut made = ArenaMap::default();
    for (v, g) in func.owners(func.root).iter() {
        made.insert(v, *g);
    }
    let mut r = Resolver { f: func, primal, decisions, kept, made, frames: Vec::new() };
    let pullback = primal.pullback;
    r.frames.push(Frame { rev: pullback, primal: Some(primal.root), here: HashMap::new(), slot: None, index: None });
    r.graph(pullback);
    r.frames.pop();
}

impl Resolver<'_> {
    /// Rewrites a graph, whose frame is the last one.
    fn graph(&mut self, rev: Graph) {
        let nodes = std::mem::take(&mut self.f[rev].nodes);
        self.nodes(rev, nodes);
    }

    fn nodes(&mut self, rev: Graph, nodes: Vec<Node>) {
        for n in nodes {
            self.node(rev, n);
        }
        let results = self.f[rev].results.clone();
        let results = results.into_iter().map(|v| self.value(v)).collect();
        self.f[rev].results = results;
        self.f[rev].replays = None;
    }

    fn node(&mut self, rev: Graph, n: Node) {
        let args: Vec<Value> = self.f[n].args.clone().into_iter().map(|v| self.value(v)).collect();
        self.f[n].args = args;
        match self.f[n].op.clone() {
            Op::Loop(l) => {
                let index = self.f[l.body].params.first().copied();
                let primal = self.f[l.body].replays;
                let nodes = std::mem::take(&mut self.f[l.body].nodes);
                self.frames.push(Frame { rev: l.body, primal, here: HashMap::new(), slot: None, index });
                if let Some(primal_loop) = l.replays {
                    self.find_index(primal_loop, n);
                    self.find_slot(primal_loop, n);
                }
                self.nodes(l.body, nodes);
                self.frames.pop();
                if let Op::Loop(l) = &mut self.f[n].op {
                    l.replays = None;
                }
            }
            op => {
                for g in op.graphs() {
                    // an arm whose primal is gone replays what was around that, as the frame around does
                    let primal = self.f[g].replays.filter(|p| self.frames.iter().all(|f| f.primal != Some(*p)));
                    self.frames.push(Frame { rev: g, primal, here: HashMap::new(), slot: None, index: None });
                    self.graph(g);
                    self.frames.pop();
                }
            }
        }
        self.f[rev].nodes.push(n);
    }

    /// The index of the primal loop in the reverse one.
    fn find_index(&mut self, primal_loop: Node, rev_loop: Node) {
        let data = self.f[primal_loop].clone();
        let Op::Loop(l) = &data.op else { return };
        let LoopKind::For { inclusive, reversed } = l.kind else { return };
        let own = self.f[l.body].params[0];
        let frame = self.frames.last().expect("the loop's frame");
        let (rev, Some(k)) = (frame.rev, frame.index) else { return };
        let here = if l.exits {
            // counted by trips: the index follows from the end where the loop began
            let start = self.value(data.args[usize::from(reversed)]);
            let (ty, span) = (self.f.ty(own).clone(), self.f[rev_loop].span);
            let op = Op::Nth { inclusive: inclusive && reversed, reversed };
            let i = Builder::new(self.f, rev, span).push(op, vec![start, k], ty);
            self.f.values[i].name = self.f[own].name.clone();
            i
        } else {
            k
        };
        self.frames.last_mut().expect("the loop's frame").here.insert(own, here);
    }

    /// Where the slot of the iteration that is undone lies.
    fn find_slot(&mut self, primal_loop: Node, rev_loop: Node) {
        let Some(r) = self.kept.residuals.get(primal_loop) else { return };
        if r.values.is_empty() {
            return;
        }
        let span = self.f[rev_loop].span;
        let (made, base, element) = (r.made, r.base.clone(), self.f.ty(r.stack).clone());
        let stack = self.value(r.stack);
        let data = self.f[primal_loop].clone();
        let Op::Loop(l) = &data.op else { return };
        let frame = self.frames.last().expect("the loop's frame");
        let (rev, k) = (frame.rev, frame.index.expect("reverse loops have an index"));
        let around = self.frames[self.frames.len() - 2].rev;
        let noted = match base {
            Base::Noted(base) => Some(self.value(base)),
            _ => None,
        };
        if let Some(range) = Range::of(l) {
            let bounds_here = [self.value(data.args[0]), self.value(data.args[1])];
            let ordinal = range.ordinal(&mut Builder::new(self.f, rev, span), [k, bounds_here[0], bounds_here[1]]);
            if made {
                let loops = match &base {
                    Base::Multiple(loops) => loops.iter().map(|&m| self.index_of(m)).collect(),
                    _ => Vec::new(),
                };
                let mut b = Builder::new(self.f, around, span);
                let count = range.count(&mut b, bounds_here);
                let start = if loops.is_empty() { noted } else { Some(multiple(&mut b, &loops, count)) };
                let path = Path(vec![Step::Range { from: start.is_some(), end: RangeEnd::Exclusive }]);
                let args = std::iter::once(stack).chain(bounds(&mut b, start, count)).collect();
                let ty = path.apply(&element);
                let slots = b.push(Op::Load(path), args, ty);
                b.name(slots, "slots");
                self.frames.last_mut().expect("the loop's frame").slot = Some((primal_loop, slots, ordinal));
                return;
            }
            let position = self.position(rev, noted, ordinal, span);
            self.frames.last_mut().expect("the loop's frame").slot = Some((primal_loop, stack, position));
            return;
        }
        let position = self.position(rev, noted, k, span);
        self.frames.last_mut().expect("the loop's frame").slot = Some((primal_loop, stack, position));
    }

    fn position(&mut self, rev: Graph, base: Option<Value>, ordinal: Value, span: Span) -> Value {
        match base {
            Some(base) => Builder::new(self.f, rev, span).prim(&arith::ADD, &[base, ordinal]),
            None => ordinal,
        }
    }

    /// The range of a loop around; its index, and its bounds, here.
    fn index_of(&mut self, n: Node) -> (Range, [Value; 3]) {
        let data = self.f[n].clone();
        let Op::Loop(l) = &data.op else { unreachable!("a loop") };
        let range = Range::of(l).expect("a loop over a range");
        let frame = self.frames.iter().rfind(|f| f.primal == Some(l.body)).expect("the loop is around");
        let index = frame.index.expect("reverse loops have an index");
        (range, [index, self.value(data.args[0]), self.value(data.args[1])])
    }

    /// What stands for a value in the pullback, here.
    fn value(&mut self, v: Value) -> Value {
        let Some(&owner) = self.primal.owner.get(v).or_else(|| self.made.get(v)) else { return v };
        if owner == self.primal.root {
            return v;
        }
        // values of the pullback itself have owners too
        let Some(at) = self.frames.iter().rposition(|f| f.primal == Some(owner)) else { return v };
        if let Some(&here) = self.frames[at].here.get(&v) {
            return here;
        }
        let here = self.fetch(v, at);
        self.frames[at].here.insert(v, here);
        here
    }

    /// Reads what was kept, or computes the value again, in the graph of frame `at`.
    fn fetch(&mut self, v: Value, at: usize) -> Value {
        let rev = self.frames[at].rev;
        let span = self.f[v].span;
        if let Some(&(out, optional)) = self.kept.exported.get(v) {
            let out = self.value(out);
            if !optional {
                return out;
            }
            let ty = self.f.ty(v).clone();
            return Builder::new(self.f, rev, span).push(Op::Unwrap, vec![out], ty);
        }
        if let Some((n, stack, position)) = self.frames[at].slot
            && let Some(k) = self.kept.residuals[n].values.iter().position(|w| *w == v)
        {
            let mut steps = vec![Step::Index];
            if self.kept.residuals[n].values.len() > 1 {
                steps.push(Step::Field(k.to_string()));
            }
            let ty = self.f.ty(v).clone();
            let name = self.f[v].name.clone();
            let here = Builder::new(self.f, rev, span).push(Op::Load(Path(steps)), vec![stack, position], ty);
            self.f.values[here].name = name;
            return here;
        }
        debug_assert!(!self.decisions.is_kept(v), "what is kept is found");
        let Some(&n) = self.primal.def.get(v) else { return v };
        let NodeData { op, args, outs, span } = self.primal.settled.get(v).unwrap_or(&self.f[n]).clone();
        let args: Vec<Value> = args.into_iter().map(|a| self.value(a)).collect();
        let types = outs.iter().map(|&o| self.f.ty(o).clone()).collect();
        let copy = Builder::new(self.f, rev, span).node(op, args, types);
        let new = self.f[copy].outs.clone();
        for (&o, &c) in outs.iter().zip(&new) {
            self.f.values[c].name = self.f[o].name.clone();
            self.frames[at].here.insert(o, c);
        }
        self.frames[at].here[&v]
    }
}
