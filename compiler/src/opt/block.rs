//! Loops in blocks: what iterations do not need of each other is done for several of them together.
//!
//! ```text
//! %s = for %i in %lo..%hi (%t = %a) {        %blocks = (%hi - %lo) / 8
//!   %x = load %xs [%i]                       %b = for %b in 0..%blocks (%t = %a) {
//!   %y = %x / %c                               %j = %lo + 8 * %b
//!   → %t + %y                                  %w = load %xs [%j..%j + 8]
//! }                                            %ys = for %k in 0..8 (%u = [0.0; 8]) {
//!                                       →        %x = load %w [%k]
//!                                                %y = %x / %c
//!                                                → update %u [%k] = %y
//!                                              }
//!                                              for %k in 0..8 (%v = %t) {
//!                                                %y = load %ys [%k]
//!                                                → %v + %y
//!                                              }
//!                                            }
//!                                            %s = for %i in %lo + 8 * %blocks..%hi (%t = %b) …
//! ```
//!
//! A sum of floats must be taken in order, and every element is checked to be there, so that no compiler makes vectors of
//! the loop as it is written. Here what is before the sums has a loop of its own, over slices whose lengths are known, of
//! which compilers do make vectors. The arithmetic of an iteration stays as it is, and so does the order of all that depends
//! on order: no bit of the primal changes. A sum of the adjoint has a part for each of eight iterations (`lanes`), so that it
//! may be rounded differently.
//!
//! It runs late: what it gives is for the compiler, and no other pass knows more by it.

pub(in crate::opt) mod plan;

use super::copies::Copies;
use super::lanes::{array, totals, zeros};
use crate::ir::{Builder, Const, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Path, RangeEnd, Step, Type, Value};
use crate::prims::arith::{ADD, DIV, MUL};
use la_arena::ArenaMap;
use plan::{Class, Plan, Root};
use proc_macro2::Span;
use std::collections::HashMap;

/// The iterations of a block.
pub(super) const BLOCK: usize = 8;

/// Splits the innermost loops that are worth it, but for those of `others`; says whether there are any.
pub fn run(func: &mut Func, results: usize, others: &[Node]) -> bool {
    let mut loops = innermost(func);
    loops.retain(|(_, n)| !others.contains(n));
    if loops.is_empty() {
        return false;
    }
    let exact = exact(func, results);
    let mut changed = false;
    for (around, n) in loops {
        if let Some(plan) = Plan::of(func, n, exact.as_ref()) {
            let NodeData { op: Op::Loop(l), span, .. } = func[n].clone() else { unreachable!("a loop") };
            let blocks = split(func, (around, n), BLOCK, |_, _, all| all, |func, lo| block(func, &l, &plan, lo, span));
            add_lanes(func, (around, blocks), &plan);
            changed = true;
        }
    }
    if changed {
        super::cse::run(func);
        while super::dce::run(func) {}
    }
    changed
}

/// The loops without another one or a branch in them that are not known to have no more than a block or two, with the
/// graphs that they are in.
pub(super) fn innermost(func: &Func) -> Vec<(Graph, Node)> {
    let mut loops = Vec::new();
    func.walk(func.root, &mut |around, n| {
        if let Op::Loop(l) = &func[n].op
            && func[l.body].nodes.iter().all(|&m| func[m].op.graphs().is_empty())
            && !is_short(func, n)
        {
            loops.push((around, n));
        }
    });
    loops
}

/// The nodes that the results of the primal depend on; `None` if all may be: what is run again from states must go as it
/// went.
pub(super) fn exact(func: &Func, results: usize) -> Option<ArenaMap<Node, ()>> {
    let again = func.any(func.root, |n| matches!(func[n].op, Op::Checkpoint(_)));
    (!again).then(|| super::dce::needed(func, &func[func.root].results[..results]))
}

/// Whether a loop is known to have no more than a block or two.
pub(super) fn is_short(func: &Func, n: Node) -> bool {
    let bound = |v: Value| constant(func, v);
    match func[n].args[..] {
        [lo, hi, ..] => matches!((bound(lo), bound(hi)), (Some(lo), Some(hi)) if hi.saturating_sub(lo) < 2 * BLOCK),
        _ => true,
    }
}

/// The constant that a value is.
pub(super) fn constant(func: &Func, v: Value) -> Option<usize> {
    func.nodes.values().find(|node| node.outs[..] == [v]).and_then(|node| match &node.op {
        Op::Const(Const::Int(digits)) => digits.parse().ok(),
        _ => None,
    })
}

/// A distance from the lower end of a range, if that is not 0.
pub(super) fn from(b: &mut Builder<'_>, lo: Option<Value>, distance: Value) -> Value {
    match lo {
        Some(lo) => b.prim(&ADD, &[lo, distance]),
        None => distance,
    }
}

