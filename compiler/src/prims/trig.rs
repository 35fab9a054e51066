//! Trigonometric and hyperbolic functions and their inverses.

use super::formula::Formula;
use crate::ir::{Builder, Cost, Kind, Primitive, Rule, Spelling, Value};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] = &[
    &SIN,
    &COS,
    &TAN,
    &ASIN,
    &ACOS,
    &ATAN,
    &ATAN2,
    &SINH,
    &COSH,
    &TANH,
    &ASINH,
    &ACOSH,
    &ATANH,
    &TO_DEGREES,
    &TO_RADIANS,
];

/// `√(1 - x²)`: the other leg of the triangle with hypotenuse 1.
fn leg(b: &mut Builder<'_>, x: Value) -> Value {
    let square = b.one_minus_sq(x);
    b.sqrt(square)
}

/// `z / r²` with `r` the length of `(y, x)`, 0 at the origin. Dividing twice keeps `r²` from overflowing.
fn turn(b: &mut Builder<'_>, x: &[Value], z: Value) -> Value {
    let r = b.hypot(x[0], x[1]);
    let unit = b.div(z, r);
    let turn = b.div(unit, r);
    let origin = b.is_zero(r);
    b.zero_if(origin, turn)
}

/// `x.sin()`
pub static SIN: Primitive = Primitive {
    name: "sin",
    arity: 1,
    doc: "The sine: d/dx = cos x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.cos(x[0]))]),
    eval: |x| x[0].sin(),
    rust: Spelling::Method("sin"),
    cuda: "sin($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.cos()`
pub static COS: Primitive = Primitive {
    name: "cos",
    arity: 1,
    doc: "The cosine: d/dx = -sin x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let sin = b.sin(x[0]);
        b.neg(sin)
    })]),
    eval: |x| x[0].cos(),
    rust: Spelling::Method("cos"),
    cuda: "cos($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.tan()`
pub static TAN: Primitive = Primitive {
    name: "tan",
    arity: 1,
    doc: "The tangent t: d/dx = 1 + t².",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, _, t| {
        let square = b.sq(t);
        b.one_plus(square)
    })]),
    eval: |x| x[0].tan(),
    rust: Spelling::Method("tan"),
    cuda: "tan($0)",
    cost: Cost::Transcendental,
    domain: &[(-1.2, 1.2)],
    convention: "",
};

/// `x.asin()`
pub static ASIN: Primitive = Primitive {
    name: "asin",
    arity: 1,
    doc: "The arc sine: d/dx = 1 / √((1 - x)(1 + x)).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let cos = leg(b, x[0]);
        b.inverse(cos)
    })]),
    eval: |x| x[0].asin(),
    rust: Spelling::Method("asin"),
    cuda: "asin($0)",
    cost: Cost::Transcendental,
    domain: &[(-0.9, 0.9)],
    convention: "∞ at x = ±1",
};

/// `x.acos()`
pub static ACOS: Primitive = Primitive {
    name: "acos",
    arity: 1,
    doc: "The arc cosine: d/dx = -1 / √((1 - x)(1 + x)).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let sin = leg(b, x[0]);
        let minus_one = b.f(-1.0, sin);
        b.div(minus_one, sin)
    })]),
    eval: |x| x[0].acos(),
    rust: Spelling::Method("acos"),
    cuda: "acos($0)",
    cost: Cost::Transcendental,
    domain: &[(-0.9, 0.9)],
    convention: "-∞ at x = ±1",
};

/// `x.atan()`
pub static ATAN: Primitive = Primitive {
    name: "atan",
    arity: 1,
    doc: "The arc tangent: d/dx = 1 / (1 + x²).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let square = b.sq(x[0]);
        let d = b.one_plus(square);
        b.inverse(d)
    })]),
    eval: |x| x[0].atan(),
    rust: Spelling::Method("atan"),
    cuda: "atan($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `y.atan2(x)`: the first operand is y
pub static ATAN2: Primitive = Primitive {
    name: "atan2",
    arity: 2,
    doc: "The angle of the point (x, y), with r = √(x² + y²): d/dx = -y / r², d/dy = x / r².",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[
        Some(|b, x, _| turn(b, x, x[1])),
        Some(|b, x, _| {
            let minus_y = b.neg(x[0]);
            turn(b, x, minus_y)
        }),
    ]),
    eval: |x| x[0].atan2(x[1]),
    rust: Spelling::Method("atan2"),
    cuda: "atan2($0, $1)",
    cost: Cost::Transcendental,
    domain: &[(0.5, 3.0), (-3.0, 3.0)],
    convention: "0 at the origin",
};

