//! The declarations of the primitives: each partial derivative, evaluated node by node, against central differences at
//! points of the domain, and against the promised value at points where the function has no derivative.

use cotangent_compiler::ir::{Builder, Const, Float, Func, Kind, Op, Primitive, Rule, Spelling, Type, Value};
use cotangent_compiler::prims::{INACTIVE_METHODS, all, arith, compare, exp, method, round, table, trig};
use proc_macro2::Span;
use std::collections::{BTreeSet, HashMap};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// The float methods of `std` that give floats.
const STD_METHODS: &str = "abs abs_sub acos acosh asin asinh atan atan2 atanh cbrt ceil clamp copysign cos cosh \
    div_euclid exp exp2 exp_m1 floor fract hypot ln ln_1p log log10 log2 max midpoint min mul_add next_down next_up powf \
    powi recip rem_euclid round round_ties_even signum sin sinh sqrt tan tanh to_degrees to_radians trunc";

/// The type of input `i` where the floats are of type `float`.
fn input_type(prim: &Primitive, i: usize, float: &Type) -> Type {
    match (prim.name, i) {
        ("powi", 1) | ("of_int", 0) => Type::Int(Some("i32")),
        ("select", 0) => Type::Bool,
        _ => float.clone(),
    }
}

/// The formula of ∂out/∂xᵢ, or `None` if there is none: a function of the inputs and, last, the output.
fn formula(prim: &'static Primitive, i: usize, float: &Type) -> Option<(Func, Value)> {
    let mut func = Func::new(prim.name);
    let inputs: Vec<Value> =
        (0..prim.arity).map(|i| func.value(input_type(prim, i, float), None, Span::call_site())).collect();
    let out = func.value(float.clone(), None, Span::call_site());
    let root = func.root;
    func[root].params = inputs.iter().copied().chain([out]).collect();
    let mut b = Builder::new(&mut func, root, Span::call_site());
    let result = match prim.rule {
        Rule::Partials(partials) => partials[i]?(&mut b, &inputs, out),
        Rule::Transposes(transposes) => {
            let one = b.float_like(1.0, out);
            transposes[i]?(&mut b, &inputs, one)
        }
        Rule::Zero(_) | Rule::Derivatives(_) | Rule::Missing(_) => return None,
    };
    Some((func, result))
}

/// Evaluates the nodes of a formula.
fn evaluate(func: &Func, result: Value, inputs: &[f64]) -> f64 {
    let root = &func[func.root];
    let mut values: HashMap<Value, f64> = root.params.iter().copied().zip(inputs.iter().copied()).collect();
    for node in root.nodes.iter().map(|&n| &func[n]) {
        let args: Vec<f64> = node.args.iter().map(|a| values[a]).collect();
        let value = match &node.op {
            Op::Const(Const::Float(x, _)) => *x,
            Op::Const(Const::Int(digits)) => digits.parse().expect("an integer"),
            Op::Prim(prim) => (prim.eval)(&args),
            Op::Cast(_) => args[0],
            other => panic!("{other:?} in a formula"),
        };
        values.insert(node.outs[0], value);
    }
    values[&result]
}

/// ∂out/∂xᵢ at a point, by the declaration; 0 where it has no formula.
fn partial(prim: &'static Primitive, i: usize, point: &[f64]) -> f64 {
    let inputs: Vec<f64> = point.iter().copied().chain([(prim.eval)(point)]).collect();
    formula(prim, i, &Type::F64).map_or(0.0, |(func, result)| evaluate(&func, result, &inputs))
}

/// Points inside a domain, all inputs varied independently.
fn samples(prim: &Primitive) -> Vec<Vec<f64>> {
    const STEPS: usize = 7;
    (0..STEPS.pow(prim.arity as u32))
        .map(|k| {
            let coordinate = |(i, &(lo, hi)): (usize, &(f64, f64))| {
                let step = k / STEPS.pow(i as u32) % STEPS;
                let x = lo + (hi - lo) * (step as f64 + 0.37) / STEPS as f64;
                if input_type(prim, i, &Type::F64).is_float() { x } else { x.round() }
            };
            prim.domain.iter().enumerate().map(coordinate).collect()
        })
        .collect()
}

/// Whether the primitive is a function of floats to floats.
fn is_float(prim: &Primitive) -> bool {
    let scalar = prim.kind != Kind::Whole;
    scalar
        && (matches!(prim.rust, Spelling::Method(_)) && !arith::is_integer(prim) || !matches!(prim.rule, Rule::Zero(_)))
}

