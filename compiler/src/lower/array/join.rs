//! Arrays one after another: `concatenate`, `stack`, `push_row` and their like.

use super::view::Arguments;
use crate::ir::{Float, Op, Step, Type, Value};
use crate::lower::control::strip;
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::views;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// What is joined.
enum Parts {
    /// Arrays that are written one by one.
    Each(Vec<Value>),
    /// The elements of a sequence.
    Of(Value),
}

impl Parts {
    fn values(&self) -> &[Value] {
        match self {
            Parts::Each(parts) => parts,
            Parts::Of(all) => std::slice::from_ref(all),
        }
    }
}

impl Lowering<'_> {
    /// `concatenate(axis, &[a, b])` and `stack`: what ndarray makes of the values, and each part put in its place.
    pub(super) fn joined(&mut self, c: &syn::ExprCall, stack: bool) -> Option<Operand> {
        let list = match strip(&c.args[1]) {
            syn::Expr::Reference(r) => strip(&r.expr),
            e => e,
        };
        let f = c.func.to_token_stream();
        let axis = self.joining_axis(&c.args[0]);
        let parts = match list {
            syn::Expr::Array(list) => Parts::Each(self.joined_parts(list.elems.iter())),
            list => Parts::Of(self.operand(list)),
        };
        let ty = self.type_of_joined(&parts, stack)?;
        if self.unwraps {
            let whole = self.join(&f, &axis, &parts, ty, stack);
            return Some(self.succeeds(whole, &c.func));
        }
        let private = self.private();
        let fault = self.of_parts(&axis, &parts, Type::Fault, |axis, names| {
            let shapes = match &parts {
                Parts::Each(_) => quote!([#(#names.map(|_| ())),*]),
                Parts::Of(_) => quote!(#(#names)*.iter().map(|item| item.map(|_| ())).collect::<#private::Vec<_>>()),
            };
            quote!(#f(#axis, &#shapes.iter().map(|item| item.view()).collect::<#private::Vec<_>>()).err())
        });
        Some(self.unless(fault, &mut |l| l.join(&f, &axis, &parts, ty.clone(), stack)))
    }

    /// `concatenate![axis, a, b]` and `stack!`.
    pub(crate) fn joining_macro(&mut self, mac: &syn::Macro, stack: bool) -> Option<Operand> {
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        let args = syn::parse::Parser::parse2(parse, mac.tokens.clone()).ok()?;
        let axis = self.joining_axis(args.first()?);
        let parts = Parts::Each(self.joined_parts(args.iter().skip(1)));
        let ty = self.type_of_joined(&parts, stack)?;
        let krate = &self.sig.krate;
        let name = proc_macro2::Ident::new(if stack { "stack" } else { "concatenate" }, self.span);
        let f = quote!(#krate::__private::ndarray::#name);
        Some(self.join(&f, &axis, &parts, ty, stack))
    }

    fn joining_axis(&mut self, axis: &syn::Expr) -> Arguments {
        let mut args = Arguments::default();
        args.code = self.view_argument(axis, &mut args);
        args
    }

    fn joined_parts<'e>(&mut self, items: impl Iterator<Item = &'e syn::Expr>) -> Vec<Value> {
        let part = |e| {
            let operand = self.nested_expr(e);
            let place = self.place(operand);
            self.read_array(&place)
        };
        items.map(part).collect()
    }

    fn type_of_joined(&self, parts: &Parts, stack: bool) -> Option<Type> {
        let (kind, rank) = match (parts, self.ty(*parts.values().first()?)) {
            (Parts::Each(_), Type::NdArray(kind, rank)) => (kind, rank),
            (Parts::Of(_), Type::Vec(t) | Type::Slice(t) | Type::Array(t)) => match *t {
                Type::NdArray(kind, rank) => (kind, rank),
                Type::Dyn => (Float::Any, None),
                _ => return None,
            },
            _ => return None,
        };
        Some(Type::NdArray(kind, if stack { rank.map(|r| r + 1) } else { rank }))
    }

    /// What is told by an axis and the names of the parts.
    fn of_parts(
        &mut self,
        axis: &Arguments,
        parts: &Parts,
        ty: Type,
        code: impl FnOnce(TokenStream, &[Ident]) -> TokenStream,
    ) -> Value {
        let mut operands = axis.operands.clone();
        operands.extend(parts.values());
        let count = axis.uses.len();
        self.template(&operands, ty, true, |p| {
            code(super::items::rename(axis.code.clone(), &axis.uses, &p[..count]), &p[count..])
        })
    }

    fn join(&mut self, f: &TokenStream, axis: &Arguments, parts: &Parts, ty: Type, stack: bool) -> Operand {
        let private = self.private();
        let whole = self.of_parts(axis, parts, ty, |axis, names| {
            let views = match parts {
                Parts::Each(_) => quote!([#(#names.view()),*]),
                Parts::Of(_) => quote!(#(#names)*.iter().map(|item| item.view()).collect::<#private::Vec<_>>()),
            };
            quote!(#f(#axis, &#views).unwrap())
        });
        match parts {
            Parts::Each(parts) => self.put_parts(whole, axis, parts, stack),
            &Parts::Of(all) => self.put_all(whole, axis, all, stack),
        }
    }

    /// The same of the elements of a sequence.
    fn put_all(&mut self, whole: Value, axis: &Arguments, all: Value, stack: bool) -> Operand {
        let cell = self.temporary(whole);
        let zero = self.b().int(0);
        let from = self.temporary(zero);
        let len = self.push(Op::Len, vec![all], Type::USIZE);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &[cell, from], &mut |l, k, _| {
            let k = l.value(k);
            let part = l.read_array(&Self::value_place(all).step(Step::Index, [k]));
            let lo = l.cell_value(from);
            let (place, hi) = l.part_at(cell, axis, lo, part, stack);
            l.change(&place, Op::Update, &[part]);
            l.set_cell(from, hi);
            Operand::Value(l.unit())
        });
        Operand::Value(self.cell_value(cell))
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
        let parts = Parts::Each(vec![x, part]);
        let private = self.private();
        if self.unwraps {
            let unit = self.put_behind(place, &axis, &parts);
            return Some(self.succeeds(unit, &m.method));
        }
        let fault = self.of_parts(&axis, &parts, Type::Fault, |axis, names| {
            let (x, part) = (&names[0], &names[1]);
            quote!(#private::ndarray::concatenate(#axis, &[#x.map(|_| ()).view(), #part.map(|_| ()).view()]).err())
        });
        Some(self.unless(fault, &mut |l| l.put_behind(place, &axis, &parts)))
    }

    fn put_behind(&mut self, place: &Place, axis: &Arguments, parts: &Parts) -> Operand {
        let (ty, private) = (self.ty(parts.values()[0]), self.private());
        let whole = self.of_parts(axis, parts, ty, |axis, names| {
            let (x, part) = (&names[0], &names[1]);
            quote!(#private::appended(&#x, #axis, &#part))
        });
        let joined = self.put_parts(whole, axis, parts.values(), false);
        let v = self.value(joined);
        self.write(place, v);
        Operand::Value(self.unit())
    }
}
