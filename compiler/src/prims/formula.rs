//! Words for formulas: what the partial derivatives of the primitives are written in.

use super::{arith, compare, exp, round, trig};
use crate::ir::{Builder, Const, Float, Op, Primitive, Type, Value};
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

/// The type of the exponent of `powi`.
const I32: Type = Type::Int(Some("i32"));

/// Short names for the primitives that formulas use.
pub trait Formula {
    /// A primitive applied to operands.
    fn apply(&mut self, prim: &'static Primitive, args: &[Value]) -> Value;

    /// The float constant `c`, of the type of `like`.
    fn f(&mut self, c: f64, like: Value) -> Value;

    /// The `i32` constant `n`.
    fn i(&mut self, n: i32) -> Value;

    /// The `i32` value `n` as a float of the type of `like`.
    fn float_of(&mut self, n: Value, like: Value) -> Value;

    /// `n - 1` of an `i32`, without overflow.
    fn pred(&mut self, n: Value) -> Value;

    /// `x + y`
    fn add(&mut self, x: Value, y: Value) -> Value {
        self.apply(&arith::ADD, &[x, y])
    }

    /// `x - y`
    fn sub(&mut self, x: Value, y: Value) -> Value {
        self.apply(&arith::SUB, &[x, y])
    }

    /// `x * y`
    fn mul(&mut self, x: Value, y: Value) -> Value {
        self.apply(&arith::MUL, &[x, y])
    }

    /// `x / y`
    fn div(&mut self, x: Value, y: Value) -> Value {
        self.apply(&arith::DIV, &[x, y])
    }

    /// `-x`
    fn neg(&mut self, x: Value) -> Value {
        self.apply(&arith::NEG, &[x])
    }

    /// `g * p`, 0 where `g` is 0
    fn scale(&mut self, g: Value, p: Value) -> Value {
        self.apply(&arith::SCALE, &[g, p])
    }

    /// `1 / x`
    fn inverse(&mut self, x: Value) -> Value {
        let one = self.f(1.0, x);
        self.div(one, x)
    }

    /// `c * x` with a constant `c`
    fn times(&mut self, c: f64, x: Value) -> Value {
        let c = self.f(c, x);
        self.mul(c, x)
    }

    /// `1 + x`
    fn one_plus(&mut self, x: Value) -> Value {
        let one = self.f(1.0, x);
        self.add(one, x)
    }

    /// `1 - x`
    fn one_minus(&mut self, x: Value) -> Value {
        let one = self.f(1.0, x);
        self.sub(one, x)
    }

    /// `x²`
    fn sq(&mut self, x: Value) -> Value {
        self.mul(x, x)
    }

    /// `1 - x²` as `(1 - x)(1 + x)`, which keeps its digits near the ends
    fn one_minus_sq(&mut self, x: Value) -> Value {
        let minus = self.one_minus(x);
        let plus = self.one_plus(x);
        self.mul(minus, plus)
    }

    /// The sine of `x`
    fn sin(&mut self, x: Value) -> Value {
        self.apply(&trig::SIN, &[x])
    }

    /// The cosine of `x`
    fn cos(&mut self, x: Value) -> Value {
        self.apply(&trig::COS, &[x])
    }

    /// The square root of `x`
    fn sqrt(&mut self, x: Value) -> Value {
        self.apply(&exp::SQRT, &[x])
    }

    /// The natural logarithm of `x`
    fn ln(&mut self, x: Value) -> Value {
        self.apply(&exp::LN, &[x])
    }

    /// `√(x² + y²)` without overflow
    fn hypot(&mut self, x: Value, y: Value) -> Value {
        self.apply(&exp::HYPOT, &[x, y])
    }

    /// The integer part of `x`
    fn trunc(&mut self, x: Value) -> Value {
        self.apply(&round::TRUNC, &[x])
    }

    /// The sign of `x`, that of its sign bit at 0
    fn signum(&mut self, x: Value) -> Value {
        self.apply(&round::SIGNUM, &[x])
    }

    /// `x < y`
    fn lt(&mut self, x: Value, y: Value) -> Value {
        self.apply(&compare::LT, &[x, y])
    }

    /// `x <= y`
    fn le(&mut self, x: Value, y: Value) -> Value {
        self.apply(&compare::LE, &[x, y])
    }

    /// `x > y`
    fn gt(&mut self, x: Value, y: Value) -> Value {
        self.apply(&compare::GT, &[x, y])
    }

    /// `x >= y`
    fn ge(&mut self, x: Value, y: Value) -> Value {
        self.apply(&compare::GE, &[x, y])
    }

    /// `x == y`
    fn eq(&mut self, x: Value, y: Value) -> Value {
        self.apply(&compare::EQ, &[x, y])
    }

    /// `x == 0` of a float
    fn is_zero(&mut self, x: Value) -> Value {
        let zero = self.f(0.0, x);
        self.eq(x, zero)
    }

    /// `p & q` of booleans
    fn and(&mut self, p: Value, q: Value) -> Value {
        self.apply(&compare::AND, &[p, q])
    }

    /// `if c { x } else { y }`
    fn select(&mut self, c: Value, x: Value, y: Value) -> Value {
        self.apply(&compare::SELECT, &[c, x, y])
    }

    /// `if c { 1 } else { 0 }`, of the type of `like`
    fn indicator(&mut self, c: Value, like: Value) -> Value {
        let one = self.f(1.0, like);
        self.or_zero(c, one)
    }

    /// `if c { x } else { 0 }`
    fn or_zero(&mut self, c: Value, x: Value) -> Value {
        let zero = self.f(0.0, x);
        self.select(c, x, zero)
    }

    /// `if c { 0 } else { x }`
    fn zero_if(&mut self, c: Value, x: Value) -> Value {
        let zero = self.f(0.0, x);
        self.select(c, zero, x)
    }
}

impl Formula for Builder<'_> {
    fn apply(&mut self, prim: &'static Primitive, args: &[Value]) -> Value {
        self.prim(prim, args)
    }

    fn f(&mut self, c: f64, like: Value) -> Value {
        self.float_like(c, like)
    }

    fn i(&mut self, n: i32) -> Value {
        self.push(Op::Const(Const::Int(n.to_string())), vec![], I32)
    }

    fn float_of(&mut self, n: Value, like: Value) -> Value {
        let ty = self.func.ty(like).clone();
        let name = match &ty {
            Type::Float(Float::F32) => "f32",
            Type::Float(Float::F64 | Float::Any) => "f64",
            _ => return self.push(Op::Prim(&arith::OF_INT), vec![n, like], ty),
        };
        self.push(Op::Cast(tokens(name, self)), vec![n], ty)
    }

    fn pred(&mut self, n: Value) -> Value {
        let one = self.i(1);
        self.push(Op::Prim(&arith::SATURATING_SUB), vec![n, one], I32)
    }
}

/// A type by its name, at the span of what is built.
fn tokens(name: &str, b: &Builder<'_>) -> TokenStream {
    Ident::new(name, b.span).into_token_stream()
}
