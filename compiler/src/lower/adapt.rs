//! From the methods of an iterator, as they are written, to the iterator.

use super::array::items::makes_lanes;
use super::control::strip;
use super::iter::Iter;
use super::place::Place;
use super::{Lowering, Operand, types};
use crate::ir::{Op, Step, Type, Value};
use crate::prims::compare::SELECT;
use quote::{ToTokens, quote};

impl Lowering<'_> {
    /// The iterator that an expression makes, if it is one that is understood.
    pub(crate) fn iterator(&mut self, e: &syn::Expr) -> Option<Iter> {
        match strip(e) {
            syn::Expr::Range(r) => {
                let lo = self.operand(r.start.as_ref()?);
                let Some(hi) = &r.end else { return Some(Iter::From(lo)) };
                let hi = self.operand(hi);
                self.agree(&[lo, hi]);
                let inclusive = matches!(r.limits, syn::RangeLimits::Closed(_));
                Some(Iter::Range { lo, hi, inclusive })
            }
            syn::Expr::MethodCall(m) => self.iterator_method(m),
            syn::Expr::Call(c) => self.iterator_function(c).or_else(|| self.iterator_value(e)),
            syn::Expr::Path(p)
                if let Some(super::env::Binding::Iter(it)) =
                    p.path.get_ident().and_then(|i| self.lookup(&types::plain_name(i))).cloned() =>
            {
                Some(self.moved(*it))
            }
            e @ (syn::Expr::Reference(_)
            | syn::Expr::Path(_)
            | syn::Expr::Index(_)
            | syn::Expr::Field(_)
            | syn::Expr::Macro(_)
            | syn::Expr::Paren(_)
            | syn::Expr::Array(_)) => self.iterator_value(e),
            _ => None,
        }
    }

    /// The items of what an expression gives.
    fn iterator_value(&mut self, e: &syn::Expr) -> Option<Iter> {
        let is_ref = matches!(strip(e), syn::Expr::Reference(_));
        let o = self.nested_expr(e);
        let by_ref = is_ref || matches!(&o, Operand::Place(p) if p.is_ref);
        self.items(o, by_ref, &syn::Ident::new("into_iter", self.span))
    }

    /// The items of an operand, by the method that is called on it.
    pub(crate) fn items(&mut self, o: Operand, by_ref: bool, method: &syn::Ident) -> Option<Iter> {
        if self.is_poison(&o) {
            let place = self.place(o);
            return Some(Iter::Seq(place, true));
        }
        let place = match o {
            Operand::Iter(it) => return Some(*it),
            Operand::Place(p) => p,
            Operand::Value(v) => Self::value_place(v),
            Operand::Parts(parts) if self.hold_functions(&parts) => return Some(Iter::Functions(parts)),
            Operand::Opt(flag, payload) => {
                let (one, zero) = (self.b().int(1), self.b().int(0));
                let n = self.push(Op::Prim(&SELECT), vec![flag, one, zero], Type::USIZE);
                return Some(Iter::Take(Box::new(Iter::Repeat(*payload, true)), n));
            }
            _ => return None,
        };
        let place = match self.place_type(&place) {
            Type::Boxed(inside) if *inside != Type::Dyn => place.step(Step::Unbox, []),
            _ => place,
        };
        let is_mut = match method.to_string().as_str() {
            "iter_mut" => true,
            "iter" => false,
            _ => place.is_mut,
        };
        if let Some(it) = self.sequence(place.clone().by_ref(by_ref).mutable(is_mut)) {
            return Some(it);
        }
        let foreign = matches!(self.place_type(&place), Type::Dyn | Type::Inactive) && !self.place_active(&place);
        foreign.then(|| {
            let v = self.read(&place);
            self.kept_items(v, method)
        })
    }

    /// The items of a sequence, by reference if the place is one.
    pub(crate) fn sequence(&mut self, place: Place) -> Option<Iter> {
        let ty = self.place_type(&place);
        // the field of a struct, what a call gives: it is indexed, or the companion does not compile
        let unseen = ty == Type::Dyn && self.place_active(&place);
        let constant = ty == Type::Dyn && self.is_constant(&place);
        (unseen || constant || matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_) | Type::NdArray(..))).then(
            || {
                let by_ref = place.is_ref;
                Iter::Seq(place, by_ref)
            },
        )
    }

    /// Whether a place is a constant or a static: it can be indexed wherever it is used.
    fn is_constant(&mut self, place: &Place) -> bool {
        let v = self.root_value(place);
        let node = self.func.maker(v).map(|n| &self.func[n]);
        let Some(crate::ir::NodeData { op: Op::Verbatim(code), .. }) = node else { return false };
        // a constant or a static by its name: it can be indexed wherever it is used
        let mut tokens = code.code.clone().into_iter();
        let last = tokens.by_ref().last().map(|t| t.to_string()).unwrap_or_default();
        code.pure_
            && code.uses.is_empty()
            && last == last.to_uppercase()
            && last.starts_with(|c: char| c.is_alphabetic())
    }

    fn iterator_method(&mut self, m: &syn::ExprMethodCall) -> Option<Iter> {
        let name = m.method.to_string();
        let args = &m.args;
        match (name.as_str(), args.len()) {
            ("into_iter", 0) if matches!(strip(&m.receiver), syn::Expr::MethodCall(inner) if makes_lanes(inner)) => {
                self.iterator(&m.receiver)
            }
            ("indexed_iter" | "indexed_iter_mut", 0) => {
                let operand = self.nested_expr(&m.receiver);
                let place = self.place(operand);
                if matches!(self.place_type(&place), Type::Dyn | Type::Inactive) && !self.place_active(&place) {
                    return self.kept_iterator(&syn::Expr::MethodCall(m.clone()));
                }
                let x = self.read_array(&place);
                let items = self.sequence(place.by_ref(true).mutable(name.ends_with("_mut")))?;
                Some(Iter::Zip(Box::new(Iter::Indices(x)), Box::new(items)))
            }
            _ if makes_lanes(m) => {
                let operand = self.nested_expr(&m.receiver);
                let place = self.place(operand);
                if matches!(self.place_type(&place), Type::Dyn | Type::Inactive) && !self.place_active(&place) {
                    let lanes = self.kept_iterator(&syn::Expr::MethodCall(m.clone()))?;
                    let Iter::Kept(lanes) = lanes else { return Some(lanes) };
                    let private = self.private();
                    return Some(Iter::Kept(Box::new(
                        lanes.then(None, |code, _| quote!(#code.into_iter().map(|lane| #private::copy_of(&lane)))),
                    )));
                }
                self.array_iterator(place, m)
            }
            ("iter" | "iter_mut" | "into_iter", 0) => {
                if name == "iter" {
                    self.expect_sequence(&m.receiver);
                }
                let o = self.nested_expr(&m.receiver);
                let by_ref = name != "into_iter" || matches!(&o, Operand::Place(p) if p.is_ref);
                self.items(o, by_ref, &m.method)
            }
            (
                "windows" | "chunks" | "chunks_exact" | "chunks_mut" | "chunks_exact_mut" | "rchunks" | "rchunks_exact",
                1,
            ) => {
                let base = self.nested_expr(&m.receiver);
                let place = self.place(base).mutable(name.ends_with("_mut"));
                if matches!(self.place_type(&place), Type::NdArray(..)) {
                    return self.array_iterator(place, m);
                }
                if !matches!(self.place_type(&place), Type::Slice(_) | Type::Vec(_) | Type::Array(_) | Type::Dyn) {
                    return None;
                }
                let n = self.operand(&args[0]);
                let short = !name.contains("exact");
                Some(match name.as_str() {
                    "windows" => Iter::Windows(place, n),
                    other if other.starts_with('r') => Iter::RChunks(place, n, short),
                    _ => Iter::Chunks(place, n, short),
                })
            }
            ("drain", 1) if self.mentions_active(m.receiver.to_token_stream()) => self.drain(m, None),
            ("clone" | "to_vec" | "to_owned" | "as_slice" | "as_mut_slice" | "as_ref", 0) => {
                if let Some(it) = self.iterator_by_name(&m.receiver) {
                    return Some(it);
                }
                let o = self.nested_expr(&syn::Expr::MethodCall(m.clone()));
                self.items(o, false, &syn::Ident::new("into_iter", m.method.span()))
            }
            ("by_ref", 0) => self.iterator_by_name(&m.receiver),
            (name, _) if super::consume::ADAPTERS.contains(&name) => {
                let inner = self.iterator(&m.receiver)?;
                self.adapter(inner, m)
            }
            // a call that gives a sequence or an option
            _ if self.mentions_active(m.to_token_stream()) => {
                let e = syn::Expr::MethodCall(m.clone());
                if self.iterator_by_name(&m.receiver).is_some() {
                    return None;
                }
                Some(self.iterator_value(&e).unwrap_or_else(|| {
                    let o = self.unsupported(
                        m.method.span(),
                        format!("what `{}` gives is not known to be an iterator here", m.method),
                        "collect it into a `Vec` with its type first",
                    );
                    let v = self.value(o);
                    Iter::Seq(Self::value_place(v), true)
                }))
            }
            _ => self.kept_iterator(&syn::Expr::MethodCall(m.clone())),
        }
    }

    /// An adapter around an iterator.
    fn adapter(&mut self, inner: Iter, m: &syn::ExprMethodCall) -> Option<Iter> {
        let name = m.method.to_string();
        let args = &m.args;
        let counted = |l: &mut Self, inner: Iter, make: fn(Box<Iter>, Value) -> Iter| {
            let n = l.operand(&args[0]);
            let method = &m.method;
            match inner {
                Iter::Kept(k) => Iter::Kept(Box::new(k.then(Some(n), |code, n| quote!(#code.#method(#n))))),
                inner => make(Box::new(inner), n),
            }
        };
        let a = Box::new(inner);
        Some(match (name.as_str(), args.len()) {
            ("into_iter" | "iter" | "fuse" | "peekable" | "by_ref", 0) => *a,
            ("rev", 0) => a.reversed(),
            ("enumerate", 0) => Iter::Enumerate(a),
            ("copied" | "cloned", 0) => Iter::Copied(a),
            ("cycle", 0) => Iter::Cycle(Box::new(self.indexed(*a))),
            ("flatten", 0) => Iter::Flatten(a),
            ("map", 1) => {
                let f = self.function_operand(&args[0]);
                let changes = a.lends_mutably() || self.function_changes(&f);
                let map = Iter::Map(a, f);
                if changes { Iter::InTurn(Box::new(map)) } else { map }
            }
            ("filter", 1) => Iter::Filter(a, self.function_operand(&args[0])),
            ("filter_map", 1) => Iter::FilterMap(a, self.function_operand(&args[0])),
            ("take_while", 1) => Iter::TakeWhile(a, self.function_operand(&args[0])),
            ("skip_while", 1) => Iter::SkipWhile(a, self.function_operand(&args[0])),
            ("map_while", 1) => Iter::MapWhile(a, self.function_operand(&args[0])),
            ("inspect", 1) => Iter::Inspect(a, self.function_operand(&args[0])),
            ("flat_map", 1) => match self.function_operand(&args[0]) {
                Operand::Closure(k) => Iter::FlatMap(a, k),
                f => Iter::Flatten(Box::new(Iter::Map(a, f))),
            },
            ("scan", 2) => {
                let init = self.operand(&args[0]);
                Iter::Scan(a, init, self.function_operand(&args[1]))
            }
            ("chain", 1) => Iter::Chain(a, Box::new(self.iterator_or_option(&args[0])?)),
            ("zip", 1) => {
                let b = self.iterator(&args[0])?;
                self.zipped(*a, b)
            }
            ("skip", 1) => counted(self, *a, Iter::Skip),
            ("take", 1) => counted(self, *a, Iter::Take),
            ("step_by", 1) => counted(self, *a, Iter::StepBy),
            _ => return None,
        })
    }

    /// Two iterators side by side. One that is kept as it is written becomes a vector beside one that is indexed.
    pub(crate) fn zipped(&mut self, a: Iter, b: Iter) -> Iter {
        if self.out_of_turn(&a, &b) {
            let span = self.span;
            self.unsupported(
                span,
                "`zip` of iterators of which one changes what the other may see is not supported",
                "write a `for` loop over the numbers of the items",
            );
        }
        let (a, b) = match (a, b) {
            (Iter::Kept(k), b) if b.indexed() => {
                let most = self.iter_len(&b);
                (self.collected(*k, most), b)
            }
            (a, Iter::Kept(k)) if a.indexed() => {
                let most = self.iter_len(&a);
                (a, self.collected(*k, most))
            }
            (a, b) if a.indexed() || b.indexed() => (a, b),
            (a, b) => (a, self.indexed(b)),
        };
        Iter::Zip(Box::new(a), Box::new(b))
    }

    /// Whether two iterators side by side would see what one of them changes in another order: one that is not indexed goes
    /// first, and of two such one before the other.
    fn out_of_turn(&self, a: &Iter, b: &Iter) -> bool {
        if a.indexed() {
            let seen = self.iter_cells(a);
            let shared = |c: &usize| self.env.cells[*c].mutable && seen.contains(c);
            return self.iter_changes(b) && self.iter_cells(b).iter().any(shared);
        }
        !b.indexed() && (self.iter_changes(a) || self.iter_changes(b))
    }

    /// What `chain` takes: also an option.
    fn iterator_or_option(&mut self, e: &syn::Expr) -> Option<Iter> {
        let some =
            matches!(strip(e), syn::Expr::Call(c) if matches!(&*c.func, syn::Expr::Path(p) if p.path.is_ident("Some")));
        if some {
            let syn::Expr::Call(c) = strip(e) else { return None };
            let v = self.operand(c.args.first()?);
            return Some(Iter::Repeat(Operand::Value(v), true));
        }
        self.iterator(e)
    }

    /// `std::iter::repeat(x)` and its like.
    fn iterator_function(&mut self, c: &syn::ExprCall) -> Option<Iter> {
        let syn::Expr::Path(p) = strip(&c.func) else { return None };
        let name = p.path.segments.last()?.ident.to_string();
        let n = p.path.segments.len();
        let of_iter = n >= 2 && p.path.segments[n - 2].ident == "iter";
        let imported = n == 1 && self.lookup(&name).is_none();
        let known = of_iter || imported && ["repeat_n", "successors", "from_fn", "zip"].contains(&name.as_str());
        if !known {
            return None;
        }
        let args = &c.args;
        Some(match (name.as_str(), args.len()) {
            ("repeat", 1) => Iter::Repeat(Operand::Value(self.operand(&args[0])), false),
            ("once", 1) => Iter::Repeat(Operand::Value(self.operand(&args[0])), true),
            ("repeat_n", 2) => {
                let v = self.operand(&args[0]);
                let n = self.operand(&args[1]);
                Iter::Take(Box::new(Iter::Repeat(Operand::Value(v), false)), n)
            }
            ("repeat_with", 1) => Iter::RepeatWith(self.function_operand(&args[0])),
            ("successors", 2) => {
                let first = self.nested_expr(&args[0]);
                Iter::Successors(Box::new(first), self.function_operand(&args[1]))
            }
            ("from_fn", 1) => Iter::FromFn(self.function_operand(&args[0])),
            ("zip", 2) => {
                let a = self.iterator(&args[0])?;
                let b = self.iterator(&args[1])?;
                self.zipped(a, b)
            }
            _ => return None,
        })
    }

    /// A function argument.
    pub(crate) fn function_operand(&mut self, e: &syn::Expr) -> Operand {
        match strip(e) {
            syn::Expr::Closure(c) => self.closure(c),
            syn::Expr::Reference(r) if self.named_closure(&r.expr).is_none() => self.function_operand(&r.expr),
            syn::Expr::Path(p)
                if p.path.get_ident().is_none_or(|i| self.lookup(&types::plain_name(i)).is_none())
                    || p.path.segments.len() > 1 =>
            {
                // also a tuple struct and a variant are functions
                Operand::Function(Box::new(strip(e).clone()))
            }
            e => self.nested_expr(e),
        }
    }

    /// A slice of a place.
    pub(crate) fn range_item(&mut self, p: &Place, lo: Value, hi: Value) -> Operand {
        let step = Step::Range { from: true, end: crate::ir::RangeEnd::Exclusive };
        Operand::Place(p.clone().step(step, [lo, hi]).by_ref(true).mutable(p.is_mut))
    }
}
