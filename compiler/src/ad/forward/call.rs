//! Tangents of calls: calls of the `_jvp` companion.

use super::{At, Forward};
use crate::ad::functions;
use crate::ir::{Form, Node, Op, ParamMode, State, Type, Value};

/// Whether a type is one of which only the compiler knows whether it has tangents.
fn is_unseen(ty: &Type) -> bool {
    match ty {
        Type::Dyn => true,
        Type::Array(t) | Type::Vec(t) | Type::Boxed(t) => is_unseen(t),
        _ => false,
    }
}

impl Forward<'_> {
    /// Appends a call, or that of the companion if the result is active.
    pub(super) fn call(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        let Op::Call(call) = node.op else { return };
        if self.handed.calls.contains_idx(n) {
            let dots = call.with_tangent().into_iter().map(|i| node.args[i]).map(|a| match self.func.ty(a) {
                // the parameter may be of a type without tangents
                ty if is_unseen(ty) && self.dot(a).is_none() => self.push(at, Op::ZeroOrUnit, vec![a], Type::Dyn),
                _ => self.entry(at, a),
            });
            let dots: Vec<Value> = dots.collect();
            let (mut args, mut outs) = (call.own(&node.args).to_vec(), call.own(&node.outs).to_vec());
            args.extend(dots);
            for &out in call.own(&node.outs) {
                let dot = self.dot_value(out);
                outs.push(dot);
                if self.func.ty(out).can_be_active() {
                    self.dots.insert(out, dot);
                }
            }
            // then what closures change, and the tangents of that
            let (before, after) = (call.before(&node.args).to_vec(), call.after(&node.outs).to_vec());
            args.extend(&before);
            outs.extend(&after);
            let mut call = call;
            call.without = functions::without_companion(self.func, n, &call, &self.activity);
            call.keepers.clear();
            for k in 0..call.states.len() {
                let state = call.states[k];
                let Some(index) = self.state_dots.get(node.args[state.function]).and_then(|of| of[state.index]) else {
                    continue;
                };
                args.push(self.owned_dot(at, before[k]));
                let dot = self.dot_value(after[k]);
                outs.push(dot);
                self.dots.insert(after[k], dot);
                call.states.push(State { index, ..state });
            }
            self.func[n].op = Op::CallJvp(call);
            self.func[n].args = args;
            self.func[n].outs = outs;
        }
        self.func[at.graph].nodes.push(n);
    }

    /// Appends a closure that is handed to a function: one that gives the tangent of its value as well, if the call is
    /// one of a companion. It captures the tangents of what it captures.
    pub(super) fn lambda(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        if let (true, Op::Lambda(mut lambda)) = (self.handed.lambdas.contains_idx(n), node.op) {
            lambda.active = functions::active_in(self.func, n, &lambda, &self.activity);
            let count = lambda.func[lambda.func.root].params.len();
            let of_results = lambda.useful();
            let of_states = lambda.active[lambda.variables()].to_vec();
            match super::forward_to(&lambda.func, &lambda.active, &of_results) {
                Ok(func) => lambda.func = func,
                Err(missing) => {
                    self.missing.get_or_insert(missing);
                    return;
                }
            }
            let mut dots = Vec::new();
            for (&a, _) in node.args.iter().zip(&lambda.active).filter(|(_, active)| **active) {
                if *self.func.ty(a) != Type::Function {
                    dots.push(self.dot_or_zero(at, a));
                }
            }
            // the tangents of what it captures, and of what it changes, come after those values
            let root = lambda.func.root;
            let mut params = lambda.func[root].params.clone();
            let (captures, states) = (lambda.captures, lambda.states);
            let changed = of_states.iter().filter(|active| **active).count();
            let moved: Vec<Value> = params.drain(count..count + dots.len() + changed).collect();
            let (of_captured, of_changed) = moved.split_at(dots.len());
            params.splice(captures + states..captures + states, of_changed.iter().copied());
            params.splice(captures..captures, of_captured.iter().copied());
            lambda.func[root].params = params;
            lambda.func.modes = vec![ParamMode::Value; lambda.func[root].params.len()];
            // and so do those of what it leaves
            let mut results = lambda.func[root].results.clone();
            let own = of_results.len() - states;
            let left: Vec<Value> = results.drain(own..own + states).collect();
            let dots_left = results.split_off(results.len() - changed);
            lambda.func[root].results = [results, left, dots_left].concat();
            let own = lambda.active.split_off(captures + states);
            lambda.captures += dots.len();
            lambda.states += changed;
            lambda.active.resize(lambda.captures + lambda.states, false);
            lambda.active.extend(own);
            lambda.form = Form::Jvp;
            let mut next = states;
            let of_dots = of_states.into_iter().map(|active| {
                active.then(|| {
                    next += 1;
                    next - 1
                })
            });
            self.state_dots.insert(node.outs[0], of_dots.collect());
            self.func[n].args.extend(dots);
            self.func[n].op = Op::Lambda(lambda);
        }
        self.func[at.graph].nodes.push(n);
    }
}
