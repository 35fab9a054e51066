//! Gradients whose products are taken as they are, and where that makes a difference once more with those in which zero wins.
//!
//! ```text
//! %d = scale %g, %p        →        %d = %g * %p
//! ```
//!
//! An exact zero wins over an infinite or NaN partial derivative (`scale`), which costs a comparison for each product. A
//! product that is taken as it is differs only where it is NaN, and all that an adjoint does with cotangents is linear: what
//! is NaN stays NaN up to the entries of the gradient that depend on it. So if no entry is NaN, all of them are what they
//! would have been, but perhaps for the sign of a zero. Otherwise the pullback gives them.
//!
//! For that the function is called again: it must leave its arguments as they are, and have no effects.

use super::dce::{has_effects, needed};
use crate::infer::activity;
use crate::ir::{Float, Func, Kind, Node, Op, ParamMode, Type, Value};
use crate::prims::arith::{ADD, DIV, MUL, MUL_ADD, NEG, SCALE, SUB, UNSCALE};
use crate::prims::compare::SELECT;

/// Whether a function that ends in its gradient can be written in this way, and gains by it. The first `results` results are
/// those of the primal.
pub fn applies(func: &Func, results: usize) -> bool {
    let root = &func[func.root];
    let again = root.params.iter().zip(&func.modes).all(|(&p, mode)| match mode {
        ParamMode::Ref => true,
        ParamMode::Value => is_copied(func.ty(p)),
        ParamMode::RefMut => false,
    });
    let (values, entries) = root.results.split_at(results);
    again
        && entries.iter().all(|&v| is_numbers(func.ty(v)))
        && func.any(func.root, |n| matches!(&func[n].op, Op::Loop(l) if func.any(l.body, |n| is_scaled(func, n))))
        && !func.any(func.root, |n| has_effects(&func[n].op) || is_special(&func[n].op))
        && !needed(func, values).iter().any(|(n, ())| is_scaled(func, n))
        && is_linear(func)
}

/// Whether an operation is one of whole arrays, whose loops are elsewhere, or of another function, or of memory.
fn is_special(op: &Op) -> bool {
    match op {
        Op::Prim(prim) => prim.kind == Kind::Whole,
        Op::Map { .. } | Op::Closure(_) | Op::Lambda(_) | Op::CallPullback(_) | Op::Checkpoint(_) => true,
        _ => false,
    }
}

/// Whether what depends on a product that is taken as it is does so linearly, so that it is NaN where that is.
fn is_linear(func: &Func) -> bool {
    let mut products: Vec<Value> = Vec::new();
    func.walk(func.root, &mut |_, n| {
        if is_scaled(func, n) {
            products.extend(&func[n].outs);
        }
    });
    let activity = activity::analyse(func, &products, &[]);
    let follows = |v: &Value| activity.is_varied(*v);
    let keeps_nan = |n: Node| {
        let node = &func[n];
        match &node.op {
            Op::Prim(prim) if [&ADD, &SUB, &NEG, &MUL, &MUL_ADD, &SCALE].contains(prim) => true,
            Op::Prim(prim) if *prim == &DIV || *prim == &UNSCALE => !follows(&node.args[1]),
            Op::Prim(prim) => *prim == &SELECT,
            Op::Cast(_) => func.ty(node.outs[0]).is_float(),
            Op::Tuple
            | Op::Array
            | Op::Repeat(_)
            | Op::VecOf
            | Op::VecRepeat
            | Op::Lengthen
            | Op::Len
            | Op::Copy(_) => true,
            Op::Load(_) | Op::Update(_) | Op::AddAt(_) | Op::Take(_) | Op::Fill(_) | Op::Swap(_) => true,
            Op::Push(_) | Op::Pop(_) | Op::ZeroLike | Op::Accumulate | Op::AddEntry | Op::Total => true,
            Op::If { .. } | Op::Loop(_) => true,
            _ => false,
        }
    };
    !func.any(func.root, |n| func[n].args.iter().any(follows) && !keeps_nan(n))
}

fn is_scaled(func: &Func, n: Node) -> bool {
    matches!(&func[n].op, Op::Prim(prim) if *prim == &SCALE || *prim == &UNSCALE)
}

/// Whether values of a type are numbers that can be asked whether they are NaN.
fn is_numbers(ty: &Type) -> bool {
    match ty {
        Type::Vec(t) | Type::Array(t) => is_numbers(t),
        ty => matches!(ty, Type::Float(Float::F64 | Float::F32)),
    }
}

/// Whether arguments of a type are copied by use.
fn is_copied(ty: &Type) -> bool {
    match ty {
        Type::Array(t) => is_copied(t),
        ty => matches!(ty, Type::Float(Float::F64 | Float::F32) | Type::Int(_) | Type::Bool),
    }
}
