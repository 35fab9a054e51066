//! Functions that are handed over: which calls must be differentiated because of them, and which closures with these.
//!
//! A function parameter of a companion is the companion's own form of it: it gives a pullback or a tangent beside its
//! value, whether that is wanted or not. So a call of it, or a call that it is handed on to, is always one of a companion.

use crate::infer::activity::{self, Activity};
use crate::ir::{Arg, Call, Callee, Func, Lambda, Node, OF_ARRAYS, Op, Type, Value, WithoutCompanion};
use la_arena::ArenaMap;

/// The calls to be made calls of companions, and the closures that are handed to those.
#[derive(Default)]
pub(super) struct Handed {
    pub(super) calls: ArenaMap<Node, ()>,
    pub(super) lambdas: ArenaMap<Node, ()>,
}

impl Handed {
    pub(super) fn find(func: &Func, activity: &Activity) -> Self {
        let mut handed = Handed::default();
        let mut given = ArenaMap::<Value, ()>::default();
        let params = func[func.root].params.iter();
        for &p in params.filter(|&&p| *func.ty(p) == Type::Function) {
            given.insert(p, ());
        }
        let mut defs = ArenaMap::default();
        func.walk(func.root, &mut |_, n| {
            let node = &func[n];
            match &node.op {
                Op::Lambda(_) => {
                    defs.insert(node.outs[0], n);
                    if node.args.iter().any(|&a| given.contains_idx(a)) {
                        given.insert(node.outs[0], ());
                    }
                }
                Op::Call(call) => {
                    let functions =
                        || (0..call.args.len()).filter(|&i| call.args[i] == Arg::Function).map(|i| node.args[i]);
                    let active = node.outs.iter().any(|&o| activity.is_active(o));
                    if active || functions().any(|f| given.contains_idx(f)) {
                        handed.calls.insert(n, ());
                        for &lambda in functions().filter_map(|f| defs.get(f)) {
                            handed.lambdas.insert(lambda, ());
                        }
                    }
                }
                _ => {}
            }
        });
        handed
    }
}

/// Where a call of a companion may be one of the function itself, if there is no companion.
pub(super) fn without_companion(func: &Func, n: Node, call: &Call, activity: &Activity) -> WithoutCompanion {
    let (operands, value) = (&func[n].args, func[n].outs[0]);
    let alone = call.unit && call.args[1..].iter().all(|arg| !arg.changes());
    let asked = (call.perhaps || alone)
        && matches!(&call.callee, Callee::Method(name) if !OF_ARRAYS.iter().any(|of| name == of))
        && call.args[0] == Arg::RefMut
        && call.args.len() <= MOST_ASKED
        && !call.args.contains(&Arg::Function)
        && call.states.is_empty()
        && !call.ordered;
    if !asked {
        return WithoutCompanion::default();
    }
    let constant = operands[1..].iter().all(|&v| !activity.is_varied(v));
    WithoutCompanion {
        // what is given to a method of which nothing is used, it may keep
        if_reads: !activity.is_active(value) && call.keepers.iter().all(|&k| k == 0) && (constant || !call.unit),
        if_constant: constant,
    }
}

/// How many operands a method may have at most that is asked for companions.
const MOST_ASKED: usize = 9;

/// Which parameters of a closure have derivatives, given those of what it captures, and of what it changes before the
/// call that it is handed to.
pub(super) fn active_params(lambda: &Lambda, captured: &[bool], found: &[bool]) -> Vec<bool> {
    let func = &lambda.func;
    let (params, results) = (&func[func.root].params, &func[func.root].results);
    let (changed, own) = params[captured.len()..].split_at(lambda.states);
    let left = &results[results.len() - lambda.states..];
    let own = own.iter().map(|&p| func.ty(p).can_be_active());
    let mut active: Vec<bool> = captured.iter().copied().chain(found.iter().copied()).chain(own).collect();
    // what one call leaves is what the next finds
    loop {
        let varied: Vec<Value> = params.iter().zip(&active).filter(|(_, active)| **active).map(|(&p, _)| p).collect();
        let activity = activity::analyse(func, &varied, results);
        let mut grown = false;
        for (k, (&p, &v)) in changed.iter().zip(left).enumerate() {
            let place = captured.len() + k;
            if !active[place] && activity.is_varied(v) && func.ty(v).can_be_active() && func.ty(p).can_be_active() {
                active[place] = true;
                grown = true;
            }
        }
        if !grown {
            return active;
        }
    }
}

/// The values of what a closure changes, before and after the call that it is handed to.
fn states(func: &Func, lambda: Node) -> Vec<(Value, Value)> {
    let made = func[lambda].outs[0];
    let calls = func.nodes.iter().map(|(_, data)| data).filter(|data| data.args.contains(&made));
    let found = calls.flat_map(|data| match &data.op {
        Op::Call(call) | Op::CallVjp(call) | Op::CallJvp(call) => {
            let both = call.before(&data.args).iter().zip(call.after(&data.outs));
            let of = call.states.iter().zip(both).filter(|(state, _)| data.args[state.function] == made);
            of.map(|(_, (&before, &after))| (before, after)).collect()
        }
        _ => Vec::new(),
    });
    found.collect()
}

/// The same for a closure that is handed to a call of a companion.
pub(super) fn active_in(func: &Func, n: Node, lambda: &Lambda, activity: &Activity) -> Vec<bool> {
    let captured: Vec<bool> = func[n].args.iter().map(|&a| activity.is_active(a)).collect();
    let of = |v: Value| activity.is_varied(v) && func.ty(v).can_be_active();
    let found: Vec<bool> = states(func, n).into_iter().map(|(before, _)| of(before)).collect();
    active_params(lambda, &captured, &found)
}
