//! Inference on small functions.

use super::activity::analyse;
use super::types::resolve;
use crate::ir::{Builder, Const, Float, Func, Graph, Loop, LoopKind, Op, Path, Step, Type, Value};
use crate::prims::arith::{ADD, MUL};
use crate::prims::compare::{LT, SELECT};
use proc_macro2::{Span, TokenStream};

const F32: Type = Type::Float(Float::F32);
const ANY: Type = Type::Float(Float::Any);

fn with(params: &[Type], body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>) -> Func {
    let mut func = Func::new("f");
    let root = func.root;
    let results = fill(&mut func, root, params, body);
    func[root].results = results;
    func
}

fn fill(
    func: &mut Func,
    g: Graph,
    params: &[Type],
    body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    for ty in params {
        let p = func.value(ty.clone(), None, Span::call_site());
        func[g].params.push(p);
    }
    let values = func[g].params.clone();
    body(&mut Builder::new(func, g, Span::call_site()), &values)
}

fn literal(b: &mut Builder<'_>) -> Value {
    b.push(Op::Const(Const::Float(1.5, "1.5".into())), vec![], ANY)
}

fn boxed(ty: Type) -> Box<Type> {
    Box::new(ty)
}

/// A loop over `0..3` that carries the given values.
fn repeat(
    b: &mut Builder<'_>,
    inits: &[Value],
    types: &[Type],
    body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let (lo, hi) = (b.push(Op::Const(Const::Int("0".into())), vec![], Type::INT), b.int(3));
    let g = b.func.graph();
    let params = [&[Type::INT], types].concat();
    let results = fill(b.func, g, &params, body);
    b.func[g].results = results;
    let kind = LoopKind::For { inclusive: false, reversed: false };
    let op = Op::Loop(Box::new(Loop { kind, body: g, exits: false, replays: None }));
    let n = b.node(op, [&[lo, hi], inits].concat(), types.to_vec());
    b.func[n].outs.clone()
}

#[test]
fn literals_become_what_they_meet() {
    let mut alone = None;
    let mut func = with(&[F32], |b, p| {
        let (c, d) = (literal(b), literal(b));
        let e = b.prim(&MUL, &[c, d]);
        alone = Some(literal(b));
        let tuple = b.push(Op::Tuple, vec![e, c], Type::Tuple(vec![ANY, ANY]));
        let e = b.load(tuple, &Path(vec![Step::Field("0".into())]), &[]);
        vec![b.prim(&ADD, &[e, p[0]]), c, d, tuple]
    });
    resolve(&mut func);
    let results = func[func.root].results.clone();
    let types: Vec<_> = results.iter().map(|&r| func.ty(r).clone()).collect();
    assert_eq!(types, [F32, F32, F32, Type::Tuple(vec![F32, F32])]);
    assert_eq!(alone.map(|v| func.ty(v).clone()), Some(ANY));
}

#[test]
fn loops_carry_one_type() {
    let unknown = Type::Vec(boxed(Type::Dyn));
    let mut index = None;
    let mut func = with(&[F32], |b, p| {
        let start = literal(b);
        let vec = b.push(Op::VecEmpty, vec![], unknown.clone());
        repeat(b, &[start, vec], &[ANY, unknown.clone()], |b, q| {
            index = Some(q[0]);
            let next = b.prim(&MUL, &[q[1], p[0]]);
            vec![next, b.push(Op::Push(Path::default()), vec![q[2], next], unknown.clone())]
        })
    });
    resolve(&mut func);
    let results = func[func.root].results.clone();
    assert_eq!(*func.ty(results[0]), F32);
    assert_eq!(*func.ty(results[1]), Type::Vec(boxed(F32)));
    assert_eq!(index.map(|i| func.ty(i).clone()), Some(Type::USIZE));
}

#[test]
fn what_is_not_visible_stays_unknown() {
    let mut func = with(&[Type::Dyn, F32], |b, p| {
        let sum = b.prim(&ADD, &[p[0], p[1]]);
        let field = b.load(p[0], &Path(vec![Step::Field("x".into())]), &[]);
        vec![sum, field]
    });
    let before: Vec<_> = func.values.iter().map(|(_, v)| v.ty.clone()).collect();
    resolve(&mut func);
    let after: Vec<_> = func.values.iter().map(|(_, v)| v.ty.clone()).collect();
    assert_eq!(before, after);
}

#[test]
fn a_known_type_never_changes() {
    let mut func = with(&[F32, Type::F64], |b, p| vec![b.push(Op::Prim(&ADD), vec![p[0], p[1]], Type::Dyn)]);
    resolve(&mut func);
    let types: Vec<_> = func.values.iter().map(|(_, v)| v.ty.clone()).collect();
    assert_eq!(types, [F32, Type::F64, Type::Dyn]);
}

#[test]
fn activity_goes_where_derivatives_go() {
    let mut inner = Vec::new();
    let func = with(&[Type::F64, Type::F64], |b, p| {
        let cond = b.prim(&LT, &[p[0], p[1]]);
        let int = b.push(Op::Cast(TokenStream::new()), vec![p[0]], Type::USIZE);
        let back = b.push(Op::Cast(TokenStream::new()), vec![int], Type::F64);
        let chosen = b.prim(&SELECT, &[cond, p[1], back]);
        let unused = b.prim(&MUL, &[p[0], p[0]]);
        let (start, other) = (b.float_like(1.0, p[0]), b.float_like(1.0, p[0]));
        // The first hands its value to the second; nothing ever reaches the third.
        let outs = repeat(b, &[start, start, other], &[Type::F64, Type::F64, Type::F64], |b, q| {
            inner.extend(&q[1..]);
            let first = b.prim(&MUL, &[q[1], p[0]]);
            let third = b.prim(&MUL, &[q[3], p[1]]);
            vec![first, q[1], third]
        });
        inner.extend([unused, chosen]);
        vec![outs[1], chosen, outs[2]]
    });
    let root = &func[func.root];
    let activity = analyse(&func, &root.params[..1], &root.results);
    let active: Vec<bool> = inner.iter().map(|&v| activity.is_active(v)).collect();
    assert_eq!(active, [true, true, false, false, false]);
    let results: Vec<bool> = root.results.iter().map(|&v| activity.is_active(v)).collect();
    assert_eq!(results, [true, false, false]);
    assert!(activity.is_varied(inner[3]) && !activity.is_useful(inner[3]));
}
