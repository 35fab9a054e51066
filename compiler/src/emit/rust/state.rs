//! What closures change that are handed to functions, and functions with a state that are handed on.
//!
//! ```text
//! let state = State::new(s);
//! let back = Back::of(&state);
//! let (y, pullback) = each_vjp(
//!     {
//!         let (state, back) = (state.clone(), back.clone());
//!         move |t| {
//!             let s = state.take();
//!             state.put(s + t * x);
//!             let back = back.clone();
//!             ((), move |_| {
//!                 let s_bar = back.take();
//!                 back.put(s_bar);
//!                 (s_bar * t, s_bar * x)
//!             })
//!         }
//!     },
//!     3,
//! );
//! let s = state.take();
//! let pullback = back.around(pullback);
//! ```

use super::expr::Expr;
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId};
use crate::ir::{Call, Form, Lambda, Type, Value};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Where something is that a closure changes.
#[derive(Clone)]
pub(super) struct Variable {
    /// What holds it.
    state: Ident,
    /// What holds its cotangent, if it has one.
    back: Option<Ident>,
}

impl Emitter<'_> {
    /// Names what holds the variables of a closure.
    pub(super) fn variables(&mut self, lambda: &Lambda) -> Vec<Variable> {
        let mut variables = Vec::new();
        for k in lambda.variables() {
            let state = self.names.unique("state");
            let back = (lambda.form == Form::Vjp && lambda.active[k]).then(|| self.names.unique("back"));
            variables.push(Variable { state, back });
        }
        variables
    }

    /// Takes the variables of a closure at its beginning.
    pub(super) fn take_variables(&mut self, params: &[Value], variables: &[Variable]) {
        for (&p, Variable { state, .. }) in params.iter().zip(variables) {
            let place = self.declare(p, Hold::Owned);
            if self.is_used(p) {
                self.let_(vec![Some(place)], None, quote!(#state.take()));
            }
        }
    }

    /// Leaves the variables of a closure at its end.
    pub(super) fn put_variables(&mut self, left: &[Value], variables: &[Variable]) -> Result<()> {
        for (&v, Variable { state, .. }) in left.iter().zip(variables) {
            let tokens = self.take_for_long(v)?.tokens;
            self.push(quote!(#state.put(#tokens);));
        }
        Ok(())
    }

    /// What the pullback of a closure has to own.
    pub(super) fn own_backs(&mut self, variables: &[Variable]) {
        for back in variables.iter().filter_map(|of| of.back.as_ref()) {
            self.push(quote!(let #back = #back.clone();));
        }
    }

    /// Takes a cotangent of a variable at the beginning of the pullback of a closure.
    pub(super) fn take_back(&mut self, seed: Value, variable: &Variable) {
        let place = self.declare(seed, Hold::Owned);
        if let (Some(back), true) = (&variable.back, self.is_used(seed)) {
            self.let_(vec![Some(place)], None, quote!(#back.take()));
        }
    }

    /// Leaves one at its end.
    pub(super) fn put_back(&mut self, cotangent: Value, variable: &Variable) -> Result<()> {
        let Some(back) = &variable.back else { return Ok(()) };
        let tokens = self.taken(cotangent)?;
        self.push(quote!(#back.put(#tokens);));
        Ok(())
    }

    /// A closure with what holds its variables.
    pub(super) fn with_variables(&self, closure: TokenStream, form: Form, variables: &[Variable]) -> TokenStream {
        if form != Form::Vjp || variables.is_empty() {
            return closure;
        }
        let names = variables.iter().flat_map(|of| [Some(&of.state), of.back.as_ref()]).flatten();
        let clones = names.map(|name| quote!(let #name = #name.clone();));
        quote!({ #(#clones)* #closure })
    }

    /// What the closures among the arguments of a call refer to, which stays as it is.
    pub(super) fn seen_by_functions(&self, args: &[Value]) -> Vec<PlaceId> {
        let functions = args.iter().filter(|&&v| matches!(self.func.ty(v), Type::Function));
        let reads = functions.filter_map(|&v| self.reprs.get(v)).flat_map(Repr::reads);
        reads.flat_map(|p| self.places.below(p)).collect()
    }

    /// Before a call: what the closures find that are handed to it.
    pub(super) fn hold_variables(&mut self, call: &Call, args: &[Value]) -> Result<()> {
        for (state, &v) in call.states.iter().zip(call.before(args)) {
            let Some(Variable { state: ident, back }) = self.changed_by(args[state.function], state.index) else {
                return self.unsupported("a closure of another call");
            };
            let e = self.take_for_long(v)?;
            let ty = e.annotation(self.func.ty(v)).map(|ty| quote!(::<#ty>));
            let mut tokens = e.tokens;
            let mut like = None;
            if back.is_some() && self.began_without(v) {
                tokens = self.temporary(tokens).tokens;
                let zero = self.zero_or_unit(&tokens);
                like = Some(self.temporary(zero).tokens);
            }
            if self.undone(args[state.function]) {
                let new = self.private("State");
                self.push(quote!(let #ident = #new #ty::new(#tokens);));
            } else {
                let new = self.private("Local");
                self.push(quote!(let mut #ident = #new #ty::new(#tokens);));
            }
            if let Some(back) = back {
                let of = self.private("Back");
                self.push(match like {
                    Some(zero) => quote!(let #back = #of::like(&#zero);),
                    None => quote!(let #back = #of::of(&#ident);),
                });
            }
        }
        Ok(())
    }

    /// After a call: what the closures have left. `pullback`: the variable with that of the call.
    pub(super) fn release_variables(&mut self, call: &Call, args: &[Value], outs: &[Value], pullback: Option<PlaceId>) {
        for (state, &out) in call.states.iter().zip(call.after(outs)) {
            let Some(Variable { state: ident, back }) = self.changed_by(args[state.function], state.index) else {
                continue;
            };
            if self.is_used(out) {
                let place = self.declare(out, Hold::Owned);
                self.let_(vec![Some(place)], None, quote!(#ident.take()));
            }
            if let (Some(back), Some(pullback)) = (back, pullback) {
                let pullback = &self.places[pullback].ident;
                let code = quote!(let #pullback = #back.around(#pullback););
                self.push(code);
            }
        }
    }

    /// The seed of a pullback with the cotangents of what closures have left.
    pub(super) fn seed_with_variables(
        &mut self,
        seed: TokenStream,
        call: &Call,
        args: &[Value],
    ) -> Result<TokenStream> {
        let mut seed = seed;
        for &v in call.before(args) {
            let of = self.taken(v)?;
            seed = quote!((#seed, #of));
        }
        Ok(seed)
    }

    /// Takes what a pullback gave apart: the cotangents of what closures have found, and the entries.
    pub(super) fn entries_without_variables(&mut self, given: TokenStream, call: &Call, outs: &[Value]) -> TokenStream {
        let mut given = given;
        for &out in call.after(outs).iter().rev() {
            let (entries, both) = (self.names.unique("entries"), self.names.unique("both"));
            self.push(quote!(let #both = #given;));
            if self.is_used(out) {
                let place = self.declare(out, Hold::Owned);
                self.let_(vec![Some(place)], None, quote!(#both.1));
            }
            self.push(quote!(let #entries = #both.0;));
            given = quote!(#entries);
        }
        given
    }

    fn changed_by(&self, function: Value, index: usize) -> Option<Variable> {
        self.variables.get(function).and_then(|(_, of)| of.get(index)).cloned()
    }

    /// Whether a closure is one with a pullback.
    fn undone(&self, function: Value) -> bool {
        self.variables.get(function).is_some_and(|(form, _)| *form == Form::Vjp)
    }

    // ---- functions with a state

    /// Lets a function parameter with a state be handed on. `arity`: how many arguments it takes.
    pub(in crate::emit) fn share_function(&mut self, v: Value, arg: &Ident, arity: usize) {
        let new = self.private("Shared");
        self.push(quote!(let #arg = #new::new(#arg);));
        self.shared.insert(v, arity);
    }

    /// What is called of a function that is shared.
    pub(super) fn shared_function(&self, v: Value) -> Option<Expr> {
        self.shared.get(v)?;
        let &Repr::Place(p) = self.reprs.get(v)? else { return None };
        let ident = &self.places[p].ident;
        Some(Expr::atom(quote!((*#ident.get()))).reading(p))
    }

    /// A function that is shared, as an argument.
    pub(super) fn handed_on(&mut self, v: Value, again: bool) -> Option<Expr> {
        let arity = *self.shared.get(v)?;
        let &Repr::Place(p) = self.reprs.get(v)? else { return None };
        let ident = self.places[p].ident.clone();
        let args: Vec<Ident> = (0..arity).map(|_| self.names.unique("arg")).collect();
        let closure = quote!({
            let #ident = #ident.clone();
            move |#(#args),*| (*#ident.get())(#(#args),*)
        });
        let object = self.objects.iter().find(|(of, _)| *of == v).filter(|_| again);
        Some(match object {
            Some((_, ty)) => {
                let new = self.private("Box");
                Expr::atom(quote!((#new::new(#closure) as #ty))).reading(p)
            }
            None => Expr::atom(closure).reading(p),
        })
    }

    /// A function that is shared, as a closure that moves what it captures has it.
    pub(super) fn shared_by(&mut self, v: Value) -> Option<Repr> {
        self.shared.get(v)?;
        let &Repr::Place(p) = self.reprs.get(v)? else { return None };
        let (shared, ident) = (self.places[p].ident.clone(), self.names.unique("shared"));
        self.push(quote!(let #ident = #shared.clone();));
        let place = self.places.add_unnamed(ident, Hold::Owned, self.level);
        Some(Repr::Place(place))
    }
}