#[test]
fn partials_agree_with_differences() {
    let h = 1e-5;
    for &prim in all().iter().filter(|p| is_float(p)) {
        for point in samples(prim) {
            for i in (0..prim.arity).filter(|&i| input_type(prim, i, &Type::F64).is_float()) {
                let at = |x: f64| {
                    let mut moved = point.clone();
                    moved[i] = x;
                    (prim.eval)(&moved)
                };
                let expected = (at(point[i] + h) - at(point[i] - h)) / (2.0 * h);
                let found = partial(prim, i, &point);
                let error = (found - expected).abs() / (1.0 + expected.abs());
                assert!(error < 1e-7, "{} d/d{i} at {point:?}: {found}, differences give {expected}", prim.name);
            }
        }
    }
}

#[test]
fn conventions_hold() {
    let powers = [
        (&exp::POWF, vec![0.0, 0.0], vec![0.0, 0.0]),
        (&exp::POWF, vec![2.0, 0.0], vec![0.0, 2.0_f64.ln()]),
        (&exp::POWF, vec![NAN, 0.0], vec![0.0, NAN]),
        (&exp::POWF, vec![0.0, 1.0], vec![1.0, 0.0]),
        (&exp::POWF, vec![0.0, 2.0], vec![0.0, 0.0]),
        (&exp::POWF, vec![0.0, 0.5], vec![INF, 0.0]),
        (&exp::POWF, vec![0.0, -1.0], vec![-INF, -INF]),
        (&exp::POWF, vec![-2.0, 3.0], vec![12.0, NAN]),
        (&exp::POWI, vec![0.0, 0.0], vec![0.0]),
        (&exp::POWI, vec![INF, 0.0], vec![0.0]),
        (&exp::POWI, vec![0.0, 1.0], vec![1.0]),
        (&exp::POWI, vec![0.0, 2.0], vec![0.0]),
        (&exp::POWI, vec![-2.0, 3.0], vec![12.0]),
        (&exp::POWI, vec![0.0, -1.0], vec![-INF]),
        (&exp::POWI, vec![1.0, i32::MIN.into()], vec![i32::MIN.into()]),
        (&exp::POWI, vec![1.0, i32::MAX.into()], vec![i32::MAX.into()]),
        (&exp::SQRT, vec![0.0], vec![INF]),
        (&exp::CBRT, vec![0.0], vec![INF]),
        (&exp::CBRT, vec![-8.0], vec![1.0 / 12.0]),
        (&exp::LN, vec![0.0], vec![INF]),
        (&exp::EXP_M1, vec![-50.0], vec![(-50.0_f64).exp()]),
        (&exp::HYPOT, vec![0.0, 0.0], vec![0.0, 0.0]),
        (&exp::HYPOT, vec![3e200, 4e200], vec![0.6, 0.8]),
        (&exp::HYPOT, vec![3e-200, -4e-200], vec![0.6, -0.8]),
    ];
    let angles = [
        (&trig::ATAN2, vec![0.0, 0.0], vec![0.0, 0.0]),
        (&trig::ATAN2, vec![3e200, 4e200], vec![0.16e-200, -0.12e-200]),
        (&trig::ATAN2, vec![0.0, -2.0], vec![-0.5, 0.0]),
        (&trig::ASIN, vec![1.0], vec![INF]),
        (&trig::ACOS, vec![1.0], vec![-INF]),
        (&trig::ACOSH, vec![1.0], vec![INF]),
        (&trig::ATANH, vec![-1.0], vec![INF]),
        (&trig::ASINH, vec![1e200], vec![1e-200]),
        (&trig::ATAN, vec![1e200], vec![0.0]),
    ];
    let bounds = [
        (&round::ABS, vec![0.0], vec![0.0]),
        (&round::ABS, vec![-0.0], vec![0.0]),
        (&round::ABS, vec![-2.0], vec![-1.0]),
        (&round::COPYSIGN, vec![0.0, -1.0], vec![0.0, 0.0]),
        (&round::COPYSIGN, vec![-2.0, -0.0], vec![1.0, 0.0]),
        (&round::COPYSIGN, vec![-2.0, 3.0], vec![-1.0, 0.0]),
        (&round::MAX, vec![1.0, 1.0], vec![0.5, 0.5]),
        (&round::MAX, vec![0.0, -0.0], vec![0.5, 0.5]),
        (&round::MAX, vec![1.0, NAN], vec![1.0, 0.0]),
        (&round::MAX, vec![NAN, 1.0], vec![0.0, 1.0]),
        (&round::MAX, vec![INF, 1.0], vec![1.0, 0.0]),
        (&round::MIN, vec![1.0, 1.0], vec![0.5, 0.5]),
        (&round::MIN, vec![2.0, 1.0], vec![0.0, 1.0]),
        (&round::MIN, vec![1.0, NAN], vec![1.0, 0.0]),
        (&round::MIN, vec![NAN, 1.0], vec![0.0, 1.0]),
        (&round::CLAMP, vec![1.0, 1.0, 2.0], vec![1.0, 0.0, 0.0]),
        (&round::CLAMP, vec![2.0, 1.0, 2.0], vec![1.0, 0.0, 0.0]),
        (&round::CLAMP, vec![1.0, 1.0, 1.0], vec![1.0, 0.0, 0.0]),
        (&round::CLAMP, vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 0.0]),
        (&round::CLAMP, vec![3.0, 1.0, 2.0], vec![0.0, 0.0, 1.0]),
        (&round::ABS_SUB, vec![1.0, 1.0], vec![0.5, -0.5]),
        (&round::ABS_SUB, vec![0.0, 1.0], vec![0.0, 0.0]),
        (&arith::REM, vec![6.0, 3.0], vec![1.0, -2.0]),
        (&arith::REM, vec![-7.0, 3.0], vec![1.0, 2.0]),
        (&round::REM_EUCLID, vec![-7.0, 3.0], vec![1.0, 3.0]),
        (&round::REM_EUCLID, vec![-7.0, -3.0], vec![1.0, -3.0]),
        (&round::DIV_EUCLID, vec![6.0, 3.0], vec![0.0, 0.0]),
        (&round::FLOOR, vec![1.0], vec![0.0]),
        (&round::CEIL, vec![1.0], vec![0.0]),
        (&round::ROUND, vec![0.5], vec![0.0]),
        (&round::ROUND_TIES_EVEN, vec![0.5], vec![0.0]),
        (&round::TRUNC, vec![1.0], vec![0.0]),
        (&round::SIGNUM, vec![0.0], vec![0.0]),
        (&round::FRACT, vec![1.0], vec![1.0]),
        (&compare::SELECT, vec![1.0, NAN, 2.0], vec![0.0, 1.0, 0.0]),
    ];
    let scales = [
        (&arith::UNSCALE, vec![0.0, 0.0], vec![INF, 0.0]),
        (&arith::SCALE, vec![0.0, INF], vec![INF, 0.0]),
        (&arith::DIV, vec![1.0, 0.0], vec![INF, -INF]),
        (&arith::RECIP, vec![0.0], vec![-INF]),
    ];
    for (prim, point, expected) in powers.into_iter().chain(angles).chain(bounds).chain(scales) {
        for (i, &expected) in expected.iter().enumerate() {
            let found = partial(prim, i, &point);
            let close = (found - expected).abs() <= 1e-14 * expected.abs();
            let same = found == expected || close || found.is_nan() && expected.is_nan();
            assert!(same, "{} d/d{i} at {point:?}: {found}, not {expected}", prim.name);
        }
    }
}

