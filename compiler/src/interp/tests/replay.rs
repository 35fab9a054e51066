//! Reverse sweeps that read the recorded executions of what they replay.

use super::*;
use crate::prims::trig;

/// The derivative of the first result by the parameter `x`, by central differences.
fn difference(f: &Func, args: &[Val]) -> f64 {
    let at = |x: f64| {
        let mut args = args.to_vec();
        args[0] = x.into();
        run(f, &args).unwrap()[0].float().unwrap()
    };
    let (x, h) = (args[0].float().unwrap(), 1e-6);
    (at(x + h) - at(x - h)) / (2.0 * h)
}

#[track_caller]
fn check_pullback(f: &Func, args: &[Val]) {
    let results = run(f, args).unwrap();
    let expected = difference(f, args);
    for seed in [1.0, -3.0] {
        let x_bar = call(f, &results[1], &[seed.into()]).unwrap()[0].float().unwrap();
        assert!((x_bar - seed * expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{x_bar} {expected}\n{f}");
    }
}

/// An accumulated product: `to + a·b`.
fn add_product(b: &mut Builder<'_>, to: Value, x: Value, y: Value) -> Value {
    let product = b.prim(&arith::MUL, &[x, y]);
    b.push(Op::Accumulate, vec![to, product], Type::F64)
}

#[test]
fn a_loop() {
    // y = x; for i in 0..n { y = y · x + i }
    let (mut f, p) = function(&[("x", Type::F64), ("n", Type::USIZE)]);
    let (x, n) = (p[0], p[1]);
    let mut y = None;
    let body = graph(&mut f, &[Type::USIZE, Type::F64], |b, q| {
        y = Some(q[1]);
        let product = b.prim(&arith::MUL, &[q[1], x]);
        let i = b.push(Op::Cast(quote!(f64)), vec![q[0]], Type::F64);
        vec![b.prim(&arith::ADD, &[product, i])]
    });
    let y = y.unwrap();
    let back = graph(&mut f, &[Type::USIZE, Type::F64, Type::F64], |b, q| {
        let y_bar = b.prim(&arith::MUL, &[q[1], x]);
        vec![y_bar, add_product(b, q[2], q[1], y)]
    });
    f[back].replays = Some(body);
    let root_graph = f.root;
    let mut b = Builder::new(&mut f, root_graph, Span::call_site());
    let zero = b.int(0);
    let primal = b.node(for_op(body, None), vec![zero, n, x], vec![Type::F64]);
    let out = f[primal].outs[0];
    let pullback = graph(&mut f, &[Type::F64], |b, q| {
        let x_bar = b.push(Op::ZeroLike, vec![x], Type::F64);
        let n = b.node(for_op(back, Some(primal)), vec![zero, n, q[0], x_bar], vec![Type::F64, Type::F64]);
        let outs = b.func[n].outs.clone();
        vec![b.push(Op::Accumulate, outs, Type::F64)]
    });
    f[pullback].replays = Some(root_graph);
    root(&mut f, |b| vec![out, b.push(Op::Closure(pullback), vec![], Type::Pullback)]);
    for n in [0, 1, 2, 5] {
        check_pullback(&f, &[1.3.into(), n.into()]);
    }
    let results = run(&f, &[2.0.into(), 2.into()]).unwrap();
    assert_eq!(results[0], 9.0.into());
}

#[test]
fn branches_in_nested_loops() {
    // s = x; for i in 0..n { for j in 0..i { if j % 2 == 0 { s = sin(s) · x } else { s = s · s } } }
    let (mut f, p) = function(&[("x", Type::F64), ("n", Type::USIZE)]);
    let (x, n) = (p[0], p[1]);
    let span = Span::call_site();
    // The primal inner body, with the arms that it holds.
    let inner = f.graph();
    let (j, s) = (f.value(Type::USIZE, Some("j".into()), span), f.value(Type::F64, Some("s".into()), span));
    f[inner].params = vec![j, s];
    let mut sine = None;
    let then_ = graph(&mut f, &[], |b, _| {
        let y = b.prim(&trig::SIN, &[s]);
        sine = Some(y);
        vec![b.prim(&arith::MUL, &[y, x])]
    });
    let else_ = graph(&mut f, &[], |b, _| vec![b.prim(&arith::MUL, &[s, s])]);
    let mut b = Builder::new(&mut f, inner, span);
    let (two, zero) = (b.int(2), b.int(0));
    let odd = b.prim(&arith::REM, &[j, two]);
    let even = b.prim(&compare::EQ, &[odd, zero]);
    let next = b.push(Op::If { then_, else_ }, vec![even], Type::F64);
    f[inner].results = vec![next];
    // The primal outer body.
    let outer = f.graph();
    let (i, t) = (f.value(Type::USIZE, Some("i".into()), span), f.value(Type::F64, Some("s".into()), span));
    f[outer].params = vec![i, t];
    let mut b = Builder::new(&mut f, outer, span);
    let zero = b.int(0);
    let inner_loop = b.node(for_op(inner, None), vec![zero, i, t], vec![Type::F64]);
    f[outer].results = f[inner_loop].outs.clone();
    let root_graph = f.root;
    let mut b = Builder::new(&mut f, root_graph, span);
    let first = b.int(0);
    let outer_loop = b.node(for_op(outer, None), vec![first, n, x], vec![Type::F64]);
    let out = f[outer_loop].outs[0];

    // The reverse inner body: parameters j, s_bar, x_bar.
    let carried = [Type::USIZE, Type::F64, Type::F64];
    let inner_back = graph(&mut f, &carried, |_, _| vec![]);
    let (s_bar, x_bar) = (f[inner_back].params[1], f[inner_back].params[2]);
    let then_back = graph(&mut f, &[], |b, _| {
        let cos = b.prim(&trig::COS, &[s]);
        let scaled = b.prim(&arith::MUL, &[s_bar, x]);
        vec![b.prim(&arith::MUL, &[scaled, cos]), add_product(b, x_bar, s_bar, sine.unwrap())]
    });
    f[then_back].replays = Some(then_);
    let else_back = graph(&mut f, &[], |b, _| {
        let double = b.prim(&arith::ADD, &[s, s]);
        vec![b.prim(&arith::MUL, &[s_bar, double]), x_bar]
    });
    f[else_back].replays = Some(else_);
    f[inner_back].replays = Some(inner);
    let arms = Op::If { then_: then_back, else_: else_back };
    let arms = Builder::new(&mut f, inner_back, span).node(arms, vec![even], vec![Type::F64, Type::F64]);
    f[inner_back].results = f[arms].outs.clone();
    let outer_back = graph(&mut f, &carried, |b, q| {
        let op = for_op(inner_back, Some(inner_loop));
        let n = b.node(op, vec![zero, i, q[1], q[2]], vec![Type::F64, Type::F64]);
        b.func[n].outs.clone()
    });
    f[outer_back].replays = Some(outer);
    let pullback = graph(&mut f, &[Type::F64], |b, q| {
        let zero = b.push(Op::ZeroLike, vec![x], Type::F64);
        let op = for_op(outer_back, Some(outer_loop));
        let n = b.node(op, vec![first, n, q[0], zero], vec![Type::F64, Type::F64]);
        let outs = b.func[n].outs.clone();
        vec![b.push(Op::Accumulate, outs, Type::F64)]
    });
    f[pullback].replays = Some(root_graph);
    root(&mut f, |b| vec![out, b.push(Op::Closure(pullback), vec![], Type::Pullback)]);
    for n in [0, 1, 2, 3, 5] {
        check_pullback(&f, &[0.9.into(), n.into()]);
    }
}

#[test]
fn a_while_loop_backwards() {
    // y = x; while y < 10 { y = y · y }
    let (mut f, p) = function(&[("x", Type::F64)]);
    let cond = graph(&mut f, &[Type::F64], |b, q| {
        let ten = b.float_like(10.0, q[0]);
        vec![b.prim(&compare::LT, &[q[0], ten])]
    });
    let body = graph(&mut f, &[Type::F64], |b, q| vec![b.prim(&arith::MUL, &[q[0], q[0]])]);
    let y = f[body].params[0];
    let back = graph(&mut f, &[Type::F64], |b, q| {
        let double = b.prim(&arith::ADD, &[y, y]);
        vec![b.prim(&arith::MUL, &[q[0], double])]
    });
    f[back].replays = Some(body);
    let (span, root_graph) = (Span::call_site(), f.root);
    let op = Op::Loop(Box::new(Loop { kind: LoopKind::While { cond }, body, exits: false, replays: None }));
    let primal = Builder::new(&mut f, root_graph, span).node(op, vec![p[0]], vec![Type::F64]);
    let out = f[primal].outs[0];
    let pullback = graph(&mut f, &[Type::F64], |b, q| {
        let l = Loop { kind: LoopKind::Infinite, body: back, exits: false, replays: Some(primal) };
        vec![b.push(Op::Loop(Box::new(l)), vec![q[0]], Type::F64)]
    });
    f[pullback].replays = Some(root_graph);
    root(&mut f, |b| vec![out, b.push(Op::Closure(pullback), vec![], Type::Pullback)]);
    for x in [1.1, 1.5, 3.0, 20.0] {
        check_pullback(&f, &[x.into()]);
    }
}

#[test]
fn a_reverse_loop_of_the_wrong_length() {
    let (mut f, p) = function(&[("x", Type::F64), ("n", Type::USIZE), ("m", Type::USIZE)]);
    let body = graph(&mut f, &[Type::USIZE, Type::F64], |_, q| vec![q[1]]);
    let back = graph(&mut f, &[Type::USIZE, Type::F64], |_, q| vec![q[1]]);
    f[back].replays = Some(body);
    root(&mut f, |b| {
        let zero = b.int(0);
        let primal = b.node(for_op(body, None), vec![zero, p[1], p[0]], vec![Type::F64]);
        vec![b.push(for_op(back, Some(primal)), vec![zero, p[2], p[0]], Type::F64)]
    });
    assert!(run(&f, &[1.0.into(), 3.into(), 3.into()]).is_ok());
    for m in [2, 4] {
        assert!(matches!(run(&f, &[1.0.into(), 3.into(), m.into()]), Err(InterpError::Malformed(_))));
    }
}
