//! Which values are kept, and which are computed again.

use super::Primal;
use crate::ir::{Cost, Func, Graph, LoopKind, Node, Op, Type, Value};
use la_arena::ArenaMap;

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
        if !cheap(func, primal, v) && !free(func, primal, v) {
            d.keep(primal, v);
        }
    }
    for &v in &needed {
        if d.is_kept(v) || free(func, primal, v) {
            continue;
        }
        let mut leaves = Vec::new();
        let depth = primal.depth(primal.owner[v]);
        if !leaves_of(func, primal, &d, v, &mut leaves, 0) {
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
fn needs(func: &Func, primal: &Primal) -> Vec<Value> {
    let mut found = ArenaMap::<Value, ()>::default();
    let mut list = Vec::new();
    let mut visit = |v: Value| {
        if primal.owner.get(v).is_some_and(|g| *g != primal.root) && found.insert(v, ()).is_none() {
            list.push(v);
        }
    };
    func[primal.pullback].results.iter().for_each(|&v| visit(v));
    func.walk(primal.pullback, &mut |_, n: Node| {
        func[n].args.iter().for_each(|&v| visit(v));
        for g in func[n].op.graphs() {
            func[g].results.iter().for_each(|&v| visit(v));
        }
    });
    list.sort_by_key(|v| v.into_raw().into_u32());
    list
}

/// Whether a value is there without being kept: the index of a range loop.
fn free(func: &Func, primal: &Primal, v: Value) -> bool {
    let Some((n, _)) = primal.parent.get(primal.owner[v]) else { return false };
    matches!(&func[*n].op, Op::Loop(l) if matches!(l.kind, LoopKind::For { .. }) && func[l.body].params[0] == v)
}

/// Whether the operation that defines a value may be done again.
fn cheap(func: &Func, primal: &Primal, v: Value) -> bool {
    let Some(n) = primal.def.get(v) else { return false };
    let data = &func[*n];
    match &data.op {
        Op::Const(_) => true,
        Op::Prim(p) => p.cost == Cost::Cheap && func.ty(v).is_scalar(),
        Op::Cast(_) => func.ty(v).is_scalar() && func.ty(data.args[0]).is_scalar(),
        Op::Verbatim(code) => code.pure_ && (code.uses.is_empty() || func.ty(v).is_scalar()),
        Op::Load(_) => func.ty(v).is_scalar() && stable(func, primal, data.args[0]),
        Op::Len => stable(func, primal, data.args[0]),
        Op::Nth { .. } | Op::Offset | Op::Steps { .. } | Op::NthStep => true,
        _ => false,
    }
}

/// Whether an aggregate is still there, unchanged, when the pullback runs.
fn stable(func: &Func, primal: &Primal, v: Value) -> bool {
    if primal.owner.get(v) != Some(&primal.root) || primal.consumed.contains_idx(v) {
        return false;
    }
    // a parameter by mutable reference is given back to the caller
    match func[func.root].params.iter().position(|p| *p == v) {
        Some(k) => func.modes.get(k) != Some(&crate::ir::ParamMode::RefMut),
        None => !matches!(func.ty(v), Type::Slice(_)),
    }
}

/// What must be kept so that `v` can be computed again; `false` if it cannot be.
fn leaves_of(func: &Func, primal: &Primal, d: &Decisions, v: Value, leaves: &mut Vec<Value>, depth: usize) -> bool {
    if primal.owner.get(v).is_none_or(|g| *g == primal.root) || d.is_kept(v) || free(func, primal, v) {
        return true;
    }
    if leaves.contains(&v) {
        return true;
    }
    if depth > 200 {
        return false;
    }
    if !cheap(func, primal, v) {
        // pullbacks and aggregates are not kept for the sake of something cheap
        if !func.ty(v).is_scalar() {
            return false;
        }
        leaves.push(v);
        return leaves.len() <= 4;
    }
    let n = primal.def[v];
    func[n].args.iter().all(|&a| leaves_of(func, primal, d, a, leaves, depth + 1))
}
