//! Whether a value matches a pattern, as far as comparisons tell.

use super::pattern::is_some;
use super::{Lowering, Operand, outcome, scan};
use crate::ir::{Step, Type, Value};
use crate::prims::compare;
use quote::quote;

impl Lowering<'_> {
    /// The condition under which a pattern matches: `Some(None)` if always, `None` if that cannot be told by comparisons.
    pub(crate) fn pattern_test(&mut self, pat: &syn::Pat, operand: &Operand) -> Option<Option<Value>> {
        match pat {
            syn::Pat::Wild(_) | syn::Pat::Rest(_) => Some(None),
            syn::Pat::TupleStruct(t) if is_some(&t.path) && t.elems.len() == 1 => {
                let (flag, payload) = self.matched_option(operand)?;
                if self.pattern_test_is_trivial(&t.elems[0]) {
                    return Some(Some(flag));
                }
                // the payload is looked at only where there is one
                self.test_where(flag, &mut |l| l.pattern_test(&t.elems[0], &payload)).map(Some)
            }
            syn::Pat::Ident(p) if p.ident == "None" && p.subpat.is_none() => {
                let (flag, _) = self.matched_option(operand)?;
                Some(Some(self.primitive(&compare::NOT, &[flag])))
            }
            syn::Pat::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "None") => {
                let (flag, _) = self.matched_option(operand)?;
                Some(Some(self.primitive(&compare::NOT, &[flag])))
            }
            pat if let Some((ok, inner)) = outcome::pattern(pat)
                && let Some((value, fault)) = self.outcome_parts(operand) =>
            {
                self.outcome_test(ok, inner, &value, &fault).map(Some)
            }
            syn::Pat::Path(_) | syn::Pat::TupleStruct(_) | syn::Pat::Struct(_) if self.is_tested(operand) => {
                self.variant_test(pat, operand)
            }
            syn::Pat::Paren(p) => self.pattern_test(&p.pat, operand),
            syn::Pat::Reference(p) => self.pattern_test(&p.pat, operand),
            syn::Pat::Type(p) => self.pattern_test(&p.pat, operand),
            syn::Pat::Ident(p) => match &p.subpat {
                Some((_, sub)) => self.pattern_test(sub, operand),
                None if !scan::bindings(pat).is_empty() => Some(None),
                None => {
                    let ident = &p.ident;
                    if ident == "None" {
                        return None;
                    }
                    self.equality(operand, &syn::parse_quote!(#ident))
                }
            },
            syn::Pat::Lit(l) => {
                let e = syn::Expr::Lit(l.clone());
                match &l.lit {
                    syn::Lit::Int(_) | syn::Lit::Float(_) | syn::Lit::Bool(_) | syn::Lit::Char(_) => {
                        self.equality(operand, &e)
                    }
                    _ => None,
                }
            }
            syn::Pat::Path(p) if p.qself.is_none() && self.scalar(operand) => {
                self.equality(operand, &syn::Expr::Path(p.clone()))
            }
            syn::Pat::Range(r) if self.scalar(operand) => {
                let x = self.value(operand.clone());
                let mut test = None;
                if let Some(lo) = &r.start {
                    let lo = self.operand(lo);
                    test = Some(self.primitive(&compare::LE, &[lo, x]));
                }
                if let Some(hi) = &r.end {
                    let hi = self.operand(hi);
                    let prim = match r.limits {
                        syn::RangeLimits::HalfOpen(_) => &compare::LT,
                        syn::RangeLimits::Closed(_) => &compare::LE,
                    };
                    let upper = self.primitive(prim, &[x, hi]);
                    test = Some(match test {
                        Some(t) => self.primitive(&compare::AND, &[t, upper]),
                        None => upper,
                    });
                }
                Some(test)
            }
            syn::Pat::Or(o) => {
                if !scan::bindings(pat).is_empty() {
                    return None;
                }
                let mut test: Option<Value> = None;
                for case in &o.cases {
                    let Some(t) = self.pattern_test(case, operand)? else { return Some(None) };
                    test = Some(match test {
                        Some(old) => self.primitive(&compare::OR, &[old, t]),
                        None => t,
                    });
                }
                Some(test)
            }
            syn::Pat::Tuple(t) => {
                let ty = match operand {
                    Operand::Value(v) => self.ty(*v),
                    Operand::Place(p) => self.place_type(p),
                    Operand::Parts(parts) if parts.len() == t.elems.len() => {
                        return self.pattern_tests(t.elems.iter(), parts.clone());
                    }
                    _ => return None,
                };
                if !matches!(&ty, Type::Tuple(ts) if ts.len() == t.elems.len())
                    || t.elems.iter().any(|p| matches!(p, syn::Pat::Rest(_)))
                {
                    return None;
                }
                let place = self.place(operand.clone());
                let parts =
                    (0..t.elems.len()).map(|k| Operand::Place(place.clone().step(Step::Field(k.to_string()), [])));
                let parts = parts.collect();
                self.pattern_tests(t.elems.iter(), parts)
            }
            syn::Pat::Slice(s) => self.slice_test(s, operand),
            _ => None,
        }
    }

    /// The condition under which patterns match the parts of a tuple.
    fn pattern_tests<'p>(
        &mut self,
        patterns: impl Iterator<Item = &'p syn::Pat>,
        parts: Vec<Operand>,
    ) -> Option<Option<Value>> {
        let outer = std::mem::replace(&mut self.within, true);
        let mut test: Option<Option<Value>> = Some(None);
        for (p, part) in patterns.zip(parts) {
            let own = match self.pattern_test(p, &part) {
                // one that binds nothing is tried as it is written
                None if scan::bindings(p).is_empty() => {
                    let v = self.value(part);
                    Some(Some(self.test_as_written(p, v)))
                }
                own => own,
            };
            test = match (test, own) {
                (Some(Some(old)), Some(Some(own))) => Some(Some(self.primitive(&compare::AND, &[old, own]))),
                (Some(old), Some(own)) => Some(old.or(own)),
                _ => None,
            };
        }
        self.within = outer;
        test
    }

    /// Whether a pattern that binds nothing matches.
    pub(crate) fn test_as_written(&mut self, pat: &syn::Pat, v: Value) -> Value {
        match pat {
            syn::Pat::Paren(p) => self.test_as_written(&p.pat, v),
            syn::Pat::Or(o) => {
                let tests: Vec<Value> = o.cases.iter().map(|case| self.test_as_written(case, v)).collect();
                let all = tests.into_iter().reduce(|a, b| self.primitive(&compare::OR, &[a, b]));
                all.expect("an alternative")
            }
            // the value may be behind any number of references
            syn::Pat::Lit(syn::PatLit { lit: syn::Lit::Str(text), .. }) => self.template(&[v], Type::Bool, true, |v| {
                let v = &v[0];
                quote!(<::core::primitive::str as ::core::cmp::PartialEq>::eq(&#v, #text))
            }),
            pat => self.template(&[v], Type::Bool, true, |v| {
                let v = &v[0];
                quote!(::core::matches!(#v, #pat))
            }),
        }
    }

    /// Whether a pattern matches everything by its form alone.
    pub(crate) fn pattern_test_is_trivial(&self, pat: &syn::Pat) -> bool {
        match pat {
            syn::Pat::Wild(_) => true,
            syn::Pat::Ident(p) => p.subpat.is_none() && !scan::bindings(pat).is_empty(),
            syn::Pat::Reference(p) => self.pattern_test_is_trivial(&p.pat),
            syn::Pat::Paren(p) => self.pattern_test_is_trivial(&p.pat),
            syn::Pat::Tuple(t) => t.elems.iter().all(|p| self.pattern_test_is_trivial(p)),
            _ => false,
        }
    }

    /// A test that is made only where a condition holds: both.
    pub(super) fn test_where(
        &mut self,
        condition: Value,
        test: &mut dyn FnMut(&mut Self) -> Option<Option<Value>>,
    ) -> Option<Value> {
        let mut known = true;
        let both = self.if_value(
            condition,
            &mut |l: &mut Self| match test(l) {
                Some(None) => Operand::Value(l.b().bool(true)),
                Some(Some(test)) => Operand::Value(test),
                None => {
                    known = false;
                    Operand::Value(l.b().bool(false))
                }
            },
            &mut |l: &mut Self| Operand::Value(l.b().bool(false)),
        );
        known.then(|| self.value(both))
    }

    fn scalar(&mut self, operand: &Operand) -> bool {
        match operand {
            Operand::Value(v) => self.ty(*v).is_scalar(),
            Operand::Place(p) => self.place_type(p).is_scalar(),
            _ => false,
        }
    }

    fn equality(&mut self, operand: &Operand, e: &syn::Expr) -> Option<Option<Value>> {
        if !self.scalar(operand) {
            return None;
        }
        let x = self.value(operand.clone());
        if let (Type::Bool, syn::Expr::Lit(l)) = (self.ty(x), e)
            && let syn::Lit::Bool(b) = &l.lit
        {
            return Some(Some(if b.value { x } else { self.primitive(&compare::NOT, &[x]) }));
        }
        let y = self.operand(e);
        self.agree(&[x, y]);
        Some(Some(self.primitive(&compare::EQ, &[x, y])))
    }
}