/// Makes a loop over blocks of `size` iterations of a loop over a range, with a body that is written for the lower end of the
/// range, if that is not 0, and lets the loop itself do what is left. `some` says how many of the blocks there are. Gives the
/// loop over blocks.
pub(super) fn split(
    func: &mut Func,
    (around, n): (Graph, Node),
    size: usize,
    some: impl FnOnce(&mut Func, Graph, Value) -> Value,
    write: impl FnOnce(&mut Func, Option<Value>) -> Graph,
) -> Node {
    let NodeData { op, args, outs, span } = func[n].clone();
    let Op::Loop(l) = op else { unreachable!("a loop") };
    let LoopKind::For { reversed, .. } = l.kind else { unreachable!("a loop over a range") };
    let (bounds, inits) = args.split_at(2);

    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let after = func[around].nodes.split_off(at + 1);
    func[around].nodes.pop();
    let mut b = Builder::new(func, around, span);
    let (zero, one, size) = (b.int(0), b.int(1), b.int(size));
    let total = b.push(Op::Steps { inclusive: false }, vec![bounds[0], bounds[1], one], Type::USIZE);
    let all = b.prim(&DIV, &[total, size]);
    let blocks = some(b.func, around, all);
    let mut b = Builder::new(func, around, span);
    let done = b.prim(&MUL, &[size, blocks]);
    let lo = (constant(b.func, bounds[0]) != Some(0)).then_some(bounds[0]);
    let middle = from(&mut b, lo, done);

    let body = write(func, lo);
    let between: Vec<Value> = outs.iter().map(|&o| func.value_like(o)).collect();
    // what is left of the range is at its end, which comes first if the loop counts down
    let (first, second) = if reversed { (inits.to_vec(), between.clone()) } else { (between.clone(), inits.to_vec()) };
    let (rest_outs, block_outs) = if reversed { (between, outs) } else { (outs, between) };
    let kind = LoopKind::For { inclusive: false, reversed };
    let block_op = Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None }));
    let block_args = [vec![zero, blocks], second].concat();
    let blocks = func.node(block_op, block_args, block_outs, span);
    func.nodes[n].args = [vec![middle, bounds[1]], first].concat();
    func.nodes[n].outs = rest_outs;
    func[around].nodes.extend(if reversed { [n, blocks] } else { [blocks, n] });
    func[around].nodes.extend(after);
    blocks
}

/// Makes the lanes that a loop over blocks carries after all else, and adds them up after it.
fn add_lanes(func: &mut Func, (around, blocks): (Graph, Node), plan: &Plan) {
    if plan.lanes.is_empty() {
        return;
    }
    let at = func[around].nodes.iter().position(|m| *m == blocks).expect("the loop is in its graph");
    let after = func[around].nodes.split_off(at + 1);
    func[around].nodes.pop();
    let span = func[blocks].span;
    let (mut sums, mut old) = (Vec::new(), Vec::new());
    for &(k, _) in &plan.lanes {
        let out = func[blocks].outs[k];
        let init = zeros(&mut Builder::new(func, around, span), out);
        let array = array(func, out);
        let (number, lanes) = (func.value_like(out), func.value(array, None, span));
        func.nodes[blocks].args.push(init);
        func.nodes[blocks].outs[k] = number;
        func.nodes[blocks].outs.push(lanes);
        sums.push((number, lanes));
        old.push(out);
    }
    func[around].nodes.push(blocks);
    totals(func, around, span, &sums);
    let last = *func[around].nodes.last().expect("the loop that adds up");
    func.nodes[last].outs = old;
    func[around].nodes.extend(after);
}

