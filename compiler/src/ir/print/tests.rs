//! The text form of hand-built functions.

use crate::ir::*;
use proc_macro2::Span;
use quote::quote;

static MUL: Primitive = Primitive {
    name: "mul",
    arity: 2,
    doc: "",
    kind: Kind::Arithmetic,
    rule: Rule::Zero(""),
    eval: |x| x[0] * x[1],
    rust: Spelling::Infix("*"),
    cuda: "",
    cost: Cost::Cheap,
    domain: &[],
    convention: "",
};

/// `let mut y = x; for i in 0..n { y = y * x }`, and a pullback that only visits the loop backwards.
fn power() -> Func {
    let span = Span::call_site();
    let mut f = Func::new("power");
    // Holes in the arenas must not show.
    f.value(Type::Dyn, None, span);
    let x = f.value(Type::F64, Some("x".into()), span);
    let n = f.value(Type::USIZE, Some("n".into()), span);
    let root = f.root;
    f[root].params = vec![x, n];
    f.modes = vec![ParamMode::Ref, ParamMode::Value];
    let zero = Builder::new(&mut f, root, span).int(0);
    let body = f.graph();
    let i = f.value(Type::USIZE, Some("i".into()), span);
    let y = f.value(Type::F64, Some("y".into()), span);
    f[body].params = vec![i, y];
    let product = Builder::new(&mut f, body, span).prim(&MUL, &[y, x]);
    f[body].results = vec![product];
    let kind = || LoopKind::For { inclusive: false, reversed: false };
    let op = Op::Loop(Box::new(Loop { kind: kind(), body, exits: false, replays: None }));
    let node = Builder::new(&mut f, root, span).node(op, vec![zero, n, x], vec![Type::F64]);
    let out = f[node].outs[0];
    f.values[out].name = Some("y".into());

    let pullback = f.graph();
    f[pullback].replays = Some(root);
    let y_bar = f.value(Type::F64, Some("y_bar".into()), span);
    f[pullback].params = vec![y_bar];
    let back = f.graph();
    f[back].replays = Some(body);
    let (j, g) = (f.value(Type::USIZE, None, span), f.value(Type::F64, Some("y_bar".into()), span));
    f[back].params = vec![j, g];
    let scaled = Builder::new(&mut f, back, span).prim(&MUL, &[g, x]);
    f[back].results = vec![scaled];
    let kind = LoopKind::For { inclusive: false, reversed: true };
    let op = Op::Loop(Box::new(Loop { kind, body: back, exits: false, replays: Some(node) }));
    let out_bar = Builder::new(&mut f, pullback, span).push(op, vec![zero, n, y_bar], Type::F64);
    f[pullback].results = vec![out_bar];
    let closure = Builder::new(&mut f, root, span).push(Op::Closure(pullback), vec![], Type::Pullback);
    f[root].results = vec![out, closure];
    f
}

#[test]
fn loops_and_replays() {
    insta::assert_snapshot!(power().to_string(), @r#"
    fn power(ref %x: f64, %n: usize) -> (f64, pullback) @0 {
      %0: usize = 0
      %y: f64 = for %i: usize in %0..%n (%y.1: f64 = %x) @1 {
        %1: f64 = %y.1 * %x
        yield %1
      }
      %2: pullback = closure (%y_bar: f64) replays @0 {
        %3: f64 = for %4: usize in rev %0..%n (%y_bar.1: f64 = %y_bar) reverses @1 {
          %5: f64 = %y_bar.1 * %x
          yield %5
        }
        return %3
      }
      return %y, %2
    }
    "#);
}

#[test]
fn paths_branches_and_code() {
    let span = Span::call_site();
    let mut f = Func::new("parts");
    let root = f.root;
    let matrix = Type::Slice(Box::new(Type::Vec(Box::new(Type::F64))));
    let x = f.value(matrix.clone(), Some("x".into()), span);
    let c = f.value(Type::Bool, Some("c".into()), span);
    f[root].params = vec![x, c];
    let mut b = Builder::new(&mut f, root, span);
    let i = b.int(1);
    let path = Path(vec![Step::Index, Step::Range { from: true, end: RangeEnd::Exclusive }, Step::Field("0".into())]);
    let part = b.load(x, &path, &[i, i, i]);
    b.push(Op::Update(Path(vec![Step::Index])), vec![x, i, part], matrix.clone());
    b.push(
        Op::AddAt(Path(vec![Step::Range { from: false, end: RangeEnd::Inclusive }])),
        vec![x, i, part],
        matrix.clone(),
    );
    b.push(Op::Swap(Path(vec![])), vec![x, i, i], matrix.clone());
    let (then_, else_) = (b.func.graph(), b.func.graph());
    b.func[then_].results = vec![part];
    b.func[else_].results = vec![x];
    b.push(Op::If { then_, else_ }, vec![c], Type::Dyn);
    let ident = |name: &str| proc_macro2::Ident::new(name, span);
    let code = Verbatim {
        code: quote!(match table.get(&mut k, -1.0 + 2.0) {
            Some(v) => v.0,
            None => panic!("no {}", k),
        }),
        uses: vec![ident("table"), ident("k")],
        defs: vec![1],
        refs: vec![true, false],
        pure_: false,
        diverges: false,
    };
    b.node(Op::Verbatim(Box::new(code)), vec![x, i], vec![Type::Dyn, Type::USIZE]);
    let cond = b.func.graph();
    let body = b.func.graph();
    let (s, t) = (b.func.value(Type::F64, Some("s".into()), span), b.func.value(Type::F64, Some("s".into()), span));
    b.func[cond].params = vec![s];
    b.func[cond].results = vec![c];
    b.func[body].params = vec![t];
    b.func[body].results = vec![c, t];
    let op = Op::Loop(Box::new(Loop { kind: LoopKind::While { cond }, body, exits: true, replays: None }));
    b.push(op, vec![part], Type::F64);
    let callee = Callee::Path(syn::parse_quote!(a::g));
    let call = Call { unit: true, ..Call::new(callee, vec![Arg::Value, Arg::RefMut]) };
    b.node(Op::Call(Box::new(call)), vec![i, x], vec![Type::Unit, matrix]);
    insta::assert_snapshot!(f.to_string(), @r#"
    fn parts(%x: &[Vec<f64>], %c: bool) {
      %0: usize = 1
      %1: dyn = load %x[%0][%0..%0].0
      %2: &[Vec<f64>] = update %x[%0] = %1
      %3: &[Vec<f64>] = add %x[..=%0] += %1
      %4: &[Vec<f64>] = swap %x at %0, %0
      %5: dyn = if %c {
        yield %1
      } else {
        yield %x
      }
      %6: dyn, %7: usize = effect `match table.get(&mut k, -1.0 + 2.0) { Some(v) => v.0, None => panic!("no {}", k), }` [table = &%x, mut k = %0]
      %8: f64 = while (%s: f64 = %1) {
        yield %c
      } do (%s.1: f64) {
        yield %s.1; exit if %c
      }
      %9: (), %10: &[Vec<f64>] = call a::g(%0, &mut %x)
    }
    "#);
}
