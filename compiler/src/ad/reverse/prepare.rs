//! What the primal must leave behind so that it can be undone: how often a loop ran, which arm an `if let` took, the
//! pullbacks of calls.

use super::NoAdjoint;
use crate::ad::functions::{self, Handed};
use crate::ad::twice;
use crate::infer::activity::Activity;
use crate::ir::{Arg, Builder, Call, Const, Form, Func, Graph, LoopKind, Node, Op, ParamMode, Type, Value};
use crate::prims::arith;

/// Adds trip counts to loops whose number of iterations is not that of a range, and a flag to every `if let`.
pub(super) fn run(func: &mut Func) {
    twice::lower(func);
    let mut nodes = Vec::new();
    func.walk(func.root, &mut |g, n| nodes.push((g, n)));
    for (g, n) in nodes {
        match func[n].op.clone() {
            Op::Loop(l) if !counted(&l.kind, l.exits) => count(func, g, n),
            Op::IfLet { then_, else_, .. } => {
                for (arm, taken) in [(then_, true), (else_, false)] {
                    let span = func[n].span;
                    let v = Builder::new(func, arm, span).bool(taken);
                    func[arm].results.push(v);
                }
                let span = func[n].span;
                let out = func.value(Type::Bool, Some("taken".to_owned()), span);
                func[n].outs.push(out);
            }
            _ => {}
        }
    }
}

/// Whether a loop runs once for each number of its range.
pub(super) fn counted(kind: &LoopKind, exits: bool) -> bool {
    matches!(kind, LoopKind::For { .. }) && !exits
}

/// Gives a loop a carried counter, its last result.
fn count(func: &mut Func, graph: Graph, n: Node) {
    let span = func[n].span;
    let Op::Loop(l) = func[n].op.clone() else { return };
    // the initial zero stands right before the loop
    let zero = func.value(Type::USIZE, None, span);
    let init = func.node(Op::Const(Const::Int("0".to_owned())), vec![], vec![zero], span);
    let at = func[graph].nodes.iter().position(|m| *m == n).expect("the node is in its graph");
    func[graph].nodes.insert(at, init);
    func[n].args.push(zero);

    let name = || Some("trips".to_owned());
    let before = func.value(Type::USIZE, name(), span);
    func[l.body].params.push(before);
    let mut b = Builder::new(func, l.body, span);
    let one = b.int(1);
    let after = b.prim(&arith::ADD, &[before, one]);
    func[l.body].results.push(after);
    if let LoopKind::While { cond } = l.kind {
        let p = func.value(Type::USIZE, name(), span);
        func[cond].params.push(p);
    }
    let out = func.value(Type::USIZE, name(), span);
    func[n].outs.push(out);
}

/// Makes calls with active results calls of the `_vjp` companion, whose last result is the pullback.
///
/// # Errors
/// If a closure that is handed to such a call has no adjoint.
pub(super) fn calls(func: &mut Func, activity: &Activity) -> Result<(), NoAdjoint> {
    let handed = Handed::find(func, activity);
    for n in handed.lambdas.iter().map(|(n, ())| n).collect::<Vec<_>>() {
        let Op::Lambda(lambda) = &func[n].op else { continue };
        let active = functions::active_in(func, n, lambda, activity);
        let Op::Lambda(lambda) = &mut func.nodes[n].op else { continue };
        lambda.active = active;
        let useful = lambda.useful();
        lambda.func = super::reverse(&lambda.func, &lambda.active, &useful)?;
        lambda.form = Form::Vjp;
    }
    for n in handed.calls.iter().map(|(n, ())| n).collect::<Vec<_>>() {
        let Op::Call(mut call) = func[n].op.clone() else { continue };
        call.without = functions::without_companion(func, n, &call, activity);
        call.keepers.clear();
        let span = func[n].span;
        // what a call of the function itself leaves is found by its position
        let ty = if call.itself && !holds(func, n, &call) { Type::USIZE } else { Type::Pullback };
        let pullback = func.value(ty, Some("pullback".to_owned()), span);
        let own = call.own(&func[n].outs).len();
        func[n].op = Op::CallVjp(call);
        func[n].outs.insert(own, pullback);
    }
    Ok(())
}

/// Whether the pullback of a call must own something, because the call is lent what only this function has.
fn holds(func: &Func, n: Node, call: &Call) -> bool {
    let lent = |v: Value| {
        let mut root = v;
        while let Some(n) = func.maker(root)
            && let Op::Load(_) = func[n].op
        {
            root = func[n].args[0];
        }
        let params = &func[func.root].params;
        params.iter().position(|&p| p == root).is_some_and(|k| func.modes[k] == ParamMode::Ref)
    };
    call.args.iter().zip(&func[n].args).any(|(mode, &v)| match mode {
        Arg::Ref | Arg::View => !lent(v) || func.shows_copy(v),
        // the view that is referred to is this function's
        Arg::RefView => true,
        _ => false,
    })
}
