//! Elements and slices by their index.

use super::control::strip;
use super::env::Binding;
use super::place::Place;
use super::{Lowering, Operand, types};
use crate::ir::{RangeEnd, Step, Type};

impl Lowering<'_> {
    /// Whether an expression names a variable that was declared with a reference in it.
    fn is_reference_cell(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = strip(e) else { return false };
        let binding = p.path.get_ident().and_then(|name| self.lookup(&types::plain_name(name)));
        matches!(binding, Some(Binding::Cell(_, true)))
    }

    /// `x[i]`, `x[a..b]`
    pub(crate) fn index(&mut self, i: &syn::ExprIndex) -> Operand {
        self.expect_sequence(&i.expr);
        let base = self.nested_expr(&i.expr);
        if let Operand::Parts(parts) = &base
            && self.hold_functions(parts)
        {
            let k = self.operand(&i.index);
            return self.pick(parts, k);
        }
        let place = self.place(base);
        if matches!(self.place_type(&place), Type::Dyn | Type::Inactive) && !self.place_active(&place) {
            // a map is indexed by references
            let o = self.nested_expr(&i.index);
            let by_ref = matches!(&o, Operand::Place(p) if p.is_ref);
            let k = self.value(o);
            // a variable with a reference in it is one in the code that is kept, too
            let itself = matches!(strip(&i.index), syn::Expr::Path(_)) && self.is_reference_cell(&i.index);
            let by_ref = by_ref && !(itself && self.is_foreign_reference(k));
            if !by_ref {
                return Operand::Place(place.step(Step::Index, [k]));
            }
            let v = self.read(&place);
            let found = self.template(&[v, k], Type::Dyn, false, |p| {
                let (of, k) = (&p[0], &p[1]);
                quote::quote!(::core::clone::Clone::clone(&#of[&#k]))
            });
            self.plain.insert(found, ());
            return Operand::Value(found);
        }
        if self.indexes_own(&place, i) {
            return self.read_indexed(&place, i);
        }
        self.index_place(place, &i.index)
    }

    /// The place of an element or a slice.
    pub(crate) fn index_place(&mut self, place: Place, index: &syn::Expr) -> Operand {
        match strip(index) {
            syn::Expr::Range(r) => {
                let mut operands = Vec::new();
                if let Some(lo) = &r.start {
                    operands.push(self.operand(lo));
                }
                let end = match (&r.end, &r.limits) {
                    (None, _) => RangeEnd::Open,
                    (Some(hi), limits) => {
                        operands.push(self.operand(hi));
                        match limits {
                            syn::RangeLimits::HalfOpen(_) => RangeEnd::Exclusive,
                            syn::RangeLimits::Closed(_) => RangeEnd::Inclusive,
                        }
                    }
                };
                Operand::Place(place.step(Step::Range { from: r.start.is_some(), end }, operands))
            }
            e if place.path.view().is_some() && whole_numbers(e).is_some() => {
                // of how many axes a view is must not depend on what the numbers are taken for
                let (numbers, ty) = whole_numbers(e).expect("checked");
                let k = self.template(&[], ty, true, |_| numbers);
                Operand::Place(place.step(Step::Index, [k]))
            }
            e => {
                let k = self.operand(e);
                if self.place_active(&place) && matches!(self.ty(k), Type::Inactive | Type::Dyn) && self.is_active(k) {
                    // an index of unknown type that comes from a call: only whole numbers index slices
                    self.maybe_active.insert(k, false);
                }
                Operand::Place(place.step(Step::Index, [k]))
            }
        }
    }
}

/// An index of plain literals, as what it is: `1_usize`, `[0_usize, 1_usize]`.
fn whole_numbers(e: &syn::Expr) -> Option<(proc_macro2::TokenStream, Type)> {
    match strip(e) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) if n.suffix().is_empty() => {
            let n = proc_macro2::Literal::usize_suffixed(n.base10_parse().ok()?);
            Some((quote::quote!(#n), Type::USIZE))
        }
        syn::Expr::Array(a) => {
            let parts = a.elems.iter().map(whole_numbers).collect::<Option<Vec<_>>>()?;
            let numbers = parts.into_iter().map(|(n, _)| n);
            Some((quote::quote!([#(#numbers),*]), Type::Array(Box::new(Type::USIZE))))
        }
        _ => None,
    }
}
