//! The generics of a function as its companions declare them, and what its bounds say about the type parameters.
//!
//! A companion that returns a pullback must say which lifetimes the pullback borrows, so the elided lifetimes of what
//! is borrowed immutably get one name, and a parameter `f: impl Trait` becomes a type parameter with that bound.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    GenericArgument, GenericParam, Generics, Lifetime, ParenthesizedGenericArguments, Path, PathArguments, PathSegment,
    Type, TypeFnPtr, TypeParamBound, TypeReference, WherePredicate, parse_quote,
};

use super::names::Names;
use super::types::{is_function_bound, plain};

/// What the bounds say.
#[derive(Default)]
pub(super) struct Context {
    parameters: BTreeMap<String, Ident>,
    /// Those with a bound such as `Mul<Output = T>`.
    operators: BTreeSet<String>,
    /// Those that are said to have tangents, of whatever type.
    others: BTreeSet<String>,
    /// Type parameters that stand for a float.
    pub(super) floats: BTreeSet<String>,
    /// Type parameters that stand for a function.
    pub(super) functions: BTreeSet<String>,
    /// Type parameters that stand for the storage of an `ndarray`, with its elements.
    pub(super) data: BTreeMap<String, Type>,
}

/// The last segments of the traits that only floats have.
const FLOAT_TRAITS: &[&str] = &["Float", "FloatCore", "Real", "RealField", "NdFloat", "Scalar"];

/// The traits of arithmetic with operands of one type, which is a float where it has a derivative.
const OPERATORS: &[&str] = &["Num", "NumOps", "NumAssign", "Add", "Sub", "Mul", "Div"];

/// `Mul<f64>`: something that is multiplied by a float is none.
fn has_operand(arguments: &PathArguments) -> bool {
    match arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Type(_)))
        }
        _ => false,
    }
}

impl Context {
    /// From the outer to the inner generics.
    pub(super) fn new<'a>(generics: impl IntoIterator<Item = &'a Generics>) -> Self {
        let mut context = Context::default();
        for generics in generics {
            context.add(generics);
        }
        let operators = std::mem::take(&mut context.operators);
        context.floats.extend(operators.difference(&context.others).cloned());
        context
    }

    fn add(&mut self, generics: &Generics) {
        for parameter in generics.type_params() {
            self.parameters.insert(parameter.ident.to_string(), parameter.ident.clone());
            self.bounds(&parameter.ident.to_string(), &parameter.bounds);
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let WherePredicate::Type(predicate) = predicate
                && let Type::Path(path) = plain(&predicate.bounded_ty)
                && let Some(name) = path.path.get_ident()
                && self.is_parameter(&name.to_string())
            {
                self.bounds(&name.to_string(), &predicate.bounds);
            }
        }
    }

    pub(super) fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }

    /// The type parameters that stand for a float.
    pub(super) fn float_parameters(&self) -> Vec<Ident> {
        self.floats.iter().filter_map(|name| self.parameters.get(name)).cloned().collect()
    }

    fn bounds<'a>(&mut self, parameter: &str, bounds: impl IntoIterator<Item = &'a TypeParamBound>) {
        for bound in bounds {
            if is_function_bound(bound) {
                self.functions.insert(parameter.to_string());
            }
            let TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            let name = last.ident.to_string();
            if FLOAT_TRAITS.contains(&name.as_str()) {
                self.floats.insert(parameter.to_string());
            }
            if name == "Differentiable" {
                self.others.insert(parameter.to_string());
            }
            if OPERATORS.contains(&name.as_str()) && !has_operand(&last.arguments) {
                self.operators.insert(parameter.to_string());
            }
            if matches!(name.as_str(), "Data" | "DataMut" | "DataOwned" | "RawData")
                && let PathArguments::AngleBracketed(arguments) = &last.arguments
            {
                for argument in &arguments.args {
                    if let GenericArgument::AssocType(assoc) = argument
                        && assoc.ident == "Elem"
                    {
                        self.data.insert(parameter.to_string(), assoc.ty.clone());
                    }
                }
            }
        }
    }
}

/// Gives elided lifetimes a name.
pub(super) struct Elided {
    pub(super) lifetime: Lifetime,
    pub(super) used: bool,
}

impl Elided {
    pub(super) fn new(names: &mut Names) -> Self {
        let name = names.fresh("ct");
        Elided { lifetime: Lifetime::new(&format!("'{name}"), Span::mixed_site()), used: false }
    }

    /// The type with every elided lifetime named. That of an outermost `&mut` stays elided: nothing borrows it longer
    /// than the call.
    pub(super) fn name(&mut self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        match &mut ty {
            Type::Reference(reference) if reference.mutability.is_some() => self.visit_type_mut(&mut reference.elem),
            _ => self.visit_type_mut(&mut ty),
        }
        ty
    }

    fn take(&mut self) -> Lifetime {
        self.used = true;
        self.lifetime.clone()
    }
}