/// The body of the loop over blocks.
fn block(func: &mut Func, l: &Loop, plan: &Plan, lo: Option<Value>, span: Span) -> Graph {
    let graph = func.graph();
    let number = func.value(Type::USIZE, None, span);
    func[graph].params.push(number);
    let params = func[l.body].params.clone();
    let mut now: Vec<Value> = params[1..].iter().map(|&p| func.value_like(p)).collect();
    func[graph].params.extend(&now);
    let mut lanes = Vec::new();
    for &(k, _) in &plan.lanes {
        let array = array(func, params[1 + k]);
        lanes.push(func.value(array, None, span));
    }
    func[graph].params.extend(&lanes);

    let mut b = Builder::new(func, graph, span);
    let size = b.int(BLOCK);
    let before = b.prim(&MUL, &[size, number]);
    let first = from(&mut b, lo, before);
    let mut outer = Copies::new(l.body, &plan.anywhere, HashMap::from([(params[0], first)]));
    for n in func[l.body].nodes.clone() {
        if plan.classes[n] == Class::Fixed {
            outer.copy(func, graph, n);
        }
    }
    let mut windows = Vec::new();
    for window in &plan.windows {
        let start = outer.find(func, graph, window.start);
        let len = window.stride * (BLOCK - 1) + window.span + 1;
        let mut b = Builder::new(func, graph, span);
        let len = b.int(len);
        let end = b.prim(&ADD, &[start, len]);
        windows.push((start, end));
    }
    // slices of what is only read
    let mut slices: HashMap<usize, Value> = HashMap::new();
    for n in func[l.body].nodes.clone() {
        let Some(&(k, _)) = plan.through.get(n) else { continue };
        let window = &plan.windows[k];
        if matches!(window.of, Root::Value(_)) && !slices.contains_key(&k) {
            let root = outer.find(func, graph, func[n].args[0]);
            let mut operands: Vec<Value> = window.operands.iter().map(|&v| outer.find(func, graph, v)).collect();
            operands.extend([windows[k].0, windows[k].1]);
            let slice = Builder::new(func, graph, span).load(root, &Path(prefix(window)), &operands);
            slices.insert(k, slice);
        }
    }

    let mut writer = Writer { l, plan, outer, graph, first, windows, slices, lanes, kept: HashMap::new(), span };
    let apart = func[l.body].nodes.iter().copied().filter(|&n| plan.classes[n] == Class::Apart).collect();
    writer.stage(func, apart, Class::Apart, &mut now);
    for stage in &plan.stages {
        writer.stage(func, stage.clone(), Class::InOrder, &mut now);
    }
    func[graph].results = [now, writer.lanes].concat();
    graph
}

/// The steps to a window.
fn prefix(window: &plan::Window) -> Vec<Step> {
    let mut steps = window.prefix.clone();
    steps.push(Step::Range { from: true, end: RangeEnd::Exclusive });
    steps
}

struct Writer<'p> {
    l: &'p Loop,
    plan: &'p Plan,
    outer: Copies<'p>,
    graph: Graph,
    /// The index of the first iteration.
    first: Value,
    /// Where each window begins and ends.
    windows: Vec<(Value, Value)>,
    slices: HashMap<usize, Value>,
    /// The lanes of sums as they are.
    lanes: Vec<Value>,
    /// The arrays of what is kept.
    kept: HashMap<Value, Value>,
    span: Span,
}

