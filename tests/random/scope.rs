//! What a generated program has in scope, so that what is generated is accepted by `rustc`.
//!
//! Invariant: a variable that something borrows is frozen (it may be read), one that is borrowed mutably is hidden.

use std::collections::BTreeSet;

/// The types that variables have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    /// `f64`
    Float,
    /// `usize`
    Int,
    /// `bool`
    Bool,
    /// `&[f64]`
    Slice,
    /// `[f64; 3]`
    Array,
    /// `Vec<f64>`
    Vec,
    /// `(f64, f64)`
    Pair,
    /// `[[f64; 3]; 2]`
    Matrix,
    /// `([f64; 3], f64)`
    Mixed,
    /// A closure of `f64`, whether it changes what it captures.
    Closure(bool),
    /// The struct of this number.
    Struct(usize),
    /// `Option<f64>`
    Opt,
    /// The enum.
    Enum,
}

impl Ty {
    /// Whether there are floats in it that a path leads to.
    pub(crate) fn has_floats(self) -> bool {
        !matches!(self, Ty::Int | Ty::Bool | Ty::Closure(_) | Ty::Opt | Ty::Enum)
    }

    /// Whether it is indexed by one number.
    pub(crate) fn is_sequence(self) -> bool {
        matches!(self, Ty::Slice | Ty::Array | Ty::Vec)
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    /// Its name.
    pub(crate) name: String,
    /// Its type.
    pub(crate) ty: Ty,
    /// Whether it may be assigned, or its elements.
    pub(crate) mutable: bool,
    /// Whether it is a parameter of the function.
    pub(crate) parameter: bool,
    /// Whether it is a reference to a float.
    pub(crate) deref: bool,
    /// Whether it is a small number, as loop variables are.
    pub(crate) small: bool,
    /// Whether it is a struct that is not copied.
    pub(crate) moves: bool,
    /// Whether it may have no elements.
    pub(crate) empty: bool,
    /// How many borrow it.
    pub(crate) frozen: usize,
    /// How many borrow it mutably; a variable that was moved is hidden for ever.
    pub(crate) hidden: usize,
    /// What it borrows: indices of variables, and whether mutably.
    pub(crate) borrows: Vec<(usize, bool)>,
}

impl Var {
    /// A variable that nothing borrows.
    pub(crate) fn new(name: &str, ty: Ty, mutable: bool) -> Self {
        Var {
            name: name.to_owned(),
            ty,
            mutable,
            parameter: false,
            deref: false,
            small: false,
            moves: false,
            empty: false,
            frozen: 0,
            hidden: 0,
            borrows: Vec::new(),
        }
    }

    /// How its value is written.
    pub(crate) fn read(&self) -> String {
        if self.deref { format!("(*{})", self.name) } else { self.name.clone() }
    }

    /// How it is written left of `=`.
    pub(crate) fn place(&self) -> String {
        if self.deref { format!("*{}", self.name) } else { self.name.clone() }
    }
}

/// What a closure's body has used so far.
#[derive(Default)]
pub(crate) struct Trace {
    /// Variables before this index are captured.
    pub(crate) base: usize,
    /// Whether the closure moves.
    pub(crate) moves: bool,
    /// What is read.
    pub(crate) reads: BTreeSet<usize>,
    /// What is changed.
    pub(crate) writes: BTreeSet<usize>,
}

/// The variables in scope.
#[derive(Default)]
pub(crate) struct Scope {
    /// All, inner ones last.
    pub(crate) vars: Vec<Var>,
    /// The closures that are being generated.
    pub(crate) traces: Vec<Trace>,
}

impl Scope {
    /// The variables that satisfy a condition, may be read, and are not shadowed.
    pub(crate) fn readable(&self, wanted: impl Fn(&Var) -> bool) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for (k, v) in self.vars.iter().enumerate().rev() {
            if seen.insert(v.name.as_str()) && v.hidden == 0 && wanted(v) && self.capturable(k) {
                found.push(k);
            }
        }
        found
    }

    /// The same for those that may be changed.
    pub(crate) fn writable(&self, wanted: impl Fn(&Var) -> bool) -> Vec<usize> {
        self.readable(|v| v.mutable && v.frozen == 0 && wanted(v))
    }

    /// Whether the closures around may capture a variable.
    fn capturable(&self, k: usize) -> bool {
        let v = &self.vars[k];
        self.traces.iter().all(|t| {
            let unique = v.mutable && (v.deref || v.ty == Ty::Slice);
            let copy = !unique && !v.moves && !matches!(v.ty, Ty::Vec | Ty::Closure(_));
            k >= t.base || !t.moves || copy
        })
    }

    /// Notes that a variable is read.
    pub(crate) fn used(&mut self, k: usize) {
        for t in &mut self.traces {
            if k < t.base {
                t.reads.insert(k);
            }
        }
    }

    /// Notes that a variable is changed.
    pub(crate) fn changed(&mut self, k: usize) {
        for t in &mut self.traces {
            if k < t.base {
                t.writes.insert(k);
            }
        }
    }

    /// Declares a variable and marks what it borrows.
    pub(crate) fn declare(&mut self, var: Var) -> usize {
        for &(k, mutably) in &var.borrows {
            self.mark(k, mutably, true);
        }
        self.vars.push(var);
        self.vars.len() - 1
    }

    /// Borrows a variable, or ends that.
    pub(crate) fn mark(&mut self, k: usize, mutably: bool, begin: bool) {
        let v = &mut self.vars[k];
        let count = if mutably { &mut v.hidden } else { &mut v.frozen };
        if begin { *count += 1 } else { *count -= 1 }
    }

    /// Ends the borrows of a variable, which is not used again.
    pub(crate) fn end(&mut self, k: usize) {
        for (b, mutably) in std::mem::take(&mut self.vars[k].borrows) {
            self.mark(b, mutably, false);
        }
        self.vars[k].hidden += 1;
    }

    /// Leaves scopes down to a number of variables.
    pub(crate) fn leave(&mut self, len: usize) {
        while self.vars.len() > len {
            let k = self.vars.len() - 1;
            self.end(k);
            self.vars.pop();
        }
    }
}
