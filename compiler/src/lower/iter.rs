//! Iterators over ranges and sequences, as indexed items: they become the same loops as hand-written ones.

use super::array::items::Lanes;
use super::kept::Kept;
use super::place::{Place, Root};
use super::{Lowering, Operand};
use crate::ir::Value;

/// An iterator. As long as only the k-th item of what it is made of is needed for its own k-th it is *indexed*; with
/// `filter`, `chain` and the like its items only come one after the other.
#[derive(Clone)]
pub(crate) enum Iter {
    Range {
        lo: Value,
        hi: Value,
        inclusive: bool,
    },
    /// `lo..`
    From(Value),
    /// The items of a sequence; whether by reference.
    Seq(Place, bool),
    Rev(Box<Iter>),
    Enumerate(Box<Iter>),
    Zip(Box<Iter>, Box<Iter>),
    /// The lanes of an array of `ndarray`.
    Lanes(Box<Lanes>),
    /// The indices of the elements of an array of `ndarray`.
    Indices(Value),
    /// The functions of an array.
    Functions(Vec<Operand>),
    Skip(Box<Iter>, Value),
    Take(Box<Iter>, Value),
    StepBy(Box<Iter>, Value),
    /// Again and again.
    Cycle(Box<Iter>),
    /// The same item without an end, or once.
    Repeat(Operand, bool),
    /// By value instead of by reference: `copied`, `cloned`.
    Copied(Box<Iter>),
    Windows(Place, Value),
    /// Chunks of a length; whether the last may be shorter.
    Chunks(Place, Value, bool),
    /// Chunks from the end.
    RChunks(Place, Value, bool),
    /// The parts of a sequence: where each begins and ends, one after the other.
    Parts(Place, Value),
    /// A function of each item.
    Map(Box<Iter>, Operand),
    /// The items for which a function gives true.
    Filter(Box<Iter>, Operand),
    /// What is in the options that a function gives.
    FilterMap(Box<Iter>, Operand),
    /// The items as long as a function gives true.
    TakeWhile(Box<Iter>, Operand),
    /// The items from the first for which a function gives false.
    SkipWhile(Box<Iter>, Operand),
    /// What is in the options that a function gives, up to the first `None`.
    MapWhile(Box<Iter>, Operand),
    /// One iterator after another.
    Chain(Box<Iter>, Box<Iter>),
    /// The items of the iterators that a closure makes of each item.
    FlatMap(Box<Iter>, usize),
    /// The items of the items.
    Flatten(Box<Iter>),
    /// A running state: its initial value and a function of the state and the item that gives an option.
    Scan(Box<Iter>, Value, Operand),
    /// An option, and a function of each item that gives the next.
    Successors(Box<Operand>, Operand),
    /// What is in the options that a function gives.
    FromFn(Operand),
    /// What a function gives, without an end.
    RepeatWith(Operand),
    /// Each item is looked at by a function first.
    Inspect(Box<Iter>, Operand),
    /// To get an item changes something: each is asked for once, and in turn.
    InTurn(Box<Iter>),
    /// Nothing differentiable, kept as it is written.
    Kept(Box<Kept>),
    /// What is left of an iterator that is advanced by hand: an indexed one, and the cells of where it stands and ends.
    Rest(Box<Iter>, usize, Option<usize>),
}

impl Iter {
    /// Whether its k-th item can be computed from k. Unless it has no end it has a length then.
    pub(crate) fn indexed(&self) -> bool {
        match self {
            Iter::Range { .. } | Iter::From(_) | Iter::Seq(..) | Iter::Functions(_) | Iter::Repeat(..) => true,
            Iter::Windows(..) | Iter::Chunks(..) | Iter::RChunks(..) | Iter::Parts(..) => true,
            Iter::Lanes(_) | Iter::Indices(_) => true,
            Iter::Rev(i) => i.indexed() && !i.endless(),
            Iter::Enumerate(i) | Iter::Skip(i, _) | Iter::Take(i, _) | Iter::StepBy(i, _) => i.indexed(),
            Iter::Cycle(i) | Iter::Copied(i) | Iter::Map(i, _) => i.indexed(),
            Iter::Zip(a, b) => a.indexed() && b.indexed(),
            _ => false,
        }
    }

