//! What the signature of a function says about its companions.
//!
//! [`analyse`] always gives a [`Signature`], as good as the function allows, so that stubs of the companions can stand
//! in for them when there are errors. All names that generated code needs are handed out here: the bodies use the
//! identifiers of [`Param`] and [`Signature`], never their own spelling of them.

mod checks;
mod derived;
mod function;
mod generics;
mod item;
mod names;
mod owner;
mod param;
mod parameters;
mod shown;
mod siblings;
mod types;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;
use syn::{Attribute, GenericParam, Generics, ItemFn, Lifetime, Path, Type, Visibility};

use super::options::{Checkpoint, Mode, Options};
use crate::diag::Diagnostics;

pub use function::{FnKind, Function};
pub use item::{Target, function, of_trait, target};
pub use names::Names;
pub(crate) use names::{bare, takes};
pub use owner::Owner;
pub(crate) use owner::in_tokens as speaks_of_self;
pub use param::{By, Param};
pub use shown::Shown;
pub use siblings::Siblings;
pub(crate) use types::is_function_bound;
pub use types::{Float, Rank, Storage, TypeClass, plain, tangent_type};

/// What a function returns.
#[derive(Clone)]
pub enum ResultKind {
    /// `()`, or nothing.
    Unit,
    /// Anything else.
    Value {
        /// The user's type.
        ty: Box<Type>,
        /// The same with the elided lifetimes named.
        bound_ty: Box<Type>,
        /// What it is to differentiation.
        class: TypeClass,
    },
}

/// One of the results that have a cotangent: the seed of a pullback is one of them, or the tuple of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The return value.
    Return,
    /// The final value of the `&mut` parameter with this index.
    Final(usize),
}

/// Whether the result is one float, so that there is a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Only the compiler knows: the type may be an alias.
    Perhaps,
}

/// Everything that the companions of a function have in common.
#[derive(Clone)]
pub struct Signature {
    /// The name of the function.
    pub name: Ident,
    /// Its visibility.
    pub vis: Visibility,
    /// The attributes that its companions share: `cfg`, `inline`, `must_use`, `allow`.
    pub attrs: Vec<Attribute>,
    /// Its generics (with a type parameter for each `impl Trait`).
    pub generics: Generics,
    /// The same and the lifetime of what is borrowed by elision.
    pub bound_generics: Generics,
    /// What a pullback captures: the arguments of `use<…>`, or for an associated function the lifetimes but
    /// [`borrowed`](Self::borrowed).
    pub captures: Vec<TokenStream>,
    /// The lifetime of what is borrowed by elision, if there is any; an associated function always has one.
    pub borrowed: Option<Lifetime>,
    /// The parameters in order, a receiver among them.
    pub params: Vec<Param>,
    /// What it returns.
    pub result: ResultKind,
    /// Which companions there are.
    pub mode: Mode,
    /// Whether there is a gradient that goes into the caller's buffers.
    pub into: bool,
    /// Whether the loops of the function are run again instead of being remembered.
    pub checkpoint: Option<Checkpoint>,
    /// Whether there is a Jacobian matrix.
    pub jacobian: bool,
    /// Derivatives up to which order there are.
    pub order: usize,
    /// Whether there is the product of the Hessian and a vector.
    pub hvp: bool,
    /// Whether there is a Hessian.
    pub hessian: bool,
    /// The path of the crate `cotangent`.
    pub krate: Path,
    /// The name of the cotangent that a pullback takes.
    pub seed_name: Ident,
    /// The names that are taken.
    pub names: Names,
    /// Whether a parameter is written `impl Trait`.
    pub opaque_parameters: bool,
    /// What is around it.
    pub owner: Owner,
    /// The functions beside it whose calls may be their bodies.
    pub siblings: Siblings,
    /// Whether it has a body: a required method of a trait has none, and neither have its companions.
    pub has_body: bool,
    /// Whether it calls itself.
    pub recursive: bool,
    /// Whether it is a companion of the user's function.
    pub derived: bool,
    /// The type parameters that stand for floats, also those around the function as far as they are seen.
    pub floats: Vec<Ident>,
}

impl Signature {
    /// The name of a companion: `f` and `"vjp"` give `f_vjp`.
    pub fn companion(&self, suffix: &str) -> Ident {
        format_ident!("{}_{suffix}", bare(&self.name), span = self.name.span())
    }

    /// How this function or another companion is named in a companion: `f`, `Self::f`.
    pub fn path(&self, name: &Ident) -> TokenStream {
        self.owner.path(name)
    }

