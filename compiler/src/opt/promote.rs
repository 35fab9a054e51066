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
//! Only the rounding of the sum changes. Where the loop has no iteration the place is not touched, as it need not exist.
//! The primal's loops stay as they are.

use super::simplify::uses;
use crate::ir::{Builder, Const, Float, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Step, Type, Value};
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
    let node = &func[n];
    let Op::AddAt(path) = &node.op else { return None };
    let (operands, value) = (&node.args[1..=path.operands()], *node.args.last()?);
    let plain = path.0.iter().all(|step| matches!(step, Step::Index | Step::Field(_))) && !path.0.is_empty();
    let own = |g: &Graph| *g == l.body || Some(*g) == body.replays;
    let steady = |&v: &Value| !owners.get(v).is_some_and(own) || constant(func, l.body, v).is_some();
    let known = matches!(func.ty(value), Type::Float(kind) if *kind != Float::Any);
    (node.args[0] == start && plain && known && operands.iter().all(steady)).then_some(n)
}

/// The node of a body that gives a constant.
fn constant(func: &Func, body: Graph, v: Value) -> Option<Node> {
    func[body].nodes.iter().copied().find(|&n| func[n].outs[..] == [v] && matches!(func[n].op, Op::Const(_)))
}

fn promote(func: &mut Func, around: Graph, n: Node, l: &Loop, k: usize, place: Node) {
    let LoopKind::For { inclusive, .. } = l.kind else { unreachable!("a loop over a range") };
    let NodeData { op, args, span, .. } = func[place].clone();
    let value = *args.last().expect("what is added");
    let ty = func.ty(value).clone();
    let scalar = |func: &mut Func| func.value(ty.clone(), None, span);

    // the sum, in the loop
    let (sum, next, total) = (scalar(func), scalar(func), scalar(func));
    func.nodes[place] = NodeData { op: Op::Prim(&ADD), args: vec![sum, value], outs: vec![next], span };
    func[l.body].params[l.kind.bindings() + k] = sum;
    func[l.body].results[k] = next;
    let out = std::mem::replace(&mut func.nodes[n].outs[k], total);

    // before the loop and after it
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let rest = func[around].nodes.split_off(at + 1);
    func[around].nodes.pop();
    let zero =
        Builder::new(func, around, span).push(Op::Const(Const::Float(0.0, "0.0".to_owned())), vec![], ty.clone());
    let old = std::mem::replace(&mut func.nodes[n].args[l.kind.operands() + k], zero);
    func[around].nodes.push(n);
    let [lo, hi] = [func[n].args[0], func[n].args[1]];
    let runs = Builder::new(func, around, span).prim(if inclusive { &LE } else { &LT }, &[lo, hi]);
    let (then_, else_) = (func.graph(), func.graph());
    let mut operands = vec![old];
    for &v in &args[1..args.len() - 1] {
        let here = match constant(func, l.body, v) {
            Some(m) => {
                let (op, ty) = (func[m].op.clone(), func.ty(v).clone());
                Builder::new(func, then_, span).push(op, vec![], ty)
            }
            None => v,
        };
        operands.push(here);
    }
    operands.push(total);
    let ty = func.ty(out).clone();
    let added = Builder::new(func, then_, span).push(op, operands, ty);
    func[then_].results.push(added);
    func[else_].results.push(old);
    let node = func.node(Op::If { then_, else_ }, vec![runs], vec![out], span);
    func[around].nodes.push(node);
    func[around].nodes.extend(rest);
}