#[test]
fn zero_wins_in_scaled_products() {
    for other in [INF, -INF, NAN, 0.0, 1.0] {
        assert_eq!((arith::SCALE.eval)(&[0.0, other]), 0.0);
        assert_eq!((arith::UNSCALE.eval)(&[-0.0, other]), 0.0);
    }
}

#[test]
fn formulas_keep_the_type_of_the_floats() {
    let generic = Type::Float(Float::Generic("T".to_owned()));
    for float in [Type::F64, Type::Float(Float::F32), Type::Float(Float::Any), generic, Type::Dyn] {
        for &prim in all().iter().filter(|p| p.kind != Kind::Whole) {
            for i in 0..prim.arity {
                let Some((func, result)) = formula(prim, i, &float) else { continue };
                // A constant cannot be of an unknown type: the code around it decides.
                let free = float == Type::Dyn && *func.ty(result) == Type::Float(Float::Any);
                assert!(free || *func.ty(result) == float, "{} d/d{i}: {}", prim.name, func.ty(result));
            }
        }
    }
}

#[test]
fn casts_name_a_type() {
    let cast = |float: Type| {
        let (func, _) = formula(&exp::POWI, 0, &float).expect("a formula");
        let casts = func[func.root].nodes.iter().filter_map(|&n| match &func[n].op {
            Op::Cast(ty) => Some(ty.to_string()),
            Op::Prim(prim) if *prim == &arith::OF_INT => Some("of_int".to_owned()),
            _ => None,
        });
        casts.collect::<Vec<_>>()
    };
    assert_eq!(cast(Type::F64), ["f64"]);
    assert_eq!(cast(Type::Float(Float::F32)), ["f32"]);
    assert_eq!(cast(Type::Float(Float::Any)), ["f64"]);
    assert_eq!(cast(Type::Float(Float::Generic("T".to_owned()))), ["of_int"]);
    assert_eq!(cast(Type::Dyn), ["of_int"]);
}

