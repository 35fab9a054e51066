//! Loops. What a loop carries is in variables that the body assigns at its end.

use super::expr::{Expr, prec};
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId, is_copy};
use crate::ir::{Graph, Loop, LoopKind, Node, Op, Path, RangeEnd, Step, Type, Value};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    pub(super) fn repeat(&mut self, n: Node, l: &Loop) -> Result<()> {
        let node = &self.func[n];
        let (own, inits) = node.args.split_at(l.kind.operands());
        let (bound, params) = self.func[l.body].params.split_at(l.kind.bindings());
        let (exit, results) = self.func[l.body].results.split_at(usize::from(l.exits));
        self.flush_for_graphs();
        let operands = match &l.kind {
            LoopKind::Iter { .. } => Vec::new(),
            _ => own.iter().map(|&v| self.scalar(v)).collect::<Result<Vec<_>>>()?,
        };
        let cond_params = match l.kind {
            LoopKind::While { cond } => self.func[cond].params.clone(),
            _ => Vec::new(),
        };

        // the variables
        let mut carried = Vec::new();
        for (k, ((&init, &out), &param)) in inits.iter().zip(&node.outs).zip(params).enumerate() {
            let fixed = results[k] == param;
            let place = match fixed {
                true => self.fixed(init, out)?,
                false => self.carried([init, out, param, results[k]], l.body)?,
            };
            carried.push(place);
        }
        for (k, &place) in carried.iter().enumerate() {
            self.put(params[k], place);
            if let Some(&p) = cond_params.get(k) {
                self.put(p, place);
            }
        }

        // the head
        let here = (self.graph, self.index);
        let mut graphs = vec![l.body];
        let head = match &l.kind {
            LoopKind::For { .. } => None,
            LoopKind::While { cond } => {
                graphs.push(*cond);
                Some(self.while_head(*cond)?)
            }
            LoopKind::Infinite => Some(quote!(loop)),
            LoopKind::Iter { iter, pattern, .. } => {
                let e = self.code(iter, own)?;
                let tokens = &e.tokens;
                Some(quote!(for #pattern in #tokens))
            }
        };
        self.stand_at(here);

        // the slots that iterations fill, as a slice of their own
        for (k, &place) in carried.iter().enumerate() {
            self.window(l, inits[k], [params[k], results[k]], place)?;
        }

        // the body
        self.open();
        self.stand_at((l.body, 0));
        let mut index = None;
        let head = match (&l.kind, head) {
            (LoopKind::For { inclusive, reversed }, _) => {
                index = (self.live.uses(bound[0]).count > 0).then(|| self.declare_index(bound[0]));
                let (lo, hi) = (operands[0].at(prec::OR), operands[1].at(prec::OR));
                let range = if *inclusive { quote!(#lo..=#hi) } else { quote!(#lo..#hi) };
                if *reversed { quote!((#range).rev()) } else { range }
            }
            (LoopKind::Iter { bindings, .. }, head) => {
                self.bindings(bindings, l.body, Hold::Owned, None)?;
                head.unwrap_or_default()
            }
            (_, head) => head.unwrap_or_default(),
        };
        self.nodes(l.body)?;
        let targets: Vec<(PlaceId, Value)> = carried.iter().copied().zip(results.iter().copied()).collect();
        let exit = match exit {
            [v] => {
                let e = self.scalar(*v)?;
                let changes = |p: &PlaceId| {
                    targets.iter().any(|(t, r)| t == p && !matches!(self.reprs.get(*r), Some(Repr::Place(q)) if q == t))
                };
                // what is assigned may be moved there from a variable of its own
                let moved = |p: &PlaceId| {
                    let held = |r: &Value| matches!(self.reprs.get(*r), Some(Repr::Place(q)) if q == p);
                    targets.iter().any(|(t, r)| t != p && held(r))
                };
                let early = e.reads.iter().any(|p| changes(p) || moved(p)) || e.effect;
                Some(if early { self.temporary(e.tokens.clone()) } else { e })
            }
            _ => None,
        };
        self.assign(&targets)?;
        if let Some(e) = exit {
            let tokens = &e.tokens;
            self.push(quote!(if #tokens { break; }));
        }
        let scope = self.close();
        let stmts = self.render(&scope);
        self.leave(here, &graphs);
        let head = match &l.kind {
            // an index that the body goes on to use as a variable is declared as one
            LoopKind::For { .. } => {
                let pattern = self.pattern(&[index]);
                quote!(for #pattern in #head)
            }
            _ => head,
        };
        self.push(quote!(#head { #stmts }));
        for (&out, &place) in node.outs.iter().zip(&carried) {
            self.put(out, place);
        }
        Ok(())
    }

    /// Refers to the slots that the iterations fill, among all that were made for them.
    fn window(&mut self, l: &Loop, init: Value, [param, result]: [Value; 2], place: PlaceId) -> Result<()> {
        let func = self.func;
        let made = |&n: &Node| matches!(func[n].op, Op::Lengthen) && func[n].outs[..] == [init];
        if !func[self.graph].nodes.iter().any(made) {
            return Ok(());
        }
        if self.live.uses(param).count != 1 || self.live.uses(result).count != 1 {
            return Ok(());
        }
        let update = func[l.body].nodes.iter().copied().find(|&n| func[n].outs[..] == [result]);
        let Some(n) = update.filter(|&n| func[n].args.first() == Some(&param)) else { return Ok(()) };
        let Op::Update(path) = &func[n].op else { return Ok(()) };
        let [range @ Step::Range { end: RangeEnd::Exclusive, .. }, Step::Index, ..] = &path.0[..] else {
            return Ok(());
        };
        let bounds = &func[n].args[1..1 + range.operands()];
        if !bounds.iter().all(|&v| self.reprs.contains_idx(v)) {
            return Ok(());
        }
        let vec = self.places[place].ident.clone();
        let (range, _) = self.steps(quote!(#vec), &Path(vec![range.clone()]), bounds, Some(place))?;
        let slots = self.names.unique("slots");
        self.push(quote!(let #slots = &mut #range;));
        self.windows.insert(n, slots);
        Ok(())
    }

    /// The variable that counts.
    fn declare_index(&mut self, v: Value) -> PlaceId {
        self.declare_named(v, self.func[v].name.as_deref().unwrap_or("i"), self.func[v].name.is_some(), Hold::Owned)
    }

    fn while_head(&mut self, cond: Graph) -> Result<TokenStream> {
        self.open();
        self.nodes(cond)?;
        let e = self.scalar(self.func[cond].results[0])?;
        let scope = self.close();
        let (stmts, tokens) = (self.render(&scope), &e.tokens);
        Ok(if stmts.is_empty() { quote!(while #tokens) } else { quote!(while { #stmts #tokens }) })
    }

    /// The variable of something that the loop leaves as it is.
    fn fixed(&mut self, init: Value, out: Value) -> Result<PlaceId> {
        match self.reprs.get(init) {
            Some(&Repr::Place(p)) => Ok(p),
            _ => {
                let e = self.take(init)?;
                Ok(self.bind_fixed(init, out, e))
            }
        }
    }

    fn bind_fixed(&mut self, init: Value, out: Value, e: Expr) -> PlaceId {
        let repr = self.reprs.get(init).cloned();
        let place = if matches!(self.func.ty(init), Type::Slice(_)) {
            let place = self.declare_as(init, out, Hold::Ref);
            let tokens = e.tokens.clone();
            self.bases(&e).into_iter().for_each(|base| self.places.borrow(place, base));
            self.let_(vec![Some(place)], None, tokens);
            place
        } else {
            self.bind_owned(init, out, e)
        };
        if let Some(repr @ Repr::Expr(_)) = repr
            && self.live.uses(init).count > 1
        {
            self.reprs.insert(init, repr);
        }
        place
    }

    /// The variable of something that the loop changes, with its initial value.
    fn carried(&mut self, [init, out, param, result]: [Value; 4], body: Graph) -> Result<PlaceId> {
        let ty = self.func.ty(init).clone();
        let candidates = [out, param, init, result];
        let named = candidates.into_iter().find(|&v| self.func[v].name.is_some()).unwrap_or(out);
        if matches!(ty, Type::Slice(_)) && !self.live.consumed_in(param, body, self.func[body].nodes.len()) {
            let owned = matches!(self.reprs.get(init), Some(&Repr::Place(p)) if self.places[p].hold != Hold::Ref);
            if !owned {
                // one reference after the other
                let e = self.take(init)?;
                let place = self.declare_as(init, named, Hold::Ref);
                self.places[place].holders.clear();
                self.bases(&e).into_iter().for_each(|base| self.places.borrow(place, base));
                self.places[place].mutated = true;
                self.let_(vec![Some(place)], None, e.tokens);
                return Ok(place);
            }
        }
        if is_copy(&ty)
            && let Some(&Repr::Place(p)) = self.reprs.get(init)
        {
            // a variable of another name stays what it is
            let same = self.func[named].name.is_some() && self.func[named].name == self.func[init].name;
            if !(same && self.takeable(init, p)) {
                let e = self.variable(p);
                let repr = self.reprs.get(init).cloned();
                let place = self.declare_as(init, named, Hold::Owned);
                self.places[place].holders.clear();
                self.places[place].mutated = true;
                self.let_(vec![Some(place)], None, e.tokens);
                repr.into_iter().for_each(|repr| drop(self.reprs.insert(init, repr)));
                return Ok(place);
            }
        }
        self.mutable(init, named)
    }
}
