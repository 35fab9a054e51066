//! Replacement of values by others, in one sweep for any number of them.

use super::graph::{Func, Graph, Value};
use la_arena::ArenaMap;

/// What stands for which value. Chains are followed; they must not be cycles.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    map: ArenaMap<Value, Value>,
}

impl Substitution {
    /// Lets `to` stand for `from`, which must not stand for `to`.
    pub fn insert(&mut self, from: Value, to: Value) {
        let to = self.find(to);
        debug_assert_ne!(from, to, "a value cannot be replaced by itself");
        if from != to {
            self.map.insert(from, to);
        }
    }

    /// What stands for a value in the end.
    pub fn find(&self, mut v: Value) -> Value {
        while let Some(&to) = self.map.get(v) {
            v = to;
        }
        v
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.values().next().is_none()
    }

    /// Replaces values among the given uses.
    pub fn rewrite(&self, uses: &mut [Value]) {
        for v in uses {
            *v = self.find(*v);
        }
    }

    /// Replaces every use in a function, in operands and in results.
    pub fn apply(self, func: &mut Func) {
        let root = func.root;
        self.apply_to(func, root);
    }

    /// Replaces every use in a graph and those nested in it.
    pub fn apply_to(mut self, func: &mut Func, graph: Graph) {
        if self.is_empty() {
            return;
        }
        // Chains are shortened once, so that each use is one step.
        let keys: Vec<Value> = self.map.iter().map(|(v, _)| v).collect();
        for v in keys {
            let to = self.find(v);
            self.map.insert(v, to);
        }
        self.graph(func, graph);
    }

    fn graph(&self, func: &mut Func, g: Graph) {
        for i in 0..func[g].nodes.len() {
            let n = func[g].nodes[i];
            self.rewrite(&mut func[n].args);
            for nested in func[n].op.graphs() {
                self.graph(func, nested);
            }
        }
        self.rewrite(&mut func[g].results);
    }
}
