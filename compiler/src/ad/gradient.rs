//! The gradient of a function with a scalar result: its primal and, right after it, its pullback at 1.
//!
//! As the cotangent of the result is known from the start, a loop of the primal and the one that undoes it may become
//! one ([`crate::opt::fuse`]), which keeps nothing. Where no loop can, the pullback serves as well.

use crate::ir::{Const, Func, Op, Type};
use crate::opt::{self, fuse};

/// The function that gives the results of the primal and then the entries of the pullback, whose cotangents are resolved
/// later by [`crate::storage`]; `None` if it would be no better than the pullback of `reverse`, a result of
/// [`super::reverse::reverse`], at 1.
pub fn gradient(reverse: &Func) -> Option<Func> {
    let mut f = reverse.clone();
    let root = f.root;
    let closure = f[root].nodes.iter().copied().find(|&n| matches!(f[n].op, Op::Closure(_)))?;
    let Op::Closure(pullback) = f[closure].op else { return None };
    let &[seed] = &f[pullback].params[..] else { return None };
    let Type::Float(_) = f.ty(seed) else { return None };

    let undo = std::mem::take(&mut f[pullback]);
    let one = f.node(Op::Const(Const::Float(1.0, "1.0".to_owned())), vec![], vec![seed], f[closure].span);
    let graph = &mut f[root];
    graph.nodes.retain(|&n| n != closure);
    graph.nodes.push(one);
    graph.nodes.extend(undo.nodes);
    graph.results.pop();
    graph.results.extend(undo.results);
    opt::optimise(&mut f);
    fuse::run(&mut f).then_some(f)
}
