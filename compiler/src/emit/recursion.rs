//! Whether a pullback needs a box.
//!
//! The pullback of a function holds those of the functions that it calls. In a round of functions that call each other the
//! type of a pullback would contain itself, so one of them has to hide what it holds behind a box. A function sees only
//! itself; but as the recursion ends, some function of each round makes its call only on some condition: in a branch or a
//! loop, or after an early exit, which is a branch here. Those hide what they hold, and so does a function that calls
//! one of its own name which may be another. A function that just calls others in a row needs no box, nor does one
//! that is known to call itself: all calls of it have one pullback (`super::frames`).

use crate::ir::{Call, Callee, Func, Op};
use crate::syntax::signature::{Owner, bare};

/// What the pullback of a function holds of the pullbacks of other functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Calls {
    /// Nothing.
    #[default]
    None,
    /// Pullbacks that cannot lead back to it, or not through it alone.
    Others,
    /// Some that may hold a pullback of the function itself.
    Recursive,
    /// The same, and some may be of functions that a trait provides for types of which nothing is known.
    Provided,
}

impl Calls {
    /// Those of a function that ends in its pullback.
    pub fn of(func: &Func, owner: &Owner) -> Self {
        let mut names = Vec::new();
        let calls = Self::within(func, &func.name, false, &mut names);
        let provided = names.iter().any(|name| owner.may_be_provided(name));
        if calls == Calls::Recursive && provided { Calls::Provided } else { calls }
    }

    /// `names`: of the methods that are called.
    fn within(func: &Func, name: &str, guarded: bool, names: &mut Vec<String>) -> Self {
        let mut calls = Calls::None;
        func.walk(func.root, &mut |graph, n| {
            if let Op::CallVjp(call) = &func[n].op {
                names.extend(method(call));
            }
            let found = match &func[n].op {
                // its pullback is a type parameter
                Op::CallVjp(call) if matches!(call.callee, Callee::Value) => Calls::None,
                // they share their frames
                Op::CallVjp(call) if call.itself => Calls::None,
                Op::CallVjp(call) if guarded || graph != func.root || is_called(call, name) => Calls::Recursive,
                Op::CallVjp(_) => Calls::Others,
                Op::Lambda(lambda) => Self::within(&lambda.func, name, true, names),
                _ => Calls::None,
            };
            calls = calls.max(found);
        });
        calls
    }
}

/// Whether a call is one of a function of this name.
fn is_called(call: &Call, name: &str) -> bool {
    match &call.callee {
        Callee::Path(path) => path.segments.last().is_some_and(|last| bare(&last.ident) == name),
        Callee::Method(method) => bare(method) == name,
        Callee::Value => false,
    }
}

/// The name of the method that is called: `x.f()`, `Self::f()`.
fn method(call: &Call) -> Option<String> {
    match &call.callee {
        Callee::Path(path) if path.segments.len() > 1 => path.segments.last().map(|last| bare(&last.ident)),
        Callee::Method(method) => Some(bare(method)),
        Callee::Path(_) | Callee::Value => None,
    }
}
