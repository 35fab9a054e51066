//! `map_axis` and `fold_axis`: a closure of each lane, and of each element along an axis.

use super::items::rename;
use super::others::Elements;
use super::view::Arguments;
use crate::ir::{Op, Type, Value};
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::views;
use quote::quote;

impl Lowering<'_> {
    /// The two methods; `None` if it is neither.
    pub(crate) fn axis_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        match (m.method.to_string().as_str(), m.args.len()) {
            ("map_axis", 2) => Some(self.map_axis(place, m)),
            ("fold_axis", 3) => Some(self.fold_axis(place, m)),
            _ => None,
        }
    }

    fn axis_argument(&mut self, e: &syn::Expr) -> Arguments {
        let mut args = Arguments::default();
        args.code = self.view_argument(e, &mut args);
        args
    }

    /// Zeros in the shape of an array without an axis, in a variable: in the layout of what `Zip` collects of its lanes, or in
    /// row-major order.
    fn zeros_without(&mut self, x: Value, axis: &Arguments, as_collected: bool) -> usize {
        let (krate, ty) = (&self.sig.krate, self.ty(x));
        let Type::NdArray(kind, rank) = ty else { unreachable!("an array") };
        let mut operands = vec![x];
        operands.extend(&axis.operands);
        let ty = Type::NdArray(kind, rank.and_then(|r| r.checked_sub(1)));
        let (code, uses) = (axis.code.clone(), axis.uses.clone());
        let zeros = self.template(&operands, ty, true, |p| {
            let (x, axis) = (&p[0], rename(code, &uses, &p[1..]));
            if as_collected {
                quote!(#krate::__private::lane_zeros(&#x, #axis, &[]))
            } else {
                quote!(#krate::__private::zeros_without(&#x, #axis))
            }
        });
        self.temporary(zeros)
    }

    fn map_axis(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Operand {
        let x = self.read_array(place);
        let axis = self.axis_argument(&m.args[0]);
        let f = self.function_operand(&m.args[1]);
        let lane = |l: &mut Self, k: Value| {
            let mut args = axis.clone();
            let k = args.operand(k, l.span);
            let code = args.code.clone();
            args.code = quote!(#code, #k);
            Operand::Place(l.viewed(&Self::value_place(x), &views::LANE, args, None, Some(1)).viewed(false))
        };
        let elements = self.elements_of(&f, |l| {
            let k = l.b().int(0);
            vec![lane(l, k)]
        });
        if !matches!(elements, Elements::Floats) {
            return self.map_to_others(&elements, x, m);
        }
        // several lanes in each direction: their order is that of memory
        let ordered = self.shows_order(&f) && !matches!(self.ty(x), Type::NdArray(_, Some(1 | 2)));
        let out = self.zeros_without(x, &axis, true);
        let made = self.cell_value(out);
        let order = ordered.then(|| {
            let mut layouts = Arguments::default();
            self.layout_by("lane_layout", x, &axis, quote!(), &mut layouts);
            self.zip_order(made, &layouts)
        });
        let len = self.array_len(made);
        let step = Self::element_step(&self.ty(made));
        let mut cells = self.function_cells(&f);
        cells.push(out);
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let k = order.map_or(k, |order| l.turned_place(made, order, k));
            let lane = lane(l, k);
            let o = l.apply(&f, vec![lane]);
            let v = l.value(o);
            let target = Self::cell_place(out).step(step.clone(), [k]);
            l.change(&target, Op::Update, &[v]);
            Operand::Value(l.unit())
        });
        Operand::Value(self.cell_value(out))
    }

    fn fold_axis(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Operand {
        let x = self.read_array(place);
        let axis = self.axis_argument(&m.args[0]);
        let init = self.operand(&m.args[1]);
        let f = self.function_operand(&m.args[2]);
        let out = self.zeros_without(x, &axis, false);
        let whole = Self::cell_place(out);
        self.change(&whole, Op::Fill, &[init]);
        let made = self.cell_value(out);
        let ty = self.ty(made);
        let (len, count) = (self.array_len(made), self.axis_length(x, &axis));
        let rank = match &ty {
            Type::NdArray(_, rank) => *rank,
            _ => None,
        };
        let step = Self::element_step(&ty);
        let mut cells = self.function_cells(&f);
        cells.push(out);
        let zero = self.b().int(0);
        let along = Iter::Range { lo: zero, hi: count, inclusive: false };
        let across = Iter::Range { lo: zero, hi: len, inclusive: false };
        let all = cells.clone();
        self.drive(&along, None, &cells, &mut |l, i, _| {
            let i = l.value(i);
            let mut args = axis.clone();
            let code = args.code.clone();
            let i_name = args.operand(i, l.span);
            args.code = quote!(#code, #i_name);
            let method = views::view("index_axis").expect("declared");
            let part = l.viewed(&Self::value_place(x), method, args, None, rank);
            l.drive(&across, None, &all, &mut |l, k, _| {
                let k = l.value(k);
                let sum = Self::cell_place(out).step(step.clone(), [k]).by_ref(true);
                let item = part.clone().step(step.clone(), [k]).by_ref(true);
                let o = l.apply(&f, vec![Operand::Place(sum.clone()), Operand::Place(item)]);
                let v = l.value(o);
                l.change(&sum, Op::Update, &[v]);
                Operand::Value(l.unit())
            })
        });
        Operand::Value(self.cell_value(out))
    }
}
