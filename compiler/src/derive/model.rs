//! The user's type as the derive sees it, and what is wrong with it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Data, DeriveInput, Fields, Index, Member, Meta, Path, Type, Visibility, parse_quote};

use super::generics::Bounds;
use crate::diag::{Diagnostics, Place, catalog};
use crate::syntax::signature::{Names, TypeClass, bare, classify, plain, tangent_type};

/// A struct, or an enum.
pub(super) struct Model {
    /// The name of the type.
    pub(super) name: Ident,
    pub(super) vis: Visibility,
    /// `#[non_exhaustive]`, which the tangent type shares.
    pub(super) non_exhaustive: Option<Attribute>,
    /// The lints that the user allows.
    pub(super) allows: Vec<Attribute>,
    pub(super) krate: Path,
    /// The names of the tangent type and of the module of the runtime inside of the block.
    pub(super) tangent: Ident,
    pub(super) private: Ident,
    pub(super) bounds: Bounds,
    pub(super) is_enum: bool,
    /// Its variants; a struct has one.
    pub(super) variants: Vec<Variant>,
}

/// A variant, or the body of a struct.
pub(super) struct Variant {
    pub(super) name: Ident,
    pub(super) allows: Vec<Attribute>,
    pub(super) named: bool,
    pub(super) fields: Vec<Field>,
}

/// A field of the user's type.
pub(super) struct Field {
    pub(super) member: Member,
    pub(super) vis: Visibility,
    pub(super) allows: Vec<Attribute>,
    /// What the tangent has of it, unless it is left out.
    pub(super) kept: Option<Kept>,
}

/// A field of the tangent.
pub(super) struct Kept {
    /// Its name there: that of the user's field, or its number among those that are kept.
    pub(super) member: Member,
    pub(super) class: TypeClass,
    /// The type of the user's field, without `Self`.
    pub(super) source: Type,
    pub(super) ty: TokenStream,
    /// The user's type in the source, where errors of the trait solver are told; lints take it for generated code.
    pub(super) at: Span,
}

impl Variant {
    /// The fields that the tangent has, with those of the user that they belong to.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&Field, &Kept)> {
        self.fields.iter().filter_map(|field| Some((field, field.kept.as_ref()?)))
    }
}

impl Model {
    /// Reads a type; `None` for a union, which has no tangent.
    pub(super) fn read(input: &DeriveInput, diags: &mut Diagnostics) -> Option<Self> {
        misplaced(&input.attrs, "the whole type", diags);
        let krate = krate(&input.attrs, diags);
        let reader = Reader { krate: &krate, input };
        let variants = match &input.data {
            Data::Struct(data) => vec![reader.variant(&input.ident, Vec::new(), &data.fields, diags)],
            Data::Enum(data) => {
                let variants = data.variants.iter().map(|variant| {
                    misplaced(&variant.attrs, "a variant", diags);
                    reader.variant(&variant.ident, allows(&variant.attrs), &variant.fields, diags)
                });
                variants.collect()
            }
            Data::Union(data) => {
                diags.error(data.union_token.span, &catalog::DERIVE_ON_UNION, &[("name", &bare(&input.ident))]);
                return None;
            }
        };
        let mut names = Names::in_tokens(input.to_token_stream());
        let tangent = names.fresh(&format!("{}Tangent", bare(&input.ident)));
        let bounds =
            Bounds::new(&input.generics, &krate, variants.iter().flat_map(Variant::kept).map(|(_, kept)| kept));
        Some(Model {
            name: input.ident.clone(),
            vis: generated(&input.vis),
            non_exhaustive: input.attrs.iter().find(|attribute| attribute.path().is_ident("non_exhaustive")).cloned(),
            allows: allows(&input.attrs),
            tangent,
            private: names.fresh("private"),
            bounds,
            is_enum: matches!(input.data, Data::Enum(_)),
            variants,
            krate,
        })
    }
}

struct Reader<'a> {
    krate: &'a Path,
    input: &'a DeriveInput,
}

