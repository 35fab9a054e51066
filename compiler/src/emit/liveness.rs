//! When a value is used for the last time, in a program with nested graphs.
//!
//! A use in a nested graph is a use at the node that holds the graph, at every level up to the graph that defines the
//! value. What is after a node in an arm goes on after the branch; a loop body runs again and a closure may be called
//! again, so nothing that is defined outside of them and used inside is ever dead inside.
//!
//! Positions in a graph: 0 is before its first node, `i + 1` is node `i`, and the results come after all nodes.

use crate::ir::{Func, Graph, Op, Value};
use la_arena::ArenaMap;
use std::collections::HashMap;

/// How a graph is nested in its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nesting {
    /// Runs at most once each time that the node is reached.
    Once,
    /// Runs any number of times.
    Repeatedly,
    /// Runs any number of times, after the graph around it has ended.
    Closure,
}

#[derive(Clone, Copy)]
struct Parent {
    graph: Graph,
    index: usize,
    nesting: Nesting,
    /// The other graph of the node, if there is one.
    sibling: Option<Graph>,
}

/// The last node of a graph that uses a value, and how often it does.
#[derive(Clone, Copy)]
struct Last {
    index: usize,
    count: usize,
}

/// The uses of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    /// How many there are.
    pub(super) count: usize,
    /// The graph of the first one.
    pub(super) graph: Option<Graph>,
    /// Whether one is in a closure around which the value is defined.
    pub(super) captured: bool,
    /// Whether one is in a loop around which the value is defined.
    pub(super) repeated: bool,
    /// Whether one is by name, in code that is kept as it is written.
    pub(super) by_name: bool,
}

/// Uses and last uses of all values of a function.
pub(super) struct Liveness {
    owners: ArenaMap<Value, Graph>,
    parents: ArenaMap<Graph, Parent>,
    last: HashMap<(Value, Graph), Last>,
    /// The nodes that may change the place of a value.
    consumed: HashMap<(Value, Graph), Vec<usize>>,
    uses: ArenaMap<Value, Uses>,
}

impl Liveness {
    pub(super) fn new(func: &Func) -> Self {
        let mut live = Liveness {
            owners: func.owners(func.root),
            parents: ArenaMap::default(),
            last: HashMap::new(),
            consumed: HashMap::new(),
            uses: ArenaMap::default(),
        };
        live.graph(func, func.root);
        live
    }

    fn graph(&mut self, func: &Func, g: Graph) {
        for (i, &n) in func[g].nodes.iter().enumerate() {
            let index = i + 1;
            let node = &func[n];
            for (i, &v) in node.args.iter().enumerate() {
                self.used(v, g, index, consumes(&node.op, i));
                if by_name(&node.op, i)
                    && let Some(uses) = self.uses.get_mut(v)
                {
                    uses.by_name = true;
                }
            }
            let nesting = match &node.op {
                Op::If { .. } | Op::IfLet { .. } | Op::Apply(_) => Nesting::Once,
                Op::Closure(_) => Nesting::Closure,
                _ => Nesting::Repeatedly,
            };
            let graphs = node.op.graphs();
            for &nested in &graphs {
                let sibling = graphs.iter().copied().find(|&other| other != nested);
                self.parents.insert(nested, Parent { graph: g, index, nesting, sibling });
                self.graph(func, nested);
            }
        }
        for &v in &func[g].results {
            self.used(v, g, func[g].nodes.len() + 1, true);
        }
    }

    fn used(&mut self, v: Value, g: Graph, index: usize, mut consumes: bool) {
        let Some(&owner) = self.owners.get(v) else { return };
        let (mut at, mut index) = (g, index);
        let (mut captured, mut repeated) = (false, false);
        loop {
            let last = self.last.entry((v, at)).or_insert(Last { index, count: 0 });
            if last.index == index {
                last.count += 1;
            } else {
                *last = Last { index, count: 1 };
            }
            if consumes {
                self.consumed.entry((v, at)).or_default().push(index);
            }
            if at == owner {
                break;
            }
            let Some(&parent) = self.parents.get(at) else { break };
            consumes &= parent.nesting == Nesting::Once;
            captured |= parent.nesting == Nesting::Closure;
            repeated |= parent.nesting == Nesting::Repeatedly;
            (at, index) = (parent.graph, parent.index);
        }
        let mut uses = self.uses.get(v).copied().unwrap_or_default();
        uses.count += 1;
        uses.graph = uses.graph.or(Some(g));
        uses.captured |= captured;
        uses.repeated |= repeated;
        self.uses.insert(v, uses);
    }

