//! The order of the iterations around: where each of them takes elements of its own and adds to sums, they go upwards.
//!
//! ```text
//! for %i in rev 1..%n {                          for %i in 1..%n {
//!   for %j in 1..%w { take %a [%i * %w + %j] … }   →   for %j in 1..%w { take %a [%i * %w + %j] … }
//! }                                              }
//! ```
//!
//! What compilers check before they run an inner loop in vectors they can check for all its executions at once only if the
//! outer loop goes upwards.

use super::plan::Plan;
use crate::ir::{Const, Func, Graph, Loop, LoopKind, Node, Op, Type, Value};
use crate::opt::affine::Linear;
use crate::opt::order::Sums;
use crate::prims::arith::{ADD, MUL, SUB};
use la_arena::ArenaMap;

/// Turns the loop around the inner loop `n`, whose plan is given, if that makes no difference.
pub(super) fn run(func: &mut Func, around: Graph, n: Node, plan: &Plan, exact: &ArenaMap<Node, ()>) {
    let mut outer = None;
    func.walk(func.root, &mut |_, m| {
        if matches!(&func[m].op, Op::Loop(l) if l.body == around) {
            outer = Some(m);
        }
    });
    let Some(outer) = outer.filter(|m| !exact.contains_idx(*m)) else { return };
    let Op::Loop(l) = &func[outer].op else { return };
    if matches!(l.kind, LoopKind::For { inclusive: false, reversed: true }) && is_free(func, l, outer, n, plan) {
        let Op::Loop(l) = &mut func.nodes[outer].op else { unreachable!("a loop") };
        l.kind = LoopKind::For { inclusive: false, reversed: false };
    }
}

/// Whether the order of the iterations of a loop around an inner one makes no difference but in the rounding of sums.
fn is_free(func: &Func, l: &Loop, outer: Node, n: Node, plan: &Plan) -> bool {
    let body = &func[l.body];
    let quiet = |&m: &Node| m == n || (func[m].op.graphs().is_empty() && !crate::opt::dce::has_effects(&func[m].op));
    if l.exits || !body.nodes.iter().all(quiet) {
        return false;
    }
    let sums = Sums::new(func);
    (0..func[outer].outs.len()).all(|k| {
        let p = body.params[1 + k];
        let inner = func[n].args[2..].iter().position(|a| *a == p);
        sums.sum(outer, k, usize::MAX)
            || inner.is_some_and(|at| body.results[k] == func[n].outs[at] && takes_apart(func, l, n, plan, at, p))
    })
}

/// Whether all that happens to a carried aggregate is that the inner loop takes elements which no other iteration of the
/// outer one takes.
fn takes_apart(func: &Func, outer: &Loop, n: Node, plan: &Plan, at: usize, p: Value) -> bool {
    let Op::Loop(inner) = &func[n].op else { return false };
    let uses = |v: Value| {
        let args = func[outer.body].nodes.iter().flat_map(|&m| &func[m].args);
        args.chain(&func[outer.body].results).filter(|&&a| a == v).count()
    };
    if uses(p) != 1 || uses(func[n].outs[at]) != 1 {
        return false;
    }
    let own = func[inner.body]
        .nodes
        .iter()
        .copied()
        .filter(|&m| func[m].args.first().is_some_and(|root| plan.version.get(*root) == Some(&at)));
    let own: Vec<Node> = own.collect();
    let [take] = own[..] else { return false };
    let Some((form, (ends, operands))) = plan.places.get(take) else { return false };
    if !matches!(func[take].op, Op::Take(_)) || !ends.is_empty() || !operands.is_empty() {
        return false;
    }
    // the index is that of the outer loop times a width, and that of the inner one, which stays within it
    let owners = func.owners(func.root);
    let forms = Definitions::new(func);
    let index = func[outer.body].params[0];
    let (mut width, mut others) = (None, false);
    for (&term, &factor) in &form.terms {
        let term = Value::from_raw(term.into());
        match forms.product(index, term) {
            Some(by) if factor == 1 && width.is_none() => width = Some(by),
            _ => others |= owners.get(term).is_none_or(|g| *g == outer.body || *g == inner.body),
        }
    }
    let Some(width) = width.filter(|_| !others) else { return false };
    let steady = owners.get(width).is_some_and(|g| *g != outer.body && *g != inner.body);
    let [lo, hi] = [func[n].args[0], func[n].args[1]];
    let slack = forms.linear(width).plus(&forms.linear(lo), 1).and_then(|sum| sum.plus(&forms.linear(hi), -1));
    steady && slack.is_some_and(|slack| slack.as_constant().is_some_and(|slack| slack >= 0))
}

/// How values are defined, wherever that is.
struct Definitions<'f> {
    func: &'f Func,
    defs: ArenaMap<Value, Node>,
}

impl<'f> Definitions<'f> {
    fn new(func: &'f Func) -> Self {
        let mut defs = ArenaMap::default();
        func.walk(func.root, &mut |_, n| defs.extend(func[n].outs.iter().map(|&o| (o, n))));
        Definitions { func, defs }
    }

    /// By what an index is multiplied to give a value.
    fn product(&self, index: Value, v: Value) -> Option<Value> {
        let node = &self.func[*self.defs.get(v)?];
        match (&node.op, &node.args[..]) {
            (Op::Prim(prim), &[x, y]) if *prim == &MUL && x == index => Some(y),
            (Op::Prim(prim), &[x, y]) if *prim == &MUL && y == index => Some(x),
            _ => None,
        }
    }

    /// An integer as a linear form of those that it follows from.
    fn linear(&self, v: Value) -> Linear {
        self.of(v).unwrap_or_else(|| Linear::term(v))
    }

    fn of(&self, v: Value) -> Option<Linear> {
        let node = &self.func[*self.defs.get(v)?];
        if *self.func.ty(v) != Type::USIZE {
            return None;
        }
        match (&node.op, &node.args[..]) {
            (Op::Const(Const::Int(digits)), _) => digits.parse().ok().map(Linear::constant),
            (Op::Prim(prim), &[x, y]) if *prim == &ADD => self.linear(x).plus(&self.linear(y), 1),
            (Op::Prim(prim), &[x, y]) if *prim == &SUB => self.linear(x).plus(&self.linear(y), -1),
            _ => None,
        }
    }
}
