//! Patterns on enums behind a mutable reference: what they bind are places in the enum itself.
//!
//! An enum that is only read is taken apart by `if let`; one that may be changed through what a pattern binds is tested,
//! and each name is another name for the place behind [`Step::Variant`].

use super::place::Root;
use super::{Lowering, Operand, scan};
use crate::ir::{Step, Type, Value, Variant};
use crate::prims::compare;
use quote::{ToTokens, quote};

impl Lowering<'_> {
    /// Whether something may be changed through what a pattern binds in it: a place of an unknown type behind `&mut`.
    pub(crate) fn is_changed_through(&mut self, operand: &Operand) -> bool {
        let Operand::Place(p) = operand else { return false };
        let mutable = matches!(p.root, Root::Cell(c) if self.env.cells[c].mutable);
        mutable && p.is_ref && self.place_type(p) == Type::Dyn
    }

    /// Whether a pattern of a variant is tried by a test and places behind it: on what may be changed through what it binds,
    /// and on parts of tuples.
    pub(crate) fn is_tested(&mut self, operand: &Operand) -> bool {
        let unseen = match operand {
            Operand::Value(v) => *self.func.ty(*v) == Type::Dyn,
            Operand::Place(p) => self.place_type(p) == Type::Dyn,
            _ => false,
        };
        self.within && unseen || self.is_changed_through(operand)
    }

    /// The flag and the payload of an option that a pattern is tried on.
    pub(crate) fn matched_option(&mut self, operand: &Operand) -> Option<(Value, Operand)> {
        match self.option_parts(operand) {
            None if self.is_tested(operand) => Some(self.parts_of(operand)),
            parts => parts,
        }
    }

    /// The condition under which a pattern of a variant matches, as [`Lowering::pattern_test`] gives it.
    pub(crate) fn variant_test(&mut self, pat: &syn::Pat, operand: &Operand) -> Option<Option<Value>> {
        let v = self.value(operand.clone());
        let (path, fields) = match pat {
            syn::Pat::Path(p) => (p.path.to_token_stream(), vec![]),
            pat => self.variant_places(pat, operand)?,
        };
        let head = match pat {
            syn::Pat::Path(_) => path,
            _ => quote!(#path { .. }),
        };
        let test = self.template(&[v], Type::Bool, true, |p| {
            let p = &p[0];
            quote!(::core::matches!(#p, #head))
        });
        if fields.iter().all(|(pat, _)| self.pattern_test_is_trivial(pat)) {
            return Some(Some(test));
        }
        // what is in the variant is looked at only where it is that variant
        let mut known = true;
        let all = self.if_value(
            test,
            &mut |l: &mut Self| {
                let mut all: Option<Value> = None;
                for (pat, place) in &fields {
                    match l.pattern_test(pat, place) {
                        Some(None) => {}
                        Some(Some(t)) => {
                            all = Some(match all {
                                Some(old) => l.primitive(&compare::AND, &[old, t]),
                                None => t,
                            });
                        }
                        None => known = false,
                    }
                }
                Operand::Value(all.unwrap_or_else(|| l.b().bool(true)))
            },
            &mut |l: &mut Self| Operand::Value(l.b().bool(false)),
        );
        known.then(|| Some(self.value(all)))
    }

    /// Binds the names of a pattern of a variant that matches.
    pub(crate) fn bind_variant(&mut self, pat: &syn::Pat, operand: &Operand) {
        let Some((_, fields)) = self.variant_places(pat, operand) else { return };
        for (pat, place) in fields {
            self.bind_pattern(pat, place, true);
        }
    }

    /// The path of a pattern of a variant, and the places that the patterns in it are for.
    fn variant_places<'p>(
        &mut self,
        pat: &'p syn::Pat,
        operand: &Operand,
    ) -> Option<(proc_macro2::TokenStream, Vec<(&'p syn::Pat, Operand)>)> {
        let (path, fields): (_, Vec<(String, &syn::Pat)>) = match pat {
            syn::Pat::TupleStruct(t) => {
                let rest = t.elems.iter().position(|p| matches!(p, syn::Pat::Rest(_)));
                if rest.is_some_and(|r| r + 1 != t.elems.len()) {
                    return None;
                }
                let fields = t.elems.iter().filter(|p| !matches!(p, syn::Pat::Rest(_)));
                (&t.path, fields.enumerate().map(|(k, p)| (k.to_string(), p)).collect())
            }
            syn::Pat::Struct(s) => (&s.path, s.fields.iter().map(|f| (scan::member(&f.member), &*f.pat)).collect()),
            _ => return None,
        };
        let place = self.place(operand.clone());
        let variant = scan::variant(path, scan::Form::Named);
        let tokens = path.to_token_stream();
        let fields = fields.into_iter().map(|(field, pat)| {
            let step = match &variant {
                Some(name) => {
                    let part = format!("{name}_{field}");
                    Step::Variant(Box::new(Variant { path: tokens.clone(), field, part }))
                }
                None => Step::Field(field),
            };
            (pat, Operand::Place(place.clone().step(step, []).by_ref(true).mutable(place.is_mut)))
        });
        Some((tokens.clone(), fields.collect()))
    }
}
