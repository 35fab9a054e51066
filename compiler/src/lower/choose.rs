//! Items that are chosen from an iterator, arrays that are mapped, and closures that make iterators.

use super::control::Tail;
use super::drive::{Each, Found, by_ref, with};
use super::env::Binding;
use super::iter::Iter;
use super::place::{Place, Root};
use super::{Lowering, Operand, types};
use crate::ir::{Arg, Callee, Op, Path, Step, Type, Value, Verbatim};
use crate::prims::{arith, compare};
use proc_macro2::Ident;
use quote::{ToTokens, quote};

/// How two items compare.
type Order<'x, 'a> = &'x mut dyn FnMut(&mut Lowering<'a>, Operand, Operand) -> Operand;

impl<'a> Lowering<'a> {
    /// The k-th item under a condition. What is computed for it is computed only then; a place stays one.
    pub(crate) fn item_if(&mut self, flag: Value, it: &Iter, k: Value) -> Operand {
        if let Iter::Seq(_, true) = it {
            let item = self.iter_item(it, k);
            return Operand::Opt(flag, Box::new(item));
        }
        let mark = self.func.values.len();
        let (mut item, mut made) = (Operand::Never, Vec::new());
        let computed = self.if_value(
            flag,
            &mut |l: &mut Self| {
                let o = l.iter_item(it, k);
                item = l.placed(o, mark);
                made.clear();
                parts_of(&item, &mut |v| {
                    if v.into_raw().into_u32() as usize >= mark && !made.contains(&v) {
                        made.push(v);
                    }
                });
                match made.as_slice() {
                    [] => Operand::Value(l.unit()),
                    [v] => Operand::Value(*v),
                    made => l.copied(Operand::Parts(made.iter().copied().map(Operand::Value).collect())),
                }
            },
            &mut |_| Operand::Never,
        );
        let outside: Vec<Value> = match made.len() {
            0 => vec![],
            1 => vec![self.value(computed)],
            n => (0..n)
                .map(|k| {
                    let part = self.part(&computed, Step::Field(k.to_string()), None, false);
                    self.value(part)
                })
                .collect(),
        };
        let item = with_parts(item, &|v| made.iter().position(|m| *m == v).map_or(v, |k| outside[k]));
        Operand::Opt(flag, Box::new(item))
    }

    /// An item of values and of places in what was there before `mark`.
    fn placed(&mut self, o: Operand, mark: usize) -> Operand {
        match o {
            Operand::Parts(parts) => Operand::Parts(parts.into_iter().map(|part| self.placed(part, mark)).collect()),
            Operand::Place(p) => match p.root {
                Root::Value(v) if v.into_raw().into_u32() as usize >= mark => Operand::Value(self.read(&p)),
                _ => Operand::Place(p),
            },
            o @ (Operand::Closure(_) | Operand::Function(_) | Operand::Choice(..)) => o,
            o => Operand::Value(self.value(o)),
        }
    }

    /// The same items by their number: collected, if need be.
    pub(crate) fn indexed(&mut self, it: Iter) -> Iter {
        match it {
            it if it.indexed() => it,
            Iter::Kept(k) => self.collected(*k, None),
            it => {
                let v = self.vector_of(&it, Type::Dyn);
                Iter::Seq(Self::value_place(v), false)
            }
        }
    }

    /// The k-th item, as an option.
    pub(crate) fn nth_item(&mut self, it: Iter, k: Value) -> Operand {
        let it = match it {
            it if it.indexed() => it,
            it => {
                // no more items are asked for than are needed
                let one = self.b().int(1);
                let n = self.usize_op(&arith::ADD, k, one);
                self.indexed(Iter::Take(Box::new(it), n))
            }
        };
        let flag = match self.iter_len(&it) {
            Some(len) => self.primitive(&compare::LT, &[k, len]),
            None => self.b().bool(true),
        };
        self.item_if(flag, &it, k)
    }

    /// The last item, as an option.
    pub(crate) fn last_item(&mut self, it: Iter) -> Operand {
        let it = self.indexed(it);
        let Some(len) = self.iter_len(&it) else { return Operand::Never };
        // the last, or what is never looked at
        let one = self.b().int(1);
        let last = self.minus(len, one);
        let zero = self.b().int(0);
        let flag = self.primitive(&compare::LT, &[zero, len]);
        self.item_if(flag, &it, last)
    }

