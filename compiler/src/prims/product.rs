//! `general_mat_mul` and `general_mat_vec_mul` of `ndarray`: αa·b + βc, which takes the place of c.

use super::formula::Formula;
use super::whole::{DOT, DOT_LHS, DOT_RHS, elementwise, sum};
use crate::ir::{Builder, Cost, Derivative, Kind, Op, Primitive, Rule, Spelling, Type, Value};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] = &[&GENERAL_PRODUCT];

/// `(c, a, b, α, β)`, where b and c are both matrices or both vectors.
pub static GENERAL_PRODUCT: Primitive = Primitive {
    name: "general_product",
    arity: 5,
    doc: "The product α·a·b + β·c.",
    kind: Kind::Whole,
    rule: Rule::Derivatives(&[
        Some(Derivative { forward: |b, x, _, dc| scaled(b, dc, x[4]), reverse: |b, x, _, g| scaled(b, g, x[4]) }),
        Some(Derivative {
            forward: |b, x, out, da| {
                let term = product(b, &DOT, &[da, x[2]], out);
                scaled(b, term, x[3])
            },
            reverse: |b, x, _, g| {
                let g = scaled(b, g, x[3]);
                product(b, &DOT_LHS, &[g, x[1], x[2]], x[1])
            },
        }),
        Some(Derivative {
            forward: |b, x, out, db| {
                let term = product(b, &DOT, &[x[1], db], out);
                scaled(b, term, x[3])
            },
            reverse: |b, x, _, g| {
                let g = scaled(b, g, x[3]);
                product(b, &DOT_RHS, &[g, x[1], x[2]], x[2])
            },
        }),
        Some(Derivative {
            forward: |b, x, out, dalpha| {
                let ab = product(b, &DOT, &[x[1], x[2]], out);
                times(b, dalpha, ab)
            },
            reverse: |b, x, out, g| {
                let ab = product(b, &DOT, &[x[1], x[2]], out);
                inner(b, g, ab, x[3])
            },
        }),
        Some(Derivative {
            forward: |b, x, _, dbeta| times(b, dbeta, x[0]),
            reverse: |b, x, _, g| inner(b, g, x[0], x[4]),
        }),
    ]),
    eval: |_| f64::NAN,
    rust: Spelling::Runtime("general_product"),
    cuda: "",
    cost: Cost::Array,
    domain: &[],
    convention: "",
};

fn product(b: &mut Builder<'_>, prim: &'static Primitive, args: &[Value], like: Value) -> Value {
    let ty = b.func.ty(like).tangent();
    b.push(Op::Prim(prim), args.to_vec(), ty)
}

/// An array times a number, 0 where the array is.
fn scaled(b: &mut Builder<'_>, g: Value, by: Value) -> Value {
    let ty = b.func.ty(g).clone();
    elementwise(b, &[g, by], true, ty, |b, e| b.scale(e[0], e[1]))
}

/// A number times an array, 0 where the number is.
fn times(b: &mut Builder<'_>, d: Value, x: Value) -> Value {
    let ty = b.func.ty(x).tangent();
    elementwise(b, &[x, d], true, ty, |b, e| b.scale(e[1], e[0]))
}

/// Σ gᵢxᵢ, of the type of `like`.
fn inner(b: &mut Builder<'_>, g: Value, x: Value, like: Value) -> Value {
    let ty = b.func.ty(g).clone();
    let terms = elementwise(b, &[g, x], true, ty, |b, e| b.scale(e[0], e[1]));
    let ty: Type = b.func.ty(like).tangent();
    sum(b, terms, None, ty)
}
