//! Calls whose return value is not used.
//!
//! ```text
//! %y, %v.1 = call f(&mut %v)        %y: (), %v.1 = call f(&mut %v)
//! ```
//!
//! Where a call stands as a statement, this is known from the beginning. At the end of an arm or of a closure it shows
//! only here, and then the function most likely returns `()`, which has no tangent.

use crate::ir::{Callee, Func, Op, Type};

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut calls = Vec::new();
    func.walk(func.root, &mut |_, n| {
        if let Op::Call(call) = &func[n].op
            && !call.unit
            && !call.perhaps
            && !call.itself
            && !matches!(call.callee, Callee::Value)
            && (call.ordered || !call.states.is_empty() || call.args.iter().any(|arg| arg.changes()))
        {
            calls.push(n);
        }
    });
    if calls.is_empty() {
        return false;
    }
    let uses = super::simplify::uses(func);
    calls.retain(|&n| uses.get(func[n].outs[0]).is_none_or(|&count| count == 0));
    for &n in &calls {
        let out = func[n].outs[0];
        func.values[out].ty = Type::Unit;
        if let Op::Call(call) = &mut func.nodes[n].op {
            call.unit = true;
        }
    }
    !calls.is_empty()
}
