//! Traits of `std` that are no operators: no companions can stand in an `impl` of one, as the trait does not have them.

use proc_macro2::Ident;
use quote::quote;
use syn::{ImplItem, ItemImpl, parse_quote};

/// Such traits, each with a function that an `impl` of it has to have. A trait of the user's with the name of one hardly has
/// the same function.
const TRAITS: [(&str, &str); 27] = [
    ("Index", "index"),
    ("IndexMut", "index_mut"),
    ("Into", "into"),
    ("TryFrom", "try_from"),
    ("TryInto", "try_into"),
    ("Sum", "sum"),
    ("Product", "product"),
    ("Default", "default"),
    ("Clone", "clone"),
    ("PartialEq", "eq"),
    ("PartialOrd", "partial_cmp"),
    ("Ord", "cmp"),
    ("Iterator", "next"),
    ("DoubleEndedIterator", "next_back"),
    ("IntoIterator", "into_iter"),
    ("FromIterator", "from_iter"),
    ("Extend", "extend"),
    ("Deref", "deref"),
    ("DerefMut", "deref_mut"),
    ("AsRef", "as_ref"),
    ("AsMut", "as_mut"),
    ("Borrow", "borrow"),
    ("Display", "fmt"),
    ("Debug", "fmt"),
    ("FromStr", "from_str"),
    ("Hash", "hash"),
    ("Drop", "drop"),
];

/// The name of the trait of `std` that an `impl` is of, unless that is an operator.
pub(super) fn of(item: &ItemImpl) -> Option<&Ident> {
    let (path, _) = item.trait_.as_ref()?;
    let name = &path.segments.last()?.ident;
    let has = |wanted: &str| item.items.iter().any(|of| matches!(of, ImplItem::Fn(of) if of.sig.ident == wanted));
    TRAITS.iter().any(|(known, function)| name == known && has(function)).then_some(name)
}

/// A conversion as an `impl` of the type itself, which may have the companions: `V::from(x)` is then `V::from_vjp(x)`.
pub(super) fn conversion(item: &ItemImpl) -> Option<ItemImpl> {
    let (path, _) = item.trait_.as_ref()?;
    if path.segments.last()?.ident != "From" {
        return None;
    }
    let mut own = item.clone();
    own.trait_ = None;
    own.attrs.push(parse_quote!(#[allow(private_interfaces, unreachable_pub)]));
    for of in &mut own.items {
        if let ImplItem::Fn(of) = of {
            of.vis = parse_quote!(pub);
        }
    }
    Some(own)
}

/// The type of a conversion: one for each type has companions, as they all have the same names.
pub(super) fn converted(item: &ItemImpl) -> Option<String> {
    conversion(item)?;
    let ty = &item.self_ty;
    Some(quote!(From for #ty).to_string())
}
