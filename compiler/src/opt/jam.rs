//! Several iterations at once: in four of them together, the loops of the body that run equally often are one.
//!
//! ```text
//! for %i in %lo..%hi (%a = %x_bar) {             for %g in 0..(%hi - %lo) / 4 (%a = %x_bar) {
//!   %s = for %j in 0..%n (%t = %b) {               %x0 = load %x [%i0 * %n..%i0 * %n + %n] …
//!     → %t + %x [%i * %n + %j] * %w [%j]           %s0, … = for %j in 0..%n (%t0 = %b, …) {
//!   }                                                → %t0 + %x0 [%j] * %w [%j], …
//!   %r = exp(%s)                            →      }
//!   %c = for %j in 0..%n (%d = %a) {               %r0 = exp(%s0) …
//!     → add %d [%j] += %r * %x [%i * %n + %j]      %c = for %j in 0..%n (%d = %a) {
//!   }                                                → add %d [%j] += %r0 * %x0 [%j], add …
//!   → %c                                           }
//! }                                                → %c
//!                                                }
//!                                                what is left of the range as it was
//! ```
//!
//! A sum of floats must be taken in order, and each addition waits for the one before; four sums side by side wait only as
//! long as one. What all iterations read or add to is read and written once for four of them. All that depends on order
//! stays in it: no bit of a result changes.
//!
//! It runs after the passes that divide innermost loops, on what they leave.

mod plan;

use super::block::{from, split};
use super::copies::Copies;
use super::element::element;
use crate::ir::{Builder, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Path, RangeEnd, Step, Type, Value};
use crate::prims::arith::{ADD, MUL};
use crate::prims::compare::LT;
use crate::prims::round::MIN;
use plan::{Inner, Plan};
use proc_macro2::Span;
use std::collections::HashMap;

/// The iterations that are done together.
const TOGETHER: usize = 4;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut loops = Vec::new();
    func.walk(func.root, &mut |around, n| {
        if matches!(func[n].op, Op::Loop(_)) {
            loops.push((around, n));
        }
    });
    let mut changed = false;
    for (around, n) in loops {
        let Some(plan) = Plan::of(func, n) else { continue };
        let NodeData { op: Op::Loop(l), span, .. } = func[n].clone() else { unreachable!("a loop") };
        let some = |func: &mut Func, around, blocks| unless_empty(func, around, &l, &plan, blocks);
        split(func, (around, n), TOGETHER, some, |func, lo| together(func, &l, &plan, lo, span));
        changed = true;
    }
    if changed {
        super::simplify::run(func);
        super::cse::run(func);
        while super::dce::run(func) {}
    }
    changed
}

/// How many blocks are done: none if an inner loop has no iteration, as what it reads need not be there then. What its
/// bounds are computed by may be undefined where there is no iteration at all, so it is computed only if there is a block.
fn unless_empty(func: &mut Func, around: Graph, l: &Loop, plan: &Plan, blocks: Value) -> Value {
    let span = func[around].nodes.last().map_or_else(Span::call_site, |&n| func[n].span);
    let arms = [0, 1].map(|_| func.graph());
    let mut outer = Copies::new(l.body, &plan.anywhere, HashMap::new());
    let mut bounds: Vec<[Value; 2]> = Vec::new();
    for m in func[l.body].nodes.clone() {
        if plan.inner.contains_idx(m) {
            let own = [0, 1].map(|k| func[m].args[k]).map(|v| outer.find(func, arms[0], v));
            if !bounds.contains(&own) {
                bounds.push(own);
            }
        }
    }
    let computes = func[arms[0]].nodes.iter().any(|&m| matches!(func[m].op, Op::Prim(_)));
    let at = if computes {
        arms[0]
    } else {
        let nodes = std::mem::take(&mut func[arms[0]].nodes);
        func[around].nodes.extend(nodes);
        around
    };
    let mut b = Builder::new(func, at, span);
    let one = b.int(1);
    let some = bounds.into_iter().fold(blocks, |blocks, [lo, hi]| {
        let count = count(&mut b, lo, hi);
        let any = b.prim(&MIN, &[count, one]);
        b.prim(&MUL, &[blocks, any])
    });
    if !computes {
        return some;
    }
    let mut b = Builder::new(func, around, span);
    let zero = b.int(0);
    let any = b.prim(&LT, &[zero, blocks]);
    func[arms[0]].results = vec![some];
    func[arms[1]].results = vec![blocks];
    let [then_, else_] = arms;
    Builder::new(func, around, span).push(Op::If { then_, else_ }, vec![any], Type::USIZE)
}

