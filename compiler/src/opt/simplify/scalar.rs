//! The rules for primitives.

use super::{Rewrite, Simplifier};
use crate::ir::{Const, Float, Graph, Node, Op, Primitive, Type, Value};
use crate::prims::arith::{ADD, DIV, MUL, NEG, RECIP, SCALE, SUB, UNSCALE};
use crate::prims::compare::{AND, EQ, NE, NOT, SELECT};

impl Simplifier<'_> {
    pub(super) fn prim(&mut self, g: Graph, n: Node, prim: &'static Primitive) -> Option<Rewrite> {
        let args = self.func[n].args.clone();
        let out = self.func[n].outs[0];
        match (prim.name, &args[..]) {
            ("scale", &[d, p]) => self.scale(g, n, d, p),
            ("unscale", &[d, p]) => {
                if self.is(p, 1.0) || self.is(d, 0.0) {
                    return self.same(d, out);
                }
                self.is(d, 1.0).then(|| become_prim(&DIV, &[d, p]))
            }
            ("neg", &[x]) => {
                let inner = self.operands(x, &NEG)?[0];
                self.same(inner, out)
            }
            ("add", &[x, y]) => {
                if let Some(&[y]) = self.operands(y, &NEG) {
                    return Some(become_prim(&SUB, &[x, y]));
                }
                if let Some(&[x]) = self.operands(x, &NEG) {
                    return Some(become_prim(&SUB, &[y, x]));
                }
                if let Some(thrice) = self.thrice(g, n, x, y) {
                    return Some(thrice);
                }
                // x + 0.0 is not x for x = -0.0, but x + -0.0 is.
                match (self.is_neutral(x, 0, -0.0), self.is_neutral(y, 0, -0.0)) {
                    (true, _) => self.exact(y, out),
                    (_, true) => self.exact(x, out),
                    _ => None,
                }
            }
            ("sub", &[x, y]) => {
                if let Some(&[y]) = self.operands(y, &NEG) {
                    return Some(become_prim(&ADD, &[x, y]));
                }
                // the sign of a double, which may move outwards to the bit
                if self.operands(x, &NEG) == Some(&[y]) {
                    let ty = self.func.ty(out).clone();
                    let double = self.push(g, n, Op::Prim(&ADD), vec![y, y], ty);
                    return Some(become_prim(&NEG, &[double]));
                }
                if self.is_neutral(y, 0, 0.0) { self.exact(x, out) } else { None }
            }
            ("mul", &[x, y]) => match (self.is_neutral(x, 1, 1.0), self.is_neutral(y, 1, 1.0)) {
                (true, _) => self.exact(y, out),
                (_, true) => self.exact(x, out),
                _ if self.constant(y).is_some() => {
                    let &[x] = self.operands(x, &NEG)? else { return None };
                    let ty = self.func.ty(out).clone();
                    let product = self.push(g, n, Op::Prim(&MUL), vec![x, y], ty);
                    Some(become_prim(&NEG, &[product]))
                }
                _ => None,
            },
            ("div", &[x, y]) if self.is_neutral(y, 1, 1.0) => self.exact(x, out),
            ("div", &[x, y]) if self.is(x, 1.0) && matches!(self.func.ty(y), Type::Float(Float::F32 | Float::F64)) => {
                Some(become_prim(&RECIP, &[y]))
            }
            ("select", &[c, x, y]) => self.select(c, x, y, out),
            ("not", &[x]) => {
                if let Some(&[inner]) = self.operands(x, &NOT) {
                    return self.same(inner, out);
                }
                // Only equality is the negation of inequality where NaN may occur.
                let (args, prim) = match (self.operands(x, &EQ), self.operands(x, &NE)) {
                    (Some(args), _) => (args, &NE),
                    (_, Some(args)) => (args, &EQ),
                    _ => return None,
                };
                args.iter().all(|&a| self.func.ty(a).is_scalar()).then(|| become_prim(prim, args))
            }
            ("and" | "or", &[x, y]) => {
                let neutral = prim == &AND;
                match (self.bool(x), self.bool(y)) {
                    (Some(b), _) => Some(Rewrite::Same(if b == neutral { y } else { x })),
                    (_, Some(b)) => Some(Rewrite::Same(if b == neutral { x } else { y })),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The product of a derivative and a partial.
    fn scale(&mut self, g: Graph, n: Node, d: Value, p: Value) -> Option<Rewrite> {
        let out = self.func[n].outs[0];
        if let Some(c) = self.float(p) {
            return match c {
                1.0 => self.same(d, out),
                -1.0 => Some(become_prim(&NEG, &[d])),
                c if c.is_finite() => Some(become_prim(&MUL, &[d, p])),
                _ => None,
            };
        }
        match self.float(d) {
            Some(1.0) => return self.same(p, out),
            Some(-1.0) => return Some(become_prim(&NEG, &[p])),
            Some(0.0) => return self.same(d, out),
            Some(c) if c.is_finite() => return Some(become_prim(&MUL, &[d, p])),
            _ => {}
        }
        // The square of a factor that is there anyway takes its place.
        if let Some(&[e, q]) = self.operands(d, &SCALE)
            && q == p
            && let Some(&square) = self.squares.get(p)
            && self.func.ty(square) == self.func.ty(p)
        {
            return Some(become_prim(&SCALE, &[e, square]));
        }
        // A quotient that is there anyway is a factor, any other divides.
        if self.uses.get(p).copied().unwrap_or(1) == 1 {
            if let Some(&[q]) = self.operands(p, &RECIP) {
                return Some(become_prim(&UNSCALE, &[d, q]));
            }
            if let Some(&[x, q]) = self.operands(p, &DIV) {
                if self.is(x, 1.0) {
                    return Some(become_prim(&UNSCALE, &[d, q]));
                }
                // that by the denominator, which shares the division with that by the numerator
                let inner = self.operands(x, &NEG).and_then(|inner| self.operands(inner[0], &DIV));
                if inner.is_some_and(|inner| inner[1] == q) {
                    let ty = self.func.ty(out).clone();
                    let quotient = self.push(g, n, Op::Prim(&UNSCALE), vec![d, q], ty);
                    return Some(become_prim(&SCALE, &[quotient, x]));
                }
            }
        }
        // Signs move outwards, where sums absorb them.
        let inner = match (self.operands(p, &NEG), self.operands(d, &NEG)) {
            (Some(&[q]), _) => [d, q],
            (_, Some(&[e])) => [e, p],
            _ => return None,
        };
        let ty = self.func.ty(out).clone();
        let product = self.push(g, n, Op::Prim(&SCALE), inner.to_vec(), ty);
        Some(become_prim(&NEG, &[product]))
    }

    /// `x + x + x` as `3 * x`, which is the same to the bit: a double is exact, and so both are rounded once.
    fn thrice(&mut self, g: Graph, n: Node, x: Value, y: Value) -> Option<Rewrite> {
        let ty = self.func.ty(y).clone();
        let twice = self.operands(x, &ADD)? == [y, y] && self.uses.get(x) == Some(&1);
        if !twice || !matches!(ty, Type::Float(Float::F32 | Float::F64)) || self.constant(y).is_some() {
            return None;
        }
        let three = self.push(g, n, Op::Const(Const::Float(3.0, "3.0".into())), vec![], ty);
        Some(become_prim(&MUL, &[y, three]))
    }

    fn select(&self, c: Value, x: Value, y: Value, out: Value) -> Option<Rewrite> {
        if x == y {
            return self.same(x, out);
        }
        if let Some(&[c]) = self.operands(c, &NOT) {
            return Some(become_prim(&SELECT, &[c, y, x]));
        }
        match (self.bool(x), self.bool(y)) {
            (Some(true), Some(false)) => Some(Rewrite::Same(c)),
            (Some(false), Some(true)) => Some(become_prim(&NOT, &[c])),
            _ => None,
        }
    }

    /// Replaces a result by a value that equals it, unless that would lose its type.
    fn same(&self, v: Value, out: Value) -> Option<Rewrite> {
        let (from, to) = (self.func.ty(v), self.func.ty(out));
        (from == to || *to == Type::Dyn).then_some(Rewrite::Same(v))
    }

    /// The same for plain arithmetic, which may be an operator of the user's on a type that is not visible.
    fn exact(&self, v: Value, out: Value) -> Option<Rewrite> {
        if self.func.ty(v).is_scalar() && self.func.ty(v) == self.func.ty(out) { Some(Rewrite::Same(v)) } else { None }
    }

    fn float(&self, v: Value) -> Option<f64> {
        if let Some(Const::Float(x, _)) = self.constant(v) { Some(*x) } else { None }
    }

    fn is(&self, v: Value, x: f64) -> bool {
        self.float(v) == Some(x)
    }

    /// Whether a value is an integer constant, or a float constant to the bit.
    fn is_neutral(&self, v: Value, int: i64, float: f64) -> bool {
        match self.constant(v) {
            Some(Const::Float(x, _)) => x.to_bits() == float.to_bits(),
            Some(Const::Int(digits)) => digits.parse() == Ok(int),
            _ => false,
        }
    }
}

fn become_prim(prim: &'static Primitive, args: &[Value]) -> Rewrite {
    Rewrite::Become(Op::Prim(prim), args.to_vec())
}
