//! Methods of arrays that keep or lose axes: elementwise functions, reductions, what is asked of a shape.

use crate::ir::{Builder, Op, Path, Primitive, RangeEnd, Step, Type, Value};
use crate::lower::control::strip;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::{self, arith, compare, reduce, whole};
use quote::quote;
use syn::spanned::Spanned;

/// Methods that ask something of the elements, of which no derivative is left.
const ASKING: [&str; 6] = ["is_nan", "is_all_nan", "is_any_nan", "is_infinite", "is_all_infinite", "is_any_infinite"];

impl Lowering<'_> {
    /// A method of an array that gives numbers or an array of its shape; `None` if it is not one that is known.
    pub(super) fn whole_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        let x = self.read_array(place);
        let ty = self.ty(x);
        let rank = if let Type::NdArray(_, rank) = ty { rank } else { None };
        if let Some(prim) = reduce::by_name(&name).filter(|p| p.arity == 1 + args.len()) {
            return Some(self.reduction(prim, x, &args));
        }
        if let Some(prim) = prims::method(&name).filter(|p| p.arity == 1 + args.len()) {
            let mut operands = vec![x];
            for a in &args {
                let v = self.operand(a);
                operands.push(if prim.name == "powi" { v } else { self.like_elements(v, x) });
            }
            self.span = m.method.span();
            return Some(Operand::Value(self.map_primitive(prim, &operands)));
        }
        let v = match (name.as_str(), &args[..]) {
            ("mean", []) => return Some(self.mean(x, None)),
            ("mean_axis", [axis]) => {
                let axis = self.axis(axis);
                return Some(self.mean(x, Some(axis)));
            }
            ("pow2", []) => {
                let square = |b: &mut Builder<'_>, e: &[Value]| b.prim(&arith::MUL, &[e[0], e[0]]);
                let v = whole::elementwise(&mut self.b(), &[x], false, ty, square);
                self.derived(v, &[x])
            }
            ("scaled_add", [factor, other]) => {
                let (factor, other) = (self.operand(factor), self.operand(other));
                let factor = self.like_elements(factor, x);
                let new = self.scaled_sum(x, factor, other);
                self.write(place, new);
                self.unit()
            }
            ("len_of", [axis]) => {
                let axis = self.axis(axis);
                self.length_of(x, axis)
            }
            ("len" | "nrows" | "ncols" | "ndim", []) => self.ask(x, m, Type::USIZE),
            ("is_empty" | "is_standard_layout" | "is_square", []) => self.ask(x, m, Type::Bool),
            ("raw_dim", []) => self.ask(x, m, Type::Inactive),
            ("dim", []) => {
                let ty = match rank {
                    Some(0) => Type::Unit,
                    Some(1) => Type::USIZE,
                    Some(r) => Type::Tuple(vec![Type::USIZE; r]),
                    None => Type::Inactive,
                };
                self.ask(x, m, ty)
            }
            ("shape" | "strides", []) => {
                // a slice of a copy, which outlives what is done to the array
                let element = if name == "shape" { Type::USIZE } else { Type::Int(Some("isize")) };
                let method = &m.method;
                let list = self.template(&[x], Type::Vec(Box::new(element)), true, |p| {
                    let p = &p[0];
                    quote!(#p.#method().to_vec())
                });
                let path = Path(vec![Step::Range { from: false, end: RangeEnd::Open }]);
                let place = Self::value_place(list);
                return Some(Operand::Place(Place { path, ..place }));
            }
            (name, []) if ASKING.contains(&name) => {
                let each = !name.contains("_all_") && !name.contains("_any_");
                self.ask(x, m, if each { Type::Inactive } else { Type::Bool })
            }
            _ => return None,
        };
        Some(Operand::Value(v))
    }

    /// The product of vectors and matrices, of which at least one is known to be an array.
    pub(super) fn dot(&mut self, x: Value, y: Value) -> Value {
        let known = |v: Value| match self.func.ty(v) {
            Type::NdArray(kind, rank) => (Some(kind.clone()), *rank),
            _ => (None, None),
        };
        let ((a, first), (b, second)) = (known(x), known(y));
        let ty = match (a.or(b), first, second) {
            (Some(kind), Some(1), Some(1)) => Type::Float(kind),
            (Some(kind), Some(a), Some(b)) if a + b >= 3 => Type::NdArray(kind, Some(a + b - 2)),
            (Some(kind), Some(2), None) | (Some(kind), None, Some(2)) => Type::NdArray(kind, None),
            _ => Type::Dyn,
        };
        self.push(Op::Prim(&whole::DOT), vec![x, y], ty)
    }

    /// A method without arguments that gives nothing differentiable.
    fn ask(&mut self, x: Value, m: &syn::ExprMethodCall, ty: Type) -> Value {
        let method = &m.method;
        self.template(&[x], ty, true, |p| {
            let p = &p[0];
            quote!(#p.#method())
        })
    }

    /// A reduction with its arguments as they are written: an axis, then the degrees of freedom.
    fn reduction(&mut self, prim: &'static Primitive, x: Value, args: &[&syn::Expr]) -> Operand {
        let mut operands = vec![x];
        let along_axis = prim.name.ends_with("_axis");
        for (k, a) in args.iter().enumerate() {
            if along_axis && k == 0 {
                operands.push(self.axis(a));
                continue;
            }
            let v = self.operand(a);
            if self.is_active(v) {
                return self.unsupported(
                    a.span(),
                    format!("the degrees of freedom of `{}` are not differentiated", prim.name),
                    "pass a constant, or `cotangent::stop_gradient(x)`",
                );
            }
            operands.push(self.like_elements(v, x));
        }
        let ty = self.reduced(x, along_axis);
        Operand::Value(self.push(Op::Prim(prim), operands, ty))
    }

    /// The mean as an option: there is none of nothing.
    fn mean(&mut self, x: Value, axis: Option<Value>) -> Operand {
        let some = match axis {
            None => self.template(&[x], Type::Bool, true, |p| {
                let p = &p[0];
                quote!(!#p.is_empty())
            }),
            Some(axis) => {
                let n = self.length_of(x, axis);
                let none = self.b().int(0);
                self.primitive(&compare::NE, &[n, none])
            }
        };
        let ty = self.reduced(x, axis.is_some());
        let mean = reduce::mean(&mut self.b(), x, axis, ty);
        let mean = self.derived(mean, &[x]);
        Operand::Opt(some, Box::new(Operand::Value(mean)))
    }

    /// `x + factor·other` in the shape of `x`.
    fn scaled_sum(&mut self, x: Value, factor: Value, other: Value) -> Value {
        let ty = self.ty(x);
        let active = self.is_active(factor);
        let args = if active { vec![x, other, factor] } else { vec![x, other] };
        let v = whole::elementwise(&mut self.b(), &args, true, ty, |b, e| {
            let term = b.prim(&arith::MUL, &[if active { e[2] } else { factor }, e[1]]);
            b.prim(&arith::ADD, &[e[0], term])
        });
        self.derived(v, &args)
    }

    /// A value that was built of others: it may be active if one of them is.
    fn derived(&mut self, v: Value, from: &[Value]) -> Value {
        let active = from.iter().any(|&x| self.is_active(x));
        self.maybe_active.insert(v, active);
        v
    }

    /// The length of an axis.
    fn length_of(&mut self, x: Value, axis: Value) -> Value {
        let krate = &self.sig.krate;
        self.template(&[x, axis], Type::USIZE, true, |p| {
            let (x, axis) = (&p[0], &p[1]);
            quote!(#x.len_of(#krate::__private::ndarray::Axis(#axis)))
        })
    }

    /// The number of an axis: `k` of `Axis(k)`.
    fn axis(&mut self, e: &syn::Expr) -> Value {
        if let syn::Expr::Call(c) = strip(e)
            && let (syn::Expr::Path(p), 1) = (strip(&c.func), c.args.len())
            && p.path.segments.last().is_some_and(|s| s.ident == "Axis")
        {
            let k = self.operand(&c.args[0]);
            if !matches!(self.func.ty(k), Type::Int(Some(_))) {
                self.func.values[k].ty = Type::USIZE;
                self.maybe_active.insert(k, false);
            }
            return k;
        }
        let axis = self.operand(e);
        self.template(&[axis], Type::USIZE, true, |p| {
            let p = &p[0];
            quote!(#p.index())
        })
    }

    /// A scalar beside the elements of `x`: what is not visible of it is of their type.
    pub(super) fn like_elements(&mut self, v: Value, x: Value) -> Value {
        if let Type::NdArray(kind, _) = self.ty(x)
            && *self.func.ty(v) == Type::Dyn
        {
            self.func.values[v].ty = Type::Float(kind);
        }
        v
    }

    /// The type of what a reduction gives.
    fn reduced(&self, x: Value, along_axis: bool) -> Type {
        match self.func.ty(x) {
            Type::NdArray(kind, rank) if along_axis => Type::NdArray(kind.clone(), rank.map(|r| r.saturating_sub(1))),
            Type::NdArray(kind, _) => Type::Float(kind.clone()),
            _ => Type::Dyn,
        }
    }
}
