//! Patterns with alternatives that bind names: one pattern for each way in which they match.
//!
//! `(A(x) | B(x), y)` is `(A(x), y)`, and where that does not match `(B(x), y)`.

use super::scan;
use syn::punctuated::Punctuated;

/// The patterns without such alternatives that a pattern stands for, in the order in which they are tried.
pub(crate) fn of(pat: &syn::Pat) -> Vec<syn::Pat> {
    if scan::bindings(pat).is_empty() {
        return vec![pat.clone()];
    }
    match pat {
        syn::Pat::Or(o) => o.cases.iter().flat_map(of).collect(),
        syn::Pat::Paren(p) => of(&p.pat),
        syn::Pat::Reference(p) => of(&p.pat)
            .into_iter()
            .map(|inner| syn::Pat::Reference(syn::PatReference { pat: Box::new(inner), ..p.clone() }))
            .collect(),
        syn::Pat::Tuple(p) => {
            each(&p.elems).into_iter().map(|elems| syn::Pat::Tuple(syn::PatTuple { elems, ..p.clone() })).collect()
        }
        syn::Pat::TupleStruct(p) => each(&p.elems)
            .into_iter()
            .map(|elems| syn::Pat::TupleStruct(syn::PatTupleStruct { elems, ..p.clone() }))
            .collect(),
        syn::Pat::Slice(p) => {
            each(&p.elems).into_iter().map(|elems| syn::Pat::Slice(syn::PatSlice { elems, ..p.clone() })).collect()
        }
        syn::Pat::Struct(p) => {
            let fields: Punctuated<syn::Pat, syn::Token![,]> = p.fields.iter().map(|f| (*f.pat).clone()).collect();
            let with = |pats: Punctuated<syn::Pat, syn::Token![,]>| {
                let mut p = p.clone();
                for (field, pat) in p.fields.iter_mut().zip(pats) {
                    *field.pat = pat;
                }
                syn::Pat::Struct(p)
            };
            each(&fields).into_iter().map(with).collect()
        }
        pat => vec![pat.clone()],
    }
}

/// The pattern that matches where one of several does.
pub(crate) fn any(cases: &[syn::Pat]) -> syn::Pat {
    match cases {
        [one] => one.clone(),
        _ => syn::parse_quote!((#(#cases)|*)),
    }
}

/// All ways to choose an alternative of each of several patterns.
fn each<P: Clone + Default>(pats: &Punctuated<syn::Pat, P>) -> Vec<Punctuated<syn::Pat, P>> {
    let mut ways = vec![Punctuated::new()];
    for pat in pats {
        let own = of(pat);
        ways = ways
            .into_iter()
            .flat_map(|way| {
                own.iter().map(move |pat| {
                    let mut way = way.clone();
                    way.push(pat.clone());
                    way
                })
            })
            .collect();
    }
    if pats.trailing_punct() {
        ways.iter_mut().filter(|way| !way.is_empty()).for_each(|way| way.push_punct(P::default()));
    }
    ways
}
