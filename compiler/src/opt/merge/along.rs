//! Operations of the primal that are computed along with the one that reads them.
//!
//! An array that an elementwise operation makes anew lies in memory as its operands say. An operation on it alone would make
//! one that lies the same way, so both are done at once. And where the result of an operation on two arrays of one shape
//! lies as the one of them does, what the other is made of decides nothing.

use super::Merger;
use crate::ir::{Graph, Node, Op, Type, Value};
use la_arena::ArenaMap;

impl Merger<'_> {
    /// Makes an operation that nothing else reads a part of the one at `at`, and gives its place.
    pub(super) fn along(&mut self, nodes: &[Node], defs: &ArenaMap<Value, usize>, at: usize) -> Option<usize> {
        let n = nodes[at];
        let Op::Map { over, like_first, operator: None, .. } = self.func[n].op else { return None };
        let (args, out) = (self.func[n].args.clone(), self.func[n].outs[0]);
        let arrays: Vec<Value> = args.iter().copied().filter(|v| !self.func.ty(*v).is_float()).collect();
        let &first = arrays.first()?;
        let alone = arrays.iter().all(|v| *v == first);
        let place = match (over, &args[..]) {
            (Some(place), [_, _]) if !alone && !like_first && arrays.len() == 2 => Some(place),
            _ => None,
        };
        let v = if alone { first } else { args[1 - place?] };
        let &from = defs.get(v)?;
        let producer = nodes[from];
        let Op::Map { like_first: false, over: None, operator: None, .. } = self.func[producer].op else { return None };
        let ty = self.func.ty(v);
        let alike = matches!(ty, Type::NdArray(_, Some(_))) && self.func.ty(out) == ty;
        let own = arrays.iter().filter(|a| **a == v).count();
        let pure_ = [producer, n].iter().all(|&m| !self.func.any(self.body(m), |m| self.acts(m)));
        if !alike || !pure_ || self.used(v) != own || !self.is_there(nodes, from, at) {
            return None;
        }
        // what is made of one array may lie as no operation on two of them would make it
        let of = self.func[producer].args.iter().filter(|a| !self.func.ty(**a).is_float()).count();
        if alone && own > 1 && of < 2 {
            return None;
        }
        if let Some(place) = place {
            // of one array, in the shape of the one that decides
            let made: Vec<Value> =
                (self.func[producer].args.iter().copied()).filter(|a| !self.func.ty(*a).is_float()).collect();
            let [only] = made[..] else { return None };
            let fits = self.func.ty(only) == ty && self.func.ty(args[place]) == ty && self.shapes.same(v, args[place]);
            if !fits || only == args[place] {
                return None;
            }
            self.constants(producer);
        }
        self.constants(n);
        self.join(producer, n, v, alone);
        Some(from)
    }

    /// Whether a node does more than give a value.
    fn acts(&self, n: Node) -> bool {
        !matches!(&self.func[n].op, Op::Prim(_) | Op::Const(_) | Op::Cast(_))
            && !matches!(&self.func[n].op, Op::Verbatim(code) if code.pure_)
    }

    /// Makes all numbers constants of the body.
    fn constants(&mut self, n: Node) {
        let body = self.body(n);
        for i in (0..self.func[n].args.len()).rev() {
            let v = self.func[n].args[i];
            if self.func.ty(v).is_float() {
                self.func.nodes[n].args.remove(i);
                let param = self.func[body].params.remove(i);
                self.values.insert(param, v);
            }
        }
    }

    /// Puts what makes `v` before the operation in its body, and what that reads in the place of `v`.
    fn join(&mut self, producer: Node, n: Node, v: Value, alone: bool) {
        let (own, body): (Graph, Graph) = (self.body(producer), self.body(n));
        let made = self.func[producer].args.clone();
        let own = std::mem::take(&mut self.func[own]);
        let (mut args, mut params) = (Vec::new(), Vec::new());
        let operands: Vec<(Value, Value)> =
            (self.func[n].args.iter().copied()).zip(self.func[body].params.clone()).collect();
        for (a, p) in operands {
            if a != v {
                args.push(a);
                params.push(p);
                continue;
            }
            self.values.insert(p, own.results[0]);
            // an operation on `v` alone reads it once, however often it stands there
            if !alone || args.is_empty() {
                args.extend(&made);
                params.extend(&own.params);
            }
        }
        let graph = &mut self.func[body];
        graph.nodes.splice(0..0, own.nodes);
        graph.params = params;
        let node = &mut self.func.nodes[n];
        node.args = args;
        if let (true, Op::Map { like_first, over, .. }) = (alone, &mut node.op) {
            (*like_first, *over) = (false, None);
        }
    }
}
