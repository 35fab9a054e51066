//! Quotients of the adjoint by the same number are products with its reciprocal.
//!
//! ```text
//! %a = unscale(%g, %s)          %r = recip(%s)
//! %b = unscale(%h, %s)     →    %a = scale(%g, %r)
//!                               %b = scale(%h, %r)
//! ```
//!
//! A division takes several times as long as a product. What is divided is often what the iteration before has given, and the
//! reciprocal of a number of the primal need not wait for that. Only the rounding of the adjoint changes.

use super::lanes::is_plain_float;
use crate::ir::{Func, Graph, Node, Op, Value};
use crate::prims::arith::{DIV, MUL, RECIP, SCALE, UNSCALE};
use la_arena::ArenaMap;

/// Runs the pass over a function with so many results of the primal; says whether it changed anything.
pub fn run(func: &mut Func, results: usize) -> bool {
    let Some(exact) = super::block::exact(func, results) else { return false };
    let mut graphs = vec![func.root];
    func.walk(func.root, &mut |_, n| graphs.extend(func[n].op.graphs()));
    let mut changed = false;
    for g in graphs {
        for (divisor, quotients) in divisors(func, g, &exact) {
            multiply(func, g, divisor, &quotients);
            changed = true;
        }
    }
    changed
}

/// By what a graph divides more than once in the adjoint.
fn divisors(func: &Func, g: Graph, exact: &ArenaMap<Node, ()>) -> Vec<(Value, Vec<Node>)> {
    let mut found: Vec<(Value, Vec<Node>)> = Vec::new();
    for &n in &func[g].nodes {
        let node = &func[n];
        let divides = matches!(&node.op, Op::Prim(prim) if *prim == &UNSCALE || *prim == &DIV);
        if !divides || exact.contains_idx(n) || !node.args.iter().all(|&a| is_plain_float(func.ty(a))) {
            continue;
        }
        match found.iter_mut().find(|(divisor, _)| *divisor == node.args[1]) {
            Some((_, quotients)) => quotients.push(n),
            None => found.push((node.args[1], vec![n])),
        }
    }
    found.retain(|(_, quotients)| quotients.len() > 1);
    found
}

fn multiply(func: &mut Func, g: Graph, divisor: Value, quotients: &[Node]) {
    let at = func[g].nodes.iter().position(|n| *n == quotients[0]).expect("the node is in its graph");
    let (ty, span) = (func.ty(divisor).clone(), func[quotients[0]].span);
    let reciprocal = func.value(ty, None, span);
    let node = func.node(Op::Prim(&RECIP), vec![divisor], vec![reciprocal], span);
    func[g].nodes.insert(at, node);
    for &n in quotients {
        let product = if matches!(&func[n].op, Op::Prim(prim) if *prim == &UNSCALE) { &SCALE } else { &MUL };
        func.nodes[n].op = Op::Prim(product);
        func.nodes[n].args[1] = reciprocal;
    }
}
