//! Hand-built programs: control flow, reverse sweeps that replay it, calls, code. Single operations are in `ops`.

mod ops;
mod replay;

use super::*;
use crate::ir::verify::verify;
use crate::ir::*;
use crate::prims::{arith, compare};
use proc_macro2::Span;
use quote::quote;

/// A function of the given parameters.
fn function(params: &[(&str, Type)]) -> (Func, Vec<Value>) {
    let span = Span::call_site();
    let mut f = Func::new("f");
    let values: Vec<_> = params.iter().map(|(name, ty)| f.value(ty.clone(), Some((*name).into()), span)).collect();
    let root = f.root;
    f[root].params = values.clone();
    (f, values)
}

/// A new graph of the given parameters, built by the caller, which returns the results.
fn graph(f: &mut Func, params: &[Type], build: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>) -> Graph {
    let span = Span::call_site();
    let g = f.graph();
    let values: Vec<_> = params.iter().map(|t| f.value(t.clone(), None, span)).collect();
    f[g].params = values.clone();
    let results = build(&mut Builder::new(f, g, span), &values);
    f[g].results = results;
    g
}

/// Builds the outermost graph.
fn root(f: &mut Func, build: impl FnOnce(&mut Builder<'_>) -> Vec<Value>) {
    let g = f.root;
    let results = build(&mut Builder::new(f, g, Span::call_site()));
    f[g].results = results;
    check(f);
}

fn check(f: &Func) {
    if let Err(faults) = verify(f) {
        panic!("{f}{}", faults.iter().map(ToString::to_string).collect::<String>());
    }
}

fn for_op(body: Graph, replays: Option<Node>) -> Op {
    let kind = LoopKind::For { inclusive: false, reversed: replays.is_some() };
    Op::Loop(Box::new(Loop { kind, body, exits: false, replays }))
}

#[test]
fn branches_take_one_arm() {
    let (mut f, p) = function(&[("x", Type::F64), ("n", Type::USIZE)]);
    let then_ = graph(&mut f, &[], |b, _| vec![b.prim(&arith::NEG, &[p[0]])]);
    // The other arm would panic.
    let else_ = graph(&mut f, &[], |b, _| {
        let zero = b.int(0);
        b.prim(&arith::DIV, &[p[1], zero]);
        vec![p[0]]
    });
    root(&mut f, |b| {
        let zero = b.float_like(0.0, p[0]);
        let c = b.prim(&compare::LT, &[p[0], zero]);
        vec![b.push(Op::If { then_, else_ }, vec![c], Type::F64)]
    });
    assert_eq!(run(&f, &[(-2.0).into(), 1.into()]), Ok(vec![2.0.into()]));
    assert_eq!(run(&f, &[2.0.into(), 1.into()]), Err(InterpError::Panic("attempt to divide by zero".into())));
}

/// The indices that a range loop visits, pushed to a vector.
fn visited(kind: LoopKind, lo: usize, hi: usize) -> Vec<i128> {
    let ints = Type::Vec(Box::new(Type::USIZE));
    let (mut f, p) = function(&[("lo", Type::USIZE), ("hi", Type::USIZE)]);
    let body = graph(&mut f, &[Type::USIZE, ints.clone()], |b, q| {
        vec![b.push(Op::Push(Path::default()), vec![q[1], q[0]], ints.clone())]
    });
    root(&mut f, |b| {
        let empty = b.push(Op::VecEmpty, vec![], ints.clone());
        let op = Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None }));
        vec![b.push(op, vec![p[0], p[1], empty], ints.clone())]
    });
    let results = run(&f, &[lo.into(), hi.into()]).unwrap();
    results[0].seq().unwrap().iter().map(|v| v.int().unwrap()).collect()
}