    /// `any` and `all`.
    pub(crate) fn whether(&mut self, it: &Iter, f: &Operand, any: bool) -> Operand {
        let start = self.b().bool(!any);
        let cell = self.temporary(start);
        let cells = with(&with(&self.iter_cells(it), &self.function_cells(f)), &[cell]);
        self.drive(it, None, &cells, &mut |l, item, _| {
            let target = l.targets.len() - 1;
            let o = l.apply(f, vec![item]);
            let mut found = l.value(o);
            if !any {
                found = l.primitive(&compare::NOT, &[found]);
            }
            let mut yes = |l: &mut Self| {
                let v = l.b().bool(any);
                l.set_cell(cell, v);
                l.stop(target)
            };
            l.if_value(found, &mut yes, &mut |l: &mut Self| Operand::Value(l.unit()))
        });
        Operand::Value(self.cell_value(cell))
    }

    /// `position`, `find` and `find_map`. Of an indexed iterator only the position is found in the loop.
    pub(crate) fn search(&mut self, it: &Iter, f: &Operand, name: &str) -> Operand {
        if !it.one_loop() {
            if self.iter_changes(it) {
                let span = self.span;
                return self.unsupported(
                    span,
                    format!("`{name}` in several iterators, of which one changes a variable, is not supported"),
                    "write a `for` loop with `break`",
                );
            }
            let it = self.indexed(it.clone());
            return self.search(&it, f, name);
        }
        let position = it.indexed() && name == "find" || name == "position";
        let no = self.b().bool(false);
        let flag = self.temporary(no);
        let key = self.temporary(no);
        self.env.cells[key].value = None;
        let cells = with(&with(&self.iter_cells(it), &self.function_cells(f)), &[flag, key]);
        let numbered = if position { Iter::Enumerate(Box::new(it.clone())) } else { it.clone() };
        self.drive(&numbered, None, &cells, &mut |l, item, _| {
            let target = l.targets.len() - 1;
            let (item, found) = match (&item, position) {
                (Operand::Parts(parts), true) => (parts[1].clone(), parts[0].clone()),
                _ => (item.clone(), item),
            };
            let mut hit = |l: &mut Self, found: Operand| {
                let v = l.value(found);
                l.set_cell(key, v);
                let yes = l.b().bool(true);
                l.set_cell(flag, yes);
                l.stop(target)
            };
            let nothing = &mut |l: &mut Self| Operand::Value(l.unit());
            if name == "find_map" {
                let o = l.apply(f, vec![item]);
                return l.if_some(o, &mut hit, nothing);
            }
            let item = if name == "find" { by_ref(item) } else { item };
            let o = l.apply(f, vec![item]);
            let c = l.value(o);
            l.if_value(c, &mut |l: &mut Self| hit(l, found.clone()), nothing)
        });
        let flag = self.cell_value(flag);
        let Some(v) = self.env.cells[key].value else {
            let span = self.span;
            return self.unsupported(
                span,
                format!("`{name}` of items whose type is not visible is not supported"),
                "collect the items into a `Vec` with its type first",
            );
        };
        if position && name == "find" {
            self.item_if(flag, it, v)
        } else {
            Operand::Opt(flag, Box::new(Operand::Value(v)))
        }
    }

