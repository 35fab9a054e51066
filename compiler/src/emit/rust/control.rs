//! Branches.
//!
//! What a branch gives is its value, except for what stays in the variable that it was in: that is changed, or assigned,
//! inside the arms.

use super::expr::{Expr, Form, number_name, prec};
use super::{Emitter, Repr, Result, Scope, Stmt};
use crate::emit::places::{Hold, PlaceId};
use crate::ir::{Float, Graph, Node, Op, Type, Value};
use crate::syntax::signature::{bare, one_or_tuple};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// An arm whose statements are finished.
struct Arm {
    stmts: TokenStream,
    values: Vec<Expr>,
    /// Whether it is a single branch, which may follow an `else`.
    chain: bool,
}

impl Emitter<'_> {
    pub(super) fn branch(
        &mut self,
        n: Node,
        let_: Option<(&TokenStream, &Vec<Ident>, Hold)>,
        then_: Graph,
        else_: Graph,
    ) -> Result<()> {
        let node = &self.func[n];
        let outs = &node.outs;
        let cond = match let_ {
            None => self.scalar(node.args[0])?,
            Some((pattern, _, Hold::Owned)) => self.scrutinee(node.args[0], pattern)?,
            Some(_) => self.by_ref(node.args[0])?,
        };
        self.flush_for_graphs();
        let homes: Vec<Option<PlaceId>> = (0..outs.len()).map(|k| self.home(outs[k], k, then_, else_)).collect();
        homes.iter().flatten().for_each(|&p| self.flush_reading(p));
        let here = (self.graph, self.index);
        self.open();
        self.stand_at((then_, 0));
        if let Some((_, bindings, hold)) = let_ {
            let scrutinee = match self.reprs.get(node.args[0]) {
                Some(Repr::Place(p)) => Some(*p),
                _ => cond.base,
            };
            self.bindings(bindings, then_, hold, scrutinee)?;
        }
        self.nodes(then_)?;
        let then_scope = self.close();
        self.open();
        self.nodes(else_)?;
        // what both arms leave in one variable is there already
        let place = |emitter: &Self, g: Graph, k: usize| match emitter.reprs.get(emitter.func[g].results[k]) {
            Some(&Repr::Place(p)) => Some(p),
            _ => None,
        };
        let homes: Vec<Option<PlaceId>> = (0..outs.len())
            .map(|k| {
                homes[k].or(match (place(self, then_, k), place(self, else_, k)) {
                    (Some(p), Some(q)) if p == q => Some(p),
                    _ => None,
                })
            })
            .collect();
        let else_arm = self.finish_arm(else_, &homes)?;
        let else_scope = self.close();
        let else_arm = self.rendered(else_scope, else_arm);
        self.reopen(then_scope);
        self.stand_at((then_, self.func[then_].nodes.len() + 1));
        let then_arm = self.finish_arm(then_, &homes)?;
        let then_scope = self.close();
        let then_arm = self.rendered(then_scope, then_arm);
        self.leave(here, &[then_, else_]);
        homes.iter().zip(outs).for_each(|(home, &out)| {
            if let Some(p) = home {
                self.put(out, *p);
            }
        });
        let pattern = let_.map(|(pattern, ..)| pattern);
        self.emit_branch(&cond, pattern, then_arm, else_arm, outs, &homes);
        Ok(())
    }

    /// The variable that a result of a branch stays in: that of the user's variable of the same name.
    fn home(&self, out: Value, k: usize, then_: Graph, else_: Graph) -> Option<PlaceId> {
        let (a, b) = (self.func[then_].results[k], self.func[else_].results[k]);
        let outer = |v: Value| matches!(self.reprs.get(v), Some(Repr::Place(_)));
        let v = if outer(a) { a } else { b };
        let Some(&Repr::Place(p)) = self.reprs.get(v) else { return None };
        let place = &self.places[p];
        let once = [then_, else_].iter().all(|&g| self.func[g].results.iter().filter(|&&r| r == v).count() <= 1);
        let named = self.func[out].name.is_some() && self.func[out].name == self.func[v].name;
        let free = !matches!(place.hold, Hold::Ref | Hold::View)
            && place.level == self.level
            && place.holders.iter().all(|&w| self.dead(w))
            && place.borrowers.iter().all(|&b| self.places[b].holders.iter().all(|&w| !self.needed(w)));
        // the other arm must not leave this value somewhere else
        let elsewhere =
            [then_, else_].iter().any(|&g| self.func[g].results.iter().enumerate().any(|(i, &r)| i != k && r == v));
        (once && named && free && !elsewhere).then_some(p)
    }

    /// What is matched: a place stays where it is.
    fn scrutinee(&mut self, v: Value, pattern: &TokenStream) -> Result<Expr> {
        if let Some(&Repr::Place(p)) = self.reprs.get(v) {
            let place = &self.places[p];
            let ident = &place.ident;
            let element = || self.func.maker(v).is_some_and(|n| matches!(self.func[n].op, Op::Load(_)));
            if matches!(place.hold, Hold::Ref) && element() && is_literal(pattern) {
                // an element that is referred to here, and not where it was written
                return Ok(Expr::new(quote!(*#ident), prec::UNARY).reading(p));
            }
            let tokens = if place.level < self.level { quote!(#ident.clone()) } else { quote!(#ident) };
            return Ok(Expr::atom(tokens).reading(p));
        }
        self.expr(v)
    }

    /// Declares what a pattern binds, under exactly these names.
    pub(super) fn bindings(&mut self, bindings: &[Ident], g: Graph, hold: Hold, of: Option<PlaceId>) -> Result<()> {
        let params = self.func[g].params.clone();
        for (ident, p) in bindings.iter().zip(params) {
            if let Some(hidden) = self.names.visible(ident) {
                self.unhide(hidden, ident, g)?;
            }
            // a number, whether the pattern binds it or a reference to it
            let kind = match self.func.ty(p) {
                Type::Float(Float::F64) => Some(quote!(f64)),
                Type::Float(Float::F32) => Some(quote!(f32)),
                Type::Bool => Some(quote!(bool)),
                Type::Int(Some(k)) => k.parse().ok(),
                _ => None,
            };
            if let Some(kind) = &kind {
                self.push(quote!(let #ident: #kind = #ident.clone();));
            }
            let hold = if kind.is_some() { Hold::Owned } else { hold };
            let place = self.declare_ident(p, ident.clone(), hold);
            if let (Hold::Ref, Some(of)) = (hold, of) {
                self.places.borrow(place, of);
            }
        }
        Ok(())
    }

    /// A pattern is about to hide a variable: if the graph still needs that, it is an error.
    fn unhide(&mut self, hidden: PlaceId, ident: &Ident, g: Graph) -> Result<()> {
        let free = self.func.free(g);
        let needed = free.iter().any(|&v| match self.reprs.get(v) {
            Some(&Repr::Place(p)) => p == hidden,
            Some(Repr::Expr(e)) => e.reads.contains(&hidden),
            None => false,
        });
        if needed {
            let what = format!("`{}` is bound by a pattern while another variable of that name is in use", bare(ident));
            return self.unsupported(what);
        }
        Ok(())
    }

    /// Takes up a scope that was closed.
    fn reopen(&mut self, scope: Scope) {
        for (ident, place) in &scope.declared {
            self.names.enter(ident, *place);
        }
        self.scopes.push(scope);
    }

    /// The end of an arm: assigns what has a home, and gives the other values.
    fn finish_arm(&mut self, g: Graph, homes: &[Option<PlaceId>]) -> Result<Vec<Expr>> {
        if self.func[g].nodes.iter().any(|&n| self.diverges(n)) {
            return Ok(vec![Expr::atom(quote!(::core::unreachable!()))]);
        }
        let results = self.func[g].results.clone();
        let mut targets = Vec::new();
        for (&r, home) in results.iter().zip(homes) {
            if let Some(p) = home {
                targets.push((*p, r));
            }
        }
        // what is given from a variable that gets another value is read before that
        let changed = |e: &Self, r: Value| match e.reprs.get(r) {
            Some(&Repr::Place(p)) => {
                targets.iter().any(|(t, v)| *t == p && !matches!(e.reprs.get(*v), Some(&Repr::Place(q)) if q == p))
            }
            _ => false,
        };
        let mut values = Vec::new();
        for (&r, home) in results.iter().zip(homes) {
            let early = home.is_none() && changed(self, r);
            values.push(if early { Some(self.take(r)?) } else { None });
        }
        for value in values.iter_mut().flatten() {
            *value = self.temporary(value.tokens.clone());
        }
        self.assign(&targets)?;
        let given = results.iter().zip(homes).zip(values).filter(|((_, home), _)| home.is_none());
        given.map(|((&r, _), early)| early.map_or_else(|| self.take(r), Ok)).collect()
    }

    fn rendered(&self, scope: Scope, values: Vec<Expr>) -> Arm {
        let chain = match (scope.stmts.as_slice(), values.as_slice()) {
            ([Stmt::If(_)], []) => true,
            ([], [one]) => one.form == Form::If,
            _ => false,
        };
        Arm { stmts: self.render(&scope), values, chain }
    }

    fn emit_branch(
        &mut self,
        cond: &Expr,
        pattern: Option<&TokenStream>,
        then_: Arm,
        else_: Arm,
        outs: &[Value],
        homes: &[Option<PlaceId>],
    ) {
        let valued: Vec<Value> = outs.iter().zip(homes).filter(|(_, h)| h.is_none()).map(|(&o, _)| o).collect();
        let (mut then_, mut else_) = (then_, else_);
        for (k, _) in valued.iter().enumerate().filter(|(_, v)| matches!(self.func.ty(**v), Type::Slice(_))) {
            // a reference in one arm and a vector in the other: a vector in both
            let [a, b] = [&mut then_, &mut else_].map(|arm| arm.values.get_mut(k));
            if let (Some(a), Some(b)) = (a, b)
                && a.lent != b.lent
            {
                let lent = if a.lent { a } else { b };
                let root = lent.root();
                *lent = Expr::atom(quote!(#root.to_vec())).of([&*lent]);
            }
        }
        // integers that both arms write without their type
        for ((a, b), &out) in then_.values.iter_mut().zip(&else_.values).zip(&valued) {
            if a.literal && b.literal && matches!(self.func.ty(out), Type::Int(_)) {
                *a = self.with_suffix(a.clone(), self.func.ty(out));
            }
        }
        let test = |negate: bool| match pattern {
            Some(pattern) => {
                let tokens = cond.at(prec::AND + 1);
                quote!(if let #pattern = #tokens)
            }
            None if negate => {
                let tokens = cond.at(prec::UNARY);
                quote!(if !#tokens)
            }
            None => {
                let tokens = &cond.tokens;
                quote!(if #tokens)
            }
        };
        let bare_arms = then_.stmts.is_empty() && else_.stmts.is_empty();
        if let [out] = valued[..]
            && bare_arms
        {
            let (a, b) = (&then_.values[0], &else_.values[0]);
            let is = |e: &Expr, word: &str| e.tokens.to_string() == word && e.prec == prec::ATOM;
            let boolean = pattern.is_none() && matches!(self.func.ty(out), Type::Bool);
            let e = if boolean && is(b, "false") {
                let (l, r) = (cond.at(prec::AND), a.at(prec::AND + 1));
                Expr::new(quote!(#l && #r), prec::AND)
            } else if boolean && is(a, "true") {
                let (l, r) = (cond.at(prec::OR), b.at(prec::OR + 1));
                Expr::new(quote!(#l || #r), prec::OR)
            } else if boolean && is(a, "false") && is(b, "true") {
                let c = cond.at(prec::UNARY);
                Expr::new(quote!(!#c), prec::UNARY)
            } else {
                let (test, a, b) = (test(false), &a.tokens, braced(&else_, &b.tokens));
                let mut e = Expr::new(quote!(#test { #a } else #b), prec::BLOCK).form(Form::If);
                e.lent = then_.values[0].lent && else_.values[0].lent;
                e
            };
            let mut e = e.of([cond, &then_.values[0], &else_.values[0]]);
            e.literal = then_.values[0].literal && else_.values[0].literal;
            // an expression of several lines is a statement of its own
            e.weight += 2;
            self.define(out, e);
            return;
        }
        let mut then_ = then_;
        if valued.len() > 1 {
            // a number that both arms write without its type
            for ((a, b), &out) in then_.values.iter_mut().zip(&else_.values).zip(&valued) {
                if a.literal && b.literal {
                    *a = self.with_suffix(a.clone(), self.func.ty(out));
                }
            }
        }
        let block = |arm: &Arm| {
            let stmts = &arm.stmts;
            let values = one_or_tuple(arm.values.iter().map(|e| &e.tokens));
            if valued.is_empty() { quote!({ #stmts }) } else { quote!({ #stmts #values }) }
        };
        if valued.is_empty() {
            let code = match (then_.stmts.is_empty(), else_.stmts.is_empty()) {
                (true, true) if cond.effect => {
                    let tokens = &cond.tokens;
                    quote!(let _ = #tokens;)
                }
                (true, true) => return,
                (_, true) => {
                    let (test, then_) = (test(false), block(&then_));
                    quote!(#test #then_)
                }
                (true, false) if pattern.is_none() => {
                    let (test, else_) = (test(true), block(&else_));
                    quote!(#test #else_)
                }
                _ => {
                    let (test, then_) = (test(false), block(&then_));
                    let stmts = &else_.stmts;
                    let else_ = if else_.chain { quote!(#stmts) } else { block(&else_) };
                    quote!(#test #then_ else #else_)
                }
            };
            self.scopes.last_mut().expect("a scope is open").stmts.push(Stmt::If(code));
            return;
        }
        let test = test(false);
        let (a, b) = (block(&then_), block(&else_));
        let b = if else_.chain && else_.stmts.is_empty() {
            let value = &else_.values[0].tokens;
            quote!(#value)
        } else {
            b
        };
        self.flush(|e| e.effect);
        let literal = |k: usize| then_.values[k].literal && else_.values[k].literal;
        let annotation = match (valued.as_slice(), valued.len() == 1 && literal(0)) {
            ([out], true) => number_name(self.func.ty(*out)),
            _ => None,
        };
        let places: Vec<_> = valued
            .iter()
            .map(|&out| {
                (self.live.uses(out).count > 0).then(|| self.declare_branch_result(out, &then_, &else_, &valued))
            })
            .collect();
        let used = places.iter().any(Option::is_some);
        let code = quote!(#test #a else #b);
        if used { self.let_(places, annotation, code) } else { self.push(quote!(let _ = #code;)) }
    }

    /// A branch of slices gives a reference.
    fn declare_branch_result(&mut self, out: Value, then_: &Arm, else_: &Arm, valued: &[Value]) -> PlaceId {
        let k = valued.iter().position(|&v| v == out).unwrap_or(0);
        let reference = matches!(self.func.ty(out), Type::Slice(_)) && then_.values.get(k).is_none_or(|e| e.lent);
        let place = self.declare(out, if reference { Hold::Ref } else { Hold::Owned });
        if reference {
            for arm in [then_, else_] {
                let value = &arm.values[k];
                self.borrow_base(place, value);
            }
        }
        place
    }
}

/// The value of an `else` arm, in braces unless it is a branch itself.
fn braced(arm: &Arm, tokens: &TokenStream) -> TokenStream {
    if arm.chain { tokens.clone() } else { quote!({ #tokens }) }
}

/// Whether a pattern is made of literals alone, which no reference matches.
fn is_literal(pattern: &TokenStream) -> bool {
    fn literal(pat: &syn::Pat) -> bool {
        match pat {
            syn::Pat::Lit(_) | syn::Pat::Range(_) => true,
            syn::Pat::Or(o) => o.cases.iter().all(literal),
            syn::Pat::Paren(p) => literal(&p.pat),
            _ => false,
        }
    }
    syn::parse::Parser::parse2(syn::Pat::parse_multi, pattern.clone()).is_ok_and(|pat| literal(&pat))
}
