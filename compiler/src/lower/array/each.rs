//! A closure of each element: `mapv` and its like with closures of any kind, `accumulate_axis_inplace`, `cumprod`; and the
//! order in which `ndarray` goes through an array, which only matters to closures that change what they capture.

use super::items::rename;
use super::view::Arguments;
use crate::ir::{Float, Op, Step, Type, Value};
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::{arith, views};
use quote::{ToTokens, quote};

impl Lowering<'_> {
    /// An array of zeros of the shape and layout of another one, with elements of some kind, in a variable.
    fn zeros_like(&mut self, x: Value, kind: &Float) -> usize {
        let (krate, ty) = (&self.sig.krate, self.ty(x));
        let Type::NdArray(own, rank) = ty else { unreachable!("an array") };
        let element = match kind {
            Float::Any => quote!(_),
            kind if *kind == own => quote!(_),
            kind => proc_macro2::Ident::new(&kind.to_string(), self.span).to_token_stream(),
        };
        let same = element.to_string() == "_";
        let ty = Type::NdArray(if same { own } else { kind.clone() }, rank);
        let zeros = self.template(&[x], ty, true, |p| {
            let p = &p[0];
            if same {
                quote!(#krate::__private::zeros_of(&#p))
            } else {
                quote!(#krate::__private::zeros_as::<#element, _, _>(&#p))
            }
        });
        self.temporary(zeros)
    }

    /// The order in which `ndarray` goes through arrays, as a function of `cotangent::__private` tells it.
    fn order(&mut self, by: &str, arrays: &[Value], axis: Option<&Arguments>) -> Value {
        let (krate, by) = (self.sig.krate.clone(), proc_macro2::Ident::new(by, self.span));
        let mut operands = arrays.to_vec();
        operands.extend(axis.iter().flat_map(|axis| &axis.operands));
        let axis = axis.map(|axis| (axis.code.clone(), axis.uses.clone()));
        self.template(&operands, Type::Inactive, true, |p| {
            let (arrays, own) = p.split_at(arrays.len());
            let axis = axis.map(|(code, uses)| rename(code, &uses, own));
            quote!(#krate::__private::#by(#(&#arrays,)* #axis))
        })
    }

    /// The order in which `fold` and its like go through an array.
    pub(super) fn memory_order(&mut self, x: Value) -> Value {
        self.order("memory_order", &[x], None)
    }

    /// The array in a place with its axes turned so that its logical order is another one.
    pub(super) fn turned(&mut self, place: &Place, order: Value) -> Place {
        let rank = self.rank_at(place);
        let mut args = Arguments::default();
        let name = args.operand(order, self.span);
        args.code = quote!(&#name);
        self.viewed(place, &views::TURNED, args, None, rank)
    }

    /// An array that is read in the order of memory.
    pub(crate) fn in_memory_order(&mut self, place: &Place) -> Place {
        let x = self.read_array(place);
        let order = self.memory_order(x);
        let turned = self.turned(&Self::value_place(x), order);
        let v = self.read(&turned);
        Self::value_place(v)
    }

    /// `mapv` and `map` with a closure of any kind: a loop over the elements. `kind`: of what it gives.
    pub(crate) fn map_each(&mut self, x: Value, f: &Operand, by_ref: bool, kind: &Float) -> Operand {
        let order = self.shows_order(f).then(|| self.order("map_order", &[x], None));
        let out = self.zeros_like(x, kind);
        let (mut source, mut target) = (Self::value_place(x), Self::cell_place(out));
        if let Some(order) = order {
            source = self.turned(&source, order);
            target = self.turned(&target, order);
        }
        let len = self.array_len(x);
        let mut cells = self.function_cells(f);
        cells.push(out);
        let step = Self::element_step(&self.ty(x));
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let item = source.clone().step(step.clone(), [k]).by_ref(by_ref);
            let item = if by_ref { Operand::Place(item) } else { Operand::Value(l.read(&item)) };
            let o = l.apply(f, vec![item]);
            let v = l.value(o);
            let target = target.clone().step(step.clone(), [k]);
            l.change(&target, Op::Update, &[v]);
            Operand::Value(l.unit())
        });
        Operand::Value(self.cell_value(out))
    }

    /// `mapv_inplace` and `map_inplace`.
    pub(crate) fn map_in_place(&mut self, place: &Place, f: &Operand, by_ref: bool) -> Operand {
        let x = self.read_array(place);
        let len = self.array_len(x);
        let step = Self::element_step(&self.ty(x));
        let mut cells = self.function_cells(f);
        cells.extend(place.cell());
        let place = if self.shows_order(f) {
            let order = self.memory_order(x);
            self.turned(place, order)
        } else {
            place.clone()
        };
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let item = place.clone().step(step.clone(), [k]).by_ref(true).mutable(true);
            if by_ref {
                l.apply(f, vec![Operand::Place(item)]);
            } else {
                let old = l.read(&item);
                let o = l.apply(f, vec![Operand::Value(old)]);
                let v = l.value(o);
                l.change(&item, Op::Update, &[v]);
            }
            Operand::Value(l.unit())
        })
    }

    /// `a.zip_mut_with(&b, f)`: each element of `a` with that of `b`, which is broadcast.
    pub(crate) fn zip_mut_with(&mut self, place: &Place, other: &syn::Expr, f: &Operand) -> Operand {
        let x = self.read_array(place);
        let other = self.nested_expr(other);
        let other = self.place(other);
        let y = self.read_array(&other);
        let shape = self.template(&[x], Type::Inactive, true, |p| {
            let p = &p[0];
            quote!(#p.raw_dim())
        });
        let mut args = Arguments::default();
        let name = args.operand(shape, self.span);
        args.code = quote!(#name.clone());
        let rank = self.rank_at(place);
        let broadcast = views::view("broadcast").expect("declared");
        let wide = self.viewed(&Self::value_place(y), broadcast, args, None, rank);
        let wide = self.read(&wide);
        let (mut place, mut other) = (place.clone(), Self::value_place(wide));
        if self.shows_order(f) {
            let order = self.order("rows_order", &[x, y], None);
            (place, other) = (self.turned(&place, order), self.turned(&other, order));
        }
        let (step, len) = (Self::element_step(&self.ty(x)), self.array_len(x));
        let mut cells = self.function_cells(f);
        cells.extend(place.cell());
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let item = place.clone().step(step.clone(), [k]).by_ref(true).mutable(true);
            let other = other.clone().step(step.clone(), [k]).by_ref(true);
            l.apply(f, vec![Operand::Place(item), Operand::Place(other)]);
            Operand::Value(l.unit())
        })
    }

    /// `accumulate_axis_inplace(axis, f)`: each element with the one before it.
    pub(crate) fn accumulate(&mut self, place: &Place, axis: &syn::Expr, f: &Operand) -> Operand {
        let x = self.read_array(place);
        let axis = self.written(axis);
        if self.shows_order(f) {
            return self.accumulate_in_turn(place, &axis, f);
        }
        let rank = self.rank_at(place);
        let (count, all) = (self.axis_length(x, &axis), self.array_len(x));
        let one = self.b().int(1);
        let zero = self.b().int(0);
        // as many as lie across the axis: of none, none
        let across = self.template(&[all, count], Type::USIZE, true, |p| {
            let (all, count) = (&p[0], &p[1]);
            quote!(#all.checked_div(#count).unwrap_or(0))
        });
        let step = Self::element_step(&Type::NdArray(Float::Any, rank.and_then(|r| r.checked_sub(1))));
        let mut cells = self.function_cells(f);
        cells.extend(place.cell());
        let along = Iter::Range { lo: one, hi: count, inclusive: false };
        let across = Iter::Range { lo: zero, hi: across, inclusive: false };
        let inner = cells.clone();
        self.drive(&along, None, &cells, &mut |l, i, _| {
            let i = l.value(i);
            let one = l.b().int(1);
            let before = l.usize_op(&arith::SUB, i, one);
            let [before, now] = [before, i].map(|i| l.part_along(place, &axis, i));
            l.drive(&across, None, &inner, &mut |l, k, _| {
                let k = l.value(k);
                let previous = before.clone().step(step.clone(), [k]).by_ref(true);
                let current = now.clone().step(step.clone(), [k]).by_ref(true).mutable(true);
                l.apply(f, vec![Operand::Place(previous), Operand::Place(current)]);
                Operand::Value(l.unit())
            })
        })
    }

    /// The same with a closure that changes what it captures, in the order of `ndarray`.
    fn accumulate_in_turn(&mut self, place: &Place, axis: &Arguments, f: &Operand) -> Operand {
        let x = self.read_array(place);
        let (rank, krate) = (self.rank_at(place), self.sig.krate.clone());
        let order = self.order("accumulation_order", &[x], Some(axis));
        let count = self.axis_length(x, axis);
        let [before, now] = [true, false].map(|ends| {
            let mut args = axis.clone();
            let (code, n) = (args.code.clone(), args.operand(count, self.span));
            let range = if ends { quote!(..#n.saturating_sub(1)) } else { quote!(#n.min(1)..) };
            args.code = quote!(#code, #krate::__private::ndarray::Slice::from(#range));
            let method = views::view("slice_axis").expect("declared");
            let part = self.viewed(place, method, args, None, rank);
            self.turned(&part, order)
        });
        let shown = self.read(&now);
        let (len, step) = (self.array_len(shown), Self::element_step(&self.ty(x)));
        let mut cells = self.function_cells(f);
        cells.extend(place.cell());
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let previous = before.clone().step(step.clone(), [k]).by_ref(true);
            let current = now.clone().step(step.clone(), [k]).by_ref(true).mutable(true);
            l.apply(f, vec![Operand::Place(previous), Operand::Place(current)]);
            Operand::Value(l.unit())
        })
    }

    /// What is at a position along an axis.
    fn part_along(&mut self, place: &Place, axis: &Arguments, i: Value) -> Place {
        let rank = self.rank_at(place);
        let mut args = axis.clone();
        let (code, i) = (args.code.clone(), args.operand(i, self.span));
        args.code = quote!(#code, #i);
        let method = views::view("index_axis").expect("declared");
        self.viewed(place, method, args, None, rank.and_then(|r| r.checked_sub(1)))
    }

    /// `cumprod(axis)`: what `ndarray` makes it of.
    pub(crate) fn running_product(&mut self, place: &Place, axis: &syn::Expr) -> Operand {
        let x = self.read_array(place);
        let ty = self.ty(x);
        let copy = self.push(Op::Copy(false), vec![x], ty);
        let cell = self.temporary(copy);
        let f: syn::Expr = syn::parse_quote!(|before, now| *now *= *before);
        let f = self.function_operand(&f);
        self.accumulate(&Self::cell_place(cell), axis, &f);
        Operand::Value(self.cell_value(cell))
    }

    /// `diff(n, axis)`: the differences of neighbours, `n` times.
    pub(crate) fn differences(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Operand {
        let times = match crate::lower::control::strip(&m.args[0]) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse::<usize>().ok(),
            _ => None,
        };
        let Some(times) = times.filter(|n| *n <= 8) else {
            return self.unsupported(
                m.method.span(),
                "`diff` is supported for a number of times that is written as a small literal only",
                "write a loop around `diff(1, axis)`",
            );
        };
        let mut x = self.read_array(place);
        let axis = self.written(&m.args[1]);
        let rank = self.rank_at(place);
        let krate = self.sig.krate.clone();
        for _ in 0..times {
            let [head, tail] = [quote!(..-1), quote!(1..)].map(|range| {
                let code = &axis.code;
                let code = quote!(#code, #krate::__private::ndarray::Slice::from(#range));
                let args = Arguments { code, ..axis.clone() };
                let method = views::view("slice_axis").expect("declared");
                let part = self.viewed(&Self::value_place(x), method, args, None, rank);
                self.read(&part)
            });
            let out = self.map_primitive(&arith::SUB, &[tail, head]);
            x = self.push(Op::Prim(&crate::prims::whole::FLAT), vec![out], self.vector_type(out));
            let shape = self.template(&[out], Type::Inactive, true, |p| {
                let p = &p[0];
                quote!(#p.raw_dim())
            });
            // in the standard order
            let ty = self.ty(out);
            x = self.push(Op::Prim(&crate::prims::whole::SHAPED), vec![x, shape], ty);
        }
        Operand::Value(x)
    }

    /// The type of a vector with the elements of an array.
    pub(super) fn vector_type(&self, x: Value) -> Type {
        match self.func.ty(x) {
            Type::NdArray(kind, _) => Type::Vec(Box::new(Type::Float(kind.clone()))),
            _ => Type::Vec(Box::new(Type::Float(Float::Any))),
        }
    }

    /// The lengths of all axes but the first, where it is known how many there are.
    pub(crate) fn axis_lengths(&mut self, x: Value) -> Option<Vec<Value>> {
        let Type::NdArray(_, Some(rank)) = self.ty(x) else { return None };
        let length = |axis: usize| {
            self.template(&[x], Type::USIZE, true, |p| {
                let (p, axis) = (&p[0], proc_macro2::Literal::usize_unsuffixed(axis));
                quote!(#p.shape()[#axis])
            })
        };
        Some((1..rank).map(length).collect())
    }

    /// The number of each axis of the k-th element.
    pub(crate) fn index_of(&mut self, x: Value, k: Value) -> Operand {
        let lengths = self.axis_lengths(x);
        self.index_in(x, lengths.as_deref(), k)
    }

    /// The same from the lengths of the axes.
    pub(crate) fn index_in(&mut self, x: Value, lengths: Option<&[Value]>, k: Value) -> Operand {
        let Some(lengths) = lengths else {
            // how many there are only the compiler knows
            let krate = &self.sig.krate;
            return Operand::Value(self.template(&[x, k], Type::Inactive, true, |p| {
                let (x, k) = (&p[0], &p[1]);
                quote!(#krate::__private::nth_index(&#x, #k))
            }));
        };
        if lengths.is_empty() {
            return match self.ty(x) {
                Type::NdArray(_, Some(0)) => Operand::Parts(vec![]),
                _ => Operand::Value(k),
            };
        }
        let (mut rest, mut parts) = (k, Vec::new());
        for &n in lengths.iter().rev() {
            parts.push(Operand::Value(self.usize_op(&arith::REM, rest, n)));
            rest = self.usize_op(&arith::DIV, rest, n);
        }
        parts.push(Operand::Value(rest));
        parts.reverse();
        Operand::Parts(parts)
    }

    /// The place of the k-th element in the step that arrays of a type take.
    pub(super) fn element_of(place: &Place, ty: &Type, k: Value) -> Place {
        let step = match ty {
            Type::NdArray(..) => Self::element_step(ty),
            _ => Step::Flat,
        };
        place.clone().step(step, [k])
    }
}
