//! Names and what they are bound to.

use super::Lowering;
use super::place::Place;
use crate::ir::{Type, Value};
use std::collections::BTreeMap;

/// The index of a cell.
pub(crate) type CellId = usize;

/// A variable: the current version of its value.
#[derive(Clone)]
pub(crate) struct Cell {
    pub(crate) name: String,
    /// `None`: not initialised here.
    pub(crate) value: Option<Value>,
    /// Whether it may be assigned after its declaration.
    pub(crate) mutable: bool,
    /// The declaration that it comes from, the same in every round of lowering.
    pub(crate) key: usize,
    /// The declared type.
    pub(crate) declared: Option<Type>,
    /// The declared type as it is written.
    pub(crate) declared_rust: Option<syn::Type>,
    /// What it began with, if that is of a type of which nothing is known.
    pub(crate) origin: Option<Value>,
    /// Whether a pattern binds it to a part of something of an unknown type.
    pub(crate) bound: bool,
    /// Whether it began as a part of something of an unknown type: what is called on it tells what it is.
    pub(crate) part: bool,
    /// The key under which it may become a slot.
    pub(crate) slot_key: Option<usize>,
    /// Whether it holds an option, `None` until it is filled.
    pub(crate) slot: bool,
}

/// What a name is bound to.
#[derive(Clone)]
pub(crate) enum Binding {
    /// A variable; whether it is a reference in the source.
    Cell(CellId, bool),
    /// Another name for a place; whether it is a reference in the source.
    Alias(Place, bool),
    /// A closure.
    Closure(usize),
    /// A function named by its path.
    Function(Box<syn::Expr>),
    /// A choice between functions, or a tuple or an array with functions in it.
    Known(Box<super::Operand>),
    /// An iterator.
    Iter(Box<super::iter::Iter>),
    /// An item inside the function.
    Item,
}

pub(crate) type Scope = BTreeMap<String, Binding>;

/// All names in scope and all cells.
#[derive(Clone, Default)]
pub(crate) struct Env {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) cells: Vec<Cell>,
}

impl Env {
    pub(crate) fn push_scope(&mut self) {
        self.scopes.push(Scope::new());
    }

    pub(crate) fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    pub(crate) fn bind(&mut self, name: &str, binding: Binding) {
        self.scopes.last_mut().expect("a scope is open").insert(name.to_owned(), binding);
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    pub(crate) fn new_cell(&mut self, name: &str, value: Option<Value>, mutable: bool, key: usize) -> CellId {
        let name = name.to_owned();
        let (declared, declared_rust) = (None, None);
        self.cells.push(Cell {
            name,
            value,
            mutable,
            key,
            declared,
            declared_rust,
            origin: None,
            bound: false,
            part: false,
            slot_key: None,
            slot: false,
        });
        self.cells.len() - 1
    }
}

impl Lowering<'_> {
    /// The current version of the value in a cell.
    pub(super) fn cell_value(&mut self, cell: CellId) -> Value {
        match self.env.cells[cell].value {
            Some(v) => v,
            None => self.unit(),
        }
    }

    /// Gives a cell a new version.
    pub(super) fn set_cell(&mut self, cell: CellId, v: Value) {
        let v = self.outcome_of_cell(self.env.cells[cell].key, v);
        if self.is_active(v) {
            self.active_cells.insert(self.env.cells[cell].key);
        }
        let name = self.env.cells[cell].name.clone();
        self.func.values[v].name.get_or_insert(name);
        self.env.cells[cell].value = Some(v);
        self.note_origin(cell, v);
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Binding> {
        self.env.lookup(name)
    }
}