#[test]
fn declarations_are_complete() {
    let names: BTreeSet<&str> = all().iter().map(|p| p.name).collect();
    assert_eq!(names.len(), all().len(), "two primitives have the same name");
    for prim in all() {
        // whole arrays are not sampled from intervals
        let sampled = if prim.kind == Kind::Whole { 0 } else { prim.arity };
        assert_eq!(prim.domain.len(), sampled, "{}", prim.name);
        assert!(prim.domain.iter().all(|(lo, hi)| lo < hi), "{}", prim.name);
        assert!(prim.doc.ends_with('.'), "{}", prim.name);
        match prim.rule {
            Rule::Partials(partials) => assert_eq!(partials.len(), prim.arity, "{}", prim.name),
            Rule::Transposes(transposes) => assert_eq!(transposes.len(), prim.arity, "{}", prim.name),
            Rule::Derivatives(derivatives) => assert_eq!(derivatives.len(), prim.arity, "{}", prim.name),
            Rule::Zero(reason) | Rule::Missing(reason) => assert!(!reason.is_empty(), "{}", prim.name),
        }
        if let Spelling::Method(spelled) = prim.rust {
            assert_eq!(spelled, prim.name);
        }
        if prim.kind == Kind::Whole {
            continue;
        }
        let places = prim.cuda.split('$').skip(1).map(|rest| usize::from(rest.as_bytes()[0] - b'0'));
        let highest = places.max().expect("an operand");
        assert!(highest < prim.arity, "{}", prim.name);
        assert!(highest + 1 == prim.arity || prim == &&arith::OF_INT, "{}", prim.name);
    }
}

#[test]
fn families_name_every_declaration() {
    let sources = [
        include_str!("../src/prims/arith.rs"),
        include_str!("../src/prims/compare.rs"),
        include_str!("../src/prims/exp.rs"),
        include_str!("../src/prims/product.rs"),
        include_str!("../src/prims/reduce.rs"),
        include_str!("../src/prims/round.rs"),
        include_str!("../src/prims/trig.rs"),
        include_str!("../src/prims/whole.rs"),
    ];
    let declared: usize = sources
        .iter()
        .flat_map(|s| s.lines())
        .filter(|l| l.starts_with("pub static") && l.contains(": Primitive"))
        .count();
    assert_eq!(declared, all().len());
}

#[test]
fn every_float_method_is_known() {
    for name in STD_METHODS.split_whitespace() {
        assert!(method(name).is_some_and(|p| p.name == name), "{name}");
        assert!(!INACTIVE_METHODS.contains(&name), "{name}");
    }
    assert!(method("add").is_none(), "operators are not methods");
    assert!(method("saturating_sub").is_none(), "not a method of floats");
    let methods = all().iter().filter(|p| method(p.name).is_some()).count();
    assert_eq!(methods, STD_METHODS.split_whitespace().count());
}

#[test]
fn the_table_names_what_users_write() {
    let table = table::markdown();
    assert!(table.contains("| `x + y` | The sum: d/dx = 1, d/dy = 1. |  |\n"), "{table}");
    assert!(table.contains("| `-x` |"), "{table}");
    assert!(table.contains("| `y.atan2(x)` |"), "{table}");
    assert!(table.contains("| `x.powi(n)` | The power x^n with an integer n: d/dx = n·x^(n - 1). | 0 where n = 0 |"));
    assert!(table.contains("| `x.floor()` |"), "{table}");
    assert!(!table.contains("scale") && !table.contains("of_int") && !table.contains("<<"), "{table}");
    assert!(table.lines().all(|line| line.replace("\\|", "").matches('|').count() == 4), "{table}");
}
