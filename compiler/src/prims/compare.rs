//! Comparisons, logic and the choice between two values.
//!
//! Booleans are 0 and 1 in the interpreter. `&&` and `||` are branches, not primitives.

use super::formula::Formula;
use crate::ir::{Cost, Kind, Primitive, Rule, Spelling};

/// The primitives of this file.
pub static FAMILY: &[&Primitive] = &[&LT, &LE, &GT, &GE, &EQ, &NE, &NOT, &AND, &OR, &XOR, &SHL, &SHR, &SELECT];

const NOT_A_FLOAT: Rule = Rule::Zero("the result is not a float");

/// `x < y`
pub static LT: Primitive = Primitive {
    name: "lt",
    arity: 2,
    doc: "`x < y`: whether x is less than y.",
    kind: Kind::Compare,
    rule: NOT_A_FLOAT,
    eval: |x| f64::from(x[0] < x[1]),
    rust: Spelling::Infix("<"),
    cuda: "($0 < $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x <= y`
pub static LE: Primitive = Primitive {
    name: "le",
    arity: 2,
    doc: "`x <= y`: whether x is at most y.",
    kind: Kind::Compare,
    rule: NOT_A_FLOAT,
    eval: |x| f64::from(x[0] <= x[1]),
    rust: Spelling::Infix("<="),
    cuda: "($0 <= $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x > y`
pub static GT: Primitive = Primitive {
    name: "gt",
    arity: 2,
    doc: "`x > y`: whether x is greater than y.",
    kind: Kind::Compare,
    rule: NOT_A_FLOAT,
    eval: |x| f64::from(x[0] > x[1]),
    rust: Spelling::Infix(">"),
    cuda: "($0 > $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x >= y`
pub static GE: Primitive = Primitive {
    name: "ge",
    arity: 2,
    doc: "`x >= y`: whether x is at least y.",
    kind: Kind::Compare,
    rule: NOT_A_FLOAT,
    eval: |x| f64::from(x[0] >= x[1]),
    rust: Spelling::Infix(">="),
    cuda: "($0 >= $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x == y`
pub static EQ: Primitive = Primitive {
    name: "eq",
    arity: 2,
    doc: "`x == y`: whether x equals y.",
    kind: Kind::Compare,
    rule: NOT_A_FLOAT,
    eval: |x| f64::from(x[0] == x[1]),
    rust: Spelling::Infix("=="),
    cuda: "($0 == $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `x != y`
pub static NE: Primitive = Primitive {
    name: "ne",
    arity: 2,
    doc: "`x != y`: whether x differs from y.",
    kind: Kind::Compare,
    rule: NOT_A_FLOAT,
    eval: |x| f64::from(x[0] != x[1]),
    rust: Spelling::Infix("!="),
    cuda: "($0 != $1)",
    cost: Cost::Cheap,
    domain: &[(-3.0, 3.0), (-3.0, 3.0)],
    convention: "",
};

/// `!x`
pub static NOT: Primitive = Primitive {
    name: "not",
    arity: 1,
    doc: "`!x`: the negation of a boolean, or of the bits of an integer.",
    kind: Kind::Logic,
    rule: NOT_A_FLOAT,
    eval: |x| 1.0 - x[0],
    rust: Spelling::Prefix("!"),
    cuda: "(!$0)",
    cost: Cost::Cheap,
    domain: &[(0.0, 1.0)],
    convention: "",
};

/// `x & y`
pub static AND: Primitive = Primitive {
    name: "and",
    arity: 2,
    doc: "`x & y`: both of two booleans, or of the bits of two integers.",
    kind: Kind::Logic,
    rule: NOT_A_FLOAT,
    eval: |x| (x[0] as i64 & x[1] as i64) as f64,
    rust: Spelling::Infix("&"),
    cuda: "($0 & $1)",
    cost: Cost::Cheap,
    domain: &[(0.0, 1.0), (0.0, 1.0)],
    convention: "",
};

/// `x | y`
pub static OR: Primitive = Primitive {
    name: "or",
    arity: 2,
    doc: "`x | y`: either or both of two booleans, or of the bits of two integers.",
    kind: Kind::Logic,
    rule: NOT_A_FLOAT,
    eval: |x| (x[0] as i64 | x[1] as i64) as f64,
    rust: Spelling::Infix("|"),
    cuda: "($0 | $1)",
    cost: Cost::Cheap,
    domain: &[(0.0, 1.0), (0.0, 1.0)],
    convention: "",
};

/// `x ^ y`
pub static XOR: Primitive = Primitive {
    name: "xor",
    arity: 2,
    doc: "`x ^ y`: exactly one of two booleans, or of the bits of two integers.",
    kind: Kind::Logic,
    rule: NOT_A_FLOAT,
    eval: |x| (x[0] as i64 ^ x[1] as i64) as f64,
    rust: Spelling::Infix("^"),
    cuda: "($0 ^ $1)",
    cost: Cost::Cheap,
    domain: &[(0.0, 1.0), (0.0, 1.0)],
    convention: "",
};

/// `x << y`
pub static SHL: Primitive = Primitive {
    name: "shl",
    arity: 2,
    doc: "`x << y`: the bits of an integer moved up.",
    kind: Kind::Logic,
    rule: NOT_A_FLOAT,
    eval: |x| ((x[0] as i64) << (x[1] as i64)) as f64,
    rust: Spelling::Infix("<<"),
    cuda: "($0 << $1)",
    cost: Cost::Cheap,
    domain: &[(0.0, 8.0), (0.0, 4.0)],
    convention: "",
};

/// `x >> y`
pub static SHR: Primitive = Primitive {
    name: "shr",
    arity: 2,
    doc: "`x >> y`: the bits of an integer moved down.",
    kind: Kind::Logic,
    rule: NOT_A_FLOAT,
    eval: |x| ((x[0] as i64) >> (x[1] as i64)) as f64,
    rust: Spelling::Infix(">>"),
    cuda: "($0 >> $1)",
    cost: Cost::Cheap,
    domain: &[(0.0, 8.0), (0.0, 4.0)],
    convention: "",
};

/// `if c { x } else { y }`
pub static SELECT: Primitive = Primitive {
    name: "select",
    arity: 3,
    doc: "`if c { x } else { y }`: the derivative is that of the value taken.",
    kind: Kind::Select,
    rule: Rule::Partials(&[
        None,
        Some(|b, x, _| b.indicator(x[0], x[1])),
        Some(|b, x, _| {
            let one = b.f(1.0, x[2]);
            let zero = b.f(0.0, x[2]);
            b.select(x[0], zero, one)
        }),
    ]),
    eval: |x| if x[0] != 0.0 { x[1] } else { x[2] },
    rust: Spelling::Conditional,
    cuda: "($0 ? $1 : $2)",
    cost: Cost::Cheap,
    domain: &[(0.0, 1.0), (-3.0, 3.0), (-3.0, 3.0)],
    convention: "that of the branch taken; the other contributes nothing",
};
