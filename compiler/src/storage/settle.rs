//! Reads what is written once: an element that nothing writes to after it was read is still there in the end.
//!
//! ```text
//! %a = for %i in 1..%n (%b = %zeros)             %a = for %i in 1..%n (%b = %zeros)
//!   %k = %i - 1                                    …
//!   %x = load %b [%k]
//!   %y = sin %x                             →
//!   %c = update %b [%i] = %y
//!   → %c
//! … for %i in rev 1..%n reverses                 … for %i in rev 1..%n reverses
//!   … %x …                                         %k = %i - 1
//!                                                  %x = load %a [%k]
//!                                                  … %x …
//! ```
//!
//! Then it need not be kept for its adjoint. A factor of Cholesky, the solution of a triangular system and the table of a
//! recurrence are such arrays. That the indices of the later writes are others is proved by [`super::differ`].

use super::Primal;
use super::decide;
use super::differ::{Polynomial, Range};
use crate::ir::{Const, Cost, Func, Graph, LoopKind, Node, NodeData, Op, Path, Step, Type, Value};
use crate::prims::arith::{ADD, MUL, SUB};
use la_arena::ArenaMap;
use std::collections::HashMap;

/// How many versions of an array are followed.
const MOST: usize = 256;

/// How values that the pullback needs, or that these follow from, are read from the last versions of arrays.
pub(super) fn find(func: &Func, primal: &Primal) -> ArenaMap<Value, NodeData> {
    let settle = Settle { func, primal };
    let (mut found, mut seen) = (ArenaMap::default(), ArenaMap::<Value, ()>::default());
    let mut open = decide::needs(func, primal);
    while let Some(v) = open.pop() {
        let nested = primal.owner.get(v).is_some_and(|g| *g != primal.root);
        let Some(&n) = primal.def.get(v).filter(|_| nested && func.ty(v).is_scalar()) else { continue };
        if seen.insert(v, ()).is_some() {
            continue;
        }
        // what is cheap follows from others that may be settled
        let dear = !decide::again(func, primal, v, Cost::Cheap);
        match settle.element(v).filter(|_| dear).and_then(|place| settle.load(v, place)) {
            Some(load) => {
                open.extend(&load.args[1..]);
                found.insert(v, load);
            }
            None => open.extend(&func[n].args),
        }
    }
    found
}

/// An element of an array.
struct Place {
    /// A version that has it.
    array: Value,
    index: Value,
    /// How it is read.
    load: NodeData,
}

/// Where another iteration of the loops around a write may have begun since a read.
#[derive(Clone, Copy)]
enum Since {
    /// In the graphs that are nested in this one.
    Inside(Graph),
    /// In this body of a loop, a later one, and in what is nested in it.
    Later(Graph),
}

struct Settle<'a> {
    func: &'a Func,
    primal: &'a Primal,
}

