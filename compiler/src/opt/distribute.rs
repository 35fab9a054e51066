//! Sums apart: an innermost loop of the adjoint that adds to several things becomes one loop for each of them.
//!
//! ```text
//! %b, %s, %g = for %i in rev 1..%n               %groups = (%n - 1) / 8
//!     (%c = %x_bar, %t = %s0, %h = %y_bar) {     for 64 groups at a time, from %first, %len iterations {
//!   %v, %k = take %h [%i]                          %v = load %y_bar [%first..%first + %len]
//!   %d = add %c [%i - 1] += %v             →       for %j in 0..%len { add %x_bar [%first - 1..…][%j] += %v[%j] }
//!   %e = add %d [%i + 1] += %v                     for %j in 0..%len { add %x_bar [%first + 1..…][%j] += %v[%j] }
//!   → %e, %t + %v * %v, %k                         %lanes = for %g in 0..%len / 8 { … [8] += %v[8 * %g + …]² }
//! }                                                for %j in 0..%len { take %y_bar [%first..…][%j] }
//!                                                }
//!                                                what is left of the range as it was
//! ```
//!
//! The cotangents of a stencil go to places that overlap, and a sum of floats must be taken in order, so that no compiler
//! makes vectors of the loop as it is written. Of loops with one sum each, over slices whose lengths are known, they do. A
//! number that is added up has a sum for each of eight iterations in turn. What the sums need is computed again in each loop,
//! so that only loops which compute little are done in this way; `block` does others. Only the rounding of sums of the adjoint
//! changes.

mod places;
mod plan;
mod upwards;

use super::block::{BLOCK, constant, exact, from, innermost, set_path};
use super::copies::Copies;
use super::element::element;
use super::lanes::{array, totals, zeros};
use crate::ir::{Builder, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Path, RangeEnd, Step, Type, Value};
use crate::prims::arith::{ADD, DIV, MUL, REM, SUB};
use crate::prims::round::MIN;
use plan::{Class, Place, Plan, Stage};
use proc_macro2::Span;
use std::collections::{BTreeMap, HashMap};

/// The groups of iterations that are done together, so that what they read stays close at hand.
const GROUPS: usize = 64;

/// Splits the loops that are worth it; gives the loops over what is left of their ranges.
pub fn run(func: &mut Func, results: usize) -> Vec<Node> {
    let loops = innermost(func);
    let Some(exact) = exact(func, results).filter(|_| !loops.is_empty()) else { return Vec::new() };
    let mut done = Vec::new();
    for (around, n) in loops {
        if let Some(plan) = Plan::of(func, n, &exact) {
            upwards::run(func, around, n, &plan, &exact);
            split(func, around, n, &plan);
            done.push(n);
        }
    }
    if !done.is_empty() {
        super::cse::run(func);
        while super::dce::run(func) {}
    }
    done
}

fn split(func: &mut Func, around: Graph, n: Node, plan: &Plan) {
    let NodeData { op, args, outs, span } = func[n].clone();
    let Op::Loop(l) = op else { unreachable!("a loop") };
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let after = func[around].nodes.split_off(at + 1);
    func[around].nodes.pop();
    let mut b = Builder::new(func, around, span);
    let (zero, one, size, most) = (b.int(0), b.int(1), b.int(BLOCK), b.int(GROUPS));
    let total = b.push(Op::Steps { inclusive: false }, vec![args[0], args[1], one], Type::USIZE);
    let groups = b.prim(&DIV, &[total, size]);
    let strips = b.push(Op::Steps { inclusive: false }, vec![zero, groups, most], Type::USIZE);
    // all of the range, or nothing if it has no group
    let some = b.prim(&MIN, &[groups, one]);
    let done = b.prim(&MUL, &[total, some]);
    let lo = (constant(b.func, args[0]) != Some(0)).then_some(args[0]);
    let middle = from(&mut b, lo, done);

    let body = Writer::strip(func, &l, plan, lo, [total, groups], span);
    let between: Vec<Value> = outs.iter().map(|&o| func.value_like(o)).collect();
    let strips_args = [vec![zero, strips], args[2..].to_vec()].concat();
    let strips = func.node(ascending(body), strips_args, between.clone(), span);
    func.nodes[n].args = [vec![middle, args[1]], between].concat();
    // nothing depends on the order
    func.nodes[n].op = ascending(l.body);
    func[around].nodes.extend([strips, n]);
    func[around].nodes.extend(after);
}

