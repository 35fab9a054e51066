//! Sums in registers: a loop of a pullback that always adds to the same place adds to a scalar, and that once to the place.
//!
//! ```text
//! %b = for %r in %lo..%hi (%a = %x_bar) {        %s = for %r in %lo..%hi (%t = 0.0) {
//!   %v = …                                         %v = …
//!   %c = add %a [%k] += %v                  →      → %t + %v
//!   → %c                                         }
//! }                                              %b = if %lo < %hi { add %x_bar [%k] += %s } else { %x_bar }
//! ```
//!
//! So does a loop that adds to other places, too, for each place that stays the same, if it does nothing else with what they
//! are in. Only the rounding of the sum changes. Where the loop has no iteration the place is not touched, as it need not exist.
//! The primal's loops stay as they are.

use super::order::Sums;
use super::simplify::uses;
use crate::ir::{
    Builder, Const, Cost, Float, Func, Graph, Kind, Loop, LoopKind, Node, NodeData, Op, Step, Type, Value,
};
use crate::prims::arith::ADD;
use crate::prims::compare::{LE, LT};
use la_arena::ArenaMap;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut loops = Vec::new();
    func.walk(func.root, &mut |_, n| {
        if let Op::Closure(g) = func[n].op {
            func.walk(g, &mut |around, n| loops.push((around, n)));
        }
    });
    // what is run again in a pullback is the primal
    let adjoint = |l: &Loop| matches!(l.kind, LoopKind::For { .. }) && !l.exits && l.replays.is_some();
    loops.retain(|&(_, n)| matches!(&func[n].op, Op::Loop(l) if adjoint(l)));
    if loops.is_empty() {
        return false;
    }
    let (uses, owners) = (uses(func), func.owners(func.root));
    let mut changed = false;
    // inner loops first: what they add to is then still the place itself
    for (around, n) in loops.into_iter().rev() {
        let Op::Loop(l) = func[n].op.clone() else { continue };
        for k in 0..func[n].outs.len() {
            if let Some(place) = steady_place(func, &l, k, &uses, &owners) {
                promote(func, around, n, &l, k, place);
                changed = true;
                continue;
            }
            for place in steady_places(func, n, &l, k, &owners) {
                lift(func, around, n, &l, k, place);
                changed = true;
            }
        }
    }
    changed
}

/// The operation by which a loop adds to the `k`-th carried value, if it is the only one and always adds to the same
/// place.
fn steady_place(
    func: &Func,
    l: &Loop,
    k: usize,
    uses: &ArenaMap<Value, usize>,
    owners: &ArenaMap<Value, Graph>,
) -> Option<Node> {
    let body = &func[l.body];
    let (start, end) = (*body.params.get(l.kind.bindings() + k)?, body.results[k]);
    if uses.get(start) != Some(&1) || uses.get(end) != Some(&1) {
        return None;
    }
    let n = *body.nodes.iter().find(|&&n| func[n].outs[..] == [end])?;
    (func[n].args.first() == Some(&start) && is_steady(func, l, n, owners)).then_some(n)
}

/// The most sums that a loop is given.
const SUMS: usize = 8;

/// The operations by which a loop adds to the `k`-th carried value, always to the same place each, if it does nothing but
/// add to it and adds to other places, too.
fn steady_places(func: &Func, n: Node, l: &Loop, k: usize, owners: &ArenaMap<Value, Graph>) -> Vec<Node> {
    let body = &func[l.body];
    let Some(&start) = body.params.get(l.kind.bindings() + k) else { return Vec::new() };
    let (mut at, mut steady, mut others) = (start, Vec::new(), false);
    for &m in &body.nodes {
        let node = &func[m];
        if node.args.first() == Some(&at) && matches!(node.op, Op::AddAt(_)) {
            match is_steady(func, l, m, owners) {
                true => steady.push(m),
                false => others = true,
            }
            at = node.outs[0];
        }
    }
    // a chain that does not get to the end has other things in it
    let chain = at == body.results[k] && others && (1..=SUMS).contains(&steady.len());
    if chain && Sums::new(func).sum(n, k, usize::MAX) { steady } else { Vec::new() }
}

/// Whether a node of a body adds a float to the same place in every iteration.
fn is_steady(func: &Func, l: &Loop, n: Node, owners: &ArenaMap<Value, Graph>) -> bool {
    let node = &func[n];
    let Op::AddAt(path) = &node.op else { return false };
    let operands = &node.args[1..=path.operands()];
    let plain = path.0.iter().all(|step| matches!(step, Step::Index | Step::Field(_))) && !path.0.is_empty();
    let own = |g: &Graph| *g == l.body || Some(*g) == func[l.body].replays;
    let outside = |v: Value| !owners.get(v).is_some_and(own);
    let known = node.args.last().is_some_and(|&v| matches!(func.ty(v), Type::Float(kind) if *kind != Float::Any));
    plain && known && operands.iter().all(|&v| follows_from_outside(func, l.body, v, &outside))
}

/// Whether a value is from outside of a body, or an integer that follows from such.
fn follows_from_outside(func: &Func, body: Graph, v: Value, outside: &impl Fn(Value) -> bool) -> bool {
    let Some(n) = integer(func, body, v) else { return outside(v) };
    func[n].args.iter().all(|&a| follows_from_outside(func, body, a, outside))
}