#[test]
fn range_loops() {
    let kind = |inclusive, reversed| LoopKind::For { inclusive, reversed };
    assert_eq!(visited(kind(false, false), 2, 5), [2, 3, 4]);
    assert_eq!(visited(kind(true, false), 2, 5), [2, 3, 4, 5]);
    assert_eq!(visited(kind(false, true), 2, 5), [4, 3, 2]);
    assert_eq!(visited(kind(true, true), 2, 5), [5, 4, 3, 2]);
    assert!(visited(kind(false, true), 5, 2).is_empty());
}

#[test]
fn loops_exit_and_run_out_of_fuel() {
    // loop { n += 1; if n >= limit { break } }
    let (mut f, p) = function(&[("limit", Type::USIZE)]);
    let body = graph(&mut f, &[Type::USIZE], |b, q| {
        let one = b.int(1);
        let next = b.prim(&arith::ADD, &[q[0], one]);
        vec![b.prim(&compare::GE, &[next, p[0]]), next]
    });
    root(&mut f, |b| {
        let zero = b.int(0);
        let op = Op::Loop(Box::new(Loop { kind: LoopKind::Infinite, body, exits: true, replays: None }));
        vec![b.push(op, vec![zero], Type::USIZE)]
    });
    assert_eq!(run(&f, &[7.into()]), Ok(vec![7.into()]));
    let few = Interp::new(&f).with_fuel(100);
    assert_eq!(few.run(&[1000.into()]), Err(InterpError::OutOfFuel));
}

#[test]
fn applied_closures_see_their_surroundings() {
    let (mut f, p) = function(&[("x", Type::F64)]);
    let g = graph(&mut f, &[Type::F64], |b, q| vec![b.prim(&arith::SUB, &[q[0], p[0]])]);
    root(&mut f, |b| {
        let ten = b.float_like(10.0, p[0]);
        vec![b.push(Op::Apply(g), vec![ten], Type::F64)]
    });
    assert_eq!(run(&f, &[4.0.into()]), Ok(vec![6.0.into()]));
}

#[test]
fn closures_may_return_closures() {
    let (mut f, p) = function(&[("x", Type::F64)]);
    let outer = f.graph();
    let y = f.value(Type::F64, None, Span::call_site());
    f[outer].params = vec![y];
    let inner = graph(&mut f, &[Type::F64], |b, q| {
        let sum = b.prim(&arith::ADD, &[q[0], y]);
        vec![b.prim(&arith::MUL, &[sum, p[0]])]
    });
    let made = Builder::new(&mut f, outer, Span::call_site()).push(Op::Closure(inner), vec![], Type::Pullback);
    f[outer].results = vec![made];
    root(&mut f, |b| vec![b.push(Op::Closure(outer), vec![], Type::Pullback)]);
    let first = run(&f, &[3.0.into()]).unwrap();
    let second = call(&f, &first[0], &[1.0.into()]).unwrap();
    let other = call(&f, &first[0], &[5.0.into()]).unwrap();
    assert_eq!(call(&f, &second[0], &[2.0.into()]), Ok(vec![9.0.into()]));
    assert_eq!(call(&f, &other[0], &[2.0.into()]), Ok(vec![21.0.into()]));
    assert_ne!(second, other);
}

#[test]
fn calls_run_by_their_hooks() {
    // The gradient of g(x)·1 through g_vjp.
    let (mut f, p) = function(&[("x", Type::F64)]);
    let g = || Box::new(Call::new(Callee::Path(syn::parse_quote!(m::g)), vec![Arg::Value]));
    root(&mut f, |b| {
        let n = b.node(Op::CallVjp(g()), vec![p[0]], vec![Type::Dyn, Type::Pullback]);
        let (y, pullback) = (b.func[n].outs[0], b.func[n].outs[1]);
        let one = b.float_like(1.0, p[0]);
        let entry = b.push(Op::CallPullback(g()), vec![pullback, one], Type::Dyn);
        let zero = b.push(Op::ZeroLike, vec![p[0]], Type::F64);
        vec![y, b.push(Op::AddEntry, vec![zero, entry], Type::F64)]
    });
    let square = |args: &[Val]| {
        let x = args[0].float()?;
        let pullback = Val::native(move |g| Ok(vec![Val::Float(2.0 * x * g[0].float()?)]));
        Ok(vec![Val::Float(x * x), pullback])
    };
    let machine = Interp::new(&f).with_call("m::g_vjp", square);
    assert_eq!(machine.run(&[3.0.into()]), Ok(vec![9.0.into(), 6.0.into()]));
    assert_eq!(run(&f, &[3.0.into()]), Err(InterpError::Unsupported("the call of m::g_vjp".into())));
}

