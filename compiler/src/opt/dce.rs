//! Dead code: what no result and no effect depends on is removed.
//!
//! ```text
//! %t = sin %x               (gone)
//! %a, %b = loop …      →    %a = loop …
//! → %a                      → %a
//! ```
//!
//! Also the unused results of branches, and the values that a loop carries only for themselves. Liveness is
//! reachability over uses and definitions, so a cycle of carried values dies as a whole.

use crate::ir::{Checkpoint, CheckpointStep, Func, Graph, LoopKind, Node, Op, Value};
use la_arena::ArenaMap;
use std::collections::{BTreeSet, HashMap};

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut live = Liveness::new(func);
    live.index(func.root, None);
    live.seed(&func[func.root].results);
    live.propagate();
    let (values, nodes, places, states) = (live.values, live.nodes, live.places, live.states);
    retarget(func, &nodes, &places);
    let mut changed = forget(func, &nodes, &states);
    sweep(func, func.root, &values, &nodes, &mut changed);
    changed
}

/// The nodes that some values, or effects, depend on.
pub(super) fn needed(func: &Func, values: &[Value]) -> ArenaMap<Node, ()> {
    let mut live = Liveness::new(func);
    live.index(func.root, None);
    live.seed(values);
    live.propagate();
    live.nodes
}

/// What defines a value.
#[derive(Clone, Copy)]
enum Def {
    /// The k-th result of a node.
    Out(Node, usize),
    /// The k-th carried value of a loop, inside of it.
    Carried(Node, usize),
    /// Any other parameter, of a graph of this node.
    Param(Node),
}

struct Liveness<'f> {
    func: &'f Func,
    defs: ArenaMap<Value, Def>,
    /// The node around each nested node.
    owners: ArenaMap<Node, Node>,
    /// The graph and the node around each nested graph.
    places: ArenaMap<Graph, (Graph, Node)>,
    values: ArenaMap<Value, ()>,
    nodes: ArenaMap<Node, ()>,
    /// The nodes that keep the states of a loop, and the parts of those that are wanted.
    saves: HashMap<u32, Vec<Node>>,
    states: HashMap<u32, BTreeSet<usize>>,
    work: Vec<Value>,
    roots: Vec<Node>,
}

impl<'f> Liveness<'f> {
    fn new(func: &'f Func) -> Self {
        Liveness {
            func,
            defs: ArenaMap::default(),
            owners: ArenaMap::default(),
            places: ArenaMap::default(),
            values: ArenaMap::default(),
            nodes: ArenaMap::default(),
            saves: HashMap::new(),
            states: HashMap::new(),
            work: Vec::new(),
            roots: Vec::new(),
        }
    }

    fn index(&mut self, g: Graph, owner: Option<Node>) {
        let func = self.func;
        for &n in &func[g].nodes {
            if let Some(owner) = owner {
                self.owners.insert(n, owner);
            }
            for (k, &out) in func[n].outs.iter().enumerate() {
                self.defs.insert(out, Def::Out(n, k));
            }
            if has_effects(&func[n].op) {
                self.roots.push(n);
            }
            if let Op::Checkpoint(Checkpoint { step: CheckpointStep::Save, id }) = func[n].op {
                self.saves.entry(id).or_default().push(n);
            }
            let graphs = func[n].op.graphs();
            for &nested in &graphs {
                self.places.insert(nested, (g, n));
                let fixed = match &func[n].op {
                    Op::Loop(l) if nested == l.body => Some(l.kind.bindings()),
                    Op::Loop(_) => Some(0),
                    _ => None,
                };
                for (k, &p) in func[nested].params.iter().enumerate() {
                    let def = match fixed {
                        Some(fixed) if k >= fixed => Def::Carried(n, k - fixed),
                        _ => Def::Param(n),
                    };
                    self.defs.insert(p, def);
                }
                self.index(nested, Some(n));
            }
        }
    }

    fn seed(&mut self, results: &[Value]) {
        results.iter().for_each(|&r| self.value(r));
        for n in std::mem::take(&mut self.roots) {
            self.node(n);
        }
    }

    fn value(&mut self, v: Value) {
        if self.values.insert(v, ()).is_none() {
            self.work.push(v);
        }
    }

