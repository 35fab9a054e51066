//! Programs built by hand that the tests of derivatives and of passes run.

use crate::interp::{Interp, Val};
use crate::ir::{
    Arg, Builder, Call, Callee, Const, Float, Func, Graph, Loop, LoopKind, Op, ParamMode, Path, Primitive, RangeEnd,
    Step, Type, Value,
};
use crate::prims::arith::{ADD, DIV, MUL, NEG, SUB};
use crate::prims::compare::{GT, LT, SELECT};
use crate::prims::method;
use proc_macro2::Span;

/// A program, arguments for it, and which of its parameters are active.
pub(crate) struct Sample {
    pub(crate) func: Func,
    pub(crate) args: Vec<Val>,
    pub(crate) active: Vec<bool>,
}

impl Sample {
    fn new(name: &str, params: &[(&str, Type, Val, bool)], body: impl FnOnce(&mut B, &[Value]) -> Vec<Value>) -> Self {
        let mut func = Func::new(name);
        let root = func.root;
        for (name, ty, ..) in params {
            let p = func.value(ty.clone(), Some((*name).to_owned()), Span::call_site());
            func[root].params.push(p);
            func.modes.push(ParamMode::Value);
        }
        let values = func[root].params.clone();
        let results = body(&mut Builder::new(&mut func, root, Span::call_site()), &values);
        func[root].results = results;
        let args = params.iter().map(|p| p.2.clone()).collect();
        Sample { func, args, active: params.iter().map(|p| p.3).collect() }
    }

    /// Runs a version of the program.
    pub(crate) fn run(&self, func: &Func, args: &[Val]) -> Vec<Val> {
        crate::ir::verify::verify(func).unwrap_or_else(|faults| panic!("{}: {faults:#?}", func.name));
        let machine = Interp::new(func)
            .with_call("g", |x| {
                let (x, y) = (x[0].float()?, x[1].float()?);
                Ok(vec![Val::Float(x * x * y)])
            })
            .with_call("g_jvp", |x| {
                let (x, y, dx, dy) = (x[0].float()?, x[1].float()?, x[2].float()?, x[3].float()?);
                Ok(vec![Val::Float(x * x * y), Val::Float(2.0 * x * y * dx + x * x * dy)])
            });
        machine.run(args).unwrap_or_else(|e| panic!("{}: {e}\n{}", func.name, crate::ir::print::print(func)))
    }
}

type B<'f> = Builder<'f>;

fn p(b: &mut B<'_>, prim: &'static Primitive, args: &[Value]) -> Value {
    b.prim(prim, args)
}

fn m(b: &mut B<'_>, name: &str, args: &[Value]) -> Value {
    b.prim(method(name).expect("a primitive"), args)
}

fn float(b: &mut B<'_>, x: f64) -> Value {
    b.push(Op::Const(Const::Float(x, format!("{x:?}"))), vec![], Type::Float(Float::Any))
}

fn nested(b: &mut B<'_>, params: &[Type], body: impl FnOnce(&mut B<'_>, &[Value]) -> Vec<Value>) -> Graph {
    let g = b.func.graph();
    for ty in params {
        let p = b.func.value(ty.clone(), None, b.span);
        b.func[g].params.push(p);
    }
    let values = b.func[g].params.clone();
    let span = b.span;
    let results = body(&mut Builder::new(b.func, g, span), &values);
    b.func[g].results = results;
    g
}

fn index() -> Path {
    Path(vec![Step::Index])
}

fn repeat(b: &mut B<'_>, kind: LoopKind, exits: bool, body: Graph, args: Vec<Value>) -> Vec<Value> {
    let types = args[kind.operands()..].iter().map(|&a| b.func.ty(a).clone()).collect();
    let n = b.node(Op::Loop(Box::new(Loop { kind, body, exits, replays: None })), args, types);
    b.func[n].outs.clone()
}

const FOR: LoopKind = LoopKind::For { inclusive: false, reversed: false };

