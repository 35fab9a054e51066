//! Tangent programs as programs that can be differentiated again.
//!
//! A tangent program is a function of parameters and tangents; what it calls are functions as well. So the derivatives of
//! a derivative need no rules of their own: [`function`] gives a tangent program the parameters and the one result of
//! the companion `f_jvp`, and `lower` makes calls of companions ordinary calls of functions that are called so.

use crate::ir::substitute::Substitution;
use crate::ir::{
    Arg, Builder, Call, Callee, Const, Form, Func, Graph, Lambda, Node, Op, ParamMode, Path, Step, Type, Value,
};
use crate::syntax::signature::{By, Component, Signature};
use proc_macro2::{Ident, Span};

/// The tangents of the results that have one by the signature, among the results of a tangent program: one for each
/// component.
pub fn tangents(func: &Func, sig: &Signature) -> Vec<Option<Value>> {
    let primal = 1 + sig.params.iter().filter(|p| p.by == By::RefMut).count();
    let (values, dots) = func[func.root].results.split_at(primal);
    let components = sig.components();
    let index = |c: &Component| match c {
        Component::Return => 0,
        Component::Final(i) => 1 + sig.params[..*i].iter().filter(|p| p.by == By::RefMut).count(),
    };
    // a tangent for each result that can have one by its type, or for those only that have one by the signature too
    let by_type = |c: &Component| func.ty(values[index(c)]).can_be_active();
    let by_both = |c: &Component| by_type(c) && sig.component_differentiable(*c);
    let wide = components.iter().filter(|c| by_type(c)).count() == dots.len();
    let mut dots = dots.iter();
    let tangents = components.iter().map(|c| {
        let dot = if wide { by_type(c) } else { by_both(c) }.then(|| dots.next()).flatten();
        dot.filter(|_| sig.component_differentiable(*c)).copied()
    });
    tangents.collect()
}

/// A tangent program of the function with a signature as the function `f_jvp`: a parameter for each tangent, also where
/// it is ignored, and the value and the tangent in one result.
pub fn function(forward: &Func, sig: &Signature) -> Func {
    let mut func = forward.clone();
    func.name = sig.companion("jvp").to_string();
    let (root, span) = (func.root, Span::call_site());
    let tangents = tangents(&func, sig);
    let own = sig.params.len();
    let mut dots = func[root].params.split_off(own).into_iter();
    for param in sig.params.iter().filter(|param| param.function.is_none()) {
        let dot = if param.differentiable { dots.next() } else { None };
        let dot = dot.unwrap_or_else(|| func.value(Type::Inactive, None, span));
        func[root].params.push(dot);
    }
    func.modes.resize(func[root].params.len(), ParamMode::Value);
    let primal = 1 + func.modes.iter().filter(|mode| **mode == ParamMode::RefMut).count();
    pair(&mut func, primal, tangents);
    func
}

/// Makes the value and the tangents of a root graph one result. `primal`: how many results there are besides tangents.
fn pair(func: &mut Func, primal: usize, tangents: Vec<Option<Value>>) {
    let (root, span) = (func.root, Span::call_site());
    let mut results = std::mem::take(&mut func[root].results);
    results.truncate(primal);
    let mut b = Builder::new(func, root, span);
    let parts: Vec<Value> = tangents.into_iter().map(|dot| dot.unwrap_or_else(|| b.unit())).collect();
    let tangent = match parts[..] {
        [] => b.unit(),
        [alone] => alone,
        _ => tuple(&mut b, &parts),
    };
    results[0] = tuple(&mut b, &[results[0], tangent]);
    func[root].results = results;
}

fn tuple(b: &mut Builder<'_>, parts: &[Value]) -> Value {
    let types = parts.iter().map(|&v| b.func.ty(v).clone()).collect();
    b.push(Op::Tuple, parts.to_vec(), Type::Tuple(types))
}

