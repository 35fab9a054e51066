//! How values are used: read, referred to, handed over, changed.

use super::expr::{Expr, Form, prec};
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId, is_copy};
use crate::ir::{Graph, Node, Type, Value};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// A value as it stands: the expression that waits, or the variable that it is in, dereferenced.
    pub(super) fn expr(&mut self, v: Value) -> Result<Expr> {
        match self.reprs.get(v) {
            Some(Repr::Expr(e)) => {
                let e = e.clone();
                if self.live.uses(v).count == 1 {
                    self.unwait(v);
                }
                Ok(e)
            }
            Some(&Repr::Place(p)) => Ok(self.variable(p)),
            None => self.unsupported("a value of another execution"),
        }
    }

    /// A variable as an expression of what is in it.
    pub(super) fn variable(&self, p: PlaceId) -> Expr {
        let place = &self.places[p];
        let ident = &place.ident;
        let mut e = match place.hold {
            Hold::Owned | Hold::View => Expr::atom(ident),
            Hold::Ref | Hold::Mut => Expr::new(quote!(*#ident), prec::UNARY),
        };
        e.receiver = Some(quote!(#ident));
        e.weight = 0;
        e.base = Some(p);
        let form = if place.hold == Hold::View { Form::View } else { Form::Place };
        e.form(form).reading(p)
    }

    /// A number, or something else that is copied by use.
    pub(super) fn scalar(&mut self, v: Value) -> Result<Expr> {
        let mut e = self.expr(v)?;
        if e.form == Form::Place && !matches!(self.func.ty(v), Type::Slice(_)) {
            e.form = Form::New;
        }
        Ok(e)
    }

    /// `&v`, or `v` where that is a reference.
    pub(super) fn by_ref(&mut self, v: Value) -> Result<Expr> {
        if let Some(&Repr::Place(p)) = self.reprs.get(v)
            && self.places[p].hold == Hold::Ref
        {
            return Ok(self.reference(p));
        }
        let e = self.expr(v)?;
        Ok(borrowed(&e))
    }

    /// A variable that is a reference, as that.
    fn reference(&self, p: PlaceId) -> Expr {
        let mut e = Expr::atom(&self.places[p].ident).reading(p);
        e.base = Some(p);
        e.lent = true;
        e
    }

    /// What comes before `.field`, `[index]` or `.method()`.
    pub(super) fn root(&mut self, v: Value) -> Result<(TokenStream, Expr)> {
        let e = self.expr(v)?;
        Ok((e.root(), e))
    }

    /// The value for a place in an aggregate, which may live longer than what a slice is borrowed from.
    pub(super) fn take_for_long(&mut self, v: Value) -> Result<Expr> {
        if matches!(self.func.ty(v), Type::NdArray(..)) {
            match self.reprs.get(v) {
                // it stays as it lies in memory
                Some(&Repr::Place(p))
                    if matches!(self.places[p].hold, Hold::Owned | Hold::Ref) && !self.takeable(v, p) =>
                {
                    let ident = &self.places[p].ident;
                    return Ok(Expr::atom(quote!(#ident.clone())).reading(p));
                }
                Some(_) if self.is_view(v) => {
                    let e = self.by_ref(v)?;
                    let (copy, tokens) = (self.private("copy_of"), &e.tokens);
                    return Ok(Expr::atom(quote!(#copy(#tokens))).of([&e]));
                }
                _ => {}
            }
        }
        let e = self.take(v)?;
        let lent = self.bases(&e).into_iter().all(|p| self.places.outlives(p));
        if lent || !matches!(self.func.ty(v), Type::Slice(_)) {
            return Ok(e);
        }
        let root = e.root();
        Ok(Expr::atom(quote!(#root.to_vec())).of([&e]))
    }

    /// The value handed over: moved if that is its last use, else copied.
    pub(super) fn take(&mut self, v: Value) -> Result<Expr> {
        let ty = self.func.ty(v).clone();
        if is_copy(&ty) {
            return self.scalar(v);
        }
        if let Some(&Repr::Place(p)) = self.reprs.get(v) {
            let (hold, ident) = (self.places[p].hold, self.places[p].ident.clone());
            match (hold, &ty) {
                (Hold::Ref, Type::Slice(_)) => return Ok(self.reference(p)),
                (Hold::Owned, _) if self.takeable(v, p) => {
                    self.flush_reading(p);
                    return Ok(Expr::atom(ident).reading(p));
                }
                _ => {}
            }
            let e = self.variable(p);
            let tokens = self.copied(&e, &ty);
            return Ok(Expr::atom(tokens).reading(p));
        }
        let e = self.expr(v)?;
        if e.form == Form::Place && matches!(ty, Type::Slice(_)) {
            return Ok(borrowed(&e));
        }
        let tokens = self.owned(&e, &ty);
        let (prec, form) = match e.form {
            Form::New | Form::If => (e.prec, e.form),
            Form::Place | Form::View => (prec::ATOM, Form::New),
        };
        Ok(Expr { tokens, prec, form, ..e })
    }

    /// An expression as something that is owned.
    pub(super) fn owned(&self, e: &Expr, ty: &Type) -> TokenStream {
        match e.form {
            Form::New | Form::If => e.tokens.clone(),
            Form::Place if is_copy(ty) => e.tokens.clone(),
            Form::Place => self.copied(e, ty),
            Form::View if matches!(ty, Type::NdArray(..)) => self.copied(e, ty),
            Form::View => {
                let root = e.root();
                quote!(#root.to_owned())
            }
        }
    }

    /// Whether a variable, which is no part of one, has an array of its own.
    fn is_owned_as(&self, p: PlaceId, tokens: &TokenStream) -> bool {
        self.places[p].hold == Hold::Owned && self.places[p].ident == tokens.to_string()
    }

    /// A copy of what is in a place.
    pub(super) fn copied(&self, e: &Expr, ty: &Type) -> TokenStream {
        let root = e.root();
        match ty {
            _ if is_copy(ty) => e.tokens.clone(),
            // an error is moved: the source has it once
            Type::Fault => e.tokens.clone(),
            Type::Slice(_) => quote!(#root.to_vec()),
            // it stays as it lies in memory
            Type::NdArray(..) if e.base.is_some_and(|p| self.is_owned_as(p, &root)) => quote!(#root.clone()),
            Type::NdArray(..) => {
                let copy = self.private("copy_of");
                quote!(#copy(&#root))
            }
            _ => quote!(#root.clone()),
        }
    }

    /// Whether the variable may be changed or moved by the current node, whose operand `v` is in it: nothing else that
    /// is still needed is there, or refers to it.
    pub(super) fn takeable(&self, v: Value, p: PlaceId) -> bool {
        let place = &self.places[p];
        !matches!(place.hold, Hold::Ref | Hold::View)
            && place.level == self.level
            && !self.borrowed.contains(&p)
            && self.live.occurrences(v, self.graph, self.index) <= 1
            && place.holders.iter().all(|&w| self.dead(w))
            && place.holders.iter().all(|&w| w == v || self.live.occurrences(w, self.graph, self.index) == 0)
            && place.borrowers.iter().all(|&b| self.places[b].holders.iter().all(|&w| !self.needed(w)))
            && self.waiting.iter().all(|&(w, graph)| graph == self.graph || !self.waits_on(w, p) || self.dead(w))
    }

    /// A variable with the value of the operand `v`, which the current node may change; `named` gives the name if there
    /// has to be a new one.
    pub(super) fn mutable(&mut self, v: Value, named: Value) -> Result<PlaceId> {
        let ty = self.func.ty(v).clone();
        let place = match self.reprs.get(v).cloned() {
            Some(Repr::Place(p)) if self.takeable(v, p) => {
                self.flush_reading(p);
                p
            }
            Some(Repr::Place(p)) => {
                let e = self.variable(p);
                let init = self.copied(&e, &ty);
                self.copy_into(v, named, init, None)
            }
            Some(Repr::Expr(e)) => {
                self.unwait(v);
                let constant = e.reads.is_empty() && !e.effect;
                let annotation = e.annotation(self.func.ty(named));
                if !constant && self.live.uses(v).count > 1 {
                    // a place that others refer to as well stays where it is
                    self.waiting.push((v, self.graph));
                }
                let init = self.owned(&e, &ty);
                self.copy_into(v, named, init, annotation)
            }
            None => return self.unsupported("a value of another execution"),
        };
        self.places[place].mutated = true;
        Ok(place)
    }

    /// A new variable with a copy of `v`, which itself stays where it is.
    pub(super) fn copy_into(
        &mut self,
        v: Value,
        named: Value,
        init: TokenStream,
        annotation: Option<proc_macro2::Ident>,
    ) -> PlaceId {
        let repr = self.reprs.get(v).cloned();
        let place = self.declare_as(v, named, Hold::Owned);
        self.places[place].holders.clear();
        self.let_(vec![Some(place)], annotation, init);
        if let Some(repr) = repr {
            self.reprs.insert(v, repr);
        }
        place
    }

    /// A variable as the place that is assigned: `x`, `*y`.
    pub(super) fn target(&self, p: PlaceId) -> TokenStream {
        let place = &self.places[p];
        let ident = &place.ident;
        match place.hold {
            Hold::Owned | Hold::View => quote!(#ident),
            Hold::Ref | Hold::Mut => quote!(*#ident),
        }
    }

    /// `&mut x`, or `&mut *x`.
    pub(super) fn by_mut(&self, p: PlaceId) -> TokenStream {
        let target = self.target(p);
        quote!(&mut #target)
    }

    /// An index or a bound: what is not simple and reads `changed` gets a variable first.
    pub(super) fn index_operand(&mut self, v: Value, changed: Option<PlaceId>) -> Result<Expr> {
        let mut e = self.scalar(v)?;
        if matches!(self.func.ty(v), Type::Dyn | Type::Inactive) && matches!(self.reprs.get(v), Some(Repr::Place(_))) {
            e.form = Form::Place;
        }
        if changed.is_some_and(|p| e.reads.contains(&p)) && !matches!(self.reprs.get(v), Some(Repr::Place(_))) {
            let place = self.bind_owned(v, v, e);
            return Ok(self.variable(place));
        }
        Ok(e)
    }

    /// The variables that an expression may be a part of: of one that chooses, all that it reads but numbers.
    pub(super) fn bases(&self, e: &Expr) -> Vec<PlaceId> {
        let sequence = |p: &PlaceId| self.places[*p].holders.iter().any(|&v| !self.func.ty(v).is_scalar());
        match e.base {
            Some(base) => vec![base],
            None if e.lent => e.reads.iter().copied().filter(sequence).collect(),
            None => Vec::new(),
        }
    }

    /// A variable that is a reference refers to what the expression is a part of.
    pub(super) fn borrow_base(&mut self, place: PlaceId, e: &Expr) {
        if e.lent {
            self.bases(e).into_iter().for_each(|base| self.places.borrow(place, base));
        }
    }

    // ---- the ends of functions

    /// A value handed over, as tokens.
    pub(in crate::emit) fn taken(&mut self, v: Value) -> Result<TokenStream> {
        Ok(self.take(v)?.tokens)
    }

    /// A reference to a value, as tokens.
    pub(in crate::emit) fn lent(&mut self, v: Value) -> Result<TokenStream> {
        Ok(self.by_ref(v)?.tokens)
    }

    /// Whether a value is a part of something that is borrowed from the caller.
    pub(in crate::emit) fn leads_to_lent(&self, v: Value) -> bool {
        match self.reprs.get(v) {
            Some(&Repr::Place(p)) => self.places.outlives(p),
            Some(Repr::Expr(e)) => {
                let bases = self.bases(e);
                matches!(e.form, Form::Place | Form::View)
                    && !bases.is_empty()
                    && bases.into_iter().all(|p| self.places.outlives(p))
            }
            None => false,
        }
    }

    /// The variables that a value is in, or that its expression reads.
    pub(in crate::emit) fn seen_in(&self, v: Value) -> Vec<PlaceId> {
        match self.reprs.get(v) {
            Some(&Repr::Place(p)) => vec![p],
            Some(Repr::Expr(e)) => e.reads.clone(),
            None => Vec::new(),
        }
    }

    /// The same, and what those refer to.
    pub(in crate::emit) fn reads(&self, v: Value) -> Vec<PlaceId> {
        self.seen_in(v).into_iter().flat_map(|p| self.places.below(p)).collect()
    }

    /// Evaluates something before what follows.
    pub(in crate::emit) fn set_aside(&mut self, tokens: TokenStream) -> TokenStream {
        self.temporary(tokens).tokens
    }

    /// Whether a value is used at all.
    pub(in crate::emit) fn is_used(&self, v: Value) -> bool {
        self.live.uses(v).count > 0
    }

    /// Whether a value is in a variable.
    pub(in crate::emit) fn is_in(&self, v: Value, place: PlaceId) -> bool {
        matches!(self.reprs.get(v), Some(&Repr::Place(p)) if p == place)
    }

    /// Emits the nodes of the root but the pullback, which comes last.
    pub(in crate::emit) fn nodes_but(&mut self, g: Graph, closure: Node) -> Result<()> {
        for (index, &n) in self.func[g].nodes.iter().enumerate() {
            if n != closure {
                self.stand_at((g, index + 1));
                self.node(n)?;
            }
        }
        self.stand_at((g, self.func[g].nodes.len() + 1));
        Ok(())
    }

    /// The pullback uses a value: it must not refer to what only the function has.
    pub(in crate::emit) fn keep_for_closure(&mut self, v: Value) -> Result<()> {
        let ty = self.func.ty(v).clone();
        match self.reprs.get(v).cloned() {
            Some(Repr::Place(p)) if self.places[p].hold == Hold::Owned || self.places.outlives(p) => {}
            Some(Repr::Place(p)) => {
                let e = self.variable(p);
                let init = self.copied(&e, &ty);
                let place = self.copy_into(v, v, init, None);
                self.put(v, place);
            }
            Some(Repr::Expr(e)) => {
                if e.reads.iter().any(|&p| self.places[p].hold != Hold::Owned && !self.places.outlives(p)) {
                    self.bind_owned(v, v, e);
                }
            }
            None => return self.unsupported("a value of another execution"),
        }
        Ok(())
    }
}

/// `&e`
fn borrowed(e: &Expr) -> Expr {
    let tokens = e.at(prec::UNARY);
    let mut out = Expr::new(quote!(& #tokens), prec::UNARY).of([e]);
    out.base = e.base;
    out.lent = true;
    out
}
