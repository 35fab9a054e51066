//! Rounding, signs, bounds: the functions with jumps and kinks.
//!
//! Every `convention` here is part of what is promised to users.

use super::formula::Formula;
use crate::ir::{Builder, Cost, Kind, Primitive, Rule, Spelling, Value};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] = &[
    &ABS,
    &SIGNUM,
    &COPYSIGN,
    &MAX,
    &MIN,
    &CLAMP,
    &ABS_SUB,
    &MIDPOINT,
    &FLOOR,
    &CEIL,
    &ROUND,
    &ROUND_TIES_EVEN,
    &TRUNC,
    &FRACT,
    &REM_EUCLID,
    &DIV_EUCLID,
    &NEXT_UP,
    &NEXT_DOWN,
];

const STEPS: Rule = Rule::Zero("it is constant between its jumps");
const AT_JUMPS: &str = "0 at the jumps too";

/// The sign of `x`, 0 at 0.
fn sign(b: &mut Builder<'_>, x: Value) -> Value {
    let sign = b.signum(x);
    let zero = b.is_zero(x);
    b.zero_if(zero, sign)
}

/// The share of `x` in `out`, the larger or smaller of `x` and `y`. A NaN operand equals nothing, so `x` has all of it
/// if `y` is NaN.
fn share(b: &mut Builder<'_>, x: Value, y: Value, out: Value) -> Value {
    let taken = b.eq(x, out);
    let all = b.indicator(taken, out);
    let tie = b.eq(x, y);
    let half = b.f(0.5, out);
    b.select(tie, half, all)
}

/// `x.abs()`
pub static ABS: Primitive = Primitive {
    name: "abs",
    arity: 1,
    doc: "The absolute value: d/dx = sign of x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| sign(b, x[0]))]),
    eval: |x| x[0].abs(),
    rust: Spelling::Method("abs"),
    cuda: "fabs($0)",
    cost: Cost::Cheap,
    domain: &[(0.5, 3.0)],
    convention: "0 at x = 0",
};

/// `x.signum()`
pub static SIGNUM: Primitive = Primitive {
    name: "signum",
    arity: 1,
    doc: "The sign, 1 or -1: d/dx = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].signum(),
    rust: Spelling::Method("signum"),
    cuda: "($0 != $0 ? $0 : copysign(1.0, $0))",
    cost: Cost::Cheap,
    domain: &[(0.5, 3.0)],
    convention: AT_JUMPS,
};

/// `x.copysign(y)`
pub static COPYSIGN: Primitive = Primitive {
    name: "copysign",
    arity: 2,
    doc: "|x| with the sign of y: d/dx = sign of x · sign of y, d/dy = 0.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| {
            let one = b.f(1.0, x[1]);
            let target = b.apply(&COPYSIGN, &[one, x[1]]);
            let own = sign(b, x[0]);
            b.mul(own, target)
        }),
        None,
    ]),
    eval: |x| x[0].copysign(x[1]),
    rust: Spelling::Method("copysign"),
    cuda: "copysign($0, $1)",
    cost: Cost::Cheap,
    domain: &[(0.5, 3.0), (-3.0, -0.5)],
    convention: "d/dx = 0 at x = 0; d/dy = 0 at y = 0 too",
};

/// `x.max(y)`
pub static MAX: Primitive = Primitive {
    name: "max",
    arity: 2,
    doc: "The larger of two: d/dx = 1 where x is it, else 0; d/dy likewise.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, out| share(b, x[0], x[1], out)), Some(|b, x, out| share(b, x[1], x[0], out))]),
    eval: |x| x[0].max(x[1]),
    rust: Spelling::Method("max"),
    cuda: "fmax($0, $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, -0.1), (0.1, 3.0)],
    convention: "1/2 each where x = y; 0 for a NaN operand, 1 for the other",
};

/// `x.min(y)`
pub static MIN: Primitive = Primitive {
    name: "min",
    arity: 2,
    doc: "The smaller of two: d/dx = 1 where x is it, else 0; d/dy likewise.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, out| share(b, x[0], x[1], out)), Some(|b, x, out| share(b, x[1], x[0], out))]),
    eval: |x| x[0].min(x[1]),
    rust: Spelling::Method("min"),
    cuda: "fmin($0, $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, -0.1), (0.1, 3.0)],
    convention: "1/2 each where x = y; 0 for a NaN operand, 1 for the other",
};

