//! Exponentials, logarithms, powers and roots.

use super::formula::Formula;
use crate::ir::{Builder, Cost, Kind, Primitive, Rule, Spelling, Value};
use std::f64::consts::{LN_2, LN_10};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] =
    &[&EXP, &EXP2, &EXP_M1, &LN, &LN_1P, &LOG, &LOG2, &LOG10, &POWF, &POWI, &SQRT, &CBRT, &HYPOT];

/// `x / r`, 0 where `r` is 0.
fn cosine(b: &mut Builder<'_>, x: Value, r: Value) -> Value {
    let cosine = b.div(x, r);
    let origin = b.is_zero(r);
    b.zero_if(origin, cosine)
}

/// `x.exp()`
pub static EXP: Primitive = Primitive {
    name: "exp",
    arity: 1,
    doc: "The exponential e: d/dx = e.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|_, _, e| e)]),
    eval: |x| x[0].exp(),
    rust: Spelling::Method("exp"),
    cuda: "exp($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.exp2()`
pub static EXP2: Primitive = Primitive {
    name: "exp2",
    arity: 1,
    doc: "The power p = 2^x: d/dx = p·ln 2.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, _, p| b.times(LN_2, p))]),
    eval: |x| x[0].exp2(),
    rust: Spelling::Method("exp2"),
    cuda: "exp2($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.exp_m1()`
pub static EXP_M1: Primitive = Primitive {
    name: "exp_m1",
    arity: 1,
    doc: "exp x - 1, exact near 0: d/dx = exp x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.apply(&EXP, x))]),
    eval: |x| x[0].exp_m1(),
    rust: Spelling::Method("exp_m1"),
    cuda: "expm1($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.ln()`
pub static LN: Primitive = Primitive {
    name: "ln",
    arity: 1,
    doc: "The natural logarithm: d/dx = 1 / x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.inverse(x[0]))]),
    eval: |x| x[0].ln(),
    rust: Spelling::Method("ln"),
    cuda: "log($0)",
    cost: Cost::Transcendental,
    domain: &[(0.3, 4.0)],
    convention: "∞ at x = 0",
};

/// `x.ln_1p()`
pub static LN_1P: Primitive = Primitive {
    name: "ln_1p",
    arity: 1,
    doc: "ln(1 + x), exact near 0: d/dx = 1 / (1 + x).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let d = b.one_plus(x[0]);
        b.inverse(d)
    })]),
    eval: |x| x[0].ln_1p(),
    rust: Spelling::Method("ln_1p"),
    cuda: "log1p($0)",
    cost: Cost::Transcendental,
    domain: &[(-0.7, 4.0)],
    convention: "∞ at x = -1",
};

/// `x.log(y)`
pub static LOG: Primitive = Primitive {
    name: "log",
    arity: 2,
    doc: "The logarithm l of x to the base y: d/dx = 1 / (x·ln y), d/dy = -l / (y·ln y).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| {
            let log = b.ln(x[1]);
            let d = b.mul(x[0], log);
            b.inverse(d)
        }),
        Some(|b, x, l| {
            let log = b.ln(x[1]);
            let d = b.mul(x[1], log);
            let minus_l = b.neg(l);
            b.div(minus_l, d)
        }),
    ]),
    eval: |x| x[0].log(x[1]),
    rust: Spelling::Method("log"),
    cuda: "(log($0) / log($1))",
    cost: Cost::Transcendental,
    domain: &[(0.3, 4.0), (1.5, 4.0)],
    convention: "∞ at x = 0",
};

/// `x.log2()`
pub static LOG2: Primitive = Primitive {
    name: "log2",
    arity: 1,
    doc: "The logarithm to the base 2: d/dx = 1 / (x·ln 2).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let d = b.times(LN_2, x[0]);
        b.inverse(d)
    })]),
    eval: |x| x[0].log2(),
    rust: Spelling::Method("log2"),
    cuda: "log2($0)",
    cost: Cost::Transcendental,
    domain: &[(0.3, 4.0)],
    convention: "∞ at x = 0",
};