    /// The type parameters and constants of the function, as they are given to it in a call.
    pub fn turbofish(&self) -> Option<TokenStream> {
        let given = |parameter| match parameter {
            &GenericParam::Lifetime(_) => None,
            GenericParam::Type(parameter) => Some(&parameter.ident),
            GenericParam::Const(parameter) => Some(&parameter.ident),
        };
        let given: Vec<_> = self.generics.params.iter().filter_map(given).collect();
        (!given.is_empty()).then(|| quote!(::<#(#given),*>))
    }

    /// How code in a companion calls another one.
    pub fn companion_path(&self, suffix: &str) -> TokenStream {
        self.called_path(&self.companion(suffix))
    }

    /// How code in a companion calls this function or another companion: with the type parameters, if the arguments do not
    /// show all of them.
    pub fn called_path(&self, name: &Ident) -> TokenStream {
        let path = self.path(name);
        struct Shown(Vec<Ident>);
        impl<'ast> Visit<'ast> for Shown {
            fn visit_ident(&mut self, ident: &'ast Ident) {
                self.0.push(ident.clone());
            }
        }
        let mut shown = Shown(Vec::new());
        self.params.iter().for_each(|param| shown.visit_type(&param.ty));
        let types = self.generics.type_params().map(|of| &of.ident);
        let mut own = types.chain(self.generics.const_params().map(|of| &of.ident));
        let hidden = own.any(|ident| !shown.0.contains(ident));
        let turbofish = self.turbofish().filter(|_| hidden && self.functions().is_empty());
        quote!(#path #turbofish)
    }

    /// The parameters that are functions, one for each type.
    pub(crate) fn functions(&self) -> Vec<&Function> {
        let mut found: Vec<&Function> = Vec::new();
        for function in self.params.iter().filter_map(|param| param.function.as_ref()) {
            if !found.iter().any(|known| known.name == function.name) {
                found.push(function);
            }
        }
        found
    }

    /// The parameters with a derivative.
    pub fn differentiable(&self) -> impl DoubleEndedIterator<Item = &Param> {
        self.params.iter().filter(|param| param.differentiable)
    }

    /// The results that have a cotangent: the return value unless it is `()`, then the final values of the `&mut`
    /// parameters in order.
    pub fn components(&self) -> Vec<Component> {
        let value = matches!(self.result, ResultKind::Value { .. }).then_some(Component::Return);
        let finals = self.params.iter().enumerate().filter(|(_, param)| param.by == By::RefMut);
        value.into_iter().chain(finals.map(|(index, _)| Component::Final(index))).collect()
    }

    /// The type of the tangent and the cotangent of one result, `()` if it has no derivative.
    pub fn component_type(&self, component: Component) -> TokenStream {
        match component {
            Component::Return => match &self.result {
                ResultKind::Unit => quote!(()),
                ResultKind::Value { class, .. } => tangent_type(class, &self.krate),
            },
            Component::Final(index) => self.params[index].tangent_type(&self.krate),
        }
    }

    /// Whether one result can have a derivative.
    pub fn component_differentiable(&self, component: Component) -> bool {
        match component {
            Component::Return => matches!(&self.result, ResultKind::Value { class, .. } if !class.is_inactive()),
            Component::Final(index) => self.params[index].differentiable,
        }
    }

    /// Whether there is anything to differentiate.
    pub fn has_derivative(&self) -> bool {
        self.differentiable().next().is_some() && (self.changes_by_call() || self.has_result())
    }

    /// Whether there is a result with a derivative.
    pub fn has_result(&self) -> bool {
        self.components().into_iter().any(|component| self.component_differentiable(component))
    }

    /// Whether a parameter is a function that may change what it captures, which is as good as a result.
    pub fn changes_by_call(&self) -> bool {
        let functions = self.params.iter().filter_map(|param| param.function.as_ref());
        functions.into_iter().any(|function| function.kind != FnKind::Fn)
    }

    /// The type of the argument of a pullback, which is also the type of the tangent that `_jvp` returns.
    pub fn seed_type(&self) -> TokenStream {
        one_or_tuple(self.components().into_iter().map(|component| self.component_type(component)))
    }

    /// The type that a pullback returns: an entry for each parameter.
    pub fn entries_type(&self) -> TokenStream {
        one_or_tuple(self.params.iter().map(|param| param.tangent_type(&self.krate)))
    }

    /// The type of a gradient: an entry for each differentiable parameter.
    pub fn grads_type(&self) -> TokenStream {
        one_or_tuple(self.differentiable().map(|param| param.tangent_type(&self.krate)))
    }

    /// The type of the return value; with the elided lifetimes named if `bound`.
    pub fn value_type(&self, bound: bool) -> TokenStream {
        match &self.result {
            ResultKind::Unit => quote!(()),
            ResultKind::Value { bound_ty, .. } if bound => bound_ty.to_token_stream(),
            ResultKind::Value { ty, .. } => ty.to_token_stream(),
        }
    }

    /// Whether the result is a reference, or has one in it.
    pub fn gives_reference(&self) -> bool {
        struct Found(bool);
        impl<'ast> syn::visit::Visit<'ast> for Found {
            fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
                self.0 = true;
            }
        }
        let ResultKind::Value { ty, .. } = &self.result else { return false };
        let mut found = Found(false);
        syn::visit::Visit::visit_type(&mut found, ty);
        found.0
    }

    /// The type of what a result by reference leads to, or of the result: the type whose tangent the result has.
    pub fn owned_type(&self, bound: bool) -> TokenStream {
        let ResultKind::Value { ty, bound_ty, .. } = &self.result else { return quote!(()) };
        let mut ty = plain(if bound { bound_ty } else { ty });
        while let Type::Reference(to) = ty {
            ty = plain(&to.elem);
        }
        ty.to_token_stream()
    }

    /// Whether there is a gradient.
    pub fn scalar(&self) -> Scalar {
        match &self.result {
            ResultKind::Value { class: TypeClass::Float(_), .. } => Scalar::Yes,
            ResultKind::Value { class: TypeClass::Unknown(ty), .. } => match plain(ty) {
                Type::Path(_) | Type::Macro(_) => Scalar::Perhaps,
                _ => Scalar::No,
            },
            _ => Scalar::No,
        }
    }

    /// Whether all types are known, so that all of the function's own data is `Send` and `Sync`.
    pub fn is_known(&self) -> bool {
        let shared = |param: &Param| param.function.as_ref().is_some_and(|function| function.shared);
        let known = self.params.iter().all(|param| shared(param) || param.ignored || param.class.is_known());
        let result = match &self.result {
            ResultKind::Unit => true,
            ResultKind::Value { class, .. } => class.is_known(),
        };
        let functions = self.functions();
        let function = |name: &Ident| functions.iter().any(|function| function.name == *name);
        known && result && self.generics.type_params().all(|of| function(&of.ident) || self.is_ignored(&of.ident))
    }

    /// Whether it is a method of a type by the `impl` of a trait.
    pub fn is_of_trait(&self) -> bool {
        matches!(&self.owner, Owner::Impl(_, Some(_), _))
    }

    /// Whether no type depends on type parameters, as far as they are seen, floats apart: then whether the data is
    /// `Send` and `Sync` is certain, and that it is can be asked for.
    pub fn is_concrete(&self) -> bool {
        let shared =
            |name: &Ident| self.is_ignored(name) || self.functions().iter().any(|of| of.name == *name && of.shared);
        let fixed = |of: &Generics| of.type_params().all(|of| self.floats.contains(&of.ident) || shared(&of.ident));
        let functions = self.params.iter().filter_map(|param| param.function.as_ref());
        let owner = match &self.owner {
            Owner::Free | Owner::Unseen => true,
            Owner::Impl(outer, ..) => fixed(outer),
            Owner::Trait(..) => false,
        };
        owner && fixed(&self.generics) && functions.into_iter().all(|of| of.shared)
    }
}

impl Signature {
    /// Whether a type parameter is the type of a tangent of which nothing is used.
    fn is_ignored(&self, name: &Ident) -> bool {
        self.params.iter().any(|param| param.ignored && is_named(&param.ty, name))
    }
}

/// Whether functions or methods are called.
fn calls(block: &syn::Block) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_call(&mut self, _: &'ast syn::ExprCall) {
            self.0 = true;
        }
        fn visit_expr_method_call(&mut self, _: &'ast syn::ExprMethodCall) {
            self.0 = true;
        }
    }
    let mut calls = Calls(false);
    calls.visit_block(block);
    calls.0
}

