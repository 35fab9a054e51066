//! Unification of types: a union-find over the kinds of scalars, and holes for what is not visible.
//!
//! Invariant: a kind that is known is never replaced by another; where two known kinds meet, they stay apart (Rust
//! will report the mistake, or the operation mixes types in a way that is not visible here). Bindings of holes have no
//! cycles.

use crate::ir::{Float, Type};

/// The kind of a scalar: of a float or of an integer.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Float(Float),
    Int(Option<&'static str>),
}

impl Kind {
    fn is_open(&self) -> bool {
        matches!(self, Kind::Float(Float::Any) | Kind::Int(None))
    }
}

/// A form of sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seq {
    Slice,
    Vec,
    Array,
}

/// A type whose scalars and unknown parts can be found out later.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Scalar(usize),
    NdArray(usize, Option<usize>),
    Seq(Seq, Box<Term>),
    Tuple(Vec<Term>),
    Option(Box<Term>),
    Boxed(Box<Term>),
    Fixed(Type),
    Hole(usize),
}

/// The state of unification.
#[derive(Debug, Default)]
pub(super) struct Unifier {
    parents: Vec<usize>,
    kinds: Vec<Kind>,
    holes: Vec<Option<Term>>,
    /// Whether anything has been found out since this was last reset.
    pub(super) changed: bool,
}

impl Unifier {
    fn kind(&mut self, kind: Kind) -> usize {
        self.parents.push(self.parents.len());
        self.kinds.push(kind);
        self.kinds.len() - 1
    }

    fn find(&mut self, mut v: usize) -> usize {
        while self.parents[v] != v {
            self.parents[v] = self.parents[self.parents[v]];
            v = self.parents[v];
        }
        v
    }

    /// A term for a type.
    pub(super) fn term(&mut self, ty: &Type) -> Term {
        match ty {
            Type::Float(k) => Term::Scalar(self.kind(Kind::Float(k.clone()))),
            Type::Int(k) => Term::Scalar(self.kind(Kind::Int(*k))),
            Type::NdArray(k, rank) => Term::NdArray(self.kind(Kind::Float(k.clone())), *rank),
            Type::Slice(t) => Term::Seq(Seq::Slice, Box::new(self.term(t))),
            Type::Vec(t) => Term::Seq(Seq::Vec, Box::new(self.term(t))),
            Type::Array(t) => Term::Seq(Seq::Array, Box::new(self.term(t))),
            Type::Tuple(ts) => Term::Tuple(ts.iter().map(|t| self.term(t)).collect()),
            Type::Option(t) => Term::Option(Box::new(self.term(t))),
            Type::Boxed(t) => Term::Boxed(Box::new(self.term(t))),
            Type::Dyn => {
                self.holes.push(None);
                Term::Hole(self.holes.len() - 1)
            }
            Type::Bool | Type::Unit | Type::Inactive | Type::Fault | Type::Pullback | Type::Function => {
                Term::Fixed(ty.clone())
            }
        }
    }

    /// The type that a term has come to.
    pub(super) fn ty(&mut self, term: &Term) -> Type {
        match self.resolve(term) {
            Term::Scalar(v) => {
                let root = self.find(v);
                match &self.kinds[root] {
                    Kind::Float(k) => Type::Float(k.clone()),
                    Kind::Int(k) => Type::Int(*k),
                }
            }
            Term::NdArray(v, rank) => {
                let root = self.find(v);
                match &self.kinds[root] {
                    Kind::Float(k) => Type::NdArray(k.clone(), rank),
                    Kind::Int(_) => Type::Dyn,
                }
            }
            Term::Seq(Seq::Slice, t) => Type::Slice(Box::new(self.ty(&t))),
            Term::Seq(Seq::Vec, t) => Type::Vec(Box::new(self.ty(&t))),
            Term::Seq(Seq::Array, t) => Type::Array(Box::new(self.ty(&t))),
            Term::Tuple(ts) => Type::Tuple(ts.iter().map(|t| self.ty(t)).collect()),
            Term::Option(t) => Type::Option(Box::new(self.ty(&t))),
            Term::Boxed(t) => Type::Boxed(Box::new(self.ty(&t))),
            Term::Fixed(ty) => ty,
            Term::Hole(_) => Type::Dyn,
        }
    }

    /// The term behind bound holes; its parts may still be bound holes.
    pub(super) fn resolve(&self, term: &Term) -> Term {
        let mut term = term;
        while let Term::Hole(h) = term {
            match &self.holes[*h] {
                Some(bound) => term = bound,
                None => break,
            }
        }
        term.clone()
    }

    /// Whether a term is a scalar of known kind or a boolean: something that a hole of equal type may safely become.
    fn is_plain(&mut self, term: &Term) -> bool {
        match term {
            Term::Scalar(v) => {
                let root = self.find(*v);
                !self.kinds[root].is_open()
            }
            Term::Fixed(ty) => *ty == Type::Bool,
            _ => false,
        }
    }