fn count(b: &mut Builder<'_>, lo: Value, hi: Value) -> Value {
    let one = b.int(1);
    b.push(Op::Steps { inclusive: false }, vec![lo, hi, one], Type::USIZE)
}

/// The body of the loop over several iterations at a time.
fn together(func: &mut Func, l: &Loop, plan: &Plan, lo: Option<Value>, span: Span) -> Graph {
    let graph = func.graph();
    let number = func.value(Type::USIZE, None, span);
    let params = func[l.body].params.clone();
    let now: Vec<Value> = params[1..].iter().map(|&p| func.value_like(p)).collect();
    func[graph].params = [vec![number], now.clone()].concat();
    let mut b = Builder::new(func, graph, span);
    let size = b.int(TOGETHER);
    let before = b.prim(&MUL, &[size, number]);
    let first = from(&mut b, lo, before);
    let mut each = Vec::new();
    for k in 0..TOGETHER {
        let index = match k {
            0 => first,
            k => {
                let k = b.int(k);
                b.prim(&ADD, &[first, k])
            }
        };
        each.push(Copies::new(l.body, &plan.anywhere, HashMap::from([(params[0], index)])));
    }
    if matches!(l.kind, LoopKind::For { reversed: true, .. }) {
        each.reverse();
    }
    let results = func[l.body].results.clone();
    let mut writer = Writer { graph, params: params[1..].to_vec(), results, each, now };
    for n in func[l.body].nodes.clone() {
        match plan.inner.get(n) {
            Some(inner) => writer.one(func, n, inner),
            None => writer.in_turn(func, n),
        }
    }
    func[graph].results = writer.now;
    graph
}

struct Writer<'p> {
    graph: Graph,
    /// What the loop carries: at the beginning of an iteration, and at its end.
    params: Vec<Value>,
    results: Vec<Value>,
    /// The copies of each iteration, in order.
    each: Vec<Copies<'p>>,
    /// The carried values as they are.
    now: Vec<Value>,
}