/// A loop over a range.
fn ascending(body: Graph) -> Op {
    let kind = LoopKind::For { inclusive: false, reversed: false };
    Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None }))
}

struct Writer<'p> {
    l: &'p Loop,
    plan: &'p Plan,
    /// The body of the loop over strips.
    graph: Graph,
    /// What is the same in all iterations; the index stands for the first one.
    outer: Copies<'p>,
    /// How many iterations there are, groups of them, and iterations in these.
    len: Value,
    groups: Value,
    grouped: Value,
    /// The carried values as they are.
    now: Vec<Value>,
    /// The slices at places, by their paths and operands; those of which the elements are read.
    windows: BTreeMap<&'p Place, (Path, Vec<Value>)>,
    slices: BTreeMap<(u32, &'p Place), Value>,
    span: Span,
}

impl<'p> Writer<'p> {
    /// The body of the loop over strips.
    fn strip(
        func: &mut Func,
        l: &Loop,
        plan: &'p Plan,
        lo: Option<Value>,
        [total, groups]: [Value; 2],
        span: Span,
    ) -> Graph {
        let graph = func.graph();
        let number = func.value(Type::USIZE, None, span);
        let params = func[l.body].params.clone();
        let now: Vec<Value> = params[1..].iter().map(|&p| func.value_like(p)).collect();
        func[graph].params = [vec![number], now.clone()].concat();

        let mut b = Builder::new(func, graph, span);
        let (one, size, most) = (b.int(1), b.int(BLOCK), b.int(GROUPS));
        let before = b.prim(&MUL, &[most, number]);
        let left = b.prim(&SUB, &[groups, before]);
        let left = b.prim(&SUB, &[left, one]);
        let last = b.int(GROUPS - 1);
        let others = b.prim(&MIN, &[left, last]);
        // that there is one shows in its form
        let groups = b.prim(&ADD, &[others, one]);
        // the last strip also has the iterations that do not fill a group
        let rest = b.prim(&REM, &[total, size]);
        let after = b.prim(&SUB, &[left, others]);
        let after = b.prim(&MIN, &[after, one]);
        let last = b.prim(&SUB, &[one, after]);
        let rest = b.prim(&MUL, &[rest, last]);
        let grouped = b.prim(&MUL, &[size, groups]);
        let len = b.prim(&ADD, &[grouped, rest]);
        let before = b.prim(&MUL, &[size, before]);
        let first = from(&mut b, lo, before);
        let mut outer = Copies::new(l.body, &plan.anywhere, HashMap::from([(params[0], first)]));
        for n in func[l.body].nodes.clone() {
            if plan.classes.get(n) == Some(&Class::Fixed) {
                outer.copy(func, graph, n);
            }
        }
        let (windows, slices) = (BTreeMap::new(), BTreeMap::new());
        let mut writer = Writer { l, plan, graph, outer, len, groups, grouped, now, windows, slices, span };
        for (stage, nodes) in &plan.stages {
            match stage {
                Stage::Numbers(numbers) => writer.numbers(func, numbers, nodes),
                Stage::Places(parts) => writer.places(func, parts),
                Stage::Own => {
                    let mut own: Vec<usize> = nodes.iter().filter_map(|&n| plan.changes.get(n).copied()).collect();
                    own.sort_unstable();
                    own.dedup();
                    writer.changes(func, nodes, &own);
                }
            }
        }
        func[graph].results = writer.now;
        graph
    }

    /// The slice of what a node reads or changes: its path without the index, and the operands of that.
    fn window(&mut self, func: &mut Func, n: Node) -> (Path, Vec<Value>) {
        let place = &self.plan.places[n];
        if let Some(window) = self.windows.get(place) {
            return window.clone();
        }
        let at = element(func, n).expect("an element");
        let (mut steps, operands, index) = (at.prefix.to_vec(), at.operands.to_vec(), at.index);
        steps.push(Step::Range { from: true, end: RangeEnd::Exclusive });
        let mut all: Vec<Value> = operands.into_iter().map(|v| self.outer.find(func, self.graph, v)).collect();
        let start = self.outer.find(func, self.graph, index);
        let end = Builder::new(func, self.graph, self.span).prim(&ADD, &[start, self.len]);
        all.extend([start, end]);
        self.windows.insert(place, (Path(steps.clone()), all.clone()));
        (Path(steps), all)
    }

