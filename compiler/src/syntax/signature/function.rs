//! Parameters that are functions, as the companions of the function around them have them.
//!
//! For a parameter `f: impl Fn(f64, usize) -> f64`, in the order of the tokens:
//!
//! ```text
//! _vjp:  F: Fn(f64, usize) -> (f64, P), P: Fn(f64) -> (E, f64, ()), E: Tangent
//! _jvp:  F: Fn(f64, usize, f64, ()) -> (f64, f64)
//! ```
//!
//! `E` is the cotangent of what the function captured. The companion takes `f: F` by value, whatever the user's type is:
//! a reference to a function is a function as well.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    GenericArgument, GenericParam, Generics, Path, PathArguments, ReturnType, Type, TypeParamBound, WherePredicate,
    parse_quote,
};

use super::generics::Context;
use super::names::Names;
use super::one_or_tuple;
use super::types::{TypeClass, classify, is_function_bound, plain, tangent_type};

/// Which trait a function has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FnKind {
    /// `Fn`, and `fn` pointers.
    Fn,
    /// `FnMut`.
    FnMut,
    /// `FnOnce`.
    FnOnce,
}

/// A parameter that is a function.
#[derive(Clone)]
pub struct Function {
    /// Which trait it has.
    pub kind: FnKind,
    /// The types of its arguments.
    pub inputs: Vec<Type>,
    /// The type of its result; `None` if that is `()`.
    pub output: Option<Type>,
    /// The type parameter that stands for it in companions.
    pub name: Ident,
    /// The type parameter that stands for its pullbacks.
    pub pullback: Ident,
    /// The type parameter that stands for the cotangent of what it captured.
    pub cotangent: Ident,
    /// Whether it must be `Send` and `Sync`: the pullbacks of a recursive function are boxed, and the box says so.
    pub(super) shared: bool,
    classes: Vec<TypeClass>,
    result: TypeClass,
    /// Whether `name` is a type parameter of the user's.
    own: bool,
}

impl Function {
    /// The function that a type is, if it is one whose arguments can be seen.
    pub(super) fn of(ty: &Type, generics: &Generics, context: &Context, names: &mut Names) -> Option<Self> {
        let (own, found) = find(ty, generics)?;
        let Found { kind, inputs, output } = found;
        let output = match output {
            Some(Type::Tuple(t)) if t.elems.is_empty() => None,
            output => output,
        };
        let classes = inputs.iter().map(|ty| classify(ty, context)).collect();
        let result = output.as_ref().map_or(TypeClass::Inactive, |ty| classify(ty, context));
        let (name, is_own) = match own {
            Some(name) => (name, true),
            None => (names.fresh("F"), false),
        };
        let (pullback, cotangent) = (names.fresh("P"), names.fresh("E"));
        Some(Function { kind, inputs, output, name, pullback, cotangent, shared: false, classes, result, own: is_own })
    }

