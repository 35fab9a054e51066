//! Methods that take sequences apart, put them together and bring them in another order.

use super::env::Binding;
use super::iter::Iter;
use super::place::{Place, Root};
use super::{Lowering, Operand, scan, types};
use crate::ir::{Op, RangeEnd, Step, Type, Value, Verbatim};
use crate::prims::arith;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse_quote;

/// Methods that only look at a sequence, and whether they give a boolean or a number.
const LOOKS: [(&str, Type); 11] = [
    ("contains", Type::Bool),
    ("starts_with", Type::Bool),
    ("ends_with", Type::Bool),
    ("is_sorted", Type::Bool),
    ("is_sorted_by", Type::Bool),
    ("is_sorted_by_key", Type::Bool),
    ("partition_point", Type::USIZE),
    ("capacity", Type::USIZE),
    ("binary_search", Type::Inactive),
    ("binary_search_by", Type::Inactive),
    ("binary_search_by_key", Type::Inactive),
];

impl<'a> Lowering<'a> {
    /// Such a method; `None` if it is not one of those.
    pub(crate) fn reordering(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        if let Some((_, ty)) = LOOKS.iter().find(|(look, _)| *look == name) {
            let v = self.read(place);
            let (method, args) = (&m.method, &m.args);
            let seen = Ident::new("__0", m.method.span());
            let code = quote!(#seen.#method(#args));
            let v = self.looked_at(code, args.to_token_stream(), vec![(seen, v)], ty.clone(), m);
            return Some(Operand::Value(v));
        }
        match (name.as_str(), m.args.len()) {
            ("sort_by" | "sort_unstable_by" | "sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key", 1) => {
                let f = if name.ends_with("key") { "order_by_key" } else { "order" };
                self.sort(place, f, &self.function_tokens(&m.args[0]), m)
            }
            ("select_nth_unstable_by" | "select_nth_unstable_by_key", 2) => self.select_nth(place, m),
            ("chunk_by" | "chunk_by_mut" | "split_inclusive" | "split_inclusive_mut", 1) => self.split_by(place, m, 0),
            ("split" | "split_mut" | "rsplit" | "rsplit_mut", 1) => self.split_by(place, m, 1),
            ("sort" | "sort_unstable", 0) => self.sort(place, "order", &quote!(::core::cmp::Ord::cmp), m),
            ("retain" | "retain_mut", 1) => {
                let f = self.function_operand(&m.args[0]);
                let items = Box::new(Iter::Seq(place.clone(), true));
                self.replace(place, &Iter::Copied(Box::new(Iter::Filter(items, f))))
            }
            ("dedup", 0) => {
                let block: syn::Block = parse_quote!({
                    let __old = __vec.to_vec();
                    __vec.truncate(1);
                    for __k in 1..__old.len() {
                        if __old[__k] != __old[__k - 1] {
                            __vec.push(__old[__k]);
                        }
                    }
                });
                Some(self.written_as(place, &[], &block.stmts))
            }
            ("append", 1) => {
                let Operand::Place(other) = self.nested_expr(&m.args[0]) else { return None };
                let block: syn::Block = parse_quote!({
                    for __x in __other.iter() {
                        __vec.push(*__x);
                    }
                });
                self.written_as(place, &[("__other", Operand::Place(other.clone().by_ref(true)))], &block.stmts);
                let zero = self.b().int(0);
                let [empty, _] = self.split(&other, zero);
                let empty = self.owned(&empty);
                self.write(&other, empty);
                Some(Operand::Value(self.unit()))
            }
            ("extend_from_within", 1) => {
                let part = self.index_place(place.clone(), &m.args[0]);
                let Operand::Place(part) = part else { return None };
                let more = self.owned(&part);
                let block: syn::Block = parse_quote!({
                    for __x in __more.iter() {
                        __vec.push(*__x);
                    }
                });
                Some(self.written_as(place, &[("__more", Operand::Value(more))], &block.stmts))
            }
            ("splice", 2) => {
                let more = self.iterator(&m.args[1])?;
                Some(Operand::Iter(Box::new(self.drain(m, Some(more))?)))
            }
            ("split_off", 1) => {
                let k = self.operand(&m.args[0]);
                let [head, tail] = self.split(place, k).map(|part| self.owned(&part));
                self.write(place, head);
                Some(Operand::Value(tail))
            }
            ("drain", 1) => Some(Operand::Iter(Box::new(self.drain(m, None)?))),
            ("concat" | "as_flattened", 0) => {
                let rows = Iter::Flatten(Box::new(Iter::Seq(place.clone(), true)));
                let element = self.place_type(place).element().element();
                Some(Operand::Value(self.vector_of(&Iter::Copied(Box::new(rows)), element)))
            }
            ("fill_with", 1) => {
                let f = self.function_operand(&m.args[0]);
                let block: syn::Block = parse_quote!({
                    for __k in 0..__vec.len() {
                        __vec[__k] = __f();
                    }
                });
                Some(self.written_as(place, &[("__f", f)], &block.stmts))
            }
            _ => None,
        }
    }

    /// The two parts of a sequence.
    fn split(&mut self, place: &Place, k: Value) -> [Place; 2] {
        [
            place.clone().step(Step::Range { from: false, end: RangeEnd::Exclusive }, [k]).by_ref(true),
            place.clone().step(Step::Range { from: true, end: RangeEnd::Open }, [k]).by_ref(true),
        ]
    }

    /// A slice as a vector.
    fn owned(&mut self, slice: &Place) -> Value {
        let v = self.read(slice);
        let ty = Type::Vec(Box::new(self.ty(v).element()));
        self.push(Op::Copy(true), vec![v], ty)
    }

    /// Makes a vector one of other items.
    fn replace(&mut self, place: &Place, items: &Iter) -> Option<Operand> {
        let element = self.place_type(place).element();
        let new = self.vector_of(items, element);
        self.write(place, new);
        Some(Operand::Value(self.unit()))
    }

    /// `drain` and `splice`: the items, which are no longer there, but `more` in their place.
    pub(crate) fn drain(&mut self, m: &syn::ExprMethodCall, more: Option<Iter>) -> Option<Iter> {
        let receiver = self.nested_expr(&m.receiver);
        let place = self.place(receiver);
        let syn::Expr::Range(range) = super::control::strip(&m.args[0]) else { return None };
        let unseen = self.place_type(&place) == Type::Dyn && self.was_part(&place);
        if !unseen && !matches!(self.place_type(&place), Type::Vec(_)) {
            return None;
        }
        let v = self.read(&place);
        let lo = match &range.start {
            Some(lo) => self.operand(lo),
            None => self.b().int(0),
        };
        let hi = match (&range.end, &range.limits) {
            (Some(hi), syn::RangeLimits::HalfOpen(_)) => self.operand(hi),
            (Some(hi), syn::RangeLimits::Closed(_)) => {
                let (hi, one) = (self.operand(hi), self.b().int(1));
                self.usize_op(&arith::ADD, hi, one)
            }
            (None, _) => self.push(Op::Len, vec![v], Type::USIZE),
        };
        let middle = place.clone().step(Step::Range { from: true, end: RangeEnd::Exclusive }, [lo, hi]);
        let taken = self.owned(&middle);
        let [before, _] = self.split(&place, lo);
        let [_, after] = self.split(&place, hi);
        let seq = |p: Place| Box::new(Iter::Copied(Box::new(Iter::Seq(p, true))));
        match more {
            Some(more) => {
                let after = Box::new(Iter::Chain(Box::new(more), seq(after)));
                self.replace(&place, &Iter::Chain(seq(before), after))?;
            }
            None if range.end.is_none() => {
                let new = self.owned(&before);
                self.write(&place, new);
            }
            None => {
                self.replace(&place, &Iter::Chain(seq(before), seq(after)))?;
            }
        }
        Some(Iter::Seq(Self::value_place(taken), false))
    }

    /// Sorting: the order is found by Rust's own, and the items are brought into it.
    fn sort(&mut self, place: &Place, find: &str, by: &TokenStream, m: &syn::ExprMethodCall) -> Option<Operand> {
        if self.is_whole(place) && !self.place_active(place) && !self.mentions_active(m.to_token_stream()) {
            // the items may be of any type
            self.verbatim_effect(quote!(#m;));
            return Some(Operand::Value(self.unit()));
        }
        let v = self.read(place);
        let (private, find) = (self.private(), Ident::new(find, m.method.span()));
        let seen = Ident::new("__0", m.method.span());
        let code = quote!(#private::#find(&#seen[..], #by));
        let order = self.looked_at(code, by.clone(), vec![(seen, v)], Type::Vec(Box::new(Type::USIZE)), m);
        Some(self.in_order(place, order))
    }

    /// Brings the items into the order of their positions.
    fn in_order(&mut self, place: &Place, order: Value) -> Operand {
        let block: syn::Block = parse_quote!({
            let __old = __vec.to_vec();
            for __k in 0..__vec.len() {
                __vec[__k] = __old[__order[__k]];
            }
        });
        let order = Operand::Place(Self::value_place(order));
        self.written_as(place, &[("__order", order)], &block.stmts)
    }

    /// `select_nth_unstable_by` and `_by_key`: Rust's own finds the order. It gives what is before the item, the item, and
    /// what is after it.
    fn select_nth(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let k = self.operand(&m.args[0]);
        let by = self.function_tokens(&m.args[1]);
        let v = self.read(place);
        let [seen, nth] = ["__0", "__1"].map(|name| Ident::new(name, m.method.span()));
        let find = if m.method.to_string().ends_with("key") { "select_by_key" } else { "select" };
        let (private, find) = (self.private(), Ident::new(find, m.method.span()));
        let code = quote!(#private::#find(&#seen[..], #nth, #by));
        let order = self.looked_at(code, by, vec![(seen, v), (nth, k)], Type::Vec(Box::new(Type::USIZE)), m);
        self.in_order(place, order);
        let one = self.b().int(1);
        let next = self.usize_op(&arith::ADD, k, one);
        let [before, _] = self.split(place, k);
        let [_, after] = self.split(place, next);
        let item = place.clone().step(Step::Index, [k]).by_ref(true);
        Some(Operand::Parts([before, item, after].map(|part| Operand::Place(part.mutable(true))).into()))
    }

    /// `chunk_by`, `split` and the like: Rust finds where the parts are; `gap` items between them are left out.
    fn split_by(&mut self, place: &Place, m: &syn::ExprMethodCall, gap: usize) -> Option<Operand> {
        let name = m.method.to_string();
        let shared = name.trim_end_matches("_mut");
        let method = Ident::new(shared.trim_start_matches('r'), m.method.span());
        let v = self.read(place);
        let by = self.function_tokens(&m.args[0]);
        let (private, seen) = (self.private(), Ident::new("__0", m.method.span()));
        let code = quote!(#private::bounds(#seen[..].#method(#by), #gap));
        let bounds = self.looked_at(code, by, vec![(seen, v)], Type::Vec(Box::new(Type::USIZE)), m);
        let parts = Iter::Parts(place.clone().by_ref(true).mutable(shared != name), bounds);
        Some(Operand::Iter(Box::new(if name.starts_with('r') { parts.reversed() } else { parts })))
    }

    /// Whether a place is a variable that may be changed by its name.
    fn is_whole(&self, place: &Place) -> bool {
        matches!(place.root, Root::Cell(c) if self.env.cells[c].mutable) && place.path.0.is_empty() && !place.is_ref
    }

    /// The closures of this function that some tokens name, as they are written, those that they name before them;
    /// `None` if one of them sees other variables by their names than the tokens do.
    fn definitions(&self, tokens: &TokenStream, seen: &mut Vec<String>) -> Option<TokenStream> {
        let mut code = TokenStream::new();
        for ident in scan::mentioned(tokens.clone()) {
            let name = types::plain_name(&ident);
            let definition = match self.lookup(&name) {
                _ if seen.contains(&name) => continue,
                Some(Binding::Closure(k)) => {
                    let closure = &self.closures[*k];
                    let body = closure.expr.to_token_stream();
                    let inputs = closure.expr.inputs.iter().flat_map(scan::bindings);
                    let own: Vec<String> = inputs.map(|i| types::plain_name(&i)).collect();
                    for other in scan::mentioned(body.clone()) {
                        let other = types::plain_name(&other);
                        let then = closure.scopes.iter().rev().find_map(|s| s.get(&other));
                        if !own.contains(&other) && !self.same(then, self.lookup(&other)) {
                            return None;
                        }
                    }
                    seen.push(name);
                    code.extend(self.definitions(&body, seen)?);
                    body
                }
                Some(Binding::Function(f)) => f.to_token_stream(),
                Some(Binding::Known(_) | Binding::Iter(_)) => return None,
                _ => continue,
            };
            code.extend(quote!(let #ident = #definition;));
        }
        Some(code)
    }

    /// Whether two names stand for the same.
    fn same(&self, a: Option<&Binding>, b: Option<&Binding>) -> bool {
        match (a, b) {
            (Some(Binding::Cell(x, _)), Some(Binding::Cell(y, _))) => {
                self.env.cells[*x].value == self.env.cells[*y].value
            }
            (Some(Binding::Alias(x, _)), Some(Binding::Alias(y, _))) => {
                format!("{:?}", x.root) == format!("{:?}", y.root) && x.path == y.path && x.operands == y.operands
            }
            (Some(Binding::Closure(x)), Some(Binding::Closure(y))) => x == y,
            (Some(Binding::Function(_)), Some(Binding::Function(_))) => true,
            (a, b) => {
                let item = |b: Option<&Binding>| matches!(b, None | Some(Binding::Item));
                item(a) && item(b)
            }
        }
    }

    /// A function argument as it is written; of a name what it stands for.
    fn function_tokens(&self, e: &syn::Expr) -> TokenStream {
        if let syn::Expr::Path(p) = super::control::strip(e)
            && let Some(ident) = p.path.get_ident()
            && let Some(Binding::Function(f)) = self.lookup(&types::plain_name(ident))
        {
            return f.to_token_stream();
        }
        e.to_token_stream()
    }

    /// Code that only looks at values and at the locals that `named` names, and may change those of them that have no
    /// derivative, such as a counter. No derivative passes through it.
    fn looked_at(
        &mut self,
        code: TokenStream,
        named: TokenStream,
        seen: Vec<(Ident, Value)>,
        ty: Type,
        m: &syn::ExprMethodCall,
    ) -> Value {
        let Some(closures) = self.definitions(&named, &mut Vec::new()) else {
            let o = self.unsupported(
                m.method.span(),
                format!("the argument of `{}` uses a function that is not known there as it is written", m.method),
                "write it out in the argument: `|a, b| a.total_cmp(b)`",
            );
            return self.value(o);
        };
        let (mut uses, mut operands, mut refs) = self.captures(quote!(#named #closures));
        self.expect_no_function(&uses, &operands);
        let changed: Vec<Ident> = m.args.iter().flat_map(scan::assigned).collect();
        if let Some(k) = (0..uses.len()).find(|&k| changed.contains(&uses[k]) && self.is_active(operands[k])) {
            let o = self.unsupported(
                uses[k].span(),
                format!("the argument of `{}` changes `{}`, which is differentiable", m.method, uses[k]),
                "change it in a loop of its own",
            );
            return self.value(o);
        }
        let defs: Vec<usize> = (0..uses.len())
            .filter(|&k| changed.contains(&uses[k]) && self.is_variable(&uses[k], operands[k]))
            .collect();
        for (name, v) in seen {
            uses.push(name);
            operands.push(v);
            refs.push(false);
        }
        self.expect_forgetful(&named, &operands);
        let code = if closures.is_empty() { code } else { quote!({ #closures #code }) };
        self.keep(Verbatim { code, uses, refs, defs, pure_: false, diverges: false }, operands, ty)
    }
}
