//! Integers whose type is not visible: those that do nothing but count iterations may be taken for `usize`.
//!
//! What such an integer is to the user's code, only the compiler of Rust infers: `for i in 0..4 { g(i - 2) }` has an `i32`,
//! or what `g` takes. Generated code that indexes with it must not make it a `usize`.

use crate::ir::{Func, LoopKind, Node, Op, Type, Value};
use la_arena::ArenaMap;

/// The integers of unknown types that are used for more than counting.
pub(super) fn used_otherwise(func: &Func) -> ArenaMap<Value, ()> {
    let open = |v: Value| matches!(func.ty(v), Type::Int(None));
    let (mut otherwise, mut alike) = (ArenaMap::default(), Vec::new());
    let mut nodes: Vec<Node> = Vec::new();
    let mut graphs = vec![func.root];
    while let Some(g) = graphs.pop() {
        for &v in func[g].results.iter().filter(|&&v| open(v)) {
            otherwise.insert(v, ());
        }
        nodes.extend(&func[g].nodes);
        graphs.extend(func[g].nodes.iter().flat_map(|&n| func[n].op.graphs()));
    }
    for n in nodes {
        let node = &func[n];
        for (k, &v) in node.args.iter().enumerate().filter(|&(_, &v)| open(v)) {
            if !counts(&node.op, k) {
                otherwise.insert(v, ());
            }
        }
        match &node.op {
            Op::Loop(l) if matches!(l.kind, LoopKind::For { .. }) => {
                alike.push(vec![node.args[0], node.args[1], func[l.body].params[0]]);
            }
            Op::Nth { .. } | Op::NthStep => alike.push(vec![node.args[0], node.outs[0]]),
            Op::Steps { .. } | Op::Offset => alike.push(node.args[..2].to_vec()),
            _ => {}
        }
    }
    // bounds are of the type of what goes from one to the other
    loop {
        let before = otherwise.iter().count();
        for values in &alike {
            if values.iter().any(|&v| otherwise.contains_idx(v)) {
                for &v in values.iter().filter(|&&v| open(v)) {
                    otherwise.insert(v, ());
                }
            }
        }
        if otherwise.iter().count() == before {
            return otherwise;
        }
    }
}

/// Whether the `k`-th operand of an operation is nothing but counted with, whatever its type.
fn counts(op: &Op, k: usize) -> bool {
    match op {
        Op::Nth { .. } | Op::NthStep | Op::Steps { .. } | Op::Offset | Op::Cast(_) => true,
        Op::Loop(l) => matches!(l.kind, LoopKind::For { .. }) && k < 2,
        _ => false,
    }
}