impl Settle<'_> {
    /// How a value is read from the last version of the array that it is an element of, if that has it still.
    fn load(&self, v: Value, place: Place) -> Option<NodeData> {
        let last = self.last(place.array, (place.index, self.primal.owner[v]))?;
        let mut load = place.load;
        load.args[0] = last;
        self.is_early(v, last).then_some(load)
    }

    /// Whether a version is there wherever the graph of a value is undone.
    fn is_early(&self, v: Value, last: Value) -> bool {
        let Primal { root, pullback, .. } = *self.primal;
        let owner = self.primal.owner[v];
        let undoes = |&n: &Node| self.func[n].op.graphs().iter().any(|&g| self.func[g].replays == Some(owner));
        let nodes = &self.func[pullback].nodes;
        let inner = |n: &Node| self.func[*n].op.graphs().iter().any(|&g| self.func.any(g, |m| undoes(&m)));
        let Some(first) = nodes.iter().position(|n| undoes(n) || inner(n)) else { return false };
        let defined = self.func[root].nodes.iter().position(|&n| self.func[n].outs.contains(&last));
        pullback != root || defined.is_none_or(|at| at < first)
    }

    /// The last version of an array, if no later one than this has been written to at the index.
    fn last(&self, mut at: Value, read: (Value, Graph)) -> Option<Value> {
        let mut g = *self.primal.owner.get(at)?;
        while g != self.primal.root {
            let (n, outer) = *self.primal.parent.get(g)?;
            let (k, first) = self.place(g, n, at)?;
            let end = self.func[g].results[k];
            self.differ(read, &self.writes(at, end, g)?, Since::Inside(g))?;
            if let Op::Loop(l) = &self.func[n].op {
                let param = self.func[g].params[l.kind.bindings() + k - first];
                if !self.follows(at, param) {
                    return None;
                }
                self.differ(read, &self.writes(param, end, g)?, Since::Later(g))?;
            }
            at = self.func[n].outs[k - first];
            self.before(at)?;
            g = outer;
        }
        for _ in 0..MOST {
            let outs = self.func[g].nodes.iter().flat_map(|&n| &self.func[n].outs);
            let mut next = outs.filter(|&&o| self.before(o) == Some(at));
            let Some(&then) = next.next() else { break };
            if next.next().is_some() {
                return None;
            }
            self.differ(read, &self.writes(at, then, g)?, Since::Inside(g))?;
            at = then;
        }
        let there = !self.primal.consumed.contains_idx(at)
            && !self.primal.given_back.contains(&at)
            && !self.func[g].results.contains(&at)
            && !self.func.any(g, |n| self.hands_over(n, at));
        there.then_some(at)
    }

    /// Whether a node may do something else with an array than read it.
    fn hands_over(&self, n: Node, array: Value) -> bool {
        let data = &self.func[n];
        data.args.contains(&array) && !matches!(data.op, Op::Load(_) | Op::Len | Op::ZeroLike)
    }

    /// Where a value is in an array: where it was read, or where it is written.
    fn element(&self, v: Value) -> Option<Place> {
        let def = &self.func[*self.primal.def.get(v)?];
        let place = match &def.op {
            Op::Load(_) => Place { array: def.args[0], index: def.args[1..].first().copied()?, load: def.clone() },
            _ => {
                let graph = &self.func[self.primal.owner[v]];
                let written = graph.nodes.iter().map(|&n| &self.func[n]).find(|data| {
                    matches!(&data.op, Op::Update(path) if path.0 == [Step::Index]) && data.args.last() == Some(&v)
                })?;
                let op = Op::Load(Path(vec![Step::Index]));
                let load = NodeData { op, args: written.args[..2].to_vec(), outs: vec![v], span: written.span };
                Place { array: written.outs[0], index: written.args[1], load }
            }
        };
        let Op::Load(path) = &place.load.op else { return None };
        (to_element(path) && matches!(self.func.ty(place.array), Type::Vec(_) | Type::Array(_))).then_some(place)
    }

    /// The only result of a graph that is a later version, and how many results precede those that a node has.
    fn place(&self, g: Graph, n: Node, at: Value) -> Option<(usize, usize)> {
        let first = match &self.func[n].op {
            Op::Loop(l) if l.body == g => usize::from(l.exits),
            Op::If { .. } | Op::IfLet { .. } => 0,
            _ => return None,
        };
        let results = self.func[g].results.iter().enumerate().skip(first);
        let mut places = results.filter(|(_, end)| self.follows(**end, at)).map(|(k, _)| k);
        let k = places.next()?;
        places.next().is_none().then_some((k, first))
    }

    /// Whether a value is a later version of an array in the same graph, or the same.
    fn follows(&self, mut end: Value, start: Value) -> bool {
        for _ in 0..MOST {
            if end == start {
                return true;
            }
            match self.before(end) {
                Some(v) => end = v,
                None => return false,
            }
        }
        false
    }

    /// The version of an array before one, if that follows from no other array.
    fn before(&self, v: Value) -> Option<Value> {
        let data = &self.func[*self.primal.def.get(v)?];
        match &data.op {
            Op::Update(path) => to_element(path).then_some(data.args[0]),
            Op::Loop(l) => {
                let k = data.outs.iter().position(|o| *o == v)?;
                let param = self.func[l.body].params[l.kind.bindings() + k];
                let end = self.func[l.body].results[usize::from(l.exits) + k];
                let init = data.args[l.kind.operands() + k];
                (self.func.ty(init) == self.func.ty(v) && self.follows(end, param)).then_some(init)
            }
            Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                let k = data.outs.iter().position(|o| *o == v)?;
                let start = self.entering(*then_, k)?;
                (self.entering(*else_, k) == Some(start)).then_some(start)
            }
            _ => None,
        }
    }

    /// The version that comes into an arm and that a result follows from.
    fn entering(&self, arm: Graph, k: usize) -> Option<Value> {
        let mut v = *self.func[arm].results.get(k)?;
        for _ in 0..MOST {
            if self.primal.owner.get(v) != Some(&arm) {
                return Some(v);
            }
            v = self.before(v)?;
        }
        None
    }

    /// The writes that make a version of a later one in the graph: their indices, and the graphs that they are in.
    fn writes(&self, start: Value, end: Value, g: Graph) -> Option<Vec<(Value, Graph)>> {
        let mut found = Vec::new();
        self.collect(start, end, g, &mut found)?;
        Some(found)
    }

    fn collect(&self, start: Value, mut end: Value, g: Graph, found: &mut Vec<(Value, Graph)>) -> Option<()> {
        for _ in 0..MOST {
            if end == start {
                return Some(());
            }
            let data = &self.func[*self.primal.def.get(end)?];
            match &data.op {
                Op::Update(_) => found.push((data.args[1], g)),
                Op::Loop(l) => {
                    let k = data.outs.iter().position(|o| *o == end)?;
                    let param = self.func[l.body].params[l.kind.bindings() + k];
                    self.collect(param, self.func[l.body].results[usize::from(l.exits) + k], l.body, found)?;
                }
                Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                    let k = data.outs.iter().position(|o| *o == end)?;
                    for arm in [*then_, *else_] {
                        self.collect(self.entering(arm, k)?, self.func[arm].results[k], arm, found)?;
                    }
                }
                _ => return None,
            }
            end = self.before(end)?;
        }
        None
    }

    /// Whether all writes are at other indices than a read.
    fn differ(&self, read: (Value, Graph), writes: &[(Value, Graph)], since: Since) -> Option<()> {
        let own = self.number(read.0, None)?;
        for &(index, g) in writes {
            let written = self.number(index, Some(since))?;
            let mut ranges: HashMap<_, (usize, Range)> = HashMap::new();
            self.ranges(read.1, None, &mut ranges);
            self.ranges(g, Some(since), &mut ranges);
            let mut ranges: Vec<(usize, Range)> = ranges.into_values().collect();
            // the innermost first; that of a later iteration before the earlier one that it is compared with
            ranges.sort_by_key(|(depth, range)| (std::cmp::Reverse(*depth), !range.index.1, range.index.0));
            let ranges: Vec<Range> = ranges.into_iter().map(|(_, range)| range).collect();
            if !written.minus(&own).is_positive(&ranges) && !own.minus(&written).is_positive(&ranges) {
                return None;
            }
        }
        Some(())
    }

    /// What is known of the indices of the loops around a graph, with their depth.
    fn ranges(&self, mut g: Graph, since: Option<Since>, all: &mut HashMap<(u32, bool), (usize, Range)>) {
        while let Some(&(n, outer)) = self.primal.parent.get(g) {
            if let Some(range) = self.range(g, n, since) {
                all.insert(range.index, (self.primal.depth(g), range));
            }
            g = outer;
        }
    }

    fn range(&self, g: Graph, n: Node, since: Option<Since>) -> Option<Range> {
        let Op::Loop(l) = &self.func[n].op else { return None };
        let LoopKind::For { inclusive, reversed } = l.kind else { return None };
        let own = *self.func[g].params.first()?;
        if *self.func.ty(own) != Type::USIZE {
            return None;
        }
        let one = Polynomial::constant(1);
        let mut lo = self.number(self.func[n].args[0], since)?;
        let mut hi = self.number(self.func[n].args[1], since)?;
        if !inclusive {
            hi = hi.minus(&one);
        }
        if matches!(since, Some(Since::Later(body)) if body == g) {
            let earlier = Polynomial::symbol((key(own), false));
            if reversed {
                hi = earlier.minus(&one);
            } else {
                lo = earlier.plus(&one);
            }
        }
        Some(Range { index: (key(own), self.is_another(own, since)), lo, hi })
    }

    /// A number as a polynomial; `None` if it is of another type.
    fn number(&self, v: Value, since: Option<Since>) -> Option<Polynomial> {
        self.number_at(v, since, 0)
    }

    fn number_at(&self, v: Value, since: Option<Since>, depth: usize) -> Option<Polynomial> {
        if *self.func.ty(v) != Type::USIZE {
            return None;
        }
        let symbol = Polynomial::symbol((key(v), self.is_another(v, since)));
        let Some(&n) = self.primal.def.get(v) else { return Some(symbol) };
        let data = &self.func[n];
        let arg = |k: usize| self.number_at(data.args[k], since, depth + 1);
        match &data.op {
            Op::Const(Const::Int(digits)) => {
                digits.parse().ok().filter(|&c: &i128| c < 1 << 40).map(Polynomial::constant)
            }
            Op::Prim(p) if depth < 32 && *p == &ADD => Some(arg(0)?.plus(&arg(1)?)),
            Op::Prim(p) if depth < 32 && *p == &SUB => Some(arg(0)?.minus(&arg(1)?)),
            Op::Prim(p) if depth < 32 && *p == &MUL => arg(0)?.times(&arg(1)?),
            _ => Some(symbol),
        }
    }

    /// Whether a value is that of an iteration which need not be the one of the read.
    fn is_another(&self, v: Value, since: Option<Since>) -> bool {
        let Some(&owner) = self.primal.owner.get(v) else { return false };
        let (body, own) = match since {
            None => return false,
            Some(Since::Inside(g)) => (g, false),
            Some(Since::Later(g)) => (g, true),
        };
        let mut at = self.primal.parent.get(owner).map(|(_, outer)| *outer);
        while let Some(g) = at {
            if g == body {
                return true;
            }
            at = self.primal.parent.get(g).map(|(_, outer)| *outer);
        }
        own && owner == body
    }
}

/// Whether a path leads to one element, or into it.
fn to_element(path: &Path) -> bool {
    path.0.first() == Some(&Step::Index) && path.view().is_none()
}

fn key(v: Value) -> u32 {
    v.into_raw().into_u32()
}
