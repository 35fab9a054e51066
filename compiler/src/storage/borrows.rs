//! Pullbacks that would borrow a variable of the function.
//!
//! The pullback of a call borrows what the function borrows. Where an argument is a reference to something that the
//! caller of our function lends us, our own pullback may hold on to it. A reference to a local variable must not outlive
//! the function: such a call is made without its companion in the forward sweep,
//!
//! ```text
//! y = call g(&u)                    y, p = call_vjp g(&u)
//! ```
//!
//! and with it where the pullback is called, from the values of its arguments, which are then kept or computed again like
//! all others. Runs before it is decided what is kept.

use crate::ir::{Arg, Func, Node, Op, ParamMode, Type, Value};
use la_arena::ArenaMap;

/// Moves calls of companions whose pullbacks would borrow locals to where those are called.
pub(super) fn run(func: &mut Func) {
    let mut defs: ArenaMap<Value, Node> = ArenaMap::default();
    let (mut calls, mut uses) = (Vec::new(), Vec::new());
    func.walk(func.root, &mut |g, n| {
        for &o in &func[n].outs {
            defs.insert(o, n);
        }
        match func[n].op {
            Op::CallVjp(_) => calls.push(n),
            Op::CallPullback(_) => uses.push((g, n)),
            _ => {}
        }
    });
    for n in calls {
        if !borrows_local(func, &defs, n) {
            continue;
        }
        let data = func[n].clone();
        let Op::CallVjp(call) = data.op else { continue };
        let Some(&pullback) = data.outs.last() else { continue };
        for &(g, user) in &uses {
            if func[user].args[0] != pullback {
                continue;
            }
            let outs: Vec<Value> = data.outs.iter().map(|&o| func.value_like(o)).collect();
            let again = outs[outs.len() - 1];
            let node = func.node(Op::CallVjp(call.clone()), data.args.clone(), outs, data.span);
            func[user].args[0] = again;
            let nodes = &mut func[g].nodes;
            let at = nodes.iter().position(|&m| m == user).unwrap_or(0);
            nodes.insert(at, node);
        }
        func[n].op = Op::Call(call);
        func[n].outs.pop();
    }
}

/// Whether a call takes a reference to something that is not borrowed from the caller.
fn borrows_local(func: &Func, defs: &ArenaMap<Value, Node>, n: Node) -> bool {
    let Op::CallVjp(call) = &func[n].op else { return false };
    call.args.iter().zip(&func[n].args).any(|(mode, &v)| match mode {
        Arg::Ref => !lent(func, defs, v),
        Arg::Value => matches!(func.ty(v), Type::Slice(_)) && !lent(func, defs, v),
        Arg::RefMut => false,
    })
}

/// Whether a value is, or is a part of, a parameter that is passed by shared reference.
fn lent(func: &Func, defs: &ArenaMap<Value, Node>, mut v: Value) -> bool {
    loop {
        match defs.get(v).map(|&n| &func[n]) {
            // what is copied out of its place is a local
            Some(node) if matches!(node.op, Op::Load(_)) && !func.ty(v).is_scalar() => v = node.args[0],
            Some(_) => return false,
            None => {
                let position = func[func.root].params.iter().position(|&p| p == v);
                return position.is_some_and(|i| func.modes.get(i) == Some(&ParamMode::Ref));
            }
        }
    }
}
