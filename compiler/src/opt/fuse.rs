//! Fusion of sweeps: where a pullback runs right after its primal, a loop that only adds up joins the loop it undoes.
//!
//! ```text
//! %s = for %i in 0..%n (%t = 0)              %s, %b = for %i in 0..%n (%t = 0, %c = %z)
//!   %x = load %a [%i]                          %x = load %a [%i]
//!   %y = exp %x                                %y = exp %x
//!   → %t + %y                                  %d = add_at %c [%i] += %y
//! %z = zero_like %a                    →       → %t + %y, %d
//! %b = for %i in rev 0..%n (%c = %z) reverses
//!   %d = add_at %c [%i] += %y
//!   → %d
//! ```
//!
//! What an iteration keeps for its adjoint is then a variable of that iteration. The loop may join if all that it
//! carries are sums that nothing in it reads, so that only their rounding depends on the order of iterations, and if
//! what it starts from does not depend on what the primal loop gives; what that needs moves before the loop. In the
//! outermost graph a sum whose start cannot move starts from zero instead, and the start is added afterwards. The arms of
//! branches join in the same way. A loop that has been joined is searched for loops that can join inside.
//!
//! This is no pass over functions with a pullback: there, the cotangent is not known yet when the primal runs.

use super::dce::has_effects;
use super::order::Sums;
use crate::ir::substitute::Substitution;
use crate::ir::{Const, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Value};
use crate::prims::arith::ADD;
use la_arena::ArenaMap;
use std::collections::BTreeSet;

/// Joins what can be joined; says whether a loop was.
pub fn run(func: &mut Func) -> bool {
    let mut fuser = Fuser { func, values: Substitution::default(), joined: false };
    fuser.graph(fuser.func.root);
    let Fuser { func, values, joined } = fuser;
    values.apply(func);
    joined
}

/// Whether a node undoes another one.
pub fn is_reverse(func: &Func, n: Node) -> bool {
    match &func[n].op {
        Op::Loop(l) => l.replays.is_some(),
        Op::If { then_, else_ } => func[*then_].replays.is_some() || func[*else_].replays.is_some(),
        _ => false,
    }
}

/// The aggregates that a node itself may change in place.
fn consumes(func: &Func, n: Node) -> Vec<Value> {
    let data = &func[n];
    let mut values: Vec<Value> = match &data.op {
        Op::Loop(l) => data.args[l.kind.operands()..].to_vec(),
        op => op.consumes().map(|i| data.args[i]).into_iter().collect(),
    };
    values.retain(|&v| !func.ty(v).is_scalar());
    values
}

/// What must be done before a primal node so that one that undoes it can join.
struct Before {
    /// The places of the nodes that must move before it.
    moved: BTreeSet<usize>,
    /// The carried values whose start is not there yet, and the nodes that make their zeros.
    late: Vec<(usize, Node)>,
}

/// What is between a primal node and one that undoes it.
struct Around<'a> {
    func: &'a Func,
    nodes: &'a [Node],
    primal: Node,
    /// The places of the nodes that define what is defined between the two.
    within: &'a ArenaMap<Value, usize>,
    /// What is defined inside of the primal node.
    inner: &'a BTreeSet<u32>,
    /// What the primal node changes in place.
    changed: &'a BTreeSet<u32>,
}

impl Around<'_> {
    /// The places of the nodes that must move before the primal one so that some values are there; `None` if something
    /// cannot.
    fn moved(&self, mut needed: Vec<Value>) -> Option<BTreeSet<usize>> {
        let mut moved = BTreeSet::new();
        while let Some(v) = needed.pop() {
            // what is changed in place is gone at the end of the iteration
            if self.changed.contains(&key(v)) {
                return None;
            }
            if self.inner.contains(&key(v)) {
                continue;
            }
            let Some(&k) = self.within.get(v) else { continue };
            if moved.insert(k) {
                let m = self.nodes[k];
                let graphs = self.func[m].op.graphs();
                let pure = |g: &Graph| !self.func.any(*g, |n| has_effects(&self.func[n].op));
                let replays = graphs.iter().any(|&g| self.func.any(g, |m| is_reverse(self.func, m)));
                let kept = |v: &Value| !self.func.ty(*v).is_scalar() && !self.within.contains_idx(*v);
                if m == self.primal
                    || is_reverse(self.func, m)
                    || replays
                    || has_effects(&self.func[m].op)
                    || !graphs.iter().all(pure)
                    || consumes(self.func, m).iter().any(kept)
                {
                    return None;
                }
                needed.extend(&self.func[m].args);
                graphs.into_iter().for_each(|inner| needed.extend(self.func.free(inner)));
            }
        }
        Some(moved)
    }
}

