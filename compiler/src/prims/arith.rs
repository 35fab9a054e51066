//! Arithmetic: the operators, the fused product, and the products by which derivatives are scaled.
//!
//! The operators also stand for those of integers, whose division the interpreter truncates; integers are inactive, so
//! only the float rules matter.

use super::formula::Formula;
use crate::ir::{Cost, Kind, Primitive, Rule, Spelling};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] =
    &[&ADD, &SUB, &MUL, &DIV, &REM, &NEG, &RECIP, &MUL_ADD, &SCALE, &UNSCALE, &OF_INT, &SATURATING_SUB];

/// Whether a primitive is a function of integers alone.
pub fn is_integer(prim: &Primitive) -> bool {
    prim == &SATURATING_SUB
}

/// `x + y`
pub static ADD: Primitive = Primitive {
    name: "add",
    arity: 2,
    doc: "The sum: d/dx = 1, d/dy = 1.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.f(1.0, x[0])), Some(|b, x, _| b.f(1.0, x[1]))]),
    eval: |x| x[0] + x[1],
    rust: Spelling::Infix("+"),
    cuda: "($0 + $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x - y`
pub static SUB: Primitive = Primitive {
    name: "sub",
    arity: 2,
    doc: "The difference: d/dx = 1, d/dy = -1.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.f(1.0, x[0])), Some(|b, x, _| b.f(-1.0, x[1]))]),
    eval: |x| x[0] - x[1],
    rust: Spelling::Infix("-"),
    cuda: "($0 - $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x * y`
pub static MUL: Primitive = Primitive {
    name: "mul",
    arity: 2,
    doc: "The product: d/dx = y, d/dy = x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|_, x, _| x[1]), Some(|_, x, _| x[0])]),
    eval: |x| x[0] * x[1],
    rust: Spelling::Infix("*"),
    cuda: "($0 * $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x / y`
pub static DIV: Primitive = Primitive {
    name: "div",
    arity: 2,
    doc: "The quotient q = x / y: d/dx = 1 / y, d/dy = -q / y.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| b.inverse(x[1])),
        Some(|b, x, q| {
            let minus_q = b.neg(q);
            b.div(minus_q, x[1])
        }),
    ]),
    eval: |x| x[0] / x[1],
    rust: Spelling::Infix("/"),
    cuda: "($0 / $1)",
    cost: Cost::Division,
    domain: &[(-3.0, 3.0), (0.5, 3.0)],
    convention: "",
};

/// `x % y`
pub static REM: Primitive = Primitive {
    name: "rem",
    arity: 2,
    doc: "The remainder x - y·trunc(x / y): d/dx = 1, d/dy = -trunc(x / y).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| b.f(1.0, x[0])),
        Some(|b, x, _| {
            let quotient = b.div(x[0], x[1]);
            let whole = b.trunc(quotient);
            b.neg(whole)
        }),
    ]),
    eval: |x| x[0] % x[1],
    rust: Spelling::Infix("%"),
    cuda: "fmod($0, $1)",
    cost: Cost::Division,
    domain: &[(6.2, 7.8), (2.7, 3.0)],
    convention: "the same at the jumps, where x is a multiple of y",
};

/// `-x`
pub static NEG: Primitive = Primitive {
    name: "neg",
    arity: 1,
    doc: "The negation: d/dx = -1.",
    kind: Kind::Arithmetic,
    rule: Rule::Transposes(&[Some(|b, _, g| b.neg(g))]),
    eval: |x| -x[0],
    rust: Spelling::Prefix("-"),
    cuda: "(-$0)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.recip()`
pub static RECIP: Primitive = Primitive {
    name: "recip",
    arity: 1,
    doc: "The reciprocal r = 1 / x: d/dx = -r².",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, _, r| {
        let square = b.sq(r);
        b.neg(square)
    })]),
    eval: |x| x[0].recip(),
    rust: Spelling::Method("recip"),
    cuda: "(1.0 / $0)",
    cost: Cost::Division,
    domain: &[(0.5, 3.0)],
    convention: "",
};

/// `x.mul_add(y, z)`
pub static MUL_ADD: Primitive = Primitive {
    name: "mul_add",
    arity: 3,
    doc: "The fused x·y + z: d/dx = y, d/dy = x, d/dz = 1.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|_, x, _| x[1]), Some(|_, x, _| x[0]), Some(|b, x, _| b.f(1.0, x[2]))]),
    eval: |x| x[0].mul_add(x[1], x[2]),
    rust: Spelling::Method("mul_add"),
    cuda: "fma($0, $1, $2)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// The product of a derivative `g` and a partial `p`, in which an exact zero `g` wins over an infinite or NaN `p`.
///
/// It is linear in each factor. In the tangent `scale(dg, p) + scale(g, dp)` a zero `g` also silences an infinite `dp`.
pub static SCALE: Primitive = Primitive {
    name: "scale",
    arity: 2,
    doc: "The product g·p, 0 where g = 0: d/dg = p, d/dp = g.",
    kind: Kind::Arithmetic,
    rule: Rule::Transposes(&[Some(|b, x, h| b.scale(h, x[1])), Some(|b, x, h| b.scale(h, x[0]))]),
    eval: |x| if x[0] == 0.0 { 0.0 } else { x[0] * x[1] },
    rust: Spelling::Runtime("scale"),
    cuda: "($0 == 0.0 ? 0.0 : $0 * $1)",
    cost: Cost::Cheap,
    domain: &[(0.5, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// The quotient of a derivative `g` and the denominator `d` of a partial, in which an exact zero `g` wins over a zero
/// or NaN `d`.
pub static UNSCALE: Primitive = Primitive {
    name: "unscale",
    arity: 2,
    doc: "The quotient q = g / d, 0 where g = 0: d/dg = 1 / d, d/dd = -q / d, 0 where q = 0.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| b.inverse(x[1])),
        Some(|b, x, q| {
            let ratio = b.prim(&UNSCALE, &[q, x[1]]);
            b.neg(ratio)
        }),
    ]),
    eval: |x| if x[0] == 0.0 { 0.0 } else { x[0] / x[1] },
    rust: Spelling::Runtime("unscale"),
    cuda: "($0 == 0.0 ? 0.0 : $0 / $1)",
    cost: Cost::Division,
    domain: &[(0.5, 3.0), (0.5, 3.0)],
    convention: "",
};

/// An `i32` as a float of the type of another value, where that type has no name to cast to.
pub static OF_INT: Primitive = Primitive {
    name: "of_int",
    arity: 2,
    doc: "The integer n as a float of the type of x.",
    kind: Kind::Arithmetic,
    rule: Rule::Zero("an integer has no derivative"),
    eval: |x| x[0],
    rust: Spelling::Runtime("of_int"),
    cuda: "((double)$0)",
    cost: Cost::Cheap,
    domain: &[(-4.0, 4.0), (-3.0, 3.0)],
    convention: "",
};

/// The difference of two `i32`, without overflow: the exponent in the derivative of `powi`.
pub static SATURATING_SUB: Primitive = Primitive {
    name: "saturating_sub",
    arity: 2,
    doc: "The difference n - m of two `i32`, kept in range.",
    kind: Kind::Arithmetic,
    rule: Rule::Zero("an integer has no derivative"),
    eval: |x| (x[0] - x[1]).clamp(i32::MIN.into(), i32::MAX.into()),
    rust: Spelling::Method("saturating_sub"),
    cuda: "((int)llmin(llmax((long long)$0 - $1, -2147483648LL), 2147483647LL))",
    cost: Cost::Cheap,
    domain: &[(-4.0, 4.0), (-4.0, 4.0)],
    convention: "",
};
