//! Variables of the generated code, and which values are in them.
//!
//! Several versions of an aggregate may be in one variable, one after the other: a new version takes the place of the
//! old one where that is dead. A place that other values still need is copied before it is changed.

use crate::ir::{Type, Value};
use proc_macro2::Ident;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PlaceId(pub(super) usize);

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// The thing itself.
    Owned,
    /// A shared reference to it.
    Ref,
    /// A view of an array, which is as good as a reference.
    View,
    /// A mutable reference to it: a parameter.
    Mut,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) ident: Ident,
    pub(super) hold: Hold,
    /// How many closures are around its declaration: it cannot be changed or moved in a closure further in.
    pub(super) level: usize,
    /// Whether a reference is lent by the caller for as long as a pullback may live.
    pub(super) lent: bool,
    /// Whether it has to be declared `mut`.
    pub(super) mutated: bool,
    /// The values that were put into it, dead ones perhaps included.
    pub(super) holders: Vec<Value>,
    /// References to it.
    pub(super) borrowers: Vec<PlaceId>,
    /// What it refers to.
    pub(super) bases: Vec<PlaceId>,
}

/// All variables.
#[derive(Clone, Default)]
pub(super) struct Places(Vec<Place>);

impl Places {
    pub(super) fn add(&mut self, ident: Ident, hold: Hold, level: usize, holder: Value) -> PlaceId {
        let place = Place {
            ident,
            hold,
            level,
            lent: true,
            mutated: false,
            holders: vec![holder],
            borrowers: Vec::new(),
            bases: Vec::new(),
        };
        self.0.push(place);
        PlaceId(self.0.len() - 1)
    }

    /// A variable of no value of the function.
    pub(super) fn add_unnamed(&mut self, ident: Ident, hold: Hold, level: usize) -> PlaceId {
        self.0.push(Place {
            ident,
            hold,
            level,
            lent: true,
            mutated: false,
            holders: Vec::new(),
            borrowers: Vec::new(),
            bases: Vec::new(),
        });
        PlaceId(self.0.len() - 1)
    }

    /// The values in the variables are those of another function.
    pub(super) fn forget(&mut self) {
        self.0.iter_mut().for_each(|place| place.holders.clear());
    }

    /// A variable refers to what is in another.
    pub(super) fn borrow(&mut self, place: PlaceId, base: PlaceId) {
        self[base].borrowers.push(place);
        self[place].bases.push(base);
    }

    /// A variable, and all references to it and to what they refer to.
    pub(super) fn through(&self, place: PlaceId) -> Vec<PlaceId> {
        let mut found = vec![place];
        let mut k = 0;
        while let Some(&p) = found.get(k) {
            found.extend(&self[p].borrowers);
            k += 1;
        }
        found
    }

    /// A variable, and all that it refers to.
    pub(super) fn below(&self, place: PlaceId) -> Vec<PlaceId> {
        let mut found = vec![place];
        let mut k = 0;
        while let Some(&p) = found.get(k) {
            // one that a loop carries may refer to itself
            for &base in &self[p].bases {
                if !found.contains(&base) {
                    found.push(base);
                }
            }
            k += 1;
        }
        found
    }

    /// Whether a variable is another one or refers to it.
    pub(super) fn refers_to(&self, place: PlaceId, base: PlaceId) -> bool {
        self.below(place).contains(&base)
    }

    /// Whether a variable refers to something that is borrowed from the caller, and not to a variable here.
    pub(super) fn outlives(&self, place: PlaceId) -> bool {
        self.below(place).into_iter().all(|p| matches!(self[p].hold, Hold::Ref | Hold::View) && self[p].lent)
    }
}

impl std::ops::Index<PlaceId> for Places {
    type Output = Place;
    fn index(&self, p: PlaceId) -> &Place {
        &self.0[p.0]
    }
}

impl std::ops::IndexMut<PlaceId> for Places {
    fn index_mut(&mut self, p: PlaceId) -> &mut Place {
        &mut self.0[p.0]
    }
}

/// Whether values of a type are certainly copied by use.
pub(super) fn is_copy(ty: &Type) -> bool {
    match ty {
        Type::Array(t) | Type::Option(t) => is_copy(t),
        Type::Tuple(ts) => ts.iter().all(is_copy),
        ty => ty.is_scalar(),
    }
}

/// Whether what a path leads to is written as a reference to it.
pub(super) fn gives_reference(path: &crate::ir::Path) -> bool {
    match path.0.last() {
        Some(crate::ir::Step::Index | crate::ir::Step::Range { .. }) => path.ends_in_part(),
        last => last.is_some_and(crate::ir::Step::gives_reference),
    }
}

/// A vector of floats.
pub(super) fn is_row(ty: &crate::ir::Type) -> bool {
    matches!(ty, crate::ir::Type::Vec(t) if t.is_float())
}
