//! Whether a pullback needs a box.
//!
//! The pullback of a function holds those of the functions that it calls. In a round of functions that call each other the
//! type of a pullback would contain itself, so one of them has to hide what it holds behind a box. A function sees only
//! itself; but as the recursion ends, some function of each round makes its call only on some condition: in a branch or a
//! loop, or after an early exit, which is a branch here. Those hide what they hold, and so does a function that calls
//! one of its own name which may be another. A function that just calls others in a row needs no box, nor does one
//! that is known to call itself: all calls of it have one pullback (`super::frames`).
//!
//! What is in a box is `Send` only if that is declared, which a function cannot do that is generic or provided by a
//! trait. So those do not hide the pullbacks of methods of types that they do not know. A round through them goes
//! through a method of some type's `impl` of a trait, and that hides whatever it calls. Only where a trait sees a round of
//! the functions that it provides is a box without a declaration.

use crate::ir::{Call, Callee, Func, Op};
use crate::syntax::signature::{Signature, bare};

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
}

impl Calls {
    /// Those of a function that ends in its pullback.
    pub fn of(func: &Func, signature: &Signature) -> Self {
        Self::within(func, &func.name, false, signature)
    }

    fn within(func: &Func, name: &str, guarded: bool, signature: &Signature) -> Self {
        let mut calls = Calls::None;
        func.walk(func.root, &mut |graph, n| {
            let found = match &func[n].op {
                // its pullback is a type parameter
                Op::CallVjp(call) if matches!(call.callee, Callee::Value) => Calls::None,
                // they share their frames
                Op::CallVjp(call) if call.itself => Calls::None,
                Op::CallVjp(call) => {
                    let called = of_method(call);
                    let guarded = guarded || graph != func.root;
                    let own = is_called(call, name);
                    let leads_back = match called {
                        Some(called) if !signature.is_concrete() => {
                            guarded && (own || signature.owner.leads_back(&called, name))
                        }
                        _ => own || guarded || signature.is_of_trait() && signature.is_concrete(),
                    };
                    if leads_back { Calls::Recursive } else { Calls::Others }
                }
                Op::Lambda(lambda) => Self::within(&lambda.func, name, true, signature),
                _ => Calls::None,
            };
            calls = calls.max(found);
        });
        calls
    }
}

/// Whether a call is one of a function of this name.
pub(super) fn is_called(call: &Call, name: &str) -> bool {
    match &call.callee {
        Callee::Path(path) => path.path.segments.last().is_some_and(|last| bare(&last.ident) == name),
        Callee::Method(method) => bare(method) == name,
        Callee::Value => false,
    }
}

/// The name of the method that is called: `x.f()`, `Self::f()`.
fn of_method(call: &Call) -> Option<String> {
    match &call.callee {
        Callee::Path(path) if path.path.segments.len() > 1 => path.path.segments.last().map(|last| bare(&last.ident)),
        Callee::Method(method) => Some(bare(method)),
        Callee::Path(_) | Callee::Value => None,
    }
}
