//! Adjoints of elementwise operations on arrays: maps again, with the scalar partials inside.

use super::{Done, NoAdjoint, Reverse};
use crate::ir::{Builder, Cost, Graph, NodeData, Op, Operator, Role, Rule, Type, Value};
use crate::opt::clone::clone_graph;
use crate::prims::arith;
use std::collections::HashMap;

impl Reverse<'_> {
    /// For each active operand, the map of `(g, elements…) → g·∂body/∂element`, summed down to the operand's shape.
    pub(super) fn map(
        &mut self,
        data: &NodeData,
        body: Graph,
        like_first: bool,
        operator: Option<Operator>,
        g: Value,
        rev: Graph,
    ) -> Done {
        let span = data.span;
        let operator = operator.filter(|of| of.may_be_foreign(self.f, &data.args));
        for (i, &x) in data.args.iter().enumerate() {
            if !self.active(x) || (like_first && i == 0 && !self.uses(body, i)) {
                continue;
            }
            let adjoint = clone_graph(self.f, body, &mut HashMap::new());
            let elem = match self.f.ty(g) {
                Type::NdArray(k, _) => Type::Float(k.clone()),
                Type::Float(k) => Type::Float(k.clone()),
                _ => self.f.ty(self.f[adjoint].params[i]).clone(),
            };
            let seed = self.f.value(elem, None, span);
            let xs = self.f[adjoint].params.clone();
            let result = self.f[adjoint].results[0];
            self.f[adjoint].params.insert(0, seed);
            let c = self.scalar_adjoint(adjoint, result, seed, xs[i])?;
            self.f[adjoint].results = vec![c];
            let mut args: Vec<Value> = std::iter::once(g).chain(data.args.iter().copied()).collect();
            if operator.is_none() && self.is_dear(adjoint, result) {
                // the partial is one of the result, which is there
                let known = self.f.value_like(result);
                let nodes = self.f[adjoint].nodes.clone();
                for n in nodes {
                    self.f[n].args.iter_mut().filter(|a| **a == result).for_each(|a| *a = known);
                }
                self.f[adjoint].params.push(known);
                args.push(data.outs[0]);
            }
            let ty = self.f.ty(g).clone();
            let mut b = Builder::new(self.f, rev, span);
            if let Some(operator) = operator {
                let ty = b.func.ty(x).tangent();
                let operator = Some(operator.with(Role::Bar(i)));
                let c = b.push(Op::Map { body: adjoint, like_first: true, over: None, operator }, args, ty);
                self.drop_dead(adjoint);
                self.add(rev, x, c, span);
                continue;
            }
            let whole = b.push(Op::Map { body: adjoint, like_first: true, over: None, operator: None }, args, ty);
            let ty = b.func.ty(x).tangent();
            let c = b.push(Op::Unbroadcast, vec![whole, x], ty);
            self.trim(rev);
            self.add(rev, x, c, span);
        }
        Ok(())
    }

    /// Whether a value is costly to compute again.
    fn is_dear(&self, graph: Graph, v: Value) -> bool {
        self.f[graph].nodes.iter().any(|&n| {
            let node = &self.f[n];
            node.outs[..] == [v] && matches!(node.op, Op::Prim(prim) if prim.cost >= Cost::Transcendental)
        })
    }

    /// Whether a graph uses its i-th parameter.
    fn uses(&self, body: Graph, i: usize) -> bool {
        let p = self.f[body].params[i];
        let mut used = self.f[body].results.contains(&p);
        self.f.walk(body, &mut |_, n| used |= self.f[n].args.contains(&p));
        used
    }

    /// Drops the operands of the map before the last node that its body does not use.
    fn trim(&mut self, rev: Graph) {
        let nodes = &self.f[rev].nodes;
        let n = nodes[nodes.len() - 2];
        let Op::Map { body, .. } = self.f[n].op else { return };
        for i in (1..self.f[n].args.len()).rev() {
            // nodes of the primal formula that nothing needs are dropped later; look through them
            if !self.needs(body, i) {
                self.f[n].args.remove(i);
                self.f[body].params.remove(i);
            }
        }
        self.drop_dead(body);
    }

    /// Whether the result of a straight-line body depends on its i-th parameter.
    fn needs(&self, body: Graph, i: usize) -> bool {
        let p = self.f[body].params[i];
        let mut live: Vec<Value> = self.f[body].results.clone();
        for &n in self.f[body].nodes.iter().rev() {
            if self.f[n].outs.iter().any(|o| live.contains(o)) {
                live.extend(&self.f[n].args);
                for g in self.f[n].op.graphs() {
                    live.extend(self.f.free(g));
                }
            }
        }
        live.contains(&p)
    }

    fn drop_dead(&mut self, body: Graph) {
        let mut live: Vec<Value> = self.f[body].results.clone();
        let mut kept = Vec::new();
        for &n in self.f[body].nodes.clone().iter().rev() {
            if self.f[n].outs.iter().any(|o| live.contains(o)) {
                live.extend(self.f[n].args.clone());
                for g in self.f[n].op.graphs() {
                    live.extend(self.f.free(g));
                }
                kept.push(n);
            }
        }
        kept.reverse();
        self.f[body].nodes = kept;
    }

    /// In a straight-line scalar graph, the cotangent of `x` from that of its result.
    fn scalar_adjoint(&mut self, graph: Graph, result: Value, seed: Value, x: Value) -> Result<Value, NoAdjoint> {
        let mut cotangents: HashMap<Value, Value> = HashMap::from([(result, seed)]);
        for n in self.f[graph].nodes.clone().into_iter().rev() {
            let data = self.f[n].clone();
            let Some(&out) = data.outs.first() else { continue };
            let Some(g) = cotangents.remove(&out) else { continue };
            let prim = match &data.op {
                Op::Prim(prim) => *prim,
                Op::Const(_) => continue,
                // from an integer
                Op::Cast(_) if !self.f.ty(data.args[0]).can_be_active() => continue,
                Op::If { .. } | Op::Loop(_) => {
                    return Err(NoAdjoint {
                        span: data.span,
                        what: "a branch or a loop in a closure over array elements is not supported yet".to_owned(),
                    });
                }
                Op::Verbatim(v) if v.uses.is_empty() => continue,
                _ => {
                    return Err(NoAdjoint {
                        span: data.span,
                        what: "this operation in a closure over array elements is not supported yet".to_owned(),
                    });
                }
            };
            let contributions: Vec<(Value, Value)> = match prim.rule {
                Rule::Zero(_) => vec![],
                Rule::Partials(partials) => data
                    .args
                    .iter()
                    .zip(partials)
                    .filter_map(|(&a, p)| p.map(|p| (a, p)))
                    .map(|(a, partial)| {
                        let mut b = Builder::new(self.f, graph, data.span);
                        let p = partial(&mut b, &data.args, out);
                        (a, b.prim(&arith::SCALE, &prim.factors(g, p)))
                    })
                    .collect(),
                Rule::Transposes(transposes) => data
                    .args
                    .iter()
                    .zip(transposes)
                    .filter_map(|(&a, t)| t.map(|t| (a, t)))
                    .map(|(a, t)| (a, t(&mut Builder::new(self.f, graph, data.span), &data.args, g)))
                    .collect(),
                Rule::Derivatives(_) | Rule::Missing(_) => {
                    return Err(NoAdjoint {
                        span: data.span,
                        what: "this operation in a closure over array elements is not supported yet".to_owned(),
                    });
                }
            };
            for (a, c) in contributions {
                let sum = match cotangents.get(&a) {
                    Some(&old) => Builder::new(self.f, graph, data.span).prim(&arith::ADD, &[old, c]),
                    None => c,
                };
                cotangents.insert(a, sum);
            }
        }
        Ok(match cotangents.get(&x) {
            Some(&c) => c,
            None => Builder::new(self.f, graph, proc_macro2::Span::call_site()).float_like(0.0, seed),
        })
    }
}
