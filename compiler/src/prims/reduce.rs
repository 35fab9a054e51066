//! Reductions of whole arrays that are not linear: products, variances, standard deviations.
//!
//! Each is a method of `ndarray`, with and without an axis. Derivatives are formulas of whole arrays, so that they have
//! derivatives themselves. Axes are integers here.

use super::formula::Formula;
use super::whole::{along, elementwise, sum};
use super::{arith, whole};
use crate::ir::{Builder, Cost, Derivative, Kind, Op, Primitive, Rule, Spelling, Type, Value};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] = &[
    &PRODUCT,
    &PRODUCT_AXIS,
    &VAR,
    &VAR_AXIS,
    &STD,
    &STD_AXIS,
    &COUNT,
    &COUNT_AXIS,
    &OTHERS,
    &OTHERS_AXIS,
    &OTHERS_DOT,
    &OTHERS_AXIS_DOT,
];

const THIRD: &str = "the third derivative of a product of all elements is not supported yet";

/// What is common to all of them.
const REDUCTION: Primitive = Primitive {
    name: "",
    arity: 1,
    doc: "",
    kind: Kind::Whole,
    rule: Rule::Missing(""),
    eval: |_| f64::NAN,
    rust: Spelling::Method(""),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

/// The product of all elements.
pub static PRODUCT: Primitive = Primitive {
    name: "product",
    doc: "The product of all elements, Π xᵢ: d/dxᵢ is the product of the others, also among zeros.",
    rule: Rule::Derivatives(&[Some(Derivative {
        forward: |b, x, out, dx| product_forward(b, x[0], None, out, dx),
        reverse: |b, x, _, g| product_reverse(b, x[0], None, g),
    })]),
    rust: Spelling::Method("product"),
    ..REDUCTION
};

/// The product of the lanes along an axis.
pub static PRODUCT_AXIS: Primitive = Primitive {
    name: "product_axis",
    arity: 2,
    doc: "The product along an axis: the derivative is the product of the others of the lane.",
    rule: Rule::Derivatives(&[
        Some(Derivative {
            forward: |b, x, out, dx| product_forward(b, x[0], Some(x[1]), out, dx),
            reverse: |b, x, _, g| product_reverse(b, x[0], Some(x[1]), g),
        }),
        None,
    ]),
    rust: Spelling::Method("product_axis"),
    ..REDUCTION
};

/// The variance of all elements.
pub static VAR: Primitive = Primitive {
    name: "var",
    arity: 2,
    doc: "The variance Σ(xᵢ - mean)² / (n - ddof): d/dxᵢ = 2(xᵢ - mean)/(n - ddof).",
    rule: Rule::Derivatives(&[
        Some(Derivative {
            forward: |b, x, out, dx| var_forward(b, x[0], None, x[1], out, dx),
            reverse: |b, x, _, g| var_reverse(b, x[0], None, x[1], g),
        }),
        None,
    ]),
    rust: Spelling::Method("var"),
    ..REDUCTION
};

/// The variance of the lanes along an axis.
pub static VAR_AXIS: Primitive = Primitive {
    name: "var_axis",
    arity: 3,
    doc: "The variance along an axis, with the derivative of `var` in each lane.",
    rule: Rule::Derivatives(&[
        Some(Derivative {
            forward: |b, x, out, dx| var_forward(b, x[0], Some(x[1]), x[2], out, dx),
            reverse: |b, x, _, g| var_reverse(b, x[0], Some(x[1]), x[2], g),
        }),
        None,
        None,
    ]),
    rust: Spelling::Method("var_axis"),
    ..REDUCTION
};

/// The standard deviation of all elements.
pub static STD: Primitive = Primitive {
    name: "std",
    arity: 2,
    doc: "The standard deviation s, the root of the variance: d/dxᵢ = (xᵢ - mean)/((n - ddof)·s).",
    rule: Rule::Derivatives(&[
        Some(Derivative {
            forward: |b, x, out, dx| {
                let dv = var_forward(b, x[0], None, x[1], out, dx);
                root(b, dv, out)
            },
            reverse: |b, x, out, g| {
                let g = root(b, g, out);
                var_reverse(b, x[0], None, x[1], g)
            },
        }),
        None,
    ]),
    rust: Spelling::Method("std"),
    convention: "0 where all elements are equal",
    ..REDUCTION
};

/// The standard deviation of the lanes along an axis.
pub static STD_AXIS: Primitive = Primitive {
    name: "std_axis",
    arity: 3,
    doc: "The standard deviation along an axis, with the derivative of `std` in each lane.",
    rule: Rule::Derivatives(&[
        Some(Derivative {
            forward: |b, x, out, dx| {
                let dv = var_forward(b, x[0], Some(x[1]), x[2], out, dx);
                root(b, dv, out)
            },
            reverse: |b, x, out, g| {
                let g = root(b, g, out);
                var_reverse(b, x[0], Some(x[1]), x[2], g)
            },
        }),
        None,
        None,
    ]),
    rust: Spelling::Method("std_axis"),
    convention: "0 in lanes where all elements are equal",
    ..REDUCTION
};

/// The number of elements, as a float of their kind.
pub static COUNT: Primitive = Primitive {
    name: "count",
    doc: "The number of elements.",
    rule: Rule::Zero("the shape of an array does not depend on its elements"),
    rust: Spelling::Runtime("count"),
    cost: Cost::Cheap,
    ..REDUCTION
};

/// `(x, axis)`: the length of the axis, as a float of the kind of the elements.
pub static COUNT_AXIS: Primitive = Primitive {
    name: "count_axis",
    arity: 2,
    doc: "The length of an axis.",
    rust: Spelling::Runtime("count_axis"),
    ..COUNT
};

/// For each element the product of all others.
pub static OTHERS: Primitive = Primitive {
    name: "others",
    doc: "For each element the product of all others.",
    rule: Rule::Derivatives(&[Some(Derivative {
        forward: |b, x, _, dx| others_of(b, &OTHERS_DOT, &[dx, x[0]], x[0]),
        reverse: |b, x, _, g| others_of(b, &OTHERS_DOT, &[g, x[0]], x[0]),
    })]),
    rust: Spelling::Runtime("others"),
    ..REDUCTION
};

/// `(x, axis)`: for each element the product of all others of its lane.
pub static OTHERS_AXIS: Primitive = Primitive {
    name: "others_axis",
    arity: 2,
    doc: "For each element the product of all others of its lane.",
    rule: Rule::Derivatives(&[
        Some(Derivative {
            forward: |b, x, _, dx| others_of(b, &OTHERS_AXIS_DOT, &[dx, x[0], x[1]], x[0]),
            reverse: |b, x, _, g| others_of(b, &OTHERS_AXIS_DOT, &[g, x[0], x[1]], x[0]),
        }),
        None,
    ]),
    rust: Spelling::Runtime("others_axis"),
    ..REDUCTION
};

/// `(h, x)`: the derivative of `others(x)` in the direction h, `Σ h_k Π x_j` over k ≠ i and j ≠ i, k; it is its own
/// transpose.
pub static OTHERS_DOT: Primitive = Primitive {
    name: "others_dot",
    arity: 2,
    doc: "The derivative of the products of the others.",
    rule: Rule::Missing(THIRD),
    rust: Spelling::Runtime("others_dot"),
    ..REDUCTION
};

/// `(h, x, axis)`: the same in each lane.
pub static OTHERS_AXIS_DOT: Primitive = Primitive {
    name: "others_axis_dot",
    arity: 3,
    doc: "The derivative of the products of the others of the lanes.",
    rust: Spelling::Runtime("others_axis_dot"),
    ..OTHERS_DOT
};

/// The number of elements, or the length of an axis.
pub fn count(b: &mut Builder<'_>, x: Value, axis: Option<Value>) -> Value {
    let ty = match b.func.ty(x) {
        Type::NdArray(kind, _) => Type::Float(kind.clone()),
        _ => Type::Dyn,
    };
    match axis {
        None => b.push(Op::Prim(&COUNT), vec![x], ty),
        Some(axis) => b.push(Op::Prim(&COUNT_AXIS), vec![x, axis], ty),
    }
}

/// The mean of all elements, or along an axis: of the type `ty`.
pub fn mean(b: &mut Builder<'_>, x: Value, axis: Option<Value>, ty: Type) -> Value {
    let total = sum(b, x, axis, ty.clone());
    let n = count(b, x, axis);
    elementwise(b, &[total, n], false, ty, |b, e| b.div(e[0], e[1]))
}

fn others_of(b: &mut Builder<'_>, prim: &'static Primitive, args: &[Value], like: Value) -> Value {
    let ty = b.func.ty(like).tangent();
    b.push(Op::Prim(prim), args.to_vec(), ty)
}

fn others(b: &mut Builder<'_>, x: Value, axis: Option<Value>) -> Value {
    match axis {
        None => others_of(b, &OTHERS, &[x], x),
        Some(axis) => others_of(b, &OTHERS_AXIS, &[x, axis], x),
    }
}

/// Σ dxᵢ Π_{j≠i} xⱼ
fn product_forward(b: &mut Builder<'_>, x: Value, axis: Option<Value>, out: Value, dx: Value) -> Value {
    let others = others(b, x, axis);
    let ty = b.func.ty(dx).clone();
    let terms = elementwise(b, &[dx, others], true, ty, |b, e| b.scale(e[0], e[1]));
    let ty = b.func.ty(out).tangent();
    sum(b, terms, axis, ty)
}

/// g Π_{j≠i} xⱼ
fn product_reverse(b: &mut Builder<'_>, x: Value, axis: Option<Value>, g: Value) -> Value {
    let others = others(b, x, axis);
    let g = axis.map_or(g, |axis| along(b, g, axis));
    let ty = b.func.ty(x).tangent();
    elementwise(b, &[others, g], true, ty, |b, e| b.scale(e[1], e[0]))
}

/// `2/(n - ddof)` and the mean in a shape that broadcasts with `x`.
fn moments(b: &mut Builder<'_>, x: Value, axis: Option<Value>, ddof: Value, reduced: Type) -> (Value, Value) {
    let mean = mean(b, x, axis, reduced);
    let mean = axis.map_or(mean, |axis| along(b, mean, axis));
    let n = count(b, x, axis);
    let free = b.sub(n, ddof);
    let two = b.f(2.0, free);
    (b.div(two, free), mean)
}

/// Σ dxᵢ·2(xᵢ - mean)/(n - ddof)
fn var_forward(b: &mut Builder<'_>, x: Value, axis: Option<Value>, ddof: Value, out: Value, dx: Value) -> Value {
    let reduced = b.func.ty(out).tangent();
    let (c, mean) = moments(b, x, axis, ddof, reduced.clone());
    let ty = b.func.ty(dx).clone();
    let terms = elementwise(b, &[dx, x, mean], true, ty, |b, e| slope(b, e[0], e[1], e[2], c));
    sum(b, terms, axis, reduced)
}

/// g·2(xᵢ - mean)/(n - ddof)
fn var_reverse(b: &mut Builder<'_>, x: Value, axis: Option<Value>, ddof: Value, g: Value) -> Value {
    let reduced = b.func.ty(g).clone();
    let (c, mean) = moments(b, x, axis, ddof, reduced);
    let g = axis.map_or(g, |axis| along(b, g, axis));
    let ty = b.func.ty(x).tangent();
    elementwise(b, &[x, mean, g], true, ty, |b, e| slope(b, e[2], e[0], e[1], c))
}

/// `g·c(x - mean)`
fn slope(b: &mut Builder<'_>, g: Value, x: Value, mean: Value, c: Value) -> Value {
    let distance = b.sub(x, mean);
    let partial = b.mul(c, distance);
    b.scale(g, partial)
}

/// From a tangent or cotangent beside a variance to that beside its root s: `g/(2s)`, 0 where s is 0.
fn root(b: &mut Builder<'_>, g: Value, s: Value) -> Value {
    let ty = b.func.ty(g).clone();
    elementwise(b, &[g, s], true, ty, |b, e| {
        let (twice, flat) = (b.times(2.0, e[1]), b.is_zero(e[1]));
        let slope = b.apply(&arith::UNSCALE, &[e[0], twice]);
        b.zero_if(flat, slope)
    })
}

/// The value of a reduction of `x` by its name: of all elements, or along an axis.
pub fn by_name(name: &str) -> Option<&'static Primitive> {
    let reductions = [&whole::SUM, &whole::SUM_AXIS, &PRODUCT, &PRODUCT_AXIS, &VAR, &VAR_AXIS, &STD, &STD_AXIS];
    reductions.into_iter().find(|p| p.name == name)
}
