//! Aggregates: made, read and changed.

use super::expr::{Expr, Form, prec};
use super::{Emitter, Result};
use crate::emit::places::{PlaceId, gives_reference, is_copy, is_row};
use crate::ir::view::Reading;
use crate::ir::{Node, Op, Path, RangeEnd, Step, Type, Value};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// Tuples, arrays and vectors of values.
    pub(super) fn compose(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let out = node.outs[0];
        let mut parts = Vec::with_capacity(node.args.len());
        for (k, &a) in node.args.iter().enumerate() {
            let shown = self.shown.contains(&(n, k));
            let e = if shown { Expr::atom(self.viewed(a)?) } else { self.take_for_long(a)? };
            let ty = self.func.ty(a).clone();
            // a length can have one type only
            let length = matches!((&node.op, k), (Op::VecEmpty, _) | (Op::VecRepeat, 1));
            parts.push(if length { e } else { self.with_suffix(e, &ty) });
        }
        let items: Vec<_> = parts.iter().map(|e| &e.tokens).collect();
        let tokens = match &node.op {
            Op::Build(b) => {
                let path = &b.path;
                if b.tuple {
                    quote!(#path(#(#items),*))
                } else {
                    let fields = b.fields.iter().zip(&items).map(|(f, e)| {
                        let f: TokenStream = f.parse().unwrap_or_default();
                        quote!(#f: #e)
                    });
                    let base = b.base.then(|| {
                        let base = items[items.len() - 1];
                        quote!(..#base)
                    });
                    quote!(#path { #(#fields,)* #base })
                }
            }
            Op::Tuple if items.len() == 1 => quote!((#(#items),*,)),
            Op::Tuple => quote!((#(#items),*)),
            Op::Array => quote!([#(#items),*]),
            Op::Repeat(len) => quote!([#(#items)*; #len]),
            Op::VecOf => {
                let vec = self.private("vec");
                quote!(#vec![#(#items),*])
            }
            Op::VecRepeat => {
                let (vec, v, len) = (self.private("vec"), items[0], items[1]);
                quote!(#vec![#v; #len])
            }
            Op::VecEmpty => {
                let mut vec = self.private("Vec");
                if let Some(ty) = &self.func[out].written {
                    vec = quote!(<#ty>);
                }
                match items.as_slice() {
                    [] => quote!(#vec::new()),
                    capacity => quote!(#vec::with_capacity(#(#capacity)*)),
                }
            }
            _ => unreachable!("an aggregate"),
        };
        // in the head of an `if`, the braces of a struct would be its block
        let braces = matches!(&node.op, Op::Build(b) if !b.tuple);
        let e = Expr::new(tokens, if braces { prec::BLOCK } else { prec::ATOM }).of(&parts);
        self.define(out, e);
        Ok(())
    }

    /// What is at a path from a root. `changed`: what the statement changes, which the operands must not read while
    /// they are part of it.
    pub(super) fn steps(
        &mut self,
        root: TokenStream,
        path: &Path,
        operands: &[Value],
        changed: Option<PlaceId>,
    ) -> Result<(TokenStream, Vec<Expr>)> {
        let mut operands = operands.iter();
        let mut parts = Vec::new();
        let mut tokens = root;
        let mut bare = true;
        // behind an accessor there may be nothing: `()` has no elements
        let (mut unsure, mut reference) = (false, false);
        let at = self.private(if changed.is_some() { "at_mut" } else { "at" });
        let by = if changed.is_some() { quote!(&mut) } else { quote!(&) };
        let element = |tokens: &TokenStream, index: &TokenStream, reference: bool| {
            if reference { quote!(#at(#tokens, #index)) } else { quote!(#at(#by #tokens, #index)) }
        };
        for step in &path.0 {
            let mut next = |emitter: &mut Self| -> Result<Expr> {
                let &v = operands.next().expect("verified");
                emitter.index_operand(v, changed)
            };
            match step {
                Step::Index => {
                    let i = next(self)?;
                    // an index of any number of axes is not copied by use
                    let many = i.form == Form::Place;
                    let (index, receiver) = (&i.tokens, i.root());
                    let index = if many { &quote!(#receiver.clone()) } else { index };
                    if unsure {
                        tokens = element(&tokens, index, reference);
                        reference = true;
                    } else {
                        tokens.extend(quote!([#index]));
                    }
                    parts.push(i);
                }
                Step::Flat => {
                    let k = next(self)?;
                    tokens = self.flat(&tokens, &k.tokens, changed.filter(|_| bare), changed.is_some(), reference);
                    reference = true;
                    parts.push(k);
                }
                Step::View(view) => {
                    let own = view.uses.iter().map(|_| next(self)).collect::<Result<Vec<_>>>()?;
                    tokens = self.view_of(&tokens, view, &own, changed.is_some())?;
                    (unsure, reference) = (false, false);
                    parts.extend(own);
                }
                Step::Range { from, end } => {
                    let lo = if *from { Some(next(self)?) } else { None };
                    let hi = if *end == RangeEnd::Open { None } else { Some(next(self)?) };
                    let lo_tokens = lo.as_ref().map(|e| e.at(prec::OR));
                    let hi_tokens = hi.as_ref().map(|e| e.at(prec::OR));
                    let range = match end {
                        RangeEnd::Inclusive => quote!(#lo_tokens..=#hi_tokens),
                        _ => quote!(#lo_tokens..#hi_tokens),
                    };
                    if unsure {
                        tokens = element(&tokens, &range, reference);
                        reference = true;
                    } else {
                        tokens.extend(quote!([#range]));
                    }
                    parts.extend(lo);
                    parts.extend(hi);
                }
                Step::Field(name) => {
                    let field = match name.parse::<u32>() {
                        Ok(k) => {
                            let k = Literal::u32_unsuffixed(k);
                            quote!(#k)
                        }
                        Err(_) => {
                            let ident: TokenStream = name.parse().unwrap_or_default();
                            ident
                        }
                    };
                    tokens.extend(quote!(.#field));
                    reference = false;
                }
                Step::Part(name) => {
                    if name.parse::<u32>().is_ok() || matches!(name.as_str(), "Some_0" | "box") {
                        self.needs.fields = true;
                    } else {
                        self.needs.parts.insert(name.clone());
                        self.needs.behind |= unsure;
                    }
                    let prefix = if changed.is_some() { "__cotangent_" } else { "__cotangent_ref_" };
                    let ident = Ident::new(&format!("{prefix}{name}"), Span::mixed_site());
                    tokens.extend(quote!(.#ident()));
                    (unsure, reference) = (true, true);
                }
                Step::Unbox => {
                    let whole = match changed.filter(|_| bare) {
                        Some(place) => self.target(place),
                        None => tokens,
                    };
                    tokens = quote!((*#whole));
                    reference = false;
                }
                Step::Variant(_) if step.is_some() => {
                    let by = if changed.is_some() { quote!(as_mut) } else { quote!(as_ref) };
                    tokens.extend(quote!(.#by().unwrap()));
                    reference = true;
                }
                Step::Variant(variant) => {
                    // a variable may be a reference
                    let whole = match changed.filter(|_| bare) {
                        Some(place) => self.target(place),
                        None => tokens,
                    };
                    let mutable = changed.is_some().then(|| quote!(mut));
                    let path = &variant.path;
                    let field: TokenStream = variant.field.parse().unwrap_or_default();
                    tokens = quote!((match &#mutable #whole { #path { #field: part, .. } => part, _ => ::core::unreachable!() }));
                    reference = true;
                }
            }
            bare = false;
        }
        Ok((tokens, parts))
    }

    /// Operations on a part of an aggregate.
    pub(super) fn part(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (args, outs) = (&node.args, &node.outs);
        let path = node.op.path().expect("an operation with a path");
        let (root, operands) = (args[0], &args[1..1 + path.operands()]);
        let rest = &args[1 + path.operands()..];
        if let Op::Load(_) = node.op {
            return self.load(outs[0], root, path, operands);
        }
        if path.0.is_empty() {
            return self.whole_root(n, root, rest);
        }
        let at = path.apply(self.func.ty(root));
        // the value is computed before anything changes
        let value = match &node.op {
            Op::Update(_) if path.is_slice() || path.view().is_some() => Some(self.by_ref(rest[0])?),
            Op::Update(_) | Op::AddAt(_) => Some(self.take(rest[0])?),
            Op::Fill(_) => Some(self.take(rest[0])?),
            Op::Push(_) => Some(self.pushed(rest[0])?),
            _ => None,
        };
        let place = self.mutable(root, outs[outs.len() - 1])?;
        let value = match value {
            // a borrow of what changes, or an overloaded operator that borrows first
            Some(e)
                if e.reads.iter().any(|&p| self.places.refers_to(p, place))
                    && !(at.is_scalar() && matches!(node.op, Op::Update(_) | Op::AddAt(_))) =>
            {
                let owned = if path.is_slice() && matches!(node.op, Op::Update(_)) {
                    let tokens = e.at(prec::UNARY);
                    quote!((#tokens).to_vec())
                } else {
                    e.tokens.clone()
                };
                let temporary = self.temporary(owned);
                Some(if path.is_slice() && matches!(node.op, Op::Update(_)) {
                    let tokens = &temporary.tokens;
                    Expr::new(quote!(& #tokens), prec::UNARY)
                } else {
                    temporary
                })
            }
            other => other,
        };
        if let (Op::AddAt(_), Some(_), Some(value)) = (&node.op, path.view(), &value) {
            self.add_through(path, operands, place, value)?;
            self.put(outs[outs.len() - 1], place);
            return Ok(());
        }
        let deref = gives_reference(path).then(|| quote!(*));
        let target = match self.windows.get(&n).cloned() {
            Some((slots, ranges)) => {
                let (ranges, rest) = path.0.split_at(ranges);
                let before: usize = ranges.iter().map(Step::operands).sum();
                self.steps(quote!(#slots), &Path(rest.to_vec()), &operands[before..], Some(place))?.0
            }
            None => {
                let ident = self.places[place].ident.clone();
                self.steps(quote!(#ident), path, operands, Some(place))?.0
            }
        };
        let receiver = target.clone();
        let by_mut = if deref.is_some() { target.clone() } else { quote!(&mut #target) };
        let target = quote!(#deref #target);
        let value_tokens = value.as_ref().map(|e| e.tokens.clone());
        match &node.op {
            Op::Update(_) if path.is_slice() && !is_copy(&at.element()) => {
                self.push(quote!(#receiver.clone_from_slice(#value_tokens);));
            }
            Op::Update(_) if path.is_slice() => self.push(quote!(#receiver.copy_from_slice(#value_tokens);)),
            Op::Update(_) if path.view().is_some() => self.push(quote!(#target.assign(#value_tokens);)),
            Op::Update(_)
                if path.may_be_left_out() && (!self.func.ty(rest[0]).is_float() || self.is_zero_float(rest[0])) =>
            {
                self.needs.put = true;
                let fields = self.private("fields");
                self.push(quote!(#fields::Slot(#by_mut).put(#value_tokens);));
            }
            Op::Update(_) => self.push(quote!(#target = #value_tokens;)),
            Op::AddAt(_) if at.is_float() && !path.ends_in_part() => self.push(quote!(#target += #value_tokens;)),
            // a row whose place was left empty comes back whole
            Op::AddAt(_) if is_row(&at) && is_row(self.func.ty(rest[0])) => {
                let tangent = self.private("Tangent");
                self.push(quote!(#tangent::accumulate(&mut #target, &#value_tokens);));
            }
            Op::AddAt(_) => {
                let f = self.private("add_entry");
                self.push(quote!(#f(&mut #target, #value_tokens);));
            }
            Op::Fill(_) => self.push(quote!(#receiver.fill(#value_tokens);)),
            Op::Swap(_) => {
                let i = self.index_operand(rest[0], Some(place))?;
                let j = self.index_operand(rest[1], Some(place))?;
                let (i, j) = (&i.tokens, &j.tokens);
                if path.may_be_left_out() {
                    let f = self.private("exchange");
                    self.push(quote!(#f(#by_mut, #i, #j);));
                } else {
                    self.push(quote!(#receiver.swap(#i, #j);));
                }
            }
            Op::Push(_) => self.push_on(&by_mut, &receiver, &value_tokens.expect("pushed"), path.may_be_left_out()),
            Op::Pop(_) => self.pop_from(outs[0], &by_mut, &receiver, path.may_be_left_out()),
            Op::Take(_) if path.is_slice() => {
                self.take_part(outs[0], &Type::Slice(Box::new(at.element())), &target, false);
            }
            Op::Take(_) => self.take_part(outs[0], &at, &target, path.view().is_some()),
            _ => unreachable!("an operation on a part"),
        }
        self.put(outs[outs.len() - 1], place);
        Ok(())
    }

    /// A variable for an intermediate result that is no value of the graph.
    pub(super) fn temporary(&mut self, init: TokenStream) -> Expr {
        let ident = self.names.unique("t");
        self.push(quote!(let #ident = #init;));
        Expr::atom(ident)
    }

    /// What a vector is lengthened by.
    fn pushed(&mut self, v: Value) -> Result<Expr> {
        let e = self.take_for_long(v)?;
        let ty = self.func.ty(v).clone();
        Ok(self.with_suffix(e, &ty))
    }

    /// Operations on the whole of an aggregate: its empty path.
    fn whole_root(&mut self, n: Node, root: Value, rest: &[Value]) -> Result<()> {
        let node = &self.func[n];
        let out = node.outs[node.outs.len() - 1];
        match &node.op {
            Op::Update(_) => {
                let e = self.take(rest[0])?;
                self.define(out, e);
                Ok(())
            }
            Op::AddAt(_) => self.add_entry(root, rest[0], out),
            Op::Take(_) => {
                let place = self.mutable(root, out)?;
                let target = self.target(place);
                let ty = self.func.ty(root).clone();
                self.take_part(node.outs[0], &ty, &target, false);
                self.put(out, place);
                Ok(())
            }
            Op::Push(_) => {
                let value = self.pushed(rest[0])?;
                let place = self.mutable(root, out)?;
                let mut tokens = value.tokens.clone();
                if value.reads.contains(&place) {
                    tokens = self.temporary(tokens).tokens;
                }
                let vec = self.places[place].ident.clone();
                self.push_on(&quote!(), &quote!(#vec), &tokens, false);
                self.put(out, place);
                Ok(())
            }
            Op::Pop(_) => {
                let place = self.mutable(root, out)?;
                let vec = self.places[place].ident.clone();
                self.pop_from(node.outs[0], &quote!(), &quote!(#vec), false);
                self.put(out, place);
                Ok(())
            }
            Op::Fill(_) => {
                let mut value = self.take(rest[0])?;
                let place = self.mutable(root, out)?;
                if value.reads.contains(&place) {
                    // a vector is borrowed as a slice before its argument is read
                    value = self.temporary(value.tokens.clone());
                }
                let (ident, value) = (self.places[place].ident.clone(), value.tokens);
                self.push(quote!(#ident.fill(#value);));
                self.put(out, place);
                Ok(())
            }
            _ => {
                let place = self.mutable(root, out)?;
                let i = self.index_operand(rest[0], Some(place))?;
                let j = self.index_operand(rest[1], Some(place))?;
                let (ident, i, j) = (self.places[place].ident.clone(), i.tokens, j.tokens);
                self.push(quote!(#ident.swap(#i, #j);));
                self.put(out, place);
                Ok(())
            }
        }
    }

    fn load(&mut self, out: Value, root: Value, path: &Path, operands: &[Value]) -> Result<()> {
        self.needs.behind |= path.has_part() && self.is_part(root);
        let (mut root, e) = if path.view().is_some() { self.lasting_root(root)? } else { self.root(root)? };
        if path.0[0] == Step::Unbox {
            // the box itself, and no reference to it
            root = e.at(prec::ATOM);
        } else if path.0[0] == Step::Flat {
            // an element lives as long as what a reference refers to
            root = e.at(prec::UNARY);
        }
        let (tokens, base, parts) = match path.view() {
            Some(_) => self.view_steps(root, e.base, path, operands)?,
            None => {
                let (tokens, parts) = self.steps(root, path, operands, None)?;
                (tokens, e.base, parts)
            }
        };
        let mut load = match gives_reference(path) {
            true => {
                let mut load = Expr::new(quote!(*#tokens), prec::UNARY);
                load.receiver = matches!(path.0.last(), Some(Step::Variant(_))).then_some(tokens);
                load
            }
            false => Expr::atom(tokens),
        };
        let form = match path.view() {
            Some(view) if view.method.read == Reading::Made => Form::New,
            Some(_) => Form::View,
            None => Form::Place,
        };
        load = load.form(form).of([&e]).of(&parts);
        load.base = base;
        if form == Form::Place && e.form != Form::Place && e.form != Form::View {
            // a part of something that is not in a variable: it cannot be referred to
            let ty = self.func.ty(out).clone();
            match ty {
                Type::Slice(_) | Type::NdArray(..) => load.form = Form::Place,
                ty => {
                    // a method is called on the part itself
                    let (tokens, receiver) = (self.copied(&load, &ty), load.root());
                    load = Expr::atom(tokens).of([&load]);
                    load.receiver = Some(receiver);
                }
            }
        }
        self.define(out, load);
        Ok(())
    }
}