/// The value of simple code with the local `n` = 3 and `x` = [1, 2].
fn code(code: proc_macro2::TokenStream) -> Result<Val> {
    let floats = Type::Vec(Box::new(Type::F64));
    let (mut f, p) = function(&[("n", Type::USIZE), ("x", floats)]);
    let ident = |name: &str| proc_macro2::Ident::new(name, Span::call_site());
    let uses = vec![ident("n"), ident("x")];
    let verbatim = Verbatim { code, uses, refs: vec![false, true], defs: vec![], pure_: true, diverges: false };
    root(&mut f, |b| vec![b.push(Op::Verbatim(Box::new(verbatim)), p.clone(), Type::Dyn)]);
    run(&f, &[3.into(), Val::floats(&[1.0, 2.0])]).map(|mut v| v.remove(0))
}

#[test]
fn simple_code_is_run() {
    assert_eq!(code(quote!(n as f64 * 0.5 + x[1])), Ok(Val::Float(3.5)));
    assert_eq!(code(quote!((n + 1) * x.len() - 2)), Ok(Val::Int(6)));
    assert_eq!(code(quote!(!(n % 2 == 0) && x.len() < n)), Ok(Val::Bool(true)));
    assert_eq!(code(quote!(std::f64::consts::PI.sqrt())), Ok(Val::Float(std::f64::consts::PI.sqrt())));
    assert_eq!(code(quote!(0..n)), Ok(Val::ints(&[0, 1, 2])));
    assert_eq!(code(quote!(usize::MAX)), Ok(Val::Int(u64::MAX.into())));
    assert!(matches!(code(quote!(x[n])), Err(InterpError::Panic(_))));
    assert!(matches!(code(quote!(std::env::args())), Err(InterpError::Unsupported(_))));
}

#[test]
fn iterators_of_simple_code() {
    // for (k, v) in x.iter().enumerate() { s = s + v · k as f64 }
    let (mut f, p) = function(&[("x", Type::Vec(Box::new(Type::F64)))]);
    let body = graph(&mut f, &[Type::USIZE, Type::F64, Type::F64], |b, q| {
        let k = b.push(Op::Cast(quote!(f64)), vec![q[0]], Type::F64);
        let scaled = b.prim(&arith::MUL, &[q[1], k]);
        vec![b.prim(&arith::ADD, &[q[2], scaled])]
    });
    let ident = |name: &str| proc_macro2::Ident::new(name, Span::call_site());
    let code = quote!(x.iter().enumerate());
    let iter = Verbatim { code, uses: vec![ident("x")], refs: vec![true], defs: vec![], pure_: true, diverges: false };
    let kind = LoopKind::Iter { iter, pattern: quote!((k, v)), bindings: vec![ident("k"), ident("v")] };
    root(&mut f, |b| {
        let zero = b.push(Op::Const(Const::Float(0.0, "0.0".into())), vec![], Type::F64);
        let op = Op::Loop(Box::new(Loop { kind, body, exits: false, replays: None }));
        vec![b.push(op, vec![p[0], zero], Type::F64)]
    });
    assert_eq!(run(&f, &[Val::floats(&[5.0, 1.0, 2.0])]), Ok(vec![5.0.into()]));
}
