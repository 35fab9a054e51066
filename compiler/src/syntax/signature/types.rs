//! What the tokens of a type say about its derivative, and the type of its tangents.
//!
//! A macro sees no types, only how they are written. What it does not know is [`TypeClass::Unknown`], and its tangent
//! is what the trait `Differentiable` says. Names are taken for those of `std` and `ndarray` only where a type of the
//! user's with the same name is unlikely: a float must not be overlooked.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Path, PathArguments, PathSegment, Type, TypeParamBound};

use super::generics::Context;

/// A float type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Float {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// A type parameter with a bound such as `num_traits::Float`.
    Generic(Ident),
}

/// The number of axes of an `ndarray`.
#[derive(Clone)]
pub enum Rank {
    /// `Array2`, `Array<_, Ix2>`.
    Fixed(usize),
    /// `ArrayD`.
    Dynamic,
    /// `Array<_, D>` for another type `D`.
    Type(Box<Type>),
}

/// Who owns the elements of an `ndarray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// `Array`, `ArcArray`, `CowArray`.
    Owned,
    /// `ArrayView`, `ArrayRef`.
    View,
    /// `ArrayViewMut`.
    ViewMut,
    /// `ArrayBase<S, _>` for a type parameter `S`.
    Generic,
}

/// What a type is to differentiation. References are stripped, also inside: `&[&f64]` is a slice of floats.
/// A container in which nothing is active is [`Inactive`](TypeClass::Inactive) as a whole.
#[derive(Clone)]
pub enum TypeClass {
    /// A float.
    Float(Float),
    /// Certainly without floats; the tangent is `()`.
    Inactive,
    /// `[T]`.
    Slice(Box<TypeClass>),
    /// `Vec<T>`.
    Vec(Box<TypeClass>),
    /// `[T; N]`.
    Array(Box<TypeClass>, Box<Expr>),
    /// A tuple; some of its places may be inactive.
    Tuple(Vec<TypeClass>),
    /// An array of `ndarray`.
    NdArray {
        /// Its elements.
        element: Box<TypeClass>,
        /// Its number of axes.
        rank: Rank,
        /// Who owns the elements.
        storage: Storage,
    },
    /// `Option<T>`.
    Option(Box<TypeClass>),
    /// `Result<T, E>`, where `E` has no derivative.
    Result(Box<TypeClass>),
    /// `Box<T>`.
    BoxOf(Box<TypeClass>),
    /// Something to call: `impl Fn(..)`, `&dyn Fn(..)`, `fn(..)`, `F: Fn(..)`.
    Function,
    /// A type that the macro does not know.
    Unknown(Box<Type>),
}

impl TypeClass {
    /// Whether it is certainly without floats.
    pub fn is_inactive(&self) -> bool {
        matches!(self, TypeClass::Inactive)
    }

    /// Whether all of it is known, so that it is `Send` and `Sync` and has no lifetimes that tokens do not show.
    pub fn is_known(&self) -> bool {
        match self {
            TypeClass::Float(float) => !matches!(float, Float::Generic(_)),
            TypeClass::Inactive => true,
            TypeClass::Function | TypeClass::Result(_) | TypeClass::Unknown(_) => false,
            TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => of.is_known(),
            TypeClass::Option(of) | TypeClass::BoxOf(of) => of.is_known(),
            TypeClass::Tuple(of) => of.iter().all(TypeClass::is_known),
            TypeClass::NdArray { element, rank, storage } => {
                element.is_known() && !matches!(rank, Rank::Type(_)) && *storage != Storage::Generic
            }
        }
    }
}

