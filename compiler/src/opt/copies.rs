//! Copies of the nodes of a loop's body, for passes that write a loop anew.

use crate::ir::{Func, Graph, Node, NodeData, Value};
use la_arena::ArenaMap;
use std::collections::HashMap;

/// Copies of nodes of a body, and what stands for the values of the body there.
#[derive(Clone)]
pub(super) struct Copies<'p> {
    body: Graph,
    /// The nodes that are copied wherever what they give is needed.
    anywhere: &'p ArenaMap<Node, ()>,
    pub(super) map: HashMap<Value, Value>,
}

impl<'p> Copies<'p> {
    pub(super) fn new(body: Graph, anywhere: &'p ArenaMap<Node, ()>, map: HashMap<Value, Value>) -> Self {
        Copies { body, anywhere, map }
    }

    /// What stands for a value here; what is copied anywhere is computed where it is needed.
    pub(super) fn find(&mut self, func: &mut Func, to: Graph, v: Value) -> Value {
        if let Some(&copy) = self.map.get(&v) {
            return copy;
        }
        let def = func[self.body].nodes.iter().copied().find(|&n| func[n].outs.contains(&v));
        match def {
            Some(n) if self.anywhere.contains_idx(n) => {
                self.copy(func, to, n);
                self.map[&v]
            }
            _ => v,
        }
    }

    pub(super) fn copy(&mut self, func: &mut Func, to: Graph, n: Node) {
        let NodeData { op, args, outs, span } = func[n].clone();
        let args = args.into_iter().map(|a| self.find(func, to, a)).collect();
        self.add(func, to, NodeData { op, args, outs, span });
    }

    /// Adds a node with fresh results in the place of its own.
    pub(super) fn add(&mut self, func: &mut Func, to: Graph, NodeData { op, args, outs, span }: NodeData) {
        let copies: Vec<Value> = outs.iter().map(|&o| func.value_like(o)).collect();
        self.map.extend(outs.into_iter().zip(copies.iter().copied()));
        let copy = func.node(op, args, copies, span);
        func[to].nodes.push(copy);
    }

    /// What nodes of the body give is another value from here on.
    pub(super) fn forget(&mut self, func: &Func, nodes: impl Fn(Node) -> bool) {
        for &n in func[self.body].nodes.iter().filter(|&&n| nodes(n)) {
            self.map.retain(|v, _| !func[n].outs.contains(v));
        }
    }
}
