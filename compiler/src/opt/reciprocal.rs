//! Quotients of the adjoint by the same number are products with its reciprocal.
//!
//! ```text
//!                               %f = 1.0, or 2⁵⁴ if |%s| is tiny
//! %a = unscale(%g, %s)          %r = recip(%s * %f)
//! %b = unscale(%h, %s)     →    %a = scale(%g, %r) * %f
//!                               %b = scale(%h, %r) * %f
//! ```
//!
//! A division takes several times as long as a product. What is divided is often what the iteration before has given, and the
//! reciprocal of a number of the primal need not wait for that. Only the rounding of the adjoint changes. A number so small
//! that its reciprocal is not finite is made larger first, as the quotient by it can be finite.

use super::lanes::is_plain_float;
use crate::ir::{Builder, Float, Func, Graph, Node, NodeData, Op, Type, Value};
use crate::prims::arith::{MUL, RECIP, SCALE, UNSCALE};
use crate::prims::compare::{LT, SELECT};
use crate::prims::round::ABS;
use la_arena::ArenaMap;

/// The power of two by which a number is multiplied that is too small for a reciprocal.
const LARGE: f64 = 18_014_398_509_481_984.0;

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
        let divides = matches!(&node.op, Op::Prim(prim) if *prim == &UNSCALE);
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

/// Below this the reciprocal of a number may be not finite.
fn least(ty: &Type) -> f64 {
    if matches!(ty, Type::Float(Float::F32)) { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE }
}

fn multiply(func: &mut Func, g: Graph, divisor: Value, quotients: &[Node]) {
    let at = func[g].nodes.iter().position(|n| *n == quotients[0]).expect("the node is in its graph");
    let after = func[g].nodes.split_off(at);
    let (ty, span) = (func.ty(divisor).clone(), func[quotients[0]].span);
    let mut b = Builder::new(func, g, span);
    let [least, large, one] = [least(&ty), LARGE, 1.0].map(|x| b.float_like(x, divisor));
    let size = b.prim(&ABS, &[divisor]);
    let tiny = b.prim(&LT, &[size, least]);
    let factor = b.prim(&SELECT, &[tiny, large, one]);
    let larger = b.prim(&MUL, &[divisor, factor]);
    let reciprocal = b.prim(&RECIP, &[larger]);
    for n in after {
        if quotients.contains(&n) {
            let NodeData { args, outs, .. } = func[n].clone();
            let product = Builder::new(func, g, span).prim(&SCALE, &[args[0], reciprocal]);
            func.nodes[n] = NodeData { op: Op::Prim(&MUL), args: vec![product, factor], outs, span };
        }
        func[g].nodes.push(n);
    }
}