fn slice() -> Type {
    Type::Slice(Box::new(Type::F64))
}

/// Every sample.
pub(crate) fn all() -> Vec<Sample> {
    vec![scalars(), branches(), sums(), newton(), buffers(), tuples(), stacks(), calls(), windows(), arrays(), waste()]
}

fn scalars() -> Sample {
    let params = [("x", Type::F64, Val::Float(0.7), true), ("y", Type::F64, Val::Float(1.3), true)];
    Sample::new("scalars", &params, |b, v| {
        let s = m(b, "sin", &[v[0]]);
        let q = p(b, &DIV, &[s, v[1]]);
        let n = p(b, &NEG, &[q]);
        let two = float(b, 2.0);
        let t = p(b, &MUL, &[two, v[1]]);
        let d = p(b, &SUB, &[t, n]);
        let w = m(b, "powf", &[v[0], v[1]]);
        let e = m(b, "mul_add", &[d, w, s]);
        let c = p(b, &LT, &[v[0], v[1]]);
        let z = p(b, &SELECT, &[c, e, two]);
        vec![z, c, two]
    })
}

fn branches() -> Sample {
    let params = [("x", Type::F64, Val::Float(0.4), true), ("y", Type::F64, Val::Float(2.0), false)];
    Sample::new("branches", &params, |b, v| {
        let c = p(b, &LT, &[v[0], v[1]]);
        let then_ = nested(b, &[], |b, _| {
            let t = p(b, &MUL, &[v[0], v[1]]);
            vec![t, v[1], v[0]]
        });
        let else_ = nested(b, &[], |b, _| {
            let t = m(b, "exp", &[v[0]]);
            let one = float(b, 1.0);
            vec![one, t, v[0]]
        });
        let n = b.node(Op::If { then_, else_ }, vec![c], vec![Type::F64; 3]);
        let outs = b.func[n].outs.clone();
        let s = p(b, &ADD, &[outs[0], outs[1]]);
        vec![p(b, &MUL, &[s, outs[2]])]
    })
}

fn sums() -> Sample {
    let xs = Val::floats(&[0.3, -0.8, 1.1]);
    let params = [("xs", slice(), xs, true), ("k", Type::F64, Val::Float(0.6), true)];
    Sample::new("sums", &params, |b, v| {
        let lo = b.int(0);
        let hi = b.push(Op::Len, vec![v[0]], Type::USIZE);
        let (zero, one) = (float(b, 0.0), float(b, 1.0));
        let ty = Type::Float(Float::Any);
        let body = nested(b, &[Type::USIZE, ty.clone(), ty.clone(), ty], |b, q| {
            let x = b.load(v[0], &index(), &[q[0]]);
            let y = b.load(v[0], &index(), &[q[0]]);
            let t = p(b, &MUL, &[x, y]);
            let t = m(b, "cos", &[t]);
            let sum = p(b, &ADD, &[q[1], t]);
            let product = p(b, &MUL, &[q[2], v[1]]);
            // The last one only feeds itself.
            let dead = p(b, &ADD, &[q[3], x]);
            vec![sum, product, dead]
        });
        let outs = repeat(b, FOR, false, body, vec![lo, hi, zero, one, zero]);
        vec![p(b, &MUL, &[outs[0], outs[1]])]
    })
}

fn newton() -> Sample {
    Sample::new("newton", &[("x", Type::F64, Val::Float(2.0), true)], |b, v| {
        let (start, count) = (float(b, 1.0), b.int(0));
        let fixed = float(b, 0.5);
        let types = [Type::F64, Type::USIZE, Type::F64];
        let cond = nested(b, &types, |b, q| {
            let six = b.int(6);
            vec![p(b, &LT, &[q[1], six])]
        });
        let body = nested(b, &types, |b, q| {
            let t = p(b, &DIV, &[v[0], q[0]]);
            let s = p(b, &ADD, &[q[0], t]);
            let h = p(b, &MUL, &[s, q[2]]);
            let one = b.int(1);
            let next = p(b, &ADD, &[q[1], one]);
            let big = float(b, 100.0);
            let exit = p(b, &GT, &[h, big]);
            vec![exit, h, next, q[2]]
        });
        let outs = repeat(b, LoopKind::While { cond }, true, body, vec![start, count, fixed]);
        vec![p(b, &MUL, &[outs[0], outs[2]])]
    })
}

