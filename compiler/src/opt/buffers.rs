//! Buffers that a loop makes anew in each iteration, and that nothing in them outlives, are made once.
//!
//! ```text
//! for %k in 0..%n                          %b = vec_empty()
//!   %b = vec_empty()                       for %k in 0..%n (%b.1 = %b)
//!   %b.1 = lengthen(%b, 0.0, %m)     →       %b.2 = lengthen(%b.1, 0.0, %m)
//!   … a loop fills the slots, one reads      … a loop fills the slots, one reads
//!   → …                                      → …, %b.3
//! ```
//!
//! These are the slots of an inner loop that is undone within the iteration of an outer one. Every slot is written before
//! it is read, so it does not matter what the iteration before has left in it.

use crate::ir::{Func, Graph, LoopKind, Node, Op, Type, Value};
use std::collections::HashMap;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut changed = false;
    while let Some((around, n, buffer)) = find(func) {
        hoist(func, around, n, &buffer);
        changed = true;
    }
    changed
}

/// A buffer in the body of a loop.
struct Buffer {
    made: Node,
    /// As it is at the end of the iteration.
    last: Value,
}

/// What uses a value.
#[derive(Clone, Copy)]
enum Use {
    Arg(Node, usize),
    /// It is given by a graph.
    Result,
}

type Uses = HashMap<Value, Vec<Use>>;

fn find(func: &Func) -> Option<(Graph, Node, Buffer)> {
    let mut loops = Vec::new();
    let mut candidate = false;
    func.walk(func.root, &mut |g, n| match &func[n].op {
        Op::Loop(l) => loops.push((g, n, l.body)),
        Op::VecEmpty => candidate = true,
        _ => {}
    });
    if !candidate {
        return None;
    }
    let uses = uses(func);
    loops.into_iter().find_map(|(around, n, body)| {
        let empty = |m: &&Node| matches!(func[**m].op, Op::VecEmpty) && func[**m].args.is_empty();
        let made = func[body].nodes.iter().filter(empty).find_map(|&made| {
            let start = func[made].outs[0];
            let last = versions(func, &uses, start)?;
            let scalars = matches!(func.ty(last), Type::Vec(slot) if is_plain(slot));
            let given = uses.get(&last).is_some_and(|uses| uses.iter().any(|u| matches!(u, Use::Result)));
            (last != start && scalars && !given).then_some(Buffer { made, last })
        })?;
        Some((around, n, made))
    })
}

fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Tuple(parts) => parts.iter().all(is_plain),
        ty => ty.is_scalar(),
    }
}

fn uses(func: &Func) -> Uses {
    let mut uses = Uses::new();
    let results = |g: Graph, uses: &mut Uses| {
        for &v in &func[g].results {
            uses.entry(v).or_default().push(Use::Result);
        }
    };
    results(func.root, &mut uses);
    func.walk(func.root, &mut |_, n| {
        for (k, &v) in func[n].args.iter().enumerate() {
            uses.entry(v).or_default().push(Use::Arg(n, k));
        }
        func[n].op.graphs().into_iter().for_each(|g| results(g, &mut uses));
    });
    uses
}

/// The last version of a buffer in its graph, if all that is done with it is that it is lengthened, slots are written,
/// also by loops, and read.
fn versions(func: &Func, uses: &Uses, start: Value) -> Option<Value> {
    let mut last = start;
    loop {
        let mut next = None;
        for &u in uses.get(&last).into_iter().flatten() {
            let Use::Arg(n, k) = u else { continue };
            let version = match &func[n].op {
                Op::Load(_) if k == 0 => continue,
                Op::Lengthen | Op::Update(_) if k == 0 => func[n].outs[0],
                Op::Loop(l) => {
                    let k = k.checked_sub(l.kind.operands())?;
                    let body = &func[l.body];
                    let inside = versions(func, uses, body.params[l.kind.bindings() + k])?;
                    let given = |u: &Use| matches!(u, Use::Result);
                    let count = uses.get(&inside).map_or(0, |uses| uses.iter().filter(|u| given(u)).count());
                    let tested = if let LoopKind::While { cond } = l.kind { Some(func[cond].params[k]) } else { None };
                    if body.results[usize::from(l.exits) + k] != inside
                        || count != 1
                        || tested.is_some_and(|v| uses.contains_key(&v))
                    {
                        return None;
                    }
                    func[n].outs[k]
                }
                _ => return None,
            };
            if next.replace(version).is_some() {
                return None;
            }
        }
        match next {
            Some(version) => last = version,
            None => return Some(last),
        }
    }
}

fn hoist(func: &mut Func, around: Graph, n: Node, buffer: &Buffer) {
    let Op::Loop(l) = func[n].op.clone() else { return };
    let own = func[buffer.made].outs[0];
    let outside = func.value_like(own);
    let out = func.value_like(buffer.last);
    func[buffer.made].outs[0] = outside;
    func[l.body].nodes.retain(|&m| m != buffer.made);
    let at = func[around].nodes.iter().position(|&m| m == n).expect("the loop is in its graph");
    func[around].nodes.insert(at, buffer.made);
    func[l.body].params.push(own);
    func[l.body].results.push(buffer.last);
    if let LoopKind::While { cond } = l.kind {
        let tested = func.value_like(own);
        func[cond].params.push(tested);
    }
    func[n].args.push(outside);
    func[n].outs.push(out);
}