impl Writer<'_> {
    /// A loop over the iterations of the block that does some of their nodes. `now`: the carried values.
    fn stage(&mut self, func: &mut Func, nodes: Vec<Node>, class: Class, now: &mut [Value]) {
        let plan = self.plan;
        let own: Vec<usize> = (0..now.len()).filter(|&k| self.is_changed(func, &nodes, k)).collect();
        let body = func.graph();
        let number = func.value(Type::USIZE, None, self.span);
        func[body].params.push(number);
        let mut inner = self.outer.clone();
        let params = func[self.l.body].params.clone();
        inner.map.remove(&params[0]);
        inner.forget(func, |n| plan.classes[n] == Class::Index);
        let mut versions: HashMap<usize, Value> = HashMap::new();
        let mut inits = Vec::new();
        for &k in &own {
            let p = func.value_like(params[1 + k]);
            func[body].params.push(p);
            inner.map.insert(params[1 + k], p);
            versions.insert(k, p);
            inits.push(now[k]);
        }
        let index = Builder::new(func, body, self.span).prim(&ADD, &[self.first, number]);
        inner.map.insert(params[0], index);

        let element = Path(vec![Step::Index]);
        let mut lanes = Vec::new();
        if class == Class::Apart {
            for (&(k, _), &init) in plan.lanes.iter().zip(&self.lanes) {
                let p = func.value_like(init);
                let sum = Builder::new(func, body, self.span).load(p, &element, &[number]);
                inner.map.insert(params[1 + k], sum);
                lanes.push((init, p));
            }
        }
        for n in nodes {
            self.node(func, body, n, number, &mut inner, &mut versions);
        }
        let mut results: Vec<Value> = Vec::new();
        for &k in &own {
            let result = func[self.l.body].results[k];
            results.push(match versions.get(&k) {
                Some(&v) if !func.ty(v).is_scalar() => v,
                _ => inner.find(func, body, result),
            });
        }
        let mut outs: Vec<Value> = own.iter().map(|&k| func.value_like(params[1 + k])).collect();
        own.iter().zip(&outs).for_each(|(&k, &out)| now[k] = out);
        for (at, (init, p)) in lanes.into_iter().enumerate() {
            let (array, new) = (func.ty(p).clone(), inner.map[&func[plan.lanes[at].1].outs[0]]);
            func[body].params.push(p);
            inits.push(init);
            let mut b = Builder::new(func, body, self.span);
            results.push(b.push(Op::Update(element.clone()), vec![p, number, new], array));
            self.lanes[at] = func.value_like(p);
            outs.push(self.lanes[at]);
        }
        if class == Class::Apart {
            for &v in &plan.kept {
                let (init, out, p, r) = self.keep(func, body, number, inner.map[&v]);
                func[body].params.push(p);
                inits.push(init);
                results.push(r);
                outs.push(out);
                self.kept.insert(v, out);
            }
        }
        func[body].results = results;
        let LoopKind::For { reversed, .. } = self.l.kind else { unreachable!("a loop over a range") };
        let kind = LoopKind::For { inclusive: false, reversed: reversed && class == Class::InOrder };
        let mut b = Builder::new(func, self.graph, self.span);
        let args = [vec![b.int(0), b.int(BLOCK)], inits].concat();
        let node =
            func.node(Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None })), args, outs, self.span);
        func[self.graph].nodes.push(node);
    }

    /// Whether a stage changes a carried value.
    fn is_changed(&self, func: &Func, nodes: &[Node], k: usize) -> bool {
        let body = &func[self.l.body];
        match func.ty(body.params[1 + k]).is_scalar() {
            true if self.plan.lanes.iter().any(|(own, _)| *own == k) => false,
            true => nodes.iter().any(|&n| func[n].outs.contains(&body.results[k])),
            false => nodes.iter().any(|&n| self.plan.changes.get(n) == Some(&k)),
        }
    }

    /// An array of what an iteration gives of a value: its start, and as it is after the loop, before an iteration and
    /// after it.
    fn keep(&self, func: &mut Func, body: Graph, number: Value, v: Value) -> (Value, Value, Value, Value) {
        let ty = func.ty(v).clone();
        let array = Type::Array(Box::new(ty.clone()));
        let init = zeros(&mut Builder::new(func, self.graph, self.span), v);
        let [p, out] = [0; 2].map(|_| func.value(array.clone(), None, self.span));
        let path = Path(vec![Step::Index]);
        let r = Builder::new(func, body, self.span).push(Op::Update(path), vec![p, number, v], array);
        (init, out, p, r)
    }

    fn node(
        &self,
        func: &mut Func,
        body: Graph,
        n: Node,
        number: Value,
        inner: &mut Copies<'_>,
        versions: &mut HashMap<usize, Value>,
    ) {
        let NodeData { mut op, args, outs, span } = func[n].clone();
        for a in &args {
            // what was kept is read where it is used first
            if let Some(&array) = self.kept.get(a)
                && !inner.map.contains_key(a)
            {
                let v = Builder::new(func, body, span).load(array, &Path(vec![Step::Index]), &[number]);
                inner.map.insert(*a, v);
            }
        }
        let changed = self.plan.changes.get(n).copied();
        let mut args = match (self.plan.through.get(n), op.path().cloned()) {
            (Some(&(k, offset)), Some(path)) => {
                let window = &self.plan.windows[k];
                let place = self.index(func, body, number, window.stride, offset);
                let (steps, operands) = (window.prefix.len(), window.operands.len());
                let rest: Vec<Value> = args[2 + operands..].iter().map(|&v| inner.find(func, body, v)).collect();
                let (root, path, before) = match self.slices.get(&k) {
                    Some(&slice) => (slice, Path(path.0[steps..].to_vec()), Vec::new()),
                    None => {
                        let mut before: Vec<Value> =
                            window.operands.iter().map(|&v| inner.find(func, body, v)).collect();
                        before.extend([self.windows[k].0, self.windows[k].1]);
                        let path = [prefix(window), path.0[steps..].to_vec()].concat();
                        (args[0], Path(path), before)
                    }
                };
                set_path(&mut op, path);
                [vec![root], before, vec![place], rest].concat()
            }
            _ => args.iter().map(|&v| inner.find(func, body, v)).collect(),
        };
        if let Some(k) = changed {
            args[0] = versions[&k];
        }
        let last = *outs.last().expect("a result");
        inner.add(func, body, NodeData { op, args, outs, span });
        if let Some(k) = changed {
            versions.insert(k, inner.map[&last]);
        }
    }

    /// `stride·number + offset`.
    fn index(&self, func: &mut Func, body: Graph, number: Value, stride: usize, offset: usize) -> Value {
        let mut b = Builder::new(func, body, self.span);
        let mut at = number;
        if stride != 1 {
            let stride = b.int(stride);
            at = b.prim(&MUL, &[stride, at]);
        }
        if offset != 0 {
            let offset = b.int(offset);
            at = b.prim(&ADD, &[at, offset]);
        }
        at
    }
}

pub(super) fn set_path(op: &mut Op, to: Path) {
    match op {
        Op::Load(path) | Op::Update(path) | Op::AddAt(path) | Op::Take(path) => *path = to,
        _ => unreachable!("an operation on an element"),
    }
}
