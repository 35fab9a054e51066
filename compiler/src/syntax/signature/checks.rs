//! The rules that a signature must keep. Each function states one.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{FnArg, ItemFn, Pat, PatIdent, ReturnType, Safety, Type};

use super::generics::mutable_inside;
use super::types::{Rank, TypeClass, plain};
use super::{Component, ResultKind, Scalar, Signature, bare};
use crate::diag::{Diagnostics, Place, catalog};
use crate::syntax::options::Options;
use crate::syntax::spelling;

/// Runs all checks and sets which parameters are differentiable. `before` is how many errors there were when the
/// analysis began: what may only follow from an earlier one is held back.
pub(super) fn check(
    item: &ItemFn,
    options: &Options,
    signature: &mut Signature,
    before: usize,
    diags: &mut Diagnostics,
) {
    qualifiers(item, diags);
    parameters(item, options, signature, diags);
    let names: Vec<Vec<Ident>> = signature.params.iter().map(|param| bindings(&param.pattern)).collect();
    let sound = wrt(options, signature, &names, diags);
    opaque_result(item, signature, diags);
    mutable_result(item, signature, diags);
    if diags.len() == before {
        something_to_differentiate(item, signature, diags);
    }
    scalar_results(item, options, signature, diags);
    no_functions(options, signature, diags);
    shapes(options, signature, &names, diags);
    if diags.len() == before && !options.flawed && sound {
        unsupported_options(options, diags);
    }
}

/// Rule: no `async`, no `unsafe`, no variadic functions. (`const` is fine: the companions are ordinary functions.)
fn qualifiers(item: &ItemFn, diags: &mut Diagnostics) {
    let sig = &item.sig;
    if let Some(token) = &sig.asyncness {
        diags.error(Place::of(token), &catalog::ASYNC_FUNCTION, &[]);
    }
    if let Safety::Unsafe(token) = &sig.safety {
        diags.error(Place::of(token), &catalog::UNSAFE_FUNCTION, &[("function", &bare(&sig.ident))]);
    }
    if let Some(variadic) = &sig.variadic {
        diags.error(Place::of(&variadic.dots), &catalog::VARIADIC_FUNCTION, &[]);
    }
}

/// Rule: no functions but plain ones, no mutable access but plain `&mut`, no `cfg` among the parameters, so far.
fn parameters(item: &ItemFn, options: &Options, signature: &mut Signature, diags: &mut Diagnostics) {
    for (input, param) in item.sig.inputs.iter().zip(&mut signature.params) {
        let (FnArg::Receiver(syn::Receiver { attrs, .. }) | FnArg::Typed(syn::PatType { attrs, .. })) = input;
        if let Some(attr) = attrs.iter().find(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")) {
            diags.error(Place::of(attr), &catalog::CONDITIONAL_PARAMETER, &[]);
        }
        match input {
            FnArg::Typed(typed) if let Some(error) = error_with_floats(&typed.ty, &param.class) => {
                let (name, text) = (spelling::compact(&typed.pat), spelling::compact(error));
                let arguments: [(&str, &dyn std::fmt::Display); 2] = [("name", &name), ("type", &text)];
                diags.error(Place::of(error), &catalog::ERROR_WITH_FLOATS, &arguments);
            }
            FnArg::Typed(typed) if param.function.is_none() && holds_function(&param.class) => {
                let name = spelling::compact(&typed.pat);
                diags.error(Place::of(&typed.ty), &catalog::FUNCTION_PARAMETER, &[("name", &name)]);
            }
            FnArg::Typed(typed)
                if param.function.is_none()
                    && !param.class.is_inactive()
                    && !matches!(param.class, TypeClass::Result(_))
                    && let Some(object) = object_in(&typed.ty)
                    && left_in(options, &typed.pat) =>
            {
                let (name, of) = (spelling::compact(&typed.pat), spelling::compact(object));
                let arguments: [(&str, &dyn std::fmt::Display); 2] = [("name", &name), ("trait", &of)];
                diags.error(Place::of(&typed.ty), &catalog::OBJECT_PARAMETER, &arguments);
                // which says it all
                param.class = TypeClass::Inactive;
            }
            FnArg::Typed(typed)
                if param.function.is_none()
                    && !param.class.is_inactive()
                    && !param.is_mutable_view()
                    && mutable_inside(&typed.ty) =>
            {
                let text = spelling::compact(&typed.ty);
                diags.error(Place::of(&typed.ty), &catalog::MUTABLE_INSIDE, &[("type", &text)]);
            }
            _ => {}
        }
    }
}

