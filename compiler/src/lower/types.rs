//! Types of the source as far as the IR knows them.

use crate::ir::{Float, Type};
use crate::syntax::signature::{Float as FloatKind, Param, Rank, ResultKind, TypeClass};

/// The integer types.
pub const INTEGERS: [&str; 12] =
    ["usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128"];

/// The IR type of a parameter.
pub fn of_param(param: &Param) -> Type {
    match &param.class {
        TypeClass::Inactive => of_inactive(&param.ty),
        TypeClass::Function => Type::Function,
        class => of_class(class, &param.ty),
    }
}

/// Whether a path is that of an associated function, as far as its form tells: `Grid::new`.
pub(crate) fn is_of_type(path: &syn::Path) -> bool {
    path.segments.iter().rev().nth(1).is_some_and(|of| plain_name(&of.ident).starts_with(char::is_uppercase))
}

/// The IR type of what a function returns, where it is sure to be that.
pub fn of_result(result: &ResultKind) -> Option<Type> {
    let ResultKind::Value { ty, class, .. } = result else { return None };
    Some(of_class(class, ty)).filter(is_settled)
}

/// Whether values of a type own what they are, and nothing about them is unknown.
fn is_settled(ty: &Type) -> bool {
    match ty {
        Type::Float(kind) => !matches!(kind, Float::Any),
        Type::Vec(t) | Type::Array(t) | Type::Option(t) => is_settled(t),
        Type::Tuple(of) => of.iter().all(is_settled),
        ty => ty.is_scalar(),
    }
}

/// Whether a parameter holds functions in a form that is refused.
pub(crate) fn is_lost_function(param: &Param) -> bool {
    let names = super::scan::mentioned(quote::ToTokens::to_token_stream(&param.ty));
    param.function.is_none() && names.iter().any(|name| ["Fn", "FnMut", "FnOnce", "fn"].iter().any(|f| name == f))
}

fn float(kind: &FloatKind) -> Float {
    match kind {
        FloatKind::F32 => Float::F32,
        FloatKind::F64 => Float::F64,
        FloatKind::Generic(t) => Float::Generic(t.to_string()),
    }
}

/// The IR type of a classified type; `ty` is how it is written.
fn of_class(class: &TypeClass, ty: &syn::Type) -> Type {
    let ty = strip(ty);
    match (class, ty) {
        (TypeClass::Float(kind), _) => Type::Float(float(kind)),
        (TypeClass::Inactive, _) => of_inactive(ty),
        (TypeClass::Slice(c), syn::Type::Slice(t)) => Type::Slice(Box::new(of_class(c, &t.elem))),
        (TypeClass::Array(c, _), syn::Type::Array(t)) => Type::Array(Box::new(of_class(c, &t.elem))),
        (TypeClass::Vec(c), ty) => Type::Vec(Box::new(argument(ty).map_or(Type::Dyn, |t| of_class(c, t)))),
        (TypeClass::Tuple(cs), syn::Type::Tuple(t)) => {
            Type::Tuple(cs.iter().zip(&t.elems).map(|(c, t)| of_class(c, t)).collect())
        }
        // what is in it by reference is of the reference's type
        (TypeClass::Option(c), ty) => match argument(ty) {
            Some(t) if !matches!(t, syn::Type::Reference(_)) => Type::Option(Box::new(of_class(c, t))),
            _ => Type::Dyn,
        },
        (TypeClass::BoxOf(c), ty) => match argument(ty) {
            Some(t) if !matches!(t, syn::Type::Reference(_)) => match of_class(c, t) {
                // what is in it is a vector or one of the user's
                Type::Slice(_) | Type::Function => Type::Dyn,
                t => Type::Boxed(Box::new(t)),
            },
            _ => Type::Dyn,
        },
        (TypeClass::NdArray { element, rank, .. }, _) => {
            let kind = match &**element {
                TypeClass::Float(kind) => float(kind),
                _ => return Type::Dyn,
            };
            let rank = match rank {
                Rank::Fixed(n) => Some(*n),
                _ => None,
            };
            Type::NdArray(kind, rank)
        }
        _ => Type::Dyn,
    }
}

/// The first type argument of a path type: `T` of `Vec<T>`.
fn argument(ty: &syn::Type) -> Option<&syn::Type> {
    let syn::Type::Path(p) = ty else { return None };
    let syn::PathArguments::AngleBracketed(a) = &p.path.segments.last()?.arguments else { return None };
    a.args.iter().find_map(|a| match a {
        syn::GenericArgument::Type(t) => Some(t),
        _ => None,
    })
}

fn of_inactive(ty: &syn::Type) -> Type {
    match strip(ty) {
        syn::Type::Path(p) => {
            let Some(last) = p.path.segments.last() else { return Type::Inactive };
            if last.ident == "bool" {
                return Type::Bool;
            }
            if let Some(k) = INTEGERS.iter().find(|k| last.ident == **k) {
                return Type::Int(Some(k));
            }
            match argument(strip(ty)) {
                Some(t) if last.ident == "Vec" => Type::Vec(Box::new(of_inactive(t))),
                _ => Type::Inactive,
            }
        }
        syn::Type::Slice(s) => Type::Slice(Box::new(of_inactive(&s.elem))),
        syn::Type::Array(s) => Type::Array(Box::new(of_inactive(&s.elem))),
        syn::Type::Tuple(t) if t.elems.is_empty() => Type::Unit,
        syn::Type::Tuple(t) => Type::Tuple(t.elems.iter().map(of_inactive).collect()),
        _ => Type::Inactive,
    }
}

/// The IR type of a type in an annotation inside the function.
pub fn of_rust(ty: &syn::Type) -> Type {
    of_class(&crate::syntax::signature::classify(ty), ty)
}

/// A type without the references, groups and parentheses around it.
pub fn strip(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Reference(r) => strip(&r.elem),
        syn::Type::Group(g) => strip(&g.elem),
        syn::Type::Paren(p) => strip(&p.elem),
        other => other,
    }
}

/// The lengths of the arrays that a vector is of, from the outer ones to the inner ones, where they are written as numbers.
pub fn lengths_of_elements(ty: &syn::Type) -> Option<Vec<syn::LitInt>> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Vec")?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let Some(syn::GenericArgument::Type(element)) = args.args.first() else { return None };
    let (mut element, mut lengths) = (element, Vec::new());
    while let syn::Type::Array(array) = element {
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) = &array.len else { return None };
        lengths.push(length.clone());
        element = &array.elem;
    }
    Some(lengths)
}

/// An identifier without `r#`.
pub fn plain_name(ident: &proc_macro2::Ident) -> String {
    let s = ident.to_string();
    s.strip_prefix("r#").map(str::to_owned).unwrap_or(s)
}

/// A type with what shared references to values refer to in their place: `Option<&S>` is `Option<S>`.
pub(crate) fn without_references(ty: &syn::Type) -> syn::Type {
    struct V;
    impl syn::visit_mut::VisitMut for V {
        fn visit_type_mut(&mut self, t: &mut syn::Type) {
            if let syn::Type::Reference(r) = t
                && r.mutability.is_none()
                && matches!(&*r.elem, syn::Type::Path(p) if !p.path.is_ident("str"))
            {
                *t = (*r.elem).clone();
            }
            syn::visit_mut::visit_type_mut(self, t);
        }
    }
    let mut ty = ty.clone();
    syn::visit_mut::VisitMut::visit_type_mut(&mut V, &mut ty);
    ty
}
