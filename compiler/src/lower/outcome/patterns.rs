//! Patterns of results.

use super::of_path;
use crate::ir::Value;
use crate::lower::control::ArmFn;
use crate::lower::{Lowering, Operand, scan};
use crate::prims::compare;

/// The value or the error that a pattern is for, and the pattern for that.
pub(crate) fn pattern(pat: &syn::Pat) -> Option<(bool, &syn::Pat)> {
    match pat {
        syn::Pat::TupleStruct(t) if t.elems.len() == 1 => Some((of_path(&t.path)?, &t.elems[0])),
        syn::Pat::Paren(p) => pattern(&p.pat),
        syn::Pat::Reference(p) => pattern(&p.pat),
        _ => None,
    }
}

/// Whether a pattern is one of a result.
pub(crate) fn is_pattern(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Or(o) => o.cases.iter().any(is_pattern),
        syn::Pat::Guard(g) => is_pattern(&g.pat),
        syn::Pat::Ident(p) => p.subpat.as_ref().is_some_and(|(_, p)| is_pattern(p)),
        pat => pattern(pat).is_some(),
    }
}

/// The pattern for the value, or that for the error, in one that a result is matched with; `None` if it is not for that.
pub(crate) fn inside(pat: &syn::Pat, ok: bool) -> Option<syn::Pat> {
    match pat {
        syn::Pat::Or(o) => {
            let cases: Vec<syn::Pat> = o.cases.iter().filter_map(|case| inside(case, ok)).collect();
            match &cases[..] {
                [] => None,
                [one] => Some(one.clone()),
                _ => Some(syn::parse_quote!(#(#cases)|*)),
            }
        }
        syn::Pat::Guard(g) => {
            let pat = Box::new(inside(&g.pat, ok)?);
            Some(syn::Pat::Guard(syn::PatGuard { pat, ..g.clone() }))
        }
        pat => match pattern(pat) {
            Some((of, inner)) => (of == ok).then(|| inner.clone()),
            None => Some(pat.clone()),
        },
    }
}

/// A pattern without its guard, and the guard.
pub(crate) fn guarded(pat: &syn::Pat) -> (&syn::Pat, Option<&syn::Expr>) {
    match pat {
        syn::Pat::Guard(g) => (&g.pat, Some(&g.guard)),
        pat => (pat, None),
    }
}

impl<'a> Lowering<'a> {
    /// The parts of a tuple that is matched as it is written.
    pub(crate) fn matched_parts(&mut self, t: &syn::ExprTuple, arms: &[syn::Arm]) -> Vec<Value> {
        let outcome = |k: usize| {
            arms.iter().any(|arm| match guarded(&arm.pat).0 {
                syn::Pat::Tuple(t) => t.elems.iter().nth(k).is_some_and(is_pattern),
                _ => false,
            })
        };
        let part = |(k, e)| {
            let o = if outcome(k) { self.outcome_expr(e) } else { self.nested_expr(e) };
            self.value(o)
        };
        t.elems.iter().enumerate().map(part).collect()
    }

    /// A match on a result: one on its value where it is there, and one on its error.
    pub(crate) fn match_outcome(
        &mut self,
        scrutinee: &Operand,
        arms: &[syn::Arm],
        arm: &mut dyn FnMut(&mut Lowering<'a>, &syn::Arm) -> Operand,
    ) -> Option<Operand> {
        if !arms.iter().any(|arm| is_pattern(&arm.pat)) {
            return None;
        }
        let (value, fault) = self.outcome_parts(scrutinee)?;
        let [of_value, of_error] = [true, false].map(|ok| {
            let own = |arm: &syn::Arm| Some(syn::Arm { pat: inside(&arm.pat, ok)?, ..arm.clone() });
            arms.iter().filter_map(own).collect::<Vec<_>>()
        });
        let (flag, payload) = self.parts_of(&value);
        let by_ref = matches!(scrutinee, Operand::Place(p) if p.is_ref)
            || arms.iter().any(|arm| scan::takes_reference(&arm.pat));
        let unread = |arms: &[syn::Arm]| arms.iter().all(|arm| matches!(arm.pat, syn::Pat::Wild(_)));
        let arm = std::cell::RefCell::new(arm);
        let mut first = |l: &mut Self| l.match_arms(&payload, &of_value, &mut **arm.borrow_mut());
        let mut second = |l: &mut Self| {
            let error = if unread(&of_error) { Operand::Value(l.unit()) } else { l.error(&fault, by_ref) };
            l.match_arms(&error, &of_error, &mut **arm.borrow_mut())
        };
        Some(self.if_value(flag, &mut first, &mut second))
    }

    /// Runs `then_` with the names that the pattern of a value or of an error binds if it is there and matches, else `else_`.
    pub(crate) fn branch_on_outcome(
        &mut self,
        (value, fault): (Operand, Operand),
        by_ref: bool,
        (ok, pat): (bool, &syn::Pat),
        guard: Option<&syn::Expr>,
        then_: ArmFn<'_, 'a>,
        else_: ArmFn<'_, 'a>,
    ) -> Operand {
        // first whether it is there, and then what it is
        let (flag, payload) = self.parts_of(&value);
        let flag = if ok { flag } else { self.primitive(&compare::NOT, &[flag]) };
        let by_ref = by_ref || scan::takes_reference(pat);
        let else_ = std::cell::RefCell::new(else_);
        let mut inside = |l: &mut Self| {
            let payload = if ok { payload.clone() } else { l.error(&fault, by_ref) };
            l.branch_on_pattern(payload, pat, guard, &mut *then_, &mut |l: &mut Self| (*else_.borrow_mut())(l))
        };
        self.if_value(flag, &mut inside, &mut |l: &mut Self| (*else_.borrow_mut())(l))
    }

    /// Binds the names of the pattern of what is in a result.
    pub(crate) fn bind_outcome(&mut self, ok: bool, inner: &syn::Pat, value: Operand, fault: Operand, is_ref: bool) {
        if ok {
            let (_, payload) = self.parts_of(&value);
            let is_ref = is_ref || matches!(&payload, Operand::Place(p) if p.is_ref);
            self.bind_pattern(inner, payload, is_ref);
        } else if !scan::bindings(inner).is_empty() {
            let error = self.error(&fault, is_ref || scan::takes_reference(inner));
            self.bind_pattern(inner, error, is_ref);
        }
    }

    /// The condition under which a result has what a pattern is for.
    pub(crate) fn outcome_test(
        &mut self,
        ok: bool,
        inner: &syn::Pat,
        value: &Operand,
        fault: &Operand,
    ) -> Option<Value> {
        let (flag, payload) = self.parts_of(value);
        let flag = if ok { flag } else { self.primitive(&compare::NOT, &[flag]) };
        if self.pattern_test_is_trivial(inner) {
            return Some(flag);
        }
        if !ok && !scan::bindings(inner).is_empty() {
            return None;
        }
        self.test_where(flag, &mut |l| {
            if ok {
                return l.pattern_test(inner, &payload);
            }
            let Operand::Value(error) = l.error(fault, true) else { return None };
            Some(Some(l.test_as_written(inner, error)))
        })
    }
}
