//! Operations on whole arrays that are linear in each operand: sums, transposes, products. Elementwise functions are maps
//! of scalar primitives; other reductions are in [`super::reduce`].

use crate::ir::{Builder, Cost, Kind, Op, Primitive, Rule, Spelling, Type, Value};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] =
    &[&SUM, &SUM_AXIS, &ALONG, &TRANSPOSE, &DOT, &DOT_LHS, &DOT_RHS, &FLAT, &SHAPED, &SHAPED_LIKE, &SHAPE];

fn not_scalar(_: &[f64]) -> f64 {
    f64::NAN
}

/// The sum of all elements.
pub static SUM: Primitive = Primitive {
    name: "sum",
    arity: 1,
    doc: "The sum of all elements, Σ xᵢ; the cotangent goes to every element.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(sum_transpose)]),
    eval: not_scalar,
    rust: Spelling::Method("sum"),
    cuda: "sum($0)",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

/// The sum of the lanes along an axis.
pub static SUM_AXIS: Primitive = Primitive {
    name: "sum_axis",
    arity: 2,
    doc: "The sum along an axis; the cotangent goes to every element of its lane.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(sum_axis_transpose), None]),
    eval: not_scalar,
    rust: Spelling::Method("sum_axis"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

/// `(g, axis)`: a view of what a reduction gave that broadcasts to the shape of what was reduced.
pub static ALONG: Primitive = Primitive {
    name: "along",
    arity: 2,
    doc: "The array with an axis of length one where one was reduced.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(along_transpose), None]),
    eval: not_scalar,
    rust: Spelling::Runtime("along"),
    cuda: "",
    cost: Cost::Cheap,
    domain: &[],
    convention: "",
};

fn sum_transpose(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    spread(b, args[0], g)
}

fn sum_axis_transpose(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let g = along(b, g, args[1]);
    spread(b, args[0], g)
}

fn along_transpose(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let ty = b.func.ty(args[0]).tangent();
    b.push(Op::Prim(&SUM_AXIS), vec![g, args[1]], ty)
}

/// `g` in the shape of `x`.
fn spread(b: &mut Builder<'_>, x: Value, g: Value) -> Value {
    let ty = b.func.ty(x).tangent();
    elementwise(b, &[x, g], true, ty, |_, e| e[1])
}

/// `g` with an axis of length one.
pub fn along(b: &mut Builder<'_>, g: Value, axis: Value) -> Value {
    let ty = match b.func.ty(g) {
        Type::NdArray(kind, rank) => Type::NdArray(kind.clone(), rank.map(|r| r + 1)),
        _ => Type::Dyn,
    };
    b.push(Op::Prim(&ALONG), vec![g, axis], ty)
}

/// The sum of all elements, or along an axis: of the type `ty`.
pub fn sum(b: &mut Builder<'_>, x: Value, axis: Option<Value>, ty: Type) -> Value {
    match axis {
        None => b.push(Op::Prim(&SUM), vec![x], ty),
        Some(axis) => b.push(Op::Prim(&SUM_AXIS), vec![x, axis], ty),
    }
}

/// A function of the elements of arrays and scalars, which are broadcast; of scalars alone the function itself.
pub fn elementwise(
    b: &mut Builder<'_>,
    args: &[Value],
    like_first: bool,
    ty: Type,
    f: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
) -> Value {
    if args.iter().all(|&a| b.func.ty(a).is_float()) {
        return f(b, args);
    }
    let elem = args.iter().find_map(|&a| match b.func.ty(a) {
        Type::NdArray(kind, _) | Type::Float(kind) => Some(Type::Float(kind.clone())),
        _ => None,
    });
    let elem = elem.unwrap_or(Type::Dyn);
    let body = b.func.graph();
    let span = b.span;
    let params: Vec<Value> = args.iter().map(|_| b.func.value(elem.clone(), None, span)).collect();
    b.func[body].params = params.clone();
    let result = f(&mut Builder::new(b.func, body, span), &params);
    b.func[body].results = vec![result];
    b.push(Op::Map { body, like_first, over: None, operator: None }, args.to_vec(), ty)
}

/// The transpose of a matrix.
pub static TRANSPOSE: Primitive = Primitive {
    name: "t",
    arity: 1,
    doc: "The transpose, xᵀ.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(transpose_transpose)]),
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
    rule: Rule::Transposes(&[Some(dot_lhs), Some(dot_rhs)]),
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
        Some(|b, args, c| dot_of(b, c, args[2], args[0])),
        None,
        Some(|b, args, c| {
            let ty = b.func.ty(args[2]).clone();
            b.push(Op::Prim(&DOT_RHS), vec![args[0], c, args[2]], ty)
        }),
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
        Some(|b, args, c| dot_of(b, args[1], c, args[0])),
        Some(|b, args, c| {
            let ty = b.func.ty(args[1]).clone();
            b.push(Op::Prim(&DOT_LHS), vec![args[0], args[1], c], ty)
        }),
        None,
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

/// The elements of an array, in logical order, in a vector.
pub static FLAT: Primitive = Primitive {
    name: "flat",
    arity: 1,
    doc: "The elements in logical order, in a vector.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(flat_transpose)]),
    eval: not_scalar,
    rust: Spelling::Runtime("flat"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

/// `(vector, shape)`: an array with the elements of a vector, in logical order.
pub static SHAPED: Primitive = Primitive {
    name: "shaped",
    arity: 2,
    doc: "An array of a shape with the elements of a vector.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(shaped_transpose), None]),
    eval: not_scalar,
    rust: Spelling::Runtime("shaped"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

/// `(vector, array)`: an array of the shape of another one with the elements of a vector.
pub static SHAPED_LIKE: Primitive = Primitive {
    name: "shaped_like",
    arity: 2,
    doc: "The cotangent of an array from that of its elements.",
    kind: Kind::Whole,
    rule: Rule::Transposes(&[Some(shaped_transpose), None]),
    eval: not_scalar,
    rust: Spelling::Runtime("shaped_like"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

fn flat_transpose(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let ty = b.func.ty(args[0]).tangent();
    b.push(Op::Prim(&SHAPED_LIKE), vec![g, args[0]], ty)
}

fn shaped_transpose(b: &mut Builder<'_>, args: &[Value], g: Value) -> Value {
    let ty = b.func.ty(args[0]).tangent();
    b.push(Op::Prim(&FLAT), vec![g], ty)
}

/// The shape of an array, of the type of that: what is left of an array whose elements are not needed any more.
pub static SHAPE: Primitive = Primitive {
    name: "shape_of",
    arity: 1,
    doc: "The shape of an array, without its elements.",
    kind: Kind::Whole,
    rule: Rule::Zero("a shape has no derivative"),
    eval: not_scalar,
    rust: Spelling::Runtime("shape_of"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};