    /// Whether a term is a float scalar.
    pub(super) fn is_float(&mut self, term: &Term) -> bool {
        match self.resolve(term) {
            Term::Scalar(v) => {
                let root = self.find(v);
                matches!(self.kinds[root], Kind::Float(_))
            }
            _ => false,
        }
    }

    fn contains(&self, term: &Term, hole: usize) -> bool {
        match self.resolve(term) {
            Term::Hole(h) => h == hole,
            Term::Seq(_, t) | Term::Option(t) | Term::Boxed(t) => self.contains(&t, hole),
            Term::Tuple(ts) => ts.iter().any(|t| self.contains(t, hole)),
            Term::Scalar(_) | Term::NdArray(..) | Term::Fixed(_) => false,
        }
    }

    /// Lets a term that is a hole become another term.
    pub(super) fn bind(&mut self, hole: &Term, term: &Term) {
        if let (Term::Hole(h), term) = (self.resolve(hole), self.resolve(term))
            && !self.contains(&term, h)
        {
            self.changed |= !matches!(term, Term::Hole(_));
            self.holes[h] = Some(term);
        }
    }

    /// Whether two kinds are known to be one.
    pub(super) fn agree(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        a == b || self.kinds[a] == self.kinds[b]
    }

    /// Makes two kinds one, if one of them gives way.
    pub(super) fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let keep = match (&self.kinds[a], &self.kinds[b]) {
            (x, y) if x == y => a,
            (Kind::Float(_), Kind::Float(Float::Any)) | (Kind::Int(_), Kind::Int(None)) => a,
            (Kind::Float(Float::Any), Kind::Float(_)) | (Kind::Int(None), Kind::Int(_)) => b,
            _ => return,
        };
        self.changed |= self.kinds[a] != self.kinds[b];
        let gone = if keep == a { b } else { a };
        self.parents[gone] = keep;
    }

    /// Two terms that are exactly the same type.
    pub(super) fn unify(&mut self, a: &Term, b: &Term) {
        match (self.resolve(a), self.resolve(b)) {
            (a @ Term::Hole(_), b) => self.bind(&a, &b),
            (a, b @ Term::Hole(_)) => self.bind(&b, &a),
            (a, b) => self.parts(&a, &b),
        }
    }

    /// Two terms that are the same type up to what Rust coerces: a hole becomes a scalar, but no particular sequence.
    pub(super) fn same(&mut self, a: &Term, b: &Term) {
        match (self.resolve(a), self.resolve(b)) {
            (Term::Hole(_), Term::Hole(_)) => {}
            (a @ Term::Hole(_), b) | (b, a @ Term::Hole(_)) => {
                if self.is_plain(&b) {
                    self.bind(&a, &b);
                }
            }
            (a, b) => self.parts(&a, &b),
        }
    }

    /// `to` is what `from` is, if it is not known to be anything else.
    pub(super) fn flow(&mut self, from: &Term, to: &Term) {
        match (self.resolve(from), self.resolve(to)) {
            (Term::Hole(_), _) => self.same(from, to),
            (from, to @ Term::Hole(_)) => self.bind(&to, &from),
            (from, to) => self.parts(&from, &to),
        }
    }

    /// `to` is one of `a` and `b`: unknown unless they agree.
    pub(super) fn join(&mut self, a: &Term, b: &Term, to: &Term) {
        self.same(a, b);
        let agree = match (self.resolve(a), self.resolve(b)) {
            (Term::Seq(x, _), Term::Seq(y, _)) => x == y,
            (Term::Tuple(x), Term::Tuple(y)) => x.len() == y.len(),
            (Term::Option(_), Term::Option(_)) | (Term::Boxed(_), Term::Boxed(_)) => true,
            (Term::NdArray(_, x), Term::NdArray(_, y)) => x == y,
            (Term::Fixed(x), Term::Fixed(y)) => x == y,
            (Term::Scalar(x), Term::Scalar(y)) => self.find(x) == self.find(y),
            _ => false,
        };
        if agree {
            self.flow(a, to);
        } else {
            self.same(a, to);
            self.same(b, to);
        }
    }

    fn parts(&mut self, a: &Term, b: &Term) {
        match (a, b) {
            (Term::Scalar(a), Term::Scalar(b)) | (Term::NdArray(a, _), Term::NdArray(b, _)) => self.merge(*a, *b),
            (Term::Seq(_, a), Term::Seq(_, b))
            | (Term::Option(a), Term::Option(b))
            | (Term::Boxed(a), Term::Boxed(b)) => self.unify(a, b),
            (Term::Tuple(a), Term::Tuple(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b) {
                    self.unify(a, b);
                }
            }
            _ => {}
        }
    }
}
