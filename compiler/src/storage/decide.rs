//! Which values are kept, and which are computed again.

use super::Primal;
use crate::ir::{Cost, Func, Graph, LoopKind, Node, Op, Type, Value};
use crate::opt::fuse::is_reverse;
use la_arena::ArenaMap;

/// How long a chain of operations may be that is done again.
const DEEPEST: usize = 200;

/// The decision for each value of a nested primal graph that the pullback needs.
pub(super) struct Decisions {
    /// Values that are kept, per graph that defines them, in the order of their definition.
    pub(super) kept: ArenaMap<Graph, Vec<Value>>,
    is_kept: ArenaMap<Value, ()>,
}

impl Decisions {
    pub(super) fn is_kept(&self, v: Value) -> bool {
        self.is_kept.contains_idx(v)
    }

    fn keep(&mut self, primal: &Primal, v: Value) {
        if self.is_kept.insert(v, ()).is_none() {
            let g = primal.owner[v];
            match self.kept.get_mut(g) {
                Some(list) => list.push(v),
                None => {
                    self.kept.insert(g, vec![v]);
                }
            }
        }
    }
}

/// Decides.
pub(super) fn decide(func: &Func, primal: &Primal) -> Decisions {
    let mut d = Decisions { kept: ArenaMap::default(), is_kept: ArenaMap::default() };
    let needed = needs(func, primal);
    // what cannot be computed again first: it is there for the rest
    for &v in &needed {
        if !again(func, primal, v, Cost::Division) && !free(func, primal, v) {
            d.keep(primal, v);
        }
    }
    // a quotient is computed again if that needs nothing that is kept for its sake alone
    for &v in &needed {
        if !cheap(func, primal, v) && !free(func, primal, v) && !follows(func, primal, &d, v, &mut Seen::default(), 0) {
            d.keep(primal, v);
        }
    }
    for &v in &needed {
        if d.is_kept(v) || free(func, primal, v) {
            continue;
        }
        let mut leaves = Vec::new();
        let depth = primal.depth(primal.owner[v]);
        if !leaves_of(func, primal, &d, v, &mut leaves, &mut Seen::default(), 0) {
            d.keep(primal, v);
            continue;
        }
        // leaves of enclosing graphs are kept once for many uses of `v`
        let own = leaves.iter().filter(|l| primal.depth(primal.owner[**l]) >= depth).count();
        let limit = if *func.ty(v) == Type::Bool { 0 } else { 1 };
        if own > limit || (own == limit && limit == 1 && !func.ty(leaves[0]).is_scalar()) {
            d.keep(primal, v);
        } else {
            for l in leaves {
                d.keep(primal, l);
            }
        }
    }
    d
}

/// The values of nested primal graphs that the pullback uses, in the order of their definition.
pub(super) fn needs(func: &Func, primal: &Primal) -> Vec<Value> {
    let mut found = ArenaMap::<Value, ()>::default();
    let mut list = Vec::new();
    let mut visit = |v: Value| {
        if primal.owner.get(v).is_some_and(|g| *g != primal.root) && found.insert(v, ()).is_none() {
            list.push(v);
        }
    };
    func[primal.pullback].results.iter().for_each(|&v| visit(v));
    // what the primal itself uses is there where it uses it
    let both = primal.pullback == primal.root;
    let nodes = func[primal.pullback].nodes.iter().filter(|&&n| !both || is_reverse(func, n));
    let mut undo = |n: Node| {
        func[n].args.iter().for_each(|&v| visit(v));
        if let Op::Loop(l) = &func[n].op
            && let Some(replayed) = l.replays
            && let Op::Loop(primal_loop) = &func[replayed].op
            && primal_loop.exits
            && let LoopKind::For { reversed, .. } = primal_loop.kind
        {
            // the index follows from where the loop began
            visit(func[replayed].args[usize::from(reversed)]);
        }
        for g in func[n].op.graphs() {
            func[g].results.iter().for_each(|&v| visit(v));
        }
    };
    for &n in nodes {
        undo(n);
        func[n].op.graphs().into_iter().for_each(|g| func.walk(g, &mut |_, n| undo(n)));
    }
    list.sort_by_key(|v| v.into_raw().into_u32());
    list
}

/// Whether a value is there without being kept: the index of a range loop.
fn free(func: &Func, primal: &Primal, v: Value) -> bool {
    let Some((n, _)) = primal.parent.get(primal.owner[v]) else { return false };
    matches!(&func[*n].op, Op::Loop(l) if matches!(l.kind, LoopKind::For { .. }) && func[l.body].params[0] == v)
}

