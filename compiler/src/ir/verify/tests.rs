//! Functions that break one rule each.

use super::*;
use crate::ir::*;
use proc_macro2::Span;

static ADD: Primitive = Primitive {
    name: "add",
    arity: 2,
    doc: "",
    kind: Kind::Arithmetic,
    rule: Rule::Zero(""),
    eval: |x| x[0] + x[1],
    rust: Spelling::Infix("+"),
    cuda: "",
    cost: Cost::Cheap,
    domain: &[],
    convention: "",
};

/// `fn f(x: f64, n: usize, c: bool)`, filled by the caller.
fn with(build: impl FnOnce(&mut Builder<'_>, Value, Value, Value)) -> Func {
    let span = Span::call_site();
    let mut f = Func::new("f");
    let mut param = |name: &str, ty| f.value(ty, Some(name.into()), span);
    let (x, n, c) = (param("x", Type::F64), param("n", Type::USIZE), param("c", Type::Bool));
    let root = f.root;
    f[root].params = vec![x, n, c];
    build(&mut Builder::new(&mut f, root, span), x, n, c);
    f
}

#[track_caller]
fn faults(expected: &str, build: impl FnOnce(&mut Builder<'_>, Value, Value, Value)) {
    let faults = verify(&with(build)).expect_err("a fault");
    let messages: Vec<_> = faults.iter().map(|f| f.message.as_str()).collect();
    assert!(messages.iter().any(|m| m.contains(expected)), "{messages:?}");
}

fn for_loop(body: Graph, replays: Option<Node>) -> Op {
    let kind = LoopKind::For { inclusive: false, reversed: replays.is_some() };
    Op::Loop(Box::new(Loop { kind, body, exits: false, replays }))
}

/// A graph of the given parameters; the caller says what it gives.
fn graph(b: &mut Builder<'_>, params: &[Type]) -> (Graph, Vec<Value>) {
    let span = b.span;
    let g = b.func.graph();
    let values: Vec<_> = params.iter().map(|t| b.func.value(t.clone(), None, span)).collect();
    b.func[g].params = values.clone();
    (g, values)
}

#[test]
fn a_good_function_with_replays() {
    let f = with(|b, x, n, c| {
        let zero = b.int(0);
        let (body, p) = graph(b, &[Type::USIZE, Type::F64]);
        let mut inner = Builder::new(b.func, body, b.span);
        let square = inner.prim(&ADD, &[p[1], x]);
        let next = inner.prim(&ADD, &[square, x]);
        b.func[body].results = vec![next];
        let l = b.node(for_loop(body, None), vec![zero, n, x], vec![Type::F64]);
        let (pullback, seed) = graph(b, &[Type::F64]);
        b.func[pullback].replays = Some(b.graph);
        let (back, q) = graph(b, &[Type::USIZE, Type::F64]);
        b.func[back].replays = Some(body);
        let (then_, else_) = (graph(b, &[]).0, graph(b, &[]).0);
        b.func[then_].results = vec![square];
        b.func[else_].results = vec![q[1]];
        let mut inner = Builder::new(b.func, back, b.span);
        let arm = inner.push(Op::If { then_, else_ }, vec![c], Type::F64);
        b.func[back].results = vec![arm];
        let out =
            Builder::new(b.func, pullback, b.span).push(for_loop(back, Some(l)), vec![zero, n, seed[0]], Type::F64);
        b.func[pullback].results = vec![out];
        let closure = b.push(Op::Closure(pullback), vec![], Type::Pullback);
        b.func[b.graph].results = vec![b.func[l].outs[0], closure];
    });
    if let Err(faults) = verify(&f) {
        panic!("{}", faults.iter().map(|f| f.to_string()).collect::<String>());
    }
}

#[test]
fn definitions() {
    faults("used before it is defined", |b, x, _, _| {
        let y = b.prim(&ADD, &[x, x]);
        b.prim(&ADD, &[y, y]);
        b.func[b.graph].nodes.reverse();
    });
    faults("%?0 is not defined", |b, x, _, _| {
        let lost = b.func.value(Type::F64, None, b.span);
        b.prim(&ADD, &[x, lost]);
    });
    faults("%0 is defined twice", |b, x, _, _| {
        let y = b.prim(&ADD, &[x, x]);
        let twice = b.func.node(Op::Const(Const::Unit), vec![], vec![y], b.span);
        b.func[b.graph].nodes.push(twice);
    });
    faults("listed twice", |b, x, _, _| {
        b.prim(&ADD, &[x, x]);
        let node = b.func[b.graph].nodes[0];
        b.func[b.graph].nodes.push(node);
    });
    faults("nested twice", |b, _, _, c| {
        let (g, _) = graph(b, &[]);
        b.node(Op::If { then_: g, else_: g }, vec![c], vec![]);
    });
    faults("nested twice", |b, _, _, c| {
        let (g, _) = graph(b, &[]);
        let root = b.graph;
        b.node(Op::If { then_: g, else_: root }, vec![c], vec![]);
    });
}

#[test]
fn visibility() {
    let hidden = |replays: bool| {
        move |b: &mut Builder<'_>, x: Value, _: Value, c: Value| {
            let (then_, else_) = (graph(b, &[]).0, graph(b, &[]).0);
            let y = Builder::new(b.func, then_, b.span).prim(&ADD, &[x, x]);
            b.func[then_].results = vec![y];
            b.func[else_].results = vec![x];
            b.push(Op::If { then_, else_ }, vec![c], Type::F64);
            let (then_back, else_back) = (graph(b, &[]).0, graph(b, &[]).0);
            b.func[then_back].results = vec![y];
            b.func[then_back].replays = replays.then_some(then_);
            b.func[else_back].results = vec![x];
            b.push(Op::If { then_: then_back, else_: else_back }, vec![c], Type::F64);
        }
    };
    faults("not visible here", hidden(false));
    assert!(verify(&with(hidden(true))).is_ok());
}

#[test]
fn replays_of_nothing() {
    faults("replays a graph", |b, x, _, c| {
        let lost = b.func.graph();
        let (then_, else_) = (graph(b, &[]).0, graph(b, &[]).0);
        b.func[then_].results = vec![x];
        b.func[then_].replays = Some(lost);
        b.func[else_].results = vec![x];
        b.push(Op::If { then_, else_ }, vec![c], Type::F64);
    });
    faults("replays a loop", |b, x, n, _| {
        b.prim(&ADD, &[x, x]);
        let node = b.func[b.graph].nodes[0];
        let (body, p) = graph(b, &[Type::USIZE, Type::F64]);
        b.func[body].results = vec![p[1]];
        b.push(for_loop(body, Some(node)), vec![n, n, x], Type::F64);
    });
}

#[test]
fn counts() {
    faults("2 operands expected, 1 given", |b, x, _, _| {
        b.push(Op::Prim(&ADD), vec![x], Type::F64);
    });
    faults("2 results expected, 1 given", |b, x, _, _| {
        b.push(Op::Pop(Path::default()), vec![x], Type::F64);
    });
    faults("must give 1 value, it gives 0", |b, x, _, c| {
        let (then_, else_) = (graph(b, &[]).0, graph(b, &[]).0);
        b.func[then_].results = vec![x];
        b.push(Op::If { then_, else_ }, vec![c], Type::F64);
    });
    faults("2 parameters expected, 1 given", |b, x, n, _| {
        let (body, p) = graph(b, &[Type::F64]);
        b.func[body].results = vec![p[0]];
        b.push(for_loop(body, None), vec![n, n, x], Type::F64);
    });
    faults("1 parameter expected, 0 given", |b, x, _, _| {
        let (g, _) = graph(b, &[]);
        b.func[g].results = vec![x];
        b.push(Op::Apply(g), vec![x], Type::F64);
    });
    faults("2 operands expected, 1 given", |b, x, _, _| {
        b.push(Op::Load(Path(vec![Step::Index])), vec![x], Type::F64);
    });
    faults("1 modes for 3 parameters", |b, _, _, _| b.func.modes = vec![ParamMode::Value]);
}

#[test]
fn types() {
    faults("%x is a f64, %n a usize", |b, x, n, _| {
        b.prim(&ADD, &[x, n]);
    });
    faults("%x must be an integer", |b, x, _, _| {
        let v = b.push(Op::VecOf, vec![x], Type::Vec(Box::new(Type::F64)));
        b.push(Op::Load(Path(vec![Step::Index])), vec![v, x], Type::F64);
    });
    faults("%n decides and must be a bool", |b, x, n, _| {
        let (then_, else_) = (graph(b, &[]).0, graph(b, &[]).0);
        b.func[then_].results = vec![x];
        b.func[else_].results = vec![x];
        b.push(Op::If { then_, else_ }, vec![n], Type::F64);
    });
    faults("%x is a f64, %0 a Vec<f64>", |b, x, _, _| {
        let v = b.push(Op::VecOf, vec![x], Type::Vec(Box::new(Type::F64)));
        b.push(Op::Accumulate, vec![x, v], Type::F64);
    });
    faults("%c is a bool, the place for it a f64", |b, x, n, c| {
        let ty = Type::Vec(Box::new(Type::F64));
        let v = b.push(Op::VecOf, vec![x], ty.clone());
        b.push(Op::Update(Path(vec![Step::Index])), vec![v, n, c], ty);
    });
}

#[test]
fn a_fault_is_shown_in_the_listing() {
    let f = with(|b, x, n, _| {
        let y = b.prim(&ADD, &[x, x]);
        b.push(Op::Prim(&ADD), vec![y, n], Type::F64);
    });
    insta::assert_snapshot!(verify(&f).unwrap_err()[0], @r#"
    %0 is a f64, %n a usize
    fn f(%x: f64, %n: usize, %c: bool) {
      %0: f64 = %x + %x
      %1: f64 = %0 + %n
      ^ %0 is a f64, %n a usize
    }
    "#);
}
