//! Each operation on its own.

use super::*;
use crate::prims::exp;

/// The results of one operation with results of the given types.
fn all(op: Op, args: &[Val], types: &[Type]) -> Result<Vec<Val>> {
    let params: Vec<_> = args.iter().map(|_| ("a", Type::Dyn)).collect();
    let (mut f, p) = function(&params);
    root(&mut f, |b| {
        let n = b.node(op, p, types.to_vec());
        b.func[n].outs.clone()
    });
    run(&f, args)
}

fn one(op: Op, args: &[Val], ty: Type) -> Result<Val> {
    all(op, args, &[ty]).map(|mut v| v.remove(0))
}

fn dynamic(op: Op, args: &[Val]) -> Val {
    one(op, args, Type::Dyn).unwrap()
}

fn prim(p: &'static Primitive, args: &[Val], ty: Type) -> Result<Val> {
    one(Op::Prim(p), args, ty)
}

#[track_caller]
fn panics(result: Result<Val>, message: &str) {
    match result {
        Err(InterpError::Panic(m)) => assert!(m.contains(message), "{m}"),
        other => panic!("{other:?}"),
    }
}

fn index() -> Path {
    Path(vec![Step::Index])
}

fn range(from: bool, end: RangeEnd) -> Path {
    Path(vec![Step::Range { from, end }])
}

fn array(shape: &[usize], data: &[f64]) -> Val {
    Val::Array { shape: shape.to_vec(), data: data.to_vec() }
}

fn floats(xs: &[f64]) -> Val {
    Val::floats(xs)
}

#[test]
fn constants_and_sequences() {
    assert_eq!(dynamic(Op::Const(Const::Float(0.5, "0.5".into())), &[]), 0.5.into());
    assert_eq!(dynamic(Op::Const(Const::Int("1_000".into())), &[]), 1000.into());
    assert_eq!(dynamic(Op::Const(Const::Bool(true)), &[]), true.into());
    assert_eq!(dynamic(Op::Const(Const::Unit), &[]), Val::Unit);
    assert_eq!(dynamic(Op::Tuple, &[1.0.into(), 2.into()]), Val::Tuple(vec![1.0.into(), 2.into()]));
    assert_eq!(dynamic(Op::Array, &[1.0.into(), 2.0.into()]), floats(&[1.0, 2.0]));
    assert_eq!(dynamic(Op::VecOf, &[]), floats(&[]));
    assert_eq!(dynamic(Op::Repeat(quote!(3)), &[1.0.into()]), floats(&[1.0; 3]));
    assert_eq!(dynamic(Op::VecRepeat, &[1.0.into(), 2.into()]), floats(&[1.0; 2]));
    assert_eq!(dynamic(Op::VecEmpty, &[9.into()]), floats(&[]));
    assert_eq!(dynamic(Op::Push(Path::default()), &[floats(&[1.0]), 2.0.into()]), floats(&[1.0, 2.0]));
    let popped = all(Op::Pop(Path::default()), &[floats(&[1.0, 2.0])], &[Type::Dyn, Type::Dyn]);
    assert_eq!(popped, Ok(vec![2.0.into(), floats(&[1.0])]));
    assert_eq!(dynamic(Op::Len, &[floats(&[1.0, 2.0])]), 2.into());
    assert_eq!(dynamic(Op::Copy(true), &[floats(&[1.0])]), floats(&[1.0]));
}

