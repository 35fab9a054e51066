//! Elementwise operations of derivatives that follow each other become one.
//!
//! ```text
//! %a = map like first (%g = %y_bar, %y = %out) { → scale(%g, %y) }
//! %b = map like first (%g = %a) { → -%g }
//! %c = accumulate(%b, %d)
//! →
//! %c = map like first (%g = %y_bar, %y = %out, %d = %d) { → -scale(%g, %y) + %d }
//! ```
//!
//! An operand that nothing else uses is computed where it is read, element by element, so that one loop goes over the
//! data and no array is made in between. It must have the shape of the result, which the first operand has always. Numbers
//! among the operands become constants of the body. Of an operand that gives nothing but the shape another one of that
//! shape takes the place.
//!
//! Of that on which results of the primal depend, less is merged: their bits depend on how arrays lie in memory, as that is the
//! order of a sum. What makes a new array of one that nothing else reads lies as that would have, and so it is computed along
//! with it; and what stands beside an array in whose place the result goes decides nothing:
//!
//! ```text
//! %a = map (%x, %y) { → %x * %y }                 %b = map (%x, %y) { → exp(-(%x * %y)) }
//! %b = map (%a) { → exp(-%a) }             →      %c = map over %b (%b, %x) { → %b + sin(%x) }
//! %s = map (%x) { → sin(%x) }
//! %c = map over %b (%b, %s) { → %b + %s }
//! ```
//!
//! It is the last step for a function, after it is decided what is kept.

mod along;

use super::dce::needed;
use crate::infer::shapes::Shapes;
use crate::ir::substitute::Substitution;
use crate::ir::{Builder, Func, Graph, Node, Op, Type, Value};
use crate::prims::arith::ADD;
use la_arena::ArenaMap;

/// How many arrays one loop reads at most.
const MOST_OPERANDS: usize = 8;

/// Merges what can be merged, but for what the first `results` results of the function depend on; says whether anything was.
pub fn run(func: &mut Func, results: usize) -> bool {
    let before = func.clone();
    let exact = needed(&before, &before[before.root].results[..results]);
    let mut merger = Merger {
        shapes: Shapes::of(&before),
        exact,
        uses: super::simplify::uses(&before),
        values: Substitution::default(),
        changed: false,
        func,
    };
    let root = merger.func.root;
    merger.graph(root);
    let Merger { func, values, changed, .. } = merger;
    values.apply(func);
    changed
}

struct Merger<'f> {
    func: &'f mut Func,
    /// Of the function before.
    shapes: Shapes<'f>,
    /// The nodes that results of the primal depend on.
    exact: ArenaMap<Node, ()>,
    uses: ArenaMap<Value, usize>,
    values: Substitution,
    changed: bool,
}

