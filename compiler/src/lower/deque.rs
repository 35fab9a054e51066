//! A local `VecDeque` as a vector.
//!
//! A function in which a `VecDeque` holds differentiable values is lowered again with vectors in their place: `push_back`
//! is `push`, and `pop_front` takes the first element out, which costs a move of the others. Only the companions are made
//! from that; the function itself stays as it is written. A `VecDeque` without differentiable values stays what it is.

use super::control::strip;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::parse_quote;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// The body with vectors; `None` if it has no `VecDeque`.
pub(super) fn as_vectors(body: &syn::Block) -> Option<syn::Block> {
    if !mentions(body.to_token_stream()) {
        return None;
    }
    let mut names = Names::default();
    names.visit_block(body);
    let mut body = body.clone();
    Vectors { deques: names.0 }.visit_block_mut(&mut body);
    Some(body)
}

/// Whether a method tells that its receiver is a deque.
pub(super) fn is_method(name: &str) -> bool {
    ["push_back", "push_front", "pop_back", "pop_front"].contains(&name)
}

fn mentions(tokens: TokenStream) -> bool {
    super::scan::mentioned(tokens).iter().any(|name| name == NAME)
}

const NAME: &str = "VecDeque";

/// Variables that are declared or made as deques, or hold some.
#[derive(Default)]
struct Names(BTreeSet<Ident>);

impl Names {
    fn comes_from(&self, e: &syn::Expr) -> bool {
        super::scan::mentioned(e.to_token_stream()).iter().any(|name| name == NAME || self.0.contains(name))
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let (name, declared) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, mentions(typed.ty.to_token_stream())),
            pat => (pat, false),
        };
        let made = local.init.as_ref().is_some_and(|init| self.comes_from(&init.expr));
        if let syn::Pat::Ident(name) = name
            && (declared || made)
        {
            self.0.insert(name.ident.clone());
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        if let syn::Pat::Ident(name) = &*e.pat
            && self.comes_from(&e.expr)
        {
            self.0.insert(name.ident.clone());
        }
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_pat_type(&mut self, typed: &'ast syn::PatType) {
        if let syn::Pat::Ident(name) = &*typed.pat
            && mentions(typed.ty.to_token_stream())
        {
            self.0.insert(name.ident.clone());
        }
        visit::visit_pat_type(self, typed);
    }
}

struct Vectors {
    deques: BTreeSet<Ident>,
}

impl Vectors {
    /// A method of deques as one of vectors, where the two have the same arguments and results.
    fn renamed(&self, method: &Ident, receiver: Option<&syn::Expr>) -> Option<&'static str> {
        let deque = receiver.is_some_and(|receiver| self.is_deque(receiver));
        Some(match method.to_string().as_str() {
            "push_back" => "push",
            "pop_back" => "pop",
            "make_contiguous" => "as_mut_slice",
            "front" if deque => "first",
            "back" if deque => "last",
            "front_mut" if deque => "first_mut",
            "back_mut" if deque => "last_mut",
            _ => return None,
        })
    }

    fn is_deque(&self, receiver: &syn::Expr) -> bool {
        match strip(receiver) {
            syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| self.deques.contains(name)),
            syn::Expr::Index(i) => self.is_deque(&i.expr),
            _ => false,
        }
    }
}

impl VisitMut for Vectors {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if let Some(k) = path.segments.iter().position(|segment| segment.ident == NAME) {
            let mut rest = path.segments.iter().skip(k).cloned();
            let mut first = rest.next().expect("it is there");
            first.ident = Ident::new("Vec", first.ident.span());
            path.segments = std::iter::once(first).chain(rest).collect();
            path.leading_colon = None;
        }
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        let syn::Expr::MethodCall(m) = e else { return };
        if let Some(name) = self.renamed(&m.method, Some(&m.receiver)) {
            m.method = Ident::new(name, m.method.span());
            return;
        }
        let (receiver, args) = (&m.receiver, &m.args);
        match (m.method.to_string().as_str(), args.len()) {
            ("push_front", 1) => *e = parse_quote!(#receiver.insert(0, #args)),
            ("pop_front", 0) => {
                *e = parse_quote!((if #receiver.is_empty() { None } else { Some(#receiver.remove(0)) }));
            }
            ("remove", 1) if self.is_deque(receiver) => {
                *e = parse_quote!((if #args < #receiver.len() { Some(#receiver.remove(#args)) } else { None }));
            }
            _ => {}
        }
    }

    fn visit_macro_mut(&mut self, m: &mut syn::Macro) {
        m.tokens = self.tokens(m.tokens.clone());
    }
}

impl Vectors {
    /// In the arguments of a macro only names are replaced.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        tokens
            .into_iter()
            .map(|token| match token {
                TokenTree::Ident(name) if name == NAME => Ident::new("Vec", name.span()).into(),
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    inner.into()
                }
                token => token,
            })
            .collect()
    }
}