/// `x.log10()`
pub static LOG10: Primitive = Primitive {
    name: "log10",
    arity: 1,
    doc: "The logarithm to the base 10: d/dx = 1 / (x·ln 10).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let d = b.times(LN_10, x[0]);
        b.inverse(d)
    })]),
    eval: |x| x[0].log10(),
    rust: Spelling::Method("log10"),
    cuda: "log10($0)",
    cost: Cost::Transcendental,
    domain: &[(0.3, 4.0)],
    convention: "∞ at x = 0",
};

/// `x.powf(y)`
pub static POWF: Primitive = Primitive {
    name: "powf",
    arity: 2,
    doc: "The power p = x^y: d/dx = y·x^(y - 1), d/dy = p·ln x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| {
            let one = b.f(1.0, x[1]);
            let less = b.sub(x[1], one);
            let power = b.apply(&POWF, &[x[0], less]);
            // 0 where y is 0, and there d²/dx dy = 1 / x all the same
            b.scale(x[1], power)
        }),
        Some(|b, x, p| {
            let log = b.ln(x[0]);
            let slope = b.mul(p, log);
            let zero = b.f(0.0, x[1]);
            let (at_zero, defined) = (b.is_zero(x[0]), b.ge(x[1], zero));
            let flat = b.and(at_zero, defined);
            b.zero_if(flat, slope)
        }),
    ]),
    eval: |x| x[0].powf(x[1]),
    rust: Spelling::Method("powf"),
    cuda: "pow($0, $1)",
    cost: Cost::Transcendental,
    domain: &[(0.3, 3.0), (-3.0, 3.0)],
    convention: "d/dx = 0 where y = 0; d/dy = 0 where x = 0 and y >= 0",
};

/// `x.powi(n)`
pub static POWI: Primitive = Primitive {
    name: "powi",
    arity: 2,
    doc: "The power x^n with an integer n: d/dx = n·x^(n - 1).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| {
            let less = b.pred(x[1]);
            let power = b.apply(&POWI, &[x[0], less]);
            let factor = b.float_of(x[1], x[0]);
            let slope = b.mul(factor, power);
            let zero = b.i(0);
            let constant = b.eq(x[1], zero);
            b.zero_if(constant, slope)
        }),
        None,
    ]),
    eval: |x| x[0].powi(x[1] as i32),
    rust: Spelling::Method("powi"),
    cuda: "pow($0, $1)",
    cost: Cost::Transcendental,
    domain: &[(0.3, 3.0), (-4.0, 4.0)],
    convention: "0 where n = 0",
};

/// `x.sqrt()`
pub static SQRT: Primitive = Primitive {
    name: "sqrt",
    arity: 1,
    doc: "The square root s: d/dx = 1 / (2s).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, _, s| {
        let d = b.times(2.0, s);
        b.inverse(d)
    })]),
    eval: |x| x[0].sqrt(),
    rust: Spelling::Method("sqrt"),
    cuda: "sqrt($0)",
    cost: Cost::Division,
    domain: &[(0.3, 4.0)],
    convention: "∞ at x = 0",
};

/// `x.cbrt()`
pub static CBRT: Primitive = Primitive {
    name: "cbrt",
    arity: 1,
    doc: "The cube root c: d/dx = 1 / (3c²).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, _, c| {
        let square = b.sq(c);
        let d = b.times(3.0, square);
        b.inverse(d)
    })]),
    eval: |x| x[0].cbrt(),
    rust: Spelling::Method("cbrt"),
    cuda: "cbrt($0)",
    cost: Cost::Transcendental,
    domain: &[(0.3, 4.0)],
    convention: "∞ at x = 0",
};

/// `x.hypot(y)`
pub static HYPOT: Primitive = Primitive {
    name: "hypot",
    arity: 2,
    doc: "The length r = √(x² + y²): d/dx = x / r, d/dy = y / r.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, r| cosine(b, x[0], r)), Some(|b, x, r| cosine(b, x[1], r))]),
    eval: |x| x[0].hypot(x[1]),
    rust: Spelling::Method("hypot"),
    cuda: "hypot($0, $1)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0), (0.5, 3.0)],
    convention: "0 at the origin",
};