/// Replaces each call of a companion by an ordinary call of it and the loads of its results, and closures that give the
/// tangents of their values by closures that give pairs.
pub(super) fn lower(func: &mut Func) {
    let mut graphs = vec![func.root];
    let mut read = Substitution::default();
    while let Some(g) = graphs.pop() {
        for n in std::mem::take(&mut func[g].nodes) {
            func[g].nodes.push(n);
            graphs.extend(func[n].op.graphs());
            match &mut func.nodes[n].op {
                Op::CallJvp(call) => {
                    let call = (**call).clone();
                    lower_call(func, g, n, call, &mut read);
                }
                Op::Lambda(lambda) if lambda.form == Form::Jvp => lower_lambda(lambda),
                _ => {}
            }
        }
    }
    read.apply_to(func, func.root);
}

fn lower_call(func: &mut Func, g: Graph, n: Node, mut call: Call, read: &mut Substitution) {
    let mut outs = call.own(&func[n].outs).to_vec();
    if !call.unit && call.doubts.contains(&0) && matches!(call.callee, Callee::Method(_)) {
        // a receiver in doubt of a call whose value is used is taken to be read
        let new = (outs.remove(1 + outs.len() / 2), outs.remove(1));
        let args = &func[n].args;
        read.insert(new.0, args[call.args.len()]);
        read.insert(new.1, args[0]);
        call.args[0] = Arg::Ref;
    }
    let after = call.after(&func[n].outs).to_vec();
    let span = func[n].span;
    // The return value and the new versions, then the tangent of each.
    let (primal, dots) = outs.split_at(outs.len() / 2);
    if call.perhaps {
        return lower_perhaps(func, g, n, call);
    }
    if call.unit && primal.len() == 1 {
        // whatever it returns, nothing is used but what closures change
        handed(func, g, n, &call);
        call.callee = companion(&call.callee);
        call.args.extend(vec![Arg::Value; call.with_tangent().len()]);
        call.itself = false;
        func[n].op = Op::Call(Box::new(call));
        func[n].outs = [primal, &after[..]].concat();
        let unit = func.node(Op::Const(Const::Unit), vec![], vec![dots[0]], span);
        func[g].nodes.push(unit);
        return;
    }
    let entries = if call.unit { &dots[1..] } else { dots };
    // what the call changes may have a tangent of another type there
    let first = entries.len() - (primal.len() - 1);
    let mut parts: Vec<Value> = entries.to_vec();
    for part in &mut parts[first..] {
        if func.ty(*part).may_differ() || matches!(func.ty(*part), Type::Dyn | Type::Boxed(_)) {
            *part = func.value(Type::Dyn, None, span);
        }
    }
    let types: Vec<Type> = parts.iter().map(|&d| func.ty(d).clone()).collect();
    let all = match &types[..] {
        [] => Type::Unit,
        [one] => one.clone(),
        _ => Type::Tuple(types),
    };
    let pair = func.value(Type::Tuple(vec![func.ty(primal[0]).clone(), all]), None, span);
    let field = |k: usize| Step::Field(k.to_string());
    let mut loads = vec![(primal[0], vec![field(0)])];
    match parts[..] {
        [one] => loads.push((one, vec![field(1)])),
        _ => loads.extend(parts.iter().enumerate().map(|(k, &d)| (d, vec![field(1), field(k)]))),
    }
    let restored: Vec<(Value, Value, Value)> = (first..parts.len())
        .filter(|&k| parts[k] != entries[k])
        .map(|k| (parts[k], primal[1 + k - first], entries[k]))
        .collect();
    handed(func, g, n, &call);
    call.callee = companion(&call.callee);
    call.args.extend(vec![Arg::Value; call.with_tangent().len()]);
    (call.unit, call.itself) = (false, false);
    call.doubts.clear();
    func[n].op = Op::Call(Box::new(call));
    func[n].outs = [&[pair], &primal[1..], &after[..]].concat();
    for (out, path) in loads {
        let load = func.node(Op::Load(Path(path)), vec![pair], vec![out], span);
        func[g].nodes.push(load);
    }
    for (part, new, dot) in restored {
        let restore = func.node(Op::Restored, vec![part, new], vec![dot], span);
        func[g].nodes.push(restore);
    }
}

