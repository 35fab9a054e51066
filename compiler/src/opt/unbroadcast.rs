//! Sums down to a shape that a cotangent has already.
//!
//! ```text
//! %z = dot %x, %w                  [n]
//! %y = map (exp) %z                [n]
//! %c = map (scale) %y_bar, %y      [n]
//! %d = unbroadcast %c, %z          (%d is %c)
//! ```
//!
//! Which shapes are the same is found out by [`crate::infer::shapes`], from the operations and from declared sizes. What
//! is not known is left to a comparison of the shapes at run time.

use crate::infer::shapes::Shapes;
use crate::ir::substitute::Substitution;
use crate::ir::{Func, Node, Op, Type, Value};

/// Runs the pass; says whether it changed anything.
pub fn run(func: &mut Func) -> bool {
    let mut sums: Vec<(Value, Value, Value)> = Vec::new();
    func.walk(func.root, &mut |_, n| {
        let node = &func[n];
        if let (Op::Unbroadcast, &[g, x]) = (&node.op, &node.args[..])
            && matches!(func.ty(g), Type::NdArray(..))
            && func.ty(g) == func.ty(node.outs[0])
        {
            sums.push((node.outs[0], g, x));
        }
    });
    if sums.is_empty() {
        return false;
    }
    let shapes = Shapes::of(func);
    sums.retain(|&(_, g, x)| shapes.same(g, x));
    let uses = super::simplify::uses(func);
    let mut values = Substitution::default();
    for (out, g, _) in sums {
        // one that nothing uses any more has been dealt with before
        if uses.get(out).is_some_and(|&count| count > 0) {
            values.insert(out, g);
        }
    }
    let changed = !values.is_empty();
    values.apply(func);
    changed
}

/// Lets sums to fewer axes come before all that may take their operand over: only then nobody else needs that.
pub fn advance(func: &mut Func) {
    let mut graphs = vec![func.root];
    func.walk(func.root, &mut |_, n| graphs.extend(func[n].op.graphs()));
    for g in graphs {
        let mut at = 0;
        while let Some(&n) = func[g].nodes.get(at) {
            let node = &func[n];
            let rank = |v: Value| if let Type::NdArray(_, rank) = func.ty(v) { *rank } else { None };
            let smaller = matches!(node.op, Op::Unbroadcast) && rank(node.args[1]) < rank(node.args[0]);
            if smaller {
                let defines = |m: &Node| func[*m].outs.iter().any(|o| node.args.contains(o));
                let to = func[g].nodes[..at].iter().rposition(defines).map_or(0, |k| k + 1);
                func[g].nodes[to..=at].rotate_right(1);
            }
            at += 1;
        }
    }
}