fn buffers() -> Sample {
    let params = [("x", Type::F64, Val::Float(0.9), true), ("ys", slice(), Val::floats(&[2.0, 3.0, 5.0]), true)];
    Sample::new("buffers", &params, |b, v| {
        let vec = Type::Vec(Box::new(Type::F64));
        let (zero, n, one, two) = (float(b, 0.0), b.int(3), b.int(1), b.int(2));
        let i0 = b.int(0);
        let u = b.push(Op::VecRepeat, vec![zero, n], vec.clone());
        let w = b.push(Op::VecRepeat, vec![zero, n], vec.clone());
        let u = b.push(Op::Update(index()), vec![u, one, v[0]], vec.clone());
        let t = b.load(u, &index(), &[one]);
        let t = m(b, "exp", &[t]);
        let u = b.push(Op::AddAt(index()), vec![u, two, t], vec.clone());
        let u = b.push(Op::Swap(Path::default()), vec![u, i0, two], vec.clone());
        let u = b.push(Op::Update(index()), vec![u, one, zero], vec.clone());
        let range = Path(vec![Step::Range { from: true, end: RangeEnd::Open }]);
        let tail = b.load(v[1], &range, &[one]);
        let w = b.push(Op::Update(range), vec![w, one, tail], vec.clone());
        let n = b.node(Op::Take(index()), vec![u, i0], vec![Type::F64, vec.clone()]);
        let (taken, u) = (b.func[n].outs[0], b.func[n].outs[1]);
        let front = Path(vec![Step::Range { from: false, end: RangeEnd::Exclusive }]);
        let w = b.push(Op::Fill(front), vec![w, one, taken], vec.clone());
        let c = b.push(Op::Copy(true), vec![v[1]], vec);
        vec![u, w, c]
    })
}

fn tuples() -> Sample {
    let params = [("x", Type::F64, Val::Float(0.9), true), ("n", Type::USIZE, Val::Int(4), false)];
    Sample::new("tuples", &params, |b, v| {
        let field = |k: usize| Path(vec![Step::Field(k.to_string())]);
        let ty = Type::Tuple(vec![Type::F64, Type::USIZE]);
        let t = b.push(Op::Tuple, vec![v[0], v[1]], ty.clone());
        let x = b.load(t, &field(0), &[]);
        let y = p(b, &MUL, &[x, v[0]]);
        let t = b.push(Op::Update(field(0)), vec![t, y], ty.clone());
        let five = b.int(5);
        let t = b.push(Op::Update(field(1)), vec![t, five], ty);
        let array = b.push(Op::Array, vec![x, y], Type::Array(Box::new(Type::F64)));
        vec![t, array]
    })
}

fn stacks() -> Sample {
    Sample::new("stacks", &[("x", Type::F64, Val::Float(1.2), true)], |b, v| {
        let vec = Type::Vec(Box::new(Type::Dyn));
        let s = b.push(Op::VecEmpty, vec![], vec.clone());
        let (lo, hi, start) = (b.int(0), b.int(4), float(b, 1.0));
        let body = nested(b, &[Type::USIZE, vec.clone(), Type::F64], |b, q| {
            let t = p(b, &MUL, &[q[2], v[0]]);
            vec![b.push(Op::Push(Path::default()), vec![q[1], t], vec.clone()), t]
        });
        let outs = repeat(b, FOR, false, body, vec![lo, hi, s, start]);
        let n = b.node(Op::Pop(Path::default()), vec![outs[0]], vec![Type::Dyn, vec.clone()]);
        let pair = b.func[n].outs.clone();
        vec![pair[0], pair[1]]
    })
}

