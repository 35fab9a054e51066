//! Tangents through branches, loops and elementwise maps.

use super::{At, Forward};
use crate::ir::{Graph, LoopKind, Node, NodeData, Op, Operator, Role, Value};
use crate::opt::clone::clone_graph;
use std::collections::HashMap;

impl Forward<'_> {
    /// Appends a branch with further results: the tangents of its active ones.
    pub(super) fn branch(&mut self, at: At, n: Node) {
        let outs = self.func[n].outs.clone();
        let active: Vec<usize> = (0..outs.len()).filter(|&i| self.activity.is_active(outs[i])).collect();
        self.func[at.graph].nodes.push(n);
        let [then_, else_] = self.func[n].op.graphs()[..] else { return };
        if active.is_empty() && ![then_, else_].iter().any(|&arm| self.is_entered(arm)) {
            return;
        }
        if let Op::IfLet { parts, .. } = self.func[n].op.clone()
            && let Some(root) = self.dot(self.func[n].args[0])
        {
            // what a pattern binds is a part of the scrutinee, and so are the tangents
            let own = std::mem::take(&mut self.func[then_].nodes);
            for (p, part) in self.func[then_].params.clone().into_iter().zip(parts) {
                if self.activity.is_active(p) {
                    let at = At { graph: then_, ..at };
                    let loaded = self.builder(at).load(root, &part, &[]);
                    let dot = self.of_part(at, p, &part, loaded);
                    self.dots.insert(p, dot);
                }
            }
            self.func[then_].nodes.extend(own);
        }
        for g in [then_, else_] {
            self.graph(g);
        }
        for i in active {
            let dots = [then_, else_].map(|graph| {
                let result = self.func[graph].results[i];
                self.dot_or_zero(At { graph, ..at }, result)
            });
            // Slices stay slices only if both arms have them.
            let agree = self.func.ty(dots[0]) == self.func.ty(dots[1]);
            for (graph, dot) in [then_, else_].into_iter().zip(dots) {
                let dot = if agree { dot } else { self.owned(At { graph, ..at }, dot) };
                self.func[graph].results.push(dot);
            }
            let dot = self.dot_value(outs[i]);
            if agree {
                self.func.values[dot].ty = self.func.ty(dots[0]).clone();
            }
            self.func[n].outs.push(dot);
            self.dots.insert(outs[i], dot);
        }
    }

    /// Whether there is something to do in a graph that gives nothing active: a call that must be one of a companion.
    fn is_entered(&self, g: Graph) -> bool {
        self.func.is_ordered(g) || self.func.any(g, |n| self.handed.calls.contains_idx(n))
    }

    /// Appends a loop that also carries the tangents of its active values.
    pub(super) fn repeat(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        let Op::Loop(l) = node.op else { return };
        let (operands, bindings, exits) = (l.kind.operands(), l.kind.bindings(), usize::from(l.exits));
        let params = self.func[l.body].params[bindings..].to_vec();
        let active: Vec<usize> = (0..params.len()).filter(|&i| self.activity.is_active(params[i])).collect();
        for &i in &active {
            let init = self.owned_dot(at, node.args[operands + i]);
            self.func[n].args.push(init);
            self.param(l.body, params[i]);
            if let LoopKind::While { cond } = l.kind {
                let dot = self.dot_value(params[i]);
                self.func[cond].params.push(dot);
            }
        }
        self.func[at.graph].nodes.push(n);
        if let LoopKind::While { cond } = l.kind
            && self.is_entered(cond)
        {
            self.graph(cond);
        }
        if active.is_empty() && !self.is_entered(l.body) {
            return;
        }
        self.graph(l.body);
        for i in active {
            let result = self.func[l.body].results[exits + i];
            let dot = self.owned_dot(At { graph: l.body, ..at }, result);
            self.func[l.body].results.push(dot);
            let dot = self.dot_value(node.outs[i]);
            self.func[n].outs.push(dot);
            self.dots.insert(node.outs[i], dot);
        }
    }

    /// Appends the tangent of an elementwise map: a map of the values and their tangents. Where those are more than a map
    /// can take, a sum of maps with the tangent of one operand each.
    pub(super) fn map(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        let Op::Map { body, operator, .. } = node.op else { return };
        let operator = operator.filter(|of| of.may_be_foreign(self.func, &node.args));
        let moves = |i: &usize| {
            let element = self.func[body].params[*i];
            self.dot(node.args[*i]).is_some() && self.activity.is_active(element)
        };
        let moving: Vec<usize> = (0..node.args.len()).filter(moves).collect();
        let parts: Vec<&[usize]> = match moving.len() {
            0 => vec![&[]],
            count if node.args.len() + count <= MOST_OPERANDS && operator.is_none() => vec![&moving],
            _ => moving.chunks(1).collect(),
        };
        let mut sum = None;
        for part in parts {
            let along = operator.zip(part.first()).map(|(of, &operand)| of.with(Role::Dot(operand)));
            let dot = self.map_along(at, &node, along, part);
            let ty = self.func.ty(dot).clone();
            sum = Some(match sum {
                None => dot,
                Some(sum) => self.push(at, Op::AddEntry, vec![sum, dot], ty),
            });
        }
        self.set(node.outs[0], sum.expect("there is a part"));
    }

    /// The tangent of a map along the tangents of some of its operands.
    fn map_along(&mut self, at: At, node: &NodeData, operator: Option<Operator>, moving: &[usize]) -> Value {
        let Op::Map { body, like_first, .. } = node.op else { unreachable!("a map") };
        let mut copies = HashMap::new();
        let copy = clone_graph(self.func, body, &mut copies);
        for (&from, &to) in &copies {
            self.activity.copy(from, to);
        }
        let mut args = node.args.clone();
        for &i in moving {
            let element = self.func[copy].params[i];
            args.extend(self.dot(node.args[i]));
            self.param(copy, element);
        }
        self.graph(copy);
        let result = self.func[copy].results[0];
        let dot = self.dot_or_zero(At { graph: copy, ..at }, result);
        self.func[copy].results = vec![dot];
        let ty = self.func.ty(node.outs[0]).tangent();
        self.push(at, Op::Map { body: copy, like_first, over: None, operator }, args, ty)
    }
}

/// The operands that there are operations of the runtime for.
const MOST_OPERANDS: usize = 4;
