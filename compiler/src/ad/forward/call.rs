//! Tangents of calls: calls of the `_jvp` companion.

use super::{At, Forward};
use crate::ad::functions;
use crate::ir::{Form, Node, Op, ParamMode, Type, Value};

impl Forward<'_> {
    /// Appends a call, or that of the companion if the result is active.
    pub(super) fn call(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        let Op::Call(call) = node.op else { return };
        if self.handed.calls.contains_idx(n) {
            let dots = call.with_tangent().into_iter().map(|i| node.args[i]).map(|a| match self.func.ty(a) {
                // the parameter may be of a type without tangents
                Type::Dyn if self.dot(a).is_none() => self.push(at, Op::ZeroOrUnit, vec![a], Type::Dyn),
                _ => self.entry(at, a),
            });
            let dots: Vec<Value> = dots.collect();
            self.func[n].op = Op::CallJvp(call);
            self.func[n].args.extend(dots);
            for &out in &node.outs {
                let dot = self.dot_value(out);
                self.func[n].outs.push(dot);
                if self.func.ty(out).can_be_active() {
                    self.dots.insert(out, dot);
                }
            }
        }
        self.func[at.graph].nodes.push(n);
    }

    /// Appends a closure that is handed to a function: one that gives the tangent of its value as well, if the call is
    /// one of a companion. It captures the tangents of what it captures.
    pub(super) fn lambda(&mut self, at: At, n: Node) {
        let node = self.func[n].clone();
        if let (true, Op::Lambda(mut lambda)) = (self.handed.lambdas.contains_idx(n), node.op) {
            let captured: Vec<bool> = node.args.iter().map(|&a| self.activity.is_active(a)).collect();
            lambda.active = functions::active_params(&lambda.func, &captured);
            let count = lambda.func[lambda.func.root].params.len();
            match super::forward(&lambda.func, &lambda.active) {
                Ok(func) => lambda.func = func,
                Err(missing) => {
                    self.missing.get_or_insert(missing);
                    return;
                }
            }
            let mut dots = Vec::new();
            for (&a, _) in node.args.iter().zip(&captured).filter(|(_, active)| **active) {
                if *self.func.ty(a) != Type::Function {
                    dots.push(self.dot_or_zero(at, a));
                }
            }
            // captured tangents come after the captured values
            let root = lambda.func.root;
            let mut params = lambda.func[root].params.clone();
            let moved: Vec<Value> = params.drain(count..count + dots.len()).collect();
            params.splice(lambda.captures..lambda.captures, moved);
            lambda.func[root].params = params;
            lambda.func.modes = vec![ParamMode::Value; lambda.func[root].params.len()];
            let own = lambda.active.split_off(lambda.captures);
            lambda.captures += dots.len();
            lambda.active.resize(lambda.captures, false);
            lambda.active.extend(own);
            lambda.form = Form::Jvp;
            self.func[n].args.extend(dots);
            self.func[n].op = Op::Lambda(lambda);
        }
        self.func[at.graph].nodes.push(n);
    }
}
