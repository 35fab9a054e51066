//! Method calls.

use super::argument::Arguments;
use super::control::strip;
use super::inactive::{foreign_result, int_method};
use super::option::{is_common_method, is_option_method};
use super::owned::{borrows_temporary, guarded};
use super::place::Place;
use super::{Lowering, Operand, outcome, types};
use crate::diag::catalog;
use crate::ir::{Arg, Call, Callee, Float, Op, Step, Type, Value};
use crate::prims;
use crate::syntax::signature::{By, ResultKind, bare};
use quote::{ToTokens, quote};

impl<'a> Lowering<'a> {
    /// A method call. `statement`: its value is not used.
    pub(crate) fn method(&mut self, m: &syn::ExprMethodCall, statement: bool) -> Operand {
        let (outer, unwraps) = (std::mem::replace(&mut self.span, m.method.span()), self.unwraps);
        let o = self.method_inner(m, statement);
        (self.span, self.unwraps) = (outer, unwraps);
        o
    }

    fn method_inner(&mut self, m: &syn::ExprMethodCall, statement: bool) -> Operand {
        let name = m.method.to_string();
        let array_map = self.is_array_map(m);
        let known = std::mem::take(&mut self.option_method_of);
        let of_outcome = std::mem::take(&mut self.outcome_method_of);
        let outcome = of_outcome && outcome::methods::is_common(m);
        let array = self.is_map_of_array(m);
        if let Some(o) = self.zip_call(m) {
            return o;
        }
        // code in which nothing differentiable occurs and whose receiver is of a foreign type is kept as it is
        if self.is_foreign(&m.receiver) && !borrows_temporary(m) && !self.mentions_active(m.to_token_stream()) {
            let ty = if statement { Type::Unit } else { foreign_result(&name) };
            let tokens = m.to_token_stream();
            if statement {
                self.verbatim_effect(quote!(#tokens;));
                return Operand::Value(self.unit());
            }
            let tokens = self.lasting(&name, tokens);
            let v = self.verbatim_value(tokens, ty);
            if guarded(&syn::Expr::MethodCall(m.clone())) {
                self.guards.insert(v, ());
            }
            return Operand::Value(v);
        }
        if self.is_users_own(&m.receiver) {
            return self.own_method(m, statement);
        }
        let unwrapped = std::mem::replace(&mut self.unwraps, matches!(name.as_str(), "unwrap" | "expect"));
        if self.unwraps {
            self.expect_converted(m);
        }
        if let Some(o) = self.gathered(m, of_outcome) {
            return o;
        }
        if !(known && is_common_method(&name) || outcome)
            && let Some(o) = self.iterator_call(m)
        {
            return o;
        }
        if !outcome
            && !outcome::methods::tells(m)
            && let Some(o) = self.combinator(m, known)
        {
            return o;
        }
        if let Some(o) = self.outcome_of_option(m) {
            return o;
        }
        let receiver = match if outcome || outcome::methods::tells(m) {
            self.outcome_expr(&m.receiver)
        } else if known && is_common_method(&name) || is_option_method(&name) && (known || !array_map) {
            self.option_receiver(m)
        } else {
            self.expect_by_method(m, array);
            if array_map {
                self.expect_sequence(&m.receiver);
            }
            self.nested_expr(&m.receiver)
        } {
            Operand::Never => return Operand::Never,
            Operand::Closure(k) if name == "clone" => return Operand::Closure(self.copied_closure(k)),
            o @ (Operand::Function(_) | Operand::Choice(..)) if name == "clone" => return o,
            Operand::Parts(parts) if name == "len" => return Operand::Value(self.b().int(parts.len())),
            Operand::Iter(_) => return self.unknown_method(m, "an iterator with differentiable values"),
            o if self.outcome_parts(&o).is_some() => return self.method_of_outcome(&o, m).expect("a result"),
            o @ (Operand::Choice(..) | Operand::Object(_)) if self.holds_object(&o) => {
                return self.method_of_choice(&o, m, statement);
            }
            Operand::Closure(_) | Operand::Function(_) | Operand::Choice(..) | Operand::Parts(_) => {
                return self.unsupported(
                    m.method.span(),
                    "this method is not supported here yet",
                    "write it with a `for` loop",
                );
            }
            o => o,
        };
        self.unwraps = unwrapped;
        if (known || !array && !array_map)
            && let Some(o) = self.method_of_option(&receiver, m, known)
        {
            return o;
        }
        let mut place = self.place(receiver);
        let mut ty = self.place_type(&place);
        if let Type::Boxed(t) = &ty
            && (**t != Type::Dyn || self.place_active(&place) && !super::objects::OF_BOXES.contains(&name.as_str()))
        {
            ty = (**t).clone();
            place = place.step(Step::Unbox, []);
        }
        let known = match &ty {
            Type::Float(_) => self.float_method(&place, m),
            Type::NdArray(..) => {
                self.reading += 1;
                let o = self.array_method(&place, m);
                self.reading -= 1;
                o
            }
            Type::Slice(_) | Type::Vec(_) | Type::Array(_) => self.sequence_method(&place, m),
            Type::Bool => self.condition_method(&place, m),
            Type::Dyn if array_map && self.place_active(&place) => Some(self.array_map(&place, &m.args[0])),
            Type::Dyn if self.place_active(&place) => {
                let array = array && !self.is_struct(&place);
                let o = self.unseen_inactive(&place, m);
                let o = o.or_else(|| if array { None } else { self.unseen_vector(&place, m, known) });
                let o = o.or_else(|| self.unseen_array(&place, m, array));
                o.or_else(|| self.dyn_method(&place, m))
            }
            Type::Dyn if self.mentions_active(m.args.to_token_stream()) => {
                self.unseen_vector(&place, m, known).or_else(|| self.constant_method(&place, m))
            }
            _ => None,
        };
        if let Some(o) = known {
            return o;
        }
        self.called_method(place, ty, m, statement)
    }

    /// A method that is none of those that are known here.
    pub(crate) fn called_method(
        &mut self,
        place: Place,
        ty: Type,
        m: &syn::ExprMethodCall,
        statement: bool,
    ) -> Operand {
        let name = m.method.to_string();
        self.span = m.method.span();
        match (name.as_str(), m.args.len()) {
            ("clone" | "to_owned", 0) if ty.is_scalar() => return Operand::Value(self.read(&place)),
            ("clone", 0) => {
                let v = self.read(&place);
                return Operand::Value(self.push(Op::Copy(false), vec![v], ty));
            }
            ("into", 0) if ty.is_float() => return Operand::Value(self.read(&place)),
            ("into", 0) if self.place_active(&place) => {
                if let Some(from) = self.conversion_to_users(m) {
                    return self.call_function(&from, vec![Operand::Place(place)], m.method.span());
                }
            }
            _ => {}
        }
        if matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_) | Type::Tuple(_)) && self.place_active(&place) {
            return self.unknown_method(m, &format!("a differentiable `{ty}`"));
        }
        let x = self.read(&place);
        // a method whose value is not used changes its receiver, if that can be changed
        let itself = matches!(strip(&m.receiver), syn::Expr::Path(p) if p.path.is_ident("self"));
        let own = name == bare(&self.sig.name) && self.sig.params.first().is_some_and(|p| p.by == By::RefMut);
        let taken = self.taken_of(&m.receiver, &m.method);
        let receiver = taken.as_ref().and_then(|taken| taken.first().copied());
        let (known, reads) = (receiver.unwrap_or(itself && own), receiver == Some(false));
        let changes =
            (statement && !reads || known) && self.is_changeable(&place) && self.place_active_or_argument(&place, m);
        let mode = if changes { Arg::RefMut } else { Arg::Ref };
        let mut arguments =
            Arguments { operands: vec![x], modes: vec![mode], places: vec![changes.then(|| place.clone())] };
        let mut doubtful = Vec::new();
        for (i, a) in m.args.iter().enumerate() {
            let own = taken.as_ref().and_then(|taken| taken.get(i + 1).copied());
            if name == "dot" {
                self.expect_array(a);
            }
            let argument = self.argument(a, own.or(statement.then_some(true)));
            if std::mem::take(&mut self.doubtful) && own.is_none() {
                doubtful.push((i + 1, a));
            }
            arguments.push(argument);
        }
        let active = arguments.operands.iter().any(|&v| self.is_active(v));
        if !active {
            let Arguments { operands, modes, .. } = arguments;
            let method = &m.method;
            let turbofish = &m.turbofish;
            let result = match &ty {
                Type::Int(_) if int_method(&name) => ty.clone(),
                Type::Float(_) => ty.clone(),
                _ => self.generic_conversion(m).unwrap_or_else(|| foreign_result(&name)),
            };
            let pure_ = matches!(ty, Type::Int(_)) && int_method(&name);
            let guard = self.guards.contains_idx(x) || guarded(&syn::Expr::MethodCall(m.clone()));
            let names: Vec<_> = (0..operands.len()).map(|k| quote::format_ident!("__{k}", span = self.span)).collect();
            let arguments = names[1..].iter().zip(&modes[1..]).map(|(a, mode)| mode.of(a));
            let receiver = &names[0];
            let code = self.lasting(&name, quote!(#receiver.#method #turbofish(#(#arguments),*)));
            let v = self.template(&operands, result, pure_, |_| code);
            if guard {
                self.guards.insert(v, ());
            }
            return Operand::Value(v);
        }
        if matches!(ty, Type::Slice(_) | Type::Vec(_) | Type::Array(_) | Type::Tuple(_)) {
            return self.unknown_method(m, &format!("a differentiable `{ty}`"));
        }
        if let Type::Int(_) | Type::Bool | Type::Inactive = ty {
            return self.unsupported(
                m.method.span(),
                format!(
                    "the method `{name}` takes a differentiable value here, and it is not known what it does with it"
                ),
                "compute with the value itself, or move this into a function with `#[differentiable]`",
            );
        }
        // what began with constants may be given its first differentiable value here
        let may_keep = self.is_active(x) || ty == Type::Dyn && !KEEPERS.contains(&name.as_str());
        let others = arguments.modes[1..].iter().any(|mode| mode.changes());
        let may_change = self.is_changeable(&place) && (self.is_active(x) || may_keep && !others);
        if !statement && taken.is_none() && !known && may_change {
            // whether it changes its receiver only the compiler knows
            self.perhaps_changed = !others;
            (arguments.modes[0], arguments.places[0]) = (Arg::RefMut, Some(place.clone()));
        }
        self.doubt(&mut arguments, &doubtful, statement);
        let Arguments { operands, modes, places } = arguments;
        let unseen = matches!(self.func.ty(x), Type::Dyn | Type::Boxed(_));
        // one at least is changed where the value is not used: rather the receiver than what is given by its name
        let sure = |k: usize| modes[k].changes() && !doubtful.iter().any(|&(named, _)| named == k);
        let others = if statement { (1..modes.len()).any(sure) } else { others };
        if others && taken.is_none() && !known && unseen && modes[0] == Arg::RefMut {
            self.in_doubt.push(0);
        }
        self.deques |= super::stand_in::is_method(&name);
        self.protocol(Callee::Method(m.method.clone()), operands, modes, places, statement)
    }

    /// Reports a method that is not known, by its name.
    fn unknown_method(&mut self, m: &syn::ExprMethodCall, of: &str) -> Operand {
        let name = m.method.to_string();
        self.unsupported(
            m.method.span(),
            format!("the method `{name}` on {of} is not supported yet"),
            "write a loop with indices, or move this into a function with `#[differentiable]`",
        )
    }

    /// The type of `T::from(n).unwrap()`, for a type parameter `T` that stands for a float.
    fn generic_conversion(&self, m: &syn::ExprMethodCall) -> Option<Type> {
        let syn::Expr::Call(call) = strip(&m.receiver) else { return None };
        let syn::Expr::Path(path) = strip(&call.func) else { return None };
        let kind = self.float_path(&path.path)?;
        let converts = path.path.segments.last().is_some_and(|last| last.ident.to_string().starts_with("from"));
        let unwraps = ["unwrap", "expect", "unwrap_or_else", "unwrap_or"].iter().any(|name| m.method == name);
        (converts && unwraps && matches!(kind, Float::Generic(_))).then_some(Type::Float(kind))
    }

    /// A method of a float.
    fn float_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        let x = self.read(place);
        if name == "sin_cos" && m.args.is_empty() {
            return Some(Operand::Value(self.sin_cos(x)));
        }
        if let Some(prim) = prims::method(&name) {
            if m.args.len() + 1 != prim.arity {
                return None;
            }
            let mut args = vec![x];
            for a in &m.args {
                let (v, _) = self.given(a);
                // the methods of a float with another number take one of its own type
                let receiver = self.ty(x);
                if prim.name != "powi" && *self.func.ty(v) == Type::Dyn && receiver != Type::Float(Float::Any) {
                    self.func.values[v].ty = receiver;
                }
                args.push(v);
            }
            self.span = m.method.span();
            return Some(Operand::Value(self.arithmetic(prim, &args)));
        }
        self.asked_of_float(x, m)
    }

    /// A method of a float whose result has no derivative, such as `total_cmp`; also where the macro does not see that it is
    /// a float, as other types have methods of these names for the same.
    fn asked_of_float(&mut self, x: Value, m: &syn::ExprMethodCall) -> Option<Operand> {
        let name = m.method.to_string();
        if !prims::INACTIVE_METHODS.contains(&name.as_str()) {
            return None;
        }
        let mut operands = vec![x];
        for a in &m.args {
            operands.push(self.operand(a));
        }
        let method = &m.method;
        let ty = if name.starts_with("is_") || ["eq", "ne", "lt", "le", "gt", "ge"].contains(&name.as_str()) {
            Type::Bool
        } else if name == "to_bits" {
            Type::INT
        } else {
            Type::Inactive
        };
        Some(Operand::Value(self.template(&operands, ty, true, |p| {
            let (receiver, args) = p.split_first().expect("there is a receiver");
            // all methods of a float with an argument and no float result take it by reference
            let args = args.iter().map(|a| quote!(&#a));
            quote!(#receiver.#method(#(#args),*))
        })))
    }

    /// Whether a method call has to do with differentiable values.
    fn place_active_or_argument(&mut self, place: &Place, m: &syn::ExprMethodCall) -> bool {
        self.place_active(place) || self.mentions_active(m.to_token_stream())
    }

    /// `(sin x, cos x)`, as `std` computes it.
    pub(crate) fn sin_cos(&mut self, x: Value) -> Value {
        let s = self.arithmetic(&prims::trig::SIN, &[x]);
        let c = self.arithmetic(&prims::trig::COS, &[x]);
        let ty = Type::Tuple(vec![self.ty(s), self.ty(c)]);
        self.push(Op::Tuple, vec![s, c], ty)
    }

    /// A method of a value of unknown type: a float function, if it has the name of one.
    pub(crate) fn dyn_method(&mut self, place: &Place, m: &syn::ExprMethodCall) -> Option<Operand> {
        if m.method == "len" && m.args.is_empty() {
            // that it is a whole number is checked where it is emitted
            let v = self.read(place);
            return Some(Operand::Value(self.push(Op::Len, vec![v], Type::USIZE)));
        }
        if m.method == "to_vec" && m.args.is_empty() {
            let v = self.read(place);
            let vector = Type::Vec(Box::new(Type::Dyn));
            return Some(Operand::Value(self.push(Op::Copy(true), vec![v], vector)));
        }
        if m.args.is_empty() && self.was_part(place) {
            // an option or a box, which is the same by reference
            match m.method.to_string().as_str() {
                "as_ref" | "as_deref" => return Some(Operand::Place(place.clone().by_ref(true))),
                "as_mut" | "as_deref_mut" => return Some(Operand::Place(place.clone().by_ref(true).mutable(true))),
                _ => {}
            }
        }
        // floats alone have these, whatever is known of the receiver
        let of_floats = ["total_cmp", "partial_cmp", "is_nan", "is_finite", "is_infinite"];
        if self.was_part(place) || of_floats.iter().any(|name| m.method == name) {
            let v = self.read(place);
            if let Some(o) = self.asked_of_float(v, m) {
                return Some(o);
            }
        }
        let pair = m.method == "sin_cos" && m.args.is_empty();
        let prim = if pair { &prims::trig::SIN } else { prims::method(&m.method.to_string())? };
        if m.args.len() + 1 != prim.arity {
            return None;
        }
        let x = self.read(place);
        if self.may_be_users(x) {
            // a method of the user's with the name of one of a float's, or that of a float after all
            return None;
        }
        if pair {
            return Some(Operand::Value(self.sin_cos(x)));
        }
        let mut args = vec![x];
        for a in &m.args {
            args.push(self.operand(a));
        }
        if let Some(o) = self.compared_with_integer(prim.name, &args, m) {
            return Some(o);
        }
        Some(Operand::Value(self.arithmetic(prim, &args)))
    }
}

/// Methods of what keeps a value behind a shared reference, also where they give something back.
const KEEPERS: [&str; 8] = ["set", "replace", "swap", "store", "send", "try_send", "insert", "push"];

impl Lowering<'_> {
    /// A call by the name protocol.
    pub(crate) fn protocol(
        &mut self,
        callee: Callee,
        operands: Vec<Value>,
        modes: Vec<Arg>,
        places: Vec<Option<Place>>,
        statement: bool,
    ) -> Operand {
        let callee = match callee {
            Callee::Path(path) => Callee::Path(syn::ExprPath { path: self.origin(path.path), ..path }),
            callee => callee,
        };
        let changed: Vec<usize> = (0..modes.len()).filter(|&i| modes[i].changes()).collect();
        let (states, cells) = self.states_of(&operands);
        if let Some(o) = self.changed_twice(&cells, changed.iter().filter_map(|&i| places[i].as_ref())) {
            return o;
        }
        let ordered = operands.iter().any(|&v| self.may_have_state(v));
        let active = operands.iter().any(|&v| self.is_active(v))
            || cells.iter().any(|&(c, left)| left || self.is_active_cell(c));
        if active && changed.iter().any(|&i| self.guards.contains_idx(operands[i])) {
            // what the guard is of would change unseen
            let span = self.span;
            return self.refuse(span, &catalog::REFERENCE_LOST, &[]);
        }
        let keeps = matches!(&callee, Callee::Method(m) if KEEPERS.contains(&m.to_string().as_str()));
        if (statement || keeps) && changed.is_empty() && cells.is_empty() && !ordered && active {
            // nothing comes back; unless something that is handed over keeps what it is given
            let keeper = operands
                .iter()
                .find(|&&v| !self.is_active(v) && matches!(self.func.ty(v), Type::Dyn | Type::Inactive | Type::Vec(_)));
            if keeper.is_some() {
                let span = self.span;
                return self.unsupported(
                    span,
                    "this call may keep a differentiable value in something that is not differentiated (a `Cell`, a map …)",
                    "keep the value in a variable, an array or a `Vec`, or pass `cotangent::stop_gradient(x)`",
                );
            }
        }
        for &i in &changed {
            if let Some(super::place::Root::Cell(c)) = places[i].as_ref().map(|place| place.root) {
                self.expect_owned(c, false, false);
            }
        }
        let itself = self.shares_frames(&callee, &operands, &modes);
        let unit = match self.sig.result {
            ResultKind::Unit if itself => true,
            _ => statement && (!changed.is_empty() || !cells.is_empty() || ordered) && !itself,
        };
        let returned = if self.is_itself(&callee) { types::of_result(&self.sig.result) } else { None };
        let mut result_types = vec![if unit { Type::Unit } else { returned.unwrap_or(Type::Dyn) }];
        result_types.extend(changed.iter().map(|&i| self.ty(operands[i])));
        let perhaps = std::mem::take(&mut self.perhaps_changed);
        let found: Vec<Value> = cells.iter().map(|&(cell, _)| self.cell_value(cell)).collect();
        result_types.extend(found.iter().map(|&v| self.ty(v)));
        let keepers = if active { self.keepers(&operands, &places) } else { vec![] };
        let mut call = Call { unit, perhaps, itself, states, ordered, keepers, ..Call::new(callee, modes) };
        call.doubts = self.doubts(&call);
        let op = Op::Call(Box::new(call));
        let node = self.b().node(op, [operands.clone(), found].concat(), result_types);
        let outs = self.func[node].outs.clone();
        self.returned.insert(outs[0], ());
        for &o in &outs {
            let a = active && self.func.ty(o).can_be_active();
            self.maybe_active.insert(o, a);
        }
        for (&i, &new) in changed.iter().zip(&outs[1..]) {
            if let Some(place) = &places[i] {
                self.write(place, new);
            }
        }
        for (&(cell, left), &new) in cells.iter().zip(&outs[1 + changed.len()..]) {
            let a = (left || self.is_active_cell(cell)) && self.func.ty(new).can_be_active();
            self.maybe_active.insert(new, a);
            self.set_cell(cell, new);
        }
        Operand::Value(outs[0])
    }
}
