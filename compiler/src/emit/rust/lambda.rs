//! Closures that are handed to functions.
//!
//! ```text
//! |t| k * t                                                                 as it is
//! |t, t_dot| (k * t, k_dot * t + k * t_dot)                                 with its tangent
//! move |t| (k * t, move |y_bar| (y_bar * t, y_bar * k))                     with its pullback
//! ```
//!
//! The pullback of the call that such a closure is handed to may hold the closure. So one with a pullback moves what it
//! captures: copies, and references to what outlives the function or is held beside the pullback of the call.

use super::expr::Expr;
use super::state::Variable;
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId, is_copy};
use crate::ir::{Arg, Form, Graph, Lambda, Node, Op, Type, Value};
use crate::syntax::signature::one_or_tuple;
use la_arena::ArenaMap;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// A parameter by `&mut`, and the variable with a copy of it, if it is a scalar.
type Final = (PlaceId, Option<PlaceId>);

impl<'f> Emitter<'f> {
    pub(super) fn lambda(&mut self, n: Node, lambda: &'f Lambda) -> Result<()> {
        let node = &self.func[n];
        let mut captured = Vec::new();
        for &v in &node.args {
            let repr = self.captured(v, lambda.form == Form::Vjp)?;
            captured.push(repr);
        }
        let reads: Vec<PlaceId> = captured
            .iter()
            .flat_map(|repr| match repr {
                Repr::Place(p) => vec![*p],
                Repr::Expr(e) => e.reads.clone(),
            })
            .collect();
        let variables = self.variables(lambda);
        self.variables.insert(node.outs[0], (lambda.form, variables.clone()));
        let mut inner = self.nested(lambda, &captured);
        inner.without = self.params_without(n, lambda);
        for (&v, &p) in node.args.iter().zip(&lambda.func[lambda.func.root].params) {
            if let Some(&arity) = self.shared.get(v) {
                inner.shared.insert(p, arity);
            }
        }
        let tokens = inner.lambda_body(lambda, &variables);
        self.needs.add(inner.needs);
        self.elementwise |= inner.elementwise;
        self.names = inner.names;
        let mut e = Expr::atom(self.with_variables(tokens?, lambda.form, &variables));
        for p in reads {
            e = e.reading(p);
        }
        self.wait(node.outs[0], e);
        Ok(())
    }