/// `x.sinh()`
pub static SINH: Primitive = Primitive {
    name: "sinh",
    arity: 1,
    doc: "The hyperbolic sine: d/dx = cosh x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.apply(&COSH, x))]),
    eval: |x| x[0].sinh(),
    rust: Spelling::Method("sinh"),
    cuda: "sinh($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.cosh()`
pub static COSH: Primitive = Primitive {
    name: "cosh",
    arity: 1,
    doc: "The hyperbolic cosine: d/dx = sinh x.",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| b.apply(&SINH, x))]),
    eval: |x| x[0].cosh(),
    rust: Spelling::Method("cosh"),
    cuda: "cosh($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.tanh()`
pub static TANH: Primitive = Primitive {
    name: "tanh",
    arity: 1,
    doc: "The hyperbolic tangent t: d/dx = (1 - t)(1 + t).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, _, t| b.one_minus_sq(t))]),
    eval: |x| x[0].tanh(),
    rust: Spelling::Method("tanh"),
    cuda: "tanh($0)",
    cost: Cost::Transcendental,
    domain: &[(-2.0, 2.0)],
    convention: "",
};

/// `x.asinh()`
pub static ASINH: Primitive = Primitive {
    name: "asinh",
    arity: 1,
    doc: "The inverse hyperbolic sine: d/dx = 1 / √(1 + x²).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let one = b.f(1.0, x[0]);
        let d = b.hypot(one, x[0]);
        b.inverse(d)
    })]),
    eval: |x| x[0].asinh(),
    rust: Spelling::Method("asinh"),
    cuda: "asinh($0)",
    cost: Cost::Transcendental,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.acosh()`
pub static ACOSH: Primitive = Primitive {
    name: "acosh",
    arity: 1,
    doc: "The inverse hyperbolic cosine: d/dx = 1 / (√(x - 1)·√(x + 1)).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let one = b.f(1.0, x[0]);
        let less = b.sub(x[0], one);
        let more = b.add(x[0], one);
        let (p, q) = (b.sqrt(less), b.sqrt(more));
        let d = b.mul(p, q);
        b.inverse(d)
    })]),
    eval: |x| x[0].acosh(),
    rust: Spelling::Method("acosh"),
    cuda: "acosh($0)",
    cost: Cost::Transcendental,
    domain: &[(1.2, 4.0)],
    convention: "∞ at x = 1",
};

/// `x.atanh()`
pub static ATANH: Primitive = Primitive {
    name: "atanh",
    arity: 1,
    doc: "The inverse hyperbolic tangent: d/dx = 1 / ((1 - x)(1 + x)).",
    kind: Kind::Arithmetic,
    rule: Rule::Partials(&[Some(|b, x, _| {
        let d = b.one_minus_sq(x[0]);
        b.inverse(d)
    })]),
    eval: |x| x[0].atanh(),
    rust: Spelling::Method("atanh"),
    cuda: "atanh($0)",
    cost: Cost::Transcendental,
    domain: &[(-0.9, 0.9)],
    convention: "∞ at x = ±1",
};

/// `x.to_degrees()`
pub static TO_DEGREES: Primitive = Primitive {
    name: "to_degrees",
    arity: 1,
    doc: "Radians to degrees: d/dx = 180 / π.",
    kind: Kind::Arithmetic,
    rule: Rule::Transposes(&[Some(|b, _, g| b.apply(&TO_DEGREES, &[g]))]),
    eval: |x| x[0].to_degrees(),
    rust: Spelling::Method("to_degrees"),
    cuda: "($0 * (180.0 / 3.14159265358979323846))",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0)],
    convention: "",
};

/// `x.to_radians()`
pub static TO_RADIANS: Primitive = Primitive {
    name: "to_radians",
    arity: 1,
    doc: "Degrees to radians: d/dx = π / 180.",
    kind: Kind::Arithmetic,
    rule: Rule::Transposes(&[Some(|b, _, g| b.apply(&TO_RADIANS, &[g]))]),
    eval: |x| x[0].to_radians(),
    rust: Spelling::Method("to_radians"),
    cuda: "($0 * (3.14159265358979323846 / 180.0))",
    cost: Cost::Cheap,
    domain: &[(-90.0, 90.0)],
    convention: "",
};