/// The type of tangents and cotangents of a type of this class.
pub fn tangent_type(class: &TypeClass, krate: &Path) -> TokenStream {
    match class {
        TypeClass::Float(Float::F32) => quote!(f32),
        TypeClass::Float(Float::F64) => quote!(f64),
        TypeClass::Float(Float::Generic(name)) => name.to_token_stream(),
        TypeClass::Inactive | TypeClass::Function => quote!(()),
        TypeClass::Slice(of) | TypeClass::Vec(of) => {
            let of = tangent_type(of, krate);
            quote!(#krate::__private::Vec<#of>)
        }
        TypeClass::Array(of, length) => {
            let of = tangent_type(of, krate);
            quote!([#of; #length])
        }
        TypeClass::Tuple(of) => {
            let of: Vec<_> = of.iter().map(|of| tangent_type(of, krate)).collect();
            match of.as_slice() {
                [alone] => quote!((#alone,)),
                of => quote!((#(#of),*)),
            }
        }
        TypeClass::NdArray { element, rank, .. } => {
            let element = tangent_type(element, krate);
            let rank = match rank {
                Rank::Fixed(n) => {
                    let name = quote::format_ident!("Ix{n}");
                    quote!(#krate::__private::ndarray::#name)
                }
                Rank::Dynamic => quote!(#krate::__private::ndarray::IxDyn),
                Rank::Type(ty) => ty.to_token_stream(),
            };
            quote!(#krate::__private::ndarray::Array<#element, #rank>)
        }
        TypeClass::Option(of) | TypeClass::Result(of) => {
            let of = tangent_type(of, krate);
            quote!(::core::option::Option<#of>)
        }
        TypeClass::BoxOf(of) => {
            let of = tangent_type(of, krate);
            quote!(#krate::__private::Box<#of>)
        }
        // on the user's tokens, so that a missing derive is told there
        TypeClass::Unknown(ty) => quote_spanned!(ty.span()=> <#ty as #krate::Differentiable>::Tangent),
    }
}

/// Looks through the invisible groups that fragments of `macro_rules` leave, and through parentheses.
pub fn plain(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// The class of a type in a function with these generics.
pub(super) fn classify(ty: &Type, context: &Context) -> TypeClass {
    let unknown = || TypeClass::Unknown(Box::new(ty.clone()));
    match plain(ty) {
        Type::Reference(reference) => classify(&reference.elem, context),
        Type::Slice(slice) => wrap(classify(&slice.elem, context), TypeClass::Slice),
        Type::Array(array) => {
            wrap(classify(&array.elem, context), |of| TypeClass::Array(of, Box::new(array.len.clone())))
        }
        Type::Tuple(tuple) => {
            let of: Vec<_> = tuple.elems.iter().map(|elem| classify(elem, context)).collect();
            if of.iter().all(TypeClass::is_inactive) { TypeClass::Inactive } else { TypeClass::Tuple(of) }
        }
        Type::Never(_) => TypeClass::Inactive,
        Type::FnPtr(_) => TypeClass::Function,
        Type::ImplTrait(of) if of.bounds.iter().any(is_function_bound) => TypeClass::Function,
        Type::TraitObject(of) if of.bounds.iter().any(is_function_bound) => TypeClass::Function,
        Type::Path(path) if path.qself.is_none() => classify_path(&path.path, context).unwrap_or_else(unknown),
        _ => unknown(),
    }
}

fn wrap(of: TypeClass, container: impl FnOnce(Box<TypeClass>) -> TypeClass) -> TypeClass {
    match of {
        TypeClass::Inactive => TypeClass::Inactive,
        of => container(Box::new(of)),
    }
}

/// `Fn(..)`, `FnMut(..)`, `FnOnce(..)`.
pub(crate) fn is_function_bound(bound: &TypeParamBound) -> bool {
    match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|last| matches!(last.ident.to_string().as_str(), "Fn" | "FnMut" | "FnOnce")),
        _ => false,
    }
}

/// Leaves of `std` whose names are taken without their path.
const LEAVES: &[&str] = &[
    "bool",
    "char",
    "str",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "String",
    "PathBuf",
    "OsStr",
    "OsString",
    "CStr",
    "CString",
    "Ordering",
    "PhantomData",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroU128",
    "NonZeroUsize",
    "NonZeroI8",
    "NonZeroI16",
    "NonZeroI32",
    "NonZeroI64",
    "NonZeroI128",
    "NonZeroIsize",
    "AtomicBool",
    "AtomicU8",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
    "AtomicI8",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
];

/// Leaves that need `std::…` before them: a type of the user's may well be called so.
const QUALIFIED_LEAVES: &[&str] = &["Path", "Duration", "Instant", "SystemTime", "ThreadId", "TypeId", "Layout"];

/// Containers of `std`, inactive if all that they hold is.
const CONTAINERS: &[&str] = &[
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "VecDeque",
    "LinkedList",
    "BinaryHeap",
    "Rc",
    "Arc",
    "Cow",
    "Cell",
    "RefCell",
    "Mutex",
    "RwLock",
    "OnceCell",
    "OnceLock",
    "Range",
    "RangeInclusive",
    "RangeFrom",
    "RangeTo",
    "Wrapping",
    "Reverse",
    "NonZero",
];

fn classify_path(path: &Path, context: &Context) -> Option<TypeClass> {
    let last = path.segments.last()?;
    let name = last.ident.to_string();
    let name = name.as_str();
    let first = path.segments.first()?.ident.to_string();
    let bare = path.segments.len() == 1 && path.leading_colon.is_none();
    if bare && context.is_parameter(name) {
        if context.floats.contains(name) {
            return Some(TypeClass::Float(Float::Generic(last.ident.clone())));
        }
        return context.functions.contains(name).then_some(TypeClass::Function);
    }
    let within = path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string());
    // as the types of tangents are written
    let ours = within.as_deref() == Some("__private");
    let from_std = ours || !bare && matches!(first.as_str(), "std" | "core" | "alloc");
    let arguments = type_arguments(last);
    if name == "Result" && matches!(arguments.len(), 1 | 2) {
        // also by an alias that gives the error
        return Some(wrap(classify(arguments[0], context), TypeClass::Result));
    }
    if bare || from_std {
        match name {
            "f32" => return Some(TypeClass::Float(Float::F32)),
            "f64" => return Some(TypeClass::Float(Float::F64)),
            _ => {}
        }
        if LEAVES.contains(&name) || from_std && QUALIFIED_LEAVES.contains(&name) {
            return Some(TypeClass::Inactive);
        }
        let single = || match arguments.as_slice() {
            [of] => Some(classify(of, context)),
            _ => None,
        };
        match name {
            "Vec" => return Some(wrap(single()?, TypeClass::Vec)),
            "Option" => return Some(wrap(single()?, TypeClass::Option)),
            "Box" => return Some(through_boxes(wrap(single()?, TypeClass::BoxOf))),
            _ => {}
        }
        if CONTAINERS.contains(&name) && !arguments.is_empty() {
            let inactive = arguments.iter().all(|of| classify(of, context).is_inactive());
            return inactive.then_some(TypeClass::Inactive);
        }
    }
    let from_ndarray = !bare && (matches!(first.as_str(), "ndarray" | "nd") || within.as_deref() == Some("ndarray"));
    if bare || from_ndarray { classify_ndarray(last, name, context) } else { None }
}

/// A boxed function is a function.
fn through_boxes(class: TypeClass) -> TypeClass {
    match class {
        TypeClass::BoxOf(of) if matches!(*of, TypeClass::Function) => TypeClass::Function,
        class => class,
    }
}

fn type_arguments(segment: &PathSegment) -> Vec<&Type> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn classify_ndarray(segment: &PathSegment, name: &str, context: &Context) -> Option<TypeClass> {
    let arguments = type_arguments(segment);
    let build = |of: &Type, rank: Rank, storage: Storage| {
        let element = classify(of, context);
        Some(wrap(element, |element| TypeClass::NdArray { element, rank, storage }))
    };
    if name == "ArrayBase" {
        let [representation, rank] = arguments.as_slice() else { return None };
        let Type::Path(representation) = plain(representation) else { return None };
        let of = representation.path.segments.last()?;
        let rank = rank_of(rank);
        if let Some(element) = context.data.get(&of.ident.to_string()) {
            return build(element, rank, Storage::Generic);
        }
        let storage = match of.ident.to_string().as_str() {
            "OwnedRepr" | "OwnedArcRepr" | "CowRepr" => Storage::Owned,
            "ViewRepr" => match type_arguments(of).first().map(|ty| plain(ty)) {
                Some(Type::Reference(reference)) if reference.mutability.is_some() => Storage::ViewMut,
                _ => Storage::View,
            },
            _ => return None,
        };
        let element = type_arguments(of).into_iter().next()?;
        return build(element, rank, storage);
    }
    // the longest prefix first
    let (rest, storage) = [
        ("ArrayViewMut", Storage::ViewMut),
        ("ArrayView", Storage::View),
        ("ArrayRef", Storage::View),
        ("ArcArray", Storage::Owned),
        ("CowArray", Storage::Owned),
        ("Array", Storage::Owned),
    ]
    .into_iter()
    .find_map(|(prefix, storage)| Some((name.strip_prefix(prefix)?, storage)))?;
    match (rest, arguments.as_slice()) {
        ("", [of, rank]) => build(of, rank_of(rank), storage),
        ("D", [of]) => build(of, Rank::Dynamic, storage),
        (digit, [of]) => {
            let rank = digit.parse().ok().filter(|rank| *rank <= 6 && digit.len() == 1)?;
            build(of, Rank::Fixed(rank), storage)
        }
        _ => None,
    }
}

/// `Ix2`, `IxDyn`, `Dim<[usize; 2]>` and the rest.
fn rank_of(ty: &Type) -> Rank {
    let named = || {
        let Type::Path(path) = plain(ty) else { return None };
        let last = path.path.segments.last()?;
        let name = last.ident.to_string();
        match name.as_str() {
            "IxDyn" => Some(Rank::Dynamic),
            "Dim" => match plain(type_arguments(last).first()?) {
                Type::Array(array) => array.len.to_token_stream().to_string().parse().ok().map(Rank::Fixed),
                _ => None,
            },
            _ => {
                let digit = name.strip_prefix("Ix")?;
                digit.parse().ok().filter(|rank| *rank <= 6 && digit.len() == 1).map(Rank::Fixed)
            }
        }
    };
    named().unwrap_or_else(|| Rank::Type(Box::new(ty.clone())))
}