    /// Something that a closure captures: a variable, or an expression without variables. `held`: it must not refer to
    /// what only this function has.
    fn captured(&mut self, v: Value, held: bool) -> Result<Repr> {
        let ty = self.func.ty(v).clone();
        if let Some(shared) = held.then(|| self.shared_by(v)).flatten() {
            return Ok(shared);
        }
        match self.reprs.get(v).cloned() {
            None => return self.unsupported("a value of another execution"),
            Some(Repr::Expr(e)) if e.reads.is_empty() && !e.effect && is_copy(&ty) => return Ok(Repr::Expr(e)),
            Some(Repr::Expr(e)) => {
                self.bind(v, e);
            }
            Some(Repr::Place(_)) => {}
        }
        let Some(&Repr::Place(p)) = self.reprs.get(v) else { return self.unsupported("a value without a variable") };
        if !held || self.places.outlives(p) {
            return Ok(Repr::Place(p));
        }
        if is_copy(&ty) {
            if self.places[p].hold == Hold::Owned {
                return Ok(Repr::Place(p));
            }
            let e = self.variable(p);
            let place = self.copy_into(v, v, e.tokens, None);
            return Ok(Repr::Place(place));
        }
        let owned = self.take_for_long(v)?;
        let (ident, new, tokens) = (self.names.unique("held"), self.private("Held"), &owned.tokens);
        self.push(quote!(let #ident = #new::new(#tokens);));
        let before = self.reprs.get(v).cloned();
        let place = self.declare(v, Hold::Ref);
        self.let_(vec![Some(place)], None, quote!(#ident.get()));
        if let Some(before) = before {
            self.reprs.insert(v, before);
        }
        self.held.push(ident);
        Ok(Repr::Place(place))
    }

    /// An emitter for the function inside a closure.
    fn nested(&mut self, lambda: &'f Lambda, captured: &[Repr]) -> Emitter<'f> {
        let func = &lambda.func;
        let mut places = self.places.clone();
        places.forget();
        let mut reprs = ArenaMap::default();
        for (&p, repr) in func[func.root].params.iter().zip(captured) {
            if let Repr::Place(place) = repr {
                places[*place].holders.push(p);
            }
            reprs.insert(p, repr.clone());
        }
        let names = std::mem::take(&mut self.names);
        let mut inner = Emitter::with(func, names, self.krate.clone(), self.floats.clone());
        inner.reprs = reprs;
        inner.places = places;
        inner.level = self.level + 1;
        inner
    }

    fn lambda_body(&mut self, lambda: &Lambda, variables: &[Variable]) -> Result<TokenStream> {
        let func = self.func;
        let root = func.root;
        let own = &func[root].params[lambda.variables().end..];
        let (results, left) = func[root].results.split_at(lambda.results());
        self.take_variables(&func[root].params[lambda.variables()], variables);
        // something that does not outlive the closure, for what is lent to a call of it
        let (mut params, mut finals) = (Vec::new(), Vec::new());
        let mut rebound = Vec::new();
        let mut types = lambda.types.iter();
        let count = lambda.types.len();
        for (k, &p) in own.iter().enumerate() {
            let ty = if k < count { types.next().and_then(Clone::clone) } else { None };
            // what a view shows is copied, as the pullback of the closure outlives it
            let shown = lambda.form == Form::Vjp && is_view(&ty);
            let mut place = self.declare(p, if shown { Hold::Owned } else { hold(&ty) });
            if shown && self.is_used(p) {
                let (ident, copy) = (self.places[place].ident.clone(), self.private("copy_of"));
                self.let_(vec![Some(place)], None, quote!(#copy(&#ident.view())));
                rebound.push(place);
            }
            if self.places[place].hold == Hold::Mut && func.ty(p).is_scalar() {
                // its own name is the reference's
                let reference = place;
                self.places[reference].holders.clear();
                place = self.declare(p, Hold::Owned);
                let ident = self.places[reference].ident.clone();
                self.let_(vec![Some(place)], None, quote!(*#ident));
                finals.push((reference, Some(place)));
                place = reference;
            } else if self.places[place].hold == Hold::Mut {
                finals.push((place, None));
            }
            if k < count && ty.is_none() && self.is_used(p) {
                // perhaps a reference
                self.needs.given = true;
                let (ident, given) = (self.places[place].ident.clone(), self.private("Given"));
                let handed = lambda.form == Form::Vjp && self.is_handed_on(p);
                let told = handed.then(|| self.names.unique("given"));
                if let Some(told) = &told {
                    self.push(quote!(let #told = #given(&#ident).given();));
                }
                let method = if lambda.form == Form::Vjp { quote!(own) } else { quote!(plain) };
                self.let_(vec![Some(place)], None, quote!(#given(#ident).#method()));
                rebound.push(place);
                if told.is_some() || lambda.form != Form::Vjp {
                    self.given.push((p, told));
                }
            }
            params.push((place, ty));
        }
        for (place, _) in &params {
            self.places[*place].lent = false;
        }
        let tail = match lambda.form {
            Form::Plain => {
                self.nodes(root)?;
                self.put_variables(left, variables)?;
                self.finish_lambda(results, &finals)?
            }
            Form::Jvp => {
                self.nodes(root)?;
                self.put_variables(left, variables)?;
                let (values, dots) = results.split_at(1 + finals.len());
                // a tangent may be computed from what is changed now
                let value = self.finish_lambda(values, &finals)?;
                // the tangents are those of the results that can have one
                let mut dots = dots.iter();
                let mut tangents = Vec::new();
                for (k, &v) in values.iter().enumerate() {
                    let dot = if func.ty(v).can_be_active() { dots.next() } else { None };
                    match dot {
                        Some(&dot) => tangents.push(self.taken(dot)?),
                        None if k == 0 && *func.ty(v) == Type::Unit => {}
                        None => tangents.push(quote!(())),
                    }
                }
                let tangent = one_or_tuple(tangents);
                quote!((#value, #tangent))
            }
            Form::Vjp => self.lambda_vjp(lambda, &finals, variables)?,
        };
        let active = &lambda.active[lambda.variables().end..];
        let mut patterns: Vec<TokenStream> = Vec::new();
        let mut dots = params[count..].iter();
        for (place, ty) in &params[..count] {
            let pattern = match rebound.contains(place) {
                true => self.places[*place].ident.to_token_stream(),
                false => self.pattern(&[Some(*place)]),
            };
            let ty = ty.as_ref().map(|ty| quote!(: #ty));
            patterns.push(quote!(#pattern #ty));
        }
        if lambda.form == Form::Jvp {
            for &active in active {
                let dot = if active { dots.next() } else { None };
                patterns.push(match dot {
                    Some((place, _)) => self.pattern(&[Some(*place)]),
                    None => quote!(_),
                });
            }
        }
        let scope = self.close();
        let stmts = self.render(&scope);
        let body = if stmts.is_empty() { tail } else { quote!({ #stmts #tail }) };
        let moves = (lambda.form == Form::Vjp).then(|| quote!(move));
        Ok(quote!(#moves |#(#patterns),*| #body))
    }

    /// Whether a parameter is an argument of a call as it is.
    fn is_handed_on(&self, p: Value) -> bool {
        !self.func.ty(p).is_scalar()
            && self.func.nodes.iter().any(|(_, node)| match &node.op {
                Op::Call(call) | Op::CallVjp(call) => {
                    node.args.iter().zip(&call.args).any(|(&v, mode)| v == p && *mode == Arg::Value)
                }
                _ => false,
            })
    }

    /// An argument by value; a parameter of a closure that may be a reference, as it was given to that.
    pub(super) fn given_on(&mut self, v: Value, held: &mut Vec<Ident>) -> Result<Expr> {
        let Some(told) = self.given.iter().find(|(p, _)| *p == v).map(|(_, told)| told.clone()) else {
            return self.take(v);
        };
        if let Some(told) = told {
            let (ident, new) = (self.names.unique("held"), self.private("Held"));
            let owned = self.take_for_long(v)?.tokens;
            self.push(quote!(let #ident = #new::new(#owned);));
            let e = Expr::atom(quote!(#told.of(#ident.get())));
            held.push(ident);
            return Ok(e);
        }
        match self.reprs.get(v) {
            Some(&Repr::Place(p)) if !self.takeable(v, p) => {
                let e = self.by_ref(v)?;
                let tokens = &e.tokens;
                Ok(Expr::atom(quote!(::core::clone::Clone::clone(#tokens))).of([&e]))
            }
            _ => self.take(v),
        }
    }

    /// The statements of a closure with a pullback, and its value with that.
    fn lambda_vjp(&mut self, lambda: &Lambda, finals: &[Final], variables: &[Variable]) -> Result<TokenStream> {
        let func = self.func;
        let root = func.root;
        let (results, left) = func[root].results.split_at(lambda.results());
        let (closure, graph) = self.pullback_of(root)?;
        self.nodes_but(root, closure)?;
        self.closing = true;
        for v in func.free(graph) {
            self.keep_for_closure(v)?;
        }
        let values = &results[..=finals.len()];
        self.put_variables(left, variables)?;
        let value = self.finish_lambda(values, finals)?;
        self.own_backs(variables);
        self.level += 1;
        self.open();
        self.stand_at((graph, 0));
        let mut params = func[graph].params.iter();
        let mut seeds: Vec<Option<PlaceId>> = Vec::new();
        for (k, &v) in values.iter().enumerate() {
            let seed = if func.ty(v).can_be_active() { params.next() } else { None };
            match seed {
                Some(&p) => {
                    let place = self.declare(p, Hold::Owned);
                    seeds.push(self.is_used(p).then_some(place));
                }
                None if k == 0 && *func.ty(v) == Type::Unit && !finals.is_empty() => {}
                None => seeds.push(None),
            }
        }
        let active = |k: usize| lambda.active[lambda.captures + k];
        for (_, variable) in variables.iter().enumerate().filter(|(k, _)| active(*k)) {
            if let Some(&seed) = params.next() {
                self.take_back(seed, variable);
            }
        }
        self.nodes(graph)?;
        // what changes is known now
        let seed = if seeds.is_empty() { quote!(_) } else { self.pattern(&seeds) };
        let mut cotangents = func[graph].results.iter();
        let mut parts = Vec::new();
        let mut entries = Vec::new();
        for (k, &active) in lambda.active.iter().enumerate() {
            let cotangent = if active { cotangents.next() } else { None };
            if lambda.variables().contains(&k) {
                if let Some(&v) = cotangent {
                    self.put_back(v, &variables[k - lambda.captures])?;
                }
                continue;
            }
            let entry = match cotangent {
                Some(&v) => self.taken(v)?,
                None => quote!(()),
            };
            if k >= lambda.captures {
                entries.push(entry);
            } else if active {
                parts.push(entry);
            }
        }
        let scope = self.close();
        self.level -= 1;
        let stmts = self.render(&scope);
        let of_captured = one_or_tuple(parts);
        let entries = one_or_tuple([of_captured].into_iter().chain(entries));
        let body = if stmts.is_empty() { entries } else { quote!({ #stmts #entries }) };
        Ok(quote!((#value, move |#seed| #body)))
    }

    /// Leaves the final values in what the closure was given by `&mut`, and gives the value.
    fn finish_lambda(&mut self, results: &[Value], finals: &[Final]) -> Result<TokenStream> {
        let mut targets = Vec::new();
        for (&(place, local), &v) in finals.iter().zip(&results[1..]) {
            match local {
                Some(_) => {
                    let (ident, tokens) = (self.places[place].ident.clone(), self.taken(v)?);
                    self.push(quote!(*#ident = #tokens;));
                }
                None => targets.push((place, v)),
            }
        }
        self.assign(&targets)?;
        if *self.func.ty(results[0]) == Type::Unit {
            return Ok(quote!(()));
        }
        self.taken(results[0])
    }

    fn pullback_of(&self, root: Graph) -> Result<(Node, Graph)> {
        let found = self.func[root].nodes.iter().find_map(|&n| match self.func[n].op {
            Op::Closure(g) => Some((n, g)),
            _ => None,
        });
        match found {
            Some(found) => Ok(found),
            None => self.unsupported("a closure without a pullback"),
        }
    }

    /// Puts a function parameter where it stays, and a reference to it in its place. Gives the name of what holds it.
    pub(in crate::emit) fn hold_function(&mut self, v: Value, arg: &Ident) -> Ident {
        let (ident, new) = (self.names.unique("held"), self.private("Held"));
        self.push(quote!(let #ident = #new::new(#arg);));
        let place = self.declare_ident(v, arg.clone(), Hold::Ref);
        self.let_(vec![Some(place)], None, quote!(#ident.get()));
        ident
    }

    /// A function as an argument. `again`: of the function itself, which must not get a reference to a reference to …
    pub(super) fn function_argument(&mut self, v: Value, again: bool) -> Result<Expr> {
        if let Some(e) = self.handed_on(v, again) {
            return Ok(e);
        }
        if let Some(&Repr::Place(p)) = self.reprs.get(v) {
            let ident = &self.places[p].ident;
            if again && let Some((_, ty)) = self.objects.iter().find(|(of, _)| *of == v) {
                let reference = if self.places[p].hold == Hold::Ref { quote!(#ident) } else { quote!(&#ident) };
                return Ok(Expr::atom(quote!((#reference as #ty))).reading(p));
            }
            let by_value = self.places[p].hold == Hold::Ref || self.takeable(v, p);
            let tokens = if by_value { quote!(#ident) } else { quote!(&#ident) };
            return Ok(Expr::atom(tokens).reading(p));
        }
        self.expr(v)
    }
}

/// Whether a type as it is written is that of a view of an array which is only read.
fn is_view(ty: &Option<TokenStream>) -> bool {
    let Some(ty) = ty.clone().and_then(|ty| syn::parse2::<syn::Type>(ty).ok()) else { return false };
    let inner = match &ty {
        syn::Type::Reference(r) if r.mutability.is_none() => &r.elem,
        ty => ty,
    };
    let syn::Type::Path(p) = inner else { return false };
    let name = p.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    name.starts_with("ArrayView") && !name.starts_with("ArrayViewMut")
}

/// How a parameter of a type as it is written is passed.
fn hold(ty: &Option<TokenStream>) -> Hold {
    let mut tokens = ty.iter().flat_map(|ty| ty.clone()).map(|token| token.to_string());
    match (tokens.next().as_deref(), tokens.next().as_deref()) {
        (Some("&"), Some("mut")) => Hold::Mut,
        (Some("&"), _) => Hold::Ref,
        _ => Hold::Owned,
    }
}
