//! What the reverse sweep remembers: makes the pullback of [`crate::ad::reverse`] refer only to what it can see.
//!
//! The pullback uses values of primal loop bodies and branch arms. For each one this pass decides whether it is computed
//! again from what is still there, or kept: a branch arm gives it as a further result (a constant that is never read
//! in the other arm), a loop fills one slot for each iteration, a tuple of what is kept, in a residual vector. The slots
//! of a loop over a range are made before it; other loops push them. A vector of an inner loop grows over all iterations
//! of the outer ones; where the inner loop always runs equally often its slots lie where the number of the iteration
//! says, otherwise each execution notes where they begin.
//!
//! Parameters, constants, indices and everything cheap that follows from them and from what is kept anyway is computed
//! again, quotients only if nothing is kept for their sake; transcendental functions, calls, and values of which nothing
//! is there are kept (the to-be-recorded
//! analysis of Hascoët, Naumann and Pascual, "To be recorded" analysis in reverse-mode automatic differentiation, 2005,
//! in its simplest form). Before that, a number that grows by the same step in every iteration is made to follow from
//! the index (`induct`), what is the same in every iteration moves before the loop (`hoist`), and elements that nothing
//! writes to again are read in the end (`settle`).
//!
//! Where the pullback runs right after its primal ([`crate::ad::gradient`]), or what is undone is run again
//! ([`crate::ad::reverse`]), both are in one graph: every graph that has a loop or a branch and another one that undoes it
//! is treated by itself, the innermost first.

mod decide;
mod differ;
mod hoist;
mod induct;
mod keep;
mod resolve;
mod settle;

use crate::ir::{Func, Graph, Node, NodeData, Op, ParamMode, Value};
use crate::opt::fuse::is_reverse;
use la_arena::ArenaMap;

/// Where the values of the primal are defined.
struct Primal {
    /// The graph of the primal.
    root: Graph,
    /// The graph that undoes it: the pullback, or the same graph.
    pullback: Graph,
    /// The function's parameters that the pullback does not have.
    given_back: Vec<Value>,
    /// The graph that defines a value.
    owner: ArenaMap<Value, Graph>,
    /// The node that defines a value, if it is no parameter.
    def: ArenaMap<Value, Node>,
    /// The node that a nested graph belongs to, and the graph of that node.
    parent: ArenaMap<Graph, (Node, Graph)>,
    /// Values that some operation may change in place.
    consumed: ArenaMap<Value, ()>,
    /// How elements of arrays that nothing writes to again are read in the end.
    settled: ArenaMap<Value, NodeData>,
}

impl Primal {
    fn new(func: &Func, root: Graph, pullback: Graph, later: bool) -> Self {
        let params = func[func.root].params.iter().zip(&func.modes).filter(|(_, m)| **m == ParamMode::RefMut);
        let mut p = Primal {
            root,
            pullback,
            given_back: if later { params.map(|(p, _)| *p).collect() } else { Vec::new() },
            owner: ArenaMap::default(),
            def: ArenaMap::default(),
            parent: ArenaMap::default(),
            consumed: ArenaMap::default(),
            settled: ArenaMap::default(),
        };
        p.graph(func, root);
        p
    }

    fn graph(&mut self, func: &Func, g: Graph) {
        for &v in &func[g].params {
            self.owner.insert(v, g);
        }
        for &n in &func[g].nodes {
            let data = &func[n];
            if matches!(data.op, Op::Closure(_)) || is_reverse(func, n) {
                continue;
            }
            for &o in &data.outs {
                self.owner.insert(o, g);
                self.def.insert(o, n);
            }
            if let Some(i) = data.op.consumes() {
                self.consumed.insert(data.args[i], ());
            }
            if let Op::Loop(l) = &data.op {
                for &a in &data.args[l.kind.operands()..] {
                    self.consumed.insert(a, ());
                }
            }
            for inner in data.op.graphs() {
                self.parent.insert(inner, (n, g));
                self.graph(func, inner);
            }
        }
    }

    /// What a value follows from, where the pullback computes it again.
    fn operands<'a>(&'a self, func: &'a Func, v: Value) -> &'a [Value] {
        match self.settled.get(v) {
            Some(load) => &load.args,
            None => &func[self.def[v]].args,
        }
    }

    /// How many loops and arms enclose a graph.
    fn depth(&self, mut g: Graph) -> usize {
        let mut d = 0;
        while let Some((_, outer)) = self.parent.get(g) {
            g = *outer;
            d += 1;
        }
        d
    }
}

/// Resolves the references of the pullback in `func` to values of nested primal graphs.
pub fn run(func: &mut Func) {
    func.lambdas_mut(&mut |l| run(&mut l.func));
    let mut scopes = Vec::new();
    collect_scopes(func, func.root, &mut scopes);
    let pullback = pullback(func);
    for g in scopes {
        resolve(func, g, g, pullback.is_some());
    }
    if let Some(pullback) = pullback {
        resolve(func, func.root, pullback, true);
    }
}

/// `later`: whether the function has returned when `pullback` runs.
fn resolve(func: &mut Func, root: Graph, pullback: Graph, later: bool) {
    // what is needed in an iteration may follow from its index, or be known before the loop
    while induct::run(func, &Primal::new(func, root, pullback, later)) {}
    while hoist::run(func, &Primal::new(func, root, pullback, later)) {}
    let mut primal = Primal::new(func, root, pullback, later);
    primal.settled = settle::find(func, &primal);
    let decisions = decide::decide(func, &primal);
    let kept = keep::keep(func, &primal, &decisions);
    resolve::resolve(func, &primal, &decisions, &kept);
}

/// The pullback: the closure among the nodes of the root.
fn pullback(func: &Func) -> Option<Graph> {
    func[func.root].nodes.iter().rev().find_map(|&n| match func[n].op {
        Op::Closure(g) => Some(g),
        _ => None,
    })
}

/// The graphs in which something undoes something else, inner ones first.
fn collect_scopes(func: &Func, g: Graph, scopes: &mut Vec<Graph>) {
    let nodes = &func[g].nodes;
    for &n in nodes {
        func[n].op.graphs().into_iter().for_each(|inner| collect_scopes(func, inner, scopes));
    }
    // of a branch that is gone, what is around it is replayed
    let here = |undone: Graph| undone == g || nodes.iter().any(|&n| func[n].op.graphs().contains(&undone));
    let undoes = |n: Node| func[n].op.graphs().iter().any(|&nested| func[nested].replays.is_some_and(here));
    if nodes.iter().any(|&n| !matches!(func[n].op, Op::Closure(_)) && undoes(n)) {
        scopes.push(g);
    }
}
