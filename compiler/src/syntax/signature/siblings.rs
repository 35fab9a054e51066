//! The functions beside one whose bodies are in sight, so that a call of one may be its body.

use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{ExprClosure, Path};

use super::names::bare;

/// Functions as closures that capture nothing, by the path under which they are called: `f`, or `Self::f`.
#[derive(Clone, Default)]
pub struct Siblings {
    bodies: Rc<BTreeMap<String, ExprClosure>>,
    /// How many arguments each function beside it takes, also where its body is none of these.
    counts: Rc<BTreeMap<String, usize>>,
}

impl Siblings {
    /// These and some others, which hide those of the same path.
    #[must_use]
    pub fn with(&self, others: impl IntoIterator<Item = (String, ExprClosure)>) -> Self {
        let mut all = (*self.bodies).clone();
        all.extend(others);
        Siblings { bodies: Rc::new(all), counts: Rc::clone(&self.counts) }
    }

    /// These, and functions that take so many arguments.
    #[must_use]
    pub fn counting(&self, others: impl IntoIterator<Item = (String, usize)>) -> Self {
        let mut all = (*self.counts).clone();
        all.extend(others);
        Siblings { bodies: Rc::clone(&self.bodies), counts: Rc::new(all) }
    }

    /// How many arguments the function takes that a path names.
    pub fn count(&self, path: &str) -> Option<usize> {
        self.counts.get(path).copied()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.counts.is_empty()
    }

    /// The function that is called by a path.
    pub fn get(&self, path: &Path) -> Option<&ExprClosure> {
        let arguments = path.segments.iter().any(|segment| !segment.arguments.is_none());
        if self.is_empty() || arguments || path.leading_colon.is_some() {
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
}