    /// Adds the type parameters and bounds of the companions to generics. `forward`: those of `_jvp`.
    pub(crate) fn declare(&self, generics: &mut Generics, krate: &Path, forward: bool) {
        let name = &self.name;
        if self.own {
            strip_bounds(generics, name);
        } else {
            generics.params.push(parse_quote!(#name));
        }
        let inputs = &self.inputs;
        let value = self.output.as_ref().map_or_else(|| quote!(()), Type::to_token_stream);
        let tangents: Vec<TokenStream> = self.classes.iter().map(|class| tangent_type(class, krate)).collect();
        let tangent = self.seed(krate);
        let kind = match self.kind {
            FnKind::Fn => quote!(Fn),
            FnKind::FnMut => quote!(FnMut),
            FnKind::FnOnce => quote!(FnOnce),
        };
        let mut predicates: Vec<WherePredicate> = Vec::new();
        if forward {
            predicates.push(parse_quote!(#name: ::core::ops::#kind(#(#inputs,)* #(#tangents),*) -> (#value, #tangent)));
        } else {
            let (pullback, cotangent) = (&self.pullback, &self.cotangent);
            let entries = one_or_tuple([cotangent.to_token_stream()].into_iter().chain(tangents));
            predicates.push(parse_quote!(#name: ::core::ops::#kind(#(#inputs),*) -> (#value, #pullback)));
            predicates.push(parse_quote!(#pullback: ::core::ops::Fn(#tangent) -> #entries));
            predicates.push(parse_quote!(#cotangent: #krate::Tangent));
            generics.params.push(parse_quote!(#pullback));
            generics.params.push(parse_quote!(#cotangent));
        }
        if self.shared {
            let made = if forward { vec![name] } else { vec![name, &self.pullback, &self.cotangent] };
            let of = |name: &&Ident| parse_quote!(#name: ::core::marker::Send + ::core::marker::Sync);
            predicates.extend(made.iter().map(of));
        }
        generics.make_where_clause().predicates.extend(predicates);
    }

    /// The type of the cotangents of its results: of the return value unless that is `()`, and of what `&mut` arguments
    /// are left with.
    fn seed(&self, krate: &Path) -> TokenStream {
        let value = self.output.is_some().then(|| tangent_type(&self.result, krate));
        let changed = self.inputs.iter().zip(&self.classes).filter(|(ty, _)| is_mut(ty));
        one_or_tuple(value.into_iter().chain(changed.map(|(_, class)| tangent_type(class, krate))))
    }

    /// The type of a reference to it, as the companions have it, that does not grow when it is handed on and on.
    pub(crate) fn object(&self, krate: &Path, forward: bool) -> TokenStream {
        let inputs = &self.inputs;
        let value = self.output.as_ref().map_or_else(|| quote!(()), Type::to_token_stream);
        let shared = self.shared.then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync));
        if forward {
            let tangents = self.classes.iter().map(|class| tangent_type(class, krate));
            let tangent = self.seed(krate);
            quote!(&(dyn ::core::ops::Fn(#(#inputs,)* #(#tangents),*) -> (#value, #tangent) #shared))
        } else {
            let pullback = &self.pullback;
            quote!(&(dyn ::core::ops::Fn(#(#inputs),*) -> (#value, #pullback) #shared))
        }
    }

    /// The same in a box, of a function with a state.
    pub(crate) fn boxed(&self, krate: &Path, forward: bool) -> TokenStream {
        let inputs = &self.inputs;
        let value = self.output.as_ref().map_or_else(|| quote!(()), Type::to_token_stream);
        let shared = self.shared.then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync));
        let (tangents, beside) = if forward {
            (self.classes.iter().map(|class| tangent_type(class, krate)).collect(), self.seed(krate))
        } else {
            (Vec::new(), self.pullback.to_token_stream())
        };
        quote!(#krate::__private::Box<dyn ::core::ops::FnMut(#(#inputs,)* #(#tangents),*) -> (#value, #beside) #shared>)
    }

    /// Whether it may change its `k`-th argument: it takes a mutable reference.
    pub(crate) fn changes(&self, k: usize) -> Option<bool> {
        self.inputs.get(k).map(is_mut)
    }

    /// Whether the name is one of the user's type parameters.
    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    /// Something that can be handed over in its place where only types matter: a function pointer.
    pub(crate) fn pointer(&self) -> TokenStream {
        let inputs = &self.inputs;
        let output = self.output.as_ref().map(|ty| quote!(-> #ty));
        quote!(fn(#(#inputs),*) #output)
    }
}

/// `&mut T`
fn is_mut(ty: &Type) -> bool {
    matches!(plain(ty), Type::Reference(reference) if reference.mutability.is_some())
}

struct Found {
    kind: FnKind,
    inputs: Vec<Type>,
    output: Option<Type>,
}

/// The function that a type is, with the type parameter that it is, if that is what it is.
fn find(ty: &Type, generics: &Generics) -> Option<(Option<Ident>, Found)> {
    match plain(ty) {
        Type::Reference(reference) => find(&reference.elem, generics),
        Type::TraitObject(of) => Some((None, of.bounds.iter().find_map(bound)?)),
        Type::FnPtr(pointer) => {
            let inputs = pointer.inputs.iter().map(|input| input.ty.clone()).collect();
            Some((None, Found { kind: FnKind::Fn, inputs, output: returned(&pointer.output) }))
        }
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last()
                && last.ident == "Box"
                && let PathArguments::AngleBracketed(arguments) = &last.arguments
                && let Some(GenericArgument::Type(inner)) = arguments.args.first()
            {
                return find(inner, generics);
            }
            let name = path.path.get_ident()?;
            let inline = generics.type_params().filter(|of| of.ident == *name).flat_map(|of| &of.bounds);
            let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
            let stated = clauses.filter_map(|predicate| match predicate {
                WherePredicate::Type(of) if is(&of.bounded_ty, name) => Some(&of.bounds),
                _ => None,
            });
            let found = inline.chain(stated.flatten()).find_map(bound)?;
            Some((Some(name.clone()), found))
        }
        _ => None,
    }
}

fn is(ty: &Type, name: &Ident) -> bool {
    matches!(plain(ty), Type::Path(path) if path.path.is_ident(name))
}

fn bound(bound: &TypeParamBound) -> Option<Found> {
    let TypeParamBound::Trait(of) = bound else { return None };
    let last = of.path.segments.last()?;
    let kind = match last.ident.to_string().as_str() {
        "Fn" => FnKind::Fn,
        "FnMut" => FnKind::FnMut,
        "FnOnce" => FnKind::FnOnce,
        _ => return None,
    };
    let PathArguments::Parenthesized(arguments) = &last.arguments else { return None };
    Some(Found {
        kind,
        inputs: arguments.inputs.iter().map(|input| input.ty.clone()).collect(),
        output: returned(&arguments.output),
    })
}

fn returned(output: &ReturnType) -> Option<Type> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some((**ty).clone()),
    }
}

/// Takes the bounds by `Fn` and its like off a type parameter.
fn strip_bounds(generics: &mut Generics, name: &Ident) {
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter
            && parameter.ident == *name
        {
            parameter.bounds =
                std::mem::take(&mut parameter.bounds).into_iter().filter(|bound| !is_function_bound(bound)).collect();
            if parameter.bounds.is_empty() {
                parameter.colon_token = None;
            }
        }
    }
    let Some(clause) = &mut generics.where_clause else { return };
    for predicate in &mut clause.predicates {
        if let WherePredicate::Type(of) = predicate
            && is(&of.bounded_ty, name)
        {
            of.bounds = std::mem::take(&mut of.bounds).into_iter().filter(|bound| !is_function_bound(bound)).collect();
        }
    }
    clause.predicates = std::mem::take(&mut clause.predicates)
        .into_iter()
        .filter(|predicate| !matches!(predicate, WherePredicate::Type(of) if of.bounds.is_empty()))
        .collect();
}