impl Reader<'_> {
    fn variant(&self, name: &Ident, allows: Vec<Attribute>, fields: &Fields, diags: &mut Diagnostics) -> Variant {
        let named = matches!(fields, Fields::Named(_));
        let mut count = 0;
        let fields = fields.iter().enumerate().map(|(index, field)| {
            let member = match &field.ident {
                Some(name) => Member::Named(generated_ident(name)),
                None => Member::Unnamed(Index { index: number(index), span: Span::call_site() }),
            };
            let ty = generated(&field.ty);
            let class = if inactive(&field.attrs, diags) { None } else { class(&ty) };
            let kept = class.map(|class| {
                let at = ty.span();
                let member = if named {
                    member.clone()
                } else {
                    Member::Unnamed(Index { index: count, span: Span::call_site() })
                };
                count += 1;
                let class = self.without_self(class);
                let mut source = ty;
                self.replace_self(&mut source);
                Kept { member, ty: tangent_type(&class, self.krate), class, source, at }
            });
            Field { member, vis: generated(&field.vis), allows: self::allows(&field.attrs), kept }
        });
        Variant { name: generated_ident(name), allows, named, fields: fields.collect() }
    }

    /// In the tangent type `Self` is another type.
    fn without_self(&self, class: TypeClass) -> TypeClass {
        let inside = |of: Box<TypeClass>| Box::new(self.without_self(*of));
        match class {
            TypeClass::Unknown(mut ty) => {
                self.replace_self(&mut ty);
                TypeClass::Unknown(ty)
            }
            TypeClass::Slice(of) => TypeClass::Slice(inside(of)),
            TypeClass::Vec(of) => TypeClass::Vec(inside(of)),
            TypeClass::Array(of, length) => TypeClass::Array(inside(of), length),
            TypeClass::Option(of) => TypeClass::Option(inside(of)),
            TypeClass::Result(of) => TypeClass::Result(inside(of)),
            TypeClass::BoxOf(of) => TypeClass::BoxOf(inside(of)),
            TypeClass::Tuple(of) => TypeClass::Tuple(of.into_iter().map(|of| self.without_self(of)).collect()),
            TypeClass::NdArray { element, rank, storage } => {
                TypeClass::NdArray { element: inside(element), rank, storage }
            }
            class @ (TypeClass::Float(_) | TypeClass::Inactive | TypeClass::Function) => class,
        }
    }

    fn replace_self(&self, ty: &mut Type) {
        let name = &self.input.ident;
        let (_, generics, _) = self.input.generics.split_for_impl();
        ReplaceSelf(parse_quote!(#name #generics)).visit_type_mut(ty);
    }
}

struct ReplaceSelf(Type);

impl VisitMut for ReplaceSelf {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self") => *ty = self.0.clone(),
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// The class of a field, `None` if it is left out. A class for whose tangents [`tangent_type`] and the trait
/// `Differentiable` have different types is unknown: here the trait makes the zeros.
fn class(ty: &Type) -> Option<TypeClass> {
    let class = match plain(ty) {
        // a function pointer holds no floats, whatever it is a function of
        Type::FnPtr(_) => return None,
        _ => classify(ty),
    };
    match class {
        TypeClass::Inactive => None,
        class if follows_trait(&class) => Some(class),
        _ => Some(TypeClass::Unknown(Box::new(ty.clone()))),
    }
}

fn follows_trait(class: &TypeClass) -> bool {
    match class {
        TypeClass::Float(_) | TypeClass::Unknown(_) => true,
        TypeClass::Inactive | TypeClass::Function => false,
        TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => follows_trait(of),
        TypeClass::Option(of) | TypeClass::Result(of) | TypeClass::BoxOf(of) => follows_trait(of),
        TypeClass::NdArray { element, .. } => follows_trait(element),
        TypeClass::Tuple(of) => of.iter().all(follows_trait),
    }
}

/// Whether a field is marked.
fn inactive(attributes: &[Attribute], diags: &mut Diagnostics) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("inactive")) {
        found = true;
        if !matches!(attribute.meta, Meta::Path(_)) {
            let problem = "`#[inactive]` takes no arguments";
            diags.error(
                Place::of(attribute),
                &catalog::MALFORMED_OPTION,
                &[("problem", &problem), ("form", &"`#[inactive]`")],
            );
        }
    }
    found
}

fn misplaced(attributes: &[Attribute], item: &str, diags: &mut Diagnostics) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("inactive")) {
        diags.error(Place::of(attribute), &catalog::INACTIVE_MISPLACED, &[("item", &item)]);
    }
}

/// `#[cotangent(crate = path)]`.
fn krate(attributes: &[Attribute], diags: &mut Diagnostics) -> Path {
    let mut krate: Path = parse_quote!(::cotangent);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("cotangent")) {
        let read = attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("`#[cotangent(..)]` on a type has the option `crate` only"));
            }
            krate = meta.value()?.call(Path::parse_mod_style)?;
            Ok(())
        });
        if let Err(error) = read {
            let form = "`#[cotangent(crate = path)]`";
            diags.error(error.span(), &catalog::MALFORMED_OPTION, &[("problem", &error), ("form", &form)]);
        }
    }
    krate
}

/// The lints that are allowed for a type or a field are allowed for its tangent.
fn allows(attributes: &[Attribute]) -> Vec<Attribute> {
    let lists = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => Some(&list.tokens),
        _ => None,
    });
    lists.map(|lints| parse_quote!(#[allow(#lints)])).collect()
}

/// The user's tokens where they are, but as generated ones, so that lints stay silent.
fn generated<T: ToTokens + syn::parse::Parse + Clone>(syntax: &T) -> T {
    fn respan(tokens: TokenStream) -> TokenStream {
        let respan = |mut token: TokenTree| {
            token.set_span(token.span().resolved_at(Span::call_site()));
            match token {
                TokenTree::Group(group) => {
                    let mut new = proc_macro2::Group::new(group.delimiter(), respan(group.stream()));
                    new.set_span(group.span());
                    new.into()
                }
                token => token,
            }
        };
        tokens.into_iter().map(respan).collect()
    }
    syn::parse2(respan(quote!(#syntax))).unwrap_or_else(|_| syntax.clone())
}

fn generated_ident(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(name.span().resolved_at(Span::call_site()));
    name
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
