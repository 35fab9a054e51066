//! Operations on whole arrays: reductions and products. Elementwise functions are maps of scalar primitives.

use crate::ir::{Builder, Cost, Kind, Op, Primitive, Rule, Spelling, Type, Value};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] = &[&SUM, &TRANSPOSE, &DOT, &DOT_LHS, &DOT_RHS];

fn not_scalar(_: &[f64]) -> f64 {
    f64::NAN
}

/// The sum of all elements.
pub static SUM: Primitive = Primitive {
    name: "sum",
    arity: 1,
    doc: "The sum of all elements, Σ xᵢ; the cotangent goes to every element.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[sum_transpose]),
    eval: not_scalar,
    rust: Spelling::Method("sum"),
    cuda: "sum($0)",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

fn sum_transpose(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let ty = b.func.ty(args[0]).tangent();
    let elem = b.func.ty(g).clone();
    let body = b.func.graph();
    let span = b.span;
    let x = b.func.value(elem.clone(), None, span);
    let c = b.func.value(elem, None, span);
    b.func[body].params = vec![x, c];
    b.func[body].results = vec![c];
    b.push(Op::Map { body, like_first: true }, vec![args[0], g], ty)
}

/// The transpose of a matrix.
pub static TRANSPOSE: Primitive = Primitive {
    name: "t",
    arity: 1,
    doc: "The transpose, xᵀ.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[transpose_transpose]),
    eval: not_scalar,
    rust: Spelling::Method("t"),
    cuda: "",
    cost: Cost::Cheap,
    domain: &[],
    convention: "",
};

fn transpose_transpose(b: &mut Builder<'_>, _: &[Value], g: Value) -> Value {
    let ty = b.func.ty(g).clone();
    b.push(Op::Prim(&TRANSPOSE), vec![g], ty)
}

/// The product of vectors and matrices.
pub static DOT: Primitive = Primitive {
    name: "dot",
    arity: 2,
    doc: "The inner product a·b of vectors and matrices.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[dot_lhs, dot_rhs]),
    eval: not_scalar,
    rust: Spelling::Method("dot"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

fn dot_lhs(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let ty = b.func.ty(args[0]).tangent();
    b.push(Op::Prim(&DOT_LHS), vec![g, args[0], args[1]], ty)
}

fn dot_rhs(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let ty = b.func.ty(args[1]).tangent();
    b.push(Op::Prim(&DOT_RHS), vec![g, args[0], args[1]], ty)
}

/// `(g, a, b)`: the cotangent of `a` in `a·b`.
pub static DOT_LHS: Primitive = Primitive {
    name: "dot_lhs_bar",
    arity: 3,
    doc: "The cotangent of a in a·b, g·bᵀ.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[
        |b, args, c| dot_of(b, c, args[2], args[0]),
        |b, args, _| zero(b, args[1]),
        |b, args, c| {
            let ty = b.func.ty(args[2]).clone();
            b.push(Op::Prim(&DOT_RHS), vec![args[0], c, args[2]], ty)
        },
    ]),
    eval: not_scalar,
    rust: Spelling::Runtime("dot_lhs_bar"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

/// `(g, a, b)`: the cotangent of `b` in `a·b`.
pub static DOT_RHS: Primitive = Primitive {
    name: "dot_rhs_bar",
    arity: 3,
    doc: "The cotangent of b in a·b, aᵀ·g.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[
        |b, args, c| dot_of(b, args[1], c, args[0]),
        |b, args, c| {
            let ty = b.func.ty(args[1]).clone();
            b.push(Op::Prim(&DOT_LHS), vec![args[0], args[1], c], ty)
        },
        |b, args, _| zero(b, args[2]),
    ]),
    eval: not_scalar,
    rust: Spelling::Runtime("dot_rhs_bar"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

fn dot_of(b: &mut Builder<'_>, x: Value, y: Value, like: Value) -> Value {
    let ty: Type = b.func.ty(like).clone();
    b.push(Op::Prim(&DOT), vec![x, y], ty)
}

fn zero(b: &mut Builder<'_>, like: Value) -> Value {
    let ty = b.func.ty(like).tangent();
    b.push(Op::ZeroLike, vec![like], ty)
}
