//! The elements and lanes of arrays one after another: iterators, `mapv` with any closure, `Zip`.

use super::view::Arguments;
use crate::ir::{Op, Step, Type, Value};
use crate::lower::control::strip;
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use crate::prims::{arith, views};
use quote::quote;

/// The views of an array that come one after another.
#[derive(Clone)]
pub(crate) struct Lanes {
    pub(crate) place: Place,
    /// The axis as it is written, with its operands.
    axis: Arguments,
    /// How many lie side by side in one item, and by how many the next begins later; `None`: one, without its axis.
    block: Option<(Value, Value)>,
    pub(crate) count: Value,
    /// Whether the items may be changed.
    is_mut: bool,
}

impl Lowering<'_> {
    /// The step to the k-th element of an array.
    pub(crate) fn element_step(ty: &Type) -> Step {
        match ty {
            Type::NdArray(_, rank) if *rank != Some(1) => Step::Flat,
            _ => Step::Index,
        }
    }

    /// The number of elements of an array.
    pub(crate) fn array_len(&mut self, x: Value) -> Value {
        self.template(&[x], Type::USIZE, true, |p| {
            let p = &p[0];
            quote!(#p.len())
        })
    }

    /// The iterator that a method makes of the array in a place.
    pub(crate) fn array_iterator(&mut self, place: Place, m: &syn::ExprMethodCall) -> Option<Iter> {
        let name = m.method.to_string();
        let axis = match (name.as_str(), m.args.len()) {
            ("outer_iter" | "outer_iter_mut" | "rows" | "rows_mut", 0) => quote!(0),
            ("columns" | "columns_mut", 0) => quote!(1),
            ("axis_iter" | "axis_iter_mut", 1) | ("axis_chunks_iter" | "axis_chunks_iter_mut", 2) => quote!(),
            ("windows" | "exact_chunks" | "exact_chunks_mut", 1) => quote!(0),
            _ => return None,
        };
        let Type::NdArray(_, rank) = self.place_type(&place) else { return None };
        let lanes = name.starts_with("rows") || name.starts_with("columns");
        let blocks = name.starts_with("windows") || name.starts_with("exact_chunks");
        if let (true, None) = (lanes, rank) {
            // what is not visible here is checked by the compiler
            let krate = &self.sig.krate;
            let x = self.read(&place);
            self.template(&[x], Type::Unit, false, |p| {
                let p = &p[0];
                quote!(#krate::__private::matrix(&#p);)
            });
        }
        if lanes && !matches!(rank, None | Some(2)) || blocks && rank != Some(1) {
            self.unsupported(
                m.method.span(),
                format!("`{name}` is supported for {} only", if lanes { "matrices" } else { "vectors" }),
                "use `axis_iter`, or a loop with `index_axis` or `slice`",
            );
            return None;
        }
        let mut args = Arguments::default();
        args.code = if axis.is_empty() {
            self.view_argument(&m.args[0], &mut args)
        } else {
            let krate = &self.sig.krate;
            quote!(#krate::__private::ndarray::Axis(#axis))
        };
        let x = self.read(&place);
        let len = self.axis_length(x, &args);
        let one = self.b().int(1);
        let (block, count) = match name.trim_end_matches("_mut") {
            "axis_chunks_iter" => {
                let n = self.operand(&m.args[1]);
                let less = self.usize_op(&arith::SUB, n, one);
                let up = self.usize_op(&arith::ADD, len, less);
                (Some((n, n)), self.usize_op(&arith::DIV, up, n))
            }
            "exact_chunks" => {
                let n = self.operand(&m.args[0]);
                (Some((n, n)), self.usize_op(&arith::DIV, len, n))
            }
            "windows" => {
                let n = self.operand(&m.args[0]);
                let more = self.usize_op(&arith::ADD, len, one);
                (
                    Some((n, one)),
                    self.template(&[more, n], Type::USIZE, true, |p| {
                        let (more, n) = (&p[0], &p[1]);
                        quote!(#more.saturating_sub(#n))
                    }),
                )
            }
            _ => (None, len),
        };
        let is_mut = name.ends_with("_mut");
        Some(Iter::Lanes(Box::new(Lanes { place, axis: args, block, count, is_mut })))
    }

    pub(super) fn axis_length(&mut self, x: Value, axis: &Arguments) -> Value {
        let mut operands = vec![x];
        operands.extend(&axis.operands);
        let (code, uses) = (axis.code.clone(), axis.uses.clone());
        self.template(&operands, Type::USIZE, true, |p| {
            let (x, renamed) = (&p[0], rename(code, &uses, &p[1..]));
            quote!(#x.len_of(#renamed))
        })
    }

    /// The k-th view.
    pub(crate) fn lane(&mut self, lanes: &Lanes, k: Value) -> Operand {
        let mut args = lanes.axis.clone();
        let axis = args.code.clone();
        let rank = match self.place_type(&lanes.place) {
            Type::NdArray(_, rank) => rank,
            _ => None,
        };
        let place = match lanes.block {
            None => {
                let k = args.operand(k, self.span);
                args.code = quote!(#axis, #k);
                let method = views::view("index_axis").expect("declared");
                self.viewed(&lanes.place, method, args, None, rank.and_then(|r| r.checked_sub(1)))
            }
            Some((n, step)) => {
                let lo = self.usize_op(&arith::MUL, k, step);
                let hi = self.usize_op(&arith::ADD, lo, n);
                let x = self.read(&lanes.place);
                let len = self.axis_length(x, &lanes.axis);
                let hi = self.template(&[hi, len], Type::USIZE, true, |p| {
                    let (hi, len) = (&p[0], &p[1]);
                    quote!(::core::cmp::Ord::min(#hi, #len))
                });
                let (lo, hi) = (args.operand(lo, self.span), args.operand(hi, self.span));
                let krate = &self.sig.krate;
                args.code = quote!(#axis, #krate::__private::ndarray::Slice::from(#lo..#hi));
                let method = views::view("slice_axis").expect("declared");
                self.viewed(&lanes.place, method, args, None, rank)
            }
        };
        Operand::Place(place.by_ref(true).mutable(lanes.is_mut))
    }

    /// An array of zeros of the shape and layout of another one, in a variable.
    fn zeros_like(&mut self, x: Value) -> usize {
        let (krate, ty) = (&self.sig.krate, self.ty(x));
        let zeros = self.template(&[x], ty, true, |p| {
            let p = &p[0];
            quote!(#krate::__private::zeros_of(&#p))
        });
        self.temporary(zeros)
    }

    /// `mapv` and `map` with a closure of any kind: a loop over the elements.
    pub(crate) fn map_each(&mut self, x: Value, f: &Operand, by_ref: bool) -> Operand {
        let out = self.zeros_like(x);
        let source = Self::value_place(x);
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
            let target = Self::cell_place(out).step(step.clone(), [k]);
            l.change(&target, Op::Update, &[v]);
            Operand::Value(l.unit())
        });
        Operand::Value(self.cell_value(out))
    }

    /// `mapv_inplace` and `map_inplace`.
    pub(crate) fn map_in_place(&mut self, place: &Place, f: &Operand, by_ref: bool) -> Operand {
        let x = self.read(place);
        let len = self.array_len(x);
        let step = Self::element_step(&self.ty(x));
        let mut cells = self.function_cells(f);
        cells.extend(place.cell());
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let item = place.clone().step(step.clone(), [k]).by_ref(true);
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

    /// The number of each axis of the k-th element.
    pub(crate) fn index_of(&mut self, x: Value, k: Value) -> Option<Operand> {
        let Type::NdArray(_, Some(rank)) = self.ty(x) else { return None };
        if rank == 1 {
            return Some(Operand::Value(k));
        }
        let (mut rest, mut parts) = (k, Vec::new());
        for axis in (1..rank).rev() {
            let n = self.template(&[x], Type::USIZE, true, |p| {
                let (p, axis) = (&p[0], proc_macro2::Literal::usize_unsuffixed(axis));
                quote!(#p.shape()[#axis])
            });
            parts.push(Operand::Value(self.usize_op(&arith::REM, rest, n)));
            rest = self.usize_op(&arith::DIV, rest, n);
        }
        parts.push(Operand::Value(rest));
        parts.reverse();
        Some(Operand::Parts(parts))
    }

    /// `Zip::from(a).and(b).for_each(f)`, `map_collect(f)` and `fold(init, f)`; `None` if it is something else.
    pub(crate) fn zip_call(&mut self, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let arity = match name.as_str() {
            "for_each" | "map_collect" | "apply" => 1,
            "fold" => 2,
            _ => return None,
        };
        if m.args.len() != arity {
            return None;
        }
        let (producers, indexed) = producers(&m.receiver)?;
        self.span = m.method.span();
        let mut parts = Vec::new();
        for e in producers {
            let part = match self.iterator(e) {
                Some(it) => it,
                None => {
                    let operand = self.nested_expr(e);
                    Iter::Seq(self.place(operand).by_ref(true), true)
                }
            };
            parts.push(part);
        }
        let f = self.function_operand(&m.args[arity - 1]);
        let first = match &parts[0] {
            Iter::Seq(p, _) => Some(self.read(p)),
            _ => None,
        };
        let len = self.iter_len(&parts[0])?;
        let mut cells: Vec<usize> = parts.iter().flat_map(|p| self.iter_cells(p)).collect();
        cells.extend(self.function_cells(&f));
        let collects = name == "map_collect";
        let out = match (collects, first) {
            (true, None) => {
                return Some(self.unsupported(
                    m.method.span(),
                    "`map_collect` over lanes is not supported yet",
                    "write a loop over the lanes",
                ));
            }
            (true, Some(x)) => Some(self.zeros_like(x)),
            (false, _) if arity == 2 => {
                let init = self.operand(&m.args[0]);
                Some(self.temporary(init))
            }
            _ => None,
        };
        cells.extend(out);
        let step = first.map_or(Step::Flat, |x| Self::element_step(&self.ty(x)));
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let mut args = Vec::new();
            if let (Some(out), 2) = (out, arity) {
                args.push(Operand::Value(l.cell_value(out)));
            }
            if indexed {
                let index = first.and_then(|x| l.index_of(x, k));
                args.push(index.unwrap_or(Operand::Value(k)));
            }
            for part in &parts {
                args.push(l.iter_item(part, k));
            }
            let o = l.apply(&f, args);
            if let Some(out) = out {
                let v = l.value(o);
                if collects {
                    let target = Self::cell_place(out).step(step.clone(), [k]);
                    l.change(&target, Op::Update, &[v]);
                } else {
                    l.set_cell(out, v);
                }
            }
            Operand::Value(l.unit())
        });
        Some(match out {
            Some(out) => Operand::Value(self.cell_value(out)),
            None => Operand::Value(self.unit()),
        })
    }
}

/// What `Zip::from(a).and(b)` goes through, and whether the index comes with it.
fn producers(e: &syn::Expr) -> Option<(Vec<&syn::Expr>, bool)> {
    match strip(e) {
        syn::Expr::MethodCall(m) if m.method == "and" && m.args.len() == 1 => {
            let (mut list, indexed) = producers(&m.receiver)?;
            list.push(&m.args[0]);
            Some((list, indexed))
        }
        syn::Expr::Call(c) if c.args.len() == 1 => {
            let syn::Expr::Path(p) = strip(&c.func) else { return None };
            let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
            let (last, of) = (names.next()?, names.next()?);
            (of == "Zip" && (last == "from" || last == "indexed")).then(|| (vec![&c.args[0]], last == "indexed"))
        }
        _ => None,
    }
}

/// Code with other placeholders.
pub(super) fn rename(
    code: proc_macro2::TokenStream,
    from: &[proc_macro2::Ident],
    to: &[proc_macro2::Ident],
) -> proc_macro2::TokenStream {
    use proc_macro2::{Group, TokenTree};
    code.into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) => match from.iter().position(|name| *name == ident) {
                Some(k) => TokenTree::Ident(to[k].clone()),
                None => TokenTree::Ident(ident),
            },
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), rename(group.stream(), from, to));
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            other => other,
        })
        .collect()
}
