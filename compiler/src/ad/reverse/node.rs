//! The adjoint of one node.

use super::shape::one_shape;
use super::{Done, NoAdjoint, Reverse};
use crate::ir::{Call, Callee, Float, Graph, Lambda, Node, NodeData, Op, Path, Primitive, Rule, Step, Type, Value};
use crate::prims::arith;
use proc_macro2::TokenStream;
use quote::quote;

impl Reverse<'_> {
    pub(super) fn node(&mut self, n: Node, rev: Graph) -> Done {
        let data = self.f[n].clone();
        match &data.op {
            Op::If { then_, else_ } => return self.branch(&data, data.args[0], *then_, *else_, rev),
            Op::IfLet { then_, else_, .. } => {
                let taken = *data.outs.last().expect("the flag");
                return self.branch(&data, taken, *then_, *else_, rev);
            }
            Op::Loop(l) => return self.loop_(n, &data, l, rev),
            Op::Apply(g) => return self.run_again(n, &data, *g, rev),
            Op::CallVjp(call) => return self.call(&data, call, rev),
            _ => {}
        }
        if !data.outs.iter().any(|&o| self.get(o).is_some()) {
            return Ok(());
        }
        if self.aggregate(n, &data, rev)? {
            return Ok(());
        }
        let Some(g) = self.take(data.outs[0]) else { return Ok(()) };
        match &data.op {
            Op::Prim(prim) => return self.prim(prim, &data, g, rev),
            Op::Cast(_) => self.cast(&data, g, rev),
            Op::Lambda(lambda) => self.lambda(&data, lambda, g, rev),
            Op::Map { body, like_first, operator, .. } => {
                return self.map(&data, *body, *like_first, *operator, g, rev);
            }
            Op::Const(_) | Op::Empty | Op::Verbatim(_) | Op::Len | Op::VecEmpty => {}
            Op::ZeroLike | Op::ZeroOrUnit => {}
            Op::Absent | Op::IsSome | Op::Checkpoint(_) => {}
            Op::Nth { .. } | Op::Offset | Op::Steps { .. } | Op::NthStep => {}
            other => {
                return Err(NoAdjoint {
                    span: data.span,
                    what: format!("the operation {} has no adjoint", name_of(other)),
                });
            }
        }
        Ok(())
    }

    fn prim(&mut self, prim: &'static Primitive, data: &NodeData, g: Value, rev: Graph) -> Done {
        let out = data.outs[0];
        let span = data.span;
        match prim.rule {
            Rule::Zero(_) => {}
            Rule::Partials(partials) => {
                for (&x, partial) in data.args.iter().zip(partials) {
                    let Some(partial) = partial else { continue };
                    if !self.active(x) {
                        continue;
                    }
                    let mut b = self.b(rev, span);
                    let p = partial(&mut b, &data.args, out);
                    let c = b.prim(&arith::SCALE, &prim.factors(g, p));
                    self.add(rev, x, c, span);
                }
            }
            Rule::Transposes(transposes) => {
                for (&x, transpose) in data.args.iter().zip(transposes) {
                    if let Some(transpose) = transpose
                        && self.active(x)
                    {
                        let c = transpose(&mut self.b(rev, span), &data.args, g);
                        self.add(rev, x, c, span);
                    }
                }
            }
            Rule::Derivatives(derivatives) => {
                for (&x, derivative) in data.args.iter().zip(derivatives) {
                    if let Some(derivative) = derivative
                        && self.active(x)
                    {
                        let c = (derivative.reverse)(&mut self.b(rev, span), &data.args, out, g);
                        self.add(rev, x, c, span);
                    }
                }
            }
            Rule::Missing(what) => return Err(NoAdjoint { span, what: what.to_owned() }),
        }
        Ok(())
    }

    fn cast(&mut self, data: &NodeData, g: Value, rev: Graph) {
        let x = data.args[0];
        let to = match self.f.ty(x) {
            Type::Float(Float::F32) => Some((quote!(f32), Float::F32)),
            Type::Float(Float::F64 | Float::Any) => Some((quote!(f64), Float::F64)),
            _ => None,
        };
        let Op::Cast(ty) = &data.op else { return };
        let c = match to {
            Some((tokens, kind)) => self.b(rev, data.span).push(Op::Cast(tokens), vec![g], Type::Float(kind)),
            None => {
                let (ty, tangent): (TokenStream, Type) = (ty.clone(), self.f.ty(x).tangent());
                self.b(rev, data.span).push(Op::CastCotangent(ty), vec![x, g], tangent)
            }
        };
        self.add(rev, x, c, data.span);
    }

    /// The cotangent of a function is that of what it captured: of one thing itself, of several a tuple. Where the
    /// function was never called, it is one without a shape.
    fn lambda(&mut self, data: &NodeData, lambda: &Lambda, g: Value, rev: Graph) {
        let span = data.span;
        // (what it changes has its cotangent in the call that it is handed to)
        let captured: Vec<Value> = data.args.iter().zip(&lambda.active).filter(|(_, a)| **a).map(|(&x, _)| x).collect();
        for (k, &x) in captured.iter().enumerate() {
            let ty = match self.f.ty(x) {
                Type::Float(kind) => Type::Float(kind.clone()),
                _ => Type::Dyn,
            };
            let part = if captured.len() == 1 {
                self.f.values[g].ty = ty.clone();
                g
            } else {
                let path = Path(vec![Step::Field(k.to_string())]);
                self.b(rev, span).push(Op::Load(path), vec![g], ty.clone())
            };
            if ty.is_float() || *self.f.ty(x) == Type::Function {
                self.add(rev, x, part, span);
            } else {
                let old = self.cotangent_or_zero(rev, x, span);
                let ty = self.f.ty(old).clone();
                let sum = self.b(rev, span).push(Op::AddEntry, vec![old, part], ty);
                self.set(x, sum);
            }
        }
    }

    /// What an argument was before it got the type of the parameter, which is not known here.
    fn before_handing(&self, x: Value) -> Value {
        match self.defs.get(x).map(|&n| &self.f[n]) {
            Some(NodeData { op: Op::Handed(_), args, .. }) => args[0],
            _ => x,
        }
    }

    /// The option of its value, if a value is a result that is taken apart: then it is not there itself any more.
    fn taken_apart(&self, v: Value) -> Option<Value> {
        let takes = |node: &NodeData| matches!(node.op, Op::Outcome(_)) && node.args[0] == v;
        let mut nodes = self.f.nodes.iter().map(|(_, node)| node).filter(|_| *self.f.ty(v) == Type::Dyn);
        nodes.find(|node| takes(node)).map(|node| node.outs[0])
    }

    /// Whether an argument of a call of the function by itself has the type of the parameter, and so has its entry.
    fn is_own_entry(&self, x: Value, place: usize) -> bool {
        let param = self.f[self.f.root].params.get(place);
        let ty = self.f.ty(x).tangent();
        param.is_some_and(|&p| self.active(p) && self.f.ty(p).tangent() == ty)
            && (one_shape(&ty) || matches!(&ty, Type::Vec(element) if one_shape(element)))
    }

    /// Whether a value is one of unknown type with its tangent, given by the companion of a function that is handed closures.
    fn is_unseen_pair(&self, v: Value, call: &Call) -> bool {
        let unseen = |ty: &Type| matches!(ty, Type::Dyn | Type::Unit | Type::Inactive);
        !matches!(call.callee, Callee::Value)
            && (call.ordered || !call.states.is_empty())
            && matches!(self.f.ty(v), Type::Tuple(parts) if parts.iter().all(unseen))
    }

    /// Which of the variables that closures change in a call have cotangents.
    fn active_states(&self, data: &NodeData, call: &Call) -> Vec<usize> {
        let active = |k: &usize| {
            let state = call.states[*k];
            let made = self.defs.get(data.args[state.function]).map(|&n| &self.f[n].op);
            matches!(made, Some(Op::Lambda(lambda)) if lambda.active[lambda.captures + state.index])
        };
        (0..call.states.len()).filter(active).collect()
    }

    /// `(entries) = pullback(seeds)`.
    fn call(&mut self, data: &NodeData, call: &Call, rev: Graph) -> Done {
        let (results, pullback) = call.own(&data.outs).split_at(call.own(&data.outs).len() - 1);
        let after = call.after(&data.outs);
        if !call.ordered && !results.iter().chain(after).any(|&o| self.get(o).is_some()) {
            return Ok(());
        }
        let span = data.span;
        let mut args = vec![pullback[0]];
        for (i, &o) in results.iter().enumerate() {
            let seed = match (self.take(o), self.taken_apart(o)) {
                (Some(g), _) => g,
                (None, _) if i == 0 && call.unit => self.b(rev, span).unit(),
                // where there is a value, there is a cotangent of it
                (None, Some(value)) => self.b(rev, span).push(Op::ZeroOrUnit, vec![value], outcome()),
                // what a method without a companion gives need not be differentiable
                (None, None) if i == 0 && call.without.may_be() => {
                    self.b(rev, span).push(Op::ZeroOrUnit, vec![o], Type::Dyn)
                }
                // of what a companion gives beside closures only the compiler knows what has tangents
                (None, None) if self.is_unseen_pair(o, call) => {
                    self.b(rev, span).push(Op::ZeroOrUnit, vec![o], Type::Dyn)
                }
                (None, None) => self.zero(rev, o, span),
            };
            args.push(seed);
        }
        let of_states = self.active_states(data, call);
        for &k in &of_states {
            let seed = self.take(after[k]);
            args.push(match seed {
                Some(seed) => seed,
                None => self.zero(rev, after[k], span),
            });
        }
        let mut types: Vec<Type> = call.own(&data.args).iter().map(|_| Type::Dyn).collect();
        types.extend(of_states.iter().map(|&k| self.f.ty(after[k]).tangent()));
        let states = of_states.iter().map(|&k| call.states[k]).collect();
        let entries = {
            let mut b = self.b(rev, span);
            let n = b.node(Op::CallPullback(Box::new(Call { states, ..call.clone() })), args, types);
            self.f[n].outs.clone()
        };
        for (&k, &before) in of_states.iter().zip(&entries[call.own(&data.args).len()..]) {
            let x = call.before(&data.args)[k];
            if self.active(x) {
                self.add(rev, x, before, span);
            }
        }
        for (i, (&x, &entry)) in call.own(&data.args).iter().zip(&entries).enumerate() {
            let x = self.before_handing(x);
            if !self.active(x) {
                continue;
            }
            if *self.f.ty(x) == Type::Function {
                self.add(rev, x, entry, span);
                continue;
            }
            if call.itself && self.get(x).is_none() && self.is_own_entry(x, i) {
                self.f.values[entry].ty = self.f.ty(x).tangent();
                self.set(x, entry);
                continue;
            }
            let old = self.cotangent_or_zero(rev, x, span);
            let ty = self.f.ty(old).clone();
            let sum = self.b(rev, span).push(Op::AddEntry, vec![old, entry], ty);
            self.set(x, sum);
        }
        Ok(())
    }
}

/// The type of the cotangent of a result.
fn outcome() -> Type {
    Type::Option(Box::new(Type::Dyn))
}

fn name_of(op: &Op) -> String {
    let text = format!("{op:?}");
    text.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
}