/// The error type of a result, if it holds floats, whose derivative would be lost.
fn error_with_floats<'a>(ty: &'a Type, class: &TypeClass) -> Option<&'a Type> {
    let (TypeClass::Result(_), Type::Path(path)) = (class, plain(ty)) else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    let error = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let error = error.last().filter(|_| arguments.args.len() == 2)?;
    let class = super::classify(error);
    (!class.is_inactive() && !matches!(class, TypeClass::Unknown(_))).then_some(error)
}

/// The trait of the objects that there are in a type.
fn object_in(ty: &Type) -> Option<&syn::TypeParamBound> {
    struct Objects<'t>(Option<&'t syn::TypeParamBound>);
    impl<'t> syn::visit::Visit<'t> for Objects<'t> {
        fn visit_type_trait_object(&mut self, object: &'t syn::TypeTraitObject) {
            self.0 = self.0.or(object.bounds.first());
        }
    }
    let mut objects = Objects(None);
    syn::visit::Visit::visit_type(&mut objects, ty);
    objects.0
}

/// Whether `wrt` does not leave out a parameter.
fn left_in(options: &Options, pat: &syn::Pat) -> bool {
    let syn::Pat::Ident(pat) = pat else { return true };
    options.wrt.as_ref().is_none_or(|wrt| wrt.iter().any(|name| bare(name) == bare(&pat.ident)))
}

/// Whether there is a function in something.
fn holds_function(class: &TypeClass) -> bool {
    match class {
        TypeClass::Function => true,
        TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => holds_function(of),
        TypeClass::Option(of) | TypeClass::Result(of) | TypeClass::BoxOf(of) => holds_function(of),
        TypeClass::Tuple(of) => of.iter().any(holds_function),
        TypeClass::Float(_) | TypeClass::Inactive | TypeClass::NdArray { .. } | TypeClass::Unknown(_) => false,
    }
}

/// Rule: `wrt` names parameters whose types can have floats. Returns whether it does.
fn wrt(options: &Options, signature: &mut Signature, names: &[Vec<Ident>], diags: &mut Diagnostics) -> bool {
    let active = |class: &TypeClass| !class.is_inactive();
    let Some(wrt) = &options.wrt else {
        for param in &mut signature.params {
            param.differentiable = active(&param.class);
        }
        return true;
    };
    let before = diags.len();
    for name in wrt {
        let Some(index) = names.iter().position(|bindings| bindings.iter().any(|binding| bare(binding) == bare(name)))
        else {
            unknown_parameter(name, &catalog::WRT_UNKNOWN, signature, names, diags);
            continue;
        };
        let param = &mut signature.params[index];
        if param.class.is_inactive() {
            let text = spelling::compact(&param.ty);
            diags.error(Place::of(name), &catalog::WRT_INACTIVE, &[("name", name), ("type", &text)]);
        }
        param.differentiable = active(&param.class);
    }
    // what a function captures is not this function's to leave out
    for param in signature.params.iter_mut().filter(|param| param.function.is_some()) {
        param.differentiable = active(&param.class);
    }
    let sound = diags.len() == before;
    if !sound && signature.differentiable().next().is_none() {
        // only the stubs see this: more likely what was meant than nothing
        for param in &mut signature.params {
            param.differentiable = active(&param.class);
        }
    }
    sound
}

