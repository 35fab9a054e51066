//! The functions beside one whose bodies are in sight, so that a call of one may be its body.

use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{ExprClosure, Path};

use super::names::bare;

/// Functions as closures that capture nothing, by the path under which they are called: `f`, or `Self::f`.
#[derive(Clone, Default)]
pub struct Siblings(Rc<BTreeMap<String, ExprClosure>>);

impl Siblings {
    /// These and some others, which hide those of the same path.
    #[must_use]
    pub fn with(&self, others: impl IntoIterator<Item = (String, ExprClosure)>) -> Self {
        let mut all = (*self.0).clone();
        all.extend(others);
        Siblings(Rc::new(all))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The function that is called by a path.
    pub fn get(&self, path: &Path) -> Option<&ExprClosure> {
        let arguments = path.segments.iter().any(|segment| !segment.arguments.is_none());
        if self.is_empty() || arguments || path.leading_colon.is_some() {
            return None;
        }
        let names: Vec<String> = path.segments.iter().map(|segment| bare(&segment.ident)).collect();
        self.0.get(&names.join("::"))
    }

    /// All their code.
    pub fn tokens(&self) -> TokenStream {
        self.0.values().map(ToTokens::to_token_stream).collect()
    }

    /// The path of a function beside others of an `impl`.
    pub fn of_self(name: &Ident) -> String {
        format!("Self::{}", bare(name))
    }
}
