//! A `Result` that a branch or a loop leaves becomes two values: the option of its value and that of its error.
//!
//! ```text
//! %r = if %c { → %a } else { → %b }        %v, %e = if %c { %a.0, %a.1 } else { %b.0, %b.1 }
//!                                     →    %r = (%v, %e)
//! ```
//!
//! The error is moved, so nothing but the error itself may hold it. After this the tuples are taken apart where they are made.

use crate::ir::{Builder, Func, Graph, LoopKind, Node, Op, Path, Step, Type, Value};

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let found = func.values.iter().any(|(_, data)| data.ty.is_outcome());
    found && graph(func, func.root)
}

fn graph(func: &mut Func, g: Graph) -> bool {
    let mut changed = false;
    let nodes = std::mem::take(&mut func.graphs[g].nodes);
    for n in nodes {
        for nested in func[n].op.graphs() {
            changed |= graph(func, nested);
        }
        let outs = match func[n].op {
            Op::If { .. } | Op::IfLet { .. } | Op::Loop(_) => func[n].outs.len(),
            _ => 0,
        };
        let mut wholes = Vec::new();
        for k in (0..outs).rev().filter(|&k| func.ty(func[n].outs[k]).is_outcome()).collect::<Vec<_>>() {
            wholes.push((k, func[n].outs[k]));
        }
        let inits: Vec<_> = wholes.iter().map(|&(k, _)| split_init(func, g, n, k)).collect();
        func.graphs[g].nodes.push(n);
        for (&(k, whole), init) in wholes.iter().zip(inits) {
            let parts = split(func, n, k, init);
            let span = func[n].span;
            let tuple = func.node(Op::Tuple, parts.into(), vec![whole], span);
            func.graphs[g].nodes.push(tuple);
            changed = true;
        }
    }
    changed
}

/// The two parts of what a loop carries at its beginning.
fn split_init(func: &mut Func, g: Graph, n: Node, k: usize) -> Option<[Value; 2]> {
    let Op::Loop(l) = &func[n].op else { return None };
    let init = func[n].args[l.kind.operands() + k];
    Some(parts_of(func, g, init))
}

fn parts_of(func: &mut Func, g: Graph, v: Value) -> [Value; 2] {
    let span = func[v].span;
    let types = types(func, v);
    let mut k = 0;
    types.map(|ty| {
        let path = Path(vec![Step::Field(k.to_string())]);
        k += 1;
        Builder::new(func, g, span).push(Op::Load(path), vec![v], ty)
    })
}

fn types(func: &Func, v: Value) -> [Type; 2] {
    match func.ty(v) {
        Type::Tuple(of) => [of[0].clone(), of[1].clone()],
        ty => unreachable!("{ty} is no pair"),
    }
}

/// Two values in the place of the `k`-th that a node leaves.
fn split(func: &mut Func, n: Node, k: usize, init: Option<[Value; 2]>) -> [Value; 2] {
    let whole = func[n].outs[k];
    let (name, span) = (func[whole].name.clone(), func[whole].span);
    let fresh = |func: &mut Func| {
        let types = types(func, whole);
        types.map(|ty| func.value(ty, name.clone(), span))
    };
    let outs = fresh(func);
    func.nodes[n].outs.splice(k..=k, outs);
    let op = func[n].op.clone();
    let mut bodies = op.graphs();
    let mut first = k;
    if let Op::Loop(l) = &op {
        let init = init.expect("a loop begins with something");
        let at = l.kind.operands() + k;
        func.nodes[n].args.splice(at..=at, init);
        for g in op.graphs() {
            let of_body = g == l.body;
            let at = if of_body { l.kind.bindings() + k } else { k };
            let param = func[g].params[at];
            let parts = fresh(func);
            func.graphs[g].params.splice(at..=at, parts);
            let tuple = func.node(Op::Tuple, parts.into(), vec![param], span);
            func.graphs[g].nodes.insert(0, tuple);
        }
        if let LoopKind::While { cond } = l.kind {
            bodies.retain(|&g| g != cond);
        }
        first += usize::from(l.exits);
    }
    for g in bodies {
        let r = func[g].results[first];
        let parts = parts_of(func, g, r);
        func.graphs[g].results.splice(first..=first, parts);
    }
    outs
}