    /// Whether an indexed iterator has no end.
    pub(crate) fn endless(&self) -> bool {
        match self {
            Iter::From(_) | Iter::Cycle(_) => true,
            Iter::Repeat(_, once) => !once,
            Iter::Enumerate(i) | Iter::Skip(i, _) | Iter::StepBy(i, _) | Iter::Copied(i) | Iter::Map(i, _) => {
                i.endless()
            }
            Iter::Zip(a, b) => a.endless() && b.endless(),
            _ => false,
        }
    }

    /// Whether its items are mutable references, or have such in them.
    pub(crate) fn lends_mutably(&self) -> bool {
        match self {
            Iter::Zip(a, b) | Iter::Chain(a, b) => a.lends_mutably() || b.lends_mutably(),
            _ => self.sequence().is_some_and(|p| p.is_mut) || self.inner().is_some_and(Iter::lends_mutably),
        }
    }

    /// Whether its items come from one loop, so that leaving that loop ends them.
    pub(crate) fn one_loop(&self) -> bool {
        match self {
            Iter::Chain(..) | Iter::FlatMap(..) | Iter::Flatten(_) => false,
            Iter::Zip(a, b) => a.indexed() && b.one_loop() || a.one_loop(),
            _ => self.inner().is_none_or(Iter::one_loop),
        }
    }

    /// The sequence that it takes its items from.
    fn sequence(&self) -> Option<&Place> {
        match self {
            Iter::Seq(p, _) | Iter::Windows(p, _) | Iter::Chunks(p, ..) | Iter::RChunks(p, ..) | Iter::Parts(p, _) => {
                Some(p)
            }
            _ => None,
        }
    }

    /// The iterator that an adapter with one of them takes its items from.
    pub(crate) fn inner(&self) -> Option<&Iter> {
        match self {
            Iter::Rev(i)
            | Iter::Enumerate(i)
            | Iter::Skip(i, _)
            | Iter::Take(i, _)
            | Iter::StepBy(i, _)
            | Iter::Cycle(i)
            | Iter::Copied(i)
            | Iter::Map(i, _)
            | Iter::Filter(i, _)
            | Iter::FilterMap(i, _)
            | Iter::TakeWhile(i, _)
            | Iter::SkipWhile(i, _)
            | Iter::MapWhile(i, _)
            | Iter::FlatMap(i, _)
            | Iter::Flatten(i)
            | Iter::Scan(i, ..)
            | Iter::Inspect(i, _)
            | Iter::InTurn(i)
            | Iter::Rest(i, ..) => Some(i),
            _ => None,
        }
    }

    /// The function that an adapter applies.
    fn function(&self) -> Option<Operand> {
        match self {
            Iter::Map(_, f)
            | Iter::Filter(_, f)
            | Iter::FilterMap(_, f)
            | Iter::TakeWhile(_, f)
            | Iter::SkipWhile(_, f)
            | Iter::MapWhile(_, f)
            | Iter::Scan(_, _, f)
            | Iter::Successors(_, f)
            | Iter::FromFn(f)
            | Iter::RepeatWith(f)
            | Iter::Inspect(_, f) => Some(f.clone()),
            Iter::FlatMap(_, k) => Some(Operand::Closure(*k)),
            _ => None,
        }
    }