fn unknown_parameter(
    name: &Ident,
    code: &'static crate::diag::Code,
    signature: &Signature,
    names: &[Vec<Ident>],
    diags: &mut Diagnostics,
) {
    let known: Vec<String> = names.iter().flatten().map(Ident::to_string).collect();
    let nearest = spelling::nearest(&name.to_string(), known.iter().map(String::as_str));
    let parameters = if known.is_empty() { "there are none".to_string() } else { spelling::list(&known) };
    let function = bare(&signature.name);
    let arguments: [(&str, &dyn std::fmt::Display); 4] =
        [("name", name), ("function", &function), ("nearest", &nearest), ("parameters", &parameters)];
    diags.error(Place::of(name), code, &arguments);
}

/// The names that a pattern binds.
fn bindings(pattern: &Pat) -> Vec<Ident> {
    struct Bindings(Vec<Ident>);
    impl<'ast> Visit<'ast> for Bindings {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            self.0.push(pattern.ident.clone());
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut bindings = Bindings(Vec::new());
    bindings.visit_pat(pattern);
    bindings.0
}

/// Rule: the result has a type with a name. (The stubs then return `()`.)
fn opaque_result(item: &ItemFn, signature: &mut Signature, diags: &mut Diagnostics) {
    struct Opaque<'ast>(Option<&'ast Type>);
    impl<'ast> Visit<'ast> for Opaque<'ast> {
        fn visit_type(&mut self, ty: &'ast Type) {
            match ty {
                Type::ImplTrait(_) => self.0 = self.0.or(Some(ty)),
                _ => visit::visit_type(self, ty),
            }
        }
    }
    let mut opaque = Opaque(None);
    opaque.visit_return_type(&item.sig.output);
    if let Some(ty) = opaque.0 {
        diags.error(Place::of(ty), &catalog::OPAQUE_RESULT, &[("type", &spelling::compact(ty))]);
        signature.result = ResultKind::Unit;
    }
}

/// Rule: what is returned cannot be changed by the caller, as it would be through the result.
fn mutable_result(item: &ItemFn, signature: &mut Signature, diags: &mut Diagnostics) {
    struct Mutable<'ast>(Option<&'ast Type>);
    impl<'ast> Visit<'ast> for Mutable<'ast> {
        fn visit_type(&mut self, ty: &'ast Type) {
            match ty {
                Type::Reference(of) if of.mutability.is_some() => self.0 = self.0.or(Some(ty)),
                _ => visit::visit_type(self, ty),
            }
        }
    }
    let mut mutable = Mutable(None);
    mutable.visit_return_type(&item.sig.output);
    let inside = match (&item.sig.output, &signature.result) {
        (ReturnType::Type(_, ty), ResultKind::Value { class, .. }) if !class.is_inactive() && mutable_inside(ty) => {
            Some(&**ty)
        }
        _ => None,
    };
    if let Some(ty) = mutable.0.or(inside) {
        diags.error(Place::of(ty), &catalog::MUTABLE_RESULT, &[("type", &spelling::compact(ty))]);
        signature.result = ResultKind::Unit;
    }
}

/// Rule: there is a parameter with floats, and a result with floats.
fn something_to_differentiate(item: &ItemFn, signature: &Signature, diags: &mut Diagnostics) {
    let function = bare(&signature.name);
    if signature.differentiable().next().is_none() {
        let at = Place::of(&item.sig.ident);
        diags.error(at, &catalog::NO_DIFFERENTIABLE_PARAMETER, &[("function", &function)]);
    }
    let components = signature.components();
    if signature.changes_by_call() {
        return;
    }
    if components.iter().any(|component| signature.component_differentiable(*component)) {
        return;
    }
    match &item.sig.output {
        ReturnType::Type(_, ty) if components.contains(&Component::Return) => {
            diags.error(Place::of(ty), &catalog::INACTIVE_RESULT, &[("type", &spelling::compact(ty))]);
        }
        _ => diags.error(Place::of(&item.sig.ident), &catalog::NO_RESULT, &[("function", &function)]),
    }
}

