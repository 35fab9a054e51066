//! Takes what the pullback needs, and what is the same in every iteration of a loop, out of that loop.
//!
//! ```text
//! for %r in %lo..%hi {                       %u = if %lo < %hi {
//!   %u = load %a [%c]                          %v = load %a [%c]
//!   …                                   →      yield %v
//! }                                          } else { yield 0.0 }
//!                                            for %r in %lo..%hi { … }
//! ```
//!
//! It is then kept once for an execution of the loop and not once for an iteration. Only what every iteration computes
//! may move, and only under the condition that there is an iteration, so that nothing fails that did not fail before.

use super::Primal;
use super::decide;
use crate::ir::substitute::Substitution;
use crate::ir::{Builder, Cost, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Type, Value};
use crate::prims::compare::{LE, LT};
use std::collections::HashMap;

/// How many operations may move for one value.
const MOST: usize = 16;

/// Moves what can be moved by one loop; says whether anything was.
pub(super) fn run(func: &mut Func, primal: &Primal) -> bool {
    let mut values = Substitution::default();
    for v in decide::needs(func, primal) {
        let Some((n, around)) = primal.parent.get(primal.owner[v]).copied() else { continue };
        let Op::Loop(l) = func[n].op.clone() else { continue };
        let LoopKind::For { inclusive, .. } = l.kind else { continue };
        if decide::again(func, primal, v, Cost::Division) && !matches!(func[primal.def[v]].op, Op::Load(_)) {
            continue;
        }
        let mut moved = Vec::new();
        if !constant(func.ty(v)) || !invariant(func, primal, &l, v, &mut moved) || moved.is_empty() {
            continue;
        }
        let out = guarded(func, [around, l.body], n, inclusive, &moved, v);
        values.insert(v, out);
    }
    let changed = !values.is_empty();
    values.apply(func);
    changed
}

/// Whether there is a constant of a type, for where the value does not exist.
fn constant(ty: &Type) -> bool {
    matches!(ty, Type::Float(_) | Type::Int(_) | Type::Bool)
}

/// Collects the operations of an iteration that a value follows from, operands first; `false` if it is not the same in each iteration.
fn invariant(func: &Func, primal: &Primal, l: &Loop, v: Value, moved: &mut Vec<Node>) -> bool {
    if primal.owner.get(v) != Some(&l.body) {
        return true;
    }
    let Some(&n) = primal.def.get(v) else { return false };
    if moved.contains(&n) {
        return true;
    }
    let data = &func[n];
    let movable = match &data.op {
        Op::Const(_) => true,
        Op::Prim(_) | Op::Cast(_) => data.args.iter().all(|&a| func.ty(a).is_scalar()),
        Op::Load(_) => primal.owner.get(data.args[0]) != Some(&l.body),
        _ => false,
    };
    if !movable || !func.ty(v).is_scalar() || moved.len() == MOST {
        return false;
    }
    let follows = data.args.iter().all(|&a| invariant(func, primal, l, a, moved));
    moved.push(n);
    follows
}

/// Computes a value before a loop, if that has an iteration.
fn guarded(func: &mut Func, [around, body]: [Graph; 2], n: Node, inclusive: bool, moved: &[Node], v: Value) -> Value {
    debug_assert_ne!(around, body);
    let (span, ty, name) = (func[v].span, func.ty(v).clone(), func[v].name.clone());
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let rest = func[around].nodes.split_off(at);
    let [lo, hi] = [func[n].args[0], func[n].args[1]];
    let runs = Builder::new(func, around, span).prim(if inclusive { &LE } else { &LT }, &[lo, hi]);
    let (then_, else_) = (func.graph(), func.graph());
    let mut copies: HashMap<Value, Value> = HashMap::new();
    for &m in moved {
        let NodeData { op, args, outs, span } = func[m].clone();
        let args = args.iter().map(|a| *copies.get(a).unwrap_or(a)).collect();
        let copy = func.value_like(outs[0]);
        copies.insert(outs[0], copy);
        let node = func.node(op, args, vec![copy], span);
        func[then_].nodes.push(node);
    }
    func[then_].results.push(copies[&v]);
    let absent = super::keep::dummy(&mut Builder::new(func, else_, span), &ty).expect("a scalar has a constant");
    func[else_].results.push(absent);
    let out = Builder::new(func, around, span).push(Op::If { then_, else_ }, vec![runs], ty);
    func.values[out].name = name;
    func[around].nodes.extend(rest);
    out
}