impl Writer<'_> {
    /// A node for each iteration, in their order.
    fn in_turn(&mut self, func: &mut Func, n: Node) {
        for copies in &mut self.each {
            copies.map.extend(self.params.iter().copied().zip(self.now.iter().copied()));
            copies.copy(func, self.graph, n);
            for (now, result) in self.now.iter_mut().zip(&self.results) {
                if func[n].outs.contains(result) {
                    *now = copies.map[result];
                }
            }
        }
    }

    /// An inner loop for all iterations.
    fn one(&mut self, func: &mut Func, n: Node, inner: &Inner) {
        let NodeData { op: Op::Loop(l), args, outs, span } = func[n].clone() else { unreachable!("a loop") };
        let [lo, hi] = [args[0], args[1]].map(|v| self.each[0].find(func, self.graph, v));
        let count = count(&mut Builder::new(func, self.graph, span), lo, hi);
        let slices = self.slices(func, &l, inner, (lo, count), span);

        let body = func.graph();
        let number = func.value(Type::USIZE, None, span);
        func[body].params.push(number);
        let start = (super::block::constant(func, lo) != Some(0)).then_some(lo);
        let index = from(&mut Builder::new(func, body, span), start, number);
        let own = func[l.body].params.clone();
        let mut maps: Vec<Copies<'_>> = Vec::new();
        for copies in &self.each {
            let mut map = copies.map.clone();
            map.insert(own[0], index);
            maps.push(Copies::new(l.body, &inner.anywhere, map));
        }
        // what it carries: of each iteration, or of all of them
        let mut inits = Vec::new();
        let mut shared = Vec::new();
        for (k, carried) in inner.shared.iter().enumerate() {
            match carried {
                Some(carried) => {
                    let p = func.value_like(own[1 + k]);
                    func[body].params.push(p);
                    inits.push(self.now[*carried]);
                    shared.push(p);
                }
                None => {
                    for (copies, each) in maps.iter_mut().zip(&mut self.each) {
                        let p = func.value_like(own[1 + k]);
                        func[body].params.push(p);
                        copies.map.insert(own[1 + k], p);
                        inits.push(each.find(func, self.graph, args[2 + k]));
                    }
                }
            }
        }
        let results = func[l.body].results.clone();
        for (k, copies) in maps.iter_mut().enumerate() {
            let places = || (0..inner.shared.len()).filter(|&c| inner.shared[c].is_some());
            copies.map.extend(places().map(|c| own[1 + c]).zip(shared.iter().copied()));
            for m in func[l.body].nodes.clone() {
                match slices[k].get(&m) {
                    Some(&slice) => {
                        let v = Builder::new(func, body, span).load(slice, &Path(vec![Step::Index]), &[number]);
                        copies.map.insert(func[m].outs[0], v);
                    }
                    None => copies.copy(func, body, m),
                }
            }
            shared = places().map(|c| copies.map[&results[c]]).collect();
        }
        let mut all = Vec::new();
        let mut shared = shared.into_iter();
        for (k, carried) in inner.shared.iter().enumerate() {
            match carried {
                Some(carried) => {
                    func[body].results.push(shared.next().expect("as many as are shared"));
                    self.now[*carried] = func.value_like(outs[k]);
                    all.push(self.now[*carried]);
                }
                None => {
                    for (copies, each) in maps.iter_mut().zip(&mut self.each) {
                        let result = copies.find(func, body, results[k]);
                        func[body].results.push(result);
                        let out = func.value_like(outs[k]);
                        each.map.insert(outs[k], out);
                        all.push(out);
                    }
                }
            }
        }
        let kind = LoopKind::For { inclusive: false, reversed: false };
        let op = Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None }));
        let zero = Builder::new(func, self.graph, span).int(0);
        let node = func.node(op, [vec![zero, count], inits].concat(), all, span);
        func[self.graph].nodes.push(node);
    }

    /// The slices that the loads of an inner loop go through, for each iteration.
    fn slices(
        &mut self,
        func: &mut Func,
        l: &Loop,
        inner: &Inner,
        (lo, count): (Value, Value),
        span: Span,
    ) -> Vec<HashMap<Node, Value>> {
        let index = func[l.body].params[0];
        let mut all = Vec::new();
        // what iterations share is one slice
        let mut known: HashMap<(Value, Vec<Value>, usize), Value> = HashMap::new();
        for copies in &mut self.each {
            let mut map = copies.map.clone();
            map.insert(index, lo);
            let mut first = Copies::new(l.body, &inner.anywhere, map);
            let mut slices = HashMap::new();
            for &n in &inner.slices {
                let at = element(func, n).expect("an element");
                let (mut steps, operands, index) = (at.prefix.to_vec(), at.operands.to_vec(), at.index);
                let mut all: Vec<Value> = operands.into_iter().map(|v| first.find(func, self.graph, v)).collect();
                let start = first.find(func, self.graph, index);
                let root = func[n].args[0];
                let root = first.find(func, self.graph, root);
                let key = (root, [all.clone(), vec![start]].concat(), steps.len());
                let slice = known.get(&key).copied().unwrap_or_else(|| {
                    let from = super::block::constant(func, start) != Some(0);
                    steps.push(Step::Range { from, end: RangeEnd::Exclusive });
                    let mut b = Builder::new(func, self.graph, span);
                    all.extend(if from { vec![start, b.prim(&ADD, &[start, count])] } else { vec![count] });
                    b.load(root, &Path(steps), &all)
                });
                known.insert(key, slice);
                slices.insert(n, slice);
            }
            all.push(slices);
        }
        all
    }
}