struct Fuser<'f> {
    func: &'f mut Func,
    values: Substitution,
    joined: bool,
}

impl Fuser<'_> {
    fn graph(&mut self, g: Graph) {
        let mut at = 0;
        while let Some(&n) = self.func[g].nodes.get(at) {
            match self.undone(g, n).and_then(|primal| Some((primal, self.before(g, primal, n)?))) {
                Some((primal, before)) => self.join(g, primal, n, &before),
                None => at += 1,
            }
        }
        for n in self.func[g].nodes.clone() {
            if !is_reverse(self.func, n) {
                self.func[n].op.graphs().into_iter().for_each(|inner| self.graph(inner));
            }
        }
    }

    /// The node of the same graph that a node undoes, if the two may be one as far as their kind goes.
    fn undone(&self, g: Graph, n: Node) -> Option<Node> {
        match &self.func[n].op {
            Op::Loop(l) => {
                let primal = l.replays?;
                let known = self.func[g].nodes.contains(&primal) && self.func[l.body].replays.is_some();
                (known && self.index_fits(primal, l) && Sums::new(self.func).only_adds(n, usize::MAX)).then_some(primal)
            }
            Op::If { then_, else_ } => {
                let replayed = [self.func[*then_].replays?, self.func[*else_].replays?];
                let pure = [then_, else_].iter().all(|arm| self.is_pure(**arm));
                self.func[g].nodes.iter().copied().find(|&m| {
                    pure && matches!(&self.func[m].op, Op::If { .. } | Op::IfLet { .. })
                        && self.func[m].op.graphs() == replayed
                })
            }
            _ => None,
        }
    }

    /// Whether the index of a loop is that of the primal one, or not used.
    fn index_fits(&self, primal: Node, l: &Loop) -> bool {
        let Op::Loop(of) = &self.func[primal].op else { return false };
        let index = self.func[l.body].params[0];
        let used = self.func.any(l.body, |n| self.func[n].args.contains(&index));
        !used || !of.exits && matches!(of.kind, LoopKind::For { .. })
    }

    fn is_pure(&self, g: Graph) -> bool {
        !self.func.any(g, |n| has_effects(&self.func[n].op))
    }

    /// What must be done before a primal node so that one that undoes it can join; `None` if something cannot.
    fn before(&self, g: Graph, primal: Node, n: Node) -> Option<Before> {
        let nodes = &self.func[g].nodes;
        let place = |m: Node| nodes.iter().position(|k| *k == m);
        let (from, to) = (place(primal)?, place(n)?);
        let mut within = ArenaMap::default();
        for (k, &m) in nodes.iter().enumerate().take(to).skip(from) {
            for &o in &self.func[m].outs {
                within.insert(o, k);
            }
        }
        let inner: BTreeSet<u32> = (self.func[primal].op.graphs().iter())
            .flat_map(|&inner| self.func.owners(inner).iter().map(|(v, _)| key(v)).collect::<Vec<_>>())
            .collect();
        let changed: BTreeSet<u32> = (consumes(self.func, primal).into_iter())
            .chain(self.func[primal].op.graphs().into_iter().flat_map(|inner| self.consumed_in(inner)))
            .map(key)
            .collect();
        let around = Around { func: self.func, nodes, primal, within: &within, inner: &inner, changed: &changed };
        // how often the loop runs, or which arm, is known where it joins
        let operands = if let Op::Loop(l) = &self.func[n].op { l.kind.operands() } else { 1 };
        let mut needed: Vec<Value> = Vec::new();
        self.func[n].op.graphs().into_iter().for_each(|inner| needed.extend(self.func.free(inner)));
        let mut before = Before { moved: around.moved(needed)?, late: Vec::new() };
        for (k, &start) in self.func[n].args[operands..].iter().enumerate() {
            match around.moved(vec![start]) {
                Some(moved) => before.moved.extend(moved),
                None if g == self.func.root => before.late.push((k, self.zero_of(start)?)),
                None => return None,
            }
        }
        for &(_, zero) in &before.late {
            before.moved.extend(around.moved(self.func[zero].args.clone())?);
        }
        Some(before)
    }

    /// The zero that a sum began with, if it is made anew by the node.
    fn zero_of(&self, mut sum: Value) -> Option<Node> {
        loop {
            let n = *self.func[self.func.root].nodes.iter().find(|&&n| self.func[n].outs.contains(&sum))?;
            let node = &self.func[n];
            match &node.op {
                Op::ZeroLike => return Some(n),
                Op::Const(Const::Float(x, _)) if *x == 0.0 => return Some(n),
                Op::VecRepeat => {
                    let zero = |m: &&Node| self.func[**m].outs[..] == node.args[..1];
                    let element = self.func[self.func.root].nodes.iter().find(zero)?;
                    let zero = matches!(self.func[*element].op, Op::Const(Const::Float(x, _)) if x == 0.0);
                    return zero.then_some(n);
                }
                Op::AddAt(_) | Op::Accumulate | Op::AddEntry => sum = node.args[0],
                Op::Loop(l) if Sums::new(self.func).only_adds(n, usize::MAX) => {
                    let k = node.outs.iter().position(|o| *o == sum)?;
                    sum = node.args[l.kind.operands() + k];
                }
                _ => return None,
            }
        }
    }

    fn consumed_in(&self, g: Graph) -> Vec<Value> {
        let mut found = Vec::new();
        self.func.walk(g, &mut |_, n| found.extend(consumes(self.func, n)));
        found
    }

    /// Makes one node of a primal one and one that undoes it, after what must come before.
    fn join(&mut self, g: Graph, primal: Node, n: Node, before: &Before) {
        let mut nodes = std::mem::take(&mut self.func[g].nodes);
        let mut moved: Vec<Node> = before.moved.iter().map(|&k| nodes[k]).collect();
        let late = self.start_late(n, &before.late, &mut moved);
        let at = nodes.iter().position(|m| *m == n).expect("the node is there");
        nodes.splice(at..=at, late);
        nodes.retain(|m| !moved.contains(m));
        let at = nodes.iter().position(|m| *m == primal).expect("the primal node is there");
        nodes.splice(at..at, moved);
        self.func[g].nodes = nodes;

        let undo = self.func[n].clone();
        match (&undo.op, self.func[primal].op.clone()) {
            (Op::Loop(l), Op::Loop(of)) => {
                let mut params = self.func[l.body].params.clone().into_iter();
                let (index, own) = (params.next().expect("an index"), self.func[of.body].params.first().copied());
                if let (Some(own), LoopKind::For { .. }) = (own, &of.kind) {
                    self.values.insert(index, own);
                }
                let params: Vec<Value> = params.collect();
                if let LoopKind::While { cond } = of.kind {
                    for &p in &params {
                        let copy = self.func.value_like(p);
                        self.func[cond].params.push(copy);
                    }
                }
                self.func[of.body].params.extend(params);
                self.append(of.body, l.body);
                self.func.nodes[primal].args.extend(&undo.args[l.kind.operands()..]);
                self.joined = true;
            }
            (op, of) => {
                for (arm, of) in op.graphs().into_iter().zip(of.graphs()) {
                    self.append(of, arm);
                }
            }
        }
        self.func.nodes[primal].outs.extend(&undo.outs);
    }

    /// Lets sums of a node start from zero, and gives the nodes that add what they started from to what comes out.
    fn start_late(&mut self, n: Node, late: &[(usize, Node)], moved: &mut Vec<Node>) -> Vec<Node> {
        let span = self.func[n].span;
        let mut after = Vec::new();
        for &(k, zero) in late {
            let Op::Loop(l) = &self.func[n].op else { unreachable!("only loops have starts") };
            let (place, out) = (l.kind.operands() + k, self.func[n].outs[k]);
            let NodeData { op, args, outs, span: from } = self.func[zero].clone();
            let fresh = self.func.value_like(outs[0]);
            moved.push(self.func.node(op, args, vec![fresh], from));
            let start = std::mem::replace(&mut self.func.nodes[n].args[place], fresh);
            let sum = self.func.value_like(out);
            self.func.nodes[n].outs[k] = sum;
            let op = if self.func.ty(out).is_scalar() { Op::Prim(&ADD) } else { Op::Accumulate };
            after.push(self.func.node(op, vec![start, sum], vec![out], span));
        }
        after
    }

    /// Appends what a graph does and gives to another.
    fn append(&mut self, to: Graph, from: Graph) {
        let from = std::mem::take(&mut self.func[from]);
        self.func[to].nodes.extend(from.nodes);
        self.func[to].results.extend(from.results);
    }
}

fn key(v: Value) -> u32 {
    v.into_raw().into_u32()
}
