//! Functions that are handed over: which calls must be differentiated because of them, and which closures with these.
//!
//! A function parameter of a companion is the companion's own form of it: it gives a pullback or a tangent beside its
//! value, whether that is wanted or not. So a call of it, or a call that it is handed on to, is always one of a companion.

use crate::infer::activity::Activity;
use crate::ir::{Arg, Func, Node, Op, Type, Value};
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

/// Which parameters of a closure have derivatives, given those of what it captures.
pub(super) fn active_params(func: &Func, captured: &[bool]) -> Vec<bool> {
    let own = func[func.root].params[captured.len()..].iter().map(|&p| func.ty(p).can_be_active());
    captured.iter().copied().chain(own).collect()
}