    /// The uses of a value.
    pub(super) fn uses(&self, v: Value) -> Uses {
        self.uses.get(v).copied().unwrap_or_default()
    }

    /// Whether nothing after the position `index` of `graph` uses a value.
    pub(super) fn dead_after(&self, v: Value, graph: Graph, index: usize) -> bool {
        let Some(&owner) = self.owners.get(v) else { return true };
        if !self.encloses(owner, graph) {
            return true;
        }
        let (mut at, mut index) = (graph, index);
        loop {
            if self.last.get(&(v, at)).is_some_and(|last| last.index > index) {
                return false;
            }
            if at == owner {
                return true;
            }
            let Some(parent) = self.parents.get(at) else { return true };
            let used = |g: Graph| self.last.contains_key(&(v, g));
            if parent.nesting != Nesting::Once && (used(at) || parent.sibling.is_some_and(used)) {
                return false;
            }
            (at, index) = (parent.graph, parent.index);
        }
    }

    /// How often a node uses a value, the graphs nested in it included; meaningful for its last use.
    pub(super) fn occurrences(&self, v: Value, graph: Graph, index: usize) -> usize {
        self.last.get(&(v, graph)).filter(|last| last.index == index).map_or(0, |last| last.count)
    }

    /// Whether the node may change the place that a value is in.
    pub(super) fn consumed_at(&self, v: Value, graph: Graph, index: usize) -> bool {
        self.consumed.get(&(v, graph)).is_some_and(|nodes| nodes.contains(&index))
    }

    /// Whether any of the nodes of the graph, not its results, changes the place that a value is in.
    pub(super) fn consumed_in(&self, v: Value, graph: Graph, nodes: usize) -> bool {
        self.consumed.get(&(v, graph)).is_some_and(|at| at.iter().any(|&i| i <= nodes))
    }

    /// Whether a reference to (a part of) `root` that is made at a node lives until the last use of `borrowed`: nothing
    /// changes `root` before that.
    pub(super) fn borrowable(&self, root: Value, borrowed: Value, graph: Graph, index: usize) -> bool {
        let end = self.last.get(&(borrowed, graph)).map_or(index, |last| last.index);
        let changes = self.consumed.get(&(root, graph));
        !changes.is_some_and(|nodes| nodes.iter().any(|&i| index < i && i <= end))
    }

    /// Whether `outer` is `inner` or around it.
    fn encloses(&self, outer: Graph, inner: Graph) -> bool {
        let mut at = Some(inner);
        while let Some(g) = at {
            if g == outer {
                return true;
            }
            at = self.parents.get(g).map(|p| p.graph);
        }
        false
    }
}

/// Whether an operation may change the place of its `i`-th operand.
fn consumes(op: &Op, i: usize) -> bool {
    match op {
        Op::Loop(l) => i >= l.kind.operands(),
        Op::Call(c) | Op::CallVjp(c) | Op::CallJvp(c) => c.args.get(i).is_some_and(|arg| arg.changes()),
        Op::Verbatim(v) => v.defs.contains(&i),
        Op::Apply(_) => true,
        op => op.consumes() == Some(i),
    }
}

/// Whether the `i`-th operand is used under its name.
fn by_name(op: &Op, i: usize) -> bool {
    let verbatim = match op {
        Op::Verbatim(v) => v,
        Op::Loop(l) => match &l.kind {
            crate::ir::LoopKind::Iter { iter, .. } => iter,
            _ => return false,
        },
        _ => return false,
    };
    verbatim.uses.get(i).is_some_and(|ident| !super::names::is_placeholder(ident))
}