/// The node of a body, or of the one that it replays, that gives an integer, if it does nothing else.
fn integer(func: &Func, body: Graph, v: Value) -> Option<Node> {
    let nodes = |g: Graph| func[g].nodes.iter().copied();
    let all = nodes(body).chain(func[body].replays.into_iter().flat_map(nodes));
    let n = all.into_iter().find(|&n| func[n].outs[..] == [v])?;
    let computed = match &func[n].op {
        Op::Const(_) => true,
        Op::Prim(prim) => prim.kind == Kind::Arithmetic && prim.cost == Cost::Cheap,
        _ => false,
    };
    (computed && matches!(func.ty(v), Type::Int(_))).then_some(n)
}

/// What stands for a value of a body outside of it.
fn outside(func: &mut Func, body: Graph, v: Value, to: Graph) -> Value {
    let Some(n) = integer(func, body, v) else { return v };
    let NodeData { op, args, span, .. } = func[n].clone();
    let args = args.into_iter().map(|a| outside(func, body, a, to)).collect();
    let ty = func.ty(v).clone();
    Builder::new(func, to, span).push(op, args, ty)
}

/// Lets a loop that only adds to one place add to a scalar.
fn promote(func: &mut Func, around: Graph, n: Node, l: &Loop, k: usize, place: Node) {
    let NodeData { op, args, span, .. } = func[place].clone();
    let value = *args.last().expect("what is added");
    let ty = func.ty(value).clone();
    let scalar = |func: &mut Func| func.value(ty.clone(), None, span);
    let (sum, next, total) = (scalar(func), scalar(func), scalar(func));
    func.nodes[place] = NodeData { op: Op::Prim(&ADD), args: vec![sum, value], outs: vec![next], span };
    func[l.body].params[l.kind.bindings() + k] = sum;
    func[l.body].results[k] = next;
    let out = std::mem::replace(&mut func.nodes[n].outs[k], total);
    let zero = zero_before(func, around, n, &ty);
    let old = std::mem::replace(&mut func.nodes[n].args[l.kind.operands() + k], zero);
    add_after(func, around, n, l, Sum { op, operands: args[1..args.len() - 1].to_vec(), total, old, out });
}

/// Lets a loop add to a scalar of its own what it adds to one of several places.
fn lift(func: &mut Func, around: Graph, n: Node, l: &Loop, k: usize, place: Node) {
    let NodeData { op, args, outs, span } = func[place].clone();
    let value = *args.last().expect("what is added");
    let ty = func.ty(value).clone();
    let scalar = |func: &mut Func| func.value(ty.clone(), None, span);
    let (sum, next, total) = (scalar(func), scalar(func), scalar(func));
    func.nodes[place] = NodeData { op: Op::Prim(&ADD), args: vec![sum, value], outs: vec![next], span };
    func[l.body].params.push(sum);
    // what came after goes on from what was before
    let before = args[0];
    for m in func[l.body].nodes.clone() {
        for a in func.nodes[m].args.iter_mut().filter(|a| **a == outs[0]) {
            *a = before;
        }
    }
    for r in func[l.body].results.iter_mut().filter(|r| **r == outs[0]) {
        *r = before;
    }
    func[l.body].results.push(next);
    let old = func.value_like(func[n].outs[k]);
    let out = std::mem::replace(&mut func.nodes[n].outs[k], old);
    func.nodes[n].outs.push(total);
    let zero = zero_before(func, around, n, &ty);
    func.nodes[n].args.push(zero);
    add_after(func, around, n, l, Sum { op, operands: args[1..args.len() - 1].to_vec(), total, old, out });
}

/// A zero before a node.
fn zero_before(func: &mut Func, around: Graph, n: Node, ty: &Type) -> Value {
    let span = func[n].span;
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let rest = func[around].nodes.split_off(at);
    let op = Op::Const(Const::Float(0.0, "0.0".to_owned()));
    let zero = Builder::new(func, around, span).push(op, vec![], ty.clone());
    func[around].nodes.extend(rest);
    zero
}

/// What a loop has added up, and the place where it belongs.
struct Sum {
    op: Op,
    operands: Vec<Value>,
    total: Value,
    /// What the place is in, before and after the sum is added.
    old: Value,
    out: Value,
}

/// Adds a sum to its place after the loop, if that has an iteration.
fn add_after(func: &mut Func, around: Graph, n: Node, l: &Loop, sum: Sum) {
    let LoopKind::For { inclusive, .. } = l.kind else { unreachable!("a loop over a range") };
    let span = func[n].span;
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let rest = func[around].nodes.split_off(at + 1);
    let [lo, hi] = [func[n].args[0], func[n].args[1]];
    let runs = Builder::new(func, around, span).prim(if inclusive { &LE } else { &LT }, &[lo, hi]);
    let (then_, else_) = (func.graph(), func.graph());
    let mut operands = vec![sum.old];
    for v in sum.operands {
        operands.push(outside(func, l.body, v, then_));
    }
    operands.push(sum.total);
    let ty = func.ty(sum.out).clone();
    let added = Builder::new(func, then_, span).push(sum.op, operands, ty);
    func[then_].results.push(added);
    func[else_].results.push(sum.old);
    let node = func.node(Op::If { then_, else_ }, vec![runs], vec![sum.out], span);
    func[around].nodes.push(node);
    func[around].nodes.extend(rest);
}
