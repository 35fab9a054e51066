//! Calls of other functions, and of their companions by the name protocol.

use super::expr::Expr;
use super::tangent::perhaps_boxed;
use super::{Emitter, Repr, Result};
use crate::emit::frames::Frames;
use crate::emit::places::{Hold, PlaceId};
use crate::ir::{Arg, Call, Callee, Node, Op, Type, Value};
use crate::syntax::question;
use crate::syntax::signature::bare;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

impl Emitter<'_> {
    /// A call, or that of the `_vjp` or `_jvp` companion.
    pub(super) fn call(&mut self, n: Node) -> Result<()> {
        let node = &self.func[n];
        let (call, suffix) = match &node.op {
            Op::Call(call) => (call, ""),
            Op::CallVjp(call) => (call, "_vjp"),
            Op::CallJvp(call) => (call, "_jvp"),
            _ => unreachable!("a call"),
        };
        self.needs.callee(&call.callee, suffix);
        self.borrowed = self.seen_by_functions(&node.args);
        // what the call gives may refer to it
        let lasting = suffix != "_vjp" && !call.unit && self.func.ty(node.outs[0]).may_refer();
        // what is changed
        let mut changed = Vec::new();
        for (i, _) in call.args.iter().enumerate().filter(|(_, a)| a.changes()) {
            let place = self.mutable(node.args[i], node.outs[1 + changed.len()])?;
            changed.push(place);
        }
        let mut next = changed.iter();
        let perhaps = call.args.iter().position(|a| *a == Arg::RefMut).filter(|_| call.perhaps);
        let doubtful = |k: usize| perhaps == Some(k) || call.doubts.contains(&k);
        let several = !call.doubts.is_empty();
        let mut given = Vec::new();
        let mut held: Vec<Ident> = std::mem::take(&mut self.held);
        let lends = matches!(call.callee, Callee::Value);
        let with_tangent = call.with_tangent();
        let mut lent_arrays: Vec<(Ident, TokenStream)> = Vec::new();
        let mut parts: Vec<Expr> = Vec::new();
        self.hold_variables(call, &node.args)?;
        let (args, outs) = (call.own(&node.args), call.own(&node.outs));
        for (i, &v) in args.iter().enumerate() {
            let receiver = i == 0 && matches!(call.callee, Callee::Method(_));
            if lasting && matches!(call.args.get(i), Some(Arg::Ref | Arg::View | Arg::RefView)) {
                self.name(v);
            }
            let keeper = suffix.is_empty() && call.keepers.contains(&i);
            if keeper && call.args[i] != Arg::Value {
                let changes = call.args[i].changes();
                let reference = match next.clone().next() {
                    Some(&place) if changes => {
                        let name = self.by_name(place);
                        quote!(&#name)
                    }
                    _ => self.by_ref(v)?.tokens,
                };
                let question = question::forgets(&self.krate, &reference, changes, self.func[n].span);
                self.push(question);
            }
            let e = match call.args.get(i) {
                Some(Arg::RefMut) if doubtful(i) && suffix == "_vjp" => {
                    let &place = next.next().expect("one for each");
                    // if it is only read, the pullback borrows it
                    let (ident, new) = (self.names.unique("held"), self.private("Held"));
                    let target = self.target(place);
                    // what cannot be cloned is told where it is called
                    let clone = quote_spanned!(node.span=> ::core::clone::Clone::clone(&#target));
                    let slice = matches!(self.func.ty(v), Type::Slice(_));
                    let copy = if slice { quote!((#target).to_vec()) } else { clone };
                    self.push(quote!(let #ident = #new::new(#copy);));
                    let mut e = Expr::atom(quote!(#ident.get_mut()));
                    if receiver {
                        e = self.own_receiver(call, &quote!(#ident.get_mut()));
                    }
                    given.push((place, ident.clone(), slice));
                    held.push(ident);
                    e
                }
                Some(Arg::RefMut) if call.perhaps => {
                    let tokens = self.by_mut(changed[0]);
                    match receiver {
                        true => self.own_receiver(call, &tokens),
                        false => Expr::atom(quote!((#tokens))),
                    }
                }
                Some(mode @ (Arg::ViewMut | Arg::RefViewMut)) => {
                    let &place = next.next().expect("one for each");
                    Expr::atom(mode.of(&self.by_name(place)))
                }
                Some(Arg::RefMut) => {
                    let &place = next.next().expect("one for each");
                    let tokens = match receiver && !call.without.may_be() {
                        true => self.by_name(place),
                        false => self.by_mut(place),
                    };
                    Expr::atom(tokens)
                }
                Some(mode @ (Arg::Ref | Arg::View | Arg::RefView))
                    if suffix == "_vjp" && !lends && !self.is_lent(v, *mode) =>
                {
                    // the pullback will borrow it
                    if self.is_cell(v) && matches!(self.reprs.get(v), Some(&Repr::Place(p)) if !self.takeable(v, p)) {
                        return self.unsupported(
                            "a cell or a lock that is lent to a differentiable function and used after that",
                        );
                    }
                    let new = self.private("Held");
                    let mut hold = |e: &mut Self, tokens: TokenStream| {
                        let ident = e.names.unique("held");
                        e.push(quote!(let #ident = #new::new(#tokens);));
                        held.push(ident.clone());
                        quote!(#ident.get())
                    };
                    let lent = *mode == Arg::RefView && self.is_lent(v, Arg::View);
                    let whole = if lent { self.as_view(v)? } else { self.take_for_long(v)? };
                    let tokens = hold(self, whole.tokens);
                    Expr::atom(match mode {
                        Arg::RefView if !lent => hold(self, quote!(#tokens.view())),
                        Arg::View => quote!(#tokens.view()),
                        _ if receiver => {
                            let tokens = self.out_of_box(v, &tokens);
                            self.received(&call.callee, &tokens, &quote!(of(#tokens)))
                        }
                        _ => tokens,
                    })
                }
                _ if receiver => {
                    // a method that wants `&mut self` must not get at it
                    let e = self.by_ref(v)?;
                    let tokens = &e.tokens;
                    let own = call.args.first() == Some(&Arg::Ref) && !self.is_lent(v, Arg::Ref);
                    let tokens = match own {
                        true => {
                            let tokens = self.out_of_box(v, tokens);
                            self.received(&call.callee, &tokens, &quote!(of(#tokens)))
                        }
                        false => quote!((#tokens)),
                    };
                    Expr { tokens, ..e }
                }
                Some(Arg::Function) if i == 0 && lends => match self.shared_function(v) {
                    Some(e) => e,
                    None => {
                        let (root, e) = self.root(v)?;
                        Expr { tokens: root, ..e }
                    }
                },
                Some(Arg::Function) => {
                    let again = crate::emit::recursion::is_called(call, &self.func.name);
                    self.function_argument(v, again)?
                }
                Some(Arg::Ref) if self.is_view(v) => {
                    let e = self.take(v)?;
                    let tokens = &e.tokens;
                    Expr { tokens: quote!(&#tokens), ..e }
                }
                Some(Arg::Ref) => self.by_ref(v)?,
                Some(Arg::View) => self.as_view(v)?,
                Some(Arg::RefView) => {
                    let e = self.as_view(v)?;
                    let tokens = &e.tokens;
                    Expr { tokens: quote!(&#tokens), ..e }
                }
                mode @ (Some(Arg::Value) | None) => {
                    let own = mode.is_none().then(|| with_tangent[i - call.args.len()]);
                    let lent = own.is_some_and(|k| call.args[k] != Arg::Value && self.may_be_array(v, node.args[k]));
                    match own {
                        _ if lent || self.is_handed_array(v) => {
                            // only the call shows as what the function takes it
                            let e = self.take(v)?;
                            let (tangent, name) = (self.temporary(e.tokens).tokens, self.names.unique("tangent"));
                            lent_arrays.push((name.clone(), tangent));
                            Expr::atom(quote!(#name))
                        }
                        Some(k) => self.tangent_argument(v, node.args[k], call.args[k])?,
                        None => self.given_on(v, &mut held)?,
                    }
                }
            };
            parts.push(if keeper && call.args[i] == Arg::Value {
                let (question, tokens) =
                    (question::forgets(&self.krate, &quote!(&given), false, self.func[n].span), &e.tokens);
                Expr { tokens: quote!({ let given = #tokens; #question given }), ..e }
            } else {
                e
            });
        }
        self.borrowed.clear();
        // what reads something that the call changes goes first
        for (i, e) in parts.iter_mut().enumerate() {
            if !call.args.get(i).is_some_and(|arg| arg.changes()) && e.reads.iter().any(|p| changed.contains(p)) {
                *e = self.temporary(e.tokens.clone());
            }
        }
        let mut pulled = None;
        let alone = call.unit && call.without.may_be();
        let mut own_dot = None;
        if alone && !several && suffix == "_jvp" {
            own_dot = Some(self.lent_dot(&mut parts[call.args.len()]));
        }
        let dots_before = match suffix {
            "_jvp" if several => self.dots_before(call, &node.args, &mut parts, &lent_arrays),
            _ => vec![],
        };
        let tokens = match &self.frames {
            Some(frames) if call.itself && suffix == "_vjp" => again(frames, call, &parts),
            _ => self.invoked(call, suffix, &parts, &lent_arrays),
        };
        let tokens = match alone {
            true => self.settled(&tokens, own_dot.as_ref()),
            false => tokens,
        };
        match &node.op {
            Op::Call(_) => {
                let mut e = Expr::atom(tokens).of(&parts);
                e.effect = true;
                self.result(call, outs, &changed, e);
            }
            Op::CallVjp(_) if call.itself && self.frames.is_some() => {
                self.flush(|e| e.effect);
                let y = self.declare_used(outs[0], call.unit);
                let pullback = outs[outs.len() - 1];
                let place = self.declare_used(pullback, false);
                self.let_(vec![y, place], None, tokens);
                if let (Some(p), Type::Pullback) = (place, self.func.ty(pullback)) {
                    // with what must live as long
                    let ident = self.places[p].ident.clone();
                    let with_held = self.private("WithHeld");
                    self.push(quote!(let #ident = #with_held::new(#ident, (#(#held,)*));));
                } else if !held.is_empty() {
                    return self.unsupported("a call that is lent something of the function's own");
                }
            }
            Op::CallVjp(_) => {
                self.flush(|e| e.effect);
                let pullback = self.declare_used(outs[outs.len() - 1], false);
                if call.unit {
                    let returned = self.names.unique("returned");
                    match pullback {
                        None => self.push(quote!(let _ = #tokens;)),
                        Some(p) => {
                            // the seed may have to begin with one for the return value that is not used
                            self.needs.returned = true;
                            self.needs.probe = true;
                            let ident = self.places[p].ident.clone();
                            let zero = self.names.unique("zero");
                            let (wrapped, probe) = (self.private("Returned"), self.private("Probe"));
                            let with = quote::format_ident!("seed{}", changed.len());
                            self.push(quote!(let (#returned, #ident) = #tokens;));
                            self.push(quote!(let #zero = (&#probe(&#returned)).zero_or_unit();));
                            if several {
                                let several = self.private("Several");
                                self.push(quote!(let #ident = #several::new(#ident, #zero);));
                            } else {
                                self.push(quote!(let #ident = move |seeds| {
                                    #ident(#wrapped(#returned.clone(), #zero.clone()).#with(seeds))
                                };));
                            }
                        }
                    }
                } else {
                    let y = self.declare_used(outs[0], false);
                    self.let_(vec![y, pullback], None, tokens);
                    if let (Some(p), true) = (pullback, several) {
                        let (ident, several) = (self.places[p].ident.clone(), self.private("Several"));
                        self.push(quote!(let #ident = #several::new(#ident, ());));
                    }
                }
                for (place, given, slice) in given {
                    let target = self.target(place);
                    self.push(match slice {
                        true => quote!((#target).clone_from_slice(#given.get());),
                        false => quote!(#target = #given.get().clone();),
                    });
                }
                if let Some(p) = pullback {
                    let ident = self.places[p].ident.clone();
                    if several || call.without.may_be() && call.perhaps {
                        let with_held = self.private("WithHeld");
                        self.push(quote!(let #ident = #with_held::new(#ident, (#(#held,)*));));
                    } else if !held.is_empty() {
                        self.push(quote!(let #ident = move |seed| {
                            let _ = (#(&#held),*);
                            #ident(seed)
                        };));
                    }
                }
                pulled = pullback;
            }
            Op::CallJvp(_) if call.perhaps => {
                self.flush(|e| e.effect);
                let beside = with_tangent.iter().position(|k| Some(*k) == perhaps);
                let own = call.args.len() + beside.expect("it has a tangent");
                let dot = self.temporary(parts[own].tokens.clone());
                let tangent = &dot.tokens;
                parts[own] = Expr::atom(quote!(#tangent.clone()));
                let tokens = self.invoked(call, suffix, &parts, &lent_arrays);
                let both = self.temporary(tokens).tokens;
                let wrapped = self.private("PerhapsDots");
                let ours = self.temporary(quote!((&&&#wrapped(&#both.0, #both.1, #tangent)).split())).tokens;
                let value_dot = match call.without.if_constant {
                    true => {
                        let given = self.private("GivenDot");
                        quote!(#given(&#both.0, #ours.0).dot())
                    }
                    false => quote!(#ours.0),
                };
                for (out, init) in [(outs[2], value_dot), (outs[3], quote!(#ours.1)), (outs[0], quote!(#both.0))] {
                    let place = self.declare_used(out, false);
                    if place.is_some() {
                        self.let_(vec![place], None, init);
                    }
                }
                self.needs.perhaps = true;
            }
            _ => {
                self.flush(|e| e.effect);
                let dots = &outs[outs.len() / 2..];
                let dots = if call.unit { &dots[1..] } else { dots };
                let y = self.declare_used(outs[0], call.unit);
                let places: Vec<_> = dots.iter().map(|&d| self.declare_used(d, false)).collect();
                let first = dots.len() - changed.len();
                let tokens = if several {
                    self.several_dots(call, &tokens, &dots_before)
                } else if call.unit {
                    self.needs.returned = true;
                    let (wrapped, with) = (self.private("Returned"), quote::format_ident!("tangents{}", changed.len()));
                    quote!({
                        let (returned, tangents) = #tokens;
                        ((), #wrapped(returned, ()).#with(tangents))
                    })
                } else {
                    tokens
                };
                let converted = |ty: &Type| ty.may_differ() || perhaps_boxed(ty);
                if !dots[first..].iter().any(|&d| converted(self.func.ty(d))) {
                    self.let_nested(y, places, tokens);
                } else {
                    let both = self.temporary(tokens).tokens;
                    if y.is_some() {
                        self.let_(vec![y], None, quote!(#both.0));
                    }
                    for (k, (place, &dot)) in places.into_iter().zip(dots).enumerate() {
                        if place.is_none() {
                            continue;
                        }
                        let k_th = proc_macro2::Literal::usize_unsuffixed(k);
                        let part = if dots.len() == 1 { quote!(#both.1) } else { quote!(#both.1.#k_th) };
                        let init = match k.checked_sub(first) {
                            // a tangent of another type than ours, or none
                            Some(c) if converted(self.func.ty(dot)) => {
                                let boxed = perhaps_boxed(self.func.ty(dot));
                                let restore = self.private(if boxed { "regained" } else { "restore" });
                                let zero = self.zero_of(outs[1 + c], &self.by_name(changed[c]));
                                quote!(#restore(#part, || #zero))
                            }
                            _ => part,
                        };
                        self.let_(vec![place], None, init);
                    }
                }
            }
        }
        self.release_variables(call, &node.args, &node.outs, pulled);
        if call.unit {
            self.reprs.insert(node.outs[0], Repr::Expr(Expr::atom(quote!(()))));
        }
        for (&place, &out) in changed.iter().zip(&node.outs[1..]) {
            self.put(out, place);
        }
        Ok(())
    }

    /// The call of a function or of its companion.
    fn invoked(
        &mut self,
        call: &Call,
        suffix: &str,
        args: &[Expr],
        lent_arrays: &[(Ident, TokenStream)],
    ) -> TokenStream {
        let tokens = match call.without.may_be() {
            true => self.asked(call, suffix, args),
            false => invoke(&call.callee, suffix, args),
        };
        self.with_lent_arrays(tokens, lent_arrays)
    }

    /// Whether what is handed over of a value may outlive the function: it is borrowed from the caller.
    fn is_lent(&self, v: Value, mode: Arg) -> bool {
        if mode == Arg::RefView || mode == Arg::Ref && self.is_view(v) || self.func.shows_copy(v) {
            // the view or the copy is made for the call, or before it by this function
            return false;
        }
        match self.reprs.get(v) {
            Some(Repr::Place(p)) => self.places.outlives(*p),
            Some(Repr::Expr(e)) => e.base.is_some_and(|p| self.places.outlives(p)),
            None => false,
        }
    }

    /// The result of an ordinary call.
    fn result(&mut self, call: &Call, outs: &[Value], changed: &[PlaceId], e: Expr) {
        let (y, tokens) = (outs[0], e.tokens.clone());
        if call.unit || matches!(self.func.ty(y), Type::Unit) {
            self.flush(|e| e.effect);
            self.push(quote!(#tokens;));
            self.reprs.insert(y, Repr::Expr(Expr::atom(quote!(()))));
        } else if changed.is_empty() && call.states.is_empty() {
            self.define(y, e);
        } else {
            self.flush(|e| e.effect);
            let place = self.declare_used(y, false);
            self.let_(vec![place], None, tokens);
        }
    }

    pub(super) fn declare_used(&mut self, v: Value, skip: bool) -> Option<PlaceId> {
        (!skip && self.live.uses(v).count > 0).then(|| self.declare(v, Hold::Owned))
    }

    fn by_name(&self, place: PlaceId) -> TokenStream {
        let ident = &self.places[place].ident;
        quote!(#ident)
    }
}

/// The name of a companion.
pub(super) fn renamed(ident: &Ident, suffix: &str) -> Ident {
    match suffix {
        "" => ident.clone(),
        suffix => Ident::new(&format!("{}{suffix}", bare(ident)), ident.span()),
    }
}

/// The tokens of a call.
fn invoke(callee: &Callee, suffix: &str, args: &[Expr]) -> TokenStream {
    let tokens = args.iter().map(|e| &e.tokens);
    match callee {
        Callee::Path(path) => {
            let mut path = path.clone();
            if let Some(last) = path.path.segments.last_mut() {
                last.ident = renamed(&last.ident, suffix);
            }
            quote!(#path(#(#tokens),*))
        }
        Callee::Value => {
            let function = &args[0].tokens;
            let tokens = tokens.skip(1);
            quote!(#function(#(#tokens),*))
        }
        Callee::Method(name) => {
            let name = renamed(name, suffix);
            let receiver = args[0].tokens.clone();
            let tokens = tokens.skip(1);
            quote!(#receiver.#name(#(#tokens),*))
        }
    }
}

/// The tokens of a call of the function by itself.
fn again(frames: &Frames, call: &Call, args: &[Expr]) -> TokenStream {
    let tokens = |changed: bool| {
        let own = args.iter().zip(&call.args).zip(&frames.handed_on).filter(move |(_, same)| !**same);
        own.filter(move |((_, mode), _)| (**mode == Arg::RefMut) == changed).map(|((e, _), _)| &e.tokens)
    };
    let (again, vector, passed, changed) = (&frames.again, &frames.vector, tokens(false), tokens(true));
    quote!(#again.call((#(#passed,)*), #(#changed,)* #vector))
}