fn calls() -> Sample {
    let params = [("x", Type::F64, Val::Float(0.7), true), ("y", Type::F64, Val::Float(1.3), false)];
    Sample::new("calls", &params, |b, v| {
        let callee = Callee::Path(syn::parse_quote!(g));
        let call = Call::new(callee, vec![Arg::Value; 2]);
        let r = b.push(Op::Call(Box::new(call.clone())), vec![v[0], v[1]], Type::F64);
        let s = b.push(Op::Call(Box::new(call)), vec![v[1], v[1]], Type::F64);
        vec![p(b, &MUL, &[r, s])]
    })
}

fn windows() -> Sample {
    let params = [("xs", slice(), Val::floats(&[1.0, 2.0, 4.0]), true), ("c", Type::Bool, Val::Bool(true), false)];
    Sample::new("windows", &params, |b, v| {
        let one = b.int(1);
        let range = Path(vec![Step::Range { from: true, end: RangeEnd::Open }]);
        let then_ = nested(b, &[], |b, _| vec![b.load(v[0], &range, &[one])]);
        let else_ = nested(b, &[], |_, _| vec![v[0]]);
        let n = b.node(Op::If { then_, else_ }, vec![v[1]], vec![slice()]);
        let s = b.func[n].outs[0];
        let x = b.load(s, &index(), &[one]);
        vec![x, s]
    })
}

fn arrays() -> Sample {
    let ty = Type::NdArray(Float::F64, Some(1));
    let val = Val::Array { shape: vec![3], data: vec![0.5, 1.5, -0.5] };
    let params = [("a", ty.clone(), val, true), ("k", Type::F64, Val::Float(2.0), true)];
    Sample::new("arrays", &params, |b, v| {
        // One operand is an array, a scalar is captured.
        let body = nested(b, &[Type::F64], |b, q| {
            let t = m(b, "sin", &[q[0]]);
            vec![p(b, &MUL, &[t, v[1]])]
        });
        vec![b.push(Op::Map { body, like_first: true, over: None, operator: None }, vec![v[0]], ty)]
    })
}

/// What the passes take away.
fn waste() -> Sample {
    let params = [("x", Type::F64, Val::Float(-0.0), true), ("y", Type::F64, Val::Float(1.5), true)];
    Sample::new("waste", &params, |b, v| {
        let (zero, one, two) = (b.float_like(0.0, v[0]), b.float_like(1.0, v[0]), b.float_like(2.0, v[0]));
        let three = p(b, &ADD, &[one, two]);
        let c = p(b, &LT, &[one, three]);
        let then_ = nested(b, &[], |b, _| {
            let s = m(b, "sin", &[v[1]]);
            vec![s, one]
        });
        let else_ = nested(b, &[], |b, _| {
            let one = b.float_like(1.0, v[0]);
            vec![v[0], one]
        });
        let n = b.node(Op::If { then_, else_ }, vec![c], vec![Type::F64; 2]);
        let outs = b.func[n].outs.clone();
        let a = p(b, &MUL, &[v[0], outs[1]]);
        let keep = p(b, &ADD, &[v[0], zero]);
        let same = p(b, &SUB, &[a, zero]);
        let n1 = p(b, &NEG, &[outs[0]]);
        let n2 = p(b, &NEG, &[n1]);
        let again = m(b, "sin", &[v[1]]);
        let d = p(b, &SUB, &[n2, n1]);
        let e = p(b, &ADD, &[again, n1]);
        let unused = m(b, "exp", &[v[0]]);
        let _ = p(b, &MUL, &[unused, two]);
        let g = nested(b, &[Type::F64], |b, q| vec![p(b, &MUL, &[q[0], three])]);
        let r = b.push(Op::Apply(g), vec![d], Type::F64);
        vec![same, keep, e, r, three]
    })
}