/// Whether a type is a name.
fn is_named(ty: &Type, name: &Ident) -> bool {
    matches!(plain(ty), Type::Path(path) if path.path.is_ident(name))
}

/// The class of a type outside of a signature.
pub fn classify(ty: &Type) -> TypeClass {
    types::classify(ty, &generics::Context::new([]))
}

/// The thing itself if it is alone, a tuple otherwise: how the protocol writes entries.
pub fn one_or_tuple<T: ToTokens>(entries: impl IntoIterator<Item = T>) -> TokenStream {
    let entries: Vec<T> = entries.into_iter().collect();
    match entries.as_slice() {
        [alone] => alone.to_token_stream(),
        entries => quote!((#(#entries),*)),
    }
}

/// Finds out what the companions of a function look like, and reports what stands in their way.
pub fn analyse(item: &ItemFn, options: &Options, diags: &mut Diagnostics) -> Signature {
    analyse_in(Owner::of(item), item, options, diags)
}

/// The same for a function whose surroundings are known.
pub fn analyse_in(owner: Owner, item: &ItemFn, options: &Options, diags: &mut Diagnostics) -> Signature {
    let before = diags.len();
    let mut names = Names::in_tokens(item.to_token_stream());
    let mut generics = item.sig.generics.clone();
    let mut params = parameters::parameters(item, &mut generics, &mut names);
    let opaque_parameters = generics.params.len() > item.sig.generics.params.len();
    let mut result = parameters::result(&item.sig.output);

    let context = generics::Context::new(owner.generics().into_iter().chain([&generics]));
    let floats = context.float_parameters();
    let implemented = match &owner {
        // what a trait does not ask for, its implementations cannot
        Owner::Impl(outer, Some(_), _) => Some(outer),
        _ => None,
    };
    let foreign = |name: &Ident| implemented.is_some_and(|outer| outer.type_params().any(|of| of.ident == *name));
    generics::require_real(&mut generics, floats.iter().filter(|name| !foreign(name)), &options.krate);
    let mut elided = generics::Elided::new(&mut names);
    for param in &mut params {
        param.bound_ty = elided.name(&param.ty);
        param.class = types::classify(&param.bound_ty, &context);
        if matches!(param.class, TypeClass::NdArray { storage: Storage::ViewMut, .. }) && param.by == By::Value {
            // as good as a mutable reference
            param.by = By::RefMut;
        }
    }
    if let ResultKind::Value { ty, bound_ty, class } = &mut result {
        if elided.used {
            **bound_ty = elided.name(ty);
        }
        *class = types::classify(bound_ty, &context);
    }
    let mut functions: Vec<Function> = Vec::new();
    let recursive = Names::in_tokens(item.block.to_token_stream()).has(&item.sig.ident);
    for param in &mut params {
        if matches!(param.class, TypeClass::Function) {
            let same =
                functions.iter().find(|function: &&Function| function.is_own() && is_named(&param.ty, &function.name));
            param.function = same.cloned().or_else(|| Function::of(&param.ty, &generics, &context, &mut names));
            param.by = By::Value;
            if let Some(function) = &mut param.function {
                function.shared = recursive;
            }
            functions.extend(param.function.clone());
        }
    }
    let types = || params.iter().map(|param| &param.bound_ty);
    // a pullback that may be boxed must have one lifetime in which all that it holds lives
    let lifetimes = generics.lifetimes().count() + usize::from(elided.used);
    let generic = generics.type_params().any(|of| !context.floats.contains(&of.ident.to_string()));
    let bounded = !functions.is_empty() || (lifetimes > 1 || generic) && calls(&item.block);
    let borrowed = (elided.used || owner.is_type() || bounded).then_some(elided.lifetime);
    let mut bound_generics = match &borrowed {
        Some(lifetime) => generics::with_lifetime(&generics, lifetime),
        None => generics.clone(),
    };
    let captures = match &borrowed {
        Some(lifetime) if owner.is_type() => generics::outlive(&mut bound_generics, lifetime, types(), true),
        Some(lifetime) if bounded => {
            generics::outlive(&mut bound_generics, lifetime, types(), false);
            let captures = generics::captures(&bound_generics, types());
            let own = lifetime.to_token_stream();
            let known = captures.iter().any(|of| of.to_string() == own.to_string());
            (!known).then_some(own).into_iter().chain(captures).collect()
        }
        _ => generics::captures(&bound_generics, types()),
    };

    let second = options.given("hvp").or(options.given("hessian")).is_some();
    let mut signature = Signature {
        name: item.sig.ident.clone(),
        vis: item.vis.clone(),
        attrs: item::shared_attributes(&item.attrs),
        generics,
        bound_generics,
        captures,
        borrowed,
        params,
        result,
        mode: options.mode,
        into: options.given("into").is_some(),
        checkpoint: options.checkpoint,
        jacobian: options.given("jacobian").is_some(),
        // what it calls must have second derivatives, and if it calls itself that is itself
        order: if second && recursive { options.order.max(2) } else { options.order },
        hvp: options.given("hvp").is_some(),
        hessian: options.given("hessian").is_some(),
        krate: options.krate.clone(),
        seed_name: names.fresh("y_bar"),
        names,
        opaque_parameters,
        owner,
        siblings: Siblings::default(),
        has_body: true,
        recursive,
        derived: false,
        floats,
    };
    checks::check(item, options, &mut signature, before, diags);
    signature
}

#[cfg(test)]
mod tests;