/// `x.clamp(lo, hi)`
pub static CLAMP: Primitive = Primitive {
    name: "clamp",
    arity: 3,
    doc: "x kept between y and z: d/dx = 1 where y <= x <= z, d/dy = 1 where x < y, d/dz = 1 where x > z, else 0.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, out| {
            let above = b.ge(x[0], x[1]);
            let below = b.le(x[0], x[2]);
            let inside = b.and(above, below);
            b.indicator(inside, out)
        }),
        Some(|b, x, out| {
            let low = b.lt(x[0], x[1]);
            b.indicator(low, out)
        }),
        Some(|b, x, out| {
            let high = b.gt(x[0], x[2]);
            b.indicator(high, out)
        }),
    ]),
    // Not `f64::clamp`, which panics where the bounds are crossed: the interpreter has no panics.
    eval: |x| match x[0] {
        v if v < x[1] => x[1],
        v if v > x[2] => x[2],
        v => v,
    },
    rust: Spelling::Method("clamp"),
    cuda: "($0 < $1 ? $1 : $0 > $2 ? $2 : $0)",
    cost: Cost::Cheap,
    domain: &[(-0.9, 0.9), (-3.0, -1.0), (1.0, 3.0)],
    convention: "at a bound d/dx = 1 and the bounds have 0",
};

/// `x.abs_sub(y)`, which `std` deprecates
pub static ABS_SUB: Primitive = Primitive {
    name: "abs_sub",
    arity: 2,
    doc: "The positive difference, x - y or 0: d/dx = 1 where x > y, else 0; d/dy = -1 there.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| excess(b, x, 1.0)), Some(|b, x, _| excess(b, x, -1.0))]),
    eval: |x| if x[0] <= x[1] { 0.0 } else { x[0] - x[1] },
    rust: Spelling::Method("abs_sub"),
    cuda: "fdim($0, $1)",
    cost: Cost::Cheap,
    domain: &[(0.1, 3.0), (-3.0, -0.1)],
    convention: "1/2 and -1/2 where x = y",
};

/// `c` where `x > y`, half of it where they are equal, else 0.
fn excess(b: &mut Builder<'_>, x: &[Value], c: f64) -> Value {
    let full = b.f(c, x[0]);
    let half = b.f(0.5 * c, x[0]);
    let greater = b.gt(x[0], x[1]);
    let beyond = b.or_zero(greater, full);
    let tie = b.eq(x[0], x[1]);
    b.select(tie, half, beyond)
}