    fn propagate(&mut self) {
        let func = self.func;
        while let Some(v) = self.work.pop() {
            match self.defs.get(v).copied() {
                Some(Def::Out(n, k)) => {
                    self.node(n);
                    match &func[n].op {
                        Op::Checkpoint(c) => self.restored(*c, k),
                        Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                            self.value(func[*then_].results[k]);
                            self.value(func[*else_].results[k]);
                        }
                        Op::Loop(l) => {
                            self.value(func[n].args[l.kind.operands() + k]);
                            self.value(func[l.body].results[usize::from(l.exits) + k]);
                        }
                        _ => {}
                    }
                }
                Some(Def::Carried(n, k)) => self.value(func[n].outs[k]),
                Some(Def::Param(n)) => self.node(n),
                None => {}
            }
        }
    }

    /// A part of a state that is restored must be kept.
    fn restored(&mut self, c: Checkpoint, out: usize) {
        let Some(k) = out.checked_sub(CheckpointStep::STATE_OUTS) else { return };
        if c.step != CheckpointStep::Restore || !self.states.entry(c.id).or_default().insert(k) {
            return;
        }
        let func = self.func;
        for n in self.saves.get(&c.id).cloned().unwrap_or_default() {
            if self.nodes.contains_idx(n) {
                self.value(func[n].args[CheckpointStep::STATE_ARGS + k]);
            }
        }
    }

    /// A node must stay: so must what decides whether and how it runs, and what is around it.
    fn node(&mut self, n: Node) {
        let func = self.func;
        let mut next = Some(n);
        while let Some(n) = next
            && self.nodes.insert(n, ()).is_none()
        {
            let node = &func[n];
            match &node.op {
                Op::If { .. } | Op::IfLet { .. } => self.value(node.args[0]),
                Op::Loop(l) => {
                    node.args[..l.kind.operands()].iter().for_each(|&a| self.value(a));
                    if l.exits {
                        self.value(func[l.body].results[0]);
                    }
                    if let LoopKind::While { cond } = l.kind {
                        self.value(func[cond].results[0]);
                    }
                    if let Some(replayed) = l.replays {
                        self.node(replayed);
                    }
                }
                Op::Checkpoint(Checkpoint { step: CheckpointStep::Save, id }) => {
                    self.value(node.args[0]);
                    let wanted = self.states.get(id).cloned().unwrap_or_default();
                    wanted.iter().for_each(|&k| self.value(node.args[CheckpointStep::STATE_ARGS + k]));
                }
                op => {
                    node.args.iter().for_each(|&a| self.value(a));
                    for g in op.graphs() {
                        func[g].results.iter().for_each(|&r| self.value(r));
                    }
                }
            }
            next = self.owners.get(n).copied();
        }
    }
}

/// Whether a node does something beside giving values. What nested graphs do is theirs.
pub(crate) fn has_effects(op: &Op) -> bool {
    match op {
        Op::Verbatim(code) => !code.pure_,
        Op::Call(_) | Op::CallVjp(_) | Op::CallJvp(_) => true,
        // all calls of a function with a state are undone in turn
        Op::CallPullback(call) => call.ordered,
        Op::Loop(l) => matches!(&l.kind, LoopKind::Iter { iter, .. } if !iter.pure_),
        _ => false,
    }
}

/// Lets what replays a graph that goes replay the graph around that.
fn retarget(func: &mut Func, nodes: &ArenaMap<Node, ()>, places: &ArenaMap<Graph, (Graph, Node)>) {
    for (_, graph) in func.graphs.iter_mut() {
        while let Some(&(around, n)) = graph.replays.and_then(|g| places.get(g))
            && !nodes.contains_idx(n)
        {
            graph.replays = Some(around);
        }
    }
}

/// Keeps only those parts of the states of loops that are restored.
fn forget(func: &mut Func, nodes: &ArenaMap<Node, ()>, states: &HashMap<u32, BTreeSet<usize>>) -> bool {
    let mut changed = false;
    let none = BTreeSet::new();
    for (n, ()) in nodes.iter() {
        let node = &mut func.nodes[n];
        let Op::Checkpoint(c) = node.op else { continue };
        let wanted = states.get(&c.id).unwrap_or(&none);
        let (list, fixed) = match c.step {
            CheckpointStep::Save => (&mut node.args, CheckpointStep::STATE_ARGS),
            CheckpointStep::Restore => (&mut node.outs, CheckpointStep::STATE_OUTS),
            CheckpointStep::Start { .. } | CheckpointStep::Replay => continue,
        };
        let keep: Vec<bool> = (0..list.len() - fixed).map(|k| wanted.contains(&k)).collect();
        changed |= keep.contains(&false);
        retain(list, fixed, &keep);
    }
    changed
}

fn sweep(func: &mut Func, g: Graph, values: &ArenaMap<Value, ()>, nodes: &ArenaMap<Node, ()>, changed: &mut bool) {
    let before = std::mem::take(&mut func[g].nodes);
    let count = before.len();
    let after: Vec<Node> = before.into_iter().filter(|&n| nodes.contains_idx(n)).collect();
    *changed |= after.len() < count;
    for &n in &after {
        let keep: Vec<bool> = func[n].outs.iter().map(|&o| values.contains_idx(o)).collect();
        if keep.contains(&false) {
            match func[n].op.clone() {
                Op::If { then_, else_ } | Op::IfLet { then_, else_, .. } => {
                    for arm in [then_, else_] {
                        retain(&mut func[arm].results, 0, &keep);
                    }
                    retain(&mut func[n].outs, 0, &keep);
                    *changed = true;
                }
                Op::Loop(l) => {
                    retain(&mut func[n].args, l.kind.operands(), &keep);
                    retain(&mut func[n].outs, 0, &keep);
                    retain(&mut func[l.body].params, l.kind.bindings(), &keep);
                    retain(&mut func[l.body].results, usize::from(l.exits), &keep);
                    if let LoopKind::While { cond } = l.kind {
                        retain(&mut func[cond].params, 0, &keep);
                    }
                    *changed = true;
                }
                _ => {}
            }
        }
        for nested in func[n].op.graphs() {
            sweep(func, nested, values, nodes, changed);
        }
    }
    func[g].nodes = after;
}

/// Keeps the first `fixed` values, and of those after them the ones that `keep` says.
fn retain(list: &mut Vec<Value>, fixed: usize, keep: &[bool]) {
    let mut i = 0;
    list.retain(|_| {
        i += 1;
        i <= fixed || keep[i - 1 - fixed]
    });
}
