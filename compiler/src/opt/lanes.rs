//! Numbers that are added up in lanes: each of several iterations in turn has a sum of its own.

use super::block::BLOCK;
use crate::ir::{Builder, Const, Float, Func, Graph, Loop, LoopKind, Node, Op, Path, Step, Type, Value};
use crate::prims::arith::{ADD, SUB};
use la_arena::ArenaMap;
use proc_macro2::Span;

/// A float that arrays of several can hold.
pub(super) fn is_plain_float(ty: &Type) -> bool {
    matches!(ty, Type::Float(Float::F64 | Float::F32))
}

/// The type of the lanes of a number.
pub(super) fn array(func: &Func, number: Value) -> Type {
    Type::Array(Box::new(func.ty(number).clone()))
}

/// Lanes in which there is nothing yet.
pub(super) fn zeros(b: &mut Builder<'_>, like: Value) -> Value {
    let (ty, array) = (b.func.ty(like).clone(), array(b.func, like));
    let zero = b.push(Op::Const(Const::Float(0.0, "0.0".to_owned())), vec![], ty);
    let len = proc_macro2::Literal::usize_unsuffixed(BLOCK);
    b.push(Op::Repeat(quote::quote!(#len)), vec![zero], array)
}

/// Adds lanes to numbers; gives the loop's results.
pub(super) fn totals(func: &mut Func, graph: Graph, span: Span, sums: &[(Value, Value)]) -> Vec<Value> {
    let body = func.graph();
    let lane = func.value(Type::USIZE, None, span);
    func[body].params.push(lane);
    let (mut inits, mut totals) = (Vec::new(), Vec::new());
    for &(number, lanes) in sums {
        let p = func.value_like(number);
        func[body].params.push(p);
        let mut b = Builder::new(func, body, span);
        let part = b.load(lanes, &Path(vec![Step::Index]), &[lane]);
        let sum = b.prim(&ADD, &[p, part]);
        func[body].results.push(sum);
        inits.push(number);
        totals.push(func.value_like(number));
    }
    let mut b = Builder::new(func, graph, span);
    let args = [vec![b.int(0), b.int(BLOCK)], inits].concat();
    let kind = LoopKind::For { inclusive: false, reversed: false };
    let op = Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None }));
    let node = func.node(op, args, totals.clone(), span);
    func[graph].nodes.push(node);
    totals
}

/// The node that adds to a carried number of a body, if that is all that happens to it and it belongs to the adjoint.
pub(super) fn sum(func: &Func, body: Graph, k: usize, exact: &ArenaMap<Node, ()>) -> Option<Node> {
    let (body, p, result) = (&func[body], func[body].params[1 + k], func[body].results[k]);
    let uses = |v: Value| {
        let args = body.nodes.iter().flat_map(|&n| &func[n].args);
        args.chain(&body.results).filter(|&&a| a == v).count()
    };
    let n = body.nodes.iter().copied().find(|&n| func[n].outs[..] == [result])?;
    let node = &func[n];
    let adds = match &node.op {
        Op::Prim(prim) if *prim == &ADD => node.args.contains(&p),
        Op::Prim(prim) if *prim == &SUB => node.args[0] == p,
        _ => false,
    };
    let apart = uses(p) == 1 && uses(result) == 1 && !exact.contains_idx(n);
    (adds && apart && is_plain_float(func.ty(p))).then_some(n)
}