/// Rule: `hessian`, `hvp`, `sparse_hessian` and `into` are about one float.
fn scalar_results(item: &ItemFn, options: &Options, signature: &Signature, diags: &mut Diagnostics) {
    let ReturnType::Type(_, ty) = &item.sig.output else { return };
    let ResultKind::Value { class, .. } = &signature.result else { return };
    if signature.scalar() != Scalar::No || class.is_inactive() {
        return;
    }
    for (name, instead) in
        [("hessian", "jacobian"), ("hvp", "jacobian"), ("sparse_hessian", "sparse_jacobian"), ("into", "reverse")]
    {
        if let Some(option) = options.given(name) {
            let (function, text) = (bare(&signature.name), spelling::compact(ty));
            let arguments: [(&str, &dyn std::fmt::Display); 4] =
                [("option", option), ("function", &function), ("type", &text), ("instead", &instead)];
            diags.error(Place::of(option), &catalog::SCALAR_RESULT_NEEDED, &arguments);
        }
    }
}

/// Rule: the parameters of which there is a Jacobian or a Hessian are no functions.
fn no_functions(options: &Options, signature: &Signature, diags: &mut Diagnostics) {
    if signature.functions().is_empty() {
        return;
    }
    for option in ["jacobian", "hvp", "hessian"].into_iter().filter_map(|name| options.given(name)) {
        let function = bare(&signature.name);
        let arguments: [(&str, &dyn std::fmt::Display); 2] = [("option", option), ("function", &function)];
        diags.error(Place::of(option), &catalog::MATRIX_OF_FUNCTION, &arguments);
    }
}

/// Rule: `shapes` gives arrays among the parameters one size for each axis.
fn shapes(options: &Options, signature: &mut Signature, names: &[Vec<Ident>], diags: &mut Diagnostics) {
    for shape in &options.shapes {
        let name = &shape.parameter;
        let Some(index) = names.iter().position(|bindings| bindings.iter().any(|known| bare(known) == bare(name)))
        else {
            unknown_parameter(name, &catalog::SHAPES_UNKNOWN, signature, names, diags);
            continue;
        };
        let param = &signature.params[index];
        let rank = axes(&param.class).or_else(|| written_axes(&param.ty));
        let parts = matches!(
            param.class,
            TypeClass::Tuple(_) | TypeClass::Option(_) | TypeClass::Result(_) | TypeClass::Function
        );
        if parts || rank == Some(0) && !matches!(param.class, TypeClass::NdArray { .. }) {
            let text = spelling::compact(&param.ty);
            diags.error(Place::of(name), &catalog::SHAPES_NO_ARRAY, &[("name", name), ("type", &text)]);
        } else if let Some(rank) = rank
            && rank != shape.sizes.len()
        {
            let given = match shape.sizes.len() {
                1 => "1 axis".to_string(),
                n => format!("{n} axes"),
            };
            let text = spelling::compact(&param.ty);
            let arguments: [(&str, &dyn std::fmt::Display); 4] =
                [("name", name), ("given", &given), ("type", &text), ("rank", &rank)];
            diags.error(Place::of(name), &catalog::SHAPES_RANK, &arguments);
        } else {
            signature.params[index].sizes = Some(shape.sizes.clone());
        }
    }
}

/// The number of axes, where the type shows it.
fn axes(class: &TypeClass) -> Option<usize> {
    match class {
        TypeClass::Float(_) => Some(0),
        TypeClass::NdArray { rank: Rank::Fixed(rank), .. } => Some(*rank),
        TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => Some(axes(of)? + 1),
        _ => None,
    }
}

/// The same of a type without floats.
fn written_axes(ty: &Type) -> Option<usize> {
    const NUMBERS: [&str; 14] =
        ["bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    match plain(ty) {
        Type::Reference(reference) => written_axes(&reference.elem),
        Type::Slice(slice) => Some(written_axes(&slice.elem)? + 1),
        Type::Array(array) => Some(written_axes(&array.elem)? + 1),
        Type::Path(path) => NUMBERS.iter().any(|name| path.path.is_ident(name)).then_some(0),
        _ => None,
    }
}

/// Rule: an option is one that is built.
fn unsupported_options(options: &Options, diags: &mut Diagnostics) {
    for (option, instead) in options.unsupported() {
        diags.error(Place::of(option), &catalog::UNSUPPORTED_OPTION, &[("option", option), ("instead", &instead)]);
    }
}