    /// The slices that nodes read of what a loop does not change.
    fn slices(&mut self, func: &mut Func, nodes: &[Node]) -> HashMap<Node, Value> {
        let mut slices = HashMap::new();
        for &n in nodes {
            if !matches!(func[n].op, Op::Load(_) | Op::Take(_)) {
                continue;
            }
            let (path, operands) = self.window(func, n);
            let root = func[n].args[0];
            let root = match func[self.l.body].params.iter().position(|p| *p == root) {
                Some(k) => self.now[k - 1],
                None => self.outer.find(func, self.graph, root),
            };
            let key = (root.into_raw().into_u32(), &self.plan.places[n]);
            let slice = *self
                .slices
                .entry(key)
                .or_insert_with(|| Builder::new(func, self.graph, self.span).load(root, &path, &operands));
            slices.insert(n, slice);
        }
        slices
    }

    /// What is the same in all iterations, for a loop whose index is counted from the first one.
    fn inner(&self, func: &mut Func, body: Graph, number: Value) -> Copies<'p> {
        let mut inner = self.outer.clone();
        inner.forget(func, |n| self.plan.classes.get(n) == Some(&Class::Index));
        let index = func[self.l.body].params[0];
        let first = self.outer.map[&index];
        inner.map.insert(index, Builder::new(func, body, self.span).prim(&ADD, &[first, number]));
        inner
    }

    /// Reads from a slice what a node reads or takes.
    fn read(&self, func: &mut Func, body: Graph, slice: Value, at: Value, n: Node, inner: &mut Copies<'_>) {
        let v = Builder::new(func, body, self.span).load(slice, &Path(vec![Step::Index]), &[at]);
        inner.map.insert(func[n].outs[0], v);
    }

    /// A loop that changes carried aggregates.
    fn changes(&mut self, func: &mut Func, nodes: &[Node], own: &[usize]) {
        let plan = self.plan;
        let of = |func: &Func, n: Node| func[n].args.first().and_then(|root| plan.version.get(*root)).copied();
        let reads = |n: &Node| !of(func, *n).is_some_and(|k| own.contains(&k));
        let read: Vec<Node> = nodes.iter().copied().filter(reads).collect();
        let slices = self.slices(func, &read);
        let body = func.graph();
        let number = func.value(Type::USIZE, None, self.span);
        func[body].params.push(number);
        let mut inner = self.inner(func, body, number);
        for &k in own {
            let old = func[self.l.body].params[1 + k];
            let p = func.value_like(old);
            func[body].params.push(p);
            inner.map.insert(old, p);
        }
        for &n in nodes {
            if let Some(&slice) = slices.get(&n) {
                self.read(func, body, slice, number, n, &mut inner);
                continue;
            }
            if element(func, n).is_none() {
                inner.copy(func, body, n);
                continue;
            }
            let (path, operands) = self.window(func, n);
            let NodeData { mut op, args, outs, span } = func[n].clone();
            let values = &args[1 + op.path().expect("a path").operands()..];
            // of the places that have a loop of their own each is the first in that
            let start = of(func, n).map(|k| func[self.l.body].params[1 + k]);
            let root = inner.map.get(&args[0]).copied().or(start.map(|p| inner.map[&p])).expect("a carried value");
            let values: Vec<Value> = values.iter().map(|&v| inner.find(func, body, v)).collect();
            let args = [vec![root], operands, vec![number], values].concat();
            set_path(&mut op, Path([path.0, vec![Step::Index]].concat()));
            inner.add(func, body, NodeData { op, args, outs, span });
        }
        let mut outs = Vec::new();
        let mut inits = Vec::new();
        for &k in own {
            let mut result = func[self.l.body].results[k];
            if !inner.map.contains_key(&result) {
                let last = nodes.iter().rev().find(|&&n| self.plan.changes.get(n) == Some(&k)).expect("a change");
                result = *func[*last].outs.last().expect("a result");
            }
            func[body].results.push(inner.map[&result]);
            inits.push(self.now[k]);
            let out = func.value_like(result);
            self.now[k] = out;
            outs.push(out);
        }
        let mut b = Builder::new(func, self.graph, self.span);
        let args = [vec![b.int(0), self.len], inits].concat();
        let node = func.node(ascending(body), args, outs, self.span);
        func[self.graph].nodes.push(node);
    }

    /// Loops that add to carried numbers: over the groups, in each of which an iteration has sums of its own, and over these.
    fn numbers(&mut self, func: &mut Func, numbers: &[usize], nodes: &[Node]) {
        let slices = self.slices(func, nodes);
        let array = |func: &Func, k: usize| array(func, func[self.l.body].params[1 + k]);
        let types: Vec<Type> = numbers.iter().map(|&k| array(func, k)).collect();
        let span = self.span;
        let lanes =
            |func: &mut Func| -> Vec<Value> { types.iter().map(|ty| func.value(ty.clone(), None, span)).collect() };
        // over the groups
        let group = func.graph();
        let number = func.value(Type::USIZE, None, self.span);
        let params = lanes(func);
        func[group].params = [vec![number], params.clone()].concat();
        let mut b = Builder::new(func, group, self.span);
        let size = b.int(BLOCK);
        let start = b.prim(&MUL, &[size, number]);
        let end = b.prim(&ADD, &[start, size]);
        let path = Path(vec![Step::Range { from: true, end: RangeEnd::Exclusive }]);
        let mut parts = HashMap::new();
        for &n in nodes.iter().filter(|n| slices.contains_key(n)) {
            parts.insert(n, Builder::new(func, group, self.span).load(slices[&n], &path, &[start, end]));
        }
        // in a group
        let body = func.graph();
        let lane = func.value(Type::USIZE, None, self.span);
        let sums = lanes(func);
        func[body].params = [vec![lane], sums.clone()].concat();
        let number = Builder::new(func, body, self.span).prim(&ADD, &[start, lane]);
        let mut inner = self.inner(func, body, number);
        let path = Path(vec![Step::Index]);
        for &n in nodes {
            match (parts.get(&n), numbers.iter().position(|&k| func[n].outs[..] == [func[self.l.body].results[k]])) {
                (Some(&part), _) => self.read(func, body, part, lane, n, &mut inner),
                (None, None) => inner.copy(func, body, n),
                (None, Some(at)) => {
                    let old = func[self.l.body].params[1 + numbers[at]];
                    let sum = Builder::new(func, body, self.span).load(sums[at], &path, &[lane]);
                    inner.map.insert(old, sum);
                    inner.copy(func, body, n);
                    let new = inner.map[&func[n].outs[0]];
                    let ty = array(func, numbers[at]);
                    let args = vec![sums[at], lane, new];
                    let sum = Builder::new(func, body, self.span).push(Op::Update(path.clone()), args, ty);
                    func[body].results.push(sum);
                }
            }
        }
        // `nodes` has the sums in the order of `numbers`
        let outs = lanes(func);
        let mut b = Builder::new(func, group, self.span);
        let args = [vec![b.int(0), size], params].concat();
        let node = func.node(ascending(body), args, outs.clone(), self.span);
        func[group].nodes.push(node);
        func[group].results = outs;

        let mut inits = Vec::new();
        for &k in numbers {
            inits.push(zeros(&mut Builder::new(func, self.graph, self.span), self.now[k]));
        }
        let outs = lanes(func);
        let mut b = Builder::new(func, self.graph, self.span);
        let args = [vec![b.int(0), self.groups], inits].concat();
        let node = func.node(ascending(group), args, outs.clone(), self.span);
        func[self.graph].nodes.push(node);

        let sums: Vec<(Value, Value)> = numbers.iter().map(|&k| self.now[k]).zip(outs).collect();
        let totals = totals(func, self.graph, self.span, &sums);
        numbers.iter().zip(totals).for_each(|(&k, total)| self.now[k] = total);
        self.rest(func, numbers, nodes, &slices);
    }

    /// The loop that adds to carried numbers in the iterations that do not fill a group.
    fn rest(&mut self, func: &mut Func, numbers: &[usize], nodes: &[Node], slices: &HashMap<Node, Value>) {
        let body = func.graph();
        let number = func.value(Type::USIZE, None, self.span);
        func[body].params.push(number);
        let mut inner = self.inner(func, body, number);
        let (mut inits, mut outs) = (Vec::new(), Vec::new());
        for &k in numbers {
            let old = func[self.l.body].params[1 + k];
            let p = func.value_like(old);
            func[body].params.push(p);
            inner.map.insert(old, p);
            inits.push(self.now[k]);
            self.now[k] = func.value_like(old);
            outs.push(self.now[k]);
        }
        for &n in nodes {
            match slices.get(&n) {
                Some(&slice) => self.read(func, body, slice, number, n, &mut inner),
                None => inner.copy(func, body, n),
            }
        }
        func[body].results = numbers.iter().map(|&k| inner.map[&func[self.l.body].results[k]]).collect();
        let args = [vec![self.grouped, self.len], inits].concat();
        let node = func.node(ascending(body), args, outs, self.span);
        func[self.graph].nodes.push(node);
    }
}
