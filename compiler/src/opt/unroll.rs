//! Loops of a few iterations around loops whose lengths follow from the iteration are written out.
//!
//! ```text
//! for %s in rev 0..3 (%k = %k_bar) {             for %j in 0..3 (%k1 = %k_bar) { … 2 … }
//!   %n = %s + 1                                  for %j in 0..2 (%k2 = …) { … 1 … }
//!   for %j in 0..%n (%k1 = %k) { … %s … }   →    for %j in 0..1 (%k3 = …) { … 0 … }
//! }
//! ```
//!
//! These are the stages of an integrator: each takes of those before it. Written out, all lengths and places are constants,
//! and small arrays stay in registers. Compilers do the same with loops that are small, but those of the adjoint are larger
//! than what they have undone.

use super::block::{constant, exact};
use super::clone::clone_graph;
use crate::ir::substitute::Substitution;
use crate::ir::{Builder, Func, Graph, Loop, LoopKind, Node, NodeData, Op, Type, Value};
use std::collections::HashMap;

/// The most iterations.
const TIMES: usize = 8;
/// The most nodes of all iterations together.
const MOST: usize = 400;

/// Runs the pass over the adjoint of a function with so many results of the primal; says whether it changed anything.
pub fn run(func: &mut Func, results: usize) -> bool {
    let Some(exact) = exact(func, results) else { return false };
    let mut loops = Vec::new();
    func.walk(func.root, &mut |around, n| {
        if !exact.contains_idx(n) && is_triangular(func, n) {
            loops.push((around, n));
        }
    });
    let mut values = Substitution::default();
    for &(around, n) in &loops {
        write_out(func, around, n, &mut values);
    }
    values.apply(func);
    if !loops.is_empty() {
        super::fold::run(func);
        super::simplify::run(func);
        super::cse::run(func);
        while super::dce::run(func) {}
    }
    !loops.is_empty()
}

/// The iterations of a loop over a constant range, in their order.
fn iterations(func: &Func, n: Node, l: &Loop) -> Option<Vec<usize>> {
    let LoopKind::For { inclusive: false, reversed } = l.kind else { return None };
    let [lo, hi] = [0, 1].map(|k| constant(func, func[n].args[k]));
    let (lo, hi) = (lo?, hi?);
    let range = (2..=TIMES).contains(&hi.checked_sub(lo)?).then_some(lo..hi)?;
    Some(if reversed { range.rev().collect() } else { range.collect() })
}

/// Whether a loop has few iterations and another one in it that runs as often as the iteration says, and nothing larger.
fn is_triangular(func: &Func, n: Node) -> bool {
    let Op::Loop(l) = &func[n].op else { return false };
    let body = &func[l.body];
    let Some(iterations) = iterations(func, n, l).filter(|_| !l.exits) else { return false };
    let (mut size, mut depth) = (0, 0);
    func.walk(l.body, &mut |_, m| {
        size += 1;
        depth += usize::from(is_triangular(func, m));
    });
    let index = body.params[0];
    let plain = body.params[1..].iter().all(|&p| is_copied(func.ty(p)));
    let follows = |m: &Node| match &func[*m].op {
        Op::Loop(inner) if matches!(inner.kind, LoopKind::For { .. }) => {
            func[*m].args[..2].iter().any(|&v| follows(func, l.body, v, index))
        }
        _ => false,
    };
    *func.ty(index) == Type::USIZE
        && plain
        && depth == 0
        && iterations.len() * size <= MOST
        && body.nodes.iter().any(follows)
}

/// Whether values of a type are copied where they are used.
fn is_copied(ty: &Type) -> bool {
    match ty {
        Type::Array(of) => is_copied(of),
        Type::Tuple(parts) => parts.iter().all(is_copied),
        ty => ty.is_scalar(),
    }
}

/// Whether an integer is computed from the index of a body.
fn follows(func: &Func, body: Graph, v: Value, index: Value) -> bool {
    let maker = func[body].nodes.iter().find(|&&n| func[n].outs.contains(&v));
    v == index
        || maker.is_some_and(|&n| {
            matches!(func[n].op, Op::Prim(_)) && func[n].args.iter().any(|&a| follows(func, body, a, index))
        })
}

fn write_out(func: &mut Func, around: Graph, n: Node, values: &mut Substitution) {
    let NodeData { op: Op::Loop(l), args, outs, span } = func[n].clone() else { unreachable!("a loop") };
    let at = func[around].nodes.iter().position(|m| *m == n).expect("the loop is in its graph");
    let after = func[around].nodes.split_off(at + 1);
    func[around].nodes.pop();
    let params = func[l.body].params.clone();
    let mut now = args[2..].to_vec();
    for k in iterations(func, n, &l).expect("a constant range") {
        let index = Builder::new(func, around, span).int(k);
        let given = [vec![index], now].concat();
        let mut map: HashMap<Value, Value> = params.iter().copied().zip(given).collect();
        let copy = clone_graph(func, l.body, &mut map);
        let nodes = std::mem::take(&mut func[copy].nodes);
        func[around].nodes.extend(nodes);
        now = func[copy].results.clone();
    }
    outs.into_iter().zip(now).for_each(|(out, v)| values.insert(out, v));
    func[around].nodes.extend(after);
}