    /// `lo, hi, inclusive, reversed` of a plain range.
    pub(crate) fn range(&self) -> Option<(Value, Value, bool, bool)> {
        match self {
            Iter::Range { lo, hi, inclusive } => Some((*lo, *hi, *inclusive, false)),
            Iter::Rev(inner) => match **inner {
                Iter::Range { lo, hi, inclusive } => Some((lo, hi, inclusive, true)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The iterator from its end, where its items only come one after the other.
    pub(crate) fn reversed(self) -> Iter {
        if self.indexed() {
            return Iter::Rev(Box::new(self));
        }
        let rev = |i: Box<Iter>| Box::new(i.reversed());
        match self {
            Iter::Kept(k) => Iter::Kept(Box::new(k.then(None, |code, _| quote::quote!(#code.rev())))),
            Iter::Copied(i) => Iter::Copied(rev(i)),
            Iter::Map(i, f) => Iter::Map(rev(i), f),
            Iter::Filter(i, f) => Iter::Filter(rev(i), f),
            Iter::FilterMap(i, f) => Iter::FilterMap(rev(i), f),
            Iter::Inspect(i, f) => Iter::Inspect(rev(i), f),
            Iter::InTurn(i) => Iter::InTurn(rev(i)),
            Iter::Chain(a, b) => Iter::Chain(rev(b), rev(a)),
            other => Iter::Rev(Box::new(other)),
        }
    }
}

impl Lowering<'_> {
    /// The cells that consuming an iterator may change: those of its closures, and of what mutable references lead to.
    pub(crate) fn iter_cells(&self, it: &Iter) -> Vec<usize> {
        let mut cells = Vec::new();
        match it {
            Iter::Functions(parts) => parts.iter().for_each(|f| cells.extend(self.function_cells(f))),
            Iter::Lanes(lanes) => cells.extend(lanes.place.cell()),
            Iter::Zip(a, b) | Iter::Chain(a, b) => {
                cells.extend(self.iter_cells(a));
                cells.extend(self.iter_cells(b));
            }
            Iter::Rest(_, front, back) => {
                cells.push(*front);
                cells.extend(*back);
            }
            _ => {}
        }
        if let Some(Root::Cell(c)) = it.sequence().map(|p| p.root) {
            // the items may be mutable references
            cells.push(c);
        }
        if let Some(i) = it.inner() {
            cells.extend(self.iter_cells(i));
        }
        if let Some(f) = it.function() {
            cells.extend(self.function_cells(&f));
        }
        cells
    }

    /// Whether to get items from an iterator changes variables, so that it must be done in turn, and no more than is asked for.
    pub(crate) fn iter_changes(&self, it: &Iter) -> bool {
        let function = it.function().is_some_and(|f| self.function_changes(&f));
        let parts = match it {
            Iter::Zip(a, b) | Iter::Chain(a, b) => self.iter_changes(a) || self.iter_changes(b),
            _ => false,
        };
        matches!(it, Iter::InTurn(_)) || function || parts || it.inner().is_some_and(|inner| self.iter_changes(inner))
    }

    /// Whether something differentiable is in an iterator.
    pub(crate) fn iter_active(&mut self, it: &Iter) -> bool {
        let own = match it {
            Iter::Lanes(lanes) => self.place_active(&lanes.place.clone()),
            Iter::Zip(a, b) | Iter::Chain(a, b) => self.iter_active(a) || self.iter_active(b),
            Iter::Repeat(o, _) => self.operand_active(o),
            Iter::Successors(o, _) => self.operand_active(o),
            Iter::Scan(_, v, _) => self.is_active(*v),
            _ => false,
        };
        let captured = it.function().is_some_and(|f| {
            let cells = self.function_cells(&f);
            cells.iter().any(|c| self.env.cells[*c].value.is_some_and(|v| self.is_active(v)))
        });
        let sequence = it.sequence().is_some_and(|p| self.place_active(p));
        own || sequence || captured || it.inner().is_some_and(|i| self.iter_active(i))
    }

    /// Whether something differentiable is in an operand.
    pub(crate) fn operand_active(&mut self, o: &Operand) -> bool {
        match o {
            Operand::Value(v) => self.is_active(*v),
            Operand::Place(p) => self.place_active(p),
            Operand::Parts(parts) => parts.iter().any(|part| self.operand_active(part)),
            Operand::Opt(_, payload) => self.operand_active(payload),
            Operand::Iter(it) => self.iter_active(it),
            _ => false,
        }
    }
}