/// Lets the tangents among the operands of a call be as its parameters want them.
fn handed(func: &mut Func, g: Graph, n: Node, call: &Call) {
    let span = func[n].span;
    let own = call.args.len();
    let at = func[g].nodes.iter().position(|&m| m == n).expect("the call is in its graph");
    let mut before = Vec::new();
    for (k, i) in call.with_tangent().into_iter().enumerate() {
        let (dot, primal) = (func[n].args[own + k], func[n].args[i]);
        let other = match func.ty(dot) {
            Type::Array(_) => call.args[i] != Arg::Value,
            Type::Dyn | Type::Boxed(_) => call.args[i] == Arg::Ref,
            _ => false,
        };
        if other {
            let argument = func.value(Type::Dyn, None, span);
            before.push(func.node(Op::Handed(call.args[i]), vec![dot, primal], vec![argument], span));
            func[n].args[own + k] = argument;
        }
    }
    func[g].nodes.splice(at..at, before);
}

/// The same for a method that may change `self` or not.
fn lower_perhaps(func: &mut Func, g: Graph, n: Node, mut call: Call) {
    let (outs, span) = (call.own(&func[n].outs).to_vec(), func[n].span);
    let left = call.after(&func[n].outs).to_vec();
    let [y, after, y_dot, after_dot] = outs[..] else { unreachable!("the value and the receiver, and their tangents") };
    let changed = call.with_tangent().into_iter().position(|i| call.args[i] == Arg::RefMut);
    let own = func[n].args[call.args.len() + changed.expect("one may be changed")];
    handed(func, g, n, &call);
    let pair = func.value(Type::Dyn, None, span);
    call.itself = false;
    call.callee = companion(&call.callee);
    call.args.extend(vec![Arg::Value; call.with_tangent().len()]);
    func[n].op = Op::Call(Box::new(call));
    func[n].outs = [&[pair, after], &left[..]].concat();
    let load = func.node(Op::Load(Path(vec![Step::Field("0".to_owned())])), vec![pair], vec![y], span);
    let split = func.node(Op::SplitDots, vec![pair, own], vec![y_dot, after_dot], span);
    func[g].nodes.extend([load, split]);
}

/// A closure that gives its value and the tangent of that as one that gives a pair.
fn lower_lambda(lambda: &mut Lambda) {
    let func = &mut lambda.func;
    let root = func.root;
    let own = lambda.types.len();
    let first = lambda.captures + lambda.states;
    let mut dots = func[root].params.split_off(first + own).into_iter();
    for &active in &lambda.active[first..] {
        let dot = if active { dots.next() } else { None };
        let dot = dot.unwrap_or_else(|| func.value(Type::Inactive, None, Span::call_site()));
        func[root].params.push(dot);
    }
    lambda.types.resize(2 * own, None);
    func.modes.resize(func[root].params.len(), ParamMode::Value);
    let mut results = func[root].results.clone();
    let left = results.split_off(results.len() - lambda.states);
    // the tangents are those of the results that can have one
    let primal = (0..results.len()).find(|&k| k + active(func, &results[..k]) == results.len());
    let (values, dots) = results.split_at(primal.unwrap_or(1));
    let mut dots = dots.iter();
    let mut tangents = Vec::new();
    for (k, &v) in values.iter().enumerate() {
        match if func.ty(v).can_be_active() { dots.next() } else { None } {
            Some(&dot) => tangents.push(Some(dot)),
            None if k == 0 && *func.ty(v) == Type::Unit => {}
            None => tangents.push(None),
        }
    }
    let primal = values.len();
    pair(func, primal, tangents);
    func[root].results.extend(left);
    lambda.form = Form::Plain;
    lambda.active.resize(func[root].params.len(), false);
}

fn active(func: &Func, values: &[Value]) -> usize {
    values.iter().filter(|&&v| func.ty(v).can_be_active()).count()
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
            if let Some(last) = path.path.segments.last_mut() {
                last.ident = rename(&last.ident);
            }
            Callee::Path(path)
        }
        Callee::Method(name) => Callee::Method(rename(name)),
        Callee::Value => Callee::Value,
    }
}
