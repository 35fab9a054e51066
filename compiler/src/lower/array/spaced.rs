//! `Array::linspace`, `range` and `logspace` of differentiable ends: the numbers 0, 1, … are an array in which nothing
//! differentiable is, and the rest is arithmetic with it.
//!
//! ```text
//! linspace(a, b, n)        a + step·(0, 1, …), with step = (b - a) / (n - 1)
//! range(a, b, step)        a + step·(0, 1, …)
//! logspace(base, a, b, n)  base to the power of linspace(a, b, n)
//! ```

use crate::ir::{Float, Op, Type, Value};
use crate::lower::Lowering;
use crate::prims::{arith, compare, exp, round};
use proc_macro2::TokenStream;
use quote::quote;

impl Lowering<'_> {
    /// The array that one of these constructors makes of its arguments; `None` if their type is not visible.
    pub(super) fn spaced(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let float = |l: &Self, v: Value| match l.func.ty(v) {
            Type::Float(kind @ (Float::F32 | Float::F64)) => Some(kind.clone()),
            _ => None,
        };
        let kind = args.iter().find_map(|&a| float(self, a))?;
        match (name, args) {
            ("linspace", &[a, b, n]) => Some(self.steps(a, b, n, &kind)),
            ("logspace", &[base, a, b, n]) => {
                let exponents = self.steps(a, b, n, &kind);
                let sign = self.arithmetic(&round::SIGNUM, &[base]);
                let base = self.arithmetic(&round::ABS, &[base]);
                let powers = self.arithmetic(&exp::POWF, &[base, exponents]);
                Some(self.arithmetic(&arith::MUL, &[sign, powers]))
            }
            ("range", &[a, b, step]) => {
                let krate = self.sig.krate.clone();
                let n = self.template(&[a, b, step], Type::USIZE, true, |p| {
                    let (a, b, step) = (&p[0], &p[1], &p[2]);
                    quote!(#krate::__private::ndarray::Array1::range(#a, #b, #step).len())
                });
                Some(self.progression(a, step, n, &kind))
            }
            _ => None,
        }
    }

    fn steps(&mut self, a: Value, b: Value, n: Value, kind: &Float) -> Value {
        let one = self.b().int(1);
        let several = self.primitive(&compare::LT, &[one, n]);
        // one element alone is the first end
        let end = self.push(Op::Prim(&compare::SELECT), vec![several, b, a], Type::Float(kind.clone()));
        let width = self.arithmetic(&arith::SUB, &[end, a]);
        let to = element(kind);
        let count = self.template(&[n], Type::Float(kind.clone()), true, |p| {
            let n = &p[0];
            quote!((::core::cmp::Ord::max(#n, 2) - 1) as #to)
        });
        let step = self.arithmetic(&arith::DIV, &[width, count]);
        self.progression(a, step, n, kind)
    }

    fn progression(&mut self, a: Value, step: Value, n: Value, kind: &Float) -> Value {
        let (krate, to) = (self.sig.krate.clone(), element(kind));
        let numbers = self.template(&[n], Type::NdArray(kind.clone(), Some(1)), true, |p| {
            let n = &p[0];
            quote!(#krate::__private::ndarray::Array1::<#to>::from_shape_fn(#n, |i| i as #to))
        });
        let steps = self.arithmetic(&arith::MUL, &[step, numbers]);
        self.arithmetic(&arith::ADD, &[a, steps])
    }
}

fn element(kind: &Float) -> TokenStream {
    match kind {
        Float::F32 => quote!(f32),
        _ => quote!(f64),
    }
}
