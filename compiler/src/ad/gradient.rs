//! The gradient of a function with a scalar result: its primal and, right after it, its pullback at 1.
//!
//! As the cotangent of the result is known from the start, a loop of the primal and the one that undoes it may become
//! one ([`crate::opt::fuse`]), which keeps nothing, and products may be taken as they are ([`crate::opt::plain`]). Where there
//! is nothing of that, the pullback serves as well.

use crate::ir::{Builder, Const, Func, Graph, Kind, Node, Op, Path, Step, Type, Value};
use crate::opt::{self, fuse, plain};

/// The function that gives the results of the primal and then the entries of the pullback, whose cotangents are resolved
/// later by [`crate::storage`]; `None` if it would be no better than the pullback of `reverse`, a result of
/// [`super::reverse::reverse`], at 1.
pub fn gradient(reverse: &Func) -> Option<Func> {
    let &[seed] = &reverse[pullback(reverse)?.1].params[..] else { return None };
    let Type::Float(_) = reverse.ty(seed) else { return None };
    let mut f = seeded(reverse, |b, _| define(b, number(1.0), vec![], seed));
    opt::optimise(&mut f);
    let results = reverse[reverse.root].results.len() - 1;
    (fuse::run(&mut f) || has_arrays(&f) || plain::applies(&f, results)).then_some(f)
}

/// Whether there are operations on whole arrays: what these keep for their adjoints need not outlive the function, and what
/// is a constant need not be an array.
fn has_arrays(f: &Func) -> bool {
    f.any(f.root, |n| match &f[n].op {
        Op::Map { .. } => true,
        Op::Prim(prim) => prim.kind == Kind::Whole,
        _ => false,
    })
}

/// The primal and right after it its pullback, whose parameters are defined in between.
pub fn seeded(reverse: &Func, define: impl FnOnce(&mut Builder<'_>, &[Value])) -> Func {
    let mut f = reverse.clone();
    let root = f.root;
    let Some((closure, pullback)) = pullback(&f) else { return f };
    let undo = std::mem::take(&mut f[pullback]);
    let span = f[closure].span;
    f[root].nodes.retain(|&n| n != closure);
    f[root].results.pop();
    define(&mut Builder::new(&mut f, root, span), &undo.params);
    let graph = &mut f[root];
    graph.nodes.extend(undo.nodes);
    graph.results.extend(undo.results);
    f
}

/// Defines the cotangents of the results of `f_jvp` for a scalar function `f`, the pair of its value and its tangent and
/// what is left behind `&mut`: 1 for the tangent of the value, nothing for everything else.
pub fn tangent_alone(b: &mut Builder<'_>, params: &[Value]) {
    let results = b.func[b.graph].results.clone();
    let [seed, finals @ ..] = params else { return };
    let value = zero(b, results[0], &[0]);
    let one = |b: &mut Builder<'_>, ty| b.push(number(1.0), vec![], ty);
    let part = |ty: &Type, k: usize| match ty {
        Type::Tuple(parts) => parts[k].clone(),
        _ => Type::Dyn,
    };
    let tangent = part(b.func.ty(*seed), 1);
    let tangent = match &tangent {
        Type::Tuple(parts) => {
            let mut seeds = vec![one(b, parts[0].clone())];
            seeds.extend((1..parts.len()).map(|k| zero(b, results[0], &[1, k])));
            b.push(Op::Tuple, seeds, tangent.clone())
        }
        ty => one(b, ty.clone()),
    };
    define(b, Op::Tuple, vec![value, tangent], *seed);
    // all that is behind `&mut` and has a derivative, in order
    let active: Vec<Value> = results[1..].iter().copied().filter(|&v| b.func.ty(v).can_be_active()).collect();
    for (&param, &last) in finals.iter().zip(&active) {
        define(b, Op::ZeroLike, vec![last], param);
    }
}

fn number(x: f64) -> Op {
    Op::Const(Const::Float(x, format!("{x:?}")))
}

/// A node that defines a value that there is.
fn define(b: &mut Builder<'_>, op: Op, args: Vec<Value>, out: Value) {
    let n = b.func.node(op, args, vec![out], b.span);
    b.func[b.graph].nodes.push(n);
}

/// The zero tangent of a part of a tuple.
fn zero(b: &mut Builder<'_>, whole: Value, fields: &[usize]) -> Value {
    let path = Path(fields.iter().map(|k| Step::Field(k.to_string())).collect());
    let ty = path.apply(b.func.ty(whole));
    if let Type::Float(_) = ty {
        return b.push(number(0.0), vec![], ty);
    }
    let part = b.load(whole, &path, &[]);
    let ty = ty.tangent();
    b.push(Op::ZeroLike, vec![part], ty)
}

/// The node and the graph of the pullback.
fn pullback(f: &Func) -> Option<(Node, Graph)> {
    f[f.root].nodes.iter().find_map(|&n| match f[n].op {
        Op::Closure(pullback) => Some((n, pullback)),
        _ => None,
    })
}