    /// The greatest (of several equal ones the last) or the least (the first) item by a comparison: only its position
    /// is found in the loop, so that the derivative is that of the item chosen.
    pub(crate) fn extreme(&mut self, it: Iter, order: Order<'_, 'a>, changed: &[usize], greatest: bool) -> Operand {
        let it = self.indexed(it);
        let Some(len) = self.iter_len(&it) else { return Operand::Never };
        let zero = self.b().int(0);
        let one = self.b().int(1);
        let cell = self.temporary(zero);
        let cells = with(&with(&self.iter_cells(&it), changed), &[cell]);
        let rest = Iter::Range { lo: one, hi: len, inclusive: false };
        self.drive(&rest, None, &cells, &mut |l, k, _| {
            let k = l.value(k);
            let best = l.cell_value(cell);
            let (a, b) = (l.iter_item(&it, best), l.iter_item(&it, k));
            let o = order(l, a, b);
            let order = l.value(o);
            let mut better = l.template(&[order], Type::Bool, true, |p| {
                let p = &p[0];
                quote!(::core::matches!(#p, ::core::cmp::Ordering::Greater))
            });
            if greatest {
                better = l.primitive(&compare::NOT, &[better]);
            }
            let c = l.push(Op::Prim(&compare::SELECT), vec![better, k, best], Type::USIZE);
            l.set_cell(cell, c);
            Operand::Value(l.unit())
        });
        let k = self.cell_value(cell);
        let flag = self.primitive(&compare::LT, &[zero, len]);
        self.item_if(flag, &it, k)
    }

    /// How two values that are no floats compare.
    pub(crate) fn order_of(&mut self, a: Value, b: Value) -> Operand {
        let v = self.template(&[a, b], Type::Inactive, true, |p| {
            let (a, b) = (&p[0], &p[1]);
            quote!(::core::cmp::Ord::cmp(&#a, &#b))
        });
        Operand::Value(v)
    }

    /// `map` of an array: an array of the same length.
    pub(crate) fn array_map(&mut self, place: &Place, f: &syn::Expr) -> Operand {
        let ty = self.place_type(place);
        let makes_data = makes_data(f);
        let f = self.function_operand(f);
        let v = self.read(place);
        if let Some(parts) = self.few_parts(v).filter(|_| !ty.element().is_float()) {
            let new: Vec<Value> = parts.into_iter().map(|part| self.applied(&f, part)).collect();
            let element = self.common_type(&new);
            return Operand::Value(self.push(Op::Array, new, Type::Array(Box::new(element))));
        }
        if makes_data && self.is_active(v) {
            return self.array_map_handed(place, f);
        }
        // of the type that the first item turns out to have
        let start = self.push(Op::Copy(false), vec![v], ty.clone());
        let it = Iter::Seq(place.clone(), false);
        let new = self.filled(start, &it, &mut |l, item| l.apply(&f, vec![item]));
        if let Type::Array(t) = self.ty(new)
            && t.join(&ty.element()) != *t
        {
            let node = self.func.maker(start);
            let name = Ident::new("__0", self.span);
            let code = quote!(#name.each_ref().map(|_| ::core::default::Default::default()));
            let (uses, refs) = (vec![name], vec![false]);
            let code = Verbatim { code, uses, refs, defs: vec![], pure_: false, diverges: false };
            if let Some(n) = node {
                self.func[n].op = Op::Verbatim(Box::new(code));
                self.func.values[start].ty = Type::Array(t);
                self.maybe_active.insert(start, false);
            }
        }
        Operand::Value(new)
    }

    /// What an array was made of, if these are few.
    fn few_parts(&self, array: Value) -> Option<Vec<Value>> {
        let node = &self.func[self.func.maker(array)?];
        (matches!(node.op, Op::Array) && node.args.len() <= 16).then(|| node.args.clone())
    }

    fn applied(&mut self, f: &Operand, part: Value) -> Value {
        let o = self.apply(f, vec![Operand::Value(part)]);
        self.value(o)
    }

    /// `map` of an array to elements of a type of which no constant is known.
    fn array_map_handed(&mut self, place: &Place, f: Operand) -> Operand {
        let (private, v) = (self.private(), self.read(place));
        let length = self.template(&[v], Type::Inactive, true, |p| {
            let array = &p[0];
            quote!(#private::length_of(&#array))
        });
        self.env.push_scope();
        self.env.bind("__mapped", Binding::Alias(place.clone(), place.is_ref));
        self.env.bind("__map", Binding::Known(Box::new(f)));
        let each = self.closure(&syn::parse_quote!(|__k: usize| __map(__mapped[__k])));
        let o = self.made_by(length, each);
        self.env.pop_scope();
        o
    }

    /// `std::array::from_fn(f)`: a loop where the type is written, and else a call of a function that takes `f`.
    pub(crate) fn array_from_fn(&mut self, c: &syn::ExprCall) -> Operand {
        let f = self.function_operand(&c.args[0]);
        let written = written_array(c).or_else(|| self.expected_of(c));
        let array = match written.as_ref().map(types::strip) {
            Some(syn::Type::Array(a)) => Some(a.clone()),
            _ => None,
        };
        let start = array.as_ref().and_then(|a| self.dummy_of_rust(&syn::Type::Array(a.clone())));
        let (Some(start), Some(array)) = (start, array) else {
            return self.array_from_handed(f, c);
        };
        let (lo, len) = (self.b().int(0), &array.len);
        let hi = self.verbatim_value(quote!(#len), Type::USIZE);
        let it = Iter::Range { lo, hi, inclusive: false };
        let element = (*array.elem).clone();
        Operand::Value(self.filled(start, &it, &mut |l, k| {
            match &f {
                // the elements may be arrays that are made in the same way
                Operand::Closure(c) if l.is_call(*c) => l.with_closure(*c, vec![k], &mut |l, body| {
                    l.expect(body, &element);
                    l.expr(body)
                }),
                f => l.apply(f, vec![k]),
            }
        }))
    }

    /// The same where only the compiler of Rust knows how long the array is.
    fn array_from_handed(&mut self, f: Operand, c: &syn::ExprCall) -> Operand {
        if !self.mentions_active(c.to_token_stream()) {
            return Operand::Value(self.verbatim_value(c.to_token_stream(), Type::Dyn));
        }
        if let Operand::Closure(k) = f
            && let Some(pat @ (syn::Pat::Ident(_) | syn::Pat::Wild(_))) = self.closures[k].expr.inputs.first_mut()
        {
            *pat = syn::Pat::Type(syn::PatType {
                attrs: vec![],
                pat: Box::new(pat.clone()),
                colon_token: Default::default(),
                ty: syn::parse_quote!(usize),
            });
        }
        let private = self.private();
        let length = self.template(&[], Type::Inactive, true, |_| quote!(#private::Length));
        self.made_by(length, f)
    }

    /// An array of this length of what a function makes of each index.
    fn made_by(&mut self, length: Value, f: Operand) -> Operand {
        let private = self.private();
        let (f, mode, place) = self.handed(f);
        let path = syn::parse_quote!(#private::from_fn);
        let (modes, places) = (vec![Arg::Value, mode], vec![None, place]);
        let o = self.protocol(Callee::Path(path), vec![length, f], modes, places, false);
        if let Operand::Value(v) = o {
            self.func.values[v].ty = Type::Array(Box::new(Type::Dyn));
        }
        o
    }

    /// An array with its elements set one after the other.
    pub(crate) fn filled(&mut self, start: Value, it: &Iter, make: Found<'_, 'a>) -> Value {
        let cell = self.temporary(start);
        let cells = with(&self.iter_cells(it), &[cell]);
        // what the closure may change
        let all: Vec<usize> = (0..self.env.cells.len()).collect();
        let enumerated = Iter::Enumerate(Box::new(it.clone()));
        self.drive(&enumerated, None, &with(&cells, &all), &mut |l, item, _| {
            let Operand::Parts(parts) = item else { unreachable!("an index and an item") };
            let k = l.value(parts[0].clone());
            let o = make(l, parts[1].clone());
            let new = l.value(o);
            let ty = Type::Array(Box::new(l.ty(new)));
            let old = l.cell_value(cell);
            l.func.values[old].ty = ty.clone();
            let v = l.push(Op::Update(Path(vec![Step::Index])), vec![old, k, new], ty);
            l.set_cell(cell, v);
            Operand::Value(l.unit())
        });
        self.cell_value(cell)
    }

    /// The items of the iterator that a closure makes of an item.
    pub(crate) fn flat_map(&mut self, k: usize, item: Operand, cells: &[usize], each: Each<'_, 'a>) -> Operand {
        self.with_closure(k, vec![item], &mut |l, body| l.items_of(body, cells, each))
    }

    fn items_of(&mut self, body: &syn::Expr, cells: &[usize], each: Each<'_, 'a>) -> Operand {
        if let syn::Expr::Block(b) = super::control::strip(body)
            && let Some((syn::Stmt::Expr(last, None), before)) = b.block.stmts.split_last()
        {
            self.env.push_scope();
            let o = self.then(&mut |l| l.stmts(before, Tail::No), &mut |l, _| l.items_of(last, cells, each));
            self.env.pop_scope();
            return o;
        }
        let nested = self.nested;
        let it = self.iterator(body);
        self.nested = nested;
        match it {
            Some(it) => {
                let cells = super::drive::with(cells, &self.iter_cells(&it));
                self.drive(&it, None, &cells, each)
            }
            None => {
                let o = self.expr(body);
                self.flattened(o, cells, each)
            }
        }
    }

    /// The items of an item: of a sequence, an iterator, an option.
    pub(crate) fn flattened(&mut self, item: Operand, cells: &[usize], each: Each<'_, 'a>) -> Operand {
        if self.option_parts(&item).is_some() {
            return self.if_some(item, &mut |l, o| each(l, o, Tail::No), &mut |l: &mut Self| Operand::Value(l.unit()));
        }
        let by_ref = matches!(&item, Operand::Place(p) if p.is_ref);
        match self.items(item, by_ref, &syn::Ident::new("into_iter", self.span)) {
            Some(it) => {
                let cells = super::drive::with(cells, &self.iter_cells(&it));
                self.drive(&it, None, &cells, each)
            }
            None => {
                let span = self.span;
                self.unsupported(
                    span,
                    "what is flattened here is not known to be an iterator or a sequence",
                    "write two nested loops",
                )
            }
        }
    }
}

/// Whether a closure shows that it makes structs or arrays.
fn makes_data(f: &syn::Expr) -> bool {
    let is_type = |s: Option<&syn::PathSegment>| s.is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase));
    match super::control::strip(f) {
        syn::Expr::Closure(c) => makes_data(&c.body),
        syn::Expr::Block(b) => matches!(b.block.stmts.last(), Some(syn::Stmt::Expr(last, None)) if makes_data(last)),
        syn::Expr::Struct(_) | syn::Expr::Array(_) | syn::Expr::Tuple(_) => true,
        syn::Expr::MethodCall(m) => m.method == "map",
        syn::Expr::Call(c) => makes_data(&c.func),
        syn::Expr::Path(p) => {
            let mut segments = p.path.segments.iter().rev();
            is_type(segments.next()) || is_type(segments.next())
        }
        _ => false,
    }
}

/// The type of the array that `from_fn::<f64, 3, _>(…)` makes.
fn written_array(c: &syn::ExprCall) -> Option<syn::Type> {
    let syn::Expr::Path(p) = &*c.func else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &p.path.segments.last()?.arguments else { return None };
    let arguments: Vec<&syn::GenericArgument> = arguments.args.iter().collect();
    let [syn::GenericArgument::Type(element), len, ..] = arguments[..] else { return None };
    let len = match len {
        syn::GenericArgument::Const(len) => quote!(#len),
        // the name of a constant looks like that of a type
        syn::GenericArgument::Type(len @ syn::Type::Path(_)) => quote!(#len),
        _ => return None,
    };
    syn::parse2(quote!([#element; #len])).ok()
}

/// The values in an item.
fn parts_of(o: &Operand, f: &mut dyn FnMut(Value)) {
    match o {
        Operand::Value(v) => f(*v),
        Operand::Place(p) => p.operands.iter().for_each(|v| f(*v)),
        Operand::Parts(parts) => parts.iter().for_each(|part| parts_of(part, f)),
        _ => {}
    }
}

/// An item with other values in their places.
fn with_parts(o: Operand, f: &dyn Fn(Value) -> Value) -> Operand {
    match o {
        Operand::Value(v) => Operand::Value(f(v)),
        Operand::Place(mut p) => {
            p.operands.iter_mut().for_each(|v| *v = f(*v));
            Operand::Place(p)
        }
        Operand::Parts(parts) => Operand::Parts(parts.into_iter().map(|part| with_parts(part, f)).collect()),
        o => o,
    }
}
