//! `Zip::from(a).and(b)` and `azip!`: a closure of the elements of several arrays, or of their lanes, in lock step.

use super::items::Lanes;
use super::others::Elements;
use super::view::Arguments;
use crate::ir::{Float, Op, Type, Value};
use crate::lower::control::strip;
use crate::lower::iter::Iter;
use crate::lower::place::Place;
use crate::lower::{Lowering, Operand};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};

impl Lowering<'_> {
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
        let mut whole = None;
        // arrays in which nothing differentiable is, and whose elements are in a vector of these parts
        let mut kept = Vec::new();
        for (e, broadcast) in producers {
            if let Some(v) = self.kept_array(e) {
                if broadcast {
                    return Some(self.unsupported(
                        m.method.span(),
                        "an array of another type that is broadcast here is not supported yet",
                        "broadcast it first: `let wide = mask.broadcast(x.raw_dim()).unwrap().to_owned();`",
                    ));
                }
                kept.push((parts.len(), v));
                let Iter::Kept(items) = self.kept_items(v, &proc_macro2::Ident::new("iter", self.span)) else {
                    unreachable!("kept items")
                };
                parts.push(self.collected(*items, None));
                continue;
            }
            let part = match self.iterator(e) {
                Some(it) => it,
                None => {
                    let operand = self.nested_expr(e);
                    Iter::Seq(self.place(operand).by_ref(true), true)
                }
            };
            let part = match (part, whole) {
                (Iter::Seq(p, by_ref), Some(x)) if broadcast => Iter::Seq(self.in_shape_of(&p, x), by_ref),
                (part, _) => part,
            };
            if let (Iter::Seq(p, _), None) = (&part, whole) {
                whole = Some(self.read_array(p));
            }
            parts.push(part);
        }
        let f = self.function_operand(&m.args[arity - 1]);
        let collects = name == "map_collect";
        let of_kept = |k: usize| kept.iter().find(|(at, _)| *at == k).map(|(_, v)| *v);
        let ordered = arity == 2 || self.shows_order(&f);
        let mut layouts = Arguments::default();
        let mut arrays = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            match part {
                Iter::Seq(p, _) => {
                    let x = of_kept(k).unwrap_or_else(|| self.read_array(p));
                    arrays.push(x);
                    self.layout_of(x, &mut layouts);
                }
                Iter::Lanes(lanes) => self.layout_of_lanes(lanes, &mut layouts),
                _ => {}
            }
        }
        let first = match &parts[0] {
            Iter::Seq(..) => whole,
            Iter::Lanes(lanes) if !lanes.in_line && (collects || indexed || ordered) => {
                Some(self.lane_zeros(lanes, &parts[1..]))
            }
            _ => None,
        };
        let lanes = first.filter(|_| !matches!(parts[0], Iter::Seq(..)));
        let shaped: Vec<Value> = lanes.into_iter().chain(arrays.iter().copied()).collect();
        self.same_shapes(&shaped);
        let len = self.iter_len(&parts[0])?;
        let mut cells: Vec<usize> = parts.iter().flat_map(|p| self.iter_cells(p)).collect();
        cells.extend(self.function_cells(&f));
        if collects {
            let elements = self.elements_of(&f, |l| {
                let k = l.b().int(0);
                let index = indexed.then(|| first.map_or(Operand::Value(k), |x| l.index_of(x, k)));
                index.into_iter().chain(parts.iter().map(|part| l.iter_item(part, k)).collect::<Vec<_>>()).collect()
            });
            if !matches!(elements, Elements::Floats) {
                return Some(self.of_others(&elements, m.to_token_stream()));
            }
        }
        let out = match (collects, first) {
            (true, Some(x)) if matches!(parts[0], Iter::Seq(..)) => Some(self.zip_zeros(x, &layouts)),
            (true, Some(zeros)) => Some(self.temporary(zeros)),
            (true, None) => Some(self.zeros_in_line(len)),
            (false, _) if arity == 2 => {
                let init = self.operand(&m.args[0]);
                Some(self.temporary(init))
            }
            _ => None,
        };
        cells.extend(out);
        let mut target = out.map(Self::cell_place);
        let line = Type::NdArray(Float::Any, Some(1));
        let ty = first.map_or(line, |x| self.ty(x));
        let mut turned = None;
        if let Some(x) = first
            && ordered
            && !matches!(ty, Type::NdArray(_, Some(0 | 1)))
        {
            if let (true, Some(out)) = (collects, out) {
                let made = self.cell_value(out);
                self.layout_of(made, &mut layouts);
            }
            let order = self.zip_order(x, &layouts);
            turned = Some(order);
            for (k, part) in parts.iter_mut().enumerate() {
                if let (Iter::Seq(p, _), None) = (part, of_kept(k)) {
                    let (is_ref, is_mut) = (p.is_ref, p.is_mut);
                    *p = self.turned(p, order).by_ref(is_ref).mutable(is_mut);
                }
            }
            if collects {
                target = target.map(|place| self.turned(&place, order));
            }
        }
        let zero = self.b().int(0);
        let range = Iter::Range { lo: zero, hi: len, inclusive: false };
        let mut kind = Float::Any;
        self.drive(&range, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let mut args = Vec::new();
            if let (Some(out), 2) = (out, arity) {
                args.push(Operand::Value(l.cell_value(out)));
            }
            if indexed {
                args.push(first.map_or(Operand::Value(k), |x| {
                    let k = turned.map_or(k, |order| l.turned_place(x, order, k));
                    l.index_of(x, k)
                }));
            }
            for (at, part) in parts.iter().enumerate() {
                // the places of other arrays are turned themselves
                let k = match (part, first, turned) {
                    (Iter::Seq(..), ..) if of_kept(at).is_none() => k,
                    (_, Some(x), Some(order)) => l.turned_place(x, order, k),
                    _ => k,
                };
                args.push(l.iter_item(part, k));
            }
            let o = l.apply(&f, args);
            if let (Some(out), Some(target)) = (out, &target) {
                let v = l.value(o);
                if collects {
                    if let Type::Float(found) = l.ty(v) {
                        kind = found;
                    }
                    let target = Self::element_of(target, &ty, k);
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

    /// An array of a type that is not visible and in which nothing differentiable is, such as a mask.
    fn kept_array(&mut self, e: &syn::Expr) -> Option<Value> {
        let inner = match strip(e) {
            syn::Expr::Reference(r) if r.mutability.is_none() => strip(&r.expr),
            e => e,
        };
        let named = match inner {
            syn::Expr::MethodCall(m) if m.method == "view" && m.args.is_empty() => strip(&m.receiver),
            e => e,
        };
        if !matches!(named, syn::Expr::Path(_) | syn::Expr::Field(_)) || self.mentions_active(e.to_token_stream()) {
            return None;
        }
        let o = self.nested_expr(inner);
        if !matches!(o, Operand::Place(_) | Operand::Value(_)) {
            return None;
        }
        let place = self.place(o);
        let unseen = matches!(self.place_type(&place), Type::Dyn | Type::Inactive);
        (unseen && !self.place_active(&place)).then(|| self.read(&place))
    }

    /// An array in the shape of another one, to which it is broadcast.
    fn in_shape_of(&mut self, p: &Place, x: Value) -> Place {
        let shape = self.template(&[x], Type::Inactive, true, |p| {
            let p = &p[0];
            quote!(#p.raw_dim())
        });
        let mut args = Arguments::default();
        let name = args.operand(shape, self.span);
        args.code = quote!(#name.clone());
        let rank = match self.ty(x) {
            Type::NdArray(_, rank) => rank,
            _ => None,
        };
        let broadcast = crate::prims::views::view("broadcast").expect("declared");
        let y = self.read_array(p);
        let wide = self.viewed(&Self::value_place(y), broadcast, args, None, rank);
        let y = self.read(&wide);
        Self::value_place(y)
    }

    /// All arrays have the shape of the first.
    fn same_shapes(&mut self, arrays: &[Value]) {
        let Some((&first, rest)) = arrays.split_first() else { return };
        for &other in rest {
            let krate = &self.sig.krate;
            self.template(&[first, other], Type::Unit, false, |p| {
                let (a, b) = (&p[0], &p[1]);
                quote!(#krate::__private::same_shape(#a.shape(), #b.shape());)
            });
        }
    }

    /// How an array lies in memory, after what is said of others.
    fn layout_of(&mut self, x: Value, layouts: &mut Arguments) {
        let (krate, x) = (&self.sig.krate, layouts.operand(x, self.span));
        layouts.code.extend(quote!(#krate::__private::layout(&#x),));
    }

    /// The order in which `Zip` goes through arrays of the shape of `x`.
    pub(super) fn zip_order(&mut self, x: Value, layouts: &Arguments) -> Value {
        let krate = self.sig.krate.clone();
        self.beside(layouts, &[x], Type::Inactive, |p, layouts| {
            let x = &p[0];
            quote!(#krate::__private::zip_order(#x.ndim(), #layouts))
        })
    }

    /// Which element of an array is the k-th in another order.
    pub(super) fn turned_place(&mut self, x: Value, order: Value, k: Value) -> Value {
        let krate = self.sig.krate.clone();
        self.template(&[x, order, k], Type::USIZE, true, |p| {
            let (x, order, k) = (&p[0], &p[1], &p[2]);
            quote!(#krate::__private::turned_place(&#order, #x.shape(), #k))
        })
    }

    /// Zeros in the shape and the layout of what `Zip` collects, in a variable.
    fn zip_zeros(&mut self, x: Value, layouts: &Arguments) -> usize {
        let (krate, ty) = (self.sig.krate.clone(), self.ty(x));
        let zeros = self.beside(layouts, &[x], ty, |p, layouts| {
            let x = &p[0];
            quote!(#krate::__private::zip_zeros(&#x, #layouts))
        });
        self.temporary(zeros)
    }

    /// Zeros in the shape and the layout of what `Zip` collects of lanes and what stands beside them.
    fn lane_zeros(&mut self, lanes: &Lanes, others: &[Iter]) -> Value {
        let mut layouts = Arguments::default();
        for part in others {
            match part {
                Iter::Seq(p, _) => {
                    let x = self.read_array(p);
                    self.layout_of(x, &mut layouts);
                }
                Iter::Lanes(lanes) => self.layout_of_lanes(lanes, &mut layouts),
                _ => {}
            }
        }
        self.zeros_for(lanes, &layouts)
    }

    /// So many zeros, in a variable.
    fn zeros_in_line(&mut self, len: Value) -> usize {
        let krate = &self.sig.krate;
        let zeros = self.template(&[len], Type::NdArray(Float::Any, Some(1)), true, |p| {
            let p = &p[0];
            quote!(#krate::__private::ndarray::Array1::zeros(#p))
        });
        self.temporary(zeros)
    }

    /// `azip!((a in &mut a, &b in &b) *a = b)`: the call of `Zip` that it stands for.
    pub(crate) fn azip(&mut self, mac: &syn::Macro) -> Option<Operand> {
        let call = azip_call(mac.tokens.clone())?;
        Some(self.method(&call, true))
    }
}

/// What `azip!` stands for.
fn azip_call(tokens: TokenStream) -> Option<syn::ExprMethodCall> {
    let mut tokens = tokens.into_iter();
    let Some(TokenTree::Group(group)) = tokens.next() else { return None };
    let body: TokenStream = tokens.collect();
    let (mut patterns, mut zip, mut indexed) = (Vec::new(), None, false);
    for part in super::view::split(group.stream(), ',') {
        let mut part = part.into_iter().peekable();
        if zip.is_none()
            && patterns.is_empty()
            && matches!(part.peek(), Some(TokenTree::Ident(ident)) if ident == "index")
            && part.clone().all(|t| !matches!(&t, TokenTree::Ident(ident) if ident == "in"))
        {
            part.next();
            let pattern: TokenStream = part.collect();
            patterns.push(pattern);
            indexed = true;
            continue;
        }
        let mut pattern = TokenStream::new();
        loop {
            match part.next()? {
                TokenTree::Ident(ident) if ident == "in" => break,
                token => pattern.extend([token]),
            }
        }
        let of: TokenStream = part.collect();
        patterns.push(pattern);
        zip = Some(match zip {
            None if indexed => quote!(Zip::indexed(#of)),
            None => quote!(Zip::from(#of)),
            Some(zip) => quote!(#zip.and(#of)),
        });
    }
    let zip = zip?;
    syn::parse2(quote!(#zip.for_each(|#(#patterns),*| #body))).ok()
}

/// What `Zip::from(a).and(b)` goes through, which of them is broadcast, and whether the index comes with it.
fn producers(e: &syn::Expr) -> Option<(Vec<(&syn::Expr, bool)>, bool)> {
    match strip(e) {
        syn::Expr::MethodCall(m) if (m.method == "and" || m.method == "and_broadcast") && m.args.len() == 1 => {
            let (mut list, indexed) = producers(&m.receiver)?;
            list.push((&m.args[0], m.method == "and_broadcast"));
            Some((list, indexed))
        }
        syn::Expr::Call(c) if c.args.len() == 1 => {
            let syn::Expr::Path(p) = strip(&c.func) else { return None };
            let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
            let (last, of) = (names.next()?, names.next()?);
            (of == "Zip" && (last == "from" || last == "indexed"))
                .then(|| (vec![(&c.args[0], false)], last == "indexed"))
        }
        _ => None,
    }
}
