//! The arenas: functions, graphs, nodes and values.

use super::checkpoint::Recomputed;
use super::op::Op;
use super::size::Size;
use super::types::Type;
use la_arena::{Arena, Idx};
use proc_macro2::{Span, TokenStream};
use std::ops::{Index, IndexMut};

/// A value: a parameter of a graph or a result of a node.
pub type Value = Idx<ValueData>;
/// A graph.
pub type Graph = Idx<GraphData>;
/// A node.
pub type Node = Idx<NodeData>;

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// Its type, as far as it is visible.
    pub ty: Type,
    /// The name that the user gave it, or a suggestion (`x_bar`).
    pub name: Option<String>,
    /// The type that the source writes for it, where that may be needed: of an option or a vector without anything in it.
    pub written: Option<TokenStream>,
    /// Where it comes from.
    pub span: Span,
}

/// A graph: see the module documentation of [`crate::ir`].
#[derive(Clone, Debug, Default)]
pub struct GraphData {
    /// What it takes.
    pub params: Vec<Value>,
    /// What it does, in order.
    pub nodes: Vec<Node>,
    /// What it gives.
    pub results: Vec<Value>,
    /// In a reverse sweep before storage is decided: the graph whose values, of the execution that is being undone,
    /// this one may use.
    pub replays: Option<Graph>,
    /// If the reverse sweep is to run this body of a loop, or what is applied, again instead of remembering it.
    pub recomputed: Option<Recomputed>,
}

/// A node: an operation on values that defines values.
#[derive(Clone, Debug)]
pub struct NodeData {
    /// The operation.
    pub op: Op,
    /// The operands.
    pub args: Vec<Value>,
    /// The values that it defines.
    pub outs: Vec<Value>,
    /// Where it comes from.
    pub span: Span,
}

/// How a parameter of the function is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMode {
    /// By value: the function owns it.
    Value,
    /// By shared reference.
    Ref,
    /// By mutable reference: its final version is among the results.
    RefMut,
}

/// A function: its arenas and its outermost graph.
#[derive(Clone, Debug)]
pub struct Func {
    /// Its name, for messages and dumps.
    pub name: String,
    /// All values.
    pub values: Arena<ValueData>,
    /// All graphs.
    pub graphs: Arena<GraphData>,
    /// All nodes.
    pub nodes: Arena<NodeData>,
    /// The outermost graph.
    pub root: Graph,
    /// How each parameter of the root graph is passed.
    pub modes: Vec<ParamMode>,
    /// The declared sizes of each parameter of the root graph, by its place; there may be fewer entries than parameters.
    pub sizes: Vec<Option<Vec<Size>>>,
}

impl Func {
    /// An empty function.
    pub fn new(name: &str) -> Self {
        let mut graphs = Arena::new();
        let root = graphs.alloc(GraphData::default());
        Func {
            name: name.to_owned(),
            values: Arena::new(),
            graphs,
            nodes: Arena::new(),
            root,
            modes: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// A new value.
    pub fn value(&mut self, ty: Type, name: Option<String>, span: Span) -> Value {
        self.values.alloc(ValueData { ty, name, written: None, span })
    }

    /// A new value like another.
    pub fn value_like(&mut self, v: Value) -> Value {
        let data = self.values[v].clone();
        self.values.alloc(data)
    }

    /// A new, empty graph.
    pub fn graph(&mut self) -> Graph {
        self.graphs.alloc(GraphData::default())
    }

    /// A new node that is in no graph yet.
    pub fn node(&mut self, op: Op, args: Vec<Value>, outs: Vec<Value>, span: Span) -> Node {
        self.nodes.alloc(NodeData { op, args, outs, span })
    }

    /// The type of a value.
    pub fn ty(&self, v: Value) -> &Type {
        &self.values[v].ty
    }

    /// Calls `f` for every node of a graph and of those nested in it, in order, the outer node first.
    pub fn walk(&self, graph: Graph, f: &mut impl FnMut(Graph, Node)) {
        for &n in &self.graphs[graph].nodes {
            f(graph, n);
            for g in self.nodes[n].op.graphs() {
                self.walk(g, f);
            }
        }
    }

    /// Whether something holds of a node of a graph or of those nested in it.
    pub fn any(&self, graph: Graph, holds: impl Fn(Node) -> bool) -> bool {
        let mut found = false;
        self.walk(graph, &mut |_, n| found |= holds(n));
        found
    }

    /// The node that makes a value; `None` if it is a parameter.
    pub fn maker(&self, v: Value) -> Option<Node> {
        self.nodes.iter().find(|(_, data)| data.outs.contains(&v)).map(|(n, _)| n)
    }

    /// The graph nested in `graph` or itself that defines each value: a map from values to graphs.
    pub fn owners(&self, graph: Graph) -> la_arena::ArenaMap<Value, Graph> {
        let mut map = la_arena::ArenaMap::default();
        self.collect_owners(graph, &mut map);
        map
    }

    fn collect_owners(&self, graph: Graph, map: &mut la_arena::ArenaMap<Value, Graph>) {
        for &p in &self.graphs[graph].params {
            map.insert(p, graph);
        }
        for &n in &self.graphs[graph].nodes {
            for &o in &self.nodes[n].outs {
                map.insert(o, graph);
            }
            for g in self.nodes[n].op.graphs() {
                self.collect_owners(g, map);
            }
        }
    }

    /// The values that a graph and those nested in it use but do not define, in order of first use.
    pub fn free(&self, graph: Graph) -> Vec<Value> {
        let mut defined = la_arena::ArenaMap::default();
        self.collect_owners(graph, &mut defined);
        let mut seen = la_arena::ArenaMap::default();
        let mut free = Vec::new();
        let mut visit = |v: Value| {
            if !defined.contains_idx(v) && seen.insert(v, ()).is_none() {
                free.push(v);
            }
        };
        let mut stack = vec![graph];
        while let Some(g) = stack.pop() {
            for &n in &self.graphs[g].nodes {
                self.nodes[n].args.iter().for_each(|&v| visit(v));
                stack.extend(self.nodes[n].op.graphs());
            }
            self.graphs[g].results.iter().for_each(|&v| visit(v));
        }
        free
    }
}

impl Index<Value> for Func {
    type Output = ValueData;
    fn index(&self, v: Value) -> &ValueData {
        &self.values[v]
    }
}

impl Index<Graph> for Func {
    type Output = GraphData;
    fn index(&self, g: Graph) -> &GraphData {
        &self.graphs[g]
    }
}

impl IndexMut<Graph> for Func {
    fn index_mut(&mut self, g: Graph) -> &mut GraphData {
        &mut self.graphs[g]
    }
}

impl Index<Node> for Func {
    type Output = NodeData;
    fn index(&self, n: Node) -> &NodeData {
        &self.nodes[n]
    }
}

impl IndexMut<Node> for Func {
    fn index_mut(&mut self, n: Node) -> &mut NodeData {
        &mut self.nodes[n]
    }
}
