//! Closures that are handed to functions: a function of its own inside a node.
//!
//! What the closure captures are operands of the node, so that no pass has to look into it to know what it depends on.

use super::graph::{Func, Graph, Node, Value};
use super::op::Op;
use super::types::Type;
use proc_macro2::TokenStream;
use std::collections::HashMap;

/// What a closure gives when it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Its value.
    Plain,
    /// Its value and a pullback, from the cotangent of the value to the cotangents of what it captured and of its
    /// arguments: the function has a pullback among its results.
    Vjp,
    /// Its value and the tangent of that: the function has further parameters and results.
    Jvp,
}

/// A closure that is handed to a function.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// What it does. Parameters: what it captures (the operands of the node), what it changes, then its own.
    pub func: Func,
    /// What a call of it gives.
    pub form: Form,
    /// How many of the parameters are captured.
    pub captures: usize,
    /// How many of the parameters after those are variables that it changes; as many of the last results are what it
    /// leaves in them. The call that it is handed to has their values before and after: see [`Call::states`].
    ///
    /// [`Call::states`]: super::Call::states
    pub states: usize,
    /// Whether it calls a function parameter that may have a state: the order of such calls matters.
    pub ordered: bool,
    /// The types of its own parameters as they are written, if they are.
    pub types: Vec<Option<TokenStream>>,
    /// Which parameters have cotangents or tangents; for a plain closure meaningless.
    pub active: Vec<bool>,
}

impl Lambda {
    /// Its variables: what it changes.
    pub fn variables(&self) -> std::ops::Range<usize> {
        self.captures..self.captures + self.states
    }

    /// How many results it has besides what it leaves in its variables.
    pub fn results(&self) -> usize {
        let all = self.func[self.func.root].results.len();
        all - self.states - usize::from(self.form == Form::Vjp)
    }

    /// Which results have cotangents or tangents: those that can have one by their type, and what it leaves in variables
    /// that have one.
    pub fn useful(&self) -> Vec<bool> {
        let results = &self.func[self.func.root].results;
        let own = results[..results.len() - self.states].iter().map(|&v| self.func.ty(v).can_be_active());
        own.chain(self.active[self.variables()].iter().copied()).collect()
    }
}

impl Func {
    /// A graph as a function of its own, and the values that it captures: its first parameters. Constants are copied.
    pub fn extract(&self, graph: Graph) -> (Func, Vec<Value>) {
        let mut constants = HashMap::new();
        for (n, data) in self.nodes.iter() {
            if let (Op::Const(_), [out]) = (&data.op, &data.outs[..]) {
                constants.insert(*out, n);
            }
        }
        let mut func = Func::new(&self.name);
        let root = func.root;
        let mut copier = Copier { from: self, to: &mut func, values: HashMap::new() };
        let mut captures = Vec::new();
        let mut params = Vec::new();
        let mut nodes = Vec::new();
        for v in self.free(graph) {
            if let Some(&n) = constants.get(&v) {
                nodes.push(copier.node(n));
            } else {
                params.push(copier.define(v));
                captures.push(v);
            }
        }
        let own = copier.graph(graph);
        let data = std::mem::take(&mut func[own]);
        func[root].params = params.into_iter().chain(data.params).collect();
        func[root].nodes = nodes.into_iter().chain(data.nodes).collect();
        func[root].results = data.results;
        (func, captures)
    }

    /// The values of the variables that a closure changes, before the call that it is handed to.
    fn changed_by(&self, lambda: Node) -> Vec<Value> {
        let made = self.nodes[lambda].outs[0];
        let calls = self.nodes.iter().map(|(_, data)| data).filter(|data| data.args.contains(&made));
        let found = calls.flat_map(|data| match &data.op {
            Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call) => {
                let of = call.states.iter().zip(call.before(&data.args));
                of.filter(|(state, _)| data.args[state.function] == made).map(|(_, &v)| v).collect()
            }
            _ => Vec::new(),
        });
        found.collect()
    }

    /// Calls of the function by itself are calls like any other, in a graph and those nested in it.
    pub fn call_anew(&mut self, graph: Graph) {
        let mut nodes = Vec::new();
        self.walk(graph, &mut |_, n| nodes.push(n));
        for n in nodes {
            if let Op::Call(call) = &mut self.nodes[n].op {
                call.itself = false;
            }
        }
    }

    /// Whether a graph calls something that may have a state which is not seen here.
    pub fn is_ordered(&self, graph: Graph) -> bool {
        self.any(graph, |n| match &self[n].op {
            Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call) => call.ordered,
            _ => false,
        })
    }

    /// Whether the function calls itself so that all calls share what they keep.
    pub fn shares_frames(&self) -> bool {
        self.any(self.root, |n| matches!(&self[n].op, Op::CallVjp(call) if call.itself))
    }

    /// Calls `f` for every closure in the function that is handed to a function, innermost functions last.
    pub fn lambdas_mut(&mut self, f: &mut impl FnMut(&mut Lambda)) {
        for (_, node) in self.nodes.iter_mut() {
            if let Op::Lambda(lambda) = &mut node.op {
                f(lambda);
            }
        }
    }

    /// Gives the captured parameters of closures the types of what they capture.
    pub fn share_types(&mut self) {
        let types: Vec<(Node, Vec<Type>)> = self
            .nodes
            .iter()
            .filter(|(_, data)| matches!(data.op, Op::Lambda(_)))
            .map(|(n, data)| (n, data.args.iter().map(|&a| self.ty(a).clone()).collect()))
            .collect();
        let mut types = types;
        for (n, of) in &mut types {
            of.extend(self.changed_by(*n).into_iter().map(|v| self.ty(v).clone()));
        }
        for (n, types) in types {
            let Op::Lambda(lambda) = &mut self.nodes[n].op else { continue };
            let params = lambda.func[lambda.func.root].params.clone();
            for (p, ty) in params.into_iter().zip(types) {
                if lambda.func.values[p].ty == Type::Dyn || ty != Type::Dyn {
                    lambda.func.values[p].ty = ty;
                }
            }
        }
    }
}

struct Copier<'f> {
    from: &'f Func,
    to: &'f mut Func,
    values: HashMap<Value, Value>,
}

impl Copier<'_> {
    fn define(&mut self, v: Value) -> Value {
        let copy = self.to.values.alloc(self.from.values[v].clone());
        self.values.insert(v, copy);
        copy
    }

    fn uses(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.values[v]).collect()
    }

    fn graph(&mut self, g: Graph) -> Graph {
        let data = &self.from[g];
        let recomputed = data.recomputed;
        let copy = self.to.graph();
        let params = data.params.iter().map(|&p| self.define(p)).collect();
        let nodes = data.nodes.iter().map(|&n| self.node(n)).collect();
        let results = self.uses(&data.results);
        self.to.graphs[copy] = super::graph::GraphData { params, nodes, results, replays: None, recomputed };
        copy
    }

    fn node(&mut self, n: Node) -> Node {
        let mut data = self.from[n].clone();
        data.args = self.uses(&data.args);
        for g in data.op.graphs_mut() {
            *g = self.graph(*g);
        }
        data.outs = data.outs.iter().map(|&o| self.define(o)).collect();
        self.to.nodes.alloc(data)
    }
}