#[test]
fn paths() {
    let v = floats(&[1.0, 2.0, 3.0]);
    assert_eq!(dynamic(Op::Load(index()), &[v.clone(), 1.into()]), 2.0.into());
    assert_eq!(dynamic(Op::Load(Path::default()), std::slice::from_ref(&v)), v);
    let load = |path, operands: &[usize]| {
        let operands = operands.iter().map(|&k| Val::from(k));
        one(Op::Load(path), &std::iter::once(v.clone()).chain(operands).collect::<Vec<_>>(), Type::Dyn)
    };
    assert_eq!(load(range(true, RangeEnd::Open), &[1]), Ok(floats(&[2.0, 3.0])));
    assert_eq!(load(range(false, RangeEnd::Exclusive), &[2]), Ok(floats(&[1.0, 2.0])));
    assert_eq!(load(range(true, RangeEnd::Inclusive), &[1, 1]), Ok(floats(&[2.0])));
    assert_eq!(load(range(true, RangeEnd::Open), &[3]), Ok(floats(&[])));
    panics(load(index(), &[3]), "index out of bounds: the len is 3 but the index is 3");
    panics(load(range(true, RangeEnd::Exclusive), &[2, 1]), "slice index starts at 2 but ends at 1");
    panics(load(range(false, RangeEnd::Inclusive), &[3]), "out of range for slice of length 3");

    let deep = Val::Seq(vec![Val::Tuple(vec![v.clone(), 7.into()]); 2]);
    let path = || Path(vec![Step::Index, Step::Field("0".into()), Step::Range { from: true, end: RangeEnd::Open }]);
    let updated = dynamic(Op::Update(path()), &[deep.clone(), 1.into(), 2.into(), floats(&[9.0])]);
    assert_eq!(updated.flat(), [1.0, 2.0, 3.0, 1.0, 2.0, 9.0]);
    let added = dynamic(Op::AddAt(path()), &[deep.clone(), 0.into(), 1.into(), floats(&[10.0, 20.0])]);
    assert_eq!(added.flat(), [1.0, 12.0, 23.0, 1.0, 2.0, 3.0]);
    let filled = dynamic(Op::Fill(path()), &[deep.clone(), 0.into(), 1.into(), 0.5.into()]);
    assert_eq!(filled.flat(), [1.0, 0.5, 0.5, 1.0, 2.0, 3.0]);
    let swapped = dynamic(Op::Swap(path()), &[deep.clone(), 0.into(), 1.into(), 0.into(), 1.into()]);
    assert_eq!(swapped.flat(), [1.0, 3.0, 2.0, 1.0, 2.0, 3.0]);
    let taken = all(Op::Take(path()), &[deep, 0.into(), 1.into()], &[Type::Dyn, Type::Dyn]).unwrap();
    assert_eq!(taken[0], floats(&[2.0, 3.0]));
    assert_eq!(taken[1].flat(), [1.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    panics(
        one(Op::Update(path()), &[Val::Seq(vec![Val::Tuple(vec![v])]), 0.into(), 2.into(), floats(&[])], Type::Dyn),
        "length",
    );
}

#[test]
fn primitives_on_floats_and_booleans() {
    assert_eq!(prim(&arith::MUL, &[2.0.into(), 3.0.into()], Type::F64), Ok(6.0.into()));
    assert_eq!(prim(&compare::LE, &[2.0.into(), f64::NAN.into()], Type::Bool), Ok(false.into()));
    assert_eq!(prim(&compare::NOT, &[true.into()], Type::Bool), Ok(false.into()));
    assert_eq!(prim(&compare::XOR, &[true.into(), false.into()], Type::Bool), Ok(true.into()));
    assert_eq!(prim(&compare::SELECT, &[true.into(), 1.into(), 2.into()], Type::USIZE), Ok(1.into()));
    assert_eq!(prim(&exp::POWI, &[2.0.into(), Val::Int(-1)], Type::F64), Ok(0.5.into()));
    let third = prim(&arith::DIV, &[1.0.into(), 3.0.into()], Type::Float(Float::F32));
    assert_eq!(third, Ok(f64::from(1.0_f32 / 3.0).into()));
}

#[test]
fn primitives_on_integers() {
    let int = |p, a: i128, b: i128, ty: &'static str| prim(p, &[Val::Int(a), Val::Int(b)], Type::Int(Some(ty)));
    assert_eq!(int(&arith::DIV, -7, 2, "i32"), Ok(Val::Int(-3)));
    assert_eq!(int(&arith::REM, -7, 2, "i32"), Ok(Val::Int(-1)));
    panics(int(&arith::DIV, 1, 0, "i32"), "attempt to divide by zero");
    panics(int(&arith::REM, 1, 0, "i32"), "attempt to calculate the remainder with a divisor of zero");
    panics(int(&arith::SUB, 1, 2, "usize"), "attempt to subtract with overflow");
    panics(int(&arith::ADD, 255, 1, "u8"), "attempt to add with overflow");
    panics(int(&arith::DIV, i32::MIN.into(), -1, "i32"), "attempt to divide with overflow");
    assert_eq!(int(&arith::SATURATING_SUB, i32::MIN.into(), 1, "i32"), Ok(Val::Int(i32::MIN.into())));
    assert_eq!(int(&arith::SATURATING_SUB, 1, 2, "usize"), Ok(Val::Int(0)));
    assert_eq!(int(&compare::SHL, 200, 1, "u8"), Ok(Val::Int(144)));
    panics(int(&compare::SHL, 1, 8, "u8"), "attempt to shift left with overflow");
    let big = (1 << 60) + 1;
    assert_eq!(int(&compare::GT, big, big - 1, "i64"), Ok(true.into()));
    assert_eq!(prim(&compare::NOT, &[Val::Int(1)], Type::Int(Some("u8"))), Ok(Val::Int(254)));
}

#[test]
fn casts() {
    let cast = |x: Val, to: proc_macro2::TokenStream| dynamic(Op::Cast(to), &[x]);
    assert_eq!(cast(2.into(), quote!(f64)), 2.0.into());
    assert_eq!(cast(0.1.into(), quote!(f32)), f64::from(0.1_f32).into());
    assert_eq!(cast((-1.5).into(), quote!(usize)), 0.into());
    assert_eq!(cast(1e9.into(), quote!(i16)), Val::Int(i16::MAX.into()));
    assert_eq!(cast(f64::NAN.into(), quote!(i32)), 0.into());
    assert_eq!(cast(Val::Int(-1), quote!(u8)), 255.into());
    assert_eq!(cast(true.into(), quote!(usize)), 1.into());
    let (x, g) = (Val::Float(3.0), Val::Float(2.0));
    assert_eq!(dynamic(Op::CastCotangent(quote!(f32)), &[x.clone(), g.clone()]), g);
    assert_eq!(dynamic(Op::CastCotangent(quote!(f32)), &[3.into(), g.clone()]), Val::Unit);
    assert_eq!(dynamic(Op::CastCotangent(quote!(i32)), &[x.clone(), Val::Unit]), 0.0.into());
    assert_eq!(dynamic(Op::CastTangent(quote!(f64)), &[x.clone(), g.clone()]), g);
    assert_eq!(dynamic(Op::CastTangent(quote!(f64)), &[3.into(), Val::Unit]), 0.0.into());
    assert_eq!(dynamic(Op::CastTangent(quote!(i32)), &[x, g]), Val::Unit);
}

#[test]
fn tangents() {
    let pair = Val::Tuple(vec![floats(&[1.0, 2.0]), 3.into()]);
    let zero = Val::Tuple(vec![floats(&[0.0, 0.0]), Val::Unit]);
    assert_eq!(dynamic(Op::ZeroLike, std::slice::from_ref(&pair)), zero);
    assert_eq!(dynamic(Op::ZeroLike, &[Val::ints(&[1, 2])]), Val::Unit);
    assert_eq!(one(Op::ZeroLike, &[Val::Seq(vec![])], Type::Unit), Ok(Val::Unit));
    let g = Val::Tuple(vec![floats(&[1.0, 2.0]), Val::Unit]);
    let sum = Val::Tuple(vec![floats(&[2.0, 4.0]), Val::Unit]);
    assert_eq!(dynamic(Op::Accumulate, &[g.clone(), g.clone()]), sum);
    assert_eq!(dynamic(Op::AddEntry, &[g.clone(), g.clone()]), sum);
    assert_eq!(dynamic(Op::AddEntry, &[g.clone(), Val::Unit]), g);
    assert_eq!(dynamic(Op::Accumulate, &[floats(&[]), floats(&[1.0])]), floats(&[1.0]));
    panics(one(Op::Accumulate, &[floats(&[1.0]), floats(&[1.0, 2.0])], Type::Dyn), "lengths differ");
    assert!(matches!(one(Op::Accumulate, &[g, 1.0.into()], Type::Dyn), Err(InterpError::Malformed(_))));
}

#[test]
fn iteration_numbers() {
    let nth = |inclusive, reversed, from: usize| dynamic(Op::Nth { inclusive, reversed }, &[from.into(), 2.into()]);
    assert_eq!(nth(false, false, 10), 12.into());
    assert_eq!(nth(false, true, 10), 7.into());
    assert_eq!(nth(true, true, 10), 8.into());
    assert_eq!(dynamic(Op::Offset, &[3.into(), 10.into()]), 7.into());
    let steps = |inclusive, hi: usize, step: usize| {
        one(Op::Steps { inclusive }, &[2.into(), hi.into(), step.into()], Type::USIZE)
    };
    for (hi, step) in [(2, 1), (3, 1), (8, 3), (9, 3), (0, 2), (11, 3)] {
        assert_eq!(steps(false, hi, step), Ok((2..hi).step_by(step).count().into()));
        assert_eq!(steps(true, hi, step), Ok((2..=hi).step_by(step).count().into()));
    }
    panics(steps(false, 5, 0), "step != 0");
    assert_eq!(dynamic(Op::NthStep, &[2.into(), 3.into(), 4.into()]), 14.into());
}

#[test]
fn arrays() {
    let a = array(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let row = array(&[3], &[10.0, 20.0, 30.0]);
    let column = array(&[2, 1], &[100.0, 200.0]);
    let map = |args: &[Val], like_first: bool| {
        let params: Vec<_> = args.iter().map(|_| ("a", Type::Dyn)).collect();
        let (mut f, p) = function(&params);
        let body = graph(&mut f, &[Type::F64, Type::F64], |b, q| vec![b.prim(&arith::SUB, &[q[0], q[1]])]);
        root(&mut f, |b| vec![b.push(Op::Map { body, like_first, over: None, operator: None }, p, Type::Dyn)]);
        run(&f, args).map(|mut v| v.remove(0))
    };
    assert_eq!(map(&[a.clone(), row.clone()], true), Ok(array(&[2, 3], &[-9.0, -18.0, -27.0, -6.0, -15.0, -24.0])));
    let outer = array(&[2, 3], &[-90.0, -80.0, -70.0, -190.0, -180.0, -170.0]);
    assert_eq!(map(&[row.clone(), column.clone()], false), Ok(outer));
    assert_eq!(map(&[row.clone(), 10.0.into()], true), Ok(array(&[3], &[0.0, 10.0, 20.0])));
    assert_eq!(map(&[3.0.into(), 1.0.into()], false), Ok(2.0.into()));
    panics(map(&[row.clone(), a.clone()], true), "could not broadcast");
    panics(map(&[row.clone(), array(&[2], &[0.0, 0.0])], false), "could not broadcast");
    assert_eq!(prim(&arith::ADD, &[1.0.into(), row.clone()], Type::Dyn), Ok(array(&[3], &[11.0, 21.0, 31.0])));

    assert_eq!(dynamic(Op::Unbroadcast, &[a.clone(), row]), array(&[3], &[5.0, 7.0, 9.0]));
    assert_eq!(dynamic(Op::Unbroadcast, &[a.clone(), column]), array(&[2, 1], &[6.0, 15.0]));
    assert_eq!(dynamic(Op::Unbroadcast, &[a.clone(), 0.0.into()]), 21.0.into());
    assert_eq!(dynamic(Op::Unbroadcast, &[a.clone(), a.clone()]), a);

    let at = Val::ints(&[1, 2]);
    assert_eq!(dynamic(Op::Load(index()), &[a.clone(), at.clone()]), 6.0.into());
    let added = dynamic(Op::AddAt(index()), &[a.clone(), at, 1.0.into()]);
    assert_eq!(added.flat(), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]);
    panics(one(Op::Load(index()), &[a, Val::ints(&[2, 0])], Type::Dyn), "out of bounds");
}

#[test]
fn what_is_not_run() {
    let callee = Callee::Method(proc_macro2::Ident::new("g", Span::call_site()));
    let call = Call::new(callee, vec![Arg::Value]);
    let result = one(Op::Call(Box::new(call)), &[1.0.into()], Type::Dyn);
    assert_eq!(result, Err(InterpError::Unsupported("the call of .g".into())));
    assert!(matches!(one(Op::Repeat(quote!(N)), &[1.0.into()], Type::Dyn), Err(InterpError::Unsupported(_))));
}

#[test]
fn products() {
    /// A primitive as the products of arrays are declared; only its name matters here.
    fn whole(name: &'static str, arity: usize) -> &'static Primitive {
        let (kind, rule, rust) = (Kind::Whole, Rule::Zero(""), Spelling::Method("dot"));
        let cost = Cost::Array;
        let (doc, cuda, convention) = ("", "", "");
        Box::leak(Box::new(Primitive {
            name,
            arity,
            doc,
            kind,
            rule,
            eval: |_| f64::NAN,
            rust,
            cuda,
            cost,
            domain: &[],
            convention,
        }))
    }
    let a = array(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (v, w) = (array(&[3], &[1.0, 0.0, 2.0]), array(&[2], &[10.0, 1.0]));
    let of = |name, args: &[&Val]| {
        let args: Vec<Val> = args.iter().map(|&v| v.clone()).collect();
        prim(whole(name, args.len()), &args, Type::Dyn)
    };
    let at = of("t", &[&a]).unwrap();
    assert_eq!(at, array(&[3, 2], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    assert_eq!(of("sum", &[&a]), Ok(21.0.into()));
    assert_eq!(of("dot", &[&v, &v]), Ok(5.0.into()));
    assert_eq!(of("dot", &[&a, &v]), Ok(array(&[2], &[7.0, 16.0])));
    assert_eq!(of("dot", &[&w, &a]), Ok(array(&[3], &[14.0, 25.0, 36.0])));
    assert_eq!(of("dot", &[&a, &at]), Ok(array(&[2, 2], &[14.0, 32.0, 32.0, 77.0])));
    panics(of("dot", &[&a, &w]), "not compatible");
    // ⟨g, da·b⟩ = ⟨ā, da⟩ and ⟨g, a·db⟩ = ⟨b̄, db⟩ with da = a, db = b.
    let inner = |x: &Val, y: &Val| -> f64 { x.flat().iter().zip(y.flat()).map(|(x, y)| x * y).sum() };
    for (a, b, g) in [(&a, &v, &w), (&w, &a, &v), (&v, &v, &Val::Float(3.0)), (&at, &a, &array(&[3, 3], &[1.5; 9]))] {
        let product = of("dot", &[a, b]).unwrap();
        let (a_bar, b_bar) = (of("dot_lhs_bar", &[g, a, b]).unwrap(), of("dot_rhs_bar", &[g, a, b]).unwrap());
        assert_eq!(inner(&product, g), inner(&a_bar, a));
        assert_eq!(inner(&product, g), inner(&b_bar, b));
    }
}