impl VisitMut for Elided {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.take());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.take();
        }
    }

    fn visit_path_segment_mut(&mut self, segment: &mut PathSegment) {
        // the lifetime of a view may be left out altogether
        if is_mutable_view(segment) {
            // as for `&mut`
            return;
        }
        if segment.ident.to_string().starts_with("ArrayView")
            && let PathArguments::AngleBracketed(arguments) = &mut segment.arguments
            && !arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_)))
        {
            let lifetime = self.take();
            arguments.args.insert(0, GenericArgument::Lifetime(lifetime));
        }
        visit_mut::visit_path_segment_mut(self, segment);
    }

    // elision has its own rules inside function types
    fn visit_type_fn_ptr_mut(&mut self, _: &mut TypeFnPtr) {}
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
}

/// Replaces `impl Trait` by type parameters, which it adds to `generics`.
pub(super) struct Named<'a> {
    pub(super) generics: &'a mut Generics,
    pub(super) names: &'a mut Names,
}

impl VisitMut for Named<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Type::ImplTrait(of) = ty {
            let name = self.names.fresh("F");
            let bounds = &of.bounds;
            self.generics.params.push(parse_quote!(#name: #bounds));
            *ty = parse_quote!(#name);
        }
    }
}

/// The lifetimes that occur in types, in order.
#[derive(Default)]
pub(super) struct Lifetimes {
    found: Vec<Ident>,
}

impl Lifetimes {
    pub(super) fn of<'a>(types: impl IntoIterator<Item = &'a Type>) -> Self {
        let mut lifetimes = Self::default();
        for ty in types {
            match plain(ty) {
                Type::Reference(reference) if reference.mutability.is_some() => lifetimes.visit_type(&reference.elem),
                ty => lifetimes.visit_type(ty),
            }
        }
        lifetimes
    }

    pub(super) fn contains(&self, lifetime: &Lifetime) -> bool {
        self.found.contains(&lifetime.ident)
    }
}

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
        if !is_mutable_view(segment) {
            visit::visit_path_segment(self, segment);
        }
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.found.push(lifetime.ident.clone());
    }
}

/// Whether a type is that of a mutable view, by its name.
fn is_mutable_view(segment: &PathSegment) -> bool {
    segment.ident.to_string().starts_with("ArrayViewMut")
}

/// Whether there is a `&mut` or a mutable view somewhere in the type, its outermost reference apart.
pub(super) fn mutable_inside(ty: &Type) -> bool {
    #[derive(Default)]
    struct Mutable(bool);
    impl<'ast> Visit<'ast> for Mutable {
        fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
            self.0 |= reference.mutability.is_some();
            visit::visit_type_reference(self, reference);
        }
        fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
            self.0 |= is_mutable_view(segment);
            visit::visit_path_segment(self, segment);
        }
        fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}
        fn visit_parenthesized_generic_arguments(&mut self, _: &'ast ParenthesizedGenericArguments) {}
    }
    let mut mutable = Mutable::default();
    match plain(ty) {
        Type::Reference(reference) => mutable.visit_type(&reference.elem),
        ty => mutable.visit_type(ty),
    }
    mutable.0
}

/// Adds a lifetime before all other parameters.
pub(super) fn with_lifetime(generics: &Generics, lifetime: &Lifetime) -> Generics {
    let mut generics = generics.clone();
    generics.params.insert(0, parse_quote!(#lifetime));
    generics
}

/// What a pullback captures: the lifetimes of what is borrowed immutably, and all type and const parameters.
pub(super) fn captures<'a>(
    generics: &Generics,
    types: impl IntoIterator<Item = &'a Type>,
) -> Vec<proc_macro2::TokenStream> {
    use quote::ToTokens;
    let lifetimes = Lifetimes::of(types);
    generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Lifetime(parameter) => {
                lifetimes.contains(&parameter.lifetime).then(|| parameter.lifetime.to_token_stream())
            }
            GenericParam::Type(parameter) => Some(parameter.ident.to_token_stream()),
            GenericParam::Const(parameter) => Some(parameter.ident.to_token_stream()),
        })
        .collect()
}

/// Bounds everything that the pullback may hold by one lifetime, `Self` as well for an associated function. Returns the
/// other lifetimes of what is borrowed, which the type of the pullback of an associated function must mention.
pub(super) fn outlive<'a>(
    generics: &mut Generics,
    lifetime: &Lifetime,
    types: impl IntoIterator<Item = &'a Type>,
    associated: bool,
) -> Vec<proc_macro2::TokenStream> {
    let mut found = Lifetimes::of(types).found;
    found.sort();
    found.dedup();
    found.retain(|found| *found != lifetime.ident && found != "static");
    let others: Vec<Lifetime> = found.into_iter().map(|ident| Lifetime { apostrophe: ident.span(), ident }).collect();
    let types: Vec<Ident> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let predicates = &mut generics.make_where_clause().predicates;
    if associated {
        predicates.push(parse_quote!(Self: #lifetime));
    }
    predicates.extend::<Vec<WherePredicate>>(others.iter().map(|other| parse_quote!(#other: #lifetime)).collect());
    predicates.extend::<Vec<WherePredicate>>(types.iter().map(|ty| parse_quote!(#ty: #lifetime)).collect());
    others.iter().map(quote::ToTokens::to_token_stream).collect()
}

/// What companions need of a type parameter that stands for a float.
pub(super) fn require_real<'a>(generics: &mut Generics, names: impl Iterator<Item = &'a Ident>, krate: &Path) {
    for name in names {
        let predicate = parse_quote!(#name: #krate::__private::Real);
        generics.make_where_clause().predicates.push(predicate);
    }
}