/// `x.midpoint(y)`
pub static MIDPOINT: Primitive = Primitive {
    name: "midpoint",
    arity: 2,
    doc: "The mean (x + y) / 2: d/dx = 1/2, d/dy = 1/2.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.f(0.5, x[0])), Some(|b, x, _| b.f(0.5, x[1]))]),
    eval: |x| x[0].midpoint(x[1]),
    rust: Spelling::Method("midpoint"),
    cuda: "(0.5 * $0 + 0.5 * $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x.floor()`
pub static FLOOR: Primitive = Primitive {
    name: "floor",
    arity: 1,
    doc: "The largest integer at most x: d/dx = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].floor(),
    rust: Spelling::Method("floor"),
    cuda: "floor($0)",
    cost: Cost::Cheap,
    domain: &[(1.1, 1.9)],
    convention: AT_JUMPS,
};

/// `x.ceil()`
pub static CEIL: Primitive = Primitive {
    name: "ceil",
    arity: 1,
    doc: "The smallest integer at least x: d/dx = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].ceil(),
    rust: Spelling::Method("ceil"),
    cuda: "ceil($0)",
    cost: Cost::Cheap,
    domain: &[(1.1, 1.9)],
    convention: AT_JUMPS,
};

/// `x.round()`
pub static ROUND: Primitive = Primitive {
    name: "round",
    arity: 1,
    doc: "The nearest integer, ties away from 0: d/dx = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].round(),
    rust: Spelling::Method("round"),
    cuda: "round($0)",
    cost: Cost::Cheap,
    domain: &[(0.6, 1.4)],
    convention: AT_JUMPS,
};

/// `x.round_ties_even()`
pub static ROUND_TIES_EVEN: Primitive = Primitive {
    name: "round_ties_even",
    arity: 1,
    doc: "The nearest integer, ties to the even one: d/dx = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].round_ties_even(),
    rust: Spelling::Method("round_ties_even"),
    cuda: "rint($0)",
    cost: Cost::Cheap,
    domain: &[(0.6, 1.4)],
    convention: AT_JUMPS,
};

/// `x.trunc()`
pub static TRUNC: Primitive = Primitive {
    name: "trunc",
    arity: 1,
    doc: "The integer part: d/dx = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].trunc(),
    rust: Spelling::Method("trunc"),
    cuda: "trunc($0)",
    cost: Cost::Cheap,
    domain: &[(1.1, 1.9)],
    convention: AT_JUMPS,
};

/// `x.fract()`
pub static FRACT: Primitive = Primitive {
    name: "fract",
    arity: 1,
    doc: "The fractional part x - trunc(x): d/dx = 1.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.f(1.0, x[0]))]),
    eval: |x| x[0].fract(),
    rust: Spelling::Method("fract"),
    cuda: "($0 - trunc($0))",
    cost: Cost::Cheap,
    domain: &[(1.1, 1.9)],
    convention: "1 at the jumps too",
};

/// `x.rem_euclid(y)`
pub static REM_EUCLID: Primitive = Primitive {
    name: "rem_euclid",
    arity: 2,
    doc: "The remainder x - y·div_euclid(x, y): d/dx = 1, d/dy = -div_euclid(x, y).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| b.f(1.0, x[0])),
        Some(|b, x, _| {
            let quotient = b.apply(&DIV_EUCLID, &[x[0], x[1]]);
            b.neg(quotient)
        }),
    ]),
    eval: |x| x[0].rem_euclid(x[1]),
    rust: Spelling::Method("rem_euclid"),
    cuda: "(fmod($0, $1) < 0.0 ? fmod($0, $1) + fabs($1) : fmod($0, $1))",
    cost: Cost::Division,
    domain: &[(-7.8, -6.2), (2.7, 3.0)],
    convention: "the same at the jumps, where x is a multiple of y",
};

/// `x.div_euclid(y)`
pub static DIV_EUCLID: Primitive = Primitive {
    name: "div_euclid",
    arity: 2,
    doc: "The integer quotient that leaves a remainder of at least 0: d/dx = 0, d/dy = 0.",
    kind: Kind::Arithmetic,
    rule: STEPS,
    eval: |x| x[0].div_euclid(x[1]),
    rust: Spelling::Method("div_euclid"),
    cuda: "(trunc($0 / $1) - (fmod($0, $1) < 0.0 ? copysign(1.0, $1) : 0.0))",
    cost: Cost::Division,
    domain: &[(-7.8, -6.2), (2.7, 3.0)],
    convention: AT_JUMPS,
};

/// `x.next_up()`
pub static NEXT_UP: Primitive = Primitive {
    name: "next_up",
    arity: 1,
    doc: "The next larger float: d/dx = 1.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.f(1.0, x[0]))]),
    eval: |x| x[0].next_up(),
    rust: Spelling::Method("next_up"),
    cuda: "nextafter($0, 1.0 / 0.0)",
    cost: Cost::Cheap,
    domain: &[(0.5, 3.0)],
    convention: "",
};

/// `x.next_down()`
pub static NEXT_DOWN: Primitive = Primitive {
    name: "next_down",
    arity: 1,
    doc: "The next smaller float: d/dx = 1.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.f(1.0, x[0]))]),
    eval: |x| x[0].next_down(),
    rust: Spelling::Method("next_down"),
    cuda: "nextafter($0, -1.0 / 0.0)",
    cost: Cost::Cheap,
    domain: &[(0.5, 3.0)],
    convention: "",
};
