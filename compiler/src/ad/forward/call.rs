//! Tangents of calls: calls of the `_jvp` companion.

use super::{At, Forward};
use crate::ad::functions;
use crate::ir::{Arg, Call, Callee, Form, Func, Graph, Node, Op, ParamMode, Path, Step, Type, Value};
use proc_macro2::Ident;

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

/// Replaces each call of a companion by an ordinary call of it and the loads of its results, so that it can be
/// differentiated again by the same rule.
pub(super) fn lower(func: &mut Func) {
    let mut graphs = vec![func.root];
    while let Some(g) = graphs.pop() {
        for n in std::mem::take(&mut func[g].nodes) {
            func[g].nodes.push(n);
            graphs.extend(func[n].op.graphs());
            if let Op::CallJvp(call) = &func[n].op {
                let call = (**call).clone();
                lower_call(func, g, n, call);
            }
        }
    }
}

fn lower_call(func: &mut Func, g: Graph, n: Node, mut call: Call) {
    let outs = func[n].outs.clone();
    let span = func[n].span;
    // The return value and the new versions, then the tangent of each.
    let (primal, dots) = outs.split_at(outs.len() / 2);
    let entries = if call.unit { &dots[1..] } else { dots };
    let types: Vec<Type> = entries.iter().map(|&d| func.ty(d).clone()).collect();
    let all = match &types[..] {
        [] => Type::Unit,
        [one] => one.clone(),
        _ => Type::Tuple(types),
    };
    let pair = func.value(Type::Tuple(vec![func.ty(primal[0]).clone(), all]), None, span);
    let field = |k: usize| Step::Field(k.to_string());
    let mut loads = vec![(primal[0], vec![field(0)])];
    match entries {
        [one] => loads.push((*one, vec![field(1)])),
        _ => loads.extend(entries.iter().enumerate().map(|(k, &d)| (d, vec![field(1), field(k)]))),
    }
    call.callee = companion(&call.callee);
    call.args.extend(vec![Arg::Value; call.with_tangent().len()]);
    call.unit = false;
    func[n].op = Op::Call(Box::new(call));
    func[n].outs = [&[pair], &primal[1..]].concat();
    for (out, path) in loads {
        let load = func.node(Op::Load(Path(path)), vec![pair], vec![out], span);
        func[g].nodes.push(load);
    }
}

/// The `_jvp` companion of a callee.
fn companion(callee: &Callee) -> Callee {
    let rename = |ident: &Ident| {
        let name = ident.to_string();
        Ident::new(&format!("{}_jvp", name.trim_start_matches("r#")), ident.span())
    };
    match callee {
        Callee::Path(path) => {
            let mut path = path.clone();
            if let Some(last) = path.segments.last_mut() {
                last.ident = rename(&last.ident);
            }
            Callee::Path(path)
        }
        Callee::Method(name) => Callee::Method(rename(name)),
        Callee::Value => Callee::Value,
    }
}
