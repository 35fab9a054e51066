//! Arrays one after another: `concatenate`, `stack`, `push_row` and their like.

use super::view::Arguments;
use crate::ir::{Float, Op, Step, Type, Value};
use crate::lower::control::strip;
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::views;
use proc_macro2::TokenStream;
use quote::quote;

impl Lowering<'_> {
    /// `concatenate(axis, &[a, b])` and `stack`, with an optional `unwrap` around it: what ndarray makes of the values,
    /// and each part put in its place.
    pub(super) fn joined(&mut self, c: &syn::ExprCall, stack: bool) -> Option<Operand> {
        let list = match strip(&c.args[1]) {
            syn::Expr::Reference(r) => strip(&r.expr),
            e => e,
        };
        let f = &c.func;
        let syn::Expr::Array(list) = list else { return self.join_all(quote!(#f), &c.args[0], list, stack) };
        let items: Vec<&syn::Expr> = list.elems.iter().collect();
        self.join(quote!(#f), &c.args[0], &items, stack)
    }

    /// The same of a sequence of arrays.
    fn join_all(&mut self, f: TokenStream, axis: &syn::Expr, list: &syn::Expr, stack: bool) -> Option<Operand> {
        let mut axis_args = Arguments::default();
        axis_args.code = self.view_argument(axis, &mut axis_args);
        let parts = self.operand(list);
        let (kind, rank) = match self.ty(parts) {
            Type::Vec(t) | Type::Slice(t) | Type::Array(t) => match *t {
                Type::NdArray(kind, rank) => (kind, rank),
                Type::Dyn => (Float::Any, None),
                _ => return None,
            },
            _ => return None,
        };
        let ty = Type::NdArray(kind, if stack { rank.map(|r| r + 1) } else { rank });
        let mut operands = axis_args.operands.clone();
        operands.push(parts);
        let (code, uses, count) = (axis_args.code.clone(), axis_args.uses.clone(), axis_args.uses.len());
        let private = self.private();
        let whole = self.template(&operands, ty, true, |p| {
            let axis = super::items::rename(code, &uses, &p[..count]);
            let items = &p[count];
            quote!(#f(#axis, &#items.iter().map(|item| item.view()).collect::<#private::Vec<_>>()).unwrap())
        });
        let cell = self.temporary(whole);
        let zero = self.b().int(0);
        let from = self.temporary(zero);
        let len = self.push(Op::Len, vec![parts], Type::USIZE);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &[cell, from], &mut |l, k, _| {
            let k = l.value(k);
            let part = l.read_array(&Self::value_place(parts).step(Step::Index, [k]));
            let lo = l.cell_value(from);
            let (place, hi) = l.part_at(cell, &axis_args, lo, part, stack);
            l.change(&place, Op::Update, &[part]);
            l.set_cell(from, hi);
            Operand::Value(l.unit())
        });
        Some(Operand::Value(self.cell_value(cell)))
    }

    /// The place of a part that begins at a position along an axis, and where the next begins.
    fn part_at(&mut self, cell: usize, axis: &Arguments, lo: Value, part: Value, stack: bool) -> (Place, Value) {
        let whole = Self::cell_place(cell);
        let rank = self.rank_at(&whole);
        let mut args = axis.clone();
        let code = args.code.clone();
        if stack {
            let k = args.operand(lo, self.span);
            args.code = quote!(#code, #k);
            let one = self.b().int(1);
            let next = self.usize_op(&crate::prims::arith::ADD, lo, one);
            let method = views::view("index_axis").expect("declared");
            return (self.viewed(&whole, method, args, None, rank.and_then(|r| r.checked_sub(1))), next);
        }
        let len = self.axis_length(part, axis);
        let hi = self.usize_op(&crate::prims::arith::ADD, lo, len);
        let (from, to) = (args.operand(lo, self.span), args.operand(hi, self.span));
        let krate = &self.sig.krate;
        args.code = quote!(#code, #krate::__private::ndarray::Slice::from(#from..#to));
        let method = views::view("slice_axis").expect("declared");
        (self.viewed(&whole, method, args, None, rank), hi)
    }

    /// `concatenate![axis, a, b]` and `stack!`.
    pub(crate) fn joining_macro(&mut self, mac: &syn::Macro, stack: bool) -> Option<Operand> {
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        let args = syn::parse::Parser::parse2(parse, mac.tokens.clone()).ok()?;
        let items: Vec<&syn::Expr> = args.iter().skip(1).collect();
        let krate = &self.sig.krate;
        let name = proc_macro2::Ident::new(if stack { "stack" } else { "concatenate" }, self.span);
        self.join(quote!(#krate::__private::ndarray::#name), args.first()?, &items, stack)
    }

    fn join(&mut self, f: TokenStream, axis: &syn::Expr, items: &[&syn::Expr], stack: bool) -> Option<Operand> {
        let mut axis_args = Arguments::default();
        axis_args.code = self.view_argument(axis, &mut axis_args);
        let parts: Vec<Value> = items
            .iter()
            .map(|e| {
                let operand = self.nested_expr(e);
                let place = self.place(operand);
                self.read_array(&place)
            })
            .collect();
        let Type::NdArray(kind, rank) = self.ty(*parts.first()?) else { return None };
        let ty = Type::NdArray(kind, if stack { rank.map(|r| r + 1) } else { rank });
        let mut operands = axis_args.operands.clone();
        operands.extend(&parts);
        let (code, uses, count) = (axis_args.code.clone(), axis_args.uses.clone(), axis_args.uses.len());
        let whole = self.template(&operands, ty, true, |p| {
            let axis = super::items::rename(code, &uses, &p[..count]);
            let items = &p[count..];
            quote!(#f(#axis, &[#(#items.view()),*]).unwrap())
        });
        Some(self.put_parts(whole, &axis_args, &parts, stack))
    }

    /// Puts parts one after another along an axis of an array.
    fn put_parts(&mut self, whole: Value, axis: &Arguments, parts: &[Value], stack: bool) -> Operand {
        let cell = self.temporary(whole);
        let mut lo = self.b().int(0);
        for &part in parts {
            let (place, next) = self.part_at(cell, axis, lo, part, stack);
            lo = next;
            if self.is_active(part) {
                self.change(&place, Op::Update, &[part]);
            }
        }
        Operand::Value(self.cell_value(cell))
    }

    /// `push_row`, `push_column`, `append`, `push`: the array with another part at its end.
    pub(crate) fn appended(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let krate = &self.sig.krate;
        let mut axis = Arguments::default();
        let (code, item) = match (name.as_str(), m.args.len()) {
            ("push_row", 1) => (quote!(#krate::__private::ndarray::Axis(0)), &m.args[0]),
            ("push_column", 1) => (quote!(#krate::__private::ndarray::Axis(1)), &m.args[0]),
            ("append" | "push", 2) => (self.view_argument(&m.args[0], &mut axis), &m.args[1]),
            _ => return None,
        };
        axis.code = code;
        let operand = self.nested_expr(item);
        let item = self.place(operand);
        let mut part = self.read(&item);
        let x = self.read_array(place);
        if name != "append" {
            let own = match self.ty(part) {
                Type::NdArray(_, rank) => rank.map(|r| r + 1),
                _ => None,
            };
            let method = views::view("insert_axis").expect("declared");
            let raised = self.viewed(&Self::value_place(part), method, axis.clone(), None, own);
            part = self.read(&raised);
        }
        let mut operands = axis.operands.clone();
        operands.extend([x, part]);
        let (code, uses, count) = (axis.code.clone(), axis.uses.clone(), axis.uses.len());
        let ty = self.ty(x);
        let whole = self.template(&operands, ty, true, |p| {
            let axis = super::items::rename(code, &uses, &p[..count]);
            let (x, part) = (&p[count], &p[count + 1]);
            quote!(#krate::__private::appended(&#x, #axis, &#part))
        });
        let joined = self.put_parts(whole, &axis, &[x, part], false);
        let v = self.value(joined);
        self.write(place, v);
        let unit = self.unit();
        Some(self.succeeds(Operand::Value(unit), &m.method))
    }
}