impl Merger<'_> {
    fn graph(&mut self, g: Graph) {
        let nodes = self.func[g].nodes.clone();
        for &n in &nodes {
            if !matches!(self.func[n].op, Op::Map { .. }) {
                self.func[n].op.graphs().into_iter().for_each(|inner| self.graph(inner));
            }
        }
        let mut defs: ArenaMap<Value, usize> = ArenaMap::default();
        let mut gone = vec![false; nodes.len()];
        for (at, &n) in nodes.iter().enumerate() {
            self.sum(&nodes, &defs, n);
            if self.merges(n) {
                self.numbers(n);
                while let Some(from) = self.producer(&nodes, &defs, at) {
                    self.inline(nodes[from], n);
                    gone[from] = true;
                    self.changed = true;
                }
                self.first(n);
            } else if self.exact.contains_idx(n) {
                while let Some(from) = self.along(&nodes, &defs, at) {
                    gone[from] = true;
                    self.changed = true;
                }
            }
            for &out in &self.func[n].outs {
                defs.insert(out, at);
            }
        }
        let mut gone = gone.into_iter();
        self.func[g].nodes.retain(|_| gone.next() == Some(false));
    }

    /// Whether a node is an elementwise operation that may be merged: its first operand is an array like its result.
    fn merges(&self, n: Node) -> bool {
        let node = &self.func[n];
        let Op::Map { like_first: true, operator: None, .. } = node.op else { return false };
        let ty = self.func.ty(node.outs[0]);
        let Type::NdArray(_, Some(rank)) = ty else { return false };
        let fits = |&a: &Value| match self.func.ty(a) {
            Type::Float(_) => true,
            Type::NdArray(_, Some(own)) => own <= rank,
            _ => false,
        };
        !self.exact.contains_idx(n) && self.func.ty(node.args[0]) == ty && node.args.iter().all(fits)
    }

    fn used(&self, v: Value) -> usize {
        self.uses.get(v).copied().unwrap_or(0)
    }

    /// A sum of two cotangents of which one is made by an elementwise operation is one, too.
    fn sum(&mut self, nodes: &[Node], defs: &ArenaMap<Value, usize>, n: Node) {
        let (Op::Accumulate, &[a, b]) = (&self.func[n].op, &self.func[n].args[..]) else { return };
        let ty = self.func.ty(self.func[n].outs[0]).clone();
        let Type::NdArray(kind, Some(_)) = &ty else { return };
        let made = |v: Value| {
            let n = defs.get(v).map(|&at| nodes[at])?;
            (self.func.ty(v) == &ty).then_some(n)
        };
        // what is not made here may be an empty sum that fits everything
        let shaped =
            |n: Node| matches!(self.func[n].op, Op::Map { .. } | Op::Unbroadcast | Op::Prim(_) | Op::Accumulate);
        let (Some(first), Some(second)) = (made(a), made(b)) else { return };
        let ready = |v: Value, n: Node| self.merges(n) && self.used(v) == 1;
        if self.exact.contains_idx(n)
            || !(shaped(first) && shaped(second))
            || !(ready(a, first) || ready(b, second))
            || !self.shapes.same(a, b)
        {
            return;
        }
        let (span, element) = (self.func[n].span, Type::Float(kind.clone()));
        let body = self.func.graph();
        let params = [0, 1].map(|_| self.func.value(element.clone(), None, span));
        self.func[body].params = params.to_vec();
        let sum = Builder::new(self.func, body, span).push(Op::Prim(&ADD), params.to_vec(), element);
        self.func[body].results = vec![sum];
        self.func.nodes[n].op = Op::Map { body, like_first: true, over: None, operator: None };
        self.changed = true;
    }

    fn body(&self, n: Node) -> Graph {
        self.func[n].op.graphs()[0]
    }

    /// Makes numbers constants of the body.
    fn numbers(&mut self, n: Node) {
        let body = self.body(n);
        for i in (1..self.func[n].args.len()).rev() {
            let v = self.func[n].args[i];
            if self.func.ty(v).is_float() {
                self.func.nodes[n].args.remove(i);
                let param = self.func[body].params.remove(i);
                self.values.insert(param, v);
            }
        }
    }

    /// The place of a node that makes an operand of the one at `at`, and can be a part of it.
    fn producer(&self, nodes: &[Node], defs: &ArenaMap<Value, usize>, at: usize) -> Option<usize> {
        let node = &self.func[nodes[at]];
        node.args.iter().enumerate().find_map(|(i, &v)| {
            let &from = defs.get(v)?;
            let producer = &self.func[nodes[from]];
            let own = node.args.iter().filter(|a| **a == v).count();
            let fits = self.merges(nodes[from])
                && self.used(v) == own
                && (i == 0 || self.shapes.same(v, node.args[0]))
                && node.args.len() + producer.args.len() <= MOST_OPERANDS + 1;
            (fits && self.is_there(nodes, from, at)).then_some(from)
        })
    }

    /// Whether what the node at `from` reads is still there at `at`.
    fn is_there(&self, nodes: &[Node], from: usize, at: usize) -> bool {
        let node = &self.func[nodes[from]];
        let read = [node.args.clone(), node.op.graphs().iter().flat_map(|&g| self.func.free(g)).collect()].concat();
        let changes = |n: Node| {
            let node = &self.func[n];
            let changed = match &node.op {
                Op::Loop(l) => &node.args[l.kind.operands()..],
                Op::Call(_) | Op::CallVjp(_) | Op::CallJvp(_) | Op::Verbatim(_) => &node.args[..],
                op => op.consumes().map_or(&[][..], |i| &node.args[i..=i]),
            };
            changed.iter().any(|v| read.contains(v))
        };
        let inside = |n: Node| self.func[n].op.graphs().iter().any(|&g| self.func.any(g, changes));
        !nodes[from + 1..at].iter().any(|&n| changes(n) || inside(n))
    }

    /// Makes one elementwise operation a part of another.
    fn inline(&mut self, producer: Node, n: Node) {
        let (own, body) = (self.body(producer), self.body(n));
        let (made, first) = (self.func[producer].outs[0], self.func[producer].args[0]);
        let leads = self.func[n].args[0] == made;
        let (mut operands, mut replaced) = (Vec::new(), Vec::new());
        for (&a, &p) in self.func[n].args.iter().zip(&self.func[body].params) {
            if a == made { replaced.push(p) } else { operands.push((a, p)) }
        }
        for (a, p) in self.func[producer].args.clone().into_iter().zip(self.func[own].params.clone()) {
            match operands.iter().find(|(b, _)| *b == a) {
                Some(&(_, known)) => {
                    self.values.insert(p, known);
                    self.uses.insert(a, self.used(a) - 1);
                }
                None => operands.push((a, p)),
            }
        }
        if leads {
            let at = operands.iter().position(|(a, _)| *a == first).expect("an operand of the producer");
            let lead = operands.remove(at);
            operands.insert(0, lead);
        }
        let own = std::mem::take(&mut self.func[own]);
        for p in replaced {
            self.values.insert(p, own.results[0]);
        }
        let graph = &mut self.func[body];
        graph.nodes.splice(0..0, own.nodes);
        graph.params = operands.iter().map(|(_, p)| *p).collect();
        self.func.nodes[n].args = operands.into_iter().map(|(a, _)| a).collect();
    }

    /// Lets go of a first operand of which nothing but the shape is read, if another one has that, too.
    fn first(&mut self, n: Node) {
        let (body, args) = (self.body(n), self.func[n].args.clone());
        let first = self.func[body].params[0];
        let reads = |values: &[Value]| values.iter().any(|v| self.values.find(*v) == first);
        let mut read = reads(&self.func[body].results);
        self.func.walk(body, &mut |_, m| {
            read |= reads(&self.func[m].args) || self.func[m].op.graphs().iter().any(|&g| reads(&self.func[g].results));
        });
        let same = |a: &Value| self.func.ty(*a) == self.func.ty(args[0]) && self.shapes.same(*a, args[0]);
        let Some(other) = args[1..].iter().position(same).filter(|_| !read) else { return };
        let node = &mut self.func.nodes[n];
        node.args.swap(0, other + 1);
        node.args.remove(other + 1);
        let params = &mut self.func[body].params;
        params.swap(0, other + 1);
        params.remove(other + 1);
        self.uses.insert(args[0], self.used(args[0]) - 1);
        self.changed = true;
    }
}
