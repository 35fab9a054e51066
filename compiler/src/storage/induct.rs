//! Counts by the index of the loop: what the pullback needs of a number that grows by the same step in every iteration.
//!
//! ```text
//! %k = for %i in %lo..%hi (%a = %init) {         for %i in %lo..%hi {
//!   … %a …                                         %a = %init + %step * (%i - %lo)
//!   %b = %a + %step                         →      … %a …
//!   yield %b                                     }
//! }                                              %k = %init + %step * (%hi - %lo)
//! ```
//!
//! The number then follows from the index and need not be kept.

use super::Primal;
use super::decide;
use super::keep::Range;
use crate::ir::substitute::Substitution;
use crate::ir::{Builder, Func, Graph, Loop, Node, Op, Primitive, Type, Value};
use crate::prims::arith::{ADD, MUL, SUB};

/// Rewrites what can be rewritten; says whether anything was.
pub(super) fn run(func: &mut Func, primal: &Primal) -> bool {
    let mut values = Substitution::default();
    for v in decide::needs(func, primal) {
        let body = primal.owner[v];
        let Some((n, around)) = primal.parent.get(body).copied() else { continue };
        let Op::Loop(l) = func[n].op.clone() else { continue };
        if let Some((k, step)) = steady(func, primal, &l, v) {
            let (inside, after) = closed(func, [around, body], n, &l, k, step);
            values.insert(v, inside);
            values.insert(func[n].outs[k], after);
        }
    }
    let changed = !values.is_empty();
    values.apply(func);
    changed
}

/// The place of a carried number that changes by a steady step, the operation, and the step.
fn steady(func: &Func, primal: &Primal, l: &Loop, v: Value) -> Option<(usize, (&'static Primitive, Value))> {
    Range::of(l)?;
    if *func.ty(v) != Type::USIZE {
        return None;
    }
    let k = func[l.body].params.iter().position(|p| *p == v)?.checked_sub(l.kind.bindings())?;
    let next = &func[*primal.def.get(func[l.body].results[k])?];
    let step = match (&next.op, &next.args[..]) {
        (Op::Prim(p), &[a, step]) if a == v && (*p == &ADD || *p == &SUB) => (*p, step),
        (Op::Prim(p), &[step, a]) if a == v && *p == &ADD => (*p, step),
        _ => return None,
    };
    let fixed = match primal.def.get(step.1) {
        Some(&n) if primal.owner[step.1] == l.body => matches!(func[n].op, Op::Const(_)),
        _ => primal.owner.get(step.1) != Some(&l.body),
    };
    fixed.then_some((k, step))
}

/// The number in an iteration, computed at its start, and after the loop.
fn closed(
    func: &mut Func,
    [around, body]: [Graph; 2],
    n: Node,
    l: &Loop,
    k: usize,
    (op, step): (&'static Primitive, Value),
) -> (Value, Value) {
    let span = func[n].span;
    let (range, [lo, hi]) = (Range::of(l).expect("checked"), [func[n].args[0], func[n].args[1]]);
    let init = func[n].args[l.kind.operands() + k];
    let (name, index) = (func[func[body].params[l.kind.bindings() + k]].name.clone(), func[body].params[0]);
    // a constant step stands in the body
    let constant = func[body].nodes.iter().copied().find(|&m| func[m].outs[..] == [step]);
    let nodes = std::mem::take(&mut func[body].nodes);
    let mut b = Builder::new(func, body, span);
    let ordinal = range.ordinal(&mut b, [index, lo, hi]);
    let inside = moved(&mut b, init, ordinal, op, step, constant);
    func.values[inside].name = name.clone();
    func[body].nodes.extend(nodes);
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let rest = func[around].nodes.split_off(at + 1);
    let mut b = Builder::new(func, around, span);
    let count = range.count(&mut b, [lo, hi]);
    let after = moved(&mut b, init, count, op, step, constant);
    func.values[after].name = name;
    func[around].nodes.extend(rest);
    (inside, after)
}

/// `init ± step * count`
fn moved(
    b: &mut Builder<'_>,
    init: Value,
    count: Value,
    op: &'static Primitive,
    step: Value,
    constant: Option<Node>,
) -> Value {
    let step = match constant {
        Some(m) => b.push(b.func[m].op.clone(), Vec::new(), Type::USIZE),
        None => step,
    };
    let way = b.prim(&MUL, &[step, count]);
    b.prim(op, &[init, way])
}
