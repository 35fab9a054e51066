//! The records of executions, and how a value or an execution is found from within a reverse sweep.

use crate::ir::{Graph, Value};
use std::collections::HashMap;
use std::rc::Rc;

use super::val::Val;

/// One execution of a graph.
pub(super) struct Record {
    pub(super) graph: Graph,
    /// The execution of the graph around it.
    pub(super) parent: Option<usize>,
    /// The execution that it replays.
    pub(super) replayed: Option<usize>,
    pub(super) values: HashMap<Value, Val>,
    /// The executions of each nested graph, in order.
    pub(super) nested: HashMap<Graph, Vec<usize>>,
}

/// The records of a run, numbered on from those of the run that made the closure which it applies.
pub(super) struct Tape {
    base: Option<Rc<Tape>>,
    start: usize,
    records: Vec<Record>,
}

impl Tape {
    pub(super) fn new(base: Option<Rc<Tape>>) -> Self {
        let start = base.as_ref().map_or(0, |b| b.len());
        Tape { base, start, records: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.start + self.records.len()
    }

    pub(super) fn push(&mut self, record: Record) -> usize {
        self.records.push(record);
        self.len() - 1
    }

    /// Forgets the records from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.records.truncate(len - self.start);
    }

    pub(super) fn get(&self, id: usize) -> &Record {
        match &self.base {
            Some(base) if id < self.start => base.get(id),
            _ => &self.records[id - self.start],
        }
    }

    /// A record of this run.
    pub(super) fn get_mut(&mut self, id: usize) -> &mut Record {
        &mut self.records[id - self.start]
    }

    /// The records around `id`, itself first.
    fn chain(&self, id: usize) -> impl Iterator<Item = &Record> {
        std::iter::successors(Some(self.get(id)), |r| r.parent.map(|p| self.get(p)))
    }

    /// What a value is, seen from a record: its own values and those around it, then those that they replay.
    pub(super) fn resolve(&self, id: usize, v: Value) -> Option<&Val> {
        let own = self.chain(id).find_map(|r| r.values.get(&v));
        own.or_else(|| self.chain(id).filter_map(|r| r.replayed).find_map(|p| self.resolve(p, v)))
    }

    /// The execution of `g` that a record replays or is part of, the innermost first.
    pub(super) fn find(&self, id: usize, g: Graph) -> Option<usize> {
        let mut next = Some(id);
        while let Some(id) = next {
            let record = self.get(id);
            if let Some(found) = record.replayed.and_then(|p| self.find(p, g)) {
                return Some(found);
            }
            if record.graph == g {
                return Some(id);
            }
            next = record.parent;
        }
        None
    }
}
