//! Loops. What a loop carries is in variables that the body assigns at its end.

use super::expr::{Expr, prec};
use super::{Emitter, Repr, Result};
use crate::emit::places::{Hold, PlaceId, is_copy};
use crate::ir::{Const, Graph, Loop, LoopKind, Node, Op, Path, RangeEnd, Step, Type, Value};
use crate::prims::arith::{ADD, MUL, REM, SUB};
use crate::prims::round::MIN;
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
            self.window(l, own, inits[k], [params[k], results[k]], place)?;
        }

        // the body
        self.open();
        self.stand_at((l.body, 0));
        let mut index = None;
        let head = match (&l.kind, head) {
            (LoopKind::For { inclusive, reversed }, _) => {
                index = (self.live.uses(bound[0]).count > 0).then(|| self.declare_index(bound[0]));
                let [lo, hi] = [&operands[0], &operands[1]];
                let hi = if lo.literal && hi.literal && self.called_on(l.body, bound[0]) {
                    &self.with_suffix(hi.clone(), self.func.ty(bound[0]))
                } else {
                    hi
                };
                let (lo, hi) = (lo.at(prec::OR), hi.at(prec::OR));
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

    /// Whether there is code that is kept as it is, such as a method, with a value in it.
    fn called_on(&self, g: Graph, v: Value) -> bool {
        self.func.any(g, |n| matches!(self.func[n].op, Op::Verbatim(_)) && self.func[n].args.contains(&v))
    }

    /// Refers to the slice in which the iterations change elements, among all that there are, if that is one and the same
    /// and is sure to be there.
    fn window(
        &mut self,
        l: &Loop,
        bounds: &[Value],
        init: Value,
        [param, result]: [Value; 2],
        place: PlaceId,
    ) -> Result<()> {
        let func = self.func;
        let made = |&n: &Node| matches!(func[n].op, Op::Lengthen) && func[n].outs[..] == [init];
        if !(func[self.graph].nodes.iter().any(made) || self.runs(l, bounds)) {
            return Ok(());
        }
        let mut window: Option<(Path, &[Value])> = None;
        let (mut at, mut through) = (param, Vec::new());
        while at != result {
            let change = func[l.body].nodes.iter().copied().find(|&n| func[n].args.first() == Some(&at));
            let Some(n) = change.filter(|_| self.live.uses(at).count == 1) else { return Ok(()) };
            let node = &func[n];
            let (Op::Update(path) | Op::AddAt(path) | Op::Take(path)) = &node.op else { return Ok(()) };
            let ranges = path.0.iter().take_while(|step| matches!(step, Step::Range { end: RangeEnd::Exclusive, .. }));
            let ranges = Path(ranges.cloned().collect());
            let bounds = &node.args[1..1 + ranges.operands()];
            let element = matches!(path.0[ranges.0.len()..], [Step::Index, ..]);
            let outside = bounds.iter().all(|&v| self.reprs.contains_idx(v));
            if ranges.0.is_empty()
                || !element
                || !outside
                || window.as_ref().is_some_and(|w| *w != (ranges.clone(), bounds))
            {
                return Ok(());
            }
            window = Some((ranges, bounds));
            through.push(n);
            let Some(&next) = node.outs.last() else { return Ok(()) };
            at = next;
        }
        let Some((ranges, bounds)) = window.filter(|_| self.live.uses(result).count == 1) else { return Ok(()) };
        let vec = self.places[place].ident.clone();
        let (range, _) = self.steps(quote!(#vec), &ranges, bounds, Some(place))?;
        let slots = self.names.unique("slots");
        self.push(quote!(let #slots = &mut #range;));
        for n in through {
            self.windows.insert(n, (slots.clone(), ranges.0.len()));
        }
        Ok(())
    }

    /// Whether a loop is known to have an iteration.
    fn runs(&self, l: &Loop, bounds: &[Value]) -> bool {
        match (&l.kind, bounds) {
            (LoopKind::For { .. }, &[lo, hi]) => self.between(lo).1 < self.between(hi).0,
            _ => false,
        }
    }

    /// The least and the most that a `usize` may be, as far as its form in this graph shows.
    fn between(&self, v: Value) -> (usize, usize) {
        let anything = (0, usize::MAX);
        let Some(node) = self.def(v).map(|n| &self.func[n]) else { return anything };
        let of = |k: usize| self.between(node.args[k]);
        let both = |f: fn(usize, usize) -> Option<usize>| Some((f(of(0).0, of(1).0)?, f(of(0).1, of(1).1)?));
        let known = match &node.op {
            Op::Const(Const::Int(digits)) => digits.parse().ok().map(|c| (c, c)),
            _ if *self.func.ty(v) != Type::USIZE => None,
            Op::Prim(prim) if *prim == &ADD => both(usize::checked_add),
            Op::Prim(prim) if *prim == &MUL => both(usize::checked_mul),
            Op::Prim(prim) if *prim == &SUB => {
                let ((least, most), (other_least, other_most)) = (of(0), of(1));
                least.checked_sub(other_most).map(|least| (least, most - other_least))
            }
            Op::Prim(prim) if *prim == &REM => of(1).1.checked_sub(1).map(|most| (0, most)),
            Op::Prim(prim) if *prim == &MIN => both(|x, y| Some(x.min(y))),
            _ => None,
        };
        known.unwrap_or(anything)
    }

    /// The node of this graph that gives a value.
    fn def(&self, v: Value) -> Option<Node> {
        self.func[self.graph].nodes.iter().copied().find(|&n| self.func[n].outs[..] == [v])
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
                let repr = self.reprs.get(init).cloned();
                let place = self.declare_as(init, named, Hold::Ref);
                self.places[place].holders.clear();
                self.bases(&e).into_iter().for_each(|base| self.places.borrow(place, base));
                self.places[place].mutated = true;
                self.let_(vec![Some(place)], None, e.tokens);
                // what it began with stays what it is
                repr.into_iter().for_each(|repr| drop(self.reprs.insert(init, repr)));
                return Ok(place);
            }
        }
        if is_copy(&ty)
            && let Some(&Repr::Place(p)) = self.reprs.get(init)
        {
            // a number of another name stays what it is
            let same = self.func[named].name.is_some() && self.func[named].name == self.func[init].name
                || matches!(ty, Type::Array(_));
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
