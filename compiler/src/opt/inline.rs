//! Inlining: a graph that is applied where it is known becomes part of its caller.
//!
//! ```text
//! %y = apply @g(%x)         %t = sin %x
//! @g(%p):             →     (%y is %t from here on)
//!   %t = sin %p
//!   → %t
//! ```
//!
//! Each application gets a copy of its own. What is to be run again stays apart.

use super::clone::clone_graph;
use crate::ir::substitute::Substitution;
use crate::ir::{Func, Graph, Node, Op};
use std::collections::HashMap;

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut inliner = Inliner { func, values: Substitution::default(), changed: false };
    inliner.graph(inliner.func.root);
    let Inliner { func, values, changed } = inliner;
    values.apply(func);
    changed
}

struct Inliner<'f> {
    func: &'f mut Func,
    values: Substitution,
    changed: bool,
}

impl Inliner<'_> {
    fn graph(&mut self, g: Graph) {
        let nodes = std::mem::take(&mut self.func[g].nodes);
        let mut out = Vec::with_capacity(nodes.len());
        for n in nodes {
            self.node(n, &mut out);
        }
        self.func[g].nodes = out;
    }

    fn node(&mut self, n: Node, out: &mut Vec<Node>) {
        let node = &self.func[n];
        if let Op::Apply(g) = node.op
            && self.func[g].recomputed.is_none()
        {
            let (args, outs) = (node.args.clone(), node.outs.clone());
            self.changed = true;
            let mut map: HashMap<_, _> = self.func[g].params.iter().copied().zip(args).collect();
            let copy = clone_graph(self.func, g, &mut map);
            for n in std::mem::take(&mut self.func[copy].nodes) {
                self.node(n, out);
            }
            for (&from, &to) in outs.iter().zip(&self.func.graphs[copy].results) {
                self.values.insert(from, to);
            }
            return;
        }
        out.push(n);
        for g in self.func[n].op.graphs() {
            self.graph(g);
        }
    }
}
