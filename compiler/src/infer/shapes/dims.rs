//! Sizes of axes: numbers, declared names, and open ones, which are found out by unification.

use crate::ir::Size;
use std::fmt;

/// The size of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dim {
    /// A number.
    Number(usize),
    /// A declared name, by its place among them.
    Name(usize),
    /// One that is not known, by its place among them.
    Open(usize),
}

/// All sizes that are spoken of.
#[derive(Debug, Default)]
pub(super) struct Dims {
    names: Vec<String>,
    /// What each open size was found to be.
    found: Vec<Option<Dim>>,
    /// The open sizes that have been found out, in order, so that it can be forgotten again.
    trail: Vec<usize>,
}

impl Dims {
    /// A size that is not known.
    pub(super) fn open(&mut self) -> Dim {
        self.found.push(None);
        Dim::Open(self.found.len() - 1)
    }

    /// A declared one.
    pub(super) fn declared(&mut self, size: &Size) -> Dim {
        let name = match size {
            Size::Number(n) => return Dim::Number(*n),
            Size::Name(name) => name,
        };
        let place = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        Dim::Name(place)
    }

    /// What a size is known to be.
    pub(super) fn resolve(&self, mut size: Dim) -> Dim {
        while let Dim::Open(k) = size {
            match self.found[k] {
                Some(next) => size = next,
                None => break,
            }
        }
        size
    }

    /// Whether two shapes are certainly the same.
    pub(super) fn all_same(&self, a: &[Dim], b: &[Dim]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.resolve(*a) == self.resolve(*b))
    }

    /// Two sizes that must be equal; false if they are not.
    pub(super) fn equal(&mut self, a: Dim, b: Dim) -> bool {
        match (self.resolve(a), self.resolve(b)) {
            (a, b) if a == b => true,
            (Dim::Open(k), other) | (other, Dim::Open(k)) => {
                self.found[k] = Some(other);
                self.trail.push(k);
                true
            }
            _ => false,
        }
    }

    /// The size to which two are broadcast; `open` where that is not known, `None` if they cannot be.
    pub(super) fn broadcast(&self, a: Dim, b: Dim, open: Dim) -> Option<Dim> {
        match (self.resolve(a), self.resolve(b)) {
            (a, b) if a == b => Some(a),
            (Dim::Number(1), other) | (other, Dim::Number(1)) => Some(other),
            // the other one is 1 or the same
            (Dim::Open(_), n @ Dim::Number(_)) | (n @ Dim::Number(_), Dim::Open(_)) => Some(n),
            (Dim::Open(_), _) | (_, Dim::Open(_)) => Some(open),
            _ => None,
        }
    }

    /// Where the trail is now.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Forgets what was found out since a mark.
    pub(super) fn forget(&mut self, mark: usize) {
        for k in self.trail.drain(mark..) {
            self.found[k] = None;
        }
    }

    /// A size in words.
    pub(super) fn shown(&self, size: Dim) -> impl fmt::Display {
        match self.resolve(size) {
            Dim::Number(n) => n.to_string(),
            Dim::Name(place) => self.names[place].clone(),
            Dim::Open(_) => "?".to_owned(),
        }
    }

    /// A shape in words: `[h, 3]`.
    pub(super) fn list(&self, sizes: &[Dim]) -> String {
        let sizes: Vec<String> = sizes.iter().map(|size| self.shown(*size).to_string()).collect();
        format!("[{}]", sizes.join(", "))
    }
}
