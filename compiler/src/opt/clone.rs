//! Fresh copies of graphs.

use crate::ir::{Func, Graph, GraphData, Node, Op, Value};
use std::collections::HashMap;

/// Copies a graph and those nested in it, with fresh values for all that they define.
///
/// `map` says what stands for a value in the copy; what it does not name is a free variable and stays. A parameter that
/// is in `map` already is replaced by what it names there and is no parameter of the copy. On return, `map` also has
/// the values that the copy defines.
pub fn clone_graph(func: &mut Func, graph: Graph, map: &mut HashMap<Value, Value>) -> Graph {
    let mut cloner = Cloner { func, map, graphs: HashMap::new(), nodes: HashMap::new() };
    let copy = cloner.graph(graph);
    cloner.link();
    copy
}

struct Cloner<'f> {
    func: &'f mut Func,
    map: &'f mut HashMap<Value, Value>,
    graphs: HashMap<Graph, Graph>,
    nodes: HashMap<Node, Node>,
}

impl Cloner<'_> {
    fn value(&mut self, v: Value) -> Value {
        let copy = self.func.value_like(v);
        self.map.insert(v, copy);
        copy
    }

    fn uses(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| *self.map.get(v).unwrap_or(v)).collect()
    }

    fn graph(&mut self, graph: Graph) -> Graph {
        let mut data = self.func[graph].clone();
        let copy = self.func.graph();
        self.graphs.insert(graph, copy);
        let open: Vec<Value> =
            std::mem::take(&mut data.params).into_iter().filter(|p| !self.map.contains_key(p)).collect();
        let params = open.into_iter().map(|p| self.value(p)).collect();
        let nodes = std::mem::take(&mut data.nodes).into_iter().map(|n| self.node(n)).collect();
        let results = self.uses(&data.results);
        self.func.graphs[copy] = GraphData { params, nodes, results, ..data };
        copy
    }

    fn node(&mut self, n: Node) -> Node {
        let mut data = self.func[n].clone();
        data.args = self.uses(&data.args);
        for g in data.op.graphs_mut() {
            *g = self.graph(*g);
        }
        data.outs = data.outs.into_iter().map(|o| self.value(o)).collect();
        let copy = self.func.node(data.op, data.args, data.outs, data.span);
        self.nodes.insert(n, copy);
        copy
    }

    /// Lets the parts of the copy that replay others replay their copies, if those are in it.
    fn link(&mut self) {
        for &copy in self.graphs.values() {
            let replays = &mut self.func[copy].replays;
            *replays = replays.map(|g| *self.graphs.get(&g).unwrap_or(&g));
        }
        for &copy in self.nodes.values() {
            if let Op::Loop(l) = &mut self.func[copy].op {
                l.replays = l.replays.map(|n| *self.nodes.get(&n).unwrap_or(&n));
            }
        }
    }
}
