//! The generics of the tangent type and the bounds of what is implemented.
//!
//! The tangent type has those parameters of the user's type that the types of its fields mention, as an unused one is
//! an error. A type parameter `T` in a field with a derivative must be `Differentiable`, and so must `T::Item`; that
//! the types built of them then are is left to the trait solver. `Differentiable` of the user's type has no bound on a
//! field as a whole, because a recursive type would need itself. What is implemented for the tangent type has such
//! bounds for fields without parameters: a field that is not differentiable then is one error, not one in each item.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{GenericParam, Generics, Path, Type, TypePath, WherePredicate, parse_quote, parse_quote_spanned};

use super::model::Kept;
use crate::syntax::signature::{TypeClass, bare};

/// The generics of everything that is derived.
pub(super) struct Bounds {
    /// Of the user's type, for the implementation of `Differentiable`.
    pub(super) value: Generics,
    /// Of the tangent type.
    pub(super) tangent: Generics,
    /// Of what is implemented for the tangent type.
    pub(super) implemented: Generics,
    /// Tangents of type parameters, and tangents that are made of them in other ways.
    tangents: Vec<TokenStream>,
}

impl Bounds {
    pub(super) fn new<'a>(generics: &Generics, krate: &Path, fields: impl Iterator<Item = &'a Kept>) -> Self {
        let all = Mentioned::declared(generics);
        let mut collected = Collector { all: &all, types: Vec::new(), concrete: Vec::new(), seen: BTreeSet::new() };
        let mut used = Mentioned::default();
        let (mut arrays, mut tangents) = (Vec::<WherePredicate>::new(), Vec::new());
        let mut shared = Vec::<WherePredicate>::new();
        for field in fields {
            let mentioned = Mentioned::in_tokens(field.ty.clone());
            let generic_array = has_array(&field.class) && mentioned.types_of(generics);
            used.absorb(mentioned);
            collected.class(&field.class);
            if generic_array {
                // what arrays ask of their elements and of their dimension
                let (source, ty) = (&field.source, &field.ty);
                arrays.push(parse_quote!(#source: #krate::Differentiable<Tangent = #ty>));
                shared.push(parse_quote!(#ty: #krate::Tangent));
                tangents.push(ty.clone());
            }
        }
        for ty in collected.types {
            shared.push(parse_quote!(#ty: #krate::Differentiable));
            tangents.push(quote!(<#ty as #krate::Differentiable>::Tangent));
        }

        let mut tangent = restricted(generics, &all, &used);
        let mut value = generics.clone();
        if !shared.is_empty() {
            tangent.make_where_clause().predicates.extend(shared.iter().cloned());
            value.make_where_clause().predicates.extend(shared.into_iter().chain(arrays));
        }
        let mut implemented = tangent.clone();
        if !collected.concrete.is_empty() {
            let predicates = &mut implemented.make_where_clause().predicates;
            for ty in collected.concrete {
                predicates.push(parse_quote_spanned!(ty.span()=> #ty: #krate::Differentiable));
            }
        }
        Bounds { value, tangent, implemented, tangents }
    }

    /// Whether `#[derive]` gives the tangent type the right bounds.
    pub(super) fn derivable(&self) -> bool {
        self.tangent.type_params().next().is_none()
    }

    /// The generics of the implementation of another trait for the tangent type.
    pub(super) fn tangent_with(&self, bound: &TokenStream) -> Generics {
        let mut generics = self.implemented.clone();
        let predicates = self.tangents.iter().map(|ty| -> WherePredicate { parse_quote!(#ty: #bound) });
        generics.make_where_clause().predicates.extend(predicates);
        generics
    }
}

/// The generics without what is not used, and without the bounds that speak of it.
fn restricted(generics: &Generics, all: &Mentioned, used: &Mentioned) -> Generics {
    let kept = |syntax: TokenStream| Mentioned::in_tokens(syntax).only(all, used);
    let mut out = generics.clone();
    let params = generics.params.iter().filter(|param| used.contains(param)).cloned().map(|mut param| {
        match &mut param {
            GenericParam::Lifetime(param) => {
                param.attrs.clear();
                let bounds = param.bounds.iter().filter(|bound| kept(bound.to_token_stream())).cloned();
                param.bounds = bounds.collect();
            }
            GenericParam::Type(param) => {
                param.attrs.clear();
                param.default = None;
                let bounds = param.bounds.iter().filter(|bound| kept(bound.to_token_stream())).cloned();
                param.bounds = bounds.collect();
            }
            GenericParam::Const(param) => {
                param.attrs.clear();
                param.default = None;
            }
        }
        param
    });
    out.params = params.collect();
    if let Some(clause) = &mut out.where_clause {
        let predicates = clause.predicates.iter().filter(|predicate| kept(predicate.to_token_stream())).cloned();
        clause.predicates = predicates.collect();
    }
    out
}

/// Names in some syntax. Those of lifetimes begin with `'`.
#[derive(Default)]
struct Mentioned(BTreeSet<String>);

impl Mentioned {
    fn declared(generics: &Generics) -> Self {
        Mentioned(generics.params.iter().map(name).collect())
    }

    fn in_tokens(tokens: TokenStream) -> Self {
        let mut mentioned = Self::default();
        mentioned.collect(tokens);
        mentioned
    }

    fn collect(&mut self, tokens: TokenStream) {
        let mut lifetime = false;
        for token in tokens {
            let quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            match token {
                TokenTree::Ident(name) if lifetime => drop(self.0.insert(format!("'{name}"))),
                TokenTree::Ident(name) => drop(self.0.insert(bare(&name))),
                TokenTree::Group(group) => self.collect(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            lifetime = quote;
        }
    }

    fn absorb(&mut self, mut other: Mentioned) {
        self.0.append(&mut other.0);
    }

    fn contains(&self, param: &GenericParam) -> bool {
        self.0.contains(&name(param))
    }

    /// Whether a type parameter is among them.
    fn types_of(&self, generics: &Generics) -> bool {
        generics.type_params().any(|param| self.0.contains(&bare(&param.ident)))
    }

    /// Whether all parameters among them are used.
    fn only(&self, all: &Mentioned, used: &Mentioned) -> bool {
        self.0.intersection(&all.0).all(|name| used.0.contains(name))
    }
}

fn name(param: &GenericParam) -> String {
    match param {
        GenericParam::Lifetime(param) => param.lifetime.to_string(),
        GenericParam::Type(param) => bare(&param.ident),
        GenericParam::Const(param) => bare(&param.ident),
    }
}

fn has_array(class: &TypeClass) -> bool {
    match class {
        TypeClass::NdArray { .. } => true,
        TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => has_array(of),
        TypeClass::Option(of) | TypeClass::Result(of) | TypeClass::BoxOf(of) => has_array(of),
        TypeClass::Tuple(of) => of.iter().any(has_array),
        TypeClass::Float(_) | TypeClass::Inactive | TypeClass::Function | TypeClass::Unknown(_) => false,
    }
}

/// Finds the type parameters, and the types that belong to them (`T::Item`), that need a derivative.
struct Collector<'a> {
    all: &'a Mentioned,
    types: Vec<Type>,
    /// Other types of the user's, which no parameter of this type has a part in.
    concrete: Vec<Type>,
    seen: BTreeSet<String>,
}

impl Collector<'_> {
    fn class(&mut self, class: &TypeClass) {
        match class {
            TypeClass::Unknown(ty) if self.generic(ty.to_token_stream()) => self.visit_type(ty),
            TypeClass::Unknown(ty) => {
                if self.seen.insert(ty.to_token_stream().to_string()) {
                    self.concrete.push((**ty).clone());
                }
            }
            TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => self.class(of),
            TypeClass::Option(of) | TypeClass::Result(of) | TypeClass::BoxOf(of) => self.class(of),
            TypeClass::NdArray { element, .. } => self.class(element),
            TypeClass::Tuple(of) => of.iter().for_each(|of| self.class(of)),
            TypeClass::Float(_) | TypeClass::Inactive | TypeClass::Function => {}
        }
    }

    fn add(&mut self, ty: &TypePath) {
        if self.seen.insert(ty.to_token_stream().to_string()) {
            self.types.push(Type::Path(ty.clone()));
        }
    }

    fn generic(&self, syntax: TokenStream) -> bool {
        !Mentioned::in_tokens(syntax).0.is_disjoint(&self.all.0)
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        let first = ty.path.segments.first().map(|segment| bare(&segment.ident));
        let of_parameter = match &ty.qself {
            Some(of) => self.generic(of.ty.to_token_stream()),
            None => ty.path.leading_colon.is_none() && first.is_some_and(|name| self.all.0.contains(&name)),
        };
        let marker = ty.path.segments.last().is_some_and(|last| last.ident == "PhantomData");
        if of_parameter {
            self.add(ty);
        } else if !marker {
            visit::visit_type_path(self, ty);
        }
    }

    // a const parameter is no type
    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
    fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {}
}
