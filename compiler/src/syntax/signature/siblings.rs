//! The functions beside one whose bodies are in sight, so that a call of one may be its body.

use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{ExprClosure, FnArg, Path, ReceiverKind, Signature, Type};

use super::names::bare;
use super::types::plain;

/// Functions as closures that capture nothing, by the path under which they are called: `f`, or `Self::f`.
#[derive(Clone, Default)]
pub struct Siblings {
    bodies: Rc<BTreeMap<String, ExprClosure>>,
    /// Of each function beside it, also where its body is none of these, which arguments it takes by mutable reference.
    taken: Rc<BTreeMap<String, Vec<bool>>>,
}

impl Siblings {
    /// These and some others, which hide those of the same path.
    #[must_use]
    pub fn with(&self, others: impl IntoIterator<Item = (String, ExprClosure)>) -> Self {
        let mut all = (*self.bodies).clone();
        all.extend(others);
        Siblings { bodies: Rc::new(all), taken: Rc::clone(&self.taken) }
    }

    /// These, and functions with such signatures, by the paths under which they are called.
    #[must_use]
    pub fn taking<'s>(&self, others: impl IntoIterator<Item = (String, &'s Signature)>) -> Self {
        let mut all = (*self.taken).clone();
        all.extend(others.into_iter().map(|(path, sig)| (path, sig.inputs.iter().map(changes).collect())));
        Siblings { bodies: Rc::clone(&self.bodies), taken: Rc::new(all) }
    }

    /// Which arguments the function that a path names takes by mutable reference.
    pub fn taken(&self, path: &str) -> Option<&[bool]> {
        self.taken.get(path).map(Vec::as_slice)
    }

    /// Those that are called through `Self`, whatever names a function has of its own: what they take.
    #[must_use]
    pub fn of_type(&self) -> Self {
        let of_type = self.taken.iter().filter(|(path, _)| path.starts_with("Self::"));
        Siblings {
            bodies: Rc::default(),
            taken: Rc::new(of_type.map(|(path, taken)| (path.clone(), taken.clone())).collect()),
        }
    }

    /// The same, with no bodies in sight.
    #[must_use]
    pub fn without_bodies(&self) -> Self {
        Siblings { bodies: Rc::default(), taken: Rc::clone(&self.taken) }
    }

    /// Whether a body is in sight.
    pub fn have_bodies(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// The function that is called by a path.
    pub fn get(&self, path: &Path) -> Option<&ExprClosure> {
        let arguments = path.segments.iter().any(|segment| !segment.arguments.is_none());
        if arguments || path.leading_colon.is_some() {
            return None;
        }
        let names: Vec<String> = path.segments.iter().map(|segment| bare(&segment.ident)).collect();
        self.bodies.get(&names.join("::"))
    }

    /// All their code.
    pub fn tokens(&self) -> TokenStream {
        self.bodies.values().map(ToTokens::to_token_stream).collect()
    }

    /// The path of a function beside others of an `impl`.
    pub fn of_self(name: &Ident) -> String {
        format!("Self::{}", bare(name))
    }

    /// The path of a function of a type as it is written, or of what a reference to it leads to.
    pub fn of_type_named(ty: &Type, name: &Ident) -> Option<String> {
        match plain(ty) {
            Type::Reference(to) => Self::of_type_named(&to.elem, name),
            Type::Path(of) if of.qself.is_none() => {
                let names = of.path.segments.iter().map(|segment| &segment.ident).chain([name]);
                Some(names.map(bare).collect::<Vec<_>>().join("::"))
            }
            _ => None,
        }
    }
}

/// Whether a function changes what it is given in this place.
fn changes(input: &FnArg) -> bool {
    match input {
        FnArg::Receiver(receiver) => matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_))),
        FnArg::Typed(of) => matches!(&*of.ty, Type::Reference(to) if to.mutability.is_some()),
    }
}