/// Whether the operation that defines a value may be done again although something has to be kept for that.
fn cheap(func: &Func, primal: &Primal, v: Value) -> bool {
    again(func, primal, v, Cost::Cheap)
}

/// Whether the operation that defines a value may be done again, if it costs no more than `limit`.
pub(super) fn again(func: &Func, primal: &Primal, v: Value, limit: Cost) -> bool {
    let Some(n) = primal.def.get(v) else { return false };
    if primal.settled.contains_idx(v) {
        return true;
    }
    let data = &func[*n];
    match &data.op {
        Op::Const(_) => true,
        Op::Prim(p) => p.cost <= limit && func.ty(v).is_scalar(),
        Op::Cast(_) => func.ty(v).is_scalar() && func.ty(data.args[0]).is_scalar(),
        Op::Verbatim(code) => code.pure_ && (code.uses.is_empty() || func.ty(v).is_scalar()),
        // a view of what is still there is one again, and a copy of it need not be kept
        Op::Load(path) if path.view().is_some_and(|view| view.method.lends()) => stable(func, primal, data.args[0]),
        Op::Load(_) => {
            func.ty(v).is_scalar() && (stable(func, primal, data.args[0]) || is_item(func, primal, data.args[0]))
        }
        Op::Len => stable(func, primal, data.args[0]),
        Op::Nth { .. } | Op::Offset | Op::Steps { .. } | Op::NthStep => true,
        _ => false,
    }
}

/// Whether a value is that of a `const` or a `static`, which is there everywhere.
fn is_item(func: &Func, primal: &Primal, v: Value) -> bool {
    let def = primal.def.get(v).map(|&n| &func[n].op);
    matches!(def, Some(Op::Verbatim(code)) if code.pure_ && code.uses.is_empty()) && !primal.consumed.contains_idx(v)
}

/// Whether an aggregate is still there, unchanged, when the pullback runs.
fn stable(func: &Func, primal: &Primal, v: Value) -> bool {
    if primal.owner.get(v).is_some_and(|g| *g != primal.root) || primal.consumed.contains_idx(v) {
        return false;
    }
    // a parameter by mutable reference is given back to the caller
    if func[func.root].params.contains(&v) {
        !primal.given_back.contains(&v)
    } else {
        !matches!(func.ty(v), Type::Slice(_))
    }
}

/// Values that have been looked at.
type Seen = ArenaMap<Value, ()>;

/// Whether a value can be computed from what is there, with divisions.
fn follows(func: &Func, primal: &Primal, d: &Decisions, v: Value, seen: &mut Seen, depth: usize) -> bool {
    if seen.contains_idx(v) || is_there(func, primal, d, v) {
        return true;
    }
    if depth > DEEPEST || !again(func, primal, v, Cost::Division) {
        return false;
    }
    let follows = primal.operands(func, v).iter().all(|&a| follows(func, primal, d, a, seen, depth + 1));
    if follows {
        seen.insert(v, ());
    }
    follows
}

/// Whether a value is there, in the pullback, as it is.
fn is_there(func: &Func, primal: &Primal, d: &Decisions, v: Value) -> bool {
    primal.owner.get(v).is_none_or(|g| *g == primal.root) || d.is_kept(v) || free(func, primal, v)
}

/// What must be kept so that `v` can be computed again; `false` if it cannot be.
fn leaves_of(
    func: &Func,
    primal: &Primal,
    d: &Decisions,
    v: Value,
    leaves: &mut Vec<Value>,
    seen: &mut Seen,
    depth: usize,
) -> bool {
    if seen.contains_idx(v) || is_there(func, primal, d, v) {
        return true;
    }
    if depth > DEEPEST {
        return false;
    }
    if !cheap(func, primal, v) && !follows(func, primal, d, v, &mut Seen::default(), depth) {
        // pullbacks and aggregates are not kept for the sake of something cheap
        if !func.ty(v).is_scalar() {
            return false;
        }
        seen.insert(v, ());
        leaves.push(v);
        return leaves.len() <= 4;
    }
    let all = primal.operands(func, v).iter().all(|&a| leaves_of(func, primal, d, a, leaves, seen, depth + 1));
    if all {
        seen.insert(v, ());
    }
    all
}
